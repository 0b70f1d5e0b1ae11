/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits: meminfo, memory and pids cgroups, resource limits, sysctls. */
#include "sys/limits.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/fileio.h"
#include "sys/cgpath.h"
#include "sys/memcg.h"

#define KIB UINT64_C(1024)
#define TEXT_LEN 16384	/* vmstat has some 6 KiB */
/* Pids below this are for what runs before init: RESERVED_PIDS. */
#define RESERVED_PIDS 300

#define CAP_BIT_SYS_ADMIN (UINT64_C(1) << 21)
#define CAP_BIT_SYS_RESOURCE (UINT64_C(1) << 24)

static void bound(uint64_t *value, uint64_t limit)
{
	if (*value > limit)
		*value = limit;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static ssize_t read_root(const char *root, const char *name, char *text,
			 size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return file_read(path, text, size);
}

/* What follows the key at the beginning of a line, blanks left out. */
static const char *find_key(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && *text) {
		if (!strncmp(text, key, len) &&
		    (text[len] == ':' || isblank((unsigned char)text[len])))
			return text + len + 1 +
			       strspn(text + len + 1, " \t");
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return NULL;
}

static bool find_number(const char *text, const char *key, int base,
			uint64_t *out)
{
	const char *at = find_key(text, key);

	if (!at || !isxdigit((unsigned char)*at))
		return false;
	*out = strtoull(at, NULL, base);
	return true;
}

/* 0 where there is no such line. */
static uint64_t number_of(const char *text, const char *key)
{
	uint64_t value = 0;

	find_number(text, key, 10, &value);
	return value;
}

static uint64_t kib_of(const char *text, const char *key)
{
	uint64_t kib = number_of(text, key);

	return kib <= UINT64_MAX / KIB ? kib * KIB : UINT64_MAX;
}

static void read_sysinfo(struct limits *l)
{
	struct sysinfo info;
	uint64_t unit;

	if (sysinfo(&info))
		return;
	unit = info.mem_unit ? info.mem_unit : 1;
	l->ram_bytes = info.totalram * unit;
	l->available_bytes = ((uint64_t)info.freeram + info.bufferram) * unit;
	l->swap_total_bytes = info.totalswap * unit;
	l->swap_free_bytes = info.freeswap * unit;
}

static bool read_meminfo(struct limits *l, const char *root)
{
	char text[TEXT_LEN];

	if (read_root(root, "/proc/meminfo", text, sizeof(text)) < 0)
		return false;
	l->ram_bytes = kib_of(text, "MemTotal");
	if (!l->ram_bytes)
		return false;
	/* The kernel has estimated it since 3.14; before, so do we. */
	if (find_key(text, "MemAvailable"))
		l->available_bytes = kib_of(text, "MemAvailable");
	else
		l->available_bytes = kib_of(text, "MemFree") +
				     kib_of(text, "Inactive(file)") +
				     kib_of(text, "Active(file)") / 2;
	l->swap_total_bytes = kib_of(text, "SwapTotal");
	l->swap_free_bytes = kib_of(text, "SwapFree");
	return true;
}

/* Cache that reclaim finds easily; what is in use it should not take. */
static uint64_t level_cache(const struct cgpath *at)
{
	char text[TEXT_LEN];

	if (cgpath_read(at, "memory.stat", text, sizeof(text)) < 0)
		return 0;
	/* Without total_ v1 counts the group but not those below it. */
	if (find_key(text, "total_inactive_file"))
		return number_of(text, "total_inactive_file") +
		       number_of(text, "total_active_file") / 2;
	return number_of(text, "inactive_file") +
	       number_of(text, "active_file") / 2;
}

static void bound_memory(struct limits *l, const struct cgpath *at)
{
	uint64_t limit = UINT64_MAX, high, usage;

	cgpath_read_u64(at, at->v2 ? "memory.max" : "memory.limit_in_bytes",
			&limit);
	if (at->v2 && !cgpath_read_u64(at, "memory.high", &high))
		bound(&limit, high);
	if (limit == UINT64_MAX)
		return;
	bound(&l->ram_bytes, limit);
	bound(&l->available_bytes, limit);
	if (cgpath_read_u64(at, at->v2 ? "memory.current" :
					 "memory.usage_in_bytes", &usage))
		return;
	usage = minus(usage, level_cache(at));
	bound(&l->available_bytes, minus(limit, usage));
}

/*
 * v1 limits the sum of memory and swap. What no limit looks like depends on
 * the size of a page and of a long, but there is never as much as that.
 */
static void bound_swap_v1(struct limits *l, const struct cgpath *at)
{
	uint64_t limit, both, usage, both_usage;

	if (cgpath_read_u64(at, "memory.memsw.limit_in_bytes", &both) ||
	    cgpath_read_u64(at, "memory.limit_in_bytes", &limit) ||
	    both >= l->ram_bytes + l->swap_total_bytes)
		return;
	bound(&l->swap_total_bytes, minus(both, limit));
	if (cgpath_read_u64(at, "memory.memsw.usage_in_bytes", &both_usage) ||
	    cgpath_read_u64(at, "memory.usage_in_bytes", &usage))
		return;
	bound(&l->swap_free_bytes,
	      minus(minus(both, limit), minus(both_usage, usage)));
}

static void bound_swap_v2(struct limits *l, const struct cgpath *at)
{
	uint64_t limit, usage = 0;

	if (cgpath_read_u64(at, "memory.swap.max", &limit))
		return;
	bound(&l->swap_total_bytes, limit);
	cgpath_read_u64(at, "memory.swap.current", &usage);
	bound(&l->swap_free_bytes, minus(limit, usage));
}

static void bound_by_memory_groups(struct limits *l, const char *root)
{
	struct cgpath at;

	l->machine_bytes = l->ram_bytes;
	l->machine_available_bytes = l->available_bytes;
	for (int v2 = 0; v2 <= 1; v2++) {
		if (cgpath_find(&at, root, "memory", v2))
			continue;
		do {
			bound_memory(l, &at);
			if (v2)
				bound_swap_v2(l, &at);
			else
				bound_swap_v1(l, &at);
		} while (cgpath_up(&at));
	}
	bound(&l->available_bytes, l->ram_bytes);
	bound(&l->swap_free_bytes, l->swap_total_bytes);
}

/* UINT64_MAX: none. */
static uint64_t resource_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* Fork lets root of the first user namespace pass, and two capabilities. */
static bool passes_nproc(const char *root, const char *status, uint64_t uid)
{
	char map[128];
	unsigned long nr;
	uint64_t caps = 0;

	if (read_root(root, "/proc/self/uid_map", map, sizeof(map)) > 0 &&
	    sscanf(map, "%*u %*u %lu", &nr) == 1 && nr != UINT32_MAX)
		return false;
	find_number(status, "CapEff", 16, &caps);
	return !uid || (caps & (CAP_BIT_SYS_ADMIN | CAP_BIT_SYS_RESOURCE));
}

/* Threads of all processes that a user has and we can see. */
static uint64_t count_tasks(const char *root, uint64_t uid)
{
	char path[PATH_MAX], text[TEXT_LEN];
	struct dirent *entry;
	uint64_t owner, nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		if (read_root(root, path, text, sizeof(text)) > 0 &&
		    find_number(text, "Uid", 10, &owner) && owner == uid)
			nr += number_of(text, "Threads");
	}
	if (dir)
		closedir(dir);
	return nr;
}

