/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dist: sort once, then read everything off the sorted values. */
#include "stat/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const unsigned int quantiles[DIST_NR_QUANTILES] = DIST_QUANTILES;

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* At least five values have to lie above a percentile that is shown. */
static bool is_shown(size_t n, unsigned int q)
{
	return (uint64_t)n * (1000 - q) >= 5000;
}

int64_t dist_nearest_rank(const int64_t *sorted, size_t n, unsigned int q)
{
	uint64_t rank = ((uint64_t)q * n + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

/*
 * Distance from the smallest value: exact as an integer and never too large,
 * and 0 for all values that are equal to it.
 */
static double above_least(const int64_t *sorted, size_t i)
{
	return (double)((uint64_t)sorted[i] - (uint64_t)sorted[0]);
}

/* Two passes: the mean first, then the squares of the distances from it. */
static void moments(struct dist *dist, const int64_t *sorted, size_t n)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += above_least(sorted, i);
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double off = above_least(sorted, i) - mean;

		squares += off * off;
	}
	dist->mean_ns = (double)sorted[0] + mean;
	if (n > 1)
		dist->sd_ns = sqrt(squares / (double)(n - 1));
}

void dist_of(struct dist *dist, int64_t *values, size_t n)
{
	memset(dist, 0, sizeof(*dist));
	for (int i = 0; i < DIST_NR_QUANTILES; i++)
		dist->quantile_ns[i] = -1;
	if (!n)
		return;
	qsort(values, n, sizeof(*values), compare);
	dist->n = n;
	dist->max_ns = values[n - 1];
	moments(dist, values, n);
	for (int i = 0; i < DIST_NR_QUANTILES; i++)
		if (is_shown(n, quantiles[i]))
			dist->quantile_ns[i] =
				dist_nearest_rank(values, n, quantiles[i]);
}
