#include "fuzz/fuzz.h"

#include "analysis/analysis.h"
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

void fuzz_trace(const uint8_t *data, size_t size)
{
	struct session_opts so = {.top = 5, .half_lives = {32, 8}, .n_half_lives = 2};
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
