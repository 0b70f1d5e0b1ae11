/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits_test: what is left of a machine, in trees made of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sys/limits.h"
#include "sysroot.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)
#define TIB (GIB * 1024)

#define V1_MOUNTS \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n" \
	"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" \
	"39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
#define V2_MOUNTS "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 none rw\n"

/* A machine of 24 GiB, 20 available, 2 of 4 GiB of swap free. */
#define MEMINFO \
	"MemTotal:       25165824 kB\nMemFree:         1048576 kB\n" \
	"MemAvailable:   20971520 kB\nBuffers:  1 kB\n" \
	"SwapTotal:       4194304 kB\nSwapFree:        2097152 kB\n"

#define USER_STATUS \
	"Name:\tx y\nUid:\t1000\t1000\t1000\t1000\nThreads:\t3\n" \
	"CapEff:\t0000000000000000\n"

static struct limits read_limits(const struct sysroot *sr)
{
	struct limits limits;

	assert_int_equal(limits_read(&limits, sr->path), 0);
	return limits;
}

static void put_v1(const struct sysroot *sr, const char *group,
		   const char *limit, const char *usage, const char *stat)
{
	char path[256];
	const struct {
		const char *name, *text;
	} knobs[] = {
		{ "memory.limit_in_bytes", limit },
		{ "memory.usage_in_bytes", usage },
		{ "memory.stat", stat },
	};

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/memory%s/%s",
			 group, knobs[i].name);
		sysroot_put(sr, path, knobs[i].text);
	}
}

static void put_knob(const struct sysroot *sr, const char *group,
		     const char *knob, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", group, knob);
	sysroot_put(sr, path, text);
}

static void without_groups_it_is_what_meminfo_says(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	l = read_limits(sr);
	assert_true(l.has_meminfo);
	assert_true(l.ram_bytes == 24 * GIB);
	assert_true(l.available_bytes == 20 * GIB);
	assert_true(l.swap_total_bytes == 4 * GIB);
	assert_true(l.swap_free_bytes == 2 * GIB);
}

static void big_machines_are_not_cut(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo",
		    "MemTotal: 536870912 kB\nMemAvailable: 536870911 kB\n");
	l = read_limits(sr);
	assert_true(l.ram_bytes == 512 * GIB);
	assert_true(l.available_bytes == 512 * GIB - KIB);
	assert_true(l.swap_total_bytes == 0);
	sysroot_put(sr, "/proc/meminfo",
		    "MemTotal: 68719476736 kB\nMemAvailable: 68000000000 kB\n"
		    "SwapTotal: 68719476736 kB\nSwapFree: 68719476736 kB\n");
	l = read_limits(sr);
	assert_true(l.ram_bytes == 64 * TIB);
	assert_true(l.available_bytes == UINT64_C(68000000000) * KIB);
	assert_true(l.swap_free_bytes == 64 * TIB);
}

static void old_kernels_that_estimate_nothing_are_estimated(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/meminfo",
		    "MemTotal: 4096 kB\nMemFree: 1024 kB\nActive: 9 kB\n"
		    "Active(file): 512 kB\nInactive(file): 128 kB\n");
	assert_true(read_limits(sr).available_bytes == 1408 * KIB);
}

static void without_proc_the_kernel_is_asked(void **state)
{
	struct limits l = read_limits(*state);

	assert_false(l.has_meminfo);
	assert_true(l.ram_bytes >= MIB);
	assert_true(l.available_bytes > 0);
	assert_true(l.available_bytes <= l.ram_bytes);
	assert_true(l.max_tasks > 0);
	assert_true(l.max_files > 0);
}

static void garbage_in_meminfo_is_no_meminfo(void **state)
{
	static const char *const texts[] = {
		"", "\n\n", "MemTotal", "MemTotal:", "MemTotal: x kB\n",
		"MemTotal: -5 kB\n", "MemTotal: 0 kB\n", "XMemTotal: 5 kB\n",
	};
	const struct sysroot *sr = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		sysroot_put(sr, "/proc/meminfo", texts[i]);
		assert_false(read_limits(sr).has_meminfo);
	}
}

static void a_v1_group_limits_what_is_not_used_or_only_cache(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "4:memory:/a\n0::/\n", V1_MOUNTS);
	put_v1(sr, "", "9223372036854771712\n", "4294967296\n", "");
	/* 1 GiB, 768 MiB in use, of them 256 + 128 / 2 MiB of cache */
	put_v1(sr, "/a", "1073741824\n", "805306368\n",
	       "inactive_file 1\nactive_file 1\n"
	       "total_inactive_file 268435456\ntotal_active_file 134217728\n");
	l = read_limits(sr);
	assert_true(l.ram_bytes == GIB);
	assert_true(l.available_bytes == 576 * MIB);
	assert_true(l.swap_total_bytes == 4 * GIB);
}

