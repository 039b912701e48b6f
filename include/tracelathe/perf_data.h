/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_PERF_DATA_H
#define TRACELATHE_PERF_DATA_H
/**
 * @file
 * perf.data, the container of Linux perf: its records, and the Intel PT that is in it.
 *
 * Two floors. A reader (tl_perf_open(), tl_perf_next()) gives the records of a file, of a pipe's
 * bytes or of a directory's "data" file, in either byte order, decompressed. A trace
 * (tl_perf_trace_open()) reads all of them once and gives scheduled slices: which bytes of which
 * AUX buffer were executed by which thread, and in which address space.
 *
 * Section numbers are those of docs/formats/perf-data.md; UAPI is <linux/perf_event.h>.
 */
#include <tracelathe/core.h>
#include <tracelathe/intel_pt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- records --------------------------------------------------------------------------------- */

/**
 * Record types: below 64 those of the kernel (UAPI, enum perf_event_type), from 64 on those of perf
 * itself (4).
 */
enum tl_perf_type {
	TL_PERF_MMAP = 1,
	TL_PERF_LOST,
	TL_PERF_COMM,
	TL_PERF_EXIT,
	TL_PERF_THROTTLE,
	TL_PERF_UNTHROTTLE,
	TL_PERF_FORK,
	TL_PERF_READ,
	TL_PERF_SAMPLE,
	TL_PERF_MMAP2,
	TL_PERF_AUX,
	TL_PERF_ITRACE_START,
	TL_PERF_LOST_SAMPLES,
	TL_PERF_SWITCH,
	TL_PERF_SWITCH_CPU_WIDE,
	TL_PERF_NAMESPACES,
	TL_PERF_KSYMBOL,
	TL_PERF_BPF_EVENT,
	TL_PERF_CGROUP,
	TL_PERF_TEXT_POKE,
	TL_PERF_AUX_OUTPUT_HW_ID,
	TL_PERF_HEADER_ATTR = 64,
	TL_PERF_HEADER_EVENT_TYPE,
	TL_PERF_HEADER_TRACING_DATA,
	TL_PERF_HEADER_BUILD_ID,
	TL_PERF_FINISHED_ROUND,
	TL_PERF_ID_INDEX,
	TL_PERF_AUXTRACE_INFO,
	TL_PERF_AUXTRACE,
	TL_PERF_AUXTRACE_ERROR,
	TL_PERF_THREAD_MAP,
	TL_PERF_CPU_MAP,
	TL_PERF_STAT_CONFIG,
	TL_PERF_STAT,
	TL_PERF_STAT_ROUND,
	TL_PERF_EVENT_UPDATE,
	TL_PERF_TIME_CONV,
	TL_PERF_HEADER_FEATURE,
	TL_PERF_COMPRESSED,
	TL_PERF_FINISHED_INIT,
	TL_PERF_COMPRESSED2,
	TL_PERF_BPF_METADATA,
	TL_PERF_TYPE_COUNT
};

/** Bits of `misc` (UAPI): their meaning depends on the record. */
enum tl_perf_misc {
	/** 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user */
	TL_PERF_MISC_CPUMODE = 7,
	TL_PERF_MISC_KERNEL = 1,
	TL_PERF_MISC_USER = 2,
	TL_PERF_MISC_GUEST_KERNEL = 4,
	TL_PERF_MISC_GUEST_USER = 5,
	TL_PERF_MISC_EXEC = 1 << 13, /**< COMM, FORK: by an exec; MMAP: data; SWITCH: out */
	TL_PERF_MISC_OUT = 1 << 13,
	TL_PERF_MISC_BUILD_ID = 1 << 14, /**< MMAP2: holds a build id; SWITCH: preempted */
	TL_PERF_MISC_ID_SIZE = 1 << 15,  /**< HEADER_BUILD_ID: the size of the id is told */
};

/** Bits of an AUX record's flags (UAPI). */
enum tl_perf_aux_flag {
	TL_PERF_AUX_TRUNCATED = 1, /**< the buffer was full: data after it is missing */
	TL_PERF_AUX_OVERWRITE = 2, /**< snapshot: older data was overwritten */
	TL_PERF_AUX_PARTIAL = 4,   /**< gaps inside */
	TL_PERF_AUX_COLLISION = 8, /**< another user of the hardware interfered */
};

