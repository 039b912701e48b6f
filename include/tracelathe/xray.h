/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_XRAY_H
#define TRACELATHE_XRAY_H
/**
 * @file
 * XRay traces (LLVM): Flight Data Recorder logs version 1 to 5, basic mode version 1 to 3,
 * profiling-mode files.
 *
 * Section names in quotes are those of the published "XRay Flight Data Recorder Trace Format";
 * docs/formats/xray.md says how real files differ from it and what we do.
 */
#include <tracelathe/core.h>
#include <tracelathe/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tl_xray_reader;
struct tl_xray_map;
struct tl_xray_writer;

enum tl_xray_mode { TL_XRAY_BASIC, TL_XRAY_FDR, TL_XRAY_PROFILING };

/** Where bit fields of a big-endian FDR file begin: the published text and LLVM's reader differ. */
enum tl_xray_bit_order {
	TL_XRAY_BITS_DETECT,
	/**
	 * from the least significant bit: every little-endian file, and LLVM's reading of the rest
	 */
	TL_XRAY_BITS_LOW,
	/** from the most significant bit: the published rule for big-endian platforms */
	TL_XRAY_BITS_HIGH,
};

enum tl_xray_order {
	/** threads merged by TSC; ties by (process, thread, position in the file) */
	TL_XRAY_TIME_ORDER,
	TL_XRAY_FILE_ORDER, /**< as the bytes stand in the file */
};

enum tl_xray_kind {
	TL_XRAY_FUNCTION,
	TL_XRAY_NEW_BUFFER,     /**< `thread` */
	TL_XRAY_END_OF_BUFFER,  /**< version 1 */
	TL_XRAY_NEW_CPU,        /**< `cpu`, `tsc` */
	TL_XRAY_TSC_WRAP,       /**< `tsc` */
	TL_XRAY_WALL_CLOCK,     /**< `value` seconds, `microseconds` */
	TL_XRAY_CUSTOM_EVENT,   /**< `payload` */
	TL_XRAY_CALL_ARGUMENT,  /**< `value` */
	TL_XRAY_BUFFER_EXTENTS, /**< `value` bytes follow in the block */
	TL_XRAY_TYPED_EVENT,    /**< `event_type`, `payload` */
	TL_XRAY_PID,            /**< `process` */
	TL_XRAY_LOST,           /**< `length` bytes that no record was made of; `text` says why */
	TL_XRAY_SAMPLE,         /**< profiling mode: `path`, `calls` in `value`, ticks in `tsc` */
	TL_XRAY_KIND_COUNT
};

enum tl_xray_action { TL_XRAY_ENTER, TL_XRAY_EXIT, TL_XRAY_TAIL_EXIT, TL_XRAY_ENTER_ARGS };

/** Most arguments attached to one function record; further ones only show as their own records. */
#define TL_XRAY_MAX_ARGS 16

/** One record. Pointers live until the next call on the reader. */
struct tl_xray_record {
	enum tl_xray_kind kind;
	enum tl_xray_action action; /**< of a function record */
	uint64_t offset;            /**< bytes from the start of the file */
	uint64_t length;            /**< bytes the record takes, payload included */
	uint64_t tsc;               /**< absolute time in ticks, after this record */
	int64_t delta;              /**< as stored in the record, 0 where it has none */
	uint64_t value;             /**< see the kinds */
	uint32_t function;          /**< id of a function record */
	uint32_t microseconds;
	int32_t thread, process;
	uint16_t cpu, event_type;
	uint32_t arg_count;    /**< arguments attached to a function record */
	uint32_t payload_size; /**< bytes of an event's payload */
	const uint8_t *payload;
	const char *text; /**< TL_XRAY_LOST: why */
	uint64_t args[TL_XRAY_MAX_ARGS];
	const int32_t *path; /**< TL_XRAY_SAMPLE: function ids from leaf to root */
	uint32_t path_length;
};

/** How a trace is read. Zero-filled with `size` set is a good default. */
struct tl_xray_options {
	size_t size; /**< sizeof(struct tl_xray_options) */
	enum tl_xray_bit_order bit_order;
	enum tl_xray_order order;
	bool strict; /**< stop at the first fault instead of skipping the damage */
	/**
	 * thread ids are the 2 bytes of the published version 1, not the 4 that all real files have
	 */
	bool tid16;
};

