/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fileio_test: what is read and written, and what is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fileio.h"

/* A directory of its own for each test, entered. */
struct scratch {
	char path[PATH_MAX];
	int old_cwd;
};

static int enter_scratch(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));
	const char *tmp = getenv("TMPDIR");

	if (!scratch)
		return -1;
	snprintf(scratch->path, sizeof(scratch->path), "%s/fileio.XXXXXX",
		 tmp ? tmp : "/tmp");
	scratch->old_cwd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(022);
	*state = scratch;
	return !mkdtemp(scratch->path) || chdir(scratch->path);
}

static int leave_scratch(void **state)
{
	struct scratch *scratch = *state;
	DIR *dir = opendir(".");
	struct dirent *entry;
	int err;

	while (dir && (entry = readdir(dir)))
		if (unlink(entry->d_name))
			rmdir(entry->d_name);
	if (dir)
		closedir(dir);
	err = fchdir(scratch->old_cwd) || rmdir(scratch->path);
	close(scratch->old_cwd);
	free(scratch);
	return err;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *path, const char *expected)
{
	char buf[256];

	assert_true(file_read(path, buf, sizeof(buf)) >= 0);
	assert_string_equal(buf, expected);
}

static unsigned int nr_files(void)
{
	DIR *dir = opendir(".");
	unsigned int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 2;
}

