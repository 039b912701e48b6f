/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_XTRACE_H
#define TRACELATHE_XTRACE_H
/**
 * @file
 * xtrace: instruction streams (xinsndata) and register snapshots (xsnapshot) of Kunpeng's workload
 * tools.
 *
 * A trace is one or several *streams*, one per thread or core; a stream is a pair of files whose
 * names differ in the suffix only. Streams of one start time ("timestamp") are a group. Numbers
 * such as "A21" are rules of docs/formats/xtrace.md, which says what the published text leaves open
 * and what we do.
 *
 * `size` behind a pointer to a struct is the sizeof of the caller's struct: no more is written to
 * it or read from it (docs/abi.md). A size below that of version 0.2 is TL_BAD_USAGE.
 */
#include <tracelathe/core.h>
#include <tracelathe/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An opened trace: all its streams. */
struct tl_xtrace_trace;
/** A position in one stream. */
struct tl_xtrace_reader;

/** Kinds of tokens (section 2.4). */
enum tl_xtrace_kind {
	TL_XTRACE_NONE,   /**< no token: the end */
	TL_XTRACE_INST,   /**< an instruction behind the one before */
	TL_XTRACE_PCINST, /**< an instruction with its PC */
	TL_XTRACE_LOAD,
	TL_XTRACE_STORE,
	TL_XTRACE_STXR,        /**< status of an exclusive store, raw (A16) */
	TL_XTRACE_MRS,         /**< MRS result, or MSR source */
	TL_XTRACE_SVCARG,      /**< x8, then x0 to x5, of a system call */
	TL_XTRACE_SVCRET,      /**< its result */
	TL_XTRACE_DC,          /**< address of DC ZVA, DC GZVA */
	TL_XTRACE_TARGET_B,    /**< target of BR, BLR, RET, ERET */
	TL_XTRACE_ALLGPR,      /**< X0 to X31 at a change of the exception level */
	TL_XTRACE_FLAGS,       /**< NZCV */
	TL_XTRACE_SYSCALL_VEC, /**< the iovecs of a system call */
	TL_XTRACE_TIME,        /**< place of the next access in the order of all streams */
	TL_XTRACE_UNKNOWN,     /**< a token whose size the options say (A13) */
	TL_XTRACE_KIND_COUNT
};

/** "INST", "PCINST", "LOAD", ...; static. */
TL_API const char *tl_xtrace_kind_name(enum tl_xtrace_kind kind);

/**
 * All that reading depends on, found by trying (section 2.3, A11, A14) or given.
 *
 * As text: comma-separated NAME=VALUE of the names below; what is not named keeps the value that
 * was found. "header=24,predicates=16,pad=register,sysreg=8,za=yes,vl=128,z=vl,time=8,codes=5" is
 * the layout we write.
 */
struct tl_xtrace_layout {
	uint32_t header_bytes; /**< header=24|19|32|0 */
	uint32_t predicates;   /**< predicates=16|17 */
	bool pad_blocks;       /**< pad=register|block: what is aligned to 16 bytes */
	uint32_t sysreg_bytes; /**< sysreg=8|4 */
	bool za;               /**< za=yes|no */
	/** z=vl|fixed: Z slots of 256 bytes whatever the vector length; never tried, only taken */
	bool fixed_z;
	uint32_t vector_bits; /**< vl=128..2048; 0: no snapshot says */
	uint32_t time_bytes;  /**< time=8|0|4|16 */
	uint32_t code_bits;   /**< codes=5|4: high bits that tell VAL and MISC tokens apart */
};

/** How a trace is read. Zero-filled with `size` set is a good default. */
struct tl_xtrace_options {
	size_t size;        /**< sizeof(struct tl_xtrace_options) */
	bool strict;        /**< stop at the first fault instead of skipping to the next snapshot */
	bool alone;         /**< do not look for the other file of a pair beside the given one */
	const char *layout; /**< NULL: find out */
	/** tokens to skip, "04=8,14=0": token byte in hexadecimal, payload bytes; NULL: none */
	const char *skip_unknown;
};

/** A file to read: `source` is used if there is one (and outlives the trace), else `path` is
 * opened. */
struct tl_xtrace_file {
	const char *path;
	struct tl_source *source;
};

