/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pace_test: when so many bytes may have been written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clk.h"
#include "engine/pace.h"
#include "load.h"

#define NOW (1000 * NSEC_PER_SEC)
#define MB UINT64_C(1000000)

static void each_block_is_due_after_the_last_one(void **state)
{
	struct pace pace;

	(void)state;
	pace_init(&pace, 100 * MB);
	for (int i = 1; i <= 50; i++)
		assert_int_equal(pace_due(&pace, NOW, MB),
				 NOW + i * 10 * NSEC_PER_MSEC);
}

static void time_that_was_not_used_is_made_up_for(void **state)
{
	struct pace pace;
	int64_t late = NOW + 60 * NSEC_PER_MSEC;

	(void)state;
	pace_init(&pace, 100 * MB);
	pace_due(&pace, NOW, MB);
	assert_int_equal(pace_due(&pace, late, MB), NOW + 20 * NSEC_PER_MSEC);
}

static void but_not_more_than_a_tenth_of_a_second(void **state)
{
	struct pace pace;
	int64_t late = NOW + 60 * NSEC_PER_SEC;

	(void)state;
	pace_init(&pace, 100 * MB);
	pace_due(&pace, NOW, MB);
	assert_int_equal(pace_due(&pace, late, MB),
			 late - 90 * NSEC_PER_MSEC);
}

static void without_a_rate_everything_is_due_now(void **state)
{
	struct pace pace;

	(void)state;
	pace_init(&pace, 0);
	assert_int_equal(pace_due(&pace, NOW, UINT64_MAX), NOW);
}

static void extreme_numbers_do_not_overflow(void **state)
{
	struct pace pace;
	int64_t due;

	(void)state;
	pace_init(&pace, 1);
	due = pace_due(&pace, NOW, UINT64_MAX);
	assert_true(due > NOW && due <= NOW + 3600 * NSEC_PER_SEC);
	pace_init(&pace, UINT64_MAX);
	assert_int_equal(pace_due(&pace, NOW, MB), NOW);
}

/* Were it to sleep, that would be for an hour. */
static void a_stopped_load_does_not_sleep(void **state)
{
	atomic_uint stop = 1;
	struct load_ctx ctx = { .stop = &stop };
	struct pace pace;

	(void)state;
	pace_init(&pace, 1);
	pace_spend(&pace, &ctx, MB);
}

static void spending_sleeps_until_it_is_due(void **state)
{
	atomic_uint stop = 0;
	struct load_ctx ctx = { .stop = &stop };
	struct pace pace;
	struct clk clk;

	(void)state;
	clk_real(&clk);
	pace_init(&pace, 100 * MB);
	for (int i = 0; i < 3; i++) {
		pace_spend(&pace, &ctx, MB);
		assert_true(clk_now(&clk) >= pace.due_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_is_due_after_the_last_one),
		cmocka_unit_test(time_that_was_not_used_is_made_up_for),
		cmocka_unit_test(but_not_more_than_a_tenth_of_a_second),
		cmocka_unit_test(without_a_rate_everything_is_due_now),
		cmocka_unit_test(extreme_numbers_do_not_overflow),
		cmocka_unit_test(a_stopped_load_does_not_sleep),
		cmocka_unit_test(spending_sleeps_until_it_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