/** One kind of event that was recorded: what of struct perf_event_attr matters to a reader. */
struct tl_perf_attr {
	uint32_t type, attr_size;
	/** flags: the bit-fields, bit 0 `disabled` */
	uint64_t config, sample_type, read_format, flags;
	uint64_t period, config1, config2, branch_type, regs_user, regs_intr;
	uint64_t offset;     /**< of the attribute in the file */
	const uint64_t *ids; /**< of its counters */
	size_t id_count;
	const char *name;   /**< from the header or EVENT_UPDATE records, "" when unknown */
	uint16_t max_stack; /**< most addresses of a call chain, 0: the kernel's default */
	/** with flag use_clockid (bit 25): the clock of times, CLOCK_... of clock_gettime() */
	uint32_t clock;
};

/** Who, when, where: the trailer of a kernel record (sample_id), or the same fields of a sample. */
struct tl_perf_id {
	uint64_t process, thread, time_ns, cpu, stream; /**< TL_NOWHERE: not recorded */
	uint64_t sample_id;                             /**< PERF_SAMPLE_ID */
	uint64_t id; /**< PERF_SAMPLE_IDENTIFIER, else PERF_SAMPLE_ID */
};

/** A text inside a record: not terminated. */
struct tl_perf_text {
	const char *data;
	size_t size;
};

struct tl_perf_build_id {
	uint8_t bytes[20];
	uint8_t size; /**< 0: none */
};

/** The fields of a sample (UAPI, PERF_RECORD_SAMPLE); those that sample_type lacks are 0. */
struct tl_perf_sample {
	uint64_t ip, address, period, weight, data_source, transaction, physical, cgroup, data_page,
		code_page;
	const uint8_t *callchain, *raw, *branches, *stack, *aux; /**< NULL: none */
	/** callchain: of u64 */
	uint64_t callchain_count, raw_size, branch_count, stack_size, aux_size;
	uint64_t stack_used; /**< bytes of `stack` that were copied, the others are none */
	/** NULL: none. reads: counters by tl_perf_sample_read(); registers: u64 by the mask */
	const uint8_t *reads, *user_registers, *intr_registers;
	uint64_t read_count;
	/** UAPI, enum perf_sample_regs_abi: 0 none, 1 of 32 bits, 2 of 64 bits */
	uint64_t user_abi, intr_abi;
	/** of PERF_SAMPLE_WEIGHT_STRUCT, whose first word is `weight`: latencies, by processor */
	uint16_t var2, var3;
};

/** One counter of a PERF_SAMPLE_READ (UAPI, struct read_format). */
struct tl_perf_read {
	uint64_t value;
	uint64_t id;   /**< of the counter, TL_NOWHERE: not recorded */
	uint64_t lost; /**< samples that were lost, 0: none, or not recorded */
};

/* What stands in a record, by its type (UAPI, enum perf_event_type; section 4). */
struct tl_perf_mmap_fields { /* MMAP, MMAP2 */
	uint32_t pid, tid;
	uint64_t address, length, page_offset, inode, generation;
	uint32_t dev_major, dev_minor, protection, flags;
	struct tl_perf_build_id build_id;
	struct tl_perf_text path;
};
struct tl_perf_comm_fields {
	uint32_t pid, tid;
	struct tl_perf_text name;
};
struct tl_perf_task_fields {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
}; /* FORK, EXIT */
struct tl_perf_lost_fields {
	uint64_t id, count;
}; /* LOST, LOST_SAMPLES (id 0) */
struct tl_perf_throttle_fields {
	uint64_t time_ns, id, stream;
};
struct tl_perf_aux_fields {
	uint64_t offset, size, flags;
};
/* ITRACE_START, SWITCH_CPU_WIDE (the other one), READ */
struct tl_perf_thread_fields {
	uint32_t pid, tid;
};
struct tl_perf_namespaces_fields {
	uint32_t pid, tid;
	uint64_t count;
};
struct tl_perf_ksymbol_fields {
	uint64_t address;
	uint32_t length;
	uint16_t type, flags;
	struct tl_perf_text name;
};
struct tl_perf_bpf_fields {
	uint16_t type, flags;
	uint32_t id;
	const uint8_t *tag;
};
struct tl_perf_cgroup_fields {
	uint64_t id;
	struct tl_perf_text path;
};
struct tl_perf_poke_fields {
	uint64_t address;
	uint16_t old_size, new_size;
	const uint8_t *bytes;
};
struct tl_perf_output_fields {
	uint64_t hw_id;
};
struct tl_perf_build_id_fields {
	uint32_t pid;
	struct tl_perf_build_id build_id;
	struct tl_perf_text path;
};
struct tl_perf_auxtrace_fields {
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu;
};
/* words: u64 */
struct tl_perf_auxtrace_info_fields {
	uint32_t type;
	const uint8_t *words;
	uint64_t count;
};
struct tl_perf_auxtrace_error_fields {
	uint32_t type, code, cpu, pid, tid;
	uint64_t ip, time_ns;
	struct tl_perf_text text;
};
struct tl_perf_time_conv_fields {
	uint64_t shift, mult, zero, cycles, mask;
	bool zero_valid, short_valid;
};
struct tl_perf_feature_fields {
	uint64_t id;
	struct tl_perf_text data;
};
/* EVENT_UPDATE: 2 is a name */
struct tl_perf_update_fields {
	uint64_t what, id;
	struct tl_perf_text data;
};
/* ID_INDEX, THREAD_MAP, STAT_CONFIG: entries that are there */
struct tl_perf_list_fields {
	uint64_t count;
};
struct tl_perf_stat_fields {
	uint64_t id, value, enabled, running;
	uint32_t cpu, thread;
};
/* bytes as stored; only with `compressed` of the options */
struct tl_perf_compressed_fields {
	uint64_t size;
};

