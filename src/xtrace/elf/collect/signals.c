/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/signals.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/elf/collect/collector.h"
#include "xtrace/state/syscall_writes.h"

enum { FRAME_LEAST = 4096, FRAME_MOST = 1 << 16, SIGNALS = 64 };
enum { SIGTRAP_NUMBER = 5 };

static const char not_led_there[] =
	"the program goes on elsewhere than its instructions lead: a signal's handler that shows "
	"no stack of its own, or a part is missing";

static int refuse_handler(struct tl_xtrace_collector *c, const struct tl_xtrace_handler *handler)
{
	return tl_error_in(c->err, TL_UNSUPPORTED, handler->offset, handler->record, not_led_there);
}

/* ---- handlers that have not returned ---- */

static struct tl_xtrace_handlers *handlers_of(struct tl_xtrace_collector *c)
{
	if (!c->handlers) {
		c->handlers = tl_zeroed(1, sizeof(*c->handlers));
		if (c->handlers)
			c->handlers->innermost = TL_XTRACE_MOST_HANDLERS;
	}
	return c->handlers;
}

/* A place in the list: a free one, else that of the oldest. */
static size_t take_place(struct tl_xtrace_collector *c, struct tl_xtrace_handlers *h)
{
	size_t oldest = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (h->list[i].signal == TL_NOWHERE)
			return i;
		if (h->list[i].signal < h->list[oldest].signal)
			oldest = i;
	}
	if (h->count == TL_XTRACE_MOST_HANDLERS)
		return oldest;
	h->list[h->count].slot = c->replay->slots.count++;
	return h->count++;
}

/* SP in the handler is known: those whose frames were there left by longjmp(). */
static void take_frame(struct tl_xtrace_handlers *h, struct tl_xtrace_handler *handler,
		       uint64_t frame)
{
	handler->frame = frame;
	handler->proven |= handler->near - frame >= FRAME_LEAST;
	for (size_t i = 0; i < h->count; i++) {
		struct tl_xtrace_handler *other = &h->list[i];

		if (other != handler && other->frame &&
		    (other->frame - frame < FRAME_LEAST || frame - other->frame < FRAME_LEAST))
			other->signal = TL_NOWHERE;
	}
}

/* Of a handler that asked for them, X1 and X2 are addresses in its frame. */
static void find_frame(const struct tl_xtrace_handler *handler,
		       struct tl_xtrace_replay_signal *signal)
{
	uint64_t frame = signal->values[2] - TL_XTRACE_FRAME_CONTEXT;
	bool near = handler->near - frame - FRAME_LEAST < FRAME_MOST,
	     both = signal->known >> 1 & 1 && signal->values[1] == frame;

	if (signal->known >> TL_XTRACE_REG_SP & 1 || !(signal->known >> 2 & 1) || frame % 16 ||
	    (!near && !both))
		return;
	signal->known |= UINT64_C(1) << TL_XTRACE_REG_SP;
	signal->values[TL_XTRACE_REG_SP] = frame;
}

/* The inputs that were found are the program's. False without memory. */
static bool take_found(struct tl_xtrace_collector *c)
{
	struct tl_xtrace_handlers *h = c->handlers;
	struct tl_xtrace_handler *handler = &h->list[h->innermost];
	struct tl_xtrace_replay_signal *signal = &c->replay->signals[handler->signal];
	uint64_t found = h->inputs.found;

	h->inputs.found = 0;
	signal->known |= found;
	for (unsigned reg = 0; reg < 32; reg++)
		if (found >> reg & 1)
			signal->values[reg] = h->inputs.values[reg];
	find_frame(handler, signal);
	if (handler->frame || !(signal->known >> TL_XTRACE_REG_SP & 1))
		return true;
	take_frame(h, handler, signal->values[TL_XTRACE_REG_SP]);
	return !c->order || tl_xtrace_replay_stack(c->replay, c->thread, handler->frame);
}

static bool looks_for_inputs(const struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_handlers *h = c->handlers;

	return h && h->innermost < TL_XTRACE_MOST_HANDLERS && h->inputs.left;
}

