#include "opt.h"

#include "base/mem.h"
#include "base/text.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BASE = 0x1000, KEY_COMPLETION = 0x2000, EXIT_USAGE = 2 };

const char *argp_program_version = "peltier " PELTIER_VERSION;

struct state {
	const struct opt_program *program;
	char *into;
	const char **files;
	size_t n_files;
};

static int key_of(const struct opt_program *p, size_t i)
{
	return p->opts[i].key ? p->opts[i].key : KEY_BASE + (int)i;
}

static bool set(const struct opt *o, char *into, const char *arg)
{
	void *at = into + o->offset;
	char *end;
	double v;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)at = true;
		return true;
	case OPT_TEXT:
		*(const char **)at = arg;
		return true;
	case OPT_COUNT:
		return text_to_u64(arg, at);
	default:
		v = strtod(arg, &end);
		*(double *)at = v;
		return *arg && !*end && v >= 0;
	}
}

/* A bash completion script; zsh reads it through bashcompinit. */
static void completion(const struct opt_program *p)
{
	char func[64];
	size_t n = 0;

	for (const char *c = p->name; *c && n < sizeof func - 1; c++)
		func[n++] = *c == '-' ? '_' : *c;
	func[n] = '\0';
	printf("# completion for %s\n_%s()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	       "\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '",
	       p->name, func);
	for (size_t i = 0; i < p->n_opts; i++)
		printf("--%s%s ", p->opts[i].name, p->opts[i].arg ? "=" : "");
	printf("--help --usage --version' -- \"$cur\"))\n\t\t[[ ${COMPREPLY[0]} == *= ]] && "
	       "compopt -o nospace\n"
	       "\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n}\n"
	       "complete -o filenames -F _%s %s\n",
	       func, p->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct state *s = state->input;
	const struct opt_program *p = s->program;

	if (key == ARGP_KEY_ARG) {
		s->files[s->n_files++] = arg;
		return 0;
	}
	if (key == KEY_COMPLETION) {
		completion(p);
		exit(0);
	}
	for (size_t i = 0; i < p->n_opts; i++) {
		if (key != key_of(p, i))
			continue;
		if (!set(&p->opts[i], s->into, arg))
			argp_error(state, "--%s %s: not %s", p->opts[i].name, arg,
			           p->opts[i].type == OPT_COUNT ? "a whole number"
			                                        : "a number of 0 or more");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

void opt_parse(const struct opt_program *p, int argc, char **argv, void *into, const char ***files,
               size_t *n_files)
{
	struct argp_option *rows = mem_calloc(p->n_opts + 2, sizeof *rows);
	struct argp argp = {rows, parse, p->args, p->about, NULL, NULL, NULL};
	struct state s = {p, into, mem_calloc((size_t)argc + 1, sizeof(char *)), 0};

	for (size_t i = 0; i < p->n_opts; i++)
		rows[i] = (struct argp_option){
		        p->opts[i].name, key_of(p, i), p->opts[i].arg, 0, p->opts[i].help, 0};
	rows[p->n_opts] = (struct argp_option){"completion",
	                                       KEY_COMPLETION,
	                                       NULL,
	                                       OPTION_HIDDEN,
	                                       "Print a bash completion script",
	                                       0};
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &s);
	free(rows);
	*files = s.files;
	*n_files = s.n_files;
}
