/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memcg_test: groups that are made and removed; real ones only as root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fileio.h"
#include "sys/memcg.h"
#include "sysroot.h"

#define MIB UINT64_C(1048576)

#define V1_MOUNTS \
	"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V2_MOUNTS "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 none rw\n"

#define GROUP(pid_and_start) "/sys/fs/cgroup/memory/a/" MEMCG_PREFIX \
	pid_and_start

/* A process of pid 7 that started at tick 1234, in that state. */
#define STAT_7(state) \
	"7 (a b) c) " state " 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 " \
	"1234 5 6\n"

static bool exists(const struct sysroot *sr, const char *path)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s%s", sr->path, path);
	return !access(file, F_OK);
}

static void groups_of_the_dead_are_removed(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	sysroot_put(sr, "/proc/7/stat", STAT_7("S"));
	sysroot_mkdir(sr, GROUP("8-1234"));
	sysroot_mkdir(sr, GROUP("7-1233"));
	sysroot_mkdir(sr, GROUP("x"));
	assert_int_equal(memcg_remove_stale(sr->path), 3);
	assert_true(exists(sr, "/sys/fs/cgroup/memory/a"));
	assert_false(exists(sr, GROUP("8-1234")));
	assert_int_equal(memcg_remove_stale(sr->path), 0);
}

static void groups_of_the_living_stay(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	sysroot_put(sr, "/proc/7/stat", STAT_7("S"));
	sysroot_mkdir(sr, GROUP("7-1234"));
	assert_int_equal(memcg_remove_stale(sr->path), 0);
	assert_true(exists(sr, GROUP("7-1234")));
	/* who is dead but not waited for does not live */
	sysroot_put(sr, "/proc/7/stat", STAT_7("Z"));
	assert_int_equal(memcg_remove_stale(sr->path), 1);
}

/* A directory with something in it stands for a group with a process. */
static void groups_that_the_kernel_holds_stay(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	sysroot_put(sr, GROUP("9-9") "/process", "");
	sysroot_mkdir(sr, GROUP("8-8"));
	assert_int_equal(memcg_remove_stale(sr->path), 1);
	assert_true(exists(sr, GROUP("9-9")));
}

static void what_is_not_ours_stays(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	sysroot_mkdir(sr, "/sys/fs/cgroup/memory/a/interbench-other");
	sysroot_mkdir(sr, "/sys/fs/cgroup/memory/" MEMCG_PREFIX "8-8");
	sysroot_put(sr, "/sys/fs/cgroup/memory/a/" MEMCG_PREFIX "5-5", "");
	assert_int_equal(memcg_remove_stale(sr->path), 0);
}

static void v2_groups_are_looked_for_beside_us_too(void **state)
{
	const struct sysroot *sr = *state;

	sysroot_put_groups(sr, "0::/a/b\n", V2_MOUNTS);
	sysroot_mkdir(sr, "/sys/fs/cgroup/a/" MEMCG_PREFIX "8-8");
	sysroot_mkdir(sr, "/sys/fs/cgroup/a/b/" MEMCG_PREFIX "8-8");
	sysroot_mkdir(sr, "/sys/fs/cgroup/" MEMCG_PREFIX "8-8");
	assert_int_equal(memcg_remove_stale(sr->path), 2);
}

static void nothing_to_remove_is_no_trouble(void **state)
{
	const struct sysroot *sr = *state;

	assert_int_equal(memcg_remove_stale(sr->path), 0);
	sysroot_put_groups(sr, "4:memory:/gone\n", V1_MOUNTS);
	assert_int_equal(memcg_remove_stale(sr->path), 0);
}

static void v1_has_a_group_wherever_one_may_be_made(void **state)
{
	const struct sysroot *sr = *state;

	assert_true(memcg_probe(sr->path) < 0);
	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	assert_int_equal(memcg_probe(sr->path), -ENOENT);
	sysroot_put(sr, "/sys/fs/cgroup/memory/a/cgroup.procs", "");
	assert_int_equal(memcg_probe(sr->path), 1);
	/* where we came from, outside of the namespace */
	sysroot_put_groups(sr, "4:memory:/../a\n", V1_MOUNTS);
	assert_true(memcg_probe(sr->path) < 0);
}

static void v2_needs_a_level_that_divides_memory(void **state)
{
	static const char own[] = "/sys/fs/cgroup/a/cgroup.subtree_control";
	static const char above[] = "/sys/fs/cgroup/cgroup.subtree_control";
	const struct sysroot *sr = *state;

	sysroot_put_groups(sr, "0::/a\n", V2_MOUNTS);
	sysroot_put(sr, "/sys/fs/cgroup/cgroup.procs", "");
	sysroot_put(sr, "/sys/fs/cgroup/a/cgroup.procs", "");
	assert_int_equal(memcg_probe(sr->path), -EOPNOTSUPP);
	sysroot_put(sr, own, "cpu memory_recursiveprot io\n");
	sysroot_put(sr, above, "hugetlb\n");
	assert_int_equal(memcg_probe(sr->path), -EOPNOTSUPP);
	sysroot_put(sr, above, "cpu io memory pids\n");
	assert_int_equal(memcg_probe(sr->path), 2);
	sysroot_put(sr, above, "");
	sysroot_put(sr, own, "memory\n");
	assert_int_equal(memcg_probe(sr->path), 2);
	sysroot_put_groups(sr, "0::/\n", V2_MOUNTS);
	assert_int_equal(memcg_probe(sr->path), -EOPNOTSUPP);
}