/* ---- what shows the registers of a handler ---- */

static void show_snapshot(struct tl_xtrace_handlers *h, const struct tl_xtrace_snapshot *snapshot)
{
	for (unsigned reg = 0; reg < 32; reg++)
		tl_xtrace_inputs_show(&h->inputs, reg, snapshot->x[reg], UINT64_MAX);
}

/* The snapshot at a place of the stream. False: there is none. */
static bool snapshot_at(struct tl_xtrace_collector *c, uint64_t offset,
			struct tl_xtrace_snapshot *snapshot)
{
	struct tl_xtrace_trace *trace = c->part->trace;
	uint32_t stream = c->part->stream;

	for (; c->handlers->snapshot < trace->streams[stream].info.snapshots;
	     c->handlers->snapshot++) {
		tl_xtrace_read_snapshot(trace, stream, c->handlers->snapshot, snapshot);
		if (snapshot->offset >= offset)
			return snapshot->offset == offset;
	}
	return false;
}

/* The first word of siginfo is the number. */
static void take_number(struct tl_xtrace_collector *c, const struct tl_xtrace_seen_access *seen)
{
	struct tl_xtrace_handlers *h = c->handlers;
	const struct tl_xtrace_handler *handler = &h->list[h->innermost];
	struct tl_xtrace_replay_signal *signal = &c->replay->signals[handler->signal];
	bool by_address = signal->known >> 1 & 1 && seen->address == signal->values[1];

	if (signal->known & 1 || seen->store || seen->size != 4 ||
	    (!by_address && (!handler->frame || seen->address != handler->frame)))
		return;
	signal->known |= 1;
	signal->values[0] = tl_get32s(seen->data, TL_HOST_BIG_ENDIAN);
}

bool tl_xtrace_collect_handler_access(struct tl_xtrace_collector *c,
				      const struct tl_xtrace_seen_access *seen)
{
	struct tl_xtrace_present *p = &c->now;
	struct tl_a64_access access;

	if (!looks_for_inputs(c))
		return true;
	access = tl_a64_access_of(&p->insn);
	if (!p->accessed)
		tl_xtrace_inputs_address(&c->handlers->inputs, &access, seen->address);
	if (seen->store) {
		tl_xtrace_inputs_stored(&c->handlers->inputs, &access, p->stored_bytes, seen->data,
					(uint32_t)seen->size);
		p->stored_bytes += (uint32_t)seen->size;
	} else if (seen->size <= sizeof(p->loaded) - p->loaded_bytes) {
		memcpy(p->loaded + p->loaded_bytes, seen->data, seen->size);
		p->loaded_bytes += (uint32_t)seen->size;
	}
	if (c->handlers->inputs.found && !take_found(c))
		return false;
	take_number(c, seen);
	return true;
}

bool tl_xtrace_collect_handler_value(struct tl_xtrace_collector *c, unsigned reg, uint64_t value)
{
	if (!looks_for_inputs(c))
		return true;
	tl_xtrace_inputs_show(&c->handlers->inputs, reg, value, UINT64_MAX);
	return !c->handlers->inputs.found || take_found(c);
}

void tl_xtrace_collect_handler_step(struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_present *p = &c->now;
	struct tl_xtrace_handlers *h = c->handlers;
	const struct tl_xtrace_inputs_step step = {
		.opcode = p->insn.opcode,
		.pc = p->pc,
		.loaded = p->loaded,
		.loaded_size = p->loaded_bytes,
		.left_out = p->insn.access && !p->accessed,
	};

	if (!looks_for_inputs(c))
		return;
	if (h->inputs.left & 1 && tl_xtrace_inputs_read(&h->inputs, p->insn.opcode, 0))
		c->replay->signals[h->list[h->innermost].signal].asked = true;
	tl_xtrace_inputs_execute(&h->inputs, &step);
}

