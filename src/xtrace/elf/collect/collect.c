/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over a slice that learns what its program needs. Whatever would make the program go
 * another way than the trace is refused with its place: nothing is left to luck. Several threads
 * are walked in the order of TIME, over one memory.
 */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/elf/collect/collector.h"
#include "xtrace/format/time_order.h"

/* ---- instructions ---- */

static int first_sight(struct tl_xtrace_collector *c, uint8_t *kind)
{
	struct tl_xtrace_present *p = &c->now;
	const char *why = NULL;

	p->rewrite = tl_xtrace_rewrite_of(&p->insn, &why);
	if (p->rewrite == TL_XTRACE_REFUSED)
		return tl_xtrace_collect_refuse(c, why);
	if (p->stored && p->rewrite != TL_XTRACE_AS_IT_IS && p->rewrite != TL_XTRACE_EXCLUSIVE)
		return tl_xtrace_collect_refuse(
			c, "an instruction that the slice itself writes has to be rewritten");
	if (p->stored)
		return 0;
	*kind = (uint8_t)p->rewrite;
	if (p->rewrite == TL_XTRACE_AS_IT_IS || p->rewrite == TL_XTRACE_EXCLUSIVE)
		return 0;
	if (tl_xtrace_replay_site(c->replay, p->pc, p->insn.opcode, p->rewrite) == TL_NONE)
		return tl_xtrace_collect_no_room(c);
	return 0;
}

static int fetch(struct tl_xtrace_collector *c, const uint8_t *bytes)
{
	struct tl_xtrace_present *p = &c->now;
	struct tl_xtrace_image_code *code = tl_xtrace_image_code(&c->replay->image, p->pc);
	size_t number = p->pc % TL_XTRACE_IMAGE_BYTES / 4;
	enum tl_xtrace_fetch fetched = tl_xtrace_image_fetch(&c->replay->image, p->pc, bytes);

	if (!code || fetched == TL_XTRACE_FETCH_FAILED)
		return tl_xtrace_collect_no_room(c);
	p->count = &code->count[c->thread][number];
	p->execution = ++*p->count;
	p->stored = fetched == TL_XTRACE_FETCH_STORED;
	if (fetched == TL_XTRACE_FETCH_CHANGED)
		return tl_xtrace_collect_refuse(
			c, "an instruction is another than before, and the slice did not "
			   "write it");
	p->rewrite = (enum tl_xtrace_rewrite)code->kind[number];
	if (p->rewrite == TL_XTRACE_UNSEEN || p->stored)
		return first_sight(c, &code->kind[number]);
	return 0;
}

