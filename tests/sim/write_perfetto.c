/* Perfetto traces: the wire format by hand, from its description (reference perfetto-format.md). */
#include "sim/bytes.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <zlib.h>

enum { PACKET = 1, F_FTRACE = 1, F_TREE = 2, F_UID = 3, F_CLOCKS = 6, F_SEQUENCE = 10 };
enum { F_SYS_STATS = 7, F_TIMESTAMP = 8, F_RAILS = 40, F_CPU_INFO = 67, F_FRAME = 76 };
enum { EXPECTED_DISPLAY = 1, ACTUAL_DISPLAY, EXPECTED_SURFACE, ACTUAL_SURFACE, FRAME_END };
enum { ON_TIME = 1, LATE = 2, NO_JANK = 1, APP_DEADLINE = 64, VALID = 1, SURFACEFLINGER = 900 };
enum { F_SYSTEM = 45, F_COMPRESSED = 50, BOOTTIME = 6, MONOTONIC = 3, SEQUENCE = 1 };
enum { BUNDLE_NS = 200000000, PACKETS_PER_BUNDLE = 64 };

/* ---- the wire ---- */

static void varint(struct bytes *b, uint64_t v)
{
	for (; v >> 7; v >>= 7)
		put_number(b, (v & 127) | 128, 1);
	put_number(b, v, 1);
}

static void number(struct bytes *b, unsigned field, uint64_t v)
{
	varint(b, field << 3);
	varint(b, v);
}

static void blob(struct bytes *b, unsigned field, const void *p, size_t n)
{
	varint(b, field << 3 | 2);
	varint(b, n);
	put(b, p, n);
}

static void text(struct bytes *b, unsigned field, const char *s)
{
	blob(b, field, s, strlen(s));
}

/* A message within another: what it is in, and itself; ended by end(). */
static void end(struct bytes *in, unsigned field, struct bytes *msg)
{
	blob(in, field, msg->at, msg->n);
	msg->n = 0;
}

/* ---- events ---- */

static void put_event(struct bytes *bundle, const struct sim_event *e, struct bytes *ev,
                      struct bytes *fields)
{
	const struct sim_desc *d = &sim_desc[e->kind];
	unsigned s = 0, v = 0;

	fields->n = ev->n = 0;
	for (unsigned i = 0; i < d->n_fields; i++) {
		if (d->field[i].type == FIELD_COMM || d->field[i].type == FIELD_TEXT)
			text(fields, d->field[i].proto, e->s[s++]);
		else
			number(fields, d->field[i].proto,
			       e->kind == SIM_PRINT ? 0 : (uint64_t)e->v[v++]);
	}
	number(ev, 1, (uint64_t)e->ts);
	number(ev, 2, (uint64_t)e->pid);
	end(ev, d->proto, fields);
	end(bundle, 2, ev);
}

/* Arrays of CompactSched, by field number. */
struct compact {
	struct bytes of[13];
	const char *names[256];
	unsigned n_names;
	int64_t last_switch, last_waking;
};

static unsigned intern(struct compact *c, const char *name)
{
	for (unsigned i = 0; i < c->n_names; i++)
		if (!strcmp(c->names[i], name))
			return i;
	if (c->n_names == 256)
		return 0;
	c->names[c->n_names] = name;
	return c->n_names++;
}

static bool put_compact(struct compact *c, const struct sim_event *e)
{
	if (c->n_names > 250)
		return false;
	if (e->kind == SIM_SWITCH) {
		varint(&c->of[1], (uint64_t)(e->ts - c->last_switch));
		varint(&c->of[2], (uint64_t)e->v[2]);
		varint(&c->of[3], (uint64_t)e->v[3]);
		varint(&c->of[4], (uint64_t)e->v[4]);
		varint(&c->of[6], intern(c, e->s[1]));
		c->last_switch = e->ts;
		return true;
	}
	if (e->kind != SIM_WAKING)
		return false;
	varint(&c->of[7], (uint64_t)(e->ts - c->last_waking));
	varint(&c->of[8], (uint64_t)e->v[0]);
	varint(&c->of[9], (uint64_t)e->v[2]);
	varint(&c->of[10], (uint64_t)e->v[1]);
	varint(&c->of[11], intern(c, e->s[0]));
	varint(&c->of[12], 0);
	c->last_waking = e->ts;
	return true;
}

