/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tl_profile_finish(): totals, inclusive costs and, from contexts, lines and arcs. Recursion is
 * counted once: a function's inclusive cost is the sum over its outermost contexts, those that have
 * no other context of the function above them. The same holds for an arc: the cost while that call
 * is on the stack. For profiles without contexts see derive_sums.c.
 */
#include "profile/model/model.h"

#include <stdlib.h>
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
	void *made = tl_zeroed(count, size);

	memcpy(array, &made, sizeof(made));
	return made != NULL;
}

static bool make_room(struct tl_profile *profile)
{
	size_t functions = profile->functions.table.count, events = profile->event_count;

	if (profile->sums.given)
		return tl_profile_given_room(profile) &&
		       zeroed(&profile->contexts.inclusive, profile->contexts.table.count * events,
			      sizeof(int64_t));
	return zeroed(&profile->sums.self, functions * events, sizeof(int64_t)) &&
	       zeroed(&profile->sums.inclusive, functions * events, sizeof(int64_t)) &&
	       zeroed(&profile->sums.calls, functions, sizeof(uint64_t)) &&
	       zeroed(&profile->sums.unfinished, functions, sizeof(uint64_t)) &&
	       zeroed(&profile->sums.cut, functions, sizeof(uint64_t)) &&
	       zeroed(&profile->contexts.inclusive, profile->contexts.table.count * events,
		      sizeof(int64_t));
}

/* ---- from contexts ---- */

/* A parent's number is less than its children's: one pass from the end sums each subtree. */
static void sum_subtrees(struct tl_profile *profile)
{
	size_t count = profile->contexts.table.count;

	memcpy(profile->contexts.inclusive, profile->contexts.table.cost,
	       count * profile->event_count * sizeof(*profile->contexts.inclusive));
	for (size_t i = count; i-- > 0;)
		if (profile->contexts.list[i].parent != TL_NONE)
			add_row(profile,
				row(profile->contexts.inclusive, profile,
				    profile->contexts.list[i].parent),
				row(profile->contexts.inclusive, profile, i));
}

/*
 * What contexts are occurrences of: functions, those of one part, arcs. `of[i]` is which one
 * context i is (TL_NONE: none); `inclusive` is its row of costs for each.
 */
struct things {
	uint32_t *of;
	int64_t *inclusive;
	uint32_t *on_path; /* how often each is on the path from the root to here */
};
enum { FUNCTIONS, LOCALS, ARCS, KINDS };

/* The tree turned to be walked downwards without recursion. */
struct walk {
	uint32_t *first_child, *next;
	struct things things[KINDS];
	unsigned kinds; /* of things, that are walked for */
};

static void walk_free(struct walk *w)
{
	free(w->first_child);
	free(w->next);
	for (unsigned k = 0; k < KINDS; k++) {
		free(w->things[k].of);
		free(w->things[k].on_path);
	}
}

/* Slot 0 of first_child is the list of roots; context i has slot i + 1. */
static bool walk_prepare(struct walk *w, const struct tl_profile *profile)
{
	size_t count = profile->contexts.table.count;

	if (!zeroed(&w->first_child, count + 1, sizeof(uint32_t)) ||
	    !zeroed(&w->next, count, sizeof(uint32_t)))
		return false;
	memset(w->first_child, 0xff, (count + 1) * sizeof(uint32_t));
	for (size_t i = count; i-- > 0;) {
		uint32_t parent = profile->contexts.list[i].parent;
		uint32_t *list = &w->first_child[parent == TL_NONE ? 0 : parent + 1];

		w->next[i] = *list;
		*list = (uint32_t)i;
	}
	return true;
}

static inline void walk_enter(struct tl_profile *profile, struct walk *w, uint32_t context)
{
	for (unsigned k = 0; k < w->kinds; k++) {
		const struct things *t = &w->things[k];
		uint32_t thing = t->of[context];

		if (thing != TL_NONE && t->on_path[thing]++ == 0)
			add_row(profile, row(t->inclusive, profile, thing),
				row(profile->contexts.inclusive, profile, context));
	}
}

static inline void walk_leave(struct walk *w, uint32_t context)
{
	for (unsigned k = 0; k < w->kinds; k++) {
		const struct things *t = &w->things[k];

		if (t->of[context] != TL_NONE)
			t->on_path[t->of[context]]--;
	}
}

