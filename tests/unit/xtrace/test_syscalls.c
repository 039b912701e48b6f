/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Linux writes when a system call ends, by its manual pages; numbers of asm-generic/unistd.h.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "../unit.h"

#include "xtrace/state/syscall_names.h"
#include "xtrace/state/syscall_writes.h"

struct call {
	uint64_t args[7]; /* x8, x0 to x5 */
	uint64_t result;
	unsigned count;
	struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
};

/* clang-format off */
static const struct call calls[] = {
	/* read(3, 0x9000, 100): as many bytes as it returns; none on an error */
	{ { 63, 3, 0x9000, 100 }, 20, 1, { { 0x9000, 20 } } },
	{ { 63, 3, 0x9000, 100 }, (uint64_t)-11, 1, { { 0x9000, 0 } } },
	{ { 63, 3, 0x9000, 100 }, (uint64_t)-4095, 1, { { 0x9000, 0 } } },
	/* no pointer, nothing written; write() reads */
	{ { 63, 3, 0, 100 }, 20, 0, { { 0, 0 } } },
	{ { 64, 3, 0x9000, 100 }, 20, 0, { { 0, 0 } } },
	/* pselect6: three sets of 128 bytes; ppoll: 8 bytes for each of two */
	{ { 72, 9, 0x9000, 0xa000, 0xb000 }, 1, 3,
	  { { 0x9000, 128 }, { 0xa000, 128 }, { 0xb000, 128 } } },
	{ { 73, 0x9000, 2 }, 1, 1, { { 0x9000, 16 } } },
	/* epoll_pwait: an event of 16 bytes for each that it returns */
	{ { 22, 5, 0x9000, 10 }, 3, 1, { { 0x9000, 48 } } },
	{ { 22, 5, 0x9000, 10 }, (uint64_t)-4, 1, { { 0x9000, 0 } } },
	/* getgroups: four bytes each */
	{ { 158, 8, 0x9000 }, 2, 1, { { 0x9000, 8 } } },
	/* fstat, uname, wait4 */
	{ { 80, 3, 0x9000 }, 0, 1, { { 0x9000, 128 } } },
	{ { 160, 0x9000 }, 0, 1, { { 0x9000, 390 } } },
	{ { 260, 1, 0x9000, 0, 0xa000 }, 1, 2, { { 0x9000, 4 }, { 0xa000, 144 } } },
	/* munmap, mmap, mremap: pages that are gone, and new ones */
	{ { 215, 0x9000, 0x2000 }, 0, 1, { { 0x9000, 0x2000 } } },
	{ { 222, 0, 0x3000 }, 0x70000, 1, { { 0x70000, 0x3000 } } },
	{ { 222, 0, 0x3000 }, (uint64_t)-12, 0, { { 0, 0 } } },
	{ { 216, 0x9000, 0x1000, 0x4000 }, 0x70000, 2,
	  { { 0x9000, 0x1000 }, { 0x70000, 0x4000 } } },
	{ { 216, 0x9000, 0x1000, 0x4000 }, (uint64_t)-12, 1, { { 0x9000, 0x1000 } } },
	/* madvise: pages that may be dropped */
	{ { 233, 0x9000, 0x2000, 4 }, 0, 1, { { 0x9000, 0x2000 } } },
	{ { 9999, 0x9000, 0x9000, 0x9000 }, 0, 0, { { 0, 0 } } },
};
/* clang-format on */

TEST(ranges_that_calls_write)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
		bool everything = true;

		assert_int_equal(tl_xtrace_syscall_writes(calls[i].args, calls[i].result, written,
							  &everything),
				 calls[i].count);
		assert_false(everything);
		for (unsigned n = 0; n < calls[i].count; n++) {
			assert_int_equal(written[n].address, calls[i].written[n].address);
			assert_int_equal(written[n].size, calls[i].written[n].size);
		}
	}
}

/*
 * Every call that writes to what its arguments point to, with the sizes of the C library's structs,
 * which are the kernel's where 64-bit systems share them. A call that returns 3 writes 3 bytes
 * where its result counts bytes. Any: a size that the call does not say.
 */
