/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_TIMELINE_H
#define TRACELATHE_TIMELINE_H
/**
 * @file
 * Calls over time: one stream of calls, instants and values of counters, the same from every
 * producer (a reader of traces) to every consumer (a format that is written).
 *
 * The order of calls: tl_timeline_open() of <tracelathe/export.h>, tl_timeline_begin(),
 * tl_timeline_origin(); then names, calls, instants and values; tl_timeline_finish(). The calls of
 * one thread come in time order; threads may come one after the other or take turns.
 */
#include <stdbool.h>

#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A named value of a call or instant. */
struct tl_timeline_arg {
	const char *name;
	/** TL_ARG_HEX: a number that is shown in hexadecimal */
	enum tl_timeline_arg_kind {
		TL_ARG_NUMBER,
		TL_ARG_TEXT,
		TL_ARG_BYTES,
		TL_ARG_SIGNED,
		TL_ARG_HEX,
		TL_ARG_REAL
	} kind;
	uint64_t number;  /**< TL_ARG_SIGNED: two's complement */
	const void *data; /**< text (size bytes) or bytes */
	size_t size;
	double real; /**< TL_ARG_REAL */
};

/**
 * Write values as an object of JSON. Numbers that are shown in hexadecimal are texts.
 * @param most  texts and bytes behind so many bytes are cut, which the text then says
 */
TL_API void tl_timeline_put_args(struct tl_output *out, const struct tl_timeline_arg *args,
				 size_t arg_count, size_t most);

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
 * A counter of the thread, or (thread < 0) of the process, has a value from a time on until its
 * next one. `name` tells the counters of a track apart. The values of one counter come in time
 * order.
 */
TL_API void tl_timeline_counter(struct tl_timeline *timeline, const struct tl_timeline_point *at,
				const char *name, double value);
/**
 * Whether an allocation or the output has failed: nothing is written any more, so a producer may
 * stop. tl_timeline_finish() and tl_output_commit() say which.
 */
TL_API bool tl_timeline_failed(const struct tl_timeline *timeline);
/**
 * Write the end (of a timeline that has begun) and free the handle.
 * @return 0, 1 if there was no call, no instant and no value, or TL_NO_MEMORY
 */
TL_API int tl_timeline_finish(struct tl_timeline *timeline, struct tl_error *err);

/* ---- calls as data ---- */

/** What is known of a call beside its times; bits. */
enum tl_call_flag {
	/**
	 * The end is not in the trace: the call was left by then (longjmp, an exception, a gap). A
	 * profile counts such a call, without a duration. Or its stack is another one than that
	 * which runs from here on (a coroutine): when it goes on, another piece of the call begins,
	 * which is late. Then a profile does know the duration, without what ran meanwhile.
	 */
	TL_CALL_CUT = 1 << 0,
	/**
	 * The begin is not in the trace: it was in a gap, or this is the gap itself, "(lost)"; or
	 * this is a further piece of a call. A profile does not count such a call.
	 */
	TL_CALL_LATE = 1 << 1,
	/** A filter of the input leaves it out: tl_calls_next() passes it over. */
	TL_CALL_HIDDEN = 1 << 2,
};

/** What the times of calls count. */
enum tl_call_clock {
	TL_CALL_TICKS,        /**< ticks of the trace's clock */
	TL_CALL_INSTRUCTIONS, /**< the trace has no times: executed instructions */
};

/**
 * A call of a trace. Times only grow within a thread: where the clock of a damaged trace goes back,
 * that is no time, and what follows is later by the step.
 */
struct tl_call {
	uint64_t id;     /**< the number of the call in the order in which calls come, from 0 */
	uint64_t parent; /**< id of the caller, TL_NOWHERE: none that is told */
	int64_t process, thread;
	uint64_t start, end; /**< ticks; end TL_NOWHERE: the call did not end, it is unfinished */
	uint64_t self;     /**< ticks without those of the calls that it made; unfinished: so far */
	uint32_t depth;    /**< calls around it, told or not */
	uint32_t function; /**< for tl_calls_function() */
	unsigned flags;    /**< enum tl_call_flag */
};

/** The function of a call. */
struct tl_call_function {
	const char *name;          /**< never "" */
	const char *file, *object; /**< "": unknown */
	uint32_t line;             /**< 0: unknown */
	bool wanted;               /**< the filters by function and object let it pass */
	uint64_t id;               /**< number in the trace, TL_NOWHERE: none */
	uint64_t address;          /**< entry address, 0: unknown */
};

/** What all calls of a trace have in common. */
struct tl_calls_info {
	uint64_t frequency; /**< ticks per second; 0: unknown */
	uint64_t origin;    /**< the first tick; windows in seconds count from it */
	enum tl_call_clock clock;
	/** tl_call_function.id is that of tl_function in a profile of the input, one a function */
	bool numbered;
	/**
	 * a profile of the input counts the time of these calls and nothing else, so that
	 * tl_input_window() gives all that tl_input_fold() does
	 */
	bool profiled;
};

