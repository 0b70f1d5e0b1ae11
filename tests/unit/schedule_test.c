/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedule_test: where the slots of a schedule lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clk.h"
#include "cell.h"
#include "engine/schedule.h"

#include "fake_clk.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DAY_NS (86400 * NSEC_PER_SEC)
#define START_NS (123 * NSEC_PER_SEC + 456789)
#define STRATA_MAX 100

struct plan_case {
	uint32_t num, den;	/* slots a second */
	int64_t window_ns;
	uint32_t per_segment, nr_segments;
};

static const struct plan_case plans[] = {
	/* the tasks at 30 s */
	{ 20, 1, 30 * NSEC_PER_SEC, 20, 30 },
	{ 60, 1, 30 * NSEC_PER_SEC, 60, 30 },
	{ 10, 1, 30 * NSEC_PER_SEC, 10, 30 },
	/* the shortest window, and one shorter than a segment */
	{ 60, 1, NSEC_PER_SEC, 60, 1 },
	{ 60, 1, NSEC_PER_SEC / 10, 60, 1 },
	/* half a segment more is one more */
	{ 60, 1, 2 * NSEC_PER_SEC + NSEC_PER_SEC / 2 - 1, 60, 2 },
	{ 60, 1, 2 * NSEC_PER_SEC + NSEC_PER_SEC / 2, 60, 3 },
	/* periods that are no part of a second: 300 ms, 700 ms */
	{ 10, 3, 30 * NSEC_PER_SEC, 3, 33 },
	{ 10, 7, 30 * NSEC_PER_SEC, 1, 43 },
	/* periods of seconds: 9 s, 60 s, and as a fraction of us */
	{ 1, 9, 30 * NSEC_PER_SEC, 1, 3 },
	{ 1, 9, 32 * NSEC_PER_SEC, 1, 4 },
	{ 1, 9, NSEC_PER_SEC, 1, 1 },
	{ 1, 60, 30 * NSEC_PER_SEC, 1, 1 },
	{ 1, 60, 600 * NSEC_PER_SEC, 1, 10 },
	{ 1000000, 60000000, 600 * NSEC_PER_SEC, 1, 10 },
	/* 100 us */
	{ 10000, 1, 30 * NSEC_PER_SEC, 10000, 30 },
	{ 1000000, 100, 30 * NSEC_PER_SEC, 10000, 30 },
	/* a year */
	{ 10000, 1, 366 * DAY_NS, 10000, 31622400 },
	{ 1000000, 100, 366 * DAY_NS, 10000, 31622400 },
	{ 60, 1, 366 * DAY_NS, 60, 31622400 },
	{ 1, 60, 366 * DAY_NS, 1, 527040 },
};

static void a_plan_is_whole_segments_of_about_a_second(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		const struct plan_case *c = &plans[i];
		struct schedule sched;

		schedule_plan(&sched, c->num, c->den, c->window_ns);
		assert_int_equal(sched.rate_num, c->num);
		assert_int_equal(sched.rate_den, c->den);
		assert_int_equal(sched.per_segment, c->per_segment);
		assert_int_equal(sched.nr_segments, c->nr_segments);
		assert_int_equal(sched.nr_slots, (uint64_t)c->per_segment *
						 c->nr_segments);
	}
}

static void the_longest_time_is_a_period_more_a_segment(void **state)
{
	struct schedule sched;

	(void)state;
	schedule_plan(&sched, 10000, 1, 366 * DAY_NS);
	assert_int_equal(schedule_max_ns(&sched),
			 366 * DAY_NS + INT64_C(31622400) * 100000);
	schedule_plan(&sched, 1, 60, 30 * NSEC_PER_SEC);
	assert_int_equal(schedule_max_ns(&sched), 120 * NSEC_PER_SEC);
}

