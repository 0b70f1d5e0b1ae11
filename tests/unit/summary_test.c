/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary_test: what the summary says of cells that were filled by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clk.h"
#include "stat/summary.h"

#include "fake_clk.h"

#define PERIOD_US 10000
#define DEMAND_US 4000
#define MS NSEC_PER_MSEC
#define T0 FAKE_START_NS

static void assert_near(double seen, double expected)
{
	if (!(fabs(seen - expected) <= 1e-6))
		fail_msg("%.9f is not %.9f", seen, expected);
}

/* nr slots of 10 ms that were not woken yet. */
static struct cell *paced(uint64_t nr)
{
	struct cell *cell = fake_cell(PERIOD_US, nr, nr, DEMAND_US);

	cell->seen_ns = cell->end_ns;
	return cell;
}

static void wake(struct cell *cell, uint64_t k, int64_t late_ns)
{
	cell->slots[k].woke_ns = cell->slots[k].release_ns + late_ns;
}

/* Woken in time; finished response_ns after the release. */
static void finish(struct cell *cell, uint64_t k, int64_t response_ns)
{
	wake(cell, k, 0);
	cell->slots[k].done_ns = cell->slots[k].release_ns + response_ns;
}

static void finish_all(struct cell *cell)
{
	for (uint64_t k = 0; k < cell->nr_slots; k++)
		finish(cell, k, 4 * MS);
}

static struct summary summarize(const struct cell *cell)
{
	struct summary sum;

	memset(&sum, 0x5a, sizeof(sum));
	assert_int_equal(summary_of(&sum, cell), 0);
	if (sum.paced)
		assert_int_equal(sum.met + sum.late + sum.dropped, sum.total);
	return sum;
}

static void a_cell_without_slots_has_nothing_to_say(void **state)
{
	struct cell *cell = fake_cell(PERIOD_US, 1, 1, DEMAND_US);
	struct summary sum;

	(void)state;
	cell->nr_slots = 0;
	sum = summarize(cell);
	assert_true(sum.paced);
	assert_int_equal(sum.total, 0);
	assert_false(sum.has_deadlines);
	assert_false(sum.has_desired);
	assert_int_equal(sum.delay.n, 0);
	assert_int_equal(sum.delay.quantile_ns[0], -1);
	free(cell);
}

static void slots_that_were_never_woken_are_all_dropped(void **state)
{
	struct cell *cell = paced(20);
	struct summary sum = summarize(cell);

	(void)state;
	assert_int_equal(sum.dropped, 20);
	assert_int_equal(sum.longest_miss, 20);
	assert_int_equal(sum.latency.n, 0);
	assert_int_equal(sum.response.n, 0);
	assert_int_equal(sum.latency.bound_ns, 0);
	assert_true(sum.has_desired);
	assert_near(sum.desired_cpu_pct, 0);
	assert_true(sum.has_deadlines);
	assert_near(sum.deadlines_met_pct, 0);
	/* all wait until the task was last seen: 200, 190, ... 10 ms */
	assert_int_equal(sum.delay.n, 20);
	assert_int_equal(sum.delay.max_ns, 200 * MS);
	assert_near(sum.delay.mean_ns / 1e6, 105);
	assert_int_equal(sum.delay.quantile_ns[0], 100 * MS);
	free(cell);
}

static void without_demand_there_is_no_desired_cpu(void **state)
{
	struct cell *cell = paced(3);
	struct summary sum;

	(void)state;
	for (uint64_t k = 0; k < 3; k++) {
		cell->slots[k].demand_ns = 0;
		finish(cell, k, 0);
	}
	sum = summarize(cell);
	assert_int_equal(sum.met, 3);
	assert_false(sum.has_desired);
	assert_near(sum.deadlines_met_pct, 100);
	free(cell);
}

static void all_met_is_exactly_100_per_cent(void **state)
{
	(void)state;
	for (uint64_t nr = 1; nr < 400; nr++) {
		struct cell *cell = paced(nr);
		struct summary sum;

		finish_all(cell);
		cell->slots[0].demand_ns += (int64_t)1e15 + 7 * (int64_t)nr;
		sum = summarize(cell);
		assert_true(sum.deadlines_met_pct == 100.0);
		assert_true(sum.desired_cpu_pct == 100.0);
		free(cell);
	}
}

