/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memload: touches more memory than it may have, round and round. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clk.h"
#include "base/rng.h"
#include "base/units.h"
#include "engine/datafile.h"
#include "engine/team.h"
#include "sys/memcg.h"

/* Less than this is no load, and no room for a process to live in. */
#define LEAST_BYTES (UINT64_C(16) << 20)
#define MOST_BYTES (UINT64_C(8) << 30)	/* without a limit of its own */
#define MOST_WORKERS 4	/* a few keep both CPUs and devices busy */
#define BATCH 64	/* pages between two additions to the counter */
#define LOOK_AT_CLOCK 16	/* pages of filling between two looks */

#define FILL_NS (5 * NSEC_PER_SEC)
/* The data file may have taken all the time there is. */
#define FILL_LEAST_NS NSEC_PER_SEC
#define RESERVE_NS (NSEC_PER_SEC / 2)

/* Of the machine's swap, what makes 110 % of its memory bearable. */
#define GLOBAL_SWAP_PCT 15

extern const struct load load_memload;

enum mode {
	MODE_SWAP,	/* a group, anonymous pages, some in swap */
	MODE_FILE,	/* a group, pages of the data file, some not cached */
	MODE_NOLIMIT,	/* no group: anonymous pages, no reclaim */
	MODE_GLOBAL,	/* more than the machine has */
};

struct memload {
	enum mode mode;
	struct memcg group;
	struct clk clk;
	struct team *team;	/* waits for run() */
	size_t page;
	unsigned char *map;
	uint64_t mapped;	/* bytes */
	uint64_t used;		/* bytes that are touched, from the start */
	uint64_t filled;	/* less only in MODE_GLOBAL */
	uint64_t fill_to;	/* the step that goes on from used */
	int64_t deadline_ns;	/* of filling */
	atomic_bool late;
	const char *why_nolimit;
	const char *bounded_by;	/* what made it smaller, or NULL */
};

/* W is 10/11 of what is touched: 1.1 W. */
static uint64_t limit_of(uint64_t touched)
{
	return touched / 11 * 10;
}

static bool has_group(const struct memload *m)
{
	return m->mode == MODE_SWAP || m->mode == MODE_FILE;
}

static uint64_t wanted_bytes(const struct load_params *params, enum mode mode)
{
	uint64_t said = params->nolimit_bytes, most = said ? said : MOST_BYTES;
	uint64_t half = params->mem_bytes / 2;

	if (mode == MODE_GLOBAL)
		return params->ram_bytes / 10 * 11;
	if (mode != MODE_NOLIMIT)
		return params->memload_bytes / 10 * 11;
	return half < most ? half : most;
}

static enum mode choose_mode(const struct load_ctx *ctx, struct memload *m)
{
	const struct load_params *params = ctx->params;

	if (params->memload_global)
		return MODE_GLOBAL;
	m->why_nolimit = "no memory group can be made";
	if (params->memload_bytes < LEAST_BYTES || memcg_probe("") < 0)
		return MODE_NOLIMIT;
	if (params->swap_bytes >= params->memload_bytes / 4)
		return MODE_SWAP;
	m->why_nolimit = "no swap and no file to take pages from";
	if (ctx->data_fd >= 0 && params->disk[LOAD_DISK_HOME].bytes)
		return MODE_FILE;
	return MODE_NOLIMIT;
}

/* Who says that there is no more memory. */
static const char *limit_name(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		return "RLIMIT_AS";
	if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY)
		return "RLIMIT_DATA";
	return sizeof(void *) > 4 ? "vm.overcommit_memory" : "the address space";
}

/* As much of it as can be had, but not less than LEAST_BYTES. */
static int map_memory(struct load_ctx *ctx, struct memload *m, uint64_t bytes)
{
	bool file = m->mode == MODE_FILE;
	int prot = file ? PROT_READ : PROT_READ | PROT_WRITE;
	int flags = file ? MAP_SHARED :
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	int err = -ENOMEM;

	for (; err == -ENOMEM && bytes >= LEAST_BYTES; bytes -= bytes / 8) {
		/* Others need some of 32 bits as well. */
		if (bytes <= SIZE_MAX / 4) {
			m->mapped = bytes - bytes % m->page;
			m->map = mmap(NULL, (size_t)m->mapped, prot, flags,
				      file ? ctx->data_fd : -1, 0);
			err = m->map == MAP_FAILED ? -errno : 0;
		}
		if (err == -ENOMEM)
			m->bounded_by = limit_name();
	}
	if (err) {
		m->map = NULL;
		snprintf(ctx->why, sizeof(ctx->why), "no memory mapped: %s%s%s",
			 strerror(-err), err == -ENOMEM ? ", " : "",
			 err == -ENOMEM ? limit_name() : "");
	}
	return err;
}

