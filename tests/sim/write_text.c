/* What the events are called, and as text. */
#include "sim/sim.h"

#include <inttypes.h>

#define WAKE_FMT                                                                                   \
	"\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, "             \
	"REC->target_cpu"
#define WAKE_FIELDS                                                                                \
	{                                                                                          \
		{"comm", FIELD_COMM, 1}, {"pid", FIELD_INT, 2}, {"prio", FIELD_INT, 3},            \
		{                                                                                  \
			"target_cpu", FIELD_INT, 5                                                 \
		}                                                                                  \
	}

#define FENCE_FMT                                                                                  \
	"\"driver=%s timeline=%s context=%u seqno=%u\", REC->driver, REC->timeline, "              \
	"REC->context, "                                                                           \
	"REC->seqno"
#define FENCE_FIELDS                                                                               \
	{                                                                                          \
		{"driver", FIELD_COMM, 2}, {"timeline", FIELD_COMM, 4},                            \
		        {"context", FIELD_UINT, 1},                                                \
		{                                                                                  \
			"seqno", FIELD_UINT, 3                                                     \
		}                                                                                  \
	}

const struct sim_desc sim_desc[SIM_KINDS] = {
        [SIM_SWITCH] =
                {"sched",
                 "sched_switch",
                 301,
                 4,
                 "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
                 "next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, "
                 "REC->prev_prio, (REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 "
                 "| 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1)) ? "
                 "__print_flags(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | "
                 "0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), \"|\", { 0x0001, \"S\" "
                 "}, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, { 0x0010, "
                 "\"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", "
                 "REC->prev_state & (((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 "
                 "| 0x0020 | 0x0040) + 1) << 1) ? \"+\" : \"\", REC->next_comm, "
                 "REC->next_pid, REC->next_prio",
                 {{"prev_comm", FIELD_COMM, 1},
                  {"prev_pid", FIELD_INT, 2},
                  {"prev_prio", FIELD_INT, 3},
                  {"prev_state", FIELD_LONG, 4},
                  {"next_comm", FIELD_COMM, 5},
                  {"next_pid", FIELD_INT, 6},
                  {"next_prio", FIELD_INT, 7}},
                 7},
        [SIM_WAKING] = {"sched", "sched_waking", 302, 20, WAKE_FMT, WAKE_FIELDS, 4},
        [SIM_WAKEUP] = {"sched", "sched_wakeup", 303, 17, WAKE_FMT, WAKE_FIELDS, 4},
        [SIM_WAKEUP_NEW] = {"sched", "sched_wakeup_new", 304, 114, WAKE_FMT, WAKE_FIELDS, 4},
        [SIM_MIGRATE] = {"sched",
                         "sched_migrate_task",
                         305,
                         491,
                         "\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, "
                         "REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu",
                         {{"comm", FIELD_COMM, 1},
                          {"pid", FIELD_INT, 2},
                          {"prio", FIELD_INT, 3},
                          {"orig_cpu", FIELD_INT, 4},
                          {"dest_cpu", FIELD_INT, 5}},
                         5},
        [SIM_FORK] = {"sched",
                      "sched_process_fork",
                      306,
                      239,
                      "\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, "
                      "REC->parent_pid, REC->child_comm, REC->child_pid",
                      {{"parent_comm", FIELD_COMM, 1},
                       {"parent_pid", FIELD_INT, 2},
                       {"child_comm", FIELD_COMM, 3},
                       {"child_pid", FIELD_INT, 4}},
                      4},
        [SIM_FREQ] = {"power",
                      "cpu_frequency",
                      307,
                      11,
                      "\"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned "
                      "long)REC->cpu_id",
                      {{"state", FIELD_UINT, 1}, {"cpu_id", FIELD_UINT, 2}},
                      2},
        [SIM_LIMITS] = {"power",
                        "cpu_frequency_limits",
                        308,
                        12,
                        "\"min=%lu max=%lu cpu_id=%lu\", (unsigned long)REC->min_freq, (unsigned "
                        "long)REC->max_freq, (unsigned long)REC->cpu_id",
                        {{"min_freq", FIELD_UINT, 1},
                         {"max_freq", FIELD_UINT, 2},
                         {"cpu_id", FIELD_UINT, 3}},
                        3},
        [SIM_IDLE] = {"power",
                      "cpu_idle",
                      309,
                      13,
                      "\"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned "
                      "long)REC->cpu_id",
                      {{"state", FIELD_UINT, 1}, {"cpu_id", FIELD_UINT, 2}},
                      2},
        [SIM_EXIT] = {"sched",
                      "sched_process_exit",
                      310,
                      238,
                      "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio",
                      {{"comm", FIELD_COMM, 1}, {"pid", FIELD_INT, 2}, {"prio", FIELD_INT, 4}},
                      3},
        [SIM_RENAME] = {"task",
                        "task_rename",
                        311,
                        236,
                        "\"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd\", REC->pid, "
                        "REC->oldcomm, REC->newcomm, REC->oom_score_adj",
                        {{"pid", FIELD_INT, 1},
                         {"oldcomm", FIELD_COMM, 2},
                         {"newcomm", FIELD_COMM, 3},
                         {"oom_score_adj", FIELD_INT, 4}},
                        4},
        [SIM_BINDER] = {"binder",
                        "binder_transaction",
                        312,
                        50,
                        "\"transaction=%d dest_node=%d dest_proc=%d dest_thread=%d reply=%d "
                        "flags=0x%x code=0x%x\", REC->debug_id, REC->target_node, REC->to_proc, "
                        "REC->to_thread, REC->reply, REC->flags, REC->code",
                        {{"debug_id", FIELD_INT, 1},
                         {"target_node", FIELD_INT, 2},
                         {"to_proc", FIELD_INT, 3},
                         {"to_thread", FIELD_INT, 4},
                         {"reply", FIELD_INT, 5},
                         {"code", FIELD_UINT, 6},
                         {"flags", FIELD_UINT, 7}},
                        7},
        [SIM_BINDER_RECEIVED] = {"binder",
                                 "binder_transaction_received",
                                 313,
                                 51,
                                 "\"transaction=%d\", REC->debug_id",
                                 {{"debug_id", FIELD_INT, 1}},
                                 1},
        [SIM_IRQ] = {"irq",
                     "irq_handler_entry",
                     314,
                     36,
                     "\"irq=%d name=%s\", REC->irq, REC->name",
                     {{"irq", FIELD_INT, 1}, {"name", FIELD_COMM, 2}},
                     2},
        [SIM_IRQ_OVER] = {"irq",
                          "irq_handler_exit",
                          315,
                          37,
                          "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\"",
                          {{"irq", FIELD_INT, 1}, {"ret", FIELD_INT, 2}},
                          2},
        [SIM_CPUHP] = {"cpuhp",
                       "cpuhp_enter",
                       316,
                       345,
                       "\"cpu: %04u target: %3d step: %3d\", REC->cpu, REC->target, REC->idx",
                       {{"cpu", FIELD_UINT, 1}, {"target", FIELD_INT, 4}, {"idx", FIELD_INT, 3}},
                       3},
        [SIM_CPUHP_OVER] = {"cpuhp",
                            "cpuhp_exit",
                            317,
                            343,
                            "\" cpu: %04u  state: %3d step: %3d ret: %d\", REC->cpu, REC->state, "
                            "REC->idx, REC->ret",
                            {{"cpu", FIELD_UINT, 1},
                             {"state", FIELD_INT, 4},
                             {"idx", FIELD_INT, 2},
                             {"ret", FIELD_INT, 3}},
                            4},
        [SIM_SUSPEND] = {"power",
                         "suspend_resume",
                         318,
                         113,
                         "\"%s[%u] %s\", REC->action, (unsigned int)REC->val, "
                         "(REC->start)?\"begin\":\"end\"",
                         {{"val", FIELD_INT, 2},
                          {"start", FIELD_UINT, 3},
                          {"action", FIELD_TEXT, 1}},
                         3},
        [SIM_FENCE_WAIT] = {"dma_fence", "dma_fence_wait_start", 319, 417, FENCE_FMT, FENCE_FIELDS,
                            4},
        [SIM_FENCE_DONE] = {"dma_fence", "dma_fence_wait_end", 320, 418, FENCE_FMT, FENCE_FIELDS,
                            4},
        [SIM_PRINT] = {"ftrace",
                       "print",
                       5,
                       3,
                       "\"%ps: %s\", (void *)REC->ip, REC->buf",
                       {{"ip", FIELD_LONG, 1}, {"buf", FIELD_TEXT, 2}},
                       2},
};

