/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed items against a list of them: what was added comes out again, run by run, with all that is
 * told of it (sums, weights, files), by each of the ways in and of the ways out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../unit.h"

#include "profile/model/model.h"
#include "profile/model/pack.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ITEMS = 500, EVENTS = 20, FUNCTIONS = 7, PARTS = 3 };

/* An item with its costs, as it was added. */
struct added {
	uint32_t function, part;
	struct tl_pack_item item;
	int64_t costs[EVENTS];
};

struct list {
	struct added items[ITEMS];
	size_t count;
};

/* As numbers mostly are: near those before, or anything. */
static uint64_t draw_near(uint32_t *seed, uint64_t before)
{
	switch (chance(seed, 6)) {
	case 0:
		return chance_bits(seed) >> chance(seed, 64);
	case 1:
		return before;
	case 2:
		return 0;
	default:
		return before + chance(seed, 40) - 12;
	}
}

static void draw_place(uint32_t *seed, struct tl_pack_place *at)
{
	at->line = (uint32_t)draw_near(seed, at->line);
	at->address = draw_near(seed, at->address);
	at->block = chance(seed, 3) ? 0 : draw_near(seed, at->block);
	if (!chance(seed, 4))
		at->file = chance(seed, 200);
}

/* `most` of costs; 0: light ones, which lines mostly have. */
static void draw_costs(uint32_t *seed, struct added *added, uint64_t most)
{
	added->item.cost_count = chance(seed, EVENTS + 1);
	for (uint32_t e = 0; e < added->item.cost_count; e++) {
		const uint64_t cost = chance_bits(seed) % (most ? most : 1000);

		added->costs[e] = chance(seed, 4) ? (int64_t)cost : 0;
		if (most && !chance(seed, 5))
			added->costs[e] = -added->costs[e];
	}
}

static void draw_item(uint32_t *seed, struct added *added, uint64_t most)
{
	struct tl_pack_item *item = &added->item;

	*item = (struct tl_pack_item){ .kind = chance(seed, TL_PACK_KINDS),
				       .at = item->at,
				       .to = item->to,
				       .target = TL_NONE };
	added->function = chance(seed, FUNCTIONS);
	added->part = chance(seed, PARTS);
	draw_place(seed, &item->at);
	draw_costs(seed, added, most);
	if (item->kind == TL_PACK_LINE) {
		item->to = (struct tl_pack_place){ 0 };
		return;
	}
	draw_place(seed, &item->to);
	item->target = chance(seed, 9) ? chance(seed, 300) : TL_NONE;
	item->count = chance(seed, 1000);
	if (item->kind == TL_PACK_JUMP) {
		item->conditional = chance(seed, 2);
		item->taken = chance(seed, 1000);
	}
}

static struct tl_pack *new_pack(uint32_t events)
{
	struct tl_pack *pack = calloc(1, sizeof(*pack));

	assert_non_null(pack);
	for (uint32_t part = 0; part < PARTS; part++)
		assert_true(tl_pack_part(pack, part, events));
	return pack;
}

static void add(struct tl_pack *pack, struct added *added)
{
	added->item.number = pack->next;
	assert_true(tl_pack_in_any_order(pack, added->function, added->part));
	assert_true(tl_pack_add(pack, added->function, added->part, &added->item, added->costs));
}

static void assert_place(const struct tl_pack_place *seen, const struct tl_pack_place *wanted)
{
	assert_int_equal(seen->address, wanted->address);
	assert_int_equal(seen->block, wanted->block);
	assert_int_equal(seen->line, wanted->line);
	assert_int_equal(seen->file, wanted->file);
}

/* The costs as numbers, as text, and added to sums; what is left out at their end is 0. */
static void assert_costs(const struct tl_pack_item *item, const struct added *wanted)
{
	char text[EVENTS * TL_PACK_COST_TEXT + 1], plain[sizeof(text)] = "";
	uint32_t events[EVENTS];
	uint64_t sums[EVENTS] = { 0 };
	int64_t costs[EVENTS] = { 0 };
	uint32_t last = 0;

	for (uint32_t e = 0; e < EVENTS; e++) {
		events[e] = EVENTS - 1 - e;
		if (e < wanted->item.cost_count && wanted->costs[e])
			last = e + 1;
	}
	assert_int_equal(item->cost_count, last);
	tl_pack_costs(item, costs);
	tl_pack_add_costs(item, events, sums);
	*tl_pack_format_costs(item, text) = '\0';
	for (uint32_t e = 0; e < EVENTS; e++) {
		const int64_t cost = e < wanted->item.cost_count ? wanted->costs[e] : 0;

		assert_int_equal(costs[e], cost);
		assert_int_equal(sums[EVENTS - 1 - e], cost);
		if (e < last)
			sprintf(plain + strlen(plain), " %" PRId64, cost);
	}
	assert_string_equal(text, plain);
}

