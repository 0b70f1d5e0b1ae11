/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fstype: what kind of file system something lies on. */
#ifndef IB_SYS_FSTYPE_H
#define IB_SYS_FSTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The f_type of statfs(2), 32 bits of it on every machine: 0 or -errno. */
int fstype_of(int fd, uint32_t *magic);

/* "ext4" (also for ext2 and ext3, whose number is the same), or "0x1badface" */
void fstype_name(uint32_t magic, char *name, size_t size);

/* What is written there stays in memory. */
bool fstype_is_memory(uint32_t magic);

/* What is written there goes to another machine. */
bool fstype_is_network(uint32_t magic);

#endif
