/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng: small seeded random numbers (splitmix64); same seed, same numbers. */
#ifndef IB_BASE_RNG_H
#define IB_BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

void rng_init(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
/* Uniform in [0, n), n > 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);
/* Uniform in [0, 1). */
double rng_unit(struct rng *rng);

/* Mixes a number or a string into a hash; start with any seed. */
uint64_t hash_u64(uint64_t hash, uint64_t value);
uint64_t hash_str(uint64_t hash, const char *s);

#endif
