/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of system calls (SECURITY.md), taken on its way to the kernel and run here, by the
 * rules of `man 2 seccomp`, on calls that are made up: what is let through, refused, and what ends
 * the process, without one that has to end for it. /
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../unit.h"

#include "cli/confine/confine.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#define OTHER_MACHINE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#define OTHER_MACHINE AUDIT_ARCH_ARM
#endif

#ifdef MACHINE
enum { MOST_INSTRUCTIONS = 4096, NEEDS = 3, CALLS = 600 };

static struct sock_filter taken[MOST_INSTRUCTIONS];
static unsigned taken_length;
static int prctl_result;

/* In the place of the C library's. */
int prctl(int option, ...)
{
	const struct sock_fprog *filter;
	unsigned long mode;
	va_list more;

	va_start(more, option);
	mode = va_arg(more, unsigned long);
	filter = va_arg(more, const struct sock_fprog *);
	va_end(more);
	if (option != PR_SET_SECCOMP || (int)mode != SECCOMP_MODE_FILTER)
		return 0;
	taken_length = filter->len;
	if (filter->len && filter->len <= MOST_INSTRUCTIONS)
		memcpy(taken, filter->filter, filter->len * sizeof(*taken));
	return prctl_result;
}

static void filter_of(enum confine_need need)
{
	taken_length = 0;
	prctl_result = 0;
	assert_true(confine_calls(need));
	/* What a kernel takes: BPF_MAXINSNS. */
	assert_in_range(taken_length, 1, MOST_INSTRUCTIONS);
}

/* "loads have the size of a word and an offset that is a multiple of it" */
static uint32_t loaded(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word;

	assert_true(offset % 4 == 0 && offset + 4 <= sizeof(*data));
	memcpy(&word, (const char *)data + offset, sizeof(word));
	return word;
}

static uint32_t answer_to(const struct seccomp_data *data)
{
	uint32_t value = 0;

	for (unsigned at = 0; at < taken_length; at++) {
		const struct sock_filter *insn = &taken[at];

		switch (insn->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			value = loaded(data, insn->k);
			break;
		case BPF_JMP | BPF_JA:
			at += insn->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			at += value == insn->k ? insn->jt : insn->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			at += value & insn->k ? insn->jt : insn->jf;
			break;
		case BPF_RET | BPF_K:
			return insn->k;
		default:
			fail_msg("instruction %u has code %#x", at, insn->code);
		}
	}
	fail_msg("the filter ends without an answer");
	return 0;
}

/* One letter for an answer: Allowed, not there, Killed. */
static char letter_of(uint32_t answer)
{
	return answer == SECCOMP_RET_ALLOW              ? 'A'
	       : answer == (SECCOMP_RET_ERRNO | ENOSYS) ? '-'
	       : answer == SECCOMP_RET_KILL_PROCESS     ? 'K'
							: '?';
}

static char asked(uint32_t machine, long call, uint64_t first, uint64_t second, uint64_t third,
		  uint64_t fourth)
{
	const struct seccomp_data data = { .nr = (int)call,
					   .arch = machine,
					   .instruction_pointer = 0x7f0000001000,
					   .args = { first, second, third, fourth, 5, 6 } };

	return letter_of(answer_to(&data));
}

/* The answers for each need: of a command, of one that answers over a socket, of a server. */
static void assert_answers(long call, const uint64_t args[4], const char *expected)
{
	for (int need = 0; need < NEEDS; need++) {
		char got;

		filter_of((enum confine_need)need);
		got = asked(MACHINE, call, args[0], args[1], args[2], args[3]);
		if (got != expected[need])
			fail_msg("call %ld (%#llx, %#llx, %#llx, %#llx), need %d: %c", call,
				 (unsigned long long)args[0], (unsigned long long)args[1],
				 (unsigned long long)args[2], (unsigned long long)args[3], need,
				 got);
	}
}

/* ---- calls whose arguments do not matter ---- */

