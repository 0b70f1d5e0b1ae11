/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_other: the same as write, on another disk. */
#include "load.h"

#include "engine/ringfile.h"

extern const struct load load_io_other;

static int probe(struct load_ctx *ctx)
{
	return ringfile_probe(ctx, LOAD_DISK_OTHER);
}

static int setup(struct load_ctx *ctx)
{
	return ringfile_setup(ctx, LOAD_DISK_OTHER);
}

const struct load load_io_other = {
	.name = "io_other",
	.title = "IO_other",
	.help = "writes files to the disk of --scratch-other",
	.unit = "bytes",
	.flags = LOAD_CONTEST | LOAD_OTHER | LOAD_WRITES | LOAD_BYTES |
		 LOAD_GUARD,
	.probe = probe,
	.setup = setup,
	.run = ringfile_run,
	.teardown = ringfile_teardown,
};
