#include "frame/frame.h"

struct frame *frames_get(struct frames *f, int32_t pid, int64_t token, bool display)
{
	uint64_t key = (uint64_t)(uint32_t)pid << 1 | display;
	uint32_t at = map_get(&f->by_token, key, (uint64_t)token);
	struct frame *x;

	if (at)
		return &f->at.at[at - 1];
	if (f->at.n >= FRAMES_MAX) {
		f->left_out++;
		return NULL;
	}
	x = vec_add(&f->at);
	*x = (struct frame){.pid = pid,
	                    .token = token,
	                    .expected_start = FRAME_NO_TIME,
	                    .expected_end = FRAME_NO_TIME,
	                    .actual_start = FRAME_NO_TIME,
	                    .actual_end = FRAME_NO_TIME,
	                    .ui_start = FRAME_NO_TIME,
	                    .ui_end = FRAME_NO_TIME,
	                    .draw_start = FRAME_NO_TIME,
	                    .draw_end = FRAME_NO_TIME,
	                    .flags = display ? FRAME_DISPLAY : 0};
	map_put(&f->by_token, key, (uint64_t)token, (uint32_t)f->at.n);
	return x;
}

void frames_free(struct frames *f)
{
	vec_free(&f->at);
	map_free(&f->by_token);
}

const char *const frame_source_name[FRAME_SOURCES] = {"none", "FrameTimeline", "markers", "rt-app",
                                                      "definition"};
const char *const frame_duration_id[FRAME_SOURCES] = {"none", "ft.from_expected", "cpu.ui_rt",
                                                      "rtapp.loop", "user.frame"};

bool frame_duration(const struct frame *f, enum frame_source s, int64_t *start, int64_t *ns)
{
	int64_t end = s == SOURCE_TIMELINE ? f->actual_end : f->draw_end;

	*start = s == SOURCE_TIMELINE ? f->expected_start : f->ui_start;
	if (*start == FRAME_NO_TIME || end == FRAME_NO_TIME ||
	    __builtin_sub_overflow(end, *start, ns) || *ns < 0)
		return false;
	return s != SOURCE_TIMELINE || !(f->flags & (FRAME_DROPPED | FRAME_EXPIRED));
}
