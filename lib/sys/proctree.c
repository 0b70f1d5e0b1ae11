/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proctree: find the descendants in /proc and add up. */
#include "sys/proctree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/fileio.h"

struct proc {
	pid_t pid;
	pid_t parent;
	uint64_t dead_ticks;	/* of children that were waited for */
	bool ours;
};

struct table {
	struct proc *procs;
	size_t nr;
	size_t room;
};

/* Numbers behind "pid (comm) S ": parent is field 4, cutime 16, cstime 17. */
static bool read_proc(struct proc *proc, const char *pid)
{
	char path[64], text[1024], *at;
	unsigned long long user = 0, system = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (file_read(path, text, sizeof(text)) < 0)
		return false;
	at = strrchr(text, ')');
	if (!at || !at[1] || !at[2])
		return false;
	at += 3;
	*proc = (struct proc){ .pid = (pid_t)strtol(pid, NULL, 10) };
	proc->parent = (pid_t)strtol(at, &at, 10);
	for (int field = 5; field <= 17 && at; field++) {
		if (field == 16)
			user = strtoull(at, NULL, 10);
		if (field == 17)
			system = strtoull(at, NULL, 10);
		at = strchr(at + 1, ' ');
	}
	proc->dead_ticks = user + system;
	return true;
}

static int add(struct table *t, const char *pid)
{
	if (t->nr == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		void *procs = realloc(t->procs, room * sizeof(*t->procs));

		if (!procs)
			return -ENOMEM;
		t->procs = procs;
		t->room = room;
	}
	/* One that is gone by now was waited for by somebody in the list. */
	if (read_proc(&t->procs[t->nr], pid))
		t->nr++;
	return 0;
}

static int read_all(struct table *t)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = add(t, entry->d_name);
	closedir(dir);
	return !err && !t->procs ? -ENOENT : err;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct proc *)a)->pid;
	pid_t y = ((const struct proc *)b)->pid;

	return x < y ? -1 : x > y;
}

static bool is_ours(const struct table *t, pid_t top, pid_t pid)
{
	const struct proc key = { .pid = pid };
	const struct proc *p;

	if (pid == top)
		return true;
	p = bsearch(&key, t->procs, t->nr, sizeof(*t->procs), by_pid);
	return p && p->ours;
}

/* Until nobody is found any more: a child can be listed before its parent. */
static void mark(struct table *t, pid_t top)
{
	bool found = true;

	qsort(t->procs, t->nr, sizeof(*t->procs), by_pid);
	while (found) {
		found = false;
		for (size_t i = 0; i < t->nr; i++) {
			struct proc *p = &t->procs[i];

			if (p->ours || !is_ours(t, top, p->parent))
				continue;
			p->ours = true;
			found = true;
		}
	}
}

static int64_t live_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t id;

	if (clock_getcpuclockid(pid, &id) || clock_gettime(id, &ts))
		return 0;
	return (int64_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static int64_t sum(const struct table *t, pid_t top)
{
	int64_t tick_ns = NSEC_PER_SEC / sysconf(_SC_CLK_TCK), ns = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct proc *p = &t->procs[i];

		if (p->ours)
			ns += live_ns(p->pid);
		if (p->ours || p->pid == top)
			ns += (int64_t)p->dead_ticks * tick_ns;
	}
	return ns;
}

int proctree_cpu(pid_t top, int64_t *ns)
{
	struct table t = { NULL, 0, 0 };
	int err = read_all(&t);

	if (!err && t.procs) {
		mark(&t, top);
		*ns = sum(&t, top);
	}
	free(t.procs);
	return err;
}
