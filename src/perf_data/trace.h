/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_TRACE_H
#define TL_PERF_DATA_TRACE_H
/*
 * The inside of a trace. gather.c reads all records once, by time, into what follows: objects
 * (files that were mapped), processes (their address spaces as lists of changes), threads (their
 * names), switches (who ran on a processor) and streams (pieces of AUX data). runs.c then walks
 * stream after stream and cuts where thread or image change; space.c makes images, elf.c and
 * files.c find the code.
 *
 * What is kept grows with maps, threads and switches: 24 bytes a switch, where the file has 48 or
 * more.
 */
#include "intel_pt/packets/packet.h"
#include "perf_data/reader.h"

#define KERNEL_PID UINT32_MAX
#define NO_CPU UINT32_MAX /* of a stream: it is a thread's */
#define KERNEL_START (UINT64_C(1) << 63)

/* ---- objects ---- */

/* A part of a file that is loaded: PT_LOAD. */
struct perf_load {
	uint64_t offset, size, address;
};

enum { ELF_LOADS = 16 };

struct perf_elf {
	struct perf_load loads[ELF_LOADS];
	size_t load_count;
	struct tl_perf_build_id build_id;
	bool core; /* a core file, as copies of /proc/kcore are */
};

enum perf_elf_found {
	ELF_NONE, /* there is no such file, or nothing in it */
	ELF_READ,
	ELF_OTHER, /* a file, but no ELF file of x86 */
	/* something is there that cannot be opened or read: *error, a number of errno.h */
	ELF_UNREADABLE,
};

enum perf_elf_found tl_perf_elf_read(const char *path, struct perf_elf *elf, int *error);
bool tl_perf_elf_read_memory(const uint8_t *data, size_t size, struct perf_elf *elf);

enum perf_object_kind {
	OBJECT_FILE,
	OBJECT_VDSO,
	OBJECT_KERNEL,
	OBJECT_ANONYMOUS,
};

/* A file as recorded: a path, with the build id it had. */
struct perf_object {
	uint32_t path;    /* name */
	uint32_t process; /* of the map it was met with first */
	uint64_t address, length;
	struct tl_perf_build_id recorded_id; /* by its map: part of who it is */
	struct tl_perf_build_id build_id;    /* that, or by the header's table */
	enum perf_object_kind kind;
	bool sought, told;
	const char *file;      /* where its bytes are; NULL: none */
	const uint8_t *memory; /* or in this process's own memory */
	size_t memory_size;
	const char *reason; /* why there is neither */
	struct perf_elf elf;
};

/* ---- processes ---- */

enum perf_change_kind {
	CHANGE_MAP,
	CHANGE_CLEAR, /* exec: nothing is left of what was */
	CHANGE_FORK,  /* nothing is left but what another process had at that time */
	CHANGE_EPOCH, /* what comes contradicts what was: another image */
};

struct perf_change {
	enum perf_change_kind kind;
	uint32_t object; /* FORK: the other process */
	uint64_t time_ns;
	uint64_t start, end, page_offset; /* FORK: `start` is the other's number of changes */
};

struct perf_process {
	uint32_t pid;
	struct perf_change *changes;
	size_t count, capacity;
	size_t maps; /* since the last CLEAR or FORK */
};

struct perf_comm {
	uint64_t time_ns;
	uint32_t name;
};

struct perf_thread {
	uint32_t tid, pid;
	struct perf_comm *comms;
	size_t count, capacity;
};

/* From this time on a processor runs this thread. */
struct perf_switch {
	uint64_t time_ns;
	uint32_t cpu, pid, tid;
};

/* ---- streams ---- */

struct perf_piece {
	uint64_t at, size; /* bytes in the file, or in the spool */
	uint64_t offset;   /* in the stream; 0 in snapshots */
	bool spooled;
	bool follows; /* on the piece before it, without a gap */
};

/* An AUX record that says more than that there is data. */
struct perf_mark {
	uint64_t offset, time_ns, flags;
	uint32_t cpu, tid;
};

