/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedule: the releases of a periodic task, re-phased about every second. */
#include "engine/schedule.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clk.h"
#include "base/rng.h"
#include "cell.h"

/* j slots at rate_num / rate_den a second, in ns; multiplied first. */
static int64_t span_ns(uint32_t rate_num, uint32_t rate_den, uint64_t j)
{
	return (int64_t)(j * (uint64_t)NSEC_PER_SEC * rate_den / rate_num);
}

int64_t schedule_span(const struct schedule *sched, uint64_t j)
{
	return span_ns(sched->rate_num, sched->rate_den, j);
}

void schedule_plan(struct schedule *sched, uint32_t rate_num,
		   uint32_t rate_den, int64_t window_ns)
{
	uint32_t n = rate_num / rate_den;
	int64_t segment, nr;

	sched->rate_num = rate_num;
	sched->rate_den = rate_den;
	sched->per_segment = n ? n : 1;
	segment = schedule_span(sched, sched->per_segment);
	nr = (window_ns + segment / 2) / segment;
	sched->nr_segments = nr > 0 ? (uint32_t)nr : 1;
	sched->nr_slots = (uint64_t)sched->per_segment * sched->nr_segments;
}

int64_t schedule_max_ns(const struct schedule *sched)
{
	int64_t segment = schedule_span(sched, sched->per_segment);

	return (segment + schedule_span(sched, 1)) * sched->nr_segments;
}

/* order = a random permutation of 0 .. n-1 (Fisher and Yates). */
static void shuffle(uint32_t *order, uint32_t n, struct rng *rng)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)rng_below(rng, i);
		uint32_t t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

/* A phase in the stratum'th of n equal parts of [0, period). */
static int64_t phase(int64_t period, uint32_t stratum, uint32_t n,
		     struct rng *rng)
{
	double at = (stratum + rng_unit(rng)) / n * (double)period;
	int64_t ns = (int64_t)at;

	return ns < period ? ns : period - 1;
}

/* Where each slot of a segment begins, relative to the segment. */
static void lay_segment(const struct schedule *sched, struct slot *slots,
			int64_t start)
{
	for (uint32_t j = 0; j < sched->per_segment; j++)
		slots[j].release_ns = start + schedule_span(sched, j);
}

int schedule_lay(const struct schedule *sched, struct cell *cell,
		 int64_t start_ns, uint64_t seed)
{
	uint32_t nr = sched->nr_segments, n = sched->per_segment;
	uint32_t *order = malloc(nr * sizeof(*order));
	struct rng rng;
	int64_t at = start_ns;

	if (!order)
		return -ENOMEM;
	rng_init(&rng, seed);
	shuffle(order, nr, &rng);
	for (uint32_t i = 0; i < nr; i++) {
		at += phase(schedule_span(sched, 1), order[i], nr, &rng);
		lay_segment(sched, cell->slots + (uint64_t)i * n, at);
		at += schedule_span(sched, n);
	}
	free(order);
	cell->rate_num = sched->rate_num;
	cell->rate_den = sched->rate_den;
	cell->per_segment = n;
	cell->nr_segments = nr;
	cell->nr_slots = sched->nr_slots;
	cell->seed = seed;
	cell->start_ns = cell->slots[0].release_ns;
	cell->end_ns = at;
	return 0;
}
