/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/interruption.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "xtrace/elf/collect/nest.h"

/* ---- where it began ---- */

/* Control went on elsewhere: a handler began, or ended. */
struct mark {
	bool returns;
	uint64_t from, target, to;
	uint64_t offset, next_offset;
};

struct marks {
	struct mark *list;
	size_t count, capacity;
	uint64_t begin; /* those of instructions from here on */
	bool failed;
};

/* Handlers whose ends were passed on the way back. */
enum { MOST_PENDING = 64 };

struct way_back {
	uint64_t to; /* where the handler goes on that is looked for */
	uint64_t pending[MOST_PENDING];
	size_t pending_count;
	bool has_open, failed;
	struct mark open; /* the innermost that had not ended, wherever it goes on */
	size_t open_segment;
};

static bool take_mark(void *arg, const struct tl_xtrace_step *step)
{
	struct marks *marks = arg;

	if (step->offset < marks->begin || !tl_xtrace_step_breaks(step))
		return true;
	if (!tl_grow(&marks->list, &marks->capacity, marks->count + 1, sizeof(*marks->list))) {
		marks->failed = true;
		return false;
	}
	marks->list[marks->count++] = (struct mark){
		.returns = tl_xtrace_step_returns(step),
		.from = step->pc,
		.target = step->target != TL_NOWHERE
				  ? step->target
				  : step->pc + (uint64_t)(int64_t)step->insn.offset,
		.to = step->next,
		.offset = step->offset,
		.next_offset = step->next_offset,
	};
	return true;
}

static bool interrupts(const struct mark *mark, uint64_t to)
{
	return to == mark->from || to == mark->from + 4 || to == mark->target;
}

/* Back over the marks of a segment. True: the handler is found. */
static bool go_back(struct way_back *s, const struct marks *marks, size_t segment,
		    struct mark *found)
{
	for (size_t i = marks->count; i-- > 0;) {
		const struct mark *mark = &marks->list[i];

		if (mark->returns && s->pending_count == MOST_PENDING) {
			s->failed = true;
			return false;
		}
		if (mark->returns) {
			s->pending[s->pending_count++] = mark->to;
		} else if (s->pending_count && interrupts(mark, s->pending[s->pending_count - 1])) {
			s->pending_count--;
		} else if (interrupts(mark, s->to)) {
			*found = *mark;
			return true;
		} else if (!s->has_open) {
			s->has_open = true;
			s->open = *mark;
			s->open_segment = segment;
		}
	}
	return false;
}

static size_t first_segment(const struct tl_xtrace_slice_part *part)
{
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];
	size_t segment = 0;

	while (segment < stream->segment_count &&
	       stream->segments[segment].snapshot != part->first_snapshot)
		segment++;
	return segment;
}

static bool take_found(struct tl_xtrace_interruption *found, const struct tl_xtrace_stream *stream,
		       const struct mark *mark, size_t segment)
{
	found->snapshot = stream->segments[segment].snapshot;
	found->segment = segment;
	found->from = mark->from;
	found->target = mark->target;
	found->offset = mark->offset;
	found->next_offset = mark->next_offset;
	return found->snapshot != TL_NONE;
}

bool tl_xtrace_interruption_find(struct tl_xtrace_interruption *found,
				 const struct tl_xtrace_collector *c, uint64_t pc)
{
	const struct tl_xtrace_slice_part *part = c->part;
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];
	struct way_back search = { .to = pc };
	struct marks marks = { .list = NULL };
	struct mark mark;
	size_t segment = first_segment(part);
	bool there = false, whole = true;

	while (segment-- > 0 && whole && !there && !search.failed) {
		marks.count = 0;
		marks.begin = stream->segments[segment].begin;
		/* The first instruction of the next segment tells where the last one led. */
		whole = tl_xtrace_each_step(part->trace, part->stream, segment,
					    stream->segments[segment].end, take_mark, &marks) &&
			!marks.failed;
		there = whole && go_back(&search, &marks, segment, &mark);
		if (there)
			there = take_found(found, stream, &mark, segment);
	}
	free(marks.list);
	/* A handler may go on anywhere, if it puts that into its frame. */
	return there ||
	       (search.has_open && take_found(found, stream, &search.open, search.open_segment));
}

