/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: which of them the kernel still takes from this process (`man 2 seccomp`). The
 * filter is made here, as libseccomp does not survive an allocation that is refused. Machines of 64
 * bits have one; others have more than one number for most calls.
 */
#include "cli/confine/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE
/*
 * What the library, the C library and its threads, SQLite, ncurses and the server ask for. All else
 * is answered with ENOSYS, which a C library newer than this list knows how to go on from.
 */
static const uint32_t allowed[] = {
	/* files */
	SYS_read,
	SYS_pread64,
	SYS_readv,
	SYS_preadv,
	SYS_write,
	SYS_pwrite64,
	SYS_writev,
	SYS_pwritev,
	SYS_lseek,
	SYS_openat,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_fcntl,
	SYS_flock,
	SYS_fsync,
	SYS_fdatasync,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_fadvise64,
	SYS_fchmod,
	SYS_fchown,
	SYS_umask,
	SYS_renameat,
	SYS_renameat2,
	SYS_linkat,
	SYS_unlinkat,
	SYS_mkdirat,
	SYS_getcwd,
	SYS_statfs,
	SYS_fstatfs,
	SYS_copy_file_range,
	SYS_dup,
	SYS_dup3,
	SYS_pipe2,
	SYS_memfd_create,
	SYS_utimensat,
	SYS_readahead,
	/* memory */
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	SYS_msync,
	SYS_mincore,
	/* threads and signals */
	SYS_futex,
	SYS_exit,
	SYS_exit_group,
	SYS_rseq,
	SYS_set_robust_list,
	SYS_set_tid_address,
	SYS_membarrier,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_rt_sigtimedwait,
	SYS_sigaltstack,
	SYS_rt_sigpending,
	SYS_rt_sigsuspend,
	SYS_restart_syscall,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_wait4,
	SYS_waitid,
	/* time and waiting */
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_gettimeofday,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_ppoll,
	SYS_pselect6,
	SYS_epoll_create1,
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_eventfd2,
	SYS_signalfd4,
	SYS_timerfd_create,
	SYS_timerfd_settime,
	SYS_setitimer,
	SYS_getitimer,
	/* who and where */
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getpgid,
	SYS_uname,
	SYS_sysinfo,
	SYS_getrandom,
	SYS_prlimit64,
	SYS_getrusage,
	SYS_times,
	SYS_getcpu,
	SYS_getpriority,
#ifdef __x86_64__
	/* older forms of the above */
	SYS_open,
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_rename,
	SYS_link,
	SYS_unlink,
	SYS_mkdir,
	SYS_rmdir,
	SYS_dup2,
	SYS_pipe,
	SYS_poll,
	SYS_select,
	SYS_epoll_wait,
	SYS_time,
	SYS_alarm,
	SYS_pause,
	SYS_getpgrp,
	SYS_getrlimit,
	SYS_arch_prctl,
#endif
};

/* Of a server only: its port, and the connections that come to it. */
static const uint32_t serving[] = {
	SYS_socket,     SYS_socketpair, SYS_bind,        SYS_listen,      SYS_accept,   SYS_accept4,
	SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_recvfrom, SYS_sendto,
	SYS_recvmsg,    SYS_sendmsg,    SYS_shutdown,    SYS_sendfile,
};

/* Packets over a socket that is open. */
static const uint32_t answering[] = { SYS_recvmsg, SYS_sendmsg };

/* Nothing here asks for these: whoever does is not this program any more. */
static const uint32_t deadly[] = {
	SYS_execve,           SYS_execveat,          SYS_ptrace,
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_connect,
};

/* Terminals and pipes: size, modes, bytes that wait. Not TIOCSTI, which types for the user. */
static const uint32_t controls[] = {
	TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIOCLEX,
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

enum { PROGRAM_ROOM = 512 };

struct program {
	struct sock_filter code[PROGRAM_ROOM];
	unsigned short length;
};

enum {
	ANSWER_ALLOW = SECCOMP_RET_ALLOW,
	ANSWER_NONE = SECCOMP_RET_ERRNO | ENOSYS,
};

/* ---- instructions ---- */

static void put(struct program *p, unsigned code, uint32_t k, unsigned if_true, unsigned if_false)
{
	p->code[p->length++] =
		(struct sock_filter){ (uint16_t)code, (uint8_t)if_true, (uint8_t)if_false, k };
}

static void answer(struct program *p, uint32_t what)
{
	put(p, BPF_RET | BPF_K, what, 0, 0);
}

static void load(struct program *p, size_t offset)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The lower half of an argument: the upper one of all that are looked at means nothing. */
static void load_argument(struct program *p, unsigned number)
{
	load(p, offsetof(struct seccomp_data, args) + number * sizeof(uint64_t));
}

/* Go on with the next instruction if the loaded value is `value`, else skip `otherwise`. */
static void if_equal(struct program *p, uint32_t value, unsigned otherwise)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise);
}

