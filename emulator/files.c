/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of the recording. No descriptor stays open, as the program may close all of them; room is
 * reserved before a mapping is written, as a full disk would end the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator.h"

static int file_open(const char *name, int flags)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", process.folder, name);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Beyond its own limit the program would be sent a signal. */
static bool is_within_limit(uint64_t size)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || size <= limit.rlim_cur)
		return true;
	errno = EFBIG;
	return false;
}

void file_name(char name[64], const char *kind)
{
	uint64_t number = __atomic_fetch_add(&process.files, 1, __ATOMIC_RELAXED);

	snprintf(name, 64, "%s.%d.%d.%llx", kind, getpid(), (int)syscall(SYS_gettid),
		 (unsigned long long)number);
}

/*
 * What is behind the file's end is written once before it is mapped: the kernel makes many pages of
 * a file in one step for a write, and one page in each fault for a mapping. The room is there, so
 * that what fails here only costs time.
 */
static void write_zeros(int fd, uint64_t from, uint64_t end)
{
	enum { PIECE = 1 << 16 };
	static const uint8_t zeros[PIECE];
	ssize_t written = 1;

	for (; from < end && written > 0; from += (uint64_t)written)
		written = pwrite(fd, zeros, end - from < PIECE ? end - from : PIECE, (off_t)from);
}

/* 0, or what errno says. */
static int make_room(int fd, uint64_t offset, uint64_t size)
{
	struct stat before;
	int error;

	if (fstat(fd, &before) || !is_within_limit(offset + size))
		return errno;
	error = posix_fallocate(fd, (off_t)offset, (off_t)size);
	if (!error)
		write_zeros(fd, (uint64_t)before.st_size, offset + size);
	return error;
}

void *file_window(const char *name, uint64_t offset, uint64_t size, bool is_new)
{
	int fd = file_open(name, O_RDWR | (is_new ? O_CREAT | O_EXCL : 0)), error;
	void *window = MAP_FAILED;

	if (fd < 0)
		return NULL;
	error = make_room(fd, offset, size);
	if (!error) {
		window = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
		error = errno;
	}
	close(fd);
	errno = error;
	return window == MAP_FAILED ? NULL : window;
}

void file_cut(const char *name, uint64_t size)
{
	int fd = file_open(name, O_RDWR);

	/* A file that stays longer has zeros at its end. */
	if (fd >= 0) {
		if (ftruncate(fd, (off_t)size))
			errno = 0;
		close(fd);
	}
}

static bool append(const char *name, const void *bytes, size_t size)
{
	int fd = file_open(name, O_WRONLY | O_APPEND | O_CREAT);
	struct stat status;
	bool ok;

	if (fd < 0)
		return false;
	ok = !fstat(fd, &status) && is_within_limit((uint64_t)status.st_size + size) &&
	     write(fd, bytes, size) == (ssize_t)size;
	close(fd);
	return ok;
}

bool event_add(enum tl_emulation_kind kind, const char *text, uint64_t address, uint64_t length,
	       uint64_t offset)
{
	_Alignas(8) char bytes[sizeof(struct tl_emulation_event) + TL_EMULATION_TEXT] = { 0 };
	size_t size = text ? strnlen(text, TL_EMULATION_TEXT - 1) : 0;
	const int kept = errno;
	struct tl_emulation_event event = {
		.size = (uint32_t)((sizeof(event) + size + 8) & ~(size_t)7),
		.kind = kind,
		.ticks = __rdtsc(),
		.process = (uint32_t)getpid(),
		.thread = (uint32_t)syscall(SYS_gettid),
		.address = address,
		.length = length,
		.offset = offset,
	};
	bool ok;

	memcpy(bytes, &event, sizeof(event));
	if (size)
		memcpy(bytes + sizeof(event), text, size);
	ok = append("events", bytes, event.size);
	if (!ok && own_stream && !own_stream->shared.event_errno)
		own_stream->shared.event_errno = (uint32_t)errno;
	errno = kept;
	return ok;
}
