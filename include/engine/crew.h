/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crew: N processes that work for a load, as team is N threads. */
#ifndef IB_ENGINE_CREW_H
#define IB_ENGINE_CREW_H

#include <stdint.h>

struct load_ctx;
struct crew;

/* Room for max workers: 0 or -errno with ctx->why. */
int crew_create(struct crew **crew, struct load_ctx *ctx, uint32_t max);

/*
 * Forks the next worker, number 0 first, named <process name>/<number>: asleep
 * until crew_run(), dead as soon as the calling thread is, deaf to SIGUSR1 and
 * SIGPIPE. It gets a copy of all that the caller has; its work() returns 0 or
 * -errno, and ctx->why is nobody's. 0 or -errno with ctx->why.
 */
int crew_add(struct crew *crew,
	     int (*work)(struct load_ctx *ctx, uint32_t worker, void *arg),
	     void *arg);

/*
 * Lets all of them work, until load_stopped() or until one has ended, or was
 * stopped by a signal; then
 * kills and reaps the rest. 0 after a stop; -ECHILD with ctx->why ("worker 3
 * was killed by signal 9 (Killed)") or what a worker returned if one ended
 * before. Reaps other children of the caller that end meanwhile. Thousands
 * that are killed need the CPU to die: more than 0.3 s where it is crowded. To
 * be called once.
 */
int crew_run(struct crew *crew);

/* Kills and reaps who is left, and frees it. NULL is nothing. */
void crew_dismiss(struct crew *crew);

#endif