static void assert_item(const struct tl_pack_item *seen, const struct added *wanted)
{
	assert_int_equal(seen->kind, wanted->item.kind);
	assert_int_equal(seen->number, wanted->item.number);
	assert_place(&seen->at, &wanted->item.at);
	assert_costs(seen, wanted);
	assert_int_equal(seen->target, wanted->item.target);
	assert_int_equal(seen->count, wanted->item.count);
	assert_int_equal(seen->taken, wanted->item.taken);
	assert_int_equal(seen->conditional, wanted->item.conditional);
	if (seen->kind != TL_PACK_LINE)
		assert_place(&seen->to, &wanted->item.to);
}

/* The next item of the list that is of a run, from `at` on. */
static size_t next_of_run(const struct list *list, const struct tl_pack_run *run, size_t at)
{
	while (at < list->count &&
	       (list->items[at].function != run->function || list->items[at].part != run->part))
		at++;
	return at;
}

/* One run for each function in each part; all items of the list, each once, as they were added. */
static void assert_pack(const struct tl_pack *pack, const struct list *list)
{
	size_t seen = 0, bytes = 0;

	for (size_t r = 0; r < pack->run_count; r++) {
		const struct tl_pack_run *run = &pack->runs[r];
		const uint32_t count = tl_pack_run_items(run);
		struct tl_pack_item *all = calloc(count + 1, sizeof(*all)), item = { .count = 1 };
		struct tl_pack_cursor cursor = tl_pack_read(run);
		uint32_t counts[TL_PACK_KINDS] = { 0 };
		size_t at = 0;

		assert_non_null(all);
		tl_pack_read_run(run, all);
		for (uint32_t i = 0; i < count; i++, at++) {
			at = next_of_run(list, run, at);
			assert_true(at < list->count);
			assert_true(tl_pack_next(&cursor, &item));
			assert_item(&item, &list->items[at]);
			assert_item(&all[i], &list->items[at]);
			counts[item.kind]++;
		}
		assert_false(tl_pack_next(&cursor, &item));
		assert_int_equal(next_of_run(list, run, at), list->count);
		assert_memory_equal(counts, run->counts, sizeof(counts));
		for (unsigned kind = 0; kind < TL_PACK_KINDS; kind++) {
			cursor = tl_pack_read(run);
			at = 0;
			while (tl_pack_next_of(&cursor, kind, &item)) {
				at = next_of_run(list, run, at);
				while (list->items[at].item.kind != kind)
					at = next_of_run(list, run, at + 1);
				assert_item(&item, &list->items[at++]);
				counts[kind]--;
			}
			assert_int_equal(counts[kind], 0);
		}
		free(all);
		seen += count;
		bytes += run->bytes;
	}
	assert_int_equal(seen, list->count);
	assert_int_equal(tl_pack_size(pack), bytes);
}

/* What the pack says of all items together. */
static void assert_told(const struct tl_pack *pack, const struct list *list)
{
	int64_t sums[PARTS][EVENTS] = { { 0 } };
	bool files[256] = { false }, addresses = false, blocks = false, negative = false;
	uint32_t end = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct added *added = &list->items[i];
		const struct tl_pack_item *item = &added->item;

		files[item->at.file] = true;
		addresses |= item->at.address != 0;
		blocks |= item->at.block != 0;
		end = item->number >= end ? item->number + 1 : end;
		if (item->kind != TL_PACK_LINE) {
			files[item->to.file] = true;
			addresses |= item->to.address != 0;
			blocks |= item->to.block != 0;
		}
		for (uint32_t e = 0; e < item->cost_count; e++) {
			const int64_t cost = added->costs[e];

			negative |= cost < 0;
			/* "sums of the lines of a part": those below zero without their sign */
			if (item->kind == TL_PACK_LINE)
				sums[added->part][e] += cost < 0 ? -cost : cost;
		}
	}
	for (uint32_t file = 0; file < COUNT(files); file++)
		assert_int_equal(tl_pack_has_file(pack, file), files[file]);
	assert_false(tl_pack_has_file(pack, UINT32_MAX));
	assert_int_equal(pack->addresses, addresses);
	assert_int_equal(pack->blocks, blocks);
	assert_int_equal(pack->negative, negative);
	assert_int_equal(pack->end, end);
	for (uint32_t part = 0; part < PARTS; part++)
		assert_memory_equal(pack->sums[part].costs, sums[part], sizeof(sums[part]));
}

