/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_OPEN_H
#define TRACELATHE_OPEN_H
/**
 * @file
 * Traces and profiles of any format: recognise, open, show, fold, convert.
 */
#include <tracelathe/core.h>
#include <tracelathe/export.h>
#include <tracelathe/flow.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>
#include <tracelathe/timeline.h>

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

/**
 * Bytes of code in a file that were at an address: [offset, end) of the file, end 0: to its end.
 */
struct tl_raw_spec {
	const char *path;
	uint64_t offset, end, address;
};

/** What tl_input_dump() shows, and how; bits. A format ignores the bits that it does not know. */
enum tl_dump_flag {
	TL_DUMP_PACKETS = 1 << 0, /**< Intel PT */
	TL_DUMP_BLOCKS = 1 << 1,  /**< Intel PT */
	TL_DUMP_INSTRUCTIONS = 1 << 2,
	TL_DUMP_EVENTS = 1 << 3,    /**< Intel PT */
	TL_DUMP_SNAPSHOTS = 1 << 4, /**< xtrace */
	TL_DUMP_NO_TEXT = 1 << 5,   /**< instructions without their text */
	TL_DUMP_RAW = 1 << 6,       /**< bytes of packets and instructions */
	TL_DUMP_NO_OFFSET = 1 << 7, /**< this and the bits below: for packets only */
	TL_DUMP_NO_PAD = 1 << 8,
	TL_DUMP_NO_TIMING = 1 << 9, /**< without TSC, TMA, MTC, CYC, CBR */
	TL_DUMP_NO_CYC = 1 << 10,
	TL_DUMP_NO_SYNC = 1 << 11,    /**< from the first byte, not from the first PSB */
	TL_DUMP_LAST_IP = 1 << 12,    /**< whole addresses beside compressed ones */
	TL_DUMP_EXEC_MODE = 1 << 13,  /**< the mode beside MODE.Exec */
	TL_DUMP_TIME = 1 << 14,       /**< the time beside each packet or event that changes it */
	TL_DUMP_TIME_DELTA = 1 << 15, /**< the change beside it instead */
	TL_DUMP_CALLS = 1 << 16,      /**< calls instead of records, of any timed trace */
	TL_DUMP_SECONDS = 1 << 17,    /**< with TL_DUMP_CALLS: times in seconds */
	/** tl_input_check(): every rule with its number of violations instead (xtrace) */
	TL_DUMP_RULES = 1 << 18,
	TL_DUMP_BRANCHES = 1 << 19, /**< Intel PT: taken branches */
	/** Intel PT: an event at the first branch behind each packet of time */
	TL_DUMP_TICKS = 1 << 20,
	TL_DUMP_IFLAGS = 1 << 21,  /**< Intel PT: events where interrupts are enabled or disabled */
	TL_DUMP_TCAL = 1 << 22,    /**< packets: ticks per cycle instead of the time */
	TL_DUMP_NO_TCAL = 1 << 23, /**< packets: no word of CYC without calibration */
	TL_DUMP_NO_WALL_CLOCK = 1 << 24, /**< packets: times without a TSC, too, from 0 */
	/** Intel PT: numbers of instructions and blocks, behind the rest */
	TL_DUMP_STAT = 1 << 25,
	/** Intel PT in perf.data: samples that the processor wrote into the trace (PEBS) */
	TL_DUMP_PEBS = 1 << 26,
};

/** Numbers from..to, the second one not among them; TL_NOWHERE: no end. */
struct tl_number_range {
	uint64_t from, to;
};

/** How much of the input a profile keeps. A format may ignore it and keep everything. */
enum tl_input_detail {
	TL_DETAIL_LINES, /**< everything: cost lines, calls by position, jumps, by part */
	/** sums of functions and of calls between them: enough for tables and trees */
	TL_DETAIL_FUNCTIONS,
	/** sums of functions alone: enough for a table of functions, of all threads together */
	TL_DETAIL_TABLE,
	/**
	 * what call stacks are made of: call stacks, or sums of functions and of calls between
	 * them by part; everything, where nothing is called
	 */
	TL_DETAIL_STACKS,
	/**
	 * sums of functions and of calls between them, of all threads together: enough for tables
	 * and graphs of calls
	 */
	TL_DETAIL_GRAPH,
	/**
	 * call stacks with sums of functions, but not of calls between them, where the input has
	 * stacks, else as TL_DETAIL_FUNCTIONS: enough for the stacks of one input
	 */
	TL_DETAIL_CONTEXTS,
};

/**
 * Which records count. Ids that are 0 are a thread, process or processor to choose, TL_NOWHERE
 * means any.
 */
struct tl_input_filter {
	uint64_t thread, process, cpu;
	uint64_t part; /**< Callgrind: only parts of this number, 0: any */
	/**
	 * window in seconds from the first record on; to_seconds <= 0: no end. tl_input_analyze()
	 * and tl_input_fold() of xtrace: in numbers of TIME tokens, which are whole
	 */
	double from_seconds, to_seconds;
	/** POSIX extended regular expressions, NULL: any */
	const char *function, *object;
};

