/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STREAM_ANALYSIS_H
#define TL_XTRACE_STREAM_ANALYSIS_H
/* State of the analyses: of each stream, of all together, and the tables of results. */
#include "xtrace/analyze/analyze.h"
#include "xtrace/analyze/basic_blocks.h"
#include "xtrace/analyze/cuts.h"
#include "xtrace/predict/branches.h"
#include "xtrace/state/function_ids.h"
#include "xtrace/caches/reuse.h"
#include "xtrace/analyze/series.h"
#include "xtrace/share/dependences.h"
#include "xtrace/share/sharing.h"

/* A system call that is under way. */
struct tl_xtrace_syscall {
	bool open;
	uint64_t instruction; /* number of the SVC in its stream */
	uint64_t between;     /* user instructions between the call before and this one */
	uint64_t pc;
	uint64_t arguments[7]; /* x8, x0 to x5 */
	unsigned argument_count;
	const uint8_t *vectors;
	uint64_t vector_count;
	const uint8_t *registers; /* ALLGPR of the kernel's entry */
	uint64_t space;           /* TTBR0 at the call */
};

/* A thread of the kernel, which has one call under way at most. */
struct tl_xtrace_task {
	uint64_t id;        /* its address in the kernel; 0: unknown */
	uint64_t user;      /* instructions at EL0 */
	uint64_t call_user; /* of these up to the call before, and that one */
	struct tl_xtrace_syscall call;
};

/* The tasks of a stream: without a kernel in the trace there is one. */
struct tl_xtrace_tasks {
	struct tl_xtrace_task *list;
	size_t count, room, now; /* `now`: the one that runs */
	/* Of an SVCRET; the next instruction at EL0 shows whose it is. */
	bool has_result;
	uint64_t result;
	const uint8_t *registers; /* the last ALLGPR */
	uint64_t space;           /* TTBR0; 0: unknown yet */
};

/* Calls of one number by one task. */
struct tl_xtrace_syscall_count {
	size_t stream;
	uint64_t task, number; /* number TL_NOWHERE: the trace does not tell it */
	uint64_t calls, errors, unknown;
	uint64_t between, least, most; /* user instructions since the call before: sum, ... */
};

/* Of all streams, in the order in which they were met first. */
struct tl_xtrace_syscall_counts {
	struct tl_xtrace_syscall_count *list;
	size_t count, room;
	struct tl_index index;
};

/* A stream at work. */
struct tl_xtrace_stream_analysis {
	const struct tl_xtrace_stream *stream;
	struct tl_xtrace_walk walk;
	size_t segment;
	bool ended;
	uint64_t time; /* of the next access: the TIME token seen last */
	uint64_t instructions, user;
	unsigned el;
	uint32_t opcode;
	/* The part: instructions by number, from `warm` on simulated, from `first` on counted. */
	uint64_t warm, first, end;
	/* of the present instruction, with its accesses */
	bool simulated, counted;

	struct tl_xtrace_footprint footprint;
	struct tl_xtrace_reuse fetches, data;
	struct tl_xtrace_cache_core *core;
	uint32_t function;
	struct tl_xtrace_branch_stream branch;
	struct tl_xtrace_dependences dependences;
	struct tl_xtrace_block_position place;
	struct tl_xtrace_series_stream series;
	struct tl_xtrace_tasks tasks;
};

struct tl_xtrace_function_count {
	uint64_t instructions;
	struct tl_xtrace_cache_count levels[TL_XTRACE_CACHE_LEVELS];
};

/* A snapshot that a stream came to. */
struct tl_xtrace_passed {
	uint64_t instruction; /* it is right before this one */
	uint32_t snapshot;
};

/* Of tl_xtrace_each_interval(). */
struct tl_xtrace_interval_finder {
	tl_xtrace_interval_fn *fn; /* NULL: vectors are written instead */
	void *arg;
	uint64_t warmup;
	uint64_t first; /* instruction of the present interval, in its stream */
	struct tl_xtrace_passed *passed;
	size_t passed_count, passed_room;
};

/* By function. */
struct tl_xtrace_function_counts {
	struct tl_xtrace_function_count *list;
	size_t room;
};

struct tl_xtrace_tables {
	struct tl_xtrace_table table; /* that is written on the way */
	unsigned begun;               /* so far */
	bool no_memory;               /* for a table */
};

/* Intervals of basic-block vectors. */
struct tl_xtrace_intervals {
	/* of the present one, in instructions of its stream that count; 0: none are wanted */
	uint64_t end;
	uint64_t count; /* of all streams */
	struct tl_xtrace_interval_finder finder;
	struct tl_xtrace_cuts cuts; /* of all streams together */
};

struct tl_xtrace_analysis {
	struct tl_xtrace_trace *trace;
	struct tl_xtrace_analysis_options options;
	struct tl_output *out;
	unsigned line_shift, page_shift;
	struct tl_xtrace_stream_analysis *streams;
	size_t stream_count;

