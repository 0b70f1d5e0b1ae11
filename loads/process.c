/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process: a ring of processes that hand data on through pipes. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "engine/crew.h"

#define PROCESSES_PER_CPU 4
#define PROCESSES_MIN 2
#define PROCESS_BYTES ((512 + 64) * 1024)
/* Three pipes at most, and what else is open. */
#define FILES_NEEDED (16 + 6)

#define CHUNK_BYTES 4096
#define CHUNK_WORDS (CHUNK_BYTES / sizeof(uint64_t))
/* Chunks that are counted at once. */
#define BATCH 8

/* What a process of the ring has open. */
struct link {
	int in;
	int out;
	int spare[2];	/* that it has no use for */
};

extern const struct load load_process;

static int refuse(struct load_ctx *ctx, const char *what, uint64_t limit)
{
	snprintf(ctx->why, sizeof(ctx->why),
		 "not even a ring of %d processes fits: %s %llu",
		 PROCESSES_MIN, what, (unsigned long long)limit);
	return -EAGAIN;
}

static int choose_size(struct load_ctx *ctx, uint32_t *nr)
{
	const struct load_params *p = ctx->params;
	uint64_t by_memory = p->mem_bytes / 4 / PROCESS_BYTES;
	uint64_t n = (uint64_t)p->cpus * PROCESSES_PER_CPU;

	if (p->max_files < FILES_NEEDED)
		return refuse(ctx, "limit of open files", p->max_files);
	if (p->max_tasks / 2 < PROCESSES_MIN)
		return refuse(ctx, "limit of tasks", p->max_tasks);
	if (by_memory < PROCESSES_MIN)
		return refuse(ctx, "bytes of memory", p->mem_bytes);
	if (n > p->max_tasks / 2)
		n = p->max_tasks / 2;
	if (n > by_memory)
		n = by_memory;
	*nr = n < PROCESSES_MIN ? PROCESSES_MIN : (uint32_t)n;
	snprintf(ctx->note, sizeof(ctx->note),
		 "a ring of %u processes, %u chunk%s of %d KiB in it", *nr,
		 *nr / 2, *nr / 2 == 1 ? "" : "s", CHUNK_BYTES / 1024);
	return 0;
}

static int probe(struct load_ctx *ctx)
{
	uint32_t nr;

	return choose_size(ctx, &nr);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* All of it: 0, -EPIPE if the other end is gone, or -errno. */
static int read_chunk(int fd, uint64_t *chunk)
{
	char *to = (char *)chunk;
	size_t left = CHUNK_BYTES;

	while (left) {
		ssize_t n = read(fd, to + CHUNK_BYTES - left, left);

		if (!n)
			return -EPIPE;
		if (n < 0 && errno != EINTR)
			return -errno;
		left -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int write_chunk(int fd, const uint64_t *chunk)
{
	const char *from = (const char *)chunk;
	size_t left = CHUNK_BYTES;

	while (left) {
		ssize_t n = write(fd, from + CHUNK_BYTES - left, left);

		if (n < 0 && errno != EINTR)
			return -errno;
		left -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Somebody died, whom the crew will report: who is left keeps out of its way. */
static int rest(void)
{
	for (;;)
		pause();
	return 0;
}

static void touch(uint64_t *chunk, uint64_t with)
{
	for (size_t i = 0; i < CHUNK_WORDS; i++)
		chunk[i] ^= with + i;
}

/* Every other one begins with a chunk of its own. */
static int begin(const struct link *link, struct rng *rng, uint32_t worker)
{
	uint64_t chunk[CHUNK_WORDS];

	if (!(worker % 2))
		return 0;
	for (size_t i = 0; i < CHUNK_WORDS; i++)
		chunk[i] = rng_next(rng);
	return write_chunk(link->out, chunk);
}

/*
 * There are fewer chunks than processes, so that never all of them have one
 * to write: whatever the pipes can hold, somebody reads.
 */
static int pass_on(struct load_ctx *ctx, uint32_t worker, void *arg)
{
	struct link *link = arg;
	uint64_t chunk[CHUNK_WORDS], nr = 0;
	struct rng rng;
	int err;

	close_fd(&link->spare[0]);
	close_fd(&link->spare[1]);
	rng_init(&rng, ctx->seed + worker);
	err = begin(link, &rng, worker);
	while (!err && !load_stopped(ctx)) {
		err = read_chunk(link->in, chunk);
		if (err)
			break;
		touch(chunk, rng_next(&rng));
		err = write_chunk(link->out, chunk);
		if (++nr % BATCH == 0)
			load_count(ctx, worker, BATCH);
	}
	return err == -EPIPE ? rest() : err;
}

static int open_pipe(struct load_ctx *ctx, int fds[2])
{
	int err = pipe2(fds, O_CLOEXEC) ? -errno : 0;

	if (err)
		snprintf(ctx->why, sizeof(ctx->why),
			 "not all pipes of the ring could be made: %s", strerror(-err));
	return err;
}

/*
 * A process reads from the pipe that the one before it writes to, the first
 * from that of the last. No more than these pipes are open here at once.
 */
static int make_ring(struct load_ctx *ctx, struct crew *crew, uint32_t nr)
{
	int first[2] = { -1, -1 }, next[2] = { -1, -1 };
	int err = open_pipe(ctx, first), in = first[0];

	for (uint32_t i = 0; !err && i < nr; i++) {
		bool last = i == nr - 1;
		struct link link = { .in = in };

		err = last ? 0 : open_pipe(ctx, next);
		if (err)
			break;
		link.out = last ? first[1] : next[1];
		link.spare[0] = next[0];
		link.spare[1] = last ? -1 : first[1];
		err = crew_add(crew, pass_on, &link);
		close_fd(&in);
		close_fd(&next[1]);
		in = next[0];
		next[0] = -1;
	}
	close_fd(&in);
	close_fd(&first[1]);
	return err;
}

static int setup(struct load_ctx *ctx)
{
	struct crew *crew;
	uint32_t nr;
	int err = choose_size(ctx, &nr);

	if (!err)
		err = crew_create(&crew, ctx, nr);
	if (err)
		return err;
	ctx->priv = crew;
	return make_ring(ctx, crew, nr);
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

const struct load load_process = {
	.name = "process",
	.title = "Process",
	.help = "a ring of processes that hand data on",
	.unit = "chunks",
	.flags = LOAD_CONTEST | LOAD_GUARD,
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
