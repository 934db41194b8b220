/* The packets that are few, decoded by protobuf-c into memory that is dropped after each. */
#include "source/perfetto.h"

#include "peltier.pb-c.h"

#include <stdio.h>

void *pf_allocate(void *arena, size_t n)
{
	return arena_alloc(arena, n);
}

void pf_release(void *arena, void *p)
{
	(void)arena;
	(void)p;
}

/* ---- clocks ---- */

static bool snapshot(struct pf *p, const Pf__ClockSnapshot *m, const struct pf_head *h)
{
	for (size_t i = 0; i < m->n_clocks; i++) {
		const Pf__ClockSnapshot__Clock *c = m->clocks[i];
		bool own = clock_is_own(c->clock_id);
		uint64_t unit = c->unit_multiplier_ns ? c->unit_multiplier_ns : 1;
		int64_t ns;

		if (!c->clock_id || !c->has_timestamp || (own && !h->seq) ||
		    (!own && c->is_incremental) ||
		    __builtin_mul_overflow(c->timestamp, unit, &ns)) {
			p->clocks.bad++;
			continue;
		}
		clocks_add(&p->clocks,
		           &(struct clock){.id = c->clock_id,
		                           .seq = own ? h->seq : 0,
		                           .unit = unit,
		                           .incremental = c->is_incremental},
		           ns);
	}
	switch (clocks_end(&p->clocks, (uint32_t)m->primary_trace_clock)) {
	case CLOCKS_GOOD:
		break;
	case CLOCKS_JOINED:
		p->joined = true;
		break;
	case CLOCKS_RESTARTED:
		p->restarted = true;
	}
	return true;
}

/* ---- the system ---- */

/* brand/product/device:...; some devices give a sentence instead */
static bool is_fingerprint(const char *s)
{
	const char *colon = strchr(s, ':'), *slash = strchr(s, '/');

	return colon && slash && slash < colon && (slash = strchr(slash + 1, '/')) && slash < colon;
}

static const char *keep(struct pf *p, const char *s)
{
	return s && *s ? arena_str(&p->s.arena, s, strlen(s)) : NULL;
}

static void device(struct pf *p, const Pf__SystemInfo *m)
{
	struct trace_info *i = &p->s.info;

	if (m->android_build_fingerprint && is_fingerprint(m->android_build_fingerprint)) {
		const char *d = strchr(strchr(m->android_build_fingerprint, '/') + 1, '/') + 1;

		i->build = keep(p, m->android_build_fingerprint);
		i->device = arena_str(&p->s.arena, d, strcspn(d, ":/"));
	} else if (m->android_soc_model && *m->android_soc_model) {
		i->device = keep(p, m->android_soc_model);
	}
}

static bool system_info(struct pf *p, const Pf__SystemInfo *m)
{
	struct trace_info *i = &p->s.info;

	if (m->utsname && m->utsname->release && !i->kernel) {
		i->kernel = keep(p, m->utsname->release);
		i->machine = keep(p, m->utsname->machine);
	}
	device(p, m);
	if (m->num_cpus > i->n_cpus && m->num_cpus <= PF_CPUS_MAX)
		i->n_cpus = m->num_cpus;
	if (m->tracing_service_version)
		i->recorder = keep(p, m->tracing_service_version);
	return true;
}

static bool cpu_info(struct pf *p, const Pf__CpuInfo *m)
{
	if (m->n_cpus > PF_CPUS_MAX)
		return false;
	p->told.n = 0;
	for (size_t i = 0; i < m->n_cpus; i++) {
		struct pf_told *t = vec_add(&p->told);

		t->capacity = m->cpus[i]->capacity <= 1024 ? (int32_t)m->cpus[i]->capacity : 0;
		for (size_t k = 0; k < m->cpus[i]->n_frequencies; k++)
			if (m->cpus[i]->frequencies[k] > t->top_khz)
				t->top_khz = m->cpus[i]->frequencies[k];
	}
	return true;
}

/* ---- names ---- */

static void add_name(struct pf *p, int32_t pid, int32_t tgid, const char *comm, const char *process)
{
	if (pid <= 0)
		return;
	*vec_add(&p->names) = (struct trace_name){
	        .pid = pid, .tgid = tgid, .comm = keep(p, comm), .process = keep(p, process)};
}

/* The first element of a command line; a single one ends at its first space. */
static const char *process_name(const Pf__ProcessTree__Process *m, char *out, size_t room)
{
	size_t n;

	if (!m->n_cmdline)
		return NULL;
	n = m->n_cmdline > 1 ? strlen(m->cmdline[0]) : strcspn(m->cmdline[0], " ");
	snprintf(out, room, "%.*s", (int)n, m->cmdline[0]);
	return out;
}

static bool process_tree(struct pf *p, const Pf__ProcessTree *m)
{
	char text[256];

	for (size_t i = 0; i < m->n_processes; i++)
		add_name(p, m->processes[i]->pid, m->processes[i]->pid, NULL,
		         process_name(m->processes[i], text, sizeof text));
	for (size_t i = 0; i < m->n_threads; i++)
		add_name(p, m->threads[i]->tid, m->threads[i]->tgid, m->threads[i]->name, NULL);
	return true;
}