static void the_tightest_level_above_counts(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "4:memory:/a/b/c\n", V1_MOUNTS);
	put_v1(sr, "/a", "3221225472\n", "3221225000\n",
	       "total_inactive_file 0\n");
	put_v1(sr, "/a/b", "2147483648\n", "0\n", "");
	put_v1(sr, "/a/b/c", "8589934592\n", "0\n", "");
	l = read_limits(sr);
	assert_true(l.ram_bytes == 2 * GIB);
	assert_true(l.available_bytes == 472);
}

static void more_in_use_than_the_limit_leaves_nothing(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	put_v1(sr, "/a", "1000000\n", "2000000\n", "total_inactive_file 5\n");
	assert_true(read_limits(sr).available_bytes == 0);
	/* cache that was counted a moment later than usage */
	put_v1(sr, "/a", "1000000\n", "5\n", "total_inactive_file 2000\n");
	assert_true(read_limits(sr).available_bytes == 1000000);
}

static void v1_limits_swap_by_a_sum(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	put_v1(sr, "/a", "1073741824\n", "1048576\n", "");
	put_knob(sr, "/memory/a", "memory.memsw.limit_in_bytes",
		 "1610612736\n");
	put_knob(sr, "/memory/a", "memory.memsw.usage_in_bytes", "3145728\n");
	l = read_limits(sr);
	assert_true(l.swap_total_bytes == 512 * MIB);
	assert_true(l.swap_free_bytes == 510 * MIB);
}

static void v1_without_a_limit_does_not_limit_swap(void **state)
{
	static const char *const unlimited[] = {
		"9223372036854771712\n",	/* pages of 4 KiB */
		"9223372036854710272\n",	/* 64 KiB */
		"8796093018112\n",		/* 32 bits */
	};
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	for (size_t i = 0; i < 3; i++) {
		struct limits l;

		put_v1(sr, "/a", unlimited[i], "4096\n", "");
		put_knob(sr, "/memory/a", "memory.memsw.limit_in_bytes",
			 unlimited[i]);
		l = read_limits(sr);
		assert_true(l.ram_bytes == 24 * GIB);
		assert_true(l.available_bytes == 20 * GIB);
		assert_true(l.swap_free_bytes == 2 * GIB);
	}
}

static void v2_limits_by_max_high_and_swap(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "0::/user.slice/x\n", V2_MOUNTS);
	put_knob(sr, "/user.slice", "memory.max", "max\n");
	put_knob(sr, "/user.slice", "memory.high", "3221225472\n");
	put_knob(sr, "/user.slice", "memory.current", "1073741824\n");
	put_knob(sr, "/user.slice", "memory.stat",
		 "anon 5\ninactive_file 536870912\nactive_file 0\n");
	put_knob(sr, "/user.slice/x", "memory.max", "4294967296\n");
	put_knob(sr, "/user.slice/x", "memory.high", "max\n");
	put_knob(sr, "/user.slice/x", "memory.current", "0\n");
	put_knob(sr, "/user.slice/x", "memory.swap.max", "1048576\n");
	put_knob(sr, "/user.slice/x", "memory.swap.current", "4096\n");
	l = read_limits(sr);
	assert_true(l.ram_bytes == 3 * GIB);
	assert_true(l.available_bytes == 3 * GIB - 512 * MIB);
	assert_true(l.swap_total_bytes == MIB);
	assert_true(l.swap_free_bytes == MIB - 4096);
}

static void v2_without_the_controller_limits_nothing(void **state)
{
	const struct sysroot *sr = *state;
	struct limits l;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "0::/a\n", V2_MOUNTS);
	put_knob(sr, "/a", "cgroup.controllers", "hugetlb\n");
	l = read_limits(sr);
	assert_true(l.ram_bytes == 24 * GIB);
	assert_true(l.available_bytes == 20 * GIB);
}

static void a_container_sees_its_group_as_the_root(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "4:memory:/docker/abc\n",
			   "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - "
			   "cgroup cgroup rw,memory\n");
	put_v1(sr, "", "1073741824\n", "0\n", "");
	assert_true(read_limits(sr).ram_bytes == GIB);
	/* a group of a longer name is not below it */
	sysroot_put_groups(sr, "4:memory:/docker/abcd\n",
			   "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - "
			   "cgroup cgroup rw,memory\n");
	put_v1(sr, "d", "4096\n", "0\n", "");
	put_v1(sr, "/d", "4096\n", "0\n", "");
	assert_true(read_limits(sr).ram_bytes == GIB);
}

