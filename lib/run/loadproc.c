/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loadproc: the process of a background load. */
#include "run/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/futex.h"
#include "engine/registry.h"

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

static void init_ctx(const struct process *p, struct load_ctx *ctx)
{
	const struct load_entry *entry = registry_load(p->pc->load);
	const struct plan *plan = p->run->plan;

	memset(ctx, 0, sizeof(*ctx));
	ctx->load = entry->load;
	ctx->sim = entry->sim;
	if (ctx->sim && (ctx->sim->flags & SIM_CUSTOM))
		ctx->sim = &plan->custom;
	ctx->seed = p->pc->seed + 1;
	ctx->nr_workers = load_entry_flags(entry) & LOAD_THREADS
				  ? plan->load_threads : 1;
	ctx->loops_per_ms = plan->burn == BURN_WORK ? plan->loops_per_ms : 0;
	ctx->syscall_clock = p->run->syscall_clock;
	ctx->work = p->run->work;
	ctx->stop = &p->run->ctl->load_stop;
}

/* Whether the load can run here; if not, why. */
static bool can_run(struct load_ctx *ctx)
{
	int err = ctx->load->probe ? ctx->load->probe(ctx) : 0;

	if (err && !ctx->why[0])
		snprintf(ctx->why, sizeof(ctx->why), "%s", strerror(-err));
	return !err;
}

int load_main(void *arg, const struct child_end *end)
{
	const struct process *p = arg;
	struct load_ctx ctx;
	int err;

	init_ctx(p, &ctx);
	if (!can_run(&ctx)) {
		msg_send(end->up, MSG_SKIPPED, 0, ctx.why);
		return 0;
	}
	catch_nudges();
	alarm(p->setup_s);
	err = set_up(p, &ctx);
	if (!err) {
		msg_send(end->up, MSG_READY, getpid(), NULL);
		futex_wait_set(&p->run->ctl->load_go);
		alarm(p->dead_man_s);
		err = ctx.load->run(&ctx);
		if (err && !ctx.why[0])
			snprintf(ctx.why, sizeof(ctx.why), "%s",
				 strerror(-err));
	}
	if (err)
		msg_send(end->up, MSG_FAILED, err, ctx.why);
	if (ctx.load->teardown)
		ctx.load->teardown(&ctx);
	return err ? 1 : 0;
}
