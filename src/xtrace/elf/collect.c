/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over a slice that learns what its program needs. Whatever would make the program go
 * another way than the trace is refused with its place: nothing is left to luck. Several threads
 * are walked in the order of TIME, over one memory.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/elf/context.h"
#include "xtrace/elf/first_fault.h"
#include "xtrace/elf/order.h"
#include "xtrace/format/time_order.h"
#include "xtrace/state/stack_pointer.h"

/* The instruction whose tokens are being read. */
struct present {
	struct tl_a64 insn;
	enum tl_xtrace_rewrite rewrite;
	uint64_t pc, offset;
	uint64_t execution;       /* of this PC, from 1 */
	uint64_t *count;          /* where that is counted */
	uint64_t target;          /* TL_NOWHERE: not told */
	uint64_t event;           /* of SOME */
	bool any, stored;         /* there is one; the slice itself wrote it */
	bool has_value, reserved; /* of MRS; a load exclusive came before */
	bool accessed;            /* first at `address` */
	uint64_t address;
};

/* Of one thread. */
struct collector {
	struct tl_xtrace_replay *replay;
	const struct tl_xtrace_slice_part *part;
	uint32_t thread;
	struct tl_xtrace_replay_thread *counts;
	struct tl_xtrace_order *order; /* NULL: there is one thread */
	struct tl_xtrace_sp stack;     /* of several */
	bool accessed, timed;          /* there was an access; there was a TIME */
	struct tl_xtrace_walk walk;
	size_t segment;
	bool over;
	struct present now;
	struct {
		uint64_t event; /* of the last system call; TL_NOWHERE: none */
		bool open;      /* its result is still to come */
	} call;
	const char *refused; /* by tl_xtrace_changed_fn */
	struct tl_error *err;
	struct tl_a64_cache *cache;
};

static int refuse(struct collector *c, const char *text)
{
	return tl_error_in(c->err, TL_UNSUPPORTED, c->now.offset,
			   c->part->first_ordinal + c->counts->instructions + c->counts->faulted -
				   (c->now.any ? 1 : 0),
			   text);
}

static int no_room(struct collector *c)
{
	if (c->refused)
		return refuse(c, c->refused);
	if (c->replay->image.pages.count > TL_XTRACE_IMAGE_MOST_PAGES ||
	    c->replay->byte_count >= TL_XTRACE_MOST_PATCHED)
		return refuse(c, "the slice needs more memory than a program of it should hold; "
				 "take a shorter one");
	return tl_error_memory(c->err);
}

/* ---- events ---- */

/* An event at the present instruction; TL_NOWHERE: refused, or no memory. */
static uint64_t event_here(struct collector *c)
{
	const struct present *p = &c->now;
	uint32_t site;

	if (p->stored) {
		c->refused = "an instruction that the slice itself writes has to be rewritten";
		return TL_NOWHERE;
	}
	site = tl_xtrace_replay_site(c->replay, p->pc, p->insn.opcode, p->rewrite);
	return site == TL_NONE ? TL_NOWHERE
			       : tl_xtrace_replay_event(c->replay, c->thread, site, p->execution);
}

static bool add_event(struct collector *c, uint32_t flags, uint64_t result)
{
	uint64_t event = event_here(c);

	if (event == TL_NOWHERE)
		return false;
	c->replay->events[event].flags |= flags;
	c->replay->events[event].result = result;
	return true;
}

/* ---- the order of several threads ---- */

/* The thread's progress, if another thread waits for what was done up to here. */
static bool post(struct collector *c)
{
	struct tl_xtrace_order_thread *own = &c->order->threads[c->thread];
	uint64_t event;

	if (!own->pending || !tl_xtrace_can_move(&c->now.insn))
		return true;
	event = event_here(c);
	if (event == TL_NOWHERE)
		return false;
	own->pending = false;
	c->replay->events[event].flags |= TL_XTRACE_EVENT_ORDER;
	c->replay->events[event].post = ++own->posts;
	return true;
}

/* The present instruction waits for accesses of others. */
static bool access_in_order(struct collector *c, uint64_t address, size_t size, bool store)
{
	uint64_t event;

	if (!c->order)
		return true;
	if (!tl_xtrace_order_access(c->order, c->thread, address, size, store))
		return false;
	if (!c->order->any)
		return true;
	event = event_here(c);
	if (event == TL_NOWHERE)
		return false;
	c->replay->events[event].flags |= TL_XTRACE_EVENT_ORDER;
	return tl_xtrace_order_take(c->order, c->replay, event);
}

