/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loads_exec_test: loads that run other programs, or walk the files. */
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
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/tree.h"
#include "engine/walk.h"
#include "load_host.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIB (UINT64_C(1) << 20)
#define KIB (UINT64_C(1) << 10)

extern const struct load load_ctar, load_xtar, load_list, load_dbench,
	load_command;

/* PATH for the rest of a test; NULL puts the old one back. */
static void use_path(const char *path)
{
	static char *old;

	if (path) {
		old = strdup(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin");
		setenv("PATH", path, 1);
	} else {
		setenv("PATH", old, 1);
		free(old);
	}
}

static void need_tar(struct load_host *host)
{
	if (load_host_probe(host)) {
		load_host_release(host);
		skip();
	}
}

static void a_tree_has_its_files_and_bytes_and_can_be_removed(void **state)
{
	struct load_host host;
	struct tree tree;
	struct stat st;
	int home;

	(void)state;
	load_host_init(&host, &load_ctar);
	home = host.ctx.dir_fd[LOAD_DISK_HOME];
	host.params.disk[LOAD_DISK_HOME].bytes = 12 * MIB;
	assert_int_equal(tree_plan(&host.ctx, &tree), 0);
	assert_int_equal(tree.bytes, 3 * MIB);
	assert_int_equal(tree.nr_files, 96);
	assert_int_equal(tree_make(&host.ctx, &tree, home, "tree"), 0);
	assert_int_equal(fstatat(home, "tree/dir01/file0095", &st, 0), 0);
	assert_int_equal(fstatat(home, "tree/dir01/file0096", &st, 0), -1);
	/* What is there already is not written over. */
	assert_int_equal(tree_make(&host.ctx, &tree, home, "tree"), -EEXIST);
	assert_int_equal(symlinkat("/", home, "tree/dir00/link"), 0);
	assert_int_equal(tree_remove(&host.ctx, home, "tree"), 0);
	assert_int_equal(fstatat(home, "tree", &st, 0), -1);
	assert_int_equal(tree_remove(&host.ctx, home, "tree"), 0);
	load_host_release(&host);
}

static void a_tree_fits_the_space_and_the_rate(void **state)
{
	static const struct {
		uint64_t disk, rate, bytes;
		uint32_t nr_files;
	} cases[] = {
		{ 1024 * MIB, 0, 32 * MIB, 1000 },
		{ 64 * MIB, 0, 16 * MIB, 512 },
		{ 256 * KIB, 0, 64 * KIB, 16 },
		{ 1024 * MIB, 500 * MIB, 32 * MIB, 1000 },
		{ 1024 * MIB, 4 * MIB, MIB, 32 },
		{ 1024 * MIB, 1, 64 * KIB, 16 },
	};
	struct load_host host;
	struct tree tree;

	(void)state;
	load_host_init(&host, &load_ctar);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		host.params.disk[LOAD_DISK_HOME].bytes = cases[i].disk;
		host.params.io_rate = cases[i].rate;
		assert_int_equal(tree_plan(&host.ctx, &tree), 0);
		assert_int_equal(tree.bytes, cases[i].bytes);
		assert_int_equal(tree.nr_files, cases[i].nr_files);
	}
	host.params.disk[LOAD_DISK_HOME].bytes = 256 * KIB - 1;
	assert_int_equal(tree_plan(&host.ctx, &tree), -ENOSPC);
	assert_string_equal(host.ctx.why, "no space for a tree of files: "
			    "256.0 KiB may be used");
	load_host_release(&host);
}

struct visits {
	char names[256];
	unsigned int nr, deepest;
};

static int on_visit(void *arg, int dir_fd, const char *name,
		    const struct stat *st)
{
	struct visits *v = arg;
	size_t len = strlen(v->names);

	(void)dir_fd;
	(void)st;
	v->nr++;
	snprintf(v->names + len, sizeof(v->names) - len, "%s ", name);
	return strcmp(name, "stop") ? 0 : -ECANCELED;
}

static void make_path(const struct load_host *host, const char *path)
{
	assert_int_equal(mkdirat(host->ctx.dir_fd[LOAD_DISK_HOME], path, 0755),
			 0);
}

