/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample: what a load has done so far, read before and after the window and
 * never in it: reading CPU clocks disturbs the scheduler (METHOD.md, fact 4).
 */
#ifndef IB_RUN_SAMPLE_H
#define IB_RUN_SAMPLE_H

#include "run/run.h"

struct sample {
	int64_t at_ns;
	uint64_t work;		/* units of the load */
	int64_t cpu_ns;		/* of all its processes; -1: not known */
	uint64_t throttled;	/* cgroup quota periods */
	bool has_device;
	uint64_t read_bytes;	/* of the device below its files */
	uint64_t written_bytes;
};

struct sample_who {
	pid_t keeper;
	pid_t load;
};

void sample_take(struct sample *s, const struct run *run,
		 const struct plan_cell *pc, const struct sample_who *who);

/* The difference of two goes into the cell. */
void sample_store(struct cell *cell, const struct sample *from,
		  const struct sample *to);

/* The work alone. */
uint64_t sample_work(const struct run *run, const struct plan_cell *pc,
		     const struct sample_who *who);

/* OOM kills in our memory cgroup so far, 0 where not known. */
uint64_t sample_oom_kills(void);

#endif
