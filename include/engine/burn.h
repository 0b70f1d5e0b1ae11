/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn: use up an amount of CPU, told in time or in loops, without asking the
 * kernel how much was used (METHOD.md, 4: reading a CPU clock changes
 * scheduling). Spins in short chunks between reads of the clock; a step that
 * is much longer than usual is time that somebody else had.
 */
#ifndef IB_ENGINE_BURN_H
#define IB_ENGINE_BURN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clk.h"
#include "cell.h"

enum burn_mode {
	BURN_CPU,	/* a demand is CPU time */
	BURN_WORK,	/* a demand is a fixed number of loops */
};

struct burn {
	struct clk *clk;
	enum burn_mode mode;
	uint64_t loops_per_ms;	/* BURN_WORK: what a demand is worth */
	uint64_t chunk;		/* loops between two reads */
	int64_t chunk_ns;	/* length that the chunk was made for */
	int64_t gap_min_ns;	/* a gap is > max(gap_min_ns, 4 median) */
	int64_t median_ns;	/* running median of the steps */
	struct burn_total total;
};

/*
 * Chooses the chunk and seeds the median with about 20 ms of spinning.
 * syscall_clock: reads are expensive, use long chunks. 0, or -EINVAL for
 * BURN_WORK without loops_per_ms.
 */
int burn_init(struct burn *burn, struct clk *clk, enum burn_mode mode,
	      uint64_t loops_per_ms, bool syscall_clock);

/* Uses up demand_ns; the periodic loop's burn(), hence the void pointer. */
void burn_run(void *burn, int64_t demand_ns);

/* Uses up exactly so many loops; works in either mode. */
void burn_work(struct burn *burn, uint64_t loops);

/* Spins so many loops; survives every optimisation level, LTO included. */
void burn_loops(uint64_t loops);

/* The speed now, in loops per ms, from sample_ns of spinning. */
uint64_t burn_speed(struct clk *clk, int64_t sample_ns);

#endif