static void a_walk_is_in_order_and_follows_no_link(void **state)
{
	struct visits v = { "", 0, 0 };
	struct load_host host;
	int home;

	(void)state;
	load_host_init(&host, &load_list);
	home = host.ctx.dir_fd[LOAD_DISK_HOME];
	make_path(&host, "b");
	make_path(&host, "a");
	make_path(&host, "a/z");
	make_path(&host, "a/y");
	make_path(&host, "b/c");
	assert_int_equal(symlinkat(".", home, "b/loop"), 0);
	assert_int_equal(walk_tree(host.dir, 64, on_visit, &v), 0);
	assert_string_equal(v.names, "a b y z c loop ");
	make_path(&host, "a/stop");
	v.names[0] = '\0';
	assert_int_equal(walk_tree(host.dir, 64, on_visit, &v), -ECANCELED);
	assert_string_equal(v.names, "a b stop ");
	assert_int_equal(walk_tree("/no/such", 64, on_visit, &v), -ENOENT);
	load_host_release(&host);
}

/* Deeper than there are descriptors, and than a path may be long. */
static void a_deep_tree_is_walked_with_few_descriptors(void **state)
{
	enum { DEPTH = 600 };
	struct visits v = { "", 0, 0 };
	struct load_host host;
	int fd, next, low;

	(void)state;
	load_host_init(&host, &load_list);
	fd = dup(host.ctx.dir_fd[LOAD_DISK_HOME]);
	low = dup(fd);
	close(low);
	for (int i = 0; i < DEPTH; i++) {
		assert_int_equal(mkdirat(fd, "d123456789", 0755), 0);
		assert_int_equal(mkdirat(fd, "e", 0755), 0);
		next = openat(fd, "d123456789", O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(walk_tree(host.dir, 4, on_visit, &v), 0);
	assert_int_equal(v.nr, 2 * DEPTH);
	/* All descriptors are closed again. */
	fd = dup(host.ctx.dir_fd[LOAD_DISK_HOME]);
	assert_true(fd <= low);
	close(fd);
	host.ctx.stop = &(atomic_uint){ 0 };
	assert_int_equal(tree_remove(&host.ctx, host.ctx.dir_fd[0],
				     "d123456789"), 0);
	load_host_release(&host);
}

static void files_are_listed_until_the_stop(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_list);
	load_host_start(&host);
	load_host_wait_work(&host, 500);
	assert_int_equal(load_host_stop(&host), 0);
	load_host_release(&host);
}

static void tar_makes_progress_until_the_stop_and_none_is_left(void **state)
{
	static const struct load *const loads[] = { &load_ctar, &load_xtar };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		struct load_host host;

		load_host_init(&host, loads[i]);
		host.params.disk[LOAD_DISK_HOME].bytes = 4 * MIB;
		need_tar(&host);
		load_host_start(&host);
		/* More than two rounds: the old output is no obstacle. */
		load_host_wait_work(&host, 3 * 32);
		assert_int_equal(load_host_stop(&host), 0);
		assert_string_equal(load_host_note(&host),
				    "32 files, 1.0 MiB");
		assert_false(load_host_leaves_process(&host));
		load_host_release(&host);
	}
}

static void without_tar_the_load_is_skipped(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_ctar);
	use_path("/nowhere");
	assert_int_equal(load_host_probe(&host), -ENOENT);
	use_path(NULL);
	assert_string_equal(host.ctx.why, "tar is not installed");
	load_host_release(&host);
}

/* A program of ours, found before that of the system from now on. */
static void put_program(const struct load_host *host, const char *name,
			const char *script)
{
	char path[128];
	int fd;

	make_path(host, "bin");
	snprintf(path, sizeof(path), "%s/bin/%s", host->dir, name);
	fd = open(path, O_WRONLY | O_CREAT, 0755);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, strlen(script)), strlen(script));
	close(fd);
	snprintf(path, sizeof(path), "%s/bin:/bin:/usr/bin", host->dir);
	use_path(path);
}

static void a_tar_that_fails_is_quoted(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_ctar);
	put_program(&host, "tar", "#!/bin/sh\necho 'tar: cannot' >&2\n"
		    "echo 'tar: exiting' >&2\nexit 2\n");
	host.params.disk[LOAD_DISK_HOME].bytes = MIB;
	assert_int_equal(load_host_probe(&host), 0);
	load_host_start(&host);
	use_path(NULL);
	assert_int_equal(load_host_end(&host), -ECHILD);
	assert_string_equal(load_host_why(&host),
			    "tar exited with status 2: tar: cannot");
	assert_int_equal(load_host_work(&host), 0);
	load_host_release(&host);
}

static void a_killed_tar_ends_the_load(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_xtar);
	/* One that packs in set-up and is slow to unpack. */
	put_program(&host, "tar", "#!/bin/sh\n[ $1 = -cf ] && exit\n"
		    "exec sleep 1000\n");
	host.params.disk[LOAD_DISK_HOME].bytes = MIB;
	load_host_start(&host);
	use_path(NULL);
	/* Until it is the second one that is killed. */
	while (!*load_host_why(&host) &&
	       faccessat(host.ctx.dir_fd[LOAD_DISK_HOME], "xtar/tree/dir00",
			 F_OK, 0))
		usleep(1000);
	while (!faccessat(host.ctx.dir_fd[LOAD_DISK_HOME], "xtar/tree",
			  F_OK, 0))
		usleep(1000);
	assert_int_equal(load_host_end_killed(&host), -ECHILD);
	assert_string_equal(load_host_why(&host),
			    "tar was killed by signal 9 (Killed)");
	load_host_release(&host);
}