static void garbage_in_groups_limits_nothing(void **state)
{
	static const char *const texts[] = { "", "x\n", "-1\n", "maximum\n",
					     "99999999999999999999999\n" };
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/meminfo", MEMINFO);
	sysroot_put_groups(sr, "0::/a\n", V2_MOUNTS);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct limits l;

		put_knob(sr, "/a", "memory.max", texts[i]);
		put_knob(sr, "/a", "memory.high", texts[i]);
		put_knob(sr, "/a", "pids.max", texts[i]);
		l = read_limits(sr);
		assert_true(l.ram_bytes == 24 * GIB);
		assert_true(l.max_tasks > 0);
	}
	sysroot_put_groups(sr, ":::\n\n4:memory\n", "x\n - \n1 2 - cgroup\n");
	assert_true(read_limits(sr).ram_bytes == 24 * GIB);
}

static void tasks_are_what_the_kernel_has_left(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/self/status", "Uid:\t0\t0\t0\t0\n");
	sysroot_put(sr, "/proc/loadavg", "0.10 0.05 0.01 1/345 6789\n");
	sysroot_put(sr, "/proc/sys/kernel/threads-max", "1345\n");
	assert_int_equal(read_limits(sr).max_tasks, 1000);
	sysroot_put(sr, "/proc/sys/kernel/pid_max", "700\n");
	assert_int_equal(read_limits(sr).max_tasks, 55);
	sysroot_put(sr, "/proc/sys/kernel/pid_max", "300\n");
	assert_int_equal(read_limits(sr).max_tasks, 0);
}

static void tasks_are_what_pids_groups_have_left(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/self/status", "Uid:\t0\t0\t0\t0\n");
	sysroot_put_groups(sr, "8:pids:/a/b\n0::/c/d\n", V1_MOUNTS V2_MOUNTS);
	put_knob(sr, "/pids/a/b", "pids.max", "max\n");
	put_knob(sr, "/pids/a", "pids.max", "100\n");
	put_knob(sr, "/pids/a", "pids.current", "40\n");
	assert_int_equal(read_limits(sr).max_tasks, 60);
	put_knob(sr, "/c/d", "pids.max", "50\n");
	put_knob(sr, "/c/d", "pids.current", "1\n");
	assert_int_equal(read_limits(sr).max_tasks, 49);
	put_knob(sr, "/c", "pids.max", "7\n");
	put_knob(sr, "/c", "pids.current", "9\n");
	assert_int_equal(read_limits(sr).max_tasks, 0);
}

/* Runs it with a soft RLIMIT_NPROC of nr, which forbids no thread to live. */
static uint32_t tasks_with_nproc(const struct sysroot *sr, rlim_t nr)
{
	struct rlimit old, limit;
	uint32_t tasks;

	assert_int_equal(getrlimit(RLIMIT_NPROC, &old), 0);
	limit = old;
	limit.rlim_cur = nr;
	assert_int_equal(setrlimit(RLIMIT_NPROC, &limit), 0);
	tasks = read_limits(sr).max_tasks;
	assert_int_equal(setrlimit(RLIMIT_NPROC, &old), 0);
	return tasks;
}

static void a_user_has_nproc_less_what_runs(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/self/status", USER_STATUS);
	sysroot_put(sr, "/proc/10/status", USER_STATUS);
	sysroot_put(sr, "/proc/12/status", USER_STATUS);
	sysroot_put(sr, "/proc/13/status",
		    "Uid:\t0\t1000\t1000\t1000\nThreads:\t9\n");
	sysroot_put(sr, "/proc/14/status", "rubbish\n");
	sysroot_mkdir(sr, "/proc/15");
	assert_int_equal(tasks_with_nproc(sr, 50), 44);
	assert_int_equal(tasks_with_nproc(sr, 2), 0);
}

static void root_and_its_capabilities_pass_nproc(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/sys/kernel/threads-max", "777\n");
	sysroot_put(sr, "/proc/self/status", "Uid:\t0\t0\t0\t0\n");
	assert_int_equal(tasks_with_nproc(sr, 5), 777);
	sysroot_put(sr, "/proc/self/status",
		    "Uid:\t7\t7\t7\t7\nCapEff:\t0000000001000000\n");
	assert_int_equal(tasks_with_nproc(sr, 5), 777);
	sysroot_put(sr, "/proc/self/status",
		    "Uid:\t7\t7\t7\t7\nCapEff:\t0000000000200000\n");
	assert_int_equal(tasks_with_nproc(sr, 5), 777);
	sysroot_put(sr, "/proc/self/status",
		    "Uid:\t7\t7\t7\t7\nCapEff:\t0000000000100000\n");
	assert_int_equal(tasks_with_nproc(sr, 5), 5);
}

