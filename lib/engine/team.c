/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team: create all workers first, then wake them with one futex. */
#include "engine/team.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/futex.h"
#include "load.h"

#define STACK_BYTES (64 * 1024)
#define NAME_LEN 16	/* of a thread, with its NUL */

/* What the state becomes; it is 0 while the members wait. */
enum { TEAM_WORK = 1, TEAM_LEAVE };

struct member {
	struct team *team;
	pthread_t thread;
	uint32_t number;
};

struct team {
	atomic_uint state;	/* futex */
	struct load_ctx *ctx;
	void (*work)(struct load_ctx *ctx, uint32_t worker);
	char name[NAME_LEN];
	uint32_t nr;		/* members that exist */
	struct member members[];
};

/* "ib-burn/3"; the number matters more than the end of a long name. */
static void name_thread(const struct member *m)
{
	char number[NAME_LEN], name[2 * NAME_LEN];
	int digits = snprintf(number, sizeof(number), "/%u", m->number);

	snprintf(name, sizeof(name), "%.*s%s", NAME_LEN - 1 - digits,
		 m->team->name, number);
	prctl(PR_SET_NAME, name);
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct team *team = m->team;

	name_thread(m);
	if (futex_wait_set(&team->state) == TEAM_WORK)
		team->work(team->ctx, m->number);
	return NULL;
}

static int attr_init(pthread_attr_t *attr)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);
	size_t size = STACK_BYTES;
	int err = -pthread_attr_init(attr);

	if (err)
		return err;
	if (least > 0 && (size_t)least > size)
		size = (size_t)least;
	pthread_attr_setstacksize(attr, size);
	return 0;
}

/* All members, with every signal blocked in them: 0 or -errno. */
static int hire(struct team *team, uint32_t nr)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int err = attr_init(&attr);

	if (err)
		return err;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (!err && team->nr < nr) {
		struct member *m = &team->members[team->nr];

		m->team = team;
		m->number = team->nr;
		err = -pthread_create(&m->thread, &attr, member_main, m);
		if (!err)
			team->nr++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

static void finish(struct team *team, unsigned int state)
{
	futex_set(&team->state, state);
	for (uint32_t i = 0; i < team->nr; i++)
		pthread_join(team->members[i].thread, NULL);
	free(team);
}

int team_create(struct team **team, struct load_ctx *ctx,
		void (*work)(struct load_ctx *ctx, uint32_t worker))
{
	struct team *t = calloc(1, sizeof(*t) + ctx->nr_workers *
						sizeof(struct member));
	int err;

	if (!t) {
		snprintf(ctx->why, sizeof(ctx->why), "no memory for threads");
		return -ENOMEM;
	}
	t->ctx = ctx;
	t->work = work;
	prctl(PR_GET_NAME, t->name);
	err = hire(t, ctx->nr_workers);
	if (err) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "thread %u of %u could not be started: %s",
			 t->nr + 1, ctx->nr_workers, strerror(-err));
		finish(t, TEAM_LEAVE);
		return err;
	}
	*team = t;
	return 0;
}

void team_run(struct team *team)
{
	finish(team, TEAM_WORK);
}

void team_dismiss(struct team *team)
{
	finish(team, TEAM_LEAVE);
}
