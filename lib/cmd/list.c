/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: the tasks and loads that this binary has. */
#include "cmd/cmd.h"

#include <stdio.h>

#include "engine/registry.h"

static const char *needs(const struct load_entry *e)
{
	if (e->sim && (e->sim->flags & SIM_CUSTOM))
		return " (needs -C and -I)";
	if (load_entry_flags(e) & LOAD_COMMAND)
		return " (needs --load-cmd)";
	if (load_entry_flags(e) & LOAD_OTHER)
		return " (needs --scratch-other)";
	return "";
}

int cmd_list(void)
{
	puts("Tasks (-W):");
	for (uint32_t i = 0; i < registry_nr_sims(); i++) {
		const struct sim *sim = registry_sim(i);

		printf("  %-8s %s%s\n", sim->title, sim->help,
		       sim->flags & SIM_DEFAULT ? "" : " (needs -C and -I)");
	}
	puts("Loads (-w):");
	for (uint32_t i = 0; i < registry_nr_loads(); i++) {
		const struct load_entry *e = registry_load(i);
		unsigned int flags = load_entry_flags(e);

		printf("  %-8s %s%s%s\n", load_entry_title(e),
		       load_entry_help(e), needs(e),
		       flags & (LOAD_DEFAULT | LOAD_COMMAND) || e->sim
			       ? "" : " (by name)");
	}
	return cmd_close_stdout(STATUS_DONE);
}
