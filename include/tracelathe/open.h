/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_OPEN_H
#define TRACELATHE_OPEN_H
/**
 * @file
 * Any trace, whatever its format: recognise, open, look at, fold.
 */
#include <tracelathe/core.h>
#include <tracelathe/export.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An opened input. */
struct tl_input;

/** A binary given beside the trace. */
struct tl_binary_spec {
	const char *path;
	uint64_t address; /**< load bias, 0: as linked */
};

/** Bytes of code in a file that were at an address: [offset, end) of the file, end 0: to its end. */
struct tl_raw_spec {
	const char *path;
	uint64_t offset, end, address;
};

/** What tl_input_dump() shows, and how; bits. Formats take what they know of and leave the rest. */
enum tl_dump_wish {
	TL_DUMP_PACKETS = 1 << 0, /**< Intel PT */
	TL_DUMP_BLOCKS = 1 << 1,  /**< Intel PT */
	TL_DUMP_INSTRUCTIONS = 1 << 2,
	TL_DUMP_EVENTS = 1 << 3,    /**< Intel PT */
	TL_DUMP_SNAPSHOTS = 1 << 4, /**< xtrace */
	TL_DUMP_NO_TEXT = 1 << 5,   /**< instructions without their text */
	TL_DUMP_RAW = 1 << 6,       /**< bytes of packets and instructions */
	TL_DUMP_NO_OFFSET = 1 << 7, /**< from here on: packets */
	TL_DUMP_NO_PAD = 1 << 8,
	TL_DUMP_NO_TIMING = 1 << 9, /**< without TSC, TMA, MTC, CYC, CBR */
	TL_DUMP_NO_CYC = 1 << 10,
	TL_DUMP_NO_SYNC = 1 << 11,   /**< from the first byte on */
	TL_DUMP_LAST_IP = 1 << 12,   /**< whole addresses beside compressed ones */
	TL_DUMP_EXEC_MODE = 1 << 13, /**< the mode beside MODE.Exec */
	TL_DUMP_TIME = 1 << 14,      /**< the time beside what moves it */
	TL_DUMP_TIME_DELTA = 1 << 15,
};

/** How much of the input a profile keeps; formats that have no use for it keep everything. */
enum tl_input_detail {
	TL_DETAIL_LINES,     /**< everything: cost lines, calls by place, jumps, by part */
	TL_DETAIL_FUNCTIONS, /**< sums of functions and of calls between them: enough for tables and trees */
};

/** How an input is opened and read. Zero-filled with `size` set, ids at TL_NOWHERE, is a good default. */
struct tl_input_options {
	size_t size;                       /**< sizeof(struct tl_input_options) */
	const char *format;                /**< NULL: recognise by content */
	const struct tl_binary_spec *binaries;
	size_t binary_count;
	const char *map;                   /**< XRay instruction map as YAML, NULL: none */
	uint64_t thread, process, cpu;     /**< filters, TL_NOWHERE: any */
	double from_seconds, to_seconds;   /**< window from the first record on; to < 0 or 0: open */
	const char *function, *object;     /**< filters: POSIX extended regular expressions, NULL: any */
	bool raw_names;                    /**< no demangling */
	bool strict;
	bool exact;                        /**< exact quantiles, whatever memory they need */
	bool per_thread;                   /**< keep durations per thread */
	bool file_order;                   /**< dump: as the bytes stand, not in time order */
	bool tid16;                        /**< XRay: 2-byte thread ids */
	const char *bit_order;             /**< XRay: "low", "high", NULL: detect */
	unsigned jobs;                     /**< 0: 1 */
	tl_progress_fn *progress;
	void *progress_arg;
	enum tl_input_detail detail;
	uint64_t part;                     /**< Callgrind: only parts of this number, 0: any */
	unsigned dump;                     /**< enum tl_dump_wish */
	const struct tl_raw_spec *raws;    /**< Intel PT: code */
	size_t raw_count;
	const char *sysroot;               /**< where programs that a trace names are looked for, NULL: / */
	const char *build_id_dir;          /**< perf.data: a cache of programs by build id, NULL: ~/.debug */
	const char *cpu_model;             /**< Intel PT: "FAMILY/MODEL[/STEPPING]", "auto", "none"; NULL: what the trace says */
	uint8_t mtc_freq, nom_freq;        /**< Intel PT: 0: what the trace says */
	uint32_t cpuid_15_eax, cpuid_15_ebx;
	uint32_t depth;                    /**< timeline: most calls shown inside each other, 0: all */
	uint64_t tsc_hz;                   /**< Intel PT: 0: what the trace says */
};

