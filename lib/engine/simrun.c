/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simrun: fill in the demands, run the loop; or run it for ever as a load. */
#include "engine/simrun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "engine/burn.h"
#include "engine/schedule.h"

void sim_ask(const struct sim *sim, struct cell *cell, uint64_t first)
{
	for (uint64_t k = 0; k < cell->nr_slots; k++)
		cell->slots[k].demand_ns = sim->demand ? sim->demand(first + k)
						       : sim->busy_ns;
}

int sim_run(struct sim_ctx *ctx)
{
	if (ctx->sim->run)
		return ctx->sim->run(ctx);
	periodic_run(ctx->periodic, ctx->cell);
	return 0;
}

/* A task as a load: its slots go to memory of its own, a segment at a time. */
struct player {
	struct load_ctx *ctx;
	struct burn burn;
	struct clk clk;
	struct cell *cell;
	struct schedule sched;
};

static void burn_and_count(void *arg, int64_t demand_ns)
{
	struct player *player = arg;

	burn_run(&player->burn, demand_ns);
	load_count(player->ctx, 0, 1);
}

static bool player_stopped(void *arg)
{
	const struct player *player = arg;

	return load_stopped(player->ctx);
}

static int player_setup(struct load_ctx *ctx)
{
	const struct sim *sim = ctx->sim;
	struct player *player = calloc(1, sizeof(*player));
	enum burn_mode mode = ctx->loops_per_ms ? BURN_WORK : BURN_CPU;

	if (!player)
		return -ENOMEM;
	ctx->priv = player;
	player->ctx = ctx;
	clk_real(&player->clk);
	schedule_plan(&player->sched, sim->rate_num, sim->rate_den,
		      NSEC_PER_SEC);
	player->cell = aligned_alloc(_Alignof(struct cell),
				     cell_size(player->sched.nr_slots));
	if (!player->cell)
		return -ENOMEM;
	return burn_init(&player->burn, &player->clk, mode, ctx->loops_per_ms,
			 ctx->syscall_clock);
}

static int lay_segment(struct player *player, int64_t start, uint64_t round)
{
	struct cell *cell = player->cell;
	uint64_t nr = player->sched.nr_slots;
	int err = schedule_lay(&player->sched, cell, start,
			       hash_u64(player->ctx->seed, round));

	if (!err)
		sim_ask(player->ctx->sim, cell, round * nr);
	return err;
}

static int player_run(struct load_ctx *ctx)
{
	struct player *player = ctx->priv;
	const struct periodic periodic = {
		.clk = &player->clk,
		.burn = burn_and_count,
		.burn_arg = player,
		.stopped = player_stopped,
		.stopped_arg = player,
	};
	int64_t start = clk_now(&player->clk);
	int err = 0;

	for (uint64_t round = 0; !err && !load_stopped(ctx); round++) {
		err = lay_segment(player, start, round);
		if (!err)
			periodic_run(&periodic, player->cell);
		start = player->cell->end_ns;
	}
	return err;
}

static void player_teardown(struct load_ctx *ctx)
{
	struct player *player = ctx->priv;

	if (!player)
		return;
	free(player->cell);
	free(player);
	ctx->priv = NULL;
}

const struct load sim_as_load = {
	.name = "task",
	.title = "Task",
	.help = "a simulated task as a load",
	.unit = "frames",
	.flags = LOAD_DEFAULT,
	.setup = player_setup,
	.run = player_run,
	.teardown = player_teardown,
};
