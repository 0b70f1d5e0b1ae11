/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dist_test: mean, SD, maximum and percentiles of series made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stat/dist.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define HUGE_NS (INT64_C(1) << 62)

enum { P50, P90, P95, P99, P999 };

static void assert_near(double seen, double expected, double error)
{
	if (!(fabs(seen - expected) <= error))
		fail_msg("%.9g is not %.9g", seen, expected);
}

/* first, first + step, ... */
static int64_t *series(size_t n, int64_t first, int64_t step)
{
	int64_t *values = calloc(n, sizeof(*values));

	assert_non_null(values);
	for (size_t i = 0; i < n; i++)
		values[i] = first + (int64_t)i * step;
	return values;
}

/* 1, 2, ... n, the largest first */
static void dist_of_ranks(struct dist *dist, size_t n)
{
	int64_t *values = series(n, (int64_t)n, -1);

	dist_of(dist, values, n);
	free(values);
}

static void no_values_leave_everything_absent(void **state)
{
	struct dist dist;

	(void)state;
	memset(&dist, 0x5a, sizeof(dist));
	dist_of(&dist, NULL, 0);
	assert_int_equal(dist.n, 0);
	assert_int_equal(dist.max_ns, 0);
	assert_int_equal(dist.bound_ns, 0);
	assert_near(dist.mean_ns, 0, 0);
	assert_near(dist.sd_ns, 0, 0);
	for (int i = 0; i < DIST_NR_QUANTILES; i++)
		assert_int_equal(dist.quantile_ns[i], -1);
}

static void one_value_is_its_own_mean_and_maximum(void **state)
{
	int64_t value = 4242;
	struct dist dist;

	(void)state;
	dist_of(&dist, &value, 1);
	assert_int_equal(dist.n, 1);
	assert_near(dist.mean_ns, 4242, 0);
	assert_near(dist.sd_ns, 0, 0);
	assert_int_equal(dist.max_ns, 4242);
	assert_int_equal(dist.quantile_ns[P50], -1);
}

static void two_values_deviate_by_their_distance_over_root_2(void **state)
{
	int64_t values[] = { 40, 20 };
	struct dist dist;

	(void)state;
	dist_of(&dist, values, 2);
	assert_near(dist.mean_ns, 30, 0);
	assert_near(dist.sd_ns, 14.142135624, 1e-9);
}

static void equal_values_have_no_deviation_at_all(void **state)
{
	static const int64_t equal_ns[] = { 0, 100000, 333333333, HUGE_NS - 1 };
	struct dist dist;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(equal_ns); i++) {
		int64_t *values = series(1777, equal_ns[i], 0);

		dist_of(&dist, values, 1777);
		assert_near(dist.sd_ns, 0, 0);
		assert_near(dist.mean_ns, (double)equal_ns[i], 0);
		assert_int_equal(dist.max_ns, equal_ns[i]);
		free(values);
	}
}

static void alternating_0_and_200_us_deviate_by_100(void **state)
{
	int64_t *values = series(1000, 0, 0);
	struct dist dist;

	(void)state;
	for (size_t i = 1; i < 1000; i += 2)
		values[i] = 200000;
	dist_of(&dist, values, 1000);
	assert_near(dist.mean_ns, 100000, 0);
	/* 100 us * sqrt(1000 / 999) */
	assert_near(dist.sd_ns, 100050.037531, 0.00001);
	assert_int_equal(dist.max_ns, 200000);
	free(values);
}

static void a_small_deviation_from_a_large_mean_is_kept(void **state)
{
	int64_t values[] = { HUGE_NS, HUGE_NS + 1, HUGE_NS + 2 };
	struct dist dist;

	(void)state;
	dist_of(&dist, values, 3);
	assert_near(dist.sd_ns, 1, 0);
}

static void values_below_zero_do_no_harm(void **state)
{
	int64_t values[] = { 3, -1, 1 };
	struct dist dist;

	(void)state;
	dist_of(&dist, values, 3);
	assert_near(dist.mean_ns, 1, 0);
	assert_near(dist.sd_ns, 2, 0);
	assert_int_equal(dist.max_ns, 3);
}

static void a_million_huge_values_do_not_overflow(void **state)
{
	const size_t n = 1000000;
	int64_t *values = series(n, HUGE_NS, -1000);
	struct dist dist;

	(void)state;
	dist_of(&dist, values, n);
	assert_int_equal(dist.n, n);
	assert_int_equal(dist.max_ns, HUGE_NS);
	/* within what a double near 2^62 can tell apart */
	assert_near(dist.mean_ns, (double)(HUGE_NS - 499999500), 1024);
	/* of 0, 1000, ...: 1000 sqrt(n (n + 1) / 12) */
	assert_near(dist.sd_ns, 288675278.932, 0.01);
	assert_int_equal(dist.quantile_ns[P50], HUGE_NS - 500000000);
	assert_int_equal(dist.quantile_ns[P999], HUGE_NS - 1000000);
	free(values);
}

