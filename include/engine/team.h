/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team: N threads that start together, as workers of a load. */
#ifndef IB_ENGINE_TEAM_H
#define IB_ENGINE_TEAM_H

#include <stdint.h>

struct load_ctx;
struct team;

/*
 * Creates ctx->nr_workers threads, named <process name>/<number>, small of
 * stack and asleep until team_run(). All signals stay with the caller. 0 or
 * -errno with ctx->why; on failure no thread is left.
 */
int team_create(struct team **team, struct load_ctx *ctx,
		void (*work)(struct load_ctx *ctx, uint32_t worker));

/* Lets all of them call work() once, waits for them and frees the team. */
void team_run(struct team *team);

/* Ends a team that was never run, and frees it. */
void team_dismiss(struct team *team);

#endif
