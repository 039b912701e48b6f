/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a profile file that a pack has kept as they were, into a file again: bytes are copied,
 * but for the first row that a function has in a block.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "profile/file/file_write.h"

struct row_copying {
	const struct tl_pfile_packed *p;
	enum tl_pack_kind kind;
	uint32_t events;
	/* Runs that have rows, in the order of the file, and how many rows are before each. */
	const struct tl_pack_run **runs;
	size_t *before; /* one more: of all */
	size_t count;
	const struct tl_pack_origin *origin;
};

enum { VALUES = 1 }; /* of an arc, before its costs: calls */

/* ---- whether they can be copied ---- */

/* Texts, functions and events have the same numbers in both files. */
static bool are_same_numbers(const struct tl_pfile_packed *p)
{
	const struct tl_profile *from = p->from;
	const uint32_t *functions = from->pack->orders.functions;

	if (!p->same_events || from->event_count != p->canon->profile->event_count)
		return false;
	for (uint32_t i = 0; i < from->names.count; i++)
		if (p->ranks[i] != TL_NONE && p->ranks[i] != i)
			return false;
	for (uint32_t i = 0; i < from->functions.table.count; i++)
		if (tl_pfile_function_place(p, functions ? functions[i] : i) != i)
			return false;
	return true;
}

static int compare_places(const struct tl_pack_place *a, const struct tl_pack_place *b)
{
	int order = tl_compare(a->file, b->file);

	order = order ? order : tl_compare(a->line, b->line);
	order = order ? order : tl_compare(a->address, b->address);
	return order ? order : tl_compare(a->block, b->block);
}

static int compare_keys(const struct tl_pack_keys *a, const struct tl_pack_keys *b)
{
	int order = tl_compare(a->target, b->target);

	order = order ? order : compare_places(&a->at, &b->at);
	return order ? order : compare_places(&a->to, &b->to);
}

static struct tl_pack_keys first_keys(const struct tl_pack_rows *rows)
{
	struct tl_pack_cursor cursor = tl_pack_read_rows(rows);
	struct tl_pack_item item;

	tl_pack_next_row(&cursor, rows->kind, &item);
	return cursor.keys;
}

/* Whether all items of a kind are rows of one file, one behind the other. */
static bool are_rows(struct row_copying *c, const struct tl_pack_run *run)
{
	const enum tl_pack_kind kind = c->kind;
	const struct tl_pack_rows *before = NULL;
	uint32_t left = run->counts[kind];

	for (const struct tl_pack_rows *rows = run->rows; rows; rows = rows->next) {
		struct tl_pack_keys first;

		if (rows->kind != kind)
			continue;
		left -= rows->count;
		first = first_keys(rows);
		c->origin = c->origin ? c->origin : rows->origin;
		if (rows->origin->order != c->origin->order ||
		    (before && compare_keys(&before->last, &first) >= 0))
			return false;
		before = rows;
	}
	return !left;
}

/* Runs whose rows would have to be sorted together. */
static bool are_same_group(const struct row_copying *c, const struct tl_pack_run *a,
			   const struct tl_pack_run *b)
{
	return tl_pfile_function_place(c->p, a->function) ==
		       tl_pfile_function_place(c->p, b->function) &&
	       (c->kind != TL_PACK_LINE ||
		tl_pfile_part_place(c->p, a->part) == tl_pfile_part_place(c->p, b->part));
}

/* False: they cannot be copied. */
static bool list_runs(struct row_copying *c)
{
	const struct tl_pack *pack = c->p->from->pack;
	size_t rows = 0;

	for (size_t i = 0; i < pack->run_count; i++) {
		const struct tl_pack_run *run = &pack->runs[c->p->runs[i]];

		if (!run->counts[c->kind])
			continue;
		if (!are_rows(c, run) ||
		    (c->count && are_same_group(c, c->runs[c->count - 1], run)))
			return false;
		c->runs[c->count] = run;
		c->before[c->count++] = rows;
		rows += run->counts[c->kind];
	}
	c->before[c->count] = rows;
	return rows && rows == c->origin->end - c->origin->first;
}

