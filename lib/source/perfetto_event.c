/* Packets that are events: frame timeline, track events, samples of the system, rails and battery.
 * The index keeps where each is; they are decoded when their time comes, in a lane of their own. */
#include "source/perfetto.h"

#include "peltier.pb-c.h"

#include <stdlib.h>

enum { PARENTS_MAX = 16 };

static const struct {
	uint8_t field;
	const ProtobufCMessageDescriptor *message;
} packets[] = {
        {PKT_SYS_STATS, &pf__sys_stats__descriptor},
        {PKT_TRACK_EVENT, &pf__track_event__descriptor},
        {PKT_BATTERY, &pf__battery_counters__descriptor},
        {PKT_POWER_RAILS, &pf__power_rails__descriptor},
        {PKT_FRAME_TIMELINE, &pf__frame_timeline_event__descriptor},
};

static const ProtobufCMessageDescriptor *message(uint32_t field)
{
	for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
		if (packets[i].field == field)
			return packets[i].message;
	return NULL;
}

bool pf_is_event(uint32_t field)
{
	return message(field) != NULL;
}

/* ---- interned strings ---- */

static void define(struct pf *p, struct map *by, uint64_t of, uint64_t number, const char *text,
                   size_t n)
{
	if (map_get(by, of, number)) /* the first definition counts */
		return;
	*vec_add(&p->strings) = arena_str(&p->s.arena, n ? text : "", n);
	map_put(by, of, number, (uint32_t)p->strings.n);
}

static const char *defined(const struct pf *p, const struct map *by, uint64_t of, uint64_t number)
{
	uint32_t i = map_get(by, of, number);

	return i ? p->strings.at[i - 1] : NULL;
}

static uint64_t state_of(const struct pf_sequence *q)
{
	return (uint64_t)q->id << 32 | q->generation;
}

void pf_intern(struct pf *p, const struct pf_sequence *q, uint64_t iid, const uint8_t *text,
               size_t n)
{
	if (iid)
		define(p, &p->string_by, state_of(q), iid, (const char *)text, n);
}

/* ---- index ---- */

static struct pf_sum *sum_of(struct pf_sums *s, uint32_t seq, uint64_t of)
{
	uint32_t i = map_get(&s->by, seq, of);

	if (!i) {
		vec_add(&s->list)->base = INT64_MIN;
		i = (uint32_t)s->list.n;
		map_put(&s->by, seq, of, i);
	}
	return &s->list.at[i - 1];
}

/* The packet's time in ns of its clock. Incremental clocks add up, from the last snapshot on. */
static int64_t time_of(struct pf *p, const struct pf_head *h)
{
	const struct clock *k;
	struct pf_sum *s;
	int64_t ns, last;

	if (!clock_is_own(h->clock))
		return h->timestamp > TS_LIMIT ? TS_LIMIT : (int64_t)h->timestamp;
	if (!clocks_last(&p->clocks, h->clock, h->seq, &last))
		return 0;
	k = clocks_at(&p->clocks, h->clock, h->seq);
	if (__builtin_mul_overflow(h->timestamp, k->unit, &ns))
		return 0;
	if (!k->incremental)
		return ns;
	s = sum_of(&p->clock_sums, h->seq, h->clock);
	if (s->base != last)
		*s = (struct pf_sum){last, last, 0};
	if (__builtin_add_overflow(s->ns, ns, &s->ns))
		s->ns = TS_LIMIT;
	return s->ns;
}

struct pf_track *pf_track_of(const struct pf *p, uint64_t uuid)
{
	uint32_t i = map_get(&p->track_by, uuid, 0);

	return i ? &p->tracks.at[i - 1] : NULL;
}

