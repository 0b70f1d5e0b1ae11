/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex: the go and stop words between processes and threads of ours. */
#include "base/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned int futex_wait_set(atomic_uint *word)
{
	unsigned int value;

	while (!(value = atomic_load(word)))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return value;
}

void futex_set(atomic_uint *word, unsigned int value)
{
	atomic_store(word, value);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
