/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of guard: what trips it, and what it leaves alone. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/guard.h"

#define MIB (UINT64_C(1) << 20)

/* A root directory with a meminfo and a memory pressure of our own. */
struct fake {
	char root[64];
};

static void put(const struct fake *f, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	if (!text) {
		unlink(path);
		return;
	}
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void make(const struct fake *f, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	snprintf(f->root, sizeof(f->root), "%.40s/guard.XXXXXX",
		 tmp ? tmp : "/tmp");
	if (!mkdtemp(f->root))
		return -1;
	make(f, "proc");
	make(f, "proc/pressure");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const dirs[] = { "proc/pressure", "proc", "" };
	struct fake *f = *state;
	char path[128];

	put(f, "proc/meminfo", NULL);
	put(f, "proc/pressure/memory", NULL);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", f->root, dirs[i]);
		rmdir(path);
	}
	free(f);
	return 0;
}

static const struct guard unwatched = { .disk_fd = { -1, -1 } };

static void memory_below_its_floor_trips(void **state)
{
	struct fake *f = *state;
	struct guard g = unwatched;
	char why[128];

	g.mem_floor_bytes = 512 * MIB;
	put(f, "proc/meminfo", "MemTotal:       8388608 kB\n"
	    "MemAvailable:    524288 kB\nSwapFree:        0 kB\n");
	assert_false(guard_trips(&g, f->root, why, sizeof(why)));
	put(f, "proc/meminfo", "MemTotal:       8388608 kB\n"
	    "MemAvailable:    524287 kB\nSwapFree:        0 kB\n");
	assert_true(guard_trips(&g, f->root, why, sizeof(why)));
	assert_string_equal(why, "512.0 MiB left of memory, at least 512.0 MiB "
				 "must stay");
	g.mem_floor_bytes = 0;
	assert_false(guard_trips(&g, f->root, why, sizeof(why)));
}

static void swap_nearly_full_trips(void **state)
{
	struct fake *f = *state;
	struct guard g = unwatched;
	char why[128];

	g.swap_floor_bytes = 100 * MIB;
	put(f, "proc/meminfo", "MemAvailable: 1 kB\nSwapFree:  1024 kB\n");
	assert_true(guard_trips(&g, f->root, why, sizeof(why)));
	assert_string_equal(why, "1.0 MiB left of swap, at least 100.0 MiB "
				 "must stay");
}

static void pressure_of_memory_trips(void **state)
{
	struct fake *f = *state;
	struct guard g = unwatched;
	char why[128];

	g.psi_full_pct = 60;
	put(f, "proc/pressure/memory",
	    "some avg10=99.00 avg60=9.00 avg300=1.00 total=5\n"
	    "full avg10=59.99 avg60=9.00 avg300=1.00 total=5\n");
	assert_false(guard_trips(&g, f->root, why, sizeof(why)));
	put(f, "proc/pressure/memory",
	    "some avg10=0.00 avg60=9.00 avg300=1.00 total=5\n"
	    "full avg10=60.00 avg60=9.00 avg300=1.00 total=5\n");
	assert_true(guard_trips(&g, f->root, why, sizeof(why)));
}

static void what_cannot_be_read_does_not_trip(void **state)
{
	struct fake *f = *state;
	struct guard g = {
		.mem_floor_bytes = UINT64_MAX, .swap_floor_bytes = UINT64_MAX,
		.psi_full_pct = 1, .disk_floor_bytes = { UINT64_MAX, 1 },
		.disk_fd = { -1, -1 },
	};
	char why[128];

	assert_false(guard_trips(&g, f->root, why, sizeof(why)));
	put(f, "proc/meminfo", "garbage\n");
	put(f, "proc/pressure/memory", "");
	assert_false(guard_trips(&g, f->root, why, sizeof(why)));
}

static void a_disk_below_its_reserve_trips(void **state)
{
	struct fake *f = *state;
	struct guard g = unwatched;
	char why[128];

	g.disk_fd[1] = open(f->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g.disk_floor_bytes[1] = 1;
	assert_false(guard_trips(&g, f->root, why, sizeof(why)));
	g.disk_floor_bytes[1] = UINT64_MAX;
	assert_true(guard_trips(&g, f->root, why, sizeof(why)));
	assert_non_null(strstr(why, "left on the scratch disk"));
	close(g.disk_fd[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_below_its_floor_trips),
		TEST(swap_nearly_full_trips),
		TEST(pressure_of_memory_trips),
		TEST(what_cannot_be_read_does_not_trip),
		TEST(a_disk_below_its_reserve_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
