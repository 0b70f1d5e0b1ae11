/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of nearest: typing errors found, strangers not, safe quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const names[] = {
	"None", "Video", "X", "Burn", "Compile", "Memload", "load-threads",
};

static const char *nearest(const char *word)
{
	return nearest_name(word, names, ARRAY_SIZE(names));
}

static void typing_errors_are_recognised(void **state)
{
	static const char *const cases[][2] = {
		{ "Vdieo", "Video" },		/* swapped */
		{ "vide", "Video" },		/* missing */
		{ "viddeo", "Video" },		/* too many */
		{ "vydeo", "Video" },		/* wrong */
		{ "BURN", "Burn" },
		{ "brun", "Burn" },
		{ "x", "X" },
		{ "nine", "None" },
		{ "memlaod", "Memload" },
		{ "mem", "Memload" },		/* the beginning */
		{ "COMP", "Compile" },
		{ "load-threds", "load-threads" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *got = nearest(cases[i][0]);

		assert_non_null(got);
		assert_string_equal(got, cases[i][1]);
	}
}

static void strangers_are_near_to_nothing(void **state)
{
	static const char *const words[] = {
		"", "y", "nothing", "zzzz", "abc", "videocassette", "me", "8",
		"ubnr", "\xff\xfe", "compile-and-link",
		"a word that is much longer than any name is expected to be",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_null(nearest(words[i]));
	assert_null(nearest_name("Video", names, 0));
}

static void the_closest_wins_and_the_first_of_equals(void **state)
{
	static const char *const close[] = { "seeds", "seed", "feed" };

	(void)state;
	assert_ptr_equal(nearest_name("seed", close, 3), close[1]);
	assert_ptr_equal(nearest_name("seedd", close, 3), close[0]);
	assert_ptr_equal(nearest_name("need", close, 3), close[1]);
}

static void quotes_are_one_line(void **state)
{
	static const char *const cases[][2] = {
		{ "abc", "abc" },
		{ "", "''" },
		{ "a\nb\tc\r", "a\\nb\\tc\\r" },
		{ "\033[31m", "\\x1b[31m" },
		{ "%s%n", "%s%n" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xff", "\\xff" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[NEAREST_QUOTE_LEN];

		nearest_quote(buf, sizeof(buf), cases[i][0]);
		assert_string_equal(buf, cases[i][1]);
	}
}

static void long_words_are_cut_between_characters(void **state)
{
	char buf[10];

	(void)state;
	nearest_quote(buf, sizeof(buf), "123456789");
	assert_string_equal(buf, "123456789");
	nearest_quote(buf, sizeof(buf), "1234567890");
	assert_string_equal(buf, "123456...");
	nearest_quote(buf, sizeof(buf), "12345\xc3\xa9\xc3\xa9\xc3\xa9");
	assert_string_equal(buf, "12345...");
	nearest_quote(buf, 3, "12345");
	assert_string_equal(buf, "12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_errors_are_recognised),
		cmocka_unit_test(strangers_are_near_to_nothing),
		cmocka_unit_test(the_closest_wins_and_the_first_of_equals),
		cmocka_unit_test(quotes_are_one_line),
		cmocka_unit_test(long_words_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
