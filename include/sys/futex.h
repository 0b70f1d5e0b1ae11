/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex: wait for a word in shared memory to become other than 0. */
#ifndef IB_SYS_FUTEX_H
#define IB_SYS_FUTEX_H

#include <stdatomic.h>

/* Sleeps until *word is not 0. Works between processes. */
void futex_wait_set(atomic_uint *word);

/* Makes it 1 and wakes all who wait. */
void futex_set(atomic_uint *word);

#endif
