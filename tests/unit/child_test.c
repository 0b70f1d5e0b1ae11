/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of child, keeper, janitor and proctree: real processes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/child.h"
#include "sys/janitor.h"
#include "sys/keeper.h"
#include "sys/proctree.h"

#define PATIENCE_MS 20000

static void receive(struct child *from, struct msg *msg)
{
	struct pollfd fd = { .fd = from->up, .events = POLLIN };

	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	child_receive(from, msg);
}

/* Reports which of the descriptors from 0 on are open, as digits. */
static int tell_fds(void *arg, const struct child_end *end)
{
	char text[32] = "";
	size_t len = 0;

	(void)arg;
	for (int fd = 0; fd < 20; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%d,", fd);
	msg_send(end->up, MSG_DONE, (int)lseek(CHILD_FD_FIRST, 0, SEEK_CUR),
		 text);
	pause();
	return 0;
}

static struct child_spec spec_with(int a, int b, int c)
{
	struct child_spec spec = {
		.name = "test", .main = tell_fds, .up_fd = -1, .nr_fds = 3,
		.death_signal = SIGKILL, .fds = { a, b, c },
	};

	return spec;
}

/* An open file that is known by its offset. */
static int marked_file(int offset)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const char *tmp = getenv("TMPDIR");
	char path[128];

	close(fd);
	snprintf(path, sizeof(path), "%.90s/child.XXXXXX", tmp ? tmp : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(lseek(fd, offset, SEEK_SET), offset);
	return fd;
}

static void a_child_has_the_descriptors_it_is_given_and_no_others(void **state)
{
	int a = marked_file(11), b = marked_file(22);
	struct child_spec spec = spec_with(a, -1, b);
	struct child child = CHILD_NONE;
	struct msg msg;

	(void)state;
	assert_int_equal(child_start(&child, &spec), 0);
	receive(&child, &msg);
	assert_int_equal(msg.kind, MSG_DONE);
	assert_int_equal(msg.value, 11);
	assert_string_equal(msg.text, "0,1,2,3,4,5,7,");
	child_kill(&child);
	/* In another order, which collides with their new numbers. */
	spec = spec_with(b, a, -1);
	assert_int_equal(child_start(&child, &spec), 0);
	receive(&child, &msg);
	assert_int_equal(msg.value, 22);
	assert_string_equal(msg.text, "0,1,2,3,4,5,6,");
	child_kill(&child);
	close(a);
	close(b);
}

static void a_keeper_hands_descriptors_on(void **state)
{
	int a = marked_file(33);
	struct child_spec spec = spec_with(a, -1, a);
	struct child keeper = CHILD_NONE;
	struct msg msg;

	(void)state;
	assert_int_equal(keeper_start(&keeper, &spec, NULL), 0);
	receive(&keeper, &msg);
	assert_int_equal(msg.value, 33);
	assert_string_equal(msg.text, "0,1,2,3,4,5,7,");
	assert_int_equal(keeper_stop(&keeper), 0);
	do
		receive(&keeper, &msg);
	while (msg.kind == MSG_EXITED);
	assert_int_equal(msg.kind, MSG_GONE);
	child_kill(&keeper);
	close(a);
}

static void a_guard_that_trips_ends_the_load(void **state)
{
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct child_spec spec = spec_with(dir, -1, -1);
	struct guard guard = {
		.disk_floor_bytes = { UINT64_MAX, 0 },
		.disk_fd = { CHILD_FD_FIRST, -1 },
	};
	struct child keeper = CHILD_NONE;
	struct msg msg;
	bool guarded = false;

	(void)state;
	assert_true(dir >= 0);
	assert_int_equal(keeper_start(&keeper, &spec, &guard), 0);
	do {
		receive(&keeper, &msg);
		if (msg.kind != MSG_GUARD)
			continue;
		guarded = true;
		assert_non_null(strstr(msg.text, "left on the scratch disk"));
	} while (msg.kind != MSG_GONE);
	assert_true(guarded);
	child_kill(&keeper);
	close(dir);
}

static void a_janitor_removes_what_is_left_when_nobody_holds_it(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct scratch scratch[2] = { SCRATCH_NONE, SCRATCH_NONE };
	struct child janitor = CHILD_NONE;
	struct stat st;

	(void)state;
	assert_int_equal(scratch_make(&scratch[1], tmp ? tmp : "/tmp"), 0);
	assert_int_equal(janitor_start(&janitor, scratch, 2), 0);
	assert_int_equal(mkdirat(scratch[1].fd, "x", 0700), 0);
	assert_int_equal(kill(janitor.pid, SIGTERM), 0);
	assert_int_equal(fstatat(scratch[1].parent_fd, scratch[1].name, &st, 0),
			 0);
	janitor_end(&janitor);
	assert_int_equal(janitor.pid, 0);
	assert_int_equal(fstatat(scratch[1].parent_fd, scratch[1].name, &st, 0),
			 -1);
	scratch_close(&scratch[1]);
}

static void use_cpu(int ms)
{
	struct timespec ts;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	while (ts.tv_sec * 1000 + ts.tv_nsec / 1000000 < ms);
}

static void the_cpu_of_a_tree_is_that_of_the_living_and_the_dead(void **state)
{
	int64_t before, after;
	int go[2];
	pid_t dead, living;
	char word;

	(void)state;
	if (proctree_cpu(getpid(), &before))
		skip();
	assert_int_equal(pipe(go), 0);
	dead = fork();
	if (!dead) {
		use_cpu(60);
		_exit(0);
	}
	waitpid(dead, NULL, 0);
	living = fork();
	if (!living) {
		/* a grandchild, of which only we know by its parent */
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			use_cpu(40);
		}
		word = 'x';
		if (write(go[1], &word, 1) == 1)
			pause();
		_exit(0);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(read(go[0], &word, 1), 1);
	assert_int_equal(proctree_cpu(getpid(), &after), 0);
	assert_true(after - before >= 80 * INT64_C(1000000));
	kill(living, SIGKILL);
	waitpid(living, NULL, 0);
	close(go[0]);
	close(go[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_child_has_the_descriptors_it_is_given_and_no_others),
		cmocka_unit_test(a_keeper_hands_descriptors_on),
		cmocka_unit_test(a_guard_that_trips_ends_the_load),
		cmocka_unit_test(
			a_janitor_removes_what_is_left_when_nobody_holds_it),
		cmocka_unit_test(
			the_cpu_of_a_tree_is_that_of_the_living_and_the_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