struct perf_stream {
	uint32_t idx, cpu, tid; /* cpu UINT32_MAX: of one thread */
	bool snapshots;         /* pieces may repeat what the one before them has */
	bool sampled;           /* from AUX samples */
	struct perf_piece *pieces;
	size_t count, capacity;
};

/* ---- runs ---- */

/* Who runs what from a time on. */
struct perf_turn {
	uint64_t tsc; /* 0: from the beginning */
	uint64_t time_ns;
	uint32_t pid, tid; /* KERNEL_PID: unknown */
	uint32_t process;  /* TL_NONE: unknown */
	size_t changes;    /* of the process, up to the end of the epoch */
};

/* Bytes of a stream without gaps, at one address. */
struct perf_stretch {
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* in the stream */
	bool gap;        /* something is missing before it */
	void *mapped;    /* ours to unmap */
	size_t mapped_size;
};

/* The walk over packets that finds where turns begin. */
struct perf_scan {
	const uint8_t *pos;
	struct tl_pt_context context;
	uint64_t ip;           /* the last address told */
	bool on, in_psb;       /* tracing is on, as far as packets told; inside a PSB+ */
	const uint8_t *off_at; /* behind the TIP.PGD that turned it off; NULL: not known */
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
typedef int perf_whose_fn(const void *arg, uint64_t ip);

/* The way through one stream. */
struct perf_walk {
	const struct perf_stream *stream;
	size_t piece;                /* of the next pieces */
	struct perf_stretch whole;   /* pieces that follow on each other */
	size_t used;                 /* bytes of it that were in stretches */
	bool gap;                    /* before it */
	struct perf_stretch stretch; /* the part that is walked */
	struct perf_scan scan;
	struct perf_turn *turns;
	size_t turn_count, turn_capacity, turn;
	bool turned;        /* the turns are made */
	uint64_t from;      /* of the next run in the stretch */
	uint64_t first_tsc; /* of the stretch; 0: it has no time */
	bool open;          /* the stretch has a run to give */
	bool given;         /* and gave one already */

	/* The next run, found ahead so that the earliest of all streams can be chosen. */
	bool pending, ended;
	uint64_t to, start; /* where it ends; when it begins */
	size_t next_turn;   /* whose the one behind it is */
};

/* What is mapped in a process (TL_NONE: only the kernel) after its first `changes` changes. */
struct perf_space {
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
	struct perf_object *objects;
	size_t object_count, object_capacity;
	struct tl_index object_index;
	struct perf_process *processes;
	size_t process_count, process_capacity;
	struct tl_index process_index;
	struct perf_thread *threads;
	size_t thread_count, thread_capacity;
	struct tl_index thread_index;
	struct perf_switch *switches;
	size_t switch_count, switch_capacity;
	struct tl_index cpu_index; /* the first switch of each processor */
	struct perf_stream *streams;
	size_t stream_count, stream_capacity;
	struct perf_mark *marks;
	size_t mark_count, mark_capacity;
	uint64_t sched_switch;                   /* tracepoint id, TL_NOWHERE: none */
	unsigned sched_next_pid, sched_prev_pid; /* offsets in its raw data */
	int spool;                               /* descriptor, -1: none */
	uint64_t spooled;
	void *spool_map;

