/* SPDX-License-Identifier: GPL-2.0-or-later */
/* archive: what the loads that run the system's tar have in common. */
#ifndef IB_ENGINE_ARCHIVE_H
#define IB_ENGINE_ARCHIVE_H

struct load_ctx;

/* As struct load has them: tar is installed, and there is space. */
int archive_probe(struct load_ctx *ctx);

/* Makes a tree of files in the directory `name`; ctx->priv is ours then. */
int archive_setup(struct load_ctx *ctx, const char *name);
void archive_teardown(struct load_ctx *ctx);

/*
 * Packs the tree into a new archive, or unpacks that to a new tree; the old
 * one is removed before. 0, -EINTR if the load was stopped, or -errno with
 * ctx->why.
 */
int archive_pack(struct load_ctx *ctx);
int archive_unpack(struct load_ctx *ctx);

/* Does one of them until the load is stopped; counts files. */
int archive_run(struct load_ctx *ctx, int (*work)(struct load_ctx *ctx));

#endif
