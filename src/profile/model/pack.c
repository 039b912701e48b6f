/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/model/pack.h"

#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/text/digits.h"
#include "core/varint.h"
#include "profile/model/pack_numbers.h"

/*
 * An item begins with a byte: its kind, whether address and block differ from those of the item
 * before, and the number of costs, if that is small. A byte of two further kinds may stand before
 * it: OTHER_FILE, where items from there on are of another file, and OTHER_NUMBER, where the item's
 * number is not the next one. The file, or the difference of the numbers, follows that byte.
 */
enum {
	KIND = 3,
	OTHER = 3, /* beside enum tl_pack_kind */
	OTHER_FILE = OTHER,
	OTHER_NUMBER = OTHER | 1 << 2,
	ADDRESS = 1 << 2,
	BLOCK = 1 << 3,
	COST_SHIFT = 4,
	MANY_COSTS = TL_PACK_LINE_COSTS + 1,
	ITEM_BYTES = 16 * TL_VARINT_BYTES, /* without costs */
	SHORT_ITEM = 32,
	LINE_BYTES = 64, /* more than a line has, without its costs, which are light */
	LIGHT_BYTES = 4,
	READ_AHEAD = 8, /* bytes behind the costs of an item, which may be read with them */
	SMALLEST_CHUNK = 64,
	LARGEST_CHUNK = 4000, /* what an arena does not give a block of its own */
	LIGHT_BITS = TL_PACK_LIGHT_BITS,
};

/* ---- numbers ---- */

static inline uint8_t *put_difference(uint8_t *p, uint64_t number, uint64_t base)
{
	return tl_put_varint(p, tl_zigzag(number - base));
}

/* ---- writing ---- */

bool tl_pack_part(struct tl_pack *pack, uint32_t part, uint32_t event_count)
{
	size_t old = pack->event_count, events = event_count;
	uint8_t *room = realloc(pack->room, ITEM_BYTES + events * TL_VARINT_BYTES);
	uint64_t *sizes;

	if (!room)
		return false;
	pack->room = room;
	sizes = realloc(pack->sizes, (events + 1) * sizeof(*sizes));
	if (!sizes)
		return false;
	pack->sizes = sizes;
	memset(sizes + old, 0, (events - old) * sizeof(*sizes));
	pack->event_count = event_count;
	if (!tl_grow(&pack->sums, &pack->part_capacity, (size_t)part + 1, sizeof(*pack->sums)))
		return false;
	for (; pack->part_count <= part; pack->part_count++)
		pack->sums[pack->part_count] = (struct tl_pack_sums){ NULL, 0 };
	pack->sums[part].costs = tl_arena_alloc(&pack->arena, events * sizeof(int64_t));
	if (!pack->sums[part].costs)
		return false;
	pack->sums[part].count = event_count;
	memset(pack->sums[part].costs, 0, events * sizeof(int64_t));
	return true;
}

static struct tl_pack_run *add_run(struct tl_pack *pack, uint32_t function, uint32_t part)
{
	if (pack->run_count >= TL_NONE ||
	    !tl_grow(&pack->runs, &pack->run_capacity, pack->run_count + 1, sizeof(*pack->runs)))
		return NULL;
	pack->run_of[function] = (uint32_t)pack->run_count;
	pack->runs[pack->run_count] = (struct tl_pack_run){ .function = function, .part = part };
	return &pack->runs[pack->run_count++];
}

static bool know_function(struct tl_pack *pack, uint32_t function)
{
	if (!tl_grow(&pack->run_of, &pack->function_capacity, (size_t)function + 1,
		     sizeof(*pack->run_of)))
		return false;
	memset(pack->run_of + pack->function_count, 0xff,
	       (pack->function_capacity - pack->function_count) * sizeof(*pack->run_of));
	pack->function_count = pack->function_capacity;
	return true;
}

static bool is_run_of(const void *context, const void *key, uint32_t number)
{
	const struct tl_pack_run *run = &((const struct tl_pack *)context)->runs[number];
	const uint32_t *wanted = key;

	return run->function == wanted[0] && run->part == wanted[1];
}

