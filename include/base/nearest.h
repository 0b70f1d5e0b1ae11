/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest: what to say about a word that is not known. Pure. */
#ifndef IB_BASE_NEAREST_H
#define IB_BASE_NEAREST_H

#include <stddef.h>

/*
 * The name that was probably meant: few letters wrong, missing, too many or
 * swapped (about a third of them), or the beginning of a name. Case ignored;
 * the first of equals; NULL: nothing is near.
 */
const char *nearest_name(const char *word, const char *const *names,
			 size_t nr);

/* Room for a word in a message. */
#define NEAREST_QUOTE_LEN 68

/*
 * The word as it may stand in a message of one line: control characters
 * escaped, cut short with "..." to what buf holds, '' for an empty one.
 */
void nearest_quote(char *buf, size_t size, const char *word);

#endif
