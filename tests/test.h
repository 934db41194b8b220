/* What all unit tests include: cmocka, and what it lacks. */
#ifndef PELTIER_TESTS_TEST_H
#define PELTIER_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka compares floats in single precision only */
#define check_near(a, b, tolerance)                                                                \
	do {                                                                                       \
		double a_ = (a), b_ = (b);                                                         \
		if (!(a_ - b_ <= (tolerance) && b_ - a_ <= (tolerance)))                           \
			fail_msg("%s is %.12g, not %.12g", #a, a_, b_);                            \
	} while (0)

#define run(tests) cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL)

#endif
