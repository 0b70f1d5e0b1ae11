/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_rig: runs one load as a run does, in a process of its own that is asked
 * to stop every 50 ms.
 */
#ifndef IB_TESTS_LOAD_RIG_H
#define IB_TESTS_LOAD_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "load.h"

#define RIG_COUNTERS 3

/* Shared with the process of the load. */
struct rig_shared {
	atomic_uint stop;
	atomic_uint ready;	/* setup is through */
	atomic_int result;	/* of the first call that failed, or 0 */
	atomic_int left;	/* children after teardown: 0 none, 1 some */
	char why[LOAD_WHY_LEN];
	char note[LOAD_WHY_LEN];
	struct load_work work[RIG_COUNTERS];
};

struct load_rig {
	struct rig_shared *shared;
	struct load_params params;	/* to be changed before the start */
	uint32_t max_open;	/* RLIMIT_NOFILE, 0: as it is */
	bool skip_run;		/* only setup and teardown */
	pid_t pid;
};

/* Two CPUs and plenty of everything. */
void load_rig_init(struct load_rig *rig);
void load_rig_release(struct load_rig *rig);

void load_rig_start(struct load_rig *rig, const struct load *load);

/* Whether it has counted anything anew; waits, as long as it lives. */
bool load_rig_works(struct load_rig *rig);

void load_rig_stop(struct load_rig *rig);

/*
 * Waits for the end of the process, and asks for it if the load was stopped:
 * what the load returned. -EFAULT if it was killed.
 */
int load_rig_end(struct load_rig *rig);

/* Kills a process that the one of the load has made: whether there was one. */
bool load_rig_kill_worker(struct load_rig *rig);

#endif
