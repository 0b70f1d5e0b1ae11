/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_rig: the process of a load, and what is seen of it from outside. */
#include "load_rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LIFE_S 20
#define TICK_US 10000
#define NUDGE_US 50000

void load_rig_init(struct load_rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->shared = mmap(NULL, sizeof(*rig->shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(rig->shared != MAP_FAILED);
	rig->params.cpus = 2;
	rig->params.max_tasks = 1000;
	rig->params.max_files = 1000;
	rig->params.mem_bytes = UINT64_C(1) << 30;
}

void load_rig_release(struct load_rig *rig)
{
	munmap(rig->shared, sizeof(*rig->shared));
}

static void on_nudge(int sig)
{
	(void)sig;
}

static int go_through(struct load_rig *rig, struct load_ctx *ctx)
{
	int err = ctx->load->probe ? ctx->load->probe(ctx) : 0;

	if (err)
		return err;
	err = ctx->load->setup ? ctx->load->setup(ctx) : 0;
	atomic_store(&rig->shared->ready, 1);
	if (!err && !rig->skip_run)
		err = ctx->load->run(ctx);
	if (ctx->load->teardown)
		ctx->load->teardown(ctx);
	return err;
}

static void load_main(struct load_rig *rig, const struct load *load)
{
	struct rlimit files = { rig->max_open, rig->max_open };
	struct sigaction action = { .sa_handler = on_nudge };
	struct load_ctx ctx = {
		.load = load, .params = &rig->params, .seed = 1,
		.nr_workers = 1, .nr_counters = RIG_COUNTERS,
		.work = rig->shared->work, .stop = &rig->shared->stop,
		.dir_fd = { -1, -1 }, .ring_fd = { -1, -1 },
		.data_fd = -1, .self_fd = -1,
	};

	alarm(LIFE_S);
	sigaction(SIGUSR1, &action, NULL);
	if (rig->max_open)
		setrlimit(RLIMIT_NOFILE, &files);
	atomic_store(&rig->shared->result, go_through(rig, &ctx));
	memcpy(rig->shared->why, ctx.why, sizeof(ctx.why));
	memcpy(rig->shared->note, ctx.note, sizeof(ctx.note));
	atomic_store(&rig->shared->left,
		     waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD);
	_exit(0);
}

void load_rig_start(struct load_rig *rig, const struct load *load)
{
	memset(rig->shared, 0, sizeof(*rig->shared));
	fflush(NULL);
	rig->pid = fork();
	assert_true(rig->pid >= 0);
	if (!rig->pid)
		load_main(rig, load);
}

static uint64_t counted(const struct load_rig *rig)
{
	uint64_t sum = 0;

	for (int i = 0; i < RIG_COUNTERS; i++)
		sum += atomic_load(&rig->shared->work[i].n);
	return sum;
}

/* Dead, but not reaped yet. */
static bool has_ended(const struct load_rig *rig)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)rig->pid, &info,
		      WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

bool load_rig_works(struct load_rig *rig)
{
	uint64_t before = counted(rig);

	while (counted(rig) == before && !has_ended(rig))
		usleep(TICK_US);
	return counted(rig) > before;
}

void load_rig_stop(struct load_rig *rig)
{
	atomic_store(&rig->shared->stop, 1);
	kill(rig->pid, SIGUSR1);
}

int load_rig_end(struct load_rig *rig)
{
	int status;

	for (int us = 0; !has_ended(rig); us += TICK_US) {
		usleep(TICK_US);
		if (atomic_load(&rig->shared->stop) && us % NUDGE_US == 0)
			kill(rig->pid, SIGUSR1);
	}
	assert_int_equal(waitpid(rig->pid, &status, 0), rig->pid);
	return status ? -EFAULT : atomic_load(&rig->shared->result);
}

/* The parent of a process, from /proc; 0 if it is gone. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[256] = "";
	const char *after_name;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	/* "17 (name) S 12 ...", and the name may hold anything. */
	after_name = strrchr(text, ')');
	return after_name && strlen(after_name) > 4
		       ? (pid_t)strtol(after_name + 4, NULL, 10) : 0;
}

bool load_rig_kill_worker(struct load_rig *rig)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    parent_of(entry->d_name) == rig->pid)
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	if (dir)
		closedir(dir);
	return found && !kill(found, SIGKILL);
}
