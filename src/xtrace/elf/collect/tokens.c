/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction's tokens are for its replay: events, and memory as it was. */
#include "xtrace/elf/collect/collector.h"
#include "xtrace/elf/first_fault.h"

/* Linux: <asm-generic/unistd.h>, <linux/prctl.h>. */
enum { PRCTL = 167, PR_SVE_SET_VL = 50, LENGTH_BITS = 0xffff, AT_EXECVE = 1 << 18 };

/* ---- the order of several threads ---- */

/* The thread's progress, if another thread waits for what was done up to here. */
bool tl_xtrace_collect_post(struct tl_xtrace_collector *c)
{
	struct tl_xtrace_order_thread *own = &c->order->threads[c->thread];
	uint64_t event;

	if (!own->pending || !tl_xtrace_can_move(&c->now.insn))
		return true;
	event = tl_xtrace_collect_event_here(c);
	if (event == TL_NOWHERE)
		return false;
	own->pending = false;
	c->replay->events[event].flags |= TL_XTRACE_EVENT_ORDER;
	c->replay->events[event].post = ++own->posts;
	return true;
}

/* The present instruction waits for accesses of others. */
static bool access_in_order(struct tl_xtrace_collector *c, uint64_t address, size_t size,
			    bool store)
{
	uint64_t event;

	if (!c->order)
		return true;
	if (!tl_xtrace_order_access(c->order, c->thread, address, size, store))
		return false;
	if (!c->order->any)
		return true;
	event = tl_xtrace_collect_event_here(c);
	if (event == TL_NOWHERE)
		return false;
	c->replay->events[event].flags |= TL_XTRACE_EVENT_ORDER;
	return tl_xtrace_order_take(c->order, c->replay, event);
}

/* SP behind the present instruction. */
bool tl_xtrace_collect_follow_stack(struct tl_xtrace_collector *c)
{
	const struct tl_xtrace_present *p = &c->now;

	tl_xtrace_sp_follow(&c->stack, p->insn.opcode, p->accessed, p->address);
	return !c->stack.known || tl_xtrace_replay_stack(c->replay, c->thread, c->stack.sp);
}

/* The kernel wrote during the last call, or another thread before this load. */
bool tl_xtrace_collect_changed(void *arg, uint64_t address, uint8_t value, bool by_call)
{
	struct tl_xtrace_collector *c = arg;
	uint64_t event = by_call && c->call.event != TL_NOWHERE ? c->call.event
								: tl_xtrace_collect_event_here(c);

	/* What comes from outside is stored by this thread. */
	if (!access_in_order(c, address, 1, true))
		return false;
	return event != TL_NOWHERE && tl_xtrace_replay_patch(c->replay, event, address, value);
}

bool tl_xtrace_collect_begin_call(struct tl_xtrace_collector *c)
{
	if (!tl_xtrace_collect_event(c, TL_XTRACE_EVENT_CALL, 0))
		return false;
	c->call.event = c->counts->last_event;
	c->call.open = true;
	c->call.sets_length = false;
	c->call.arguments = 0;
	c->replay->image.calls += !c->order;
	return true;
}

/* As many elements as there will be loads. */
bool tl_xtrace_collect_begin_some(struct tl_xtrace_collector *c)
{
	if (!tl_xtrace_collect_event(c, TL_XTRACE_EVENT_OTHER, 0))
		return false;
	c->now.event = c->counts->last_event;
	c->replay->sites[c->replay->events[c->now.event].site].decides = true;
	return true;
}

void tl_xtrace_collect_take_back(struct tl_xtrace_collector *c)
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

/* ---- the other tokens ---- */

static bool take_status(struct tl_xtrace_collector *c, uint64_t status)
{
	bool reserved = c->now.reserved;

	c->now.reserved = false;
	/* With other threads about, waiting and not the reservation makes it atomic. */
	if (c->now.rewrite != TL_XTRACE_EXCLUSIVE || (!(uint32_t)status && reserved && !c->order))
		return true;
	if (!tl_xtrace_collect_event(c, TL_XTRACE_EVENT_OTHER, (uint32_t)status))
		return false;
	c->replay->sites[c->replay->events[c->counts->last_event].site].decides = true;
	return true;
}

/* The first argument is X8, X0 to X5 follow. */
static bool take_argument(struct tl_xtrace_collector *c, uint64_t value)
{
	unsigned number = c->call.arguments++;
	struct tl_xtrace_event *event;

	if (!c->call.open)
		return true;
	if (number == 1)
		c->call.sets_length = (uint32_t)value == PR_SVE_SET_VL &&
				      c->replay->events[c->call.event].expected == PRCTL;
	if (number == 2 && value & AT_EXECVE)
		c->call.sets_length = false;
	if (number)
		return number > 6 || tl_xtrace_collect_handler_value(c, number - 1, value);
	event = &c->replay->events[c->call.event];
	event->flags |= TL_XTRACE_EVENT_CHECK;
	event->expected = value;
	return true;
}

