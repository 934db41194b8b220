#include "frame/user.h"

#include "base/text.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

enum how { HOW_NONE, HOW_PAIR, HOW_POINTS, HOW_SLICE, HOW_EVENTS, HOW_RTAPP };
enum nest { NEST_INNERMOST, NEST_FIRST, NEST_REPLACE };
enum { TEXT_MAX = 512, NESTED_MAX = 64 };

/* A begin without its end. */
struct open_frame {
	uint32_t frame; /* index; UINT32_MAX: a slice of another name */
};

struct user_key {
	VEC(struct open_frame) open;
	uint32_t cpu; /* of the last begin */
};

struct loop_index {
	int32_t pid;
	uint64_t n;
	double sum;
};

struct frame_user {
	struct frames *frames;
	struct frame_hearer hearer;
	enum how how;
	enum nest nest;
	char begin_text[TEXT_MAX], end_text[TEXT_MAX], task[64];
	regex_t begin, end;
	bool compiled_begin, compiled_end;
	int64_t deadline; /* ns; 0: none */
	int64_t tokens;
	uint32_t cpu; /* of the event */
	uint64_t replaced;
	struct map by_key; /* 1 + index in keys */
	VEC(struct user_key) keys;
	VEC(struct loop_index) index;
};

/* ---- the definition ---- */

static const char *const key_names[] = {
        "begin=", "end=", "slice=", "event=", "task=", "deadline=", "nest=", "rtapp"};
enum {
	KEY_BEGIN,
	KEY_END,
	KEY_SLICE,
	KEY_EVENT,
	KEY_TASK,
	KEY_DEADLINE,
	KEY_NEST,
	KEY_RTAPP,
	KEYS
};

static int key_at(const char *p)
{
	for (int k = 0; k < KEYS; k++)
		if (!strncmp(p, key_names[k], strlen(key_names[k])))
			return k;
	return -1;
}

/* Where the value that begins at p ends: at a blank with a key behind it. */
static const char *value_end(const char *p)
{
	for (; *p; p++)
		if (*p == ' ' && key_at(p + strspn(p, " ")) >= 0)
			return p;
	return p;
}

static bool set_how(struct frame_user *u, enum how how, struct err *e)
{
	if (u->how != HOW_NONE)
		return err_input(e, "one of begin=, slice=, event= and rtapp");
	u->how = how;
	return true;
}

static bool set_number(struct frame_user *u, const char *text, struct err *e)
{
	char *end;
	double ms = strtod(text, &end);

	if (end == text || *end || !(ms > 0 && ms <= 1e6))
		return err_input(e, "deadline=%s: milliseconds, more than 0", text);
	u->deadline = (int64_t)(ms * 1e6);
	return true;
}

static bool set_nest(struct frame_user *u, const char *text, struct err *e)
{
	static const char *const names[] = {"innermost", "first", "replace"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(text, names[i])) {
			u->nest = (enum nest)i;
			return true;
		}
	return err_input(e, "nest=%s: innermost, first or replace", text);
}

static bool set_key(struct frame_user *u, int key, const char *value, struct err *e)
{
	char *comma;

	switch (key) {
	case KEY_BEGIN:
		snprintf(u->begin_text, sizeof u->begin_text, "%s", value);
		return set_how(u, HOW_POINTS, e);
	case KEY_END:
		snprintf(u->end_text, sizeof u->end_text, "%s", value);
		return true;
	case KEY_SLICE:
		snprintf(u->begin_text, sizeof u->begin_text, "%s", value);
		return set_how(u, HOW_SLICE, e);
	case KEY_EVENT:
		snprintf(u->begin_text, sizeof u->begin_text, "%s", value);
		if (strchr(value, ' '))
			return err_input(e, "event=%.60s: names of events have no blanks", value);
		comma = strchr(u->begin_text, ',');
		if (comma) {
			*comma = '\0';
			snprintf(u->end_text, sizeof u->end_text, "%s", comma + 1);
		}
		return set_how(u, HOW_EVENTS, e);
	case KEY_TASK:
		snprintf(u->task, sizeof u->task, "%.63s", value);
		return true;
	case KEY_DEADLINE:
		return set_number(u, value, e);
	case KEY_NEST:
		return set_nest(u, value, e);
	default:
		return *value ? err_input(e, "rtapp has no value") : set_how(u, HOW_RTAPP, e);
	}
}

