/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup: read cpu.max, cpu.cfs_quota_us and cpu.stat up to the root. */
#include "sys/cgroup.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"

/* Where our cgroup of the cpu controller lies, and which version it has. */
struct place {
	char mount[PATH_MAX];	/* below root */
	char path[PATH_MAX];	/* below mount, "" or "/a/b" */
	bool v2;
};

/* Whether the comma-separated list has the word. */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ',') &&
		    (!at[len] || at[len] == ','))
			return true;
	return false;
}

/* Where word i of words apart by blanks begins, or NULL. */
static const char *word_at(const char *line, int i)
{
	while (line && i--) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	return line;
}

static bool copy_word(char *to, size_t size, const char *from)
{
	size_t len = from ? strcspn(from, " ") : 0;

	if (!len || len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* "4:cpu,cpuacct:/a/b" or "0::/a/b" */
static bool use_path(char *line, struct place *place)
{
	char *list = strchr(line, ':');
	char *path = list ? strchr(list + 1, ':') : NULL;

	if (!path)
		return false;
	*path++ = '\0';
	list++;
	if (place->v2 ? *list != '\0' : !list_has(list, "cpu"))
		return false;
	snprintf(place->path, sizeof(place->path), "%s",
		 strcmp(path, "/") ? path : "");
	return true;
}

/* "36 25 0:31 /mnt-root /mount opts - cgroup cgroup rw,cpu" */
static bool use_mount(char *line, struct place *place)
{
	const char *tail = strstr(line, " - ");
	char type[16], top[PATH_MAX], opts[256];
	size_t len;

	if (!tail || !copy_word(type, sizeof(type), tail + 3) ||
	    strcmp(type, place->v2 ? "cgroup2" : "cgroup"))
		return false;
	if (!place->v2 &&
	    (!copy_word(opts, sizeof(opts), word_at(tail + 3, 2)) ||
	     !list_has(opts, "cpu")))
		return false;
	if (!copy_word(top, sizeof(top), word_at(line, 3)) ||
	    !copy_word(place->mount, sizeof(place->mount), word_at(line, 4)))
		return false;
	/* A container may see only a part of the tree, mounted as its root. */
	len = strcmp(top, "/") ? strlen(top) : 0;
	if (len && !strncmp(place->path, top, len))
		memmove(place->path, place->path + len,
			strlen(place->path + len) + 1);
	return true;
}

/* Offers each line of the file until one is used: 0, or -ENOENT. */
static int find_line(const char *root, const char *name, struct place *place,
		     bool (*use)(char *line, struct place *place))
{
	char file[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool used = false;
	FILE *in;

	snprintf(file, sizeof(file), "%s%s", root, name);
	in = fopen(file, "re");
	if (!in)
		return -errno;
	while (!used && getline(&line, &size, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		used = use(line, place);
	}
	free(line);
	fclose(in);
	return used ? 0 : -ENOENT;
}

static int find_place(const char *root, bool v2, struct place *place)
{
	int err;

	memset(place, 0, sizeof(*place));
	place->v2 = v2;
	err = find_line(root, "/proc/self/cgroup", place, use_path);
	if (err)
		return err;
	return find_line(root, "/proc/self/mountinfo", place, use_mount);
}

static ssize_t read_knob(const char *root, const struct place *place,
			 const char *knob, char *text, size_t size)
{
	char file[4 * PATH_MAX];

	snprintf(file, sizeof(file), "%s%s%s/%s", root, place->mount,
		 place->path, knob);
	return file_read(file, text, size);
}

/* Quota of one level in CPUs, or 0 for none. */
static double level_quota(const char *root, const struct place *place)
{
	char text[128], *end;
	double quota, period;

	if (place->v2) {
		if (read_knob(root, place, "cpu.max", text, sizeof(text)) < 0)
			return 0;
		quota = (double)strtoll(text, &end, 10);
		period = (double)strtoll(end, NULL, 10);
		return end != text && period > 0 ? quota / period : 0;
	}
	if (read_knob(root, place, "cpu.cfs_quota_us", text, sizeof(text)) < 0)
		return 0;
	quota = (double)strtoll(text, NULL, 10);
	if (read_knob(root, place, "cpu.cfs_period_us", text, sizeof(text)) < 0)
		return 0;
	period = (double)strtoll(text, NULL, 10);
	return quota > 0 && period > 0 ? quota / period : 0;
}

/* Periods of one level that were throttled, or -1. */
static int64_t level_throttled(const char *root, const struct place *place)
{
	char text[4096];
	const char *at;

	if (read_knob(root, place, "cpu.stat", text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, "nr_throttled ");
	return at ? strtoll(at + strlen("nr_throttled "), NULL, 10) : -1;
}

/* One level up; false at the root. */
static bool go_up(struct place *place)
{
	char *slash = strrchr(place->path, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

int cgroup_quota(const char *root, double *cpus)
{
	struct place place;
	double least = 0;

	for (int v2 = 0; v2 <= 1; v2++) {
		if (find_place(root, v2, &place))
			continue;
		do {
			double quota = level_quota(root, &place);

			if (quota > 0 && (!(least > 0) || quota < least))
				least = quota;
		} while (go_up(&place));
	}
	*cpus = least;
	return least > 0 ? 0 : -ENOENT;
}

int cgroup_throttled(const char *root, uint64_t *periods)
{
	struct place place;
	int err = -ENOENT;

	*periods = 0;
	for (int v2 = 0; v2 <= 1; v2++) {
		if (find_place(root, v2, &place))
			continue;
		do {
			int64_t nr = level_throttled(root, &place);

			if (nr >= 0) {
				*periods += (uint64_t)nr;
				err = 0;
			}
		} while (go_up(&place));
	}
	return err;
}
