/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_TRACE_H
#define TL_PERF_DATA_TRACE_H
/*
 * The inside of a trace. auxtrace/load.c makes one time-ordered pass over the records and fills the
 * tables below: objects (files that were mapped), processes (maps as a list of changes), threads
 * (names), switches (which thread a processor runs) and streams (chunks of AUX data).
 * auxtrace/sched_slices.c then walks the streams and cuts them where thread or address space
 * change; address_space.c puts code into the decoder's image, objects.c and elf.c find its files.
 *
 * Memory grows with maps, threads and switches: 24 bytes a switch, which takes 48 bytes or more in
 * the file.
 */
#include "intel_pt/packets/packet.h"
#include "perf_data/container/reader.h"

#define TL_PERF_KERNEL_PID UINT32_MAX
#define TL_PERF_NO_CPU UINT32_MAX /* of a stream: it is a thread's */
#define TL_PERF_KERNEL_START (UINT64_C(1) << 63)

/* ---- objects ---- */

/* A part of a file that is loaded: PT_LOAD. */
struct tl_perf_segment {
	uint64_t offset, size, address;
};

enum { TL_PERF_ELF_SEGMENTS_MAX = 16 };

struct tl_perf_elf {
	struct tl_perf_segment segments[TL_PERF_ELF_SEGMENTS_MAX];
	size_t segment_count;
	struct tl_perf_build_id build_id;
	bool core; /* a core file, as copies of /proc/kcore are */
};

enum tl_perf_elf_result {
	TL_PERF_ELF_NONE, /* there is no such file, or nothing in it */
	TL_PERF_ELF_READ,
	TL_PERF_ELF_OTHER, /* a file, but no ELF file of x86 */
	/* something is there that cannot be opened or read: *error, a number of errno.h */
	TL_PERF_ELF_UNREADABLE,
};

enum tl_perf_elf_result tl_perf_elf_read(const char *path, struct tl_perf_elf *elf, int *error);
bool tl_perf_elf_read_memory(const uint8_t *data, size_t size, struct tl_perf_elf *elf);

enum tl_perf_object_kind {
	TL_PERF_OBJECT_FILE,
	TL_PERF_OBJECT_VDSO,
	TL_PERF_OBJECT_KERNEL,
	TL_PERF_OBJECT_ANONYMOUS,
};

/* A file as recorded: a path, with the build id it had. */
struct tl_perf_object {
	uint32_t path;    /* name */
	uint32_t process; /* of the map it was met with first */
	uint64_t address, length;
	struct tl_perf_build_id recorded_id; /* by its map: part of who it is */
	struct tl_perf_build_id build_id;    /* that, or by the header's table */
	enum tl_perf_object_kind kind;
	bool located, reported;
	const char *file;      /* where its bytes are; NULL: none */
	const uint8_t *memory; /* or in this process's own memory */
	size_t memory_size;
	const char *reason; /* why there is neither */
	struct tl_perf_elf elf;
};

/* ---- processes ---- */

enum tl_perf_map_change_kind {
	TL_PERF_CHANGE_MAP,
	TL_PERF_CHANGE_CLEAR, /* exec: nothing is left of what was */
	TL_PERF_CHANGE_FORK,  /* nothing is left but what another process had at that time */
	TL_PERF_CHANGE_EPOCH, /* what comes contradicts what was: another image */
};

struct tl_perf_map_change {
	enum tl_perf_map_change_kind kind;
	uint32_t object; /* FORK: the other process */
	uint64_t time_ns;
	uint64_t start, end, page_offset; /* FORK: `start` is the other's number of changes */
};

struct tl_perf_process {
	uint32_t pid;
	struct tl_perf_map_change *changes;
	size_t count, capacity;
	size_t maps; /* since the last CLEAR or FORK */
};

struct tl_perf_comm {
	uint64_t time_ns;
	uint32_t name;
};