static void a_set_up_without_a_directory_fails(void **state)
{
	static const struct load *const loads[] = { &load_ctar, &load_xtar };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		struct load_host host;

		load_host_init(&host, loads[i]);
		assert_int_equal(rmdir(host.dir), 0);
		load_host_start(&host);
		assert_int_equal(load_host_end(&host), -ENOENT);
		assert_non_null(strstr(load_host_why(&host),
				       "tar could not be made: No such file"));
		load_host_release(&host);
	}
}

static void an_ordinary_user_is_told_what_may_not_be_written(void **state)
{
	struct load_host host;

	(void)state;
	if (!geteuid())
		skip();		/* root may write everywhere */
	load_host_init(&host, &load_ctar);
	assert_int_equal(chmod(host.dir, 0500), 0);
	load_host_start(&host);
	assert_int_equal(load_host_end(&host), -EACCES);
	assert_string_equal(load_host_why(&host), "directory ctar could not "
			    "be made: Permission denied");
	load_host_release(&host);
}

static void a_command_runs_again_and_again_where_we_are(void **state)
{
	struct load_host host;
	char command[256], path[128];
	struct stat st;

	(void)state;
	load_host_init(&host, &load_command);
	snprintf(command, sizeof(command), "[ -d \"%s\" ] && pwd >>%s/log",
		 host.dir, host.dir);
	snprintf(path, sizeof(path), "%s/log", host.dir);
	host.ctx.command = command;
	assert_int_equal(load_host_probe(&host), 0);
	load_host_start(&host);
	/* It counts nothing itself. */
	do
		usleep(1000);
	while ((stat(path, &st) || st.st_size < 3 * 2) &&
	       !*load_host_why(&host));
	assert_int_equal(load_host_stop(&host), 0);
	assert_string_equal(load_host_why(&host), "");
	assert_int_equal(load_host_work(&host), 0);
	load_host_release(&host);
}

static void a_command_that_fails_is_told(void **state)
{
	static const struct {
		const char *command, *why;
	} cases[] = {
		{ "exit 3", "the command exited with status 3" },
		{ "echo no good >&2; false",
		  "the command exited with status 1: no good" },
		{ "kill -TERM $$",
		  "the command was killed by signal 15 (Terminated)" },
	};
	struct load_host host;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		load_host_init(&host, &load_command);
		host.ctx.command = cases[i].command;
		load_host_start(&host);
		assert_int_equal(load_host_end(&host), -ECHILD);
		assert_string_equal(load_host_why(&host), cases[i].why);
		load_host_release(&host);
	}
	load_host_init(&host, &load_command);
	host.ctx.command = "no-such-command-here";
	load_host_start(&host);
	assert_int_equal(load_host_end(&host), -ECHILD);
	assert_non_null(strstr(load_host_why(&host), "status 127: "));
	assert_non_null(strstr(load_host_why(&host), "no-such-command-here"));
	load_host_release(&host);
}

static void a_command_that_ignores_signals_ends_with_the_stop(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_command);
	host.ctx.command = "trap '' TERM USR1 INT; exec sleep 1000";
	load_host_start(&host);
	load_host_child(&host);
	assert_int_equal(load_host_stop(&host), 0);
	assert_false(load_host_leaves_process(&host));
	load_host_release(&host);
}

static void without_a_command_there_is_no_such_load(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_command);
	assert_int_equal(load_host_probe(&host), -ENOENT);
	assert_string_equal(host.ctx.why, "no command was given");
	load_host_release(&host);
}

static void dbench_is_skipped_where_it_is_not_or_does_not_fit(void **state)
{
	struct load_host host;

	(void)state;
	load_host_init(&host, &load_dbench);
	use_path("/nowhere");
	assert_int_equal(load_host_probe(&host), -ENOENT);
	assert_string_equal(host.ctx.why, "dbench is not installed");
	use_path(NULL);
	if (load_host_probe(&host)) {
		load_host_release(&host);
		skip();
	}
	host.params.disk[LOAD_DISK_HOME].bytes = 30 * MIB - 1;
	assert_int_equal(load_host_probe(&host), -ENOSPC);
	assert_string_equal(host.ctx.why, "no space for a client of dbench: "
			    "30.0 MiB of disk");
	host.params.disk[LOAD_DISK_HOME].bytes = 30 * MIB;
	host.params.max_tasks = 3;
	assert_int_equal(load_host_probe(&host), -ENOSPC);
	load_host_release(&host);
}

