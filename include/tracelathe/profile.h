/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_PROFILE_H
#define TRACELATHE_PROFILE_H
/**
 * @file
 * The one profile model. Every input folds into it; every report and export reads it.
 *
 * It is the Callgrind model (functions, cost lines, arcs, jumps, several event types, parts) plus
 * time and context (a calling-context tree per part, call durations). Costs are signed 64-bit sums;
 * a sum that does not fit saturates and is counted in `losses.saturated`. Things are numbered from
 * 0 in the order they were first met; the numbers and all pointers returned here stay valid until
 * the profile is changed or freed. Strings are UTF-8 as the input had them, never NULL, "" when
 * unknown.
 */
#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tl_profile;

/** A kind of cost: Ir, Ticks, ... */
struct tl_event {
	const char *name;      /**< short name, "Ticks" */
	const char *long_name; /**< "Instruction Fetches", or "" */
	const char *unit;      /**< "ticks", "ns", "instructions", "bytes", or "" */
	/** "Ir + Dr" for an inherited event (computed from others), else "" */
	const char *formula;
};

/** A function: (object, file, name), or its number in the trace where no name is known. */
struct tl_function {
	/** demangled unless asked otherwise; "#7" when the trace only has the number 7 */
	const char *name;
	const char *object; /**< ELF file */
	const char *file;   /**< source file */
	uint64_t id;        /**< number in the trace, TL_NOWHERE: none */
	uint64_t address;   /**< entry address, 0: unknown */
	uint32_t line;      /**< first line, 0: unknown */
};

/** A place in the program. */
struct tl_position {
	const char *file; /**< source file (may differ from the function's: inlining) */
	uint64_t address; /**< instruction address, 0: unknown */
	uint64_t block;   /**< basic-block address, 0: unknown */
	uint32_t line;    /**< 0: unknown */
};

/** Self cost of a place of a function. */
struct tl_cost_line {
	uint32_t function;
	uint32_t part;
	struct tl_position at;
};

/** Calls from a place of one function to another, with the inclusive cost of the calls. */
struct tl_arc {
	uint32_t caller, callee; /**< functions; caller TL_NONE: called from outside the trace */
	uint32_t part;           /**< TL_NONE: all parts */
	struct tl_position from, to;
	uint64_t calls;
};

/** A jump inside or between functions. */
struct tl_jump {
	uint32_t function, target;
	uint32_t part;
	struct tl_position from, to;
	uint64_t executed, taken; /**< taken == executed when unconditional */
	bool conditional;
};

/** What the numbers of calls in a profile count. */
enum tl_call_count {
	TL_CALLS_ENDED,   /**< calls that ended; those that did not are `unfinished` */
	TL_CALLS_ENTERED, /**< calls that were entered; `unfinished` and `cut` are among them */
	TL_CALLS_GIVEN,   /**< what the profile that was read says, which may be 0 for calls */
	TL_CALLS_NONE,    /**< nothing: the profile is of samples, its numbers of calls are 0 */
};

/** A node of the calling-context tree: one function called along one path. */
struct tl_context {
	/** context, TL_NONE: a root; always less than the node's own number */
	uint32_t parent;
	uint32_t function;
	uint32_t part;
	/** see enum tl_call_count */
	uint64_t calls;
	/** calls still open when the trace ended; TL_CALLS_ENTERED: they are among `calls` */
	uint64_t unfinished;
	/** of `calls`: those whose end is not in the trace */
	uint64_t cut;
};

/**
 * Shares of one trace that are folded at the same time, each by who has its own memory, since one
 * needs what others found: where a call stands depends on all calls before it. The caller of each
 * fold passes bytes between them. All functions return 0, or a negative tl_status, with which the
 * fold ends, too: there will be no answer, as another share could not be folded.
 */
struct tl_share_chain {
	/**
	 * What this share found; waits for what all of them did: their bytes, one behind the other
	 * in the order of the shares, for free().
	 */
	int (*meet)(void *arg, const void *mine, size_t size, void **all, size_t *all_size);
	/** Wait for what the share before, of which there is one, told after(); for free(). */
	int (*before)(void *arg, void **state, size_t *size);
	/** Tell the next share, of which there is one. */
	int (*after)(void *arg, const void *state, size_t size);
	void *arg;
};