/** What the file header and the index of its buffers say. */
struct tl_xray_info {
	enum tl_xray_mode mode;
	uint16_t version;
	bool big_endian, high_bits, constant_tsc, nonstop_tsc;
	uint64_t frequency;   /**< ticks per second, 0: unknown */
	uint64_t buffer_size; /**< FDR: size of one buffer (docs/formats/xray.md 3.1) */
	uint64_t size;        /**< of the expanded file */
	uint64_t blocks;      /**< FDR: buffers; basic mode: runs of one thread */
	uint32_t threads;
	uint64_t timestamp; /**< profiling mode: header field */
	int32_t process;    /**< profiling mode: header field */
};

/** One place where the input is damaged. `text` is static: what was wrong; what was kept. */
struct tl_xray_fault {
	enum tl_status status;
	const char *text;
	uint64_t offset;
	uint64_t length; /**< bytes that no record was made of */
	uint64_t record; /**< number of the record in its block, TL_NOWHERE: between blocks */
};

/**
 * Recognise a trace by its first bytes (32 are enough).
 * @return 0..100, how sure
 */
TL_API int tl_xray_probe(const uint8_t *data, size_t size);

/**
 * Open a trace over a source, which must outlive the reader. Indexes the buffers; decodes no body.
 * @param options  may be NULL
 * @return 0; TL_BAD_FORMAT or TL_UNSUPPORTED with the true cause; TL_TRUNCATED when no header fits;
 *         TL_NO_MEMORY, TL_IO
 */
TL_API int tl_xray_open(struct tl_xray_reader **reader, struct tl_source *source,
			const struct tl_xray_options *options, struct tl_error *err);
TL_API const struct tl_xray_info *tl_xray_info(const struct tl_xray_reader *reader);

/**
 * Read the next record.
 *
 * Records of one thread come in time order (blocks ordered by first TSC), or as in the file for
 * TL_XRAY_FILE_ORDER.
 * @param size  sizeof(*record)
 * @return 1 and a record; 0 at the end; a negative tl_status and `*err` in strict mode at the first
 *         fault. Otherwise damage costs the rest of its block and shows as TL_XRAY_LOST
 *         ("ThreadBuffer").
 */
TL_API int tl_xray_next(struct tl_xray_reader *reader, struct tl_xray_record *record, size_t size,
			struct tl_error *err);

/**
 * Faults met so far: `*count` of them, of which the first 1000 are listed. By index pass, then by
 * reading order.
 */
TL_API const struct tl_xray_fault *tl_xray_faults(const struct tl_xray_reader *reader,
						  size_t *listed, uint64_t *count,
						  uint64_t *skipped_bytes);

TL_API void tl_xray_close(struct tl_xray_reader *reader);

/* ---- instrumentation map --------------------------------------------------------------------- */

/**
 * A function id as the map and the binary describe it. Strings live as long as the map; "" when
 * unknown.
 */
struct tl_xray_function {
	uint32_t id;
	uint64_t address;
	const char *name, *file, *object;
	uint32_t line;
};

/**
 * Read the section `xray_instr_map` of an ELF file (entry versions 0 to 2, all sled kinds).
 * @param bias,demangle  as tl_binary_open()
 * @return 0; TL_BAD_FORMAT: not ELF, or no such section ("not built with -fxray-instrument");
 *         TL_IO; TL_NO_MEMORY
 */
TL_API int tl_xray_map_open(struct tl_xray_map **map, const char *path, uint64_t bias,
			    bool demangle, struct tl_error *err);
/** Read a map written by `llvm-xray extract` (YAML). */
TL_API int tl_xray_map_open_yaml(struct tl_xray_map **map, const char *path, struct tl_error *err);
/** Number of functions; their ids are 1 to this number for a map from ELF. */
TL_API uint32_t tl_xray_map_count(const struct tl_xray_map *map);
/**
 * Find a function by its id.
 * @param size  sizeof(*function)
 * @return 1; 0 when the map has no such id; TL_BAD_USAGE: a size below that of the first release
 */
TL_API int tl_xray_map_find(struct tl_xray_map *map, uint32_t id, struct tl_xray_function *function,
			    size_t size);
enum tl_xray_map_form {
	TL_XRAY_MAP_TEXT, /**< a line a function, for reading */
	/** the bytes of `llvm-xray extract --symbolize`, which tl_xray_map_open_yaml() reads */
	TL_XRAY_MAP_YAML,
	TL_XRAY_MAP_CSV,  /**< a row a sled */
	TL_XRAY_MAP_JSON, /**< `{"sleds":[...]}`, an object a sled */
};

/**
 * List all sleds of a map, in the order of the section.
 * @return 0; TL_NO_MEMORY: names may be missing in what was put; TL_BAD_USAGE: there is no such
 *         form, nothing was put
 */
