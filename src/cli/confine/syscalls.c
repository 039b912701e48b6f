/* SPDX-License-Identifier: Apache-2.0 */
/* System calls: which of them the kernel still takes from this process (`man 2 seccomp`). */
#include "cli/confine/confine.h"

#ifdef TL_HAVE_SECCOMP
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALL(name) SCMP_SYS(name)

/* Which argument of clone the flags are. */
#ifdef __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

/*
 * What the library, the C library and its threads, SQLite, ncurses and the server ask for. All else
 * is answered with ENOSYS, which a C library newer than this list knows how to go on from.
 */
static const int allowed[] = {
	/* files */
	CALL(read),
	CALL(pread64),
	CALL(readv),
	CALL(preadv),
	CALL(write),
	CALL(pwrite64),
	CALL(writev),
	CALL(pwritev),
	CALL(lseek),
	CALL(open),
	CALL(openat),
	CALL(close),
	CALL(fstat),
	CALL(stat),
	CALL(lstat),
	CALL(newfstatat),
	CALL(statx),
	CALL(access),
	CALL(faccessat),
	CALL(faccessat2),
	CALL(readlink),
	CALL(readlinkat),
	CALL(getdents64),
	CALL(fcntl),
	CALL(flock),
	CALL(fsync),
	CALL(fdatasync),
	CALL(ftruncate),
	CALL(fallocate),
	CALL(fadvise64),
	CALL(fchmod),
	CALL(umask),
	CALL(rename),
	CALL(renameat),
	CALL(renameat2),
	CALL(link),
	CALL(linkat),
	CALL(unlink),
	CALL(unlinkat),
	CALL(mkdir),
	CALL(mkdirat),
	CALL(rmdir),
	CALL(getcwd),
	CALL(statfs),
	CALL(fstatfs),
	CALL(copy_file_range),
	CALL(dup),
	CALL(dup2),
	CALL(dup3),
	CALL(pipe),
	CALL(pipe2),
	CALL(memfd_create),
	CALL(utimensat),
	CALL(fchown),
	CALL(readahead),
	/* memory */
	CALL(munmap),
	CALL(mremap),
	CALL(madvise),
	CALL(brk),
	CALL(msync),
	CALL(mincore),
	/* threads and signals */
	CALL(futex),
	CALL(exit),
	CALL(exit_group),
	CALL(rseq),
	CALL(set_robust_list),
	CALL(set_tid_address),
	CALL(membarrier),
	CALL(rt_sigaction),
	CALL(rt_sigprocmask),
	CALL(rt_sigreturn),
	CALL(rt_sigtimedwait),
	CALL(sigaltstack),
	CALL(rt_sigpending),
	CALL(rt_sigsuspend),

	CALL(restart_syscall),
	CALL(sched_yield),
	CALL(sched_getaffinity),
	CALL(wait4),
	CALL(waitid),
	/* time and waiting */
	CALL(clock_gettime),
	CALL(clock_getres),
	CALL(gettimeofday),
	CALL(time),
	CALL(nanosleep),
	CALL(clock_nanosleep),
	CALL(poll),
	CALL(ppoll),
	CALL(select),
	CALL(pselect6),
	CALL(epoll_create1),
	CALL(epoll_ctl),
	CALL(epoll_wait),
	CALL(epoll_pwait),
	CALL(eventfd2),
	CALL(signalfd4),
	CALL(timerfd_create),
	CALL(timerfd_settime),
	CALL(setitimer),
	CALL(getitimer),
	CALL(alarm),
	CALL(pause),
	/* who and where */
	CALL(getpid),
	CALL(gettid),
	CALL(getppid),
	CALL(getuid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getegid),
	CALL(getpgrp),
	CALL(getpgid),
	CALL(uname),
	CALL(sysinfo),
	CALL(getrandom),
	CALL(getrlimit),
	CALL(prlimit64),
	CALL(getrusage),
	CALL(times),
	CALL(getcpu),
	CALL(arch_prctl),
	CALL(getpriority),
	/* the same on machines of 32 bits */
	CALL(_llseek),
	CALL(stat64),
	CALL(fstat64),
	CALL(lstat64),
	CALL(fstatat64),
	CALL(fcntl64),
	CALL(ftruncate64),
	CALL(statfs64),
	CALL(fstatfs64),
	CALL(fadvise64_64),
	CALL(getuid32),
	CALL(geteuid32),
	CALL(getgid32),
	CALL(getegid32),
	CALL(clock_gettime64),
	CALL(clock_getres_time64),
	CALL(clock_nanosleep_time64),
	CALL(futex_time64),
	CALL(ppoll_time64),
	CALL(pselect6_time64),
	CALL(rt_sigtimedwait_time64),
	CALL(ugetrlimit),
	CALL(utimensat_time64),
	CALL(_newselect),
	CALL(set_thread_area),
	CALL(sigreturn),
};

