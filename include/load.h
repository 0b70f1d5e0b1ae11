/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load: the contract of a background load. Each loads/<name>.c defines one
 * const struct load, named load_<name>, and nothing else that is visible. It
 * runs in a process of its own and never knows what it is measured against.
 */
#ifndef IB_LOAD_H
#define IB_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim.h"

struct load_ctx;

enum load_flag {
	LOAD_DEFAULT = 1 << 0,	/* part of a run without -w */
	LOAD_QUICK = 1 << 1,	/* part of --quick */
	LOAD_IDLE = 1 << 2,	/* does nothing: no progress is expected */
	LOAD_THREADS = 1 << 3,	/* one worker for each of -L */
	LOAD_CONTEST = 1 << 4,	/* one of the loads of contest */
	LOAD_DISK = 1 << 5,	/* needs a directory to write in: disk[0] */
	LOAD_OTHER = 1 << 6,	/* the same, but that of --scratch-other */
	LOAD_DATA = 1 << 7,	/* reads the data file of the run: data_fd */
	LOAD_WRITES = 1 << 8,	/* goes on writing, at most io_rate */
	LOAD_BYTES = 1 << 9,	/* its work is bytes to or from the device */
	LOAD_GUARD = 1 << 10,	/* can use up memory or disk: is watched */
	LOAD_MEMORY = 1 << 13,	/* is there to make memory short */
	LOAD_CPU_WORK = 1 << 11,	/* work is the CPU time of its processes */
	LOAD_COMMAND = 1 << 12,	/* exists only with a command: --load-cmd */
};

struct load {
	const char *name;	/* "burn": command line and data */
	const char *title;	/* "Burn": tables */
	const char *help;	/* one line */
	const char *unit;	/* of its work counter: "loops" */
	unsigned int flags;
	/* Names of loads that together are the classic form of this one. */
	const char *const *parts;

	/*
	 * Optional: 0, or -errno and ctx->why: the cell is skipped. Looks at
	 * params and at what the machine has; opens nothing in the scratch
	 * directories, which do not exist yet where --plan asks.
	 */
	int (*probe)(struct load_ctx *ctx);
	/*
	 * Optional, untimed, over within LOAD_SETUP_NS: 0, or -errno and
	 * ctx->why: the cell failed. May leave a few words in ctx->note.
	 */
	int (*setup)(struct load_ctx *ctx);
	/*
	 * Until load_stopped(); counts its work as it goes. 0, or -errno and
	 * ctx->why: the cell is invalid. Returns within 0.3 s of the stop, the
	 * SIGUSR1 that comes with it ends what it sleeps in (EINTR).
	 */
	int (*run)(struct load_ctx *ctx);
	/* Optional; called after any result of setup. */
	void (*teardown)(struct load_ctx *ctx);
};

#define LOAD_SETUP_NS INT64_C(8000000000)

/* A work counter has a cache line of its own. Zeroed before the load starts. */
struct load_work {
	_Alignas(64) atomic_uint_fast64_t n;
};

#define LOAD_WHY_LEN 160
#define LOAD_NOTE_LEN 128

/* A place to write in, as found before the start. */
struct load_disk {
	uint64_t bytes;		/* for a file that is written; 0: see why */
	uint64_t reserve_bytes;	/* free space that has to stay free */
	bool in_memory;		/* no disk at all: tmpfs and the like */
	char fs[16];		/* type of file system: "ext4" */
	char why[LOAD_WHY_LEN];	/* why nothing can be written there */
};

enum { LOAD_DISK_HOME, LOAD_DISK_OTHER, LOAD_NR_DISKS };

/*
 * Sizes and limits, the same for all loads of a run: made from what this
 * process may really use and from the command line before the start.
 */
struct load_params {
	uint32_t cpus;		/* that can be used */
	uint32_t max_tasks;	/* processes and threads that can be made */
	uint32_t max_files;	/* descriptors of one process */
	uint64_t mem_bytes;	/* memory that can be had without harm */
	uint64_t floor_bytes;	/* memory that has to stay available */
	uint64_t memload_bytes;	/* W, what Memload keeps under pressure */
	uint64_t nolimit_bytes;	/* most without a group, 0: not said */
	uint64_t swap_bytes;	/* free swap that we may use */
	uint64_t swap_floor_bytes;	/* swap that has to stay free */
	bool memload_global;	/* 110 % of the machine's memory instead */
	uint64_t ram_bytes;	/* of the machine, or of our cgroup */
	uint64_t data_bytes;	/* most that the data file may have */
	uint64_t read_bytes;	/* of the data file, for Read */
	uint64_t io_rate;	/* bytes written a second; 0: no limit */
	struct load_disk disk[LOAD_NR_DISKS];
};

/*
 * What a load gets. The directories are private to the run, the one who made
 * them removes them with all that is in them. The ring files are open files
 * without names that stay from cell to cell, since to free gigabytes can take
 * seconds; so is the data file, which the first load that needs it writes
 * (engine/datafile.h).
 */
struct load_ctx {
	const struct load *load;
	const struct sim *sim;	/* a task serving as a load, else NULL */
	const char *command;	/* of --load-cmd, else NULL */
	const struct load_params *params;
	uint64_t seed;
	uint32_t nr_workers;	/* threads asked for; a load may set its own */
	uint32_t nr_counters;	/* of work[] */
	uint64_t loops_per_ms;	/* 0: burn CPU time, else so many loops */
	bool syscall_clock;	/* reading the clock is expensive */
	struct load_work *work;	/* shared memory */
	struct load_work *kept;	/* shared, for all cells; see load_size() */
	atomic_uint *stop;	/* shared memory: not 0 = end now */
	int dir_fd[LOAD_NR_DISKS];	/* directories to write in, -1: none */
	int ring_fd[LOAD_NR_DISKS];	/* a file to write in there, -1: none */
	int data_fd;		/* the data file, -1: none */
	int self_fd;		/* our own program, to be executed again */
	void *priv;		/* the load's own, from setup to teardown */
	char why[LOAD_WHY_LEN];	/* reason of a failure */
	char note[LOAD_NOTE_LEN];	/* to be shown with the row, or "" */
	bool fell_back;		/* note tells of less than was asked for */
};

static inline bool load_stopped(const struct load_ctx *ctx)
{
	return atomic_load_explicit(ctx->stop, memory_order_relaxed) != 0;
}

/*
 * A size that a load had to choose by what it met is kept, so that its other
 * cells in the run have the same: what was kept, if it is less than wanted.
 */
static inline uint64_t load_size(const struct load_ctx *ctx, uint64_t wanted)
{
	uint64_t kept = ctx->kept ? atomic_load(&ctx->kept->n) : 0;

	return kept && kept < wanted ? kept : wanted;
}

static inline void load_keep(struct load_ctx *ctx, uint64_t size)
{
	if (ctx->kept)
		atomic_store(&ctx->kept->n, size);
}

/* Any worker number will do; those of others share a counter. */
static inline void load_count(struct load_ctx *ctx, uint32_t worker, uint64_t n)
{
	atomic_fetch_add_explicit(&ctx->work[worker % ctx->nr_counters].n, n,
				  memory_order_relaxed);
}

#endif
