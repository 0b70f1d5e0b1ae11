/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex: wait for a word to become other than 0. */
#ifndef IB_BASE_FUTEX_H
#define IB_BASE_FUTEX_H

#include <stdatomic.h>

/* Sleeps until *word is not 0: what it is. Works between processes. */
unsigned int futex_wait_set(atomic_uint *word);

/* Makes it value, not 0, and wakes all who wait. */
void futex_set(atomic_uint *word, unsigned int value);

#endif
