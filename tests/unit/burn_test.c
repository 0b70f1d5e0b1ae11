/* SPDX-License-Identifier: GPL-2.0-or-later */
/* burn_test: what burning counts, on a clock that moves when it is read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clk.h"
#include "engine/burn.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define STEP_NS 400
#define CHUNK 10
#define GAP_MIN_NS 3000
#define PPM 1000000

struct step_clk {
	struct clk clk;		/* first */
	int64_t now_ns;
	int64_t step_ns;	/* each read moves the clock by this */
	int64_t grow_ppm;	/* and changes the step by so much */
	uint64_t nr_reads;
	uint64_t odd_read;	/* this one, 1.., takes odd_ns instead */
	int64_t odd_ns;
	uint64_t first_reads;	/* these take first_ns each */
	int64_t first_ns;
};

static int64_t step_now(struct clk *clk)
{
	struct step_clk *fake = (struct step_clk *)(void *)clk;
	int64_t step = fake->step_ns;

	fake->nr_reads++;
	if (fake->nr_reads <= fake->first_reads)
		step = fake->first_ns;
	else if (fake->nr_reads == fake->odd_read)
		step = fake->odd_ns;
	else
		fake->step_ns += step * fake->grow_ppm / PPM;
	fake->now_ns += step;
	return fake->now_ns;
}

static void step_clk_init(struct step_clk *fake, int64_t step_ns)
{
	memset(fake, 0, sizeof(*fake));
	fake->clk.now = step_now;
	fake->now_ns = NSEC_PER_SEC;
	fake->step_ns = step_ns;
}

/* As burn_init() leaves it, for steps of step_ns. */
static struct burn burn_for(struct step_clk *fake, int64_t step_ns)
{
	struct burn burn = {
		.clk = &fake->clk,
		.mode = BURN_CPU,
		.chunk = CHUNK,
		.chunk_ns = step_ns,
		.gap_min_ns = GAP_MIN_NS,
		.median_ns = step_ns,
	};

	step_clk_init(fake, step_ns);
	return burn;
}

static void a_demand_is_burnt_to_one_chunk(void **state)
{
	static const struct {
		int64_t step_ns, demand_ns, burnt_ns;
	} cases[] = {
		{ 400, 2500000, 2500000 }, { 400, 2500001, 2500400 },
		{ 400, 2499999, 2500000 }, { 400, 1, 400 }, { 400, 0, 0 },
		{ 333, 10000000, 10000323 }, { 1, 1000, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct step_clk fake;
		struct burn burn = burn_for(&fake, cases[i].step_ns);
		uint64_t steps = (uint64_t)(cases[i].burnt_ns /
					    cases[i].step_ns);

		burn_run(&burn, cases[i].demand_ns);
		assert_int_equal(burn.total.burnt_ns, cases[i].burnt_ns);
		assert_int_equal(burn.total.gaps, 0);
		assert_int_equal(burn.total.gap_ns, 0);
		assert_int_equal(burn.total.loops, steps * CHUNK);
		assert_int_equal(burn.total.reads, steps + 1);
		assert_int_equal(burn.total.reads, fake.nr_reads);
	}
}

static void totals_add_up_over_burns(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, STEP_NS);

	(void)state;
	for (int i = 0; i < 5; i++)
		burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.burnt_ns, 5 * NSEC_PER_MSEC);
	assert_int_equal(burn.total.reads, 5 * (2500 + 1));
	assert_int_equal(burn.total.loops, 5 * 2500 * CHUNK);
}

/* What passes between two burns is slept, not burnt and no gap. */
static void the_time_before_a_burn_does_not_count(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, STEP_NS);

	(void)state;
	burn_run(&burn, NSEC_PER_MSEC);
	fake.now_ns += 50 * NSEC_PER_MSEC;
	burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.burnt_ns, 2 * NSEC_PER_MSEC);
	assert_int_equal(burn.total.gaps, 0);
}

static void a_long_step_is_a_gap_and_the_demand_is_still_burnt(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, STEP_NS);
	int64_t start_ns = fake.now_ns + STEP_NS;	/* the first read */

	(void)state;
	fake.odd_read = 100;
	fake.odd_ns = 4 * NSEC_PER_MSEC;
	burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.gaps, 1);
	assert_int_equal(burn.total.gap_ns, 4 * NSEC_PER_MSEC);
	assert_in_range(burn.total.burnt_ns, NSEC_PER_MSEC,
			NSEC_PER_MSEC + STEP_NS);
	assert_int_equal(fake.now_ns - start_ns,
			 burn.total.burnt_ns + burn.total.gap_ns);
	/* the loops of a gap are not part of the speed */
	assert_int_equal(burn.total.loops,
			 (uint64_t)(burn.total.burnt_ns / STEP_NS) * CHUNK);
}

