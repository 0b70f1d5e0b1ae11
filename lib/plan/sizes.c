/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizes: bounded by the machine, by what we may use of it, by the user. */
#include "plan/sizes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clk.h"
#include "base/units.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

#define RING_MOST (4 * GIB)
#define READ_MOST (1 * GIB)
#define MEMLOAD_MOST (8 * GIB)
#define RESERVE_LEAST (2 * GIB)	/* free space that stays free */
#define FILE_LEAST (1 * MIB)	/* one block */
#define FLOOR_LEAST (512 * MIB)	/* memory that stays free */
#define PSI_FULL_PCT 60

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* a - b, but not below 0. */
static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * What has to stay free: max(5 %, 512 MiB), but on a small machine a quarter
 * of its memory, or nothing could ever run there.
 */
static uint64_t memory_floor(uint64_t ram)
{
	return max_u64(ram / 20, min_u64(FLOOR_LEAST, ram / 4));
}

static void why_too_small(struct load_disk *disk,
			  const struct scratch_place *place, uint64_t size)
{
	char have[16], stays[16], wanted[16];

	units_format_bytes(have, sizeof(have), place->free_bytes);
	units_format_bytes(stays, sizeof(stays), disk->reserve_bytes);
	units_format_bytes(wanted, sizeof(wanted), size);
	snprintf(disk->why, sizeof(disk->why),
		 "%.24s: %s free, too little for %s beside the %s that must "
		 "stay (--io-size)", place->path, have, wanted, stays);
}

/* A size that was asked for is kept or refused, never made smaller. */
static void size_disk(struct load_disk *disk, const struct options *o,
		      const struct scratch_place *place)
{
	uint64_t total = place->total_bytes, free_bytes = place->free_bytes;
	uint64_t size, room;

	snprintf(disk->fs, sizeof(disk->fs), "%s", place->fs);
	disk->in_memory = place->in_memory;
	if (place->err) {
		snprintf(disk->why, sizeof(disk->why), "%.60s: %s (--scratch)",
			 place->path, strerror(-place->err));
		return;
	}
	disk->reserve_bytes = o->has_io_size
				      ? total / 20
				      : max_u64(RESERVE_LEAST, total / 20);
	size = o->has_io_size ? o->io_size
			      : min_u64(RING_MOST, free_bytes / 10);
	/* In memory, a file takes from all others. */
	if (place->in_memory && !o->has_io_size) {
		disk->reserve_bytes = total / 4;
		size = min_u64(size, GIB / 4);
	}
	room = less(free_bytes, disk->reserve_bytes);
	/* Beside it stand the file that is read, and the trees of others. */
	if (!o->has_io_size)
		size = min_u64(max_u64(size, FILE_LEAST), room / 3);
	if (size <= room && size >= FILE_LEAST)
		disk->bytes = size;
	else
		why_too_small(disk, place, max_u64(size, FILE_LEAST));
}

static void size_disks(struct load_params *p, const struct options *o,
		       const struct scratch_place *places)
{
	struct load_disk *home = &p->disk[LOAD_DISK_HOME];
	uint64_t left;

	for (int i = 0; i < LOAD_NR_DISKS; i++)
		if (places[i].path[0])
			size_disk(&p->disk[i], o, &places[i]);
	if (!places[LOAD_DISK_OTHER].path[0])
		snprintf(p->disk[LOAD_DISK_OTHER].why, LOAD_WHY_LEN,
			 "needs --scratch-other DIR");
	left = less(places[LOAD_DISK_HOME].free_bytes,
		    home->reserve_bytes + home->bytes);
	p->data_bytes = home->bytes ? min_u64(left / 2, 2 * MEMLOAD_MOST) : 0;
	p->read_bytes = min_u64(READ_MOST, min_u64(home->bytes,
						   p->data_bytes));
}

static void size_memory(struct load_params *p, const struct options *o,
			const struct limits *limits)
{
	uint64_t available = limits->available_bytes;

	p->ram_bytes = limits->ram_bytes;
	p->floor_bytes = memory_floor(limits->machine_bytes);
	p->mem_bytes = less(available, p->floor_bytes);
	/* A cgroup has a limit of its own, and no others in it to be kind to. */
	if (limits->ram_bytes < limits->machine_bytes)
		p->mem_bytes = min_u64(less(limits->machine_available_bytes,
					    p->floor_bytes), available / 2);
	p->swap_bytes = less(limits->swap_free_bytes,
			     limits->swap_total_bytes / 5);
	p->swap_floor_bytes = min_u64(limits->swap_total_bytes / 10,
				      limits->swap_free_bytes / 2);
	p->memload_global = o->memload == MEMLOAD_GLOBAL;
	p->nolimit_bytes = o->has_mem_size ? o->mem_size : 0;
	p->memload_bytes = o->has_mem_size
				   ? o->mem_size
				   : min_u64(MEMLOAD_MOST, available / 4);
}

