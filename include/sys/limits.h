/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits: memory, swap, tasks and files that this process can really have. */
#ifndef IB_SYS_LIMITS_H
#define IB_SYS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct limits {
	/* The same two of the machine, whatever group we are in. */
	uint64_t machine_bytes;
	uint64_t machine_available_bytes;
	/* Of the machine, or of the tightest memory cgroup around us. */
	uint64_t ram_bytes;
	/* To be had without swapping and without reaching a limit. */
	uint64_t available_bytes;
	uint64_t swap_total_bytes;
	uint64_t swap_free_bytes;
	/* One process: RLIMIT_AS, RLIMIT_DATA; UINT64_MAX: no limit. */
	uint64_t address_bytes;
	uint32_t max_tasks;	/* more processes and threads, all together */
	uint32_t max_files;	/* descriptors of one process, RLIMIT_NOFILE */
	bool has_meminfo;	/* else available_bytes leaves out the cache */
};

/*
 * What holds now, v1 and v2 cgroups alike; root as in cgroup.h, though limits
 * of the process itself are always the real ones. What cannot be found out
 * limits nothing. 0 or -errno.
 */
int limits_read(struct limits *limits, const char *root);

/*
 * How many processes the OOM killer has killed: in our memory cgroups, those
 * of memcg.h included, or else on the machine. Of v2 it is all below the group
 * above ours. Only the difference of two calls says something. 0 or -ENOENT.
 */
int limits_oom_kills(const char *root, uint64_t *nr);

#endif