static const struct {
	const char *answers;
	long calls[40];
} plain_calls[] = {
	/* What every command needs; 0 ends a list, as no call below is the one of that number. */
	{ "AAA", { SYS_write,        SYS_pread64,        SYS_lseek,
		   SYS_openat,       SYS_close,          SYS_newfstatat,
		   SYS_statx,        SYS_getdents64,     SYS_fcntl,
		   SYS_ftruncate,    SYS_fallocate,      SYS_renameat2,
		   SYS_unlinkat,     SYS_mkdirat,        SYS_memfd_create,
		   SYS_munmap,       SYS_mremap,         SYS_madvise,
		   SYS_brk,          SYS_futex,          SYS_exit,
		   SYS_exit_group,   SYS_rseq,           SYS_membarrier,
		   SYS_rt_sigaction, SYS_wait4,          SYS_sched_yield,
		   SYS_ppoll,        SYS_getpid,         SYS_getrandom,
		   SYS_prlimit64,    SYS_getcpu,         SYS_pipe2,
		   SYS_dup3,         SYS_clock_nanosleep } },
	/* A program, another process, another machine. */
	{ "KKK",
	  { SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
	    SYS_connect } },
	/* Notes over a socket that is open. */
	{ "-AA", { SYS_recvmsg, SYS_sendmsg } },
	/* The port of a server. */
	{ "--A",
	  { SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_setsockopt, SYS_getsockopt,
	    SYS_getsockname, SYS_getpeername, SYS_recvfrom, SYS_sendto, SYS_shutdown, SYS_sendfile,
	    SYS_socketpair } },
	/* What changes the machine, other processes or who this is; newer forms of clone. */
	{ "---",
	  { SYS_mount,
	    SYS_umount2,
	    SYS_reboot,
	    SYS_init_module,
	    SYS_bpf,
	    SYS_perf_event_open,
	    SYS_setuid,
	    SYS_setgid,
	    SYS_setns,
	    SYS_unshare,
	    SYS_chroot,
	    SYS_pivot_root,
	    SYS_kexec_load,
	    SYS_clone3,
	    SYS_tkill,
	    SYS_rt_sigqueueinfo,
	    SYS_pidfd_send_signal,
	    SYS_pidfd_getfd,
	    SYS_keyctl,
	    SYS_symlinkat,
	    SYS_fchmodat,
	    SYS_fchownat,
	    SYS_io_uring_setup,
	    SYS_userfaultfd,
	    SYS_chdir,
	    SYS_prctl,
	    SYS_seccomp,
	    SYS_sethostname,
	    SYS_pkey_mprotect,
	    SYS_personality,
	    SYS_mknodat,
	    SYS_shmget } },
};

/* "socket, exec and ptrace kill; system calls that no command needs are not there" */
TEST(calls_by_what_a_command_needs)
{
	static const uint64_t any[] = { 3, 0x7ffe00000000, 0xffffffff, 1 };

	for (size_t i = 0; i < sizeof(plain_calls) / sizeof(plain_calls[0]); i++)
		for (size_t n = 0; n < 40 && plain_calls[i].calls[n]; n++)
			assert_answers(plain_calls[i].calls[n], any, plain_calls[i].answers);
}