/** The programs that ran: names, source lines, instrumentation maps, code. */
struct tl_input_programs {
	const struct tl_binary_spec *binaries;
	size_t binary_count;
	const struct tl_raw_spec *raws; /**< Intel PT, ETM: code */
	size_t raw_count;
	/** XRay: instrumentation map as YAML; Intel PT: list of code regions; NULL: none */
	const char *map;
	/** the directory below which the programs that a trace names are looked for, NULL: / */
	const char *sysroot;
	/** perf.data: a cache of programs by build id, NULL: ~/.debug */
	const char *build_id_dir;
	/**
	 * perf.data: where the files of virtual machines are: DIR/PID for the one that process PID
	 * runs, if there is such a directory, else DIR; NULL: nowhere
	 */
	const char *guest_root;
	/**
	 * perf.data, Intel PT, pprof: asked for the programs, libraries and debug information that
	 * are not on this machine; it outlives the input. NULL: nobody is asked
	 */
	const struct tl_debuginfod *debuginfod;
};

/** How tl_input_dump() shows the records. The ranges are for xtrace; zero-filled: all records. */
struct tl_dump_options {
	unsigned flags;                  /**< enum tl_dump_flag */
	struct tl_number_range ordinals; /**< instructions by number from 0 */
	struct tl_number_range pcs;      /**< instructions by address */
	struct tl_number_range between;  /**< from one snapshot to before another */
	struct tl_number_range compare;  /**< the two snapshots to compare instead */
};

/** Intel PT: how the trace was recorded, where the trace itself does not say it. */
struct tl_input_intel_pt {
	/** "FAMILY/MODEL[/STEPPING]", "auto", "none"; NULL: what the trace says */
	const char *cpu_model;
	uint8_t mtc_freq, nom_freq; /**< 0: what the trace says */
	uint32_t cpuid_15_eax, cpuid_15_ebx;
	uint32_t cpuid_15_ecx; /**< Hz of the crystal clock, for seconds; 0: unknown */
	uint64_t tsc_hz;       /**< 0: what the trace says */
};

/**
 * ETMv4, ETE: how the trace unit was built and programmed, by its registers. 0: as Linux has it on
 * Cortex-A processors (docs/formats/etm.md)
 */
struct tl_input_etm {
	uint32_t trcidr0, trcidr1, trcidr2, trcidr8, trcconfigr;
	uint32_t trctraceidr; /**< in frames: this source alone; 0: all */
};

/** Order of the bits in the bit fields of big-endian XRay logs. */
enum tl_bit_order { TL_BITS_DETECT, TL_BITS_LOW, TL_BITS_HIGH };

/** XRay: what a log does not say of itself. */
struct tl_input_xray {
	bool tid16; /**< thread ids have 2 bytes */
	enum tl_bit_order bit_order;
	/**
	 * What custom and typed events mean, for dumps, timelines and queries, a text each:
	 * "EVENT[:NAME]=FORM", as docs/formats/xray.md has it under "Events decoded"
	 */
	const char *const *decoders;
	size_t decoder_count;
};

/** xtrace: what the files do not say of themselves. */
struct tl_input_xtrace {
	const char *layout; /**< see struct tl_xtrace_layout; NULL: find out */
	/** "04=8": undefined tokens to skip, with the size of their payload */
	const char *skip_unknown;
};

/** Which exception level counts. */
enum tl_analysis_level { TL_LEVEL_ALL, TL_LEVEL_EL0, TL_LEVEL_EL1, TL_LEVEL_EL2, TL_LEVEL_EL3 };

/** What the parts of a profile of instructions are. */
enum tl_input_split {
	TL_SPLIT_STREAM, /**< threads or cores */
	TL_SPLIT_LEVEL,  /**< exception levels: for TL_BY_LEVEL */
	TL_SPLIT_TASK,   /**< threads of the kernel: for TL_BY_TASK */
};

/**
 * The instructions of each stream that tl_input_fold() counts: what is within all of these bounds
 * and the window of the filter, which is in numbers of TIME tokens then. Zero-filled: everything.
 * Of xtrace; other formats refuse.
 */
struct tl_input_part {
	struct tl_number_range instructions, snapshots; /**< both by number from 0 */
	enum tl_analysis_level level;
	/**
	 * a part of the profile for every so many instructions of a stream: its `number` is 1, 2,
	 * ...; 0: one a stream. Not with TL_DETAIL_LINES
	 */
	uint64_t interval;
	enum tl_input_split split; /**< not with TL_DETAIL_LINES, nor with `interval` */
};