/* Of a server only: its port, and the connections that come to it. */
static const int serving[] = {
	CALL(socket),      CALL(socketpair),  CALL(bind),       CALL(listen),
	CALL(accept),      CALL(accept4),     CALL(setsockopt), CALL(getsockopt),
	CALL(getsockname), CALL(getpeername), CALL(recvfrom),   CALL(sendto),
	CALL(recvmsg),     CALL(sendmsg),     CALL(shutdown),   CALL(sendfile),
};

/* Nothing here asks for these: whoever does is not this program any more. */
static const int deadly[] = {
	CALL(execve),           CALL(execveat),          CALL(ptrace),
	CALL(process_vm_readv), CALL(process_vm_writev), CALL(connect),
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool rule_all(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
	bool added = true;

	/* A machine that lacks a call of the list needs no rule for it. */
	for (size_t i = 0; i < count; i++)
		added &= calls[i] < 0 || !seccomp_rule_add(filter, action, calls[i], 0);
	return added;
}

/* ---- arguments of calls ---- */

static struct scmp_arg_cmp compare(unsigned argument, enum scmp_compare how, scmp_datum_t value,
				   scmp_datum_t other)
{
	return (struct scmp_arg_cmp){
		.arg = argument, .op = how, .datum_a = value, .datum_b = other
	};
}

static struct scmp_arg_cmp has_none(unsigned argument, scmp_datum_t bits)
{
	return compare(argument, SCMP_CMP_MASKED_EQ, bits, 0);
}

/* Terminals and pipes: size, modes, bytes that wait. Not TIOCSTI, which types for the user. */
static const unsigned long controls[] = {
	TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIOCLEX,
};

static bool rule_controls(scmp_filter_ctx filter)
{
	bool added = true;

	for (size_t i = 0; i < COUNT(controls); i++)
		added &= !seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(ioctl), 1,
					   compare(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, controls[i]));
	return added;
}

/*
 * Threads and processes get no name spaces of their own. The flags of clone3 stand in memory, out
 * of a filter's sight: the C library then takes clone.
 */
static bool rule_clone(scmp_filter_ctx filter)
{
	const uint64_t spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
				CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

	return !seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(clone), 1,
				 has_none(CLONE_FLAGS, spaces));
}

/*
 * Memory that can be executed is that of a file, and not writable: a library that is loaded when it
 * is needed (LLVM's disassembler).
 */
static bool rule_mapping(scmp_filter_ctx filter, int call)
{
	return call < 0 ||
	       (!seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, has_none(2, PROT_EXEC)) &&
		!seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 2, has_none(2, PROT_WRITE),
				  has_none(3, MAP_ANONYMOUS)));
}

static bool rule_memory(scmp_filter_ctx filter)
{
	return rule_mapping(filter, CALL(mmap)) && rule_mapping(filter, CALL(mmap2)) &&
	       !seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(mprotect), 1, has_none(2, PROT_EXEC));
}

/* Signals to itself alone, as where a handler has cleaned up. */
static bool rule_signals(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp itself = compare(0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0);

	return !seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(kill), 1, itself) &&
	       !seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(tgkill), 1, itself);
}

/* Local sockets are what the C library asks for names of users: that has an error, not an end. */
static bool rule_sockets(scmp_filter_ctx filter, enum confine_need need)
{
	if (need == CONFINE_SERVES)
		return rule_all(filter, SCMP_ACT_ALLOW, serving, COUNT(serving));
	return !seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, CALL(socket), 1,
				 compare(0, SCMP_CMP_NE, AF_UNIX, 0));
}

static bool add_rules(scmp_filter_ctx filter, enum confine_need need)
{
	return rule_all(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed)) &&
	       rule_all(filter, SCMP_ACT_KILL_PROCESS, deadly, COUNT(deadly)) &&
	       rule_sockets(filter, need) && rule_controls(filter) && rule_clone(filter) &&
	       rule_memory(filter) && rule_signals(filter);
}

bool confine_calls(enum confine_need need)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	bool confined = false;

	if (!filter)
		return false;
	/* A binary tree of numbers, as there are a hundred of them. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (add_rules(filter, need))
		confined = !seccomp_load(filter);
	seccomp_release(filter);
	return confined;
}
#else
bool confine_calls(enum confine_need need)
{
	(void)need;
	return false;
}
#endif
