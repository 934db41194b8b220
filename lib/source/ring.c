#include "source/ring.h"

#include "source/format.h"

#define COMMIT_USED ((1u << 27) - 1)
#define COMMIT_LOST (1u << 31)
#define COMMIT_STORED (1u << 30)

bool ring_layout_parse(const char *text, size_t n, bool big, unsigned long_size, uint32_t page_size,
                       struct ring_layout *out)
{
	const struct format_field *ts, *commit, *data;
	struct format f;

	*out = (struct ring_layout){big, 8, long_size, 8 + long_size,
	                            page_size > 8 + long_size ? page_size - 8 - long_size : 0};
	if (!n)
		return long_size == 4 || long_size == 8;
	format_fields(text, n, &f);
	ts = format_find(&f, "timestamp");
	commit = format_find(&f, "commit");
	data = format_find(&f, "data");
	if (!ts || ts->offset || ts->size != 8 || !commit || !data)
		return false;
	if ((commit->size != 4 && commit->size != 8) || commit->offset < 8 ||
	    data->offset < commit->offset + commit->size || data->offset > 4096)
		return false;
	out->commit_off = commit->offset;
	out->commit_size = commit->size;
	out->data_off = data->offset;
	out->data_size = data->size;
	return true;
}

static uint64_t load_long(const uint8_t *p, const struct ring_layout *l)
{
	return l->commit_size == 8 ? load64(p, l->big) : load32(p, l->big);
}

bool ring_page(struct ring *r, const struct ring_layout *l, const uint8_t *page, size_t n,
               int64_t *lost)
{
	uint32_t commit;
	size_t used;

	*lost = RING_LOST_NONE;
	*r = (struct ring){.big = l->big, .p = page, .end = page};
	if (n < l->data_off)
		return false;
	commit = (uint32_t)load_long(page + l->commit_off, l);
	used = commit & COMMIT_USED;
	r->ts = load64(page, l->big);
	if (used > n - l->data_off)
		return false;
	r->p = page + l->data_off;
	r->end = r->p + used;
	if (!(commit & COMMIT_LOST))
		return true;
	*lost = RING_LOST_UNKNOWN;
	if ((commit & COMMIT_STORED) && n - l->data_off - used >= l->commit_size) {
		uint64_t count = load_long(r->end, l);

		if (count <= INT64_MAX)
			*lost = (int64_t)count;
	}
	return true;
}
