#include "fuzz/fuzz.h"

#include "analysis/analysis.h"
#include "import/platform_builtin.h"
#include "report/text.h"
#include "source/source.h"

#include <stdlib.h>

static void report(struct session *s)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct json j;
	struct doc d = {0};

	json_init(&j, out);
	session_json(s, &j);
	session_doc(s, &d);
	text_render(&d, out, 100, false);
	session_list_events(s, out);
	fclose(out);
	doc_free(&d);
	free(text);
}

static void ignore(void *arg, const struct timeline_point *p)
{
	(void)arg;
	if (p->known && p->value != p->value)
		abort();
}

void fuzz_trace(const uint8_t *data, size_t size)
{
	struct session_opts so = {.top = 5,
	                          .half_lives = {32, 8},
	                          .n_half_lives = 2,
	                          .walt_windows_ms = {20},
	                          .n_walt_windows = 1,
	                          .platform = platform_builtin("hikey960"),
	                          .timeline = {"freq,idle,speed,request,kernel,util:cpu=0,"
	                                       "estimate:task=1:h=8",
	                                       0, ignore, NULL}};
	struct err e;
	struct source *src = source_open_mem(data, size, "fuzz", &(struct source_opts){0}, &e);
	const struct event_type *types;
	const struct event *ev;
	struct session *s;
	int64_t last = INT64_MIN;
	unsigned n;

	if (!src)
		return;
	so.trace = source_info(src);
	s = session_new(&so);
	while ((ev = source_next(src))) {
		if (ev->ts < last)
			abort();
		last = ev->ts;
		session_event(s, ev);
	}
	types = source_types(src, &n);
	if (session_finish(s, source_quality(src), types, n, &e))
		report(s);
	session_free(s);
	source_close(src);
}
