/* prev_state: the table of kernels in reference tracedat.md 3.4. */
#include "test.h"

#include "event/event.h"
#include "source/state_bits.h"

static struct state_bits by_fmt(const char *pairs)
{
	struct state_bits b = {0};
	char text[1024];

	snprintf(text, sizeof text,
	         "print fmt: \"%%s\", REC->prev_state & (0xfff) ? __print_flags(REC->prev_state & "
	         "(0xfff), \"|\", %s) : \"R\"",
	         pairs);
	assert_true(state_bits_parse(text, strlen(text), &b));
	return b;
}

static void kernels(void **state)
{
	static const struct {
		const char *pairs;
		int64_t raw, want;
	} cases[] = {
	        /* 4.20 and later */
	        {"{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, "
	         "\"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }",
	         0x100, TS_PREEMPTED},
	        {"{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, "
	         "\"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }",
	         0x80, TS_IDLE},
	        /* 3.9 to 4.1, decimal; X and Z the old way round */
	        {"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, "
	         "\"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }",
	         1024, TS_PREEMPTED},
	        {"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, "
	         "\"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }",
	         130, TS_UNINTERRUPTIBLE}, /* D|K */
	        {"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, "
	         "\"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }",
	         64, TS_DEAD},
	        {"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, "
	         "\"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }",
	         16, TS_ZOMBIE},
	        /* 4.8 to 4.13: D|N is an idle kernel thread */
	        {"{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"X\" }, { 32, "
	         "\"Z\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, "
	         "\"N\" }, { 2048, \"n\" }",
	         1026, TS_IDLE},
	        {"{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"X\" }, { 32, "
	         "\"Z\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, "
	         "\"N\" }, { 2048, \"n\" }",
	         4096, TS_PREEMPTED},
	        {"{ 1, \"S\" }", 0, TS_RUNNABLE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct state_bits b = by_fmt(cases[i].pairs);

		assert_int_equal(state_bits_normalise(&b, cases[i].raw), cases[i].want);
		state_bits_tabulate(&b);
		if (cases[i].raw < STATE_BITS_TABLE)
			assert_int_equal(b.table[cases[i].raw], cases[i].want);
	}
}

static void without_pairs(void **state)
{
	struct state_bits b = {.preempted = 42};

	(void)state;
	assert_false(state_bits_parse("print fmt: \"prev_state=%d\", REC->prev_state", 43, &b));
	assert_int_equal(b.preempted, 42);
	state_bits_by_release("4.9.65-gabc", &b);
	assert_int_equal(state_bits_normalise(&b, 0x1000), TS_PREEMPTED);
	assert_int_equal(state_bits_normalise(&b, 0x402), TS_IDLE);
	state_bits_by_release("3.10.0", &b);
	assert_int_equal(state_bits_normalise(&b, 0x400), TS_PREEMPTED);
	state_bits_by_release(NULL, &b);
	assert_int_equal(state_bits_normalise(&b, 0x100), TS_PREEMPTED);
	assert_int_equal(state_bits_normalise(&b, 0x80), TS_IDLE);
}

static void one_place_too_high(void **state)
{
	struct state_bits b;

	(void)state;
	assert_true(state_bits_maybe_shifted("4.19.1"));
	assert_false(state_bits_maybe_shifted("4.20.0"));
	assert_false(state_bits_maybe_shifted("4.9.0"));
	assert_false(state_bits_maybe_shifted(NULL));
	state_bits_by_release("4.19.1", &b);
	b.shift = 1;
	assert_int_equal(state_bits_normalise(&b, 1), TS_RUNNABLE);
	assert_int_equal(state_bits_normalise(&b, 2), TS_INTERRUPTIBLE);
	assert_int_equal(state_bits_normalise(&b, 4), TS_UNINTERRUPTIBLE);
}

static void votes(void **state)
{
	static struct state_votes faulty, sound;

	(void)state;
	for (int i = 0; i < 20; i++) {
		state_votes_switch(&faulty, 7, 1,
		                   8); /* preempted: stored as 1 where it should be 0 */
		state_votes_switch(&faulty, 8, 2, 7); /* sleeps: stored as 2 */
		state_votes_wake(&faulty, 8);
		state_votes_switch(&sound, 7, 1, 8); /* sleeps */
		state_votes_wake(&sound, 7);
		state_votes_switch(&sound, 8, 0, 7);
	}
	assert_true(state_votes_shifted(&faulty));
	assert_false(state_votes_shifted(&sound));
	assert_int_equal(faulty.sound, 0);
	assert_true(sound.sound > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(kernels),
	        cmocka_unit_test(without_pairs),
	        cmocka_unit_test(one_place_too_high),
	        cmocka_unit_test(votes),
	};

	return run(tests);
}
