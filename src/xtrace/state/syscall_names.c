/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls of Linux on AArch64 by number, with how many arguments they take, and names of
 * errors: the generic tables of Linux (asm-generic/unistd.h, errno.h), which AArch64 has as they
 * are.
 */
#include "xtrace/state/syscall_names.h"

#define FIRST_LATE 260
#define FIRST_NEW 424

/* clang-format off */
static const struct tl_xtrace_syscall_name early[] = {
	{ "io_setup", 2 }, { "io_destroy", 1 }, { "io_submit", 3 }, { "io_cancel", 3 },
	{ "io_getevents", 5 }, { "setxattr", 5 }, { "lsetxattr", 5 }, { "fsetxattr", 5 },
	{ "getxattr", 4 }, { "lgetxattr", 4 }, { "fgetxattr", 4 }, { "listxattr", 3 },
	{ "llistxattr", 3 }, { "flistxattr", 3 }, { "removexattr", 2 }, { "lremovexattr", 2 },
	{ "fremovexattr", 2 }, { "getcwd", 2 }, { "lookup_dcookie", 3 }, { "eventfd2", 2 },
	{ "epoll_create1", 1 }, { "epoll_ctl", 4 }, { "epoll_pwait", 6 }, { "dup", 1 },
	{ "dup3", 3 }, { "fcntl", 3 }, { "inotify_init1", 1 }, { "inotify_add_watch", 3 },
	{ "inotify_rm_watch", 2 }, { "ioctl", 3 }, { "ioprio_set", 3 }, { "ioprio_get", 2 },
	{ "flock", 2 }, { "mknodat", 4 }, { "mkdirat", 3 }, { "unlinkat", 3 },
	{ "symlinkat", 3 }, { "linkat", 5 }, { "renameat", 4 }, { "umount2", 2 }, { "mount", 5 },
	{ "pivot_root", 2 }, { "nfsservctl", 3 }, { "statfs", 2 }, { "fstatfs", 2 },
	{ "truncate", 2 }, { "ftruncate", 2 }, { "fallocate", 4 }, { "faccessat", 3 },
	{ "chdir", 1 }, { "fchdir", 1 }, { "chroot", 1 }, { "fchmod", 2 }, { "fchmodat", 3 },
	{ "fchownat", 5 }, { "fchown", 3 }, { "openat", 4 }, { "close", 1 }, { "vhangup", 0 },
	{ "pipe2", 2 }, { "quotactl", 4 }, { "getdents64", 3 }, { "lseek", 3 }, { "read", 3 },
	{ "write", 3 }, { "readv", 3 }, { "writev", 3 }, { "pread64", 4 }, { "pwrite64", 4 },
	{ "preadv", 5 }, { "pwritev", 5 }, { "sendfile", 4 }, { "pselect6", 6 }, { "ppoll", 5 },
	{ "signalfd4", 4 }, { "vmsplice", 4 }, { "splice", 6 }, { "tee", 4 },
	{ "readlinkat", 4 }, { "newfstatat", 4 }, { "fstat", 2 }, { "sync", 0 }, { "fsync", 1 },
	{ "fdatasync", 1 }, { "sync_file_range", 4 }, { "timerfd_create", 2 },
	{ "timerfd_settime", 4 }, { "timerfd_gettime", 2 }, { "utimensat", 4 }, { "acct", 1 },
	{ "capget", 2 }, { "capset", 2 }, { "personality", 1 }, { "exit", 1 },
	{ "exit_group", 1 }, { "waitid", 5 }, { "set_tid_address", 1 }, { "unshare", 1 },
	{ "futex", 6 }, { "set_robust_list", 2 }, { "get_robust_list", 3 }, { "nanosleep", 2 },
	{ "getitimer", 2 }, { "setitimer", 3 }, { "kexec_load", 4 }, { "init_module", 3 },
	{ "delete_module", 2 }, { "timer_create", 3 }, { "timer_gettime", 2 },
	{ "timer_getoverrun", 1 }, { "timer_settime", 4 }, { "timer_delete", 1 },
	{ "clock_settime", 2 }, { "clock_gettime", 2 }, { "clock_getres", 2 },
	{ "clock_nanosleep", 4 }, { "syslog", 3 }, { "ptrace", 4 }, { "sched_setparam", 2 },
	{ "sched_setscheduler", 3 }, { "sched_getscheduler", 1 }, { "sched_getparam", 2 },
	{ "sched_setaffinity", 3 }, { "sched_getaffinity", 3 }, { "sched_yield", 0 },
	{ "sched_get_priority_max", 1 }, { "sched_get_priority_min", 1 },
	{ "sched_rr_get_interval", 2 }, { "restart_syscall", 0 }, { "kill", 2 }, { "tkill", 2 },
	{ "tgkill", 3 }, { "sigaltstack", 2 }, { "rt_sigsuspend", 2 }, { "rt_sigaction", 4 },
	{ "rt_sigprocmask", 4 }, { "rt_sigpending", 2 }, { "rt_sigtimedwait", 4 },
	{ "rt_sigqueueinfo", 3 }, { "rt_sigreturn", 0 }, { "setpriority", 3 },
	{ "getpriority", 2 }, { "reboot", 4 }, { "setregid", 2 }, { "setgid", 1 },
	{ "setreuid", 2 }, { "setuid", 1 }, { "setresuid", 3 }, { "getresuid", 3 },
	{ "setresgid", 3 }, { "getresgid", 3 }, { "setfsuid", 1 }, { "setfsgid", 1 },
	{ "times", 1 }, { "setpgid", 2 }, { "getpgid", 1 }, { "getsid", 1 }, { "setsid", 0 },
	{ "getgroups", 2 }, { "setgroups", 2 }, { "uname", 1 }, { "sethostname", 2 },
	{ "setdomainname", 2 }, { "getrlimit", 2 }, { "setrlimit", 2 }, { "getrusage", 2 },
	{ "umask", 1 }, { "prctl", 5 }, { "getcpu", 3 }, { "gettimeofday", 2 },
	{ "settimeofday", 2 }, { "adjtimex", 1 }, { "getpid", 0 }, { "getppid", 0 },
	{ "getuid", 0 }, { "geteuid", 0 }, { "getgid", 0 }, { "getegid", 0 }, { "gettid", 0 },
	{ "sysinfo", 1 }, { "mq_open", 4 }, { "mq_unlink", 1 }, { "mq_timedsend", 5 },
	{ "mq_timedreceive", 5 }, { "mq_notify", 2 }, { "mq_getsetattr", 3 }, { "msgget", 2 },
	{ "msgctl", 3 }, { "msgrcv", 5 }, { "msgsnd", 4 }, { "semget", 3 }, { "semctl", 4 },
	{ "semtimedop", 4 }, { "semop", 3 }, { "shmget", 3 }, { "shmctl", 3 }, { "shmat", 3 },
	{ "shmdt", 1 }, { "socket", 3 }, { "socketpair", 4 }, { "bind", 3 }, { "listen", 2 },
	{ "accept", 3 }, { "connect", 3 }, { "getsockname", 3 }, { "getpeername", 3 },
	{ "sendto", 6 }, { "recvfrom", 6 }, { "setsockopt", 5 }, { "getsockopt", 5 },
	{ "shutdown", 2 }, { "sendmsg", 3 }, { "recvmsg", 3 }, { "readahead", 3 }, { "brk", 1 },
	{ "munmap", 2 }, { "mremap", 5 }, { "add_key", 5 }, { "request_key", 4 },
	{ "keyctl", 5 }, { "clone", 5 }, { "execve", 3 }, { "mmap", 6 }, { "fadvise64", 4 },
	{ "swapon", 2 }, { "swapoff", 1 }, { "mprotect", 3 }, { "msync", 3 }, { "mlock", 2 },
	{ "munlock", 2 }, { "mlockall", 1 }, { "munlockall", 0 }, { "mincore", 3 },
	{ "madvise", 3 }, { "remap_file_pages", 5 }, { "mbind", 6 }, { "get_mempolicy", 5 },
	{ "set_mempolicy", 3 }, { "migrate_pages", 4 }, { "move_pages", 6 },
	{ "rt_tgsigqueueinfo", 4 }, { "perf_event_open", 5 }, { "accept4", 4 },
	{ "recvmmsg", 5 },
};
/* clang-format on */

