/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct: reads of a file that come from the device, not from the page cache:
 * by O_DIRECT, or where that is refused by dropping what was read.
 */
#ifndef IB_ENGINE_DIRECT_H
#define IB_ENGINE_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct direct {
	int fd;
	bool on;	/* O_DIRECT works */
	int refused;	/* else why not: -errno */
};

/* pread(), or what stands for it in tests. */
typedef ssize_t (*direct_pread)(int fd, void *buf, size_t len, off_t offset);

/*
 * Switches the open file over, for all that share it, and reads the first len
 * bytes into buf, aligned to 4096, to see whether that works. What the page
 * cache has of the file is dropped; it should be clean. 0 or -errno.
 */
int direct_begin(struct direct *d, int fd, direct_pread pread_fn, void *buf,
		 size_t len);

/* Back to what every file is. */
void direct_end(struct direct *d);

/*
 * Reads len bytes, all of it: 0; -ENODATA if the file ends before; or -errno.
 * Offset, length and buffer are multiples of 4096. For any thread.
 */
int direct_read(const struct direct *d, void *buf, size_t len, uint64_t offset);

/* "O_DIRECT" or "buffered, O_DIRECT refused: Invalid argument" */
void direct_describe(const struct direct *d, char *text, size_t size);

#endif
