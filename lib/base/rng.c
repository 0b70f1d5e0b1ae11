/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng: splitmix64 (Steele, Lea and Flood, OOPSLA 2014) and a hash from it. */
#include "base/rng.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finalizer of splitmix64: a bijection that spreads every bit. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void rng_init(struct rng *rng, uint64_t seed)
{
	rng->state = seed;
}

uint64_t rng_next(struct rng *rng)
{
	rng->state += GOLDEN;
	return mix(rng->state);
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	/* 2^64 mod n: so many values are too many for an even share. */
	uint64_t surplus = (0 - n) % n;
	uint64_t value;

	do
		value = rng_next(rng);
	while (value < surplus);
	return value % n;
}

double rng_unit(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* The hash is mixed before the value comes in: order matters. */
uint64_t hash_u64(uint64_t hash, uint64_t value)
{
	return mix(mix(hash + GOLDEN) ^ value);
}

/* The final 0 goes in too: "ab", "c" is not "a", "bc". */
uint64_t hash_str(uint64_t hash, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	do
		hash = hash_u64(hash, *p);
	while (*p++);
	return hash;
}
