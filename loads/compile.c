/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile: make -j, a compiler for each CPU and a linker now and then. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "engine/compilejob.h"
#include "engine/pace.h"
#include "engine/spawn.h"
#include "engine/tree.h"

#define MOST_SOURCES 200
#define LEAST_SOURCES 8
#define LEAST_KIB 5.0		/* of a source */
#define MOST_KIB 100.0
#define LEAST_US 20000.0	/* CPU time of a compiler */
#define MOST_US 200000.0
/* Sources, two generations of objects and of what is linked, and waste. */
#define COPIES 8
#define LEAST_DISK (UINT64_C(1) << 20)
#define JOB_MEM (UINT64_C(64) << 20)
#define NAME_LEN 16
#define US_LEN 24
#define OUTPUT "program"

extern const struct load load_compile;

struct job {
	pid_t pid;		/* 0: none */
	uint64_t round;		/* that it belongs to */
};

struct compile {
	int dir_fd;		/* of sources and objects, -1: none */
	int self_fd;		/* the program that compiles, -1: none */
	int err_fds[2];		/* what compilers complain on; -1: none */
	uint32_t nr_sources;
	uint32_t bytes[MOST_SOURCES];
	uint64_t all_bytes;
	struct rng rng;
	struct pace pace;
	uint64_t round;
	uint32_t next;		/* source to compile */
	uint32_t max_compilers;
	bool must_link;		/* linker.round, once its compilers are done */
	struct job linker;
	struct job *compilers;	/* max_compilers of them */
};

/* Evenly on a log scale. */
static double draw(struct rng *rng, double least, double most)
{
	return least * pow(most / least, rng_unit(rng));
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The linker is one more than these. */
static uint32_t count_compilers(const struct load_params *p)
{
	uint64_t tasks = min_u64(p->max_tasks / 2, p->mem_bytes / JOB_MEM);

	return (uint32_t)min_u64(p->cpus, tasks ? tasks - 1 : 0);
}

/* A descriptor of ours to close: our own program; or -errno. */
static int open_self(const struct load_ctx *ctx)
{
	int fd = ctx->self_fd >= 0
			 ? fcntl(ctx->self_fd, F_DUPFD_CLOEXEC, 3)
			 : open("/proc/self/exe", O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int probe_disk(struct load_ctx *ctx)
{
	const struct load_disk *disk = &ctx->params->disk[LOAD_DISK_HOME];
	char room[32];

	if (disk->bytes >= LEAST_DISK)
		return 0;
	units_format_bytes(room, sizeof(room), disk->bytes);
	if (!disk->bytes && disk->why[0])
		snprintf(ctx->why, sizeof(ctx->why), "%s", disk->why);
	else
		snprintf(ctx->why, sizeof(ctx->why),
			 "no space to compile in: %s may be used", room);
	return -ENOSPC;
}

static int probe(struct load_ctx *ctx)
{
	int fd, err = probe_disk(ctx);

	if (err)
		return err;
	if (!count_compilers(ctx->params)) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "no memory or processes for compiler and linker");
		return -EAGAIN;
	}
	fd = open_self(ctx);
	if (fd < 0) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "our own program cannot be executed: %s",
			 strerror(-fd));
		return fd;
	}
	close(fd);
	return 0;
}

static void add_statement(struct strbuf *sb, struct rng *rng)
{
	uint64_t a = rng_below(rng, 400), b = rng_below(rng, 4000);

	switch (rng_below(rng, 4)) {
	case 0:
		strbuf_addf(sb, "\tif (item_%" PRIu64 " > %" PRIu64
			    ")\n\t\treturn table[%" PRIu64 "];\n", a, b, a);
		break;
	case 1:
		strbuf_addf(sb, "\tlocal_%" PRIu64 " += call_%" PRIu64
			    "(item_%" PRIu64 ", %" PRIu64 ");\n", a, b, a, b);
		break;
	case 2:
		strbuf_addf(sb, "\t/* entry %" PRIu64 " of %" PRIu64
			    " */\n", a, b);
		break;
	default:
		strbuf_addf(sb, "\tnode->field_%" PRIu64 " = item_%" PRIu64
			    " * %" PRIu64 " + count;\n", a, b, a);
	}
}

static void write_text(struct strbuf *sb, uint32_t bytes, struct rng *rng)
{
	strbuf_clear(sb);
	while (sb->len < bytes && !sb->err) {
		strbuf_addf(sb, "static int function_%zu(struct node *node)\n"
			    "{\n", sb->len);
		for (uint64_t n = 4 + rng_below(rng, 24); n; n--)
			add_statement(sb, rng);
		strbuf_adds(sb, "}\n\n");
	}
}