/** One record, decoded. Pointers live until the next call on the reader. */
struct tl_perf_record {
	uint32_t type; /**< enum tl_perf_type, or a number this version does not know */
	uint16_t misc;
	bool swapped; /**< `body` is of the other byte order */
	/** of the record in the file, of the COMPRESSED record it came in */
	uint64_t offset;
	uint64_t number; /**< from 0, expanded records counted */
	/** offset in the expanded bytes, TL_NOWHERE: it was not compressed */
	uint64_t inside;
	const uint8_t *body; /**< what follows the 8-byte header */
	size_t body_size;    /**< the trailer included */
	/** AUXTRACE, TRACING_DATA: the bytes that the header's size does not count */
	const uint8_t *data;
	uint64_t data_size;
	/** the event it belongs to; NULL: records of perf itself */
	const struct tl_perf_attr *attr;
	struct tl_perf_id id;
	union {
		struct tl_perf_mmap_fields mmap;
		struct tl_perf_comm_fields comm;
		struct tl_perf_task_fields task;
		struct tl_perf_lost_fields lost;
		struct tl_perf_throttle_fields throttle;
		struct tl_perf_aux_fields aux;
		struct tl_perf_thread_fields thread;
		struct tl_perf_namespaces_fields namespaces;
		struct tl_perf_ksymbol_fields ksymbol;
		struct tl_perf_bpf_fields bpf;
		struct tl_perf_cgroup_fields cgroup;
		struct tl_perf_poke_fields poke;
		struct tl_perf_output_fields output;
		struct tl_perf_sample sample;
		struct tl_perf_build_id_fields build_id;
		struct tl_perf_auxtrace_fields auxtrace;
		struct tl_perf_auxtrace_info_fields auxtrace_info;
		struct tl_perf_auxtrace_error_fields auxtrace_error;
		struct tl_perf_time_conv_fields time_conv;
		struct tl_perf_feature_fields feature;
		struct tl_perf_update_fields update;
		struct tl_perf_list_fields list;
		struct tl_perf_stat_fields stat;
		struct tl_perf_compressed_fields compressed;
	};
};

/**
 * What the header and its feature sections say (3); texts are "" when absent, and live as long as
 * the reader.
 */
struct tl_perf_header {
	bool pipe, swapped, compressed, directory;
	uint64_t data_offset, data_size;
	uint64_t features[4]; /**< bit n of the bitmap: feature n is there */
	const char *hostname, *os_release, *perf_version, *arch, *cpu_description, *cpuid,
		*command_line;
	uint32_t cpus_online, cpus_available; /**< 0: unknown */
	uint64_t memory_kb;
	uint64_t first_time_ns, last_time_ns; /**< SAMPLE_TIME, 0: absent */
};

struct tl_perf_options {
	size_t size; /**< sizeof(struct tl_perf_options) */
	bool strict; /**< stop at the first fault */
	/** tl_perf_next(): by time, as FINISHED_ROUND allows (5); else as the bytes stand */
	bool in_order;
	bool compressed; /**< COMPRESSED records as they are, too, before what is in them */
};

/** One thing that is wrong with a file. */
struct tl_perf_fault {
	enum tl_status status;
	const char *text; /**< static */
	uint64_t offset, length, record;
};

struct tl_perf_reader;

/** How sure it is, 0 .. 100, that a file which begins with these bytes is perf.data. */
TL_API int tl_perf_probe(const uint8_t *data, size_t size);

/**
 * Read a perf.data file; the source stays the caller's and must outlive the reader. It is mapped
 * (tl_source_map()).
 *
 * @param options  may be NULL
 * @return 0; TL_BAD_FORMAT: no perf.data; TL_TRUNCATED: the header is cut short; TL_NO_MEMORY,
 *         TL_IO
 */
