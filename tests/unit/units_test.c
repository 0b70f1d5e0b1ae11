/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of units: what is a number, what is a duration, how they print. */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SEC INT64_C(1000000000)
#define UNTOUCHED 77

/* Numbers in no way; every parser refuses them. */
static const char *const garbage[] = {
	"", " ", "+", "-", "--1", "+-1", "abc", " 5", "5 ", "\t5", "5\n",
	"0x10", "1e3", "1.0", "1,000", "1.", ".5", "5x", "5-", "inf", "nan", "\xd9\xa3",
	"99999999999999999999x", "1_000", "\x01",
};

static void garbage_is_no_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
		int64_t n = UNTOUCHED, ns = UNTOUCHED;
		uint64_t u = UNTOUCHED;

		assert_int_equal(units_parse_i64(garbage[i], INT64_MIN,
						 INT64_MAX, &n), -EINVAL);
		assert_int_equal(units_parse_u64(garbage[i], 0, UINT64_MAX,
						 &u), -EINVAL);
		assert_int_equal(units_parse_duration(garbage[i], INT64_MIN,
						      INT64_MAX, &ns),
				 -EINVAL);
		assert_int_equal(n, UNTOUCHED);
		assert_int_equal(u, UNTOUCHED);
		assert_int_equal(ns, UNTOUCHED);
	}
}

static void signed_numbers_reach_both_ends_of_64_bits(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "-0", 0, 0 },
		{ "+5", 0, 5 },
		{ "-5", 0, -5 },
		{ "007", 0, 7 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -ERANGE, UNTOUCHED },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "-9223372036854775809", -ERANGE, UNTOUCHED },
		{ "99999999999999999999", -ERANGE, UNTOUCHED },
		{ "-99999999999999999999", -ERANGE, UNTOUCHED },
		{ "18446744073709551617", -ERANGE, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t n = UNTOUCHED;

		assert_int_equal(units_parse_i64(cases[i].text, INT64_MIN,
						 INT64_MAX, &n),
				 cases[i].err);
		assert_true(n == cases[i].value);
	}
}

static void unsigned_numbers_have_no_sign(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, UNTOUCHED },
		{ "184467440737095516150", -ERANGE, UNTOUCHED },
		{ "36893488147419103233", -ERANGE, UNTOUCHED },
		{ "-1", -EINVAL, UNTOUCHED },
		{ "-0", -EINVAL, UNTOUCHED },
		{ "+1", -EINVAL, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t n = UNTOUCHED;

		assert_int_equal(units_parse_u64(cases[i].text, 0, UINT64_MAX,
						 &n), cases[i].err);
		assert_true(n == cases[i].value);
	}
}

static void both_limits_belong_to_the_range(void **state)
{
	int64_t n;
	uint64_t u;

	(void)state;
	assert_int_equal(units_parse_i64("-20", -20, 19, &n), 0);
	assert_int_equal(units_parse_i64("19", -20, 19, &n), 0);
	assert_int_equal(units_parse_i64("-21", -20, 19, &n), -ERANGE);
	assert_int_equal(units_parse_i64("20", -20, 19, &n), -ERANGE);
	assert_int_equal(n, 19);
	assert_int_equal(units_parse_u64("3", 3, 5, &u), 0);
	assert_int_equal(units_parse_u64("5", 3, 5, &u), 0);
	assert_int_equal(units_parse_u64("2", 3, 5, &u), -ERANGE);
	assert_int_equal(units_parse_u64("6", 3, 5, &u), -ERANGE);
	assert_int_equal(u, 5);
}

static void durations_are_whole_seconds_minutes_hours_or_days(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t ns;
	} cases[] = {
		{ "30", 0, 30 * SEC },
		{ "30s", 0, 30 * SEC },
		{ "2m", 0, 120 * SEC },
		{ "1h", 0, 3600 * SEC },
		{ "3d", 0, 259200 * SEC },
		{ "366d", 0, 31622400 * SEC },
		{ "1s", 0, SEC },
		{ "0", -ERANGE, UNTOUCHED },
		{ "367d", -ERANGE, UNTOUCHED },
		{ "31622401", -ERANGE, UNTOUCHED },
		{ "9223372037", -ERANGE, UNTOUCHED },
		{ "18446744074", -ERANGE, UNTOUCHED },
		{ "18446744073709551646", -ERANGE, UNTOUCHED }, /* 2^64+30 */
		{ "99999999999999999999d", -ERANGE, UNTOUCHED },
		{ "-5", -EINVAL, UNTOUCHED },
		{ "+5", -EINVAL, UNTOUCHED },
		{ "s", -EINVAL, UNTOUCHED },
		{ "5S", -EINVAL, UNTOUCHED },
		{ "5sec", -EINVAL, UNTOUCHED },
		{ "1.5h", -EINVAL, UNTOUCHED },
		{ "1m30s", -EINVAL, UNTOUCHED },
		{ "5 s", -EINVAL, UNTOUCHED },
		{ "5w", -EINVAL, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t ns = UNTOUCHED;

		assert_int_equal(units_parse_duration(cases[i].text, SEC,
						      366 * 86400 * SEC, &ns),
				 cases[i].err);
		assert_true(ns == cases[i].ns);
	}
}