bool tl_pack_in_any_order(struct tl_pack *pack, uint32_t function, uint32_t part)
{
	const uint32_t key[] = { function, part };
	const uint64_t hash = tl_hash_pair(function, part);
	uint32_t run;

	if (function >= pack->function_count && !know_function(pack, function))
		return false;
	run = pack->run_of[function];
	if (run != TL_NONE && pack->runs[run].part == part)
		return true;
	run = tl_index_find(&pack->by_part, hash, is_run_of, pack, key);
	if (run != TL_NONE) {
		pack->run_of[function] = run;
		return true;
	}
	return add_run(pack, function, part) &&
	       tl_index_add(&pack->by_part, hash, pack->run_of[function]);
}

static inline struct tl_pack_run *run_of(struct tl_pack *pack, uint32_t function, uint32_t part)
{
	if (function >= pack->function_count && !know_function(pack, function))
		return NULL;
	if (pack->run_of[function] != TL_NONE && pack->runs[pack->run_of[function]].part == part)
		return &pack->runs[pack->run_of[function]];
	return add_run(pack, function, part);
}

bool tl_pack_know_file(struct tl_pack *pack, uint32_t name)
{
	size_t words = (size_t)name / 64 + 1;

	if (words > pack->file_words) {
		if (!tl_grow(&pack->files, &pack->file_capacity, words, sizeof(*pack->files)))
			return false;
		memset(pack->files + pack->file_words, 0,
		       (pack->file_capacity - pack->file_words) * sizeof(*pack->files));
		pack->file_words = pack->file_capacity;
	}
	pack->files[name / 64] |= UINT64_C(1) << name % 64;
	return true;
}

/* Most items are in the file of the one before. */
static inline bool know_files(struct tl_pack *pack, const struct tl_pack_run *run,
			      const struct tl_pack_item *item)
{
	return ((run->first && item->at.file == run->previous.file) ||
		tl_pack_know_file(pack, item->at.file)) &&
	       (item->kind == TL_PACK_LINE || tl_pack_know_file(pack, item->to.file));
}

/* A quarter of what the run has already, so that little is left free. */
static bool add_chunk(struct tl_pack *pack, struct tl_pack_run *run, size_t item)
{
	const uint64_t quarter = tl_max(run->bytes / 4, (uint64_t)SMALLEST_CHUNK);
	size_t size = (size_t)tl_min(quarter, (uint64_t)LARGEST_CHUNK);
	struct tl_pack_chunk *chunk;

	size = tl_max(size, item);
	chunk = tl_arena_alloc(&pack->arena, sizeof(*chunk) + size + READ_AHEAD);
	if (!chunk)
		return false;
	*chunk = (struct tl_pack_chunk){ .size = (uint32_t)size };
	if (run->last)
		run->last->next = chunk;
	else
		run->first = chunk;
	run->last = chunk;
	return true;
}

static inline uint64_t without_sign(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

/*
 * A line whose costs are so small that sums which are not large can have as many of these as memory
 * holds.
 */
static inline bool is_light(const struct tl_pack_item *item, const int64_t *costs)
{
	uint64_t all = 0;

	for (uint32_t e = 0; e < item->cost_count; e++)
		all |= (uint64_t)costs[e];
	return item->kind == TL_PACK_LINE && !(all >> LIGHT_BITS);
}

/* What all items have together: no sum of some of them can be larger. */
static void weigh(struct tl_pack *pack, const struct tl_pack_item *item, int64_t *sums,
		  const int64_t *costs)
{
	uint64_t *to = item->kind == TL_PACK_LINE ? (uint64_t *)sums : pack->sizes, all;

	if (is_light(item, costs)) {
		for (uint32_t e = 0; e < item->cost_count && !pack->large; e++)
			sums[e] += costs[e];
		return;
	}
	if (pack->large)
		return;
	pack->counts += item->count | item->taken;
	all = pack->counts | item->count | item->taken;
	for (uint32_t e = 0; e < item->cost_count; e++) {
		to[e] += without_sign(costs[e]);
		pack->negative |= costs[e] < 0;
		all |= to[e];
	}
	pack->large = all >= TL_PACK_LARGE;
}

uint64_t tl_pack_weight(const struct tl_pack *pack)
{
	uint64_t most = pack->large ? TL_PACK_LARGE : pack->counts;

	for (uint32_t e = 0; e < pack->event_count && most < TL_PACK_LARGE; e++) {
		uint64_t size = pack->sizes[e];

		for (size_t i = 0; i < pack->part_count && size < TL_PACK_LARGE; i++)
			if (e < pack->sums[i].count)
				size += (uint64_t)pack->sums[i].costs[e];
		most = tl_max(most, size);
	}
	return tl_min(most, TL_PACK_LARGE);
}

uint64_t tl_pack_size(const struct tl_pack *pack)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < pack->run_count; i++)
		bytes += pack->runs[i].bytes;
	return bytes;
}