/** How an input is opened and read. Begin with TL_INPUT_OPTIONS_DEFAULT. */
struct tl_input_options {
	size_t size;        /**< sizeof(struct tl_input_options) */
	const char *format; /**< NULL: recognise by content */
	struct tl_input_filter filter;
	struct tl_input_programs programs;
	struct tl_dump_options dump;
	struct tl_input_intel_pt intel_pt;
	struct tl_input_xray xray;
	struct tl_input_xtrace xtrace;
	bool raw_names;  /**< no demangling */
	bool strict;     /**< stop at the first fault */
	bool exact;      /**< exact quantiles, whatever memory they need */
	bool per_thread; /**< keep durations per thread */
	bool file_order; /**< dump: records in the order of the file, not of time */
	unsigned jobs;   /**< threads to work on, 0: 1 */
	tl_progress_fn *progress;
	void *progress_arg;
	enum tl_input_detail detail;
	uint32_t depth; /**< timeline: most calls shown inside each other, 0: all */
	/** events that tl_input_fold() adds to the profile, for tl_profile_add_formula() */
	const char *const *formulas;
	size_t formula_count;
	/** pprof: "KEY=VALUE", labels of the samples that count: they need all of them */
	const char *const *labels;
	size_t label_count;
	/**
	 * Intel PT: the address ranges that tracing was limited to, "FROM..TO[,...]", at most
	 * four; a "stop:" before a range says that tracing ended there. NULL: none
	 */
	const char *address_filter;
	/**
	 * samples of perf.data: functions that the compiler inlined are frames of their own, by the
	 * DWARF of the programs
	 */
	bool inlined;
	/**
	 * samples of perf.data: the branches that the processor recorded before each of them are
	 * counted instead, from function to function, with those that it had predicted wrongly
	 */
	bool branches;
	/**
	 * Callgrind, profile files: the profile is only to be annotated (tl_report_annotate()), or
	 * written with an exporter that can write packed ones, so that its lines, arcs and jumps
	 * need not be there one by one, nor sums of them, except the total: a tenth of the memory.
	 * Other exporters refuse such a profile.
	 */
	bool packed;
	/**
	 * tl_input_fold(): only a share of the costs, by its number below `shares`; `shares` below
	 * 2: all. Which costs are in which share is the format's to say: those of some buffers
	 * (XRay), threads (XRay, Intel PT in perf.data), functions (Callgrind), samples
	 * (perf.data), segments (xtrace) or bytes (Intel PT by itself). What the profiles of all
	 * shares are together is the whole, as far as tl_input_shares() goes.
	 */
	uint32_t share, shares;
	/**
	 * Intel PT: the profile is of packets, without code: addresses that TIP packets lead
	 * to, and outcomes of conditional branches by the address that was known last
	 */
	bool quick;
	struct tl_input_part part; /**< xtrace: what tl_input_fold() counts */
	/** of shares of which tl_input_chains_shares() is true; those of Intel PT only meet */
	const struct tl_share_chain *chain;
	/**
	 * tl_input_fold(): times in nanoseconds, so that files of clocks of different rates have a
	 * sum: a clock of 1000000000 ticks per second is in the place of the file's. Ticks are
	 * rounded once for each file, the self cost of each call stack of each thread to the
	 * nearest; inclusive costs are sums of what was rounded. TL_UNSUPPORTED where the file does
	 * not say how long a tick is
	 */
	bool nanoseconds;
	struct tl_input_etm etm;
};

/** Everything of an input: the initializer of a struct tl_input_options. */
#ifdef __cplusplus
#define TL_INPUT_OPTIONS_DEFAULT tl_input_options_default()

inline struct tl_input_options tl_input_options_default()
{
	struct tl_input_options options = {};

	options.size = sizeof(options);
	options.filter.thread = options.filter.process = options.filter.cpu = TL_NOWHERE;
	return options;
}
#else
#define TL_INPUT_OPTIONS_DEFAULT                                                                   \
	{                                                                                          \
		.size = sizeof(struct tl_input_options),                                           \
		.filter = {                                                                        \
			.thread = TL_NOWHERE,                                                      \
			.process = TL_NOWHERE,                                                     \
			.cpu = TL_NOWHERE,                                                         \
		},                                                                                 \
	}
#endif

/** What a part of a trace is written as. */
enum tl_slice_form {
	TL_SLICE_TRACE, /**< a trace of the same format */
	TL_SLICE_ELF,   /**< xtrace: a program that executes it, tl_xtrace_slice_elf() */
};

/**
 * The part of a trace that tl_input_slice() writes: records that are within all of these bounds and
 * pass the input's filters by time, thread, process and cpu. A bound that the format does not have
 * is refused.
 */
struct tl_slice {
	size_t size;                      /**< sizeof(struct tl_slice) */
	struct tl_number_range snapshots; /**< xtrace: by number; { 0, TL_NOWHERE }: all */
	/** xtrace: by number from 0; { 0, TL_NOWHERE }: all */
	struct tl_number_range instructions;
	/**
	 * Intel PT: up to the first call of a function with such a name (POSIX extended regular
	 * expression); NULL: none
	 */
	const char *trigger;
	double before_seconds; /**< the slice begins this long before the trigger */
	/** takes the second file of a format of two (partner_suffix), NULL: it is not written */
	struct tl_output *partner;
	enum tl_slice_form form;
};

/** The analyses of tl_input_analyze(); bits. */
enum tl_analysis_flag {
	TL_ANALYZE_MIX = 1 << 0,       /**< instructions by class and opcode */
	TL_ANALYZE_FOOTPRINT = 1 << 1, /**< lines and pages touched */
	TL_ANALYZE_REUSE = 1 << 2,     /**< reuse distances of lines, fetched and accessed */
	TL_ANALYZE_CACHE = 1 << 3,     /**< caches and TLBs, simulated */
	TL_ANALYZE_SYSCALLS = 1 << 4,
	TL_ANALYZE_BLOCKS = 1 << 5,
	TL_ANALYZE_BBV = 1 << 6,      /**< basic-block vectors; alone */
	TL_ANALYZE_BRANCHES = 1 << 7, /**< branches, and predictors of them, simulated */
	TL_ANALYZE_SHARING = 1 << 8,  /**< lines that threads share */
	/** distances to what made registers and memory, parallelism in windows */
	TL_ANALYZE_DEPENDENCES = 1 << 9,
};

/**
 * An analysis of executed instructions and accesses (docs/analyze.md). Zero-filled with `size` set
 * is a good default.
 */
