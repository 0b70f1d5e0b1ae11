/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_clk: a clock that goes by a script. Time stands still except while the
 * task sleeps or burns, and a task that is not through at kill_ns is ended
 * there, as the supervisor would do it.
 */
#ifndef IB_TESTS_FAKE_CLK_H
#define IB_TESTS_FAKE_CLK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clk.h"
#include "cell.h"
#include "engine/periodic.h"

#define FAKE_EVENTS_MAX 64
/* Release of the first slot: not 0, which would mean "did not happen". */
#define FAKE_START_NS (1000 * NSEC_PER_SEC)
/* How long events after the end of the schedule still count. */
#define FAKE_GRACE_NS NSEC_PER_SEC

/* One wake and what is burnt after it. */
struct fake_event {
	int64_t late_ns;	/* of the wake, after the time slept for */
	int64_t wall_ns;	/* of the burn; -1: must not burn */
	unsigned int nr_early;	/* sleeps that return too early before it */
	unsigned int nr_eintr;	/* sleeps that a signal ends before it */
};

struct fake_clk {
	struct clk clk;		/* first: all that the code under test sees */
	int64_t now_ns;
	int64_t kill_ns;
	bool killed;
	struct fake_event events[FAKE_EVENTS_MAX];
	size_t nr_events;
	size_t next;		/* the event that the next wake takes */
	unsigned int nr_early;	/* had so far of that event */
	unsigned int nr_eintr;
	unsigned int nr_sleeps;
	unsigned int nr_burns;
	int64_t demand_ns;	/* sum of what was asked for */
	const char *fault;	/* what did not go by the script, or NULL */
	jmp_buf end;
};

/*
 * A script is a list of events "LATE,BURN" in us, apart by blanks, with '-'
 * for a slot that must not burn. Letters before LATE are sleeps that end
 * before their time: 'e' returns 0, 'i' -EINTR.
 */
void fake_clk_init(struct fake_clk *fake, const char *script);

/* The periodic loop's burn(); arg is the fake clock. */
void fake_burn(void *arg, int64_t demand_ns);

/*
 * Runs the loop over the cell with this clock and its burn(), which it puts
 * into *p, and sets what the loop does not: censored and seen_ns.
 */
void fake_run(struct fake_clk *fake, struct periodic *p, struct cell *cell);

/*
 * A cell of nr slots that follow each other without a gap, all with the same
 * demand, in segments of per_segment slots. Freed by free().
 */
struct cell *fake_cell(int64_t period_us, uint64_t nr, uint64_t per_segment,
		       int64_t demand_us);

/* Moves slots k and later by so much: the phase gap before a segment. */
void fake_cell_shift(struct cell *cell, uint64_t k, int64_t by_us);

#endif
