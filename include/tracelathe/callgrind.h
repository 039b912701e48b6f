/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_CALLGRIND_H
#define TRACELATHE_CALLGRIND_H
/**
 * @file
 * Callgrind profiles (format version 1), Cachegrind profiles, and what some thirty other programs
 * write in that format.
 *
 * Section names in quotes are those of the published "Callgrind Format Specification";
 * docs/formats/callgrind.md says how real files differ from it and what we do (its rules A to N).
 * Writing is an exporter: tl_exporter_find("callgrind").
 */
#include <tracelathe/core.h>
#include <tracelathe/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tl_callgrind_reader;

/** What a line, or a pair of lines, says. */
enum tl_callgrind_kind {
	TL_CALLGRIND_COMMENT = 1, /**< `text` */
	TL_CALLGRIND_HEADER,      /**< "key: text" */
	TL_CALLGRIND_NAME,        /**< "key=(id) name": `name`, and `id` if there is one */
	TL_CALLGRIND_COST,        /**< self cost at `at` */
	/** "calls=" and its cost line: `count` calls from `at` to `to`, inclusive cost */
	TL_CALLGRIND_CALL,
	TL_CALLGRIND_JUMP, /**< "jump=" or "jcnd=" and its source line */
	/** a line that is known and says nothing of cost: "bb=", "rec=", ... */
	TL_CALLGRIND_OTHER,
	TL_CALLGRIND_LOST,     /**< a line that was skipped; `text` says why */
	TL_CALLGRIND_PART_END, /**< the part is complete: `costs` is the sum of its self costs */
	TL_CALLGRIND_KIND_COUNT
};

/** Sub-positions; 0 where the file has no such column. */
struct tl_callgrind_position {
	uint64_t address, block, line;
};

/** Who a cost belongs to: numbers for tl_callgrind_name(), TL_NONE where nothing was said. */
struct tl_callgrind_owner {
	uint32_t object, file, function;
};

/** What "key=(id) name" says. */
struct tl_callgrind_named {
	bool has_id;    /**< "(id)" */
	bool defines;   /**< "(id) name", or a name without an id */
	const char *id; /**< digits, not terminated: ids may have more than 64 bits */
	size_t id_size;
	uint32_t number; /**< of the name, for tl_callgrind_name() */
};

/** Sub-positions of no known kind, in the order of "positions:". */
struct tl_callgrind_further {
	uint32_t count;          /**< 0: there are none */
	const uint64_t *at, *to; /**< `to`: of the target of a call or jump; NULL for self cost */
};

/** One item. Pointers live until the next call on the reader. */
struct tl_callgrind_item {
	enum tl_callgrind_kind kind;
	uint64_t offset, length; /**< bytes of its line or lines, in the expanded input */
	uint64_t line;           /**< number of its first line, from 1 */
	uint32_t part;           /**< from 0, as they stand in the file */
	/** static; header, names, other: what stands before ':' or '=' */
	const char *key;
	/** not terminated; header: the value; comment, other: the line; lost: why */
	const char *text;
	size_t text_size;
	struct tl_callgrind_named name; /**< of a name */

	struct tl_callgrind_owner owner; /**< of cost, call, jump; its file is that of "fl=" */
	uint32_t file;                   /**< current file, which "fi=" and "fe=" change (rule E) */
	struct tl_callgrind_owner target; /**< callee, or where the jump leads (rules B, C, D) */
	struct tl_callgrind_position at, to;
	uint64_t count; /**< calls, or executions of a jump; cost: 1 */
	uint64_t taken; /**< of a conditional jump */
	bool conditional;
	const int64_t *costs; /**< in the order of the part's events; those missing are 0 */
	uint32_t cost_count;
	struct tl_callgrind_further further; /**< sub-positions of no known kind */
};

/** How a profile is read. Zero-filled with `size` set is a good default. */
struct tl_callgrind_options {
	size_t size; /**< sizeof(struct tl_callgrind_options) */
	bool strict; /**< stop at the first fault instead of skipping the line */
};

/** The part that the last item belongs to. Strings live until the next call on the reader. */
struct tl_callgrind_part {
	uint64_t process, thread; /**< TL_NOWHERE: not said */
	uint64_t number;          /**< "part:", 0: not said */
	const char *command;      /**< with "\\n" and "\\\\" made newline and backslash */
	const char *creator;
	const char *header;        /**< "desc:" lines, each ended by a newline */
	const char *const *events; /**< names of the cost columns */
	uint32_t event_count;
	const char *const *positions; /**< names of the position columns */
	uint32_t position_count;
};

/** A place where the input is damaged. `text` is static: what was wrong, and what was kept. */
struct tl_callgrind_fault {
	enum tl_status status;
	const char *text;
	uint64_t offset, length;
	uint64_t line; /**< from 1 */
};

