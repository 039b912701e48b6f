/* SPDX-License-Identifier: Apache-2.0 */
#include "view/terminal/list.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

/* ---- order ---- */

struct sort_key {
	const struct tl_list *list;
};

static const char *name_of(const struct tl_list *list, const struct tl_list_row *row)
{
	return tl_profile_function(list->profile, row->function)->name;
}

static enum tl_list_order order_of(const struct tl_list *list)
{
	if (list->kind == TL_LIST_CALLERS && list->order == TL_BY_SELF)
		return TL_BY_INCLUSIVE;
	return list->order;
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct tl_list_row *x = a, *y = b;
	const struct tl_list *list = ((const struct sort_key *)arg)->list;
	int order = 0;

	/* Callers and callees have no cost of their own here. */
	switch (order_of(list)) {
	case TL_BY_INCLUSIVE:
		order = tl_compare(y->inclusive, x->inclusive);
		break;
	case TL_BY_CALLS:
		order = tl_compare(y->calls, x->calls);
		break;
	case TL_BY_NAME:
		order = strcmp(name_of(list, x), name_of(list, y));
		break;
	default:
		order = tl_compare(y->self, x->self);
		break;
	}
	if (list->reverse)
		order = -order;
	if (!order)
		order = strcmp(name_of(list, x), name_of(list, y));
	return order ? order : tl_compare(x->function, y->function);
}

static void sort_range(struct tl_list *list, size_t from, size_t count)
{
	struct sort_key key = { list };

	if (count > 1)
		qsort_r(list->rows + from, count, sizeof(*list->rows), compare_rows, &key);
}

/* ---- rows ---- */

static struct tl_list_row *add_row(struct tl_list *list, uint32_t function, enum tl_row_role role)
{
	if (!tl_grow(&list->rows, &list->capacity, list->count + 1, sizeof(*list->rows)))
		return NULL;
	list->rows[list->count] =
		(struct tl_list_row){ .function = function, .role = role, .leaf = true };
	return &list->rows[list->count++];
}

static void drop_rows(struct tl_list *list, size_t from, size_t count)
{
	if (!count)
		return;
	for (size_t i = from; i < from + count; i++)
		free(list->rows[i].members);
	memmove(list->rows + from, list->rows + from + count,
		(list->count - from - count) * sizeof(*list->rows));
	list->count -= count;
}

/* The row of a function among those from `begin` on, added if it is new. NULL without memory. */
static struct tl_list_row *row_of(struct tl_list *list, size_t begin, uint32_t function,
				  enum tl_row_role role)
{
	uint32_t place = list->places[function];

	if (place >= begin && place < list->count && list->rows[place].function == function)
		return &list->rows[place];
	list->places[function] = (uint32_t)list->count;
	return add_row(list, function, role);
}

static bool fill_function(struct tl_list *list, uint32_t function, enum tl_row_role role)
{
	struct tl_function_totals totals = { .calls = 0 };
	struct tl_list_row *row;

	if (tl_profile_function_totals(list->profile, function, TL_NONE, &totals, sizeof(totals)) <
	    0)
		return true;
	row = add_row(list, function, role);
	if (!row)
		return false;
	row->calls = totals.calls;
	row->unfinished = totals.unfinished;
	row->self = totals.self[list->event];
	row->inclusive = totals.inclusive[list->event];
	return true;
}

static bool is_used(const struct tl_list_row *row)
{
	return row->self || row->inclusive || row->calls || row->unfinished;
}

static bool make_functions(struct tl_list *list)
{
	uint32_t count = tl_profile_function_count(list->profile);

	for (uint32_t i = 0; i < count; i++) {
		if (!tl_profile_chosen(list->profile, i))
			continue;
		if (!fill_function(list, i, TL_ROW_PLAIN))
			return false;
		if (list->count && !is_used(&list->rows[list->count - 1]))
			list->count--;
	}
	sort_range(list, 0, list->count);
	return true;
}

/* ---- callers and callees ---- */

/* An arc with neither calls nor cost is one of another event's samples. */
static void drop_unused(struct tl_list *list, size_t begin)
{
	size_t kept = begin;

	for (size_t i = begin; i < list->count; i++)
		if (is_used(&list->rows[i]))
			list->rows[kept++] = list->rows[i];
	list->count = kept;
}