/* What only the state of the sequence tells, now that it is this packet's turn. */
static uint32_t extra(struct pf *p, const Pf__TrackEvent *m, const struct pf_head *h)
{
	const struct pf_sequence *q = pf_sequence_of(p, h->seq);
	struct pf_extra x = {.track = m->has_track_uuid ? m->track_uuid : q->default_track,
	                     .name = defined(p, &p->string_by, state_of(q), m->name_iid),
	                     .value = m->has_counter_value ? (double)m->counter_value
	                                                   : m->double_counter_value};

	if (m->type == TRACK_COUNTER) {
		const struct pf_track *t = pf_track_of(p, x.track);

		x.value *= t ? (double)t->multiplier : 1;
		if (t && t->incremental) {
			struct pf_sum *s = sum_of(&p->counter_sums, h->seq, x.track);

			if (s->base != (int64_t)q->generation)
				s->value = 0;
			s->base = q->generation;
			s->value += x.value;
			x.value = s->value;
		}
	}
	*vec_add(&p->extras) = x;
	return (uint32_t)(p->extras.n - 1);
}

static void rail_names(struct pf *p, const Pf__PowerRails *m)
{
	for (size_t i = 0; i < m->n_rail_descriptor; i++) {
		const Pf__PowerRails__RailDescriptor *d = m->rail_descriptor[i];

		if (d->rail_name)
			define(p, &p->rail_by, m->session_uuid, d->index, d->rail_name,
			       strlen(d->rail_name));
	}
}

/* Of more parts than a packet can sensibly have the rest is left out, and counted. */
static void add(struct pf *p, struct pf_cold c, size_t parts)
{
	if (parts > UINT16_MAX)
		p->s.quality.bad_events += parts - UINT16_MAX;
	for (size_t i = 0; i < parts && i < UINT16_MAX; i++) {
		c.part = (uint16_t)i;
		*vec_add(&p->cold) = c;
	}
}

/* The samples of a packet may have their own times, on the boot clock whatever the packet's. */
static void add_rails(struct pf *p, struct pf_cold c, const Pf__PowerRails *m)
{
	for (size_t i = 0; i < m->n_energy_data; i++) {
		const Pf__PowerRails__EnergyData *d = m->energy_data[i];
		struct pf_cold *to = vec_add(&p->cold);

		*to = c;
		to->extra = (uint32_t)p->energies.n;
		*vec_add(&p->energies) = (struct pf_energy){m->session_uuid, d->energy, d->index};
		if (!d->has_timestamp_ms)
			continue;
		to->clock = CLOCK_BOOT;
		to->ts = d->timestamp_ms < INT64_MAX / 2000000 ? (int64_t)d->timestamp_ms * 1000000
		                                               : TS_LIMIT;
	}
}

/* One entry for each event of the packet. */
static void add_events(struct pf *p, struct pf_cold c, const ProtobufCMessage *m,
                       const struct pf_head *h)
{
	const void *v = m;
	const Pf__SysStats *sys = v;
	const Pf__PowerRails *rails = v;

	switch (c.field) {
	case PKT_SYS_STATS: /* first the times, then the clocks, then the idle states */
		add(p, c, sys->n_cpu_stat + sys->n_cpufreq_khz);
		for (size_t i = 0; i < sys->n_cpuidle_state; i++) {
			c.extra = (uint32_t)i + 1;
			add(p, c, sys->cpuidle_state[i]->n_cpuidle_state_entry);
		}
		break;
	case PKT_POWER_RAILS:
		rail_names(p, rails);
		add_rails(p, c, rails);
		break;
	case PKT_TRACK_EVENT:
		c.extra = extra(p, v, h);
		add(p, c, 1);
		break;
	default:
		add(p, c, 1);
	}
}

bool pf_event(struct pf *p, uint32_t field, const uint8_t *b, size_t n, const struct pf_head *h,
              struct pf_place at)
{
	struct arena memory = {NULL};
	ProtobufCAllocator a = {pf_allocate, pf_release, &memory};
	struct pf_cold c = {.off = at.off,
	                    .len = (uint32_t)n,
	                    .clock = h->clock,
	                    .seq = clock_is_own(h->clock) ? h->seq : 0,
	                    .field = (uint8_t)field};
	ProtobufCMessage *m =
	        n <= PF_COLD_MAX ? protobuf_c_message_unpack(message(field), &a, n, b) : NULL;