enum { RETURNED = 3, STAT_OF_AARCH64 = 128, SIGSET = 8, FD_SET = 128, SOCKADDR = 128, ANY = 256 };

static const struct {
	const char *name;
	unsigned pointer; /* x0 to x5 */
	uint64_t size;
} pointers[] = {
	{ "getxattr", 2, RETURNED },
	{ "lgetxattr", 2, RETURNED },
	{ "fgetxattr", 2, RETURNED },
	{ "getcwd", 0, RETURNED },
	{ "epoll_pwait", 1, 16 * RETURNED },
	{ "fcntl", 2, 32 }, /* struct flock */
	{ "ioctl", 2, ANY },
	{ "statfs", 1, sizeof(struct statfs) },
	{ "fstatfs", 1, sizeof(struct statfs) },
	{ "pipe2", 0, 2 * sizeof(int) },
	{ "getdents64", 1, RETURNED },
	{ "read", 1, RETURNED },
	{ "pread64", 1, RETURNED },
	{ "sendfile", 2, sizeof(off_t) },
	{ "pselect6", 1, FD_SET },
	{ "pselect6", 2, FD_SET },
	{ "pselect6", 3, FD_SET },
	{ "splice", 1, sizeof(off_t) },
	{ "splice", 3, sizeof(off_t) },
	{ "readlinkat", 2, RETURNED },
	{ "newfstatat", 2, STAT_OF_AARCH64 },
	{ "fstat", 1, STAT_OF_AARCH64 },
	{ "timerfd_settime", 3, sizeof(struct itimerspec) },
	{ "timerfd_gettime", 1, sizeof(struct itimerspec) },
	{ "capget", 0, 8 },
	{ "capget", 1, 24 },
	{ "waitid", 2, sizeof(siginfo_t) },
	{ "waitid", 4, sizeof(struct rusage) },
	{ "get_robust_list", 1, sizeof(void *) },
	{ "get_robust_list", 2, sizeof(size_t) },
	{ "nanosleep", 1, sizeof(struct timespec) },
	{ "getitimer", 1, sizeof(struct itimerval) },
	{ "setitimer", 2, sizeof(struct itimerval) },
	{ "timer_create", 2, sizeof(int) },
	{ "timer_gettime", 1, sizeof(struct itimerspec) },
	{ "timer_settime", 3, sizeof(struct itimerspec) },
	{ "clock_gettime", 1, sizeof(struct timespec) },
	{ "clock_getres", 1, sizeof(struct timespec) },
	{ "clock_nanosleep", 3, sizeof(struct timespec) },
	{ "sched_getparam", 1, sizeof(struct sched_param) },
	{ "sched_getaffinity", 2, RETURNED },
	{ "sched_rr_get_interval", 1, sizeof(struct timespec) },
	{ "sigaltstack", 1, sizeof(stack_t) },
	{ "rt_sigaction", 2, 32 },
	{ "rt_sigprocmask", 2, SIGSET },
	{ "rt_sigpending", 0, SIGSET },
	{ "rt_sigtimedwait", 1, sizeof(siginfo_t) },
	{ "getresuid", 0, sizeof(uid_t) },
	{ "getresuid", 1, sizeof(uid_t) },
	{ "getresuid", 2, sizeof(uid_t) },
	{ "getresgid", 0, sizeof(gid_t) },
	{ "getresgid", 1, sizeof(gid_t) },
	{ "getresgid", 2, sizeof(gid_t) },
	{ "times", 0, sizeof(struct tms) },
	{ "getgroups", 1, sizeof(gid_t) * RETURNED },
	{ "uname", 0, sizeof(struct utsname) },
	{ "getrlimit", 1, sizeof(struct rlimit) },
	{ "getrusage", 1, sizeof(struct rusage) },
	{ "prctl", 1, 64 },
	{ "getcpu", 0, sizeof(unsigned) },
	{ "getcpu", 1, sizeof(unsigned) },
	{ "gettimeofday", 0, sizeof(struct timeval) },
	{ "gettimeofday", 1, 8 }, /* struct timezone */
	{ "adjtimex", 0, sizeof(struct timex) },
	{ "sysinfo", 0, sizeof(struct sysinfo) },
	{ "msgrcv", 1, ANY },
	{ "socketpair", 3, 2 * sizeof(int) },
	{ "accept", 1, SOCKADDR },
	{ "accept", 2, sizeof(socklen_t) },
	{ "getsockname", 1, SOCKADDR },
	{ "getsockname", 2, sizeof(socklen_t) },
	{ "getpeername", 1, SOCKADDR },
	{ "getpeername", 2, sizeof(socklen_t) },
	{ "recvfrom", 1, RETURNED },
	{ "recvfrom", 4, SOCKADDR },
	{ "recvfrom", 5, sizeof(socklen_t) },
	{ "getsockopt", 3, ANY },
	{ "getsockopt", 4, sizeof(socklen_t) },
	{ "recvmsg", 1, sizeof(struct msghdr) },
	{ "clone", 2, sizeof(pid_t) },
	{ "clone", 4, sizeof(pid_t) },
	{ "accept4", 1, SOCKADDR },
	{ "accept4", 2, sizeof(socklen_t) },
	{ "recvmmsg", 1, ANY },
	{ "wait4", 1, sizeof(int) },
	{ "wait4", 3, sizeof(struct rusage) },
	{ "prlimit64", 3, sizeof(struct rlimit) },
	{ "getrandom", 0, RETURNED },
	{ "statx", 4, 256 },
};