static void a_span_is_multiplied_before_it_is_divided(void **state)
{
	struct schedule sched;

	(void)state;
	schedule_plan(&sched, 60, 1, NSEC_PER_SEC);
	assert_int_equal(schedule_span(&sched, 0), 0);
	assert_int_equal(schedule_span(&sched, 1), 16666666);
	assert_int_equal(schedule_span(&sched, 2), 33333333);
	assert_int_equal(schedule_span(&sched, 3), 50000000);
	assert_int_equal(schedule_span(&sched, 60), NSEC_PER_SEC);
	schedule_plan(&sched, 10, 3, NSEC_PER_SEC);
	assert_int_equal(schedule_span(&sched, 1), 300000000);
}

/* A laid cell; freed by the caller. */
static struct cell *lay(uint32_t num, uint32_t den, int64_t window_ns,
			uint64_t seed)
{
	struct schedule sched;
	struct cell *cell;

	schedule_plan(&sched, num, den, window_ns);
	cell = fake_cell(1, sched.nr_slots, sched.nr_slots, 1);
	assert_int_equal(schedule_lay(&sched, cell, START_NS, seed), 0);
	return cell;
}

static int64_t span(const struct cell *cell, uint64_t j)
{
	return (int64_t)(j * (uint64_t)NSEC_PER_SEC * cell->rate_den /
			 cell->rate_num);
}

/* The phase before a segment: its start less the end of the one before. */
static int64_t phase(const struct cell *cell, uint32_t segment)
{
	uint64_t first = (uint64_t)segment * cell->per_segment;

	if (!segment)
		return cell->slots[0].release_ns - START_NS;
	return cell->slots[first].release_ns - cell_due(cell, first - 1);
}

static const struct plan_case layouts[] = {
	{ 60, 1, 30 * NSEC_PER_SEC, 60, 30 },
	{ 20, 1, 6 * NSEC_PER_SEC, 20, 6 },
	{ 10, 1, 100 * NSEC_PER_SEC, 10, 100 },
	{ 10, 3, 30 * NSEC_PER_SEC, 3, 33 },
	{ 1, 9, 63 * NSEC_PER_SEC, 1, 7 },
	{ 1, 60, 60 * NSEC_PER_SEC, 1, 1 },
	{ 10000, 1, 5 * NSEC_PER_SEC, 10000, 5 },
};

static struct cell *lay_case(size_t i, uint64_t seed)
{
	return lay(layouts[i].num, layouts[i].den, layouts[i].window_ns, seed);
}

static void a_cell_gets_the_shape_of_its_schedule(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct plan_case *c = &layouts[i];
		struct cell *cell = lay_case(i, 42);
		uint64_t nr = (uint64_t)c->per_segment * c->nr_segments;

		assert_int_equal(cell->rate_num, c->num);
		assert_int_equal(cell->rate_den, c->den);
		assert_int_equal(cell->per_segment, c->per_segment);
		assert_int_equal(cell->nr_segments, c->nr_segments);
		assert_int_equal(cell->nr_slots, nr);
		assert_int_equal(cell->seed, 42);
		assert_int_equal(cell->start_ns, cell->slots[0].release_ns);
		assert_int_equal(cell->end_ns, cell_due(cell, nr - 1));
		free(cell);
	}
}

static void releases_only_ever_increase(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct cell *cell = lay_case(i, 7);

		assert_true(cell->slots[0].release_ns >= START_NS);
		for (uint64_t k = 1; k < cell->nr_slots; k++) {
			assert_true(cell->slots[k].release_ns >
				    cell->slots[k - 1].release_ns);
			assert_true(cell->slots[k].release_ns >=
				    cell_due(cell, k - 1));
		}
		free(cell);
	}
}

static void slots_of_a_segment_lie_at_exact_fractions_of_a_second(void **state)
{
	struct cell *cell = lay(60, 1, 3 * NSEC_PER_SEC, 3);

	(void)state;
	for (uint64_t k = 0; k < cell->nr_slots; k++) {
		int64_t start = cell->slots[k - k % 60].release_ns;
		int64_t j = (int64_t)(k % 60);

		assert_int_equal(cell->slots[k].release_ns,
				 start + j * 1000000000 / 60);
		assert_int_equal(cell_due(cell, k),
				 start + (j + 1) * 1000000000 / 60);
	}
	free(cell);
}

