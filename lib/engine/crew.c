/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crew: fork all workers first, then wake them with one futex. */
#include "engine/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/futex.h"
#include "load.h"

#define NAME_LEN 16	/* of a process, with its NUL */

struct crew {
	struct load_ctx *ctx;
	atomic_uint *go;	/* futex, in a page shared with the workers */
	char name[NAME_LEN];
	uint32_t nr;		/* workers that were started */
	uint32_t max;
	pid_t pids[];		/* 0: reaped */
};

int crew_create(struct crew **crew, struct load_ctx *ctx, uint32_t max)
{
	struct crew *c = calloc(1, sizeof(*c) + max * sizeof(pid_t));
	void *page = mmap(NULL, sizeof(*c->go), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!c || page == MAP_FAILED) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "no memory for a list of %u processes", max);
		if (page != MAP_FAILED)
			munmap(page, sizeof(*c->go));
		free(c);
		return -ENOMEM;
	}
	c->ctx = ctx;
	c->go = page;
	c->max = max;
	prctl(PR_GET_NAME, c->name);
	*crew = c;
	return 0;
}

/* "ib-hack/17"; the number matters more than the end of a long name. */
static void name_worker(const struct crew *crew)
{
	char number[NAME_LEN], name[2 * NAME_LEN];
	int digits = snprintf(number, sizeof(number), "/%u", crew->nr);

	snprintf(name, sizeof(name), "%.*s%s", NAME_LEN - 1 - digits,
		 crew->name, number);
	prctl(PR_SET_NAME, name);
}

/* In the new worker: tied to its maker, asleep until the go. */
static void get_ready(const struct crew *crew, pid_t maker)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	name_worker(crew);
	/* A nudge is for the load; a dead reader is an error like others. */
	signal(SIGUSR1, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* The maker died before PDEATHSIG was set: nobody will tell us. */
	if (getppid() != maker)
		_exit(ESRCH);
	futex_wait_set(crew->go);
}

/* Limits that fork() names none of. */
static void explain_fork(const struct crew *crew, int err)
{
	struct load_ctx *ctx = crew->ctx;
	char limit[48] = "";
	struct rlimit nproc;

	if (err == -EAGAIN && !getrlimit(RLIMIT_NPROC, &nproc) &&
	    nproc.rlim_cur != RLIM_INFINITY)
		snprintf(limit, sizeof(limit), " (ulimit -u %llu, or pids.max)",
			 (unsigned long long)nproc.rlim_cur);
	else if (err == -EAGAIN)
		snprintf(limit, sizeof(limit), " (pids.max)");
	snprintf(ctx->why, sizeof(ctx->why),
		 "only %u of %u processes could be started: %s%s", crew->nr,
		 crew->max, strerror(-err), limit);
}

int crew_add(struct crew *crew,
	     int (*work)(struct load_ctx *ctx, uint32_t worker, void *arg),
	     void *arg)
{
	pid_t maker = getpid(), pid;
	int err;

	if (crew->nr == crew->max) {
		snprintf(crew->ctx->why, sizeof(crew->ctx->why),
			 "no more than %u processes were planned", crew->max);
		return -ENOSPC;
	}
	pid = fork();
	if (!pid) {
		get_ready(crew, maker);
		_exit(-work(crew->ctx, crew->nr, arg));
	}
	if (pid < 0) {
		err = -errno;
		explain_fork(crew, err);
		return err;
	}
	crew->pids[crew->nr++] = pid;
	return 0;
}

static int describe_end(struct load_ctx *ctx, uint32_t worker, int status)
{
	int sig = WTERMSIG(status), code = WEXITSTATUS(status);

	if (WIFSTOPPED(status))
		snprintf(ctx->why, sizeof(ctx->why),
			 "worker %u was stopped by signal %d", worker,
			 WSTOPSIG(status));
	else if (!WIFEXITED(status))
		snprintf(ctx->why, sizeof(ctx->why),
			 "worker %u was killed by signal %d (%s)", worker, sig,
			 strsignal(sig));
	else if (!code)
		snprintf(ctx->why, sizeof(ctx->why),
			 "worker %u ended before the load was stopped",
			 worker);
	else
		snprintf(ctx->why, sizeof(ctx->why), "worker %u failed: %s",
			 worker, strerror(code));
	return WIFEXITED(status) && code ? -code : -ECHILD;
}

/* What the end of pid means: 0 if nothing, it is not a worker of ours. */
static int lose(struct crew *crew, pid_t pid, int status)
{
	for (uint32_t i = 0; i < crew->nr; i++) {
		if (crew->pids[i] != pid)
			continue;
		if (!WIFSTOPPED(status))
			crew->pids[i] = 0;
		return describe_end(crew->ctx, i, status);
	}
	return 0;
}

static void end_all(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->nr; i++)
		if (crew->pids[i])
			kill(crew->pids[i], SIGKILL);
	for (uint32_t i = 0; i < crew->nr; i++) {
		pid_t pid = crew->pids[i];

		while (pid && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		crew->pids[i] = 0;
	}
}

/* Until a worker has ended or the load was stopped: 0 or -errno. */
static int await_end(struct crew *crew)
{
	struct load_ctx *ctx = crew->ctx;
	int status, err = 0;
	pid_t pid;

	while (!err && !load_stopped(ctx)) {
		/* A stop that slips in here comes again after 50 ms. */
		pid = waitpid(-1, &status, WUNTRACED);
		if (pid > 0) {
			err = lose(crew, pid, status);
		} else if (errno != EINTR) {
			err = -errno;
			snprintf(ctx->why, sizeof(ctx->why),
				 "no process works: %s", strerror(-err));
		}
	}
	return err;
}

int crew_run(struct crew *crew)
{
	struct load_ctx *ctx = crew->ctx;
	int err;

	futex_set(crew->go, 1);
	err = await_end(crew);
	/* Workers that have seen the stop may be faster than its signal. */
	if (err && load_stopped(ctx)) {
		ctx->why[0] = '\0';
		err = 0;
	}
	end_all(crew);
	return err;
}

void crew_dismiss(struct crew *crew)
{
	if (!crew)
		return;
	end_all(crew);
	munmap(crew->go, sizeof(*crew->go));
	free(crew);
}
