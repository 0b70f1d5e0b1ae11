/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell: what one task x load x round left behind. Facts only, no pointers: a
 * cell lives in shared memory, survives the death of any child, and can be
 * built by hand in a test. Every printed number is computed from it later.
 */
#ifndef IB_CELL_H
#define IB_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_WHY_LEN 192
#define CELL_NOTE_LEN 128

enum cell_status {
	CELL_OK,
	CELL_NOISY,	/* as asked, but disturbed from outside */
	CELL_INVALID,	/* measured, but not what was asked */
	CELL_SKIPPED,	/* cannot run here */
	CELL_FAILED,	/* the measuring itself broke */
};

/* Absolute times in ns of the cell's clock; 0 = did not happen. */
struct slot {
	int64_t release_ns;
	int64_t demand_ns;
	int64_t woke_ns;
	int64_t done_ns;
};

/* Where time went while CPU was burnt (METHOD.md, 4). */
struct burn_total {
	uint64_t loops;		/* loops done in steps that counted */
	int64_t burnt_ns;	/* sum of the steps that counted */
	uint64_t gaps;		/* steps that were taken away from the task */
	int64_t gap_ns;		/* their length */
	uint64_t reads;		/* clock reads */
};

struct cell {
	/* what was asked */
	uint32_t sim;		/* index into the registry */
	uint32_t load;
	uint32_t round;		/* 0.. */
	uint32_t order;		/* position in the run, 0.. */
	uint64_t seed;
	int64_t window_ns;	/* what -t asked of this task */

	/* the schedule; rate_num = 0: unpaced, one slot a frame, back to back */
	uint32_t rate_num;	/* slots a second as a fraction */
	uint32_t rate_den;
	uint32_t per_segment;	/* slots in a segment */
	uint32_t nr_segments;
	uint64_t nr_slots;	/* K: slots planned; unpaced: room for frames */
	uint32_t job_frames;	/* unpaced: frames a job */
	int64_t job_ns;		/* unpaced: CPU a job */

	/* what came of it */
	enum cell_status status;
	char why[CELL_WHY_LEN];	/* reason of the status, "" for ok */
	bool censored;		/* the task was ended at T + G */
	bool starved;		/* the load had no CPU at all */
	int64_t start_ns;	/* release of the first slot, absolute */
	int64_t end_ns;		/* T: d[K-1]; unpaced: start + window */
	int64_t seen_ns;	/* when measuring ended: last event, or T + G */
	uint64_t lost;		/* slots that found no room */
	uint64_t early_wakes;	/* sleeps that returned too early */
	uint64_t eintr;		/* sleeps that a signal cut short */
	struct burn_total burn;
	uint64_t nvcsw;		/* of the task, over the window */
	uint64_t nivcsw;
	uint64_t minflt;
	uint64_t majflt;
	bool locked_slots;	/* mlock worked for the slots, for the stack */
	bool locked_stack;
	int64_t timerslack_ns;	/* read back in the task */
	int32_t policy;		/* read back in the task after the window */
	int32_t rt_prio;
	int32_t nice;
	bool moved;		/* its affinity mask changed meanwhile */
	bool has_cpu;		/* cell_cpu() was filled (schedstat readable) */

	/* the load, from the start of the discarded segment to the end */
	uint64_t load_work;	/* units of its counter */
	int64_t load_cpu_ns;	/* -1: not known */
	int64_t load_span_ns;	/* length of that interval */
	uint64_t nr_throttled;	/* cgroup quota periods that throttled us */
	bool has_device;	/* what the device below did is known */
	uint64_t read_bytes;	/* read from it in that time, by anyone */
	uint64_t written_bytes;
	uint64_t oom_kills;	/* by the kernel, in our memory cgroup */
	char load_note[CELL_NOTE_LEN];	/* sizes and ways the load chose */
	bool load_fell_back;	/* they are less than was asked for */

	/* nr_slots of these, then as many uint64_t: see cell_cpu() */
	_Alignas(64) struct slot slots[];
};

/* Bytes of a cell with room for nr_slots: a multiple of its alignment. */
static inline size_t cell_size(uint64_t nr_slots)
{
	size_t bytes = sizeof(struct cell) +
		       nr_slots * (sizeof(struct slot) + sizeof(uint64_t));
	size_t align = _Alignof(struct cell);

	return (bytes + align - 1) / align * align;
}

/*
 * Per slot: run time of the task so far (schedstat, ns), read right after the
 * wake of that slot; 0 = not read. A dropped slot that was woken has one too.
 */
static inline uint64_t *cell_cpu(struct cell *cell)
{
	return (uint64_t *)(void *)(cell->slots + cell->nr_slots);
}

static inline const uint64_t *cell_cpu_const(const struct cell *cell)
{
	return (const uint64_t *)(const void *)(cell->slots + cell->nr_slots);
}

/*
 * When slot k is due: d_k = start of its segment + (k % n + 1) / rate, which is
 * the release of k + 1 inside a segment (METHOD.md, 2). Paced cells only.
 */
static inline int64_t cell_due(const struct cell *cell, uint64_t k)
{
	uint64_t first = k - k % cell->per_segment;
	uint64_t j = k - first + 1;

	return cell->slots[first].release_ns +
	       (int64_t)(j * UINT64_C(1000000000) * cell->rate_den /
			 cell->rate_num);
}

#endif
