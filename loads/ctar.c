/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctar: the system's tar packs a tree of files, again and again. */
#include "load.h"

#include "engine/archive.h"

extern const struct load load_ctar;

static int setup(struct load_ctx *ctx)
{
	return archive_setup(ctx, "ctar");
}

static int run(struct load_ctx *ctx)
{
	return archive_run(ctx, archive_pack);
}

const struct load load_ctar = {
	.name = "ctar",
	.title = "Ctar",
	.help = "tar packs a tree of files",
	.unit = "files",
	.flags = LOAD_CONTEST | LOAD_DISK | LOAD_WRITES | LOAD_GUARD,
	.probe = archive_probe,
	.setup = setup,
	.run = run,
	.teardown = archive_teardown,
};