/** Which of the calls come. Zero-filled with `size` set: all that the input's filters let pass. */
struct tl_calls_options {
	size_t size; /**< sizeof(struct tl_calls_options) */
	/** calls that begin before `to` and do not end before `from`; ticks, `to` 0: no end */
	uint64_t from, to;
	bool one_track;          /**< only those of `process` and `thread` */
	int64_t process, thread; /**< as in struct tl_call */
	bool any_process;        /**< with `one_track`: of `thread`, in whatever process */
};

/** The calls of an input, one after the other; made by tl_input_calls() of <tracelathe/open.h>. */
struct tl_calls;

/** @param size  sizeof(*info) @return 0; TL_BAD_USAGE for a size that is too small */
TL_API int tl_calls_info(const struct tl_calls *calls, struct tl_calls_info *info, size_t size);
/**
 * The next call, in the order of begin within a thread, one thread after the other. *call lives
 * until the next call of this function.
 * @return 1 and a call; 0: there is none; or a negative tl_status
 */
TL_API int tl_calls_next(struct tl_calls *calls, const struct tl_call **call, struct tl_error *err);

/** The columns that tl_calls_columns() makes; bits. */
enum tl_call_column {
	TL_CALL_IDS = 1 << 0, /**< `ids` and `parents` */
	TL_CALL_STARTS = 1 << 1,
	TL_CALL_ENDS = 1 << 2,
	TL_CALL_SELVES = 1 << 3,
	TL_CALL_DEPTHS = 1 << 4,
	TL_CALL_FUNCTIONS = 1 << 5,
	TL_CALL_FLAGS = 1 << 6,
};
/** Calls of one thread, some thousand, as arrays of the members of tl_call; NULL: not asked for. */
struct tl_call_columns {
	size_t count;            /**< of calls, and of the elements of each array */
	int64_t process, thread; /**< of all of them */
	const uint64_t *ids, *parents, *starts, *ends, *selves;
	const uint32_t *depths, *functions;
	const uint8_t *flags;
};
/**
 * The next calls as columns: the same calls in the same order as from tl_calls_next(), for programs
 * that go through many of them. The arrays live until the next call of a function with this handle.
 * @param wanted  enum tl_call_column: the others are not made
 * @param size    sizeof(*columns)
 * @return 1 and at least one call; 0: there is none; or a negative tl_status
 */
TL_API int tl_calls_columns(struct tl_calls *calls, unsigned wanted,
			    struct tl_call_columns *columns, size_t size, struct tl_error *err);

/**
 * The function of a call, by tl_call.function. Texts live as long as the handle.
 * @param size  sizeof(*function)
 * @return 0 or a negative tl_status
 */
TL_API int tl_calls_function(struct tl_calls *calls, uint32_t number,
			     struct tl_call_function *function, size_t size, struct tl_error *err);
/**
 * Begin again at the first call, with other options, without reading the input for a first time
 * once more. Filters of the input hold as before; ids begin at 0.
 * @param options  NULL: all
 * @return 0; TL_BAD_USAGE for a size of the options that is too small
 */
TL_API int tl_calls_restart(struct tl_calls *calls, const struct tl_calls_options *options,
			    struct tl_error *err);
/** NULL is allowed. */
TL_API void tl_calls_close(struct tl_calls *calls);

struct ArrowArrayStream;
/**
 * The calls as a stream of the Arrow C data interface, for programs that compute with columns
 * (pyarrow, pandas, polars, DuckDB): record batches of id, parent, process, thread, depth, function
 * (a dictionary of names), start, end, self and flags, as in struct tl_call. Null are the parent of
 * a call without one and the end of an unfinished one.
 * @param calls   belongs to the stream from here on, also when this fails; its input has to live
 *                until the stream is released
 * @param stream  made by this function, released by the caller as the interface says
 * @return 0 or TL_NO_MEMORY
 */
TL_API int tl_calls_arrow(struct tl_calls *calls, struct ArrowArrayStream *stream,
			  struct tl_error *err);

/* ---- windows of a trace, however long it is ---- */

/**
 * The index of a trace: levels of detail that answer any window of time quickly, and places from
 * which any part is decoded again; made by tl_input_index() of <tracelathe/open.h>. Several threads
 * may ask it, each with a cursor of its own.
 */
struct tl_call_index;
/** Asks an index; one thread at a time. */
struct tl_call_cursor;

/** A track: the calls of one thread. */
struct tl_call_track_info {
	int64_t process, thread;
	uint64_t first, last; /**< ticks of the first and last begin or end of a call */
	uint64_t calls;
	uint64_t index_bytes; /**< memory that the index has for it */
	uint64_t gaps;        /**< how many tl_call_index_gap() tells of */
};

/** A time in which a track does not tell all: records were lost, or are damaged. */
struct tl_call_gap {
	/** ticks of what is known before and behind it; the same: no known time is between */
	uint64_t from, to;
	uint64_t offset; /**< of the damaged bytes in the input; TL_NOWHERE: no bytes are damaged */
	uint64_t length; /**< how many bytes are damaged, 0: none, or it is unknown */
	uint64_t count;  /**< gaps it stands for: neighbours are one where a track has thousands */
	const char *text; /**< what is wrong, of the first of them; lives as long as the index */
};

