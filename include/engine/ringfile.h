/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ringfile: a load that writes a file without a name from its beginning to its
 * end, again and again. Each function is one of struct load, for one of the
 * directories, LOAD_DISK_HOME or LOAD_DISK_OTHER; ctx->priv is theirs.
 */
#ifndef IB_ENGINE_RINGFILE_H
#define IB_ENGINE_RINGFILE_H

struct load_ctx;

/* -ENOSPC with the why of params->disk[disk] if nothing can be written. */
int ringfile_probe(struct load_ctx *ctx, int disk);

/*
 * Makes the file, params->disk[disk].bytes long, in ctx->dir_fd[disk], its
 * room reserved where the file system can; ctx->note is its size.
 */
int ringfile_setup(struct load_ctx *ctx, int disk);

/* Writes until the stop, counting bytes. */
int ringfile_run(struct load_ctx *ctx);

/* After any result of ringfile_setup(). */
void ringfile_teardown(struct load_ctx *ctx);

#endif
