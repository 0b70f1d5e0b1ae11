/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fstype: the magic numbers of statfs(2), of which linux/magic.h lacks some. */
#include "sys/fstype.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/vfs.h>

enum { FS_DISK, FS_MEMORY, FS_NETWORK };

struct fstype {
	uint32_t magic;
	int kind;
	const char *name;
};

static const struct fstype types[] = {
	{ 0xef53, FS_DISK, "ext4" },
	{ 0x58465342, FS_DISK, "xfs" },
	{ 0x9123683e, FS_DISK, "btrfs" },
	{ 0xf2f52010, FS_DISK, "f2fs" },
	{ 0x2fc12fc1, FS_DISK, "zfs" },
	{ 0xca451a4e, FS_DISK, "bcachefs" },
	{ 0x794c7630, FS_DISK, "overlay" },
	{ 0x65735546, FS_DISK, "fuse" },
	{ 0x4d44, FS_DISK, "vfat" },
	{ 0x2011bab0, FS_DISK, "exfat" },
	{ 0x5346544e, FS_DISK, "ntfs" },
	{ 0x7366746e, FS_DISK, "ntfs" },
	{ 0x73717368, FS_DISK, "squashfs" },
	{ 0xe0f5e1e2, FS_DISK, "erofs" },
	{ 0x72b6, FS_DISK, "jffs2" },
	{ 0x24051905, FS_DISK, "ubifs" },
	{ 0x52654973, FS_DISK, "reiserfs" },
	{ 0x3153464a, FS_DISK, "jfs" },
	{ 0x3434, FS_DISK, "nilfs2" },
	{ 0x01021994, FS_MEMORY, "tmpfs" },
	{ 0x858458f6, FS_MEMORY, "ramfs" },
	{ 0x958458f6, FS_MEMORY, "hugetlbfs" },
	{ 0x6969, FS_NETWORK, "nfs" },
	{ 0xff534d42, FS_NETWORK, "cifs" },
	{ 0xfe534d42, FS_NETWORK, "smb2" },
	{ 0x01021997, FS_NETWORK, "9p" },
	{ 0x00c36400, FS_NETWORK, "ceph" },
	{ 0x5346414f, FS_NETWORK, "afs" },
	{ 0x6b414653, FS_NETWORK, "afs" },
};

static const struct fstype *find(uint32_t magic)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].magic == magic)
			return &types[i];
	return NULL;
}

int fstype_of(int fd, uint32_t *magic)
{
	struct statfs st;

	if (fstatfs(fd, &st))
		return -errno;
	/* Signed on some machines: the number of cifs has the top bit. */
	*magic = (uint32_t)st.f_type;
	return 0;
}

void fstype_name(uint32_t magic, char *name, size_t size)
{
	const struct fstype *type = find(magic);

	if (type)
		snprintf(name, size, "%s", type->name);
	else
		snprintf(name, size, "0x%" PRIx32, magic);
}

bool fstype_is_memory(uint32_t magic)
{
	const struct fstype *type = find(magic);

	return type && type->kind == FS_MEMORY;
}

bool fstype_is_network(uint32_t magic)
{
	const struct fstype *type = find(magic);

	return type && type->kind == FS_NETWORK;
}
