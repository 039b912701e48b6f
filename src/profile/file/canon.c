/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/canon.h"

#include <string.h>

#include "core/arithmetic.h"
#include "profile/file/layout.h"
#include "profile/model/groups.h"

/* ---- keys: what an element is sorted by, in the order of the fields of its row ---- */

void tl_pfile_function_key(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_function *f = &canon->profile->functions.list[number];

	row[0] = tl_pfile_text_rank(&canon->texts, f->object);
	row[1] = tl_pfile_text_rank(&canon->texts, f->file);
	row[2] = tl_pfile_text_rank(&canon->texts, f->name);
	row[3] = f->id;
	row[4] = f->line;
	row[5] = f->address;
}

void tl_pfile_part_key(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_part *p = &canon->profile->parts.list[number];

	row[0] = p->process;
	row[1] = p->number;
	row[2] = p->thread;
	row[3] = tl_pfile_text_rank(&canon->texts, p->command);
	row[4] = tl_pfile_text_rank(&canon->texts, p->header);
}

static void put_place(struct tl_pfile_canon *canon, const struct tl_position *at, uint64_t *row)
{
	row[0] = tl_pfile_text_rank(&canon->texts, at->file);
	row[1] = at->line;
	row[2] = at->address;
	row[3] = at->block;
}

void tl_pfile_line_key(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_cost_line *l = &canon->profile->lines.list[number];

	row[0] = tl_pfile_place(&canon->functions, l->function);
	row[1] = tl_pfile_place(&canon->parts, l->part);
	put_place(canon, &l->at, row + 2);
}

void tl_pfile_arc_key(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_arc *a = &canon->profile->arcs.list[number];

	row[0] = tl_pfile_place(&canon->functions, a->caller);
	row[1] = tl_pfile_place(&canon->functions, a->callee);
	row[2] = tl_pfile_place(&canon->parts, a->part);
	put_place(canon, &a->from, row + 3);
	put_place(canon, &a->to, row + 3 + TL_PFILE_PLACE_FIELDS);
}