static void a_group_that_cannot_be_limited_is_not_left(void **state)
{
	const struct sysroot *sr = *state;
	struct memcg cg;

	sysroot_put_groups(sr, "4:memory:/a\n", V1_MOUNTS);
	sysroot_put(sr, "/sys/fs/cgroup/memory/a/cgroup.procs", "");
	sysroot_put(sr, "/proc/self/stat", STAT_7("R"));
	assert_int_equal(memcg_enter(&cg, sr->path, MIB, MIB, 0), -ENOENT);
	assert_string_equal(cg.dir, "");
	assert_int_equal(memcg_remove_stale(sr->path), 0);
	memcg_leave(&cg);
}

/* What a child saw, for its parent. */
struct seen {
	int err;
	char dir[PATH_MAX];
	uint64_t usage;
	int usage_err;
	bool limited;	/* to the second limit */
	bool gone;
};

static struct seen *make_seen(void)
{
	struct seen *seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(seen != MAP_FAILED);
	memset(seen, 0, sizeof(*seen));
	return seen;
}

static bool has_limit(const struct memcg *cg, int64_t bytes)
{
	char path[2 * PATH_MAX];
	int64_t limit;

	snprintf(path, sizeof(path), "%s/%s", cg->dir,
		 cg->v2 ? "memory.max" : "memory.limit_in_bytes");
	return !file_read_i64(path, &limit) && limit == bytes;
}

static void live_in_group(struct seen *seen)
{
	struct memcg cg;

	seen->err = memcg_enter(&cg, "", 36 * MIB, 40 * MIB, 0);
	if (seen->err)
		_exit(0);
	memcpy(seen->dir, cg.dir, sizeof(seen->dir));
	seen->limited = has_limit(&cg, 40 * MIB) &&
			!memcg_limit(&cg, 60 * MIB, 64 * MIB, 8 * MIB) &&
			has_limit(&cg, 64 * MIB) &&
			!memcg_limit(&cg, 28 * MIB, 32 * MIB, 0) &&
			has_limit(&cg, 32 * MIB);
	mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	seen->usage_err = memcg_usage(&cg, &seen->usage);
	memcg_leave(&cg);
	seen->gone = access(seen->dir, F_OK) && errno == ENOENT;
	_exit(0);
}

static void wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void need_groups(void)
{
	if (geteuid() || memcg_probe("") < 0) {
		print_message("no memory group can be made here\n");
		skip();
	}
}

static void a_real_group_is_entered_and_left(void **state)
{
	struct seen *seen;
	pid_t pid;

	(void)state;
	need_groups();
	seen = make_seen();
	pid = fork();
	if (!pid)
		live_in_group(seen);
	wait_for(pid);
	assert_int_equal(seen->err, 0);
	assert_true(seen->limited);
	assert_int_equal(seen->usage_err, 0);
	assert_true(seen->usage >= MIB);
	assert_true(seen->gone);
	munmap(seen, sizeof(*seen));
}

static void the_group_of_a_killed_one_is_removed_later(void **state)
{
	struct seen *seen;
	struct memcg cg;
	pid_t pid;

	(void)state;
	need_groups();
	seen = make_seen();
	pid = fork();
	if (!pid) {
		seen->err = memcg_enter(&cg, "", 36 * MIB, 40 * MIB, 0);
		memcpy(seen->dir, cg.dir, sizeof(seen->dir));
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_int_equal(seen->err, 0);
	memcg_remove_stale("");
	assert_int_equal(access(seen->dir, F_OK), 0);
	kill(pid, SIGKILL);
	wait_for(pid);
	assert_int_equal(access(seen->dir, F_OK), 0);
	memcg_remove_stale("");
	assert_int_equal(access(seen->dir, F_OK), -1);
	munmap(seen, sizeof(*seen));
}

#define TREE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, sysroot_setup, sysroot_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(groups_of_the_dead_are_removed),
		TREE_TEST(groups_of_the_living_stay),
		TREE_TEST(groups_that_the_kernel_holds_stay),
		TREE_TEST(what_is_not_ours_stays),
		TREE_TEST(v2_groups_are_looked_for_beside_us_too),
		TREE_TEST(nothing_to_remove_is_no_trouble),
		TREE_TEST(v1_has_a_group_wherever_one_may_be_made),
		TREE_TEST(v2_needs_a_level_that_divides_memory),
		TREE_TEST(a_group_that_cannot_be_limited_is_not_left),
		cmocka_unit_test(a_real_group_is_entered_and_left),
		cmocka_unit_test(the_group_of_a_killed_one_is_removed_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
