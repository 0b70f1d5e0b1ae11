/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fstype_test: names and kinds of file systems. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/fstype.h"

static void numbers_have_names_and_kinds(void **state)
{
	static const struct {
		uint32_t magic;
		const char *name;
		bool memory, network;
	} cases[] = {
		{ 0xef53, "ext4", false, false },
		{ 0x58465342, "xfs", false, false },
		{ 0x9123683e, "btrfs", false, false },
		{ 0x794c7630, "overlay", false, false },
		{ 0x65735546, "fuse", false, false },
		{ 0x01021994, "tmpfs", true, false },
		{ 0x858458f6, "ramfs", true, false },
		{ 0x958458f6, "hugetlbfs", true, false },
		{ 0x6969, "nfs", false, true },
		{ 0xff534d42, "cifs", false, true },
		{ 0xfe534d42, "smb2", false, true },
		{ 0x01021997, "9p", false, true },
		{ 0xabc, "0xabc", false, false },
		{ 0, "0x0", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[16];

		fstype_name(cases[i].magic, name, sizeof(name));
		assert_string_equal(name, cases[i].name);
		assert_int_equal(fstype_is_memory(cases[i].magic),
				 cases[i].memory);
		assert_int_equal(fstype_is_network(cases[i].magic),
				 cases[i].network);
	}
}

static void open_files_have_one(void **state)
{
	uint32_t magic = 0;
	int fd = open(".", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstype_of(fd, &magic), 0);
	assert_true(magic != 0);
	close(fd);
	assert_int_equal(fstype_of(-1, &magic), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_names_and_kinds),
		cmocka_unit_test(open_files_have_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
