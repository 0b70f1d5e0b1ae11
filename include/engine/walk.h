/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk: visit all that one file system holds, as a recursive ls does. */
#ifndef IB_ENGINE_WALK_H
#define IB_ENGINE_WALK_H

#include <stdint.h>

struct stat;

/*
 * Is told each entry, in the order of names within a directory, with what
 * lstat says of it; not 0 ends the walk.
 */
typedef int walk_entry_fn(void *arg, int dir_fd, const char *name,
			  const struct stat *st);

/*
 * Walks from root down, with no more than max_fds descriptors (at least 4).
 * Other file systems, links and automounts are not entered; what cannot be
 * read or has gone meanwhile is left out. 0; what entry() returned; or -errno:
 * root cannot be read.
 */
int walk_tree(const char *root, uint32_t max_fds, walk_entry_fn *entry,
	      void *arg);

#endif
