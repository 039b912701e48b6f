/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Linux writes into a program's memory when a system call ends: numbers and arguments of the
 * generic table that AArch64 uses (include/uapi/asm-generic/unistd.h), sizes of its structures.
 * Calls that are not here write nothing, or nothing that could be known.
 */
#include "xtrace/state/syscall_writes.h"

#include <stddef.h>

/* Where a size comes from. */
enum size_from {
	FIXED,    /* `size` bytes */
	RESULT,   /* as many bytes as the call returned */
	ARGUMENT, /* as many bytes as argument `size` */
	ELEMENTS, /* as many elements of `size` bytes as the result */
	COUNTED,  /* as many elements of `size` bytes as argument 1 */
};

enum { ANY = 256 };

/* Argument `pointer` (0 to 5: x0 to x5) of call `number` is written to. */
static const struct {
	uint16_t number;
	uint8_t pointer, from;
	uint16_t size;
} writes[] = {
	{ 8, 2, RESULT, 0 },     /* getxattr */
	{ 9, 2, RESULT, 0 },     /* lgetxattr */
	{ 10, 2, RESULT, 0 },    /* fgetxattr */
	{ 17, 0, RESULT, 0 },    /* getcwd */
	{ 22, 1, ELEMENTS, 16 }, /* epoll_pwait */
	{ 25, 2, FIXED, 32 },    /* fcntl */
	{ 29, 2, FIXED, ANY },   /* ioctl */
	{ 43, 1, FIXED, 120 },   /* statfs */
	{ 44, 1, FIXED, 120 },   /* fstatfs */
	{ 59, 0, FIXED, 8 },     /* pipe2 */
	{ 61, 1, RESULT, 0 },    /* getdents64 */
	{ 63, 1, RESULT, 0 },    /* read */
	{ 67, 1, RESULT, 0 },    /* pread64 */
	{ 71, 2, FIXED, 8 },     /* sendfile */
	{ 72, 1, FIXED, 128 },   /* pselect6 */
	{ 72, 2, FIXED, 128 },   /* pselect6 */
	{ 72, 3, FIXED, 128 },   /* pselect6 */
	{ 73, 0, COUNTED, 8 },   /* ppoll */
	{ 76, 1, FIXED, 8 },     /* splice */
	{ 76, 3, FIXED, 8 },     /* splice */
	{ 78, 2, RESULT, 0 },    /* readlinkat */
	{ 79, 2, FIXED, 128 },   /* newfstatat */
	{ 80, 1, FIXED, 128 },   /* fstat */
	{ 86, 3, FIXED, 32 },    /* timerfd_settime */
	{ 87, 1, FIXED, 32 },    /* timerfd_gettime */
	{ 90, 0, FIXED, 8 },     /* capget */
	{ 90, 1, FIXED, 24 },    /* capget */
	{ 95, 2, FIXED, 128 },   /* waitid */
	{ 95, 4, FIXED, 144 },   /* waitid */
	{ 100, 1, FIXED, 8 },    /* get_robust_list */
	{ 100, 2, FIXED, 8 },    /* get_robust_list */
	{ 101, 1, FIXED, 16 },   /* nanosleep */
	{ 102, 1, FIXED, 32 },   /* getitimer */
	{ 103, 2, FIXED, 32 },   /* setitimer */
	{ 107, 2, FIXED, 4 },    /* timer_create */
	{ 108, 1, FIXED, 32 },   /* timer_gettime */
	{ 110, 3, FIXED, 32 },   /* timer_settime */
	{ 113, 1, FIXED, 16 },   /* clock_gettime */
	{ 114, 1, FIXED, 16 },   /* clock_getres */
	{ 115, 3, FIXED, 16 },   /* clock_nanosleep */
	{ 121, 1, FIXED, 4 },    /* sched_getparam */
	{ 123, 2, RESULT, 0 },   /* sched_getaffinity */
	{ 127, 1, FIXED, 16 },   /* sched_rr_get_interval */
	{ 132, 1, FIXED, 24 },   /* sigaltstack */
	{ 134, 2, FIXED, 32 },   /* rt_sigaction */
	{ 135, 2, FIXED, 8 },    /* rt_sigprocmask */
	{ 136, 0, FIXED, 8 },    /* rt_sigpending */
	{ 137, 1, FIXED, 128 },  /* rt_sigtimedwait */
	{ 148, 0, FIXED, 4 },    /* getresuid */
	{ 148, 1, FIXED, 4 },    /* getresuid */
	{ 148, 2, FIXED, 4 },    /* getresuid */
	{ 150, 0, FIXED, 4 },    /* getresgid */
	{ 150, 1, FIXED, 4 },    /* getresgid */
	{ 150, 2, FIXED, 4 },    /* getresgid */
	{ 153, 0, FIXED, 32 },   /* times */
	{ 158, 1, ELEMENTS, 4 }, /* getgroups */
	{ 160, 0, FIXED, 390 },  /* uname */
	{ 163, 1, FIXED, 16 },   /* getrlimit */
	{ 165, 1, FIXED, 144 },  /* getrusage */
	{ 167, 1, FIXED, 64 },   /* prctl */
	{ 168, 0, FIXED, 4 },    /* getcpu */
	{ 168, 1, FIXED, 4 },    /* getcpu */
	{ 169, 0, FIXED, 16 },   /* gettimeofday */
	{ 169, 1, FIXED, 8 },    /* gettimeofday */
	{ 171, 0, FIXED, 208 },  /* adjtimex */
	{ 179, 0, FIXED, 112 },  /* sysinfo */
	{ 188, 1, FIXED, ANY },  /* msgrcv */
	{ 199, 3, FIXED, 8 },    /* socketpair */
	{ 202, 1, FIXED, 128 },  /* accept */
	{ 202, 2, FIXED, 4 },    /* accept */
	{ 204, 1, FIXED, 128 },  /* getsockname */
	{ 204, 2, FIXED, 4 },    /* getsockname */
	{ 205, 1, FIXED, 128 },  /* getpeername */
	{ 205, 2, FIXED, 4 },    /* getpeername */
	{ 207, 1, RESULT, 0 },   /* recvfrom */
	{ 207, 4, FIXED, 128 },  /* recvfrom */
	{ 207, 5, FIXED, 4 },    /* recvfrom */
	{ 209, 3, FIXED, ANY },  /* getsockopt */
	{ 209, 4, FIXED, 4 },    /* getsockopt */
	{ 212, 1, FIXED, 56 },   /* recvmsg */
	{ 215, 0, ARGUMENT, 1 }, /* munmap */
	{ 216, 0, ARGUMENT, 1 }, /* mremap */
	{ 220, 2, FIXED, 4 },    /* clone */
	{ 220, 4, FIXED, 4 },    /* clone */
	{ 233, 0, ARGUMENT, 1 }, /* madvise */
	{ 242, 1, FIXED, 128 },  /* accept4 */
	{ 242, 2, FIXED, 4 },    /* accept4 */
	{ 243, 1, FIXED, ANY },  /* recvmmsg */
	{ 260, 1, FIXED, 4 },    /* wait4 */
	{ 260, 3, FIXED, 144 },  /* wait4 */
	{ 261, 3, FIXED, 16 },   /* prlimit64 */
	{ 278, 0, RESULT, 0 },   /* getrandom */
	{ 291, 4, FIXED, 256 },  /* statx */
};

