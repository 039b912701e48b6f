/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SYSCALL_WRITES_H
#define TL_XTRACE_SYSCALL_WRITES_H
#include <stdbool.h>
#include <stdint.h>

/* What a system call may have written, by its arguments (x8, x0 to x5) and its result.
 */
struct tl_xtrace_written_range {
	uint64_t address, size;
};
enum { TL_XTRACE_MOST_WRITTEN = 4 };
/* Returns how many ranges there are. `*everything`: the whole memory is another. */
unsigned tl_xtrace_syscall_writes(const uint64_t *args, uint64_t result,
				  struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN],
				  bool *everything);
/* Whether a call may go on somewhere else than behind it: sigreturn, execve. */
bool tl_xtrace_syscall_jumps(uint64_t number);
/* Whether it is rt_sigreturn. */
bool tl_xtrace_syscall_ends_signal(uint64_t number);
/* Whether its result is the end of the heap. */
bool tl_xtrace_syscall_is_brk(uint64_t number);

#endif