static void bound_by_nproc(uint64_t *tasks, const char *root)
{
	uint64_t uid = getuid(), limit = resource_limit(RLIMIT_NPROC);
	char status[TEXT_LEN];

	if (limit == UINT64_MAX)
		return;
	if (read_root(root, "/proc/self/status", status, sizeof(status)) < 0)
		status[0] = '\0';
	find_number(status, "Uid", 10, &uid);
	if (!passes_nproc(root, status, uid))
		bound(tasks, minus(limit, count_tasks(root, uid)));
}

static void bound_by_kernel(uint64_t *tasks, const char *root)
{
	char text[128];
	uint64_t nr = 0;
	const char *slash;

	/* "0.10 0.05 0.01 1/345 6789": runnable and existing threads */
	if (read_root(root, "/proc/loadavg", text, sizeof(text)) > 0 &&
	    (slash = strchr(text, '/')))
		nr = strtoull(slash + 1, NULL, 10);
	if (read_root(root, "/proc/sys/kernel/threads-max", text,
		      sizeof(text)) > 0 && isdigit((unsigned char)text[0]))
		bound(tasks, minus(strtoull(text, NULL, 10), nr));
	if (read_root(root, "/proc/sys/kernel/pid_max", text,
		      sizeof(text)) > 0 && isdigit((unsigned char)text[0]))
		bound(tasks,
		      minus(strtoull(text, NULL, 10), nr + RESERVED_PIDS));
}