/* ---- its frame ---- */

/* SP, from the slice's first snapshot on. */
struct stack_walk {
	uint64_t until;
	struct tl_xtrace_state state;
	struct tl_xtrace_nest nest;
	bool known;
	uint64_t found;
};

static bool follow_stack(void *arg, const struct tl_xtrace_step *step)
{
	struct stack_walk *s = arg;
	struct tl_xtrace_registers *general = &s->state.general;

	if (step->offset >= s->until) {
		s->known = s->nest.sp.known;
		s->found = s->nest.sp.sp;
		return false;
	}
	if (!tl_xtrace_nest_step(&s->nest, step, 0))
		return false;
	tl_xtrace_state_step(&s->state, step);
	if (tl_xtrace_registers_know(general, TL_XTRACE_REG_SP))
		s->nest.sp = (struct tl_xtrace_sp){ true, general->x[TL_XTRACE_REG_SP] };
	if (!tl_xtrace_step_breaks(step))
		return true;
	tl_xtrace_state_forget(&s->state);
	if (!tl_xtrace_step_returns(step))
		return tl_xtrace_nest_begin(&s->nest, step);
	tl_xtrace_nest_end(&s->nest, step);
	if (s->nest.sp.known)
		tl_xtrace_registers_set(general, TL_XTRACE_REG_SP, s->nest.sp.sp);
	return true;
}

/* rt_sigreturn finds its frame where SP is. */
static bool find_frame(struct tl_xtrace_interruption *found, const struct tl_xtrace_collector *c)
{
	struct stack_walk *s = tl_zeroed(1, sizeof(*s));
	bool whole;

	if (!s)
		return false;
	s->until = c->now.offset;
	s->nest.sp = (struct tl_xtrace_sp){ true, c->part->begin.x[31] };
	tl_xtrace_state_begin(&s->state, &c->part->begin);
	whole = tl_xtrace_each_step(c->part->trace, c->part->stream, first_segment(c->part),
				    UINT64_MAX, follow_stack, s) &&
		s->known && s->found % 16 == 0;
	found->handler.frame = s->found;
	tl_xtrace_nest_free(&s->nest);
	free(s);
	return whole;
}

/* ---- what is in it ---- */

struct frame_walk {
	struct tl_xtrace_interruption *found;
	uint64_t until;
	bool failed;
};

static bool follow_frame(void *arg, const struct tl_xtrace_step *step)
{
	struct frame_walk *f = arg;
	struct tl_xtrace_handler *handler = &f->found->handler;
	struct tl_xtrace_walk w = step->tokens;
	enum tl_xtrace_kind kind;

	if (step->offset >= f->until)
		return false;
	if (step->offset < f->found->next_offset)
		return true;
	while (!f->failed && (kind = tl_xtrace_step_token(&w)) != TL_XTRACE_NONE) {
		const struct tl_xtrace_seen_access seen = {
			.address = tl_xtrace_walk_value(&w),
			.data = w.token + 9,
			.size = tl_xtrace_access_size(*w.token),
			.store = kind == TL_XTRACE_STORE,
		};

		if (kind == TL_XTRACE_STORE || kind == TL_XTRACE_LOAD)
			f->failed =
				!tl_xtrace_frame_access(&handler->contents, handler->frame, &seen);
	}
	return !f->failed;
}

/* ---- what it interrupted ---- */

/* What a handler interrupted that began on the way: the instruction, and what was before it. */
struct outer_state {
	struct tl_xtrace_state state;
	struct tl_xtrace_step step;
};

struct state_walk {
	struct tl_xtrace_interruption *found;
	bool executed, doubt;
	bool too_late; /* a handler ends that began before the snapshot */
	struct tl_xtrace_nest nest;
	struct outer_state *outer; /* as many as `nest` may have */
};

/* Linux gives a handler the other registers as they are. */
static void begin_handler(struct state_walk *s, const struct tl_xtrace_step *step)
{
	struct tl_xtrace_state *state = &s->found->state;

	if (s->nest.depth < TL_XTRACE_MOST_NESTED) {
		s->outer[s->nest.depth].state = *state;
		s->outer[s->nest.depth].step = *step;
	}
	tl_xtrace_state_doubt(state, step);
	state->general.known &= ~TL_XTRACE_SET_BY_KERNEL;
	if (!tl_xtrace_nest_begin(&s->nest, step))
		tl_xtrace_state_forget(state);
}