bool tl_xtrace_collect_handler_place(struct tl_xtrace_collector *c, uint64_t offset)
{
	struct tl_xtrace_snapshot snapshot;

	if (!looks_for_inputs(c) || !snapshot_at(c, offset, &snapshot))
		return true;
	show_snapshot(c->handlers, &snapshot);
	return !c->handlers->inputs.found || take_found(c);
}

/* ---- what a handler does to its frame ---- */

bool tl_xtrace_collect_frame_access(struct tl_xtrace_collector *c,
				    const struct tl_xtrace_seen_access *seen)
{
	for (size_t i = 0; c->handlers && i < c->handlers->count; i++) {
		struct tl_xtrace_handler *handler = &c->handlers->list[i];

		if (handler->signal != TL_NOWHERE && handler->frame &&
		    !tl_xtrace_frame_access(&handler->contents, handler->frame, seen))
			return false;
	}
	return true;
}

void tl_xtrace_collect_free_handlers(struct tl_xtrace_collector *c)
{
	for (size_t i = 0; c->handlers && i < c->handlers->count; i++)
		tl_xtrace_frame_free(&c->handlers->list[i].contents);
	free(c->handlers);
}

/* ---- a handler begins ---- */

/* It was not executed: its access faulted, or it is there to trap. */
static bool faults(const struct tl_xtrace_present *p)
{
	return p->insn.flow == TL_A64_TRAP ||
	       (p->insn.access && !p->accessed && p->insn.special != TL_A64_DC_ZERO);
}

static bool can_be_interrupted(const struct tl_xtrace_collector *c, uint64_t event)
{
	const struct tl_xtrace_present *p = &c->now;

	return !(c->replay->events[event].flags & (TL_XTRACE_EVENT_OTHER | TL_XTRACE_EVENT_STOP)) &&
	       tl_xtrace_can_move(&p->insn);
}

/*
 * The number of a signal that the handler may not show: that of BRK; X0 "when EL0 resumes", as
 * which the result of a system call is written then.
 */
static uint64_t expected_number(const struct tl_xtrace_collector *c, uint64_t event)
{
	if ((c->now.insn.opcode & 0xffe0001f) == 0xd4200000)
		return SIGTRAP_NUMBER;
	return c->now.rewrite == TL_XTRACE_CALL && !c->call.open ? c->replay->events[event].result
								 : 0;
}

static void expect_number(struct tl_xtrace_collector *c, uint64_t event,
			  struct tl_xtrace_replay_signal *signal)
{
	uint64_t number = expected_number(c, event);

	if (number - 1 >= SIGNALS)
		return;
	signal->known |= 1;
	signal->values[0] = number;
}

static int begin_handler(struct tl_xtrace_collector *c, uint64_t pc, uint64_t event)
{
	struct tl_xtrace_handlers *h = c->handlers;
	const struct tl_xtrace_present *p = &c->now;
	uint64_t number = tl_xtrace_replay_signal(c->replay, event, pc);
	struct tl_xtrace_replay_signal *signal;
	struct tl_xtrace_handler *handler;
	size_t place;

	if (number == TL_NOWHERE)
		return tl_error_memory(c->err);
	place = take_place(c, h);
	handler = &h->list[place];
	if (handler->signal != TL_NOWHERE && handler->record && !handler->proven)
		return refuse_handler(c, handler);
	*handler = (struct tl_xtrace_handler){
		.signal = number,
		.interruption = number,
		.event = event,
		.slot = handler->slot,
		.from = p->pc,
		.target = p->target != TL_NOWHERE ? p->target
						  : p->pc + (uint64_t)(int64_t)p->insn.offset,
		.near = c->near_stack,
		.stack = c->stack,
		.offset = p->offset,
		.record = tl_xtrace_collect_record(c),
		.predicated = p->insn.access & TL_A64_PREDICATED,
		.contents = handler->contents,
	};
	tl_xtrace_frame_begin(&handler->contents, c->part->begin.vector_bytes);
	signal = &c->replay->signals[number];
	signal->slot = handler->slot;
	signal->before = faults(p);
	expect_number(c, event, signal);
	c->replay->sites[c->replay->events[event].site].interrupted = true;
	c->call.open = false;
	c->stack.known = false;
	h->innermost = place;
	tl_xtrace_inputs_begin(&h->inputs);
	return 0;
}