/* Sum the arcs from or to the function by the function at their other end. */
static bool add_others(struct tl_list *list, bool callers)
{
	uint32_t arcs = tl_profile_arc_count(list->profile);
	size_t begin = list->count;

	for (uint32_t i = 0; i < arcs; i++) {
		const struct tl_arc *arc = tl_profile_arc(list->profile, i);
		uint32_t ours = callers ? arc->callee : arc->caller;
		uint32_t other = callers ? arc->caller : arc->callee;
		struct tl_list_row *row;

		if (ours != list->function || other == TL_NONE)
			continue;
		row = row_of(list, begin, other, callers ? TL_ROW_CALLER : TL_ROW_CALLEE);
		if (!row)
			return false;
		row->calls += arc->calls;
		row->inclusive += tl_profile_arc_cost(list->profile, i)[list->event];
	}
	drop_unused(list, begin);
	sort_range(list, begin, list->count - begin);
	return true;
}

static bool make_callers(struct tl_list *list)
{
	return add_others(list, true) && fill_function(list, list->function, TL_ROW_CHOSEN) &&
	       add_others(list, false);
}

/* ---- trees ---- */

/* Contexts by their parent, by counting. */
static bool make_children(struct tl_list *list)
{
	uint32_t count = tl_profile_context_count(list->profile);

	list->first = calloc((size_t)count + 3, sizeof(*list->first));
	list->children = malloc(((size_t)count + 1) * sizeof(*list->children));
	if (!list->first || !list->children)
		return false;
	for (uint32_t i = 0; i < count; i++)
		list->first[tl_profile_context(list->profile, i)->parent + 1 + 2]++;
	for (size_t i = 1; i < (size_t)count + 3; i++)
		list->first[i] += list->first[i - 1];
	for (uint32_t i = 0; i < count; i++)
		list->children[list->first[tl_profile_context(list->profile, i)->parent + 1 +
					   1]++] = i;
	return true;
}

static bool add_member(struct tl_list_row *row, uint32_t context)
{
	/* Doubled at each power of two. */
	if (!(row->member_count & (row->member_count - 1))) {
		size_t room = row->member_count ? row->member_count * 2 : 1;
		uint32_t *members = realloc(row->members, room * sizeof(*members));

		if (!members)
			return false;
		row->members = members;
	}
	row->members[row->member_count++] = context;
	return true;
}

/* Add a context to the row of its function among those from `begin` on. */
static bool add_context(struct tl_list *list, size_t begin, uint32_t depth, uint32_t context,
			uint32_t function)
{
	struct tl_list_row *row = row_of(list, begin, function, TL_ROW_PLAIN);

	if (!row)
		return false;
	row->depth = depth;
	return add_member(row, context);
}

/* Contexts are not sorted as rows: those of one function under one row become one row. */
static bool add_children_of(struct tl_list *list, size_t begin, uint32_t depth, uint32_t context)
{
	for (uint32_t i = list->first[context + 1]; i < list->first[context + 2]; i++) {
		uint32_t child = list->children[i];

		if (!add_context(list, begin, depth, child,
				 tl_profile_context(list->profile, child)->function))
			return false;
	}
	return true;
}

/* Costs of a row from its contexts; whether it can be opened. */
static void sum_top_down(struct tl_list *list, struct tl_list_row *row)
{
	row->leaf = true;
	for (size_t i = 0; i < row->member_count; i++) {
		uint32_t context = row->members[i];

		row->calls += tl_profile_context(list->profile, context)->calls;
		row->self += tl_profile_context_self(list->profile, context)[list->event];
		row->inclusive += tl_profile_context_inclusive(list->profile, context)[list->event];
		row->leaf &= list->first[context + 1] == list->first[context + 2];
	}
}

static bool make_top_down(struct tl_list *list)
{
	if (!make_children(list))
		return false;
	/* The children of no context. */
	for (uint32_t i = list->first[0]; i < list->first[1]; i++) {
		uint32_t root = list->children[i];

		if (!add_context(list, 0, 0, root,
				 tl_profile_context(list->profile, root)->function))
			return false;
	}
	for (size_t i = 0; i < list->count; i++)
		sum_top_down(list, &list->rows[i]);
	sort_range(list, 0, list->count);
	return true;
}

/* ---- from each function to its callers ---- */

/* The context that is `depth` callers above another one; TL_NONE: there are not so many. */
static uint32_t caller_of(const struct tl_list *list, uint32_t context, uint32_t depth)
{
	for (; depth && context != TL_NONE; depth--)
		context = tl_profile_context(list->profile, context)->parent;
	return context;
}

/*
 * A row of depth d has the contexts of its root function whose d-th caller is the row's function.
 * Only their self costs can be added: inclusive ones contain each other where there is recursion.
 */
static void sum_bottom_up(struct tl_list *list, struct tl_list_row *row)
{
	struct tl_function_totals totals;

	row->leaf = true;
	for (size_t i = 0; i < row->member_count; i++) {
		uint32_t context = row->members[i];

		row->calls += tl_profile_context(list->profile, context)->calls;
		row->self += tl_profile_context_self(list->profile, context)[list->event];
		row->leaf &= caller_of(list, context, row->depth + 1) == TL_NONE;
	}
	if (!row->depth && tl_profile_function_totals(list->profile, row->function, TL_NONE,
						      &totals, sizeof(totals)) == 0)
		row->inclusive = totals.inclusive[list->event];
}