struct tl_analysis {
	size_t size;              /**< sizeof(struct tl_analysis) */
	unsigned analyses;        /**< enum tl_analysis_flag; 0: mix, footprint, reuse and cache */
	enum tl_report_form form; /**< TL_REPORT_CSV: one analysis at a time */
	const char *caches; /**< file that describes caches and TLBs, NULL: tl_default_caches() */
	/**
	 * BBV: instructions of a vector, 0: from snapshot to snapshot, or 1,000,000. Others: one
	 * more table with a row for each so many instructions of a stream, 0: without
	 */
	uint64_t interval;
	/**
	 * Footprint, reuse: bytes, powers of two from 16 on; 0: 64, and 4096, or `line` where that
	 * is longer. With a footprint `page` is at least `line`.
	 */
	uint64_t line, page;
	uint32_t top; /**< rows of blocks, branches and functions, 0: all */
	/** file that describes branch predictors, NULL: tl_default_predictors() */
	const char *predictors;
	/** the part of each stream that counts: both, by number; zero-filled: all */
	struct tl_number_range instructions, snapshots;
	enum tl_analysis_level level;
	/** instructions before the part that fill caches and teach predictors, uncounted */
	uint64_t warmup;
	uint32_t width; /**< columns of the terminal, to which lines of text are cut; 0: none */
	/** intervals are of all threads, from one time to another, in which they executed
	 * `interval` instructions together: for streams with TIME, without a part */
	bool together;
};

/** The branch predictors that are simulated unless others are asked for, as text; static. */
TL_API const char *tl_default_predictors(void);

/** The caches and TLBs that are simulated unless others are asked for, as text; static. */
TL_API const char *tl_default_caches(void);

/** A place where the input is damaged, or a remark about it. */
struct tl_damage {
	enum tl_status status; /**< TL_OK: a remark, nothing is lost or in doubt */
	const char *text;      /**< what was wrong; what was kept; static */
	uint64_t offset, length, record;
	const char *path; /**< the file of the place, NULL: the first path */
};

/** A format that can be read. */
struct tl_format_info {
	const char *name, *help;
	/** what the `record` of a tl_error or a tl_damage counts: "record", "line" */
	const char *record_word;
	/**
	 * The logs of the processes of one program are one input, by tl_input_join(), though each
	 * is a trace of its own.
	 */
	bool joins_processes;
	/**
	 * A trace of two files: how the names of the first and of the second one end; NULL: a trace
	 * is one file. tl_slice.partner takes the second one.
	 */
	const char *suffix, *partner_suffix;
	bool written; /**< tl_input_reencode() writes the format itself */
	/**
	 * tl_input_reencode() into the format itself keeps more of the file than an exporter of
	 * the same name, which writes a profile made of it.
	 */
	bool rewrites_exactly;
	/** e_machine (ELF) of the code that tl_input_code() gives; 0: the format has no code */
	unsigned machine;
	/** shares of a trace are folded at the same time, with a struct tl_share_chain */
	bool chains_shares;
};
/** The formats by number from 0, in the order of help; NULL behind the last. Static. */
TL_API const struct tl_format_info *tl_format_info(size_t number);
/** The format of a name, NULL: there is none. Static. */
TL_API const struct tl_format_info *tl_format_find(const char *name);

/**
 * The binary in which the input has looked up names of an object, as the profile names it, after
 * tl_input_fold(): of samples of perf.data and of recorded calls, the file that the maps and build
 * ids of the recording lead to. It is the input's until the next tl_input_fold() or
 * tl_input_close(), and is used by one thread at a time. @return NULL: there is none, or several of
 * this name
 */
TL_API struct tl_binary *tl_input_binary(struct tl_input *input, const char *object);

/**
 * Code (x86-64) that the decoder of the input has read, after tl_input_fold(): up to `size` bytes
 * of an object, as the profile names it, at an address. @return number of bytes; 0: the format has
 * no code, or none at this address.
 */
TL_API size_t tl_input_code(struct tl_input *input, const char *object, uint64_t address,
			    uint8_t *bytes, size_t size);

/**
 * Open an input: `paths` are parts of one run (Callgrind parts, one XRay log per process), all of
 * one format. Names come from `options`, else from nowhere.
 * @param options  may be NULL
 * @param failed   set to the path the error is about; may be NULL
 */
TL_API int tl_input_open(struct tl_input **input, const char *const *paths, size_t path_count,
			 const struct tl_input_options *options, const char **failed,
			 struct tl_error *err);
/**
 * Make another opened input part of this one, as if both paths had been opened together; `input`
 * then owns `other`. For formats with tl_format_info.joins_processes.
 * @param failed  set to the path the error is about
 * @return 0; TL_BAD_USAGE for another format, or when it is a file that is there already
 */
TL_API int tl_input_join(struct tl_input *input, struct tl_input *other, const char **failed,
			 struct tl_error *err);
/**
 * Numbers by which logs of formats with tl_format_info.joins_processes know each other: logs that
 * have none in common need not be joined, as each gives the same profile without the other.
 * @param marks  filled with the first `room` of them
 * @return how many there are; 0 for other formats
 */
TL_API size_t tl_input_kinship(const struct tl_input *input, uint64_t *marks, size_t room);

/**
 * In how many shares (tl_input_options) the input can be folded so that their sum, by a struct
 * tl_gather, is the profile of the whole, to the byte; 1: only as a whole. A share whose fold meets
 * damage (tl_input_damage_count()) does not stand for its part of the whole.
 */
TL_API uint32_t tl_input_shares(const struct tl_input *input);
/**
 * Whether these shares are folded at the same time, with a struct tl_share_chain: those of formats
 * with tl_format_info.chains_shares, and those of perf.data with Intel PT in which threads take
 * turns on a processor's buffer.
 */
