/* A document as plain text for a terminal or a file. */
#ifndef PELTIER_REPORT_TEXT_H
#define PELTIER_REPORT_TEXT_H

#include "report/doc.h"

#include <stdio.h>

/* Lines are wrapped at `width` columns where they are prose; tables are as wide as they are. With
 * `colour` labels and column titles carry escape sequences. Names are escaped (text_escape). */
void text_render(const struct doc *d, FILE *out, int width, bool colour);

#endif