void tl_pfile_jump_key(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
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

typedef void key_fn(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);

struct sorting {
	struct tl_pfile_canon *canon;
	key_fn *key;
	tl_pfile_fetch_fn *fetch; /* NULL: none is needed */
	unsigned keys;
	uint64_t *rows; /* keys of the elements of a run, by their place in it */
	size_t capacity;
	unsigned same; /* how many of the first keys all elements of the run have in common */
};

static int compare_rows(const uint64_t *left, const uint64_t *right, unsigned keys)
{
	for (unsigned i = 0; i < keys; i++)
		if (left[i] != right[i])
			return tl_compare(left[i], right[i]);
	return 0;
}

/* Elements with equal keys stay in the order that they came in. */
static int compare(const void *a, const void *b, void *context)
{
	const struct sorting *s = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order =
		compare_rows(s->rows + (size_t)x * s->keys, s->rows + (size_t)y * s->keys, s->keys);

	return order ? order : tl_compare(x, y);
}

/* How many elements of a run are in order, from its first one on. */
static size_t count_sorted(const struct sorting *s, const uint32_t *run, size_t count)
{
	uint64_t rows[2][TL_PFILE_MOST_KEYS];

	if (!count)
		return 0;
	s->key(s->canon, run[0], rows[0]);
	for (size_t i = 1; i < count; i++) {
		s->key(s->canon, run[i], rows[i % 2]);
		if (compare_rows(rows[(i - 1) % 2], rows[i % 2], s->keys) > 0)
			return i;
	}
	return count;
}

/* The keys of a run's elements, and numbers in place of them. */
static void make_rows(struct sorting *s, uint32_t *run, uint32_t *numbers, size_t count)
{
	s->same = s->keys;
	for (size_t i = 0; i < count; i++) {
		uint64_t *row = s->rows + i * s->keys;

		if (s->fetch && i + TL_PFILE_AHEAD < count)
			s->fetch(s->canon->profile, run[i + TL_PFILE_AHEAD]);
		s->key(s->canon, run[i], row);
		while (s->same && compare_rows(s->rows, row, s->same) != 0)
			s->same--;
		numbers[i] = run[i];
		run[i] = (uint32_t)i;
	}
}

/*
 * Sort a run, which has ascending numbers: mostly it comes sorted. Else the key of each element is
 * made once, since it is compared many times; `run` then has places in it, until it is sorted.
 */
static bool sort_run(struct sorting *s, uint32_t *run, size_t count)
{
	uint32_t *numbers;

	if (count_sorted(s, run, count) == count)
		return true;
	numbers = malloc(count * sizeof(*numbers));
	if (!numbers || !tl_grow(&s->rows, &s->capacity, count * s->keys, sizeof(*s->rows))) {
		free(numbers);
		return false;
	}
	make_rows(s, run, numbers, count);
	qsort_r(run, count, sizeof(*run), compare, s);
	for (size_t i = 0; i < count; i++)
		run[i] = numbers[run[i]];
	free(numbers);
	return true;
}

static bool begin_order(struct tl_pfile_order *order, size_t count)
{
	order->count = count;
	order->order = malloc((count + 1) * sizeof(*order->order));
	for (size_t i = 0; order->order && i < count; i++)
		order->order[i] = (uint32_t)i;
	return order->order;
}

/* The whole order, and places by number. */
static bool sort_all(struct tl_pfile_canon *canon, struct tl_pfile_order *order, size_t count,
		     key_fn *key, unsigned section)
{
	struct sorting s = { .canon = canon, .key = key, .keys = tl_pfile_layouts[section].keys };
	bool ok;

	order->place = malloc((count + 1) * sizeof(*order->place));
	ok = begin_order(order, count) && order->place && sort_run(&s, order->order, count);
	for (size_t i = 0; ok && i < count; i++)
		order->place[order->order[i]] = (uint32_t)i;
	free(s.rows);
	return ok;
}

/* Elements of which there are many. */
struct element_kind {
	/* the function that an element belongs to, whose place is its first key */
	uint32_t (*owner)(const struct tl_profile *profile, size_t number);
	key_fn *key;
	tl_pfile_fetch_fn *fetch;
	unsigned section;
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

/*
 * Many elements: first by their first key, the place of a function, which takes two passes, then
 * each function's by the rest.
 */
static bool sort_by_function(struct tl_pfile_canon *canon, struct tl_pfile_order *order,
			     size_t count, const struct element_kind *kind)
{
	struct sorting s = { .canon = canon,
			     .key = kind->key,
			     .fetch = kind->fetch,
			     .keys = tl_pfile_layouts[kind->section].keys };
	const struct owners owners = { canon, kind };
	const uint32_t groups = (uint32_t)canon->functions.count + 1;
	struct tl_groups by_owner;
	bool ok = tl_groups_make(&by_owner, (uint32_t)count, groups, owner_place, &owners);

	order->count = count;
	order->order = by_owner.order;
	for (uint32_t i = 0; ok && i < groups; i++)
		ok = sort_run(&s, order->order + by_owner.start[i],
			      by_owner.start[i + 1] - by_owner.start[i]);
	free(by_owner.start);
	free(s.rows);
	return ok;
}

/* ---- contexts: generation by generation, siblings by part and function ---- */

static void sibling_key(struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	const struct tl_context *c = &canon->profile->contexts.list[number];

	row[0] = tl_pfile_place(&canon->parts, c->part);
	row[1] = tl_pfile_place(&canon->functions, c->function);
}

/* Slot 0 of `start` has the roots, slot i + 1 the children of context i. */
static bool sort_generations(struct tl_pfile_canon *canon, const uint32_t *start,
			     uint32_t *siblings)
{
	struct sorting s = { .canon = canon, .key = sibling_key, .keys = 2 };
	struct tl_pfile_order *to = &canon->contexts;
	size_t filled = 0;
	bool ok = true;

	for (size_t at = 0; ok && at <= filled; at++) {
		size_t slot = at ? (size_t)to->order[at - 1] + 1 : 0;

		ok = sort_run(&s, siblings + start[slot], start[slot + 1] - start[slot]);
		for (uint32_t i = start[slot]; ok && i < start[slot + 1]; i++) {
			to->place[siblings[i]] = (uint32_t)filled;
			to->order[filled++] = siblings[i];
		}
	}
	free(s.rows);
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

bool tl_pfile_canon_make(struct tl_pfile_canon *canon, const struct tl_profile *profile)
{
	static const struct element_kind lines = { line_owner, tl_pfile_line_key,
						   tl_pfile_fetch_line, TL_PFILE_LINES };
	static const struct element_kind arcs = { arc_owner, tl_pfile_arc_key, tl_pfile_fetch_arc,
						  TL_PFILE_ARCS };
	static const struct element_kind jumps = { jump_owner, tl_pfile_jump_key, NULL,
						   TL_PFILE_JUMPS };

	*canon = (struct tl_pfile_canon){ .profile = profile };
	return add_names(&canon->texts, profile) && add_files(&canon->texts, profile) &&
	       tl_pfile_texts_sort(&canon->texts) &&
	       sort_all(canon, &canon->functions, profile->functions.table.count,
			tl_pfile_function_key, TL_PFILE_FUNCTIONS) &&
	       sort_all(canon, &canon->parts, profile->parts.count, tl_pfile_part_key,
			TL_PFILE_PARTS) &&
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
