/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_TIMELINE_H
#define TRACELATHE_TIMELINE_H
/**
 * @file
 * Calls over time: one stream of calls and instants, the same from every producer (a reader of
 * traces) to every consumer (a format that is written).
 *
 * The order of calls: tl_timeline_open() of <tracelathe/export.h>, tl_timeline_begin(),
 * tl_timeline_origin(); then names, calls and instants; tl_timeline_finish(). The calls of one
 * thread come in time order; threads may come one after the other or take turns.
 */
#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A named value of a call or instant. */
struct tl_timeline_arg {
	const char *name;
	enum { TL_ARG_NUMBER, TL_ARG_TEXT, TL_ARG_BYTES } kind;
	uint64_t number;
	const void *data; /**< text (size bytes) or bytes */
	size_t size;
};

/** Where and when something happened on a timeline. */
struct tl_timeline_point {
	int64_t process, thread;
	uint64_t ticks;
};

struct tl_timeline;

/** A format of timelines. */
struct tl_timeline_format {
	const char *name; /**< "perfetto", "chrome" */
	const char *suffix;
	const char *help;
};

/**
 * Begin the timeline, before anything else is put on it.
 * @param frequency  ticks per second; 0: unknown, a tick is shown as a nanosecond
 * @return 0 or TL_NO_MEMORY
 */
TL_API int tl_timeline_begin(struct tl_timeline *timeline, uint64_t frequency,
			     struct tl_error *err);
/**
 * Say when the first record was, in ticks, before the first call. Formats whose times are decimal
 * fractions (chrome) count from it and tell it once; the others are absolute.
 */
TL_API void tl_timeline_origin(struct tl_timeline *timeline, uint64_t ticks);
/** Name a process or (thread >= 0) a thread, before its first call. */
TL_API void tl_timeline_name(struct tl_timeline *timeline, int64_t process, int64_t thread,
			     const char *name);
/**
 * A call begins. `name_key` numbers the name (dense, from 0): the same key always has the same
 * name, file and line, so that a writer prepares it once. file may be "", line 0.
 */
TL_API void tl_timeline_enter(struct tl_timeline *timeline, const struct tl_timeline_point *at,
			      uint32_t name_key, const char *name, const char *file, uint32_t line,
			      const struct tl_timeline_arg *args, size_t arg_count);
/** The innermost open call of the thread ends. */
TL_API void tl_timeline_leave(struct tl_timeline *timeline, const struct tl_timeline_point *at);
/** An event without duration. */
TL_API void tl_timeline_instant(struct tl_timeline *timeline, const struct tl_timeline_point *at,
				const char *name, const struct tl_timeline_arg *args,
				size_t arg_count);
/**
 * Whether an allocation or the output has failed: nothing is written any more, so a producer may
 * stop. tl_timeline_finish() and tl_output_commit() say which.
 */
TL_API bool tl_timeline_failed(const struct tl_timeline *timeline);
/**
 * Write the end (of a timeline that has begun) and free the handle.
 * @return 0, 1 if there was no call and no instant, or TL_NO_MEMORY
 */
TL_API int tl_timeline_finish(struct tl_timeline *timeline, struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