/* ---- the order that elements had ---- */

static const struct tl_pack_rows *next_rows(const struct tl_pack_rows *rows, enum tl_pack_kind kind)
{
	while (rows && rows->kind != kind)
		rows = rows->next;
	return rows;
}

static uint32_t *put_numbers(uint32_t *to, const struct tl_pack_rows *rows)
{
	if (rows->origin->order) {
		memcpy(to, rows->origin->order + rows->row, rows->count * sizeof(*to));
		return to + rows->count;
	}
	for (uint32_t i = 0; i < rows->count; i++)
		*to++ = rows->row + i;
	return to;
}

/* All rows of a section have the numbers from 0 on. False without memory. */
static bool note_numbers(const struct row_copying *c, struct tl_pfile_packed *p)
{
	uint32_t *to;

	if (!tl_grow(&p->numbers, &p->number_capacity, c->before[c->count], sizeof(*p->numbers)))
		return false;
	to = p->numbers;
	for (size_t i = 0; i < c->count; i++)
		for (const struct tl_pack_rows *rows = next_rows(c->runs[i]->rows, c->kind); rows;
		     rows = next_rows(rows->next, c->kind))
			to = put_numbers(to, rows);
	p->number_count = c->before[c->count];
	return true;
}

/* ---- rows ---- */

static void put_place(const struct tl_pack_place *at, uint64_t *key)
{
	key[0] = at->file;
	key[1] = at->line;
	key[2] = at->address;
	key[3] = at->block;
}

static void put_keys(const struct row_copying *c, const struct tl_pack_run *run,
		     const struct tl_pack_keys *keys, uint64_t *row)
{
	row[0] = tl_pfile_function_place(c->p, run->function);
	if (c->kind == TL_PACK_LINE) {
		row[1] = tl_pfile_part_place(c->p, run->part);
		put_place(&keys->at, row + 2);
		return;
	}
	row[1] = keys->target;
	row[2] = tl_pfile_part_place(c->p, run->part);
	put_place(&keys->at, row + 3);
	put_place(&keys->to, row + 3 + TL_PFILE_PLACE_FIELDS);
}

/* The next row; how many of its fields stand there. */
static uint32_t take_row(const struct row_copying *c, const struct tl_pack_run *run,
			 struct tl_pack_cursor *cursor, uint64_t *row)
{
	uint64_t *values = row + (c->kind == TL_PACK_LINE ? TL_PFILE_LINE_KEYS : TL_PFILE_ARC_KEYS);
	struct tl_pack_item item;

	tl_pack_next_row(cursor, c->kind, &item);
	put_keys(c, run, &cursor->keys, row);
	if (c->kind == TL_PACK_ARC) {
		*values = item.count;
		values += VALUES;
	}
	tl_pack_costs(&item, (int64_t *)values);
	return (uint32_t)(values - row) + item.cost_count;
}

/*
 * Lines `cursor->row` .. `end` - 1 behind one that is in the block, whose costs are in `row`. The
 * costs of all are known if the block has all lines.
 */
static int copy_lines(const struct row_copying *c, const struct tl_pack_run *run,
		      struct tl_pack_cursor *cursor, uint32_t end, struct tl_pfile_row_block *block,
		      uint64_t *row)
{
	const struct tl_pack_rows *rows = cursor->rows;
	const uint32_t begin = cursor->row_at, count = end - cursor->row;
	uint64_t *costs = row + TL_PFILE_LINE_KEYS;

	if (cursor->row == 1 && end == rows->count) {
		for (uint32_t e = 0; e < c->events; e++)
			costs[e] = rows->sums[e] - costs[e];
		cursor->row_at = rows->bytes;
		cursor->keys = rows->last;
	} else {
		memset(costs, 0, c->events * sizeof(*costs));
		while (cursor->row < end) {
			struct tl_pack_item item;

			tl_pack_next_row(cursor, c->kind, &item);
			tl_pack_add_costs(&item, c->p->map.events, costs);
		}
	}
	put_keys(c, run, &cursor->keys, row);
	return tl_pfile_row_block_copy_lines(block, row, count, rows->data + begin,
					     cursor->row_at - begin, costs);
}