/* Where the part of a range begins that a worker has: it ends at the next. */
static uint64_t part_of(const struct load_ctx *ctx, uint64_t from, uint64_t to,
			uint32_t worker)
{
	const struct memload *m = ctx->priv;

	return from + (to - from) / m->page * worker / ctx->nr_workers *
			      m->page;
}

/* No two pages are the same: nothing to be compressed or merged. */
static void fill_page(const struct memload *m, uint64_t at, struct rng *rng)
{
	uint64_t *words = (uint64_t *)(void *)(m->map + (size_t)at);

	for (size_t i = 0; i < m->page / sizeof(*words); i++)
		words[i] = rng_next(rng);
}

/* Reads a word, and makes what swap has of the page useless. */
static void touch_page(const struct memload *m, uint64_t at, struct rng *rng)
{
	uint64_t *words = (uint64_t *)(void *)(m->map + (size_t)at);
	uint64_t noise = rng_next(rng), word;
	size_t mask = m->page / sizeof(*words) - 1;

	word = words[(noise >> 32) & mask];
	if (m->mode != MODE_FILE)
		words[noise & mask] = noise ^ word;
	/* What is read is of no use, but must be read. */
	__asm__ volatile("" : : "r"((size_t)word));
}

static void fill(struct load_ctx *ctx, uint32_t worker)
{
	struct memload *m = ctx->priv;
	uint64_t at = part_of(ctx, m->used, m->fill_to, worker);
	uint64_t end = part_of(ctx, m->used, m->fill_to, worker + 1);
	unsigned int nr = 0;
	struct rng rng;

	rng_init(&rng, hash_u64(ctx->seed, at));
	for (; at < end; at += m->page) {
		if (nr++ % LOOK_AT_CLOCK == 0 &&
		    (load_stopped(ctx) || clk_now(&m->clk) >= m->deadline_ns)) {
			atomic_store(&m->late, true);
			return;
		}
		if (m->mode == MODE_FILE)
			touch_page(m, at, &rng);
		else
			fill_page(m, at, &rng);
	}
}

/* The first round makes the pages that filling did not come to. */
static void work(struct load_ctx *ctx, uint32_t worker)
{
	const struct memload *m = ctx->priv;
	uint64_t start = part_of(ctx, 0, m->used, worker);
	uint64_t end = part_of(ctx, 0, m->used, worker + 1);
	uint64_t at = start, new_from = m->filled, nr = 0;
	struct rng rng;

	rng_init(&rng, hash_u64(~ctx->seed, worker));
	while (!load_stopped(ctx)) {
		if (at >= new_from)
			fill_page(m, at, &rng);
		else
			touch_page(m, at, &rng);
		at += m->page;
		if (at >= end) {
			at = start;
			new_from = UINT64_MAX;
		}
		if (++nr == BATCH) {
			load_count(ctx, worker, nr);
			nr = 0;
		}
	}
	load_count(ctx, worker, nr);
}

static int set_limits(struct memload *m, uint64_t touched)
{
	uint64_t limit = limit_of(touched);
	uint64_t swap = m->mode == MODE_SWAP ? limit / 4 : 0;

	if (!has_group(m))
		return 0;
	if (!m->group.dir[0])
		return memcg_enter(&m->group, "", limit / 10 * 9, limit, swap);
	return memcg_limit(&m->group, limit / 10 * 9, limit, swap);
}

/* Fills up to a size, with the limits that go with it: 0 or -errno. */
static int fill_up_to(struct load_ctx *ctx, struct memload *m, uint64_t to)
{
	struct team *team;
	int err = set_limits(m, to);

	if (!err)
		err = team_create(&team, ctx, fill);
	if (err)
		return err;
	m->fill_to = to;
	team_run(team);
	if (!atomic_load(&m->late))
		m->used = to;
	return 0;
}

