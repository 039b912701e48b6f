/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What system calls of Linux can return: an error, or, of those whose number says so, 0, a count
 * that an argument bounds, a descriptor, a number of a task, a page. Numbers:
 * include/uapi/asm-generic/unistd.h; largest numbers of tasks: PID_MAX_LIMIT.
 */
#include "xtrace/check/check.h"

#include <inttypes.h>

enum {
	MOST_ERRORS = 4095,
	GETPID = 172,
	GETTID = 178,
	SET_TID_ADDRESS = 96,
	RECVMSG = 212,
	MSG_TRUNC = 0x20, /* the length of the message, as if it had had room */
};

enum kind { IS_ZERO, WITHIN_ARGUMENT, WITHIN_VECTORS, IS_DESCRIPTOR, IS_ID, IS_PAGE };

/* `bound`: the argument that holds the largest result, from 1 on. */
static const struct {
	uint16_t number;
	uint8_t kind, bound;
} results[] = {
	/* clang-format off */
	{ 19, IS_DESCRIPTOR, 0 }, /* eventfd2 */
	{ 20, IS_DESCRIPTOR, 0 }, /* epoll_create1 */
	{ 21, IS_ZERO, 0 }, /* epoll_ctl */
	{ 22, WITHIN_ARGUMENT, 3 }, /* epoll_pwait */
	{ 23, IS_DESCRIPTOR, 0 }, /* dup */
	{ 24, IS_DESCRIPTOR, 0 }, /* dup3 */
	{ 26, IS_DESCRIPTOR, 0 }, /* inotify_init1 */
	{ 33, IS_ZERO, 0 }, /* mknodat */
	{ 34, IS_ZERO, 0 }, /* mkdirat */
	{ 35, IS_ZERO, 0 }, /* unlinkat */
	{ 36, IS_ZERO, 0 }, /* symlinkat */
	{ 37, IS_ZERO, 0 }, /* linkat */
	{ 38, IS_ZERO, 0 }, /* renameat */
	{ 43, IS_ZERO, 0 }, /* statfs */
	{ 44, IS_ZERO, 0 }, /* fstatfs */
	{ 45, IS_ZERO, 0 }, /* truncate */
	{ 46, IS_ZERO, 0 }, /* ftruncate */
	{ 47, IS_ZERO, 0 }, /* fallocate */
	{ 48, IS_ZERO, 0 }, /* faccessat */
	{ 49, IS_ZERO, 0 }, /* chdir */
	{ 50, IS_ZERO, 0 }, /* fchdir */
	{ 52, IS_ZERO, 0 }, /* fchmod */
	{ 53, IS_ZERO, 0 }, /* fchmodat */
	{ 54, IS_ZERO, 0 }, /* fchownat */
	{ 55, IS_ZERO, 0 }, /* fchown */
	{ 56, IS_DESCRIPTOR, 0 }, /* openat */
	{ 57, IS_ZERO, 0 }, /* close */
	{ 59, IS_ZERO, 0 }, /* pipe2 */
	{ 61, WITHIN_ARGUMENT, 3 }, /* getdents64 */
	{ 63, WITHIN_ARGUMENT, 3 }, /* read */
	{ 64, WITHIN_ARGUMENT, 3 }, /* write */
	{ 65, WITHIN_VECTORS, 0 }, /* readv */
	{ 66, WITHIN_VECTORS, 0 }, /* writev */
	{ 67, WITHIN_ARGUMENT, 3 }, /* pread64 */
	{ 68, WITHIN_ARGUMENT, 3 }, /* pwrite64 */
	{ 69, WITHIN_VECTORS, 0 }, /* preadv */
	{ 70, WITHIN_VECTORS, 0 }, /* pwritev */
	{ 71, WITHIN_ARGUMENT, 4 }, /* sendfile */
	{ 73, WITHIN_ARGUMENT, 2 }, /* ppoll */
	{ 74, IS_DESCRIPTOR, 0 }, /* signalfd4 */
	{ 78, WITHIN_ARGUMENT, 4 }, /* readlinkat */
	{ 79, IS_ZERO, 0 }, /* newfstatat */
	{ 80, IS_ZERO, 0 }, /* fstat */
	{ 82, IS_ZERO, 0 }, /* fsync */
	{ 83, IS_ZERO, 0 }, /* fdatasync */
	{ 85, IS_DESCRIPTOR, 0 }, /* timerfd_create */
	{ 86, IS_ZERO, 0 }, /* timerfd_settime */
	{ 88, IS_ZERO, 0 }, /* utimensat */
	{ 96, IS_ID, 0 }, /* set_tid_address */
	{ 99, IS_ZERO, 0 }, /* set_robust_list */
	{ 101, IS_ZERO, 0 }, /* nanosleep */
	{ 102, IS_ZERO, 0 }, /* getitimer */
	{ 103, IS_ZERO, 0 }, /* setitimer */
	{ 107, IS_ZERO, 0 }, /* timer_create */
	{ 113, IS_ZERO, 0 }, /* clock_gettime */
	{ 114, IS_ZERO, 0 }, /* clock_getres */
	{ 124, IS_ZERO, 0 }, /* sched_yield */
	{ 129, IS_ZERO, 0 }, /* kill */
	{ 131, IS_ZERO, 0 }, /* tgkill */
	{ 132, IS_ZERO, 0 }, /* sigaltstack */
	{ 134, IS_ZERO, 0 }, /* rt_sigaction */
	{ 135, IS_ZERO, 0 }, /* rt_sigprocmask */
	{ 155, IS_ID, 0 }, /* getpgid */
	{ 156, IS_ID, 0 }, /* getsid */
	{ 160, IS_ZERO, 0 }, /* uname */
	{ 165, IS_ZERO, 0 }, /* getrusage */
	{ 169, IS_ZERO, 0 }, /* gettimeofday */
	{ 172, IS_ID, 0 }, /* getpid */
	{ 173, IS_ID, 0 }, /* getppid */
	{ 178, IS_ID, 0 }, /* gettid */
	{ 198, IS_DESCRIPTOR, 0 }, /* socket */
	{ 199, IS_ZERO, 0 }, /* socketpair */
	{ 200, IS_ZERO, 0 }, /* bind */
	{ 201, IS_ZERO, 0 }, /* listen */
	{ 202, IS_DESCRIPTOR, 0 }, /* accept */
	{ 203, IS_ZERO, 0 }, /* connect */
	{ 204, IS_ZERO, 0 }, /* getsockname */
	{ 205, IS_ZERO, 0 }, /* getpeername */
	{ 206, WITHIN_ARGUMENT, 3 }, /* sendto */
	{ 208, IS_ZERO, 0 }, /* setsockopt */
	{ 210, IS_ZERO, 0 }, /* shutdown */
	{ 211, WITHIN_VECTORS, 0 }, /* sendmsg */
	{ 212, WITHIN_VECTORS, 0 }, /* recvmsg */
	{ 215, IS_ZERO, 0 }, /* munmap */
	{ 220, IS_ID, 0 }, /* clone */
	{ 222, IS_PAGE, 0 }, /* mmap */
	{ 226, IS_ZERO, 0 }, /* mprotect */
	{ 227, IS_ZERO, 0 }, /* msync */
	{ 233, IS_ZERO, 0 }, /* madvise */
	{ 242, IS_DESCRIPTOR, 0 }, /* accept4 */
	{ 260, IS_ID, 0 }, /* wait4 */
	{ 261, IS_ZERO, 0 }, /* prlimit64 */
	{ 276, IS_ZERO, 0 }, /* renameat2 */
	{ 278, WITHIN_ARGUMENT, 2 }, /* getrandom */
	{ 279, IS_DESCRIPTOR, 0 }, /* memfd_create */
	{ 286, WITHIN_VECTORS, 0 }, /* preadv2 */
	{ 287, WITHIN_VECTORS, 0 }, /* pwritev2 */
	{ 291, IS_ZERO, 0 }, /* statx */
	{ 435, IS_ID, 0 }, /* clone3 */
	/* clang-format on */
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

/* All bytes of the vectors; false: they are not known. */
static bool sum_vectors(const struct tl_xtrace_check_insn *i, uint64_t *sum)
{
	if (!(i->seen >> TL_XTRACE_SYSCALL_VEC & 1) ||
	    (i->args[0] == RECVMSG && i->args[3] & MSG_TRUNC))
		return false;
	*sum = 0;
	for (uint64_t n = 0; n < i->iovec_count; n++)
		*sum += tl_get64s(i->iovecs + n * TL_XTRACE_IOVEC_BYTES + 8, TL_HOST_BIG_ENDIAN);
	return true;
}

/* The number of a thread, and of its process, is the same each time. */
static bool is_same_id(struct tl_xtrace_check_stream *s, uint64_t number, uint64_t result)
{
	uint64_t *known = number == GETPID ? &s->syscall.process : &s->syscall.thread;

	if ((number != GETPID && number != GETTID && number != SET_TID_ADDRESS) ||
	    s->stream->info.stream_type || !s->stream->info.has_header)
		return true;
	if (!*known)
		*known = result;
	if (*known == result)
		return true;
	tl_xtrace_expected(s, "0x%" PRIx64, *known);
	return false;
}

static bool is_within(struct tl_xtrace_check_stream *s, uint64_t result, uint64_t most)
{
	if (result <= most)
		return true;
	tl_xtrace_expected(s, "at most %" PRIu64 ", or an error", most);
	return false;
}

/* Whether a call of row `n` can have returned this; else what it could is said. */
static bool is_possible(struct tl_xtrace_check_stream *s, size_t n, uint64_t result)
{
	enum { MOST_IDS = 4 << 20, PAGE = 4096 };
	const struct tl_xtrace_check_insn *i = &s->last;
	uint64_t most;

	switch ((enum kind)results[n].kind) {
	case IS_ZERO:
		return is_within(s, result, 0);
	case WITHIN_ARGUMENT:
		return is_within(s, result, i->args[results[n].bound]);
	case WITHIN_VECTORS:
		return !sum_vectors(i, &most) || is_within(s, result, most);
	case IS_DESCRIPTOR:
		return is_within(s, result, INT32_MAX);
	case IS_ID:
		return is_within(s, result, MOST_IDS) && is_same_id(s, i->args[0], result);
	case IS_PAGE:
		tl_xtrace_expected(s, "the address of a page, or an error");
		if (result % PAGE || result >> 52)
			return false;
		s->check->expected[0] = '\0';
		return true;
	}
	return true;
}

void tl_xtrace_check_result(struct tl_xtrace_check_stream *s, uint64_t pc)
{
	const uint64_t result = s->syscall.result, at = s->syscall.result_at;
	size_t n = 0;

	s->syscall.result_at = 0;
	if (!is_of_call(s, pc) || 0 - result <= MOST_ERRORS)
		return;
	while (n < sizeof(results) / sizeof(results[0]) && results[n].number != s->last.args[0])
		n++;
	if (n < sizeof(results) / sizeof(results[0]) && !is_possible(s, n, result))
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_REGISTER_VALUE, at);
}
