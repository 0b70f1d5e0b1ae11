/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag: the chatter on stderr. Only main, lib/cmd and lib/plan/opts use it. */
#ifndef IB_BASE_DIAG_H
#define IB_BASE_DIAG_H

/* "interbench: <text>\n", one line, whatever is in the text. */
void diag_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "interbench: note: <text>\n" */
void diag_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