/* Registers that a handler put into its frame. */
static void take_changes(struct tl_xtrace_state *s, const struct tl_xtrace_signal_frame *changed)
{
	uint64_t whole = tl_xtrace_frame_changed(changed);

	for (unsigned reg = 0; reg < 32; reg++)
		if (whole >> reg & 1)
			tl_xtrace_registers_set(&s->general, reg,
						tl_xtrace_frame_word(changed, reg));
	s->general.known &= ~tl_xtrace_frame_touched(changed);
	if (tl_xtrace_frame_has_flags(changed))
		s->general.known &= ~TL_XTRACE_KNOWN_FLAGS;
	for (unsigned i = 0; i < 32; i++)
		if (tl_xtrace_frame_any(changed, TL_XTRACE_FRAME_VECTORS + 16 * (size_t)i, 16,
					TL_XTRACE_FRAME_STORED))
			s->vectors &= ~(UINT32_C(1) << i);
	if (tl_xtrace_frame_any(changed, TL_XTRACE_FRAME_STATUS, 8, TL_XTRACE_FRAME_STORED))
		s->control = s->status = false;
	/* Any vectors may be in other records. */
	if (tl_xtrace_frame_any(changed, TL_XTRACE_FRAME_OTHERS, changed->size,
				TL_XTRACE_FRAME_STORED)) {
		s->vectors = 0;
		s->predicates = false;
	}
}

static void end_handler(struct state_walk *s, const struct tl_xtrace_step *step)
{
	struct tl_xtrace_state *state = &s->found->state;
	size_t depth = s->nest.depth;
	bool known = tl_xtrace_nest_end(&s->nest, step), another = depth == s->nest.depth;
	const struct outer_state *outer;
	int executed;

	s->too_late |= !depth;
	/* What another one interrupts there is not followed. */
	if (depth && another)
		tl_xtrace_state_forget(&s->outer[depth - 1].state);
	if (!known) {
		tl_xtrace_state_forget(state);
		return;
	}
	outer = &s->outer[s->nest.depth];
	*state = outer->state;
	executed = tl_xtrace_nest_executed(&outer->step, &s->nest.changed, step->next);
	if (executed > 0)
		tl_xtrace_state_step(state, &outer->step);
	else if (executed < 0)
		tl_xtrace_state_doubt(state, &outer->step);
	take_changes(state, &s->nest.changed);
	state->general.known &= ~UINT64_C(1);
	if (step->has_result)
		tl_xtrace_registers_set(&state->general, 0, step->result);
}

static bool follow_state(void *arg, const struct tl_xtrace_step *step)
{
	struct state_walk *s = arg;
	struct tl_xtrace_state *state = &s->found->state;
	bool breaks = tl_xtrace_step_breaks(step);

	if (step->offset >= s->found->offset) {
		if (s->doubt)
			tl_xtrace_state_doubt(state, step);
		else if (s->executed)
			tl_xtrace_state_step(state, step);
		return false;
	}
	if (!tl_xtrace_nest_step(&s->nest, step, state->general.known))
		return false;
	if (breaks && tl_xtrace_step_returns(step))
		end_handler(s, step);
	else if (breaks)
		begin_handler(s, step);
	else if (tl_xtrace_step_repeats(step))
		tl_xtrace_state_doubt(state, step);
	else
		tl_xtrace_state_step(state, step);
	if (tl_xtrace_registers_know(&state->general, TL_XTRACE_REG_SP))
		s->nest.sp = (struct tl_xtrace_sp){ true, state->general.x[TL_XTRACE_REG_SP] };
	return true;
}

/* From a snapshot on. */
static bool find_state_from(struct state_walk *s, const struct tl_xtrace_collector *c,
			    size_t segment)
{
	const struct tl_xtrace_stream *stream = &c->part->trace->streams[c->part->stream];
	struct tl_xtrace_snapshot snapshot;
	bool whole;

	tl_xtrace_read_snapshot(c->part->trace, c->part->stream, stream->segments[segment].snapshot,
				&snapshot);
	tl_xtrace_state_begin(&s->found->state, &snapshot);
	s->nest = (struct tl_xtrace_nest){
		.sp = { true, snapshot.x[31] },
		.vector_bytes = s->found->state.values.bytes,
	};
	s->too_late = false;
	whole = tl_xtrace_each_step(c->part->trace, c->part->stream, segment, UINT64_MAX,
				    follow_state, s);
	tl_xtrace_nest_free(&s->nest);
	return whole;
}