TL_API bool tl_input_chains_shares(const struct tl_input *input);

/** Logs by their marks: which of them belong together, without having them all open. */
struct tl_kin;
/** Begin with no logs; tl_kin_close() frees it. @return 0; TL_NO_MEMORY */
TL_API int tl_kin_open(struct tl_kin **kin, struct tl_error *err);
/**
 * Add the marks of a log (tl_input_kinship()), by a number of the caller's; they are copied.
 * @return 0; TL_NO_MEMORY
 */
TL_API int tl_kin_add(struct tl_kin *kin, uint32_t log, const uint64_t *marks, size_t count,
		      struct tl_error *err);
/**
 * For each log from 0 to `count` - 1 the one that stands for all that belong together, itself
 * where it belongs to none. Logs that others connect belong together, too.
 * @param chiefs  `count` numbers, which are set
 */
TL_API void tl_kin_group(struct tl_kin *kin, uint32_t *chiefs, size_t count);
/** NULL is fine. */
TL_API void tl_kin_close(struct tl_kin *kin);

/** The recognised format; static. */
TL_API const struct tl_format_info *tl_input_format(const struct tl_input *input);
TL_API void tl_input_close(struct tl_input *input);

/**
 * Fold into a finished profile. Filters by thread, process, cpu and time decide what counts; those
 * by function and object only choose what tables show (tl_profile_choose(); see also
 * tl_profile_filtered()). Free it with tl_profile_free().
 */
TL_API int tl_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
/**
 * Fold one of the files of an input that was opened with several paths or joined: 0 is the first.
 * What a process inherited by fork is left out, as in the profile of all files; the sum of all of
 * these profiles is that profile. Filters by function and object choose nothing.
 */
TL_API int tl_input_fold_file(struct tl_input *input, size_t number, struct tl_profile **profile,
			      struct tl_error *err);
/**
 * After tl_input_fold() failed: the path that the error is about, NULL: the first. Lives as long as
 * the input.
 */
TL_API const char *tl_input_failed(const struct tl_input *input);
/**
 * Facts about the file (format, threads, time span, counts, damage): text, one JSON object, or
 * CSV with a row a fact.
 */
TL_API int tl_input_info(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
			 struct tl_error *err);
/** Every record, one line each: text, or one JSON object a line. */
TL_API int tl_input_dump(struct tl_input *input, enum tl_report_form form, struct tl_output *out,
			 struct tl_error *err);
/**
 * Every rule of the format: a line per violation, text, JSON or CSV.
 * @return number of violations, or a negative tl_status
 */
TL_API int64_t tl_input_check(struct tl_input *input, enum tl_report_form form,
			      struct tl_output *out, struct tl_error *err);
/**
 * Calls over time. `format`: a name of tl_timeline_formats(), NULL: the default. Several XRay logs
 * share one clock.
 * @return 0, 1 if nothing in the input passes the filters, or a negative tl_status
 */
TL_API int tl_input_timeline(struct tl_input *input, const char *format, struct tl_output *out,
			     struct tl_error *err);
/**
 * The calls of a trace as data, in the order of begin within a thread (<tracelathe/timeline.h>).
 * The filters of the input hold: a window of time has the calls that are open at some time in it,
 * whole. Memory use does not grow with the number of calls; the input is read twice, once here.
 * Threads, calls and what becomes of exits without an entry are those of tl_input_fold(), and so
 * are their sums.
 * @param options  NULL: all
 * @param calls  tl_calls_close() it before the input is closed
 * @return 0; TL_UNSUPPORTED when the format holds no calls one by one; or another negative status
 */
TL_API int tl_input_calls(struct tl_input *input, const struct tl_calls_options *options,
			  struct tl_calls **calls, struct tl_error *err);
/**
 * An event without duration: custom and typed events, migrations, marks of a program.
 * @param at    ticks as those of calls; thread < 0: of the process itself
 * @param name  lives until the function returns, as do the values
 * @return false to end the search
 */
typedef bool tl_instant_fn(void *arg, const struct tl_timeline_point *at, const char *name,
			   const struct tl_timeline_arg *args, size_t arg_count);
/**
 * The events without duration of a trace, as tl_input_timeline() draws them: those of a thread in
 * the order of time, threads one after the other or in turn. The filters of the input hold.
 * @return 0; TL_UNSUPPORTED when the format has none; or another negative status
 */
TL_API int tl_input_instants(struct tl_input *input, tl_instant_fn *fn, void *arg,
			     struct tl_error *err);
/**
 * A value of a counter, which it has until its next one.
 * @param at    ticks as those of calls; thread < 0: a counter of the process itself
 * @param name  tells the counters of a thread or process apart; lives until the function returns
 * @return false to end the search
 */
typedef bool tl_counter_fn(void *arg, const struct tl_timeline_point *at, const char *name,
			   double value);
/**
 * The same as tl_input_instants(), and the values of counters beside them: those of a counter in
 * the order of time, counters one after the other or in turn.
 * @param instant  NULL: they are passed over
 * @param counter  the same of values
 * @return as tl_input_instants()
 */
TL_API int tl_input_points(struct tl_input *input, tl_instant_fn *instant, tl_counter_fn *counter,
			   void *arg, struct tl_error *err);
/**
 * The index of the calls of a trace, in memory, made in one pass (<tracelathe/timeline.h>). The
 * filters by thread and process hold; the others do not.
 * @param index  tl_call_index_close() it before the input is closed
 * @return as tl_input_calls()
 */
