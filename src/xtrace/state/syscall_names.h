/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SYSCALL_NAMES_H
#define TL_XTRACE_SYSCALL_NAMES_H
/* System calls: their names and numbers of arguments, and the names of errors. */
#include <tracelathe/core.h>

struct tl_xtrace_syscall_name {
	const char *name;
	unsigned arguments;
};

/* NULL: not one we know. */
const struct tl_xtrace_syscall_name *tl_xtrace_syscall_name(uint64_t number);
/* The name of an errno, or NULL. */
const char *tl_xtrace_error_name(uint64_t number);

#endif
