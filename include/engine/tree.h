/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree: a directory tree of files as people have them, made and removed. */
#ifndef IB_ENGINE_TREE_H
#define IB_ENGINE_TREE_H

#include <stdint.h>

struct load_ctx;

struct tree {
	uint32_t nr_files;
	uint64_t bytes;		/* of all files together */
};

/*
 * Chooses how large a tree is that fits several times into disk[0] and takes
 * io_rate no longer than a quarter of a second: 0, or -ENOSPC and ctx->why.
 */
int tree_plan(struct load_ctx *ctx, struct tree *tree);

/*
 * Writes it, incompressible, as the new directory `name` of dir_fd: 0, or
 * -errno with ctx->why; -EINTR if the load was stopped.
 */
int tree_make(struct load_ctx *ctx, const struct tree *tree, int dir_fd,
	      const char *name);

/*
 * Removes name in dir_fd with all that is in it, following no link: 0, also if
 * there is none; -EINTR if the load was stopped, or -errno.
 */
int tree_remove(struct load_ctx *ctx, int dir_fd, const char *name);

/*
 * A new directory of that name in dir_fd[LOAD_DISK_HOME], opened; an old one is
 * removed before. A descriptor, or -errno with ctx->why.
 */
int tree_open_home(struct load_ctx *ctx, const char *name);

#endif