struct tl_perf_thread {
	uint32_t tid, pid;
	struct tl_perf_comm *comms;
	size_t count, capacity;
};

/* From this time on a processor runs this thread. */
struct tl_perf_switch {
	uint64_t time_ns;
	uint32_t cpu, pid, tid;
};

/* ---- streams ---- */

struct tl_perf_aux_chunk {
	uint64_t at, size; /* bytes in the file, or in the spool */
	uint64_t offset;   /* in the stream; 0 in snapshots */
	bool spooled;
	bool follows; /* on the chunk before it, without a gap */
};

/* An AUX record that says more than that there is data. */
struct tl_perf_aux_loss {
	uint64_t offset, time_ns, flags;
	uint32_t cpu, tid;
};

struct tl_perf_aux_stream {
	uint32_t idx, cpu, tid; /* cpu UINT32_MAX: of one thread */
	bool snapshots;         /* chunks may repeat what the one before them has */
	bool sampled;           /* from AUX samples */
	struct tl_perf_aux_chunk *chunks;
	size_t count, capacity;
};

/* ---- runs ---- */

/* Who runs what from a time on. */
struct tl_perf_exec_context {
	uint64_t tsc; /* 0: from the beginning */
	uint64_t time_ns;
	uint32_t pid, tid; /* TL_PERF_KERNEL_PID: unknown */
	uint32_t process;  /* TL_NONE: unknown */
	size_t changes;    /* of the process, up to the end of the epoch */
};

/* Bytes of a stream without gaps, at one address. */
struct tl_perf_aux_range {
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* in the stream */
	bool gap;        /* something is missing before it */
	void *mapped;    /* ours to unmap */
	size_t mapped_size;
};

/* The scan over packets that finds where contexts begin. */
struct tl_perf_switch_scan {
	const uint8_t *pos;
	struct tl_pt_context context;
	uint64_t ip;           /* of the last packet with an address */
	bool on, in_psb;       /* tracing is on, by the packets so far; inside a PSB+ */
	const uint8_t *off_at; /* behind the TIP.PGD that disabled tracing; NULL: not known */
	uint64_t base, tsc;    /* time at the last TSC or MTC; with the cycles since; 0: unknown */
	uint64_t cycles;
	uint8_t cbr;
	bool have_ctc; /* MTC can be used */
	uint8_t mtc;
	/* of the counter that MTC tells, since the last TMA; time at the first */
	uint64_t edges, edge_tsc;
	const uint8_t *ahead; /* up to here the next time is `next` */
	uint64_t next;
};

/* Whose an address is: > 0 only of who comes, < 0 only of who goes, 0: of both, or of neither. */
typedef int tl_perf_owner_fn(const void *arg, uint64_t ip);

/* The way through one stream. */
struct tl_perf_stream_walk {
	const struct tl_perf_aux_stream *stream;
	size_t chunk;                   /* of the next chunks */
	struct tl_perf_aux_range whole; /* chunks that follow on each other */
	size_t used;                    /* bytes of it that were in ranges */
	bool gap;                       /* before it */
	struct tl_perf_aux_range range; /* the part that is walked */
	struct tl_perf_switch_scan scan;
	struct tl_pt_config config; /* of the decoder, for the range */
	struct tl_perf_exec_context *contexts;
	size_t context_count, context_capacity, context;
	bool contexts_made;
	uint64_t from;      /* of the next run in the range */
	uint64_t first_tsc; /* of the range; 0: it has no time */
	bool open;          /* the range has a run to give */
	bool given;         /* and gave one already */

	/* The next run, found ahead so that the earliest of all streams can be chosen. */
	bool pending, ended;
	uint64_t to, start;  /* where it ends; when it begins */
	size_t next_context; /* of the slice behind it */
};

/* What is mapped in a process (TL_NONE: only the kernel) after its first `changes` changes. */
struct tl_perf_address_space {
	uint32_t process;
	size_t changes;
};

