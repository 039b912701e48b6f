/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each system call of Linux can return, by its manual page: numbers are those of the kernel's
 * own header, which AArch64 has as it is.
 */
#include "violations.h"

/* Its number of bits is that of the machine: it is read before, so that the next header has 64. */
#include <asm/bitsperlong.h>

#undef __BITS_PER_LONG
#define __BITS_PER_LONG 64
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_SYS_CLONE3
#include <asm-generic/unistd.h>

enum { ARGUMENT = 10, MOST_IDS = 4 << 20 /* PID_MAX_LIMIT */ };

/* A call of ARGUMENT, ARGUMENT + 1, ... that returned `result`, whose place this is. */
static size_t put_result(struct bytes *b, uint64_t number, uint64_t result)
{
	size_t at;

	put_pcinst(b, 0, 0x1000, A64_SVC);
	put_value(b, SVCARG, number);
	for (unsigned i = 0; i < 6; i++)
		put_value(b, SVCARG, ARGUMENT + i);
	at = put_value(b, SVCRET, result);
	put_pcinst(b, 0, 0x1004, A64_NOP);
	return at;
}

/* Of these calls `most` is the largest result, besides the 4,095 errors. */
static void expect_most(const uint64_t *numbers, size_t count, uint64_t most)
{
	for (size_t i = 0; i < count; i++) {
		struct bytes good = { .data = NULL }, error = { .data = NULL },
			     bad = { .data = NULL };
		size_t at;

		put_result(&good, numbers[i], most);
		assert_good(&good);
		put_result(&error, numbers[i], 0 - UINT64_C(4095));
		assert_good(&error);
		at = put_result(&bad, numbers[i], most + 1);
		assert_one(&bad, "xtrace.register.value", at, 0);
	}
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* "On success, zero is returned" */
TEST(zero)
{
	static const uint64_t numbers[] = {
		__NR_epoll_ctl,      __NR_mknodat,
		__NR_mkdirat,        __NR_unlinkat,
		__NR_symlinkat,      __NR_linkat,
		__NR_renameat,       __NR_renameat2,
		__NR_statfs,         __NR_fstatfs,
		__NR_truncate,       __NR_ftruncate,
		__NR_fallocate,      __NR_faccessat,
		__NR_chdir,          __NR_fchdir,
		__NR_fchmod,         __NR_fchmodat,
		__NR_fchownat,       __NR_fchown,
		__NR_close,          __NR_pipe2,
		__NR_newfstatat,     __NR_fstat,
		__NR_statx,          __NR_fsync,
		__NR_fdatasync,      __NR_utimensat,
		__NR_nanosleep,      __NR_getitimer,
		__NR_setitimer,      __NR_timer_create,
		__NR_kill,           __NR_tgkill,
		__NR_clock_gettime,  __NR_clock_getres,
		__NR_sigaltstack,    __NR_rt_sigaction,
		__NR_rt_sigprocmask, __NR_sched_yield,
		__NR_uname,          __NR_getrusage,
		__NR_gettimeofday,   __NR_timerfd_settime,
		__NR_socketpair,     __NR_bind,
		__NR_listen,         __NR_connect,
		__NR_getsockname,    __NR_getpeername,
		__NR_setsockopt,     __NR_shutdown,
		__NR_munmap,         __NR_mprotect,
		__NR_msync,          __NR_madvise,
		__NR_prlimit64,      __NR_set_robust_list,
	};

	expect_most(numbers, COUNT(numbers), 0);
}

/* "a file descriptor" */
TEST(descriptors)
{
	static const uint64_t numbers[] = {
		__NR_eventfd2,      __NR_epoll_create1, __NR_dup,       __NR_dup3,
		__NR_inotify_init1, __NR_openat,        __NR_signalfd4, __NR_timerfd_create,
		__NR_socket,        __NR_accept,        __NR_accept4,   __NR_memfd_create,
	};

	expect_most(numbers, COUNT(numbers), INT32_MAX);
}

/* A number of bytes, of ready descriptors, of entries: no more than were asked for. */
TEST(counts)
{
	/* ppoll(fds, nfds), getrandom(buf, buflen) */
	static const uint64_t second[] = { __NR_ppoll, __NR_getrandom };
	/* epoll_pwait(epfd, events, maxevents), read(fd, buf, count) and those like it */
	static const uint64_t third[] = { __NR_epoll_pwait, __NR_getdents64, __NR_read,  __NR_write,
					  __NR_pread64,     __NR_pwrite64,   __NR_sendto };
	/* sendfile(out, in, offset, count), readlinkat(dirfd, path, buf, bufsiz) */
	static const uint64_t fourth[] = { __NR_sendfile, __NR_readlinkat };

	expect_most(third, COUNT(third), ARGUMENT + 2);
	expect_most(second, COUNT(second), ARGUMENT + 1);
	expect_most(fourth, COUNT(fourth), ARGUMENT + 3);
}

/* A process or a thread. */
TEST(ids)
{
	static const uint64_t numbers[] = {
		__NR_set_tid_address, __NR_getpgid, __NR_getsid, __NR_getpid, __NR_getppid,
		__NR_gettid,          __NR_clone,   __NR_wait4,  __NR_clone3,
	};

	expect_most(numbers, COUNT(numbers), MOST_IDS);
}

/* Those that return what any number can be, and none of Linux: nothing is said of them. */
TEST(anything)
{
	static const uint64_t numbers[] = { __NR_lseek, __NR_fcntl, __NR_ioctl, __NR_brk,
					    __NR_futex, __NR_prctl, 5000 };

	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct bytes b = { .data = NULL };

		put_result(&b, numbers[i], UINT64_C(1) << 40 | 1);
		assert_good(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero), cmocka_unit_test(descriptors), cmocka_unit_test(counts),
		cmocka_unit_test(ids),  cmocka_unit_test(anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