/* Other calls write nothing, or ranges that calls[] has. */
static bool is_in_calls(uint64_t number)
{
	return number == 73 || (number >= 214 && number <= 216) || number == 222 || number == 233;
}

TEST(every_pointer_that_is_written_to)
{
	size_t found = 0;

	/*
	 * The sizes are of this machine's structures: AArch64's where longs have 64 bits, but for
	 * those of s390x.
	 */
#ifdef __s390x__
	skip();
#endif
	if (sizeof(long) != 8)
		skip();
	for (uint64_t number = 0; number < 500; number++) {
		const uint64_t args[7] = { number,  0x10000, 0x20000, 0x30000,
					   0x40000, 0x50000, 0x60000 };
		const struct tl_xtrace_syscall_name *name = tl_xtrace_syscall_name(number);
		struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
		bool everything;
		unsigned count = tl_xtrace_syscall_writes(args, RETURNED, written, &everything);
		unsigned want = 0;

		if (is_in_calls(number))
			continue;
		for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
			if (!name || strcmp(pointers[i].name, name->name))
				continue;
			assert_true(want < count);
			assert_int_equal(written[want].address, args[1 + pointers[i].pointer]);
			assert_int_equal(written[want].size, pointers[i].size);
			want++;
		}
		assert_int_equal(count, want);
		found += want;
	}
	assert_int_equal(found, sizeof(pointers) / sizeof(pointers[0]));
}

/* execve and execveat begin another program; rt_sigreturn goes back to what was interrupted. */
TEST(calls_that_go_elsewhere)
{
	static const uint64_t numbers[] = { 139, 214, 221, 222, 281 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint64_t args[7] = { numbers[i] }, number = numbers[i];
		struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
		bool everything, executes = number == 221 || number == 281;

		tl_xtrace_syscall_writes(args, (uint64_t)-1, written, &everything);
		assert_int_equal(everything, executes);
		assert_int_equal(tl_xtrace_syscall_jumps(number), executes || number == 139);
		assert_int_equal(tl_xtrace_syscall_ends_signal(number), number == 139);
		assert_int_equal(tl_xtrace_syscall_is_brk(number), number == 214);
	}
}

