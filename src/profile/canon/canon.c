/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/canon/canon.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/pool.h"
#include "profile/canon/sort.h"
#include "profile/model/groups.h"

/* ---- keys: what an element is sorted by, in the order of the fields of its row ---- */

void tl_pfile_function_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_function *f = &canon->profile->functions.list[number];

	row[0] = tl_pfile_text_rank(&canon->texts, f->object);
	row[1] = tl_pfile_text_rank(&canon->texts, f->file);
	row[2] = tl_pfile_text_rank(&canon->texts, f->name);
	row[3] = f->id;
	row[4] = f->line;
	row[5] = f->address;
}

void tl_pfile_part_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_part *p = &canon->profile->parts.list[number];

	row[0] = p->process;
	row[1] = p->number;
	row[2] = p->thread;
	row[3] = tl_pfile_text_rank(&canon->texts, p->command);
	row[4] = tl_pfile_text_rank(&canon->texts, p->header);
}

static void put_place(const struct tl_pfile_canon *canon, const struct tl_position *at,
		      uint64_t *row)
{
	row[0] = tl_pfile_text_rank(&canon->texts, at->file);
	row[1] = at->line;
	row[2] = at->address;
	row[3] = at->block;
}

void tl_pfile_line_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_cost_line *l = &canon->profile->lines.list[number];

	row[0] = tl_pfile_place(&canon->functions, l->function);
	row[1] = tl_pfile_place(&canon->parts, l->part);
	put_place(canon, &l->at, row + 2);
}

void tl_pfile_arc_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_arc *a = &canon->profile->arcs.list[number];

	row[0] = tl_pfile_place(&canon->functions, a->caller);
	row[1] = tl_pfile_place(&canon->functions, a->callee);
	row[2] = tl_pfile_place(&canon->parts, a->part);
	put_place(canon, &a->from, row + 3);
	put_place(canon, &a->to, row + 3 + TL_PFILE_PLACE_FIELDS);
}

void tl_pfile_jump_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_jump *j = &canon->profile->jumps.list[number];

	row[0] = tl_pfile_place(&canon->functions, j->function);
	row[1] = tl_pfile_place(&canon->functions, j->target);
	row[2] = tl_pfile_place(&canon->parts, j->part);
	put_place(canon, &j->from, row + 3);
	put_place(canon, &j->to, row + 3 + TL_PFILE_PLACE_FIELDS);
	row[3 + 2 * TL_PFILE_PLACE_FIELDS] = j->conditional;
}

/* ---- sorting ---- */

static bool begin_order(struct tl_pfile_order *order, size_t count)
{
	order->count = count;
	order->order = malloc((count + 1) * sizeof(*order->order));
	for (size_t i = 0; order->order && i < count; i++)
		order->order[i] = (uint32_t)i;
	return order->order;
}

/* The whole order, and places by number. */
static bool sort_all(const struct tl_pfile_canon *canon, struct tl_pfile_order *order, size_t count,
		     tl_pfile_key_fn *key, unsigned keys)
{
	struct tl_pfile_sorter s = { .canon = canon, .key = key, .keys = keys };
	bool ok;

	order->place = malloc((count + 1) * sizeof(*order->place));
	ok = begin_order(order, count) && order->place && tl_pfile_sort(&s, order->order, count);
	for (size_t i = 0; ok && i < count; i++)
		order->place[order->order[i]] = (uint32_t)i;
	tl_pfile_sorter_free(&s);
	return ok;
}

/* Elements of which there are many. */
struct element_kind {
	/* the function that an element belongs to, whose place is its first key */
	uint32_t (*owner)(const struct tl_profile *profile, size_t number);
	tl_pfile_key_fn *key;
	tl_pfile_fetch_fn *fetch;
	unsigned keys;
};

static uint32_t line_owner(const struct tl_profile *profile, size_t number)
{
	return profile->lines.list[number].function;
}

static uint32_t arc_owner(const struct tl_profile *profile, size_t number)
{
	return profile->arcs.list[number].caller;
}

static uint32_t jump_owner(const struct tl_profile *profile, size_t number)
{
	return profile->jumps.list[number].function;
}

struct owners {
	const struct tl_pfile_canon *canon;
	const struct element_kind *kind;
};

/* Calls from outside (TL_NONE) come last. */
static uint32_t owner_place(const void *context, uint32_t number)
{
	const struct owners *o = context;
	const uint32_t place =
		tl_pfile_place(&o->canon->functions, o->kind->owner(o->canon->profile, number));

	return (uint32_t)tl_min(place, o->canon->functions.count);
}