TL_API int tl_perf_open(struct tl_perf_reader **reader, struct tl_source *source,
			const struct tl_perf_options *options, struct tl_error *err);

/**
 * The next record. A damaged record is skipped and listed as a fault; if its size is wrong, reading
 * goes on at the next place where several records in a row fit, else it ends.
 * @param size  sizeof(struct tl_perf_record)
 * @return 1 and a record, 0 at the end, negative tl_status
 */
TL_API int tl_perf_next(struct tl_perf_reader *reader, struct tl_perf_record *record, size_t size,
			struct tl_error *err);
/**
 * A counter that a SAMPLE record read.
 * @param number  below sample.read_count
 * @param size    sizeof(*read)
 * @return 0; TL_BAD_USAGE where there is no such counter, or for a size that no release had
 */
TL_API int tl_perf_sample_read(const struct tl_perf_record *record, uint64_t number,
			       struct tl_perf_read *read, size_t size);
/** Begin again with the first record. */
TL_API void tl_perf_rewind(struct tl_perf_reader *reader);
TL_API const struct tl_perf_header *tl_perf_header(const struct tl_perf_reader *reader);
/**
 * The number of attributes met so far: all of them for a file, those of HEADER_ATTR records read so
 * far for a pipe.
 */
TL_API size_t tl_perf_attr_count(const struct tl_perf_reader *reader);
/** An attribute, in the order of the file; it lives as long as the reader. NULL: no such number. */
TL_API const struct tl_perf_attr *tl_perf_attr_at(const struct tl_perf_reader *reader,
						  size_t number);
/** Faults met so far: `*count`, of which `*listed` are returned. */
TL_API const struct tl_perf_fault *tl_perf_faults(const struct tl_perf_reader *reader,
						  size_t *listed, uint64_t *count,
						  uint64_t *skipped_bytes);
TL_API void tl_perf_close(struct tl_perf_reader *reader);

/** "MMAP2", ...; NULL when the type is unknown; static. */
TL_API const char *tl_perf_type_name(uint32_t type);
/** "HOSTNAME", ...; NULL when the number is unknown; static. */
TL_API const char *tl_perf_feature_name(unsigned feature);

/* ---- Intel PT in it -------------------------------------------------------------------------- */

/** What AUXTRACE_INFO says of Intel PT (6). Masks are bits of the event's config. */
struct tl_perf_pt_info {
	uint64_t pmu_type, time_shift, time_mult, time_zero, cap_user_time_zero;
	uint64_t tsc_bit, noretcomp_bit, have_sched_switch, snapshot_mode, per_cpu_mmaps;
	uint64_t mtc_bit, mtc_freq_bits, tsc_ctc_n, tsc_ctc_d, cyc_bit, max_nonturbo_ratio;
	const char *filter; /**< "" when there is none */
	uint64_t cap_event_trace;
	uint64_t config;  /**< of the Intel PT event */
	bool event_found; /**< some attribute has the type pmu_type */
};

struct tl_perf_trace_options {
	size_t size; /**< sizeof(struct tl_perf_trace_options) */
	bool strict;
	const char *sysroot; /**< look for recorded paths below it, first; NULL: none */
	const char *const *build_id_dirs; /**< caches "DIR/.build-id/xx/rest/elf"; NULL: ~/.debug */
	size_t build_id_dir_count;
	const char *directory; /**< where relative names are looked for; NULL: where the file is */
	bool no_files;         /**< look for no code at all */
	uint64_t process, thread, cpu; /**< which slices are `chosen`, TL_NOWHERE: any */
	/**
	 * Files that are looked at before all others, of programs, libraries and the kernel
	 * (vmlinux): each is what the recording has of its build id, or of its name where one of
	 * both has no build id. They must outlive the trace.
	 */
	const char *const *programs;
	size_t program_count;
	/**
	 * Files of virtual machines are looked for below it, or, for the machine that process PID
	 * runs, below its PID if there is such a directory; NULL: nowhere.
	 */
	const char *guest_root;
	/** asked for the programs that are not found; it outlives the trace. NULL: nobody is */
	const struct tl_debuginfod *debuginfod;
};

struct tl_perf_trace;

