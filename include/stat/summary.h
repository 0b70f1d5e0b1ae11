/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary: every printed number of a cell, from its slots alone. Pure. */
#ifndef IB_STAT_SUMMARY_H
#define IB_STAT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "stat/dist.h"

enum slot_outcome {
	SLOT_MET,
	SLOT_LATE,	/* started in time, finished late or never */
	SLOT_DROPPED,	/* never started, or woken after it was due */
};

/* Absent values: has_* false, dist n = 0, or -1 where said so. */
struct summary {
	bool paced;		/* false: no deadlines (Gaming) */
	uint64_t total;		/* K = met + late + dropped */
	uint64_t met;
	uint64_t late;
	uint64_t dropped;
	uint64_t longest_miss;	/* longest run of late and dropped slots */
	uint64_t lost;

	/* Wakes: s - r[k]. Unpaced: what a whole job took too long. */
	struct dist latency;
	struct dist response;	/* f - r[k]. Unpaced: wall time of a frame */
	struct dist delay;	/* release to the next start; unpaced: none */

	bool has_desired;
	double desired_cpu_pct;
	bool has_deadlines;
	double deadlines_met_pct;

	bool has_frames;	/* unpaced */
	double fps;
	double low1_fps;	/* 1e9 / mean wall of the ceil(n/100) slowest */

	bool has_ratio;		/* CPU burnt / asked, from wake to wake */
	double ratio_p5;
	double ratio_p50;
	double ratio_p95;
	bool has_speed;
	double speed;		/* loops per us of burnt time */
	double nivcsw_per_slot;	/* involuntary switches a started slot */
};

/* The outcome of slot k of a paced cell. */
enum slot_outcome summary_outcome(const struct cell *cell, uint64_t k);

/*
 * Fills in *sum from the cell (METHOD.md, 3). Needs scratch memory of 8 bytes
 * a slot: 0 or -ENOMEM. The cell is not changed.
 */
int summary_of(struct summary *sum, const struct cell *cell);

#endif
