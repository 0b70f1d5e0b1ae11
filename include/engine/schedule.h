/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule: all slots of a periodic task, known before the start. It consists
 * of segments of about 1 s; each starts at the end of the one before plus a
 * seeded, stratified phase offset below one period (METHOD.md, 2).
 */
#ifndef IB_ENGINE_SCHEDULE_H
#define IB_ENGINE_SCHEDULE_H

#include <stdint.h>

struct cell;

struct schedule {
	uint32_t rate_num;	/* slots a second = rate_num / rate_den */
	uint32_t rate_den;
	uint32_t per_segment;	/* n */
	uint32_t nr_segments;
	uint64_t nr_slots;	/* K = n x segments */
};

/*
 * n = max(1, floor(rate)), segments = max(1, round(window / n periods)). A
 * window of up to 400 days at up to 10 000 slots a second cannot overflow.
 */
void schedule_plan(struct schedule *sched, uint32_t rate_num,
		   uint32_t rate_den, int64_t window_ns);

/* Length of j slots in ns: multiplied first, the period is never rounded. */
int64_t schedule_span(const struct schedule *sched, uint64_t j);

/* Longest time the whole schedule can take, phases included. */
int64_t schedule_max_ns(const struct schedule *sched);

/*
 * Writes the release of all slots, the first segment starting at start_ns plus
 * its phase, and start_ns, end_ns, seed and the shape into the cell (which has
 * room for nr_slots). 0 or -ENOMEM.
 */
int schedule_lay(const struct schedule *sched, struct cell *cell,
		 int64_t start_ns, uint64_t seed);

#endif