static int begins(struct tl_xtrace_collector *c, uint64_t pc)
{
	uint64_t event;

	if (!handlers_of(c))
		return tl_error_memory(c->err);
	event = tl_xtrace_collect_event_here(c);
	if (event == TL_NOWHERE)
		return tl_xtrace_collect_no_room(c);
	if (!can_be_interrupted(c, event))
		return tl_xtrace_collect_refuse(
			c, "a signal comes behind an instruction that cannot be interrupted in a "
			   "program: a failed store exclusive, a first-fault load, or a load "
			   "from beside the code");
	return begin_handler(c, pc, event);
}

/* ---- a handler ends ---- */

/* What it interrupted, or what it has put in its place. */
static bool returns_to(const struct tl_xtrace_handler *handler, uint64_t pc)
{
	if (tl_xtrace_frame_moves(&handler->contents))
		return tl_xtrace_frame_word(&handler->contents, TL_XTRACE_FRAME_PC) == pc;
	return pc == handler->from || pc == handler->from + 4 || pc == handler->target;
}

/* The innermost handler that goes there; NULL: none. */
static struct tl_xtrace_handler *handler_that_ends(struct tl_xtrace_handlers *h, uint64_t pc)
{
	struct tl_xtrace_handler *found = NULL;

	for (size_t i = 0; h && i < h->count; i++) {
		struct tl_xtrace_handler *handler = &h->list[i];

		if (handler->signal != TL_NOWHERE && returns_to(handler, pc) &&
		    (!found || handler->signal > found->signal))
			found = handler;
	}
	return found;
}

/* Where it returns tells whether the instruction that it interrupts was executed before. */
static void judge_interrupted(struct tl_xtrace_collector *c,
			      const struct tl_xtrace_handler *handler, uint64_t pc)
{
	struct tl_xtrace_replay_signal *signal = &c->replay->signals[handler->interruption];

	if (tl_xtrace_frame_moves(&handler->contents))
		return;
	if (pc == handler->from + 4 && handler->predicated)
		signal->before = false;
	if (pc != handler->from || handler->target == pc)
		return;
	signal->before = true;
	c->replay->events[handler->event].flags &= ~(uint32_t)TL_XTRACE_EVENT_CALL;
}

/* Registers that come back with other values than the handler found. */
static int take_changes(struct tl_xtrace_collector *c, const struct tl_xtrace_handler *handler,
			struct tl_xtrace_replay_signal *signal, uint64_t event)
{
	const struct tl_xtrace_signal_frame *frame = &handler->contents;
	const char *why;
	bool failed;

	signal->known = tl_xtrace_frame_changed(frame);
	for (unsigned reg = 0; reg < 32; reg++)
		signal->values[reg] = tl_xtrace_frame_word(frame, reg);
	if (tl_xtrace_frame_has_flags(frame)) {
		signal->known |= UINT64_C(1) << TL_XTRACE_REPLAY_NZCV;
		signal->values[TL_XTRACE_REPLAY_NZCV] =
			tl_xtrace_frame_word(frame, TL_XTRACE_FRAME_PSTATE) & UINT64_C(0xf0000000);
	}
	signal->first_change = c->replay->changes.count;
	why = tl_xtrace_frame_take(frame, handler->frame, c->part->begin.vector_bytes, c->replay,
				   &failed);
	if (failed)
		return tl_error_memory(c->err);
	if (why)
		return tl_xtrace_collect_refuse(c, why);
	signal->change_count = c->replay->changes.count - signal->first_change;
	tl_xtrace_collect_vector_rule(c);
	if (c->call.open)
		return 0;
	signal->known |= 1;
	signal->values[0] = c->replay->events[event].result;
	return 0;
}