	struct tl_pt_cache *cache;
	struct tl_pt_image *image; /* of all spaces met so far */
	struct perf_space *spaces;
	size_t space_count, space_capacity;
	struct tl_index space_index;
	struct tl_perf_missing *missing;
	size_t missing_count, missing_capacity;
	struct perf_walk *walks; /* one for each stream; NULL: not begun */
};

/* ---- gather.c ---- */

int tl_perf_gather(struct tl_perf_trace *t, struct tl_error *err);

/* ---- pt_info.c ---- */

int tl_perf_take_info(struct tl_perf_trace *t, const struct tl_perf_record *rec,
		      struct tl_error *err);
/* What a decoder must know, from AUXTRACE_INFO, the event and the processor's name. */
void tl_perf_configure(struct tl_perf_trace *t);

/* ---- people.c ---- */

/* Numbers; TL_NONE without memory. */
uint32_t tl_perf_process(struct tl_perf_trace *t, uint32_t pid);
uint32_t tl_perf_find_process(const struct tl_perf_trace *t, uint32_t pid);
uint32_t tl_perf_thread(struct tl_perf_trace *t, uint32_t pid, uint32_t tid);
/* The process of a thread; KERNEL_PID: unknown. */
uint32_t tl_perf_pid_of(const struct tl_perf_trace *t, uint32_t tid);
const char *tl_perf_comm_at(const struct tl_perf_trace *t, uint32_t tid, uint64_t time_ns);
int tl_perf_add_comm(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);
int tl_perf_add_fork(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);
int tl_perf_add_map(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		    struct tl_error *err);
/* Is it known who runs on a processor? */
bool tl_perf_knows_cpu(const struct tl_perf_trace *t, uint64_t cpu);
int tl_perf_add_switch(struct tl_perf_trace *t, uint64_t time_ns, uint64_t cpu, uint32_t pid,
		       uint32_t tid, struct tl_error *err);
void tl_perf_people_free(struct tl_perf_trace *t);

/* ---- streams.c ---- */

int tl_perf_add_piece(struct tl_perf_trace *t, const struct tl_perf_record *rec,
		      struct tl_error *err);
int tl_perf_add_sample_piece(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			     struct tl_error *err);
int tl_perf_add_mark(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err);
/* All pieces are there: put them in order. */
int tl_perf_finish_streams(struct tl_perf_trace *t, struct tl_error *err);
/* The next stretch of a walk. 1, 0 at the end, negative. */
int tl_perf_stretch_next(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err);
void tl_perf_stretch_close(struct perf_stretch *s);
void tl_perf_streams_free(struct tl_perf_trace *t);

/* ---- runs.c ---- */

void tl_perf_walks_free(struct tl_perf_trace *t);

/* ---- scan.c ---- */

/* Begin at the first PSB of [begin, end). */
void tl_perf_scan_begin(struct perf_scan *scan, const struct tl_perf_trace *t, const uint8_t *begin,
			const uint8_t *end);
/* The first time that packets tell from here on; 0: none. */
uint64_t tl_perf_scan_first(const struct perf_scan *scan, const uint8_t *end);
/*
 * On to the packet with which who comes at `tsc` takes over: its position, `end` when there is
 * none.
 */
const uint8_t *tl_perf_scan_to(struct perf_scan *scan, const uint8_t *end, uint64_t tsc,
			       perf_whose_fn *whose, const void *arg);
/* Is `at` between two packets, with tracing off there? */
bool tl_perf_scan_is_off(const struct tl_perf_trace *t, const uint8_t *begin, const uint8_t *at,
			 const uint8_t *end);

/* ---- space.c ---- */

/* The number of a space, whose code is in t->image under `*asid` from here on; negative. */
int64_t tl_perf_use_space(struct tl_perf_trace *t, uint32_t process, size_t changes,
			  struct tl_pt_asid *asid, struct tl_error *err);
/* The changes a process has at a time, up to the end of the epoch. */
size_t tl_perf_changes_at(const struct perf_process *p, uint64_t time_ns);
/*
 * On to the epoch behind that which ends with `*changes`; when it begins. False: it was the last.
 */
bool tl_perf_next_epoch(const struct perf_process *p, size_t *changes, uint64_t *time_ns);
void tl_perf_spaces_free(struct tl_perf_trace *t);
/* From the newest to the oldest map that shows in an image: where to go on. */
struct perf_maps {
	uint32_t process;
	size_t changes;
};
/* NULL: there is none. */
const struct perf_change *tl_perf_older_map(const struct tl_perf_trace *t, struct perf_maps *maps);
/* The mapping of an address, NULL if there is none. */
const struct perf_change *tl_perf_find_map(const struct tl_perf_trace *t, uint32_t process,
					   size_t changes, uint64_t ip);

/* ---- files.c ---- */

/* Fill in where the object's bytes are, once. 0 or no memory. */
int tl_perf_seek_object(struct tl_perf_trace *t, struct perf_object *object, struct tl_error *err);
uint32_t tl_perf_object(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			uint32_t process);

#endif
