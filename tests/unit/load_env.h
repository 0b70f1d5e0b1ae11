/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_env: what a load is given, for tests: shared counters, two directories
 * below TMPDIR, a data file without content. Everything in one process.
 */
#ifndef IB_TESTS_LOAD_ENV_H
#define IB_TESTS_LOAD_ENV_H

#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "load.h"

#define LOAD_ENV_COUNTERS 2
#define MIB (UINT64_C(1) << 20)

struct load_env {
	struct load_params params;
	struct load_ctx ctx;
	char dir[LOAD_NR_DISKS][PATH_MAX];
	pthread_t stopper;
	uint64_t stop_after;	/* units of work */
};

/* Both disks have so many bytes, as has the data file. */
void load_env_open(struct load_env *env, uint64_t bytes);

/* Asserts that the directories are empty, and removes them. */
void load_env_close(struct load_env *env);

/* Units of work so far. */
uint64_t load_env_work(const struct load_env *env);

/* Probe, set-up, run and teardown, stopped after so many units: of run(). */
int load_env_run(struct load_env *env, const struct load *load,
		 uint64_t stop_after);

#endif