static void sizes_are_bytes_or_have_a_suffix(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
		int err;
	} cases[] = {
		{ "1", 1, 0 },
		{ "4096", 4096, 0 },
		{ "2K", 2048, 0 },
		{ "2KB", 2000, 0 },
		{ "2KiB", 2048, 0 },
		{ "500MB", 500000000, 0 },
		{ "3G", UINT64_C(3) << 30, 0 },
		{ "100GB", UINT64_C(100000000000), 0 },
		{ "1024T", UINT64_C(1) << 50, 0 },
		{ "1TB", UINT64_C(1000000000000), 0 },
		{ "1025T", 0, -ERANGE },
		{ "0", 0, -ERANGE },
		{ "99999999999999999999", 0, -ERANGE },
		{ "16777216T", 0, -ERANGE },
		{ "", 0, -EINVAL },
		{ "M", 0, -EINVAL },
		{ "1m", 0, -EINVAL },
		{ "1 M", 0, -EINVAL },
		{ "1Mi", 0, -EINVAL },
		{ "1MBs", 0, -EINVAL },
		{ "1.5G", 0, -EINVAL },
		{ "-1M", 0, -EINVAL },
		{ "1P", 0, -EINVAL },
		{ "1BB", 0, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t bytes = 77;

		if (units_parse_bytes(cases[i].text, 1, UINT64_C(1) << 50,
				      &bytes) != cases[i].err)
			fail_msg("%s", cases[i].text);
		assert_true(bytes == (cases[i].err ? 77 : cases[i].bytes));
	}
}

static void durations_print_in_two_units_rounded_up(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{ -SEC, "0 s" },
		{ 0, "0 s" },
		{ 1, "1 s" },
		{ SEC, "1 s" },
		{ 45 * SEC, "45 s" },
		{ 59 * SEC, "59 s" },
		{ 59 * SEC + 1, "1 min 00 s" },
		{ 125 * SEC, "2 min 05 s" },
		{ 3599 * SEC, "59 min 59 s" },
		{ 3600 * SEC, "1 h 00 min" },
		{ 10979 * SEC, "3 h 02 min" },
		{ 86399 * SEC, "23 h 59 min" },
		{ 86400 * SEC, "1 d 00 h" },
		{ 356400 * SEC, "4 d 03 h" },
		{ INT64_MAX, "106751 d 23 h" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[32];

		units_format_duration(buf, sizeof(buf), cases[i].ns);
		assert_string_equal(buf, cases[i].text);
	}
}

static void bytes_print_with_one_decimal_of_the_largest_unit(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },
		{ 512, "512 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KiB" },
		{ 1075, "1.0 KiB" },
		{ 1076, "1.1 KiB" },
		{ 1536, "1.5 KiB" },
		{ 9646899, "9.2 MiB" },
		{ 1048524, "1023.9 KiB" },
		{ 1048525, "1.0 MiB" },
		{ UINT64_C(1) << 30, "1.0 GiB" },
		{ UINT64_C(5) << 39, "2.5 TiB" },
		{ UINT64_C(1) << 50, "1.0 PiB" },
		{ UINT64_C(1) << 60, "1.0 EiB" },
		{ UINT64_MAX, "16.0 EiB" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[32];

		units_format_bytes(buf, sizeof(buf), cases[i].bytes);
		assert_string_equal(buf, cases[i].text);
	}
}

static void short_buffers_cut_the_text(void **state)
{
	char buf[4];

	(void)state;
	units_format_duration(buf, sizeof(buf), 125 * SEC);
	assert_string_equal(buf, "2 m");
	units_format_bytes(buf, sizeof(buf), 1536);
	assert_string_equal(buf, "1.5");
}

static void the_locale_changes_nothing(void **state)
{
	static const char *const locales[] = { "de_DE.UTF-8", "pl_PL.UTF-8" };
	int64_t n = UNTOUCHED;
	char buf[32];
	size_t i = 0;

	(void)state;
	while (i < ARRAY_SIZE(locales) && !setlocale(LC_ALL, locales[i]))
		i++;
	if (i == ARRAY_SIZE(locales))
		skip();		/* no locale with a decimal comma here */
	units_format_bytes(buf, sizeof(buf), 1536);
	assert_int_equal(units_parse_i64("1.000", 0, 5000, &n), -EINVAL);
	setlocale(LC_ALL, "C");
	assert_string_equal(buf, "1.5 KiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(garbage_is_no_number),
		cmocka_unit_test(signed_numbers_reach_both_ends_of_64_bits),
		cmocka_unit_test(unsigned_numbers_have_no_sign),
		cmocka_unit_test(both_limits_belong_to_the_range),
		cmocka_unit_test(
			durations_are_whole_seconds_minutes_hours_or_days),
		cmocka_unit_test(sizes_are_bytes_or_have_a_suffix),
		cmocka_unit_test(durations_print_in_two_units_rounded_up),
		cmocka_unit_test(
			bytes_print_with_one_decimal_of_the_largest_unit),
		cmocka_unit_test(short_buffers_cut_the_text),
		cmocka_unit_test(the_locale_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