/** Which window is asked for. Zero-filled with `size`, `from`, `to` and `pixels` set: track 0. */
struct tl_call_query {
	size_t size;       /**< sizeof(struct tl_call_query) */
	size_t track;      /**< by number from 0 */
	uint64_t from, to; /**< ticks; calls that begin before `to` and do not end before `from` */
	/** calls shorter than (to - from) / pixels are summed up; if that is 1 or less, none is */
	uint32_t pixels;
	uint32_t rows;  /**< only calls with fewer others around them; 0: all */
	uint32_t items; /**< at most so many, and 20,000 in any case; 0: 20,000 */
	/**
	 * where levels of detail are too coarse, so many calls are decoded again for each of the
	 * items at most, beyond the window is coarse; 0: 20
	 */
	uint32_t effort;
};

/** A call of a window, or a summary of short ones of the same depth. */
struct tl_call_item {
	uint64_t start; /**< of the first of them */
	uint64_t end;   /**< of the last of them, as far as known; TL_NOWHERE: an unfinished call */
	/** duration; of a summary, all together, rounded: for drawing, not for sums */
	uint64_t busy;
	uint64_t self; /**< as in struct tl_call, where it is known; 0 in coarse windows */
	uint32_t depth;
	uint32_t function; /**< of a summary, the one with most time; TL_NONE: unknown */
	uint32_t count;    /**< calls in a summary; 0: this is one call, and exact */
	unsigned flags;    /**< enum tl_call_flag; of calls that a level of detail tells, 0 */
};

/** The answer: items by depth, then by start. They live until the cursor is asked again. */
struct tl_call_window {
	const struct tl_call_item *items;
	size_t count;
	uint64_t pixel; /**< ticks below which calls were summed up; 0: none was */
	/**
	 * there would have been too many items, or too much to read for them: `pixel` is more than
	 * asked for
	 */
	bool coarse;
};

/** @param size  sizeof(*info) @return 0; TL_BAD_USAGE for a size that is too small */
TL_API int tl_call_index_info(const struct tl_call_index *index, struct tl_calls_info *info,
			      size_t size);
/**
 * A track by number from 0.
 * @param size  sizeof(*info)
 * @return 1; 0: there is none; TL_BAD_USAGE for a size that is too small
 */
TL_API int tl_call_index_track(const struct tl_call_index *index, size_t number,
			       struct tl_call_track_info *info, size_t size);
/**
 * A gap of a track by number from 0, in the order of time. Damage that belongs to no thread is not
 * among them, but in tl_input_damage().
 * @param size  sizeof(*gap)
 * @return 1; 0: there is none, or no such track; TL_BAD_USAGE for a size that is too small
 */
TL_API int tl_call_index_gap(const struct tl_call_index *index, size_t track, size_t number,
			     struct tl_call_gap *gap, size_t size);
/** As tl_calls_function(). */
TL_API int tl_call_index_function(struct tl_call_index *index, uint32_t number,
				  struct tl_call_function *function, size_t size,
				  struct tl_error *err);
/** Close its cursors before. NULL is allowed. */
TL_API void tl_call_index_close(struct tl_call_index *index);

/** @return 0 or TL_NO_MEMORY */
TL_API int tl_call_cursor_open(struct tl_call_cursor **cursor, struct tl_call_index *index,
			       struct tl_error *err);
/** NULL is allowed. */
TL_API void tl_call_cursor_close(struct tl_call_cursor *cursor);
/**
 * What of a window can be told apart at its width. No call of (to - from) / pixels ticks or more is
 * missing in rows 0 to 127; deeper rows are one summary, at depth 128, unless the window is short:
 * about 100,000 records.
 * @param size  sizeof(*window)
 * @return 0, TL_BAD_USAGE for a window without width or a track that is not there, or another
 *         negative tl_status
 */
TL_API int tl_call_cursor_window(struct tl_call_cursor *cursor, const struct tl_call_query *query,
				 struct tl_call_window *window, size_t size, struct tl_error *err);
/** The calls that are open at a time, the outermost first. As tl_call_cursor_window(). */
TL_API int tl_call_cursor_stack(struct tl_call_cursor *cursor, size_t track, uint64_t ticks,
				struct tl_call_window *window, size_t size, struct tl_error *err);
/**
 * The first call of a function that begins at or behind a time.
 * @param size  sizeof(*item)
 * @return 1; 0: there is none; or a negative tl_status
 */
TL_API int tl_call_cursor_next(struct tl_call_cursor *cursor, size_t track, uint32_t function,
			       uint64_t ticks, struct tl_call_item *item, size_t size,
			       struct tl_error *err);
/** The last call of a function that begins before a time. */
TL_API int tl_call_cursor_previous(struct tl_call_cursor *cursor, size_t track, uint32_t function,
				   uint64_t ticks, struct tl_call_item *item, size_t size,
				   struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