/* Functions' elements that are sorted, by several threads. */
struct function_sorting {
	const struct tl_pfile_canon *canon;
	const struct element_kind *kind;
	const struct tl_groups *by_owner;
	uint32_t groups;
};

/*
 * How many tasks the sorting of a kind is cut into, so that threads have about as much to do; and
 * from how many elements on threads are worth their start.
 */
enum { SORT_TASKS = 64, SORT_WORTH = 16384 };

/* The first group of a task: groups are shared out by their elements. */
static uint32_t first_group(const struct function_sorting *f, size_t task)
{
	uint64_t wanted = f->by_owner->start[f->groups] * (uint64_t)task / SORT_TASKS;
	uint32_t low = 0, high = f->groups;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f->by_owner->start[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int sort_groups(void *arg, size_t task)
{
	const struct function_sorting *f = arg;
	const uint32_t *start = f->by_owner->start;
	struct tl_pfile_sorter s = { .canon = f->canon,
				     .key = f->kind->key,
				     .fetch = f->kind->fetch,
				     .keys = f->kind->keys };
	uint32_t end = first_group(f, task + 1);
	bool ok = true;

	for (uint32_t i = first_group(f, task); ok && i < end; i++)
		ok = tl_pfile_sort(&s, f->by_owner->order + start[i], start[i + 1] - start[i]);
	tl_pfile_sorter_free(&s);
	return ok ? 0 : TL_NO_MEMORY;
}

/*
 * Many elements: first by their first key, the place of a function, which takes two passes, then
 * each function's by the rest.
 */
static bool sort_by_function(const struct tl_pfile_canon *canon, struct tl_pfile_order *order,
			     size_t count, const struct element_kind *kind)
{
	const struct owners owners = { canon, kind };
	struct tl_groups by_owner;
	struct function_sorting sorting = { canon, kind, &by_owner,
					    (uint32_t)canon->functions.count + 1 };
	bool ok = tl_groups_make(&by_owner, (uint32_t)count, sorting.groups, owner_place, &owners);

	order->count = count;
	order->order = by_owner.order;
	ok = ok && tl_pool_run(count < SORT_WORTH ? 1 : canon->jobs, SORT_TASKS, sort_groups,
			       &sorting) == 0;
	free(by_owner.start);
	return ok;
}

/* ---- contexts: generation by generation, siblings by part and function ---- */

static void sibling_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_context *c = &canon->profile->contexts.list[number];

	row[0] = tl_pfile_place(&canon->parts, c->part);
	row[1] = tl_pfile_place(&canon->functions, c->function);
}

/* Slot 0 of `start` has the roots, slot i + 1 the children of context i. */
static bool sort_generations(struct tl_pfile_canon *canon, const uint32_t *start,
			     uint32_t *siblings)
{
	struct tl_pfile_sorter s = { .canon = canon, .key = sibling_key, .keys = 2 };
	struct tl_pfile_order *to = &canon->contexts;
	size_t filled = 0;
	bool ok = true;

	for (size_t at = 0; ok && at <= filled; at++) {
		size_t slot = at ? (size_t)to->order[at - 1] + 1 : 0;

		ok = tl_pfile_sort(&s, siblings + start[slot], start[slot + 1] - start[slot]);
		for (uint32_t i = start[slot]; ok && i < start[slot + 1]; i++) {
			to->place[siblings[i]] = (uint32_t)filled;
			to->order[filled++] = siblings[i];
		}
	}
	tl_pfile_sorter_free(&s);
	return ok;
}

static bool sort_contexts(struct tl_pfile_canon *canon)
{
	const struct tl_context *list = canon->profile->contexts.list;
	size_t count = canon->profile->contexts.table.count;
	struct tl_pfile_order *to = &canon->contexts;
	uint32_t *start = calloc(count + 3, sizeof(*start));
	uint32_t *siblings = malloc((count + 1) * sizeof(*siblings));
	bool ok;

	to->count = count;
	to->order = malloc((count + 1) * sizeof(*to->order));
	to->place = malloc((count + 1) * sizeof(*to->place));
	ok = start && siblings && to->order && to->place;
	for (size_t i = 0; ok && i < count; i++)
		start[(size_t)(list[i].parent + 1u) + 2]++;
	for (size_t i = 2; ok && i <= count + 2; i++)
		start[i] += start[i - 1];
	/* Each slot's start moves to its end, which is the next slot's start. */
	for (size_t i = 0; ok && i < count; i++)
		siblings[start[(size_t)(list[i].parent + 1u) + 1]++] = (uint32_t)i;
	ok = ok && sort_generations(canon, start, siblings);
	free(start);
	free(siblings);
	return ok;
}

/* ---- texts ---- */

static bool add_place(struct tl_pfile_texts *texts, const struct tl_position *at)
{
	return tl_pfile_texts_add(texts, at->file);
}

bool tl_pfile_said_texts(struct tl_pfile_texts *texts, const struct tl_profile *profile)
{
	bool ok = tl_pfile_texts_add(texts, tl_profile_format(profile));

	for (uint32_t i = 0; ok && i < profile->event_count; i++)
		ok = tl_pfile_texts_add(texts, profile->events[i].name) &&
		     tl_pfile_texts_add(texts, profile->events[i].long_name) &&
		     tl_pfile_texts_add(texts, profile->events[i].unit) &&
		     tl_pfile_texts_add(texts, profile->events[i].formula);
	for (size_t i = 0; ok && i < profile->notes.count; i++)
		ok = tl_pfile_texts_add(texts, profile->notes.list[i].text) &&
		     tl_pfile_texts_add(texts, profile->notes.list[i].format);
	return ok;
}

static bool add_names(struct tl_pfile_texts *texts, const struct tl_profile *profile)
{
	bool ok = tl_pfile_said_texts(texts, profile);

	for (size_t i = 0; ok && i < profile->parts.count; i++)
		ok = tl_pfile_texts_add(texts, profile->parts.list[i].command) &&
		     tl_pfile_texts_add(texts, profile->parts.list[i].header);
	for (size_t i = 0; ok && i < profile->functions.table.count; i++)
		ok = tl_pfile_texts_add(texts, profile->functions.list[i].object) &&
		     tl_pfile_texts_add(texts, profile->functions.list[i].file) &&
		     tl_pfile_texts_add(texts, profile->functions.list[i].name);
	return ok;
}

static bool add_files(struct tl_pfile_texts *texts, const struct tl_profile *profile)
{
	bool ok = true;

	for (size_t i = 0; ok && i < profile->lines.table.count; i++)
		ok = add_place(texts, &profile->lines.list[i].at);
	for (size_t i = 0; ok && i < profile->arcs.table.count; i++)
		ok = add_place(texts, &profile->arcs.list[i].from) &&
		     add_place(texts, &profile->arcs.list[i].to);
	for (size_t i = 0; ok && i < profile->jumps.table.count; i++)
		ok = add_place(texts, &profile->jumps.list[i].from) &&
		     add_place(texts, &profile->jumps.list[i].to);
	return ok;
}

/* ---- the whole ---- */

bool tl_pfile_canon_make(struct tl_pfile_canon *canon, const struct tl_profile *profile,
			 unsigned jobs)
{
	static const struct element_kind lines = { line_owner, tl_pfile_line_key,
						   tl_pfile_fetch_line, TL_PFILE_LINE_KEYS };
	static const struct element_kind arcs = { arc_owner, tl_pfile_arc_key, tl_pfile_fetch_arc,
						  TL_PFILE_ARC_KEYS };
	static const struct element_kind jumps = { jump_owner, tl_pfile_jump_key, NULL,
						   TL_PFILE_JUMP_KEYS };

	canon->profile = profile;
	canon->jobs = jobs;
	return add_names(&canon->texts, profile) && add_files(&canon->texts, profile) &&
	       tl_pfile_texts_sort(&canon->texts) &&
	       sort_all(canon, &canon->functions, profile->functions.table.count,
			tl_pfile_function_key, TL_PFILE_FUNCTION_KEYS) &&
	       sort_all(canon, &canon->parts, profile->parts.count, tl_pfile_part_key,
			TL_PFILE_PART_KEYS) &&
	       sort_contexts(canon) &&
	       sort_by_function(canon, &canon->lines, profile->lines.table.count, &lines) &&
	       sort_by_function(canon, &canon->arcs, profile->arcs.table.count, &arcs) &&
	       sort_by_function(canon, &canon->jumps, profile->jumps.table.count, &jumps);
}

bool tl_pfile_order_is_plain(const struct tl_pfile_order *order)
{
	for (size_t i = 0; i < order->count; i++)
		if (order->order[i] != i)
			return false;
	return true;
}

void tl_pfile_canon_free(struct tl_pfile_canon *canon)
{
	struct tl_pfile_order *const orders[] = { &canon->functions, &canon->parts,
						  &canon->contexts,  &canon->lines,
						  &canon->arcs,      &canon->jumps };

	tl_pfile_texts_free(&canon->texts);
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		free(orders[i]->order);
		free(orders[i]->place);
	}
}
