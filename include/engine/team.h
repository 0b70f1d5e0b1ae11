/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team: N threads that start together, as workers of a load. */
#ifndef IB_ENGINE_TEAM_H
#define IB_ENGINE_TEAM_H

#include <stdint.h>

struct load_ctx;
struct team;

/*
 * Creates ctx->nr_workers threads, named <process name>/<number>, which wait
 * for ctx->go and then call work(ctx, worker) once. 0 or -errno with ctx->why;
 * on failure no thread is left.
 */
int team_create(struct team **team, struct load_ctx *ctx,
		void (*work)(struct load_ctx *ctx, uint32_t worker));

/* Waits until all have returned, and frees the team. */
void team_join(struct team *team);

#endif