static inline uint8_t *put_place(uint8_t *p, uint8_t *head, const struct tl_pack_place *at,
				 const struct tl_pack_place *base)
{
	p = put_difference(p, at->line, base->line);
	if (at->address != base->address) {
		*head |= ADDRESS;
		p = put_difference(p, at->address, base->address);
	}
	if (at->block != base->block) {
		*head |= BLOCK;
		p = put_difference(p, at->block, base->block);
	}
	return p;
}

static uint8_t *put_target(uint8_t *p, const struct tl_pack_item *item)
{
	p = tl_put_varint(p, item->target);
	p = tl_put_varint(p, item->count);
	p = tl_put_varint(p, item->to.file);
	p = tl_put_varint(p, item->to.line);
	p = put_difference(p, item->to.address, item->at.address);
	p = tl_put_varint(p, item->to.block);
	if (item->kind == TL_PACK_JUMP) {
		*p++ = item->conditional;
		p = tl_put_varint(p, item->taken);
	}
	return p;
}

/* What stands before an item: its number, where it is not the next one, and another file. */
static inline uint8_t *put_others(uint8_t *p, uint32_t number_step, uint32_t file,
				  uint32_t previous)
{
	if (number_step) {
		*p++ = OTHER_NUMBER;
		p = put_difference(p, (uint64_t)(int64_t)(int32_t)number_step, 0);
	}
	if (file != previous) {
		*p++ = OTHER_FILE;
		p = tl_put_varint(p, file);
	}
	return p;
}

static uint8_t *put_item(uint8_t *p, const struct tl_pack_item *item, const int64_t *costs,
			 const struct tl_pack_place *base, uint32_t number_step)
{
	uint32_t count = item->cost_count;
	uint8_t *head;

	while (count && !costs[count - 1])
		count--;
	p = put_others(p, number_step, item->at.file, base->file);
	head = p++;
	*head = (uint8_t)((unsigned)item->kind | tl_min(count, (uint32_t)MANY_COSTS) << COST_SHIFT);
	p = put_place(p, head, &item->at, base);
	if (count >= MANY_COSTS)
		p = tl_put_varint(p, count);
	if (item->kind != TL_PACK_LINE)
		p = put_target(p, item);
	for (uint32_t e = 0; e < count; e++)
		p = tl_put_varint(p, tl_zigzag((uint64_t)costs[e]));
	return p;
}

/* An item of so many bytes has been put to the end of the run. */
static inline void take_in(struct tl_pack *pack, struct tl_pack_run *run, size_t size,
			   const struct tl_pack_place *at)
{
	run->last->used += (uint32_t)size;
	run->bytes += size;
	run->previous = *at;
	run->next = ++pack->next;
}

/* Append the item that is in pack->room, up to `end`, to the run. False without memory. */
static inline bool append(struct tl_pack *pack, struct tl_pack_run *run, const uint8_t *end,
			  const struct tl_pack_place *at)
{
	const size_t size = (size_t)(end - pack->room);

	if ((!run->last || size > run->last->size - run->last->used) && !add_chunk(pack, run, size))
		return false;
	/* Most are short, and of a size that is known a copy is two instructions. */
	if (size <= SHORT_ITEM && run->last->size - run->last->used >= SHORT_ITEM)
		memcpy(run->last->data + run->last->used, pack->room, SHORT_ITEM);
	else
		memcpy(run->last->data + run->last->used, pack->room, size);
	take_in(pack, run, size, at);
	return true;
}

bool tl_pack_add(struct tl_pack *pack, uint32_t function, uint32_t part,
		 const struct tl_pack_item *item, const int64_t *costs)
{
	struct tl_pack_run *run = run_of(pack, function, part);
	const uint8_t *end;

	if (!run || pack->next == TL_NONE || !know_files(pack, run, item))
		return false;
	end = put_item(pack->room, item, costs, &run->previous, pack->next - run->next);
	if (!append(pack, run, end, &item->at))
		return false;
	run->counts[item->kind]++;
	pack->end = tl_max(pack->end, pack->next);
	pack->addresses = pack->addresses || item->at.address || item->to.address;
	pack->blocks = pack->blocks || item->at.block || item->to.block;
	weigh(pack, item, pack->sums[part].costs, costs);
	return true;
}

