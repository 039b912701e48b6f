/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams of blocks compared. */
#include "flow/compare.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"

enum {
	FOLLOW_AT_ONCE = 256,
	TOGETHER = 4,        /* elements that are compared at once */
	MAX_DEPTH = 1 << 20, /* a call deeper than this has no frame */
	RETURN_SEARCH = 4096,
};

/* ---- what was read ---- */

static const struct tl_flow_block *block_of(const struct tl_flow_side *s, uint32_t number)
{
	return &s->source.blocks->list[number];
}

/* Know all blocks that the side before has by now. False: no memory. */
static bool know_blocks(struct tl_flow_compare *c)
{
	const struct tl_flow_blocks *blocks = c->sides[0].source.blocks;

	if (!tl_grow(&c->mates, &c->mate_room, blocks->count, sizeof(*c->mates)) ||
	    !tl_grow(&c->moves, &c->moves_room, blocks->count, sizeof(*c->moves)))
		return false;
	for (; c->mate_count < blocks->count; c->mate_count++) {
		const struct tl_flow_block *block = &blocks->list[c->mate_count];

		c->mates[c->mate_count] = (struct tl_flow_mate){ TL_NONE, block->count };
		c->moves[c->mate_count] = block->ends > TL_FLOW_BRANCH;
	}
	return true;
}

/* ---- the call stack ---- */

static bool push(struct tl_flow_compare *c, uint32_t caller, uint64_t back)
{
	if (c->depth == MAX_DEPTH)
		return true;
	if (!tl_grow(&c->frames, &c->frame_room, c->depth + 1, sizeof(*c->frames)))
		return false;
	c->frames[c->depth++] = (struct tl_flow_frame){ caller, back };
	return true;
}

/* To the frame that waits for this address; a return to no frame is a jump. */
static void pop(struct tl_flow_compare *c, uint64_t to)
{
	const size_t floor = tl_excess(c->depth, RETURN_SEARCH);

	for (size_t i = c->depth; i > floor; i--)
		if (c->frames[i - 1].back == to) {
			c->depth = i - 1;
			return;
		}
}

/* A block that calls or returns, and the one that came next. */
static bool follow(struct tl_flow_compare *c, uint32_t number, uint32_t next)
{
	const struct tl_flow_side *s = &c->sides[0];
	const struct tl_flow_block *block = block_of(s, number);
	const uint64_t to = block_of(s, next)->address;

	if (block->ends == TL_FLOW_RETURN) {
		pop(c, to);
		return true;
	}
	return to == block->end || push(c, number, block->end);
}

/* Some elements, each with the one behind it. Which ones move is hard to foresee: no branch. */
static bool follow_some(struct tl_flow_compare *c, const uint32_t *numbers, size_t count)
{
	uint32_t moves[FOLLOW_AT_ONCE];
	size_t move_count = 0;
	bool followed = true;

	for (size_t i = 0; i < count; i++) {
		moves[move_count] = (uint32_t)i;
		move_count += c->moves[numbers[i]];
	}
	for (size_t i = 0; followed && i < move_count; i++)
		followed = follow(c, numbers[moves[i]], numbers[moves[i] + 1]);
	return followed;
}

/*
 * The calls and returns of the elements up to `end`; of the last one that is told when the element
 * behind it is passed, so that where the sides part behind it, the stack is that before it.
 */
static bool follow_to(struct tl_flow_compare *c, size_t end)
{
	struct tl_flow_side *s = &c->sides[0];
	const uint32_t *numbers = s->list.numbers;
	bool followed = know_blocks(c);

	if (end == s->begin)
		return followed;
	if (followed && s->waiting)
		followed = follow(c, s->last, numbers[s->begin]);
	for (size_t i = s->begin; followed && i + 1 < end; i += FOLLOW_AT_ONCE)
		followed = follow_some(c, numbers + i, tl_min(end - 1 - i, (size_t)FOLLOW_AT_ONCE));
	s->waiting = followed && c->moves[numbers[end - 1]];
	return followed;
}

/* ---- going on ---- */