/** Facts about a stream. Strings live as long as the trace. */
struct tl_xtrace_stream_info {
	const char *path;          /**< xinsndata, NULL: missing */
	const char *snapshot_path; /**< xsnapshot, NULL: missing */
	const char *timestamp;     /**< of the name, "" if the name is another */
	uint64_t id;               /**< thread or core, of the name; else the stream's number */
	unsigned hint;             /**< 9, 13, 0: the name does not say */
	uint64_t bytes;            /**< of the instruction stream, expanded */
	uint64_t snapshot_bytes;
	uint32_t snapshots; /**< whole records */

	bool has_header; /**< the fields below, as stored (A2, A3) */
	uint32_t magic, global_snapshot;
	uint64_t version;
	uint8_t division, stream_type, access_order;

	const struct tl_xtrace_layout *layout;
	/** how many of those tried fit the snapshots; 0: none, or no snapshots */
	uint32_t layouts_that_fit;
	bool ordinals; /**< "index in the file" was an ordinal, not an offset (2.3) */
};

/** One register snapshot. Pointers live as long as the trace. */
struct tl_xtrace_snapshot {
	uint64_t record_offset; /**< in the snapshot file */
	uint64_t file, index;   /**< as stored */
	uint64_t offset;        /**< of the first token after it, in the instruction stream */
	uint64_t user, total;   /**< instructions before it */
	uint64_t x[32];         /**< X31 is SP (A9) */
	uint64_t sysregs[11];   /**< in the order of tl_xtrace_sysreg_name() */
	const uint8_t *z, *p, *ffr,
		*za;                 /**< little-endian as stored; za NULL: the layout has none */
	uint32_t z_stride, p_stride; /**< bytes from one register to the next */
	uint32_t vector_bytes;       /**< of a Z register; of a predicate: an eighth of it */
	uint64_t vector_bits;        /**< as stored */
};

/** "fpcr", "fpsr", "nzcv", ... (section 2.3, item 10), `number` < 11; static. */
TL_API const char *tl_xtrace_sysreg_name(unsigned number);

/** One place where the input is damaged. `text` is static: what was wrong; what was kept. */
struct tl_xtrace_fault {
	enum tl_status status;
	const char *text;
	const char *path; /**< the file it is in */
	uint64_t offset;
	uint64_t length; /**< bytes that were skipped */
	/** number of the token in its segment, of the snapshot in its file; TL_NOWHERE: neither */
	uint64_t record;
};

/**
 * Recognise an instruction stream or a snapshot file by its first bytes (the more, the surer).
 * @return 0..100, how sure
 */
TL_API int tl_xtrace_probe(const uint8_t *data, size_t size);

/**
 * Open a trace: one or both files of a pair, or the files of several threads or cores, in any
 * order. The other file of a pair is looked for beside the one given, compressed or not. Finds the
 * layout; reads no stream.
 * @param options  may be NULL
 * @param failed   set to the path the error is about; may be NULL
 * @return 0; TL_BAD_FORMAT, TL_BAD_USAGE (layout or tokens to skip make no sense, a file given
 * twice), TL_IO, TL_NO_MEMORY. Snapshots that no layout fits are a fault, not an error.
 */
TL_API int tl_xtrace_open(struct tl_xtrace_trace **trace, const struct tl_xtrace_file *files,
			  size_t count, const struct tl_xtrace_options *options,
			  const char **failed, struct tl_error *err);
TL_API void tl_xtrace_close(struct tl_xtrace_trace *trace);

/** Number of streams; in the order of (timestamp, id, path). */
TL_API uint32_t tl_xtrace_stream_count(const struct tl_xtrace_trace *trace);
TL_API const struct tl_xtrace_stream_info *tl_xtrace_stream(const struct tl_xtrace_trace *trace,
							    uint32_t stream);

/** Read a snapshot. @return 0, or TL_BAD_USAGE when the stream has no such snapshot */
TL_API int tl_xtrace_snapshot_read(const struct tl_xtrace_trace *trace, uint32_t stream,
				   uint32_t number, struct tl_xtrace_snapshot *snapshot,
				   size_t size);

/** Faults met so far: `*count` of them, of which the first 1000 are listed; by stream, in the order
 * they were met. */
TL_API const struct tl_xtrace_fault *tl_xtrace_faults(const struct tl_xtrace_trace *trace,
						      size_t *listed, uint64_t *count,
						      uint64_t *skipped_bytes);

/** Write the text form of a layout (at most TL_XTRACE_LAYOUT_TEXT bytes with its terminator). */
#define TL_XTRACE_LAYOUT_TEXT 128
TL_API void tl_xtrace_layout_text(const struct tl_xtrace_layout *layout, size_t size, char *text);
/** Read one; what the text does not name keeps its value. @return 0, or TL_BAD_USAGE */
TL_API int tl_xtrace_layout_parse(const char *text, struct tl_xtrace_layout *layout, size_t size,
				  struct tl_error *err);