static void end_compact(struct bytes *bundle, struct compact *c)
{
	struct bytes msg = {NULL, 0, 0};

	for (unsigned i = 0; i < c->n_names; i++)
		text(&msg, 5, c->names[i]);
	for (unsigned f = 1; f < 13; f++) {
		if (c->of[f].n)
			blob(&msg, f, c->of[f].at, c->of[f].n);
		free(c->of[f].at);
	}
	if (msg.n)
		blob(bundle, 4, msg.at, msg.n);
	free(msg.at);
	memset(c, 0, sizeof *c);
}

/* ---- packets ---- */

struct writer {
	struct bytes out, group; /* group: packets that will be compressed together */
	unsigned n_group;
	bool deflate;
};

static void end_group(struct writer *w)
{
	struct bytes packet = {NULL, 0, 0}, z = {NULL, 0, 0};
	uLongf size = compressBound(w->group.n);

	if (!w->group.n)
		return;
	put_zeros(&z, size);
	compress2(z.at, &size, w->group.at, w->group.n, 6);
	blob(&packet, F_COMPRESSED, z.at, size);
	blob(&w->out, PACKET, packet.at, packet.n);
	free(packet.at);
	free(z.at);
	w->group.n = w->n_group = 0;
}

static void put_packet(struct writer *w, struct bytes *packet)
{
	number(packet, F_UID, 9999);
	number(packet, F_SEQUENCE, SEQUENCE);
	if (!w->deflate) {
		end(&w->out, PACKET, packet);
		return;
	}
	end(&w->group, PACKET, packet);
	if (++w->n_group == PACKETS_PER_BUNDLE)
		end_group(w);
}

static void put_clocks(struct writer *w, int64_t t)
{
	static const unsigned clocks[] = {BOOTTIME, MONOTONIC};
	struct bytes packet = {NULL, 0, 0}, snapshot = {NULL, 0, 0}, clock = {NULL, 0, 0};

	for (int i = 0; i < 2; i++) {
		number(&clock, 1, clocks[i]);
		number(&clock, 2, (uint64_t)t);
		end(&snapshot, 1, &clock);
	}
	number(&snapshot, 2, BOOTTIME);
	end(&packet, F_CLOCKS, &snapshot);
	put_packet(w, &packet);
	free(packet.at);
	free(snapshot.at);
	free(clock.at);
}

static void put_system(struct writer *w, const struct result *r)
{
	struct bytes packet = {NULL, 0, 0}, info = {NULL, 0, 0}, uts = {NULL, 0, 0};

	text(&uts, 1, "Linux");
	text(&uts, 2, "simulated by peltier");
	text(&uts, 3, "6.1.0-simulated");
	text(&uts, 4, "aarch64");
	end(&info, 1, &uts);
	number(&info, 8, r->scenario->platform->n_cpus);
	end(&packet, F_SYSTEM, &info);
	put_packet(w, &packet);
	free(packet.at);
	free(info.at);
	free(uts.at);
}

static void put_tree(struct writer *w, const struct result *r)
{
	struct bytes packet = {NULL, 0, 0}, tree = {NULL, 0, 0}, row = {NULL, 0, 0};

	for (size_t i = 0; i < r->scenario->tasks.n; i++) {
		const struct task_spec *t = &r->scenario->tasks.at[i];

		if (t->pid == t->tgid) {
			number(&row, 1, (uint64_t)t->pid);
			number(&row, 2, 1);
			text(&row, 3, t->name);
			end(&tree, 1, &row);
		} else {
			number(&row, 1, (uint64_t)t->pid);
			text(&row, 2, t->name);
			number(&row, 3, (uint64_t)t->tgid);
			end(&tree, 2, &row);
		}
	}
	end(&packet, F_TREE, &tree);
	put_packet(w, &packet);
	free(packet.at);
	free(tree.at);
	free(row.at);
}

