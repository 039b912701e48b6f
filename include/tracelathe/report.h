/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_REPORT_H
#define TRACELATHE_REPORT_H
/**
 * @file
 * Reports of a profile for reading: function table, trees, annotation, differences; as text, CSV or
 * JSON.
 */
#include <tracelathe/core.h>
#include <tracelathe/flow.h>
#include <tracelathe/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tl_report_form { TL_REPORT_TEXT, TL_REPORT_CSV, TL_REPORT_JSON };

/** How a report looks. Zero-filled with `size` set is a good default. */
struct tl_report_options {
	size_t size; /**< sizeof(struct tl_report_options) */
	enum tl_report_form form;
	/** column name (see tl_report_sort_columns()), NULL: self of the first event */
	const char *sort;
	bool ascending;
	uint32_t top; /**< at most so many rows, 0: all (text: 40, unless `all`) */
	bool all;
	bool threads; /**< a row a function and thread */
	/** times in seconds instead of ticks (text shows readable units anyway) */
	bool seconds;
	bool color;
	unsigned width;         /**< of the terminal, 0: unbounded */
	const uint32_t *events; /**< which events, in this order; NULL: all */
	uint32_t event_count;
	/** tree: leave out functions below this share of the total, in percent; < 0: default */
	double threshold;
	enum tl_profile_unit by; /**< function table: a row for each of these */
	/** functions that call each other in a cycle as a row of their own, too (not by thread) */
	bool cycles;
	/** function table: only functions that were called while they ran already */
	bool recursive;
	/**
	 * text without a `width`: of a name longer than 40 columns parameters are elided,
	 * f(...), and if that is not enough template arguments, f<...>(...); nothing is cut
	 */
	bool short_names;
	/**
	 * function table: a row a function, thread and interval (the `number` of a part, less 1).
	 * Unless `sort` says otherwise, in the order of intervals; `top` rows of each, 0: all
	 * (text: 10, unless `all`)
	 */
	bool intervals;
};

/** The names `sort` takes; ends with a NULL. */
TL_API const char *const *tl_report_sort_columns(void);

/** The function table (docs: "report"). */
TL_API int tl_report_functions(const struct tl_profile *profile,
			       const struct tl_report_options *options, struct tl_output *out,
			       struct tl_error *err);

enum tl_tree_kind {
	TL_TREE_CALLERS,   /**< each function with its callers */
	TL_TREE_CALLEES,   /**< each function with its callees */
	TL_TREE_BOTH,      /**< callers above, callees below */
	TL_TREE_TOP_DOWN,  /**< the calling-context tree from its roots */
	TL_TREE_BOTTOM_UP, /**< each function, then its callers' paths */
	/** each chosen function, and all from which calls lead to it, with their number */
	TL_TREE_ALL_CALLERS,
	TL_TREE_ALL_CALLEES, /**< the same of what calls lead to from it */
};

/** Callers, callees, or a call tree (docs: "tree"). */
TL_API int tl_report_tree(const struct tl_profile *profile, enum tl_tree_kind kind,
			  const struct tl_report_options *options, struct tl_output *out,
			  struct tl_error *err);

/**
 * The names `sort` takes in tl_report_diff(); ends with a NULL. "EVENT:change" and the like name an
 * event, too.
 */
TL_API const char *const *tl_report_diff_sort_columns(void);

/**
 * The table of differences (docs: "diff"): `events` are numbers of events of the diff, `threshold`
 * is a share of the larger total, and text leaves out rows without a change unless `all`.
 */
TL_API int tl_report_diff(const struct tl_diff *diff, const struct tl_report_options *options,
			  struct tl_output *out, struct tl_error *err);

/** The same as a Markdown table, with the rows that the text has. */
TL_API int tl_report_diff_markdown(const struct tl_diff *diff,
				   const struct tl_report_options *options, struct tl_output *out,
				   struct tl_error *err);

/** What grew by more than a limit. */
struct tl_diff_gate {
	uint64_t count;       /**< costs of rows that did, of all chosen events */
	bool total_grew;      /**< whether the total of a chosen event did */
	double total_percent; /**< the largest growth of a total; infinite from nothing */
	const char *worst;    /**< name of the function that grew most, NULL: none did */
	double worst_percent; /**< its growth; infinite for what is new */
	uint32_t worst_event; /**< the event of the diff by which it did */
};

