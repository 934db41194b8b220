#include "signal/schedutil.h"

static int64_t enough(const struct schedutil *s, int64_t khz)
{
	for (size_t i = 0; i < s->n_opps; i++)
		if (s->opps[i] >= khz)
			return s->opps[i];
	return s->opps[s->n_opps - 1];
}

/* From 6.8 on: headroom on the util, never above a clamp. */
static uint32_t with_headroom(const struct schedutil *s, uint32_t util, uint32_t min, uint32_t max)
{
	uint32_t perf = util + util / 4;

	max = max < s->cap ? max : s->cap;
	perf = perf < max ? perf : max;
	return perf > min ? perf : min;
}

/* Before: clamps on the util, headroom on the clock. */
static uint32_t clamped(uint32_t util, uint32_t min, uint32_t max)
{
	util = util < max ? util : max;
	return util > min ? util : min;
}

struct schedutil_request schedutil_request(const struct schedutil *s, uint32_t util,
                                           uint32_t uclamp_min, uint32_t uclamp_max)
{
	struct schedutil_request r;
	int64_t ref = s->util_headroom ? s->ref_khz : s->ref_khz + s->ref_khz / 4;

	r.perf = s->util_headroom ? with_headroom(s, util, uclamp_min, uclamp_max)
	                          : clamped(util, uclamp_min, uclamp_max);
	r.raw_khz = ref * r.perf / s->cap;
	r.khz = enough(s, r.raw_khz);
	return r;
}

uint32_t schedutil_effective(uint32_t cap, uint32_t irq, uint64_t cfs, uint64_t rt, uint64_t dl)
{
	uint64_t util;

	if (irq >= cap)
		return cap;
	util = irq + (cap - irq) * (cfs + rt + dl) / cap;
	return util < cap ? (uint32_t)util : cap;
}

enum { BOOST_MIN = 128, BOOST_MAX = 1024 };

static void boost_of(struct schedutil_iowait *b, bool stale, bool iowait)
{
	if (stale && b->boost) {
		b->boost = iowait ? BOOST_MIN : 0;
		b->pending = iowait;
	} else if (iowait && !b->pending) {
		b->pending = true;
		b->boost = !b->boost                  ? BOOST_MIN
		           : b->boost > BOOST_MAX / 2 ? BOOST_MAX
		                                      : b->boost * 2;
	}
}

uint32_t schedutil_iowait(struct schedutil_iowait *b, int64_t t, int64_t tick, bool iowait,
                          uint32_t util, uint32_t cap)
{
	uint32_t boosted;

	boost_of(b, t - b->last > tick, iowait);
	b->last = t;
	if (!b->boost)
		return util;
	if (!b->pending)
		b->boost = b->boost / 2 < BOOST_MIN ? 0 : b->boost / 2;
	b->pending = false;
	boosted = b->boost * cap / BOOST_MAX;
	return util > boosted ? util : boosted;
}

bool schedutil_may_change(int64_t last_change, int64_t t, int64_t from_khz, int64_t to_khz,
                          int64_t up_limit, int64_t down_limit)
{
	return t - last_change >= (to_khz > from_khz ? up_limit : down_limit);
}

bool schedutil_fits(uint64_t util, uint64_t capacity)
{
	return util * 1280 < capacity * 1024;
}