/* The first and the last of each range of numbers, and those beside them. */
TEST(names_of_calls)
{
	static const struct {
		uint64_t number;
		const char *name;
		unsigned arguments;
	} known[] = {
		{ 0, "io_setup", 2 },
		{ 63, "read", 3 },
		{ 56, "openat", 4 },
		{ 57, "close", 1 },
		{ 58, "vhangup", 0 },
		{ 93, "exit", 1 },
		{ 98, "futex", 6 },
		{ 113, "clock_gettime", 2 },
		{ 124, "sched_yield", 0 },
		{ 129, "kill", 2 },
		{ 134, "rt_sigaction", 4 },
		{ 167, "prctl", 5 },
		{ 172, "getpid", 0 },
		{ 198, "socket", 3 },
		{ 206, "sendto", 6 },
		{ 215, "munmap", 2 },
		{ 220, "clone", 5 },
		{ 221, "execve", 3 },
		{ 222, "mmap", 6 },
		{ 243, "recvmmsg", 5 },
		{ 260, "wait4", 4 },
		{ 281, "execveat", 5 },
		{ 291, "statx", 5 },
		{ 294, "kexec_file_load", 5 },
		{ 424, "pidfd_send_signal", 4 },
		{ 435, "clone3", 2 },
		{ 462, "mseal", 3 },
	};
	static const uint64_t unknown[] = { 244, 259, 295, 423, 463, UINT64_MAX };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct tl_xtrace_syscall_name *name = tl_xtrace_syscall_name(known[i].number);

		assert_non_null(name);
		assert_string_equal(name->name, known[i].name);
		assert_int_equal(name->arguments, known[i].arguments);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_null(tl_xtrace_syscall_name(unknown[i]));
}

/* Every name that the kernel's own header has, by its number. */
TEST(names_are_those_of_the_header)
{
	FILE *header = fopen("/usr/include/asm-generic/unistd.h", "r");
	char line[256], name[128];
	unsigned number, compared = 0;

	if (!header)
		skip();
	while (fgets(line, sizeof(line), header)) {
		const struct tl_xtrace_syscall_name *known;

		if (sscanf(line, "#define __NR_%127[a-z0-9_] %u", name, &number) != 2 ||
		    !strcmp(name, "syscalls") || !strcmp(name, "arch_specific_syscall") ||
		    !strcmp(name, "sync_file_range2"))
			continue;
		known = tl_xtrace_syscall_name(number);
		/* Of machines of 32 bits (403 to 423), or newer than the table. */
		if (!known && ((number >= 403 && number <= 423) || number > 462))
			continue;
		assert_non_null(known);
		assert_string_equal(known->name, name);
		compared++;
	}
	fclose(header);
	assert_true(compared > 200);
}

/*
 * How many arguments each call takes: the names by number of arguments, as linux/syscalls.h of
 * Linux 6.12 declares them (lookup_dcookie and nfsservctl, which it has no more, as Linux 4.19 did;
 * mmap, clone and fanotify_mark as on AArch64).
 */