static int take_instruction(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w,
			    uint32_t opcode)
{
	struct tl_xtrace_present *p = &c->now;
	uint8_t bytes[4] = { (uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
			     (uint8_t)(opcode >> 24) };
	int status;

	if (!c->counts->instructions)
		c->counts->first_pc = w->pc;
	/* Field by field, faster than all of it: `reserved` stays, the rest is set below. */
	p->insn = *tl_a64_look(c->cache, opcode);
	p->rewrite = TL_XTRACE_UNSEEN;
	p->pc = w->pc;
	p->offset = tl_xtrace_walk_offset(w);
	p->target = TL_NOWHERE;
	p->any = true;
	p->stored = p->has_value = p->accessed = false;
	p->stored_bytes = p->loaded_bytes = 0;
	c->counts->instructions++;
	if (w->pc % 4)
		return tl_xtrace_collect_refuse(c, "a PC is not a multiple of 4");
	status = fetch(c, bytes);
	c->signs |= p->rewrite == TL_XTRACE_SIGNED;
	c->replay->scalable |= p->insn.class == TL_A64_SVE || p->insn.access & TL_A64_SCALABLE;
	p->reserved |= (p->insn.access & (TL_A64_EXCLUSIVE | TL_A64_READS)) ==
		       (TL_A64_EXCLUSIVE | TL_A64_READS);
	if (status == 0 && p->stored && c->order)
		return tl_xtrace_collect_refuse(
			c, "the slice executes instructions that it stored, which one program "
			   "of several threads cannot do; choose one with --thread");
	if (status == 0 && ((c->order && !tl_xtrace_collect_post(c)) ||
			    (p->rewrite == TL_XTRACE_CALL && !tl_xtrace_collect_begin_call(c)) ||
			    (p->rewrite == TL_XTRACE_SOME && !tl_xtrace_collect_begin_some(c))))
		return tl_xtrace_collect_no_room(c);
	return status;
}

static bool is_branch(const struct tl_xtrace_present *p)
{
	return p->insn.flow != TL_A64_NEXT && p->insn.flow != TL_A64_EXCEPTION_CALL;
}

/* The present instruction is over: is all there that its replay needs? */
static int finish_instruction(struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_present *p = &c->now;

	if (p->rewrite == TL_XTRACE_CALL && c->call.open)
		return tl_xtrace_collect_refuse(c, "a system call has no result (SVCRET)");
	if (p->rewrite == TL_XTRACE_READ && !p->has_value)
		return tl_xtrace_collect_refuse(
			c, "a system register is read, whose value is not in the trace");
	return 0;
}

/* ---- the walk ---- */

static bool is_over(const struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w)
{
	return tl_xtrace_walk_offset(w) >= c->part->end_byte ||
	       c->counts->instructions == c->part->most;
}

/* From the present instruction to the next one, at which the walk is. 0; negative: refused. */
static int leave_instruction(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w)
{
	int status = 0;

	if (c->handlers)
		tl_xtrace_collect_handler_step(c);
	if (c->order && !tl_xtrace_collect_follow_stack(c))
		return tl_xtrace_collect_no_room(c);
	if (w->pc == c->now.pc && !is_branch(&c->now))
		tl_xtrace_collect_take_back(c);
	else if (is_over(c, w))
		return 0;
	else if (!tl_xtrace_collect_may_follow(&c->now, w->pc))
		status = tl_xtrace_collect_break(c, w->pc);
	else
		status = finish_instruction(c);
	return status;
}

/* The slice ends before the instruction at which the walk is. */
static int end_before(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w)
{
	uint64_t offset = tl_xtrace_walk_offset(w);
	int status;

	if (c->now.any && !tl_xtrace_walk_el(w) && w->pc != c->now.pc &&
	    !tl_xtrace_collect_may_follow(&c->now, w->pc) &&
	    tl_xtrace_collect_breaks_at_end(c, offset)) {
		status = tl_xtrace_collect_break(c, w->pc);
		if (status == 0)
			status = tl_xtrace_collect_stop(c, w->pc);
	} else {
		status = tl_xtrace_collect_end(c, w->pc);
	}
	if (status == 0 && c->handlers && !tl_xtrace_collect_handler_place(c, offset))
		return tl_error_memory(c->err);
	return status;
}

/* 1: go on; 0: the slice is over; negative: refused. */
static int next_instruction(struct tl_xtrace_collector *c, struct tl_xtrace_walk *w,
			    enum tl_xtrace_kind kind)
{
	uint32_t opcode = tl_xtrace_walk_instruction(w, kind);
	int status = 0;

	if (!w->pc_known)
		return tl_xtrace_collect_refuse(c, "an instruction has no PC");
	if (tl_xtrace_walk_el(w) && !is_over(c, w))
		return tl_xtrace_collect_refuse(
			c, "the slice has parts that ran in the kernel; a program of it "
			   "runs user code only");
	if (c->now.any)
		status = leave_instruction(c, w);
	if (status == 0 && is_over(c, w))
		return tl_error_or_end(end_before(c, w));
	if (status < 0)
		return status;
	if (c->handlers && !tl_xtrace_collect_handler_place(c, tl_xtrace_walk_offset(w)))
		return tl_error_memory(c->err);
	status = take_instruction(c, w, opcode);
	if (status < 0)
		return status;
	return 1;
}

/* The tokens of a segment that begin before `until`. 1: they are over; 0: the slice is; negative:
 * refused. */
static int walk_segment(struct tl_xtrace_collector *c, const uint8_t *until)
{
	struct tl_xtrace_walk w = c->walk;
	enum tl_xtrace_kind kind;
	int status = 1;

	while (status == 1 && w.next < until &&
	       (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (tl_xtrace_is_instruction(kind))
			status = next_instruction(c, &w, kind);
		else if (c->now.any && !tl_xtrace_collect_token(c, &w, kind))
			status = tl_xtrace_collect_no_room(c);
	}
	c->walk = w;
	if (status == 1 && w.status != TL_OK)
		return tl_error_at(c->err, w.status, w.fault,
				   w.status == TL_IO ? "cancelled"
						     : "the slice is damaged here, so that it "
						       "cannot run");
	return status;
}

static void begin_segment(struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_slice_part *part = c->part;
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];

	if (c->segment < stream->segment_count)
		tl_xtrace_walk_begin(&c->walk, part->trace, stream, &stream->segments[c->segment]);
}

/* All tokens of a thread's stream before this offset. 0, or negative. */
static int walk_to(struct tl_xtrace_collector *c, uint64_t end)
{
	const struct tl_xtrace_stream *stream = &c->part->trace->streams[c->part->stream];
	const uint8_t *until = stream->data + tl_min(end, (uint64_t)stream->size);
	int status = 1;

	c->replay->image.arg = c;
	while (status == 1 && c->segment < stream->segment_count && c->walk.next < until) {
		status = walk_segment(c, until);
		if (status == 1 && c->walk.next < until) {
			c->segment++;
			begin_segment(c);
		}
	}
	c->over |= status == 0;
	return tl_error_or_end(status);
}

/* The streams took turns to the end of all parts. */
static int walk_in_turns(struct tl_xtrace_collector *threads, size_t count, bool *wanted,
			 struct tl_error *err)
{
	struct tl_xtrace_trace *trace = threads->part->trace;
	struct tl_xtrace_time_order order;
	uint32_t stream;
	uint64_t end;
	int status;

	for (size_t i = 0; i < count; i++)
		wanted[threads[i].part->stream] = true;
	status = tl_xtrace_time_order_begin(&order, trace, wanted, err);
	while (status == 0 && tl_xtrace_time_order_next(&order, &stream, &end)) {
		struct tl_xtrace_collector *c = threads;

		while (c->part->stream != stream)
			c++;
		if (!c->over)
			status = walk_to(c, end);
	}
	tl_xtrace_time_order_end(&order);
	return status;
}

static int walk_threads(struct tl_xtrace_collector *threads, size_t count, struct tl_error *err)
{
	bool *wanted;
	int status;

	if (count == 1)
		return walk_to(threads, UINT64_MAX);
	wanted = tl_zeroed(threads->part->trace->stream_count, sizeof(*wanted));
	if (!wanted)
		return tl_error_memory(err);
	status = walk_in_turns(threads, count, wanted, err);
	free(wanted);
	for (size_t i = 0; status == 0 && i < count; i++)
		if (threads[i].accessed && !threads[i].timed)
			status = tl_error_at(
				err, TL_UNSUPPORTED, TL_NOWHERE,
				"the order of the threads' accesses is not in the trace "
				"(TIME), so that they cannot be one program; choose one "
				"with --thread");
	return status;
}

/* ---- beginning ---- */

static void begin_thread(struct tl_xtrace_collector *c, const struct tl_xtrace_slice_part *part)
{
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];

	*c->counts =
		(struct tl_xtrace_replay_thread){ .begin = part->begin, .last_event = TL_NOWHERE };
	c->part = part;
	c->call.event = TL_NOWHERE;
	c->stack = (struct tl_xtrace_sp){ true, part->begin.x[31] };
	c->near_stack = part->begin.x[31];
	while (c->segment < stream->segment_count &&
	       stream->segments[c->segment].snapshot != part->first_snapshot)
		c->segment++;
	begin_segment(c);
}

