/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk: Write and Read without a rate against fio with the same pattern, in
 * turns, in a directory of TMPDIR. Only the ratios say something.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clk.h"
#include "load.h"
#include "sys/arena.h"

#define ROUNDS 3
#define SECONDS "3"
#define RUN_NS (3 * NSEC_PER_SEC)
#define FILE_MIB "512"
#define FILE_BYTES (UINT64_C(512) << 20)
#define MIB 1048576.0

extern const struct load load_write;
extern const struct load load_read;

struct shared {
	atomic_uint stop;
	atomic_uint ready;	/* 1: runs, 2: could not */
	_Atomic int64_t done_ns;
	struct load_work work[1];
	char text[LOAD_WHY_LEN];	/* note or why */
};

struct result {
	double mib;		/* a second, < 0: failed */
	double late_ms;		/* from the stop to the end */
};

static void nudged(int sig)
{
	(void)sig;
}

static void load_child(const struct load *load, struct shared *s, int dir_fd,
		       int data_fd)
{
	struct load_params params = {
		.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.max_tasks = 1000,
		.max_files = 1000,
		.read_bytes = FILE_BYTES,
		.disk[LOAD_DISK_HOME] = { .bytes = FILE_BYTES, .fs = "here" },
	};
	struct load_ctx ctx = {
		.load = load, .params = &params, .seed = (uint64_t)getpid(),
		.nr_workers = 1, .nr_counters = 1, .work = s->work,
		.stop = &s->stop, .dir_fd = { dir_fd, -1 },
		.ring_fd = { -1, -1 },
		.data_fd = data_fd, .self_fd = -1,
	};
	struct sigaction sa = { .sa_handler = nudged };
	struct clk clk;
	int err;

	sigaction(SIGUSR1, &sa, NULL);
	alarm(60);
	clk_real(&clk);
	err = load->setup(&ctx);
	snprintf(s->text, sizeof(s->text), "%s", err ? ctx.why : ctx.note);
	atomic_store(&s->ready, err ? 2 : 1);
	if (!err)
		err = load->run(&ctx);
	atomic_store(&s->done_ns, clk_now(&clk));
	load->teardown(&ctx);
	_exit(err ? 1 : 0);
}

static struct result run_load(const struct load *load, struct shared *s,
			      int dir_fd, int data_fd)
{
	struct result result = { -1, 0 };
	struct clk clk;
	int64_t begin, end;
	int status;
	pid_t pid;

	memset(s, 0, sizeof(*s));
	clk_real(&clk);
	pid = fork();
	if (!pid)
		load_child(load, s, dir_fd, data_fd);
	end = clk_now(&clk) + 20 * NSEC_PER_SEC;
	while (!atomic_load(&s->ready) && clk_now(&clk) < end)
		clk_sleep_through(&clk, clk_now(&clk) + NSEC_PER_MSEC);
	begin = clk_now(&clk);
	if (atomic_load(&s->ready) == 1)
		clk_sleep_through(&clk, begin + RUN_NS);
	end = clk_now(&clk);
	atomic_store(&s->stop, 1);
	result.mib = (double)atomic_load(&s->work->n) / MIB /
		     ((double)(end - begin) / (double)NSEC_PER_SEC);
	kill(pid, atomic_load(&s->ready) ? SIGUSR1 : SIGKILL);
	if (waitpid(pid, &status, 0) != pid || status)
		result.mib = -1;
	result.late_ms = (double)(atomic_load(&s->done_ns) - end) / 1e6;
	return result;
}

/* The line of numbers that fio prints, or "" */
static void run_fio(const char *const *argv, char *line, size_t size)
{
	size_t len = 0;
	ssize_t n;
	int out[2];
	pid_t pid;

	line[0] = '\0';
	if (pipe(out))
		return;
	pid = fork();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(out[1]);
	while (len < size - 1 &&
	       (n = read(out[0], line + len, size - 1 - len)) > 0)
		len += (size_t)n;
	line[len] = '\0';
	close(out[0]);
	waitpid(pid, NULL, 0);
}

/* Field nr of fio's terse output, KiB a second, as MiB. */
static double fio_mib(const char *line, int nr)
{
	for (int i = 1; line && i < nr; i++) {
		line = strchr(line, ';');
		line = line ? line + 1 : NULL;
	}
	return line ? strtod(line, NULL) / 1024 : -1;
}

static double fio(const char *dir, const char *rw, const char *mode,
		  const char *jobs)
{
	char where[256], how[32], what[64], many[32], line[4096];
	bool writes = !strcmp(rw, "write");
	/* Read's own file: what a host has cached makes a difference. */
	const char *argv[] = {
		"fio", "--name=b", where,
		writes ? "--filename=f" : "--filename=data", how, "--bs=1M",
		"--size=" FILE_MIB "M", "--time_based", "--runtime=" SECONDS,
		"--ioengine=psync", what, many, "--group_reporting",
		"--output-format=terse", NULL,
	};

	snprintf(where, sizeof(where), "--directory=%s", dir);
	snprintf(how, sizeof(how), "--rw=%s", rw);
	snprintf(what, sizeof(what), "%s", mode);
	snprintf(many, sizeof(many), "--numjobs=%s", jobs);
	run_fio(argv, line, sizeof(line));
	return fio_mib(line, writes ? 48 : 7);
}

struct match {
	const struct load *load;
	const char *rw, *mode, *jobs;
};

static void compare(const struct match *m, struct shared *s, const char *dir,
		    int dir_fd, int data_fd)
{
	double ours = 0, theirs = 0;

	printf("disk: %s against fio %s %s, %s jobs, MiB/s:", m->load->name,
	       m->rw, m->mode, m->jobs);
	for (int i = 0; i < ROUNDS; i++) {
		struct result r = run_load(m->load, s, dir_fd, data_fd);
		double mib = fio(dir, m->rw, m->mode, m->jobs);

		printf(" %.0f:%.0f (stop %.0f ms)", r.mib, mib, r.late_ms);
		fflush(stdout);
		ours += r.mib;
		theirs += mib;
	}
	printf(" ratio %.2f [%s]\n", ours / theirs, s->text);
	fflush(stdout);
}

static void compare_all(struct shared *s, const char *dir, int dir_fd,
			int data_fd)
{
	const char *jobs = sysconf(_SC_NPROCESSORS_ONLN) > 3 ? "4" : "2";
	const struct match matches[] = {
		{ &load_write, "write", "--sync_file_range=write:8", "1" },
		{ &load_write, "write", "--direct=1", "1" },
		{ &load_read, "randread", "--direct=1", jobs },
	};

	for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++)
		compare(&matches[i], s, dir, dir_fd, data_fd);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	char dir[256];
	int dir_fd, data_fd;
	void *mem;

	snprintf(dir, sizeof(dir), "%s/disk.XXXXXX", tmp ? tmp : ".");
	if (arena_map(&mem, sizeof(struct shared)) || !mkdtemp(dir))
		return 1;
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY);
	data_fd = openat(dir_fd, "data", O_RDWR | O_CREAT | O_EXCL, 0600);
	if (data_fd < 0)
		printf("disk: no file in %s\n", dir);
	else
		compare_all(mem, dir, dir_fd, data_fd);
	unlinkat(dir_fd, "data", 0);
	unlinkat(dir_fd, "f", 0);
	rmdir(dir);
	return 0;
}
