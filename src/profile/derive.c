/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from the facts of a profile: totals, inclusive costs, and, where there are contexts, lines and arcs.
 *
 * Recursion is counted once. A function's inclusive cost is the cost while it is on the stack at all: the sum over its
 * contexts that have no other context of the function above them. The same holds for an arc: the cost while that call
 * is on the stack. A profile of sums has no contexts: see derive_sums.c.
 */
#include "profile/model.h"

#include <string.h>

#include "core/error.h"

static int64_t *row(int64_t *costs, const struct tl_profile *profile, size_t number)
{
	return costs + number * profile->event_count;
}

static void add_row(struct tl_profile *profile, int64_t *to, const int64_t *from)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		tl_add_cost(&to[e], from[e], &profile->losses.saturated);
}

static void add_calls(struct tl_profile *profile, uint64_t *to, uint64_t calls)
{
	tl_add_count(to, calls, &profile->losses.saturated);
}

static bool zeroed(void *array, size_t count, size_t size)
{
	/* One more than needed: an empty table is not a failed allocation. */
	void *made = calloc(count + 1, size);

	memcpy(array, &made, sizeof(made));
	return made != NULL;
}

static bool make_room(struct tl_profile *profile)
{
	size_t functions = profile->function_table.count, events = profile->event_count;

	return zeroed(&profile->function_self, functions * events, sizeof(int64_t)) &&
	       zeroed(&profile->function_inclusive, functions * events, sizeof(int64_t)) &&
	       zeroed(&profile->function_calls, functions, sizeof(uint64_t)) &&
	       zeroed(&profile->function_unfinished, functions, sizeof(uint64_t)) &&
	       zeroed(&profile->context_inclusive, profile->context_table.count * events, sizeof(int64_t));
}

/* ---- from contexts ---- */

/* A parent's number is less than its children's: one pass from the end sums each subtree. */
static void sum_subtrees(struct tl_profile *profile)
{
	size_t count = profile->context_table.count;

	if (!count)
		return;
	memcpy(profile->context_inclusive, profile->context_table.cost,
	       count * profile->event_count * sizeof(*profile->context_inclusive));
	for (size_t i = count; i-- > 0;)
		if (profile->contexts[i].parent != TL_NONE)
			add_row(profile, row(profile->context_inclusive, profile, profile->contexts[i].parent),
				row(profile->context_inclusive, profile, i));
}

/* The tree turned to be walked downwards without recursion. */
struct walk {
	uint32_t *first_child, *next;
	uint32_t *on_path; /* how often a thing is on the path from the root to here */
};

static void walk_free(struct walk *w)
{
	free(w->first_child);
	free(w->next);
	free(w->on_path);
}

/* Slot 0 of first_child is the list of roots; context i has slot i + 1. */
static bool walk_prepare(struct walk *w, const struct tl_profile *profile, size_t things)
{
	size_t count = profile->context_table.count;

	*w = (struct walk){ 0 };
	if (!zeroed(&w->first_child, count + 1, sizeof(uint32_t)) || !zeroed(&w->next, count, sizeof(uint32_t)) ||
	    !zeroed(&w->on_path, things, sizeof(uint32_t)))
		return false;
	memset(w->first_child, 0xff, (count + 1) * sizeof(uint32_t));
	for (size_t i = count; i-- > 0;) {
		uint32_t parent = profile->contexts[i].parent;
		uint32_t *list = &w->first_child[parent == TL_NONE ? 0 : parent + 1];

		w->next[i] = *list;
		*list = (uint32_t)i;
	}
	return true;
}

/* Visit contexts depth first; `things[i]` is what context i is an occurrence of (TL_NONE: of nothing). */
static void walk_outermost(struct tl_profile *profile, struct walk *w, const uint32_t *things,
			   void (*outermost)(struct tl_profile *profile, uint32_t context, uint32_t thing))
{
	uint32_t at = w->first_child[0];

	while (at != TL_NONE) {
		if (things[at] != TL_NONE && w->on_path[things[at]]++ == 0)
			outermost(profile, at, things[at]);
		if (w->first_child[at + 1] != TL_NONE) {
			at = w->first_child[at + 1];
			continue;
		}
		for (;;) {
			if (things[at] != TL_NONE)
				w->on_path[things[at]]--;
			if (w->next[at] != TL_NONE) {
				at = w->next[at];
				break;
			}
			at = profile->contexts[at].parent;
			if (at == TL_NONE)
				return;
		}
	}
}

static void function_outermost(struct tl_profile *profile, uint32_t context, uint32_t function)
{
	add_row(profile, row(profile->function_inclusive, profile, function),
		row(profile->context_inclusive, profile, context));
}

static void local_outermost(struct tl_profile *profile, uint32_t context, uint32_t local)
{
	add_row(profile, row(profile->local_inclusive, profile, local),
		row(profile->context_inclusive, profile, context));
}

static void arc_outermost(struct tl_profile *profile, uint32_t context, uint32_t arc)
{
	add_row(profile, row(profile->arc_table.cost, profile, arc),
		row(profile->context_inclusive, profile, context));
}