static void only_a_step_above_the_limit_is_a_gap(void **state)
{
	static const struct {
		int64_t step_ns, odd_ns;
		uint64_t gaps;
	} cases[] = {
		/* 3 us while that is more than 4 medians */
		{ 400, 3000, 0 }, { 400, 3001, 1 },
		{ 750, 3000, 0 }, { 750, 3001, 1 },
		/* 4 medians from there on */
		{ 1000, 4000, 0 }, { 1000, 4001, 1 },
		{ 20000, 80000, 0 }, { 20000, 80001, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct step_clk fake;
		struct burn burn = burn_for(&fake, cases[i].step_ns);

		fake.odd_read = 20;
		fake.odd_ns = cases[i].odd_ns;
		burn_run(&burn, 100 * cases[i].step_ns);
		assert_int_equal(burn.total.gaps, cases[i].gaps);
		assert_int_equal(burn.total.gap_ns,
				 cases[i].gaps ? cases[i].odd_ns : 0);
	}
}

static void one_gap_hardly_moves_the_median(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, 640);

	(void)state;
	fake.odd_read = 6;
	fake.odd_ns = NSEC_PER_SEC;
	burn_run(&burn, 5 * 640);
	assert_int_equal(burn.total.gaps, 1);
	assert_in_range(burn.median_ns, 640 - 20, 640 + 20);
}

static void the_median_follows_a_slow_drift_without_gaps(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, 2000);

	(void)state;
	fake.grow_ppm = 2000;
	while (fake.step_ns < 40000)
		burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.gaps, 0);
	assert_in_range(burn.median_ns, fake.step_ns * 9 / 10,
			fake.step_ns * 11 / 10);
	fake.grow_ppm = -2000;
	while (fake.step_ns > 2000)
		burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.gaps, 0);
	assert_in_range(burn.median_ns, fake.step_ns * 9 / 10,
			fake.step_ns * 11 / 10);
}

/* 1.03125^n > 5 for the median to come within a quarter: n = 53. */
static void a_sudden_slow_down_costs_some_steps_and_then_counts(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, STEP_NS);

	(void)state;
	fake.step_ns = 20 * STEP_NS;
	burn_run(&burn, 2 * NSEC_PER_MSEC);
	assert_in_range(burn.total.gaps, 50, 60);
	assert_in_range(burn.total.burnt_ns, 2 * NSEC_PER_MSEC,
			2 * NSEC_PER_MSEC + 20 * STEP_NS);
	assert_in_range(burn.median_ns, 20 * STEP_NS * 9 / 10,
			20 * STEP_NS * 11 / 10);
}

static void the_median_stays_sane_while_the_clock_stands_still(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, STEP_NS);

	(void)state;
	fake.step_ns = 0;
	fake.odd_read = 2000;
	fake.odd_ns = 2000;
	burn_run(&burn, 1000);
	assert_int_equal(burn.total.burnt_ns, 2000);
	assert_int_equal(burn.total.reads, 2000);
	assert_in_range(burn.median_ns, 0, 2);
}

