/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_EXPORT_H
#define TRACELATHE_EXPORT_H
/**
 * @file
 * Profiles and timelines in the formats other tools read.
 */
#include <tracelathe/core.h>
#include <tracelathe/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Callgrind: what is written short. */
enum tl_export_compression {
	TL_COMPRESS_NAMES, /**< names once, then their numbers; positions in full */
	TL_COMPRESS_ALL,   /**< names as above, positions relative to the line before */
	TL_COMPRESS_NONE,  /**< names and positions in full */
};

/** Callgrind: the columns of positions. */
enum tl_export_positions {
	TL_POSITIONS_KNOWN, /**< lines, and addresses and basic blocks where the profile has some */
	TL_POSITIONS_LINE,  /**< only lines: what is on one is summed up */
	TL_POSITIONS_INSTR, /**< addresses and lines */
};

/** How a profile is written. Zero-filled with `size` set is a good default. */
struct tl_export_options {
	size_t size;    /**< sizeof(struct tl_export_options) */
	uint32_t event; /**< which event, where the format has room for one */
	bool threads;   /**< folded: the thread is the root of each stack */
	/** what the header names as measured where the profile does not know, may be NULL */
	const char *command;
	enum tl_export_compression compression;
	enum tl_export_positions positions;
};

/** A profile format that can be written. */
struct tl_exporter {
	const char *name;   /**< "callgrind" */
	const char *suffix; /**< ".callgrind" */
	const char *help;   /**< one line */
	int (*write)(const struct tl_profile *profile, const struct tl_export_options *options,
		     struct tl_output *out, struct tl_error *err);
	/** writes call stacks: of a profile of sums only those that tl_profile_stacks() gives */
	bool stacks;
};

/** The exporters, in the order of help; ends with a NULL. */
TL_API const struct tl_exporter *const *tl_exporters(void);
/** An exporter by name, NULL when there is none. */
TL_API const struct tl_exporter *tl_exporter_find(const char *name);

/** How far call stacks are estimated. Zero-filled with `size` set is a good default. */
struct tl_stacks_options {
	size_t size; /**< sizeof(struct tl_stacks_options) */
	/** percent: paths with less than this share of every event are not made */
	double threshold;
	uint32_t most_contexts; /**< paths of a part, the largest ones; 0: 100,000 in all */
	uint32_t most_depth;    /**< frames of a path; 0: 500 */
};

/**
 * A new, finished profile with call stacks, of one that has costs and calls but no stacks. Where
 * the functions' names are stacks (Callgrind's --separate-callers), they are those: exact, and
 * functions have their own names. Else paths are estimated, as tl_profile_estimated() then says:
 * from the roots downwards each function's cost is divided as it is in the profile as a whole.
 * Totals do not change.
 * @param options  may be NULL
 * @return 0; TL_BAD_USAGE: it has stacks; TL_NO_MEMORY
 */
TL_API int tl_profile_stacks(struct tl_profile **stacks, const struct tl_profile *sums,
			     const struct tl_stacks_options *options, struct tl_error *err);

/** A named value of a slice or instant. */
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

/**
 * A timeline format. `write_*` calls of one thread come in time order; threads may come one after
 * the other.
 */
struct tl_timeline_format {
	const char *name; /**< "perfetto", "chrome" */
	const char *suffix;
	const char *help;
};

/** The timeline formats; ends with a NULL. The first is the default. */
TL_API const struct tl_timeline_format *const *tl_timeline_formats(void);

/**
 * Begin a timeline on an output, which the caller commits after tl_timeline_finish(). Written as it
 * comes.
 * @param frequency  ticks per second; 0: a tick is shown as a nanosecond
 */
TL_API int tl_timeline_open(struct tl_timeline **timeline, const char *format, uint64_t frequency,
			    struct tl_output *out, struct tl_error *err);
/**
 * Say when the first record was, in ticks, before the first slice. Formats whose times are decimal
 * fractions (chrome) count from it and tell it once; the others are absolute.
 */
TL_API void tl_timeline_origin(struct tl_timeline *timeline, uint64_t ticks);
/** Name a process or (thread >= 0) a thread, before its first slice. */
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
/** Something without duration. */
TL_API void tl_timeline_instant(struct tl_timeline *timeline, const struct tl_timeline_point *at,
				const char *name, const struct tl_timeline_arg *args,
				size_t arg_count);
/**
 * Write the end and free the handle. @return 0, 1 if there was no call and no instant, or
 * TL_NO_MEMORY
 */
TL_API int tl_timeline_finish(struct tl_timeline *timeline, struct tl_error *err);

/* ---- flame graphs ---------------------------------------------------------------------------- */

enum tl_flame_form {
	TL_FLAME_PAGE, /**< one HTML file: flame graph, function table, search; needs no network */
	TL_FLAME_SVG,  /**< a picture of one event, without any script */
	/** what the page shows, JSON (the head of src/export/flame_data.c says how) */
	TL_FLAME_DATA,
};

/** How a flame graph is drawn. Zero-filled with `size` set and `threshold` -1 is a good default. */
struct tl_flame_options {
	size_t size; /**< sizeof(struct tl_flame_options) */
	enum tl_flame_form form;
	/** roots at the top (the page has a switch, this is where it begins) */
	bool icicle;
	bool threads; /**< each thread is a root of its own */
	/** percent: stacks with less than this share of every event are summed; < 0: 0.01 */
	double threshold;
	uint32_t most_frames; /**< frames drawn, the largest ones; 0: 20,000 */
	uint32_t most_depth;  /**< frames of a stack, what is deeper is summed; 0: 500 */
	/** which events, in this order; NULL: all. A picture shows the first */
	const uint32_t *events;
	uint32_t event_count;
	const char *name;          /**< what the profile was made from, for people; may be NULL */
	const char *baseline_name; /**< the same of the baseline */
	const char *when;          /**< when that was, for people; may be NULL */
	uint32_t width;            /**< of a picture, in pixels; 0: 1200 */
	bool *estimated;           /**< gets true where paths had to be estimated; may be NULL */
};

/**
 * Whether this library was built with the parts the page is made of; without, TL_FLAME_PAGE is not.
 */
TL_API bool tl_flame_has_page(void);

/**
 * A flame graph of a profile or, with a baseline, of what became more and less since then: frames
 * are as wide as in `profile`, their colours say how their cost changed. Functions are the same
 * when object, file and name are; of those left, when they have a name that is there once on each
 * side. Events of the baseline are found by name, its ticks are converted where both clocks are
 * known.
 *
 * Profiles without contexts get paths estimated from their arcs, which the result says.
 *
 * @param baseline  may be NULL
 * @param options   may be NULL
 * @return 0, TL_BAD_USAGE (no such event), TL_UNSUPPORTED (no page in this build), TL_NO_MEMORY
 */
TL_API int tl_flame_write(const struct tl_profile *profile, const struct tl_profile *baseline,
			  const struct tl_flame_options *options, struct tl_output *out,
			  struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
