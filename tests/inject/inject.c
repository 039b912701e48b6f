/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preloaded library in which one call of one kind fails: also calls that the libraries under the
 * command make. The environment says which: TL_INJECT=KIND:NUMBER (from 1; 0: none), or KIND:each:
 * every call, but for the one after a call that failed, which may be its second attempt. With
 * TL_INJECT=count: none fails, and TL_INJECT_COUNT is the file that the number of calls of each
 * kind is written to, a line each, when the process ends.
 *
 * Kinds: malloc read mmap open stat fsync close rename short intr (the last two are reads of half
 * the bytes, and calls that a signal interrupts).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { MALLOC, READ, MMAP, OPEN, STAT, FSYNC, CLOSE, RENAME, SHORT, INTR, KINDS };

static const char *const names[KINDS] = { "malloc", "read",  "mmap",   "open",  "stat",
					  "fsync",  "close", "rename", "short", "intr" };

static atomic_ulong calls[KINDS];
static bool counting;
static unsigned long failing;
static bool each;
static __thread bool second;
static enum kind chosen = KINDS;

/*
 * Allocations of LLVM, of the C++ library under it and of the loader do not count: they end the
 * process when one fails (the README and src/isa/a64/a64_text.c say so of LLVM).
 */
static bool is_merciless(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       (strstr(info.dli_fname, "libLLVM") || strstr(info.dli_fname, "libstdc++") ||
		strstr(info.dli_fname, "ld-linux"));
}

/* Whether this call is the one. */
static bool hit(enum kind kind)
{
	bool is_failing;

	if (kind != chosen && !counting)
		return false;
	is_failing = atomic_fetch_add(&calls[kind], 1) + 1 == failing;
	if (each)
		is_failing = second = !second;
	return is_failing;
}

static bool hit_memory(const void *caller)
{
	return (chosen == MALLOC || counting) && !is_merciless(caller) && hit(MALLOC);
}

static void *refused(void)
{
	errno = ENOMEM;
	return NULL;
}

static bool fails(enum kind kind, int error)
{
	if (!hit(kind))
		return false;
	errno = error;
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	const char *wish = getenv("TL_INJECT"), *colon = wish ? strchr(wish, ':') : NULL;

	counting = wish && !strcmp(wish, "count:");
	for (int kind = 0; colon && kind < KINDS; kind++)
		if (strlen(names[kind]) == (size_t)(colon - wish) &&
		    !memcmp(names[kind], wish, (size_t)(colon - wish))) {
			each = !strcmp(colon + 1, "each");
			failing = strtoul(colon + 1, NULL, 10);
			chosen = (enum kind)kind;
		}
}

__attribute__((destructor)) static void end(void)
{
	const char *path = counting ? getenv("TL_INJECT_COUNT") : NULL;
	char line[64];
	int size, fd;

	chosen = KINDS;
	counting = false;
	fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600)
		  : -1;
	if (fd < 0)
		return;
	for (int kind = 0; kind < KINDS; kind++) {
		size = snprintf(line, sizeof(line), "%s %lu\n", names[kind],
				atomic_load(&calls[kind]));
		syscall(SYS_write, fd, line, (size_t)size);
	}
	syscall(SYS_close, fd);
}

/* ---- memory: the C library's own names for what is replaced here ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	return hit_memory(__builtin_return_address(0)) ? refused() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return hit_memory(__builtin_return_address(0)) ? refused() : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return hit_memory(__builtin_return_address(0)) ? refused() : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return hit_memory(__builtin_return_address(0)) ? refused()
						       : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	*memory = hit_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

/* ---- files: straight to the system, so that nothing has to be looked up ---- */

ssize_t read(int fd, void *data, size_t size)
{
	if (fails(READ, EIO) || fails(INTR, EINTR))
		return -1;
	if (size > 1 && hit(SHORT))
		size /= 2;
	return syscall(SYS_read, fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
	if (fails(READ, EIO) || fails(INTR, EINTR))
		return -1;
	if (size > 1 && hit(SHORT))
		size /= 2;
	return syscall(SYS_pread64, fd, data, size, offset);
}

ssize_t pread64(int fd, void *data, size_t size, off_t offset)
{
	return pread(fd, data, size, offset);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (fails(MMAP, ENOMEM))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	return mmap(address, size, protection, flags, fd, offset);
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	if (fails(OPEN, EMFILE) || fails(INTR, EINTR))
		return -1;
	return (int)syscall(SYS_openat, directory, path, flags, mode);
}

/* The mode is there if the file may be made. */
static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN_FUNCTION(name)                                                                        \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = mode_of(flags, args);                                                       \
		va_end(args);                                                                      \
		return open_at(AT_FDCWD, path, flags, mode);                                       \
	}

OPEN_FUNCTION(open)
OPEN_FUNCTION(open64)

#define STAT_FUNCTION(name, first, directory, path, flags)                                         \
	int name(first, struct stat *about)                                                        \
	{                                                                                          \
		if (fails(STAT, EIO))                                                              \
			return -1;                                                                 \
		return (int)syscall(SYS_newfstatat, directory, path, about, flags);                \
	}

STAT_FUNCTION(stat, const char *name, AT_FDCWD, name, 0)
STAT_FUNCTION(lstat, const char *name, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW)
STAT_FUNCTION(fstat, int fd, fd, "", AT_EMPTY_PATH)
STAT_FUNCTION(stat64, const char *name, AT_FDCWD, name, 0)
STAT_FUNCTION(lstat64, const char *name, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW)
STAT_FUNCTION(fstat64, int fd, fd, "", AT_EMPTY_PATH)

int fsync(int fd)
{
	return fails(FSYNC, EIO) || fails(INTR, EINTR) ? -1 : (int)syscall(SYS_fsync, fd);
}

/* Linux closes the file also when it reports an error. */
int close(int fd)
{
	int status = (int)syscall(SYS_close, fd);

	/* There is no second attempt. */
	return fails(CLOSE, EIO) || (!each && fails(INTR, EINTR)) ? -1 : status;
}

int rename(const char *from, const char *to)
{
	return fails(RENAME, EACCES) ? -1
				     : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