static void root_of_a_user_namespace_is_a_user(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put(sr, "/proc/self/status",
		    "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	sysroot_put(sr, "/proc/self/uid_map", "         0       1000  1\n");
	assert_int_equal(tasks_with_nproc(sr, 5), 5);
	sysroot_put(sr, "/proc/sys/kernel/threads-max", "777\n");
	sysroot_put(sr, "/proc/self/uid_map", "   0    0 4294967295\n");
	assert_int_equal(tasks_with_nproc(sr, 5), 777);
}

static void files_are_the_soft_limit(void **state)
{
	struct rlimit old, limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	limit.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(read_limits(*state).max_files, 64);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

static void oom_kills_of_v1_are_added_up(void **state)
{
	const struct sysroot *sr = *state;
	uint64_t nr;

	sysroot_put(sr, "/proc/vmstat", "oom_kill 99\n");
	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	put_knob(sr, "/memory/a", "memory.oom_control",
		 "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
	put_knob(sr, "/memory", "memory.oom_control", "oom_kill 1\n");
	put_knob(sr, "/memory/a/interbench-memload-5-6", "memory.oom_control",
		 "oom_kill 4\n");
	put_knob(sr, "/memory/a/other", "memory.oom_control", "oom_kill 8\n");
	assert_int_equal(limits_oom_kills(sr->path, &nr), 0);
	assert_int_equal(nr, 7);
}

static void oom_kills_of_v2_are_those_of_the_level_above(void **state)
{
	const struct sysroot *sr = *state;
	uint64_t nr;

	sysroot_put_groups(sr, "0::/a/b\n", V2_MOUNTS);
	put_knob(sr, "/a/b", "memory.events", "oom 9\noom_kill 1\n");
	assert_int_equal(limits_oom_kills(sr->path, &nr), 0);
	assert_int_equal(nr, 1);
	put_knob(sr, "/a", "memory.events",
		 "low 0\noom 8\noom_kill 3\noom_group_kill 5\n");
	assert_int_equal(limits_oom_kills(sr->path, &nr), 0);
	assert_int_equal(nr, 3);
}

static void without_groups_oom_kills_are_those_of_the_machine(void **state)
{
	const struct sysroot *sr = *state;
	uint64_t nr;

	assert_int_equal(limits_oom_kills(sr->path, &nr), -ENOENT);
	sysroot_put(sr, "/proc/vmstat", "pgfault 7\noom_kill 3\nx 1\n");
	assert_int_equal(limits_oom_kills(sr->path, &nr), 0);
	assert_int_equal(nr, 3);
}

static void this_machine_can_be_read(void **state)
{
	struct limits l;

	(void)state;
	assert_int_equal(limits_read(&l, ""), 0);
	assert_true(l.ram_bytes >= l.available_bytes);
	assert_true(l.swap_total_bytes >= l.swap_free_bytes);
	assert_true(l.max_files > 0);
}

#define TREE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, sysroot_setup, sysroot_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(without_groups_it_is_what_meminfo_says),
		TREE_TEST(big_machines_are_not_cut),
		TREE_TEST(old_kernels_that_estimate_nothing_are_estimated),
		TREE_TEST(without_proc_the_kernel_is_asked),
		TREE_TEST(garbage_in_meminfo_is_no_meminfo),
		TREE_TEST(a_v1_group_limits_what_is_not_used_or_only_cache),
		TREE_TEST(the_tightest_level_above_counts),
		TREE_TEST(more_in_use_than_the_limit_leaves_nothing),
		TREE_TEST(v1_limits_swap_by_a_sum),
		TREE_TEST(v1_without_a_limit_does_not_limit_swap),
		TREE_TEST(v2_limits_by_max_high_and_swap),
		TREE_TEST(v2_without_the_controller_limits_nothing),
		TREE_TEST(a_container_sees_its_group_as_the_root),
		TREE_TEST(garbage_in_groups_limits_nothing),
		TREE_TEST(tasks_are_what_the_kernel_has_left),
		TREE_TEST(tasks_are_what_pids_groups_have_left),
		TREE_TEST(a_user_has_nproc_less_what_runs),
		TREE_TEST(root_and_its_capabilities_pass_nproc),
		TREE_TEST(root_of_a_user_namespace_is_a_user),
		TREE_TEST(files_are_the_soft_limit),
		TREE_TEST(oom_kills_of_v1_are_added_up),
		TREE_TEST(oom_kills_of_v2_are_those_of_the_level_above),
		TREE_TEST(without_groups_oom_kills_are_those_of_the_machine),
		cmocka_unit_test(this_machine_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