/* Numbers without a call, and those of other interfaces of this machine. */
TEST(unknown_numbers_are_not_there)
{
	static const long numbers[] = { 599, 1000, 0x7fffffff, -1, 0x40000000, 0x40000001 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_answers(numbers[i], (const uint64_t[4]){ 0 }, "---");
}

/*
 * A call of another interface has other numbers: all of them end the process, those that are
 * allowed by their number, too. /
 */
TEST(a_call_of_another_machine_kills)
{
	for (int need = 0; need < NEEDS; need++) {
		filter_of((enum confine_need)need);
		for (long call = 0; call < CALLS; call++)
			assert_int_equal(asked(OTHER_MACHINE, call, 0, 0, 0, 0), 'K');
	}
}

/* Each need has what the one before has: nothing is lost that was allowed. */
TEST(needs_include_each_other)
{
	static char answers[NEEDS][CALLS];
	unsigned more[NEEDS] = { 0 };

	for (int need = 0; need < NEEDS; need++) {
		filter_of((enum confine_need)need);
		for (long call = 0; call < CALLS; call++)
			answers[need][call] = asked(MACHINE, call, 0, 0, 0, 0);
	}
	for (int need = 1; need < NEEDS; need++)
		for (long call = 0; call < CALLS; call++) {
			if (answers[need - 1][call] == 'A')
				assert_int_equal(answers[need][call], 'A');
			more[need] += answers[need][call] == 'A' && answers[0][call] != 'A';
		}
	/* recvmsg and sendmsg; of a server those two and 14 more */
	assert_int_equal(more[CONFINE_ANSWERS], 2);
	assert_int_equal(more[CONFINE_SERVES], 16);
}

/* ---- calls that are allowed with some arguments ---- */

struct argument_case {
	long call;
	uint64_t args[4];
	const char *answers;
};

static void assert_cases(const struct argument_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_answers(cases[i].call, cases[i].args, cases[i].answers);
}

#define ASSERT_CASES(cases) assert_cases(cases, sizeof(cases) / sizeof((cases)[0]))

/* "memory that is written is not executed": of files alone, and those not to write to. */
TEST(memory_is_either_written_or_executed)
{
	const uint64_t rw = PROT_READ | PROT_WRITE, rx = PROT_READ | PROT_EXEC;
	const uint64_t anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
	const struct argument_case cases[] = {
		{ SYS_mmap, { 0, 4096, PROT_READ, MAP_PRIVATE }, "AAA" },
		{ SYS_mmap, { 0, 4096, rw, anonymous }, "AAA" },
		{ SYS_mmap, { 0, 4096, rw, MAP_SHARED }, "AAA" },
		{ SYS_mmap, { 0, 4096, PROT_NONE, anonymous | MAP_NORESERVE }, "AAA" },
		{ SYS_mmap, { 0, 4096, rx, MAP_PRIVATE | MAP_DENYWRITE }, "AAA" },
		{ SYS_mmap, { 0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_FIXED }, "AAA" },
		{ SYS_mmap, { 0, 4096, rx, anonymous }, "---" },
		{ SYS_mmap, { 0, 4096, PROT_EXEC, anonymous }, "---" },
		{ SYS_mmap, { 0, 4096, rw | PROT_EXEC, MAP_PRIVATE }, "---" },
		{ SYS_mmap, { 0, 4096, PROT_WRITE | PROT_EXEC, MAP_SHARED }, "---" },
		{ SYS_mmap, { 0, 4096, rw | PROT_EXEC, anonymous }, "---" },
		/* the place, the size and the file mean nothing */
		{ SYS_mmap, { PROT_EXEC, PROT_EXEC, PROT_READ, MAP_PRIVATE }, "AAA" },
		{ SYS_mprotect, { 4096, 4096, rw, 0 }, "AAA" },
		{ SYS_mprotect, { 4096, 4096, PROT_NONE, 0 }, "AAA" },
		{ SYS_mprotect, { PROT_EXEC, PROT_EXEC, PROT_READ, PROT_EXEC }, "AAA" },
		{ SYS_mprotect, { 4096, 4096, rx, 0 }, "---" },
		{ SYS_mprotect, { 4096, 4096, PROT_EXEC, 0 }, "---" },
	};

	ASSERT_CASES(cases);
}

TEST(threads_have_no_name_spaces_of_their_own)
{
	static const uint64_t spaces[] = { CLONE_NEWUSER,  CLONE_NEWNS,  CLONE_NEWPID,
					   CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
					   CLONE_NEWCGROUP };
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				CLONE_CHILD_CLEARTID;
	const struct argument_case cases[] = {
		{ SYS_clone, { thread, 0, 0, 0 }, "AAA" },
		{ SYS_clone, { SIGCHLD, 0, 0, 0 }, "AAA" },
		{ SYS_clone, { SIGCHLD, CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID }, "AAA" },
	};

	ASSERT_CASES(cases);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		assert_answers(SYS_clone, (const uint64_t[4]){ spaces[i] }, "---");
		assert_answers(SYS_clone, (const uint64_t[4]){ thread | spaces[i] }, "---");
	}
}