/** Calls and bytes that the fold could not account for (docs/design.md, "The fold"). */
struct tl_losses {
	uint64_t orphan_exits; /**< exits without an entry: dropped, time untouched */
	/** calls closed because one below them exited (longjmp, exceptions, lost exits) */
	uint64_t deduced_exits;
	uint64_t unfinished;     /**< frames still open at the end */
	uint64_t time_reversals; /**< steps back of the clock: counted as no time */
	uint64_t gaps;           /**< places where records are known to be missing */
	uint64_t skipped_bytes;  /**< input bytes no record was made of */
	uint64_t skipped_records;
	uint64_t saturated; /**< sums that did not fit 64 bits */
	/** calls closed because they cannot have made the next one: the program's code says so */
	uint64_t left_calls;
	uint64_t gap_ends; /**< calls that ended where records are missing */
	/** calls taken to go on across a place where records are missing */
	uint64_t bridged;
	/** calls, at most, that a caller further out may have made (a call in between was left) */
	uint64_t uncertain;
};

/** One measured unit: a thread of a trace, a part of a Callgrind file. */
struct tl_part {
	uint64_t process, thread; /**< TL_NOWHERE: unknown */
	uint64_t number;          /**< part number, 0: none */
	const char *command;      /**< command line or thread name, "" */
	const char *header;       /**< further header text, lines, "" */
	/** absolute time of the first and last record; both 0: none */
	uint64_t first_ticks, last_ticks;
	uint64_t records;        /**< records folded */
	struct tl_losses losses; /**< stays the last member, so that it may grow */
};

/** Call durations of one function, in ticks of the profile's clock. */
struct tl_latency {
	uint64_t calls;    /**< finished calls that were timed */
	uint64_t min, max; /**< exact */
	uint64_t sum;      /**< whole durations; recursion counts every level */
	/** t[n/2], t[floor(.9 n)], t[floor(.99 n)] of the sorted durations */
	uint64_t median, p90, p99;
	/** else the quantiles have a relative error of at most 0.4 % */
	bool exact;
};

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Elements are numbered from 0. For an element that does not exist a function returns NULL, or a
 * cost vector of zeros.
 */

/** Ticks per second of the clock, 0: unknown or no clock. */
TL_API uint64_t tl_profile_frequency(const struct tl_profile *profile);
/** True when the input was a trace with a clock: latencies exist, costs of event 0 are ticks. */
TL_API bool tl_profile_timed(const struct tl_profile *profile);
/**
 * True when its call stacks are estimated, so that all that is said of paths is, too (see
 * tl_profile_stacks()).
 */
TL_API bool tl_profile_estimated(const struct tl_profile *profile);
/**
 * True when an emulator ran the program (`record --how emulate`), or one of the programs that were
 * merged: ticks and durations are those of the emulator, which translates code when it is first
 * executed; instructions and calls are those of the program.
 */
TL_API bool tl_profile_emulated(const struct tl_profile *profile);
/**
 * The event that reports show as the `place`th, from 0: the first one sorts. It is the event of
 * that number, but where an emulator ran the program its instructions come before its ticks.
 */
TL_API uint32_t tl_profile_shown_event(const struct tl_profile *profile, uint32_t place);
/**
 * True when sums of functions were kept without the contexts that they are of (TL_DETAIL_TABLE,
 * TL_DETAIL_GRAPH, `flat` of struct tl_call_span): contexts and lines do not tell all of it.
 */
TL_API bool tl_profile_flat(const struct tl_profile *profile);
/** What its numbers of calls count; TL_CALLS_ENDED unless it was set. */
TL_API enum tl_call_count tl_profile_call_count(const struct tl_profile *profile);
/** The format the profile came from ("xray", ...), "" when built by hand. */
TL_API const char *tl_profile_format(const struct tl_profile *profile);

TL_API uint32_t tl_profile_event_count(const struct tl_profile *profile);
TL_API const struct tl_event *tl_profile_event(const struct tl_profile *profile, uint32_t event);
TL_API uint32_t tl_profile_part_count(const struct tl_profile *profile);
TL_API const struct tl_part *tl_profile_part(const struct tl_profile *profile, uint32_t part);
TL_API uint32_t tl_profile_function_count(const struct tl_profile *profile);
TL_API const struct tl_function *tl_profile_function(const struct tl_profile *profile,
						     uint32_t function);
/** 0 when the profile has no contexts (read from a format without call stacks). */
TL_API uint32_t tl_profile_context_count(const struct tl_profile *profile);
TL_API const struct tl_context *tl_profile_context(const struct tl_profile *profile,
						   uint32_t context);
