/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the notes of a packed group: by place, kind and target, then as they came. Mostly
 * these are one number of 64 bits together, and such numbers are sorted; else items are compared.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "profile/model/near_order.h"
#include "report/annotate/annotation.h"

/* ---- items compared ---- */

struct tl_jump tl_packed_notes_jump(const struct tl_annotation *a, uint32_t number)
{
	const struct tl_pack_item *item = &a->packed.items[number];

	return (struct tl_jump){
		.target = item->target,
		.to = { .file = a->view.profile->names.names[item->to.file].text,
			.address = item->to.address,
			.block = item->to.block,
			.line = item->to.line },
		.executed = item->count,
		.taken = item->taken,
		.conditional = item->conditional,
	};
}

static uint64_t place_of(const struct tl_annotation *a, const struct tl_pack_item *item)
{
	return tl_note_place(a, item->at.address, item->at.line);
}

static inline int compare_items(const struct tl_annotation *a, uint32_t first, uint32_t second)
{
	const struct tl_pack_item *x = &a->packed.items[first], *y = &a->packed.items[second];
	int order = tl_compare(place_of(a, x), place_of(a, y));

	if (!order)
		order = tl_compare(tl_packed_note_kind(x), tl_packed_note_kind(y));
	if (!order && x->kind == TL_PACK_ARC)
		order = tl_compare(x->target, y->target);
	if (!order && x->kind == TL_PACK_JUMP) {
		const struct tl_jump left = tl_packed_notes_jump(a, first),
				     right = tl_packed_notes_jump(a, second);

		order = tl_note_compare_jumps(&left, &right);
	}
	return order;
}

int tl_packed_notes_compare(const struct tl_annotation *a, uint32_t first, uint32_t second)
{
	return compare_items(a, first, second);
}

static inline bool in_order(const void *context, uint32_t first, uint32_t second)
{
	return compare_items(context, first, second) <= 0;
}

static void compare_all(struct tl_annotation *a)
{
	struct tl_packed_notes *p = &a->packed;

	for (uint32_t i = 0; i < p->item_count; i++)
		p->order[i] = i;
	tl_near_order(&p->order, &p->room, p->item_count, in_order, a);
}

/* ---- keys ---- */

struct key_bits {
	uint64_t least; /* place */
	unsigned kind, target, number;
};

static unsigned bits_of(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* Of a line there is none; of an arc or a jump it may be TL_NONE, the greatest. */
static uint64_t target_of(const struct tl_pack_item *item)
{
	return item->kind == TL_PACK_LINE ? 0 : item->target;
}

/* How many bits the parts of a key need. False: too many. */
static bool find_bits(const struct tl_annotation *a, struct key_bits *bits)
{
	const struct tl_packed_notes *p = &a->packed;
	uint64_t least = UINT64_MAX, most = 0, target = 0;

	for (uint32_t i = 0; i < p->item_count; i++) {
		uint64_t place = place_of(a, &p->items[i]);

		least = tl_min(least, place);
		most = tl_max(most, place);
		target = tl_max(target, target_of(&p->items[i]));
	}
	*bits = (struct key_bits){ .least = least,
				   .kind = 2,
				   .target = bits_of(target),
				   .number = bits_of(p->item_count - 1) };
	return bits_of(most - least) + bits->kind + bits->target + bits->number <= 64;
}

static void make_keys(const struct tl_annotation *a, const struct key_bits *bits, uint64_t *keys)
{
	const struct tl_packed_notes *p = &a->packed;

	for (uint32_t i = 0; i < p->item_count; i++) {
		const struct tl_pack_item *item = &p->items[i];
		uint64_t key = place_of(a, item) - bits->least;

		key = key << bits->kind | tl_packed_note_kind(item);
		key = key << bits->target | target_of(item);
		keys[i] = key << bits->number | i;
	}
}

/* Jumps from one place into one function are in the order of the places where they lead to. */
static void sort_jumps(struct tl_annotation *a, uint32_t begin, uint32_t end)
{
	struct tl_packed_notes *p = &a->packed;
	uint32_t *order = p->order + begin, *room = p->room;

	tl_near_order(&order, &room, end - begin, in_order, a);
	if (order != p->order + begin)
		memcpy(p->order + begin, order, (end - begin) * sizeof(*order));
}

static void take_order(struct tl_annotation *a, const struct key_bits *bits, const uint64_t *keys)
{
	struct tl_packed_notes *p = &a->packed;
	const uint64_t numbers = (UINT64_C(1) << bits->number) - 1;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < p->item_count; i++)
		p->order[i] = (uint32_t)(keys[i] & numbers);
	for (uint32_t i = 1; p->has_jumps && i <= p->item_count; i++) {
		if (i < p->item_count && keys[i] >> bits->number == keys[begin] >> bits->number)
			continue;
		if (i - begin > 1 && p->items[p->order[begin]].kind == TL_PACK_JUMP)
			sort_jumps(a, begin, i);
		begin = i;
	}
}

/* ---- the whole ---- */

bool tl_packed_notes_sort(struct tl_annotation *a)
{
	struct tl_packed_notes *p = &a->packed;
	struct key_bits bits;

	if (!tl_grow(&p->order, &p->order_capacity, p->item_count, sizeof(*p->order)) ||
	    !tl_grow(&p->room, &p->room_capacity, p->item_count, sizeof(*p->room)) ||
	    !tl_pfile_sorter_room(&p->sorter, p->item_count))
		return false;
	if (p->item_count && find_bits(a, &bits)) {
		make_keys(a, &bits, p->sorter.from);
		tl_pfile_sort_packed(&p->sorter, p->item_count);
		take_order(a, &bits, p->sorter.from);
	} else {
		compare_all(a);
	}
	return true;
}
