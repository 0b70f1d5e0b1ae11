/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blockdev: the disk below a file, and how many bytes went to and from it. */
#ifndef IB_SYS_BLOCKDEV_H
#define IB_SYS_BLOCKDEV_H

#include <stdint.h>

struct blockdev {
	unsigned int major, minor;
};

/*
 * root is where /proc, /sys and what mountinfo names are looked for: "" on a
 * running system, a directory in tests.
 */

/*
 * The device (disk, partition, dm or md) that holds an open file or directory.
 * Also below btrfs (the first device of several) and overlay (that of its upper
 * layer). 0; -ENOENT if there is none: tmpfs, a network, zfs; or -errno.
 */
int blockdev_of(const char *root, int fd, struct blockdev *dev);

/*
 * Bytes read from and written to it since it exists, by everybody: 0, or
 * -ENOENT if the kernel does not tell.
 */
int blockdev_bytes(const char *root, const struct blockdev *dev,
		   uint64_t *nr_read, uint64_t *nr_written);

#endif
