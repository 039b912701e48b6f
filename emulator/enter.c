/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block is entered: what the one before did is known now, and becomes packets. The frequent cases
 * are branch-free: outcome = the target was reached, conditional = it goes into the stream.
 */
#include "packets.h"

const struct block enter_none = { .kind = BLOCK_NONE, .target = BLOCK_NOWHERE };

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define LIKELY(condition) __builtin_expect(!!(condition), 1)

/* ---- returns: one bit where the call is known ---- */

static inline bool returns_to(const struct stream *s, uint64_t ip)
{
	return s->return_count && s->returns[(s->return_top - 1) % RETURNS] == ip;
}

static inline void pop_return(struct stream *s)
{
	s->return_top--;
	s->return_count--;
}

static inline void push_return(struct stream *s, uint64_t ip)
{
	s->returns[s->return_top++ % RETURNS] = ip;
	s->return_count += s->return_count < RETURNS;
}

/* The call of a block that was left before it. */
static void take_back_call(struct stream *s, const struct block *block)
{
	if (!block->pushes)
		return;
	s->return_top--;
	s->return_count -= s->return_count > 0;
}

/* ---- what is not a successor that the code allows ---- */

/* Whether a block that was executed whole can be followed by this address. */
static bool can_lead_to(const struct block *block, uint64_t ip)
{
	switch (block->kind) {
	case BLOCK_CONDITIONAL:
		return ip == block->next || ip == block->target;
	case BLOCK_CALL:
	case BLOCK_JUMP:
	case BLOCK_PLAIN:
		return ip == block->target;
	case BLOCK_REPEATED:
	case BLOCK_SYSCALL: /* one that a signal interrupted begins again */
		return ip == block->next || ip == block->last;
	default:
		return true;
	}
}

/* The packets of a block that was executed whole, and went on at `ip`. */
static void complete(struct stream *s, const struct block *block, uint64_t ip)
{
	switch (block->kind) {
	case BLOCK_CONDITIONAL:
		s->shared.outcomes = s->shared.outcomes << 1 | (ip == block->target);
		break;
	case BLOCK_INDIRECT_CALL:
	case BLOCK_INDIRECT_JUMP:
	case BLOCK_FAR:
		packet_outcomes(s);
		packet_ip(s, TIP, ip);
		break;
	case BLOCK_RETURN:
		if (returns_to(s, ip)) {
			pop_return(s);
			s->shared.outcomes = s->shared.outcomes << 1 | 1;
			break;
		}
		packet_outcomes(s);
		packet_ip(s, TIP, ip);
		break;
	case BLOCK_SYSCALL:
		stream_disable(s);
		stream_enable(s, ip);
		break;
	default:
		break;
	}
}

/* A handler begins: the block before was executed up to the interrupted instruction. */
static void enter_handler(struct stream *s, const struct block *before, bool was_left,
			  const struct block *handler, const struct guest *guest,
			  const struct delivery *delivery)
{
	const uint64_t interrupted = delivery->interrupted;
	const bool inside = block_find(before, interrupted) < before->count;

	s->shared.signals++;
	s->handler_stack = guest->registers[RSP];
	if (inside && (delivery->is_fault || was_left || !can_lead_to(before, interrupted)))
		take_back_call(s, before);
	else
		complete(s, before, interrupted);
	stream_interrupt(s, interrupted, handler->ip);
	/* perf 6.1 loses its place where a return is matched with a call before the signal. */
	s->return_count = 0;
}

/* The program is somewhere that no instruction leads to: shown as an interrupt. */
static void enter_unexplained(struct stream *s, const struct block *before,
			      const struct block *block)
{
	s->shared.unexplained++;
	stream_interrupt(s, before->next, block->ip);
	s->return_count = 0;
}

/* A handler's first block is executed again from its beginning, with the same frame. */
static bool begins_again(const struct stream *s, const struct block *before, bool was_left,
			 const struct block *block, const struct guest *guest)
{
	return was_left && block->ip == before->ip && guest->registers[RSP] == s->handler_stack;
}

