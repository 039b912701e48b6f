/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/nest.h"

#include <stdlib.h>

#include "core/memory.h"
#include "xtrace/elf/collect/collector.h"

/* Its base is one of these registers. */
static bool is_based_on(const struct tl_a64 *insn, uint64_t registers)
{
	struct tl_a64_access access = tl_a64_access_of(insn);

	return access.base == TL_A64_BASE_OFFSET && registers >> access.rn & 1;
}

bool tl_xtrace_nest_step(struct tl_xtrace_nest *n, const struct tl_xtrace_step *step,
			 uint64_t known)
{
	bool elsewhere = n->depth && step->accessed && is_based_on(&step->insn, known);
	struct tl_xtrace_walk w = step->tokens;
	uint64_t first = 0;
	bool any = false;
	enum tl_xtrace_kind kind;

	while ((kind = tl_xtrace_step_token(&w)) != TL_XTRACE_NONE) {
		if (kind != TL_XTRACE_LOAD && kind != TL_XTRACE_STORE)
			continue;
		first = any ? first : tl_xtrace_walk_value(&w);
		any = true;
		if (kind == TL_XTRACE_LOAD || !n->depth)
			continue;
		if (!tl_grow(&n->stores, &n->capacity, n->count + 1, sizeof(*n->stores)))
			return false;
		n->stores[n->count++] = (struct tl_xtrace_nest_store){
			tl_xtrace_walk_value(&w),
			tl_xtrace_access_size(*w.token),
			w.token + 9,
			elsewhere,
		};
	}
	/* A system call leaves it, and rt_sigreturn finds its frame there. */
	if (step->insn.flow != TL_A64_EXCEPTION_CALL)
		tl_xtrace_sp_follow(&n->sp, step->insn.opcode, any, first);
	return true;
}

bool tl_xtrace_nest_begin(struct tl_xtrace_nest *n, const struct tl_xtrace_step *step)
{
	if (n->depth == TL_XTRACE_MOST_NESTED)
		return false;
	n->interrupted[n->depth] = *step;
	n->outer[n->depth] = n->sp;
	n->begins[n->depth++] = n->count;
	n->sp.known = false;
	return true;
}

/* Whether what was interrupted goes on there. */
static bool goes_on(const struct tl_xtrace_step *step, const struct tl_xtrace_signal_frame *changed,
		    uint64_t pc)
{
	if (tl_xtrace_frame_moves(changed))
		return tl_xtrace_frame_word(changed, TL_XTRACE_FRAME_PC) == pc;
	return pc == step->pc || pc == step->pc + 4 || tl_xtrace_step_branches_to(step, pc);
}

bool tl_xtrace_nest_end(struct tl_xtrace_nest *n, const struct tl_xtrace_step *step)
{
	const uint64_t frame = n->sp.sp;
	bool found = n->sp.known, known = true;

	tl_xtrace_frame_begin(&n->changed, n->vector_bytes);
	n->sp.known = false;
	if (!n->depth)
		return false;
	n->sp = n->outer[--n->depth];
	for (size_t i = n->begins[n->depth]; i < n->count; i++) {
		const struct tl_xtrace_nest_store *store = &n->stores[i];
		const struct tl_xtrace_seen_access seen = { store->address, store->data,
							    (size_t)store->size, true };

		known = known && (found || store->elsewhere) &&
			(!found || tl_xtrace_frame_access(&n->changed, frame, &seen));
	}
	n->count = n->begins[n->depth];
	if (goes_on(&n->interrupted[n->depth], &n->changed, step->next))
		return known;
	n->depth++;
	n->sp.known = false;
	return false;
}

int tl_xtrace_nest_executed(const struct tl_xtrace_step *step,
			    const struct tl_xtrace_signal_frame *changed, uint64_t pc)
{
	bool faulted = (step->insn.access && !step->accessed &&
			!(step->insn.access & TL_A64_PREDICATED)) ||
		       step->insn.flow == TL_A64_TRAP;

	if (tl_xtrace_frame_moves(changed))
		return faulted ? 0 : -1;
	if (pc == step->pc + 4 || tl_xtrace_step_branches_to(step, pc))
		return 1;
	return pc == step->pc ? 0 : -1;
}

void tl_xtrace_nest_free(struct tl_xtrace_nest *n)
{
	free(n->stores);
	tl_xtrace_frame_free(&n->changed);
}
