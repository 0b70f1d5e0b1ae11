/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpumask: a set of CPU numbers of any size, and lists such as "0-3,8". */
#ifndef IB_BASE_CPUMASK_H
#define IB_BASE_CPUMASK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf;

struct cpumask {
	cpu_set_t *set;	/* owned; NULL: empty */
	size_t bytes;	/* for the CPU_*_S macros and the system calls */
	int room;	/* CPU numbers 0 .. room - 1 fit */
};

int cpumask_init(struct cpumask *mask, int room);	/* 0 or -ENOMEM */
void cpumask_release(struct cpumask *mask);
int cpumask_set(struct cpumask *mask, int cpu);	/* grows; 0 or -errno */
bool cpumask_has(const struct cpumask *mask, int cpu);
int cpumask_count(const struct cpumask *mask);
int cpumask_first(const struct cpumask *mask);		/* -1: empty */
/* First member above cpu, or -1. */
int cpumask_next(const struct cpumask *mask, int cpu);
bool cpumask_equal(const struct cpumask *a, const struct cpumask *b);

/* Of the calling thread, into a new mask of any size it takes: 0 or -errno. */
int cpumask_get_affinity(struct cpumask *mask);
int cpumask_set_affinity(const struct cpumask *mask);

/* Reads "0-3,8\n" (kernel list format) into a new mask: 0 or -errno. */
int cpumask_parse(struct cpumask *mask, const char *list);
/* Appends "0-3,8". */
void cpumask_format(struct strbuf *sb, const struct cpumask *mask);

#endif
