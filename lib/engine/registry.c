/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registry: sims.def and loads.def made into tables. */
#include "engine/registry.h"

#include <stddef.h>
#include <strings.h>

#include "engine/simrun.h"

#define SIM(sym) extern const struct sim sim_##sym;
#include "sims.def"
#undef SIM

#define LOAD(sym) extern const struct load load_##sym;
#define LOAD_SIM(sym)
#include "loads.def"
#undef LOAD
#undef LOAD_SIM

static const struct sim *const sims[] = {
#define SIM(sym) &sim_##sym,
#include "sims.def"
#undef SIM
};

static const struct load_entry loads[] = {
#define LOAD(sym) { .load = &load_##sym },
#define LOAD_SIM(sym) { .load = &sim_as_load, .sim = &sim_##sym },
#include "loads.def"
#undef LOAD
#undef LOAD_SIM
};

uint32_t registry_nr_sims(void)
{
	return sizeof(sims) / sizeof(sims[0]);
}

const struct sim *registry_sim(uint32_t i)
{
	return sims[i];
}

uint32_t registry_nr_loads(void)
{
	return sizeof(loads) / sizeof(loads[0]);
}

const struct load_entry *registry_load(uint32_t i)
{
	return &loads[i];
}

const char *load_entry_name(const struct load_entry *entry)
{
	if (entry->label)
		return entry->label;
	return entry->sim ? entry->sim->name : entry->load->name;
}

const char *load_entry_title(const struct load_entry *entry)
{
	if (entry->label)
		return entry->label;
	return entry->sim ? entry->sim->title : entry->load->title;
}

const char *load_entry_help(const struct load_entry *entry)
{
	return entry->sim ? entry->sim->help : entry->load->help;
}

/* Custom as a load is there only when asked for, like the task. */
unsigned int load_entry_flags(const struct load_entry *entry)
{
	if (entry->sim && (entry->sim->flags & SIM_CUSTOM))
		return entry->load->flags & ~(unsigned int)LOAD_DEFAULT;
	return entry->load->flags;
}

const struct load *registry_command(void)
{
	for (uint32_t i = 0; i < registry_nr_loads(); i++)
		if (loads[i].load->flags & LOAD_COMMAND)
			return loads[i].load;
	return NULL;
}

int registry_find_sim(const char *name)
{
	for (uint32_t i = 0; i < registry_nr_sims(); i++)
		if (!strcasecmp(sims[i]->name, name))
			return (int)i;
	return -1;
}

int registry_find_load(const char *name)
{
	for (uint32_t i = 0; i < registry_nr_loads(); i++)
		if (!strcasecmp(load_entry_name(&loads[i]), name))
			return (int)i;
	return -1;
}