static bool compile(regex_t *out, const char *text, bool *done, struct err *e)
{
	char why[128];
	int code = regcomp(out, text, REG_EXTENDED);

	if (code) {
		regerror(code, out, why, sizeof why);
		return err_input(e, "%s: %s", text, why);
	}
	*done = true;
	return true;
}

static bool parse(struct frame_user *u, const char *text, struct err *e)
{
	const char *p = text + strspn(text, " ");
	char value[TEXT_MAX];

	while (*p) {
		int key = key_at(p);
		const char *end;

		if (key < 0)
			return err_input(e,
			                 "%.40s: none of begin=, end=, slice=, event=, rtapp, "
			                 "task=, deadline= and nest=",
			                 p);
		p += strlen(key_names[key]);
		end = value_end(p);
		if ((size_t)(end - p) >= sizeof value)
			return err_input(e, "%s longer than %d", key_names[key], TEXT_MAX);
		snprintf(value, sizeof value, "%.*s", (int)(end - p), p);
		if (key != KEY_RTAPP && !*value)
			return err_input(e, "%s has no value", key_names[key]);
		if (!set_key(u, key, value, e))
			return false;
		p = end + strspn(end, " ");
	}
	if (u->how == HOW_POINTS && *u->end_text)
		u->how = HOW_PAIR;
	if (u->how == HOW_NONE)
		return err_input(e, "one of begin=, slice=, event= and rtapp is needed");
	if (u->how != HOW_PAIR && u->how != HOW_EVENTS && *u->end_text)
		return err_input(e, "end= needs begin=");
	if (u->how == HOW_POINTS || u->how == HOW_PAIR)
		return compile(&u->begin, u->begin_text, &u->compiled_begin, e) &&
		       (u->how == HOW_POINTS || compile(&u->end, u->end_text, &u->compiled_end, e));
	return true;
}

struct frame_user *frame_user_new(const char *text, struct frames *frames,
                                  struct frame_hearer hearer)
{
	struct frame_user *u = mem_calloc(1, sizeof *u);
	struct err e;

	u->frames = frames;
	u->hearer = hearer;
	parse(u, text, &e);
	return u;
}

bool frame_user_check(const char *text, struct err *e)
{
	struct frame_user *u = mem_calloc(1, sizeof *u);
	bool good = parse(u, text, e);

	frame_user_free(u);
	return good;
}

void frame_user_free(struct frame_user *u)
{
	if (!u)
		return;
	if (u->compiled_begin)
		regfree(&u->begin);
	if (u->compiled_end)
		regfree(&u->end);
	for (size_t i = 0; i < u->keys.n; i++)
		vec_free(&u->keys.at[i].open);
	vec_free(&u->keys);
	map_free(&u->by_key);
	vec_free(&u->index);
	free(u);
}

void frame_user_gap(struct frame_user *u, uint32_t cpu)
{
	for (size_t i = 0; i < u->keys.n; i++)
		if (u->keys.at[i].cpu == cpu)
			u->keys.at[i].open.n = 0; /* they stay without an end */
}

uint64_t frame_user_replaced(const struct frame_user *u)
{
	return u->replaced;
}

/* ---- frames ---- */

static struct user_key *key_of(struct frame_user *u, uint64_t a, uint64_t b)
{
	uint32_t at = map_get(&u->by_key, a, b);

	if (!at) {
		vec_add(&u->keys);
		at = (uint32_t)u->keys.n;
		map_put(&u->by_key, a, b, at);
	}
	return &u->keys.at[at - 1];
}

static void tell(struct frame_user *u, uint32_t frame, int32_t tid, int64_t t, bool begins)
{
	static const enum frame_edge_kind edges[2][2] = {{EDGE_DRAW_END, EDGE_UI_END},
	                                                 {EDGE_UI_BEGIN, EDGE_DRAW_BEGIN}};

	for (int i = 0; i < 2 && u->hearer.edge; i++)
		u->hearer.edge(u->hearer.arg,
		               &(struct frame_edge){edges[begins][i], frame, tid, t});
}