/**
 * Recognise a profile by its first bytes (2 KiB are enough).
 * @return 0..100, how sure
 */
TL_API int tl_callgrind_probe(const uint8_t *data, size_t size);

/**
 * Open a profile over a source that was not read from yet and outlives the reader. Nothing is read
 * before the first call of tl_callgrind_next(): the text passes through a small buffer and is never
 * held.
 * @param options  may be NULL
 */
TL_API int tl_callgrind_open(struct tl_callgrind_reader **reader, struct tl_source *source,
			     const struct tl_callgrind_options *options, struct tl_error *err);

/**
 * Read the next item; blank lines are none.
 * @param size  sizeof(*item)
 * @return 1 and an item; 0 at the end; a negative tl_status and `*err` (its record is the line
 *         number): TL_NO_MEMORY, TL_IO, or in strict mode the first fault. Otherwise damage costs
 *         its line and shows as TL_CALLGRIND_LOST.
 */
TL_API int tl_callgrind_next(struct tl_callgrind_reader *reader, struct tl_callgrind_item *item,
			     size_t size, struct tl_error *err);

/** A name by its number, terminated; "" for TL_NONE. Numbers stay valid as long as the reader. */
TL_API const char *tl_callgrind_name(const struct tl_callgrind_reader *reader, uint32_t name);
/**
 * The part that the last item belongs to.
 * @param size  sizeof(*part)
 * @return 0, or TL_BAD_USAGE: a size below that of the first release
 */
TL_API int tl_callgrind_part(const struct tl_callgrind_reader *reader,
			     struct tl_callgrind_part *part, size_t size);

/** Faults met so far: `*count` of them, of which the first 1000 are listed. */
TL_API const struct tl_callgrind_fault *
tl_callgrind_faults(const struct tl_callgrind_reader *reader, size_t *listed, uint64_t *count,
		    uint64_t *skipped_bytes);
TL_API void tl_callgrind_close(struct tl_callgrind_reader *reader);

/* ---- folding --------------------------------------------------------------------------------- */

/** How much of the input a profile keeps. */
enum tl_callgrind_detail {
	TL_CALLGRIND_LINES, /**< everything: cost lines, calls by place, jumps, by part */
	/** one cost line a function, one arc a pair of functions; for tables and trees */
	TL_CALLGRIND_FUNCTIONS,
};

/**
 * Which parts count, and how closely. Zero-filled with `size` set, and the ids at TL_NOWHERE, is
 * "all".
 */
struct tl_callgrind_fold_options {
	size_t size; /**< sizeof(struct tl_callgrind_fold_options) */
	/** TL_NOWHERE: any; a part without a number is selected by its ordinal, from 1 */
	uint64_t part, thread, process;
	enum tl_callgrind_detail detail;
	bool per_part; /**< TL_CALLGRIND_FUNCTIONS: keep parts apart */
	/** set to the index of the reader that an error is about; may be NULL */
	size_t *failed;
	/**
	 * costs, calls and jumps only of those functions whose name's number modulo `shares` is
	 * `share`; `shares` below 2: of all. The shares of one file add up to its profile.
	 */
	uint32_t share, shares;
};

/**
 * Fold the profiles of `count` readers, which are parts of one run, into a finished profile. Events
 * are matched by name, functions by object, file and name. Readers without a byte are skipped when
 * another has some. The readers are used up:
 * only tl_callgrind_faults() and tl_callgrind_close() may follow.
 * @return 0; TL_BAD_FORMAT: no "events:" line; TL_TRUNCATED: nothing at all; TL_NO_MEMORY, TL_IO,
 *         strict: a fault
 */
TL_API int tl_callgrind_fold(struct tl_callgrind_reader *const *readers, size_t count,
			     const struct tl_callgrind_fold_options *options,
			     struct tl_profile **profile, struct tl_error *err);

/* ---- checking -------------------------------------------------------------------------------- */

/** A rule that was broken. `rule` and `text` are static. */
struct tl_callgrind_violation {
	const char *rule; /**< "callgrind.totals", ... */
	const char *text;
	uint64_t offset, line; /**< line from 1; TL_NOWHERE: about the whole */
	uint32_t part;         /**< from 0, TL_NONE: not about a part */
	const char *function;  /**< NULL: not about a function; lives until the callback returns */
	bool damage;           /**< something of the input is lost or doubtful; else a remark */
};
/** @return 0 to go on, anything else to stop */
typedef int tl_callgrind_violation_fn(void *arg, const struct tl_callgrind_violation *violation);

/**
 * Check a profile against its grammar and against the sums it states (docs/formats/callgrind.md,
 * "check").
 * @return number of violations that are damage, or a negative tl_status
 */
TL_API int64_t tl_callgrind_check(struct tl_callgrind_reader *reader, tl_callgrind_violation_fn *fn,
				  void *arg, struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
