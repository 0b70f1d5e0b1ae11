/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_host: a load in a process of its own, as the run layer has it. */
#ifndef IB_TESTS_LOAD_HOST_H
#define IB_TESTS_LOAD_HOST_H

#include <stdint.h>
#include <sys/types.h>

#include "load.h"

struct load_host_shared;

struct load_host {
	struct load_ctx ctx;	/* to be changed before the start */
	struct load_params params;
	struct load_host_shared *shared;
	char dir[64];		/* dir_fd[LOAD_DISK_HOME] */
	pid_t pid;		/* 0: none */
};

/* Modest sizes, a private directory, IB's own program if there is one. */
void load_host_init(struct load_host *host, const struct load *load);
/* Kills what is left, removes the directory. */
void load_host_release(struct load_host *host);

/* Here, not in a process: its result; why is in host->ctx. */
int load_host_probe(struct load_host *host);

/* Starts a process that does setup, run, teardown. */
void load_host_start(struct load_host *host);

/* Until so much was counted; fails the test if that does not come. */
void load_host_wait_work(struct load_host *host, uint64_t work);
uint64_t load_host_work(const struct load_host *host);

/* A child of the load, waited for; skips the test where /proc has no list. */
pid_t load_host_child(const struct load_host *host);

/* Waits for the end of the load: what setup or run returned. */
int load_host_end(struct load_host *host);
/* The same, children of the load being killed until then. */
int load_host_end_killed(struct load_host *host);
/* The same after the stop flag and a signal every 50 ms. */
int load_host_stop(struct load_host *host);

/* After the end. */
const char *load_host_why(const struct load_host *host);
const char *load_host_note(const struct load_host *host);

/* Whether a process of the load's group is left. */
int load_host_leaves_process(const struct load_host *host);

#endif
