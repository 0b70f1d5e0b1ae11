/* SPDX-License-Identifier: GPL-2.0-or-later */
/* burn: -L threads that use up all CPU they get. */
#include "load.h"

#include "engine/burn.h"
#include "engine/team.h"

/* About 20 us: short for the stop flag, long against the counter. */
#define CHUNK 50000

extern const struct load load_burn;

static void work(struct load_ctx *ctx, uint32_t worker)
{
	while (!load_stopped(ctx)) {
		burn_loops(CHUNK);
		load_count(ctx, worker, CHUNK);
	}
}

static int setup(struct load_ctx *ctx)
{
	struct team *team;
	int err = team_create(&team, ctx, work);

	if (!err)
		ctx->priv = team;
	return err;
}

static int run(struct load_ctx *ctx)
{
	team_run(ctx->priv);
	ctx->priv = NULL;
	return 0;
}

static void teardown(struct load_ctx *ctx)
{
	if (ctx->priv)
		team_dismiss(ctx->priv);
}

const struct load load_burn = {
	.name = "burn",
	.title = "Burn",
	.help = "-L threads that never sleep",
	.unit = "loops",
	.flags = LOAD_DEFAULT | LOAD_QUICK | LOAD_THREADS,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