/* SP behind the present instruction. */
static bool follow_stack(struct collector *c)
{
	const struct present *p = &c->now;

	tl_xtrace_sp_follow(&c->stack, p->insn.opcode, p->accessed, p->address);
	return !c->stack.known || tl_xtrace_replay_stack(c->replay, c->thread, c->stack.sp);
}

/* tl_xtrace_changed_fn: the kernel wrote during the last call, or another thread before this load.
 */
static bool byte_changed(void *arg, uint64_t address, uint8_t value, bool by_call)
{
	struct collector *c = arg;
	uint64_t event = by_call && c->call.event != TL_NOWHERE ? c->call.event : event_here(c);

	/* What comes from outside is stored by this thread. */
	if (!access_in_order(c, address, 1, true))
		return false;
	return event != TL_NOWHERE && tl_xtrace_replay_patch(c->replay, event, address, value);
}

static bool begin_call(struct collector *c)
{
	if (!add_event(c, TL_XTRACE_EVENT_CALL, 0))
		return false;
	c->call.event = c->counts->last_event;
	c->call.open = true;
	c->replay->image.calls += !c->order;
	return true;
}

/* As many elements as there will be loads. */
static bool begin_some(struct collector *c)
{
	if (!add_event(c, TL_XTRACE_EVENT_OTHER, 0))
		return false;
	c->now.event = c->counts->last_event;
	c->replay->sites[c->replay->events[c->now.event].site].decides = true;
	return true;
}

/*
 * The same instruction again, as it faulted or was interrupted: in the program it runs once. Its
 * event is found again, as it is that of the same execution.
 */
static void take_back(struct collector *c)
{
	struct tl_xtrace_replay *r = c->replay;

	if (c->now.rewrite == TL_XTRACE_CALL) {
		r->events[c->call.event].flags &= ~(uint32_t)TL_XTRACE_EVENT_CHECK;
		c->call.event = TL_NOWHERE;
		c->call.open = false;
	}
	--*c->now.count;
	c->counts->instructions--;
	c->counts->faulted++;
}

/* ---- where control goes ---- */

static bool is_target(const struct present *p, uint64_t pc)
{
	return pc == p->pc + (uint64_t)(int64_t)p->insn.offset;
}

static bool may_follow(const struct present *p, uint64_t pc)
{
	switch (p->insn.flow) {
	case TL_A64_NEXT:
	case TL_A64_EXCEPTION_CALL:
		return pc == p->pc + 4;
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return is_target(p, pc);
	case TL_A64_CONDITIONAL:
		return pc == p->pc + 4 || is_target(p, pc);
	case TL_A64_JUMP_REGISTER:
	case TL_A64_CALL_REGISTER:
	case TL_A64_RETURN:
		return p->target == TL_NOWHERE || p->target == pc;
	default:
		return false;
	}
}

static bool is_branch(const struct present *p)
{
	return p->insn.flow != TL_A64_NEXT && p->insn.flow != TL_A64_EXCEPTION_CALL;
}

/* The present instruction is followed by one at `pc`: is all there that its replay needs? */
static int finish_instruction(struct collector *c, uint64_t pc)
{
	const struct present *p = &c->now;

	if (!may_follow(p, pc))
		return refuse(c, p->insn.flow == TL_A64_EXCEPTION_CALL
					 ? "the program goes on elsewhere than behind its system "
					   "call (the end of a signal's handler, another program)"
					 : "the program goes on elsewhere than its instructions "
					   "lead: a signal's handler, or a part is missing");
	if (p->rewrite == TL_XTRACE_CALL && c->call.open)
		return refuse(c, "a system call has no result (SVCRET)");
	if (p->rewrite == TL_XTRACE_READ && !p->has_value)
		return refuse(c, "a system register is read, whose value is not in the trace");
	return 0;
}

/* ---- instructions ---- */

static int first_sight(struct collector *c, uint8_t *kind)
{
	struct present *p = &c->now;
	const char *why = NULL;

	p->rewrite = tl_xtrace_rewrite_of(&p->insn, &why);
	if (p->rewrite == TL_XTRACE_REFUSED)
		return refuse(c, why);
	if (p->stored && p->rewrite != TL_XTRACE_AS_IT_IS && p->rewrite != TL_XTRACE_EXCLUSIVE)
		return refuse(c, "an instruction that the slice itself writes has to be rewritten");
	if (p->stored)
		return 0;
	*kind = (uint8_t)p->rewrite;
	if (p->rewrite == TL_XTRACE_AS_IT_IS || p->rewrite == TL_XTRACE_EXCLUSIVE)
		return 0;
	if (tl_xtrace_replay_site(c->replay, p->pc, p->insn.opcode, p->rewrite) == TL_NONE)
		return no_room(c);
	return 0;
}

