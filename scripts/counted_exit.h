/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included in front of the sources of the command and the tests in a build with counters (b_coverage): what a process has
 * executed is written where it ends by exit() or executes a program, and, with this, where it ends by _exit(), as second
 * processes do.
 */
#ifndef TL_COUNTED_EXIT_H
#define TL_COUNTED_EXIT_H
#include <unistd.h>

void __gcov_dump(void);

static inline _Noreturn void counted_exit(int status)
{
	__gcov_dump();
	_exit(status);
}

#define _exit counted_exit
#endif