/* The sums of arcs are by the function that they lead to, so that each is read. */
static int copy_arcs(const struct row_copying *c, const struct tl_pack_run *run,
		     struct tl_pack_cursor *cursor, uint32_t end, struct tl_pfile_row_block *block,
		     uint64_t *row)
{
	const uint8_t *data = cursor->rows->data;
	int status = 0;

	while (status == 0 && cursor->row < end) {
		const uint32_t begin = cursor->row_at;
		const uint32_t used = take_row(c, run, cursor, row);

		status = tl_pfile_row_block_copy(block, row, used, data + begin,
						 cursor->row_at - begin);
	}
	return status;
}

/* Rows `first` .. `end` - 1 of these. */
static int copy_rows(const struct row_copying *c, const struct tl_pack_run *run,
		     const struct tl_pack_rows *rows, uint32_t first, uint32_t end,
		     struct tl_pfile_row_block *block, uint64_t *row)
{
	struct tl_pack_cursor cursor = tl_pack_read_rows(rows);
	struct tl_pack_item item;
	uint32_t used;
	int status;

	while (cursor.row < first)
		tl_pack_next_row(&cursor, c->kind, &item);
	used = take_row(c, run, &cursor, row);
	status = tl_pfile_row_block_add(block, row, used);
	if (status || cursor.row == end)
		return status;
	if (c->kind == TL_PACK_ARC)
		return copy_arcs(c, run, &cursor, end, block, row);
	memset(row + used, 0, (TL_PFILE_LINE_KEYS + c->events - used) * sizeof(*row));
	return copy_lines(c, run, &cursor, end, block, row);
}

/* The run that a row is of. */
static size_t find_run(const struct row_copying *c, size_t row)
{
	size_t low = 0, high = c->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (c->before[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int fill_block(const void *arg, struct tl_pfile_row_block *block, size_t first, size_t end,
		      uint64_t *row)
{
	const struct row_copying *c = arg;
	int status = 0;

	for (size_t i = find_run(c, first); status == 0 && first < end; i++) {
		size_t at = c->before[i];

		for (const struct tl_pack_rows *rows = next_rows(c->runs[i]->rows, c->kind);
		     status == 0 && rows && at < end; rows = next_rows(rows->next, c->kind)) {
			const size_t begin = tl_max(first, at), behind = at + rows->count;

			if (begin < behind)
				status =
					copy_rows(c, c->runs[i], rows, (uint32_t)(begin - at),
						  (uint32_t)(tl_min(end, behind) - at), block, row);
			at = behind;
		}
		first = tl_max(first, at);
	}
	return status;
}

int tl_pfile_packed_copy(struct tl_pfile_packed *p, enum tl_pfile_section section,
			 struct tl_pfile_writer *writer, unsigned jobs)
{
	const size_t runs = p->from->pack->run_count;
	struct row_copying c = {
		.p = p,
		.kind = (enum tl_pack_kind)(section - TL_PFILE_LINES),
		.events = p->from->event_count,
	};
	int status = 0;

	if (c.kind == TL_PACK_JUMP || !are_same_numbers(p))
		return 0;
	c.runs = tl_alloc_many(runs + 1, sizeof(const struct tl_pack_run *));
	c.before = tl_alloc_many(runs + 1, sizeof(*c.before));
	if (!c.runs || !c.before)
		status = TL_NO_MEMORY;
	if (status == 0 && list_runs(&c)) {
		tl_pfile_write_blocks(writer, c.before[c.count], fill_block, &c, jobs);
		status = !p->ordered || note_numbers(&c, p) ? 1 : TL_NO_MEMORY;
	}
	free(c.runs);
	free(c.before);
	return status;
}
