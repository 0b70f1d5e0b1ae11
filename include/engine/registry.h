/* SPDX-License-Identifier: GPL-2.0-or-later */
/* registry: all tasks and loads, in the order of the .def files. */
#ifndef IB_ENGINE_REGISTRY_H
#define IB_ENGINE_REGISTRY_H

#include <stdint.h>

#include "load.h"
#include "sim.h"

uint32_t registry_nr_sims(void);
const struct sim *registry_sim(uint32_t i);

/* A load is a load of its own, or a task that serves as one: then load is
 * the common adapter and sim the task. */
struct load_entry {
	const struct load *load;
	const struct sim *sim;	/* NULL: a load of its own */
	const char *label;	/* NULL, or what a command is called */
	const char *command;	/* NULL, or what the shell is to run */
};

uint32_t registry_nr_loads(void);
const struct load_entry *registry_load(uint32_t i);
const char *load_entry_name(const struct load_entry *entry);
const char *load_entry_title(const struct load_entry *entry);
const char *load_entry_help(const struct load_entry *entry);
unsigned int load_entry_flags(const struct load_entry *entry);

/* What runs commands, or NULL if there is no such load. */
const struct load *registry_command(void);

/* By name, case ignored: the index, or -1. */
int registry_find_sim(const char *name);
int registry_find_load(const char *name);

#endif