/* No sum of some of the items is larger than what the pack weighs. */
static void assert_weight(const struct tl_pack *pack, const struct list *list)
{
	uint64_t counts = 0, most = 0;

	for (size_t i = 0; i < list->count; i++)
		counts += list->items[i].item.count > list->items[i].item.taken
				  ? list->items[i].item.count
				  : list->items[i].item.taken;
	for (uint32_t e = 0; e < EVENTS; e++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < list->count; i++)
			if (e < list->items[i].item.cost_count)
				sum += (uint64_t)llabs(list->items[i].costs[e]);
		most = sum > most ? sum : most;
	}
	assert_true(tl_pack_weight(pack) >= (counts > most ? counts : most));
	/*
	 * ... nor much smaller: what is executed and taken are added as bits, at most twice as
	 * much
	 */
	assert_true(tl_pack_weight(pack) <= (2 * counts > most ? 2 * counts : most));
	assert_false(tl_pack_is_large(pack));
}

TEST(what_is_added_comes_out)
{
	static struct list list;
	uint32_t seed = 1;

	for (unsigned round = 0; round < 30; round++) {
		struct tl_pack *pack = new_pack(EVENTS);
		struct added next = { .item = { .at = { .file = 1 } } };

		list.count = 0;
		while (list.count < 17 * round % ITEMS) {
			draw_item(&seed, &next, round % 3 ? UINT64_C(1) << 30 : 0);
			list.items[list.count] = next;
			add(pack, &list.items[list.count++]);
		}
		assert_pack(pack, &list);
		if (list.count)
			assert_told(pack, &list);
		assert_weight(pack, &list);
		tl_pack_free(pack);
	}
}

/* "An item whose number follows that of the item before has no byte for it"; others have one. */
TEST(items_may_come_in_any_order)
{
	static struct list list;
	struct tl_pack *pack = new_pack(EVENTS);
	struct added next = { .function = 0 };
	uint32_t seed = 2;

	list.count = 0;
	while (list.count < ITEMS) {
		draw_item(&seed, &next, 0);
		if (!chance(&seed, 3))
			pack->next = chance(&seed, 1000000);
		list.items[list.count] = next;
		add(pack, &list.items[list.count++]);
	}
	assert_pack(pack, &list);
	assert_told(pack, &list);
	tl_pack_free(pack);

	/* two lines that follow each other, and one in front of them */
	for (uint32_t number = 0; number < 2; number++) {
		const struct tl_pack_item line = { .kind = TL_PACK_LINE };
		uint64_t size;

		pack = new_pack(1);
		pack->next = 5;
		assert_true(tl_pack_add(pack, 0, 0, &line, NULL));
		size = tl_pack_size(pack);
		pack->next = 6 - 3 * number;
		assert_true(tl_pack_add(pack, 0, 0, &line, NULL));
		/* its first byte and its line; before them a byte that says so, and the number */
		assert_int_equal(tl_pack_size(pack) - size, 2 + 2 * number);
		tl_pack_free(pack);
	}
}

/* Without tl_pack_in_any_order() a function that comes back to a part has another run there. */
TEST(runs_end_with_their_part)
{
	struct tl_pack *pack = new_pack(1);
	const struct tl_pack_item line = { .kind = TL_PACK_LINE };
	static const uint32_t parts[] = { 0, 0, 1, 0, 2, 2 };

	for (size_t i = 0; i < COUNT(parts); i++)
		assert_true(tl_pack_add(pack, 300, parts[i], &line, NULL));
	assert_int_equal(pack->run_count, 4);
	assert_int_equal(tl_pack_run_items(&pack->runs[0]), 2);
	assert_int_equal(tl_pack_run_items(&pack->runs[2]), 1);
	assert_int_equal(pack->runs[2].part, 0);
	assert_int_equal(pack->runs[2].function, 300);
	assert_int_equal(tl_pack_run_items(&pack->runs[3]), 2);
	tl_pack_free(pack);
}

