/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard: MemAvailable, SwapFree, memory pressure and free disk space. */
#include "sys/guard.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/fileio.h"
#include "base/units.h"

/* The number behind the word, in the units that follow: kB. False: no such. */
static bool field_bytes(const char *text, const char *word, uint64_t *bytes)
{
	const char *at = strstr(text, word);

	if (!at)
		return false;
	*bytes = strtoull(at + strlen(word), NULL, 10) * 1024;
	return true;
}

static bool below(uint64_t have, uint64_t floor, const char *what, char *why,
		  size_t why_size)
{
	char left[32], least[32];

	if (!floor || have >= floor)
		return false;
	units_format_bytes(left, sizeof(left), have);
	units_format_bytes(least, sizeof(least), floor);
	snprintf(why, why_size, "%s left %s, at least %s must stay", left,
		 what, least);
	return true;
}

static bool memory_trips(const struct guard *guard, const char *root,
			 char *why, size_t why_size)
{
	char path[PATH_MAX], text[4096];
	uint64_t bytes;

	if (!guard->mem_floor_bytes && !guard->swap_floor_bytes)
		return false;
	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (file_read(path, text, sizeof(text)) < 0)
		return false;
	if (field_bytes(text, "MemAvailable:", &bytes) &&
	    below(bytes, guard->mem_floor_bytes, "of memory", why, why_size))
		return true;
	return field_bytes(text, "SwapFree:", &bytes) &&
	       below(bytes, guard->swap_floor_bytes, "of swap", why, why_size);
}

/* "full avg10=0.00 avg60=...": the whole percents are enough. */
static bool pressure_trips(const struct guard *guard, const char *root,
			   char *why, size_t why_size)
{
	static const char word[] = "full avg10=";
	char path[PATH_MAX], text[512];
	const char *at;
	long pct;

	if (!guard->psi_full_pct)
		return false;
	snprintf(path, sizeof(path), "%s/proc/pressure/memory", root);
	if (file_read(path, text, sizeof(text)) < 0)
		return false;
	at = strstr(text, word);
	pct = at ? strtol(at + strlen(word), NULL, 10) : 0;
	if (pct < (long)guard->psi_full_pct)
		return false;
	snprintf(why, why_size,
		 "everything waited for memory %ld %% of the time", pct);
	return true;
}

static bool disk_trips(const struct guard *guard, int i, char *why,
		       size_t why_size)
{
	struct statvfs vfs;

	if (!guard->disk_floor_bytes[i] || guard->disk_fd[i] < 0 ||
	    fstatvfs(guard->disk_fd[i], &vfs))
		return false;
	return below((uint64_t)vfs.f_bavail * vfs.f_frsize,
		     guard->disk_floor_bytes[i], "on the scratch disk", why,
		     why_size);
}

bool guard_trips(const struct guard *guard, const char *root, char *why,
		 size_t why_size)
{
	if (memory_trips(guard, root, why, why_size) ||
	    pressure_trips(guard, root, why, why_size))
		return true;
	for (int i = 0; i < GUARD_NR_DISKS; i++)
		if (disk_trips(guard, i, why, why_size))
			return true;
	return false;
}