TEST(arguments_of_calls)
{
	/* clang-format off */
	static const char *const by_arguments[] = {
		" getegid geteuid getgid getpid getppid gettid getuid munlockall restart_syscall "
		"rt_sigreturn sched_yield setsid sync vhangup ",
		" acct adjtimex brk chdir chroot close dup epoll_create1 exit exit_group fchdir "
		"fdatasync fsync getpgid getsid inotify_init1 io_destroy memfd_secret mlockall "
		"mq_unlink personality pkey_free sched_get_priority_max sched_get_priority_min "
		"sched_getscheduler set_tid_address setfsgid setfsuid setgid setuid shmdt "
		"swapoff syncfs sysinfo timer_delete timer_getoverrun times umask uname unshare "
		"userfaultfd ",
		" capget capset clock_adjtime clock_getres clock_gettime clock_settime clone3 "
		"delete_module eventfd2 fanotify_init fchmod flock fremovexattr fsopen fstat "
		"fstatfs ftruncate getcwd getgroups getitimer getpriority getrlimit getrusage "
		"gettimeofday inotify_rm_watch io_setup io_uring_setup ioprio_get kill "
		"landlock_restrict_self listen lremovexattr memfd_create mlock mq_notify msgget "
		"munlock munmap nanosleep pidfd_open pipe2 pivot_root pkey_alloc "
		"process_mrelease removexattr rt_sigpending rt_sigsuspend sched_getparam "
		"sched_rr_get_interval sched_setparam set_robust_list setdomainname setgroups "
		"sethostname setns setpgid setregid setreuid setrlimit settimeofday shutdown "
		"sigaltstack statfs swapon timer_gettime timerfd_create timerfd_gettime tkill "
		"truncate umount2 ",
		" accept bind bpf close_range connect dup3 execve faccessat fchmodat fchown "
		"fcntl finit_module flistxattr fsmount fspick get_robust_list getcpu getdents64 "
		"getpeername getrandom getresgid getresuid getsockname init_module "
		"inotify_add_watch io_cancel io_submit ioctl ioprio_set landlock_create_ruleset "
		"listxattr llistxattr lookup_dcookie lseek lsm_list_modules madvise "
		"map_shadow_stack membarrier mincore mkdirat mlock2 mprotect mq_getsetattr mseal "
		"msgctl msync nfsservctl open_by_handle_at open_tree pidfd_getfd read readahead "
		"readv recvmsg rt_sigqueueinfo sched_getaffinity sched_setaffinity sched_setattr "
		"sched_setscheduler seccomp semget semop sendmsg set_mempolicy setitimer "
		"setpriority setresgid setresuid shmat shmctl shmget socket symlinkat syslog "
		"tgkill timer_create unlinkat write writev ",
		" accept4 cachestat clock_nanosleep epoll_ctl faccessat2 fadvise64 fallocate "
		"fchmodat2 fgetxattr futex_requeue futex_wake getxattr io_uring_register "
		"kexec_load landlock_add_rule lgetxattr listmount lsm_get_self_attr "
		"lsm_set_self_attr migrate_pages mknodat mq_open msgsnd newfstatat openat "
		"openat2 pidfd_send_signal pkey_mprotect pread64 prlimit64 ptrace pwrite64 "
		"quotactl quotactl_fd readlinkat reboot renameat request_key rseq rt_sigaction "
		"rt_sigprocmask rt_sigtimedwait rt_tgsigqueueinfo sched_getattr semctl "
		"semtimedop sendfile sendmmsg set_mempolicy_home_node signalfd4 socketpair "
		"statmount sync_file_range tee timer_settime timerfd_settime utimensat vmsplice "
		"wait4 ",
		" add_key clone execveat fanotify_mark fchownat fsconfig fsetxattr futex_waitv "
		"get_mempolicy getsockopt io_getevents kcmp kexec_file_load keyctl linkat "
		"lsetxattr mount mount_setattr move_mount mq_timedreceive mq_timedsend mremap "
		"msgrcv name_to_handle_at perf_event_open ppoll prctl preadv process_madvise "
		"pwritev recvmmsg remap_file_pages renameat2 setsockopt setxattr statx waitid ",
		" copy_file_range epoll_pwait epoll_pwait2 futex futex_wait io_pgetevents "
		"io_uring_enter mbind mmap move_pages preadv2 process_vm_readv process_vm_writev "
		"pselect6 pwritev2 recvfrom sendto splice ",
	};
	/* clang-format on */
	unsigned compared = 0;

	for (uint64_t number = 0; number < 500; number++) {
		const struct tl_xtrace_syscall_name *known = tl_xtrace_syscall_name(number);
		char word[64];

		if (!known)
			continue;
		assert_in_range(snprintf(word, sizeof(word), " %s ", known->name), 1, sizeof(word));
		for (unsigned n = 0; n < sizeof(by_arguments) / sizeof(by_arguments[0]); n++)
			assert_int_equal(strstr(by_arguments[n], word) != NULL,
					 n == known->arguments);
		compared++;
	}
	assert_int_equal(compared, 318);
}

/* errno.h */
TEST(names_of_errors)
{
	assert_string_equal(tl_xtrace_error_name(1), "EPERM");
	assert_string_equal(tl_xtrace_error_name(11), "EAGAIN");
	assert_string_equal(tl_xtrace_error_name(38), "ENOSYS");
	assert_string_equal(tl_xtrace_error_name(110), "ETIMEDOUT");
	assert_string_equal(tl_xtrace_error_name(132), "ERFKILL");
	assert_null(tl_xtrace_error_name(0));
	assert_null(tl_xtrace_error_name(41)); /* EWOULDBLOCK elsewhere */
	assert_null(tl_xtrace_error_name(200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_that_calls_write),
		cmocka_unit_test(every_pointer_that_is_written_to),
		cmocka_unit_test(calls_that_go_elsewhere),
		cmocka_unit_test(names_of_calls),
		cmocka_unit_test(names_are_those_of_the_header),
		cmocka_unit_test(arguments_of_calls),
		cmocka_unit_test(names_of_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