TL_API uint32_t tl_profile_line_count(const struct tl_profile *profile);
TL_API const struct tl_cost_line *tl_profile_line(const struct tl_profile *profile, uint32_t line);
TL_API uint32_t tl_profile_arc_count(const struct tl_profile *profile);
TL_API const struct tl_arc *tl_profile_arc(const struct tl_profile *profile, uint32_t arc);
TL_API uint32_t tl_profile_jump_count(const struct tl_profile *profile);
TL_API const struct tl_jump *tl_profile_jump(const struct tl_profile *profile, uint32_t jump);

/** Cost vectors: tl_profile_event_count() numbers. `part` TL_NONE: the sum over all parts. */
TL_API const int64_t *tl_profile_total(const struct tl_profile *profile);
TL_API const int64_t *tl_profile_line_cost(const struct tl_profile *profile, uint32_t line);
TL_API const int64_t *tl_profile_arc_cost(const struct tl_profile *profile, uint32_t arc);
TL_API const int64_t *tl_profile_context_self(const struct tl_profile *profile, uint32_t context);
TL_API const int64_t *tl_profile_context_inclusive(const struct tl_profile *profile,
						   uint32_t context);

/**
 * A function's totals over all parts, or in one. Inclusive: the cost while the function is on the
 * stack at all.
 */
struct tl_function_totals {
	uint64_t calls, unfinished;
	const int64_t *self, *inclusive;
	uint64_t cut; /**< of `calls`: no duration is known */
};
/**
 * @param part  TL_NONE: all parts
 * @param size  sizeof(*totals)
 * @return 0, or TL_BAD_USAGE for a size that no release had
 */
TL_API int tl_profile_function_totals(const struct tl_profile *profile, uint32_t function,
				      uint32_t part, struct tl_function_totals *totals,
				      size_t size);

/**
 * Call durations of a function over all parts (part TL_NONE), or in one if the fold kept them
 * apart.
 * @param size  sizeof(*latency)
 * @return false when there are none, or for a size that no release had
 */
TL_API bool tl_profile_latency(const struct tl_profile *profile, uint32_t function, uint32_t part,
			       struct tl_latency *latency, size_t size);

/**
 * The losses of all parts together, and those of no part.
 * @param size  sizeof(*losses)
 * @return 0, or TL_BAD_USAGE for a size that no release had
 */
TL_API int tl_profile_losses(const struct tl_profile *profile, struct tl_losses *losses,
			     size_t size);

/** Names of usual events that are formulas of others, by number: "CEst"; NULL behind the last. */
TL_API const char *tl_usual_event(size_t number);
/** The formula of a usual event over what simulators count; NULL: there is none of that name. */
TL_API const char *tl_usual_formula(const char *name);
/**
 * Add an event to a finished profile that is a formula over its others, and compute all its costs.
 * @param text  "NAME=FORMULA", such as "X=Ir+10*D1mr", or the name of a usual event: that is the
 *              sum of those of its terms that the profile has. An event of the same name that the
 *              profile has already stays as it is if the text is only a name, or the same formula
 * @return the event's number; TL_BAD_USAGE: not a formula over the profile's events, or the name is
 *         taken; TL_UNSUPPORTED: the profile lacks what a usual event is made of; TL_NO_MEMORY
 */
TL_API int64_t tl_profile_add_formula(struct tl_profile *profile, const char *text,
				      struct tl_error *err);

/** Free; NULL is fine. */
TL_API void tl_profile_free(struct tl_profile *profile);

/* ---- building -------------------------------------------------------------------------------- */

/*
 * A function that takes a struct takes its size behind it: sizeof of the caller's struct. Members
 * that the caller's header does not have are taken as zero.
 */

/**
 * An empty profile with these events.
 * @param format      static text
 * @param event_size  sizeof(*events)
 * @param frequency   ticks per second, 0: unknown
 */
TL_API int tl_profile_new(struct tl_profile **profile, const char *format,
			  const struct tl_event *events, size_t event_size, uint32_t event_count,
			  uint64_t frequency, struct tl_error *err);
/** Say what the numbers of calls count. */
TL_API void tl_profile_set_call_count(struct tl_profile *profile, enum tl_call_count count);
/*
 * A number of a function, context or part that was not added before is refused with TL_BAD_USAGE;
 * part 0 of a profile without parts is fine.
 */

