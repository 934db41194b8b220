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

/* How much of the name stands for a part in braces, given what is behind that in the pattern: up to
 * the last place where the text behind it stands. */
static size_t part_length(const char *name, const char *behind)
{
	size_t text = strcspn(behind, "{"), n = strlen(name);

	if (!text)
		return *behind ? 1 : n; /* two parts without a text between them */
	for (size_t k = n; k--;)
		if (!strncmp(name + k, behind, text))
			return k;
	return 0;
}

/* Whether the name fits the pattern, and what stands for {config} and {iter}. */
static bool match(const char *pattern, const char *name, char config[256], char iter[256])
{
	while (*pattern) {
		const char *close = *pattern == '{' ? strchr(pattern, '}') : NULL;
		size_t n;

		if (!close) {
			if (*pattern++ != *name++)
				return false;
			continue;
		}
		n = part_length(name, close + 1);
		if (!n || n > 255)
			return false;
		if (!strncmp(pattern, "{config}", 8))
			snprintf(config, 256, "%.*s", (int)n, name);
		else if (!strncmp(pattern, "{iter}", 6))
			snprintf(iter, 256, "%.*s", (int)n, name);
		name += n;
		pattern = close + 1;
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

/* A folder that is to be looked at; config NULL: not known yet, iteration NULL: by the names of
 * files. */
struct folder {
	const char *path, *config, *iteration;
	int depth;
};

struct walk {
	struct found *found;
	const char *pattern;
	VEC(struct folder) folders;
};

static void add_folder(struct walk *w, const struct folder *in, const char *own, const char *path,
                       const char *name)
{
	bool iter = is_iteration(name);

	if (in->depth >= DEPTH_MAX)
		return;
	*vec_add(&w->folders) = (struct folder){
	        keep(w->found, path, strlen(path)),
	        in->config ? in->config
	        : iter     ? own
	                   : keep(w->found, name, strlen(name)),
	        iter ? keep(w->found, name, strlen(name)) : in->iteration, in->depth + 1};
}

static void add_file(struct walk *w, const struct folder *in, const char *own, const char *path,
                     const char *name)
{
	char config[256] = "", iter[256] = "";
	size_t stem = stem_of(name);

	stem = stem ? stem : database_stem(name, path);
	if (w->pattern ? !match(w->pattern, name, config, iter) : !stem) {
		*vec_add(&w->found->skipped) = keep(w->found, path, strlen(path));
		return;
	}
	if (!*config)
		snprintf(config, sizeof config, "%.255s", in->config ? in->config : own);
	if (!*iter && w->pattern)
		snprintf(iter, sizeof iter, "%.255s", name);
	else if (!*iter && in->iteration)
		snprintf(iter, sizeof iter, "%.255s", in->iteration);
	else if (!*iter)
		snprintf(iter, sizeof iter, "%.*s", (int)(stem < 255 ? stem : 255), name);
	add(w->found, config, iter, path);
}

static bool look(struct walk *w, struct folder in, struct err *e)
{
	struct dirent **list;
	int n = scandir(in.path, &list, visible, by_name);
	const char *base, *own;
	char path[PATH_ROOM];
	bool good = true;
	size_t len;

	if (n < 0)
		return err_input(e, "%s: %s", in.path, strerror(errno));
	base = base_of(in.path, &len);
	own = keep(w->found, base, len);
	for (int i = 0; i < n && good; i++) {
		const char *name = list[i]->d_name;

		if (snprintf(path, sizeof path, "%s/%s", in.path, name) >= (int)sizeof path)
			good = err_input(e, "%s: its names are too long", in.path);
		else if (is_dir(path))
			add_folder(w, &in, own, path, name);
		else
			add_file(w, &in, own, path, name);
	}
	while (n > 0)
		free(list[--n]);
	free((void *)list);
	return good;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Of a further folder: files that are there already are no runs, and a configuration that has the
 * name of another one is called by its path. */
static void tell_apart(struct found *f, size_t before, const char *dir)
{
	size_t kept = before;

	for (size_t i = before; i < f->runs.n; i++) {
		struct found_run *r = &f->runs.at[i];
		bool again = false, clash = false;
		char name[PATH_ROOM];
		size_t len;

		for (size_t k = 0; k < before && !again; k++) {
			again = is_same_file(f->runs.at[k].path, r->path);
			clash |= !strcmp(f->runs.at[k].config, r->config);
		}
		if (again) {
			*vec_add(&f->skipped) = r->path;
			continue;
		}
		base_of(dir, &len);
		if (clash && strlen(r->config) == len &&
		    !memcmp(base_of(dir, &len), r->config, len))
			r->config = keep(f, dir, strlen(dir));
		else if (clash && snprintf(name, sizeof name, "%s/%s", dir, r->config) > 0)
			r->config = keep(f, name, strlen(name));
		f->runs.at[kept++] = *r;
	}
	f->runs.n = kept;
}

bool found_add(struct found *f, const char *dir, const char *pattern, struct err *e)
{
	struct walk w = {.found = f, .pattern = pattern};
	size_t before = f->runs.n;
	bool good = true;

	*vec_add(&w.folders) = (struct folder){dir, NULL, NULL, 0};
	for (size_t i = 0; i < w.folders.n && good; i++)
		good = look(&w, w.folders.at[i], e);
	vec_free(&w.folders);
	if (good && before)
		tell_apart(f, before, dir);
	return good;
}