static void begin(struct frame_user *u, struct user_key *k, int32_t pid, int32_t tid, int64_t t)
{
	struct frame *f;

	k->cpu = u->cpu;
	if (k->open.n && u->nest == NEST_FIRST)
		return;
	if (k->open.n && u->nest == NEST_REPLACE) {
		u->replaced++;
		u->frames->at.at[k->open.at[k->open.n - 1].frame].ui_start = t;
		return;
	}
	f = k->open.n < NESTED_MAX ? frames_get(u->frames, pid, u->tokens++, false) : NULL;
	if (!f)
		return;
	f->flags |= FRAME_USER;
	f->ui_start = t;
	if (u->deadline) {
		f->expected_start = t;
		f->expected_end = t + u->deadline;
	}
	*vec_add(&k->open) = (struct open_frame){(uint32_t)(f - u->frames->at.at)};
	if (tid > 0)
		tell(u, (uint32_t)(f - u->frames->at.at), tid, t, true);
}

/* The frame that ends; NULL: none is open. */
static struct frame *end(struct frame_user *u, struct user_key *k, int32_t tid, int64_t t)
{
	struct open_frame o;
	struct frame *f;

	if (!k->open.n)
		return NULL;
	o = k->open.at[--k->open.n];
	if (o.frame == UINT32_MAX)
		return NULL;
	f = &u->frames->at.at[o.frame];
	f->ui_end = f->draw_end = t;
	f->draw_start = f->ui_start;
	if (tid > 0)
		tell(u, o.frame, tid, t, false);
	return f;
}

/* One event per frame: the end of one is the begin of the next. */
static void point(struct frame_user *u, struct user_key *k, int64_t t)
{
	end(u, k, 0, t);
	begin(u, k, 0, 0, t);
}

static struct user_key *key_of_match(struct frame_user *u, const char *text, const regmatch_t *m,
                                     int32_t pid)
{
	if (m[1].rm_so >= 0)
		return key_of(u, 1,
		              text_hash(text + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so)));
	return key_of(u, 0, u->how == HOW_POINTS ? 0 : (uint64_t)(uint32_t)pid);
}

static void by_text(struct frame_user *u, const struct event *ev, const char *text)
{
	regmatch_t m[2];

	if (!regexec(&u->begin, text, 2, m, 0)) {
		struct user_key *k = key_of_match(u, text, m, ev->pid);

		if (u->how == HOW_POINTS)
			point(u, k, ev->ts);
		else
			begin(u, k, ev->pid, ev->pid, ev->ts);
	} else if (u->how == HOW_PAIR && !regexec(&u->end, text, 2, m, 0)) {
		end(u, key_of_match(u, text, m, ev->pid), ev->pid, ev->ts);
	}
}

/* ---- slices ---- */

static bool is_slice(const struct frame_user *u, const char *name, size_t n)
{
	size_t want = strlen(u->begin_text);

	return n >= want && !memcmp(name, u->begin_text, want) && (n == want || name[want] == ' ');
}

/* Slices of other names are kept, too, so that ends find theirs. */
static void begin_slice(struct frame_user *u, struct user_key *k, const char *name, size_t n,
                        int32_t pid, int32_t tid, int64_t t)
{
	if (is_slice(u, name, n))
		begin(u, k, pid, tid, t);
	else if (k->open.n < NESTED_MAX)
		*vec_add(&k->open) = (struct open_frame){UINT32_MAX};
}

static void by_slice(struct frame_user *u, const struct event *ev, const char *text)
{
	struct user_key *k = key_of(u, 0, (uint64_t)(uint32_t)ev->pid);
	const char *bar;

	if (text[0] == 'B' && text[1] == '|' && (bar = strchr(text + 2, '|')))
		begin_slice(u, k, bar + 1, strlen(bar + 1), ev->pid, ev->pid, ev->ts);
	else if (text[0] == 'E' && (!text[1] || text[1] == '|'))
		end(u, k, ev->pid, ev->ts);
}

static void by_track(struct frame_user *u, const struct event *ev)
{
	struct user_key *k = key_of(u, 2, (uint64_t)ev->track_event.track);
	int32_t tid = event_has(ev, track_event, tid) ? (int32_t)ev->track_event.tid : 0;
	struct str name =
	        event_has(ev, track_event, name) ? ev->track_event.name : (struct str){"", 0};

	if (ev->track_event.type == TRACK_BEGIN)
		begin_slice(u, k, name.p, str_len(name), tid, tid, ev->ts);
	else if (ev->track_event.type == TRACK_END)
		end(u, k, tid, ev->ts);
}

/* ---- rt-app ---- */