static void an_early_wake_is_a_latency_of_zero(void **state)
{
	struct cell *cell = paced(2);
	struct summary sum;

	(void)state;
	finish_all(cell);
	wake(cell, 0, -500);
	wake(cell, 1, 300);
	sum = summarize(cell);
	assert_int_equal(sum.latency.n, 2);
	assert_near(sum.latency.mean_ns, 150);
	assert_int_equal(sum.delay.max_ns, 300);
	assert_near(sum.delay.mean_ns, 150);
	free(cell);
}

static void a_delay_is_never_negative(void **state)
{
	struct cell *cell = paced(3);
	struct summary sum;

	(void)state;
	finish(cell, 0, 4 * MS);
	cell->seen_ns = T0 + 5 * MS;
	sum = summarize(cell);
	assert_int_equal(sum.delay.n, 3);
	assert_near(sum.delay.mean_ns, 0);
	assert_near(sum.delay.sd_ns, 0);
	free(cell);
}

static void response_counts_late_slots_but_not_dropped_ones(void **state)
{
	struct cell *cell = paced(4);
	struct summary sum;

	(void)state;
	finish(cell, 0, 4 * MS);
	finish(cell, 1, 12 * MS);
	wake(cell, 1, 3 * MS);
	wake(cell, 3, 11 * MS);
	cell->seen_ns = cell->slots[3].woke_ns;
	sum = summarize(cell);
	assert_int_equal(sum.response.n, 2);
	assert_int_equal(sum.response.max_ns, 12 * MS);
	assert_near(sum.response.mean_ns / 1e6, 8);
	assert_int_equal(sum.latency.n, 3);
	assert_int_equal(sum.dropped, 2);
	free(cell);
}

