/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgpath: where our cgroup of a controller lies, and the levels above it. */
#ifndef IB_SYS_CGPATH_H
#define IB_SYS_CGPATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cgpath {
	const char *root;	/* where /proc and /sys are: "" but in tests */
	const char *controller;	/* "cpu"; nothing to v2, which has one tree */
	bool v2;
	char mount[PATH_MAX];	/* below root */
	char path[PATH_MAX];	/* below mount, "" or "/a/b" */
};

/*
 * Finds the group that we are in, in the tree of that version. root and
 * controller stay the caller's. 0, or -errno where there is none.
 */
int cgpath_find(struct cgpath *at, const char *root, const char *controller,
		bool v2);

/* One level up; false at the root of what we see. */
bool cgpath_up(struct cgpath *at);

/* Writes the path of a file of the group, "" for the group: 0 or -errno. */
int cgpath_file(const struct cgpath *at, const char *knob, char *path,
		size_t size);

/* Reads a file of the group: as file_read(). */
ssize_t cgpath_read(const struct cgpath *at, const char *knob, char *text,
		    size_t size);

/* A file that is one number; "max" is UINT64_MAX. 0 or -errno. */
int cgpath_read_u64(const struct cgpath *at, const char *knob, uint64_t *out);

#endif
