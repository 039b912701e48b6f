/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What system calls of Linux can return: an error, or, of those whose number says so, 0, or a count
 * that an argument bounds. Numbers: include/uapi/asm-generic/unistd.h.
 */
#include "xtrace/check/check.h"

#include <inttypes.h>

enum { MOST_ERRORS = 4095 };

/* `bound`: the argument that holds the largest result, from 1 on; 0: the result is 0. */
static const struct {
	uint16_t number;
	uint8_t bound;
} results[] = {
	{ 34, 0 },  /* mkdirat */
	{ 35, 0 },  /* unlinkat */
	{ 46, 0 },  /* ftruncate */
	{ 49, 0 },  /* chdir */
	{ 57, 0 },  /* close */
	{ 59, 0 },  /* pipe2 */
	{ 61, 3 },  /* getdents64 */
	{ 63, 3 },  /* read */
	{ 64, 3 },  /* write */
	{ 67, 3 },  /* pread64 */
	{ 68, 3 },  /* pwrite64 */
	{ 78, 4 },  /* readlinkat */
	{ 79, 0 },  /* newfstatat */
	{ 80, 0 },  /* fstat */
	{ 82, 0 },  /* fsync */
	{ 99, 0 },  /* set_robust_list */
	{ 113, 0 }, /* clock_gettime */
	{ 124, 0 }, /* sched_yield */
	{ 129, 0 }, /* kill */
	{ 131, 0 }, /* tgkill */
	{ 132, 0 }, /* sigaltstack */
	{ 134, 0 }, /* rt_sigaction */
	{ 135, 0 }, /* rt_sigprocmask */
	{ 160, 0 }, /* uname */
	{ 165, 0 }, /* getrusage */
	{ 169, 0 }, /* gettimeofday */
	{ 215, 0 }, /* munmap */
	{ 226, 0 }, /* mprotect */
	{ 227, 0 }, /* msync */
	{ 233, 0 }, /* madvise */
	{ 261, 0 }, /* prlimit64 */
	{ 278, 2 }, /* getrandom */
	{ 291, 0 }, /* statx */
};

/*
 * Where the program goes on behind the call, it is its result: a handler has its own first argument
 * there, and in the kernel another task may come between.
 */
static bool is_of_call(const struct tl_xtrace_check_stream *s, uint64_t pc)
{
	const struct tl_xtrace_check_insn *i = &s->last;

	return i->op && i->op->a64.special == TL_A64_SVC && i->svcargs >= 5 && pc == i->pc + 4 &&
	       s->counts.user == s->counts.ordinal;
}

void tl_xtrace_check_result(struct tl_xtrace_check_stream *s, uint64_t pc)
{
	const uint64_t *args = s->last.args, result = s->syscall.result, at = s->syscall.result_at;
	uint64_t most;
	size_t n = 0;

	s->syscall.result_at = 0;
	if (!is_of_call(s, pc) || 0 - result <= MOST_ERRORS)
		return;
	while (n < sizeof(results) / sizeof(results[0]) && results[n].number != args[0])
		n++;
	if (n == sizeof(results) / sizeof(results[0]))
		return;
	most = results[n].bound ? args[results[n].bound] : 0;
	if (result <= most)
		return;
	tl_xtrace_expected(s, "at most %" PRIu64 ", or an error", most);
	tl_xtrace_report_insn(s, TL_XTRACE_RULE_REGISTER_VALUE, at);
}
