/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plancmd: --plan, what would run, how long it takes and what it needs. */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"
#include "cmd/session.h"
#include "engine/registry.h"
#include "plan/sizes.h"
#include "run/process.h"
#include "run/run.h"

/* Why the load of a cell could not run here, or NULL. */
static const char *would_skip(struct load_ctx *ctx, const struct plan *plan,
			      uint32_t load, int self_fd)
{
	const struct load_entry *entry = plan_load(plan, load);

	*ctx = (struct load_ctx){
		.load = entry->load, .sim = entry->sim,
		.command = entry->command, .params = &plan->params,
		.dir_fd = { -1, -1 }, .ring_fd = { -1, -1 }, .data_fd = -1, .self_fd = self_fd,
	};
	return load_probe(ctx) ? ctx->why : NULL;
}

/* Fields apart by tabs; the last is "skip: why" for what could not run. */
static void print_cells(const struct plan *plan)
{
	int self_fd = run_open_self();
	struct load_ctx ctx;
	char window[32];

	for (size_t i = 0; i < plan->nr_cells; i++) {
		const struct plan_cell *pc = &plan->cells[i];
		const char *why = would_skip(&ctx, plan, pc->load,
					     self_fd);

		units_format_duration(window, sizeof(window), pc->window_ns);
		printf("%zu\t%s\t%s\t%s\t", i + 1,
		       registry_sim(pc->sim)->title,
		       load_entry_title(plan_load(plan, pc->load)), window);
		if (why)
			printf("skip: %s\n", why);
		else
			printf("%" PRIu64 " slots\n", pc->sched.nr_slots);
	}
	if (self_fd >= 0)
		close(self_fd);
}

/* A lower nice value than ours, or real time, has to be permitted. */
static const char *privileges(const struct plan *plan)
{
	int nice = getpriority(PRIO_PROCESS, 0);

	if (plan->realtime)
		return "SCHED_FIFO (CAP_SYS_NICE or RLIMIT_RTPRIO)";
	if ((plan->has_bench_nice && plan->bench_nice < nice) ||
	    (plan->has_load_nice && plan->load_nice < nice))
		return "a lower nice value (CAP_SYS_NICE or RLIMIT_NICE)";
	return "none";
}

static bool any_flag(const struct plan *plan, unsigned int flags)
{
	for (size_t i = 0; i < plan->nr_cells; i++)
		if (load_entry_flags(plan_load(plan, plan->cells[i].load)) &
		    flags)
			return true;
	return false;
}

/* "Disk: 4.0 GiB to write, 1.0 GiB to read, in /tmp (ext4)" */
static void print_disk(const struct plan *plan)
{
	const struct load_params *p = &plan->params;
	char ring[32], data[32], rate[32], sum[32];

	for (int i = 0; i < LOAD_NR_DISKS; i++) {
		const struct load_disk *disk = &p->disk[i];

		if (!any_flag(plan, i ? LOAD_OTHER : LOAD_DISK | LOAD_DATA) ||
		    !disk->bytes)
			continue;
		units_format_bytes(ring, sizeof(ring), disk->bytes);
		units_format_bytes(data, sizeof(data), i ? 0 : p->read_bytes);
		printf("Disk: %s to write, %s to read, in %s (%s)\n", ring,
		       data, plan->scratch_dir[i], disk->fs);
	}
	if (!any_flag(plan, LOAD_WRITES))
		return;
	units_format_bytes(rate, sizeof(rate), p->io_rate);
	units_format_bytes(sum, sizeof(sum), sizes_written(plan));
	if (p->io_rate)
		printf("Writes: at most %s a second%s, %s in all\n", rate,
		       plan->rate_lowered ? " (lowered by --io-budget)" : "",
		       sum);
	else
		puts("Writes: as fast as the disk is");
}

static void print_limits(const struct plan *plan)
{
	const struct load_params *p = &plan->params;
	char memory[32], memload[32], floor[32];

	units_format_bytes(memory, sizeof(memory), p->mem_bytes);
	units_format_bytes(memload, sizeof(memload), p->memload_bytes);
	units_format_bytes(floor, sizeof(floor), p->floor_bytes);
	printf("Loads: %" PRIu32 " CPUs, %" PRIu32 " processes, %" PRIu32
	       " files each, %s of memory, Memload %s; stopped below %s of "
	       "memory\n", p->cpus, p->max_tasks, p->max_files, memory,
	       memload, floor);
}

static void print_needs(const struct session *s)
{
	char time[32], memory[32];

	units_format_duration(time, sizeof(time), plan_rest_ns(&s->plan, 0));
	units_format_bytes(memory, sizeof(memory), plan_memory(&s->plan));
	printf("Time: about %s for %zu cell%s\n", time, s->plan.nr_cells,
	       s->plan.nr_cells == 1 ? "" : "s");
	printf("Memory: %s shared\n", memory);
	if (!any_flag(&s->plan, LOAD_DISK | LOAD_DATA | LOAD_OTHER))
		puts("Disk: none");
	print_disk(&s->plan);
	print_limits(&s->plan);
	printf("Privileges: %s\n", privileges(&s->plan));
	printf("Load threads: %" PRIu32 "\n", s->plan.load_threads);
}

int cmd_plan(const struct options *o)
{
	struct strbuf line = STRBUF_INIT;
	struct session s;
	int status = STATUS_USAGE;

	if (!session_init(&s, o)) {
		print_cells(&s.plan);
		print_needs(&s);
		session_cpus_line(&s, &line);
		if (line.len)
			puts(line.text);
		status = cmd_close_stdout(STATUS_DONE);
	}
	strbuf_release(&line);
	session_release(&s);
	return status;
}
