/* WALT against the oracles: demand in five window lengths and four policies with both predictors,
 * a replay of two tasks event by event, response times, windows cut at changes of speed. */
#include "test.h"

#include "signal/walt.h"
#include "tools/csv.h"

#include <stdlib.h>

#define MS INT64_C(1000000)

static const enum walt_policy policies[] = {WALT_RECENT, WALT_MAX, WALT_AVG, WALT_MAX_RECENT_AVG};

static struct walt params(int64_t window_ms, enum walt_policy policy)
{
	return (struct walt){window_ms * MS, policy, true, false};
}

static void same_numbers(const char *want, const int64_t *got, int n)
{
	char *next = (char *)(uintptr_t)want;

	for (int i = 0; i < n; i++)
		assert_int_equal(got[i], strtoll(next, &next, 10));
	assert_int_equal(*next, '\0');
}

static void same_weights(const char *want, const struct walt_buckets *b)
{
	int64_t got[WALT_BUCKETS_MAX];

	for (unsigned i = 0; i < b->n; i++)
		got[i] = b->weight[i];
	same_numbers(want, got, (int)b->n);
}

/* ---- demand ---- */

static void demand(void **state)
{
	struct csv c = csv_open("walt_demand");
	struct walt_task t[4];
	struct walt_buckets ns = {0}, util = {0};
	int64_t in_ns = 0, in_util = 0;
	int rows = 0;

	(void)state;
	for (; csv_row(&c); rows++) {
		int64_t runtime = csv_int(&c, 3), as_util[WALT_HISTORY];
		struct walt w = params(csv_int(&c, 0), WALT_RECENT);

		if (!csv_int(&c, 1)) { /* another window length */
			ns = (struct walt_buckets){.n = 10, .full = w.window};
			util = (struct walt_buckets){.n = 16, .full = WALT_SCALE};
		}
		for (int i = 0; i < 4; i++) {
			w.policy = policies[i];
			if (!csv_int(&c, 1))
				walt_task_init(&w, &t[i], MS);
			walt_push(&w, &t[i], runtime, 1);
			assert_int_equal(t[i].demand, csv_int(&c, 4 + 2 * i));
			assert_int_equal(walt_util(&w, t[i].demand), csv_int(&c, 5 + 2 * i));
		}
		same_numbers(c.at[12], t[0].history, WALT_HISTORY);
		for (int i = 0; i < WALT_HISTORY; i++)
			as_util[i] = walt_util(&w, t[0].history[i]);
		if (runtime) { /* a window of sleep teaches nothing */
			in_ns = walt_predict(&ns, runtime, t[0].history);
			walt_learn(&ns, runtime);
			in_util = walt_predict(&util, walt_util(&w, runtime), as_util);
			walt_learn(&util, walt_util(&w, runtime));
		}
		assert_int_equal(in_ns, csv_int(&c, 13));
		same_weights(c.at[14], &ns);
		assert_int_equal(in_util, csv_int(&c, 15));
		same_weights(c.at[16], &util);
	}
	assert_int_equal(rows, 70);
}

/* ---- a replay ---- */

static enum walt_event event_of(const char *name)
{
	static const struct {
		const char *name;
		enum walt_event ev;
	} events[] = {{"PUT", WALT_PUT_PREV},
	              {"PICK", WALT_PICK_NEXT},
	              {"WAKE", WALT_TASK_WAKE},
	              {"UPDATE", WALT_TASK_UPDATE}};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (!strcmp(events[i].name, name))
			return events[i].ev;
	abort();
}

