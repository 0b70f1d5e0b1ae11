/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts: loads that run together in one process. */
#include "engine/parts.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clk.h"
#include "engine/registry.h"
#include "load.h"

#define LOOK_NS (20 * NSEC_PER_MSEC)

struct part {
	struct load_ctx ctx;
	pthread_t thread;
	struct load_work *uncounted;	/* owned, for another unit */
	bool set_up;		/* teardown is due */
	bool started;
	atomic_bool ended;
	int err;
};

struct parts {
	atomic_uint stop;	/* of all parts */
	size_t nr;
	struct part part[];
};

static const struct load *part_load(const char *name)
{
	int i = registry_find_load(name);

	return i < 0 ? NULL : registry_load((uint32_t)i)->load;
}

static size_t count_parts(const struct load *load)
{
	size_t nr = 0;

	while (load->parts[nr])
		nr++;
	return nr;
}

/* The reason of a part, with its name, becomes that of the whole. */
static void take_why(struct load_ctx *ctx, const struct load_ctx *part)
{
	snprintf(ctx->why, sizeof(ctx->why), "%s: %.100s", part->load->title,
		 part->why);
}

static int init_part(struct load_ctx *ctx, struct load_ctx *part,
		     const char *name)
{
	*part = *ctx;
	part->load = part_load(name);
	part->priv = NULL;
	part->note[0] = '\0';
	if (!part->load) {
		snprintf(ctx->why, sizeof(ctx->why), "no load %s", name);
		return -ENOENT;
	}
	if (!(part->load->flags & LOAD_THREADS))
		part->nr_workers = 1;
	return 0;
}

int parts_probe(struct load_ctx *ctx)
{
	const struct load *load = ctx->load;
	struct load_ctx part;
	int err = 0;

	for (size_t i = 0; load->parts[i] && !err; i++) {
		err = init_part(ctx, &part, load->parts[i]);
		if (err || !part.load->probe)
			continue;
		err = part.load->probe(&part);
		if (err)
			take_why(ctx, &part);
	}
	return err;
}

static int set_up_part(struct load_ctx *ctx, struct parts *parts, size_t i)
{
	struct part *p = &parts->part[i];
	int err = init_part(ctx, &p->ctx, ctx->load->parts[i]);

	if (err)
		return err;
	p->ctx.stop = &parts->stop;
	if (strcmp(p->ctx.load->unit, ctx->load->unit)) {
		p->uncounted = aligned_alloc(_Alignof(struct load_work),
					     ctx->nr_counters *
					     sizeof(struct load_work));
		if (!p->uncounted)
			return -ENOMEM;
		memset(p->uncounted, 0, ctx->nr_counters *
					sizeof(struct load_work));
		p->ctx.work = p->uncounted;
	}
	p->set_up = true;
	err = p->ctx.load->setup ? p->ctx.load->setup(&p->ctx) : 0;
	if (err)
		take_why(ctx, &p->ctx);
	return err;
}

static void join_notes(struct load_ctx *ctx, const struct parts *parts)
{
	size_t len = 0;

	for (size_t i = 0; i < parts->nr && len < sizeof(ctx->note); i++) {
		const struct load_ctx *part = &parts->part[i].ctx;

		len += (size_t)snprintf(ctx->note + len,
					sizeof(ctx->note) - len, "%s%s%s%s",
					i ? "; " : "", part->load->title,
					part->note[0] ? ": " : "",
					part->note);
	}
}

int parts_setup(struct load_ctx *ctx)
{
	size_t nr = count_parts(ctx->load);
	struct parts *parts = calloc(1, sizeof(*parts) +
					nr * sizeof(struct part));
	int err = 0;

	if (!parts)
		return -ENOMEM;
	ctx->priv = parts;
	for (; parts->nr < nr && !err; parts->nr++)
		err = set_up_part(ctx, parts, parts->nr);
	if (!err)
		join_notes(ctx, parts);
	return err;
}

static void *part_main(void *arg)
{
	struct part *p = arg;

	p->err = p->ctx.load->run(&p->ctx);
	atomic_store(&p->ended, true);
	return NULL;
}

/* With all signals blocked: those that come are for the main thread. */
static int start_parts(struct parts *parts)
{
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (size_t i = 0; i < parts->nr && !err; i++) {
		struct part *p = &parts->part[i];

		err = -pthread_create(&p->thread, NULL, part_main, p);
		p->started = !err;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static bool any_ended(struct parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (atomic_load(&parts->part[i].ended))
			return true;
	return false;
}

/* The first error of a part, after all have ended. */
static int join_parts(struct load_ctx *ctx, struct parts *parts)
{
	int err = 0;

	atomic_store(&parts->stop, 1);
	for (size_t i = 0; i < parts->nr; i++) {
		struct part *p = &parts->part[i];

		if (!p->started)
			continue;
		pthread_join(p->thread, NULL);
		if (!p->err || err)
			continue;
		err = p->err;
		take_why(ctx, &p->ctx);
	}
	return err;
}

int parts_run(struct load_ctx *ctx)
{
	struct parts *parts = ctx->priv;
	struct clk clk;
	int err = start_parts(parts), ended;

	clk_real(&clk);
	while (!err && !load_stopped(ctx) && !any_ended(parts))
		clk_sleep_through(&clk, clk_now(&clk) + LOOK_NS);
	ended = join_parts(ctx, parts);
	return err ? err : ended;
}

void parts_teardown(struct load_ctx *ctx)
{
	struct parts *parts = ctx->priv;

	for (size_t i = 0; parts && i < parts->nr; i++) {
		struct part *p = &parts->part[i];

		if (p->set_up && p->ctx.load->teardown)
			p->ctx.load->teardown(&p->ctx);
		free(p->uncounted);
	}
	free(parts);
	ctx->priv = NULL;
}
