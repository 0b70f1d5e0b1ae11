/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysroot: a directory that looks like /proc and /sys, for one test. */
#ifndef IB_TESTS_SYSROOT_H
#define IB_TESTS_SYSROOT_H

#include <limits.h>

struct sysroot {
	char path[PATH_MAX / 4];
};

/* For cmocka: *state is a struct sysroot, which teardown removes. */
int sysroot_setup(void **state);
int sysroot_teardown(void **state);

/* Writes a file and makes the directories above it; path begins with '/'. */
void sysroot_put(const struct sysroot *sr, const char *path, const char *text);
void sysroot_mkdir(const struct sysroot *sr, const char *path);

/* cgroup and mountinfo of /proc/self. */
void sysroot_put_groups(const struct sysroot *sr, const char *cgroup,
			const char *mountinfo);

#endif
