/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_LANE_H
#define TL_XTRACE_LANE_H
/* The insides of an analysis: its streams at work, what they share, and how results are shown. */
#include "xtrace/analyze.h"
#include "xtrace/basic_blocks.h"
#include "xtrace/lookup.h"
#include "xtrace/reuse.h"

/* A system call that is under way. */
struct xtrace_call {
	bool open;
	uint64_t instruction; /* number of the SVC in its stream */
	uint64_t between;     /* user instructions between the call before and this one */
	uint64_t pc;
	uint64_t arguments[7]; /* x8, x0 to x5 */
	unsigned argument_count;
	const uint8_t *vectors;
	uint64_t vector_count;
	/* Whose SVCRET it is, the next instruction at EL0 shows. */
	bool has_result;
	uint64_t result;
	const uint8_t *registers, *registers_now; /* ALLGPR of the kernel's entry; the last one */
	uint64_t task, task_now;                  /* the kernel's thread; 0: not told */
	uint64_t space;                           /* TTBR0 at the call */
};

/* A stream at work. */
struct xtrace_lane {
	const struct xtrace_stream *stream;
	struct xtrace_walk walk;
	size_t segment;
	bool ended;
	uint64_t time; /* of the next access: the TIME token seen last */
	uint64_t instructions, user;
	unsigned el;
	uint32_t opcode;

	struct xtrace_footprint footprint;
	struct xtrace_reuse fetches, data;
	struct xtrace_core *core;
	uint32_t function;
	struct xtrace_block_place place;
	struct xtrace_call call;
	uint64_t call_user; /* user instructions up to the call before, and that one */
	uint64_t space;     /* TTBR0; 0: not told yet */
};

struct xtrace_function_count {
	uint64_t instructions;
	struct xtrace_cache_count levels[XTRACE_LEVELS];
};

struct xtrace_analysis {
	struct tl_xtrace *trace;
	struct xtrace_wishes wishes;
	struct tl_output *out;
	unsigned line_shift, page_shift;
	struct xtrace_lane *lanes;
	size_t lane_count;

	struct xtrace_caches caches;
	struct xtrace_lookup functions;
	struct xtrace_function_count *function_counts;
	size_t function_room;
	struct xtrace_basic_blocks blocks;

	struct xtrace_table table; /* that is written on the way */
	unsigned tables;           /* begun so far */
	uint64_t interval_end;     /* BBV */
	uint64_t intervals;
};

/* calls.c */
void tl_xtrace_call_begin(struct xtrace_analysis *a, struct xtrace_lane *lane, uint64_t pc);
void tl_xtrace_call_token(struct xtrace_lane *lane, enum tl_xtrace_kind kind,
			  const struct xtrace_walk *walk);
/* The next instruction, after a result: is it the call's own? TL_NOWHERE: the stream ends. */
void tl_xtrace_call_goes_on(struct xtrace_analysis *a, struct xtrace_lane *lane, uint64_t pc);
/* Calls that were not seen to return are shown, too. */
void tl_xtrace_call_flush(struct xtrace_analysis *a, struct xtrace_lane *lane, bool returned,
			  uint64_t result);
void tl_xtrace_calls_begin(struct xtrace_analysis *a);

/* bbv.c */
void tl_xtrace_bbv_begin(struct xtrace_analysis *a);
/* The interval ends before the next instruction. False without memory. */
bool tl_xtrace_bbv_end_interval(struct xtrace_analysis *a, struct xtrace_lane *lane);

/* Tables of results: analyze_tables.c, analyze_cache.c. False without memory. */
bool tl_xtrace_show_footprint(struct xtrace_analysis *a);
void tl_xtrace_show_reuse(struct xtrace_analysis *a);
void tl_xtrace_show_cache(struct xtrace_analysis *a);
bool tl_xtrace_show_cache_functions(struct xtrace_analysis *a);
bool tl_xtrace_show_blocks(struct xtrace_analysis *a);

/* mix.c: a pass of its own, and its tables. */
int tl_xtrace_show_mix(struct xtrace_analysis *a, struct tl_error *err);

/* The name of a stream in tables: its id; a lane beyond the last: "all". */
void tl_xtrace_cell_lane(struct xtrace_analysis *a, struct xtrace_table *table, size_t lane);
void tl_xtrace_begin_table(struct xtrace_analysis *a, struct xtrace_table *table, const char *name,
			   const char *title);

#endif