static int make_source(struct compile *c, uint32_t i, struct strbuf *sb)
{
	char name[NAME_LEN];
	int fd, err;

	write_text(sb, c->bytes[i], &c->rng);
	if (sb->err)
		return sb->err;
	c->bytes[i] = (uint32_t)sb->len;
	c->all_bytes += sb->len;
	snprintf(name, sizeof(name), "s%03" PRIu32 ".c", i);
	fd = openat(c->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0644);
	if (fd < 0)
		return -errno;
	err = fd_write_all(fd, sb->text, sb->len, NULL);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* As many as the space is for; at a low rate only what takes 2 s. */
static int make_sources(struct load_ctx *ctx, struct compile *c)
{
	uint64_t left = ctx->params->disk[LOAD_DISK_HOME].bytes / COPIES;
	struct strbuf sb = STRBUF_INIT;
	uint64_t most;
	int err = 0;

	if (ctx->params->io_rate)
		left = min_u64(left, 2 * ctx->params->io_rate);
	most = left / LEAST_SOURCES;
	while (!err && c->nr_sources < MOST_SOURCES && c->all_bytes < left) {
		uint64_t bytes = (uint64_t)(1024.0 * draw(&c->rng, LEAST_KIB,
							  MOST_KIB));

		c->bytes[c->nr_sources] = (uint32_t)min_u64(bytes, most);
		err = make_source(c, c->nr_sources, &sb);
		if (!err)
			pace_spend(&c->pace, ctx, c->bytes[c->nr_sources++]);
		if (!err && load_stopped(ctx))
			err = -EINTR;
	}
	strbuf_release(&sb);
	if (err)
		snprintf(ctx->why, sizeof(ctx->why),
			 "source %" PRIu32 " could not be written: %s",
			 c->nr_sources + 1, strerror(-err));
	return err;
}

static int allocate(struct load_ctx *ctx)
{
	struct compile *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	ctx->priv = c;
	c->dir_fd = c->self_fd = c->err_fds[0] = c->err_fds[1] = -1;
	c->max_compilers = count_compilers(ctx->params);
	/* One more: of none there is no memory to be had. */
	c->compilers = calloc(c->max_compilers + 1, sizeof(*c->compilers));
	rng_init(&c->rng, ctx->seed);
	pace_init(&c->pace, ctx->params->io_rate);
	return c->compilers ? 0 : -ENOMEM;
}

static int setup(struct load_ctx *ctx)
{
	struct compile *c;
	char size[32];
	int err = allocate(ctx);

	if (err)
		return err;
	c = ctx->priv;
	c->self_fd = open_self(ctx);
	if (c->self_fd < 0)
		return c->self_fd;
	if (pipe2(c->err_fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	c->dir_fd = tree_open_home(ctx, "compile");
	if (c->dir_fd < 0)
		return c->dir_fd;
	err = make_sources(ctx, c);
	units_format_bytes(size, sizeof(size), c->all_bytes);
	snprintf(ctx->note, sizeof(ctx->note), "%" PRIu32 " %s, %" PRIu32
		 " sources of %s", c->max_compilers,
		 c->max_compilers == 1 ? "compiler" : "compilers",
		 c->nr_sources, size);
	return err;
}

/* The linker of a round reads while the next round writes others. */
static void object_name(char *name, uint64_t round, uint32_t i)
{
	snprintf(name, NAME_LEN, "s%03" PRIu32 ".o%u", i,
		 (unsigned int)(round % 2));
}

static int start(struct load_ctx *ctx, struct job *job,
		 const char *const *argv)
{
	struct compile *c = ctx->priv;
	struct spawn spawn;
	pid_t pid;

	spawn_init(&spawn, argv[0], argv);
	spawn.exec_fd = c->self_fd;
	spawn.err_fd = c->err_fds[1];
	spawn.pass_fd = c->dir_fd;
	pid = spawn_start(&spawn);
	if (pid < 0) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "%s could not be started: %s", argv[0],
			 strerror((int)-pid));
		return (int)pid;
	}
	job->pid = pid;
	return 0;
}

static struct job *free_compiler(struct compile *c)
{
	for (uint32_t i = 0; i < c->max_compilers; i++)
		if (!c->compilers[i].pid)
			return &c->compilers[i];
	return NULL;
}

static int start_compiler(struct load_ctx *ctx, struct job *job)
{
	struct compile *c = ctx->priv;
	char dir[US_LEN], source[NAME_LEN], object[NAME_LEN], us[US_LEN];
	const char *const argv[] = { COMPILEJOB_CC, dir, source, object, us,
				     NULL };
	int err;

	snprintf(dir, sizeof(dir), "%d", c->dir_fd);
	snprintf(source, sizeof(source), "s%03" PRIu32 ".c", c->next);
	object_name(object, c->round, c->next);
	snprintf(us, sizeof(us), "%.0f", draw(&c->rng, LEAST_US, MOST_US));
	err = start(ctx, job, argv);
	if (err)
		return err;
	job->round = c->round;
	pace_spend(&c->pace, ctx, c->bytes[c->next++]);
	return 0;
}

static int start_linker(struct load_ctx *ctx)
{
	struct compile *c = ctx->priv;
	char dir[US_LEN], objects[MOST_SOURCES][NAME_LEN];
	const char *argv[MOST_SOURCES + 4] = { COMPILEJOB_LD, dir };
	int err;

	snprintf(dir, sizeof(dir), "%d", c->dir_fd);
	for (uint32_t i = 0; i < c->nr_sources; i++) {
		object_name(objects[i], c->linker.round, i);
		argv[2 + i] = objects[i];
	}
	argv[2 + c->nr_sources] = OUTPUT;
	err = start(ctx, &c->linker, argv);
	if (err)
		return err;
	c->must_link = false;
	pace_spend(&c->pace, ctx, c->all_bytes);
	return 0;
}

/* Whether the objects of the round to be linked are all there. */
static bool can_link(const struct compile *c)
{
	if (!c->must_link)
		return false;
	for (uint32_t i = 0; i < c->max_compilers; i++)
		if (c->compilers[i].pid &&
		    c->compilers[i].round == c->linker.round)
			return false;
	return true;
}

/*
 * Ends a round, unless the objects of the one before, which the next will
 * overwrite, are still to be linked.
 */
static bool end_round(struct compile *c)
{
	if (c->must_link || c->linker.pid)
		return false;
	c->must_link = true;
	c->linker.round = c->round++;
	c->next = 0;
	return true;
}

/* Starts all that there is a place for. */
static int start_jobs(struct load_ctx *ctx)
{
	struct compile *c = ctx->priv;
	struct job *job;
	int err = 0;

	while (!err && !load_stopped(ctx)) {
		if (can_link(c)) {
			err = start_linker(ctx);
			continue;
		}
		job = free_compiler(c);
		if (!job || (c->next == c->nr_sources && !end_round(c)))
			return 0;
		err = start_compiler(ctx, job);
	}
	return err;
}

static struct job *find_job(struct compile *c, pid_t pid)
{
	for (uint32_t i = 0; i < c->max_compilers; i++)
		if (c->compilers[i].pid == pid)
			return &c->compilers[i];
	return c->linker.pid == pid ? &c->linker : NULL;
}

/* What the failed one wrote; the others have nothing to say. */
static void read_complaint(struct compile *c, char *text, size_t size)
{
	ssize_t n = read(c->err_fds[0], text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* Waits for the end of a job: 0 if it was a good one, or if interrupted. */
static int wait_job(struct load_ctx *ctx)
{
	struct compile *c = ctx->priv;
	char text[LOAD_WHY_LEN];
	struct job *job;
	bool linker;
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	if (pid < 0)
		return errno == EINTR ? 0 : -errno;
	job = find_job(c, pid);
	if (!job)
		return 0;
	linker = job == &c->linker;
	job->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		load_count(ctx, 0, 1);
		return 0;
	}
	read_complaint(c, text, sizeof(text));
	return spawn_explain(ctx, linker ? "linker" : "compiler", status,
			     text);
}

static void end_job(struct job *job)
{
	if (job->pid)
		spawn_kill(job->pid);
	job->pid = 0;
}

static void end_jobs(struct compile *c)
{
	/* All at once, so that they end at the same time. */
	for (uint32_t i = 0; i < c->max_compilers; i++)
		if (c->compilers[i].pid)
			kill(c->compilers[i].pid, SIGKILL);
	for (uint32_t i = 0; i < c->max_compilers; i++)
		end_job(&c->compilers[i]);
	end_job(&c->linker);
}

static int run(struct load_ctx *ctx)
{
	int err = 0;

	while (!err && !load_stopped(ctx)) {
		err = start_jobs(ctx);
		if (!err && !load_stopped(ctx))
			err = wait_job(ctx);
	}
	end_jobs(ctx->priv);
	return err;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void teardown(struct load_ctx *ctx)
{
	struct compile *c = ctx->priv;

	if (!c)
		return;
	if (c->compilers)
		end_jobs(c);
	close_fd(c->dir_fd);
	close_fd(c->self_fd);
	close_fd(c->err_fds[0]);
	close_fd(c->err_fds[1]);
	free(c->compilers);
	free(c);
	ctx->priv = NULL;
}

const struct load load_compile = {
	.name = "compile",
	.title = "Compile",
	.help = "make -j: a short compiler process for each CPU",
	.unit = "jobs",
	.flags = LOAD_DEFAULT | LOAD_QUICK | LOAD_DISK |
		 LOAD_GUARD,
	.parts = (const char *const[]){ "burn", "write", "read", NULL },
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