/* Handlers that began behind this one never return any more. */
static int leave_inner(struct tl_xtrace_collector *c, const struct tl_xtrace_handler *handler,
		       uint64_t signal)
{
	struct tl_xtrace_handlers *h = c->handlers;

	for (size_t i = 0; i < h->count; i++) {
		struct tl_xtrace_handler *other = &h->list[i];

		if (other == handler || other->signal == TL_NOWHERE || other->signal < signal)
			continue;
		if (!other->proven)
			return refuse_handler(c, other);
		other->signal = TL_NOWHERE;
	}
	h->innermost = TL_XTRACE_MOST_HANDLERS;
	return 0;
}

/* What the handler interrupted comes back from a slot, but for what it changed. */
static int go_back(struct tl_xtrace_collector *c, uint64_t pc,
		   const struct tl_xtrace_handler *handler, uint32_t slot)
{
	uint64_t event = c->call.event, number = tl_xtrace_replay_signal(c->replay, event, pc);
	int status;

	if (number == TL_NOWHERE)
		return tl_error_memory(c->err);
	c->replay->signals[number].ends = true;
	c->replay->signals[number].slot = slot;
	status = take_changes(c, handler, &c->replay->signals[number], event);
	c->call.open = false;
	return status;
}

static int end_handler(struct tl_xtrace_collector *c, uint64_t pc,
		       struct tl_xtrace_handler *handler)
{
	int status;

	judge_interrupted(c, handler, pc);
	status = go_back(c, pc, handler, handler->slot);
	if (status < 0)
		return status;
	c->stack = handler->stack;
	c->near_stack = handler->near;
	status = leave_inner(c, handler, handler->signal);
	if (status == 0)
		handler->signal = TL_NOWHERE;
	return status;
}

/* One that began before the slice. */
static int end_earlier(struct tl_xtrace_collector *c, uint64_t pc)
{
	struct tl_xtrace_handler handler;
	uint32_t slot;
	uint64_t sp;
	int status = tl_xtrace_collect_resume(c, pc, &slot, &handler, &sp);

	if (status == 0)
		status = go_back(c, pc, &handler, slot);
	tl_xtrace_frame_free(&handler.contents);
	if (status < 0)
		return status;
	c->stack = (struct tl_xtrace_sp){ true, sp };
	c->near_stack = sp;
	if (c->order && !tl_xtrace_replay_stack(c->replay, c->thread, sp))
		return tl_error_memory(c->err);
	return c->handlers ? leave_inner(c, NULL, 0) : 0;
}

/* The innermost handler: its frame, if it is known, is not below what was accessed beside SP. */
static struct tl_xtrace_handler *innermost_handler(const struct tl_xtrace_collector *c)
{
	struct tl_xtrace_handlers *h = c->handlers;
	struct tl_xtrace_handler *found = NULL;

	for (size_t i = 0; h && i < h->count; i++) {
		struct tl_xtrace_handler *handler = &h->list[i];

		if (handler->signal != TL_NOWHERE &&
		    (!handler->frame || handler->frame - c->near_stack < FRAME_MOST) &&
		    (!found || handler->signal > found->signal))
			found = handler;
	}
	return found;
}

/*
 * What the handler interrupted comes back, and is interrupted again before it goes on, by the
 * handler of a signal that waited: it is in the same slot for this one.
 */
