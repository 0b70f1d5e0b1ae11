/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hack: groups of processes, all senders of a group write to all receivers. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"
#include "engine/crew.h"

#define FAN 20			/* senders, and receivers, of a group */
#define CPUS_PER_GROUP 4
#define GROUPS_MAX 16
#define MESSAGE_BYTES 100
/* Messages that are counted at once. */
#define BATCH 16

/* What a process takes, and half of the buffers that a pair of them has. */
#define WORKER_BYTES ((512 + 104) * 1024)
#define FILES_LEFT 16

_Static_assert(MESSAGE_BYTES <= PIPE_BUF, "messages are never torn");

struct size {
	uint32_t groups;
	uint32_t fan;
};

/* A pipe or a socket pair for each receiver, that all senders write to. */
struct group {
	uint32_t fan;
	int pipes[FAN][2];
};

extern const struct load load_hack;

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static int refuse(struct load_ctx *ctx, const char *what, uint64_t limit)
{
	snprintf(ctx->why, sizeof(ctx->why),
		 "not even a sender and a receiver fit: %s %llu", what,
		 (unsigned long long)limit);
	return -EAGAIN;
}

/* Fewer groups where they do not fit, then smaller ones. */
static int choose_size(struct load_ctx *ctx, struct size *size)
{
	const struct load_params *p = ctx->params;
	uint64_t by_memory = p->mem_bytes / 4 / WORKER_BYTES;
	uint32_t tasks = p->max_tasks / 2, groups = p->cpus / CPUS_PER_GROUP;

	if (p->max_files < FILES_LEFT + 2)
		return refuse(ctx, "limit of open files", p->max_files);
	if (tasks < 2)
		return refuse(ctx, "limit of tasks", p->max_tasks);
	if (by_memory < 2)
		return refuse(ctx, "bytes of memory", p->mem_bytes);
	if (tasks > by_memory)
		tasks = (uint32_t)by_memory;
	groups = groups ? min_u32(groups, GROUPS_MAX) : 1;
	size->fan = min_u32(FAN, (p->max_files - FILES_LEFT) / 2);
	size->fan = min_u32(size->fan, tasks / 2);
	size->groups = min_u32(groups, tasks / (2 * size->fan));
	snprintf(ctx->note, sizeof(ctx->note),
		 "%u group%s of %u processes over pipes%s", size->groups,
		 size->groups == 1 ? "" : "s", 2 * size->fan,
		 size->fan > 1 ? " and local sockets" : "");
	return 0;
}

static int probe(struct load_ctx *ctx)
{
	struct size size;

	return choose_size(ctx, &size);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* One end, 0 to read or 1 to write, of all pipes. */
static void close_ends(struct group *group, int end)
{
	for (uint32_t i = 0; i < group->fan; i++)
		close_fd(&group->pipes[i][end]);
}

/* Each second one is a socket, which takes another way through the kernel. */
static int open_pipe(int pipe[2], uint32_t i)
{
	int ret = i % 2 ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				     pipe)
			: pipe2(pipe, O_CLOEXEC);

	return ret ? -errno : 0;
}

static int open_pipes(struct load_ctx *ctx, struct group *group)
{
	memset(group->pipes, -1, sizeof(group->pipes));
	for (uint32_t i = 0; i < group->fan; i++) {
		int err = open_pipe(group->pipes[i], i);

		if (!err)
			continue;
		snprintf(ctx->why, sizeof(ctx->why),
			 "only %u of %u pipes of a group could be made: %s", i,
			 group->fan, strerror(-err));
		return err;
	}
	return 0;
}

/*
 * The other end is gone: somebody died, whom the crew will report; who is left
 * keeps out of its way.
 */
static int rest(void)
{
	for (;;)
		pause();
	return 0;
}

static int send_messages(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	struct group *group = arg;
	char message[MESSAGE_BYTES];
	struct rng rng;

	close_ends(group, 0);
	rng_init(&rng, ctx->seed + worker);
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (char)rng_next(&rng);
	for (uint32_t i = 0; !load_stopped(ctx); i = (i + 1) % group->fan) {
		if (write(group->pipes[i][1], message, sizeof(message)) >= 0)
			continue;
		if (errno == EPIPE || errno == ECONNRESET)
			return rest();
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Whole messages: a socket keeps them apart, and a pipe has nothing else. */
static int receive_messages(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	struct group *group = arg;
	uint32_t receiver = worker % (2 * group->fan);
	int fd = group->pipes[receiver][0];
	char message[MESSAGE_BYTES];
	uint64_t nr = 0;

	group->pipes[receiver][0] = -1;
	close_ends(group, 0);
	close_ends(group, 1);
	while (!load_stopped(ctx)) {
		ssize_t n = read(fd, message, sizeof(message));

		if (!n || (n < 0 && errno == ECONNRESET))
			return rest();
		if (n < 0 && errno != EINTR)
			return -errno;
		nr += n > 0;
		if (nr < BATCH)
			continue;
		load_count(ctx, worker, nr);
		nr = 0;
	}
	return 0;
}

/* Receivers first, so that their numbers in the group are those of the pipes. */
static int add_group(struct load_ctx *ctx, struct crew *crew, uint32_t fan)
{
	struct group group = { .fan = fan };
	int err = open_pipes(ctx, &group);

	for (uint32_t i = 0; !err && i < fan; i++)
		err = crew_add(crew, receive_messages, &group);
	for (uint32_t i = 0; !err && i < fan; i++)
		err = crew_add(crew, send_messages, &group);
	close_ends(&group, 0);
	close_ends(&group, 1);
	return err;
}

static int setup(struct load_ctx *ctx)
{
	struct crew *crew;
	struct size size;
	int err = choose_size(ctx, &size);

	if (!err)
		err = crew_create(&crew, ctx, size.groups * 2 * size.fan);
	if (err)
		return err;
	ctx->priv = crew;
	for (uint32_t i = 0; !err && i < size.groups; i++)
		err = add_group(ctx, crew, size.fan);
	return err;
}

static int run(struct load_ctx *ctx)
{
	return crew_run(ctx->priv);
}

static void teardown(struct load_ctx *ctx)
{
	crew_dismiss(ctx->priv);
	ctx->priv = NULL;
}

const struct load load_hack = {
	.name = "hack",
	.title = "Hack",
	.help = "groups of processes that write messages to each other",
	.unit = "messages",
	.flags = LOAD_GUARD,
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