/* Skip `then` instructions if the loaded value has one of these bits. */
static void if_any(struct program *p, uint32_t bits, unsigned then)
{
	put(p, BPF_JMP | BPF_JSET | BPF_K, bits, then, 0);
}

/* ---- rules; each either answers or leaves the number of the call loaded ---- */

static void rule_all(struct program *p, const uint32_t *calls, size_t count, uint32_t what)
{
	for (size_t i = 0; i < count; i++) {
		if_equal(p, calls[i], 1);
		answer(p, what);
	}
}

/* Allowed without these bits in an argument. */
static void rule_without(struct program *p, uint32_t call, unsigned argument, uint32_t bits)
{
	if_equal(p, call, 4);
	load_argument(p, argument);
	if_any(p, bits, 1);
	answer(p, ANSWER_ALLOW);
	answer(p, ANSWER_NONE);
}

/* One answer if an argument has this value, another if not. */
static void rule_equal(struct program *p, uint32_t call, uint32_t value, uint32_t then,
		       uint32_t otherwise)
{
	if_equal(p, call, 4);
	load_argument(p, 0);
	if_equal(p, value, 1);
	answer(p, then);
	answer(p, otherwise);
}

/*
 * Memory that can be executed is that of a file, and not writable: a library that is loaded when it
 * is needed (LLVM's disassembler).
 */
static void rule_mapping(struct program *p)
{
	if_equal(p, SYS_mmap, 8);
	load_argument(p, 2);
	if_any(p, PROT_EXEC, 1);
	answer(p, ANSWER_ALLOW);
	if_any(p, PROT_WRITE, 3);
	load_argument(p, 3);
	if_any(p, MAP_ANONYMOUS, 1);
	answer(p, ANSWER_ALLOW);
	answer(p, ANSWER_NONE);
}

static void rule_controls(struct program *p)
{
	if_equal(p, SYS_ioctl, 2 * COUNT(controls) + 2);
	load_argument(p, 1);
	rule_all(p, controls, COUNT(controls), ANSWER_ALLOW);
	answer(p, ANSWER_NONE);
}

static void rule_arguments(struct program *p)
{
	const uint32_t spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
				CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
	const uint32_t itself = (uint32_t)getpid();

	rule_mapping(p);
	rule_without(p, SYS_mprotect, 2, PROT_EXEC);
	/*
	 * No name spaces of its own. The flags of clone3 stand in memory, out of a filter's sight:
	 * the C library then takes clone.
	 */
	rule_without(p, SYS_clone, 0, spaces);
	rule_controls(p);
	/* Signals to itself alone, as where a handler has cleaned up. */
	rule_equal(p, SYS_kill, itself, ANSWER_ALLOW, ANSWER_NONE);
	rule_equal(p, SYS_tgkill, itself, ANSWER_ALLOW, ANSWER_NONE);
}

static void make(struct program *p, enum confine_need need)
{
	load(p, offsetof(struct seccomp_data, arch));
	if_equal(p, MACHINE, 1);
	put(p, BPF_JMP | BPF_JA, 1, 0, 0);
	answer(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	rule_all(p, allowed, COUNT(allowed), ANSWER_ALLOW);
	rule_arguments(p);
	rule_all(p, deadly, COUNT(deadly), SECCOMP_RET_KILL_PROCESS);
	/* The C library asks local sockets for names of users: that has an error, not an end. */
	if (need == CONFINE_ANSWERS)
		rule_all(p, answering, COUNT(answering), ANSWER_ALLOW);
	if (need == CONFINE_SERVES)
		rule_all(p, serving, COUNT(serving), ANSWER_ALLOW);
	else
		rule_equal(p, SYS_socket, AF_UNIX, ANSWER_NONE, SECCOMP_RET_KILL_PROCESS);
	answer(p, ANSWER_NONE);
}

bool confine_calls(enum confine_need need)
{
	struct program program = { .length = 0 };
	struct sock_fprog filter = { .filter = program.code };

	make(&program, need);
	filter.len = program.length;
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
#else
bool confine_calls(enum confine_need need)
{
	(void)need;
	return false;
}
#endif