/** Add a part. @return its number, or a negative tl_status */
TL_API int64_t tl_profile_add_part(struct tl_profile *profile, const struct tl_part *part,
				   size_t size, struct tl_error *err);
/**
 * The number of the function (object, file, name, id), added if new. @return its number, or a
 * negative tl_status
 */
TL_API int64_t tl_profile_add_function(struct tl_profile *profile,
				       const struct tl_function *function, size_t size,
				       struct tl_error *err);
/** Add self cost at a place; the same place sums up. `cost` has one number per event. */
TL_API int tl_profile_add_line(struct tl_profile *profile, const struct tl_cost_line *line,
			       size_t size, const int64_t *cost, struct tl_error *err);
/** Add calls along an arc; the same arc sums up. */
TL_API int tl_profile_add_arc(struct tl_profile *profile, const struct tl_arc *arc, size_t size,
			      const int64_t *inclusive, struct tl_error *err);
/** Add executions of a jump; the same jump sums up. */
TL_API int tl_profile_add_jump(struct tl_profile *profile, const struct tl_jump *jump, size_t size,
			       struct tl_error *err);
/**
 * The number of the context (parent, function, part), added if new. @return its number, or a
 * negative tl_status
 */
TL_API int64_t tl_profile_add_context(struct tl_profile *profile, uint32_t parent,
				      uint32_t function, uint32_t part, struct tl_error *err);
/** Add calls and self cost to a context. */
TL_API void tl_profile_add_context_cost(struct tl_profile *profile, uint32_t context,
					uint64_t calls, const int64_t *self);
/**
 * Derive totals, inclusive costs and (where contexts exist) lines and arcs. Call once, after the
 * last addition.
 */
TL_API int tl_profile_finish(struct tl_profile *profile, struct tl_error *err);

/* ---- a narrower view ------------------------------------------------------------------------- */

/** Functions by name. Patterns are POSIX extended regular expressions; both must match. */
struct tl_profile_filter {
	size_t size;          /**< sizeof(struct tl_profile_filter) */
	const char *function; /**< NULL: all */
	const char *object;   /**< NULL: all */
	/** tl_profile_filtered(): without stacks through a function whose name matches */
	const char *ignore;
};

/**
 * Choose the functions that tables show. No number changes: totals, shares and the costs of others
 * stay what they are.
 * @return 0, TL_BAD_USAGE for a pattern that does not compile, TL_NO_MEMORY
 */
TL_API int tl_profile_choose(struct tl_profile *profile, const struct tl_profile_filter *filter,
			     struct tl_error *err);
/** True when the function was chosen, or none ever was. */
TL_API bool tl_profile_chosen(const struct tl_profile *profile, uint32_t function);

/**
 * A new profile of the contexts whose path has a matching function (from the root down to the last
 * function below it), or, without contexts, of the matching functions' lines and the arcs that
 * touch one. Finished.
 * @return 0, TL_BAD_USAGE for a pattern that does not compile, TL_NO_MEMORY
 */
TL_API int tl_profile_filtered(struct tl_profile **filtered, const struct tl_profile *profile,
			       const struct tl_profile_filter *filter, struct tl_error *err);
/**
 * A new profile in which what was spent in functions whose name matches, and in those that they
 * call, is no cost of the first event but of one more, "Idle", with the same unit. Calls and
 * durations stay what they are. Finished.
 * @param pattern  POSIX extended regular expression
 * @return 0; TL_UNSUPPORTED for a profile without contexts; TL_BAD_USAGE for a pattern that does
 *         not compile; TL_NO_MEMORY
 */
TL_API int tl_profile_idle_apart(struct tl_profile **apart, const struct tl_profile *profile,
				 const char *pattern, struct tl_error *err);

/* ---- several profiles ------------------------------------------------------------------------ */

/**
 * A new profile of everything in `count` finished ones. Order-free and associative: the same
 * result, to the byte of any export, in whatever order and groups profiles are merged. Events match
 * by name (what a profile lacks is 0), functions by object, file and name, parts by process,
 * thread, number, command and header; durations merge exactly. A call tree is kept if all have one.
 * Finished.
 * @return 0; TL_BAD_USAGE for ticks of different clocks or formulas that contradict; TL_NO_MEMORY
 */
TL_API int tl_profile_merge(struct tl_profile **merged, const struct tl_profile *const *profiles,
			    size_t count, struct tl_error *err);