static int collect(struct tl_xtrace_collector *threads, const struct tl_xtrace_slice_part *parts,
		   size_t count, struct tl_error *err)
{
	int status;

	for (size_t i = 0; i < count; i++) {
		begin_thread(&threads[i], &parts[i]);
		if (count > 1 &&
		    !tl_xtrace_replay_stack(threads->replay, (uint32_t)i, threads[i].stack.sp))
			return tl_error_memory(err);
	}
	status = walk_threads(threads, count, err);
	for (size_t i = 0; status == 0 && i < count; i++) {
		threads->replay->image.arg = &threads[i];
		if (!threads[i].over)
			status = tl_xtrace_collect_end(&threads[i], TL_NOWHERE);
		if (status == 0)
			status = tl_xtrace_collect_handlers_over(&threads[i]);
	}
	if (status == 0)
		status = tl_xtrace_collect_vectors_over(threads->replay, err);
	if (status == 0)
		status = tl_xtrace_collect_lengths(threads->replay, parts, err);
	if (status == 0 && !tl_xtrace_collect_numbers(threads->replay, parts->trace))
		return tl_error_memory(err);
	return status;
}

int tl_xtrace_replay_collect(struct tl_xtrace_replay *replay,
			     const struct tl_xtrace_slice_part *parts, size_t count,
			     struct tl_error *err)
{
	struct tl_xtrace_collector *threads = tl_zeroed(count, sizeof(*threads));
	struct tl_a64_cache *cache = malloc(sizeof(*cache));
	struct tl_xtrace_order order = { .count = 0 };
	bool several = count > 1, begun;
	int status;

	tl_xtrace_image_begin(&replay->image, count, tl_xtrace_collect_changed, threads);
	replay->threads = tl_zeroed(count, sizeof(*replay->threads));
	replay->thread_count = replay->threads ? count : 0;
	begun = !several || tl_xtrace_order_begin(&order, count);
	for (size_t i = 0; threads && replay->threads && i < count; i++)
		threads[i] = (struct tl_xtrace_collector){ .replay = replay,
							   .thread = (uint32_t)i,
							   .counts = &replay->threads[i],
							   .order = several ? &order : NULL,
							   .err = err,
							   .cache = cache };
	if (cache)
		tl_a64_cache_begin(cache);
	status = threads && replay->threads && cache && begun ? collect(threads, parts, count, err)
							      : tl_error_memory(err);
	tl_xtrace_order_end(&order);
	free(cache);
	for (size_t i = 0; threads && i < count; i++)
		tl_xtrace_collect_free_handlers(&threads[i]);
	free(threads);
	return status;
}