struct tl_perf_trace {
	struct tl_perf_trace_options options;
	struct tl_source *source;
	struct tl_perf_reader *reader;
	struct tl_perf_pt_info info;
	bool have_info;
	struct tl_pt_config config;
	char *directory;

	struct tl_names names;
	struct tl_perf_object *objects;
	size_t object_count, object_capacity;
	struct tl_index object_index;
	struct tl_perf_process *processes;
	size_t process_count, process_capacity;
	struct tl_index process_index;
	struct tl_perf_thread *threads;
	size_t thread_count, thread_capacity;
	struct tl_index thread_index;
	struct tl_perf_switch *switches;
	size_t switch_count, switch_capacity;
	struct tl_index cpu_index; /* the first switch of each processor */
	struct tl_perf_aux_stream *streams;
	size_t stream_count, stream_capacity;
	struct tl_perf_aux_loss *losses;
	size_t loss_count, loss_capacity;
	uint64_t sched_switch;                   /* tracepoint id, TL_NOWHERE: none */
	unsigned sched_next_pid, sched_prev_pid; /* offsets in its raw data */
	int spool;                               /* descriptor, -1: none */
	uint64_t spooled;
	void *spool_map;

	struct tl_pt_cache *cache;
	struct tl_pt_image *image; /* of all spaces met so far */
	struct tl_perf_address_space *spaces;
	size_t space_count, space_capacity;
	struct tl_index address_space_index;
	struct tl_perf_missing_code *missing;
	size_t missing_count, missing_capacity;
	struct tl_perf_stream_walk *walks; /* one for each stream; NULL: not begun */
};

/* ---- processes.c ---- */

/* Numbers in the tables, the entry made if it is new; TL_NONE without memory. */
uint32_t tl_perf_process_add(struct tl_perf_trace *t, uint32_t pid);
uint32_t tl_perf_thread_add(struct tl_perf_trace *t, uint32_t pid, uint32_t tid);
/* TL_NONE: no record named it. */
uint32_t tl_perf_process_find(const struct tl_perf_trace *t, uint32_t pid);
/* The process of a thread; TL_PERF_KERNEL_PID: unknown. */
uint32_t tl_perf_thread_pid(const struct tl_perf_trace *t, uint32_t tid);
/* The name a thread has at a time, "" when unknown. */
const char *tl_perf_thread_name_at(const struct tl_perf_trace *t, uint32_t tid, uint64_t time_ns);
/* Thread number `number` is called `name` from a time on. */
int tl_perf_thread_add_name(struct tl_perf_trace *t, uint32_t number, uint32_t name,
			    uint64_t time_ns, struct tl_error *err);
/* A new thread has the name of its creator until it is given another. */
int tl_perf_thread_inherit_name(struct tl_perf_trace *t, uint32_t thread, uint32_t parent_tid,
				uint64_t time_ns, struct tl_error *err);
void tl_perf_processes_free(struct tl_perf_trace *t);

/* ---- tasks.c ---- */

int tl_perf_add_comm(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);
int tl_perf_add_fork(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);

/* ---- switches.c ---- */

/* Whether any switch of a processor was recorded so far. */
bool tl_perf_has_switches(const struct tl_perf_trace *t, uint64_t cpu);
int tl_perf_add_switch(struct tl_perf_trace *t, uint64_t time_ns, uint64_t cpu, uint32_t pid,
		       uint32_t tid, struct tl_error *err);

/* ---- maps.c ---- */

int tl_perf_map_add_change(struct tl_perf_trace *t, uint32_t process,
			   const struct tl_perf_map_change *change, struct tl_error *err);
/* A MMAP or MMAP2 record. */
int tl_perf_add_map(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		    struct tl_error *err);
/* The number of changes a process has at a time, up to the end of the epoch. */
size_t tl_perf_map_changes_at(const struct tl_perf_process *p, uint64_t time_ns);
/*
 * From the epoch that ends with change `*changes` to the next one, and its beginning. False: there
 * is none.
 */
