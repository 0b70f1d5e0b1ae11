/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loadlist: the registry, and the commands that were given names. */
#include "plan/loadlist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "engine/parts.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

const struct load_entry *plan_load(const struct plan *plan, uint32_t i)
{
	return &plan->loads[i];
}

int plan_find_load(const struct plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->nr_loads; i++)
		if (!strcasecmp(load_entry_name(&plan->loads[i]), name))
			return (int)i;
	return -1;
}

/* What is wrong with a name, or NULL. */
static const char *name_fault(const struct plan *plan, const char *name)
{
	size_t len = strlen(name);

	if (!len || len > LOADLIST_NAME_MAX)
		return "the name must have 1 to 31 characters";
	if (!strchr(LETTERS, name[0]) ||
	    strspn(name, LETTERS "._+-") != len)
		return "the name must consist of letters, digits and ._+-";
	if (!strcasecmp(name, "all") || plan_find_load(plan, name) >= 0 ||
	    registry_find_sim(name) >= 0)
		return "the name is taken";
	return NULL;
}

static int fail(const char *given, const char *fault, char *why,
		size_t why_size)
{
	char word[NEAREST_QUOTE_LEN];

	nearest_quote(word, sizeof(word), given);
	snprintf(why, why_size, "--load-cmd %s: %s (NAME=COMMAND)", word,
		 fault);
	return -EINVAL;
}

/* "NAME=COMMAND" becomes a row; its label is a copy, the command is not. */
static int add_command(struct plan *plan, const char *given, char *why,
		       size_t why_size)
{
	struct load_entry *entry = &plan->loads[plan->nr_loads];
	const char *equals = strchr(given, '=');
	const char *fault = NULL;
	char *label;

	if (!equals || !equals[1])
		return fail(given, "no command", why, why_size);
	label = strndup(given, (size_t)(equals - given));
	if (!label)
		return -ENOMEM;
	fault = name_fault(plan, label);
	if (fault) {
		free(label);
		return fail(given, fault, why, why_size);
	}
	*entry = (struct load_entry){
		.load = registry_command(), .label = label,
		.command = equals + 1,
	};
	plan->nr_loads++;
	return 0;
}

/* The same row with the parts instead of what it does by itself. */
static void use_parts(struct plan *plan, struct load_entry *entry)
{
	plan->classic = *entry->load;
	plan->classic.unit = "bytes";
	plan->classic.flags |= LOAD_DATA | LOAD_BYTES | LOAD_THREADS | LOAD_WRITES;
	plan->classic.probe = parts_probe;
	plan->classic.setup = parts_setup;
	plan->classic.run = parts_run;
	plan->classic.teardown = parts_teardown;
	entry->load = &plan->classic;
}

int loadlist_make(struct plan *plan, const struct options *o, char *why,
		  size_t why_size)
{
	uint32_t nr = registry_nr_loads();
	int err = 0;

	plan->loads = calloc(nr + o->commands.nr, sizeof(*plan->loads));
	if (!plan->loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		plan->loads[i] = *registry_load(i);
		if (o->compile == COMPILE_CLASSIC &&
		    plan->loads[i].load->parts)
			use_parts(plan, &plan->loads[i]);
	}
	plan->nr_loads = nr;
	for (size_t i = 0; i < o->commands.nr && !err; i++)
		err = add_command(plan, o->commands.names[i], why, why_size);
	return err;
}

void loadlist_release(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->nr_loads; i++)
		free((void *)(uintptr_t)plan->loads[i].label);
	free(plan->loads);
	plan->loads = NULL;
	plan->nr_loads = 0;
}
