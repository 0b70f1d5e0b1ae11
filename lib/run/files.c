/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files: the directories and descriptors that the loads of a run share. */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sys/janitor.h"

/* All flags of all loads of the plan that have cells. */
static unsigned int needs(const struct plan *plan)
{
	unsigned int flags = 0;

	for (size_t i = 0; i < plan->nr_cells; i++)
		flags |= load_entry_flags(plan_load(plan,
						    plan->cells[i].load));
	return flags;
}

/* Also where there is no /proc. Loads that need it are skipped without. */
int run_open_self(void)
{
	const char *path = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	if (fd < 0 && path)
		fd = open(path, O_PATH | O_CLOEXEC);
	return fd;
}

static int fail(const char *dir, const char *what, int err, char *why,
		size_t size)
{
	snprintf(why, size, "%.200s: no %s can be made: %s", dir, what,
		 strerror(-err));
	return err;
}

/* An empty file for loads that have any of these flags. */
static int make_file(const struct run *run, int i, bool wanted, int *fd,
		     char *why, size_t size)
{
	if (!wanted || run->scratch[i].fd < 0 ||
	    run->plan->params.disk[i].in_memory)
		return 0;
	*fd = scratch_file(&run->scratch[i]);
	return *fd < 0 ? fail(run->plan->scratch_dir[i], "file", *fd, why,
			      size) : 0;
}

static int make_scratch(struct run *run, int i, bool wanted, char *why,
			size_t size)
{
	int err;

	if (!wanted || !run->plan->params.disk[i].bytes)
		return 0;
	err = scratch_make(&run->scratch[i], run->plan->scratch_dir[i]);
	if (err)
		return fail(run->plan->scratch_dir[i], "directory", err, why,
			    size);
	run->has_disk[i] = !blockdev_of("", run->scratch[i].fd, &run->dev[i]);
	return 0;
}

static int make_files(struct run *run, char *why, size_t size)
{
	enum { HOME = LOAD_DISK_HOME, OTHER = LOAD_DISK_OTHER };
	unsigned int flags = needs(run->plan);
	int err;

	err = make_scratch(run, HOME, flags & (LOAD_DISK | LOAD_DATA), why,
			   size);
	if (!err)
		err = make_scratch(run, OTHER, flags & LOAD_OTHER, why, size);
	if (!err)
		err = make_file(run, HOME, flags & LOAD_DISK,
				&run->ring_fd[HOME], why, size);
	if (!err)
		err = make_file(run, OTHER, flags & LOAD_OTHER,
				&run->ring_fd[OTHER], why, size);
	if (!err)
		err = make_file(run, HOME, flags & LOAD_DATA, &run->data_fd,
				why, size);
	return err;
}

int run_open_files(struct run *run, char *why, size_t why_size)
{
	int err;

	run->self_fd = run_open_self();
	err = make_files(run, why, why_size);
	if (err || !(needs(run->plan) & (LOAD_DISK | LOAD_OTHER | LOAD_DATA)))
		return err;
	err = janitor_start(&run->janitor, run->scratch, LOAD_NR_DISKS);
	if (err)
		snprintf(why, why_size, "fork: %s", strerror(-err));
	return err;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The janitor has nothing left to do then, unless something went wrong. */
void run_close_files(struct run *run)
{
	close_fd(&run->data_fd);
	close_fd(&run->self_fd);
	for (int i = 0; i < LOAD_NR_DISKS; i++)
		close_fd(&run->ring_fd[i]);
	for (int i = 0; i < LOAD_NR_DISKS; i++)
		scratch_clear(&run->scratch[i], 0);
	janitor_end(&run->janitor);
	for (int i = 0; i < LOAD_NR_DISKS; i++)
		scratch_close(&run->scratch[i]);
}