/**
 * A scheduled slice: bytes of one AUX buffer that one thread executed in one address space. Slices
 * of all buffers come in the order of their beginnings, so that those of a thread are in order,
 * whichever processor it was on; those of one buffer are in the order of its bytes.
 *
 * A slice is bytes [config->begin + from, config->begin + to). Keep one decoder for each buffer:
 *
 *   unless slice.continues: open it with slice.config and slice.image
 *   tl_pt_decoder_set_asid(slice.asid); tl_pt_decoder_set_end(slice.to)
 *   unless slice.continues: tl_pt_decoder_sync_forward()
 *   decode until the end of the stream is reported
 *
 * All address spaces are in one image, which grows as new ones are met: each has an asid of its
 * own.
 */
struct tl_perf_sched_slice {
	uint64_t stream;               /**< number of the buffer, from 0 */
	uint64_t process, thread, cpu; /**< TL_NOWHERE: unknown */
	const char *command;           /**< name of the thread at that time, "" when unknown */
	/**
	 * Begin and end are a range of the buffer without gaps. Valid until the next slice of the
	 * same buffer.
	 */
	const struct tl_pt_config *config;
	uint64_t from, to;
	uint64_t buffer_offset; /**< of config->begin in the buffer's stream of bytes */
	/** of config->begin in the file; TL_NOWHERE: in several places of it */
	uint64_t file_offset;
	uint64_t start_tsc; /**< when it begins, 0: unknown */
	/** the same range as the slice of this buffer before it: its decoder goes on */
	bool continues;
	bool gap;                  /**< trace was lost before it */
	struct tl_pt_image *image; /**< the trace's own, the same for all slices */
	struct tl_pt_asid asid;    /**< of the slice's code in the image */
	/** number of the address space: for tl_perf_trace_find_mapping() */
	uint32_t space;
	/** the options want it; else decode it only to keep the decoder in step */
	bool chosen;
	/**
	 * code of a virtual machine, whose processor is the thread: `command` is "[guest:PID]", and
	 * `thread` is 2^32 and its number, as its calls are none of the thread's own
	 */
	bool guest;
};

/** Code whose file was not found. */
struct tl_perf_missing_code {
	const char *path; /**< as recorded */
	/** static: "no such file", "another build", "memory without a file", ... */
	const char *reason;
	uint64_t process, address, length;
	char build_id[41]; /**< hexadecimal, "" when unknown */
};

/** A mapping of a file into an address space. */
struct tl_perf_mapping {
	uint64_t start, end, page_offset;
	const char *path; /**< as recorded */
	/** the file its code is taken from, NULL: none was found, or it is not in a file */
	const char *file;
	const char *reason; /**< static: why there is no code of it; NULL: there is */
	uint64_t bias;      /**< what the loader added to the addresses of that file */
};

/**
 * Read all records once: processes, maps and switches, and where the AUX data are.
 * @return 0; TL_UNSUPPORTED: records, but no Intel PT; and what tl_perf_open() and tl_perf_next()
 *         return
 */
TL_API int tl_perf_trace_open(struct tl_perf_trace **trace, struct tl_source *source,
			      const struct tl_perf_trace_options *options, struct tl_error *err);
/**
 * The next slice.
 * @param size  sizeof(struct tl_perf_sched_slice)
 * @return 1 and a slice, 0 at the end, negative tl_status
 */
TL_API int tl_perf_trace_next(struct tl_perf_trace *trace, struct tl_perf_sched_slice *slice,
			      size_t size, struct tl_error *err);
/** Begin again with the first slice. */
TL_API void tl_perf_trace_rewind(struct tl_perf_trace *trace);
TL_API const struct tl_perf_pt_info *tl_perf_trace_info(const struct tl_perf_trace *trace);
TL_API struct tl_perf_reader *tl_perf_trace_reader(struct tl_perf_trace *trace);
/**
 * The mapping of an address in an address space.
 * @param space  tl_perf_sched_slice.space
 * @param size   sizeof(struct tl_perf_mapping)
 * @return 1; 0: no mapping of the address was recorded; TL_BAD_USAGE: no such space or size
 */
TL_API int tl_perf_trace_find_mapping(const struct tl_perf_trace *trace, uint32_t space,
				      uint64_t ip, struct tl_perf_mapping *mapping, size_t size);
/** Code not found for the slices given so far, each object once. */
TL_API const struct tl_perf_missing_code *tl_perf_trace_missing(const struct tl_perf_trace *trace,
								size_t *count);
/** Ticks to nanoseconds of the perf clock (6). @return false when the file has no conversion */
TL_API bool tl_perf_trace_ns(const struct tl_perf_trace *trace, uint64_t tsc, uint64_t *ns);
TL_API bool tl_perf_trace_tsc(const struct tl_perf_trace *trace, uint64_t ns, uint64_t *tsc);
TL_API void tl_perf_trace_close(struct tl_perf_trace *trace);

#ifdef __cplusplus
}
#endif
#endif
