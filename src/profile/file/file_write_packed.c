/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, arcs and jumps out of a pack, in canonical order: those of one function, or of one
 * function in one part, are read out, sorted and added up at a time.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "profile/file/file_write.h"
#include "profile/model/near_order.h"

/* An item of the group that is written. */
struct tl_pfile_packed_item {
	uint64_t key[TL_PFILE_MOST_KEYS];
	uint64_t count, taken;
	struct tl_pack_item packed; /* its costs */
};

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

static bool add_text(struct tl_pfile_packed *p, struct tl_pfile_texts *texts, uint32_t name)
{
	if (p->ranks[name] != TL_NONE)
		return true;
	p->ranks[name] = 0;
	return tl_pfile_texts_add(texts, p->from->names.names[name].text);
}

bool tl_pfile_packed_texts(struct tl_pfile_packed *p, struct tl_pfile_texts *texts)
{
	const struct tl_pack *pack = p->from->pack;
	bool ok;

	p->ranks = tl_alloc_many(p->from->names.count + 1, sizeof(*p->ranks));
	ok = p->ranks;
	if (ok)
		memset(p->ranks, 0xff, (p->from->names.count + 1) * sizeof(*p->ranks));
	for (size_t i = 0; ok && i < pack->run_count; i++) {
		struct tl_pack_cursor cursor = tl_pack_read(&pack->runs[i]);
		struct tl_pack_item item;

		while (ok && tl_pack_next(&cursor, &item))
			ok = add_text(p, texts, item.at.file) &&
			     (item.kind == TL_PACK_LINE || add_text(p, texts, item.to.file));
	}
	return ok;
}

/* ---- the order of runs ---- */

static uint32_t function_place(const struct tl_pfile_packed *p, uint32_t number)
{
	return tl_pfile_place(&p->canon->functions, p->map.functions[number]);
}

static uint32_t part_place(const struct tl_pfile_packed *p, uint32_t number)
{
	return tl_pfile_place(&p->canon->parts, p->map.parts[number]);
}

static int compare_runs(const void *a, const void *b, void *context)
{
	const struct tl_pfile_packed *p = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tl_pack_run *left = &p->from->pack->runs[x], *right = &p->from->pack->runs[y];
	int order =
		tl_compare(function_place(p, left->function), function_place(p, right->function));

	if (!order)
		order = tl_compare(part_place(p, left->part), part_place(p, right->part));
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
	p->costs = tl_alloc_many((size_t)from->event_count + 1, sizeof(*p->costs));
	p->runs = tl_alloc_many(runs + 1, sizeof(*p->runs));
	if (!p->costs || !p->runs)
		return false;
	for (size_t i = 0; i < runs; i++)
		p->runs[i] = (uint32_t)i;
	qsort_r(p->runs, runs, sizeof(*p->runs), compare_runs, p);
	return true;
}

/* ---- items of a group ---- */

static void put_place(const struct tl_pfile_packed *p, const struct tl_pack_place *at,
		      uint64_t *key)
{
	key[0] = p->ranks[at->file];
	key[1] = at->line;
	key[2] = at->address;
	key[3] = at->block;
}

static void put_key(const struct tl_pfile_packed *p, const struct tl_pack_run *run,
		    const struct tl_pack_item *item, uint64_t *key)
{
	key[0] = function_place(p, run->function);
	if (item->kind == TL_PACK_LINE) {
		key[1] = part_place(p, run->part);
		put_place(p, &item->at, key + 2);
		return;
	}
	key[1] = function_place(p, item->target);
	key[2] = part_place(p, run->part);
	put_place(p, &item->at, key + 3);
	put_place(p, &item->to, key + 3 + TL_PFILE_PLACE_FIELDS);
	key[3 + 2 * TL_PFILE_PLACE_FIELDS] = item->conditional;
}

static bool read_run(struct tl_pfile_packed *p, const struct tl_pack_run *run,
		     enum tl_pack_kind kind)
{
	struct tl_pack_cursor cursor = tl_pack_read(run);
	struct tl_pack_item item;

	while (tl_pack_next(&cursor, &item)) {
		struct tl_pfile_packed_item *made;

		if (item.kind != kind)
			continue;
		if (!tl_grow(&p->items, &p->capacity, p->count + 1, sizeof(*p->items)))
			return false;
		made = &p->items[p->count++];
		put_key(p, run, &item, made->key);
		made->count = item.count;
		made->taken = item.taken;
		made->packed = item;
	}
	return true;
}

static int compare_keys(const struct tl_pfile_packed *p, uint32_t x, uint32_t y)
{
	const uint64_t *left = p->items[x].key, *right = p->items[y].key;

	for (unsigned i = 0; i < p->keys; i++)
		if (left[i] != right[i])
			return tl_compare(left[i], right[i]);
	return 0;
}

static bool in_order(const void *context, uint32_t x, uint32_t y)
{
	return compare_keys(context, x, y) <= 0;
}