/**
 * What grew by more than `percent` of its cost before, among the rows that tl_report_diff() has
 * with these options, those that `top` cuts off included. What is new has grown by more than any
 * limit; `threshold` leaves out what does not matter.
 * @param size  sizeof(*gate)
 */
TL_API int tl_report_diff_gate(const struct tl_diff *diff, const struct tl_report_options *options,
			       double percent, struct tl_diff_gate *gate, size_t size,
			       struct tl_error *err);

/**
 * The comparison of several runs a side (docs: "diff --runs"): the total, what differs by more than
 * chance, and, in the machine forms and with `all`, the other functions.
 */
TL_API int tl_report_runs(const struct tl_runs *runs, const struct tl_report_options *options,
			  struct tl_output *out, struct tl_error *err);
/** The same as a Markdown table. */
TL_API int tl_report_runs_markdown(const struct tl_runs *runs,
				   const struct tl_report_options *options, struct tl_output *out,
				   struct tl_error *err);

/** The names `sort` takes in tl_report_spread(); ends with a NULL. */
TL_API const char *const *tl_report_spread_sort_columns(void);
/**
 * What functions cost in many files (docs: "report --spread"): the total, the functions, those
 * first that differ most (by their standard deviation), and the files that stand out; in JSON all
 * files. `by` says what the profile's origins are called.
 */
TL_API int tl_report_spread(const struct tl_spread *spread, const struct tl_report_options *options,
			    struct tl_output *out, struct tl_error *err);

/**
 * The comparison of two executions (docs: "diff --flow"): the first difference and where they part
 * again, as text; CSV has a row for each place; JSON has all that there is. Of `options`, `form`,
 * `top` (places; text: 20, unless `all`) and `all` are used.
 */
TL_API int tl_report_flow(const struct tl_flow *flow, const struct tl_report_options *options,
			  struct tl_output *out, struct tl_error *err);

struct tl_binary;

/**
 * Choice of what is annotated. Zero-filled with `size` set, threshold < 0 and context -1 is a good
 * default.
 */
struct tl_annotate_options {
	size_t size; /**< sizeof(struct tl_annotate_options) */
	/** only files that match this POSIX extended regular expression, NULL: all */
	const char *file;
	/** where sources are looked for before the path as recorded, in this order */
	const char *const *source_dirs;
	size_t source_dir_count;
	/** the heaviest files (functions) that have this share of the cost, in percent; < 0: 99 */
	double threshold;
	int context; /**< lines around a line with a cost; < 0: 8 */
	/** assembly: the binaries with the code of functions */
	struct tl_binary *const *binaries;
	size_t binary_count;
	bool assembly; /**< functions by instruction instead of files by line */
	/**
	 * Code as it ran, which is shown instead of that of `binaries`: fills `bytes`
	 * with up to `size` bytes of an object, named as in the profile, at an address. @return the
	 * number of bytes. NULL: the code that ran is not known.
	 */
	size_t (*code)(void *arg, const char *object, uint64_t address, uint8_t *bytes,
		       size_t size);
	void *code_arg;
	/**
	 * The binary of an object, named as in the profile, where none of `binaries` has the code:
	 * one that is found by what the input says. NULL: there is none. It is used by one call at
	 * a time, with `code_arg`. NULL: none is known.
	 */
	struct tl_binary *(*binary)(void *arg, const char *object);
	/** e_machine (ELF) of what `code` gives; 0: x86-64 */
	unsigned code_machine;
};

/**
 * Source files with the cost, the calls and the jumps of each line; or functions by instruction
 * (docs: "annotate"). Functions that were not chosen (tl_profile_choose()) are left out. A file
 * that cannot be read is reported as such, and its lines are shown without text. Of `options`, only
 * form, events, color, seconds and width are used.
 */
TL_API int tl_report_annotate(const struct tl_profile *profile,
			      const struct tl_annotate_options *what,
			      const struct tl_report_options *options, struct tl_output *out,
			      struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
