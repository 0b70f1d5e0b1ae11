/* SPDX-License-Identifier: GPL-2.0-or-later */
/* periodic_test: the slot loop on a scripted clock, and its summary. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/periodic.h"
#include "stat/summary.h"

#include "fake_clk.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SLOTS_MAX 6
#define PERIOD_US 10000
#define DEMAND_US 4000
#define ABSENT (-1.0)

/* Figures are in the units of METHOD.md: ms with 4 decimals, per cent. */
struct scenario {
	const char *name;
	const char *script;
	const char *outcomes;	/* one letter a slot: M, L or D */
	double mean_ms, sd_ms, max_ms;
	double cpu_pct, deadlines_pct;
	double delays_ms[SLOTS_MAX];

	/* what few of them need */
	uint32_t per_segment;	/* 0: one segment */
	int64_t gaps_us[SLOTS_MAX];	/* before segment 1, 2, ... */
	bool has_demands;
	int64_t demands_us[SLOTS_MAX];
	double latency_bound_ms;
	double response_bound_ms;
	unsigned int nr_early, nr_eintr;
};

static const struct scenario scenarios[] = {
	/* the worked cases of METHOD.md */
	{ .name = "c1_all_met",
	  .script = "1000,4000 2000,4000 3000,4000 2000,4000 2000,4000",
	  .outcomes = "MMMMM",
	  .mean_ms = 2.0, .sd_ms = 0.7071, .max_ms = 3.0,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 1, 2, 3, 2, 2 } },
	{ .name = "c2_one_us_late_costs_the_slot_and_the_next_one",
	  .script = "0,4000 0,10001 0,4000 0,4000",
	  .outcomes = "MLDMM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 80, .deadlines_pct = 60,
	  .delays_ms = { 0, 0, 10, 0, 0 } },
	{ .name = "c3_a_finish_two_and_a_half_periods_late_drops_three",
	  .script = "0,4000 1000,34000 0,4000",
	  .outcomes = "MLDDDM",
	  .mean_ms = 0.3333, .sd_ms = 0.5774, .max_ms = 1,
	  .cpu_pct = 50, .deadlines_pct = 33.3333,
	  .delays_ms = { 0, 1, 30, 20, 10, 0 } },
	{ .name = "c4_a_wake_after_the_deadline_drops_and_does_not_burn",
	  .script = "0,4000 15000,- 0,4000 0,4000",
	  .outcomes = "MDDMM",
	  .mean_ms = 3.75, .sd_ms = 7.5, .max_ms = 15,
	  .cpu_pct = 60, .deadlines_pct = 60,
	  .delays_ms = { 0, 20, 10, 0, 0 } },
	{ .name = "c5_a_wake_exactly_at_the_deadline_still_starts",
	  .script = "10000,4000 0,4000",
	  .outcomes = "LDM",
	  .mean_ms = 5, .sd_ms = 7.0711, .max_ms = 10,
	  .cpu_pct = 66.6667, .deadlines_pct = 33.3333,
	  .delays_ms = { 10, 10, 0 } },
	{ .name = "c6_a_finish_exactly_at_the_deadline_is_met",
	  .script = "6000,4000 0,4000",
	  .outcomes = "MM",
	  .mean_ms = 3, .sd_ms = 4.2426, .max_ms = 6,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 6, 0 } },
	{ .name = "c7_a_long_stall_costs_every_slot_it_covers",
	  .script = "32000,- 0,4000",
	  .outcomes = "DDDDM",
	  .mean_ms = 16, .sd_ms = 22.6274, .max_ms = 32,
	  .cpu_pct = 20, .deadlines_pct = 20,
	  .delays_ms = { 40, 30, 20, 10, 0 } },
	{ .name = "c8_a_release_exactly_at_a_late_finish_is_gone",
	  .script = "5000,15000 0,4000",
	  .outcomes = "LDDM",
	  .mean_ms = 2.5, .sd_ms = 3.5355, .max_ms = 5,
	  .cpu_pct = 50, .deadlines_pct = 25,
	  .delays_ms = { 5, 20, 10, 0 } },
	{ .name = "c9_a_wake_after_the_window_counts_as_it_happens",
	  .script = "0,4000 25000,-",
	  .outcomes = "MDD",
	  .mean_ms = 12.5, .sd_ms = 17.6777, .max_ms = 25,
	  .cpu_pct = 33.3333, .deadlines_pct = 33.3333,
	  .delays_ms = { 0, 25, 15 } },

	/* around the deadline */
	{ .name = "a_wake_1_us_before_the_deadline_starts_and_is_late",
	  .script = "9999,4000 0,4000",
	  .outcomes = "LDM",
	  .mean_ms = 4.9995, .sd_ms = 7.0704, .max_ms = 9.999,
	  .cpu_pct = 66.6667, .deadlines_pct = 33.3333,
	  .delays_ms = { 9.999, 10, 0 } },
	{ .name = "a_wake_1_us_after_the_deadline_is_dropped",
	  .script = "10001,- 0,4000",
	  .outcomes = "DDM",
	  .mean_ms = 5.0005, .sd_ms = 7.0718, .max_ms = 10.001,
	  .cpu_pct = 33.3333, .deadlines_pct = 33.3333,
	  .delays_ms = { 20, 10, 0 } },
	{ .name = "a_finish_1_us_before_the_deadline_is_met",
	  .script = "0,9999 0,4000",
	  .outcomes = "MM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 0, 0 } },
	{ .name = "slots_that_fill_their_period_are_all_met_back_to_back",
	  .script = "0,10000 0,10000 0,10000",
	  .outcomes = "MMM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 0, 0, 0 } },
	{ .name = "two_late_slots_in_turn_make_one_run_of_four_misses",
	  .script = "0,11000 0,11000 0,4000",
	  .outcomes = "LDLDM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 60, .deadlines_pct = 20,
	  .delays_ms = { 0, 10, 0, 10, 0 } },

	/* where to resume */
	{ .name = "a_release_exactly_at_a_too_late_wake_is_gone",
	  .script = "20000,- 0,4000",
	  .outcomes = "DDDM",
	  .mean_ms = 10, .sd_ms = 14.1421, .max_ms = 20,
	  .cpu_pct = 25, .deadlines_pct = 25,
	  .delays_ms = { 30, 20, 10, 0 } },
	{ .name = "a_release_1_us_after_a_too_late_wake_is_waited_for",
	  .script = "19999,- 0,4000 0,4000",
	  .outcomes = "DDMM",
	  .mean_ms = 6.6663, .sd_ms = 11.5464, .max_ms = 19.999,
	  .cpu_pct = 50, .deadlines_pct = 50,
	  .delays_ms = { 20, 10, 0, 0 } },
	{ .name = "the_first_slot_may_be_the_late_one",
	  .script = "15000,- 0,4000 0,4000",
	  .outcomes = "DDMM",
	  .mean_ms = 5, .sd_ms = 8.6603, .max_ms = 15,
	  .cpu_pct = 50, .deadlines_pct = 50,
	  .delays_ms = { 20, 10, 0, 0 } },
	{ .name = "a_last_slot_that_is_dropped_waits_until_the_last_event",
	  .script = "0,11000 5000,6000",
	  .outcomes = "LDLD",
	  .mean_ms = 2.5, .sd_ms = 3.5355, .max_ms = 5,
	  .cpu_pct = 50, .deadlines_pct = 0,
	  .delays_ms = { 0, 15, 5, 1 } },

	/* one slot */
	{ .name = "a_single_slot_that_is_met_has_no_sd",
	  .script = "3000,4000",
	  .outcomes = "M",
	  .mean_ms = 3, .sd_ms = ABSENT, .max_ms = 3,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 3 } },
	{ .name = "a_single_slot_can_be_late",
	  .script = "3000,8000",
	  .outcomes = "L",
	  .mean_ms = 3, .sd_ms = ABSENT, .max_ms = 3,
	  .cpu_pct = 100, .deadlines_pct = 0,
	  .delays_ms = { 3 } },
	{ .name = "a_single_slot_can_be_dropped",
	  .script = "10001,-",
	  .outcomes = "D",
	  .mean_ms = 10.001, .sd_ms = ABSENT, .max_ms = 10.001,
	  .cpu_pct = 0, .deadlines_pct = 0,
	  .delays_ms = { 10.001 } },

	/* the grace after the window */
	{ .name = "a_last_slot_that_ends_1_us_after_the_window_is_late",
	  .script = "0,4000 0,10001",
	  .outcomes = "ML",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 50,
	  .delays_ms = { 0, 0 } },
	{ .name = "a_finish_at_the_very_end_of_the_grace_is_late",
	  .script = "0,4000 0,1010000",
	  .outcomes = "ML",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 50,
	  .delays_ms = { 0, 0 } },
	{ .name = "a_slot_unfinished_after_the_grace_is_late_without_response",
	  .script = "0,4000 0,1010001",
	  .outcomes = "ML",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 50,
	  .delays_ms = { 0, 0 },
	  .response_bound_ms = 1010 },
	{ .name = "a_wake_at_the_very_end_of_the_grace_is_a_sample",
	  .script = "0,4000 1010000,-",
	  .outcomes = "MD",
	  .mean_ms = 505, .sd_ms = 714.1778, .max_ms = 1010,
	  .cpu_pct = 50, .deadlines_pct = 50,
	  .delays_ms = { 0, 1010 } },
	{ .name = "a_wake_after_the_grace_is_a_lower_bound",
	  .script = "0,4000 1010001,-",
	  .outcomes = "MD",
	  .mean_ms = 0, .sd_ms = ABSENT, .max_ms = 0,
	  .cpu_pct = 50, .deadlines_pct = 50,
	  .delays_ms = { 0, 1010 },
	  .latency_bound_ms = 1010 },
	{ .name = "a_task_that_never_wakes_has_only_a_lower_bound",
	  .script = "99000000,-",
	  .outcomes = "DDD",
	  .mean_ms = ABSENT, .sd_ms = ABSENT, .max_ms = ABSENT,
	  .cpu_pct = 0, .deadlines_pct = 0,
	  .delays_ms = { 1030, 1020, 1010 },
	  .latency_bound_ms = 1030 },
	{ .name = "the_bound_after_a_dropped_slot_is_from_the_next_release",
	  .script = "15000,- 99000000,-",
	  .outcomes = "DDDD",
	  .mean_ms = 15, .sd_ms = ABSENT, .max_ms = 15,
	  .cpu_pct = 0, .deadlines_pct = 0,
	  .delays_ms = { 1040, 1030, 1020, 1010 },
	  .latency_bound_ms = 1020 },
	{ .name = "the_bound_after_a_late_slot_is_from_the_next_release",
	  .script = "0,15000 99000000,-",
	  .outcomes = "LDDD",
	  .mean_ms = 0, .sd_ms = ABSENT, .max_ms = 0,
	  .cpu_pct = 25, .deadlines_pct = 0,
	  .delays_ms = { 0, 1030, 1020, 1010 },
	  .latency_bound_ms = 1020 },
	{ .name = "a_first_slot_that_never_ends_drops_all_others",
	  .script = "0,99000000",
	  .outcomes = "LDD",
	  .mean_ms = 0, .sd_ms = ABSENT, .max_ms = 0,
	  .cpu_pct = 33.3333, .deadlines_pct = 0,
	  .delays_ms = { 0, 1020, 1010 },
	  .response_bound_ms = 1030 },
	{ .name = "one_stall_over_the_whole_window_is_one_wake",
	  .script = "500000,-",
	  .outcomes = "DDD",
	  .mean_ms = 500, .sd_ms = ABSENT, .max_ms = 500,
	  .cpu_pct = 0, .deadlines_pct = 0,
	  .delays_ms = { 500, 490, 480 } },
	{ .name = "one_burn_over_the_whole_window_is_one_late_slot",
	  .script = "0,500000",
	  .outcomes = "LDD",
	  .mean_ms = 0, .sd_ms = ABSENT, .max_ms = 0,
	  .cpu_pct = 33.3333, .deadlines_pct = 0,
	  .delays_ms = { 0, 490, 480 } },

	/* sleeps that end before their time */
	{ .name = "a_sleep_cut_short_is_slept_again_and_counted",
	  .script = "eii1000,4000 e0,4000 i2000,4000",
	  .outcomes = "MMM",
	  .mean_ms = 1, .sd_ms = 1, .max_ms = 2,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 1, 0, 2 },
	  .nr_early = 2, .nr_eintr = 3 },

	/* segments of 2 slots: releases 0 10, 23 33, 50 60 ms */
	{ .name = "a_late_finish_in_the_gap_costs_only_its_own_slot",
	  .script = "0,4000 0,11000 0,4000 0,4000 0,4000 0,4000",
	  .outcomes = "MLMMMM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 83.3333,
	  .delays_ms = { 0, 0, 0, 0, 0, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_wake_in_the_gap_drops_only_its_own_slot",
	  .script = "0,4000 12000,- 0,4000 0,4000 0,4000 0,4000",
	  .outcomes = "MDMMMM",
	  .mean_ms = 2, .sd_ms = 4.8990, .max_ms = 12,
	  .cpu_pct = 83.3333, .deadlines_pct = 83.3333,
	  .delays_ms = { 0, 13, 0, 0, 0, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_finish_1_us_before_a_new_segment_does_not_cost_it",
	  .script = "0,4000 0,12999 0,4000 0,4000 0,4000 0,4000",
	  .outcomes = "MLMMMM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 100, .deadlines_pct = 83.3333,
	  .delays_ms = { 0, 0, 0, 0, 0, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_finish_exactly_at_a_new_segment_costs_its_first_slot",
	  .script = "0,4000 0,13000 0,4000 0,4000 0,4000",
	  .outcomes = "MLDMMM",
	  .mean_ms = 0, .sd_ms = 0, .max_ms = 0,
	  .cpu_pct = 83.3333, .deadlines_pct = 66.6667,
	  .delays_ms = { 0, 0, 10, 0, 0, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_wake_exactly_at_a_new_segment_costs_its_first_slot",
	  .script = "0,4000 13000,- 0,4000 0,4000 0,4000",
	  .outcomes = "MDDMMM",
	  .mean_ms = 2.6, .sd_ms = 5.8138, .max_ms = 13,
	  .cpu_pct = 66.6667, .deadlines_pct = 66.6667,
	  .delays_ms = { 0, 23, 10, 0, 0, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_burn_may_stall_over_two_segment_boundaries",
	  .script = "0,4000 1000,39000 0,4000",
	  .outcomes = "MLDDDM",
	  .mean_ms = 0.3333, .sd_ms = 0.5774, .max_ms = 1,
	  .cpu_pct = 50, .deadlines_pct = 33.3333,
	  .delays_ms = { 0, 1, 37, 27, 10, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_wake_may_stall_over_two_segment_boundaries",
	  .script = "0,4000 40000,- 0,4000",
	  .outcomes = "MDDDDM",
	  .mean_ms = 13.3333, .sd_ms = 23.0940, .max_ms = 40,
	  .cpu_pct = 33.3333, .deadlines_pct = 33.3333,
	  .delays_ms = { 0, 50, 37, 27, 10, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },
	{ .name = "a_stall_may_end_in_the_second_gap",
	  .script = "0,4000 37000,- 0,4000 0,4000",
	  .outcomes = "MDDDMM",
	  .mean_ms = 9.25, .sd_ms = 18.5, .max_ms = 37,
	  .cpu_pct = 50, .deadlines_pct = 50,
	  .delays_ms = { 0, 40, 27, 17, 0, 0 },
	  .per_segment = 2, .gaps_us = { 3000, 7000 } },

	/* demands that differ, as those of X */
	{ .name = "slots_without_demand_are_met_without_a_burn",
	  .script = "0,4000 1000,- 0,4000 2000,- 0,4000",
	  .outcomes = "MMMMM",
	  .mean_ms = 0.6, .sd_ms = 0.8944, .max_ms = 2,
	  .cpu_pct = 100, .deadlines_pct = 100,
	  .delays_ms = { 0, 1, 0, 2, 0 },
	  .has_demands = true,
	  .demands_us = { 4000, 0, 4000, 0, 4000 } },
	{ .name = "desired_cpu_weighs_a_slot_by_its_demand",
	  .script = "1000,- 0,1000 11000,- 0,4000",
	  .outcomes = "MMDDM",
	  .mean_ms = 3, .sd_ms = 5.3541, .max_ms = 11,
	  .cpu_pct = 50, .deadlines_pct = 60,
	  .delays_ms = { 1, 0, 20, 10, 0 },
	  .has_demands = true,
	  .demands_us = { 0, 1000, 2000, 3000, 4000 } },
	{ .name = "without_any_demand_desired_cpu_is_absent",
	  .script = "0,- 0,- 1000,-",
	  .outcomes = "MMM",
	  .mean_ms = 0.3333, .sd_ms = 0.5774, .max_ms = 1,
	  .cpu_pct = ABSENT, .deadlines_pct = 100,
	  .delays_ms = { 0, 0, 1 },
	  .has_demands = true },
	{ .name = "a_slot_without_demand_can_come_too_late_as_well",
	  .script = "10001,- 0,-",
	  .outcomes = "DDM",
	  .mean_ms = 5.0005, .sd_ms = 7.0718, .max_ms = 10.001,
	  .cpu_pct = ABSENT, .deadlines_pct = 33.3333,
	  .delays_ms = { 20, 10, 0 },
	  .has_demands = true },
};

static struct cell *lay_cell(const struct scenario *sc)
{
	uint64_t nr = strlen(sc->outcomes);
	uint64_t len = sc->per_segment ? sc->per_segment : nr;
	struct cell *cell = fake_cell(PERIOD_US, nr, len, DEMAND_US);

	for (uint64_t k = len; k < nr; k += len)
		fake_cell_shift(cell, k, sc->gaps_us[k / len - 1]);
	for (uint64_t k = 0; sc->has_demands && k < nr; k++)
		cell->slots[k].demand_ns = sc->demands_us[k] * NSEC_PER_USEC;
	return cell;
}

static void assert_near(double seen, double expected)
{
	if (!(fabs(seen - expected) <= 0.000051))
		fail_msg("%.6f is not %.4f", seen, expected);
}

static void assert_dist(const struct dist *dist, const struct scenario *sc)
{
	assert_int_equal(dist->n > 0, sc->mean_ms != ABSENT);
	assert_int_equal(dist->n > 1, sc->sd_ms != ABSENT);
	if (dist->n > 0) {
		assert_near(dist->mean_ns / 1e6, sc->mean_ms);
		assert_int_equal(dist->max_ns, llround(sc->max_ms * 1e6));
	}
	if (dist->n > 1)
		assert_near(dist->sd_ns / 1e6, sc->sd_ms);
	assert_int_equal(dist->bound_ns, llround(sc->latency_bound_ms * 1e6));
}

/* The summary has the delays as a series only: n, mean, SD and maximum. */
static void assert_delays(const struct dist *dist, const double *ms, size_t n)
{
	double mean = 0, squares = 0, max = 0;

	for (size_t i = 0; i < n; i++) {
		mean += ms[i] / (double)n;
		max = ms[i] > max ? ms[i] : max;
	}
	for (size_t i = 0; i < n; i++)
		squares += (ms[i] - mean) * (ms[i] - mean);
	assert_int_equal(dist->n, n);
	assert_near(dist->mean_ns / 1e6, mean);
	assert_int_equal(dist->max_ns, llround(max * 1e6));
	if (n > 1)
		assert_near(dist->sd_ns / 1e6,
			    sqrt(squares / (double)(n - 1)));
}

static uint64_t count(const char *s, char c)
{
	uint64_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static uint64_t longest_miss(const char *outcomes)
{
	uint64_t run = 0, longest = 0;

	for (; *outcomes; outcomes++) {
		run = *outcomes == 'M' ? 0 : run + 1;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void assert_outcomes(const struct cell *cell, const struct summary *sum,
			    const struct scenario *sc)
{
	char seen[SLOTS_MAX + 1] = "";

	for (uint64_t k = 0; k < cell->nr_slots; k++)
		seen[k] = "MLD"[summary_outcome(cell, k)];
	assert_string_equal(seen, sc->outcomes);
	assert_int_equal(sum->total, strlen(sc->outcomes));
	assert_int_equal(sum->met, count(sc->outcomes, 'M'));
	assert_int_equal(sum->late, count(sc->outcomes, 'L'));
	assert_int_equal(sum->dropped, count(sc->outcomes, 'D'));
	assert_int_equal(sum->longest_miss, longest_miss(sc->outcomes));
}

static void assert_percentages(const struct summary *sum,
			       const struct scenario *sc)
{
	assert_true(sum->has_deadlines);
	assert_near(sum->deadlines_met_pct, sc->deadlines_pct);
	assert_int_equal(sum->has_desired, sc->cpu_pct != ABSENT);
	if (sum->has_desired)
		assert_near(sum->desired_cpu_pct, sc->cpu_pct);
}

/* The loop did what the script says, no more and no less. */
static void assert_script_done(const struct fake_clk *fake,
			       const struct cell *cell,
			       const struct scenario *sc)
{
	int64_t demand_ns = 0;

	if (fake->fault)
		fail_msg("%s", fake->fault);
	assert_int_equal(cell->early_wakes, sc->nr_early);
	assert_int_equal(cell->eintr, sc->nr_eintr);
	assert_int_equal(fake->next, fake->nr_events);
	assert_int_equal(fake->nr_sleeps,
			 fake->nr_events + sc->nr_early + sc->nr_eintr);
	for (uint64_t k = 0; k < cell->nr_slots; k++) {
		const struct slot *slot = &cell->slots[k];

		if (sc->outcomes[k] != 'D')
			demand_ns += slot->demand_ns;
		if (slot->woke_ns)
			assert_true(slot->woke_ns >= slot->release_ns);
		if (slot->done_ns)
			assert_true(slot->done_ns >= slot->woke_ns);
	}
	assert_int_equal(fake->demand_ns, demand_ns);
}

static void plays(void **state)
{
	const struct scenario *sc = *state;
	bool cut = sc->latency_bound_ms > 0 || sc->response_bound_ms > 0;
	struct cell *cell = lay_cell(sc);
	struct periodic p = { .clk = NULL };
	struct fake_clk fake;
	struct summary sum;

	fake_clk_init(&fake, sc->script);
	fake_run(&fake, &p, cell);
	assert_int_equal(cell->censored, cut);
	assert_script_done(&fake, cell, sc);
	assert_int_equal(summary_of(&sum, cell), 0);
	assert_true(sum.paced);
	assert_outcomes(cell, &sum, sc);
	assert_percentages(&sum, sc);
	assert_dist(&sum.latency, sc);
	assert_delays(&sum.delay, sc->delays_ms, cell->nr_slots);
	assert_int_equal(sum.response.n,
			 sum.met + sum.late - (sc->response_bound_ms > 0));
	assert_int_equal(sum.response.bound_ns,
			 llround(sc->response_bound_ms * 1e6));
	free(cell);
}

/* C10: three jobs of ten frames that take 100, 130 and 150 ms. */
static void c10_gaming_counts_what_a_job_took_too_long(void **state)
{
	static const int64_t frame_ms[] = { 10, 13, 15 };
	struct cell *cell = fake_cell(PERIOD_US, 30, 30, 10000);
	int64_t now = FAKE_START_NS;
	struct summary sum;

	(void)state;
	cell->rate_num = 0;
	cell->job_frames = 10;
	cell->job_ns = 100 * NSEC_PER_MSEC;
	for (int k = 0; k < 30; k++) {
		cell->slots[k].release_ns = now;
		cell->slots[k].woke_ns = now;
		now += frame_ms[k / 10] * NSEC_PER_MSEC;
		cell->slots[k].done_ns = now;
	}
	cell->seen_ns = now;
	assert_int_equal(summary_of(&sum, cell), 0);
	assert_false(sum.paced);
	assert_int_equal(sum.latency.n, 3);
	assert_near(sum.latency.mean_ns / 1e6, 26.6667);
	assert_near(sum.latency.sd_ns / 1e6, 25.1661);
	assert_int_equal(sum.latency.max_ns, 50 * NSEC_PER_MSEC);
	assert_near(sum.desired_cpu_pct, 78.9474);
	assert_false(sum.has_deadlines);
	free(cell);
}

/* The fake clock, and what the loop reported of it. */
struct watch {
	struct fake_clk fake;
	uint64_t woken[SLOTS_MAX];
	unsigned int burns_before[SLOTS_MAX];
	unsigned int nr_woken;
	unsigned int nr_asked;
	unsigned int stop_at;	/* the question that is answered with yes */
};

static void note_wake(void *arg, uint64_t k)
{
	struct watch *watch = arg;

	watch->burns_before[watch->nr_woken] = watch->fake.nr_burns;
	watch->woken[watch->nr_woken++] = k;
}

static bool stop_once(void *arg)
{
	struct watch *watch = arg;

	return ++watch->nr_asked == watch->stop_at;
}

static void woken_is_told_each_wake_before_the_burn(void **state)
{
	struct watch watch = { .nr_woken = 0 };
	struct periodic p = { .woken = note_wake, .woken_arg = &watch };
	struct cell *cell = fake_cell(PERIOD_US, 5, 5, DEMAND_US);

	(void)state;
	fake_clk_init(&watch.fake, "e0,4000 15000,- 0,4000 0,4000");
	fake_run(&watch.fake, &p, cell);
	assert_int_equal(watch.nr_woken, 4);
	assert_int_equal(watch.woken[0], 0);
	assert_int_equal(watch.woken[1], 1);
	assert_int_equal(watch.woken[2], 3);
	assert_int_equal(watch.woken[3], 4);
	assert_int_equal(watch.burns_before[0], 0);
	assert_int_equal(watch.burns_before[1], 1);
	assert_int_equal(watch.burns_before[2], 1);
	assert_int_equal(watch.burns_before[3], 2);
	free(cell);
}

static void stop_is_asked_before_each_slot_it_reaches(void **state)
{
	struct watch watch = { .stop_at = 3 };
	struct periodic p = { .stopped = stop_once, .stopped_arg = &watch };
	struct cell *cell = fake_cell(PERIOD_US, 6, 6, DEMAND_US);

	(void)state;
	fake_clk_init(&watch.fake, "0,4000 0,11000");
	p.clk = &watch.fake.clk;
	p.burn = fake_burn;
	p.burn_arg = &watch.fake;
	assert_int_equal(periodic_run(&p, cell), 3);
	assert_null(watch.fake.fault);
	assert_int_equal(cell->slots[3].woke_ns, 0);
	free(cell);
}

static void a_loop_that_is_not_stopped_ends_after_its_last_slot(void **state)
{
	struct cell *cell = fake_cell(PERIOD_US, 2, 2, DEMAND_US);
	struct periodic p = { .burn = fake_burn };
	struct fake_clk fake;

	(void)state;
	fake_clk_init(&fake, "0,4000 0,4000");
	p.clk = &fake.clk;
	p.burn_arg = &fake;
	assert_int_equal(periodic_run(&p, cell), 2);
	assert_int_equal(fake.now_ns, FAKE_START_NS + 14 * NSEC_PER_MSEC);
	free(cell);
}

/* Stops as soon as it is asked in the middle of a sleep. */
static bool stop_in_sleep(void *arg)
{
	const struct fake_clk *fake = arg;

	return fake->nr_eintr > 0;
}

static void an_interrupted_sleep_ends_the_loop_if_it_is_to_stop(void **state)
{
	struct cell *cell = fake_cell(PERIOD_US, 3, 3, DEMAND_US);
	struct periodic p = { .burn = fake_burn, .stopped = stop_in_sleep };
	struct fake_clk fake;

	(void)state;
	fake_clk_init(&fake, "0,4000 i0,4000");
	p.clk = &fake.clk;
	p.burn_arg = &fake;
	p.stopped_arg = &fake;
	assert_int_equal(periodic_run(&p, cell), 1);
	assert_int_equal(cell->slots[1].woke_ns, 0);
	assert_int_equal(cell->eintr, 0);
	free(cell);
}

/* The discarded segment took until 2.5 periods after the first release. */
static void slots_passed_before_the_start_are_dropped_without_a_wake(void **state)
{
	struct cell *cell = fake_cell(PERIOD_US, 5, 5, DEMAND_US);
	struct periodic p = { .burn = fake_burn };
	struct summary sum;
	struct fake_clk fake;

	(void)state;
	fake_clk_init(&fake, "0,4000 0,4000");
	fake.now_ns = FAKE_START_NS + 25 * NSEC_PER_MSEC;
	p.clk = &fake.clk;
	p.burn_arg = &fake;
	p.first = periodic_next_after(cell, 0, fake.now_ns);
	assert_int_equal(p.first, 3);
	assert_int_equal(periodic_run(&p, cell), 5);
	cell->seen_ns = fake.now_ns;
	assert_int_equal(summary_of(&sum, cell), 0);
	assert_int_equal(sum.dropped, 3);
	assert_int_equal(sum.met, 2);
	assert_int_equal(sum.latency.n, 2);
	assert_int_equal(sum.latency.max_ns, 0);
	assert_int_equal(sum.delay.max_ns, 30 * NSEC_PER_MSEC);
	free(cell);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(c10_gaming_counts_what_a_job_took_too_long),
		cmocka_unit_test(woken_is_told_each_wake_before_the_burn),
		cmocka_unit_test(stop_is_asked_before_each_slot_it_reaches),
		cmocka_unit_test(
			a_loop_that_is_not_stopped_ends_after_its_last_slot),
		cmocka_unit_test(
			an_interrupted_sleep_ends_the_loop_if_it_is_to_stop),
		cmocka_unit_test(
			slots_passed_before_the_start_are_dropped_without_a_wake),
	};
	struct CMUnitTest tests[ARRAY_SIZE(scenarios) + ARRAY_SIZE(others)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++)
		tests[n++] = (struct CMUnitTest){
			.name = scenarios[i].name,
			.test_func = plays,
			.initial_state = (void *)&scenarios[i],
		};
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		tests[n++] = others[i];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
