/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample: counters of the load, its processes and its device. */
#include "run/sample.h"

#include <string.h>
#include <time.h>

#include "base/clk.h"
#include "sys/cgroup.h"
#include "sys/limits.h"
#include "sys/proctree.h"

/* Without /proc: what the load's own process has used. */
static int64_t process_cpu(pid_t pid)
{
	struct timespec ts;
	clockid_t id;

	if (!pid || clock_getcpuclockid(pid, &id) || clock_gettime(id, &ts))
		return -1;
	return (int64_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static uint64_t ms_above(int64_t ns, int64_t base_ns)
{
	if (base_ns > 0)
		ns -= base_ns;
	return ns > 0 ? (uint64_t)(ns / NSEC_PER_MSEC) : 0;
}

uint64_t sample_work(const struct run *run, const struct plan_cell *pc,
		     const struct sample_who *who)
{
	const struct load_entry *entry = plan_load(run->plan, pc->load);
	uint64_t sum = 0;
	int64_t ns;

	/* What the load's own process uses is no work. */
	if (entry->load->flags & LOAD_CPU_WORK)
		return proctree_cpu(who->keeper, &ns)
			       ? 0 : ms_above(ns, process_cpu(who->load));
	for (uint32_t i = 0; i < run->plan->nr_counters; i++)
		sum += atomic_load_explicit(&run->work[i].n,
					    memory_order_relaxed);
	return sum;
}

/* The disk that the load of the cell works on. */
static void sample_device(struct sample *s, const struct run *run,
			  unsigned int flags)
{
	int i = flags & LOAD_OTHER ? LOAD_DISK_OTHER : LOAD_DISK_HOME;

	s->has_device = (flags & LOAD_BYTES) && run->has_disk[i] &&
			!blockdev_bytes("", &run->dev[i], &s->read_bytes,
					&s->written_bytes);
}

void sample_take(struct sample *s, const struct run *run,
		 const struct plan_cell *pc, const struct sample_who *who)
{
	struct clk clk;

	clk_real(&clk);
	memset(s, 0, sizeof(*s));
	s->work = sample_work(run, pc, who);
	if (proctree_cpu(who->keeper, &s->cpu_ns))
		s->cpu_ns = process_cpu(who->load);
	sample_device(s, run, load_entry_flags(plan_load(run->plan,
							 pc->load)));
	s->at_ns = clk_now(&clk);
	if (cgroup_throttled("", &s->throttled))
		s->throttled = 0;
}

void sample_store(struct cell *cell, const struct sample *from,
		  const struct sample *to)
{
	cell->load_work = to->work > from->work ? to->work - from->work : 0;
	cell->load_span_ns = to->at_ns - from->at_ns;
	cell->load_cpu_ns = from->cpu_ns < 0 || to->cpu_ns < from->cpu_ns
				    ? -1 : to->cpu_ns - from->cpu_ns;
	cell->nr_throttled = to->throttled - from->throttled;
	cell->has_device = from->has_device && to->has_device;
	if (!cell->has_device)
		return;
	cell->read_bytes = to->read_bytes - from->read_bytes;
	cell->written_bytes = to->written_bytes - from->written_bytes;
}

uint64_t sample_oom_kills(void)
{
	uint64_t nr;

	return limits_oom_kills("", &nr) ? 0 : nr;
}
