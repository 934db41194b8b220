/* What the fuzz targets share. Each is one function that libFuzzer calls, and that replay.c calls
 * for the files of a corpus, with any compiler. */
#ifndef PELTIER_TESTS_FUZZ_H
#define PELTIER_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Open, read, analyse and report a trace; aborts when the books do not balance. */
void fuzz_trace(const uint8_t *data, size_t size);

#endif