static bool sort_items(struct tl_pfile_packed *p)
{
	if (p->count >= TL_NONE ||
	    !tl_grow(&p->order, &p->order_capacity, p->count, sizeof(*p->order)) ||
	    !tl_grow(&p->room, &p->room_capacity, p->count, sizeof(*p->room)))
		return false;
	for (size_t i = 0; i < p->count; i++)
		p->order[i] = (uint32_t)i;
	tl_near_order(&p->order, &p->room, (uint32_t)p->count, in_order, p);
	return true;
}

/* ---- rows ---- */

/* The fields behind the keys, of an item that is the same as those before. */
static void add_values(const struct tl_pfile_packed *p, const struct tl_pfile_packed_item *item,
		       uint64_t *values)
{
	const struct tl_pack_item *packed = &item->packed;

	if (packed->kind == TL_PACK_JUMP) {
		values[0] += item->count;
		values[1] += item->taken;
		return;
	}
	if (packed->kind == TL_PACK_ARC)
		*values++ += item->count;
	tl_pack_costs(packed, p->costs);
	for (uint32_t e = 0; e < packed->cost_count; e++)
		values[p->map.events[e]] += (uint64_t)p->costs[e];
}

/* Sums fit: a pack whose sums may not is no pack any more. */
static void write_items(struct tl_pfile_packed *p, struct tl_pfile_writer *writer, uint64_t *row,
			uint32_t fields)
{
	for (size_t i = 0, end; i < p->count; i = end) {
		const struct tl_pfile_packed_item *first = &p->items[p->order[i]];

		if (p->ordered)
			p->numbers[p->number_count++] = first->packed.number;
		memcpy(row, first->key, p->keys * sizeof(*row));
		memset(row + p->keys, 0, (fields - p->keys) * sizeof(*row));
		for (end = i; end < p->count && compare_keys(p, p->order[i], p->order[end]) == 0;
		     end++)
			add_values(p, &p->items[p->order[end]], row + p->keys);
		tl_pfile_write_row(writer, row);
	}
}

/* Lines are sorted by part behind their function, arcs and jumps by the function they lead to. */
static bool is_same_group(const struct tl_pfile_packed *p, uint32_t x, uint32_t y, bool by_part)
{
	const struct tl_pack_run *left = &p->from->pack->runs[x], *right = &p->from->pack->runs[y];

	return function_place(p, left->function) == function_place(p, right->function) &&
	       (!by_part || part_place(p, left->part) == part_place(p, right->part));
}

/* ---- the order that the elements had ---- */

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

static bool give_order(struct tl_pfile_packed *p, enum tl_pack_kind kind)
{
	struct tl_pfile_order *const orders[] = {
		[TL_PACK_LINE] = &p->canon->lines,
		[TL_PACK_ARC] = &p->canon->arcs,
		[TL_PACK_JUMP] = &p->canon->jumps,
	};

	if (!p->number_count)
		return true;
	if (!number_elements(p))
		return false;
	free(orders[kind]->order);
	*orders[kind] = (struct tl_pfile_order){ .order = p->numbers, .count = p->number_count };
	p->numbers = NULL;
	p->number_count = p->number_capacity = 0;
	return true;
}

bool tl_pfile_packed_write(struct tl_pfile_packed *p, enum tl_pfile_section section,
			   struct tl_pfile_writer *writer, uint64_t *row)
{
	const enum tl_pack_kind kind = (enum tl_pack_kind)(section - TL_PFILE_LINES);
	const uint32_t fields = tl_pfile_fields(section, p->canon->profile->event_count);
	const size_t runs = p->from->pack->run_count;

	_Static_assert((int)TL_PFILE_ARCS - (int)TL_PFILE_LINES == (int)TL_PACK_ARC &&
			       (int)TL_PFILE_JUMPS - (int)TL_PFILE_LINES == (int)TL_PACK_JUMP,
		       "kinds of items are in the order of sections");
	p->keys = tl_pfile_layouts[section].keys;
	for (size_t i = 0, end; i < runs; i = end) {
		p->count = 0;
		for (end = i;
		     end < runs && is_same_group(p, p->runs[i], p->runs[end], kind == TL_PACK_LINE);
		     end++)
			if (!read_run(p, &p->from->pack->runs[p->runs[end]], kind))
				return false;
		if (p->count && !sort_items(p))
			return false;
		if (p->ordered && !tl_grow(&p->numbers, &p->number_capacity,
					   p->number_count + p->count, sizeof(*p->numbers)))
			return false;
		write_items(p, writer, row, fields);
	}
	return !p->ordered || give_order(p, kind);
}

void tl_pfile_packed_free(struct tl_pfile_packed *p)
{
	tl_merge_map_free(&p->map);
	free(p->ranks);
	free(p->costs);
	free(p->runs);
	free(p->items);
	free(p->order);
	free(p->room);
	free(p->numbers);
}