/* The whole number behind "name="; false: there is none. */
static bool field(const char *text, const char *name, int64_t *v)
{
	const char *p = strstr(text, name);
	char *end;

	if (!p)
		return false;
	p += strlen(name);
	*v = strtoll(p, &end, 10);
	return end != p;
}

static void loop_stats(struct frame_user *u, struct user_key *k, int32_t pid, const char *text)
{
	int64_t slack, period, run;
	struct loop_index *x = NULL;

	if (!field(text, " slack=", &slack) || !k->open.n)
		return;
	/* the work ended `slack` before its time: the loop's end is written a little later */
	u->frames->at.at[k->open.at[k->open.n - 1].frame].expected_end = slack * 1000;
	if (!field(text, " c_period=", &period) || !field(text, " c_run=", &run) || period <= run)
		return;
	for (size_t i = 0; i < u->index.n; i++)
		if (u->index.at[i].pid == pid)
			x = &u->index.at[i];
	if (!x) {
		x = vec_add(&u->index);
		x->pid = pid;
	}
	x->n++;
	x->sum += (double)slack / (double)(period - run);
}

static void by_rtapp(struct frame_user *u, const struct event *ev, const char *text)
{
	struct user_key *k;

	if (strncmp(text, "rtapp_", 6))
		return;
	k = key_of(u, 0, (uint64_t)(uint32_t)ev->pid);
	if (!strncmp(text, "rtapp_loop: event=start", 23)) {
		begin(u, k, ev->pid, ev->pid, ev->ts);
	} else if (!strncmp(text, "rtapp_stats: ", 13)) {
		loop_stats(u, k, ev->pid, text);
	} else if (!strncmp(text, "rtapp_loop: event=end", 21)) {
		struct frame *f = end(u, k, ev->pid, ev->ts);

		if (f && f->expected_end != FRAME_NO_TIME) {
			f->expected_start = f->ui_start;
			f->expected_end += ev->ts;
		}
	}
}

double frame_user_index(const struct frame_user *u, int32_t pid, uint64_t *n)
{
	for (size_t i = 0; i < u->index.n; i++)
		if (u->index.at[i].pid == pid) {
			*n = u->index.at[i].n;
			return u->index.at[i].sum / (double)*n;
		}
	*n = 0;
	return (double)NAN;
}

/* ---- events ---- */

bool frame_user_of_events(const struct frame_user *u)
{
	return u->how == HOW_EVENTS;
}

bool frame_user_wants(const struct frame_user *u, const char *event)
{
	return u->how == HOW_EVENTS &&
	       (!strcmp(event, u->begin_text) || !strcmp(event, u->end_text));
}

static void by_event(struct frame_user *u, const struct event *ev, const char *type)
{
	struct user_key *k = key_of(u, 0, *u->end_text ? (uint64_t)(uint32_t)ev->pid : 0);

	if (!*u->end_text)
		point(u, k, ev->ts);
	else if (!strcmp(type, u->end_text))
		end(u, k, ev->pid, ev->ts);
	else
		begin(u, k, ev->pid, ev->pid, ev->ts);
}

static bool is_task(const struct frame_user *u, int32_t pid, const char *comm)
{
	uint64_t n;

	return !*u->task || !strcmp(u->task, comm) ||
	       (text_to_u64(u->task, &n) && n == (uint64_t)pid);
}

void frame_user_event(struct frame_user *u, const struct event *ev, const char *type,
                      const char *comm)
{
	char text[TEXT_MAX];
	size_t n;

	if (!is_task(u, ev->pid, comm))
		return;
	u->cpu = ev->cpu;
	if (u->how == HOW_EVENTS) {
		by_event(u, ev, type);
		return;
	}
	if (ev->kind == EV_track_event && u->how == HOW_SLICE)
		by_track(u, ev);
	if (ev->kind != EV_print || !event_has(ev, print, buf))
		return;
	n = str_len(ev->print.buf);
	while (n && (ev->print.buf.p[n - 1] == '\n' || ev->print.buf.p[n - 1] == '\r'))
		n--;
	n = n < sizeof text - 1 ? n : sizeof text - 1;
	memcpy(text, ev->print.buf.p, n);
	text[n] = '\0';
	if (u->how == HOW_SLICE)
		by_slice(u, ev, text);
	else if (u->how == HOW_RTAPP)
		by_rtapp(u, ev, text);
	else
		by_text(u, ev, text);
}
