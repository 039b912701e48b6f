/* SPDX-License-Identifier: Apache-2.0 */
/* In canonical order, elements that a merge makes one of are neighbours. */
#include "profile/canon/distinct.h"

#include <string.h>

typedef bool same_fn(const struct tl_profile *profile, uint32_t a, uint32_t b);

static bool same_text(const char *a, const char *b)
{
	return a == b || !strcmp(a, b);
}

static bool same_place(const struct tl_position *a, const struct tl_position *b)
{
	return a->line == b->line && a->address == b->address && a->block == b->block &&
	       same_text(a->file, b->file);
}

/* By names alone: number, line and address are the least ones of all that are one. */
static bool same_function(const struct tl_profile *profile, uint32_t a, uint32_t b)
{
	const struct tl_function *x = &profile->functions.list[a], *y = &profile->functions.list[b];

	return same_text(x->name, y->name) && same_text(x->file, y->file) &&
	       same_text(x->object, y->object);
}

static bool same_part(const struct tl_profile *profile, uint32_t a, uint32_t b)
{
	const struct tl_part *x = &profile->parts.list[a], *y = &profile->parts.list[b];

	return x->process == y->process && x->number == y->number && x->thread == y->thread &&
	       same_text(x->command, y->command) && same_text(x->header, y->header);
}

static bool same_context(const struct tl_profile *profile, uint32_t a, uint32_t b)
{
	const struct tl_context *x = &profile->contexts.list[a], *y = &profile->contexts.list[b];

	return x->parent == y->parent && x->function == y->function && x->part == y->part;
}

static bool same_line(const struct tl_profile *profile, uint32_t a, uint32_t b)
{
	const struct tl_cost_line *x = &profile->lines.list[a], *y = &profile->lines.list[b];

	return x->function == y->function && x->part == y->part && same_place(&x->at, &y->at);
}

static bool same_arc(const struct tl_profile *profile, uint32_t a, uint32_t b)
{
	const struct tl_arc *x = &profile->arcs.list[a], *y = &profile->arcs.list[b];

	return x->caller == y->caller && x->callee == y->callee && x->part == y->part &&
	       same_place(&x->from, &y->from) && same_place(&x->to, &y->to);
}

static bool same_jump(const struct tl_profile *profile, uint32_t a, uint32_t b)
{
	const struct tl_jump *x = &profile->jumps.list[a], *y = &profile->jumps.list[b];

	return x->function == y->function && x->target == y->target && x->part == y->part &&
	       x->conditional == y->conditional && same_place(&x->from, &y->from) &&
	       same_place(&x->to, &y->to);
}

bool tl_pfile_is_distinct(const struct tl_pfile_canon *canon)
{
	const struct {
		const struct tl_pfile_order *order;
		same_fn *same;
	} kinds[] = {
		{ &canon->functions, same_function }, { &canon->parts, same_part },
		{ &canon->contexts, same_context },   { &canon->lines, same_line },
		{ &canon->arcs, same_arc },           { &canon->jumps, same_jump },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const uint32_t *order = kinds[k].order->order;

		for (size_t i = 1; i < kinds[k].order->count; i++)
			if (kinds[k].same(canon->profile, order[i - 1], order[i]))
				return false;
	}
	return true;
}
