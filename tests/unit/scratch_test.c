/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of scratch: a directory is private, and goes with its run. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/scratch.h"

static int set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *path = malloc(128);

	snprintf(path, 128, "%.100s/scratch.XXXXXX", tmp ? tmp : "/tmp");
	*state = path;
	return !mkdtemp(path);
}

static int tear_down(void **state)
{
	int err = rmdir(*state);

	free(*state);
	return err;
}

/* Entries of the directory. */
static int count(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int nr = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static void fill(int fd)
{
	int sub;

	assert_int_equal(mkdirat(fd, "a", 0700), 0);
	assert_int_equal(mkdirat(fd, "a/b", 0700), 0);
	assert_int_equal(symlinkat("/etc", fd, "a/b/link"), 0);
	sub = openat(fd, "a/b/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(sub >= 0);
	close(sub);
}

static void it_is_private_and_removed_with_all_in_it(void **state)
{
	struct scratch s;
	struct stat st;

	assert_int_equal(scratch_make(&s, *state), 0);
	assert_int_equal(fstat(s.fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	fill(s.fd);
	assert_int_equal(count(*state), 1);
	assert_int_equal(scratch_clear(&s, 0), 0);
	assert_int_equal(count(*state), 0);
	assert_int_equal(scratch_clear(&s, 0), 0);
	scratch_close(&s);
	assert_int_equal(s.fd, -1);
	assert_int_equal(access("/etc", F_OK), 0);
}

static void two_runs_do_not_meet(void **state)
{
	struct scratch a, b;

	assert_int_equal(scratch_make(&a, *state), 0);
	assert_int_equal(scratch_make(&b, *state), 0);
	assert_string_not_equal(a.name, b.name);
	assert_int_equal(count(*state), 2);
	fill(a.fd);
	assert_int_equal(scratch_clear(&b, 0), 0);
	assert_int_equal(count(*state), 1);
	assert_int_equal(faccessat(a.fd, "a/b/file", F_OK, 0), 0);
	scratch_clear(&a, 0);
	scratch_close(&a);
	scratch_close(&b);
}

/* Dies with its directory in place. */
static void leave_one(const char *parent)
{
	struct scratch s;
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!scratch_make(&s, parent) && !mkdirat(s.fd, "x", 0700))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void the_next_run_removes_what_a_dead_one_left(void **state)
{
	struct scratch s;

	leave_one(*state);
	leave_one(*state);
	/* The second has removed that of the first already. */
	assert_int_equal(count(*state), 1);
	assert_int_equal(scratch_make(&s, *state), 0);
	assert_int_equal(count(*state), 1);
	scratch_clear(&s, 0);
	scratch_close(&s);
}

static void what_others_made_stays(void **state)
{
	char path[160];
	struct scratch s;

	snprintf(path, sizeof(path), "%s/interbench", (char *)*state);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(scratch_make(&s, *state), 0);
	assert_int_equal(count(*state), 2);
	scratch_clear(&s, 0);
	scratch_close(&s);
	assert_int_equal(rmdir(path), 0);
}

static void a_file_has_no_name(void **state)
{
	struct scratch s;
	int fd;

	assert_int_equal(scratch_make(&s, *state), 0);
	fd = scratch_file(&s);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(unlinkat(s.parent_fd, s.name, AT_REMOVEDIR), 0);
	close(fd);
	scratch_close(&s);
}

static void looking_changes_nothing(void **state)
{
	struct scratch_place place;

	scratch_look(&place, *state);
	assert_int_equal(place.err, 0);
	assert_string_equal(place.path, *state);
	assert_true(place.total_bytes >= place.free_bytes);
	assert_string_not_equal(place.fs, "");
	assert_int_equal(count(*state), 0);
	scratch_look(&place, "/nonexistent");
	assert_int_equal(place.err, -ENOENT);
	assert_string_equal(place.fs, "");
	scratch_look(&place, "/dev/null");
	assert_int_equal(place.err, -ENOTDIR);
}

static void where_nothing_can_be_made_it_says_so(void **state)
{
	struct scratch s;

	(void)state;
	assert_int_equal(scratch_make(&s, "/nonexistent"), -ENOENT);
	assert_int_equal(s.fd, -1);
	assert_int_equal(scratch_clear(&s, 0), 0);
	scratch_close(&s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_private_and_removed_with_all_in_it),
		TEST(two_runs_do_not_meet),
		TEST(the_next_run_removes_what_a_dead_one_left),
		TEST(what_others_made_stays),
		TEST(a_file_has_no_name),
		TEST(looking_changes_nothing),
		TEST(where_nothing_can_be_made_it_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
