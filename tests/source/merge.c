/* The merge against a plain sort: any number of lanes, equal times, empty lanes. */
#include "test.h"

#include "source/merge.h"

struct numbers {
	struct lane lane;
	int64_t ts[600];
	unsigned n, given;
};

static bool refill(struct lane *l)
{
	struct numbers *x = (struct numbers *)l;

	l->n = 0;
	while (x->given < x->n && l->n < 7) { /* short runs, to cross many borders */
		l->run[l->n++] = (struct lane_entry){.ts = x->ts[x->given], .len = x->given};
		x->given++;
	}
	return l->n > 0;
}

static void close_lane(struct lane *l)
{
	free(l);
}

static const struct lane_ops ops = {refill, NULL, close_lane};

static void merged(unsigned n)
{
	struct lane **lanes = calloc(n + 1, sizeof *lanes);
	struct merge m;
	struct lane *l;
	int64_t last = INT64_MIN;
	unsigned last_cpu = 0, want = 0, got = 0;
	unsigned next[70] = {0};

	for (unsigned i = 0; i < n; i++) {
		struct numbers *x = calloc(1, sizeof *x);
		int64_t ts = rand() % 10;

		x->lane.ops = &ops;
		x->lane.cpu = i;
		x->n = i % 5 == 3 ? 0 : (unsigned)rand() % 600;
		for (unsigned k = 0; k < x->n; k++)
			x->ts[k] = ts += rand() % 3; /* many are equal */
		want += x->n;
		lanes[i] = &x->lane;
	}
	merge_init(&m, lanes, n);
	while ((l = merge_next(&m))) {
		const struct lane_entry *e = &l->run[l->at];

		assert_true(e->ts > last || (e->ts == last && l->cpu >= last_cpu));
		assert_int_equal(e->len, next[l->cpu]++); /* file order inside a lane */
		last = e->ts;
		last_cpu = l->cpu;
		got++;
	}
	assert_int_equal(got, want);
	assert_null(merge_next(&m));
	merge_free(&m);
}

static void all_sizes(void **state)
{
	(void)state;
	srand(1);
	for (unsigned n = 0; n < 70; n++)
		merged(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_sizes)};

	return run(tests);
}