/* One in its place that says what dbench would say, as far as we read it. */
static const char fake_dbench[] =
	"#!/bin/sh\n"
	"echo 'dbench version 4.00'\n"
	"case $1 in --help) echo '-R, --target-rate=DOUBLE'; exit 1 ;; esac\n"
	"echo \"$*\" >args\n"
	"echo '   1   90  1.0 MB/sec  warmup  0 sec  latency 1 ms'\n"
	"echo 'releasing clients'\n"
	"sleep 1000 &\n"
	"sleep 1000 &\n"
	"echo '   2   40  1.0 MB/sec  warmup  1 sec  latency 1 ms'\n"
	"echo '   2   40  1.0 MB/sec  warmup  2 sec  latency 1 ms'\n"
	"echo '   2  cleanup   3 sec'\n"
	"echo '   2  100  1.0 MB/sec  execute  4 sec  latency 1 ms'\n"
	"while [ ! -e go ]; do sleep 0.05; done\n";

static void fake_start(struct load_host *host, const char *rest)
{
	char script[sizeof(fake_dbench) + 256];

	load_host_init(host, &load_dbench);
	snprintf(script, sizeof(script), "%s%s", fake_dbench, rest);
	put_program(host, "dbench", script);
	host->params.max_tasks = 6;	/* 2 clients */
	if (load_host_probe(host)) {
		use_path(NULL);
		load_host_release(host);
		skip();		/* no client.txt */
	}
	host->params.io_rate = 5 * 1000 * 1000;
	load_host_start(host);
	use_path(NULL);
}

static void operations_are_those_of_all_clients_of_dbench(void **state)
{
	struct load_host host;
	char args[256] = "";
	int fd;

	(void)state;
	fake_start(&host, "");
	load_host_wait_work(&host, 200);
	assert_int_equal(load_host_stop(&host), 0);
	assert_int_equal(load_host_work(&host), 200);
	assert_string_equal(load_host_note(&host), "2 clients");
	fd = openat(host.ctx.dir_fd[LOAD_DISK_HOME], "dbench/args", O_RDONLY);
	assert_true(read(fd, args, sizeof(args) - 1) > 0);
	close(fd);
	assert_non_null(strstr(args, "client.txt -D . -t 1000000 2 -R 2.50"));
	load_host_release(&host);
}

static void dbench_is_started_again_and_fails_with_what_it_says(void **state)
{
	struct load_host host;

	(void)state;
	fake_start(&host, "[ -e again ] && echo 'No space left' && exit 1\n"
		   ">again\nexit 0\n");
	load_host_wait_work(&host, 200);
	close(openat(host.ctx.dir_fd[LOAD_DISK_HOME], "dbench/go",
		     O_CREAT | O_WRONLY, 0644));
	assert_int_equal(load_host_end(&host), -ECHILD);
	assert_int_equal(load_host_work(&host), 400);
	assert_string_equal(load_host_why(&host),
			    "dbench exited with status 1: No space left");
	load_host_release(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_tree_has_its_files_and_bytes_and_can_be_removed),
		cmocka_unit_test(a_tree_fits_the_space_and_the_rate),
		cmocka_unit_test(a_walk_is_in_order_and_follows_no_link),
		cmocka_unit_test(a_deep_tree_is_walked_with_few_descriptors),
		cmocka_unit_test(files_are_listed_until_the_stop),
		cmocka_unit_test(
			tar_makes_progress_until_the_stop_and_none_is_left),
		cmocka_unit_test(without_tar_the_load_is_skipped),
		cmocka_unit_test(a_tar_that_fails_is_quoted),
		cmocka_unit_test(a_killed_tar_ends_the_load),
		cmocka_unit_test(a_set_up_without_a_directory_fails),
		cmocka_unit_test(
			an_ordinary_user_is_told_what_may_not_be_written),
		cmocka_unit_test(a_command_runs_again_and_again_where_we_are),
		cmocka_unit_test(a_command_that_fails_is_told),
		cmocka_unit_test(
			a_command_that_ignores_signals_ends_with_the_stop),
		cmocka_unit_test(without_a_command_there_is_no_such_load),
		cmocka_unit_test(
			dbench_is_skipped_where_it_is_not_or_does_not_fit),
		cmocka_unit_test(
			operations_are_those_of_all_clients_of_dbench),
		cmocka_unit_test(
			dbench_is_started_again_and_fails_with_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