/* ---- reading ------------------------------------------------------------------------------- */

/** One token. Pointers live as long as the trace. */
struct tl_xtrace_token {
	enum tl_xtrace_kind kind;
	uint8_t byte; /**< as stored */
	uint8_t el;   /**< exception level of INST, PCINST */
	bool pc_known;
	uint64_t offset, length; /**< bytes of the token, payload included */
	uint64_t pc;             /**< of the instruction it belongs to */
	uint32_t opcode;         /**< INST, PCINST */
	uint64_t value; /**< address of LOAD, STORE; number of iovecs; TIME; else the value */
	const uint8_t
		*data; /**< bytes of a LOAD or STORE, X0.. of ALLGPR, iovecs, payload of UNKNOWN */
	uint64_t data_size;
};

/** The boundary between an instruction and the one before it. */
struct tl_xtrace_boundary {
	bool after_gap;        /**< bytes were skipped as damaged */
	bool has_svcret;       /**< a system call returned `svcret` */
	uint32_t snapshot;     /**< number of the snapshot that was taken here, TL_NONE */
	const uint8_t *allgpr; /**< X0 to X31, little-endian; NULL: none */
	uint64_t svcret;
};

/** A system call, of an SVC. */
struct tl_xtrace_syscall_args {
	uint64_t args[7];      /**< x8, x0 to x5 */
	uint32_t arg_count;    /**< in the stream; at most 7 are kept */
	const uint8_t *iovecs; /**< pairs of u64 base and length; NULL: none */
	uint64_t iovec_count;
};

/** Values of an instruction, each from one token; has_x is false where there was none. */
struct tl_xtrace_values {
	bool has_time, has_stxr, has_mrs, has_dc, has_target, has_flags;
	uint64_t time, stxr, mrs, dc, target, flags;
};

/** An instruction and everything that belongs to it (A21). */
struct tl_xtrace_instruction {
	uint64_t ordinal; /**< from 0, in its stream */
	uint64_t offset;  /**< of its first token, those of the boundary before it included */
	uint64_t length;  /**< bytes of its tokens, from `offset` on */
	uint64_t pc;
	bool pc_known; /**< false: an INST before any PCINST */
	bool with_pc;  /**< it is a PCINST */
	uint8_t el;
	uint32_t opcode;
	struct tl_xtrace_boundary before;
	struct tl_xtrace_syscall_args syscall;
	struct tl_xtrace_values values;

	const uint8_t *tokens; /**< its tokens behind INST or PCINST, for tl_xtrace_access_next() */
	uint64_t token_bytes;
	uint64_t loads, stores; /**< number of tokens */
};

/** A memory access of an instruction. */
struct tl_xtrace_access {
	bool store;
	uint64_t address;
	uint32_t size;       /**< bytes, a power of two up to 256 */
	const uint8_t *data; /**< the bytes as they stand in memory */
};

/** Begin to read a stream; from its beginning, or from a snapshot (0 and TL_NONE: the beginning).
 */
TL_API int tl_xtrace_reader_open(struct tl_xtrace_reader **reader, struct tl_xtrace_trace *trace,
				 uint32_t stream, uint32_t snapshot, struct tl_error *err);
/**
 * The next token.
 * @return 1; 0 at the end; a negative status on a fault in strict mode. Otherwise damage costs what
 * is left up to the next snapshot's offset and is listed by tl_xtrace_faults().
 */
TL_API int tl_xtrace_next_token(struct tl_xtrace_reader *reader, struct tl_xtrace_token *token,
				size_t size, struct tl_error *err);
/** The next instruction; as tl_xtrace_next_token(). The two are not to be mixed on one reader. */
TL_API int tl_xtrace_next(struct tl_xtrace_reader *reader,
			  struct tl_xtrace_instruction *instruction, size_t size,
			  struct tl_error *err);
/** Walk the accesses of an instruction; `*at` begins at 0. @return false: no more */
TL_API bool tl_xtrace_access_next(const struct tl_xtrace_reader *reader,
				  const struct tl_xtrace_instruction *instruction, uint64_t *at,
				  struct tl_xtrace_access *access, size_t size);
TL_API void tl_xtrace_reader_close(struct tl_xtrace_reader *reader);

