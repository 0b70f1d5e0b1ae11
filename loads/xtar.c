/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xtar: the system's tar unpacks a tree of files, again and again. */
#include "load.h"

#include "engine/archive.h"

extern const struct load load_xtar;

static int setup(struct load_ctx *ctx)
{
	int err = archive_setup(ctx, "xtar");

	return err ? err : archive_pack(ctx);
}

static int run(struct load_ctx *ctx)
{
	return archive_run(ctx, archive_unpack);
}

const struct load load_xtar = {
	.name = "xtar",
	.title = "Xtar",
	.help = "tar unpacks a tree of files",
	.unit = "files",
	.flags = LOAD_CONTEST | LOAD_DISK | LOAD_WRITES | LOAD_GUARD,
	.probe = archive_probe,
	.setup = setup,
	.run = run,
	.teardown = archive_teardown,
};