static void a_slot_is_due_when_the_next_of_its_segment_begins(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct cell *cell = lay_case(i, 11);

		for (uint64_t k = 1; k < cell->nr_slots; k++)
			if (k % cell->per_segment)
				assert_int_equal(cell->slots[k].release_ns,
						 cell_due(cell, k - 1));
		free(cell);
	}
}

static void every_phase_is_below_one_period(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
			struct cell *cell = lay_case(i, seed);

			for (uint32_t s = 0; s < cell->nr_segments; s++) {
				assert_true(phase(cell, s) >= 0);
				assert_true(phase(cell, s) < span(cell, 1));
			}
			free(cell);
		}
	}
}

static void each_stratum_of_the_period_has_one_phase(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct cell *cell = lay_case(i, 5);
		uint32_t nr = cell->nr_segments;
		bool taken[STRATA_MAX] = { false };

		for (uint32_t s = 0; s < nr; s++) {
			int64_t stratum = phase(cell, s) * nr / span(cell, 1);

			assert_in_range(stratum, 0, nr - 1);
			assert_false(taken[stratum]);
			taken[stratum] = true;
		}
		free(cell);
	}
}

/* Sorted strata would be a slow sweep, which a tick can follow. */
static void the_strata_come_in_random_order(void **state)
{
	struct cell *cell = lay(60, 1, 30 * NSEC_PER_SEC, 1);
	unsigned int down = 0;

	(void)state;
	for (uint32_t s = 1; s < 30; s++)
		down += phase(cell, s) < phase(cell, s - 1);
	assert_in_range(down, 6, 23);
	free(cell);
}

static bool same_releases(const struct cell *a, const struct cell *b)
{
	assert_int_equal(a->nr_slots, b->nr_slots);
	for (uint64_t k = 0; k < a->nr_slots; k++)
		if (a->slots[k].release_ns != b->slots[k].release_ns)
			return false;
	return true;
}

static void the_same_seed_gives_the_same_schedule(void **state)
{
	struct cell *a = lay(60, 1, 30 * NSEC_PER_SEC, 42);
	struct cell *b = lay(60, 1, 30 * NSEC_PER_SEC, 42);

	(void)state;
	assert_true(same_releases(a, b));
	assert_int_equal(a->end_ns, b->end_ns);
	free(a);
	free(b);
}

static void another_seed_gives_another_schedule(void **state)
{
	struct cell *a = lay(60, 1, 30 * NSEC_PER_SEC, 42);

	(void)state;
	for (uint64_t seed = 0; seed < 42; seed++) {
		struct cell *b = lay(60, 1, 30 * NSEC_PER_SEC, seed);

		assert_false(same_releases(a, b));
		free(b);
	}
	free(a);
}

static void a_schedule_takes_half_a_period_more_a_segment(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct cell *cell = lay_case(i, 99);
		int64_t nr = cell->nr_segments, period = span(cell, 1);
		int64_t segments = nr * span(cell, cell->per_segment);
		int64_t phases = cell->end_ns - START_NS - segments;

		/* strata: the sum is out by half a period at the most */
		assert_true(phases >= (nr - 1) * period / 2 - nr);
		assert_true(phases <= (nr + 1) * period / 2 + nr);
		free(cell);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_whole_segments_of_about_a_second),
		cmocka_unit_test(the_longest_time_is_a_period_more_a_segment),
		cmocka_unit_test(a_span_is_multiplied_before_it_is_divided),
		cmocka_unit_test(a_cell_gets_the_shape_of_its_schedule),
		cmocka_unit_test(releases_only_ever_increase),
		cmocka_unit_test(
			slots_of_a_segment_lie_at_exact_fractions_of_a_second),
		cmocka_unit_test(
			a_slot_is_due_when_the_next_of_its_segment_begins),
		cmocka_unit_test(every_phase_is_below_one_period),
		cmocka_unit_test(each_stratum_of_the_period_has_one_phase),
		cmocka_unit_test(the_strata_come_in_random_order),
		cmocka_unit_test(the_same_seed_gives_the_same_schedule),
		cmocka_unit_test(another_seed_gives_another_schedule),
		cmocka_unit_test(
			a_schedule_takes_half_a_period_more_a_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
