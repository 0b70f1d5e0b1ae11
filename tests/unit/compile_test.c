/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile_test: the compiler, the linker, and the load that runs them. */
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fileio.h"
#include "engine/compilejob.h"
#include "load_host.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIB (UINT64_C(1) << 20)
#define MOST_ARGS 8

extern const struct load load_compile;

struct place {
	char dir[64];
	int fd;
	char number[16];	/* of fd */
};

static int place_make(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	snprintf(place->dir, sizeof(place->dir), "/tmp/ib-cc-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	place->fd = open(place->dir, O_RDONLY | O_DIRECTORY);
	assert_true(place->fd >= 0);
	snprintf(place->number, sizeof(place->number), "%d", place->fd);
	*state = place;
	return 0;
}

static int place_remove(void **state)
{
	struct place *place = *state;
	static const char *const names[] = { "a.c", "a.o", "b.o", "out" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlinkat(place->fd, names[i], 0);
	assert_int_equal(rmdir(place->dir), 0);
	close(place->fd);
	free(place);
	return 0;
}

static void put(const struct place *place, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", place->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* -1: there is none. */
static long size_of(const struct place *place, const char *name)
{
	struct stat st;

	return fstatat(place->fd, name, &st, 0) ? -1 : (long)st.st_size;
}

/* In a child, as it uses up CPU time of the process: status and complaint. */
static int job(const char *const *args, char *complaint, size_t size)
{
	char *argv[MOST_ARGS + 1] = { NULL };
	int argc = 0, ends[2], status;
	ssize_t n;
	pid_t pid;

	for (; args[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)args[argc];
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		_exit(compilejob_main(argc, argv));
	}
	close(ends[1]);
	n = read(ends[0], complaint, size - 1);
	complaint[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void compile_good(const struct place *place, const char *object)
{
	const char *const args[] = { "ib-cc", place->number, "a.c", object,
				     "100", NULL };
	char complaint[256];

	assert_int_equal(job(args, complaint, sizeof(complaint)), 0);
	assert_string_equal(complaint, "");
}

static void only_two_names_are_those_of_a_job(void **state)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {
		{ "ib-cc", true }, { "ib-ld", true }, { "ib-c", false },
		{ "ib-ccc", false }, { "./ib-cc", false },
		{ "interbench", false }, { "", false },
	};
	char *none[] = { NULL };

	(void)state;
	assert_false(compilejob_is(0, none));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *argv[] = { (char *)(uintptr_t)cases[i].name, NULL };

		assert_int_equal(compilejob_is(1, argv), cases[i].is);
	}
}

static void an_object_is_as_large_as_its_source(void **state)
{
	const struct place *place = *state;
	static const char *const sources[] = {
		"", "x", "}}}}{", "int main(void)\n{\n\treturn 0;\n}\n",
		"\"unterminated", "/* \377 */ a1 a2 a3 a1 1 2 3 1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		long len = (long)strlen(sources[i]);

		put(place, "a.c", sources[i]);
		compile_good(place, "a.o");
		assert_in_range(size_of(place, "a.o"), len, len + 40);
	}
}

static void objects_are_joined_and_checked(void **state)
{
	const struct place *place = *state;
	const char *const args[] = { "ib-ld", place->number, "a.o", "b.o",
				     "out", NULL };
	char complaint[256];

	put(place, "a.c", "int a; int b; int c; int d; int e; int f;");
	compile_good(place, "a.o");
	compile_good(place, "b.o");
	assert_int_equal(job(args, complaint, sizeof(complaint)), 0);
	assert_true(size_of(place, "out") > 0);
	assert_true(size_of(place, "out") < 2 * size_of(place, "a.o"));
	put(place, "b.o", "this is no object of ours, but long enough");
	assert_int_equal(job(args, complaint, sizeof(complaint)), 1);
	assert_string_equal(complaint, "ib-ld: b.o: Bad message\n");
}

static void bad_arguments_are_told_in_one_line(void **state)
{
	const struct place *place = *state;
	const struct {
		const char *args[MOST_ARGS];
		const char *complaint;
	} cases[] = {
		{ { "ib-cc" }, "ib-cc: arguments: Invalid argument\n" },
		{ { "ib-ld" }, "ib-ld: arguments: Invalid argument\n" },
		{ { "ib-cc", "x", "a.c", "a.o", "1" },
		  "ib-cc: x: Bad file descriptor\n" },
		{ { "ib-cc", "9999", "a.c", "a.o", "1" },
		  "ib-cc: a.c: Bad file descriptor\n" },
		{ { "ib-cc", place->number, "no.c", "a.o", "1" },
		  "ib-cc: no.c: No such file or directory\n" },
		{ { "ib-cc", place->number, "a.c", "no/a.o", "1" },
		  "ib-cc: no/a.o: No such file or directory\n" },
		{ { "ib-cc", place->number, "a.c", "a.o", "-1" },
		  "ib-cc: -1: Invalid argument\n" },
		{ { "ib-ld", place->number, "no.o", "out" },
		  "ib-ld: no.o: No such file or directory\n" },
	};
	char complaint[256];

	put(place, "a.c", "int a;");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(job(cases[i].args, complaint,
				     sizeof(complaint)), 1);
		assert_string_equal(complaint, cases[i].complaint);
	}
}

/* The load itself needs a program that can be executed. */
static void host_init(struct load_host *host)
{
	if (!getenv("INTERBENCH"))
		skip();
	load_host_init(host, &load_compile);
	host->params.disk[LOAD_DISK_HOME].bytes = 2 * MIB;
}

static void jobs_are_done_until_the_stop_and_none_is_left(void **state)
{
	struct load_host host;

	(void)state;
	host_init(&host);
	assert_int_equal(load_host_probe(&host), 0);
	load_host_start(&host);
	load_host_wait_work(&host, 4);
	assert_int_equal(load_host_stop(&host), 0);
	assert_string_equal(load_host_why(&host), "");
	assert_non_null(strstr(load_host_note(&host), "2 compilers, "));
	assert_false(load_host_leaves_process(&host));
	load_host_release(&host);
}

static void a_round_ends_with_a_linker(void **state)
{
	struct load_host host;
	struct stat st;
	uint64_t jobs = 0;
	int home;

	(void)state;
	host_init(&host);
	home = host.ctx.dir_fd[LOAD_DISK_HOME];
	/* The least: few and small sources. */
	host.params.disk[LOAD_DISK_HOME].bytes = MIB;
	load_host_start(&host);
	do
		load_host_wait_work(&host, ++jobs);
	while (fstatat(home, "compile/program", &st, 0) && jobs < 60);
	assert_true(jobs > 7 && jobs < 60);
	assert_int_equal(load_host_stop(&host), 0);
	load_host_release(&host);
}

static void a_killed_compiler_ends_the_load(void **state)
{
	struct load_host host;

	(void)state;
	host_init(&host);
	load_host_start(&host);
	load_host_wait_work(&host, 1);
	assert_int_equal(load_host_end_killed(&host), -ECHILD);
	assert_string_equal(load_host_why(&host),
			    "compiler was killed by signal 9 (Killed)");
	assert_false(load_host_leaves_process(&host));
	load_host_release(&host);
}

static void a_failing_compiler_is_quoted(void **state)
{
	struct load_host host;
	char path[128];

	(void)state;
	host_init(&host);
	load_host_start(&host);
	load_host_wait_work(&host, 1);
	snprintf(path, sizeof(path), "%s/compile", host.dir);
	for (int i = 0; i < 200; i++) {
		char name[32];

		snprintf(name, sizeof(name), "compile/s%03d.c", i);
		unlinkat(host.ctx.dir_fd[LOAD_DISK_HOME], name, 0);
	}
	assert_int_equal(load_host_end(&host), -ECHILD);
	assert_non_null(strstr(load_host_why(&host),
			       "compiler exited with status 1: ib-cc: s"));
	assert_non_null(strstr(load_host_why(&host),
			       ".c: No such file or directory"));
	load_host_release(&host);
}

static void what_is_too_small_is_skipped_with_a_reason(void **state)
{
	struct load_host host;

	(void)state;
	host_init(&host);
	host.params.disk[LOAD_DISK_HOME].bytes = MIB - 1;
	assert_int_equal(load_host_probe(&host), -ENOSPC);
	assert_string_equal(host.ctx.why, "no space to compile in: "
			    "1.0 MiB may be used");
	host.params.disk[LOAD_DISK_HOME].bytes = 0;
	snprintf(host.params.disk[LOAD_DISK_HOME].why, LOAD_WHY_LEN,
		 "read-only");
	assert_int_equal(load_host_probe(&host), -ENOSPC);
	assert_string_equal(host.ctx.why, "read-only");
	host.params.disk[LOAD_DISK_HOME].bytes = MIB;
	host.params.max_tasks = 3;
	assert_int_equal(load_host_probe(&host), -EAGAIN);
	host.params.max_tasks = 4;
	assert_int_equal(load_host_probe(&host), 0);
	host.params.mem_bytes = 127 * MIB;
	assert_int_equal(load_host_probe(&host), -EAGAIN);
	load_host_release(&host);
}

static void a_directory_that_is_not_there_fails_the_set_up(void **state)
{
	struct load_host host;

	(void)state;
	host_init(&host);
	assert_int_equal(rmdir(host.dir), 0);
	load_host_start(&host);
	assert_int_equal(load_host_end(&host), -ENOENT);
	assert_string_equal(load_host_why(&host),
			    "directory compile could not be made: "
			    "No such file or directory");
	load_host_release(&host);
}

#define JOB_TEST(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_two_names_are_those_of_a_job),
		JOB_TEST(an_object_is_as_large_as_its_source),
		JOB_TEST(objects_are_joined_and_checked),
		JOB_TEST(bad_arguments_are_told_in_one_line),
		cmocka_unit_test(
			jobs_are_done_until_the_stop_and_none_is_left),
		cmocka_unit_test(a_round_ends_with_a_linker),
		cmocka_unit_test(a_killed_compiler_ends_the_load),
		cmocka_unit_test(a_failing_compiler_is_quoted),
		cmocka_unit_test(what_is_too_small_is_skipped_with_a_reason),
		cmocka_unit_test(
			a_directory_that_is_not_there_fails_the_set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
