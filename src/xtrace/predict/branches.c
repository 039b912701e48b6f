/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/predict/branches.h"

#include <math.h>
#include <stdlib.h>

/* ---- kinds ---- */

static const struct {
	const char *name;
	enum tl_a64_flow flow;
} kinds[TL_XTRACE_BRANCH_KINDS] = {
	[TL_XTRACE_BRANCH_CONDITIONAL] = { "conditional", TL_A64_CONDITIONAL },
	[TL_XTRACE_BRANCH_JUMP] = { "jump", TL_A64_JUMP },
	[TL_XTRACE_BRANCH_CALL] = { "call", TL_A64_CALL },
	[TL_XTRACE_BRANCH_JUMP_REGISTER] = { "jump-register", TL_A64_JUMP_REGISTER },
	[TL_XTRACE_BRANCH_CALL_REGISTER] = { "call-register", TL_A64_CALL_REGISTER },
	[TL_XTRACE_BRANCH_RETURN] = { "return", TL_A64_RETURN },
};

const char *tl_xtrace_branch_kind_name(enum tl_xtrace_branch_kind kind)
{
	return kinds[kind].name;
}

/* TL_XTRACE_BRANCH_KINDS: none of them. */
static enum tl_xtrace_branch_kind kind_of(const struct tl_a64 *insn)
{
	unsigned kind = 0;

	while (kind < TL_XTRACE_BRANCH_KINDS && kinds[kind].flow != insn->flow)
		kind++;
	return kind;
}

/* ---- a branch of the program ---- */

static struct tl_xtrace_branch_site *site_of(struct tl_xtrace_branches *b, uint64_t pc, unsigned el,
					     enum tl_xtrace_branch_kind kind)
{
	uint32_t before = b->ids.count, number;

	if (!tl_grow(&b->list, &b->room, (size_t)before + 1, sizeof(*b->list)))
		return NULL;
	number = tl_xtrace_address_id_add(&b->ids, (pc & ~UINT64_C(3)) | el);
	if (number == TL_NONE)
		return NULL;
	if (number == before)
		b->list[number] =
			(struct tl_xtrace_branch_site){ .address = pc, .el = el, .kind = kind };
	return &b->list[number];
}

static bool count_target(struct tl_xtrace_branch_targets *t, uint64_t target)
{
	uint32_t before = t->ids.count, number;

	if (!tl_grow(&t->counts, &t->count_room, (size_t)before + 1, sizeof(*t->counts)) ||
	    !tl_grow(&t->addresses, &t->address_room, (size_t)before + 1, sizeof(*t->addresses)))
		return false;
	number = tl_xtrace_address_id_add(&t->ids, target);
	if (number == TL_NONE)
		return false;
	if (number == before) {
		t->counts[number] = 0;
		t->addresses[number] = target;
	}
	t->counts[number]++;
	return true;
}

static double bits_of(uint64_t part, uint64_t whole)
{
	double share = (double)part / (double)whole;

	return part ? -share * log2(share) : 0;
}

double tl_xtrace_branch_entropy(const struct tl_xtrace_branch_site *site)
{
	uint64_t known = site->count.executions - site->count.unknown;
	double sum = 0;

	if (!known)
		return 0;
	if (site->kind == TL_XTRACE_BRANCH_CONDITIONAL)
		return bits_of(site->count.taken, known) +
		       bits_of(known - site->count.taken, known);
	for (uint32_t i = 0; i < site->targets.ids.count; i++)
		sum += bits_of(site->targets.counts[i], known);
	return sum;
}

/* ---- where it led ---- */

/* Whether that is known: `same`: `next` is the address of the next instruction of its level. */
static bool settle(struct tl_xtrace_branch_stream *s, bool same, uint64_t next,
		   struct tl_xtrace_branch *branch)
{
	bool direct = s->now.kind <= TL_XTRACE_BRANCH_CALL;
	uint64_t target = s->now.pc + (uint64_t)s->now.offset;