static bool advance(struct tl_flow_compare *c, int side, size_t count)
{
	struct tl_flow_side *s = &c->sides[side];
	const size_t end = s->begin + count;

	if (side == 0 && !c->stacked && !follow_to(c, end))
		return false;
	if (count)
		s->last = s->list.numbers[end - 1];
	s->begin = end;
	return true;
}

/* Whether two blocks are equal, which is remembered. */
static bool are_mates(struct tl_flow_compare *c, uint32_t a, uint32_t b)
{
	if (c->mates[a].mate == b)
		return true;
	if (block_of(&c->sides[0], a)->hash != block_of(&c->sides[1], b)->hash)
		return false;
	c->mates[a].mate = b;
	return true;
}

/* Whether some elements are known to be equal; then their instructions are added. */
static inline bool are_known(const struct tl_flow_mate *mates, const uint32_t *a, const uint32_t *b,
			     uint64_t *instructions)
{
	uint32_t others = 0;
	uint64_t sum = 0;

	for (size_t k = 0; k < TOGETHER; k++) {
		const struct tl_flow_mate *mate = &mates[a[k]];

		others |= mate->mate ^ b[k];
		sum += mate->count;
	}
	if (others)
		return false;
	*instructions += sum;
	return true;
}

/*
 * How many of `most` elements are equal, and the instructions of these. Nearly all are known to be
 * equal: some are asked together.
 */
static size_t equal_run(struct tl_flow_compare *c, size_t most, uint64_t *instructions)
{
	const uint32_t *a = c->sides[0].list.numbers + c->sides[0].begin,
		       *b = c->sides[1].list.numbers + c->sides[1].begin;
	const struct tl_flow_mate *mates = c->mates;
	uint64_t sum = 0;
	size_t i = 0;

	while (i < most) {
		if (most - i >= TOGETHER && are_known(mates, a + i, b + i, &sum)) {
			i += TOGETHER;
		} else if (are_mates(c, a[i], b[i])) {
			sum += mates[a[i++]].count;
		} else {
			break;
		}
	}
	*instructions = sum;
	return i;
}

/* Pass over what both sides have: their instructions are as many. */
static bool advance_both(struct tl_flow_compare *c, size_t count, uint64_t instructions)
{
	for (int side = 0; side < TL_FLOW_SIDES; side++) {
		struct tl_flow_side *s = &c->sides[side];

		tl_flow_count(s);
		if (!advance(c, side, count))
			return false;
		s->instructions += instructions;
		s->counted = s->begin;
	}
	return true;
}

/* ---- differences ---- */

/* The block that comes next; NULL: the trace is over. */
static const struct tl_flow_block *next_of(const struct tl_flow_side *s)
{
	return s->begin < s->list.count ? block_of(s, s->list.numbers[s->begin]) : NULL;
}

static bool is_same_place(const struct tl_flow_block *a, const struct tl_flow_block *b)
{
	struct tl_flow_block other = *b;

	/* With the code of the other one it would be the same block. */
	other.code = a->code;
	other.count = a->count;
	return tl_flow_identity(&other) == a->hash;
}

/*
 * Instructions at the beginning of both blocks that are the same: one of them was cut, by an
 * interrupt or the end of a trace.
 */
static uint32_t shared(const struct tl_flow_block *a, const struct tl_flow_block *b)
{
	const struct tl_flow_block *shorter = a->count < b->count ? a : b;

	return shorter->ends == TL_FLOW_CUT && a->count != b->count && is_same_place(a, b)
		       ? shorter->count
		       : 0;
}

static enum tl_flow_reason reason_of(const struct tl_flow_block *const next[TL_FLOW_SIDES],
				     uint32_t same)
{
	if (!next[0])
		return TL_FLOW_BEFORE_ENDS;
	if (!next[1])
		return TL_FLOW_AFTER_ENDS;
	if (!next[0]->count || !next[1]->count)
		return TL_FLOW_MISSING;
	return !same && is_same_place(next[0], next[1]) ? TL_FLOW_OTHER_CODE : TL_FLOW_OTHER_WAY;
}