/* So many snapshots more are gone back to, for handlers that they are in. */
enum { MOST_BACK = 16 };

static bool find_state(struct state_walk *s, const struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_stream *stream = &c->part->trace->streams[c->part->stream];
	size_t segment = s->found->segment;
	bool whole;

	s->outer = tl_zeroed(TL_XTRACE_MOST_NESTED, sizeof(*s->outer));
	if (!s->outer)
		return false;
	whole = find_state_from(s, c, segment);
	for (unsigned i = 0; whole && s->too_late && i < MOST_BACK && segment > 0 &&
			     stream->segments[segment - 1].snapshot != TL_NONE;
	     i++)
		whole = find_state_from(s, c, --segment);
	free(s->outer);
	return whole;
}

static bool set_general(struct tl_xtrace_registers *r, unsigned number, uint64_t value)
{
	bool same = !tl_xtrace_registers_know(r, number) || r->x[number] == value;

	tl_xtrace_registers_set(r, number, value);
	return same;
}

static bool is_shown(const struct tl_xtrace_signal_frame *frame, size_t at)
{
	return tl_xtrace_frame_all(frame, at, 8, TL_XTRACE_FRAME_SHOWN);
}

/* What the handler loaded from its frame. False: it is not what was there. */
static bool take_shown(struct tl_xtrace_interruption *found)
{
	const struct tl_xtrace_signal_frame *shown = &found->handler.contents;
	struct tl_xtrace_state *s = &found->state;
	unsigned nzcv = (unsigned)(tl_xtrace_frame_word(shown, TL_XTRACE_FRAME_PSTATE) >> 28) & 15;
	bool good = true;

	for (unsigned reg = 0; reg < 32; reg++)
		if (is_shown(shown, TL_XTRACE_FRAME_REGISTERS + 8 * (size_t)reg))
			good = set_general(&s->general, reg, tl_xtrace_frame_word(shown, reg)) &&
			       good;
	if (is_shown(shown, TL_XTRACE_FRAME_REGISTERS + 8 * (size_t)TL_XTRACE_FRAME_PSTATE)) {
		good = good &&
		       (!(s->general.known & TL_XTRACE_KNOWN_FLAGS) || s->general.nzcv == nzcv);
		s->general.nzcv = nzcv;
		s->general.known |= TL_XTRACE_KNOWN_FLAGS;
	}
	for (unsigned half = 0; half < 64; half++) {
		size_t at = TL_XTRACE_FRAME_VECTORS + 8 * (size_t)half;

		if (!is_shown(shown, at) || s->vectors >> half / 2 & 1)
			continue;
		memcpy(s->values.z[half / 2] + half % 2 * 8, shown->bytes + at, 8);
		found->shown[half % 2] |= UINT32_C(1) << half / 2;
	}
	return good;
}

bool tl_xtrace_interruption_look(struct tl_xtrace_interruption *found,
				 const struct tl_xtrace_collector *c, uint64_t pc)
{
	struct tl_xtrace_trace *trace = c->part->trace;
	struct frame_walk f = { .found = found, .until = c->now.offset };
	struct state_walk s = { .found = found };
	bool changed;

	if (!find_frame(found, c))
		return false;
	tl_xtrace_frame_begin(&found->handler.contents, c->part->begin.vector_bytes);
	if (!tl_xtrace_each_step(trace, c->part->stream, found->segment, UINT64_MAX, follow_frame,
				 &f) ||
	    f.failed)
		return false;
	changed = tl_xtrace_frame_moves(&found->handler.contents);
	if (changed ? tl_xtrace_frame_word(&found->handler.contents, TL_XTRACE_FRAME_PC) != pc
		    : pc != found->from && pc != found->from + 4 && pc != found->target)
		return false;
	s.doubt = changed;
	s.executed = pc != found->from || found->target == pc;
	return find_state(&s, c) && take_shown(found);
}