/** The units that functions are grouped by. */
enum tl_profile_unit {
	TL_BY_FUNCTION,
	TL_BY_FILE,
	TL_BY_OBJECT,
	TL_BY_CLASS,     /**< the class or namespace that a demangled name stands in */
	TL_BY_NAMESPACE, /**< the outermost class or namespace of a demangled name */
	TL_BY_CYCLE,     /**< functions that call each other in a cycle are one */
	TL_BY_PART,      /**< parts of the profile: threads, processes, dumps */
	/** where profiles are from; only of what tl_profile_origins() made */
	TL_BY_TRACE,
	TL_BY_HOST,
	TL_BY_PROCESS,
	/** parts by their `command`: of a profile that was split so (struct tl_input_part) */
	TL_BY_LEVEL,
	TL_BY_TASK,
	/** control groups, as Linux names them: as TL_BY_TRACE */
	TL_BY_CGROUP,
};

/**
 * A new profile with a "function" for each unit, named after it: self, inclusive
 * (recursion counted once), arcs and contexts are those of the unit; calls and durations those of
 * all its functions. Where units call each other back and there are no contexts, inclusive is an
 * upper bound. Finished.
 */
TL_API int tl_profile_grouped(struct tl_profile **grouped, const struct tl_profile *profile,
			      enum tl_profile_unit by, struct tl_error *err);

/* ---- many files ------------------------------------------------------------------------------ */

/** How tl_profile_origins() reduces a profile. */
struct tl_origin_options {
	size_t size;             /**< sizeof(struct tl_origin_options) */
	enum tl_profile_unit by; /**< TL_BY_TRACE, TL_BY_HOST, TL_BY_PROCESS, TL_BY_CGROUP */
	const char *name;        /**< of the trace, for TL_BY_TRACE */
	bool functions;          /**< keep functions, for tl_spread_make(); else all are one */
};

/**
 * A new profile of what a profile cost by where it is from: a part for each origin, named by its
 * `command` ("(unknown)" where the profile does not tell), with self cost as lines, and calls (with
 * the inclusive cost, if there is one origin) as arcs from outside. Only functions that are chosen
 * count, unless they are kept. Ticks of a clock of known frequency become nanoseconds, each number
 * rounded to the nearest, and those of an unknown one an event of another name, so that such
 * profiles of any clocks can be merged. Finished.
 * @return 0; TL_BAD_USAGE for another unit or no name of a trace; TL_NO_MEMORY
 */
TL_API int tl_profile_origins(struct tl_profile **origins, const struct tl_profile *profile,
			      const struct tl_origin_options *options, struct tl_error *err);
/** Whether some of the costs are of an origin that the profiles do not tell. */
TL_API bool tl_profile_origin_unknown(const struct tl_profile *origins);

/** What functions cost in many files (hosts, processes), and which of these stand out. */
struct tl_spread;

struct tl_spread_options {
	size_t size;       /**< sizeof(struct tl_spread_options) */
	const char *event; /**< by its name, or "calls"; NULL: the first one */
	bool inclusive;    /**< inclusive costs instead of self costs */
	/** percent of the total's median: what differs by less does not stand out; 0: 1 */
	double threshold;
};

/**
 * A function over the origins that have the event, 0 where it did not run. Times are in
 * nanoseconds where tl_spread_rate() says so.
 */
struct tl_spread_row {
	const struct tl_function *function; /**< NULL: the total */
	size_t count;                       /**< origins in which it has a cost */
	double min, median, max, mean;
	double deviation;         /**< standard deviation of a sample (n - 1); 0 of one origin */
	double variation;         /**< coefficient of variation: deviation / mean; NAN for mean 0 */
	const char *least, *most; /**< the first origins, by name, that have `min` and `max` */
	size_t outliers;          /**< origins that stand out by it */
};

/** A file, host or process. */
struct tl_spread_origin {
	const char *name;
	bool has_event; /**< else nothing of the rest is known */
	double total;
	double score;     /**< of the total: the modified z-score (Iglewicz and Hoaglin) */
	bool stands_out;  /**< by the total, or by a function */
	size_t functions; /**< by which it stands out */
	/** the one of them that is furthest off its median; NULL: none */
	const struct tl_function *function;
	double cost, median; /**< of that function: here, and over all origins */
};