static void put_cpu_info(struct writer *w, const struct result *r)
{
	const struct platform *p = r->scenario->platform;
	struct bytes packet = {NULL, 0, 0}, info = {NULL, 0, 0}, cpu = {NULL, 0, 0};

	for (uint32_t i = 0; i < p->n_cpus; i++) {
		const struct platform_domain *d = platform_domain_of(p, i);

		text(&cpu, 1, "simulated");
		for (size_t k = 0; d && k < d->n_khz; k++)
			number(&cpu, 2, (uint64_t)d->khz[k]);
		number(&cpu, 3, (uint64_t)p->capacity[i]);
		end(&info, 1, &cpu);
	}
	end(&packet, F_CPU_INFO, &info);
	put_packet(w, &packet);
	free(packet.at);
	free(info.at);
	free(cpu.at);
}

/* A rail per domain, whose meter reads whole uJ. */
static void put_rails(struct writer *w, const struct result *r, const struct sample *x, bool first)
{
	const struct platform *p = r->scenario->platform;
	struct bytes packet = {NULL, 0, 0}, rails = {NULL, 0, 0}, row = {NULL, 0, 0};
	char name[32];

	for (uint32_t i = 0; first && i < p->n_domains; i++) {
		snprintf(name, sizeof name, "VDD_CPUCL%u", i);
		number(&row, 1, i);
		text(&row, 2, name);
		text(&row, 3, "cpu");
		end(&rails, 1, &row);
	}
	for (uint32_t i = 0; i < p->n_domains; i++) {
		number(&row, 1, i);
		number(&row, 3, (uint64_t)x->uj[i]);
		end(&rails, 2, &row);
	}
	number(&packet, F_TIMESTAMP, (uint64_t)x->t);
	end(&packet, F_RAILS, &rails);
	put_packet(w, &packet);
	free(packet.at);
	free(rails.at);
	free(row.at);
}

/* /proc/stat counts in steps of 10 ms. */
static void put_proc_stat(struct writer *w, const struct result *r, const struct sample *x)
{
	const int64_t step = 10000000;
	struct bytes packet = {NULL, 0, 0}, stats = {NULL, 0, 0}, row = {NULL, 0, 0};

	for (uint32_t i = 0; i < r->scenario->platform->n_cpus; i++) {
		number(&row, 1, i);
		number(&row, 2, (uint64_t)(x->busy_ns[i] / step * step));
		number(&row, 5, (uint64_t)(x->idle_ns[i] / step * step));
		end(&stats, 3, &row);
	}
	number(&packet, F_TIMESTAMP, (uint64_t)x->t);
	end(&packet, F_SYS_STATS, &stats);
	put_packet(w, &packet);
	free(packet.at);
	free(stats.at);
	free(row.at);
}

/* One row of FrameTimeline: a start with its fields, and an end. */
static void put_row(struct writer *w, unsigned shape, uint64_t cookie, int64_t from, int64_t to,
                    struct bytes *fields)
{
	struct bytes packet = {NULL, 0, 0}, event = {NULL, 0, 0}, stop = {NULL, 0, 0};

	end(&event, shape, fields);
	number(&packet, F_TIMESTAMP, (uint64_t)from);
	end(&packet, F_FRAME, &event);
	put_packet(w, &packet);
	number(&stop, 1, cookie);
	end(&event, FRAME_END, &stop);
	number(&packet, F_TIMESTAMP, (uint64_t)to);
	end(&packet, F_FRAME, &event);
	put_packet(w, &packet);
	free(packet.at);
	free(event.at);
	free(stop.at);
}