/* Time in which loads write, in ns, the unmeasured parts included. */
static int64_t writing_ns(const struct plan *plan)
{
	int64_t ns = 0;

	for (size_t i = 0; i < plan->nr_cells; i++) {
		const struct plan_cell *pc = &plan->cells[i];

		if (load_entry_flags(plan_load(plan, pc->load)) & LOAD_WRITES)
			ns += plan_cell_ns(pc);
	}
	return ns;
}

/* rate x time <= budget, for the whole run, before it starts. */
static void limit_rate(struct plan *plan, const struct options *o)
{
	struct load_params *p = &plan->params;
	uint64_t seconds;

	p->io_rate = o->io_rate;
	seconds = (uint64_t)(writing_ns(plan) / NSEC_PER_SEC) + 1;
	if (!o->io_budget)
		return;
	/* Without a limit it may be anything, the budget is one then. */
	if (!p->io_rate || p->io_rate > o->io_budget / seconds) {
		p->io_rate = max_u64(o->io_budget / seconds, 1);
		plan->rate_lowered = true;
	}
}

void plan_size(struct plan *plan, const struct options *o,
	       uint32_t usable_cpus, const struct limits *limits,
	       const struct scratch_place *places)
{
	struct load_params *p = &plan->params;

	memset(p, 0, sizeof(*p));
	p->cpus = o->uniprocessor || !usable_cpus ? 1 : usable_cpus;
	p->max_tasks = limits->max_tasks;
	p->max_files = limits->max_files;
	size_disks(p, o, places);
	size_memory(p, o, limits);
	limit_rate(plan, o);
	for (int i = 0; i < LOAD_NR_DISKS; i++)
		plan->scratch_dir[i] = places[i].path;
}

static int check_disk(const struct load_disk *disk, unsigned int flags,
		      const char *dir, char *why, size_t why_size)
{
	if ((flags & LOAD_BYTES) && disk->in_memory) {
		snprintf(why, why_size,
			 "the %s directory is on %s, which is memory, no disk "
			 "(--scratch)", dir, disk->fs);
		return -ENODEV;
	}
	if (disk->bytes)
		return 0;
	snprintf(why, why_size, "%s", disk->why);
	return -ENOSPC;
}

/* So slow that a short cell may not see a single block written. */
static int check_rate(uint64_t rate, char *why, size_t why_size)
{
	if (!rate || rate >= MIB)
		return 0;
	snprintf(why, why_size, "too little may be written: %llu bytes a "
		 "second (--io-budget)", (unsigned long long)rate);
	return -EDQUOT;
}

int sizes_check(const struct load *load, const struct load_params *params,
		char *why, size_t why_size)
{
	unsigned int flags = load->flags;
	int err = 0;

	if (flags & LOAD_DISK)
		err = check_disk(&params->disk[LOAD_DISK_HOME], flags,
				 "scratch", why, why_size);
	if (!err && (flags & LOAD_OTHER))
		err = check_disk(&params->disk[LOAD_DISK_OTHER], flags,
				 "--scratch-other", why, why_size);
	if (!err && (flags & LOAD_WRITES) && (flags & LOAD_BYTES))
		err = check_rate(params->io_rate, why, why_size);
	if (!err && (flags & LOAD_GUARD) && !params->mem_bytes) {
		char least[32];

		units_format_bytes(least, sizeof(least), params->floor_bytes);
		snprintf(why, why_size, "too little memory: at least %s must "
			 "stay available", least);
		err = -ENOMEM;
	}
	return err;
}

void sizes_guard(const struct load *load, const struct load_params *params,
		 struct guard *guard)
{
	memset(guard, 0, sizeof(*guard));
	for (int i = 0; i < GUARD_NR_DISKS; i++)
		guard->disk_fd[i] = -1;
	if (!(load->flags & LOAD_GUARD))
		return;
	/* What it fills up is what was asked for; swap is watched. */
	if (!(load->flags & LOAD_MEMORY) || !params->memload_global)
		guard->mem_floor_bytes = params->floor_bytes;
	/*
	 * On a slow disk Memload waits for memory all the time, and in a group
	 * of its own nobody else does.
	 */
	if (!(load->flags & LOAD_MEMORY) || params->memload_global)
		guard->psi_full_pct = PSI_FULL_PCT;
	guard->swap_floor_bytes = params->swap_floor_bytes;
	for (int i = 0; i < GUARD_NR_DISKS && i < LOAD_NR_DISKS; i++)
		if (params->disk[i].bytes && !params->disk[i].in_memory)
			guard->disk_floor_bytes[i] =
				params->disk[i].reserve_bytes;
}

uint64_t sizes_written(const struct plan *plan)
{
	uint64_t seconds = (uint64_t)(writing_ns(plan) / NSEC_PER_SEC);

	return seconds * plan->params.io_rate;
}