static bool make_bottom_up(struct tl_list *list)
{
	uint32_t count = tl_profile_context_count(list->profile);
	size_t functions = tl_profile_function_count(list->profile);

	for (uint32_t i = 0; i < functions; i++)
		if (!add_row(list, i, TL_ROW_PLAIN))
			return false;
	for (uint32_t i = 0; i < count; i++)
		if (!add_member(&list->rows[tl_profile_context(list->profile, i)->function], i))
			return false;
	for (size_t i = 0; i < list->count; i++)
		sum_bottom_up(list, &list->rows[i]);
	for (size_t i = list->count; i-- > 0;)
		if (!is_used(&list->rows[i]) ||
		    !tl_profile_chosen(list->profile, list->rows[i].function))
			drop_rows(list, i, 1);
	sort_range(list, 0, list->count);
	return true;
}

static bool add_callers_of(struct tl_list *list, size_t begin, uint32_t depth, uint32_t context)
{
	uint32_t caller = caller_of(list, context, depth);

	return caller == TL_NONE ||
	       add_context(list, begin, depth, context,
			   tl_profile_context(list->profile, caller)->function);
}

/* ---- opening and closing ---- */

/* The rows from `from` on move behind the one that they belong to. */
static bool place_children(struct tl_list *list, size_t row, size_t from)
{
	size_t count = list->count - from;
	struct tl_list_row *moved = malloc((count + 1) * sizeof(*moved));

	if (!moved)
		return false;
	memcpy(moved, list->rows + from, count * sizeof(*moved));
	memmove(list->rows + row + 1 + count, list->rows + row + 1,
		(from - row - 1) * sizeof(*moved));
	memcpy(list->rows + row + 1, moved, count * sizeof(*moved));
	free(moved);
	return true;
}

static bool open_row(struct tl_list *list, size_t row)
{
	size_t begin = list->count;
	uint32_t depth = list->rows[row].depth + 1;
	bool added = true;

	for (size_t i = 0; added && i < list->rows[row].member_count; i++) {
		uint32_t context = list->rows[row].members[i];

		added = list->kind == TL_LIST_TOP_DOWN
				? add_children_of(list, begin, depth, context)
				: add_callers_of(list, begin, depth, context);
	}
	for (size_t i = begin; i < list->count; i++)
		(list->kind == TL_LIST_TOP_DOWN ? sum_top_down : sum_bottom_up)(list,
										&list->rows[i]);
	sort_range(list, begin, list->count - begin);
	list->rows[row].open = true;
	return place_children(list, row, begin) && added;
}

static size_t rows_below(const struct tl_list *list, size_t row)
{
	size_t end = row + 1;

	while (end < list->count && list->rows[end].depth > list->rows[row].depth)
		end++;
	return end - row - 1;
}

bool tl_list_toggle(struct tl_list *list, size_t row)
{
	if (row >= list->count || list->rows[row].leaf)
		return true;
	if (!list->rows[row].open)
		return open_row(list, row);
	drop_rows(list, row + 1, rows_below(list, row));
	list->rows[row].open = false;
	return true;
}

/* ---- the whole ---- */

static void clear(struct tl_list *list)
{
	drop_rows(list, 0, list->count);
	free(list->first);
	free(list->children);
	free(list->places);
	list->first = list->children = list->places = NULL;
}

bool tl_list_make(struct tl_list *list, const struct tl_profile *profile, enum tl_list_kind kind,
		  uint32_t function)
{
	clear(list);
	list->profile = profile;
	list->kind = kind;
	list->function = function;
	list->places =
		calloc((size_t)tl_profile_function_count(profile) + 1, sizeof(*list->places));
	if (!list->places)
		return false;
	switch (kind) {
	case TL_LIST_TOP_DOWN:
		return make_top_down(list);
	case TL_LIST_BOTTOM_UP:
		return make_bottom_up(list);
	case TL_LIST_CALLERS:
		return make_callers(list);
	default:
		return make_functions(list);
	}
}

void tl_list_sort(struct tl_list *list)
{
	size_t begin = 0;

	/* Of a tree only closed rows can be sorted as they are: it is closed. */
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].open)
			tl_list_toggle(list, i);
	for (size_t i = 1; i <= list->count; i++)
		if (i == list->count || list->rows[i].role != list->rows[begin].role) {
			sort_range(list, begin, i - begin);
			begin = i;
		}
}

void tl_list_free(struct tl_list *list)
{
	clear(list);
	free(list->rows);
	*list = (struct tl_list){ .order = TL_BY_SELF };
}
