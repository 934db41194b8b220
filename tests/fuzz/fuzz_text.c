/* ftrace text, atrace and systrace pages. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace(data, size);
	return 0;
}
