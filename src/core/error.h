/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_ERROR_H
#define TL_CORE_ERROR_H
/* Filling a struct tl_error: once, at the byte that is wrong. */
#include <tracelathe/core.h>

/*
 * The error is at `offset` (TL_NOWHERE: not at a byte). Returns `status`, so that callers can
 * `return` the call.
 */
int tl_error_at(struct tl_error *err, enum tl_status status, uint64_t offset, const char *text);

/* The same, in record number `record`. */
int tl_error_in(struct tl_error *err, enum tl_status status, uint64_t offset, uint64_t record,
		const char *text);

/* A failed system call; keeps errno. */
int tl_error_system(struct tl_error *err, const char *text);

/*
 * tl_file_open_named() failed, as errno says.
 * @param refused  the text for a file that is another user's, or no regular one: "Operation not
 *                 permitted" would not say which rule it is
 */
int tl_error_named(struct tl_error *err, const char *text, const char *refused);

/* An allocation failed. */
int tl_error_memory(struct tl_error *err);

/* The status of a step that fails for want of memory alone: 0 where `made`, else TL_NO_MEMORY. */
static inline int tl_error_unless_made(bool made, struct tl_error *err)
{
	return made ? 0 : tl_error_memory(err);
}

/* The status of a step whose result can be done without: only TL_NO_MEMORY ends what goes on. */
static inline int tl_error_if_memory(int status)
{
	return status == TL_NO_MEMORY ? status : 0;
}

/* The format an error is about, set by the room that knows it; returns `status`. */
int tl_error_format(struct tl_error *err, const char *format, int status);

/* What a loop over `step() > 0` answers as a whole: the failure that ended it, or 0 at the end. */
static inline int tl_error_or_end(int status)
{
	return status < 0 ? status : 0;
}

#endif