	if (m && !h->has_timestamp && field != PKT_POWER_RAILS) {
		p->s.quality.bad_events++;
	} else if (m && clock_is_own(h->clock) && !h->seq) {
		p->s.quality.bad_events++; /* a clock of no sequence */
	} else if (m && (!at.inflated || pf_spool(p, b, n, &c.off))) {
		c.ts = time_of(p, h);
		add_events(p, c, m, h);
	}
	arena_free(&memory);
	return m != NULL;
}

/* ---- after the index ---- */

static int by_time(const void *a, const void *b)
{
	const struct pf_cold *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->extra != y->extra ? x->extra < y->extra ? -1 : 1 : x->part - y->part;
}

void pf_resolve_events(struct pf *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->cold.n; i++) {
		struct pf_cold c = p->cold.at[i];
		uint32_t clock = c.clock ? c.clock : p->clocks.trace;

		if (!clocks_convert(&p->clocks, clock, c.seq, c.ts, &c.ts)) {
			p->unusable_clock = clock;
			p->unusable_clock_packets++;
			continue;
		}
		if (!pf_near(p, c.ts)) {
			p->s.quality.bad_events++;
			continue;
		}
		p->cold.at[n++] = c;
	}
	p->cold.n = n;
	if (n)
		qsort(p->cold.at, n, sizeof *p->cold.at, by_time);
}

void pf_events_free(struct pf *p)
{
	vec_free(&p->cold);
	vec_free(&p->extras);
	vec_free(&p->energies);
	vec_free(&p->tracks);
	vec_free(&p->strings);
	vec_free(&p->clock_sums.list);
	vec_free(&p->counter_sums.list);
	map_free(&p->clock_sums.by);
	map_free(&p->counter_sums.by);
	map_free(&p->track_by);
	map_free(&p->string_by);
	map_free(&p->rail_by);
}

/* ---- the lane ---- */

struct event_lane {
	struct lane lane;
	struct pf *p;
	size_t next; /* of p->cold */
	/* the message read last: its parts stand together */
	uint64_t off; /* 1 + where it is */
	struct arena memory;
	const ProtobufCMessage *message;
};

static bool refill(struct lane *base)
{
	struct event_lane *l = (struct event_lane *)base;

	for (base->n = 0; l->next < l->p->cold.n && base->n < LANE_RUN; base->n++) {
		const struct pf_cold *c = &l->p->cold.at[l->next++];

		base->run[base->n] = (struct lane_entry){.ts = c->ts, .len = c->len};
	}
	return base->n > 0;
}

static const ProtobufCMessage *message_of(struct event_lane *l, const struct pf_cold *c)
{
	ProtobufCAllocator a = {pf_allocate, pf_release, &l->memory};
	uint8_t *b;

	if (l->off == c->off + 1)
		return l->message;
	arena_free(&l->memory);
	l->off = c->off + 1;
	b = arena_alloc(&l->memory, c->len);
	l->message = pf_read(l->p, c->off, b, c->len) == c->len
	                     ? protobuf_c_message_unpack(message(c->field), &a, c->len, b)
	                     : NULL;
	return l->message;
}

/* ---- decoding ---- */

