/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: threads that do nothing but wake each other up, one after the other. */
#include "load.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/team.h"

#define THREADS_MIN 2
#define THREADS_MAX 8
#define CPUS_PER_RING 8
/* Wake-ups that are counted at once. */
#define BATCH 16

enum { NOTHING, TOKEN, END };

/* Where a thread waits. */
struct place {
	_Alignas(64) atomic_uint has;	/* futex */
};

struct rings {
	struct team *team;
	uint32_t nr;
	uint32_t threads;	/* of one ring */
	struct place *places;	/* of all rings, one ring after the other */
};

extern const struct load load_ring;

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static int choose_size(struct load_ctx *ctx, struct rings *rings)
{
	uint32_t cpus = ctx->params->cpus, tasks = ctx->params->max_tasks / 2;

	if (tasks < THREADS_MIN) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "a ring needs %d threads, no more than %u tasks can "
			 "be made", THREADS_MIN, ctx->params->max_tasks);
		return -EAGAIN;
	}
	rings->threads = cpus < THREADS_MIN ? THREADS_MIN
					    : min_u32(cpus, THREADS_MAX);
	rings->threads = min_u32(rings->threads, tasks);
	rings->nr = cpus < CPUS_PER_RING ? 1 : cpus / CPUS_PER_RING;
	rings->nr = min_u32(rings->nr, tasks / rings->threads);
	snprintf(ctx->note, sizeof(ctx->note), "%u ring%s of %u threads",
		 rings->nr, rings->nr == 1 ? "" : "s", rings->threads);
	return 0;
}

/* Sleeps until something is there, and takes it. */
static unsigned int take(struct place *place)
{
	unsigned int what;

	while (!(what = atomic_exchange(&place->has, NOTHING)))
		syscall(SYS_futex, &place->has, FUTEX_WAIT_PRIVATE, NOTHING,
			NULL, NULL, 0);
	return what;
}

/* 1 if that woke somebody up; 0 if he had not fallen asleep yet. */
static uint64_t give(struct place *place, unsigned int what)
{
	atomic_store(&place->has, what);
	return syscall(SYS_futex, &place->has, FUTEX_WAKE_PRIVATE, 1, NULL,
		       NULL, 0) == 1;
}

/* Whoever has the token is awake, so that a stop is seen at once. */
static void work(struct load_ctx *ctx, uint32_t worker)
{
	struct rings *rings = ctx->priv;
	uint32_t number = worker % rings->threads;
	struct place *ring = rings->places + (worker - number);
	struct place *next = &ring[(number + 1) % rings->threads];
	uint64_t woken = 0;
	unsigned int what;

	while ((what = take(&ring[number])) == TOKEN && !load_stopped(ctx)) {
		woken += give(next, TOKEN);
		if (woken < BATCH)
			continue;
		load_count(ctx, worker, woken);
		woken = 0;
	}
	load_count(ctx, worker, woken);
	for (uint32_t i = 0; what == TOKEN && i < rings->threads; i++)
		give(&ring[i], END);
}

static int probe(struct load_ctx *ctx)
{
	struct rings rings;

	return choose_size(ctx, &rings);
}

static int lay_places(struct rings *rings)
{
	size_t size = rings->nr * rings->threads * sizeof(struct place);

	rings->places = aligned_alloc(sizeof(struct place), size);
	if (!rings->places)
		return -ENOMEM;
	memset(rings->places, 0, size);
	for (uint32_t i = 0; i < rings->nr; i++)
		atomic_init(&rings->places[i * rings->threads].has, TOKEN);
	return 0;
}

static int setup(struct load_ctx *ctx)
{
	struct rings *rings = calloc(1, sizeof(*rings));
	int err;

	if (!rings)
		return -ENOMEM;
	ctx->priv = rings;
	err = choose_size(ctx, rings);
	if (!err)
		err = lay_places(rings);
	if (err)
		return err;
	ctx->nr_workers = rings->nr * rings->threads;
	return team_create(&rings->team, ctx, work);
}

static int run(struct load_ctx *ctx)
{
	struct rings *rings = ctx->priv;

	team_run(rings->team);
	rings->team = NULL;
	return 0;
}

static void teardown(struct load_ctx *ctx)
{
	struct rings *rings = ctx->priv;

	if (!rings)
		return;
	if (rings->team)
		team_dismiss(rings->team);
	free(rings->places);
	free(rings);
	ctx->priv = NULL;
}

const struct load load_ring = {
	.name = "ring",
	.title = "Ring",
	.help = "threads that wake each other in a circle",
	.unit = "wakeups",
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