TL_API int tl_input_index(struct tl_input *input, struct tl_call_index **index,
			  struct tl_error *err);
/**
 * An index of some of the calls, evenly spread over the threads, for a first picture while
 * tl_input_index() goes through all: XRay logs in buffers, of any size in a fraction of a second.
 * Tracks are those of the whole index, in its order, functions have its numbers; depths count from
 * the outermost call that is known. A call that was cut short for want of its end has TL_CALL_CUT,
 * one whose begin was not seen TL_CALL_LATE.
 * @return as tl_input_index(); TL_UNSUPPORTED also for other formats
 */
TL_API int tl_input_index_sample(struct tl_input *input, struct tl_call_index **index,
				 struct tl_error *err);
/**
 * The index of all calls, kept in a file: read from there if it was made of this input by the same
 * options and programs, by this version; else it is made, and the file is written anew. Input and
 * programs are told by size and time, the input also by a sample of its bytes. Not kept are indexes
 * of traces with damage or gaps, of pipes, and of formats that are read as quickly as an index
 * (those of Chrome, Perfetto and other viewers) or whose calls depend on files that are not told
 * (perf.data, Intel PT).
 * @param path    of the index; the file may be removed at any time
 * @param unkept  why it could not be written, TL_OK: it was, or it is not kept; may be NULL
 * @return 1: it was read from the file; 0: it was made; or a negative tl_status as tl_input_index()
 */
TL_API int tl_input_index_kept(struct tl_input *input, const char *path,
			       struct tl_call_index **index, struct tl_error *unkept,
			       struct tl_error *err);
/**
 * Compare what two runs of a program executed (<tracelathe/flow.h>): streams (threads, cores) of
 * either side in pairs, in the order in which they begin in the traces, that are chosen by the
 * filters by thread, process and cpu; no other filters may be set. Both traces are read at the same
 * time, once for each pair: where an input has two jobs or more, by a thread each, and then only
 * the progress of `before` is told. Damage and gaps are those of the inputs.
 * @param options  may be NULL
 * @param flow     free it with tl_flow_free()
 * @param side     set to the input that an error is about: 0 is `before`; may be NULL
 * @return 0; TL_UNSUPPORTED when a format does not hold the instructions that were executed;
 *         TL_BAD_USAGE for several files a side, or for one input twice; or another negative status
 */
TL_API int tl_input_flow(struct tl_input *before, struct tl_input *after,
			 const struct tl_flow_options *options, struct tl_flow **flow, int *side,
			 struct tl_error *err);
/** A part of a trace's calls. Zero-filled with `size` set: all tracks, from begin to end. */
struct tl_call_span {
	size_t size;       /**< sizeof(struct tl_call_span) */
	uint64_t from, to; /**< ticks; `to` 0: no end */
	bool one_track;    /**< only `track` */
	size_t track;      /**< by number from 0 */
	/**
	 * sums of functions and of the calls between them are enough, unless durations are kept per
	 * thread: the profile need not have contexts, of which there may be as many as calls
	 */
	bool flat;
	/** with `flat`: sums of functions alone are enough, without the calls between them */
	bool table;
};
/**
 * The profile of a window of time, for which only the calls of the window are decoded again: what
 * tl_input_fold() gives with a filter by time, to the tick. Cost counts between `from` and `to`. A
 * call is finished, with its whole duration, if it begins at or behind `from` and ends before `to`;
 * one that an edge cuts is unfinished. Losses are those of the window. The only event is time, or
 * instructions in a trace without times; of a recording of samples, whose calls are when threads
 * ran, the profile is that of its samples in the window. Where the clock of a damaged trace goes
 * back, times of calls are those of struct tl_call. `input`'s progress function is called, and may
 * cancel.
 * @param profile  free it with tl_profile_free()
 * @return 0, TL_BAD_USAGE for a track that is not there, or another negative tl_status
 */
TL_API int tl_input_window(struct tl_input *input, struct tl_call_index *index,
			   const struct tl_call_span *span, struct tl_profile **profile,
			   struct tl_error *err);
/** The calls of a function in a window, and how their durations are distributed. */
struct tl_call_search {
	/** the longest ones, the longest first; of calls of one duration, the earliest first */
	const struct tl_call_found {
		size_t track;
		struct tl_call_item item;
	} *longest;
	size_t count;
	uint64_t calls;              /**< all that touch the window, also those that are cut */
	struct tl_latency durations; /**< of those whose begin and end are in the trace */
	uint64_t octaves[64]; /**< of these, how many last 2^i to 2^(i+1) - 1 ticks; 0: i 0 */
};
/**
 * Search the calls of a function that begin before `to` and do not end before `from`, whole.
 * @param most    length of the list at most
 * @param search  filled; tl_call_search_end() it
 * @param size    sizeof(*search)
 * @return 0 or a negative tl_status
 */
TL_API int tl_input_search(struct tl_input *input, struct tl_call_index *index,
			   const struct tl_call_span *span, uint32_t function, size_t most,
			   struct tl_call_search *search, size_t size, struct tl_error *err);
/** Free what a search points to. */
TL_API void tl_call_search_end(struct tl_call_search *search);
/**
 * Re-encode in the input's own format, or write its records in another one of
 * tl_trace_target().
 * @param variant  format specific ("5", "basic", ...); NULL: the newest
 * @return 0; 1: as "lcov", counts of lines are costs, as the profile does not tell how often they
 *         ran; TL_UNSUPPORTED when `to` is neither the input's format nor one that its records can
 *         be written in
 */
