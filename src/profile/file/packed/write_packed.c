/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, arcs and jumps out of a pack, in canonical order. Items of one function, or of one
 * function in one part, are a group: groups are read out, sorted and found equal by several
 * threads, some blocks of rows at a time, which is a wave; then the blocks are made of it.
 */
#include <stdatomic.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/pool.h"
#include "profile/canon/sort.h"
#include "profile/file/file_write.h"
#include "profile/model/near_order.h"

static uint32_t *same_numbers(size_t count)
{
	uint32_t *numbers = tl_alloc_many(count + 1, sizeof(*numbers));

	for (size_t i = 0; numbers && i < count; i++)
		numbers[i] = (uint32_t)i;
	return numbers;
}

bool tl_pfile_packed_map(struct tl_pfile_packed *p)
{
	p->map.functions = same_numbers(p->from->functions.table.count);
	p->map.parts = same_numbers(p->from->parts.count);
	p->map.events = same_numbers(p->from->event_count);
	return p->map.functions && p->map.parts && p->map.events;
}

/* ---- texts ---- */

bool tl_pfile_packed_texts(struct tl_pfile_packed *p, struct tl_pfile_texts *texts)
{
	const struct tl_names *names = &p->from->names;
	bool ok;

	p->ranks = tl_alloc_many(names->count + 1, sizeof(*p->ranks));
	ok = p->ranks;
	for (uint32_t i = 0; ok && i < names->count; i++) {
		p->ranks[i] = tl_pack_has_file(p->from->pack, i) ? 0 : TL_NONE;
		ok = p->ranks[i] == TL_NONE || tl_pfile_texts_add(texts, names->names[i].text);
	}
	return ok;
}

/* ---- the order of runs ---- */

static int compare_runs(const void *a, const void *b, void *context)
{
	const struct tl_pfile_packed *p = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tl_pack_run *left = &p->from->pack->runs[x], *right = &p->from->pack->runs[y];
	int order = tl_compare(tl_pfile_function_place(p, left->function),
			       tl_pfile_function_place(p, right->function));

	if (!order)
		order = tl_compare(tl_pfile_part_place(p, left->part),
				   tl_pfile_part_place(p, right->part));
	return order ? order : tl_compare(x, y);
}

bool tl_pfile_packed_begin(struct tl_pfile_packed *p, struct tl_pfile_canon *canon)
{
	const struct tl_profile *from = p->from;
	size_t runs = from->pack->run_count;

	p->canon = canon;
	for (size_t i = 0; i < from->names.count; i++)
		if (p->ranks[i] != TL_NONE)
			p->ranks[i] = tl_pfile_text_rank(&canon->texts, from->names.names[i].text);
	p->same_events = true;
	for (uint32_t e = 0; e < from->event_count; e++)
		p->same_events &= p->map.events[e] == e;
	p->runs = same_numbers(runs);
	if (p->runs)
		qsort_r(p->runs, runs, sizeof(*p->runs), compare_runs, p);
	return p->runs;
}

/* ---- a wave ---- */

struct packed_item {
	struct tl_pack_item packed;
	uint32_t run;
};

/* Runs that are sorted together. */
struct group {
	size_t first, end; /* in the order of runs */
	size_t at, count;  /* its items */
	size_t rows;       /* as many of them are another one than that before */
};

struct wave {
	const struct tl_pfile_packed *p;
	enum tl_pack_kind kind;
	unsigned keys, values; /* of a row; values without costs */
	uint32_t fields;
	struct packed_item *items, *spare;
	uint32_t *order; /* of items */
	uint32_t *rows;  /* where in `order` the items of each row begin; one more has the end */
	struct group *groups;
	size_t count, row_count, group_count;
	size_t item_room, spare_room, order_room, rows_room, group_room;
	struct tl_pfile_sorter *sorters; /* one for each thread */
	unsigned jobs;
	atomic_size_t next; /* group to be sorted */
};

/* ---- keys ---- */

static void put_place(const struct tl_pfile_packed *p, const struct tl_pack_place *at,
		      uint64_t *key)
{
	key[0] = p->ranks[at->file];
	key[1] = at->line;
	key[2] = at->address;
	key[3] = at->block;
}