/* ---- lines that follow each other ---- */

bool tl_pack_lines_begin(struct tl_pack_lines *lines, struct tl_pack *pack, uint32_t function,
			 uint32_t part, uint32_t file)
{
	struct tl_pack_run *run = run_of(pack, function, part);

	if (!run || !tl_pack_know_file(pack, file))
		return false;
	*lines = (struct tl_pack_lines){
		.pack = pack,
		.run = run,
		.sums = pack->sums[part].costs,
		.at = { .file = file },
	};
	return true;
}

uint8_t *tl_pack_line_place(struct tl_pack_lines *lines)
{
	const struct tl_pack_run *run = lines->run;
	struct tl_pack_chunk *last = run->last;
	uint8_t *p = lines->pack->room;

	/* A copy of bytes that were just written one by one would wait for all of them. */
	if (last &&
	    last->size - last->used >= LINE_BYTES + (size_t)lines->pack->event_count * LIGHT_BYTES)
		p = last->data + last->used;
	lines->begin = p;
	p = put_others(p, lines->pack->next - run->next, lines->at.file, run->previous.file);
	lines->head = p++;
	*lines->head = TL_PACK_LINE;
	return put_place(p, lines->head, &lines->at, &run->previous);
}

bool tl_pack_line_end(struct tl_pack_lines *lines, const uint8_t *end, uint32_t count)
{
	struct tl_pack *pack = lines->pack;

	*lines->head = (uint8_t)(*lines->head | count << COST_SHIFT);
	if (pack->next == TL_NONE)
		return false;
	if (lines->begin != pack->room)
		take_in(pack, lines->run, (size_t)(end - lines->begin), &lines->at);
	else if (!append(pack, lines->run, end, &lines->at))
		return false;
	lines->addresses |= lines->at.address;
	lines->blocks |= lines->at.block;
	lines->count++;
	return true;
}

void tl_pack_lines_end(struct tl_pack_lines *lines)
{
	struct tl_pack *pack = lines->pack;

	lines->run->counts[TL_PACK_LINE] += lines->count;
	pack->end = tl_max(pack->end, pack->next);
	pack->addresses = pack->addresses || lines->addresses;
	pack->blocks = pack->blocks || lines->blocks;
}

void tl_pack_free(struct tl_pack *pack)
{
	if (!pack)
		return;
	tl_arena_free(&pack->arena);
	tl_index_free(&pack->by_part);
	free(pack->runs);
	free(pack->run_of);
	free(pack->sums);
	free(pack->sizes);
	free(pack->files);
	free(pack->room);
	for (size_t i = 0; i < TL_PACK_KINDS; i++)
		free(pack->orders.rows[i]);
	free(pack->orders.functions);
	free(pack);
}

/* ---- reading ---- */

struct tl_pack_cursor tl_pack_read(const struct tl_pack_run *run)
{
	struct tl_pack_cursor cursor = tl_pack_read_rows(run->rows);

	cursor.chunk = run->first;
	return cursor;
}

static const uint8_t *take_target(const uint8_t *p, struct tl_pack_item *item)
{
	uint64_t target, file, line;

	p = tl_pack_take_number(p, &target);
	p = tl_pack_take_number(p, &item->count);
	p = tl_pack_take_number(p, &file);
	p = tl_pack_take_number(p, &line);
	p = tl_pack_take_difference(p, &item->to.address, item->at.address);
	p = tl_pack_take_number(p, &item->to.block);
	item->target = (uint32_t)target;
	item->to.file = (uint32_t)file;
	item->to.line = (uint32_t)line;
	if (item->kind == TL_PACK_JUMP) {
		item->conditional = *p++;
		p = tl_pack_take_number(p, &item->taken);
	}
	return p;
}

/* Take a byte that stands before an item, and what follows it. */
static const uint8_t *take_other(const uint8_t *p, struct tl_pack_item *item)
{
	uint8_t other = *p;
	uint64_t number;

	p = tl_pack_take_number(p + 1, &number);
	if (other == OTHER_FILE)
		item->at.file = (uint32_t)number;
	else
		item->number += (uint32_t)tl_unzigzag(number);
	return p;
}

/* `end`: of what can be read. */
static inline const uint8_t *take_item(const uint8_t *p, const uint8_t *end,
				       struct tl_pack_item *item)
{
	uint64_t number;
	uint8_t head;

