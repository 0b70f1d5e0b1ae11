/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dist: mean, SD, maximum and percentiles of a series of times. Pure. */
#ifndef IB_STAT_DIST_H
#define IB_STAT_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Per mille of the percentiles that are kept, in order. */
#define DIST_QUANTILES { 500, 900, 950, 990, 999 }
#define DIST_NR_QUANTILES 5

struct dist {
	uint64_t n;
	double mean_ns;		/* n >= 1 */
	double sd_ns;		/* n >= 2: sqrt(sum (x - mean)^2 / (n - 1)) */
	int64_t max_ns;		/* n >= 1 */
	/* Lower bound above max_ns of a value that was cut off; 0: none. */
	int64_t bound_ns;
	/* Nearest rank; -1 where n (1000 - q) < 5000. */
	int64_t quantile_ns[DIST_NR_QUANTILES];
};

/* Of n values, which it sorts in place. Definitions: METHOD.md, 3. */
void dist_of(struct dist *dist, int64_t *values, size_t n);

/* The q per mille quantile of n sorted values by nearest rank; n > 0. */
int64_t dist_nearest_rank(const int64_t *sorted, size_t n, unsigned int q);

#endif