/**
 * Statistics over the origins of a profile of tl_profile_origins() with `functions`, or of several
 * of them merged, which has to live as long as the result. An origin stands out by a row where the
 * modified z-score of its cost is above 3.5, up or down, and the cost is off the median by at least
 * the threshold. Functions that are not chosen, or cost nothing anywhere, have no row.
 * @return 0; TL_UNSUPPORTED: there is no such event; TL_NO_MEMORY
 */
TL_API int tl_spread_make(struct tl_spread **spread, const struct tl_profile *profile,
			  const struct tl_spread_options *options, struct tl_error *err);
/** The name of the event, and of its unit. */
TL_API const char *tl_spread_event(const struct tl_spread *spread);
TL_API const char *tl_spread_unit(const struct tl_spread *spread);
/** Units of costs per second where they are times, else 0. */
TL_API uint64_t tl_spread_rate(const struct tl_spread *spread);
/** The first row is the total; the others come in no order that means anything. */
TL_API size_t tl_spread_row_count(const struct tl_spread *spread);
/**
 * @param size  sizeof(*to)
 * @return 0; TL_BAD_USAGE where there is no such row, or for a size that no release had
 */
TL_API int tl_spread_row(const struct tl_spread *spread, size_t row, struct tl_spread_row *to,
			 size_t size);
/** Origins by name; the same rules. */
TL_API size_t tl_spread_origin_count(const struct tl_spread *spread);
TL_API int tl_spread_origin(const struct tl_spread *spread, size_t origin,
			    struct tl_spread_origin *to, size_t size);
/** Free; NULL is fine. */
TL_API void tl_spread_free(struct tl_spread *spread);

/* ---- differences ----------------------------------------------------------------------------- */

/** Two profiles compared, row by row. */
struct tl_diff;

/**
 * What is compared: self (or inclusive) cost of functions, inclusive cost of arcs, self cost of
 * lines.
 */
enum tl_diff_unit { TL_DIFF_FUNCTIONS, TL_DIFF_ARCS, TL_DIFF_LINES };

/**
 * Every match of a POSIX extended regular expression in a name becomes `text`; \0 to \9 in it are
 * groups.
 */
struct tl_rename {
	const char *pattern, *text;
};

/** How two profiles are compared. Zero-filled with `size` set is a good default. */
struct tl_diff_options {
	size_t size; /**< sizeof(struct tl_diff_options) */
	enum tl_diff_unit by;
	bool inclusive; /**< functions by their inclusive cost */
	/** of function names on both sides, one after the other */
	const struct tl_rename *renames;
	size_t rename_count;
	/** of functions and arcs: their calls as one more event, "calls", the last one */
	bool calls;
};

/**
 * A function, arc or line on both sides; its cost is 0 on a side that does not have it. Cost
 * vectors have tl_diff_event_count() numbers.
 */
struct tl_diff_row {
	const struct tl_function *function; /**< names after renaming; of an arc the callee */
	const struct tl_function *caller;   /**< of an arc, NULL: called from outside */
	const char *file;                   /**< of a line */
	uint32_t line;                      /**< of a line, 0: unknown */
	bool in_before, in_after;
	uint64_t calls_before, calls_after; /**< of functions and arcs */
	const int64_t *before, *after;
};

/**
 * Compare two finished profiles, of whatever formats, which must live as long as the result.
 * Events match by name. Of the others, the first one of each side that measures time (in ns, or in
 * ticks of a known frequency) become one event "time" in ns, and the first ones that count
 * instructions one event "instructions". If no event is in both then, the calls of functions and
 * arcs are the event, as with `calls`, where both profiles count them. Functions match by object,
 * file and name, and the remaining ones by name where it is the only one on each side. Ticks of
 * clocks with different known frequencies are compared in nanoseconds. Functions that are not
 * chosen (tl_profile_choose()) on either side are left out. Rows come in no order that means
 * anything, but always in the same.
 * @return 0, TL_BAD_USAGE for a pattern that does not compile, TL_UNSUPPORTED: nothing can be
 *         compared, as nothing is in both; TL_NO_MEMORY
 */
TL_API int tl_profile_diff(struct tl_diff **diff, const struct tl_profile *before,
			   const struct tl_profile *after, const struct tl_diff_options *options,
			   struct tl_error *err);