static bool inclusive_of(struct tl_profile *profile, const uint32_t *things, size_t thing_count,
			 void (*outermost)(struct tl_profile *profile, uint32_t context, uint32_t thing))
{
	struct walk w;
	bool ok = walk_prepare(&w, profile, thing_count);

	if (ok)
		walk_outermost(profile, &w, things, outermost);
	walk_free(&w);
	return ok;
}

/* Self cost and calls of each function, and of each function in each part. `locals` is filled per context. */
static bool sum_functions(struct tl_profile *profile, uint32_t *functions, uint32_t *locals)
{
	for (size_t i = 0; i < profile->context_table.count; i++) {
		const struct tl_context *c = &profile->contexts[i];
		const int64_t *self = row(profile->context_table.cost, profile, i);

		functions[i] = c->function;
		locals[i] = tl_profile_local(profile, c->function, c->part);
		if (locals[i] == TL_NONE)
			return false;
		add_row(profile, row(profile->function_self, profile, c->function), self);
		add_row(profile, row(profile->local_table.cost, profile, locals[i]), self);
		add_row(profile, profile->total, self);
		add_calls(profile, &profile->function_calls[c->function], c->calls);
		add_calls(profile, &profile->function_unfinished[c->function], c->unfinished);
		add_calls(profile, &profile->locals[locals[i]].calls, c->calls);
		add_calls(profile, &profile->locals[locals[i]].unfinished, c->unfinished);
	}
	return zeroed(&profile->local_inclusive, profile->local_table.count * profile->event_count, sizeof(int64_t));
}

static struct tl_position entry_of(const struct tl_profile *profile, uint32_t function)
{
	const struct tl_function *f = &profile->functions[function];

	return (struct tl_position){ .file = f->file, .line = f->line, .address = f->address };
}

/* Each function's self cost stands at its first line: a trace of calls knows no more. */
static int lines_of_functions(struct tl_profile *profile, struct tl_error *err)
{
	for (uint32_t f = 0; f < profile->function_table.count; f++) {
		struct tl_cost_line line = { .function = f, .part = TL_NONE, .at = entry_of(profile, f) };
		int status = tl_profile_add_line(profile, &line, row(profile->function_self, profile, f), err);

		if (status < 0)
			return status;
	}
	return 0;
}

/* The arc each context is a call along; `arcs[i]` is filled with its number. */
static int arcs_of_contexts(struct tl_profile *profile, uint32_t *arcs, struct tl_error *err)
{
	for (size_t i = 0; i < profile->context_table.count; i++) {
		const struct tl_context *c = &profile->contexts[i];
		struct tl_arc arc = { .callee = c->function, .part = TL_NONE, .calls = c->calls };
		int64_t number;

		arcs[i] = TL_NONE;
		if (c->parent == TL_NONE)
			continue;
		arc.caller = profile->contexts[c->parent].function;
		arc.from = entry_of(profile, arc.caller);
		arc.to = entry_of(profile, arc.callee);
		number = tl_profile_arc_number(profile, &arc, err);
		if (number < 0)
			return (int)number;
		arcs[i] = (uint32_t)number;
	}
	return 0;
}

static int derive_from_contexts(struct tl_profile *profile, uint32_t *things, uint32_t *locals, struct tl_error *err)
{
	int status;

	if (!sum_functions(profile, things, locals) ||
	    !inclusive_of(profile, things, profile->function_table.count, function_outermost) ||
	    !inclusive_of(profile, locals, profile->local_table.count, local_outermost))
		return tl_error_memory(err);
	if (profile->line_table.count || profile->arc_table.count)
		return 0; /* the input had its own */
	status = lines_of_functions(profile, err);
	if (status == 0)
		status = arcs_of_contexts(profile, things, err);
	if (status == 0 && !inclusive_of(profile, things, profile->arc_table.count, arc_outermost))
		status = tl_error_memory(err);
	return status;
}

int tl_profile_finish(struct tl_profile *profile, struct tl_error *err)
{
	size_t contexts = profile->context_table.count;
	uint32_t *things = NULL, *locals = NULL;
	int status = 0;

	if (profile->finished)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the profile is finished already");
	if (!make_room(profile))
		return tl_error_memory(err);
	for (size_t i = 0; i < profile->latency_capacity; i++)
		tl_latency_settle(&profile->latency[i]);
	for (size_t i = 0; i < profile->local_table.count; i++)
		tl_latency_settle(&profile->locals[i].latency);
	if (!contexts) {
		status = tl_profile_derive_sums(profile) ? 0 : tl_error_memory(err);
	} else {
		sum_subtrees(profile);
		if (!zeroed(&things, contexts, sizeof(*things)) || !zeroed(&locals, contexts, sizeof(*locals)))
			status = tl_error_memory(err);
		else
			status = derive_from_contexts(profile, things, locals, err);
		free(things);
		free(locals);
	}
	if (status == 0)
		status = tl_profile_inherit(profile, err);
	profile->finished = status == 0;
	return status;
}
