/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbench: the system's dbench, 16 clients to a CPU. */
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/units.h"
#include "engine/program.h"
#include "engine/tree.h"

#define CLIENTS_PER_CPU 16
#define CLIENT_DISK (UINT64_C(30) << 20)
#define CLIENT_MEM (UINT64_C(16) << 20)
#define LONG_S "1000000"	/* more than any window */
#define ARG_LEN 24

extern const struct load load_dbench;

struct bench {
	struct load_ctx *ctx;
	const char *script;	/* what its clients do */
	uint32_t clients;
	int dir_fd;
	pid_t pid;		/* of the one that runs, or ran last */
	bool has_rate;		/* it knows --target-rate */
	bool released;		/* its clients have started */
	uint64_t seen;		/* operations of a client so far */
};

static const char *find_script(void)
{
	static const char *const places[] = {
		"/usr/share/dbench/client.txt",
		"/usr/local/share/dbench/client.txt",
		"/usr/share/client.txt",
		"/usr/local/share/client.txt",
		"/usr/share/doc/dbench/loadfiles/client.txt",
		"/usr/local/share/doc/dbench/loadfiles/client.txt",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!access(places[i], R_OK))
			return places[i];
	return NULL;
}

static uint32_t bound(uint32_t clients, uint64_t most)
{
	return most < clients ? (uint32_t)most : clients;
}

/* As many clients as there is room for; 0 and why if for none. */
static uint32_t count_clients(struct load_ctx *ctx)
{
	const struct load_params *p = ctx->params;
	const struct load_disk *disk = &p->disk[LOAD_DISK_HOME];
	uint32_t nr = bound(UINT32_MAX, (uint64_t)p->cpus * CLIENTS_PER_CPU);
	char room[32];

	nr = bound(nr, disk->bytes / CLIENT_DISK);
	if (!nr && disk->why[0]) {
		snprintf(ctx->why, sizeof(ctx->why), "%s", disk->why);
	} else if (!nr) {
		units_format_bytes(room, sizeof(room), disk->bytes);
		snprintf(ctx->why, sizeof(ctx->why),
			 "no space for a client of dbench: %s of disk", room);
	}
	if (!nr)
		return 0;
	/* dbench itself is a process too. */
	nr = bound(nr, p->max_tasks / 2 > 0 ? p->max_tasks / 2 - 1 : 0);
	nr = bound(nr, p->mem_bytes / CLIENT_MEM);
	if (!nr)
		snprintf(ctx->why, sizeof(ctx->why),
			 "no memory or process for a client of dbench");
	return nr;
}

static int probe(struct load_ctx *ctx)
{
	const char *lacks = NULL;

	if (!program_exists("dbench"))
		lacks = "is not installed";
	else if (!find_script())
		lacks = "has no client.txt";
	if (!lacks)
		return count_clients(ctx) ? 0 : -ENOSPC;
	snprintf(ctx->why, sizeof(ctx->why), "dbench %s", lacks);
	return -ENOENT;
}

static int on_help(void *arg, pid_t pid, const char *line)
{
	struct bench *b = arg;

	(void)pid;
	if (strstr(line, "--target-rate"))
		b->has_rate = true;
	return 0;
}

/* Not all versions can be slowed down. */
static void ask_for_options(struct bench *b)
{
	const char *const argv[] = { "dbench", "--help", NULL };
	struct program help;

	program_init(&help, "dbench", "dbench", argv);
	help.read_out = true;
	help.line = on_help;
	help.arg = b;
	program_run(b->ctx, &help);
	/* What it returns for help differs. */
	b->ctx->why[0] = '\0';
}

static int setup(struct load_ctx *ctx)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	ctx->priv = b;
	b->ctx = ctx;
	b->script = find_script();
	b->clients = count_clients(ctx);
	b->dir_fd = tree_open_home(ctx, "dbench");
	if (b->dir_fd < 0)
		return b->dir_fd;
	ask_for_options(b);
	snprintf(ctx->note, sizeof(ctx->note), "%" PRIu32 " client%s%s",
		 b->clients, b->clients == 1 ? "" : "s",
		 ctx->params->io_rate && !b->has_rate ? ", at any rate" : "");
	return 0;
}

/*
 * It waits for its clients, but a killed one looks to it like one that is
 * done. Children that the kernel does not list cannot be missed.
 */
