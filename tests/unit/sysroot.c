/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysroot: make and remove small trees of files. */
#include "sysroot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sysroot_setup(void **state)
{
	struct sysroot *sr = calloc(1, sizeof(*sr));
	const char *tmp = getenv("TMPDIR");

	if (!sr)
		return -1;
	snprintf(sr->path, sizeof(sr->path), "%s/sysroot.XXXXXX",
		 tmp ? tmp : "/tmp");
	*state = sr;
	return mkdtemp(sr->path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int sysroot_teardown(void **state)
{
	struct sysroot *sr = *state;
	int err = nftw(sr->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(sr);
	return err;
}

/* All directories that the path goes through; not its last part. */
static void make_parents(const struct sysroot *sr, char *path)
{
	for (char *slash = path + strlen(sr->path) + 1;
	     (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
		*slash = '/';
	}
}

void sysroot_put(const struct sysroot *sr, const char *path, const char *text)
{
	char file[PATH_MAX];
	FILE *out;

	snprintf(file, sizeof(file), "%s%s", sr->path, path);
	make_parents(sr, file);
	out = fopen(file, "w");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

void sysroot_mkdir(const struct sysroot *sr, const char *path)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s%s/", sr->path, path);
	make_parents(sr, dir);
}

void sysroot_put_groups(const struct sysroot *sr, const char *cgroup,
			const char *mountinfo)
{
	sysroot_put(sr, "/proc/self/cgroup", cgroup);
	sysroot_put(sr, "/proc/self/mountinfo", mountinfo);
}
