/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memcg: make, limit, enter, leave and remove memory cgroups, v1 and v2. */
#include "sys/memcg.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fileio.h"
#include "sys/cgpath.h"

/* Another run may take a new group for a stale one before it is entered. */
#define MAKE_TRIES 3
/* A process counts as a member for a moment after it has gone. */
#define REMOVE_TRIES 10
#define REMOVE_PAUSE_NS 5000000

#define NAME_LEN 64

/* Whether groups below this one can have the memory controller. */
static bool divides_memory(const struct cgpath *at)
{
	char text[512];
	const char *word = text;

	if (cgpath_read(at, "cgroup.subtree_control", text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	while ((word = strstr(word, "memory"))) {
		if ((word == text || word[-1] == ' ') &&
		    (!word[6] || word[6] == ' '))
			return true;
		word++;
	}
	return false;
}

/* Our own group of the controller; not one outside of what we may see. */
static int find_home(struct cgpath *at, const char *root, bool v2)
{
	int err = cgpath_find(at, root, "memory", v2);

	if (!err && strstr(at->path, "/.."))
		err = -ENOENT;
	return err;
}

/* From the group we are in to that below which one can be made. */
static int go_to_base(struct cgpath *at)
{
	char knob[PATH_MAX], dir[PATH_MAX];
	int err;

	if (at->v2 && !divides_memory(at) &&
	    (!cgpath_up(at) || !divides_memory(at)))
		return -EOPNOTSUPP;
	err = cgpath_file(at, "", dir, sizeof(dir));
	if (!err)
		err = cgpath_file(at, "cgroup.procs", knob, sizeof(knob));
	if (!err && (access(dir, W_OK) || access(knob, W_OK)))
		err = -errno;
	return err;
}

/* Version 1 first: where it has the controller, v2 has not. */
static int find_base(struct cgpath *at, struct memcg *cg, const char *root)
{
	int err = -ENOENT;

	for (int v2 = 0; v2 <= 1; v2++) {
		if (find_home(at, root, v2))
			continue;
		err = cgpath_file(at, "", cg->home, sizeof(cg->home));
		if (!err)
			err = go_to_base(at);
		cg->v2 = v2;
		if (!err)
			break;
	}
	return err;
}

int memcg_probe(const char *root)
{
	struct cgpath at;
	struct memcg cg;
	int err = find_base(&at, &cg, root);

	return err ? err : 1 + cg.v2;
}

/*
 * When a process started, in ticks since the boot (field 22 of stat), for a
 * pid or "self". Not for one that is dead but not yet waited for.
 */
static int start_time(const char *root, const char *pid, uint64_t *ticks)
{
	char path[PATH_MAX], text[1024];
	const char *at;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/proc/%s/stat", root, pid);
	len = file_read(path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	/* The name before it may hold blanks and parentheses. */
	at = strrchr(text, ')');
	if (!at || strncmp(at, ") ", 2) || strchr("ZX", at[2]))
		return -ESRCH;
	at++;
	for (int field = 3; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -EINVAL;
	*ticks = strtoull(at, NULL, 10);
	return 0;
}

static void make_name(const char *root, char *name, size_t size)
{
	uint64_t ticks = 0;

	start_time(root, "self", &ticks);
	snprintf(name, size, MEMCG_PREFIX "%ld-%" PRIu64, (long)getpid(),
		 ticks);
}

/* Whether who is named there lives, as far as we can see. */
static bool is_alive(const char *root, const char *name)
{
	char pid[NAME_LEN];
	const char *dash;
	uint64_t ticks;

	name += strlen(MEMCG_PREFIX);
	dash = strchr(name, '-');
	if (!dash || (size_t)(dash - name) >= sizeof(pid))
		return false;
	snprintf(pid, sizeof(pid), "%.*s", (int)(dash - name), name);
	if (pid[strspn(pid, "0123456789")] || start_time(root, pid, &ticks))
		return false;
	return strtoull(dash + 1, NULL, 10) == ticks;
}

/* The kernel refuses to remove a group that has a process in it. */
static void remove_group(const char *dir)
{
	const struct timespec pause = { 0, REMOVE_PAUSE_NS };

	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (!rmdir(dir) || errno != EBUSY)
			return;
		nanosleep(&pause, NULL);
	}
}

static unsigned int remove_stale_in(const struct cgpath *at)
{
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *dir;

	if (cgpath_file(at, "", path, sizeof(path)))
		return 0;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strncmp(name, MEMCG_PREFIX, strlen(MEMCG_PREFIX)) ||
		    is_alive(at->root, name))
			continue;
		if (!unlinkat(dirfd(dir), name, AT_REMOVEDIR))
			nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

unsigned int memcg_remove_stale(const char *root)
{
	struct cgpath at;
	unsigned int nr = 0;

	for (int v2 = 0; v2 <= 1; v2++) {
		if (find_home(&at, root, v2))
			continue;
		nr += remove_stale_in(&at);
		if (v2 && cgpath_up(&at))
			nr += remove_stale_in(&at);
	}
	return nr;
}

static int write_knob(const char *dir, const char *knob, const char *text)
{
	char path[PATH_MAX];
	int fd, err;

	if (snprintf(path, sizeof(path), "%s/%s", dir, knob) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fd_write_all(fd, text, strlen(text), NULL);
	close(fd);
	return err;
}

/* Not every kernel has every knob. */
static int write_bytes(const struct memcg *cg, const char *knob,
		       uint64_t bytes, bool optional)
{
	char text[32];
	int err;

	/* To v1 this is more than it can count to: no limit at all. */
	if (bytes > INT64_MAX)
		bytes = INT64_MAX;
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	err = write_knob(cg->dir, knob, text);
	return optional && err == -ENOENT ? 0 : err;
}

static int limit_v1(const struct memcg *cg, uint64_t max, uint64_t swap_max)
{
	static const char memsw[] = "memory.memsw.limit_in_bytes";
	uint64_t both = max <= UINT64_MAX - swap_max ? max + swap_max :
						       UINT64_MAX;
	int err;

	/* Never below the other limit: one of the two orders is refused. */
	write_bytes(cg, memsw, both, true);
	err = write_bytes(cg, "memory.limit_in_bytes", max, false);
	return err ? err : write_bytes(cg, memsw, both, true);
}

int memcg_limit(const struct memcg *cg, uint64_t high, uint64_t max,
		uint64_t swap_max)
{
	int err;

	if (!cg->v2)
		return limit_v1(cg, max, swap_max);
	err = write_bytes(cg, "memory.swap.max", swap_max, true);
	if (!err)
		err = write_bytes(cg, "memory.high", high, false);
	if (!err)
		err = write_bytes(cg, "memory.max", max, false);
	return err;
}

static int make(struct memcg *cg, uint64_t high, uint64_t max,
		uint64_t swap_max)
{
	int err = mkdir(cg->dir, 0755) ? -errno : 0;

	if (err)
		return err;
	err = memcg_limit(cg, high, max, swap_max);
	/* If one of us has to be killed, the rest is of no use. */
	if (!err && cg->v2)
		err = write_bytes(cg, "memory.oom.group", 1, true);
	if (!err)
		err = write_knob(cg->dir, "cgroup.procs", "0");
	if (err)
		rmdir(cg->dir);
	return err;
}

int memcg_enter(struct memcg *cg, const char *root, uint64_t high,
		uint64_t max, uint64_t swap_max)
{
	char name[NAME_LEN];
	struct cgpath at;
	int err;

	memset(cg, 0, sizeof(*cg));
	err = find_base(&at, cg, root);
	if (err)
		return err;
	memcg_remove_stale(root);
	make_name(root, name, sizeof(name));
	err = cgpath_file(&at, name, cg->dir, sizeof(cg->dir));
	for (int i = 0; !err && i < MAKE_TRIES; i++) {
		err = make(cg, high, max, swap_max);
		if (err != -ENOENT && err != -ENODEV)
			break;
		err = i + 1 < MAKE_TRIES ? 0 : err;
	}
	if (err)
		cg->dir[0] = '\0';
	return err;
}

int memcg_usage(const struct memcg *cg, uint64_t *bytes)
{
	char path[PATH_MAX];
	int64_t value = 0;
	int err;

	if (snprintf(path, sizeof(path), "%s/%s", cg->dir,
		     cg->v2 ? "memory.current" : "memory.usage_in_bytes") >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	err = file_read_i64(path, &value);
	if (!err)
		*bytes = (uint64_t)value;
	return err;
}

void memcg_leave(struct memcg *cg)
{
	if (!cg->dir[0])
		return;
	write_knob(cg->home, "cgroup.procs", "0");
	remove_group(cg->dir);
	cg->dir[0] = '\0';
}