TL_API int tl_input_reencode(struct tl_input *input, const char *to, const char *variant,
			     struct tl_output *out, struct tl_error *err);

/**
 * Write a part of a trace in the input's own format; the part can be read as a trace by itself.
 * @return 0; TL_UNSUPPORTED when the format cannot be cut, or not in this way; TL_BAD_USAGE
 */
TL_API int tl_input_slice(struct tl_input *input, const struct tl_slice *slice,
			  struct tl_output *out, struct tl_error *err);

/**
 * The simulation points that SimPoint 3 chose: of the vectors of TL_ANALYZE_BBV, one of each
 * cluster, and what share of the intervals is like it. Each is a slice of the trace.
 */
struct tl_simpoints;

/** What tl_input_simpoints() reads. */
struct tl_simpoint_options {
	size_t size;           /**< sizeof(struct tl_simpoint_options) */
	const char *simpoints; /**< file of -saveSimpoints: lines "INTERVAL CLUSTER" */
	const char *weights;   /**< file of -saveSimpointWeights: lines "WEIGHT CLUSTER" */
	uint64_t interval;     /**< as in the struct tl_analysis that made the vectors */
	uint64_t warmup;       /**< instructions before each interval that belong to its slice */
	bool together;         /**< as in the struct tl_analysis that made the vectors */
};

/**
 * A simulation point; where intervals are of all threads together, a thread's part of one, of which
 * there are as many in a row as threads executed something in it. Intervals have numbers from 0
 * over all streams that the input's filter leaves, one stream behind the other; instructions have
 * numbers from 0 in their stream.
 */
struct tl_simpoint {
	uint64_t interval, cluster;
	double weight;
	uint64_t first, end; /**< of the interval: its first instruction, and the one behind it */
	/** where the slice begins: at a snapshot, at least `warmup` instructions before `first` */
	uint64_t begin;
	/** that snapshot; TL_NOWHERE: none is so early, and registers at `begin` are not known */
	uint64_t snapshot;
	/** taken right at `end`; TL_NOWHERE: none is */
	uint64_t end_snapshot;
	uint64_t thread; /**< or core: id of the stream that has the interval */
	/** that stream in the names of a group's files, as the format has them: "4.hint9" */
	char member[32];
};

/**
 * Read SimPoint's files, and find their intervals in the trace.
 * @param failed  set to the path the error is about, NULL: the trace; may be NULL
 * @return 0; TL_BAD_FORMAT: a line that is none of the format, a cluster that only one of the files
 *         has or that one has twice, an interval that the trace does not have (`record` is the
 *         line, from 0); TL_UNSUPPORTED: the format has no vectors; TL_BAD_USAGE; TL_NO_MEMORY
 */
TL_API int tl_input_simpoints(struct tl_simpoints **points, struct tl_input *input,
			      const struct tl_simpoint_options *options, const char **failed,
			      struct tl_error *err);
/** How many there are, and the sum of their weights, which is 1 of SimPoint's own files. */
TL_API size_t tl_simpoints_count(const struct tl_simpoints *points, double *weight);
/** One of them, in the order of the file. @return 0, or TL_BAD_USAGE: no such point, or `size` */
TL_API int tl_simpoints_at(const struct tl_simpoints *points, size_t number,
			   struct tl_simpoint *point, size_t size);
/**
 * Write the slice of a point, as tl_input_slice() does.
 * @param partner  as tl_slice.partner
 * @param name     of the file, for the table: copied; NULL: none
 */
TL_API int tl_simpoints_slice(struct tl_simpoints *points, size_t number, enum tl_slice_form form,
			      struct tl_output *out, struct tl_output *partner, const char *name,
			      struct tl_error *err);
/** The points as a table: weights, places, names of files. @return 0 or TL_BAD_USAGE */
TL_API int tl_simpoints_table(const struct tl_simpoints *points, enum tl_report_form form,
			      struct tl_output *out, struct tl_error *err);
/** Free; before the input is closed. NULL is allowed. */
TL_API void tl_simpoints_close(struct tl_simpoints *points);

/**
 * Analyze the executed instructions and their memory accesses. Memory use grows with the code and
 * data touched, not with the length of the trace.
 * @return 0; TL_UNSUPPORTED when the format has no instructions; TL_BAD_USAGE; TL_BAD_FORMAT for a
 *         description of caches that makes no sense: `record` is then its line, from 0
 */
TL_API int tl_input_analyze(struct tl_input *input, const struct tl_analysis *analysis,
			    struct tl_output *out, const char **failed, struct tl_error *err);

/** What the records of a trace, not its profile, can be written as by tl_input_reencode(). */
struct tl_trace_target {
	const char *name, *help;
};
/** The targets beside the formats by number from 0; NULL behind the last. Static. */
TL_API const struct tl_trace_target *tl_trace_target(size_t number);

/**
 * Damage met by the calls so far.
 * @param skipped_bytes  may be NULL
 * @return number of damaged places; tl_input_damage() tells of the first 1000 of them
 */
TL_API uint64_t tl_input_damage_count(struct tl_input *input, uint64_t *skipped_bytes);
/**
 * A damaged place by number from 0, as counted by the last tl_input_damage_count().
 * @param size  sizeof(*damage)
 * @return 1; 0: there is no such place, or it is not listed; TL_BAD_USAGE for a size that is too
 *         small
 */
