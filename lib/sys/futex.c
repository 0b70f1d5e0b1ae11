/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex: the go and stop words between supervisor, task and load. */
#include "sys/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void futex_wait_set(atomic_uint *word)
{
	while (!atomic_load(word))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

void futex_set(atomic_uint *word)
{
	atomic_store(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
