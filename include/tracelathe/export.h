/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_EXPORT_H
#define TRACELATHE_EXPORT_H
/**
 * @file
 * Profiles and timelines in the formats other tools read.
 */
#include <tracelathe/core.h>
#include <tracelathe/profile.h>
#include <tracelathe/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Callgrind: compression of names and positions. */
enum tl_export_compression {
	TL_COMPRESS_NAMES, /**< names once, then their numbers; positions in full */
	TL_COMPRESS_ALL,   /**< names as above, positions relative to the line before */
	TL_COMPRESS_NONE,  /**< names and positions in full */
};

/** Callgrind: the columns of positions. */
enum tl_export_positions {
	TL_POSITIONS_KNOWN, /**< lines, and addresses and basic blocks where the profile has some */
	TL_POSITIONS_LINE,  /**< only lines: costs of the same line are summed */
	TL_POSITIONS_INSTR, /**< addresses and lines */
};

/** What the nodes and edges of a call graph show; bits. */
enum tl_graph_label {
	TL_LABEL_SELF = 1 << 0,      /**< share of the total */
	TL_LABEL_INCLUSIVE = 1 << 1, /**< share of the total, of edges too */
	TL_LABEL_CALLS = 1 << 2,     /**< of edges too */
	TL_LABEL_SUM = 1 << 3,       /**< these and the following: durations of a node's calls */
	TL_LABEL_MIN = 1 << 4,
	TL_LABEL_MEDIAN = 1 << 5,
	TL_LABEL_P90 = 1 << 6,
	TL_LABEL_P99 = 1 << 7,
	TL_LABEL_MAX = 1 << 8,
};

/** What the colour of a node of a call graph shows. */
enum tl_graph_color { TL_GRAPH_PLAIN, TL_GRAPH_BY_SELF, TL_GRAPH_BY_INCLUSIVE };

/** What functions are framed together by in a call graph. */
enum tl_graph_cluster { TL_CLUSTER_NONE, TL_CLUSTER_OBJECT, TL_CLUSTER_FILE };

/** How a profile is written. Zero-filled with `size` set is a good default. */
struct tl_export_options {
	size_t size;    /**< sizeof(struct tl_export_options) */
	uint32_t event; /**< which event, where the format has room for one */
	bool threads;   /**< folded: the thread is the root of each stack */
	/** the measured command, for the header, if the profile does not know it; may be NULL */
	const char *command;
	enum tl_export_compression compression;
	enum tl_export_positions positions;
	/** call graph: nodes and edges with less than this share, in percent, are left out */
	double threshold;
	unsigned labels; /**< call graph: enum tl_graph_label; 0: self, inclusive and calls */
	enum tl_graph_color color;
	enum tl_graph_cluster cluster;
	bool calls;   /**< folded: how often each stack was called instead of its self cost */
	uint32_t top; /**< folded: only so many stacks, the largest first; 0: all, by name */
	/**
	 * formats that write each call stack in full (folded, pprof, speedscope): frames of a stack
	 * at most, what is deeper is summed in one frame more; 0: 1000
	 */
	uint32_t most_depth;
	/** set to the number of call paths that were too deep, if there are some; may be NULL */
	uint64_t *too_deep;
	unsigned jobs; /**< tracelathe: threads to work on, 0: 1 */
	/**
	 * folded, speedscope: set to the number of call paths that cost less than zero, which these
	 * formats cannot have and are left out, if there are some; may be NULL
	 */
	uint64_t *below_zero;
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
	/** the output depends on call stacks, even if it has none (inclusive cost of recursion) */
	bool contexts;
	/** writes all that an input can tell: fold it with TL_DETAIL_LINES and `per_thread` */
	bool whole;
	/** can write a profile of an input with tl_input_options.packed */
	bool packed;
};

/** The exporters, in the order of help; ends with a NULL. */
TL_API const struct tl_exporter *const *tl_exporters(void);
/** An exporter by name, NULL when there is none. */
TL_API const struct tl_exporter *tl_exporter_find(const char *name);

/**
 * The call graph of two profiles, for Graphviz: what grew is red, what shrank is green, what is new
 * or gone has a dashed frame. `functions` and `arcs` compare the same profiles by their inclusive
 * cost, of `event`, which both must have.
 * @param options  may be NULL; command, event and threshold are used
 */
TL_API int tl_export_diff_dot(const struct tl_diff *functions, const struct tl_diff *arcs,
			      const struct tl_export_options *options, struct tl_output *out,
			      struct tl_error *err);

/** How far call stacks are estimated. Zero-filled with `size` set is a good default. */
struct tl_stacks_options {
	size_t size; /**< sizeof(struct tl_stacks_options) */
	/** percent: paths with less than this share of every event are not made */
	double threshold;
	uint32_t most_contexts; /**< paths of a part, the largest ones; 0: 100,000 in all */
	uint32_t most_depth;    /**< frames of a path at most; 0: 500 */
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

/** The timeline formats; ends with a NULL. The first is the default. */
TL_API const struct tl_timeline_format *const *tl_timeline_formats(void);

/**
 * A timeline that is written to an output, which the caller commits after tl_timeline_finish().
 * Nothing is written before tl_timeline_begin().
 * @param format  a name of tl_timeline_formats(), NULL: the default
 */
TL_API int tl_timeline_open(struct tl_timeline **timeline, const char *format,
			    struct tl_output *out, struct tl_error *err);

/* ---- flame graphs ---------------------------------------------------------------------------- */

enum tl_flame_form {
	TL_FLAME_PAGE, /**< one HTML file: flame graph, function table, search; needs no network */
	TL_FLAME_SVG,  /**< a picture of one event, without any script */
	/** the data of the page, JSON (described in src/export/flame/page_data.c) */
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
	uint32_t most_depth;  /**< frames of a stack, deeper ones are summed; 0: 500 */
	/** which events, in this order; NULL: all. A picture shows the first */
	const uint32_t *events;
	uint32_t event_count;
	const char *name;          /**< title: the file the profile is of; may be NULL */
	const char *baseline_name; /**< the same of the baseline */
	const char *when;          /**< time of the measurement as text; may be NULL */
	uint32_t width;            /**< of a picture, in pixels; 0: 1200 */
	bool *estimated;           /**< set to whether paths were estimated; may be NULL */
};

/**
 * Whether this library was built with the parts the page is made of; without, TL_FLAME_PAGE is not.
 */
TL_API bool tl_flame_has_page(void);

/**
 * A flame graph of a profile or, with a baseline, of the change since then: frames are as wide as
 * their cost in `profile`, their colours show how the cost changed. Functions are the same
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
