/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpumask: sets of CPU numbers, as large as the machine needs them. */
#include "base/cpumask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* Far above NR_CPUS of any kernel; a list with a typing error ends here. */
#define CPU_MAX ((1 << 20) - 1)

int cpumask_init(struct cpumask *mask, int room)
{
	mask->set = NULL;
	mask->bytes = 0;
	mask->room = 0;
	if (room <= 0)
		return 0;
	if (room > CPU_MAX + 1)
		room = CPU_MAX + 1;
	mask->bytes = CPU_ALLOC_SIZE((size_t)room);
	mask->set = calloc(1, mask->bytes);
	if (!mask->set) {
		mask->bytes = 0;
		return -ENOMEM;
	}
	mask->room = (int)(mask->bytes * 8);
	return 0;
}

void cpumask_release(struct cpumask *mask)
{
	free(mask->set);
	mask->set = NULL;
	mask->bytes = 0;
	mask->room = 0;
}

int cpumask_get_affinity(struct cpumask *mask)
{
	int err = -EINVAL;

	/* EINVAL: the kernel has room for more CPUs than we gave it. */
	for (int room = 1024; room <= CPU_MAX + 1; room *= 2) {
		err = cpumask_init(mask, room);
		if (err || !sched_getaffinity(0, mask->bytes, mask->set))
			return err;
		err = -errno;
		cpumask_release(mask);
		if (err != -EINVAL)
			break;
	}
	return err;
}

int cpumask_set_affinity(const struct cpumask *mask)
{
	return sched_setaffinity(0, mask->bytes, mask->set) ? -errno : 0;
}

static int grow(struct cpumask *mask, int room)
{
	struct cpumask larger;
	int err;

	if (room < 2 * mask->room)
		room = 2 * mask->room;
	err = cpumask_init(&larger, room);
	if (err)
		return err;
	if (mask->set && larger.set)
		memcpy(larger.set, mask->set, mask->bytes);
	free(mask->set);
	*mask = larger;
	return 0;
}

int cpumask_set(struct cpumask *mask, int cpu)
{
	int err;

	if (cpu < 0)
		return -EINVAL;
	if (cpu > CPU_MAX)
		return -ERANGE;
	if (cpu >= mask->room) {
		err = grow(mask, cpu + 1);
		if (err)
			return err;
	}
	CPU_SET_S((size_t)cpu, mask->bytes, mask->set);
	return 0;
}

bool cpumask_has(const struct cpumask *mask, int cpu)
{
	return cpu >= 0 && cpu < mask->room &&
	       CPU_ISSET_S((size_t)cpu, mask->bytes, mask->set);
}

int cpumask_count(const struct cpumask *mask)
{
	return mask->set ? CPU_COUNT_S(mask->bytes, mask->set) : 0;
}

int cpumask_first(const struct cpumask *mask)
{
	return cpumask_next(mask, -1);
}

int cpumask_next(const struct cpumask *mask, int cpu)
{
	if (cpu < -1)
		cpu = -1;
	while (cpu < mask->room - 1)
		if (cpumask_has(mask, ++cpu))
			return cpu;
	return -1;
}

bool cpumask_equal(const struct cpumask *a, const struct cpumask *b)
{
	int cpu_a = -1, cpu_b = -1;

	do {
		cpu_a = cpumask_next(a, cpu_a);
		cpu_b = cpumask_next(b, cpu_b);
	} while (cpu_a == cpu_b && cpu_a >= 0);
	return cpu_a == cpu_b;
}

/* Reads digits at *s and moves it behind them: the number or -errno. */
static int parse_cpu(const char **s)
{
	int cpu = 0;

	if (**s < '0' || **s > '9')
		return -EINVAL;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		cpu = cpu * 10 + (**s - '0');
		if (cpu > CPU_MAX)
			return -ERANGE;
	}
	return cpu;
}

/* Adds "N" or "N-M" at *s. */
static int parse_range(struct cpumask *mask, const char **s)
{
	int first = parse_cpu(s), last = first, err = 0;

	if (first < 0)
		return first;
	if (**s == '-') {
		++*s;
		last = parse_cpu(s);
		if (last < 0)
			return last;
	}
	if (last < first)
		return -EINVAL;
	/* The highest first: the mask grows once. */
	for (int cpu = last; cpu >= first && !err; cpu--)
		err = cpumask_set(mask, cpu);
	return err;
}

/*
 * An empty list is an empty mask: the kernel says so of "offline". One newline
 * may end it; blanks, empty parts and ranges from high to low are errors.
 */
int cpumask_parse(struct cpumask *mask, const char *list)
{
	int err = cpumask_init(mask, 0);

	if (!strcmp(list, "") || !strcmp(list, "\n"))
		return 0;
	while (!err) {
		err = parse_range(mask, &list);
		if (err || *list != ',')
			break;
		list++;
	}
	if (!err && strcmp(list, "") && strcmp(list, "\n"))
		err = -EINVAL;
	if (err)
		cpumask_release(mask);
	return err;
}

void cpumask_format(struct strbuf *sb, const struct cpumask *mask)
{
	const char *comma = "";
	int first, last;

	for (first = cpumask_first(mask); first >= 0;
	     first = cpumask_next(mask, last)) {
		for (last = first; cpumask_has(mask, last + 1);)
			last++;
		if (last == first)
			strbuf_addf(sb, "%s%d", comma, first);
		else
			strbuf_addf(sb, "%s%d-%d", comma, first, last);
		comma = ",";
	}
}