static void reading_gives_the_whole_file_and_a_nul(void **state)
{
	char buf[16];

	(void)state;
	put("f", "hello\n");
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(file_read("f", buf, sizeof(buf)), 6);
	assert_string_equal(buf, "hello\n");
	put("f", "");
	assert_int_equal(file_read("f", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
}

static void a_longer_file_is_cut(void **state)
{
	char buf[5] = "xxxx";

	(void)state;
	put("f", "hello");
	assert_int_equal(file_read("f", buf, sizeof(buf)), 4);
	assert_string_equal(buf, "hell");
	assert_int_equal(file_read("f", buf, 1), 0);
	assert_string_equal(buf, "");
	assert_int_equal(file_read("f", buf, 0), -EINVAL);
}

static void a_failed_read_leaves_an_empty_text(void **state)
{
	char buf[8] = "old";

	(void)state;
	assert_int_equal(file_read("none", buf, sizeof(buf)), -ENOENT);
	assert_string_equal(buf, "");
	snprintf(buf, sizeof(buf), "old");
	assert_int_equal(file_read(".", buf, sizeof(buf)), -EISDIR);
	assert_string_equal(buf, "");
}

static void numbers_in_files_are_read_strictly(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t value;
	} cases[] = {
		{ "1024\n", 0, 1024 },
		{ "-5", 0, -5 },
		{ " 7 8\n", 0, 7 },
		{ "9223372036854775807\n", 0, INT64_MAX },
		{ "9223372036854775808\n", -ERANGE, -99 },
		{ "", -EINVAL, -99 },
		{ "\n", -EINVAL, -99 },
		{ "max 100000\n", -EINVAL, -99 },
		{ "12x\n", -EINVAL, -99 },
		{ "0x10\n", -EINVAL, -99 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t value = -99;

		put("f", cases[i].text);
		assert_int_equal(file_read_i64("f", &value), cases[i].err);
		assert_true(value == cases[i].value);
	}
}

static void appending_creates_then_appends(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(file_append(".", "log", "one\n", 4), 0);
	assert_int_equal(file_append(".", "log", "two\n", 4), 0);
	assert_text("log", "one\ntwo\n");
	assert_int_equal(stat("log", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
}

static void names_are_names_not_paths(void **state)
{
	static const char *const names[] = {
		"", ".", "..", "/", "a/b", "../f", "/tmp/f", "f/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(file_append(".", names[i], "x", 1), -EINVAL);
		assert_int_equal(file_replace(".", names[i], "x", 1), -EINVAL);
	}
	assert_int_equal(nr_files(), 0);
}

static void a_directory_that_is_none_is_an_error(void **state)
{
	(void)state;
	put("file", "x");
	assert_int_equal(file_append("none", "f", "x", 1), -ENOENT);
	assert_int_equal(file_replace("none", "f", "x", 1), -ENOENT);
	assert_int_equal(file_append("file", "f", "x", 1), -ENOTDIR);
	assert_int_equal(file_append("", "f", "x", 1), -ENOENT);
	assert_int_equal(nr_files(), 1);
}

static void symbolic_links_are_never_followed(void **state)
{
	(void)state;
	put("target", "safe");
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(file_append(".", "link", "x", 1), -ELOOP);
	assert_int_equal(file_append(".", "dangling", "x", 1), -ELOOP);
	assert_int_equal(file_replace(".", "link", "x", 1), -ELOOP);
	assert_int_equal(file_replace(".", "dangling", "x", 1), -ELOOP);
	assert_text("target", "safe");
	assert_int_equal(nr_files(), 3);
}

/* Neither waits for a reader of the fifo. */
static void only_regular_files_are_written(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(file_append(".", "fifo", "x", 1), -EINVAL);
	assert_int_equal(file_replace(".", "fifo", "x", 1), -EINVAL);
	assert_int_equal(file_append(".", "dir", "x", 1), -EISDIR);
	assert_int_equal(file_replace(".", "dir", "x", 1), -EISDIR);
	fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(file_append(".", "fifo", "x", 1), -EINVAL);
	close(fd);
	assert_int_equal(file_append("/dev", "null", "x", 1), -EINVAL);
	assert_int_equal(nr_files(), 2);
}

static void replacing_creates_or_replaces_and_leaves_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(file_replace(".", "f", "first, long\n", 12), 0);
	assert_text("f", "first, long\n");
	assert_int_equal(file_replace(".", "f", "second\n", 7), 0);
	assert_text("f", "second\n");
	assert_int_equal(file_replace(".", "f", "", 0), 0);
	assert_text("f", "");
	assert_int_equal(nr_files(), 1);
}

/* Readers see the old file or the new one, never half of it. */
static void a_replaced_file_is_a_new_one(void **state)
{
	char buf[16] = "";
	int fd;

	(void)state;
	put("f", "old");
	fd = open("f", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(file_replace(".", "f", "new", 3), 0);
	assert_int_equal(read(fd, buf, sizeof(buf) - 1), 3);
	assert_string_equal(buf, "old");
	close(fd);
}

/* Left by a process of the same number that was killed. */
static void a_stale_temporary_file_is_not_in_the_way(void **state)
{
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), ".interbench-%ld-0.tmp", (long)getpid());
	put(name, "stale");
	assert_int_equal(file_replace(".", "f", "new", 3), 0);
	assert_text("f", "new");
	assert_text(name, "stale");
	assert_int_equal(nr_files(), 2);
}

static void a_failed_replacement_leaves_the_old_file_alone(void **state)
{
	char name[NAME_MAX + 2];

	(void)state;
	put("f", "old");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(file_replace(".", name, "new", 3), -ENAMETOOLONG);
	assert_text("f", "old");
	assert_int_equal(nr_files(), 1);
}

/* Writes fail beyond so many bytes, on any file system and for root too. */
static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_leaves_the_old_file_and_no_other(void **state)
{
	int err;

	(void)state;
	put("f", "old");
	limit_file_size(4);
	err = file_replace(".", "f", "0123456789", 10);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(err, -EFBIG);
	assert_text("f", "old");
	assert_int_equal(nr_files(), 1);
}

static void assert_owner(const char *path, uid_t uid, gid_t gid)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

static void set_sudo(const char *uid, const char *gid)
{
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
}

static void under_sudo_files_that_we_created_go_to_the_user(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	put("before", "");
	set_sudo("1234", "5678");
	assert_int_equal(file_append(".", "log", "x", 1), 0);
	assert_int_equal(file_replace(".", "f", "x", 1), 0);
	assert_int_equal(file_append(".", "before", "x", 1), 0);
	assert_owner("log", 1234, 5678);
	assert_owner("f", 1234, 5678);
	assert_owner("before", getuid(), getegid());
}

static void odd_sudo_variables_change_no_owner(void **state)
{
	static const char *const pairs[][2] = {
		{ "1234", "" }, { "", "5678" }, { "12 34", "5678" },
		{ "-1", "5678" }, { "1234", "4294967295" }, { "root", "root" },
		{ "0x10", "16" }, { "18446744073709551617", "1" },
	};

	(void)state;
	if (geteuid())
		skip();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		set_sudo(pairs[i][0], pairs[i][1]);
		assert_int_equal(file_append(".", "log", "x", 1), 0);
		assert_owner("log", getuid(), getegid());
		assert_int_equal(unlink("log"), 0);
	}
	unsetenv("SUDO_GID");
	setenv("SUDO_UID", "1234", 1);
	assert_int_equal(file_append(".", "log", "x", 1), 0);
	assert_owner("log", getuid(), getegid());
}

static void *count_bytes(void *arg)
{
	char buf[1000];
	size_t sum = 0;
	ssize_t n;

	while ((n = read(*(int *)arg, buf, sizeof(buf))) > 0)
		sum += (size_t)n;
	return (void *)(uintptr_t)sum;
}

/* A pipe without blocking takes 64 KiB and then says EAGAIN. */
static void writing_goes_on_until_everything_is_written(void **state)
{
	static const char data[300000];
	pthread_t reader;
	void *sum;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(pthread_create(&reader, NULL, count_bytes, &fds[0]),
			 0);
	assert_int_equal(fd_write_all(fds[1], data, sizeof(data), NULL), 0);
	close(fds[1]);
	pthread_join(reader, &sum);
	close(fds[0]);
	assert_int_equal((uintptr_t)sum, sizeof(data));
}

static void write_errors_are_returned(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fd_write_all(-1, "x", 1, NULL), -EBADF);
	assert_int_equal(fd_write_all(-1, "x", 0, NULL), 0);
	if (fd < 0)
		skip();
	assert_int_equal(fd_write_all(fd, "x", 1, NULL), -ENOSPC);
	close(fd);
}

