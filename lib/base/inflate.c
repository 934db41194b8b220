#include "base/inflate.h"

#include <string.h>

const struct inflate_codec *inflate_find(const char *name)
{
	static const struct inflate_codec *const all[] = {&inflate_zstd, &inflate_zlib};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}