	while ((*p & KIND) == OTHER)
		p = take_other(p, item);
	head = *p++;
	item->kind = head & KIND;
	p = tl_pack_take_difference(p, &number, item->at.line);
	item->at.line = (uint32_t)number;
	if (head & ADDRESS)
		p = tl_pack_take_difference(p, &item->at.address, item->at.address);
	if (head & BLOCK)
		p = tl_pack_take_difference(p, &item->at.block, item->at.block);
	number = head >> COST_SHIFT;
	if (number == MANY_COSTS)
		p = tl_pack_take_number(p, &number);
	item->cost_count = (uint32_t)number;
	if (item->kind != TL_PACK_LINE)
		p = take_target(p, item);
	item->costs = p;
	return tl_pack_skip_numbers(p, end, item->cost_count);
}

static inline bool next_item(struct tl_pack_cursor *cursor, struct tl_pack_item *item)
{
	const uint8_t *data;

	if (cursor->rows && tl_pack_next_row(cursor, TL_PACK_KINDS, item))
		return true;
	while (cursor->chunk && cursor->at == cursor->chunk->used) {
		cursor->chunk = cursor->chunk->next;
		cursor->at = 0;
		if (cursor->chunk)
			__builtin_prefetch(cursor->chunk->next);
	}
	if (!cursor->chunk)
		return false;
	item->at = cursor->previous;
	item->number = cursor->next;
	item->target = TL_NONE;
	item->count = item->taken = 0;
	item->conditional = item->grouped = false;
	data = cursor->chunk->data;
	cursor->at =
		(uint32_t)(take_item(data + cursor->at, data + cursor->chunk->used, item) - data);
	cursor->previous = item->at;
	cursor->next = item->number + 1;
	return true;
}

bool tl_pack_next(struct tl_pack_cursor *cursor, struct tl_pack_item *item)
{
	return next_item(cursor, item);
}

bool tl_pack_next_of(struct tl_pack_cursor *cursor, enum tl_pack_kind kind,
		     struct tl_pack_item *item)
{
	if (cursor->rows && tl_pack_next_row(cursor, kind, item))
		return true;
	while (next_item(cursor, item))
		if (item->kind == kind)
			return true;
	return false;
}

void tl_pack_read_run(const struct tl_pack_run *run, struct tl_pack_item *items)
{
	struct tl_pack_cursor cursor = tl_pack_read(run);

	for (uint32_t i = 0, count = tl_pack_run_items(run); i < count; i++)
		if (!next_item(&cursor, &items[i]))
			return;
}

/* Where the reading of costs is. */
struct cost_reading {
	const uint8_t *p;
	unsigned bits, left; /* of the present group of a row */
	bool grouped;
};

static inline struct cost_reading read_costs(const struct tl_pack_item *item)
{
	return (struct cost_reading){ item->costs, item->bits, item->bit_count, item->grouped };
}

/* Zigzag; in groups a cost of 0 is left out. */
static inline uint64_t next_cost(struct cost_reading *r)
{
	uint64_t number = 0;

	if (r->grouped) {
		unsigned bits = r->bits;

		if (!r->left) {
			bits = *r->p++;
			r->left = TL_PACK_GROUP;
		}
		r->bits = bits >> 1;
		r->left--;
		if (!(bits & 1))
			return 0;
	}
	r->p = tl_pack_take_number(r->p, &number);
	return number;
}

void tl_pack_costs(const struct tl_pack_item *item, int64_t *costs)
{
	struct cost_reading r = read_costs(item);

	for (uint32_t e = 0; e < item->cost_count; e++)
		costs[e] = (int64_t)tl_unzigzag(next_cost(&r));
}

char *tl_pack_format_costs(const struct tl_pack_item *item, char *text)
{
	struct cost_reading r = read_costs(item);

	for (uint32_t e = 0; e < item->cost_count; e++) {
		const uint64_t number = next_cost(&r);

		*text++ = ' ';
		if (number & 1)
			*text++ = '-';
		text = tl_format_number(text, (number >> 1) + (number & 1));
	}
	return text;
}

void tl_pack_add_costs(const struct tl_pack_item *item, const uint32_t *events, uint64_t *sums)
{
	struct cost_reading r = read_costs(item);

	for (uint32_t e = 0; e < item->cost_count; e++)
		sums[events[e]] += tl_unzigzag(next_cost(&r));
}