/* Keys that an item has for all of its group: of lines these are two, of arcs and jumps one. */
enum { LINE_COMMON = 2, CALL_COMMON = 1 };

static unsigned common_keys(const struct wave *w)
{
	return w->kind == TL_PACK_LINE ? LINE_COMMON : CALL_COMMON;
}

/* The others, where they stand in the whole key. */
static inline __attribute__((always_inline)) void
put_own_keys(const struct wave *w, const struct packed_item *item, uint64_t *key)
{
	const struct tl_pfile_packed *p = w->p;
	const struct tl_pack_item *packed = &item->packed;

	if (w->kind == TL_PACK_LINE) {
		put_place(p, &packed->at, key + LINE_COMMON);
		return;
	}
	key[1] = tl_pfile_function_place(p, packed->target);
	key[2] = tl_pfile_part_place(p, p->from->pack->runs[item->run].part);
	put_place(p, &packed->at, key + 3);
	put_place(p, &packed->to, key + 3 + TL_PFILE_PLACE_FIELDS);
	key[3 + 2 * TL_PFILE_PLACE_FIELDS] = packed->conditional;
}

static void put_key(const struct wave *w, const struct packed_item *item, uint64_t *key)
{
	const struct tl_pfile_packed *p = w->p;
	const struct tl_pack_run *run = &p->from->pack->runs[item->run];

	key[0] = tl_pfile_function_place(p, run->function);
	if (w->kind == TL_PACK_LINE)
		key[1] = tl_pfile_part_place(p, run->part);
	put_own_keys(w, item, key);
}

/* ---- sorting ---- */

static void read_group(struct wave *w, const struct group *g)
{
	struct packed_item *to = w->items + g->at;

	for (size_t i = g->first; i < g->end; i++) {
		uint32_t number = w->p->runs[i];
		const struct tl_pack_run *run = &w->p->from->pack->runs[number];
		struct tl_pack_cursor cursor = tl_pack_read(run);

		for (uint32_t left = run->counts[w->kind]; left; left--, to++) {
			tl_pack_next_of(&cursor, w->kind, &to->packed);
			to->run = number;
		}
	}
}