/* From FIRST_LATE on. */
/* clang-format off */
static const struct tl_xtrace_syscall_name late[] = {
	{ "wait4", 4 }, { "prlimit64", 4 }, { "fanotify_init", 2 }, { "fanotify_mark", 5 },
	{ "name_to_handle_at", 5 }, { "open_by_handle_at", 3 }, { "clock_adjtime", 2 },
	{ "syncfs", 1 }, { "setns", 2 }, { "sendmmsg", 4 }, { "process_vm_readv", 6 },
	{ "process_vm_writev", 6 }, { "kcmp", 5 }, { "finit_module", 3 }, { "sched_setattr", 3 },
	{ "sched_getattr", 4 }, { "renameat2", 5 }, { "seccomp", 3 }, { "getrandom", 3 },
	{ "memfd_create", 2 }, { "bpf", 3 }, { "execveat", 5 }, { "userfaultfd", 1 },
	{ "membarrier", 3 }, { "mlock2", 3 }, { "copy_file_range", 6 }, { "preadv2", 6 },
	{ "pwritev2", 6 }, { "pkey_mprotect", 4 }, { "pkey_alloc", 2 }, { "pkey_free", 1 },
	{ "statx", 5 }, { "io_pgetevents", 6 }, { "rseq", 4 }, { "kexec_file_load", 5 },
};
/* clang-format on */

