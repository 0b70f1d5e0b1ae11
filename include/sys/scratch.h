/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch: a directory of our own in one that the user names. Its lock says
 * that somebody still needs it: one without is a leftover of a run that was
 * killed, and is removed by the next.
 */
#ifndef IB_SYS_SCRATCH_H
#define IB_SYS_SCRATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What a directory would be like as a place to write in. */
struct scratch_place {
	char path[PATH_MAX];
	int err;		/* 0, or -errno: nothing can be written there */
	char fs[16];		/* type of file system, "" if not known */
	bool in_memory;		/* tmpfs and the like */
	uint64_t total_bytes;
	uint64_t free_bytes;	/* for this user */
};

/* Always filled in; changes nothing. */
void scratch_look(struct scratch_place *place, const char *path);

struct scratch {
	int parent_fd;		/* -1: there is none */
	int fd;			/* the directory itself, locked */
	char name[64];		/* in its parent */
};

#define SCRATCH_NONE { -1, -1, "" }

/*
 * Removes what dead runs of this user have left in parent, and makes a
 * directory (0700) there. 0 or -errno. Children inherit the lock with the
 * descriptor.
 */
int scratch_make(struct scratch *scratch, const char *parent);

/*
 * Removes all that is in it, and it, trying for up to wait_ms while others
 * still write in it. 0 or -errno. The descriptors stay open.
 */
int scratch_clear(const struct scratch *scratch, int wait_ms);

/* Closes the descriptors. */
void scratch_close(struct scratch *scratch);

/* An empty file without a name: its descriptor, or -errno. */
int scratch_file(const struct scratch *scratch);

#endif