/* The flag that the handler sets; a handler has no other way. */
static volatile int stop_flag;
static volatile int nr_signals;

static void on_alarm(int sig)
{
	(void)sig;
	nr_signals++;
	stop_flag = nr_signals >= 3;
}

static void set_alarms(suseconds_t us)
{
	struct itimerval timer = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = on_alarm };

	nr_signals = 0;
	stop_flag = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void stop_a_write_into_a_full_pipe(int flags)
{
	static const char data[300000];
	int fds[2], err;

	assert_int_equal(pipe2(fds, O_CLOEXEC | flags), 0);
	set_alarms(20000);
	err = fd_write_all(fds[1], data, sizeof(data), &stop_flag);
	set_alarms(0);
	assert_int_equal(err, -EINTR);
	close(fds[0]);
	close(fds[1]);
}

/* The first signals leave the flag 0: they end nothing. */
static void only_a_signal_with_the_stop_flag_ends_a_write(void **state)
{
	(void)state;
	stop_a_write_into_a_full_pipe(0);
	stop_a_write_into_a_full_pipe(O_NONBLOCK);
}

#define SCRATCH_TEST(test) \
	cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(reading_gives_the_whole_file_and_a_nul),
		SCRATCH_TEST(a_longer_file_is_cut),
		SCRATCH_TEST(a_failed_read_leaves_an_empty_text),
		SCRATCH_TEST(numbers_in_files_are_read_strictly),
		SCRATCH_TEST(appending_creates_then_appends),
		SCRATCH_TEST(names_are_names_not_paths),
		SCRATCH_TEST(a_directory_that_is_none_is_an_error),
		SCRATCH_TEST(symbolic_links_are_never_followed),
		SCRATCH_TEST(only_regular_files_are_written),
		SCRATCH_TEST(
			replacing_creates_or_replaces_and_leaves_nothing_else),
		SCRATCH_TEST(a_replaced_file_is_a_new_one),
		SCRATCH_TEST(a_stale_temporary_file_is_not_in_the_way),
		SCRATCH_TEST(a_failed_replacement_leaves_the_old_file_alone),
		SCRATCH_TEST(a_full_disk_leaves_the_old_file_and_no_other),
		SCRATCH_TEST(under_sudo_files_that_we_created_go_to_the_user),
		SCRATCH_TEST(odd_sudo_variables_change_no_owner),
		SCRATCH_TEST(writing_goes_on_until_everything_is_written),
		SCRATCH_TEST(write_errors_are_returned),
		SCRATCH_TEST(only_a_signal_with_the_stop_flag_ends_a_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
