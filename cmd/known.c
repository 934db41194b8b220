#include "known.h"

#include "import/platform_builtin.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The platform that a run file names: a built-in one, or a file beside it. */
static bool platform_of_run(struct known *k, struct err *e)
{
	const struct run *r = run_file_data(k->run);
	const char *slash = strrchr(r->path, '/');
	char path[PATH_MAX];

	k->platform = platform_builtin(r->platform);
	if (k->platform)
		return true;
	snprintf(path, sizeof path, "%.*s%s",
	         *r->platform == '/' || !slash ? 0 : (int)(slash + 1 - r->path), r->path,
	         r->platform);
	k->file = platform_file_load(path, e);
	k->platform = k->file ? platform_file_data(k->file) : NULL;
	return k->file != NULL;
}

bool known_of(struct known *k, const char *trace, const char *run, bool find,
              const struct platform *platform, struct err *e)
{
	bool input = !strcmp(trace, "-");

	*k = (struct known){.platform = platform};
	if (run ? strcmp(run, "none") != 0 : !input)
		k->run = run ? run_file_load(run, trace, e) : run_file_find(trace, &k->bad_run);
	if (run && !k->run && strcmp(run, "none"))
		return false;
	if (find && k->run && run_file_data(k->run)->platform) {
		if (!platform_of_run(k, run ? e : &k->bad_platform)) {
			k->platform = NULL; /* the rest of the run file counts */
			return !run;
		}
	} else if (find && !input) {
		k->file = platform_file_find(trace, &k->bad_platform);
		k->platform = k->file ? platform_file_data(k->file) : NULL;
	}
	return true;
}

void known_free(struct known *k)
{
	run_file_free(k->run);
	platform_file_free(k->file);
}

bool known_platform(const char *name, const struct platform **platform, struct platform_file **file,
                    struct err *e)
{
	*file = NULL;
	*platform = platform_builtin(name);
	if (*platform)
		return true;
	*file = platform_file_load(name, e);
	*platform = *file ? platform_file_data(*file) : NULL;
	return *file != NULL;
}