/* What was begun is given back, and the limits follow: never the reverse. */
static int undo_step(struct memload *m)
{
	if (m->mode != MODE_FILE)
		madvise(m->map + (size_t)m->used,
			(size_t)(m->fill_to - m->used), MADV_DONTNEED);
	return m->used ? set_limits(m, m->used) : 0;
}

/*
 * In steps, so that size and limits fit each other whenever time is up, and
 * limits only grow: to lower them can take as long as swapping does, or make
 * the kernel kill.
 */
static int fill_memory(struct load_ctx *ctx, struct memload *m)
{
	uint64_t to = LEAST_BYTES;
	int err = 0;

	while (!err && m->used < m->mapped && !atomic_load(&m->late)) {
		if (to > m->mapped)
			to = m->mapped;
		err = fill_up_to(ctx, m, to);
		to += to / 4;
		to -= to % m->page;
	}
	if (!err && atomic_load(&m->late)) {
		m->bounded_by = "time";
		err = undo_step(m);
	}
	m->filled = m->used;
	/* The point of this mode is to go on. */
	if (m->mode == MODE_GLOBAL)
		m->used = m->mapped;
	if (!err && !m->used) {
		snprintf(ctx->why, sizeof(ctx->why),
			 "too slow: filling was not under way in time");
		err = -ETIME;
	}
	return err;
}

/*
 * Cuts bytes to what there is of the file. Its pages must not be in memory: a
 * group is not charged for those that somebody else has read.
 */
