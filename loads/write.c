/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write: writes a file in --scratch, round and round. */
#include "load.h"

#include "engine/ringfile.h"

extern const struct load load_write;

static int probe(struct load_ctx *ctx)
{
	return ringfile_probe(ctx, LOAD_DISK_HOME);
}

static int setup(struct load_ctx *ctx)
{
	return ringfile_setup(ctx, LOAD_DISK_HOME);
}

const struct load load_write = {
	.name = "write",
	.title = "Write",
	.help = "writes files to disk, as fast as --io-rate allows",
	.unit = "bytes",
	.flags = LOAD_DEFAULT | LOAD_QUICK | LOAD_DISK | LOAD_WRITES |
		 LOAD_BYTES | LOAD_GUARD,
	.probe = probe,
	.setup = setup,
	.run = ringfile_run,
	.teardown = ringfile_teardown,
};