/* ---- statistics ---- */

struct trace_cpu *pf_cpu_row(struct pf *p, uint64_t cpu)
{
	size_t had = p->cpus.n;

	if (cpu >= PF_CPUS_MAX)
		return NULL;
	vec_fit(&p->cpus, (size_t)cpu + 1);
	for (size_t i = had; i < p->cpus.n; i++)
		p->cpus.at[i] =
		        (struct trace_cpu){.cpu = (uint32_t)i, .overrun = -1, .dropped = -1};
	return &p->cpus.at[cpu];
}

/* The counters run since the kernel's buffer was last reset, and wrap at 2^32. */
static bool ftrace_stats(struct pf *p, const Pf__FtraceStats *m, const struct pf_head *h)
{
	struct pf_sequence *q = pf_sequence_of(p, h->seq);
	bool end = m->phase == 2;

	if (m->phase == 1 || m->phase == 2) {
		q->phase[end] = true;
		q->read[end] = 0;
	}
	for (size_t i = 0; i < m->n_cpu_stats; i++) {
		const Pf__FtraceStats__CpuStats *c = m->cpu_stats[i];
		struct trace_cpu *row = pf_cpu_row(p, c->cpu);

		q->read[end] += c->read_events;
		if (!row)
			continue;
		vec_fit(&p->counters, (size_t)c->cpu + 1);
		if (!end) {
			p->counters.at[c->cpu] = (struct pf_counters){
			        c->overrun + c->commit_overrun, c->dropped_events, true};
		} else if (p->counters.at[c->cpu].seen) {
			uint32_t overrun = (uint32_t)(c->overrun + c->commit_overrun -
			                              p->counters.at[c->cpu].overrun);
			uint32_t dropped =
			        (uint32_t)(c->dropped_events - p->counters.at[c->cpu].dropped);

			row->overrun = overrun;
			row->dropped = dropped;
			q->lost += (uint64_t)overrun + dropped;
		}
	}
	for (size_t i = 0; i < m->n_ftrace_parse_errors; i++)
		if (m->ftrace_parse_errors[i] != 12) /* zero padding that some kernels write */
			source_damage(&p->s,
			              "the recorder could not parse all pages of the kernel's "
			              "buffer: error %d",
			              m->ftrace_parse_errors[i]);
	for (size_t i = 0; end && i < m->n_unknown_ftrace_events && i < 8; i++)
		source_note(&p->s, "event %s was asked for; the kernel does not have it",
		            m->unknown_ftrace_events[i]);
	return true;
}

static bool trace_stats(struct pf *p, const Pf__TraceStats *m)
{
	struct pf_stats s = {.flush_failed = m->flushes_failed > 0 || m->final_flush_outcome == 2};

	for (size_t i = 0; i < m->n_buffer_stats; i++) {
		const Pf__TraceStats__BufferStats *b = m->buffer_stats[i];

		s.overwritten += b->chunks_overwritten;
		s.discarded += b->chunks_discarded;
		s.packet_loss += b->trace_writer_packet_loss;
		s.patches_failed += b->patches_failed;
	}
	p->stats = s; /* the last one in the file counts */
	return true;
}

static bool trace_config(struct pf *p, const Pf__TraceConfig *m)
{
	p->s.info.sessions++;
	for (size_t i = 0; i < m->n_data_sources; i++) {
		const Pf__TraceConfig__DataSourceConfig *c = m->data_sources[i]->config;

		if (c && c->name && !strcmp(c->name, "linux.ftrace"))
			p->asked_ftrace = true;
	}
	return true;
}

static bool service_event(struct pf *p, const Pf__ServiceEvent *m, const struct pf_head *h)
{
	int64_t t = (int64_t)h->timestamp; /* always boot time */

	if (m->tracing_started && (!p->started || t < p->started))
		p->started = t;
	if (m->seized_for_bugreport)
		source_note(&p->s, "a bug report took this trace over: nearly empty by design");
	return true;
}

static bool defaults(struct pf *p, const Pf__TracePacketDefaults *m, const struct pf_head *h)
{
	struct pf_sequence *q = pf_sequence_of(p, h->seq);

	q->default_clock = m->timestamp_clock_id;
	q->default_track = m->track_event_defaults ? m->track_event_defaults->track_uuid : 0;
	return true;
}

static bool interned(struct pf *p, const Pf__InternedData *m, const struct pf_head *h)
{
	const struct pf_sequence *q = pf_sequence_of(p, h->seq);

	for (size_t i = 0; i < m->n_event_names; i++)
		pf_intern(p, q, m->event_names[i]->iid, m->event_names[i]->str.data,
		          m->event_names[i]->str.len);
	return true;
}

