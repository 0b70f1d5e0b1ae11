/* SPDX-License-Identifier: GPL-2.0-or-later */
/* archive: a directory with a tree and its archive, and tar between them. */
#include "engine/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/pace.h"
#include "engine/program.h"
#include "engine/tree.h"
#include "load.h"

#define ARCHIVE "archive.tar"
#define TREE "tree"

struct archive {
	int dir_fd;		/* -1: none */
	struct tree tree;
};

int archive_probe(struct load_ctx *ctx)
{
	struct tree tree;

	if (program_exists("tar"))
		return tree_plan(ctx, &tree);
	snprintf(ctx->why, sizeof(ctx->why), "tar is not installed");
	return -ENOENT;
}

int archive_setup(struct load_ctx *ctx, const char *name)
{
	struct archive *a = calloc(1, sizeof(*a));
	char size[32];
	int err;

	if (!a)
		return -ENOMEM;
	ctx->priv = a;
	a->dir_fd = -1;
	err = tree_plan(ctx, &a->tree);
	if (err)
		return err;
	a->dir_fd = tree_open_home(ctx, name);
	if (a->dir_fd < 0)
		return a->dir_fd;
	units_format_bytes(size, sizeof(size), a->tree.bytes);
	snprintf(ctx->note, sizeof(ctx->note), "%" PRIu32 " files, %s",
		 a->tree.nr_files, size);
	return tree_make(ctx, &a->tree, a->dir_fd, TREE);
}

void archive_teardown(struct load_ctx *ctx)
{
	struct archive *a = ctx->priv;

	if (!a)
		return;
	if (a->dir_fd >= 0)
		close(a->dir_fd);
	free(a);
	ctx->priv = NULL;
}

/* Removes what tar is about to make, and runs it. */
static int run_tar(struct load_ctx *ctx, const char *old, const char *const *argv)
{
	const struct archive *a = ctx->priv;
	struct program tar;
	int err = tree_remove(ctx, a->dir_fd, old);

	if (err && err != -EINTR)
		snprintf(ctx->why, sizeof(ctx->why),
			 "the old %s could not be removed: %s", old,
			 strerror(-err));
	if (err)
		return err;
	program_init(&tar, "tar", "tar", argv);
	tar.spawn.dir_fd = a->dir_fd;
	/* Its last line says no more than that there was an error. */
	tar.first_line = true;
	return program_run(ctx, &tar);
}

int archive_pack(struct load_ctx *ctx)
{
	const char *const argv[] = { "tar", "-cf", ARCHIVE, TREE, NULL };

	return run_tar(ctx, ARCHIVE, argv);
}

int archive_unpack(struct load_ctx *ctx)
{
	const char *const argv[] = { "tar", "-xf", ARCHIVE, NULL };

	return run_tar(ctx, TREE, argv);
}

int archive_run(struct load_ctx *ctx, int (*work)(struct load_ctx *ctx))
{
	const struct archive *a = ctx->priv;
	struct pace pace;
	int err = 0;

	pace_init(&pace, ctx->params->io_rate);
	while (!err && !load_stopped(ctx)) {
		err = work(ctx);
		if (err)
			break;
		load_count(ctx, 0, a->tree.nr_files);
		pace_spend(&pace, ctx, a->tree.bytes);
	}
	return err == -EINTR ? 0 : err;
}
