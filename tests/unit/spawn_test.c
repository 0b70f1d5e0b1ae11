/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn_test: what a program that is started finds, and how its end is told. */
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/program.h"
#include "engine/spawn.h"
#include "load.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TEXT_LEN 4096

static atomic_uint no_stop;

static void ctx_init(struct load_ctx *ctx)
{
	memset(ctx, 0, sizeof(*ctx));
	atomic_store(&no_stop, 0);
	ctx->stop = &no_stop;
}

static void read_text(int fd, char *text)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, text + len, TEXT_LEN - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
}

/* What sh -c says on standard output; spawn may be filled in but for that. */
static int shell(struct spawn *spawn, const char *command, char *text)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct load_ctx ctx;
	int ends[2], status = -1;
	pid_t pid;

	ctx_init(&ctx);
	spawn->argv = argv;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	spawn->out_fd = ends[1];
	pid = spawn_start(spawn);
	close(ends[1]);
	assert_true(pid > 0);
	read_text(ends[0], text);
	close(ends[0]);
	assert_int_equal(spawn_wait(&ctx, pid, &status), 0);
	return status;
}

static void a_program_is_found_in_path_and_its_status_told(void **state)
{
	struct spawn spawn;
	char text[TEXT_LEN];
	int status;

	(void)state;
	spawn_init(&spawn, "sh", NULL);
	status = shell(&spawn, "echo hello; exit 3", text);
	assert_string_equal(text, "hello\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
}

static void a_program_that_is_missing_is_an_error_of_the_start(void **state)
{
	const char *const argv[] = { "no-such-program", NULL };
	static const struct {
		const char *file;
		int err;
	} cases[] = {
		{ "no-such-program", -ENOENT },
		{ "/no/such/program", -ENOENT },
		{ "/etc/passwd", -EACCES },
		{ "/etc/passwd/program", -ENOTDIR },
	};
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "/bin");
	struct spawn spawn;

	(void)state;
	/* A directory of PATH that we may not read would be EACCES. */
	setenv("PATH", "/bin:/usr/bin", 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		spawn_init(&spawn, cases[i].file, argv);
		assert_int_equal(spawn_start(&spawn), cases[i].err);
	}
	/* Nobody is left to be waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	setenv("PATH", path, 1);
	free(path);
}

static void a_program_is_executed_by_its_descriptor(void **state)
{
	int fd = open("/bin/sh", O_PATH | O_CLOEXEC);
	struct spawn spawn;
	char text[TEXT_LEN];

	(void)state;
	assert_true(fd >= 0);
	spawn_init(&spawn, "nothing", NULL);
	spawn.exec_fd = fd;
	assert_int_equal(shell(&spawn, "echo $0", text), 0);
	assert_string_equal(text, "sh\n");
	close(fd);
}

static void it_has_no_descriptor_but_those_it_was_given(void **state)
{
	static const char command[] =
		"for i in 3 4 5 6 7 8 9; do (: <&$i) 2>/dev/null && "
		"echo $i; done; cat; :";
	struct spawn spawn;
	char text[TEXT_LEN];
	int open_fds[4];

	(void)state;
	/* Not one of them close-on-exec, low numbers in use. */
	for (size_t i = 0; i < ARRAY_SIZE(open_fds); i++)
		open_fds[i] = open("/dev/null", O_RDONLY);
	spawn_init(&spawn, "sh", NULL);
	assert_int_equal(shell(&spawn, command, text), 0);
	assert_string_equal(text, "");
	spawn.pass_fd = dup2(open_fds[0], 8);
	assert_int_equal(shell(&spawn, command, text), 0);
	assert_string_equal(text, "8\n");
	close(8);
	for (size_t i = 0; i < ARRAY_SIZE(open_fds); i++)
		close(open_fds[i]);
}

static void it_starts_in_the_directory_it_was_given(void **state)
{
	struct spawn spawn;
	char text[TEXT_LEN];

	(void)state;
	spawn_init(&spawn, "sh", NULL);
	spawn.dir_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(shell(&spawn, "pwd", text), 0);
	assert_string_equal(text, "/\n");
	close(spawn.dir_fd);
}

static void ignored_and_blocked_signals_are_as_usual_in_it(void **state)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGPIPE, SIGTERM };
	struct sigaction old[ARRAY_SIZE(signals)];
	struct spawn spawn;
	char text[TEXT_LEN], command[64];
	sigset_t block, before;

	(void)state;
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &before);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &old[i]);
		signal(signals[i], SIG_IGN);
	}
	spawn_init(&spawn, "sh", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int status;

		snprintf(command, sizeof(command), "kill -%d $$; exit 0",
			 signals[i]);
		status = shell(&spawn, command, text);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &old[i], NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Whether a process that is not ours is gone, waited for. */
static bool goes_away(pid_t pid)
{
	for (int i = 0; i < 3000; i++) {
		char path[64], text[8];
		int fd;

		if (kill(pid, 0))
			return true;
		/* Killed, but nobody takes note of it here. */
		snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
		fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, text, sizeof(text)) <= 0) {
			close(fd);
			return true;
		}
		if (fd >= 0)
			close(fd);
		usleep(10000);
	}
	return false;
}