	struct tl_xtrace_caches caches;
	struct tl_xtrace_function_ids functions;
	struct tl_xtrace_function_counts counted;
	struct tl_xtrace_basic_blocks blocks;
	struct tl_xtrace_branches branches;
	struct tl_xtrace_sharing sharing;
	struct tl_xtrace_sharing_count *sharing_counts; /* by stream */
	struct tl_xtrace_series series;
	struct tl_xtrace_syscall_counts syscalls;
	struct tl_xtrace_mix *mix; /* of a part; NULL: mix.c makes a pass of its own */
	unsigned levels;           /* that count, a bit each */
	bool any;                  /* an instruction was counted */

	struct tl_xtrace_tables tables;
	struct tl_xtrace_intervals intervals; /* BBV */
};

/* analyze.c: all but the tables. */
int tl_xtrace_analysis_begin(struct tl_xtrace_analysis *a, struct tl_error *err);
int tl_xtrace_analysis_run(struct tl_xtrace_analysis *a, struct tl_error *err);
void tl_xtrace_analysis_end(struct tl_xtrace_analysis *a);

/* part.c: which instructions of each stream are the part. 0, TL_BAD_USAGE: there is no such. */
int tl_xtrace_part_begin(struct tl_xtrace_analysis *a, struct tl_error *err);

/* interval_finder.c: a stream begins, or a segment, perhaps with a snapshot. False: no memory. */
bool tl_xtrace_interval_stream(struct tl_xtrace_analysis *a,
			       const struct tl_xtrace_stream_analysis *s);
bool tl_xtrace_interval_segment(struct tl_xtrace_analysis *a,
				const struct tl_xtrace_stream_analysis *s);
/* The interval ends before the next instruction; `any`: it has a vector. */
void tl_xtrace_interval_end(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
			    bool any);

/* syscalls.c: calls as they are made and return, task by task. False without memory. */
bool tl_xtrace_syscalls_begin(struct tl_xtrace_stream_analysis *s);
/* An SVC; `counted`: it is of the part. */
bool tl_xtrace_syscall_begin(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			     uint64_t pc, bool counted);
bool tl_xtrace_syscall_token(struct tl_xtrace_stream_analysis *s, enum tl_xtrace_kind kind,
			     const struct tl_xtrace_walk *walk);
/* The next instruction at EL0, after a result: is it the call's own? */
bool tl_xtrace_syscall_resumed(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			       uint64_t pc);
/* The stream ends: calls that were not seen to return are shown, too. */
bool tl_xtrace_syscalls_end(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s);
void tl_xtrace_syscalls_free(struct tl_xtrace_analysis *a);

/* syscall_log.c: calls as a table, and how often each was made. */
void tl_xtrace_syscall_log_begin(struct tl_xtrace_analysis *a);
void tl_xtrace_syscall_log(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
			   const struct tl_xtrace_task *task, bool returned, uint64_t result);
bool tl_xtrace_syscall_is_error(uint64_t result);
bool tl_xtrace_show_syscalls(struct tl_xtrace_analysis *a);

/* bbv.c */
void tl_xtrace_bbv_begin(struct tl_xtrace_analysis *a);
/* The first interval of a stream begins, or its last one ends. False without memory. */
bool tl_xtrace_bbv_begin_stream(struct tl_xtrace_analysis *a,
				const struct tl_xtrace_stream_analysis *s);
bool tl_xtrace_bbv_end_stream(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s);
/* The interval ends before the next instruction. False without memory. */
bool tl_xtrace_bbv_end_interval(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s);
/* The same of all streams. */
bool tl_xtrace_bbv_end_common(struct tl_xtrace_analysis *a);

/* Tables of results: result_tables.c, cache_tables.c. False without memory. */
bool tl_xtrace_show_footprint(struct tl_xtrace_analysis *a);
void tl_xtrace_show_reuse(struct tl_xtrace_analysis *a);
void tl_xtrace_show_cache(struct tl_xtrace_analysis *a);
bool tl_xtrace_show_cache_functions(struct tl_xtrace_analysis *a);
bool tl_xtrace_show_blocks(struct tl_xtrace_analysis *a);
bool tl_xtrace_show_branches(struct tl_xtrace_analysis *a);
bool tl_xtrace_show_dependences(struct tl_xtrace_analysis *a);
void tl_xtrace_show_sharing(struct tl_xtrace_analysis *a);

/* mix.c: a pass of its own, and its tables. */
int tl_xtrace_show_mix(struct tl_xtrace_analysis *a, struct tl_error *err);
/* The same of a part: instructions are counted one by one. Without memory NULL, false. */
struct tl_xtrace_mix *tl_xtrace_mix_begin(void);
bool tl_xtrace_mix_count(struct tl_xtrace_mix *mix, uint32_t opcode, unsigned el);
bool tl_xtrace_mix_tables(struct tl_xtrace_analysis *a, struct tl_xtrace_mix *mix);
void tl_xtrace_mix_free(struct tl_xtrace_mix *mix);

/* The name of a stream in tables: its id; a number beyond the last: "all". */
void tl_xtrace_cell_stream(struct tl_xtrace_analysis *a, struct tl_xtrace_table *table,
			   size_t stream);
void tl_xtrace_begin_table(struct tl_xtrace_analysis *a, struct tl_xtrace_table *table,
			   const char *name, const char *title);

#endif