/* ---- checking ------------------------------------------------------------------------------ */

/** A rule of the format that was broken. Strings are static or live as long as the trace. */
struct tl_xtrace_violation {
	const char *rule; /**< "xtrace.pc.continuity", ... */
	const char *text;
	const char *path; /**< the file the offset is in */
	uint64_t offset;
	/** ordinal of the instruction, or number of the snapshot; TL_NOWHERE: neither */
	uint64_t record;
	uint64_t pc; /**< TL_NOWHERE: unknown */
	uint64_t id; /**< thread or core */
	/** what should have been there, until the function returns; NULL: the text says it */
	const char *expected;
	/**
	 * true: how the collector writes what the published text leaves open ("xtrace.dialect"),
	 * told once before all violations of a stream, and not counted
	 */
	bool note;
};
/** @return 0 to go on, anything else to stop */
typedef int tl_xtrace_violation_fn(void *arg, const struct tl_xtrace_violation *violation);

/** A rule of tl_xtrace_check(). */
struct tl_xtrace_rule {
	const char *rule;    /**< as in violations */
	const char *text;    /**< what breaks it */
	const char *section; /**< of docs/formats/xtrace.md, where the format says so: "2.4, A21" */
};
/** Rules in their order, from 0 on. @return NULL behind the last */
TL_API const struct tl_xtrace_rule *tl_xtrace_check_rule(size_t number);

/**
 * Hold a trace against the invariants of section 5 and the grammar of 2.4 and A21. Streams with
 * TIME tokens share one memory in the order of these tokens; others have one each.
 * @return number of violations, or a negative tl_status
 */
TL_API int64_t tl_xtrace_check(struct tl_xtrace_trace *trace, tl_xtrace_violation_fn *fn, void *arg,
			       struct tl_error *err);

/* ---- writing ------------------------------------------------------------------------------- */

struct tl_xtrace_writer;

/** What the header of the written snapshot file says. Zero-filled with `size` set is a good
 * default. */
struct tl_xtrace_writer_options {
	size_t size;          /**< sizeof(struct tl_xtrace_writer_options) */
	uint32_t vector_bits; /**< 0: 128 */
	uint32_t global_snapshot;
	uint8_t division, stream_type, access_order;
};

/**
 * Begin a pair of files (section 7) in the layout of sections 2.2 to 2.4. The caller commits the
 * outputs after tl_xtrace_writer_finish(). `snapshots` may be NULL.
 */
TL_API int tl_xtrace_writer_open(struct tl_xtrace_writer **writer, struct tl_output *stream,
				 struct tl_output *snapshots,
				 const struct tl_xtrace_writer_options *options,
				 struct tl_error *err);
/**
 * Append a token. An instruction is written as PCINST where it must be: at the beginning, behind a
 * snapshot, where the PC or the exception level breaks, and where `kind` is PCINST; else as INST.
 * `value`, `data` and `opcode` as in struct tl_xtrace_token; a LOAD or STORE takes its size from
 * `data_size`, which is a power of two up to 256.
 */
TL_API int tl_xtrace_writer_put(struct tl_xtrace_writer *writer,
				const struct tl_xtrace_token *token, size_t size,
				struct tl_error *err);
/**
 * Append a snapshot before the next instruction: counts, offset, file number and vector length are
 * the writer's own; the registers are those of `snapshot`, cut or zero-filled to the writer's
 * vector length.
 */
TL_API int tl_xtrace_writer_snapshot(struct tl_xtrace_writer *writer,
				     const struct tl_xtrace_snapshot *snapshot, size_t size,
				     struct tl_error *err);
/** End both files and free the writer; NULL is fine. */
TL_API int tl_xtrace_writer_finish(struct tl_xtrace_writer *writer, struct tl_error *err);

/** Which part of a stream to write: what lies in both ranges. */
struct tl_xtrace_slice {
	size_t size; /**< sizeof(struct tl_xtrace_slice) */
	uint32_t stream;
	uint32_t first_snapshot,
		end_snapshot; /**< from the first to before the end; 0, TL_NONE: all */
	uint64_t first_instruction, end_instruction; /**< by ordinal; 0, TL_NOWHERE: all */
};

/**
 * Write a part of a stream as a pair of its own (section 7): PCINST first, the snapshots within it
 * with counts and offsets from 0. All of a stream in our own layout comes out as the bytes it was
 * read from.
 * @param snapshots  may be NULL: not wanted
 * @return 0; TL_BAD_USAGE: no such snapshot, or an empty part
 */
