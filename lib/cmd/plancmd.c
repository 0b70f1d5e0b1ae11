/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plancmd: --plan, what would run, how long it takes and what it needs. */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/units.h"
#include "cmd/session.h"
#include "engine/registry.h"

static void print_cells(const struct plan *plan)
{
	char window[32];

	for (size_t i = 0; i < plan->nr_cells; i++) {
		const struct plan_cell *pc = &plan->cells[i];

		units_format_duration(window, sizeof(window), pc->window_ns);
		printf("%zu\t%s\t%s\t%s\t%" PRIu64 " slots\n", i + 1,
		       registry_sim(pc->sim)->title,
		       load_entry_title(registry_load(pc->load)), window,
		       pc->sched.nr_slots);
	}
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

static void print_needs(const struct session *s)
{
	char time[32], memory[32];

	units_format_duration(time, sizeof(time), plan_rest_ns(&s->plan, 0));
	units_format_bytes(memory, sizeof(memory), plan_memory(&s->plan));
	printf("Time: about %s for %zu cell%s\n", time, s->plan.nr_cells,
	       s->plan.nr_cells == 1 ? "" : "s");
	printf("Memory: %s shared; disk: none\n", memory);
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
