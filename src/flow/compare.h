/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FLOW_COMPARE_H
#define TL_FLOW_COMPARE_H
/*
 * Two lists of blocks compared as they come. A block of one side is remembered as the equal of a
 * block of the other one, so that while the sides are equal a block costs two loads and a
 * comparison; only for two that were not met together before hashes are compared. Where they part
 * (meet.c), the place nearest to it is searched where so many blocks in a row are the same again:
 * nearest by the number of blocks passed over on both sides together. The search begins with a few
 * blocks and takes twice as many until one is found, so that its cost goes with what is passed
 * over; the farther it goes, the more blocks have to be the same, since the more there are the more
 * are the same by chance. The window bounds it, and the memory.
 */
#include <tracelathe/flow.h>

#include "flow/source.h"

enum { TL_FLOW_SIDES = 2 };

/* One side: blocks that are read, [begin, list.count) of them not compared yet. */
struct tl_flow_side {
	struct tl_flow_source source;
	struct tl_flow_list list;
	size_t begin;
	/* Instructions before element `counted` are `instructions`; counted <= begin. */
	size_t counted;
	uint64_t instructions;
	uint32_t last; /* the block before `begin`, TL_NONE: none */
	bool failed;   /* to read it */
	bool waiting;  /* and it is a call or a return whose target has not come yet */
	bool over;
};

/* What the loop over equal blocks needs of a block of the side before, by its number. */
struct tl_flow_mate {
	uint32_t mate;  /* a block after that is its equal, TL_NONE: none was met */
	uint32_t count; /* of instructions */
};

struct tl_flow_frame {
	uint32_t caller; /* the block that called */
	uint64_t back;   /* where it returns to */
};

/* A parting while it is counted; the blocks are numbers of their side. */
struct tl_flow_counted {
	uint64_t hash[TL_FLOW_SIDES]; /* of the last common block, and of the next one before */
	struct tl_flow_parting parting;
};

/* The result of one pair of streams. */
struct tl_flow_pair {
	struct tl_flow_stream stream;
	struct tl_flow_difference *list;
	size_t listed, list_room;
	struct tl_flow_counted *partings;
	size_t parting_count, parting_room;
	struct tl_index by_place;
	struct tl_flow_spot *stack;
	size_t stack_count;
};

struct tl_flow {
	struct tl_flow_options options; /* complete */
	unsigned jobs;                  /* 2 or more: both sides are read at the same time */
	struct tl_flow_pair *pairs;
	size_t count, capacity;
	size_t unpaired[TL_FLOW_SIDES];
	struct tl_names names;
};

struct tl_flow_compare {
	struct tl_flow *flow;
	struct tl_flow_pair *pair;
	struct tl_flow_side sides[TL_FLOW_SIDES];
	struct tl_flow_mate *mates;
	bool *moves; /* by block before: it ends with a call or a return */
	size_t mate_count, mate_room, moves_room;
	/* of the side before, up to its first difference */
	struct tl_flow_frame *frames;
	size_t depth, frame_room;
	bool stacked; /* there was a difference: the stack is kept no more */
	/* For searches. */
	uint64_t *hashes[TL_FLOW_SIDES]; /* of the blocks from `begin` on */
	size_t hash_room[TL_FLOW_SIDES];
	uint32_t *slots;
	size_t slot_room;
};

/* Where both sides meet: elements behind `begin`. */
struct tl_flow_meeting {
	size_t at[TL_FLOW_SIDES];
	bool found;
};

/* Options as the caller has them, NULL: none. 0 or a negative tl_status. */
int tl_flow_open(struct tl_flow **flow, const struct tl_flow_options *options,
		 struct tl_error *err);
/*
 * Compare two streams, and close the sources, also on failure; `*failed` is then the side that
 * could not be read.
 */
int tl_flow_compare(struct tl_flow *flow, const struct tl_flow_source sources[TL_FLOW_SIDES],
		    int *failed, struct tl_error *err);

/* read.c: read on until `want` blocks wait, or the trace is over. 0 or a negative tl_status. */
int tl_flow_read(struct tl_flow_side *side, size_t want, struct tl_error *err);
/*
 * Read on until a block of each side waits, or its trace is over; with several jobs both sides
 * beside each other, and ahead. 0 or a negative tl_status; then one side has `failed`, of which the
 * error is.
 */
int tl_flow_read_both(struct tl_flow_side *sides, unsigned jobs, struct tl_error *err);
/* Instructions executed before `begin`. */
uint64_t tl_flow_count(struct tl_flow_side *side);
/* Where in the file `begin` is: the last mark at or before it. */
uint64_t tl_flow_offset(const struct tl_flow_side *side);

/* meet.c: where the sides, which differ at `begin`, meet again. 0 or a negative tl_status. */
int tl_flow_meet(struct tl_flow_compare *compare, struct tl_flow_meeting *meeting,
		 struct tl_error *err);

/* result.c: a difference of which all but strings is known. False: no memory. */
bool tl_flow_note(struct tl_flow *flow, struct tl_flow_pair *pair,
		  const struct tl_flow_difference *difference, const uint64_t hashes[2]);
/*
 * The place of an instruction of a block of a source; strings live as long as the flow. False: no
 * memory.
 */
bool tl_flow_spot_of(struct tl_flow *flow, const struct tl_flow_source *source,
		     const struct tl_flow_block *block, uint32_t instruction,
		     struct tl_flow_spot *spot);
/* The partings in their order. */
void tl_flow_finish(struct tl_flow_pair *pair);

#endif