/*
 * The first instruction that differs, behind `same` ones of the next block: they may be all of it.
 * There is none where the trace ends, or is missing.
 */
static bool describe_next(struct tl_flow_compare *c, int side, const struct tl_flow_block *next,
			  uint32_t same, struct tl_flow_difference *d)
{
	const struct tl_flow_side *s = &c->sides[side];

	if (next && same && same == next->count) {
		next = s->begin + 1 < s->list.count ? block_of(s, s->list.numbers[s->begin + 1])
						    : NULL;
		same = 0;
	}
	d->has_next[side] = next && same < next->count;
	return !d->has_next[side] ||
	       tl_flow_spot_of(c->flow, &s->source, next, same, &d->next[side]);
}

/* All that is told of the place; `same`: instructions of the next blocks that are common. */
static bool describe(struct tl_flow_compare *c, struct tl_flow_difference *d,
		     const struct tl_flow_block *const next[TL_FLOW_SIDES], uint32_t same)
{
	for (int side = 0; side < TL_FLOW_SIDES; side++) {
		struct tl_flow_side *s = &c->sides[side];

		d->ordinal[side] = tl_flow_count(s) + same;
		d->offset[side] = tl_flow_offset(s);
		d->has_last = same || s->last != TL_NONE;
		if (same &&
		    !tl_flow_spot_of(c->flow, &s->source, next[side], same - 1, &d->last[side]))
			return false;
		if (!same && d->has_last) {
			const struct tl_flow_block *last = block_of(s, s->last);

			if (!tl_flow_spot_of(c->flow, &s->source, last, last->count - 1,
					     &d->last[side]))
				return false;
		}
		if (!describe_next(c, side, next[side], same, d))
			return false;
	}
	return true;
}

/* The stack where the streams part for the first time. */
static bool keep_stack(struct tl_flow_compare *c, const struct tl_flow_difference *d)
{
	struct tl_flow_pair *pair = c->pair;

	if (c->stacked || d->reason == TL_FLOW_MISSING)
		return true;
	c->stacked = true;
	if (!d->has_last)
		return true;
	pair->stack = calloc(c->depth + 1, sizeof(*pair->stack));
	if (!pair->stack)
		return false;
	pair->stack[pair->stack_count++] = d->last[0];
	for (size_t i = c->depth; i > 0; i--) {
		const struct tl_flow_block *caller =
			block_of(&c->sides[0], c->frames[i - 1].caller);

		if (!tl_flow_spot_of(c->flow, &c->sides[0].source, caller, caller->count - 1,
				     &pair->stack[pair->stack_count++]))
			return false;
	}
	return true;
}

/* Read a side to its end. */
static int pass_rest(struct tl_flow_compare *c, int side, struct tl_error *err)
{
	struct tl_flow_side *s = &c->sides[side];
	int status = 0;

	while (status == 0) {
		if (!advance(c, side, s->list.count - s->begin))
			return tl_error_memory(err);
		if (s->over)
			break;
		status = tl_flow_read(s, 1, err);
	}
	return status;
}

/* Pass over what differs; `meets` and the instructions of `d` are filled in. */
static int pass_difference(struct tl_flow_compare *c, const struct tl_flow_meeting *meeting,
			   struct tl_flow_difference *d, struct tl_error *err)
{
	int status = 0;

	for (int side = 0; status == 0 && side < TL_FLOW_SIDES; side++) {
		struct tl_flow_side *s = &c->sides[side];

		if (!meeting->found)
			status = pass_rest(c, side, err);
		else if (!advance(c, side, meeting->at[side]))
			status = tl_error_memory(err);
		if (status == 0)
			d->instructions[side] = tl_flow_count(s) - d->ordinal[side];
		d->meets |= s->begin < s->list.count;
	}
	return status;
}

