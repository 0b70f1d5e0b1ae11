/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard: is the machine about to run out of something? Asked ten times a
 * second by the keeper of a load that could be to blame.
 */
#ifndef IB_SYS_GUARD_H
#define IB_SYS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUARD_INTERVAL_MS 100
#define GUARD_NR_DISKS 2

/* Limits; 0: not watched. */
struct guard {
	uint64_t mem_floor_bytes;	/* of MemAvailable */
	uint64_t swap_floor_bytes;	/* of SwapFree */
	unsigned int psi_full_pct;	/* of memory PSI full, avg10 */
	uint64_t disk_floor_bytes[GUARD_NR_DISKS];	/* free */
	int disk_fd[GUARD_NR_DISKS];	/* a directory there, or -1 */
};

/*
 * Whether a limit is crossed; then one line in why. What cannot be read is not
 * watched. root as in cgroup.h.
 */
bool guard_trips(const struct guard *guard, const char *root, char *why,
		 size_t why_size);

#endif
