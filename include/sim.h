/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim: the contract of a simulated interactive task. Each sims/<name>.c
 * defines one const struct sim, named sim_<name>, and nothing else that is
 * visible. Most are data only and run in the common slot loop.
 */
#ifndef IB_SIM_H
#define IB_SIM_H

#include <stdint.h>

struct sim_ctx;

enum sim_flag {
	SIM_DEFAULT = 1 << 0,	/* part of a run without -W */
	SIM_RT = 1 << 1,	/* -r applies to it */
	SIM_UNPACED = 1 << 2,	/* back to back, no slots and no deadlines */
	SIM_CUSTOM = 1 << 3,	/* rate and demand come from -C and -I */
	SIM_QUICK = 1 << 4,	/* part of --quick */
};

struct sim {
	const char *name;	/* "audio": command line and data */
	const char *title;	/* "Audio": tables */
	const char *help;	/* one line */
	unsigned int flags;
	uint32_t rate_num;	/* slots a second, as a fraction */
	uint32_t rate_den;
	int64_t busy_ns;	/* CPU of a slot (unpaced: of a frame) */
	uint32_t sweep;		/* slots after which demand() repeats, or 0 */
	uint32_t job_frames;	/* unpaced: frames of a job */

	/* CPU of slot k, if not always busy_ns. */
	int64_t (*demand)(uint64_t k);

	/* Own loop instead of the slot loop; 0 or -errno. */
	int (*run)(struct sim_ctx *ctx);
};

#endif