static void event_by_event(void **state)
{
	struct csv c = csv_open("walt_events");
	struct walt w = params(20, WALT_MAX_RECENT_AVG);
	struct walt_task idle = {.idle = true}, t[2];
	struct walt_cpu cpu = {.speed = WALT_SCALE, .current = &idle};
	int rows = 0;

	(void)state;
	walt_task_init(&w, &t[0], MS);
	walt_task_init(&w, &t[1], MS);
	for (; csv_row(&c); rows++) {
		enum walt_event ev = event_of(c.at[1]);
		struct walt_task *x = *c.at[2] == 's' ? &idle : &t[*c.at[2] - 'A'];

		cpu.speed = (uint32_t)csv_int(&c, 3);
		walt_account(&w, &cpu, x, ev, csv_int(&c, 0) * MS);
		assert_int_equal(cpu.start / MS, csv_int(&c, 4));
		assert_int_equal(cpu.curr, csv_int(&c, 5));
		assert_int_equal(cpu.prev, csv_int(&c, 6));
		for (int i = 0; i < 2; i++) {
			assert_int_equal(t[i].demand, csv_int(&c, 7 + 4 * i));
			assert_int_equal(t[i].sum, csv_int(&c, 8 + 4 * i));
			assert_int_equal(t[i].curr, csv_int(&c, 9 + 4 * i));
			assert_int_equal(t[i].prev, csv_int(&c, 10 + 4 * i));
			same_numbers(c.at[15 + i], t[i].history, WALT_HISTORY);
		}
		if (ev == WALT_PICK_NEXT)
			cpu.current = x;
	}
	assert_int_equal(rows, 63);
}

/* ---- how fast it follows ---- */

static enum walt_policy policy_of(const char *name)
{
	static const char *const names[] = {"recent", "max", "avg", "max_recent_avg"};

	for (int i = 0; i < 4; i++)
		if (!strcmp(names[i], name))
			return policies[i];
	abort();
}

/* A task that runs without end begins at a phase of the window: when its util reaches a target. */
static void response(void **state)
{
	struct csv c = csv_open("walt_response");
	int rows = 0;

	(void)state;
	for (; csv_row(&c); rows++) {
		struct walt w = params(csv_int(&c, 0), policy_of(c.at[3]));
		struct walt_task t = {.mark = 0};
		struct walt_cpu cpu = {.speed = WALT_SCALE, .current = &t};
		int64_t begin = w.window + w.window * csv_int(&c, 1) / 100, at = 0;

		t.mark = begin; /* nothing is known of it before */
		for (int64_t k = 2; !at && k < 14; k++) {
			walt_account(&w, &cpu, &t, WALT_TASK_UPDATE, k * w.window);
			if (walt_util(&w, t.demand) >= csv_int(&c, 2))
				at = k * w.window - begin;
		}
		assert_true((double)at / 1e6 - csv_real(&c, 4) < 0.001 &&
		            (double)at / 1e6 - csv_real(&c, 4) > -0.001);
	}
	assert_int_equal(rows, 300);
}

/* Busy from 5 to 9, 18 to 23 at full speed, 38 to 85 at 462, 95 to 101 at 231: the windows. */
static void cut_at_windows(void **state)
{
	static const struct {
		int64_t from, to;
		uint32_t speed;
	} busy[] = {{5, 9, 1024}, {18, 23, 1024}, {38, 85, 462}, {95, 101, 231}};
	struct csv c = csv_open("walt_split");
	struct walt w = params(20, WALT_RECENT);
	struct walt_task t = {.idle = false}, idle = {.idle = true};
	struct walt_cpu cpu = {.current = &idle};
	int64_t windows[6] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
		t.mark = busy[i].from * MS;
		cpu.speed = busy[i].speed;
		cpu.current = &t;
		/* an update at every window end and at the end: as ticks would */
		for (int64_t at = busy[i].from * MS; at < busy[i].to * MS;) {
			int64_t end = (at / w.window + 1) * w.window, before;

			end = end < busy[i].to * MS ? end : busy[i].to * MS;
			cpu = (struct walt_cpu){.start = at / w.window * w.window,
			                        .speed = busy[i].speed,
			                        .current = &t};
			before = cpu.start;
			walt_account(&w, &cpu, &t, WALT_TASK_UPDATE, end);
			windows[before / w.window] += cpu.start == before ? cpu.curr : cpu.prev;
			at = end;
		}
	}
	while (csv_row(&c)) {
		assert_int_equal(windows[csv_int(&c, 0)], csv_int(&c, 1));
		assert_int_equal(walt_util(&w, windows[csv_int(&c, 0)]), csv_int(&c, 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(demand),
	        cmocka_unit_test(event_by_event),
	        cmocka_unit_test(response),
	        cmocka_unit_test(cut_at_windows),
	};

	return run(tests);
}