static int fetch(struct collector *c, const uint8_t *bytes)
{
	struct present *p = &c->now;
	struct tl_xtrace_image_code *code = tl_xtrace_image_code(&c->replay->image, p->pc);
	size_t number = p->pc % TL_XTRACE_IMAGE_BYTES / 4;
	enum tl_xtrace_fetch fetched = tl_xtrace_image_fetch(&c->replay->image, p->pc, bytes);

	if (!code || fetched == TL_XTRACE_FETCH_FAILED)
		return no_room(c);
	p->count = &code->count[c->thread][number];
	p->execution = ++*p->count;
	p->stored = fetched == TL_XTRACE_FETCH_STORED;
	if (fetched == TL_XTRACE_FETCH_CHANGED)
		return refuse(c, "an instruction is another than before, and the slice did not "
				 "write it");
	p->rewrite = (enum tl_xtrace_rewrite)code->kind[number];
	if (p->rewrite == TL_XTRACE_UNSEEN || p->stored)
		return first_sight(c, &code->kind[number]);
	return 0;
}

static int take_instruction(struct collector *c, const struct tl_xtrace_walk *w, uint32_t opcode)
{
	struct present *p = &c->now;
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
	c->counts->instructions++;
	if (w->pc % 4)
		return refuse(c, "a PC is not a multiple of 4");
	status = fetch(c, bytes);
	c->replay->scalable |= p->insn.class == TL_A64_SVE || p->insn.access & TL_A64_SCALABLE;
	p->reserved |= (p->insn.access & (TL_A64_EXCLUSIVE | TL_A64_READS)) ==
		       (TL_A64_EXCLUSIVE | TL_A64_READS);
	if (status == 0 && p->stored && c->order)
		return refuse(c,
			      "the slice executes instructions that it stored, which one program "
			      "of several threads cannot do; choose one with --thread");
	if (status == 0 &&
	    ((c->order && !post(c)) || (p->rewrite == TL_XTRACE_CALL && !begin_call(c)) ||
	     (p->rewrite == TL_XTRACE_SOME && !begin_some(c))))
		return no_room(c);
	return status;
}

/* ---- the other tokens ---- */

static bool take_status(struct collector *c, uint64_t status)
{
	bool reserved = c->now.reserved;

	c->now.reserved = false;
	/* With other threads about, waiting and not the reservation makes it atomic. */
	if (c->now.rewrite != TL_XTRACE_EXCLUSIVE || (!(uint32_t)status && reserved && !c->order))
		return true;
	if (!add_event(c, TL_XTRACE_EVENT_OTHER, (uint32_t)status))
		return false;
	c->replay->sites[c->replay->events[c->counts->last_event].site].decides = true;
	return true;
}

/* The first argument is X8. */
static void take_argument(struct collector *c, uint64_t value)
{
	struct tl_xtrace_event *event;

	if (!c->call.open)
		return;
	event = &c->replay->events[c->call.event];
	if (event->flags & TL_XTRACE_EVENT_CHECK)
		return;
	event->flags |= TL_XTRACE_EVENT_CHECK;
	event->expected = value;
}

static void take_result(struct collector *c, uint64_t value)
{
	if (c->call.open)
		c->replay->events[c->call.event].result = value;
	c->call.open = false;
}

static bool take_register(struct collector *c, uint64_t value)
{
	c->now.has_value = true;
	return c->now.rewrite != TL_XTRACE_READ || add_event(c, 0, value);
}

static bool take_zeros(struct collector *c, uint64_t address)
{
	static const uint8_t zeros[TL_XTRACE_ZVA_BYTES];

	address &= ~(uint64_t)(TL_XTRACE_ZVA_BYTES - 1);
	return access_in_order(c, address, sizeof(zeros), true) &&
	       tl_xtrace_image_store(&c->replay->image, address, zeros, sizeof(zeros));
}