/* What SurfaceFlinger tells of a frame: expected and actual, of the surface and of the display. */
static void put_frame(struct writer *w, const struct frame *f)
{
	struct bytes row = {NULL, 0, 0};
	uint64_t display = f->token + 1000000, cookie = 4 * f->token;
	int64_t period = (int64_t)f->period, present = frame_present(f);
	bool late = frame_is_late(f);

	number(&row, 1, cookie);
	number(&row, 2, f->token);
	number(&row, 3, display);
	number(&row, 4, (uint64_t)f->pid);
	text(&row, 5, "TX - simulated#1");
	put_row(w, EXPECTED_SURFACE, cookie, f->vsync, f->vsync + period, &row);
	number(&row, 1, ++cookie);
	number(&row, 2, f->token);
	number(&row, 3, display);
	number(&row, 4, (uint64_t)f->pid);
	text(&row, 5, "TX - simulated#1");
	number(&row, 6, late ? LATE : ON_TIME);
	number(&row, 7, !late);
	number(&row, 9, late ? APP_DEADLINE : NO_JANK);
	number(&row, 10, VALID);
	number(&row, 11, 1);
	put_row(w, ACTUAL_SURFACE, cookie, f->begin, f->end, &row);
	number(&row, 1, ++cookie);
	number(&row, 2, display);
	number(&row, 3, SURFACEFLINGER);
	put_row(w, EXPECTED_DISPLAY, cookie, f->vsync + period, f->vsync + 2 * period, &row);
	number(&row, 1, ++cookie);
	number(&row, 2, display);
	number(&row, 3, SURFACEFLINGER);
	number(&row, 4, late ? LATE : ON_TIME);
	number(&row, 5, 1);
	number(&row, 7, NO_JANK);
	number(&row, 8, VALID);
	put_row(w, ACTUAL_DISPLAY, cookie, present - period, present, &row);
	free(row.at);
}

/* The events of one CPU in [from, to). */
static void put_bundle(struct writer *w, const struct result *r, uint32_t cpu, size_t from,
                       size_t to, bool compact)
{
	struct bytes packet = {NULL, 0, 0}, bundle = {NULL, 0, 0}, ev = {NULL, 0, 0},
	             fields = {NULL, 0, 0};
	struct compact c;
	bool any = false;

	memset(&c, 0, sizeof c);
	number(&bundle, 1, cpu);
	for (size_t i = from; i < to; i++) {
		const struct sim_event *e = &r->events.at[i];

		if (e->cpu != cpu || e->gone)
			continue;
		if (e->lost && any) { /* what follows a gap is a bundle of its own */
			put_bundle(w, r, cpu, i, to, compact);
			break;
		}
		if (e->lost)
			number(&bundle, 3, 1);
		any = true;
		if (!compact || !put_compact(&c, e))
			put_event(&bundle, e, &ev, &fields);
	}
	end_compact(&bundle, &c);
	if (any) {
		end(&packet, F_FTRACE, &bundle);
		put_packet(w, &packet);
	}
	free(packet.at);
	free(bundle.at);
	free(ev.at);
	free(fields.at);
}

bool write_perfetto(const struct result *r, FILE *out, bool compact, bool deflate)
{
	struct writer w = {.deflate = deflate};
	size_t from = 0;
	bool ok;

	put_clocks(&w, r->ledger.start);
	put_system(&w, r);
	put_tree(&w, r);
	put_cpu_info(&w, r);
	for (size_t i = 0; i < r->ledger.samples.n; i++) {
		put_rails(&w, r, &r->ledger.samples.at[i], i == 0);
		put_proc_stat(&w, r, &r->ledger.samples.at[i]);
	}
	for (size_t i = 0; i < r->ledger.frames.n; i++)
		if (r->ledger.frames.at[i].end)
			put_frame(&w, &r->ledger.frames.at[i]);
	while (from < r->events.n) {
		size_t to = from;

		while (to < r->events.n && r->events.at[to].ts < r->events.at[from].ts + BUNDLE_NS)
			to++;
		for (uint32_t i = 0; i < r->scenario->platform->n_cpus; i++)
			put_bundle(&w, r, i, from, to, compact);
		from = to;
	}
	end_group(&w);
	ok = fwrite(w.out.at, 1, w.out.n, out) == w.out.n;
	free(w.out.at);
	free(w.group.at);
	return ok;
}
