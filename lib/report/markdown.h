/* Renders a document as Markdown (tables of GitHub's kind). */
#ifndef PELTIER_REPORT_MARKDOWN_H
#define PELTIER_REPORT_MARKDOWN_H

#include "report/doc.h"

#include <stdio.h>

void markdown_render(const struct doc *d, FILE *out);

#endif