static int grow_file(struct load_ctx *ctx, struct memload *m, uint64_t *bytes)
{
	uint64_t most = ctx->params->data_bytes;
	int64_t len = datafile_grow(ctx, *bytes < most ? *bytes : most);

	if (len < 0)
		return (int)len;
	if ((uint64_t)len < *bytes) {
		*bytes = (uint64_t)len;
		m->bounded_by = "the data file";
	}
	if (*bytes < LEAST_BYTES)
		return -ENOSPC;
	if (fdatasync(ctx->data_fd))
		return -errno;
	return -posix_fadvise(ctx->data_fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void set_deadline(struct memload *m, int64_t start_ns)
{
	int64_t now = clk_now(&m->clk);
	int64_t left = start_ns + LOAD_SETUP_NS - RESERVE_NS - now;

	if (left > FILL_NS)
		left = FILL_NS;
	m->deadline_ns = now + (left > FILL_LEAST_NS ? left : FILL_LEAST_NS);
}

/* 0 or -errno, with ctx->why if it is not the group that failed. */
static int prepare(struct load_ctx *ctx, struct memload *m, int64_t start_ns)
{
	uint64_t bytes = load_size(ctx, wanted_bytes(ctx->params, m->mode));
	uint64_t charged;
	int err = m->mode == MODE_FILE ? grow_file(ctx, m, &bytes) : 0;

	if (!err)
		err = map_memory(ctx, m, bytes);
	if (err)
		return err;
	set_deadline(m, start_ns);
	err = fill_memory(ctx, m);
	/* Others may hold the pages, or the file system may live in memory. */
	if (!err && has_group(m) && !memcg_usage(&m->group, &charged) &&
	    charged < m->used / 2)
		err = -EBUSY;
	return err;
}

/* Another try without a group. */
static void give_up_group(struct load_ctx *ctx, struct memload *m, int err)
{
	m->why_nolimit = err == -EBUSY ? "the group holds too little of the file" :
			 err == -ETIME ? "its group fills too slowly" :
			 m->map	       ? "the memory group cannot be used" :
					 "no file to take pages from";
	if (m->map)
		munmap(m->map, (size_t)m->mapped);
	m->map = NULL;
	memcg_leave(&m->group);
	m->used = 0;
	m->bounded_by = NULL;
	atomic_store(&m->late, false);
	m->mode = MODE_NOLIMIT;
	ctx->why[0] = '\0';
}

static void describe(struct load_ctx *ctx, const struct memload *m)
{
	char used[32], limit[32], filled[32], *note = ctx->note;
	size_t len, size = sizeof(ctx->note);

	units_format_bytes(used, sizeof(used), m->used);
	units_format_bytes(limit, sizeof(limit), limit_of(m->used));
	units_format_bytes(filled, sizeof(filled), m->filled);
	if (has_group(m))
		snprintf(note, size, "%s of pages in a v%d group of %s, %s",
			 used, 1 + m->group.v2, limit,
			 m->mode == MODE_FILE ? "from the file" : "with swap");
	else if (m->mode == MODE_NOLIMIT)
		snprintf(note, size, "memload-nolimit: %s of pages, %s", used,
			 m->why_nolimit);
	else
		snprintf(note, size, "%s of pages, no group, %s of them filled",
			 used, filled);
	load_keep(ctx, m->used);
	ctx->fell_back = m->mode == MODE_NOLIMIT || m->bounded_by;
	len = strlen(note);
	if (m->bounded_by)
		snprintf(note + len, size - len, "; bounded by %s",
			 m->bounded_by);
}

static int probe_global(struct load_ctx *ctx)
{
	const struct load_params *params = ctx->params;
	uint64_t least = params->ram_bytes / 100 * GLOBAL_SWAP_PCT;
	char needs[32];

	if (params->swap_bytes >= least)
		return 0;
	units_format_bytes(needs, sizeof(needs), least);
	snprintf(ctx->why, sizeof(ctx->why),
		 "110 %% of the memory: needs %s of free swap", needs);
	return -EOPNOTSUPP;
}

static int probe(struct load_ctx *ctx)
{
	struct memload m = {
		.mode = MODE_NOLIMIT,
		.page = (size_t)sysconf(_SC_PAGESIZE),
	};
	char has[32];
	int err;

	if (wanted_bytes(ctx->params, MODE_NOLIMIT) < LEAST_BYTES) {
		units_format_bytes(has, sizeof(has), ctx->params->mem_bytes);
		snprintf(ctx->why, sizeof(ctx->why),
			 "too little memory: %s to be had", has);
		return -ENOMEM;
	}
	err = map_memory(ctx, &m, LEAST_BYTES);
	if (err)
		return err;
	munmap(m.map, (size_t)m.mapped);
	return ctx->params->memload_global ? probe_global(ctx) : 0;
}

static uint32_t nr_workers(const struct load_params *params)
{
	uint32_t nr = params->cpus < MOST_WORKERS ? params->cpus : MOST_WORKERS;

	if (nr > params->max_tasks / 2)
		nr = params->max_tasks / 2;
	return nr ? nr : 1;
}

static int setup(struct load_ctx *ctx)
{
	struct memload *m = calloc(1, sizeof(*m));
	int64_t start_ns;
	int err;

	if (!m)
		return -ENOMEM;
	ctx->priv = m;
	ctx->nr_workers = nr_workers(ctx->params);
	clk_real(&m->clk);
	start_ns = clk_now(&m->clk);
	m->page = (size_t)sysconf(_SC_PAGESIZE);
	m->mode = choose_mode(ctx, m);
	err = prepare(ctx, m, start_ns);
	if (err && has_group(m)) {
		give_up_group(ctx, m, err);
		err = prepare(ctx, m, start_ns);
	}
	if (!err)
		err = team_create(&m->team, ctx, work);
	if (!err)
		describe(ctx, m);
	return err;
}

static int run(struct load_ctx *ctx)
{
	struct memload *m = ctx->priv;

	team_run(m->team);
	m->team = NULL;
	return 0;
}

/*
 * The memory goes with the process: to give back gigabytes may take longer
 * than the one who stops us is patient. The group need not be empty of pages.
 */
static void teardown(struct load_ctx *ctx)
{
	struct memload *m = ctx->priv;

	if (!m)
		return;
	if (m->team)
		team_dismiss(m->team);
	memcg_leave(&m->group);
	free(m);
	ctx->priv = NULL;
}

const struct load load_memload = {
	.name = "memload",
	.title = "Memload",
	.help = "touches more memory than it may have",
	.unit = "pages",
	.flags = LOAD_DEFAULT | LOAD_DATA | LOAD_GUARD | LOAD_MEMORY,
	.probe = probe,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};