static unsigned bits_of(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* pack_keys() of keys `first` .. `end` - 1: a loop of its own for each kind of items. */
static inline __attribute__((always_inline)) bool pack_keys_of(const struct wave *w,
							       const struct group *g, uint64_t *to,
							       unsigned first, unsigned end)
{
	const struct packed_item *items = w->items + g->at;
	uint64_t key[TL_PFILE_MOST_KEYS], least[TL_PFILE_MOST_KEYS], most[TL_PFILE_MOST_KEYS];
	unsigned bits[TL_PFILE_MOST_KEYS], sum = bits_of(g->count - 1);

	put_own_keys(w, items, least);
	memcpy(most, least, sizeof(most));
	for (size_t i = 1; i < g->count; i++) {
		put_own_keys(w, &items[i], key);
		for (unsigned k = first; k < end; k++) {
			least[k] = tl_min(least[k], key[k]);
			most[k] = tl_max(most[k], key[k]);
		}
	}
	for (unsigned k = first; k < end; k++)
		sum += bits[k] = bits_of(most[k] - least[k]);
	if (sum >= 64)
		return false;
	for (size_t i = 0; i < g->count; i++) {
		uint64_t packed = 0;

		put_own_keys(w, &items[i], key);
		for (unsigned k = first; k < end; k++)
			packed = packed << bits[k] | (key[k] - least[k]);
		to[i] = packed << bits_of(g->count - 1) | i;
	}
	return true;
}

/*
 * Keys as one number each, the first key in its highest bits, the place in its lowest ones. False:
 * they differ too much for that.
 */
static bool pack_keys(const struct wave *w, const struct group *g, uint64_t *to)
{
	if (w->kind == TL_PACK_LINE)
		return pack_keys_of(w, g, to, LINE_COMMON, TL_PFILE_LINE_KEYS);
	return pack_keys_of(w, g, to, CALL_COMMON, w->keys);
}

static void take_order(struct wave *w, struct group *g, const uint64_t *sorted)
{
	const unsigned bits = bits_of(g->count - 1);
	const uint64_t places = (UINT64_C(1) << bits) - 1;

	for (size_t i = 0; i < g->count; i++) {
		w->order[g->at + i] = (uint32_t)(g->at + (sorted[i] & places));
		if (!i || sorted[i] >> bits != sorted[i - 1] >> bits)
			w->rows[g->at + g->rows++] = (uint32_t)(g->at + i);
	}
}

static int compare_items(const struct wave *w, uint32_t x, uint32_t y)
{
	uint64_t left[TL_PFILE_MOST_KEYS], right[TL_PFILE_MOST_KEYS];

	put_key(w, &w->items[x], left);
	put_key(w, &w->items[y], right);
	for (unsigned k = common_keys(w); k < w->keys; k++)
		if (left[k] != right[k])
			return tl_compare(left[k], right[k]);
	return 0;
}

static bool in_order(const void *context, uint32_t x, uint32_t y)
{
	return compare_items(context, x, y) <= 0;
}

/* Items whose keys do not fit one number. */
static void sort_by_keys(struct wave *w, struct tl_pfile_sorter *sorter, struct group *g)
{
	uint32_t *order = sorter->numbers, *room = sorter->ends;

	for (size_t i = 0; i < g->count; i++)
		order[i] = (uint32_t)(g->at + i);
	tl_near_order(&order, &room, (uint32_t)g->count, in_order, w);
	for (size_t i = 0; i < g->count; i++) {
		w->order[g->at + i] = order[i];
		if (!i || compare_items(w, order[i - 1], order[i]) != 0)
			w->rows[g->at + g->rows++] = (uint32_t)(g->at + i);
	}
}

static bool sort_group(struct wave *w, struct tl_pfile_sorter *sorter, struct group *g)
{
	if (!tl_pfile_sorter_room(sorter, g->count))
		return false;
	read_group(w, g);
	if (pack_keys(w, g, sorter->from)) {
		tl_pfile_sort_packed(sorter, g->count);
		take_order(w, g, sorter->from);
	} else {
		sort_by_keys(w, sorter, g);
	}
	return true;
}

static int sort_groups(void *arg, size_t task)
{
	struct wave *w = arg;
	bool ok = true;

	for (size_t i; ok && (i = atomic_fetch_add(&w->next, 1)) < w->group_count;)
		ok = sort_group(w, &w->sorters[task], &w->groups[i]);
	return ok ? 0 : TL_NO_MEMORY;
}

/* ---- rows ---- */

/* Sums fit: a pack whose sums may not is no pack any more. */
static uint32_t make_row(const void *arg, size_t number, uint64_t *row, const uint8_t **coded)
{
	const struct wave *w = arg;
	const uint32_t *at = w->order + w->rows[number], *end = w->order + w->rows[number + 1];
	uint64_t *values = row + w->keys, *costs = values + w->values;
	uint32_t most = w->p->same_events ? 0 : w->fields - w->keys - w->values;

	put_key(w, &w->items[*at], row);
	/*
	 * A line that is alone at its place has its costs coded as the file has them; those of a
	 * row that was kept are in groups, and are coded anew.
	 */
	if (w->kind == TL_PACK_LINE && w->p->same_events && end - at == 1 &&
	    !w->items[*at].packed.grouped) {
		*coded = w->items[*at].packed.costs;
		return w->items[*at].packed.cost_count;
	}
	for (const uint32_t *i = at; w->p->same_events && i < end; i++)
		most = tl_max(most, w->items[*i].packed.cost_count);
	memset(values, 0, (w->values + most) * sizeof(*values));
	for (; at < end; at++) {
		const struct tl_pack_item *packed = &w->items[*at].packed;

		if (w->values)
			values[0] += packed->count;
		if (w->values > 1)
			values[1] += packed->taken;
		tl_pack_add_costs(packed, w->p->map.events, costs);
	}
	return w->keys + w->values + most;
}

/* Lines are sorted by part behind their function, arcs and jumps by the function they lead to. */
static bool is_same_group(const struct tl_pfile_packed *p, uint32_t x, uint32_t y, bool by_part)
{
	const struct tl_pack_run *left = &p->from->pack->runs[x], *right = &p->from->pack->runs[y];

	return tl_pfile_function_place(p, left->function) ==
		       tl_pfile_function_place(p, right->function) &&
	       (!by_part ||
		tl_pfile_part_place(p, left->part) == tl_pfile_part_place(p, right->part));
}

/* Numbers of first items as numbers of elements: how many first items are before each. */
static bool number_elements(struct tl_pfile_packed *p)
{
	enum { BITS = 64 };
	size_t words = (size_t)p->from->pack->end / BITS + 1;
	uint64_t *firsts = calloc(words, sizeof(*firsts));
	uint32_t *before = tl_alloc_many(words, sizeof(*before)), count = 0;
	bool ok = firsts && before;

	for (size_t i = 0; ok && i < p->number_count; i++)
		firsts[p->numbers[i] / BITS] |= UINT64_C(1) << p->numbers[i] % BITS;
	for (size_t i = 0; ok && i < words; i++) {
		before[i] = count;
		count += (uint32_t)__builtin_popcountll(firsts[i]);
	}
	for (size_t i = 0; ok && i < p->number_count; i++) {
		size_t word = p->numbers[i] / BITS;
		uint64_t less = (UINT64_C(1) << p->numbers[i] % BITS) - 1;

		p->numbers[i] = before[word] + (uint32_t)__builtin_popcountll(firsts[word] & less);
	}
	free(firsts);
	free(before);
	return ok;
}

/* Numbers of elements, or, unless they are `known`, of first items. */
static bool give_order(struct tl_pfile_packed *p, enum tl_pack_kind kind, bool known)
{
	struct tl_pfile_order *const orders[] = {
		[TL_PACK_LINE] = &p->canon->lines,
		[TL_PACK_ARC] = &p->canon->arcs,
		[TL_PACK_JUMP] = &p->canon->jumps,
	};

	if (!p->number_count)
		return true;
	if (!known && !number_elements(p))
		return false;
	free(orders[kind]->order);
	*orders[kind] = (struct tl_pfile_order){ .order = p->numbers, .count = p->number_count };
	p->numbers = NULL;
	p->number_count = p->number_capacity = 0;
	return true;
}

/* Add the group that begins at run `at`. Its end, or that of all runs without memory. */
static size_t add_group(struct wave *w, size_t at, bool *ok)
{
	const struct tl_pfile_packed *p = w->p;
	const size_t runs = p->from->pack->run_count;
	struct group g = { .first = at, .end = at, .at = w->count };

	while (g.end < runs &&
	       is_same_group(p, p->runs[at], p->runs[g.end], w->kind == TL_PACK_LINE))
		g.count += p->from->pack->runs[p->runs[g.end++]].counts[w->kind];
	if (!g.count)
		return g.end;
	w->count += g.count;
	*ok = w->count < TL_NONE &&
	      tl_grow(&w->groups, &w->group_room, w->group_count + 1, sizeof(*w->groups));
	if (!*ok)
		return runs;
	w->groups[w->group_count++] = g;
	return g.end;
}

static bool make_room(struct wave *w)
{
	return tl_grow(&w->items, &w->item_room, w->count, sizeof(*w->items)) &&
	       tl_grow(&w->order, &w->order_room, w->count, sizeof(*w->order)) &&
	       tl_grow(&w->rows, &w->rows_room, w->count + 1, sizeof(*w->rows));
}

/* Sort the groups of a wave; rows of each are behind those of the one before. */
static bool sort_wave(struct wave *w)
{
	atomic_store(&w->next, 0);
	if (!make_room(w) || tl_pool_run(w->jobs, w->jobs, sort_groups, w) < 0)
		return false;
	for (size_t i = 0; i < w->group_count; i++) {
		const struct group *g = &w->groups[i];

		memmove(w->rows + w->row_count, w->rows + g->at, g->rows * sizeof(*w->rows));
		w->row_count += g->rows;
	}
	w->rows[w->row_count] = (uint32_t)w->count;
	return true;
}

static bool note_numbers(struct tl_pfile_packed *p, const struct wave *w, size_t rows)
{
	if (!p->ordered)
		return true;
	if (!tl_grow(&p->numbers, &p->number_capacity, p->number_count + rows, sizeof(*p->numbers)))
		return false;
	for (size_t i = 0; i < rows; i++)
		p->numbers[p->number_count++] = w->items[w->order[w->rows[i]]].packed.number;
	return true;
}

/* Rows from `first` on are the first ones of the next wave. */
static bool keep_rows(struct wave *w, size_t first)
{
	const uint32_t begin = w->rows[first];
	struct packed_item *swap = w->items;
	size_t room = w->item_room;

	if (!tl_grow(&w->spare, &w->spare_room, w->count - begin, sizeof(*w->spare)))
		return false;
	for (size_t i = begin; i < w->count; i++)
		w->spare[i - begin] = w->items[w->order[i]];
	for (uint32_t i = 0; i < w->count - begin; i++)
		w->order[i] = i;
	for (size_t i = first; i < w->row_count; i++)
		w->rows[i - first] = w->rows[i] - begin;
	w->count -= begin;
	w->row_count -= first;
	w->group_count = 0;
	w->items = w->spare;
	w->item_room = w->spare_room;
	w->spare = swap;
	w->spare_room = room;
	return true;
}

static bool write_waves(struct tl_pfile_packed *p, struct wave *w, struct tl_pfile_writer *writer)
{
	enum { BLOCKS = 8 }; /* of a wave, for each thread */
	const size_t runs = p->from->pack->run_count, block = tl_pfile_block_rows(writer);
	bool ok = true;

	for (size_t at = 0; ok && at < runs;) {
		size_t rows;

		while (ok && at < runs && w->count < BLOCKS * block * w->jobs)
			at = add_group(w, at, &ok);
		if (!ok || !sort_wave(w))
			return false;
		/* Many equal items may be fewer rows than a block: these are written, too, then. */
		rows = w->row_count;
		if (at < runs && rows >= block)
			rows -= rows % block;
		tl_pfile_write_rows(writer, rows, make_row, w, w->jobs);
		ok = note_numbers(p, w, rows) && keep_rows(w, rows);
	}
	return ok;
}

bool tl_pfile_packed_write(struct tl_pfile_packed *p, enum tl_pfile_section section,
			   struct tl_pfile_writer *writer, unsigned jobs)
{
	const struct tl_pfile_layout *layout = &tl_pfile_layouts[section];
	struct wave w = {
		.p = p,
		.kind = (enum tl_pack_kind)(section - TL_PFILE_LINES),
		.keys = layout->keys,
		.values = layout->values,
		.fields = tl_pfile_fields(section, p->canon->profile->event_count),
		.jobs = tl_max(jobs, 1u),
	};
	int copied;
	bool ok;

	_Static_assert((int)TL_PFILE_ARCS - (int)TL_PFILE_LINES == (int)TL_PACK_ARC &&
			       (int)TL_PFILE_JUMPS - (int)TL_PFILE_LINES == (int)TL_PACK_JUMP,
		       "kinds of items are in the order of sections");
	copied = tl_pfile_packed_copy(p, section, writer, w.jobs);
	if (copied)
		return copied > 0 && (!p->ordered || give_order(p, w.kind, true));
	w.sorters = calloc(w.jobs, sizeof(*w.sorters));
	ok = w.sorters && write_waves(p, &w, writer);
	for (unsigned i = 0; w.sorters && i < w.jobs; i++)
		tl_pfile_sorter_free(&w.sorters[i]);
	free(w.sorters);
	free(w.items);
	free(w.spare);
	free(w.order);
	free(w.rows);
	free(w.groups);
	return ok && (!p->ordered || give_order(p, w.kind, false));
}

void tl_pfile_packed_free(struct tl_pfile_packed *p)
{
	tl_merge_map_free(&p->map);
	free(p->ranks);
	free(p->runs);
	free(p->numbers);
}
