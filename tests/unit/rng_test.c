/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng_test: numbers that records depend on must never change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

/* The reference output of splitmix64.c by S. Vigna for this seed. */
static void the_numbers_are_those_of_splitmix64(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct rng rng;

	(void)state;
	rng_init(&rng, 1234567);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_true(rng_next(&rng) == expected[i]);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
	struct rng a, b;

	(void)state;
	rng_init(&a, 42);
	rng_init(&b, 42);
	for (int i = 0; i < 100; i++)
		assert_true(rng_next(&a) == rng_next(&b));
}

static void below_stays_below_whatever_n(void **state)
{
	static const uint64_t limits[] = {
		1, 2, 3, 10, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 63) + 1,
		UINT64_MAX,
	};
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		for (int j = 0; j < 1000; j++)
			assert_true(rng_below(&rng, limits[i]) < limits[i]);
}

static void below_gives_each_value_its_share(void **state)
{
	unsigned int count[6] = { 0 };
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	for (int i = 0; i < 60000; i++)
		count[rng_below(&rng, 6)]++;
	/* 5 standard deviations of a fair die */
	for (int i = 0; i < 6; i++)
		assert_in_range(count[i], 9544, 10456);
}

/*
 * Of 3 * 2^62 values a plain remainder would give those of the lowest third
 * twice as often as the others.
 */
static void below_is_fair_where_a_remainder_is_not(void **state)
{
	const uint64_t third = UINT64_C(1) << 62;
	unsigned int low = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 3);
	for (int i = 0; i < 30000; i++)
		low += rng_below(&rng, 3 * third) < third;
	assert_in_range(low, 9592, 10408);
}

static void unit_is_in_0_to_1_with_mean_a_half(void **state)
{
	double x, sum = 0, least = 1, most = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 5);
	for (int i = 0; i < 100000; i++) {
		x = rng_unit(&rng);
		assert_true(x >= 0 && x < 1);
		sum += x;
		least = x < least ? x : least;
		most = x > most ? x : most;
	}
	assert_true(sum > 49500 && sum < 50500);
	assert_true(least < 0.001 && most > 0.999);
}

static void hashes_depend_on_order_and_on_every_part(void **state)
{
	(void)state;
	assert_false(hash_u64(hash_u64(1, 2), 3) ==
		     hash_u64(hash_u64(1, 3), 2));
	assert_false(hash_u64(1, 2) == hash_u64(2, 1));
	assert_false(hash_u64(0, 0) == 0);
	assert_false(hash_str(0, "") == 0);
	assert_false(hash_str(0, "Audio") == hash_str(0, "Video"));
	assert_false(hash_str(0, "Audio") == hash_str(1, "Audio"));
}

static void hashed_strings_do_not_run_into_each_other(void **state)
{
	(void)state;
	assert_false(hash_str(hash_str(0, "ab"), "c") ==
		     hash_str(hash_str(0, "a"), "bc"));
	assert_false(hash_str(hash_str(0, ""), "a") ==
		     hash_str(hash_str(0, "a"), ""));
}

/* Seeds stand in records and are worked out again from them. */
static void hashes_never_change(void **state)
{
	(void)state;
	assert_true(hash_u64(42, 7) == UINT64_C(0xaebdb1a5611cee63));
	assert_true(hash_str(42, "Audio") ==
		    UINT64_C(0x23e9d7963792296b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_splitmix64),
		cmocka_unit_test(the_same_seed_gives_the_same_numbers),
		cmocka_unit_test(below_stays_below_whatever_n),
		cmocka_unit_test(below_gives_each_value_its_share),
		cmocka_unit_test(below_is_fair_where_a_remainder_is_not),
		cmocka_unit_test(unit_is_in_0_to_1_with_mean_a_half),
		cmocka_unit_test(hashes_depend_on_order_and_on_every_part),
		cmocka_unit_test(hashed_strings_do_not_run_into_each_other),
		cmocka_unit_test(hashes_never_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