	*branch = (struct tl_xtrace_branch){
		.pc = s->now.pc,
		.target = direct              ? target
			  : s->now.has_target ? s->now.target
					      : next,
		.conditional = s->now.kind == TL_XTRACE_BRANCH_CONDITIONAL,
		.call = s->now.kind == TL_XTRACE_BRANCH_CALL ||
			s->now.kind == TL_XTRACE_BRANCH_CALL_REGISTER,
		.returns = s->now.kind == TL_XTRACE_BRANCH_RETURN,
		.taken = true,
	};
	if (!branch->conditional)
		return direct || s->now.has_target || same;
	branch->taken = next != s->now.pc + 4;
	return same && (!branch->taken || next == target);
}

static void add_count(struct tl_xtrace_branch_count *count, bool known, bool taken)
{
	count->executions++;
	count->taken += known && taken;
	count->unknown += !known;
}

static bool count_branch(struct tl_xtrace_branches *b, struct tl_xtrace_branch_stream *s,
			 const struct tl_xtrace_branch *branch, bool known,
			 struct tl_xtrace_predicted said)
{
	struct tl_xtrace_branch_site *site = site_of(b, s->now.pc, s->now.el, s->now.kind);

	if (!site)
		return false;
	add_count(&site->count, known, branch->taken);
	add_count(&s->kinds[s->now.kind], known, branch->taken);
	for (uint32_t i = 0; said.asked >> i; i++) {
		s->predicted[i].asked += said.asked >> i & 1;
		s->predicted[i].missed += said.missed >> i & 1;
		site->missed[i] += said.missed >> i & 1;
	}
	return !known || !branch->taken || count_target(&site->targets, branch->target);
}

static bool end_branch(struct tl_xtrace_branches *b, struct tl_xtrace_branch_stream *s, bool same,
		       uint64_t next)
{
	struct tl_xtrace_predicted said = { 0 };
	struct tl_xtrace_branch branch;
	bool known;

	if (!s->now.open)
		return true;
	s->now.open = false;
	known = settle(s, same, next, &branch);
	if (known)
		said = tl_xtrace_predict(&s->predictors, &branch);
	return !s->now.counted || count_branch(b, s, &branch, known, said);
}

/* ---- the way of a stream ---- */

bool tl_xtrace_branch_step(struct tl_xtrace_branches *b, struct tl_xtrace_branch_stream *s,
			   uint64_t pc, unsigned el, uint32_t opcode, bool counted)
{
	const struct tl_a64 *insn = tl_a64_look(b->instructions, opcode);
	enum tl_xtrace_branch_kind kind;

	if (!end_branch(b, s, el == s->now.el, pc))
		return false;
	kind = kind_of(insn);
	s->now.open = kind < TL_XTRACE_BRANCH_KINDS;
	s->now.counted = counted;
	s->now.has_target = false;
	s->now.kind = kind;
	s->now.pc = pc;
	s->now.offset = insn->offset;
	s->now.el = el;
	return true;
}

bool tl_xtrace_branch_gap(struct tl_xtrace_branches *b, struct tl_xtrace_branch_stream *s)
{
	return end_branch(b, s, false, 0);
}

/* ---- beginning and end ---- */

bool tl_xtrace_branches_begin(struct tl_xtrace_branches *b)
{
	b->instructions = malloc(sizeof(*b->instructions));
	if (b->instructions)
		tl_a64_cache_begin(b->instructions);
	return b->instructions;
}

void tl_xtrace_branches_free(struct tl_xtrace_branches *b)
{
	for (uint32_t i = 0; i < b->ids.count; i++) {
		tl_xtrace_address_ids_free(&b->list[i].targets.ids);
		free(b->list[i].targets.counts);
		free(b->list[i].targets.addresses);
	}
	tl_xtrace_address_ids_free(&b->ids);
	free(b->list);
	free(b->instructions);
	*b = (struct tl_xtrace_branches){ .room = 0 };
}
