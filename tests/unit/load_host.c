/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_host: fork, shared memory, a signal now and then. */
#include "load_host.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clk.h"
#include "base/fileio.h"

#define NR_COUNTERS 2
#define MIB (UINT64_C(1) << 20)
#define PATIENCE_NS (30 * NSEC_PER_SEC)
#define STEP_NS (5 * NSEC_PER_MSEC)
#define NUDGE_NS (50 * NSEC_PER_MSEC)

struct load_host_shared {
	struct load_work work[NR_COUNTERS];
	atomic_uint stop;
	atomic_uint ended;
	int err;
	char why[LOAD_WHY_LEN];
	char note[LOAD_WHY_LEN];
};

void load_host_init(struct load_host *host, const struct load *load)
{
	const char *self = getenv("INTERBENCH");
	struct load_ctx *ctx = &host->ctx;

	memset(host, 0, sizeof(*host));
	host->shared = mmap(NULL, sizeof(*host->shared),
			    PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(host->shared, MAP_FAILED);
	snprintf(host->dir, sizeof(host->dir), "/tmp/ib-load-XXXXXX");
	assert_non_null(mkdtemp(host->dir));
	host->params.cpus = 2;
	host->params.max_tasks = 64;
	host->params.max_files = 256;
	host->params.mem_bytes = 512 * MIB;
	host->params.disk[LOAD_DISK_HOME].bytes = 64 * MIB;
	ctx->load = load;
	ctx->params = &host->params;
	ctx->seed = 1;
	ctx->nr_workers = 1;
	ctx->nr_counters = NR_COUNTERS;
	ctx->work = host->shared->work;
	ctx->stop = &host->shared->stop;
	ctx->dir_fd[LOAD_DISK_HOME] = open(host->dir, O_DIRECTORY | O_CLOEXEC);
	assert_true(ctx->dir_fd[LOAD_DISK_HOME] >= 0);
	ctx->dir_fd[LOAD_DISK_OTHER] = ctx->data_fd = -1;
	ctx->ring_fd[0] = ctx->ring_fd[1] = -1;
	ctx->self_fd = self ? open(self, O_PATH | O_CLOEXEC) : -1;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void load_host_release(struct load_host *host)
{
	if (host->pid > 0) {
		kill(-host->pid, SIGKILL);
		waitpid(host->pid, NULL, 0);
	}
	if (host->ctx.self_fd >= 0)
		close(host->ctx.self_fd);
	close(host->ctx.dir_fd[LOAD_DISK_HOME]);
	/* What was killed just now may still be at it. */
	for (int i = 0; i < 50; i++) {
		nftw(host->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		if (access(host->dir, F_OK))
			break;
		usleep(20000);
	}
	munmap(host->shared, sizeof(*host->shared));
}

int load_host_probe(struct load_host *host)
{
	const struct load *load = host->ctx.load;

	return load->probe ? load->probe(&host->ctx) : 0;
}

static void on_nudge(int sig)
{
	(void)sig;
}

static int host_main(struct load_ctx *ctx, struct load_host_shared *shared)
{
	const struct load *load = ctx->load;
	struct sigaction sa;
	int err;

	setpgid(0, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_nudge;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	err = load->setup ? load->setup(ctx) : 0;
	if (!err)
		err = load->run(ctx);
	if (load->teardown)
		load->teardown(ctx);
	shared->err = err;
	memcpy(shared->why, ctx->why, sizeof(ctx->why));
	memcpy(shared->note, ctx->note, sizeof(ctx->note));
	atomic_store(&shared->ended, 1);
	return 0;
}

void load_host_start(struct load_host *host)
{
	host->pid = fork();
	assert_true(host->pid >= 0);
	if (!host->pid)
		_exit(host_main(&host->ctx, host->shared));
	setpgid(host->pid, host->pid);
}

uint64_t load_host_work(const struct load_host *host)
{
	uint64_t sum = 0;

	for (int i = 0; i < NR_COUNTERS; i++)
		sum += atomic_load(&host->shared->work[i].n);
	return sum;
}

static int64_t now_ns(void)
{
	struct clk clk;

	clk_real(&clk);
	return clk_now(&clk);
}

static void pause_ns(int64_t ns)
{
	usleep((useconds_t)(ns / NSEC_PER_USEC));
}

void load_host_wait_work(struct load_host *host, uint64_t work)
{
	int64_t limit = now_ns() + PATIENCE_NS;

	while (load_host_work(host) < work) {
		if (atomic_load(&host->shared->ended))
			fail_msg("ended: %s", host->shared->why);
		if (now_ns() > limit)
			fail_msg("no work for %d s",
				 (int)(PATIENCE_NS / NSEC_PER_SEC));
		pause_ns(STEP_NS);
	}
}

/* Of the children of the load the first, or 0; no list is -1. */
static pid_t first_child(const struct load_host *host)
{
	char path[64], text[256];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
		 (int)host->pid, (int)host->pid);
	len = file_read(path, text, sizeof(text));
	if (len < 0)
		return -1;
	return len ? (pid_t)strtol(text, NULL, 10) : 0;
}

pid_t load_host_child(const struct load_host *host)
{
	int64_t limit = now_ns() + PATIENCE_NS;

	if (first_child(host) < 0)
		skip();
	while (now_ns() < limit) {
		pid_t pid = first_child(host);

		if (pid > 0)
			return pid;
		pause_ns(NSEC_PER_MSEC);
	}
	fail_msg("no child");
	return -1;
}

static int wait_end(struct load_host *host, bool nudge)
{
	int64_t limit = now_ns() + PATIENCE_NS;
	int status;

	while (waitpid(host->pid, &status, WNOHANG) != host->pid) {
		if (now_ns() > limit)
			fail_msg("does not end");
		if (nudge)
			kill(host->pid, SIGUSR1);
		pause_ns(nudge ? NUDGE_NS : STEP_NS);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return host->shared->err;
}

int load_host_end(struct load_host *host)
{
	return wait_end(host, false);
}

int load_host_end_killed(struct load_host *host)
{
	int64_t limit = now_ns() + PATIENCE_NS;
	siginfo_t info = { .si_pid = 0 };

	load_host_child(host);
	/* Again, since it may have ended by itself just before. */
	while (!info.si_pid && now_ns() < limit) {
		pid_t pid = first_child(host);

		if (pid > 0)
			kill(pid, SIGKILL);
		pause_ns(STEP_NS);
		assert_int_equal(waitid(P_PID, (id_t)host->pid, &info,
					WEXITED | WNOHANG | WNOWAIT), 0);
	}
	return wait_end(host, false);
}

int load_host_stop(struct load_host *host)
{
	atomic_store(&host->shared->stop, 1);
	return wait_end(host, true);
}

const char *load_host_why(const struct load_host *host)
{
	return host->shared->why;
}

const char *load_host_note(const struct load_host *host)
{
	return host->shared->note;
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
/*
 * The search for leaks at the end of a program is a process of its own, and
 * dies a moment after a program that is killed meanwhile.
 */
#define LEFT_NS (2 * NSEC_PER_SEC)
#else
#define LEFT_NS 0
#endif

int load_host_leaves_process(const struct load_host *host)
{
	int64_t limit = now_ns() + LEFT_NS;
	bool left;

	while ((left = !kill(-host->pid, 0)) && now_ns() < limit)
		pause_ns(NSEC_PER_MSEC);
	return left;
}