static void bound_by_pids_groups(uint64_t *tasks, const char *root)
{
	struct cgpath at;
	uint64_t limit, nr;

	for (int v2 = 0; v2 <= 1; v2++) {
		if (cgpath_find(&at, root, "pids", v2))
			continue;
		do {
			if (cgpath_read_u64(&at, "pids.max", &limit))
				continue;
			nr = 0;
			cgpath_read_u64(&at, "pids.current", &nr);
			bound(tasks, minus(limit, nr));
		} while (cgpath_up(&at));
	}
}

static uint32_t to_u32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

int limits_read(struct limits *limits, const char *root)
{
	uint64_t tasks = UINT64_MAX;

	memset(limits, 0, sizeof(*limits));
	limits->has_meminfo = read_meminfo(limits, root);
	if (!limits->has_meminfo)
		read_sysinfo(limits);
	if (!limits->ram_bytes)
		return -ENODATA;
	bound_by_memory_groups(limits, root);
	limits->address_bytes = resource_limit(RLIMIT_AS);
	bound(&limits->address_bytes, resource_limit(RLIMIT_DATA));
	bound_by_nproc(&tasks, root);
	bound_by_kernel(&tasks, root);
	bound_by_pids_groups(&tasks, root);
	limits->max_tasks = to_u32(tasks);
	limits->max_files = to_u32(resource_limit(RLIMIT_NOFILE));
	return 0;
}

/* Adds the count of one file; whether there is one. */
static bool add_kills(const char *path, uint64_t *nr)
{
	char text[TEXT_LEN];
	uint64_t value;

	if (file_read(path, text, sizeof(text)) < 0 ||
	    !find_number(text, "oom_kill", 10, &value))
		return false;
	*nr += value;
	return true;
}

static bool add_level_kills(const struct cgpath *at, const char *knob,
			    uint64_t *nr)
{
	char path[PATH_MAX];

	return !cgpath_file(at, knob, path, sizeof(path)) &&
	       add_kills(path, nr);
}

/* Those of memcg.h are below the group we are in, and v1 does not add up. */
static bool add_own_groups(const struct cgpath *at, uint64_t *nr)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir = NULL;

	if (!cgpath_file(at, "", path, sizeof(path)))
		dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		char file[sizeof(entry->d_name) + 32];

		if (strncmp(entry->d_name, MEMCG_PREFIX, strlen(MEMCG_PREFIX)))
			continue;
		snprintf(file, sizeof(file), "%s/memory.oom_control",
			 entry->d_name);
		found |= add_level_kills(at, file, nr);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool count_kills_v1(const char *root, uint64_t *nr)
{
	struct cgpath at;
	bool found;

	if (cgpath_find(&at, root, "memory", false))
		return false;
	found = add_own_groups(&at, nr);
	do
		found |= add_level_kills(&at, "memory.oom_control", nr);
	while (cgpath_up(&at));
	return found;
}

/* v2 adds up by itself; the root has no such file. */
static bool count_kills_v2(const char *root, uint64_t *nr)
{
	struct cgpath own, above;

	if (cgpath_find(&own, root, "memory", true))
		return false;
	above = own;
	return (cgpath_up(&above) &&
		add_level_kills(&above, "memory.events", nr)) ||
	       add_level_kills(&own, "memory.events", nr);
}

int limits_oom_kills(const char *root, uint64_t *nr)
{
	char path[PATH_MAX];
	bool found;

	*nr = 0;
	found = count_kills_v1(root, nr);
	found |= count_kills_v2(root, nr);
	if (found)
		return 0;
	snprintf(path, sizeof(path), "%s/proc/vmstat", root);
	return add_kills(path, nr) ? 0 : -ENOENT;
}
