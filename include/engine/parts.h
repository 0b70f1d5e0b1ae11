/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts: the functions of a load that is several others at once. */
#ifndef IB_ENGINE_PARTS_H
#define IB_ENGINE_PARTS_H

struct load_ctx;

/*
 * As in struct load, for a load with `parts`: names of the registry. Each part
 * runs in a thread of its own; what a part does counts if its unit is that of
 * the whole, and the first to fail ends all.
 */
int parts_probe(struct load_ctx *ctx);
int parts_setup(struct load_ctx *ctx);
int parts_run(struct load_ctx *ctx);
void parts_teardown(struct load_ctx *ctx);

#endif