static int begin_next(struct tl_xtrace_collector *c, uint64_t pc, struct tl_xtrace_handler *handler)
{
	struct tl_xtrace_handlers *h = c->handlers;
	uint64_t result = c->call.open ? 0 : c->replay->events[c->call.event].result, number;
	struct tl_xtrace_handler next = *handler;
	int status;

	/* The result of rt_sigreturn is what the next handler finds in X0. */
	c->call.open = true;
	status = go_back(c, pc, handler, handler->slot);
	if (status == 0)
		status = leave_inner(c, handler, handler->signal);
	if (status < 0)
		return status;
	number = tl_xtrace_replay_next_signal(c->replay, c->replay->signal_count - 1, pc);
	if (number == TL_NOWHERE)
		return tl_error_memory(c->err);
	c->replay->signals[number].slot = handler->slot;
	if (result - 1 < SIGNALS) {
		c->replay->signals[number].known = 1;
		c->replay->signals[number].values[0] = result;
	}
	if (tl_xtrace_frame_moves(&handler->contents))
		next.from = next.target =
			tl_xtrace_frame_word(&handler->contents, TL_XTRACE_FRAME_PC);
	next.signal = number;
	next.frame = 0;
	next.proven = false;
	next.offset = c->now.offset;
	next.record = tl_xtrace_collect_record(c);
	*handler = next;
	tl_xtrace_frame_begin(&handler->contents, c->part->begin.vector_bytes);
	c->near_stack = handler->near;
	c->stack.known = false;
	h->innermost = (size_t)(handler - h->list);
	tl_xtrace_inputs_begin(&h->inputs);
	return 0;
}

static int ends(struct tl_xtrace_collector *c, uint64_t pc)
{
	struct tl_xtrace_handler *handler = handler_that_ends(c->handlers, pc);

	if (handler)
		return end_handler(c, pc, handler);
	handler = innermost_handler(c);
	return handler ? begin_next(c, pc, handler) : end_earlier(c, pc);
}

/* ---- a break of the PC ---- */

static bool is_call(const struct tl_xtrace_collector *c, uint64_t *number)
{
	const struct tl_xtrace_event *event;

	if (c->now.rewrite != TL_XTRACE_CALL || c->call.event == TL_NOWHERE)
		return false;
	event = &c->replay->events[c->call.event];
	*number = event->expected;
	return event->flags & TL_XTRACE_EVENT_CHECK;
}

int tl_xtrace_collect_break(struct tl_xtrace_collector *c, uint64_t pc)
{
	uint64_t number;

	if (!is_call(c, &number) || !tl_xtrace_syscall_jumps(number))
		return begins(c, pc);
	if (tl_xtrace_syscall_ends_signal(number))
		return ends(c, pc);
	return tl_xtrace_collect_refuse(c, "another program is executed, which control goes on in");
}

bool tl_xtrace_collect_breaks_at_end(struct tl_xtrace_collector *c, uint64_t offset)
{
	struct tl_xtrace_snapshot snapshot;
	uint64_t number;

	if (is_call(c, &number) && tl_xtrace_syscall_jumps(number))
		return tl_xtrace_syscall_ends_signal(number);
	return handlers_of(c) && snapshot_at(c, offset, &snapshot) &&
	       c->near_stack - snapshot.x[31] >= FRAME_LEAST;
}

int tl_xtrace_collect_handlers_over(struct tl_xtrace_collector *c)
{
	struct tl_xtrace_handlers *h = c->handlers;

	for (size_t i = 0; h && i < h->count; i++)
		if (h->list[i].signal != TL_NOWHERE && !h->list[i].proven)
			return refuse_handler(c, &h->list[i]);
	return 0;
}

/*
 * A handler changed one of the two records that have the lower parts of vectors, and the trace does
 * not show which of them came back. Where nothing has more of vectors than V0 to V31, there may be
 * no other record than that of these.
 */
int tl_xtrace_collect_vectors_over(struct tl_xtrace_replay *replay, struct tl_error *err)
{
	bool scalable = replay->scalable, ruled = false;

	for (size_t i = 0; i < replay->thread_count; i++)
		scalable |= replay->threads[i].begin.vector_bytes > 16;
	for (size_t i = 0; i < replay->changes.count; i++)
		ruled |= replay->changes.list[i].rule != TL_XTRACE_ANY_RULE;
	if (!ruled || replay->changes.rule != TL_XTRACE_ANY_RULE)
		return 0;
	replay->changes.rule = TL_XTRACE_SHORT_RULE;
	return scalable ? tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				      "a signal's handler changed vectors of what it interrupted "
				      "in one of the two records that its frame has of them, and "
				      "nothing shows which of them came back")
			: 0;
}