/** Numbers from..to, the second one not among them; TL_NOWHERE: no end. */
struct tl_number_range {
	uint64_t from, to;
};

/**
 * Which part of a trace tl_input_slice() writes: what lies in all of these, and passes the input's filters by time,
 * thread, process and cpu. Formats refuse what they do not have.
 */
struct tl_slice {
	size_t size;                        /**< sizeof(struct tl_slice) */
	struct tl_number_range snapshots;   /**< xtrace: by number; { 0, TL_NOWHERE }: all */
	struct tl_number_range instructions; /**< xtrace: by number from 0; { 0, TL_NOWHERE }: all */
	const char *trigger;                /**< Intel PT: up to the first call of a function with such a name (POSIX extended
						 regular expression); NULL: none */
	double before_seconds;              /**< from so long before it on */
	struct tl_output *partner;          /**< where the second file of a format of two goes, NULL: nowhere */
};

/** One place where the input is damaged. */
struct tl_damage {
	enum tl_status status;
	const char *text; /**< what was wrong; what was kept; static */
	uint64_t offset, length, record;
	const char *path; /**< which of the paths, NULL: the first */
};

/** A format that can be read. */
struct tl_format_info {
	const char *name, *help;
};
/** The formats, in the order of help; ends with a NULL name. */
TL_API const struct tl_format_info *tl_formats(void);

/**
 * Open an input: `paths` are parts of one run (Callgrind parts, one XRay log per process), all of one format. Names come
 * from `options`, else from nowhere.
 * @param options  may be NULL
 * @param failed   set to the path the error is about; may be NULL
 */
TL_API int tl_input_open(struct tl_input **input, const char *const *paths, size_t path_count,
			 const struct tl_input_options *options, const char **failed, struct tl_error *err);
/** Name of the recognised format; static. */
TL_API const char *tl_input_format(const struct tl_input *input);
TL_API void tl_input_close(struct tl_input *input);

/**
 * Fold into a finished profile. Filters by thread, process, cpu and time decide what counts; those by function and
 * object only choose what tables show (tl_profile_choose(); see also tl_profile_filtered()). Free it with
 * tl_profile_free().
 */
TL_API int tl_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
/** After tl_input_fold() failed: the path that the error is about, NULL: the first. Lives as long as the input. */
TL_API const char *tl_input_failed(const struct tl_input *input);
/** What the file is: text, or one JSON object. */
TL_API int tl_input_info(struct tl_input *input, enum tl_report_form form, struct tl_output *out, struct tl_error *err);
/** Every record, one line each: text, or one JSON object a line. */
TL_API int tl_input_dump(struct tl_input *input, enum tl_report_form form, struct tl_output *out, struct tl_error *err);
/**
 * Every rule of the format: a line per violation, text or JSON.
 * @return number of violations, or a negative tl_status
 */
TL_API int64_t tl_input_check(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
			      struct tl_error *err);
/** Calls over time. `format`: a name of tl_timeline_formats(), NULL: the default. */
TL_API int tl_input_timeline(struct tl_input *input, const char *format, struct tl_output *out, struct tl_error *err);
/**
 * Re-encode in the input's own format.
 * @param variant  format specific ("5", "basic", ...); NULL: the newest
 * @return 0; TL_UNSUPPORTED when `to` is not the input's format
 */
TL_API int tl_input_reencode(struct tl_input *input, const char *to, const char *variant, struct tl_output *out,
			     struct tl_error *err);

/**
 * A part of a trace, in the input's own format, that reads as a trace of its own.
 * @return 0; TL_UNSUPPORTED when the format cannot be cut, or not in this way; TL_BAD_USAGE
 */
TL_API int tl_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
			  struct tl_error *err);

/**
 * Damage met by the calls so far: `*count` places, of which the first `*listed` are returned; valid until the next
 * call on the input.
 */
TL_API const struct tl_damage *tl_input_damage(struct tl_input *input, size_t *listed, uint64_t *count,
					       uint64_t *skipped_bytes);

#ifdef __cplusplus
}
#endif
#endif