TL_API enum tl_diff_unit tl_diff_by(const struct tl_diff *diff);
TL_API uint32_t tl_diff_event_count(const struct tl_diff *diff);
/** Events of `before`, then those only `after` has. */
TL_API const struct tl_event *tl_diff_event(const struct tl_diff *diff, uint32_t event);
/** Whether both sides have the event: of others every cost is new, or gone. */
TL_API bool tl_diff_event_common(const struct tl_diff *diff, uint32_t event);
/**
 * What the profile of a side calls an event, which may be another name than that of the difference
 * ("Ticks" for "time"). NULL: the profile does not have it, or it is the number of calls.
 */
TL_API const char *tl_diff_event_name(const struct tl_diff *diff, uint32_t event, bool after);
/** Units of an event per second where it measures time on both sides, else 0. */
TL_API uint64_t tl_diff_rate(const struct tl_diff *diff, uint32_t event);
/** The profiles' totals, as vectors of a row. */
TL_API const int64_t *tl_diff_total(const struct tl_diff *diff, bool after);
TL_API const struct tl_profile *tl_diff_profile(const struct tl_diff *diff, bool after);
TL_API uint32_t tl_diff_row_count(const struct tl_diff *diff);
/**
 * @param size  sizeof(*to)
 * @return 0; TL_BAD_USAGE where there is no such row, or for a size that no release had
 */
TL_API int tl_diff_row(const struct tl_diff *diff, uint32_t row, struct tl_diff_row *to,
		       size_t size);
/** Free; NULL is fine. */
TL_API void tl_diff_free(struct tl_diff *diff);

/* ---- several runs a side --------------------------------------------------------------------- */

/** Runs of two programs, or of two versions of one, and what differs by more than chance. */
struct tl_runs;

/** How runs are compared. Zero-filled with `size` set is a good default. */
struct tl_runs_options {
	size_t size;                     /**< sizeof(struct tl_runs_options) */
	const char *event;               /**< by its name; NULL: the first that both sides have */
	const struct tl_rename *renames; /**< as in struct tl_diff_options */
	size_t rename_count;
};

/**
 * A function in all runs; costs are in nanoseconds where tl_runs_rate() says so. `percent` is the
 * change of the mean, with the limits of its 95 % confidence interval; NAN where the mean before
 * is not above 0.
 */
struct tl_run_row {
	const struct tl_function *function; /**< NULL: the total */
	const double *before, *after;       /**< costs by run, 0 where it did not run */
	size_t before_count, after_count;
	double median_before, median_after;
	double percent, low_percent, high_percent;
	double p;          /**< of Welch's t-test, two-sided */
	double adjusted_p; /**< after Benjamini and Hochberg, over all functions */
	double effect;     /**< Hedges' g: the change in standard deviations of the runs */
	bool significant;  /**< adjusted_p <= 0.01 */
};

TL_API int tl_runs_open(struct tl_runs **runs, struct tl_error *err);
/**
 * Add a run by its finished profile, which is not needed afterwards: self (or inclusive) costs of
 * its functions are kept. Who is who is decided as by tl_profile_diff().
 * @return 0; TL_UNSUPPORTED for other events than those of the runs before, TL_NO_MEMORY
 */
TL_API int tl_runs_add(struct tl_runs *runs, bool after, const struct tl_profile *profile,
		       bool inclusive, struct tl_error *err);
/**
 * Compare the sides, once, after the last run. Each function is tested by Welch's t-test, in which
 * the rounding of counts is a part of the variance; functions without cost in any run have no row.
 * @return 0; TL_BAD_USAGE with less than two runs a side or a bad rename; TL_UNSUPPORTED: there is
 *         no such event; TL_NO_MEMORY
 */
TL_API int tl_runs_compare(struct tl_runs *runs, const struct tl_runs_options *options,
			   struct tl_error *err);
/** The event that was compared. */
TL_API const struct tl_event *tl_runs_event(const struct tl_runs *runs);
/** Units of costs per second where they are times, else 0. */
TL_API uint64_t tl_runs_rate(const struct tl_runs *runs);
/** The first row is the total; the others come in no order that means anything. */
TL_API size_t tl_runs_row_count(const struct tl_runs *runs);
/**
 * @param size  sizeof(*to)
 * @return 0; TL_BAD_USAGE where there is no such row, or for a size that no release had
 */
TL_API int tl_runs_row(const struct tl_runs *runs, size_t row, struct tl_run_row *to, size_t size);
/** Free; NULL is fine. */
TL_API void tl_runs_free(struct tl_runs *runs);

#ifdef __cplusplus
}
#endif
#endif