/* Results from -4095 on are errors. */
static bool is_error(uint64_t result)
{
	return result > UINT64_MAX - 4095;
}

static uint64_t product(uint64_t count, uint64_t size)
{
	return count > UINT32_MAX ? 0 : count * size;
}

static uint64_t size_of(size_t row, const uint64_t *args, uint64_t result)
{
	switch (writes[row].from) {
	case RESULT:
		return is_error(result) ? 0 : result;
	case ARGUMENT:
		return args[1 + writes[row].size];
	case ELEMENTS:
		return is_error(result) ? 0 : product(result, writes[row].size);
	case COUNTED:
		return product(args[2], writes[row].size);
	default:
		return writes[row].size;
	}
}

enum {
	SYS_BRK = 214,
	SYS_MMAP = 222,
	SYS_MREMAP = 216,
	SYS_SIGRETURN = 139,
	SYS_EXECVE = 221,
	SYS_EXECVEAT = 281
};

bool tl_xtrace_syscall_jumps(uint64_t number)
{
	return number == SYS_SIGRETURN || number == SYS_EXECVE || number == SYS_EXECVEAT;
}

bool tl_xtrace_syscall_ends_signal(uint64_t number)
{
	return number == SYS_SIGRETURN;
}

bool tl_xtrace_syscall_is_brk(uint64_t number)
{
	return number == SYS_BRK;
}

unsigned tl_xtrace_syscall_writes(const uint64_t *args, uint64_t result,
				  struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN],
				  bool *everything)
{
	unsigned count = 0;

	*everything = args[0] == SYS_EXECVE || args[0] == SYS_EXECVEAT;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]) && count < TL_XTRACE_MOST_WRITTEN;
	     i++)
		if (writes[i].number == args[0] && args[1 + writes[i].pointer])
			written[count++] =
				(struct tl_xtrace_written_range){ args[1 + writes[i].pointer],
								  size_of(i, args, result) };
	/* New pages, whatever was there before. */
	if (args[0] == SYS_MMAP && !is_error(result))
		written[count++] = (struct tl_xtrace_written_range){ result, args[2] };
	else if (args[0] == SYS_MREMAP && !is_error(result) && count < TL_XTRACE_MOST_WRITTEN)
		written[count++] = (struct tl_xtrace_written_range){ result, args[3] };
	return count;
}