static void it_dies_with_the_one_who_started_it(void **state)
{
	const char *const argv[] = { "sleep", "1000", NULL };
	pid_t middle, pid = 0;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	middle = fork();
	if (!middle) {
		struct spawn spawn;

		spawn_init(&spawn, "sleep", argv);
		pid = spawn_start(&spawn);
		_exit(write(ends[1], &pid, sizeof(pid)) != sizeof(pid));
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_true(pid > 0);
	waitpid(middle, NULL, 0);
	assert_true(goes_away(pid));
	close(ends[0]);
	close(ends[1]);
}

static void a_stop_kills_what_is_waited_for(void **state)
{
	const char *const argv[] = {
		"sh", "-c", "trap '' TERM; exec sleep 1000", NULL
	};
	struct spawn spawn;
	struct load_ctx ctx;
	int status;
	pid_t pid;

	(void)state;
	ctx_init(&ctx);
	spawn_init(&spawn, "sh", argv);
	pid = spawn_start(&spawn);
	assert_true(pid > 0);
	atomic_store(&no_stop, 1);
	assert_int_equal(spawn_wait(&ctx, pid, &status), -EINTR);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static int run_shell(struct load_ctx *ctx, const char *command, bool first)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct program program;

	ctx_init(ctx);
	program_init(&program, "it", "sh", argv);
	program.first_line = first;
	return program_run(ctx, &program);
}

static void a_bad_end_is_told_with_a_line_of_standard_error(void **state)
{
	static const struct {
		const char *command;
		const char *why;
		bool first;
	} cases[] = {
		{ "exit 1", "it exited with status 1", false },
		{ "echo one >&2; echo two >&2; exit 2",
		  "it exited with status 2: two", false },
		{ "echo one >&2; echo two >&2; exit 2",
		  "it exited with status 2: one", true },
		{ "printf 'no end' >&2; exit 2",
		  "it exited with status 2: no end", false },
		{ "printf 'a\\033b\\n\\n' >&2; exit 2",
		  "it exited with status 2: a\\x1bb", false },
		{ "kill -9 $$", "it was killed by signal 9 (Killed)", false },
		{ "echo out; echo late >&2; kill -9 $$",
		  "it was killed by signal 9 (Killed): late", false },
	};
	struct load_ctx ctx;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(run_shell(&ctx, cases[i].command,
					   cases[i].first), -ECHILD);
		assert_string_equal(ctx.why, cases[i].why);
	}
}

static void a_flood_of_errors_neither_blocks_nor_overflows(void **state)
{
	struct load_ctx ctx;

	(void)state;
	assert_int_equal(run_shell(&ctx, "i=0; while [ $i -lt 9000 ]; do "
				   "echo aaaaaaaaaaaaaaaaaaaaaa >&2; "
				   "i=$((i + 1)); done; exit 0", false), 0);
	assert_int_equal(run_shell(&ctx, "i=0; while [ $i -lt 9000 ]; do "
				   "printf aaaaaaaaaaaaaaaaaaaaa\\303\\244 >&2; "
				   "i=$((i + 1)); done; exit 1", false),
			 -ECHILD);
	assert_true(strlen(ctx.why) >= LOAD_WHY_LEN - 4);
}

static void an_end_is_seen_though_its_children_live_on(void **state)
{
	struct load_ctx ctx;
	long pid = 0;

	(void)state;
	/* It has our pipe, and keeps it open. */
	assert_int_equal(run_shell(&ctx, "sleep 1000 & echo $! >&2; exit 1",
				   false), -ECHILD);
	sscanf(ctx.why, "it exited with status 1: %ld", &pid);
	assert_true(pid > 0);
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
}

static int stop_at_three(void *arg, pid_t pid, const char *line)
{
	int *nr = arg;

	assert_true(pid > 0);
	assert_string_equal(line, "y");
	return ++*nr == 3 ? -EPROTO : 0;
}

static void lines_are_told_as_they_come_and_may_end_it(void **state)
{
	const char *const argv[] = { "sh", "-c", "while :; do echo y; done",
				     NULL };
	struct program program;
	struct load_ctx ctx;
	int nr = 0;

	(void)state;
	ctx_init(&ctx);
	program_init(&program, "it", "sh", argv);
	program.read_out = true;
	program.line = stop_at_three;
	program.arg = &nr;
	assert_int_equal(program_run(&ctx, &program), -EPROTO);
	assert_int_equal(nr, 3);
}

static void programs_are_looked_for_in_path(void **state)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin");

	(void)state;
	assert_true(program_exists("sh"));
	assert_false(program_exists("no-such-program"));
	setenv("PATH", "/nowhere::/bin", 1);
	assert_true(program_exists("sh"));
	/* A directory is none. */
	setenv("PATH", "/", 1);
	assert_false(program_exists("etc"));
	setenv("PATH", path, 1);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_program_is_found_in_path_and_its_status_told),
		cmocka_unit_test(
			a_program_that_is_missing_is_an_error_of_the_start),
		cmocka_unit_test(a_program_is_executed_by_its_descriptor),
		cmocka_unit_test(it_has_no_descriptor_but_those_it_was_given),
		cmocka_unit_test(it_starts_in_the_directory_it_was_given),
		cmocka_unit_test(
			ignored_and_blocked_signals_are_as_usual_in_it),
		cmocka_unit_test(it_dies_with_the_one_who_started_it),
		cmocka_unit_test(a_stop_kills_what_is_waited_for),
		cmocka_unit_test(
			a_bad_end_is_told_with_a_line_of_standard_error),
		cmocka_unit_test(
			a_flood_of_errors_neither_blocks_nor_overflows),
		cmocka_unit_test(an_end_is_seen_though_its_children_live_on),
		cmocka_unit_test(lines_are_told_as_they_come_and_may_end_it),
		cmocka_unit_test(programs_are_looked_for_in_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
