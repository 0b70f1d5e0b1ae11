/* SPDX-License-Identifier: GPL-2.0-or-later */
/* datafile_test: data that cannot be made smaller, and a file of it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/datafile.h"
#include "load_env.h"

#define BLOCK_PAGES (DATA_BLOCK / DATA_PAGE)
#define BLOCK_WORDS (DATA_BLOCK / sizeof(uint64_t))

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool all_differ(uint64_t *words, size_t nr)
{
	qsort(words, nr, sizeof(*words), compare);
	for (size_t i = 1; i < nr; i++)
		if (words[i] == words[i - 1])
			return false;
	return true;
}

/* The first words of pages, whose difference is enough. */
static size_t take_pages(struct datasource *src, uint64_t *words, int blocks)
{
	size_t nr = 0;

	for (int i = 0; i < blocks; i++) {
		const unsigned char *block = datasource_next(src);

		for (size_t k = 0; k < BLOCK_PAGES; k++, nr++)
			memcpy(&words[nr], block + k * DATA_PAGE,
			       sizeof(*words));
	}
	return nr;
}

/* More blocks than there are places in the noise. */
static void all_pages_ever_given_differ(void **state)
{
	enum { BLOCKS = 1000 };
	uint64_t *words = calloc(2 * BLOCKS * BLOCK_PAGES, sizeof(*words));
	struct datasource src;
	size_t nr = 0;

	(void)state;
	assert_non_null(words);
	for (uint64_t seed = 7; seed <= 8; seed++) {
		assert_int_equal(datasource_init(&src, seed), 0);
		nr += take_pages(&src, words + nr, BLOCKS);
		datasource_release(&src);
	}
	assert_true(all_differ(words, nr));
	free(words);
}

/* A repetition of 15 bytes would show. */
static void no_words_of_a_block_are_the_same(void **state)
{
	uint64_t *words = calloc(BLOCK_WORDS, sizeof(*words));
	struct datasource src;

	(void)state;
	assert_non_null(words);
	assert_int_equal(datasource_init(&src, 1), 0);
	for (int i = 0; i < 5; i++) {
		memcpy(words, datasource_next(&src), DATA_BLOCK);
		assert_true(all_differ(words, BLOCK_WORDS));
	}
	datasource_release(&src);
	free(words);
}

static void bytes_carry_eight_bits(void **state)
{
	size_t counts[256] = { 0 };
	const unsigned char *block;
	struct datasource src;
	double bits = 0;

	(void)state;
	assert_int_equal(datasource_init(&src, 1), 0);
	block = datasource_next(&src);
	for (size_t i = 0; i < DATA_BLOCK; i++)
		counts[block[i]]++;
	for (int i = 0; i < 256; i++) {
		double share = (double)counts[i] / (double)DATA_BLOCK;

		bits -= share > 0 ? share * log2(share) : 0;
	}
	assert_true(bits > 7.999);
	datasource_release(&src);
}