bool tl_perf_map_next_epoch(const struct tl_perf_process *p, size_t *changes, uint64_t *time_ns);
/* Position in a walk over the maps of a process, from the newest to the oldest one in effect. */
struct tl_perf_map_iter {
	uint32_t process;
	size_t changes;
};
/* The next map of the walk; NULL: there is none. */
const struct tl_perf_map_change *tl_perf_map_previous(const struct tl_perf_trace *t,
						      struct tl_perf_map_iter *maps);
/* The mapping of an address after the first `changes` changes of a process; NULL: none. */
const struct tl_perf_map_change *tl_perf_map_find(const struct tl_perf_trace *t, uint32_t process,
						  size_t changes, uint64_t ip);

/* ---- objects.c ---- */

/* The object of a MMAP record, made if it is new; TL_NONE without memory. */
uint32_t tl_perf_object_add(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			    uint32_t process);
/* Find the file of an object, once. 0 or no memory. */
int tl_perf_object_locate(struct tl_perf_trace *t, struct tl_perf_object *object,
			  struct tl_error *err);

/* ---- address_space.c ---- */

/* The number of an address space; its code is in t->image under `*asid`. Negative: no memory. */
int64_t tl_perf_address_space_add(struct tl_perf_trace *t, uint32_t process, size_t changes,
				  struct tl_pt_asid *asid, struct tl_error *err);
void tl_perf_address_spaces_free(struct tl_perf_trace *t);

/* ---- auxtrace/load.c ---- */

int tl_perf_load_records(struct tl_perf_trace *t, struct tl_error *err);

/* ---- auxtrace/pt_info.c ---- */

int tl_perf_add_pt_info(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			struct tl_error *err);
/* The decoder's configuration, from AUXTRACE_INFO, the event and the processor's name. */
void tl_perf_configure_decoder(struct tl_perf_trace *t);

/* ---- auxtrace/streams.c ---- */

int tl_perf_add_aux_chunk(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			  struct tl_error *err);
int tl_perf_add_sample_chunk(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			     struct tl_error *err);
int tl_perf_add_aux_loss(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			 uint64_t time_ns, struct tl_error *err);
/* After the last chunk: sort the streams and their chunks, trim what chunks have twice. */
int tl_perf_sort_streams(struct tl_perf_trace *t, struct tl_error *err);
/* The next range of a walk. 1, 0 at the end, negative. */
int tl_perf_aux_range_next(const struct tl_perf_trace *t, struct tl_perf_stream_walk *w,
			   struct tl_error *err);
void tl_perf_aux_range_close(struct tl_perf_aux_range *range);
void tl_perf_streams_free(struct tl_perf_trace *t);

/* ---- auxtrace/sched_slices.c ---- */

void tl_perf_walks_free(struct tl_perf_trace *t);

/* ---- auxtrace/switch_scan.c ---- */

/* Begin at the first PSB of [begin, end). */
void tl_perf_switch_scan_begin(struct tl_perf_switch_scan *scan, const struct tl_perf_trace *t,
			       const uint8_t *begin, const uint8_t *end);
/* The time of the first packet with a time from here on; 0: none. */
uint64_t tl_perf_switch_scan_first_time(const struct tl_perf_switch_scan *scan, const uint8_t *end);
/*
 * Scan up to the packet with which the thread that is switched to at `tsc` takes over. Returns the
 * position of the packet, `end` when there is none.
 */
const uint8_t *tl_perf_switch_scan_to(struct tl_perf_switch_scan *scan, const uint8_t *end,
				      uint64_t tsc, tl_perf_owner_fn *owner, const void *arg);
/* Whether `at` is between two packets and tracing is off there. */
bool tl_perf_tracing_is_off(const struct tl_perf_trace *t, const uint8_t *begin, const uint8_t *at,
			    const uint8_t *end);

#endif