static void the_longest_run_of_misses_may_be_anywhere(void **state)
{
	static const struct {
		const char *outcomes;
		uint64_t longest;
	} cases[] = {
		{ "MMMM", 0 }, { "DMDDM", 2 }, { "MDMLDD", 3 },
		{ "DLDDMD", 4 }, { "MDDMDDDMD", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t nr = strlen(cases[i].outcomes);
		struct cell *cell = paced(nr);

		for (uint64_t k = 0; k < nr; k++) {
			if (cases[i].outcomes[k] == 'M')
				finish(cell, k, 10 * MS);
			else if (cases[i].outcomes[k] == 'L')
				finish(cell, k, 10 * MS + 1);
		}
		assert_int_equal(summarize(cell).longest_miss,
				 cases[i].longest);
		free(cell);
	}
}

static void a_deadline_is_counted_from_the_segment(void **state)
{
	struct cell *cell = fake_cell(PERIOD_US, 4, 2, DEMAND_US);

	(void)state;
	fake_cell_shift(cell, 2, 6000);
	finish(cell, 1, 10 * MS + 1);
	finish(cell, 2, 10 * MS);
	finish(cell, 3, 10 * MS + 1);
	assert_int_equal(summary_outcome(cell, 0), SLOT_DROPPED);
	assert_int_equal(summary_outcome(cell, 1), SLOT_LATE);
	assert_int_equal(summary_outcome(cell, 2), SLOT_MET);
	assert_int_equal(summary_outcome(cell, 3), SLOT_LATE);
	free(cell);
}

static void lost_slots_are_passed_on(void **state)
{
	struct cell *cell = paced(1);

	(void)state;
	cell->lost = 3;
	assert_int_equal(summarize(cell).lost, 3);
	free(cell);
}

/* The task was ended, and slot 2 was the next: released at 20 ms. */
static void a_pending_wake_is_a_bound_if_above_the_maximum(void **state)
{
	static const struct {
		int64_t max_ms, seen_ms, bound_ms;
	} cases[] = {
		{ 5, 30, 10 }, { 5, 26, 6 }, { 5, 25, 0 }, { 5, 22, 0 },
		{ 0, 21, 1 }, { 0, 20, 0 }, { 0, 15, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell *cell = paced(4);

		finish(cell, 0, 4 * MS);
		finish(cell, 1, 9 * MS);
		wake(cell, 0, cases[i].max_ms * MS);
		cell->seen_ns = T0 + cases[i].seen_ms * MS;
		assert_int_equal(summarize(cell).latency.bound_ns, 0);
		cell->censored = true;
		assert_int_equal(summarize(cell).latency.bound_ns,
				 cases[i].bound_ms * MS);
		free(cell);
	}
}

/* Slot 0 ends at done_ms; the task never wakes again. Slots of 10 ms. */
static void a_pending_wake_is_that_of_the_slot_the_loop_goes_on_to(void **state)
{
	static const struct {
		int64_t done_ms, pending;
	} cases[] = { { 4, 1 }, { 10, 1 }, { 11, 2 }, { 20, 3 }, { 21, 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell *cell = paced(4);

		finish(cell, 0, cases[i].done_ms * MS);
		cell->censored = true;
		cell->seen_ns = T0 + 1000 * MS;
		assert_int_equal(summarize(cell).latency.bound_ns,
				 (1000 - 10 * cases[i].pending) * MS);
		free(cell);
	}
}

static void a_cut_after_the_last_slot_bounds_nothing(void **state)
{
	struct cell *cell = paced(2);
	struct summary sum;

	(void)state;
	finish_all(cell);
	cell->censored = true;
	cell->seen_ns = T0 + 1000 * MS;
	sum = summarize(cell);
	assert_int_equal(sum.latency.bound_ns, 0);
	assert_int_equal(sum.response.bound_ns, 0);
	free(cell);
}

static void an_unfinished_slot_bounds_the_response_only(void **state)
{
	static const struct {
		int64_t seen_ms, bound_ms;
	} cases[] = { { 30, 20 }, { 19, 9 }, { 18, 0 }, { 15, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell *cell = paced(4);
		struct summary sum;

		finish(cell, 0, 8 * MS);
		wake(cell, 1, 1 * MS);
		cell->censored = true;
		cell->seen_ns = T0 + cases[i].seen_ms * MS;
		sum = summarize(cell);
		assert_int_equal(sum.late, 1);
		assert_int_equal(sum.latency.bound_ns, 0);
		assert_int_equal(sum.response.bound_ns,
				 cases[i].bound_ms * MS);
		free(cell);
	}
}

/* Slot k took ratio(k) of its demand, which is not the same for all. */
static struct cell *with_ratios(uint64_t nr, double (*ratio)(uint64_t k))
{
	struct cell *cell = paced(nr);
	uint64_t cpu = 1000;

	finish_all(cell);
	cell->has_cpu = true;
	for (uint64_t k = 0; k < nr; k++) {
		struct slot *slot = &cell->slots[k];

		slot->demand_ns += (int64_t)(k % 3) * MS;
		cell_cpu(cell)[k] = cpu;
		cpu += (uint64_t)llround(ratio(k) * (double)slot->demand_ns);
	}
	return cell;
}

/* 20, 19, ... 1: not in order */
static double falling(uint64_t k)
{
	return 20 - (double)k;
}

static double alike(uint64_t k)
{
	(void)k;
	return 1.25;
}

static void burn_ratios_are_told_by_nearest_rank(void **state)
{
	struct cell *cell = with_ratios(21, falling);
	struct summary sum = summarize(cell);

	(void)state;
	assert_true(sum.has_ratio);
	assert_near(sum.ratio_p5, 1);
	assert_near(sum.ratio_p50, 10);
	assert_near(sum.ratio_p95, 19);
	free(cell);
}

static void fewer_than_20_burn_ratios_are_none(void **state)
{
	struct cell *cell = with_ratios(20, alike);

	(void)state;
	assert_false(summarize(cell).has_ratio);
	free(cell);
	cell = with_ratios(21, alike);
	assert_true(summarize(cell).has_ratio);
	cell->has_cpu = false;
	assert_false(summarize(cell).has_ratio);
	free(cell);
}

/* Of 21 slots, one that gives no ratio leaves 19 of them. */
static void an_unfinished_slot_gives_no_burn_ratio(void **state)
{
	struct cell *cell = with_ratios(21, alike);

	(void)state;
	cell->slots[3].done_ns = 0;
	assert_false(summarize(cell).has_ratio);
	free(cell);
}

static void a_slot_without_demand_gives_no_burn_ratio(void **state)
{
	struct cell *cell = with_ratios(21, alike);

	(void)state;
	cell->slots[3].demand_ns = 0;
	assert_false(summarize(cell).has_ratio);
	free(cell);
}

static void a_wake_without_cpu_time_gives_no_burn_ratio(void **state)
{
	struct cell *cell = with_ratios(22, alike);

	(void)state;
	/* neither from it nor to it, and not across it either */
	cell_cpu(cell)[5] = 0;
	assert_false(summarize(cell).has_ratio);
	cell_cpu(cell)[5] = 1;
	assert_true(summarize(cell).has_ratio);
	free(cell);
}

static void burn_ratios_go_from_wake_to_wake_over_dropped_slots(void **state)
{
	struct cell *cell = with_ratios(41, alike);
	struct summary sum;

	(void)state;
	for (uint64_t k = 0; k < 41; k++) {
		cell->slots[k].demand_ns = 4 * MS;
		cell_cpu(cell)[k] = 1 + k * 5 * (uint64_t)MS;
	}
	for (uint64_t k = 1; k < 41; k += 2) {
		cell->slots[k].woke_ns = 0;
		cell->slots[k].done_ns = 0;
		cell_cpu(cell)[k] = 77;
	}
	sum = summarize(cell);
	assert_true(sum.has_ratio);
	assert_near(sum.ratio_p5, 2.5);
	assert_near(sum.ratio_p95, 2.5);
	free(cell);
}

static void speed_is_loops_per_us_of_burnt_time(void **state)
{
	struct cell *cell = paced(1);
	struct summary sum;

	(void)state;
	cell->burn.loops = 3690000;
	assert_false(summarize(cell).has_speed);
	cell->burn.burnt_ns = 2 * MS;
	sum = summarize(cell);
	assert_true(sum.has_speed);
	assert_near(sum.speed, 1845);
	free(cell);
}

static void switches_are_divided_by_the_slots_that_started(void **state)
{
	struct cell *cell = paced(8);

	(void)state;
	cell->nivcsw = 10;
	assert_near(summarize(cell).nivcsw_per_slot, 0);
	finish(cell, 0, 4 * MS);
	finish(cell, 1, 14 * MS);
	wake(cell, 4, 10 * MS);
	wake(cell, 6, 10 * MS + 1);
	finish(cell, 7, 4 * MS);
	assert_near(summarize(cell).nivcsw_per_slot, 2.5);
	free(cell);
}

/* Gaming with room for nr frames of 10 ms, 10 a job; none was drawn yet. */
static struct cell *unpaced(uint64_t nr)
{
	struct cell *cell = fake_cell(PERIOD_US, nr, nr, 10000);

	cell->rate_num = 0;
	cell->rate_den = 0;
	cell->job_frames = 10;
	cell->job_ns = 100 * MS;
	cell->seen_ns = T0;
	for (uint64_t k = 0; k < nr; k++)
		cell->slots[k].release_ns = 0;
	return cell;
}

/* Frame k starts where the one before ended; wall_ns 0: it does not end. */
static void draw(struct cell *cell, uint64_t k, int64_t wall_ns)
{
	int64_t start_ns = k ? cell->slots[k - 1].done_ns : T0;

	cell->slots[k].release_ns = start_ns;
	cell->slots[k].woke_ns = start_ns;
	cell->slots[k].done_ns = wall_ns ? start_ns + wall_ns : 0;
	if (wall_ns)
		cell->seen_ns = start_ns + wall_ns;
}

static void draw_many(struct cell *cell, uint64_t from, uint64_t to,
		      int64_t wall_ns)
{
	for (uint64_t k = from; k < to; k++)
		draw(cell, k, wall_ns);
}

static void a_game_has_frames_but_no_deadlines(void **state)
{
	struct cell *cell = unpaced(50);
	struct summary sum;

	(void)state;
	draw_many(cell, 0, 20, 10 * MS);
	draw_many(cell, 20, 40, 15 * MS);
	sum = summarize(cell);
	assert_false(sum.paced);
	assert_false(sum.has_deadlines);
	assert_int_equal(sum.total, 40);
	assert_int_equal(sum.delay.n, 0);
	assert_int_equal(sum.delay.quantile_ns[0], -1);
	assert_int_equal(sum.response.n, 40);
	assert_int_equal(sum.response.max_ns, 15 * MS);
	assert_near(sum.response.mean_ns / 1e6, 12.5);
	assert_int_equal(sum.latency.n, 4);
	assert_near(sum.latency.mean_ns / 1e6, 25);
	assert_near(sum.desired_cpu_pct, 80);
	assert_true(sum.has_frames);
	assert_near(sum.fps, 80);
	free(cell);
}

static void a_job_faster_than_its_cpu_took_nothing_too_long(void **state)
{
	struct cell *cell = unpaced(20);
	struct summary sum;

	(void)state;
	draw_many(cell, 0, 10, 9 * MS);
	draw_many(cell, 10, 20, 12 * MS);
	sum = summarize(cell);
	assert_int_equal(sum.latency.n, 2);
	assert_near(sum.latency.mean_ns / 1e6, 10);
	free(cell);
}

static void frames_end_at_the_first_that_was_not_started(void **state)
{
	struct cell *cell = unpaced(30);
	struct summary sum;

	(void)state;
	draw_many(cell, 0, 30, 10 * MS);
	cell->slots[10].woke_ns = 0;
	sum = summarize(cell);
	assert_int_equal(sum.total, 10);
	assert_int_equal(sum.latency.n, 1);
	assert_near(sum.fps, 100);
	free(cell);
}

static void low_fps_are_those_of_the_slowest_hundredth(void **state)
{
	static const struct {
		uint64_t nr;
		double fps;
	} cases[] = {
		{ 1, 20 },	/* 50 ms */
		{ 100, 20 },
		{ 101, 25 },	/* 50 and 30 ms */
		{ 200, 25 },
		{ 201, 1e3 / 30 },	/* 50, 30 and 10 ms */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell *cell = unpaced(cases[i].nr);

		draw_many(cell, 0, cases[i].nr, 10 * MS);
		draw(cell, 0, 50 * MS);
		if (cases[i].nr > 1)
			draw(cell, 1, 30 * MS);
		draw_many(cell, 2, cases[i].nr, 10 * MS);
		assert_near(summarize(cell).low1_fps, cases[i].fps);
		free(cell);
	}
}

/* One job of 120 ms, then three frames of the next one. */
static void an_incomplete_job_is_a_bound_if_above_the_maximum(void **state)
{
	static const struct {
		int64_t wall_ms, bound_ms;
	} cases[] = { { 10, 0 }, { 40, 0 }, { 50, 50 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cell *cell = unpaced(20);
		struct summary sum;

		draw_many(cell, 0, 10, 12 * MS);
		draw_many(cell, 10, 13, cases[i].wall_ms * MS);
		sum = summarize(cell);
		assert_int_equal(sum.latency.n, 1);
		assert_int_equal(sum.latency.max_ns, 20 * MS);
		assert_int_equal(sum.latency.bound_ns, cases[i].bound_ms * MS);
		free(cell);
	}
}

static void an_incomplete_job_alone_has_only_a_bound(void **state)
{
	struct cell *cell = unpaced(10);
	struct summary sum;

	(void)state;
	draw_many(cell, 0, 9, 11 * MS);
	sum = summarize(cell);
	assert_int_equal(sum.latency.n, 0);
	assert_int_equal(sum.latency.bound_ns, 0);
	draw_many(cell, 0, 9, 12 * MS);
	sum = summarize(cell);
	assert_int_equal(sum.latency.n, 0);
	assert_int_equal(sum.latency.bound_ns, 8 * MS);
	assert_int_equal(sum.response.n, 9);
	free(cell);
}

static void a_game_that_was_cut_lasts_until_the_cut(void **state)
{
	struct cell *cell = unpaced(20);
	struct summary sum;

	(void)state;
	draw_many(cell, 0, 10, 12 * MS);
	draw(cell, 10, 0);
	cell->censored = true;
	cell->seen_ns = T0 + 1000 * MS;
	sum = summarize(cell);
	assert_int_equal(sum.total, 10);
	assert_int_equal(sum.latency.n, 1);
	assert_int_equal(sum.latency.bound_ns, 780 * MS);
	assert_int_equal(sum.response.n, 10);
	assert_int_equal(sum.response.bound_ns, 880 * MS);
	assert_near(sum.desired_cpu_pct, 10);
	assert_near(sum.fps, 10);
	free(cell);
}

static void a_job_without_the_end_of_its_last_frame_is_incomplete(void **state)
{
	struct cell *cell = unpaced(20);
	struct summary sum;

	(void)state;
	draw_many(cell, 0, 9, 10 * MS);
	draw(cell, 9, 0);
	cell->censored = true;
	cell->seen_ns = T0 + 190 * MS;
	sum = summarize(cell);
	assert_int_equal(sum.latency.n, 0);
	assert_int_equal(sum.latency.bound_ns, 90 * MS);
	free(cell);
}

static void a_game_without_a_whole_frame_had_no_cpu(void **state)
{
	struct cell *cell = unpaced(20);
	struct summary sum;

	(void)state;
	draw(cell, 0, 0);
	cell->censored = true;
	cell->seen_ns = T0 + 1000 * MS;
	sum = summarize(cell);
	assert_int_equal(sum.total, 0);
	assert_int_equal(sum.latency.n, 0);
	assert_int_equal(sum.latency.bound_ns, 900 * MS);
	assert_int_equal(sum.response.bound_ns, 1000 * MS);
	assert_true(sum.has_desired);
	assert_near(sum.desired_cpu_pct, 0);
	assert_false(sum.has_frames);
	free(cell);
}

static void a_game_that_never_started_has_nothing_to_say(void **state)
{
	struct cell *cell = unpaced(20);
	struct summary sum;

	(void)state;
	cell->censored = true;
	cell->seen_ns = T0 + 1000 * MS;
	sum = summarize(cell);
	assert_int_equal(sum.total, 0);
	assert_int_equal(sum.latency.n, 0);
	assert_int_equal(sum.latency.bound_ns, 0);
	assert_int_equal(sum.response.bound_ns, 0);
	assert_false(sum.has_desired);
	assert_false(sum.has_frames);
	free(cell);
}

static void a_frame_that_started_counts_for_switches(void **state)
{
	struct cell *cell = unpaced(20);

	(void)state;
	draw_many(cell, 0, 3, 10 * MS);
	draw(cell, 3, 0);
	cell->nivcsw = 6;
	assert_near(summarize(cell).nivcsw_per_slot, 1.5);
	free(cell);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_cell_without_slots_has_nothing_to_say),
	cmocka_unit_test(slots_that_were_never_woken_are_all_dropped),
	cmocka_unit_test(without_demand_there_is_no_desired_cpu),
	cmocka_unit_test(all_met_is_exactly_100_per_cent),
	cmocka_unit_test(an_early_wake_is_a_latency_of_zero),
	cmocka_unit_test(a_delay_is_never_negative),
	cmocka_unit_test(response_counts_late_slots_but_not_dropped_ones),
	cmocka_unit_test(the_longest_run_of_misses_may_be_anywhere),
	cmocka_unit_test(a_deadline_is_counted_from_the_segment),
	cmocka_unit_test(lost_slots_are_passed_on),
	cmocka_unit_test(a_pending_wake_is_a_bound_if_above_the_maximum),
	cmocka_unit_test(
		a_pending_wake_is_that_of_the_slot_the_loop_goes_on_to),
	cmocka_unit_test(a_cut_after_the_last_slot_bounds_nothing),
	cmocka_unit_test(an_unfinished_slot_bounds_the_response_only),
	cmocka_unit_test(burn_ratios_are_told_by_nearest_rank),
	cmocka_unit_test(fewer_than_20_burn_ratios_are_none),
	cmocka_unit_test(an_unfinished_slot_gives_no_burn_ratio),
	cmocka_unit_test(a_slot_without_demand_gives_no_burn_ratio),
	cmocka_unit_test(a_wake_without_cpu_time_gives_no_burn_ratio),
	cmocka_unit_test(burn_ratios_go_from_wake_to_wake_over_dropped_slots),
	cmocka_unit_test(speed_is_loops_per_us_of_burnt_time),
	cmocka_unit_test(switches_are_divided_by_the_slots_that_started),
	cmocka_unit_test(a_game_has_frames_but_no_deadlines),
	cmocka_unit_test(a_job_faster_than_its_cpu_took_nothing_too_long),
	cmocka_unit_test(frames_end_at_the_first_that_was_not_started),
	cmocka_unit_test(low_fps_are_those_of_the_slowest_hundredth),
	cmocka_unit_test(an_incomplete_job_is_a_bound_if_above_the_maximum),
	cmocka_unit_test(an_incomplete_job_alone_has_only_a_bound),
	cmocka_unit_test(a_game_that_was_cut_lasts_until_the_cut),
	cmocka_unit_test(
		a_job_without_the_end_of_its_last_frame_is_incomplete),
	cmocka_unit_test(a_game_without_a_whole_frame_had_no_cpu),
	cmocka_unit_test(a_game_that_never_started_has_nothing_to_say),
	cmocka_unit_test(a_frame_that_started_counts_for_switches),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