TL_API int tl_input_damage(const struct tl_input *input, size_t number, struct tl_damage *damage,
			   size_t size);

/**
 * Many profiles that become one, in bounded memory: what is added is kept as profile files, which
 * are merged as streams, some at a time. The result is that of tl_profile_merge(), byte for byte,
 * in any order and with any bounds.
 */
struct tl_gather;

/** How profiles are gathered. Zero-filled with `size` set is a good default. */
struct tl_gather_options {
	size_t size;     /**< sizeof(struct tl_gather_options) */
	uint64_t memory; /**< bytes to stay within, about, 0: 256 MiB; one profile fits always */
	/** directory for what does not fit; NULL: $TMPDIR, else /var/tmp */
	const char *scratch;
	bool per_thread; /**< tl_gather_profile(): keep durations per thread */
	/**
	 * tl_gather_profile(): as tl_input_options.packed, for a sum that is only written with an
	 * exporter that can write packed ones; tl_gather_take() keeps packed profiles as they are
	 */
	bool packed;
	/**
	 * Costs are wanted for all threads together: of call stacks, sums of each part are not
	 * kept where they are not needed. Parts are listed as ever. Profiles may be folded with
	 * TL_DETAIL_CONTEXTS, which is not enough for a sum otherwise.
	 */
	bool threads_together;
};

/** What came of a sum. */
struct tl_gathered {
	size_t size;             /**< sizeof(struct tl_gathered) */
	struct tl_losses losses; /**< of no part */
	/** some profiles have call stacks, which the sum has not: others have none */
	bool flattened;
};

/** @param options  may be NULL */
TL_API int tl_gather_open(struct tl_gather **gather, const struct tl_gather_options *options,
			  struct tl_error *err);
/** Add a finished profile, which stays the caller's. */
TL_API int tl_gather_add(struct tl_gather *gather, const struct tl_profile *profile,
			 struct tl_error *err);
/** The same, but the profile may be kept, and is NULL then; else it stays the caller's. */
TL_API int tl_gather_take(struct tl_gather *gather, struct tl_profile **profile,
			  struct tl_error *err);
/**
 * The clock whose ticks were added: profiles that count ticks of another one are refused.
 * @param frequency  set to its ticks a second, 0: not known; unchanged if there is none
 * @return 1; 0: no profile that was added counts ticks
 */
TL_API int tl_gather_clock(const struct tl_gather *gather, uint64_t *frequency);
/**
 * Add a profile file that was opened as an input, without making a profile of it. It is read
 * again by its path when it is merged; what is to be said of it, tl_input_damage_count() and
 * tl_input_damage() tell.
 * @return 1; 0: the input is no profile file, is damaged, has sums that did not fit, or has
 *         filters: it is to be folded
 */
TL_API int tl_gather_add_input(struct tl_gather *gather, struct tl_input *input,
			       struct tl_error *err);
/** Add the bytes of a profile file; they are copied. */
TL_API int tl_gather_add_bytes(struct tl_gather *gather, const void *data, size_t size,
			       struct tl_error *err);
/** What is known of bytes that are added with tl_gather_add_written(). */
enum tl_gather_written {
	TL_GATHER_SUM = 1, /**< tl_gather_write() wrote them: alone they are the sum already */
	/** what was gathered there had call stacks, also where the bytes have none */
	TL_GATHER_STACKS = 2,
};
/**
 * Add the bytes of a profile file that tl_gather_write() or tl_gather_pass() wrote, which stand in
 * an open file and are read when they are merged: the descriptor stays the caller's, the bytes have
 * to stay as they are.
 * @param flags  of enum tl_gather_written
 */
TL_API int tl_gather_add_written(struct tl_gather *gather, int file, uint64_t offset, uint64_t size,
				 unsigned flags, struct tl_error *err);
/** Threads that merge from here on; 1 at first. They change no byte. */
TL_API void tl_gather_threads(struct tl_gather *gather, unsigned threads);
/**
 * Merge some of what was added until no more than so many profile files wait to be merged.
 * @param most  at least 1
 */
TL_API int tl_gather_reduce(struct tl_gather *gather, size_t most, struct tl_error *err);
/** What tl_gather_pass() wrote. */
struct tl_gather_passed {
	size_t size;     /**< sizeof(struct tl_gather_passed) */
	uint64_t *sizes; /**< of the profile files, in bytes; for free() */
	size_t count;
	bool stacks; /**< what was gathered had call stacks */
};
/**
 * Write the profile files that wait to be merged as they are, one behind the other, for another
 * tl_gather, which they are added to one by one (tl_gather_add_written()). None is left.
 */
TL_API int tl_gather_pass(struct tl_gather *gather, struct tl_output *out,
			  struct tl_gather_passed *passed, struct tl_error *err);
/** How many profiles were added. */
TL_API size_t tl_gather_count(const struct tl_gather *gather);
/** Write the sum of all as a profile file; nothing is left to be written again. */
TL_API int tl_gather_write(struct tl_gather *gather, struct tl_output *out,
			   struct tl_gathered *gathered, size_t size, struct tl_error *err);
/** The same as a profile, which is to be freed with tl_profile_free(). */
TL_API int tl_gather_profile(struct tl_gather *gather, struct tl_profile **profile,
			     struct tl_gathered *gathered, size_t size, struct tl_error *err);
/** NULL is fine. */
TL_API void tl_gather_close(struct tl_gather *gather);

#ifdef __cplusplus
}
#endif
#endif
