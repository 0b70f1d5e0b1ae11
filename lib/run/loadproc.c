/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loadproc: the process of a background load. */
#include "run/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/futex.h"
#include "engine/registry.h"
#include "plan/sizes.h"

/* Nothing to do: its coming ends the sleep that the load is in. */
static void on_nudge(int sig)
{
	(void)sig;
}

static void catch_nudges(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_nudge;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
}

/* The first to go if the kernel runs out of memory; anybody may say so. */
static void be_first_to_go(void)
{
	static const char most[] = "1000";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	fd_write_all(fd, most, sizeof(most) - 1, NULL);
	close(fd);
}

static int set_up(const struct process *p, struct load_ctx *ctx)
{
	struct schedattr attr;
	int err;

	run_load_attr(p->run, &attr);
	err = schedattr_set(&attr);
	if (err) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "policy or nice was refused: %s", strerror(-err));
		return err;
	}
	/* As for the task, where one serves as a load. */
	if (ctx->sim)
		prctl(PR_SET_TIMERSLACK, 1UL);
	err = ctx->load->setup ? ctx->load->setup(ctx) : 0;
	if (err && !ctx->why[0])
		snprintf(ctx->why, sizeof(ctx->why), "set-up failed: %s",
			 strerror(-err));
	return err;
}

/* -1 stays; what is there has been numbered by the keeper. */
static int inherited(int fd, int index)
{
	return fd < 0 ? -1 : CHILD_FD_FIRST + index;
}

static void init_ctx(const struct process *p, struct load_ctx *ctx)
{
	const struct run *run = p->run;
	const struct plan *plan = run->plan;
	const struct load_entry *entry = plan_load(plan, p->pc->load);

	memset(ctx, 0, sizeof(*ctx));
	ctx->load = entry->load;
	ctx->sim = entry->sim;
	if (ctx->sim && (ctx->sim->flags & SIM_CUSTOM))
		ctx->sim = &plan->custom;
	ctx->command = entry->command;
	ctx->params = &plan->params;
	ctx->seed = p->pc->seed + 1;
	ctx->nr_workers = load_entry_flags(entry) & LOAD_THREADS
				  ? plan->load_threads : 1;
	ctx->loops_per_ms = plan->burn == BURN_WORK ? plan->loops_per_ms : 0;
	ctx->syscall_clock = run->syscall_clock;
	ctx->nr_counters = plan->nr_counters;
	ctx->work = run->work;
	ctx->kept = &run->kept[p->pc->load];
	ctx->stop = &run->ctl->load_stop;
	ctx->dir_fd[LOAD_DISK_HOME] =
		inherited(run->scratch[LOAD_DISK_HOME].fd, RUN_FD_HOME);
	ctx->dir_fd[LOAD_DISK_OTHER] =
		inherited(run->scratch[LOAD_DISK_OTHER].fd, RUN_FD_OTHER);
	ctx->ring_fd[LOAD_DISK_HOME] =
		inherited(run->ring_fd[LOAD_DISK_HOME], RUN_FD_RING);
	ctx->ring_fd[LOAD_DISK_OTHER] =
		inherited(run->ring_fd[LOAD_DISK_OTHER], RUN_FD_RING_OTHER);
	ctx->data_fd = inherited(run->data_fd, RUN_FD_DATA);
	ctx->self_fd = inherited(run->self_fd, RUN_FD_SELF);
}

int load_probe(struct load_ctx *ctx)
{
	int err = sizes_check(ctx->load, ctx->params, ctx->why,
			      sizeof(ctx->why));

	if (!err && ctx->load->probe)
		err = ctx->load->probe(ctx);
	if (err && !ctx->why[0])
		snprintf(ctx->why, sizeof(ctx->why), "%s", strerror(-err));
	return err;
}

static int run_load(const struct process *p, struct load_ctx *ctx)
{
	int err;

	futex_wait_set(&p->run->ctl->load_go);
	alarm(p->dead_man_s);
	err = ctx->load->run(ctx);
	if (err && !ctx->why[0])
		snprintf(ctx->why, sizeof(ctx->why), "%s", strerror(-err));
	return err;
}

int load_main(void *arg, const struct child_end *end)
{
	const struct process *p = arg;
	struct load_ctx ctx;
	int err;

	init_ctx(p, &ctx);
	if (load_probe(&ctx)) {
		msg_send(end->up, MSG_SKIPPED, 0, ctx.why);
		return 0;
	}
	be_first_to_go();
	catch_nudges();
	alarm(p->setup_s);
	err = set_up(p, &ctx);
	if (!err) {
		p->run->ctl->load_fell_back = ctx.fell_back;
		msg_send(end->up, MSG_READY, getpid(), ctx.note);
		err = run_load(p, &ctx);
	}
	if (err)
		msg_send(end->up, MSG_FAILED, err, ctx.why);
	if (ctx.load->teardown)
		ctx.load->teardown(&ctx);
	return err ? 1 : 0;
}
