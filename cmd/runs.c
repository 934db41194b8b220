#include "runs.h"

#include "compare/set.h"
#include "import/jankbench.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 4, PATH_ROOM = 4096 };

void found_free(struct found *f)
{
	vec_free(&f->runs);
	vec_free(&f->skipped);
	arena_free(&f->arena);
}

static const char *keep(struct found *f, const char *s, size_t n)
{
	return arena_str(&f->arena, s, n);
}

static const char *base_of(const char *path, size_t *n)
{
	size_t len = strlen(path);
	const char *p;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (p = path + len; p > path && p[-1] != '/'; p--)
		;
	*n = (size_t)(path + len - p);
	return p;
}

static bool ends(const char *name, size_t n, const char *with)
{
	size_t k = strlen(with);

	return n > k && !memcmp(name + n - k, with, k);
}

/* Length of the name without the endings of a trace; 0: it does not look like one. */
static size_t stem_of(const char *name)
{
	static const char *const wrappers[] = {".gz", ".zst"},
	                         *const kinds[] = {".dat",      ".pftrace", ".perfetto-trace",
	                                           ".perfetto", ".trace",   ".ftrace",
	                                           ".systrace", ".html",    ".pb"};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
		if (ends(name, n, wrappers[i]))
			n -= strlen(wrappers[i]);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (ends(name, n, kinds[i]))
			return n - strlen(kinds[i]);
	return 0;
}

/* "iter-3", "003", "wk1-jankbench-3": the name of an iteration, not of a configuration. */
static bool is_iteration(const char *name)
{
	static const char *const words[] = {"iteration", "iter", "run", "rep"};

	if (!strncmp(name, "wk", 2) && isdigit((unsigned char)name[2]))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(name, words[i], strlen(words[i]))) {
			name += strlen(words[i]);
			name += strspn(name, "-_.");
			break;
		}
	return *name && strspn(name, "0123456789") == strlen(name);
}

static void add(struct found *f, const char *config, const char *iteration, const char *path)
{
	*vec_add(&f->runs) = (struct found_run){keep(f, config, strlen(config)),
	                                        keep(f, iteration, strlen(iteration)),
	                                        keep(f, path, strlen(path)), jankbench_is(path)};
}

/* Length of the name of a database without its ending; 0: it does not look like one. */
static size_t database_stem(const char *name, const char *path)
{
	size_t n = strlen(name);
	bool named = !strcmp(name, "BenchmarkResults") || ends(name, n, ".db") ||
	             ends(name, n, ".sqlite") || ends(name, n, ".sqlite3");

	if (!named || !jankbench_is(path))
		return 0;
	return strrchr(name, '.') ? (size_t)(strrchr(name, '.') - name) : n;
}

/* What a part of the pattern such as {iter} stands for in the name; NULL: the name does not fit. */
static bool match(const char *pattern, const char *name, char config[256], char iter[256])
{
	while (*pattern) {
		const char *close = *pattern == '{' ? strchr(pattern, '}') : NULL;
		size_t n = 0, key = close ? (size_t)(close - pattern - 1) : 0;
		char *into;

		if (!close) {
			if (*pattern++ != *name++)
				return false;
			continue;
		}
		into = key == 6 && !memcmp(pattern + 1, "config", 6) ? config
		       : key == 4 && !memcmp(pattern + 1, "iter", 4) ? iter
		                                                     : NULL;
		pattern = close + 1;
		while (name[n] && (!*pattern || name[n] != *pattern))
			n++;
		/* up to the last place where the rest can begin */
		for (size_t k = n; *pattern && name[k]; k++)
			if (name[k] == *pattern &&
			    !strncmp(name + k, pattern, strcspn(pattern, "{")))
				n = k;
		if (!n || n > 255)
			return false;
		if (into)
			snprintf(into, 256, "%.*s", (int)n, name);
		name += n;
	}
	return !*name;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return set_natural((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* config NULL: not known yet; iteration NULL: by the names of files. */
static bool walk(struct found *f, const char *dir, const char *config, const char *iteration,
                 const char *pattern, int depth, struct err *e)
{
	struct dirent **list;
	int n = scandir(dir, &list, visible, by_name);
	size_t len;
	const char *name = base_of(dir, &len);
	char own[256], path[PATH_ROOM], by_config[256] = "", by_iter[256] = "";
	bool good = true;

	if (n < 0)
		return err_input(e, "%s: %s", dir, strerror(errno));
	snprintf(own, sizeof own, "%.*s", (int)len, name);
	for (int i = 0; i < n; i++) {
		const char *file = list[i]->d_name;
		size_t stem;

		if (snprintf(path, sizeof path, "%s/%s", dir, file) >= (int)sizeof path) {
			good = err_input(e, "%s: its names are too long", dir);
			break;
		}
		if (is_dir(path)) {
			bool iter = is_iteration(file);

			if (depth < DEPTH_MAX && good)
				good = walk(f, path,
				            iter     ? config ? config : own
				            : config ? config
				                     : NULL,
				            iter ? file : iteration, pattern, depth + 1, e);
			continue;
		}
		stem = stem_of(file);
		stem = stem ? stem : database_stem(file, path);
		if (pattern && match(pattern, file, by_config, by_iter)) {
			add(f, *by_config ? by_config : own, *by_iter ? by_iter : file, path);
		} else if (pattern || !stem) {
			*vec_add(&f->skipped) = keep(f, path, strlen(path));
		} else {
			char by_file[256];

			snprintf(by_file, sizeof by_file, "%.*s", (int)(stem < 255 ? stem : 255),
			         file);
			add(f, config ? config : own, iteration ? iteration : by_file, path);
		}
	}
	while (n > 0)
		free(list[--n]);
	free((void *)list);
	return good;
}

bool found_add(struct found *f, const char *dir, const char *pattern, struct err *e)
{
	return walk(f, dir, NULL, NULL, pattern, 0, e);
}