/* Descriptors hold for the whole file, whatever their place; later ones complete earlier ones. */
static bool track(struct pf *p, const Pf__TrackDescriptor *m)
{
	struct pf_track *t = pf_track_of(p, m->uuid);
	const char *name = m->name ? m->name : m->static_name ? m->static_name : m->atrace_name;

	if (!t) {
		t = vec_add(&p->tracks);
		t->multiplier = 1;
		map_put(&p->track_by, m->uuid, 0, (uint32_t)p->tracks.n);
	}
	if (m->has_parent_uuid)
		t->parent = m->parent_uuid;
	if (m->process && m->process->pid > 0)
		t->pid = m->process->pid;
	if (m->thread && m->thread->pid > 0 && m->thread->tid > 0) {
		t->pid = m->thread->pid;
		t->tid = (int32_t)m->thread->tid;
		add_name(p, t->tid, t->pid, m->thread->thread_name, NULL);
		name = name ? name : m->thread->thread_name;
	}
	if (m->counter) {
		t->incremental = m->counter->is_incremental;
		t->multiplier = m->counter->unit_multiplier ? m->counter->unit_multiplier : 1;
	}
	t->name = name ? keep(p, name) : t->name;
	return true;
}

/* ---- dispatch ---- */

static bool told(struct pf *p, uint32_t field, const ProtobufCMessage *m, const struct pf_head *h)
{
	const void *v = m;

	switch (field) {
	case PKT_PROCESS_TREE:
		return process_tree(p, v);
	case PKT_CLOCK_SNAPSHOT:
		return snapshot(p, v, h);
	case PKT_TRACE_CONFIG:
		return trace_config(p, v);
	case PKT_FTRACE_STATS:
		return ftrace_stats(p, v, h);
	case PKT_TRACE_STATS:
		return trace_stats(p, v);
	case PKT_SYSTEM_INFO:
		return system_info(p, v);
	case PKT_DEFAULTS:
		return defaults(p, v, h);
	case PKT_CPU_INFO:
		return cpu_info(p, v);
	case PKT_INTERNED:
		return interned(p, v, h);
	case PKT_TRACK_DESCRIPTOR:
		return track(p, v);
	default:
		return service_event(p, v, h);
	}
}

static const ProtobufCMessageDescriptor *descriptor(uint32_t field)
{
	switch (field) {
	case PKT_PROCESS_TREE:
		return &pf__process_tree__descriptor;
	case PKT_CLOCK_SNAPSHOT:
		return &pf__clock_snapshot__descriptor;
	case PKT_TRACE_CONFIG:
		return &pf__trace_config__descriptor;
	case PKT_FTRACE_STATS:
		return &pf__ftrace_stats__descriptor;
	case PKT_TRACE_STATS:
		return &pf__trace_stats__descriptor;
	case PKT_SYSTEM_INFO:
		return &pf__system_info__descriptor;
	case PKT_DEFAULTS:
		return &pf__trace_packet_defaults__descriptor;
	case PKT_CPU_INFO:
		return &pf__cpu_info__descriptor;
	case PKT_INTERNED:
		return &pf__interned_data__descriptor;
	case PKT_TRACK_DESCRIPTOR:
		return &pf__track_descriptor__descriptor;
	case PKT_SERVICE_EVENT:
		return &pf__service_event__descriptor;
	default:
		return NULL;
	}
}

bool pf_cold(struct pf *p, uint32_t field, const uint8_t *b, size_t n, const struct pf_head *h)
{
	const ProtobufCMessageDescriptor *d = descriptor(field);
	struct arena memory = {NULL};
	ProtobufCAllocator a = {pf_allocate, pf_release, &memory};
	ProtobufCMessage *m;
	bool good = true;

	if (!d)
		return true;
	if (n > PF_COLD_MAX)
		return false;
	m = protobuf_c_message_unpack(d, &a, n, b);
	good = m && told(p, field, m, h);
	arena_free(&memory);
	return good;
}

void pf_cold_generic(struct pf *p, const uint8_t *b, size_t n)
{
	struct arena memory = {NULL};
	ProtobufCAllocator a = {pf_allocate, pf_release, &memory};
	Pf__GenericDescriptor *m = pf__generic_descriptor__unpack(&a, n, b);
	uint32_t id = m && m->field_id > 0 ? (uint32_t)m->field_id : 0;
	struct pf_type *t;

	if (m && m->event_descriptor && m->event_descriptor->name && id >= PF_GENERIC &&
	    (id - PF_GENERIC >= p->generic.n || !p->generic.at[id - PF_GENERIC]) &&
	    (t = pf_type_generic(p, id, m->group_name ? m->group_name : "",
	                         m->event_descriptor->name)))
		for (size_t i = 0; i < m->event_descriptor->n_field; i++) {
			const Pf__FieldDescriptor *f = m->event_descriptor->field[i];

			if (f->name && f->number > 0)
				pf_type_bind(t, (uint32_t)f->number, f->name, strlen(f->name));
		}
	arena_free(&memory);
}