/*
 * Visit contexts depth first: the inclusive cost of a function, a function in a part, or an arc is
 * the sum over its outermost occurrences.
 */
static void walk_outermost(struct tl_profile *profile, struct walk *w)
{
	uint32_t at = w->first_child[0];

	while (at != TL_NONE) {
		walk_enter(profile, w, at);
		if (w->first_child[at + 1] != TL_NONE) {
			at = w->first_child[at + 1];
			continue;
		}
		for (;;) {
			walk_leave(w, at);
			if (w->next[at] != TL_NONE) {
				at = w->next[at];
				break;
			}
			at = profile->contexts.list[at].parent;
			if (at == TL_NONE)
				return;
		}
	}
}

/* Self cost and calls of each function. `functions` is filled per context. */
static void sum_functions(struct tl_profile *profile, uint32_t *functions)
{
	for (size_t i = 0; i < profile->contexts.table.count; i++) {
		const struct tl_context *c = &profile->contexts.list[i];
		const int64_t *self = row(profile->contexts.table.cost, profile, i);

		functions[i] = c->function;
		add_row(profile, row(profile->sums.self, profile, c->function), self);
		add_row(profile, profile->sums.total, self);
		add_calls(profile, &profile->sums.calls[c->function], c->calls);
		add_calls(profile, &profile->sums.unfinished[c->function], c->unfinished);
		add_calls(profile, &profile->sums.cut[c->function], c->cut);
	}
}

/* The same of each function in each part. `locals` is filled per context. */
static bool sum_locals(struct tl_profile *profile, uint32_t *locals)
{
	struct tl_profile_part_functions *sums = &profile->part_functions;

	for (size_t i = 0; i < profile->contexts.table.count; i++) {
		const struct tl_context *c = &profile->contexts.list[i];
		const uint32_t local = tl_profile_part_function(profile, c->function, c->part);

		if (local == TL_NONE)
			return false;
		locals[i] = local;
		add_row(profile, row(sums->table.cost, profile, local),
			row(profile->contexts.table.cost, profile, i));
		add_calls(profile, &sums->list[local].calls, c->calls);
		add_calls(profile, &sums->list[local].unfinished, c->unfinished);
		add_calls(profile, &sums->list[local].cut, c->cut);
	}
	return zeroed(&sums->inclusive, sums->table.count * profile->event_count, sizeof(int64_t));
}

static struct tl_position entry_of(const struct tl_profile *profile, uint32_t function)
{
	const struct tl_function *f = &profile->functions.list[function];

	return (struct tl_position){ .file = f->file, .line = f->line, .address = f->address };
}

/* A trace of calls knows no lines: the self cost of a function is put at its first line. */
static int lines_of_functions(struct tl_profile *profile, struct tl_error *err)
{
	for (uint32_t f = 0; f < profile->functions.table.count; f++) {
		struct tl_cost_line line = { .function = f,
					     .part = TL_NONE,
					     .at = entry_of(profile, f) };
		int status = tl_profile_put_line(profile, &line,
						 row(profile->sums.self, profile, f), err);

		if (status < 0)
			return status;
	}
	return 0;
}

/* The arc each context is a call along; `arcs[i]` is filled with its number, TL_NONE for a root. */
static int arcs_of_contexts(struct tl_profile *profile, uint32_t *arcs, struct tl_error *err)
{
	for (size_t i = 0; i < profile->contexts.table.count; i++) {
		const struct tl_context *c = &profile->contexts.list[i];
		struct tl_arc arc = { .callee = c->function, .part = TL_NONE, .calls = c->calls };
		int64_t number;

		arcs[i] = TL_NONE;
		if (c->parent == TL_NONE)
			continue;
		arc.caller = profile->contexts.list[c->parent].function;
		arc.from = entry_of(profile, arc.caller);
		arc.to = entry_of(profile, arc.callee);
		number = tl_profile_arc_number(profile, &arc, err);
		if (number < 0)
			return (int)number;
		arcs[i] = (uint32_t)number;
	}
	return 0;
}

static bool prepare_things(struct things *things, int64_t *inclusive, size_t count)
{
	things->inclusive = inclusive;
	return zeroed(&things->on_path, count, sizeof(uint32_t));
}