static bool client_is_missing(const struct bench *b, pid_t pid)
{
	char path[64], text[4096], *at = text, *end;
	uint32_t nr = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	/* A list that fills the buffer is not counted. */
	if (file_read(path, text, sizeof(text)) >= (ssize_t)sizeof(text) - 1)
		return false;
	while (strtol(at, &end, 10) > 0) {
		at = end;
		nr++;
	}
	return nr && nr < b->clients;
}

/* " 8   664   56.35 MB/sec  warmup   3 sec ...": operations of a client. */
static bool parse_progress(const char *line, uint64_t *operations)
{
	char *end;

	if (!strstr(line, " MB/sec "))
		return false;
	if (strtoul(line, &end, 10) < 1 || *end != ' ')
		return false;
	*operations = strtoull(end, &end, 10);
	return *end == ' ';
}

static int on_line(void *arg, pid_t pid, const char *line)
{
	struct bench *b = arg;
	uint64_t operations;

	b->pid = pid;
	if (strstr(line, "releasing clients"))
		b->released = true;
	/* What it says when all is well is no reason of a bad end. */
	if (strstr(line, " clients") || strstr(line, " prepared for "))
		return 1;
	if (!parse_progress(line, &operations))
		return 0;
	if (!b->released)
		return 1;
	if (operations > b->seen)
		load_count(b->ctx, 0, (operations - b->seen) * b->clients);
	b->seen = operations;
	if (!client_is_missing(b, pid))
		return 1;
	snprintf(b->ctx->why, sizeof(b->ctx->why),
		 "a client of dbench has ended");
	return -ECHILD;
}

/*
 * Its clients wait for each other with a semaphore that outlives all of them.
 * If it was killed just then, the set is the one that it used last.
 */
static void remove_semaphore(pid_t pid)
{
	union {
		int val;
		struct semid_ds *buf;
		struct seminfo *info;
	} arg;
	struct seminfo info;
	struct semid_ds ds;
	int last;

	arg.info = &info;
	last = semctl(0, 0, SEM_INFO, arg);
	arg.buf = &ds;
	for (int i = 0; i <= last; i++) {
		int id = semctl(i, 0, SEM_STAT, arg);

		if (id >= 0 && semctl(id, 0, GETPID) == pid)
			semctl(id, 0, IPC_RMID);
	}
}

/* MB/s of one client, reading included, with two decimals. */
static void format_rate(char *text, const struct bench *b)
{
	uint64_t hundredths = b->ctx->params->io_rate / 10000 / b->clients;

	if (!hundredths)
		hundredths = 1;
	snprintf(text, ARG_LEN, "%" PRIu64 ".%02" PRIu64, hundredths / 100,
		 hundredths % 100);
}

static int bench_once(struct bench *b)
{
	char clients[ARG_LEN], rate[ARG_LEN];
	const char *argv[] = { "dbench", "-c", b->script, "-D", ".", "-t",
			       LONG_S, clients, NULL, NULL, NULL };
	struct program dbench;
	int err;

	snprintf(clients, sizeof(clients), "%" PRIu32, b->clients);
	if (b->has_rate && b->ctx->params->io_rate) {
		format_rate(rate, b);
		argv[8] = "-R";
		argv[9] = rate;
	}
	b->released = false;
	b->pid = 0;
	b->seen = 0;
	program_init(&dbench, "dbench", "dbench", argv);
	dbench.spawn.dir_fd = b->dir_fd;
	dbench.read_out = true;
	dbench.line = on_line;
	dbench.arg = b;
	err = program_run(b->ctx, &dbench);
	if (err && !b->released && b->pid)
		remove_semaphore(b->pid);
	return err;
}

static int run(struct load_ctx *ctx)
{
	struct bench *b = ctx->priv;
	int err = 0;

	while (!err && !load_stopped(ctx))
		err = bench_once(b);
	return err == -EINTR ? 0 : err;
}

static void teardown(struct load_ctx *ctx)
{
	struct bench *b = ctx->priv;

	if (!b)
		return;
	if (b->dir_fd >= 0)
		close(b->dir_fd);
	free(b);
	ctx->priv = NULL;
}

const struct load load_dbench = {
	.name = "dbench",
	.title = "Dbench",
	.help = "dbench with 16 clients to a CPU",
	.unit = "operations",
	.flags = LOAD_CONTEST | LOAD_DISK | LOAD_WRITES | LOAD_GUARD,
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