static bool take_access(struct collector *c, const struct tl_xtrace_walk *w, bool store)
{
	uint64_t address = tl_xtrace_walk_value(w);
	size_t size = tl_xtrace_access_size(*w->token);

	if (c->now.rewrite == TL_XTRACE_SOME)
		c->replay->events[c->now.event].result +=
			tl_xtrace_first_fault_elements(c->now.insn.opcode, size);
	if (!c->now.accessed)
		c->now.address = address;
	c->accessed = c->now.accessed = true;
	if (!access_in_order(c, address, size, store))
		return false;
	return store ? tl_xtrace_image_store(&c->replay->image, address, w->token + 9, size)
		     : tl_xtrace_image_load(&c->replay->image, address, w->token + 9, size);
}

static bool take_token(struct collector *c, const struct tl_xtrace_walk *w,
		       enum tl_xtrace_kind kind)
{
	switch (kind) {
	case TL_XTRACE_LOAD:
	case TL_XTRACE_STORE:
		return take_access(c, w, kind == TL_XTRACE_STORE);
	case TL_XTRACE_DC:
		return take_zeros(c, tl_xtrace_walk_value(w));
	case TL_XTRACE_STXR:
		return take_status(c, tl_xtrace_walk_value(w));
	case TL_XTRACE_MRS:
		return take_register(c, tl_xtrace_walk_value(w));
	case TL_XTRACE_SVCARG:
		take_argument(c, tl_xtrace_walk_value(w));
		return true;
	case TL_XTRACE_SVCRET:
		take_result(c, tl_xtrace_walk_value(w));
		return true;
	case TL_XTRACE_TARGET_B:
		c->now.target = tl_xtrace_walk_value(w);
		return true;
	case TL_XTRACE_TIME:
		c->timed = true;
		return true;
	default:
		return true;
	}
}

/* ---- the end ---- */

/* Where the slice ends: the program stops when it comes there as often as the slice did, and once
 * more. `next`: the instruction behind it in the trace, TL_NOWHERE: none. */
static int stop_at(struct collector *c, uint64_t pc)
{
	struct tl_xtrace_image_code *code = tl_xtrace_image_code(&c->replay->image, pc);
	struct tl_xtrace_image_page *page = tl_xtrace_image_page(&c->replay->image, pc);
	size_t number = pc % TL_XTRACE_IMAGE_BYTES / 4;
	uint32_t opcode;

	if (!code || !page)
		return no_room(c);
	memcpy(&opcode, page->first + pc % TL_XTRACE_IMAGE_BYTES, 4);
	opcode = TL_HOST_BIG_ENDIAN ? __builtin_bswap32(opcode) : opcode;
	c->now.pc = pc;
	c->now.insn = tl_a64_classify(opcode);
	c->now.rewrite = code->kind[number] ? (enum tl_xtrace_rewrite)code->kind[number]
					    : TL_XTRACE_AS_IT_IS;
	c->now.execution = code->count[c->thread][number] + 1;
	c->now.stored = false;
	return add_event(c, TL_XTRACE_EVENT_STOP, 0) ? 0 : no_room(c);
}

static int end_slice(struct collector *c, uint64_t next)
{
	const struct present *p = &c->now;
	int status;

	if (!p->any)
		return tl_error_at(c->err, TL_BAD_USAGE, TL_NOWHERE,
				   "there are no instructions in that part");
	if (p->rewrite == TL_XTRACE_CALL && c->call.open) {
		/* exit(), or the trace ends with it */
		c->replay->events[c->call.event].flags |= TL_XTRACE_EVENT_STOP;
		return 0;
	}
	switch (p->insn.flow) {
	case TL_A64_NEXT:
	case TL_A64_EXCEPTION_CALL:
		return stop_at(c, p->pc + 4);
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return stop_at(c, p->pc + (uint64_t)(int64_t)p->insn.offset);
	case TL_A64_CONDITIONAL:
		if (next != TL_NOWHERE && may_follow(p, next))
			return stop_at(c, next);
		/* It is not told where it leads: to one of the two it comes once more. */
		next = p->pc + (uint64_t)(int64_t)p->insn.offset;
		status = stop_at(c, p->pc + 4);
		if (status < 0)
			return status;
		return stop_at(c, next);
	default:
		next = p->target != TL_NOWHERE ? p->target : next;
		if (next == TL_NOWHERE || !may_follow(p, next))
			return refuse(c, "the last instruction is a branch, and where it leads is "
					 "not in the trace; end the slice before it");
		return stop_at(c, next);
	}
}

/* ---- the walk ---- */