/* What no branch of a block that was executed whole leads to. */
static void enter_other(struct stream *s, const struct block *before, const struct block *block,
			const struct guest *guest)
{
	const bool was_left = before->kind == BLOCK_LEFT;
	struct delivery delivery;

	if (before->kind == BLOCK_NONE) {
		stream_enable(s, block->ip);
		return;
	}
	before = was_left ? s->left : before;
	if (!begins_again(s, before, was_left, block, guest) &&
	    signals_delivered(block->ip, guest, before, &delivery)) {
		enter_handler(s, before, was_left, block, guest, &delivery);
	} else if (!was_left && before->kind == BLOCK_SYSCALL) {
		stream_disable(s);
		stream_enable(s, block->ip);
	} else if (!was_left && before->kind == BLOCK_REPEATED && block->ip == before->last) {
		return;
	} else if (block_find(before, block->ip) < before->count) {
		/* It begins again in its middle: it has changed its own code. */
		take_back_call(s, before);
	} else {
		enter_unexplained(s, before, block);
	}
	packet_check(s, block->ip);
}

/* ---- every block: what is frequent comes first, and what is not is left to a tail call ---- */

/* All packets up to the block are written. */
static __attribute__((noinline)) void entered(struct stream *s, const struct block *block)
{
	if (__atomic_load_n(&s->code_changed, __ATOMIC_RELAXED)) {
		s->code_changed = 0;
		packet_check(s, block->ip);
		stream_interrupt(s, block->ip, block->ip);
	}
	if (block->pushes)
		push_return(s, block->next);
}

static __attribute__((noinline)) void enter_full(struct stream *s, const struct block *block)
{
	packet_long_outcomes(s, s->shared.outcomes);
	packet_check(s, block->ip);
	entered(s, block);
}

static bool is_indirect(const struct block *block)
{
	return block->kind == BLOCK_RETURN || block->kind == BLOCK_INDIRECT_CALL ||
	       block->kind == BLOCK_INDIRECT_JUMP || block->kind == BLOCK_FAR;
}

static __attribute__((noinline)) void enter_rarely(struct stream *s, const struct block *before,
						   const struct block *block,
						   const struct guest *guest)
{
	struct delivery delivery;

	if (LIKELY(is_indirect(before) && !signals_delivered(block->ip, guest, before, &delivery)))
		packet_target(s, block->ip);
	else
		enter_other(s, before, block, guest);
	entered(s, block);
}

static __attribute__((noinline)) void enter_first(const struct block *block,
						  const struct guest *guest)
{
	struct stream *s = stream_begin();
	const struct block *before = s->current;

	s->current = block;
	enter_rarely(s, before, block, guest);
}

static inline __attribute__((always_inline)) void enter(const struct block *block,
							const struct guest *guest, bool pushes)
{
	struct stream *s = own_stream;

	if (UNLIKELY(!s)) {
		enter_first(block, guest);
		return;
	}
	const struct block *before = s->current;
	const uint64_t ip = block->ip, conditional = before->conditional;
	const uint64_t taken = ip == before->target, falls = (ip == before->next) & conditional;
	uint64_t outcomes = s->shared.outcomes << conditional | (taken & conditional);

	s->current = block;
	if (UNLIKELY(!(taken | falls))) {
		if (before->kind != BLOCK_RETURN || !returns_to(s, ip)) {
			enter_rarely(s, before, block, guest);
			return;
		}
		pop_return(s);
		outcomes = outcomes << 1 | 1;
	}
	s->shared.outcomes = outcomes;
	if (UNLIKELY(outcomes >> OUTCOMES_MAX))
		enter_full(s, block);
	else if (UNLIKELY(__atomic_load_n(&s->code_changed, __ATOMIC_RELAXED)))
		entered(s, block);
	else if (pushes)
		push_return(s, block->next);
}

void enter_block(const struct block *block, const struct guest *guest)
{
	enter(block, guest, false);
}

void enter_calling_block(const struct block *block, const struct guest *guest)
{
	enter(block, guest, true);
}

/*
 * With several threads an atomic instruction that its memory is not aligned for is left, and done
 * again alone: the block that has it was executed only up to it.
 */
void enter_single(const struct block *block, const struct guest *guest)
{
	struct stream *s = own_stream;

	if (s && s->current->count > 1 && block_find(s->current, block->ip) < s->current->count) {
		take_back_call(s, s->current);
		s->current = block;
		return;
	}
	enter(block, guest, false);
}