static void work_ends_after_its_loops_however_long_they_take(void **state)
{
	static const struct {
		int64_t step_ns, demand_ns;
		uint64_t loops, steps;
	} cases[] = {
		/* 1000 loops a ms, 10 a step; the last step may be shorter */
		{ 400, 3000000, 3000, 300 }, { 1, 3000000, 3000, 300 },
		{ 9000000, 3000000, 3000, 300 }, { 400, 1500000, 1500, 150 },
		{ 400, 1505000, 1505, 151 }, { 400, 10000, 10, 1 },
		{ 400, 3000, 3, 1 }, { 400, 999, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct step_clk fake;
		struct burn burn = burn_for(&fake, cases[i].step_ns);

		burn.mode = BURN_WORK;
		burn.loops_per_ms = 1000;
		burn_run(&burn, cases[i].demand_ns);
		assert_int_equal(burn.total.loops, cases[i].loops);
		assert_int_equal(burn.total.reads, cases[i].steps + 1);
		assert_int_equal(burn.total.burnt_ns,
				 (int64_t)cases[i].steps * cases[i].step_ns);
	}
}

/* The loops of a gap were done: not again, but no part of the speed either. */
static void work_is_not_done_twice_for_a_gap(void **state)
{
	struct step_clk fake;
	struct burn burn = burn_for(&fake, STEP_NS);

	(void)state;
	burn.mode = BURN_WORK;
	burn.loops_per_ms = 1000;
	fake.odd_read = 50;
	fake.odd_ns = 5 * NSEC_PER_MSEC;
	burn_run(&burn, 3 * NSEC_PER_MSEC);
	assert_int_equal(burn.total.reads, 301);
	assert_int_equal(burn.total.gaps, 1);
	assert_int_equal(burn.total.gap_ns, 5 * NSEC_PER_MSEC);
	assert_int_equal(burn.total.loops, 299 * CHUNK);
	assert_int_equal(burn.total.burnt_ns, 299 * STEP_NS);
}

/*
 * A clock for burn_init(): long steps while it finds out what a chunk is, so
 * that it does not look for a larger one, then steps of step_ns.
 */
static void init_clk(struct step_clk *fake, int64_t step_ns)
{
	step_clk_init(fake, step_ns);
	fake->first_reads = 40;
	fake->first_ns = 20000;
}

static void init_wants_to_know_what_work_is_worth(void **state)
{
	struct step_clk fake;
	struct burn burn;

	(void)state;
	init_clk(&fake, STEP_NS);
	assert_int_equal(burn_init(&burn, &fake.clk, BURN_WORK, 0, false),
			 -EINVAL);
	assert_int_equal(burn_init(&burn, &fake.clk, BURN_WORK, 5, false), 0);
	assert_int_equal(burn.loops_per_ms, 5);
	assert_int_equal(burn.mode, BURN_WORK);
}

static void init_fits_the_chunk_and_seeds_the_median(void **state)
{
	static const struct burn_total none;
	struct step_clk fake;
	struct burn burn;
	int64_t start_ns;

	(void)state;
	init_clk(&fake, 600);
	start_ns = fake.now_ns;
	assert_int_equal(burn_init(&burn, &fake.clk, BURN_CPU, 0, false), 0);
	/* 1000 loops were 20 us */
	assert_int_equal(burn.chunk, 1000 * burn.chunk_ns / 20000);
	assert_in_range(burn.chunk_ns, 300, 500);
	assert_in_range(burn.median_ns, 600 * 31 / 32, 600 * 33 / 32);
	assert_in_range(fake.now_ns - start_ns, 20 * NSEC_PER_MSEC,
			25 * NSEC_PER_MSEC);
	assert_memory_equal(&burn.total, &none, sizeof(none));
}

static void a_clock_of_system_calls_has_longer_chunks_and_gaps(void **state)
{
	struct step_clk fake;
	struct burn burn;

	(void)state;
	init_clk(&fake, 10000);
	assert_int_equal(burn_init(&burn, &fake.clk, BURN_CPU, 0, true), 0);
	assert_int_equal(burn.chunk_ns, 20000);
	fake.odd_read = fake.nr_reads + 10;
	fake.odd_ns = 60000;
	burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.gaps, 0);
	fake.odd_read = fake.nr_reads + 10;
	fake.odd_ns = 60001;
	burn_run(&burn, NSEC_PER_MSEC);
	assert_int_equal(burn.total.gaps, 1);
}

static void speed_is_in_loops_per_ms(void **state)
{
	struct step_clk fake;

	(void)state;
	init_clk(&fake, 500);
	/* chunks of 400 ns at 50 loops a us are 20 loops, here in 500 ns */
	assert_int_equal(burn_speed(&fake.clk, NSEC_PER_MSEC), 40000);
}

static void on_the_real_clock_a_burn_takes_at_least_its_demand(void **state)
{
	int64_t start_ns, wall_ns;
	struct burn burn;
	struct clk clk;

	(void)state;
	clk_real(&clk);
	assert_int_equal(burn_init(&burn, &clk, BURN_CPU, 0, false), 0);
	start_ns = clk_now(&clk);
	burn_run(&burn, 2 * NSEC_PER_MSEC);
	wall_ns = clk_now(&clk) - start_ns;
	assert_true(burn.total.burnt_ns >= 2 * NSEC_PER_MSEC);
	assert_true(wall_ns >= burn.total.burnt_ns + burn.total.gap_ns);
	assert_true(burn.total.loops > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_demand_is_burnt_to_one_chunk),
		cmocka_unit_test(totals_add_up_over_burns),
		cmocka_unit_test(the_time_before_a_burn_does_not_count),
		cmocka_unit_test(
			a_long_step_is_a_gap_and_the_demand_is_still_burnt),
		cmocka_unit_test(only_a_step_above_the_limit_is_a_gap),
		cmocka_unit_test(one_gap_hardly_moves_the_median),
		cmocka_unit_test(the_median_follows_a_slow_drift_without_gaps),
		cmocka_unit_test(
			a_sudden_slow_down_costs_some_steps_and_then_counts),
		cmocka_unit_test(
			the_median_stays_sane_while_the_clock_stands_still),
		cmocka_unit_test(
			work_ends_after_its_loops_however_long_they_take),
		cmocka_unit_test(work_is_not_done_twice_for_a_gap),
		cmocka_unit_test(init_wants_to_know_what_work_is_worth),
		cmocka_unit_test(init_fits_the_chunk_and_seeds_the_median),
		cmocka_unit_test(
			a_clock_of_system_calls_has_longer_chunks_and_gaps),
		cmocka_unit_test(speed_is_in_loops_per_ms),
		cmocka_unit_test(
			on_the_real_clock_a_burn_takes_at_least_its_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