/* "Terminals and pipes: not TIOCSTI, which types for the user." */
TEST(controls_of_terminals_without_typing)
{
	static const struct argument_case cases[] = {
		{ SYS_ioctl, { 0, TIOCGWINSZ }, "AAA" }, { SYS_ioctl, { 1, TCGETS }, "AAA" },
		{ SYS_ioctl, { 0, TCSETS }, "AAA" },     { SYS_ioctl, { 0, TCSETSW }, "AAA" },
		{ SYS_ioctl, { 0, TCSETSF }, "AAA" },    { SYS_ioctl, { 0, TIOCGPGRP }, "AAA" },
		{ SYS_ioctl, { 0, FIONREAD }, "AAA" },   { SYS_ioctl, { 0, FIONBIO }, "AAA" },
		{ SYS_ioctl, { 0, FIOCLEX }, "AAA" },    { SYS_ioctl, { 0, TIOCSTI }, "---" },
		{ SYS_ioctl, { 0, TIOCLINUX }, "---" },  { SYS_ioctl, { 0, TIOCSCTTY }, "---" },
		{ SYS_ioctl, { 0, TIOCSETD }, "---" },   { SYS_ioctl, { TCGETS, 0 }, "---" },
	};

	ASSERT_CASES(cases);
}

/* "Signals to itself alone" */
TEST(signals_reach_this_process_alone)
{
	const uint64_t itself = (uint64_t)getpid();
	const struct argument_case cases[] = {
		{ SYS_kill, { itself, SIGINT }, "AAA" },
		{ SYS_tgkill, { itself, itself + 1, SIGABRT }, "AAA" },
		{ SYS_kill, { itself + 1, SIGKILL }, "---" },
		{ SYS_kill, { 1, itself }, "---" },
		{ SYS_kill, { 0, SIGTERM }, "---" },
		{ SYS_kill, { (uint64_t)-1, SIGTERM }, "---" },
		{ SYS_tgkill, { 1, itself, SIGTERM }, "---" },
	};

	ASSERT_CASES(cases);
}

/* A local socket has an error, by which the C library goes on; any other ends what is no server. */
TEST(sockets_by_their_family)
{
	static const struct argument_case cases[] = {
		{ SYS_socket, { AF_UNIX, SOCK_STREAM }, "--A" },
		{ SYS_socket, { AF_INET, AF_UNIX }, "KKA" },
		{ SYS_socket, { AF_INET6, SOCK_STREAM }, "KKA" },
		{ SYS_socket, { AF_NETLINK, SOCK_RAW }, "KKA" },
		{ SYS_socket, { AF_PACKET, SOCK_RAW }, "KKA" },
	};

	ASSERT_CASES(cases);
}

/* A kernel without filters is told to the caller, who goes on without one. */
TEST(a_kernel_without_filters)
{
	prctl_result = -1;
	assert_false(confine_calls(CONFINE_FILES_ONLY));
	prctl_result = 0;
	assert_true(confine_calls(CONFINE_FILES_ONLY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_by_what_a_command_needs),
		cmocka_unit_test(unknown_numbers_are_not_there),
		cmocka_unit_test(a_call_of_another_machine_kills),
		cmocka_unit_test(needs_include_each_other),
		cmocka_unit_test(memory_is_either_written_or_executed),
		cmocka_unit_test(threads_have_no_name_spaces_of_their_own),
		cmocka_unit_test(controls_of_terminals_without_typing),
		cmocka_unit_test(signals_reach_this_process_alone),
		cmocka_unit_test(sockets_by_their_family),
		cmocka_unit_test(a_kernel_without_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return 77; /* there is no filter for this machine */
}
#endif