/* BR, BLR and RET without authentication go to the address in the register. */
static bool take_target(struct tl_xtrace_collector *c, uint64_t value)
{
	uint32_t opcode = c->now.insn.opcode;

	c->now.target = value;
	return (opcode & 0xff9ffc1f) != 0xd61f0000 ||
	       tl_xtrace_collect_handler_value(c, opcode >> 5 & 31, value);
}

static bool take_result(struct tl_xtrace_collector *c, uint64_t value)
{
	bool sets_length = c->call.sets_length && !(value >> 31);

	if (c->call.open)
		c->replay->events[c->call.event].result = value;
	c->call.open = c->call.sets_length = false;
	if (!sets_length || (value & LENGTH_BITS) == c->part->begin.vector_bytes)
		return true;
	c->refused = "the length of vectors is set (prctl), which no snapshot shows";
	return false;
}

static bool take_register(struct tl_xtrace_collector *c, uint64_t value)
{
	c->now.has_value = true;
	return c->now.rewrite != TL_XTRACE_READ || tl_xtrace_collect_event(c, 0, value);
}

static bool take_zeros(struct tl_xtrace_collector *c, uint64_t address)
{
	static const uint8_t zeros[TL_XTRACE_ZVA_BYTES];

	address &= ~(uint64_t)(TL_XTRACE_ZVA_BYTES - 1);
	return access_in_order(c, address, sizeof(zeros), true) &&
	       tl_xtrace_image_store(&c->replay->image, address, zeros, sizeof(zeros));
}

/* Rn is SP; loads from beside the code have no Rn. */
static bool is_near_stack(uint32_t opcode)
{
	return (opcode >> 5 & 31) == 31 && (opcode & 0x3b000000) != 0x18000000;
}

static bool take_access_of_handler(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w,
				   bool store)
{
	const struct tl_xtrace_seen_access seen = {
		.address = tl_xtrace_walk_value(w),
		.data = w->token + 9,
		.size = tl_xtrace_access_size(*w->token),
		.store = store,
	};

	/* The first access of a handler may show where its frame is. */
	if (!tl_xtrace_collect_handler_access(c, &seen))
		return false;
	return tl_xtrace_collect_frame_access(c, &seen);
}

/* Whether a pointer is where a call of the slice returns to, with a signature. */
static bool is_signed(const struct tl_xtrace_collector *c, uint64_t pointer)
{
	const uint64_t call = (pointer & UINT64_MAX >> 16) - 4;
	const struct tl_xtrace_image_code *code;

	if (pointer >> 48 == 0 || pointer >> 48 == UINT16_MAX || pointer % 4)
		return false;
	code = (void *)tl_xtrace_pages_known(&c->replay->image.code, call / TL_XTRACE_IMAGE_BYTES);
	return code && code->kind[call % TL_XTRACE_IMAGE_BYTES / 4] != TL_XTRACE_UNSEEN;
}

/* The program stores return addresses without the signatures that they have in the trace. */
static bool take_signed(struct tl_xtrace_collector *c, uint64_t address, const uint8_t *data,
			size_t size)
{
	for (size_t at = -address % 8; at + 8 <= size; at += 8)
		if (is_signed(c, tl_le64(data + at)) &&
		    !tl_xtrace_image_bare(&c->replay->image, address + at))
			return false;
	return true;
}

static bool take_access(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w, bool store)
{
	uint64_t address = tl_xtrace_walk_value(w);
	size_t size = tl_xtrace_access_size(*w->token);

	if (c->now.rewrite == TL_XTRACE_SOME)
		c->replay->events[c->now.event].result +=
			tl_xtrace_first_fault_elements(c->now.insn.opcode, size);
	if (c->handlers && !take_access_of_handler(c, w, store))
		return false;
	if (!c->now.accessed)
		c->now.address = address;
	if (is_near_stack(c->now.insn.opcode))
		c->near_stack = address;
	c->accessed = c->now.accessed = true;
	if (!access_in_order(c, address, size, store))
		return false;
	if (!store)
		return tl_xtrace_image_load(&c->replay->image, address, w->token + 9, size);
	return tl_xtrace_image_store(&c->replay->image, address, w->token + 9, size) &&
	       (!c->signs || take_signed(c, address, w->token + 9, size));
}

bool tl_xtrace_collect_token(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w,
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
		return take_argument(c, tl_xtrace_walk_value(w));
	case TL_XTRACE_SVCRET:
		return take_result(c, tl_xtrace_walk_value(w));
	case TL_XTRACE_TARGET_B:
		return take_target(c, tl_xtrace_walk_value(w));
	case TL_XTRACE_TIME:
		c->timed = true;
		return true;
	default:
		return true;
	}
}
