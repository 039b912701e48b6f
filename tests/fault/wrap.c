/* SPDX-License-Identifier: Apache-2.0 */
#include "wrap.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint_fast64_t asked, failing;
static atomic_int_fast64_t live;
static atomic_bool all_later;

void wrap_arm(uint64_t number, bool onward)
{
	atomic_store(&asked, 0);
	atomic_store(&all_later, onward);
	atomic_store(&failing, number);
}

uint64_t wrap_disarm(void)
{
	atomic_store(&failing, 0);
	return atomic_load(&asked);
}

int64_t wrap_live(void)
{
	return atomic_load(&live);
}

static bool fails(void)
{
	uint64_t number = atomic_fetch_add(&asked, 1) + 1, at = atomic_load(&failing);
	bool now = at && (atomic_load(&all_later) ? number >= at : number == at);

	if (now)
		errno = ENOMEM;
	return now;
}

static void *alive(void *memory)
{
	if (memory)
		atomic_fetch_add(&live, 1);
	return memory;
}

/* The linker's names: __wrap_X is what callers of X reach, __real_X is X. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
int __real_vasprintf(char **text, const char *format, va_list args);
int __wrap_vasprintf(char **text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What -D_FORTIFY_SOURCE makes of the three above. */
char *__wrap___realpath_chk(const char *path, char *resolved, size_t size);
int __wrap___vasprintf_chk(char **text, int flag, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));
int __wrap___asprintf_chk(char **text, int flag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
ssize_t __real_getline(char **line, size_t *room, FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file);
/* What optimization makes of getline(). */
ssize_t __real___getdelim(char **line, size_t *room, int end, FILE *file);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file);
void __real_free(void *memory);
void __wrap_free(void *memory);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *arg);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : alive(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : alive(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
	if (fails())
		return NULL;
	void *moved = __real_realloc(memory, size);

	return memory ? moved : alive(moved);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __wrap_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : alive(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (fails())
		return ENOMEM;
	int status = __real_posix_memalign(memory, alignment, size);

	if (!status)
		alive(*memory);
	return status;
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : alive(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : alive(__real_strndup(text, size));
}

char *__wrap_realpath(const char *path, char *resolved)
{
	if (resolved)
		return __real_realpath(path, resolved);
	return fails() ? NULL : alive(__real_realpath(path, NULL));
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	if (fails())
		return -1;
	int size = __real_vasprintf(text, format, args);

	if (size >= 0)
		alive(*text);
	return size;
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = __wrap_vasprintf(text, format, args);

	va_end(args);
	return size;
}

char *__wrap___realpath_chk(const char *path, char *resolved, size_t size)
{
	(void)size;
	return __wrap_realpath(path, resolved);
}

int __wrap___vasprintf_chk(char **text, int flag, const char *format, va_list args)
{
	(void)flag;
	return __wrap_vasprintf(text, format, args);
}

int __wrap___asprintf_chk(char **text, int flag, const char *format, ...)
{
	va_list args;

	(void)flag;
	va_start(args, format);
	int size = __wrap_vasprintf(text, format, args);

	va_end(args);
	return size;
}

/* The first line of a file makes the room; that it grows is never refused. */
ssize_t __wrap_getline(char **line, size_t *room, FILE *file)
{
	const bool made = !*line;
	ssize_t size = made && fails() ? -1 : __real_getline(line, room, file);

	if (made)
		alive(*line);
	return size;
}

ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file)
{
	const bool made = !*line;
	ssize_t size = made && fails() ? -1 : __real___getdelim(line, room, end, file);

	if (made)
		alive(*line);
	return size;
}

void __wrap_free(void *memory)
{
	if (memory)
		atomic_fetch_sub(&live, 1);
	__real_free(memory);
}

/* A thread needs memory too. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *arg)
{
	return fails() ? EAGAIN : __real_pthread_create(thread, attributes, run, arg);
}
