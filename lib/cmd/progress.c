/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress: "3/14 Audio / X  21 %  2 min 05 s left". */
#include "cmd/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/registry.h"

bool progress_wanted(enum opts_progress when)
{
	return when == PROGRESS_ALWAYS ||
	       (when == PROGRESS_AUTO && isatty(STDERR_FILENO));
}

void progress_show(const struct plan *plan, size_t i)
{
	int64_t all = plan_rest_ns(plan, 0), rest = plan_rest_ns(plan, i);
	const struct plan_cell *pc = &plan->cells[i];
	char left[32];

	units_format_duration(left, sizeof(left), rest);
	fprintf(stderr, "\r\033[K%zu/%zu %s / %s  %d %%  %s left", i + 1,
		plan->nr_cells, registry_sim(pc->sim)->title,
		load_entry_title(plan_load(plan, pc->load)),
		(int)((all - rest) / (all / 100 + 1)), left);
	fflush(stderr);
}

void progress_clear(void)
{
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
