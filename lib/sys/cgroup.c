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

#define TEXT_LEN 65536

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

/* From /proc/self/cgroup: "4:cpu,cpuacct:/a/b" or "0::/a/b". */
static int find_path(const char *root, struct place *place)
{
	char file[PATH_MAX], *text = malloc(TEXT_LEN), *save = NULL;
	int err = -ENOENT;

	if (!text)
		return -ENOMEM;
	snprintf(file, sizeof(file), "%s/proc/self/cgroup", root);
	if (file_read(file, text, TEXT_LEN) < 0)
		*text = '\0';
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		if (place->v2 ? *++list != '\0' : !list_has(++list, "cpu"))
			continue;
		snprintf(place->path, sizeof(place->path), "%s",
			 strcmp(path, "/") ? path : "");
		err = 0;
	}
	free(text);
	return err;
}

/* "36 25 0:31 /mnt-root /mount opts - cgroup cgroup rw,cpu" */
static bool use_mount(char *line, struct place *place)
{
	char *words[6], *tail = strstr(line, " - "), *save = NULL, *type;
	char *opts;
	size_t len;

	if (!tail)
		return false;
	*tail = '\0';
	for (int i = 0; i < 5; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!words[i])
			return false;
	}
	type = strtok_r(tail + 3, " ", &save);
	opts = strrchr(save, ' ');
	if (!type || strcmp(type, place->v2 ? "cgroup2" : "cgroup"))
		return false;
	if (!place->v2 && (!opts || !list_has(opts + 1, "cpu")))
		return false;
	/* A container may see only a part of the tree, mounted as its root. */
	len = strcmp(words[3], "/") ? strlen(words[3]) : 0;
	if (len && !strncmp(place->path, words[3], len))
		memmove(place->path, place->path + len,
			strlen(place->path + len) + 1);
	snprintf(place->mount, sizeof(place->mount), "%s", words[4]);
	return true;
}

static int find_mount(const char *root, struct place *place)
{
	char file[PATH_MAX], *text = malloc(TEXT_LEN), *save = NULL;
	bool found = false;

	if (!text)
		return -ENOMEM;
	snprintf(file, sizeof(file), "%s/proc/self/mountinfo", root);
	if (file_read(file, text, TEXT_LEN) < 0)
		*text = '\0';
	for (char *line = strtok_r(text, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save))
		found = use_mount(line, place);
	free(text);
	return found ? 0 : -ENOENT;
}

static int find_place(const char *root, bool v2, struct place *place)
{
	int err;

	memset(place, 0, sizeof(*place));
	place->v2 = v2;
	err = find_path(root, place);
	return err ? err : find_mount(root, place);
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