static int take_difference(struct tl_flow_compare *c, struct tl_error *err)
{
	const bool ends = !next_of(&c->sides[0]) || !next_of(&c->sides[1]);
	struct tl_flow_difference d = { .meets = false };
	struct tl_flow_meeting meeting = { .found = false };
	const struct tl_flow_block *next[TL_FLOW_SIDES];
	uint64_t hashes[2] = { 0, 0 };
	uint32_t same = 0;
	int status = ends ? 0 : tl_flow_meet(c, &meeting, err);

	if (status < 0)
		return status;
	c->pair->stream.complete = ends || meeting.found;
	next[0] = next_of(&c->sides[0]);
	next[1] = next_of(&c->sides[1]);
	/* A side that goes on with its next block as a whole has not executed a part of it. */
	if (!ends && (!meeting.found || (meeting.at[0] && meeting.at[1])))
		same = shared(next[0], next[1]);
	d.reason = reason_of(next, same);
	if (c->sides[0].last != TL_NONE)
		hashes[0] = block_of(&c->sides[0], c->sides[0].last)->hash;
	hashes[1] = next[0] ? next[0]->hash : 0;
	if (!describe(c, &d, next, same) || !keep_stack(c, &d))
		return tl_error_memory(err);
	status = pass_difference(c, &meeting, &d, err);
	if (status == 0 && !tl_flow_note(c->flow, c->pair, &d, hashes))
		status = tl_error_memory(err);
	return status;
}

/* ---- the whole ---- */

static int compare(struct tl_flow_compare *c, struct tl_error *err)
{
	struct tl_flow_side *a = &c->sides[0], *b = &c->sides[1];
	int status = 0;

	c->pair->stream.complete = true;
	while (status == 0) {
		size_t left[TL_FLOW_SIDES], most, equal;
		uint64_t instructions;

		status = tl_flow_read_both(c->sides, c->flow->jobs, err);
		if (status < 0)
			break;
		left[0] = a->list.count - a->begin;
		left[1] = b->list.count - b->begin;
		if (!left[0] && !left[1])
			break;
		most = tl_min(left[0], left[1]);
		if (!know_blocks(c))
			return tl_error_memory(err);
		equal = equal_run(c, most, &instructions);
		if (!advance_both(c, equal, instructions))
			return tl_error_memory(err);
		if (equal < most || !most)
			status = take_difference(c, err);
	}
	return status;
}

static void sum_up(struct tl_flow_compare *c)
{
	struct tl_flow_stream *stream = &c->pair->stream;

	for (int side = 0; side < TL_FLOW_SIDES; side++) {
		struct tl_flow_side *s = &c->sides[side];

		stream->process[side] = s->source.process;
		stream->thread[side] = s->source.thread;
		stream->instructions[side] = tl_flow_count(s);
	}
	stream->common = stream->instructions[0];
	for (size_t i = 0; i < c->pair->parting_count; i++)
		stream->common -= c->pair->partings[i].parting.instructions[0];
	tl_flow_finish(c->pair);
}

int tl_flow_compare(struct tl_flow *flow, const struct tl_flow_source sources[TL_FLOW_SIDES],
		    int *failed, struct tl_error *err)
{
	struct tl_flow_compare c = { .flow = flow };
	int status = 0;

	if (!tl_grow(&flow->pairs, &flow->capacity, flow->count + 1, sizeof(*flow->pairs)))
		status = tl_error_memory(err);
	for (int side = 0; side < TL_FLOW_SIDES; side++)
		c.sides[side] = (struct tl_flow_side){ .source = sources[side], .last = TL_NONE };
	if (status == 0) {
		c.pair = &flow->pairs[flow->count++];
		*c.pair = (struct tl_flow_pair){ 0 };
		status = compare(&c, err);
	}
	if (status == 0)
		sum_up(&c);
	*failed = c.sides[1].failed;
	for (int side = 0; side < TL_FLOW_SIDES; side++) {
		tl_flow_list_free(&c.sides[side].list);
		free(c.hashes[side]);
		if (sources[side].close(sources[side].arg) < 0 && status == 0)
			status = tl_error_memory(err);
	}
	free(c.mates);
	free(c.moves);
	free(c.frames);
	free(c.slots);
	return status;
}
