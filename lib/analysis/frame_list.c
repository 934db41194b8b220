/* Lists of frames: TSV, and what the profile `perfetto` tells. */
#include "analysis/frames.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

/* Empty when they are not known. */
static void list_parts(FILE *out, const struct frame_parts *p)
{
#define X(part, ...)                                                                               \
	if (p)                                                                                     \
		fprintf(out, "\t%" PRId64, p->part);                                               \
	else                                                                                       \
		putc('\t', out);
	FRAME_PARTS(X)
	FRAME_SUBPARTS(X)
#undef X
	putc('\n', out);
}

void session_list_frames(struct session *session, FILE *out)
{
	struct frames_state *s = session_state(session, &analysis_frames);

	fputs("process\tpid\tsource\tduration\tframes\twith a duration\tjank\n", out);
	for (size_t i = 0; i < s->table.at.n; i++) {
		const struct frame_process *p = &s->table.at.at[i];

		fprintf(out, "%s\t%d\t%s\t%s\t%zu\t%zu\t%s\n", p->name, p->pid,
		        frame_source_name[p->source], frame_duration_id[p->source], p->used.n,
		        p->ns.n, p->judged ? p->rule->id : "not judged");
	}
}

void session_frame_list(struct session *session, FILE *out)
{
	struct frames_state *s = session_state(session, &analysis_frames);

	fprintf(out, "pid\tprocess\ttoken\tsource\tstart_ns\tend_ns\tduration_ns\tjanky");
#define X(part, ...) fprintf(out, "\t" #part "_ns");
	FRAME_PARTS(X)
	FRAME_SUBPARTS(X)
#undef X
	putc('\n', out);
	for (size_t i = 0; i < s->table.at.n; i++) {
		const struct frame_process *p = &s->table.at.at[i];

		for (size_t k = 0; k < p->used.n; k++) {
			const struct used_frame *u = &p->used.at[k];

			if (u->ns == FRAME_NO_TIME)
				continue;
			fprintf(out,
			        "%d\t%s\t%" PRId64 "\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64
			        "\t%d",
			        p->pid, p->name, u->frame->token, frame_duration_id[p->source],
			        u->start, u->start + u->ns, u->ns, u->janky);
			list_parts(out, u->parts);
		}
	}
}

/* ---- rows ---- */

void session_list_frame_rows(struct session *session, FILE *out)
{
	const struct frames_state *s = session_state(session, &analysis_frames);
	char jank[400], layer[300];

	fputs("kind\tof\tts\tdur\tpid\tdisplay_token\ttoken\tlayer\tpresent\ton_time\tgpu\tjank\t"
	      "prediction\n",
	      out);
	for (size_t i = 0; i < s->rows.at.n; i++) {
		const struct frame_row *r = &s->rows.at.at[i];
		bool display =
		        r->shape == FRAME_EXPECTED_DISPLAY || r->shape == FRAME_ACTUAL_DISPLAY;
		bool actual = r->shape == FRAME_ACTUAL_DISPLAY || r->shape == FRAME_ACTUAL_SURFACE;
		const char *name = s->rows.layers.at[r->layer];

		fprintf(out, "%s\t%s\t%" PRId64 "\t%" PRId64 "\t%d\t%" PRId64 "\t%" PRId64 "\t%s",
		        actual ? "actual" : "expected", display ? "display" : "surface", r->ts,
		        r->dur, r->pid, display ? r->token : r->display_token,
		        display ? 0 : r->token,
		        text_escape(layer, sizeof layer, name, strlen(name)));
		if (actual)
			fprintf(out, "\t%s\t%d\t%d\t%s\t%s\n", frame_present_text[r->present],
			        r->on_time, r->gpu, frame_jank_text(r->jank, jank, sizeof jank),
			        frame_prediction_text[r->prediction]);
		else
			fputs("\t\t\t\t\t\n", out);
	}
}

void frame_rows_json(const struct frame_rows *r, struct json *j, int32_t pid)
{
	const struct frame_rows_metric m = frame_rows_metric(r, pid);

	json_object_line(j, "perfetto");
	json_int(j, "total_frames", (int64_t)m.total);
	json_int(j, "missed_frames", (int64_t)m.missed);
	json_int(j, "missed_app_frames", (int64_t)m.missed_app);
	json_int(j, "missed_sf_frames", (int64_t)m.missed_sf);
	json_int(j, "dropped_frames", (int64_t)m.dropped);
	json_int(j, "frame_dur_max", m.max);
	json_int(j, "frame_dur_avg", m.avg);
	json_int(j, "frame_dur_p50", m.p50);
	json_int(j, "frame_dur_p90", m.p90);
	json_int(j, "frame_dur_p95", m.p95);
	json_int(j, "frame_dur_p99", m.p99);
	json_real(j, "weighted_missed_frames", m.weighted);
	json_real(j, "weighted_missed_app_frames", m.weighted_app);
	json_real(j, "weighted_missed_sf_frames", m.weighted_sf);
	json_end(j);
}
