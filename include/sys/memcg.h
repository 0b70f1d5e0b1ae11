/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memcg: a memory cgroup of our own, to be under pressure in without putting
 * anybody else there. root as in cgroup.h. A group is an empty directory once
 * its process is dead; nothing of it goes by itself.
 */
#ifndef IB_SYS_MEMCG_H
#define IB_SYS_MEMCG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* A group's name goes on with the pid and the start time of who is in it. */
#define MEMCG_PREFIX "interbench-memload-"

struct memcg {
	bool v2;
	char dir[PATH_MAX];	/* "": none */
	char home[PATH_MAX];	/* the group we came from */
};

/*
 * Whether a group can be made, as far as permissions tell: 1 or 2, the version
 * it would have, or -errno. v2 forbids processes in a group that has divided
 * its memory, so there it would be one beside ours, if somebody prepared that.
 */
int memcg_probe(const char *root);

/*
 * Removes what dead runs left, makes a group and moves the calling process
 * into it, limited to max bytes of memory and swap_max of swap, and reclaimed
 * from high bytes on (v2 only). What the process had stays charged where it
 * is. 0, or -errno with nothing left behind.
 */
int memcg_enter(struct memcg *cg, const char *root, uint64_t high,
		uint64_t max, uint64_t swap_max);

/* Changes the limits. More than is in use, else v2 may kill: 0 or -errno. */
int memcg_limit(const struct memcg *cg, uint64_t high, uint64_t max,
		uint64_t swap_max);

/* Bytes charged to the group: 0 or -errno. */
int memcg_usage(const struct memcg *cg, uint64_t *bytes);

/* Moves the process back and removes the group. Nothing if there is none. */
void memcg_leave(struct memcg *cg);

/*
 * Removes the groups of dead processes, beside or below ours, and leaves those
 * of other runs, whatever pid namespace these are in. How many it removed.
 */
unsigned int memcg_remove_stale(const char *root);

#endif
