/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the two records of a frame that have the lower 128 bits of vectors came back: where a
 * handler changed one of them, or both to different values, what the program does behind it shows
 * the register, or the next snapshot does, if nothing writes it before.
 */
#include "core/arithmetic.h"
#include "isa/a64/a64_access.h"
#include "xtrace/elf/collect/collector.h"
#include "xtrace/elf/collect/steps.h"
#include "xtrace/state/vector_registers.h"

/* So many handlers are tried, and so many instructions behind each. */
enum { MOST_TRIED = 256, MOST_STEPS = 1 << 21 };

struct rule_walk {
	struct tl_xtrace_collector *c;
	const struct tl_xtrace_replay_signal *signal;
	enum tl_xtrace_vector_rule rule;
	uint32_t left; /* registers that nothing has written */
	uint32_t steps;
	size_t segment;
};

static struct tl_xtrace_replay_change *change_at(const struct rule_walk *r, size_t place,
						 enum tl_xtrace_vector_rule rule)
{
	struct tl_xtrace_replay_change *changes =
		r->c->replay->changes.list + r->signal->first_change;

	for (size_t i = 0; i < r->signal->change_count; i++)
		if (changes[i].kind == TL_XTRACE_CHANGE_VECTORS && changes[i].rule == rule &&
		    changes[i].place == place)
			return &changes[i];
	return NULL;
}

/* Whether bytes that a rule would have changed are as it has them. */
static bool agrees(const struct tl_xtrace_replay_change *change, const uint8_t *bytes)
{
	for (unsigned i = 0; i < 8; i++)
		if (change->bytes >> i & 1 && bytes[i] != (uint8_t)(change->value >> 8 * i))
			return false;
	return true;
}

/*
 * A word of a register. What a rule has not is not the trace's; what it has comes back, but it may
 * have been there before, where the other record is not known.
 */
static void show_word(struct rule_walk *r, size_t place, const uint8_t *bytes)
{
	struct tl_xtrace_replay_change *low = change_at(r, place, TL_XTRACE_SHORT_RULE),
				       *high = change_at(r, place, TL_XTRACE_LONG_RULE);

	if (low && !agrees(low, bytes))
		r->rule = TL_XTRACE_LONG_RULE;
	else if (high && !agrees(high, bytes))
		r->rule = TL_XTRACE_SHORT_RULE;
	else if (low && !high)
		low->rule = TL_XTRACE_ANY_RULE;
	else if (high && !low)
		high->rule = TL_XTRACE_ANY_RULE;
}

/* A register has these bytes, from byte `at` on, of which the first 16 are of interest. */
static void show(struct rule_walk *r, unsigned number, size_t at, const uint8_t *bytes, size_t size)
{
	size_t place = (size_t)number * r->c->part->begin.vector_bytes;

	if (!(r->left >> number & 1))
		return;
	for (size_t word = (at + 7) / 8 * 8; word < 16 && word + 8 <= at + size; word += 8)
		show_word(r, place + word, bytes + word - at);
	if (at + size >= 16)
		r->left &= ~(UINT32_C(1) << number);
}

static void show_snapshot(struct rule_walk *r, size_t segment)
{
	const struct tl_xtrace_slice_part *part = r->c->part;
	uint32_t number = part->trace->streams[part->stream].segments[segment].snapshot;
	struct tl_xtrace_snapshot snapshot;

	if (number == TL_NONE)
		return;
	tl_xtrace_read_snapshot(part->trace, part->stream, number, &snapshot);
	for (unsigned i = 0; i < 32; i++)
		show(r, i, 0, snapshot.z + (size_t)i * snapshot.z_stride, 16);
}

static void show_store(struct rule_walk *r, const struct tl_xtrace_step *step)
{
	struct tl_a64_access access = tl_a64_access_of(&step->insn);
	bool scalable = tl_a64_is_z_store(step->insn.opcode);
	size_t of_one = scalable           ? r->c->part->begin.vector_bytes
			: access.registers ? access.bytes / access.registers
					   : 0,
	       at = 0;
	struct tl_xtrace_walk w = step->tokens;
	enum tl_xtrace_kind kind;

	while ((scalable || access.vector) && (kind = tl_xtrace_step_token(&w)) != TL_XTRACE_NONE) {
		size_t size = tl_xtrace_access_size(*w.token);
		unsigned first = scalable ? step->insn.opcode & 31 : access.rt;

		if (kind != TL_XTRACE_STORE)
			continue;
		if (at < of_one)
			show(r, first, at, w.token + 9, tl_min(size, of_one - at));
		at += size;
	}
}

/* "SVE Memory", stores of all kinds. */
static bool is_scalable_store(uint32_t opcode)
{
	return opcode >> 25 == 0x72;
}

static bool follow(void *arg, const struct tl_xtrace_step *step)
{
	struct rule_walk *r = arg;

	if (step->offset <= r->c->now.offset)
		return true;
	if (step->segment != r->segment)
		show_snapshot(r, step->segment);
	r->segment = step->segment;
	show_store(r, step);
	if (step->insn.special != TL_A64_SVC && !is_scalable_store(step->insn.opcode))
		r->left &= ~tl_xtrace_vector_writes(step->insn.opcode);
	return r->rule == TL_XTRACE_ANY_RULE && r->left && ++r->steps < MOST_STEPS &&
	       !tl_xtrace_step_breaks(step);
}

void tl_xtrace_collect_vector_rule(struct tl_xtrace_collector *c)
{
	struct tl_xtrace_replay *replay = c->replay;
	const struct tl_xtrace_replay_signal *signal = &replay->signals[replay->signal_count - 1];
	const struct tl_xtrace_segment *segments =
		c->part->trace->streams[c->part->stream].segments;
	struct rule_walk r = { .c = c, .signal = signal, .segment = c->segment };

	for (size_t i = 0; i < signal->change_count; i++) {
		const struct tl_xtrace_replay_change *change =
			&replay->changes.list[signal->first_change + i];

		if (change->rule != TL_XTRACE_ANY_RULE)
			r.left |= UINT32_C(1) << change->place / c->part->begin.vector_bytes;
	}
	if (!r.left || replay->changes.rule != TL_XTRACE_ANY_RULE ||
	    replay->changes.tries++ >= MOST_TRIED)
		return;
	while (r.segment && segments[r.segment].begin > c->now.offset)
		r.segment--;
	tl_xtrace_each_step(c->part->trace, c->part->stream, r.segment, UINT64_MAX, follow, &r);
	replay->changes.rule = r.rule;
}