TL_API int tl_xray_map_put(struct tl_xray_map *map, enum tl_xray_map_form form,
			   struct tl_output *out, struct tl_error *err);
TL_API void tl_xray_map_close(struct tl_xray_map *map);

/* ---- folding --------------------------------------------------------------------------------- */

/** Which records count. Zero-filled with `size` set, and the ids below at TL_NOWHERE, is "all". */
struct tl_xray_fold_options {
	size_t size;                   /**< sizeof(struct tl_xray_fold_options) */
	uint64_t thread, process, cpu; /**< TL_NOWHERE: any */
	uint64_t from_ticks, to_ticks; /**< absolute window, [from, to); to 0: open */
	unsigned jobs;                 /**< threads to work with, 0: 1 */
	bool exact;                    /**< keep every duration: exact quantiles */
	bool per_thread;               /**< keep durations per thread */
	/**
	 * sums of functions are enough (unless `per_thread`): the profile need not have contexts,
	 * calls between functions and lines
	 */
	bool flat;
	/**
	 * only a share of the log: some threads, or a run of buffers; `shares` below 2: all. Of a
	 * thread whose buffers are in several shares, a call that ends without an exit of its own
	 * is TL_UNSUPPORTED, and `flat` has no effect.
	 */
	uint32_t share, shares;
	bool arcs; /**< with `flat`: but calls between functions are wanted */
	/**
	 * of call stacks: no calls between functions, no sums of functions by thread. With
	 * `per_thread` this has no effect.
	 */
	bool sums_alone;
};

/**
 * Fold a whole trace into a finished profile: one event, Ticks.
 * The reader is left at its end; its faults are complete. `map` may be NULL (functions are then
 * "#id").
 */
TL_API int tl_xray_fold(struct tl_xray_reader *reader, struct tl_xray_map *map,
			const struct tl_xray_fold_options *options, struct tl_profile **profile,
			struct tl_error *err);

/* ---- checking -------------------------------------------------------------------------------- */

/** A rule of the format that was broken. Strings are static. */
struct tl_xray_violation {
	const char *rule; /**< "xray.grammar.wall-clock", ... */
	const char *text;
	uint64_t offset, record;
	int32_t thread;
	uint32_t function; /**< TL_NONE: not about a function */
};
/** @return 0 to go on, anything else to stop */
typedef int tl_xray_violation_fn(void *arg, const struct tl_xray_violation *violation);

/**
 * Check a trace against the grammar and the order of function records of the specification
 * ("Format", "Function Records"), block by block in time order per thread.
 * @return number of violations, or a negative tl_status
 */
TL_API int64_t tl_xray_check(struct tl_xray_reader *reader, tl_xray_violation_fn *fn, void *arg,
			     struct tl_error *err);

/* ---- writing --------------------------------------------------------------------------------- */

/** What the header of the written file says. */
struct tl_xray_writer_options {
	size_t size;            /**< sizeof(struct tl_xray_writer_options) */
	enum tl_xray_mode mode; /**< TL_XRAY_FDR or TL_XRAY_BASIC */
	uint16_t version;       /**< FDR 1..5, basic 1..3 */
	bool big_endian, high_bits, constant_tsc, nonstop_tsc;
	uint64_t frequency, buffer_size;
};

/** Begin a trace on an output, which the caller commits after tl_xray_writer_finish(). */
TL_API int tl_xray_writer_open(struct tl_xray_writer **writer, struct tl_output *out,
			       const struct tl_xray_writer_options *options, struct tl_error *err);
/**
 * Append a record. A NEW_BUFFER record begins a block; BUFFER_EXTENTS, END_OF_BUFFER and LOST
 * records are ignored (the writer makes its own). Function and event records are placed by their
 * absolute `tsc`: deltas, TSCWrap and NewCPUId are written as needed.
 * @param size  sizeof(*record)
 */
TL_API int tl_xray_writer_put(struct tl_xray_writer *writer, const struct tl_xray_record *record,
			      size_t size, struct tl_error *err);
/** Close the last block and free the writer. */
TL_API int tl_xray_writer_finish(struct tl_xray_writer *writer, struct tl_error *err);

/**
 * Re-encode a whole trace: blocks in (process, thread, TSC) order, every function, argument and
 * event record kept.
 * @return 0, or a negative tl_status
 */
TL_API int tl_xray_convert(struct tl_xray_reader *reader, struct tl_output *out,
			   const struct tl_xray_writer_options *options, struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