static void body(const struct sim_event *e, FILE *out)
{
	const int64_t *v = e->v;

	switch (e->kind) {
	case SIM_SWITCH:
		fprintf(out,
		        "prev_comm=%s prev_pid=%" PRId64 " prev_prio=%" PRId64
		        " prev_state=%s ==> next_comm=%s next_pid=%" PRId64 " next_prio=%" PRId64,
		        e->s[0], v[0], v[1],
		        v[2] & 256  ? "R+"
		        : v[2] & 16 ? "X"
		        : v[2]      ? "S"
		                    : "R",
		        e->s[1], v[3], v[4]);
		break;
	case SIM_MIGRATE:
		fprintf(out,
		        "comm=%s pid=%" PRId64 " prio=%" PRId64 " orig_cpu=%" PRId64
		        " dest_cpu=%" PRId64,
		        e->s[0], v[0], v[1], v[2], v[3]);
		break;
	case SIM_FORK:
		fprintf(out, "comm=%s pid=%" PRId64 " child_comm=%s child_pid=%" PRId64, e->s[0],
		        v[0], e->s[1], v[1]);
		break;
	case SIM_FREQ:
	case SIM_IDLE:
		fprintf(out, "state=%" PRId64 " cpu_id=%" PRId64, v[0], v[1]);
		break;
	case SIM_LIMITS:
		fprintf(out, "min=%" PRId64 " max=%" PRId64 " cpu_id=%" PRId64, v[0], v[1], v[2]);
		break;
	case SIM_EXIT:
		fprintf(out, "comm=%s pid=%" PRId64 " prio=%" PRId64, e->s[0], v[0], v[1]);
		break;
	case SIM_RENAME:
		fprintf(out, "pid=%" PRId64 " oldcomm=%s newcomm=%s oom_score_adj=0", v[0], e->s[0],
		        e->s[1]);
		break;
	case SIM_BINDER:
		fprintf(out,
		        "transaction=%" PRId64 " dest_node=%" PRId64 " dest_proc=%" PRId64
		        " dest_thread=%" PRId64 " reply=%" PRId64 " flags=0x%" PRIx64
		        " code=0x%" PRIx64,
		        v[0], v[1], v[2], v[3], v[4], v[6], v[5]);
		break;
	case SIM_BINDER_RECEIVED:
		fprintf(out, "transaction=%" PRId64, v[0]);
		break;
	case SIM_IRQ:
		fprintf(out, "irq=%" PRId64 " name=%s", v[0], e->s[0]);
		break;
	case SIM_IRQ_OVER:
		fprintf(out, "irq=%" PRId64 " ret=handled", v[0]);
		break;
	case SIM_CPUHP:
		fprintf(out,
		        "cpu: %04" PRId64 " target: %3" PRId64 " step: %3" PRId64 " (simulated)",
		        v[0], v[1], v[2]);
		break;
	case SIM_CPUHP_OVER:
		fprintf(out,
		        " cpu: %04" PRId64 "  state: %3" PRId64 " step: %3" PRId64 " ret: %" PRId64,
		        v[0], v[1], v[2], v[3]);
		break;
	case SIM_FENCE_WAIT:
	case SIM_FENCE_DONE:
		fprintf(out, "driver=%s timeline=%s context=%" PRId64 " seqno=%" PRId64, e->s[0],
		        e->s[1], v[0], v[1]);
		break;
	case SIM_SUSPEND:
		fprintf(out, "%s[%" PRId64 "] %s", e->s[0], v[0], v[1] ? "begin" : "end");
		break;
	case SIM_PRINT:
		fprintf(out, "%s", e->s[0]);
		break;
	default:
		fprintf(out, "comm=%s pid=%" PRId64 " prio=%" PRId64 " target_cpu=%03" PRId64,
		        e->s[0], v[0], v[1], v[2]);
	}
}

bool write_text(const struct result *r, FILE *out)
{
	fprintf(out,
	        "# tracer: nop\n#\n# simulated by peltier: %s\n# "
	        "entries-in-buffer/entries-written: %zu/%zu   #P:%zu\n#\n",
	        r->scenario->name, r->events.n, r->events.n, r->scenario->platform->n_cpus);
	for (size_t i = 0; i < r->events.n; i++) {
		const struct sim_event *e = &r->events.at[i];

		if (e->gone)
			continue;
		if (e->lost)
			fprintf(out, "CPU:%u [LOST %" PRId64 " EVENTS]\n", e->cpu, e->lost);
		fprintf(out, "%16s-%-7d [%03u] .....  %" PRId64 ".%09" PRId64 ": %s: ", e->comm,
		        e->pid, e->cpu, e->ts / 1000000000, e->ts % 1000000000,
		        e->kind == SIM_PRINT ? "tracing_mark_write" : sim_desc[e->kind].name);
		body(e, out);
		putc('\n', out);
	}
	return !ferror(out);
}
