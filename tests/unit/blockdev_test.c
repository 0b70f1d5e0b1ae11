/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blockdev_test: from a file to its device, on made-up /proc and /sys. What is
 * asked for is a pipe: its st_dev is none of a disk, and its mount is what the
 * made-up fdinfo says.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/blockdev.h"

struct fixture {
	char root[PATH_MAX / 4];
	int pipe[2];
};

#define STAT "  10 1 2000 5 20 2 4000 6 0 7 8 0 0 0 0 0 0\n"

static int enter(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	if (!f)
		return -1;
	snprintf(f->root, sizeof(f->root), "%s/blockdev.XXXXXX",
		 tmp ? tmp : "/tmp");
	*state = f;
	return !mkdtemp(f->root) || pipe2(f->pipe, O_CLOEXEC);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int leave(void **state)
{
	struct fixture *f = *state;

	nftw(f->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	close(f->pipe[0]);
	close(f->pipe[1]);
	free(f);
	return 0;
}

/* Makes the directories above, too. */
static void make_path(const struct fixture *f, const char *path, char *full)
{
	snprintf(full, PATH_MAX, "%s%s", f->root, path);
	for (char *p = full + strlen(f->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(!mkdir(full, 0700) || errno == EEXIST);
		*p = '/';
	}
}

static void put(const struct fixture *f, const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *file;

	make_path(f, path, full);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Says that fd is on mount 36. */
static void put_mount_id(const struct fixture *f, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	put(f, path, "pos:\t0\nflags:\t0100000\nmnt_id:\t36\nino:\t5\n");
}

/* A mountinfo with that line, between others, for mount 36. */
static void put_mount(const struct fixture *f, const char *line)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "22 27 0:21 / /proc rw - proc proc rw\n"
		 "nonsense\n"
		 "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
		 "%s\n"
		 "37 1 8:77 / /later rw - ext4 /dev/sdz9 rw\n", line);
	put(f, "/proc/self/mountinfo", text);
	put_mount_id(f, f->pipe[0]);
}

static void mounts_lead_to_their_devices(void **state)
{
	static const struct {
		const char *line;
		unsigned int major, minor;	/* 0: none */
	} cases[] = {
		/* a partition */
		{ "36 27 8:1 / /mnt rw shared:1 - ext4 /dev/sda1 rw", 8, 1 },
		/* more optional fields, a blank in the mount point */
		{ "36 27 259:3 / /m\\040x rw shared:1 master:2 - xfs /dev/x rw",
		  259, 3 },
		/* a subvolume: only the source says it */
		{ "36 27 0:31 /sub /mnt rw - btrfs /dev/sda2 rw,ssd", 8, 2 },
		/* device mapper, by its symbolic link */
		{ "36 27 0:31 / /mnt rw - btrfs /dev/mapper/my\\040vg rw",
		  253, 5 },
		{ "36 27 0:31 / /mnt rw - bcachefs /dev/sda2:/dev/sdb rw",
		  8, 2 },
		{ "36 27 0:40 / /mnt rw - nfs4 server:/dev/sda2 rw", 0, 0 },
		{ "36 27 0:40 / /mnt rw - cifs //server/share rw", 0, 0 },
		{ "36 27 0:25 / /dev/shm rw - tmpfs tmpfs rw", 0, 0 },
		{ "36 27 0:25 / /pool rw - zfs pool/data rw,xattr", 0, 0 },
		{ "36 27 0:31 / /mnt rw - btrfs /dev/gone rw", 0, 0 },
		{ "36 27 0:50 / / rw - overlay o rw,lowerdir=/a,workdir=/c",
		  0, 0 },
		{ "36 27 0:50 / / rw - overlay o rw,upperdir=/not/there",
		  0, 0 },
		{ "36 27 0:50 / / rw - overlay o rw,upperdir=up", 0, 0 },
		{ "36 27 0:50 / / rw - btrfs", 0, 0 },
		{ "36", 0, 0 },
	};
	struct fixture *f = *state;
	char full[PATH_MAX];

	put(f, "/sys/class/block/sda2/dev", "8:2\n");
	put(f, "/sys/class/block/dm-5/dev", "253:5\n");
	put(f, "/dev/dm-5", "");
	make_path(f, "/dev/mapper/my vg", full);
	assert_int_equal(symlink("../dm-5", full), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct blockdev dev = { 0, 0 };
		int err;

		put_mount(f, cases[i].line);
		err = blockdev_of(f->root, f->pipe[0], &dev);
		assert_int_equal(err, cases[i].major ? 0 : -ENOENT);
		if (err)
			continue;
		assert_int_equal(dev.major, cases[i].major);
		assert_int_equal(dev.minor, cases[i].minor);
	}
}

/*
 * The upper directory is a real one: what it lies on is what stat() says, so
 * the made-up tables have that device, or that anonymous mount, too.
 */
static void overlay_leads_to_what_its_upper_layer_is_on(void **state)
{
	static const char *const upper[] = {
		"/up", "/a\\040b", "/c\\134\\054d",
	};
	static const char *const real[] = { "/up/", "/a b/", "/c,d/" };
	struct fixture *f = *state;
	char text[512], full[PATH_MAX];
	struct blockdev dev;
	struct stat st;

	assert_int_equal(stat(f->root, &st), 0);
	snprintf(text, sizeof(text), "/sys/dev/block/%u:%u/stat",
		 major(st.st_dev), minor(st.st_dev));
	put(f, text, STAT);
	put(f, "/sys/class/block/sda2/dev", "8:2\n");
	for (int i = 0; i < 3; i++) {
		make_path(f, real[i], full);
		snprintf(text, sizeof(text),
			 "36 27 0:999 / / rw - overlay o rw,lowerdir=/x:/y,"
			 "upperdir=%s,workdir=/w\n"
			 "40 27 %u:%u / /t rw - btrfs /dev/sda2 rw", upper[i],
			 major(st.st_dev), minor(st.st_dev));
		put_mount(f, text);
		assert_int_equal(blockdev_of(f->root, f->pipe[0], &dev), 0);
		assert_int_equal(dev.major,
				 major(st.st_dev) ? major(st.st_dev) : 8);
		assert_int_equal(dev.minor,
				 major(st.st_dev) ? minor(st.st_dev) : 2);
	}
}

/* Some old kernel, or /proc of another process. */
static void without_a_mount_id_st_dev_finds_the_mount(void **state)
{
	struct fixture *f = *state;
	struct blockdev dev;
	struct stat st;
	char text[256];

	assert_int_equal(fstat(f->pipe[0], &st), 0);
	put(f, "/sys/class/block/sda2/dev", "8:2\n");
	snprintf(text, sizeof(text), "99 27 0:%u / /t rw - btrfs /dev/sda2 rw\n",
		 minor(st.st_dev));
	put(f, "/proc/self/mountinfo", text);
	assert_int_equal(blockdev_of(f->root, f->pipe[0], &dev), 0);
	assert_int_equal(dev.major, 8);
	assert_int_equal(dev.minor, 2);
}

static void without_proc_there_is_no_device(void **state)
{
	struct fixture *f = *state;
	struct blockdev dev;

	assert_int_equal(blockdev_of(f->root, f->pipe[0], &dev), -ENOENT);
	assert_int_equal(blockdev_of(f->root, -1, &dev), -EBADF);
}

static void bytes_are_sectors_of_512(void **state)
{
	const struct blockdev dev = { 8, 1 };
	struct fixture *f = *state;
	uint64_t in = 1, out = 1;

	put(f, "/sys/dev/block/8:1/stat", STAT);
	assert_int_equal(blockdev_bytes(f->root, &dev, &in, &out), 0);
	assert_int_equal(in, 2000 * 512);
	assert_int_equal(out, 4000 * 512);
}

static void without_sys_diskstats_has_them(void **state)
{
	const struct blockdev dev = { 8, 1 }, gone = { 8, 11 };
	struct fixture *f = *state;
	uint64_t in = 1, out = 1;

	put(f, "/proc/diskstats",
	    "   8       0 sda 1 1 1 1 1 1 1 1 1 1 1\n"
	    "   8       1 sda1" STAT
	    "   8       2 sda2 3 3 3 3 3 3 3 3 3 3 3\n");
	assert_int_equal(blockdev_bytes(f->root, &dev, &in, &out), 0);
	assert_int_equal(in, 2000 * 512);
	assert_int_equal(out, 4000 * 512);
	assert_int_equal(blockdev_bytes(f->root, &gone, &in, &out), -ENOENT);
}

static void odd_statistics_are_none(void **state)
{
	static const char *const texts[] = { "", "\n", "1 2 3", "a b c d" };
	const struct blockdev dev = { 8, 1 };
	struct fixture *f = *state;
	uint64_t in, out;

	assert_int_equal(blockdev_bytes(f->root, &dev, &in, &out), -ENOENT);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(f, "/sys/dev/block/8:1/stat", texts[i]);
		assert_int_equal(blockdev_bytes(f->root, &dev, &in, &out),
				 -ENOENT);
	}
}

/* On the running system: a device that has counters, or none. */
static void a_live_answer_has_counters(void **state)
{
	struct blockdev dev;
	uint64_t in, out;
	int fd = open(".", O_RDONLY | O_CLOEXEC);
	int err;

	(void)state;
	assert_true(fd >= 0);
	err = blockdev_of("", fd, &dev);
	assert_true(!err || err == -ENOENT);
	if (!err && !blockdev_bytes("", &dev, &in, &out))
		assert_int_equal(in % 512 + out % 512, 0);
	close(fd);
}

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(mounts_lead_to_their_devices),
		FIXTURE_TEST(overlay_leads_to_what_its_upper_layer_is_on),
		FIXTURE_TEST(without_a_mount_id_st_dev_finds_the_mount),
		FIXTURE_TEST(without_proc_there_is_no_device),
		FIXTURE_TEST(bytes_are_sectors_of_512),
		FIXTURE_TEST(without_sys_diskstats_has_them),
		FIXTURE_TEST(odd_statistics_are_none),
		FIXTURE_TEST(a_live_answer_has_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