static bool is_over(const struct collector *c, const struct tl_xtrace_walk *w)
{
	return tl_xtrace_walk_offset(w) >= c->part->end_byte ||
	       c->counts->instructions == c->part->most;
}

/* 1: go on; 0: the slice is over; negative: refused. */
static int next_instruction(struct collector *c, struct tl_xtrace_walk *w, enum tl_xtrace_kind kind)
{
	uint32_t opcode = tl_xtrace_walk_instruction(w, kind);
	int status = 0;

	if (!w->pc_known)
		return refuse(c, "an instruction has no PC");
	if (tl_xtrace_walk_el(w) && !is_over(c, w))
		return refuse(c, "the slice has parts that ran in the kernel; a program of it "
				 "runs user code only");
	if (c->now.any && w->pc == c->now.pc && !is_branch(&c->now))
		take_back(c);
	else if (c->now.any && !is_over(c, w))
		status = finish_instruction(c, w->pc);
	if (status < 0)
		return status;
	if (c->order && c->now.any && !follow_stack(c))
		return no_room(c);
	if (is_over(c, w)) {
		status = end_slice(c, w->pc);
		return tl_error_or_end(status);
	}
	status = take_instruction(c, w, opcode);
	if (status < 0)
		return status;
	return 1;
}

/* The tokens of a segment that begin before `until`. 1: they are over; 0: the slice is; negative:
 * refused. */
static int walk_segment(struct collector *c, const uint8_t *until)
{
	struct tl_xtrace_walk w = c->walk;
	enum tl_xtrace_kind kind;
	int status = 1;

	while (status == 1 && w.next < until &&
	       (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (tl_xtrace_is_instruction(kind))
			status = next_instruction(c, &w, kind);
		else if (c->now.any && !take_token(c, &w, kind))
			status = no_room(c);
	}
	c->walk = w;
	if (status == 1 && w.status != TL_OK)
		return tl_error_at(c->err, w.status, w.fault,
				   w.status == TL_IO ? "cancelled"
						     : "the slice is damaged here, so that it "
						       "cannot run");
	return status;
}

static void begin_segment(struct collector *c)
{
	const struct tl_xtrace_slice_part *part = c->part;
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];

	if (c->segment < stream->segment_count)
		tl_xtrace_walk_begin(&c->walk, part->trace, stream, &stream->segments[c->segment]);
}

/* All tokens of a thread's stream before this offset. 0, or negative. */
static int walk_to(struct collector *c, uint64_t end)
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
static int walk_in_turns(struct collector *threads, size_t count, bool *wanted,
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
		struct collector *c = threads;

		while (c->part->stream != stream)
			c++;
		if (!c->over)
			status = walk_to(c, end);
	}
	tl_xtrace_time_order_end(&order);
	return status;
}

static int walk_threads(struct collector *threads, size_t count, struct tl_error *err)
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

static void begin_thread(struct collector *c, const struct tl_xtrace_slice_part *part)
{
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];

	*c->counts =
		(struct tl_xtrace_replay_thread){ .begin = part->begin, .last_event = TL_NOWHERE };
	c->part = part;
	c->call.event = TL_NOWHERE;
	c->stack = (struct tl_xtrace_sp){ true, part->begin.x[31] };
	while (c->segment < stream->segment_count &&
	       stream->segments[c->segment].snapshot != part->first_snapshot)
		c->segment++;
	begin_segment(c);
}

static int collect(struct collector *threads, const struct tl_xtrace_slice_part *parts,
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
			status = end_slice(&threads[i], TL_NOWHERE);
	}
	return status;
}

int tl_xtrace_replay_collect(struct tl_xtrace_replay *replay,
			     const struct tl_xtrace_slice_part *parts, size_t count,
			     struct tl_error *err)
{
	struct collector *threads = tl_zeroed(count, sizeof(*threads));
	struct tl_a64_cache *cache = malloc(sizeof(*cache));
	struct tl_xtrace_order order = { .count = 0 };
	bool several = count > 1, begun;
	int status;

	tl_xtrace_image_begin(&replay->image, count, byte_changed, threads);
	replay->threads = tl_zeroed(count, sizeof(*replay->threads));
	replay->thread_count = replay->threads ? count : 0;
	begun = !several || tl_xtrace_order_begin(&order, count);
	for (size_t i = 0; threads && replay->threads && i < count; i++)
		threads[i] = (struct collector){ .replay = replay,
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
	free(threads);
	return status;
}
