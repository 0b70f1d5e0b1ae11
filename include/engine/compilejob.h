/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compilejob: our own compiler and linker, programs within the program, for
 * short processes that read, think, and write as the real ones do.
 *
 * ib-cc DIR SOURCE OBJECT US	compiles within US of CPU time
 * ib-ld DIR OBJECT... OUTPUT	joins the objects
 *
 * DIR is the number of an inherited descriptor; all names are in there. Exit
 * status 0; else 1, and a line on standard error.
 */
#ifndef IB_ENGINE_COMPILEJOB_H
#define IB_ENGINE_COMPILEJOB_H

#include <stdbool.h>

#define COMPILEJOB_CC "ib-cc"
#define COMPILEJOB_LD "ib-ld"

/* Most that a compiler allocates, its image not included. */
#define COMPILEJOB_MAX_MIB 48

/* Whether we were started as one of them. */
bool compilejob_is(int argc, char **argv);

/* Does the job: the exit status. */
int compilejob_main(int argc, char **argv);

#endif