TL_API int tl_xtrace_slice_write(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
				 struct tl_output *stream, struct tl_output *snapshots,
				 struct tl_error *err);

/**
 * Write a part of a stream as a static AArch64 program for Linux: it begins with the registers of
 * the first snapshot and the memory that the part finds, executes exactly its instructions at their
 * addresses, and ends with status 0 where the part ends (docs/xtrace-slices.md). System calls are
 * not made: their results, and what they wrote, come from the trace.
 *
 * `slice->stream` TL_NONE: the streams of the trace are threads of one program, whose accesses are
 * in the order of TIME where two are to the same memory; snapshots are counted from the global
 * snapshot point of each, and a stream without the first one is left out (tl_xtrace_faults()).
 *
 * `slice->first_instruction` is 0. The output's file becomes executable.
 * @return 0; TL_UNSUPPORTED, with the instruction, for what cannot run so; TL_BAD_USAGE: no such
 *         snapshot, or an empty part; a status of damage within the part
 */
TL_API int tl_xtrace_slice_elf(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			       struct tl_output *out, struct tl_error *err);

/* ---- profiles ------------------------------------------------------------------------------ */

struct tl_binary;

/**
 * The part of each stream that counts: what is within all of these bounds. Zero-filled: everything.
 */
struct tl_xtrace_part {
	uint64_t first, end; /**< instructions by number from 0; end 0: no end */
	/** from one snapshot to before another; end 0: no end */
	uint64_t first_snapshot, end_snapshot;
	/**
	 * TIME from one to before another; end 0: no end. An instruction is as late as its first
	 * access, one without accesses as the one before it.
	 */
	uint64_t first_time, end_time;
	unsigned levels; /**< exception levels, a bit each; 0: all */
};

/** What the parts of a profile are. */
enum tl_xtrace_split {
	TL_XTRACE_BY_STREAM, /**< threads or cores */
	TL_XTRACE_BY_LEVEL,  /**< exception levels; a part's `command` is "EL0" */
	/**
	 * threads of the kernel, as it writes them to SP_EL0; a part's `command` is "task 0x...",
	 * or "thread N", "core N" of a stream that does not tell
	 */
	TL_XTRACE_BY_TASK,
};

/** How a trace becomes a profile. Zero-filled with `size` set and `id` TL_NOWHERE is a good
 * default. */
struct tl_xtrace_fold_options {
	size_t size;                       /**< sizeof(struct tl_xtrace_fold_options) */
	struct tl_binary *const *binaries; /**< for names and lines; used by one call at a time */
	size_t binary_count;
	uint64_t id;   /**< only this thread or core, TL_NOWHERE: all */
	bool lines;    /**< costs by address, calls by place, jumps; else by function and context */
	unsigned jobs; /**< threads, 0: 1; the result is the same */
	/**
	 * A call counts with the first instruction behind it. What is called in the part is known
	 * from the whole of a stream, so that parts of it sum to the profile of the whole.
	 */
	struct tl_xtrace_part part;
	/**
	 * A part of the profile for every so many instructions of a stream, whose `number` is 1, 2,
	 * ... and whose `command` is "instructions FROM..TO"; 0: one a stream. Without `lines`
	 */
	uint64_t interval;
	enum tl_xtrace_split split; /**< without `lines`, and without `interval` */
	/**
	 * Only a share of the only stream there is: a run of its segments, by its number below
	 * `shares`; `shares` below 2: all. It needs `chain`, and goes without a part. The shares
	 * add up to the profile of the stream.
	 */
	uint32_t share, shares;
	const struct tl_share_chain *chain;
};

/**
 * Fold a trace into a finished profile: a part per stream. Events: Ir, Loads, Stores, LoadBytes,
 * StoreBytes, and, if there are any, IrKernel (those instructions that ran above EL0). Calls and
 * returns come from the instructions and their targets (docs/design.md, "xtrace"). Functions are
 * those of the binaries; code that they do not know is named after the address it was called at.
 * @return 0; TL_BAD_USAGE: no such snapshot, no TIME, no instructions in the part, or options that
 *         do not go together; TL_UNSUPPORTED: a share that stands for no part of the stream;
 *         TL_NO_MEMORY; of a trace opened as strict, a status of damage
 */
TL_API int tl_xtrace_fold(struct tl_xtrace_trace *trace,
			  const struct tl_xtrace_fold_options *options, struct tl_profile **profile,
			  struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