/* Sums by part; and lines and arcs, where the input has none of its own. */
static int derive_calls(struct tl_profile *profile, struct walk *w, struct tl_error *err)
{
	struct things *locals = &w->things[LOCALS], *arcs = &w->things[ARCS];
	int status = 0;

	if (w->kinds > LOCALS && !sum_locals(profile, locals->of))
		return tl_error_memory(err);
	if (w->kinds > ARCS)
		status = lines_of_functions(profile, err);
	if (status == 0 && w->kinds > ARCS)
		status = arcs_of_contexts(profile, arcs->of, err);
	if (status < 0)
		return status;
	/* Tables stay where they are from here on. */
	if ((w->kinds > LOCALS && !prepare_things(locals, profile->part_functions.inclusive,
						  profile->part_functions.table.count)) ||
	    (w->kinds > ARCS &&
	     !prepare_things(arcs, profile->arcs.table.cost, profile->arcs.table.count)))
		return tl_error_memory(err);
	return 0;
}

/* Which things are derived: those up to this one. */
static unsigned kinds_of(const struct tl_profile *profile)
{
	/* Functions that have durations by part have sums by part as well. */
	if (profile->sums.only)
		return profile->sums.by_part || profile->part_functions.table.count ? ARCS : LOCALS;
	/*
	 * The input has its own lines and arcs. Those of parts without contexts (fold/flat.h) are
	 * added to.
	 */
	if (!profile->sums.given && (profile->lines.table.count || profile->arcs.table.count))
		return ARCS;
	return KINDS;
}

static int derive_things(struct tl_profile *profile, struct walk *w, struct tl_error *err)
{
	struct things *functions = &w->things[FUNCTIONS];
	int status;

	w->kinds = kinds_of(profile);
	profile->sums.derived = w->kinds > ARCS && !profile->sums.given;
	for (unsigned k = 0; k < w->kinds; k++)
		if (!zeroed(&w->things[k].of, profile->contexts.table.count, sizeof(uint32_t)))
			return tl_error_memory(err);
	sum_functions(profile, functions->of);
	status = derive_calls(profile, w, err);
	if (status < 0)
		return status;
	if (!prepare_things(functions, profile->sums.inclusive, profile->functions.table.count) ||
	    !walk_prepare(w, profile))
		return tl_error_memory(err);
	walk_outermost(profile, w);
	return 0;
}

static int derive_from_contexts(struct tl_profile *profile, struct tl_error *err)
{
	struct walk w = { 0 };
	int status;

	sum_subtrees(profile);
	status = derive_things(profile, &w, err);
	walk_free(&w);
	return status;
}

/* Parts without contexts have their sums already (fold/flat.h); those of others are added. */
static void total_given(struct tl_profile *profile)
{
	for (size_t f = 0; profile->sums.given && f < profile->functions.table.count; f++)
		add_row(profile, profile->sums.total, row(profile->sums.self, profile, f));
}

/* What is packed has no sums of functions, but those of parts. */
static void add_packed(struct tl_profile *profile)
{
	const struct tl_pack *pack = profile->pack;

	for (size_t i = 0; i < pack->part_count; i++)
		for (uint32_t e = 0; e < pack->sums[i].count; e++)
			tl_add_cost(&profile->sums.total[e], pack->sums[i].costs[e],
				    &profile->losses.saturated);
}

static void settle_durations(struct tl_profile *profile)
{
	struct tl_latency_scratch scratch = { NULL, 0 };

	for (size_t i = 0; i < profile->durations.capacity; i++)
		tl_latency_settle_next(&profile->durations.list[i], &scratch);
	for (size_t i = 0; i < profile->part_functions.table.count; i++)
		tl_latency_settle_next(&profile->part_functions.list[i].latency, &scratch);
	free(scratch.list);
}

int tl_profile_finish(struct tl_profile *profile, struct tl_error *err)
{
	int status;

	if (profile->finished)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the profile is finished already");
	if (!make_room(profile))
		return tl_error_memory(err);
	total_given(profile);
	settle_durations(profile);
	if (profile->contexts.table.count)
		status = derive_from_contexts(profile, err);
	else
		status = tl_error_unless_made(tl_profile_derive_sums(profile), err);
	if (status == 0) {
		if (profile->pack)
			add_packed(profile);
		status = tl_profile_inherit(profile, 0, err);
	}
	profile->finished = status == 0;
	return status;
}