/* ---- lines that follow each other ---- */

/* "The same bytes as of tl_pack_add(), without an item for each." */
TEST(lines_one_after_the_other_are_the_same_bytes)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 60; round++) {
		struct tl_pack *pack = new_pack(TL_PACK_LINE_COSTS),
			       *plain = new_pack(TL_PACK_LINE_COSTS);
		struct tl_pack_place at = { .file = 0 };

		for (unsigned group = 0; group < 6; group++) {
			const uint32_t function = chance(&seed, FUNCTIONS),
				       part = chance(&seed, PARTS);
			struct tl_pack_lines lines;

			at.file = chance(&seed, 100);
			assert_true(tl_pack_lines_begin(&lines, pack, function, part, at.file));
			for (unsigned i = chance(&seed, 40) + 1; i; i--) {
				struct tl_pack_item item = { .kind = TL_PACK_LINE };
				int64_t costs[TL_PACK_LINE_COSTS];
				uint8_t *end;

				at.line = (uint32_t)draw_near(&seed, at.line);
				at.address = round % 2 ? draw_near(&seed, at.address) : 0;
				at.block = round % 3 ? 0 : draw_near(&seed, at.block);
				item.at = lines.at = at;
				item.cost_count = chance(&seed, TL_PACK_LINE_COSTS + 1);
				end = tl_pack_line_place(&lines);
				for (uint32_t e = 0; e < item.cost_count; e++) {
					costs[e] = chance(&seed, 3)
							   ? chance(&seed, 300)
							   : (int64_t)(chance_bits(&seed) >> 40);
					costs[e] += e + 1 == item.cost_count && !costs[e];
					end = tl_pack_line_cost(end, (uint32_t)costs[e]);
					lines.sums[e] += costs[e];
				}
				assert_true(tl_pack_line_end(&lines, end, item.cost_count));
				assert_true(tl_pack_add(plain, function, part, &item, costs));
			}
			/* what does not come to its end is not in the pack */
			tl_pack_line_place(&lines);
			tl_pack_lines_end(&lines);
		}
		assert_int_equal(pack->run_count, plain->run_count);
		assert_int_equal(tl_pack_size(pack), tl_pack_size(plain));
		assert_int_equal(tl_pack_weight(pack), tl_pack_weight(plain));
		assert_int_equal(pack->next, plain->next);
		assert_int_equal(pack->end, plain->end);
		assert_int_equal(pack->addresses, plain->addresses);
		assert_int_equal(pack->blocks, plain->blocks);
		for (size_t i = 0; i < pack->run_count; i++) {
			const struct tl_pack_run *a = &pack->runs[i], *b = &plain->runs[i];
			uint8_t bytes[2][1 << 15];

			assert_memory_equal(a->counts, b->counts, sizeof(a->counts));
			assert_int_equal(a->bytes, b->bytes);
			assert_true(a->bytes <= sizeof(bytes[0]));
			for (int side = 0; side < 2; side++) {
				size_t used = 0;

				for (const struct tl_pack_chunk *chunk = side ? b->first : a->first;
				     chunk; used += chunk->used, chunk = chunk->next)
					memcpy(bytes[side] + used, chunk->data, chunk->used);
			}
			assert_memory_equal(bytes[0], bytes[1], a->bytes);
		}
		for (uint32_t part = 0; part < PARTS; part++)
			assert_memory_equal(pack->sums[part].costs, plain->sums[part].costs,
					    TL_PACK_LINE_COSTS * sizeof(int64_t));
		tl_pack_free(pack);
		tl_pack_free(plain);
	}
}

/* ---- weights ---- */