/* From FIRST_NEW on: the numbers that all architectures share. */
/* clang-format off */
static const struct tl_xtrace_syscall_name new[] = {
	{ "pidfd_send_signal", 4 }, { "io_uring_setup", 2 }, { "io_uring_enter", 6 },
	{ "io_uring_register", 4 }, { "open_tree", 3 }, { "move_mount", 5 }, { "fsopen", 2 },
	{ "fsconfig", 5 }, { "fsmount", 3 }, { "fspick", 3 }, { "pidfd_open", 2 },
	{ "clone3", 2 }, { "close_range", 3 }, { "openat2", 4 }, { "pidfd_getfd", 3 },
	{ "faccessat2", 4 }, { "process_madvise", 5 }, { "epoll_pwait2", 6 },
	{ "mount_setattr", 5 }, { "quotactl_fd", 4 }, { "landlock_create_ruleset", 3 },
	{ "landlock_add_rule", 4 }, { "landlock_restrict_self", 2 }, { "memfd_secret", 1 },
	{ "process_mrelease", 2 }, { "futex_waitv", 5 }, { "set_mempolicy_home_node", 4 },
	{ "cachestat", 4 }, { "fchmodat2", 4 }, { "map_shadow_stack", 3 }, { "futex_wake", 4 },
	{ "futex_wait", 6 }, { "futex_requeue", 4 }, { "statmount", 4 }, { "listmount", 4 },
	{ "lsm_get_self_attr", 4 }, { "lsm_set_self_attr", 4 }, { "lsm_list_modules", 3 },
	{ "mseal", 3 },
};
/* clang-format on */

/* By number, from 1 on; "" where there is none. */
/* clang-format off */
static const char *const errors[] = {
	"EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF",
	"ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV",
	"ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY",
	"EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK",
	"ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", "", "ENOMSG", "EIDRM",
	"ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI", "EL2HLT",
	"EBADE", "EBADR", "EXFULL", "ENOANO", "EBADRQC", "EBADSLT", "", "EBFONT", "ENOSTR",
	"ENODATA", "ETIME", "ENOSR", "ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT",
	"ECOMM", "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ", "EBADFD",
	"EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC", "EILSEQ", "ERESTART",
	"ESTRPIPE", "EUSERS", "ENOTSOCK", "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE",
	"ENOPROTOOPT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT",
	"EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET",
	"ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN",
	"ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY",
	"EINPROGRESS", "ESTALE", "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO",
	"EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED", "ENOKEY", "EKEYEXPIRED",
	"EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD", "ENOTRECOVERABLE", "ERFKILL", "",
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct tl_xtrace_syscall_name *tl_xtrace_syscall_name(uint64_t number)
{
	if (number < COUNT(early))
		return &early[number];
	if (number >= FIRST_LATE && number - FIRST_LATE < COUNT(late))
		return &late[number - FIRST_LATE];
	if (number >= FIRST_NEW && number - FIRST_NEW < COUNT(new))
		return &new[number - FIRST_NEW];
	return NULL;
}

const char *tl_xtrace_error_name(uint64_t number)
{
	return number && number <= COUNT(errors) && *errors[number - 1] ? errors[number - 1] : NULL;
}
