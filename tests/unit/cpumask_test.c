/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpumask_test: sets of CPUs that are not 0 to n - 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/cpumask.h"
#include "base/strbuf.h"

static void assert_list(const struct cpumask *mask, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "");
	cpumask_format(&sb, mask);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

static void lists_are_read_and_written_like_the_kernels(void **state)
{
	static const struct {
		const char *list, *formatted;
		int count;
	} cases[] = {
		{ "", "", 0 },
		{ "\n", "", 0 },
		{ "0\n", "0", 1 },
		{ "0-3,8\n", "0-3,8", 5 },
		{ "0,1,2,3", "0-3", 4 },
		{ "8,0-3", "0-3,8", 5 },
		{ "5-5", "5", 1 },
		{ "0-3,2-5", "0-5", 6 },
		{ "0,8,16,24\n", "0,8,16,24", 4 },
		{ "63-64", "63-64", 2 },
		{ "1023-1025,8191", "1023-1025,8191", 4 },
		{ "007", "7", 1 },
		{ "1048575", "1048575", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpumask mask;

		assert_int_equal(cpumask_parse(&mask, cases[i].list), 0);
		assert_int_equal(cpumask_count(&mask), cases[i].count);
		assert_list(&mask, cases[i].formatted);
		cpumask_release(&mask);
	}
}

static void malformed_lists_are_refused_and_leave_an_empty_mask(void **state)
{
	static const struct {
		const char *list;
		int err;
	} cases[] = {
		{ ",", -EINVAL }, { "1,", -EINVAL }, { ",1", -EINVAL },
		{ "1,,2", -EINVAL }, { "-1", -EINVAL }, { "1-", -EINVAL },
		{ "3-1", -EINVAL }, { "1-2-3", -EINVAL }, { " 1", -EINVAL },
		{ "1 ", -EINVAL }, { "1, 2", -EINVAL }, { "1\n2", -EINVAL },
		{ "1\n\n", -EINVAL }, { "0x1", -EINVAL }, { "+1", -EINVAL },
		{ "all", -EINVAL }, { "(null)\n", -EINVAL }, { "1;2", -EINVAL },
		{ "1,\n", -EINVAL }, { "0-8:2", -EINVAL },
		{ "1048576", -ERANGE }, { "0-1048576", -ERANGE },
		{ "4294967296", -ERANGE }, { "0-99999999999999", -ERANGE },
		{ "18446744073709551616", -ERANGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpumask mask;

		assert_int_equal(cpumask_parse(&mask, cases[i].list),
				 cases[i].err);
		assert_int_equal(cpumask_count(&mask), 0);
		assert_int_equal(cpumask_first(&mask), -1);
		assert_null(mask.set);
	}
}

static void a_mask_grows_and_keeps_its_members(void **state)
{
	struct cpumask mask;

	(void)state;
	assert_int_equal(cpumask_init(&mask, 0), 0);
	assert_int_equal(cpumask_set(&mask, 5), 0);
	assert_int_equal(cpumask_set(&mask, 70000), 0);
	assert_int_equal(cpumask_set(&mask, 1024), 0);
	assert_list(&mask, "5,1024,70000");
	assert_true(mask.room > 70000);
	assert_int_equal(mask.bytes * 8, mask.room);
	cpumask_release(&mask);
}

static void impossible_cpus_are_refused(void **state)
{
	struct cpumask mask;

	(void)state;
	assert_int_equal(cpumask_init(&mask, 4), 0);
	assert_int_equal(cpumask_set(&mask, -1), -EINVAL);
	assert_int_equal(cpumask_set(&mask, 1 << 20), -ERANGE);
	assert_int_equal(cpumask_count(&mask), 0);
	cpumask_release(&mask);
}

static void has_is_false_outside_of_the_room(void **state)
{
	struct cpumask mask;

	(void)state;
	assert_int_equal(cpumask_parse(&mask, "0-63"), 0);
	assert_true(cpumask_has(&mask, 0));
	assert_true(cpumask_has(&mask, 63));
	assert_false(cpumask_has(&mask, 64));
	assert_false(cpumask_has(&mask, mask.room));
	assert_false(cpumask_has(&mask, 1 << 30));
	assert_false(cpumask_has(&mask, -1));
	cpumask_release(&mask);
}

static void next_walks_over_holes_and_ends(void **state)
{
	static const int expected[] = { 0, 8, 16, 1500, -1 };
	struct cpumask mask;
	int cpu = -1;

	(void)state;
	assert_int_equal(cpumask_parse(&mask, "0,8,16,1500"), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		cpu = cpumask_next(&mask, cpu);
		assert_int_equal(cpu, expected[i]);
	}
	assert_int_equal(cpumask_next(&mask, 9), 16);
	assert_int_equal(cpumask_next(&mask, -100), 0);
	assert_int_equal(cpumask_next(&mask, 2147483647), -1);
	assert_int_equal(cpumask_first(&mask), 0);
	cpumask_release(&mask);
}

static void equality_does_not_ask_for_the_room(void **state)
{
	struct cpumask small, large, empty;

	(void)state;
	assert_int_equal(cpumask_init(&empty, 0), 0);
	assert_int_equal(cpumask_init(&large, 4096), 0);
	assert_true(cpumask_equal(&empty, &large));
	assert_int_equal(cpumask_parse(&small, "1,3"), 0);
	assert_false(cpumask_equal(&small, &large));
	assert_int_equal(cpumask_set(&large, 1), 0);
	assert_int_equal(cpumask_set(&large, 3), 0);
	assert_true(cpumask_equal(&small, &large));
	assert_true(cpumask_equal(&large, &small));
	assert_int_equal(cpumask_set(&large, 4000), 0);
	assert_false(cpumask_equal(&small, &large));
	assert_false(cpumask_equal(&large, &small));
	cpumask_release(&small);
	cpumask_release(&large);
}

static void an_affinity_is_set_and_read_back(void **state)
{
	struct cpumask old, one, now;

	(void)state;
	assert_int_equal(cpumask_get_affinity(&old), 0);
	assert_int_equal(cpumask_init(&one, 1), 0);
	assert_int_equal(cpumask_set(&one, cpumask_first(&old)), 0);
	assert_int_equal(cpumask_set_affinity(&one), 0);
	assert_int_equal(cpumask_get_affinity(&now), 0);
	assert_true(cpumask_equal(&now, &one));
	assert_int_equal(cpumask_set_affinity(&old), 0);
	cpumask_release(&old);
	cpumask_release(&one);
	cpumask_release(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_written_like_the_kernels),
		cmocka_unit_test(
			malformed_lists_are_refused_and_leave_an_empty_mask),
		cmocka_unit_test(a_mask_grows_and_keeps_its_members),
		cmocka_unit_test(impossible_cpus_are_refused),
		cmocka_unit_test(has_is_false_outside_of_the_room),
		cmocka_unit_test(next_walks_over_holes_and_ends),
		cmocka_unit_test(equality_does_not_ask_for_the_room),
		cmocka_unit_test(an_affinity_is_set_and_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