/* "Sums may not fit 64 bits, and have to be made one by one": from 2^62 on. */
TEST(large_sums_are_told)
{
	static const struct {
		struct tl_pack_item item;
		int64_t cost;
		uint32_t times;
		bool large;
	} cases[] = {
		{ { .kind = TL_PACK_LINE, .cost_count = 1 }, INT64_C(1) << 61, 1, false },
		{ { .kind = TL_PACK_LINE, .cost_count = 1 }, INT64_C(1) << 61, 2, true },
		{ { .kind = TL_PACK_LINE, .cost_count = 1 }, -(INT64_C(1) << 61), 2, true },
		{ { .kind = TL_PACK_LINE, .cost_count = 1 }, INT64_MIN, 1, true },
		{ { .kind = TL_PACK_ARC, .cost_count = 1 }, INT64_C(1) << 61, 1, false },
		{ { .kind = TL_PACK_ARC, .cost_count = 1 }, INT64_C(1) << 61, 2, true },
		{ { .kind = TL_PACK_ARC, .count = UINT64_C(1) << 61 }, 0, 1, false },
		{ { .kind = TL_PACK_ARC, .count = UINT64_C(1) << 61 }, 0, 2, true },
		{ { .kind = TL_PACK_ARC, .count = UINT64_MAX }, 0, 1, true },
		{ { .kind = TL_PACK_JUMP, .taken = UINT64_C(1) << 62 }, 0, 1, true },
		{ { .kind = TL_PACK_LINE, .cost_count = 1 }, (1 << 24) - 1, 100, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_pack *pack = new_pack(1);

		for (uint32_t n = 0; n < cases[i].times; n++)
			assert_true(tl_pack_add(pack, 0, 0, &cases[i].item, &cases[i].cost));
		assert_int_equal(tl_pack_is_large(pack), cases[i].large);
		assert_int_equal(tl_pack_weight(pack) == TL_PACK_LARGE, cases[i].large);
		tl_pack_free(pack);
	}
}

/* Lines of all parts, and the calls of all parts, count together for an event. */
TEST(parts_weigh_together)
{
	struct tl_pack *pack = new_pack(2);
	const struct tl_pack_item line = { .kind = TL_PACK_LINE, .cost_count = 2 };
	const struct tl_pack_item arc = { .kind = TL_PACK_ARC, .cost_count = 2, .count = 7 };
	const int64_t costs[] = { 1000, 10 };

	for (uint32_t part = 0; part < PARTS; part++) {
		assert_true(tl_pack_add(pack, 0, part, &line, costs));
		assert_true(tl_pack_add(pack, 0, part, &arc, costs));
	}
	assert_int_equal(tl_pack_weight(pack), 6 * 1000);
	assert_int_equal(pack->counts, 3 * 7);
	tl_pack_free(pack);
	/* 2^61 in each of two parts is too much, though it is not in one */
	pack = new_pack(2);
	for (uint32_t part = 0; part < 2; part++)
		assert_true(tl_pack_add(pack, 0, part, &line,
					(const int64_t[]){ 0, INT64_C(1) << 61 }));
	assert_true(tl_pack_is_large(pack));
	tl_pack_free(pack);
}

/* ---- events that come later ---- */

/* A part may have more events than those before it, whose costs of these are 0. */
TEST(later_parts_have_more_events)
{
	struct tl_pack *pack = calloc(1, sizeof(*pack));
	const int64_t costs[] = { 5, 50, 500 };

	assert_non_null(pack);
	for (uint32_t part = 0; part < 3; part++) {
		const struct tl_pack_item line = { .kind = TL_PACK_ARC, .cost_count = part + 1 };

		assert_true(tl_pack_part(pack, part, part + 1));
		assert_true(tl_pack_add(pack, 0, part, &line, costs));
		assert_int_equal(pack->sums[part].count, part + 1);
		assert_int_equal(pack->event_count, part + 1);
	}
	assert_int_equal(pack->sizes[0], 15);
	assert_int_equal(pack->sizes[1], 100);
	assert_int_equal(pack->sizes[2], 500);
	assert_int_equal(tl_pack_weight(pack), 500);
	tl_pack_free(pack);
}

/* ---- two packs ---- */

/*
 * Threads make packs of their own: their items are those of both, with the numbers that they had.
 */
TEST(packs_are_joined)
{
	static struct list list;
	uint32_t seed = 6;

	for (unsigned round = 0; round < 20; round++) {
		struct tl_pack *pack = new_pack(EVENTS), *other = new_pack(EVENTS);
		struct added next = { .function = 0 };
		const size_t first = chance(&seed, ITEMS / 2);

		list.count = 0;
		while (list.count < ITEMS / 2 + 50) {
			draw_item(&seed, &next, round % 2 ? 1 << 28 : 0);
			/* of functions that the first one has not */
			next.function += list.count >= first ? FUNCTIONS : 0;
			if (list.count == first)
				other->next = pack->next;
			list.items[list.count] = next;
			add(list.count < first ? pack : other, &list.items[list.count]);
			list.count++;
		}
		assert_true(tl_pack_join(pack, other));
		assert_int_equal(other->run_count, 0);
		tl_pack_free(other);
		assert_pack(pack, &list);
		assert_told(pack, &list);
		assert_weight(pack, &list);
		/* what comes afterwards goes on in the runs that are there */
		for (unsigned more = 0; more < 40; more++) {
			const size_t runs = pack->run_count;

			draw_item(&seed, &next, 0);
			next.function = list.items[chance(&seed, (unsigned)list.count)].function;
			next.part = list.items[0].part;
			list.items[list.count] = next;
			add(pack, &list.items[list.count++]);
			assert_true(pack->run_count <= runs + 1);
		}
		assert_pack(pack, &list);
		tl_pack_free(pack);
	}
}

/* What only one of the two knows, the joined one knows. */
TEST(joined_packs_know_what_each_knew)
{
	static const struct tl_pack_item known[] = {
		{ .kind = TL_PACK_LINE, .at = { .address = 1 } },
		{ .kind = TL_PACK_ARC, .to = { .address = 1 } },
		{ .kind = TL_PACK_LINE, .at = { .block = 1 } },
		{ .kind = TL_PACK_ARC, .cost_count = 1 }, /* of a cost below zero */
		{ .kind = TL_PACK_LINE, .at = { .file = 700 } },
		{ .kind = TL_PACK_JUMP, .to = { .file = 64 } },
		{ .kind = TL_PACK_ARC, .count = UINT64_MAX },
	};
	const struct tl_pack_item plain = { .kind = TL_PACK_ARC, .count = 1 };
	const int64_t below = -1;

	for (size_t i = 0; i < 2 * COUNT(known); i++) {
		const struct tl_pack_item *item = &known[i / 2];
		struct tl_pack *packs[2] = { new_pack(1), new_pack(1) };
		struct tl_pack *knows = packs[i % 2], *other = packs[1 - i % 2];

		knows->next = 90;
		assert_true(tl_pack_add(knows, 0, 0, item, &below));
		assert_true(tl_pack_add(other, 0, 0, &plain, NULL));
		assert_true(tl_pack_join(packs[0], packs[1]));
		assert_int_equal(packs[0]->addresses, i / 2 < 2);
		assert_int_equal(packs[0]->blocks, i / 2 == 2);
		assert_int_equal(packs[0]->negative, i / 2 == 3);
		assert_true(tl_pack_has_file(packs[0], 0));
		for (uint32_t file = 1; file < 1000; file++)
			assert_int_equal(tl_pack_has_file(packs[0], file),
					 file == item->at.file || file == item->to.file);
		assert_int_equal(tl_pack_is_large(packs[0]), i / 2 == 6);
		assert_int_equal(packs[0]->next, 91);
		assert_int_equal(packs[0]->end, 91);
		assert_int_equal(packs[0]->run_count, 2);
		tl_pack_free(packs[0]);
		tl_pack_free(packs[1]);
	}
}

/* What one of the two cannot sum, both together cannot. */
TEST(joined_packs_may_be_large)
{
	static const struct {
		int64_t costs[2];
		bool large;
	} cases[] = {
		{ { INT64_C(1) << 60, INT64_C(1) << 60 }, false },
		{ { INT64_C(1) << 61, INT64_C(1) << 61 }, true },
		{ { INT64_C(1) << 62, 1 }, true },
		{ { 1, INT64_C(1) << 62 }, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_pack *packs[2] = { new_pack(1), new_pack(1) };
		const struct tl_pack_item arc = { .kind = TL_PACK_ARC, .cost_count = 1 };

		for (int side = 0; side < 2; side++)
			assert_true(tl_pack_add(packs[side], 0, 0, &arc, &cases[i].costs[side]));
		assert_true(tl_pack_join(packs[0], packs[1]));
		assert_int_equal(tl_pack_is_large(packs[0]), cases[i].large);
		tl_pack_free(packs[0]);
		tl_pack_free(packs[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_comes_out),
		cmocka_unit_test(items_may_come_in_any_order),
		cmocka_unit_test(runs_end_with_their_part),
		cmocka_unit_test(lines_one_after_the_other_are_the_same_bytes),
		cmocka_unit_test(large_sums_are_told),
		cmocka_unit_test(parts_weigh_together),
		cmocka_unit_test(later_parts_have_more_events),
		cmocka_unit_test(packs_are_joined),
		cmocka_unit_test(joined_packs_know_what_each_knew),
		cmocka_unit_test(joined_packs_may_be_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
