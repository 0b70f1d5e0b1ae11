/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: memory that supervisor, task and load share. */
#ifndef IB_SYS_ARENA_H
#define IB_SYS_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, backed by pages already: 0 or -errno. Ends with arena_release(). */
int arena_map(void **mem, size_t bytes);
void arena_release(void *mem, size_t bytes);

/*
 * Makes this process's page tables hold the pages, for writing, without
 * changing them; a fork does not inherit those of shared memory.
 */
void arena_touch(void *mem, size_t bytes);

/* The same for bytes of stack below the caller. */
void arena_touch_stack(void);

/* mlock where the limit allows: whether it did. */
bool arena_lock(void *mem, size_t bytes);
bool arena_lock_stack(void);

#endif