static void values_at_both_ends_of_the_range_do_not_overflow(void **state)
{
	int64_t values[] = { INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN };
	struct dist dist;

	(void)state;
	dist_of(&dist, values, 4);
	assert_near(dist.mean_ns, 0, 1024);
	assert_near(dist.sd_ns / 0x1p63, 1.154700538, 1e-9);
	assert_int_equal(dist.max_ns, INT64_MAX);
}

static void values_come_back_sorted(void **state)
{
	int64_t values[] = { 5, HUGE_NS, 1, -HUGE_NS, 3 };
	static const int64_t sorted[] = { -HUGE_NS, 1, 3, 5, HUGE_NS };
	struct dist dist;

	(void)state;
	dist_of(&dist, values, 5);
	assert_memory_equal(values, sorted, sizeof(sorted));
}

static void nearest_rank_takes_a_value_that_was_there(void **state)
{
	static const int64_t four[] = { 1, 2, 3, 4 }, one[] = { 7 };
	static const struct {
		unsigned int q;
		int64_t expected;
	} cases[] = {
		{ 0, 1 }, { 1, 1 }, { 250, 1 }, { 251, 2 }, { 500, 2 },
		{ 501, 3 }, { 750, 3 }, { 751, 4 }, { 990, 4 }, { 1000, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(dist_nearest_rank(four, 4, cases[i].q),
				 cases[i].expected);
		assert_int_equal(dist_nearest_rank(one, 1, cases[i].q), 7);
	}
}

/* n (1000 - q) >= 5000: five values above it, so 10 for p50, 500 for p99. */
static void a_percentile_needs_five_values_above_it(void **state)
{
	static const size_t needed[] = { 10, 50, 100, 500, 5000 };
	struct dist dist;

	(void)state;
	for (int i = 0; i < DIST_NR_QUANTILES; i++) {
		dist_of_ranks(&dist, needed[i] - 1);
		assert_int_equal(dist.quantile_ns[i], -1);
		dist_of_ranks(&dist, needed[i]);
		assert_int_equal(dist.quantile_ns[i], needed[i] - 5);
	}
}

static void of_four_values_no_percentile_is_shown(void **state)
{
	struct dist dist;

	(void)state;
	dist_of_ranks(&dist, 4);
	for (int i = 0; i < DIST_NR_QUANTILES; i++)
		assert_int_equal(dist.quantile_ns[i], -1);
	assert_int_equal(dist.max_ns, 4);
	assert_near(dist.mean_ns, 2.5, 0);
	assert_near(dist.sd_ns, 1.2909944487, 1e-9);
}

static void percentiles_are_in_order_and_below_the_maximum(void **state)
{
	int64_t *values = series(20000, 0, 0);
	uint64_t x = 1;
	struct dist dist;

	(void)state;
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < 20000; i++) {
			x = x * UINT64_C(6364136223846793005) + 1442695041;
			values[i] = (int64_t)(x >> (2 + round));
		}
		dist_of(&dist, values, 20000);
		assert_true(dist.quantile_ns[P50] >= 0);
		for (int i = P90; i <= P999; i++)
			assert_true(dist.quantile_ns[i - 1] <=
				    dist.quantile_ns[i]);
		assert_true(dist.quantile_ns[P999] <= dist.max_ns);
	}
	free(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_values_leave_everything_absent),
		cmocka_unit_test(one_value_is_its_own_mean_and_maximum),
		cmocka_unit_test(
			two_values_deviate_by_their_distance_over_root_2),
		cmocka_unit_test(equal_values_have_no_deviation_at_all),
		cmocka_unit_test(alternating_0_and_200_us_deviate_by_100),
		cmocka_unit_test(a_small_deviation_from_a_large_mean_is_kept),
		cmocka_unit_test(values_below_zero_do_no_harm),
		cmocka_unit_test(a_million_huge_values_do_not_overflow),
		cmocka_unit_test(
			values_at_both_ends_of_the_range_do_not_overflow),
		cmocka_unit_test(values_come_back_sorted),
		cmocka_unit_test(nearest_rank_takes_a_value_that_was_there),
		cmocka_unit_test(a_percentile_needs_five_values_above_it),
		cmocka_unit_test(of_four_values_no_percentile_is_shown),
		cmocka_unit_test(
			percentiles_are_in_order_and_below_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