static void blocks_are_aligned_for_direct_writes(void **state)
{
	struct datasource src;

	(void)state;
	assert_int_equal(datasource_init(&src, 1), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal((uintptr_t)datasource_next(&src) % DATA_PAGE,
				 0);
	datasource_release(&src);
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void a_file_grows_to_whole_blocks_of_data(void **state)
{
	struct load_env env;
	uint64_t words[2];

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(datafile_grow(&env.ctx, 3 * MIB + 1), 4 * MIB);
	assert_int_equal(size_of(env.ctx.data_fd), 4 * MIB);
	for (off_t at = 0; at < (off_t)(4 * MIB); at += 4096) {
		assert_int_equal(pread(env.ctx.data_fd, words, sizeof(words),
				       at), sizeof(words));
		assert_true(words[0] && words[1] && words[0] != words[1]);
	}
	load_env_close(&env);
}

static void what_is_there_is_kept(void **state)
{
	struct load_env env;
	uint64_t words[3 * BLOCK_PAGES], first;

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(datafile_grow(&env.ctx, MIB), MIB);
	assert_int_equal(pread(env.ctx.data_fd, &first, 8, 0), 8);
	assert_int_equal(datafile_grow(&env.ctx, 3 * MIB), 3 * MIB);
	assert_int_equal(datafile_grow(&env.ctx, 2 * MIB), 3 * MIB);
	for (size_t i = 0; i < 3 * BLOCK_PAGES; i++)
		assert_int_equal(pread(env.ctx.data_fd, &words[i], 8,
				       (off_t)(i * DATA_PAGE)), 8);
	assert_int_equal(words[0], first);
	assert_true(all_differ(words, 3 * BLOCK_PAGES));
	load_env_close(&env);
}

/* As a load that was killed leaves it. */
static void half_a_block_and_direct_mode_are_cleared_up(void **state)
{
	struct load_env env;
	int flags;

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(ftruncate(env.ctx.data_fd, MIB + 512), 0);
	flags = fcntl(env.ctx.data_fd, F_GETFL);
	fcntl(env.ctx.data_fd, F_SETFL, flags | O_DIRECT);
	assert_int_equal(datafile_grow(&env.ctx, 2 * MIB), 2 * MIB);
	assert_int_equal(fcntl(env.ctx.data_fd, F_GETFL) & O_DIRECT, 0);
	load_env_close(&env);
}

static void a_sparse_file_is_told(void **state)
{
	struct load_env env;
	struct stat st;

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(ftruncate(env.ctx.data_fd, 16 * MIB), 0);
	assert_int_equal(fstat(env.ctx.data_fd, &st), 0);
	assert_int_equal(datafile_grow(&env.ctx, 16 * MIB), 16 * MIB);
	if (!st.st_blocks)
		assert_string_equal(env.ctx.note, "compressed or sparse");
	load_env_close(&env);
}

static void a_stopped_load_keeps_what_it_had(void **state)
{
	struct load_env env;

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(datafile_grow(&env.ctx, MIB), MIB);
	atomic_store(env.ctx.stop, 1);
	assert_int_equal(datafile_grow(&env.ctx, 1000 * MIB), MIB);
	load_env_close(&env);
}

/* A limit on the size of files stands for a disk that is full. */
static void what_fits_is_kept_when_there_is_no_more_room(void **state)
{
	struct rlimit old, limit;
	struct load_env env;
	int64_t size, none;

	(void)state;
	load_env_open(&env, 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 2 * MIB + 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	size = datafile_grow(&env.ctx, 4 * MIB);
	assert_int_equal(ftruncate(env.ctx.data_fd, 0), 0);
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	none = datafile_grow(&env.ctx, 4 * MIB);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(size, 2 * MIB);
	assert_int_equal(none, -EFBIG);
	assert_string_equal(env.ctx.why, "data file: File too large");
	load_env_close(&env);
}

static void a_bad_file_is_an_error(void **state)
{
	struct load_env env;
	int fd;

	(void)state;
	load_env_open(&env, 0);
	fd = env.ctx.data_fd;
	env.ctx.data_fd = -1;
	assert_int_equal(datafile_grow(&env.ctx, MIB), -EBADF);
	assert_true(env.ctx.why[0]);
	env.ctx.data_fd = fd;
	load_env_close(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pages_ever_given_differ),
		cmocka_unit_test(no_words_of_a_block_are_the_same),
		cmocka_unit_test(bytes_carry_eight_bits),
		cmocka_unit_test(blocks_are_aligned_for_direct_writes),
		cmocka_unit_test(a_file_grows_to_whole_blocks_of_data),
		cmocka_unit_test(what_is_there_is_kept),
		cmocka_unit_test(half_a_block_and_direct_mode_are_cleared_up),
		cmocka_unit_test(a_sparse_file_is_told),
		cmocka_unit_test(a_stopped_load_keeps_what_it_had),
		cmocka_unit_test(what_fits_is_kept_when_there_is_no_more_room),
		cmocka_unit_test(a_bad_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