#define set(ev, k, f, v) ((ev)->k.f = (v), (ev)->has |= 1u << EVB_##k##_##f)
/* A field of the message when it is there. */
#define copy(ev, k, f, m, name)                                                                    \
	do {                                                                                       \
		if ((m)->has_##name)                                                               \
			set(ev, k, f, (m)->name);                                                  \
	} while (0)

/* What actual frames of both shapes have. */
#define copy_actual(ev, a)                                                                         \
	do {                                                                                       \
		copy(ev, frame_timeline, cookie, a, cookie);                                       \
		copy(ev, frame_timeline, token, a, token);                                         \
		copy(ev, frame_timeline, pid, a, pid);                                             \
		copy(ev, frame_timeline, present_type, a, present_type);                           \
		copy(ev, frame_timeline, on_time_finish, a, on_time_finish);                       \
		copy(ev, frame_timeline, gpu_composition, a, gpu_composition);                     \
		copy(ev, frame_timeline, jank_type, a, jank_type);                                 \
		copy(ev, frame_timeline, prediction_type, a, prediction_type);                     \
		copy(ev, frame_timeline, severity_score, a, jank_severity_score);                  \
	} while (0)

static struct str text(const char *s)
{
	return (struct str){s, strlen(s)};
}

static const char *frame_event(struct event *ev, const Pf__FrameTimelineEvent *m)
{
	if (m->expected_display) {
		set(ev, frame_timeline, shape, FRAME_EXPECTED_DISPLAY);
		copy(ev, frame_timeline, cookie, m->expected_display, cookie);
		copy(ev, frame_timeline, token, m->expected_display, token);
		copy(ev, frame_timeline, pid, m->expected_display, pid);
	} else if (m->actual_display) {
		const Pf__FrameTimelineEvent__ActualDisplayFrameStart *a = m->actual_display;

		set(ev, frame_timeline, shape, FRAME_ACTUAL_DISPLAY);
		copy_actual(ev, a);
	} else if (m->expected_surface) {
		const Pf__FrameTimelineEvent__ExpectedSurfaceFrameStart *a = m->expected_surface;

		set(ev, frame_timeline, shape, FRAME_EXPECTED_SURFACE);
		copy(ev, frame_timeline, cookie, a, cookie);
		copy(ev, frame_timeline, token, a, token);
		copy(ev, frame_timeline, display_token, a, display_frame_token);
		copy(ev, frame_timeline, pid, a, pid);
		if (a->layer_name)
			set(ev, frame_timeline, layer, text(a->layer_name));
	} else if (m->actual_surface) {
		const Pf__FrameTimelineEvent__ActualSurfaceFrameStart *a = m->actual_surface;

		set(ev, frame_timeline, shape, FRAME_ACTUAL_SURFACE);
		copy_actual(ev, a);
		copy(ev, frame_timeline, display_token, a, display_frame_token);
		copy(ev, frame_timeline, is_buffer, a, is_buffer);
		if (a->layer_name)
			set(ev, frame_timeline, layer, text(a->layer_name));
	} else if (m->frame_end) {
		set(ev, frame_timeline, shape, FRAME_END_OF);
		copy(ev, frame_timeline, cookie, m->frame_end, cookie);
	}
	return "frame_timeline";
}

static const char *track_event(const struct pf *p, struct event *ev, const Pf__TrackEvent *m,
                               const struct pf_extra *x)
{
	const struct pf_track *t = pf_track_of(p, x->track), *owner = t;

	set(ev, track_event, type, m->type);
	set(ev, track_event, track, (int64_t)x->track);
	if (m->has_name)
		set(ev, track_event, name, ((struct str){(const char *)m->name.data, m->name.len}));
	else if (x->name)
		set(ev, track_event, name, text(x->name));
	if (m->type == TRACK_COUNTER)
		set(ev, track_event, value, x->value);
	if (t && t->name)
		set(ev, track_event, track_name, text(t->name));
	for (int i = 0; owner && !owner->pid && i < PARENTS_MAX; i++)
		owner = owner->parent ? pf_track_of(p, owner->parent) : NULL;
	if (owner && owner->pid)
		set(ev, track_event, pid, owner->pid);
	if (owner && owner->tid)
		set(ev, track_event, tid, owner->tid);
	return "track_event";
}

static const char *sys_stats(struct event *ev, const Pf__SysStats *m, const struct pf_cold *at)
{
	size_t part = at->part;

	if (at->extra) {
		const Pf__SysStats__CpuIdleState *c = m->cpuidle_state[at->extra - 1];
		const Pf__SysStats__CpuIdleStateEntry *entry = c->cpuidle_state_entry[part];

		set(ev, cpuidle_sample, cpu_id, c->cpu_id);
		set(ev, cpuidle_sample, residency_us, (int64_t)entry->duration_us);
		if (entry->state)
			set(ev, cpuidle_sample, state, text(entry->state));
		return "cpuidle_sample";
	}
	if (part < m->n_cpu_stat) {
		const Pf__SysStats__CpuTimes *c = m->cpu_stat[part];

		set(ev, cpu_times, cpu_id, c->cpu_id);
		set(ev, cpu_times, busy_ns,
		    (int64_t)(c->user_ns + c->nice_ns + c->system_ns + c->irq_ns + c->softirq_ns +
		              c->steal_ns));
		set(ev, cpu_times, idle_ns, (int64_t)(c->idle_ns + c->iowait_ns));
		return "cpu_times";
	}
	part -= m->n_cpu_stat;
	set(ev, cpufreq_sample, cpu_id, (int64_t)part);
	set(ev, cpufreq_sample, khz, m->cpufreq_khz[part]);
	return "cpufreq_sample";
}

static const char *power_rail(const struct pf *p, struct event *ev, const struct pf_energy *d)
{
	const char *name = defined(p, &p->rail_by, d->session, d->rail);

	set(ev, power_rail, rail, d->rail);
	set(ev, power_rail, energy_uws, (int64_t)d->uws);
	if (name)
		set(ev, power_rail, name, text(name));
	return "power_rail";
}

static const char *battery(struct event *ev, const Pf__BatteryCounters *m)
{
	copy(ev, battery, charge_uah, m, charge_counter_uah);
	if (m->has_capacity_percent)
		set(ev, battery, percent, (double)m->capacity_percent);
	copy(ev, battery, current_ua, m, current_ua);
	copy(ev, battery, current_avg_ua, m, current_avg_ua);
	copy(ev, battery, energy_uwh, m, energy_counter_uwh);
	copy(ev, battery, voltage_uv, m, voltage_uv);
	if (m->name)
		set(ev, battery, name, text(m->name));
	return "battery";
}

static const struct event *decode(struct lane *base, const struct lane_entry *e, struct event *ev)
{
	struct event_lane *l = (struct event_lane *)base;
	struct pf *p = l->p;
	const struct pf_cold *c = &p->cold.at[l->next - (base->n - (size_t)(e - base->run))];
	const void *m = NULL;
	const char *name;
	const struct pf_type *t;

	ev->ts = e->ts;
	ev->cpu = EVENT_NO_CPU;
	ev->pid = -1;
	ev->flags = 0;
	ev->has = 0;
	if (c->field != PKT_POWER_RAILS && !(m = message_of(l, c))) {
		p->s.quality.partial = true; /* it was sound when the file was indexed */
		p->s.quality.bad_events++;
		return NULL;
	}
	switch (c->field) {
	case PKT_FRAME_TIMELINE:
		name = frame_event(ev, m);
		break;
	case PKT_TRACK_EVENT:
		name = track_event(p, ev, m, &p->extras.at[c->extra]);
		break;
	case PKT_SYS_STATS:
		name = sys_stats(ev, m, c);
		break;
	case PKT_POWER_RAILS:
		name = power_rail(p, ev, &p->energies.at[c->extra]);
		break;
	default:
		name = battery(ev, m);
	}
	t = pf_type_packet(p, name);
	if (!t)
		return NULL;
	ev->kind = t->kind;
	ev->type = t->type;
	event_clear_absent(ev);
	return ev;
}

static void close_lane(struct lane *base)
{
	struct event_lane *l = (struct event_lane *)base;

	arena_free(&l->memory);
	free(l);
}

static const struct lane_ops ops = {refill, decode, close_lane};

struct lane *pf_event_lane(struct pf *p)
{
	struct event_lane *l = mem_calloc(1, sizeof *l);

	l->lane.ops = &ops;
	l->lane.cpu = EVENT_NO_CPU;
	l->p = p;
	return &l->lane;
}
