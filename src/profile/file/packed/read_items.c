/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a file as items of a pack. Lines of one function and file that follow each other go from
 * the bytes of a block into the pack, without a row and an item for each; what is not of that form
 * is packed row by row.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "profile/file/reading.h"
#include "profile/file/rows.h"

/* ---- rows ---- */

/* Strings of the file are names of the profile, in their order. A lost one is none. */
static struct tl_pack_place place_of(const struct tl_pfile_packing *p, const uint64_t *row)
{
	return (struct tl_pack_place){
		.file = tl_pfile_number(&p->r->strings, row[0]),
		.line = (uint32_t)tl_min(row[1], UINT32_MAX),
		.address = row[2],
		.block = row[3],
	};
}

/* `part`: as the file has it. */
static int add(struct tl_pfile_packing *p, uint64_t row, uint64_t function, uint64_t part,
	       const struct tl_pack_item *item, const uint64_t *costs)
{
	uint32_t number = tl_pfile_number_or_none(&p->r->parts, part);
	uint32_t owner = tl_pfile_number_or_none(&p->r->functions, function);

	if (number == TL_NONE || owner == TL_NONE || item->at.file == TL_NONE ||
	    item->to.file == TL_NONE)
		return TL_PFILE_NOT_PACKED;
	p->pack->next = tl_pfile_item_number(p, row);
	p->rows++;
	if (tl_pack_in_any_order(p->pack, owner, number) &&
	    tl_pack_add(p->pack, owner, number, item, (const int64_t *)costs))
		return 0;
	return TL_NO_MEMORY;
}

/* Costs of a row from field `at` on, up to the last one that stands there. */
static uint32_t cost_count(uint32_t used, uint32_t at)
{
	return used > at ? used - at : 0;
}

static int pack_line(struct tl_pfile_packing *p, uint64_t number, const uint64_t *row,
		     uint32_t used)
{
	const struct tl_pack_item item = {
		.kind = TL_PACK_LINE,
		.at = place_of(p, row + 2),
		.cost_count = cost_count(used, 6),
	};

	return add(p, number, row[0], row[1], &item, row + 6);
}

static int pack_arc(struct tl_pfile_packing *p, uint64_t number, const uint64_t *row, uint32_t used)
{
	const int side = tl_pfile_range_side(p, row);
	const struct tl_pack_item item = {
		.kind = TL_PACK_ARC,
		.target = tl_pfile_number(&p->r->functions, row[1]),
		.at = place_of(p, row + 3),
		.to = place_of(p, row + 7),
		.count = row[11],
		.cost_count = cost_count(used, 12),
	};

	if (side)
		return side > 0 ? TL_PFILE_BEHIND_RANGE : 0;
	return item.target == TL_NONE ? TL_PFILE_NOT_PACKED
				      : add(p, number, row[0], row[2], &item, row + 12);
}

int tl_pfile_pack_arcs(void *packing, const struct tl_pfile_block *block, const uint8_t *content)
{
	struct tl_pfile_packing *p = packing;
	const uint8_t *pos = content, *end = content + block->raw_bytes;
	const uint32_t keys = tl_pfile_layouts[TL_PFILE_ARCS].keys;
	uint32_t used = 0;
	int status = tl_pfile_keep_rows(p, block, content);

	if (status != TL_PFILE_NOT_KEPT)
		return status;
	status = 0;
	memset(p->row, 0, block->fields * sizeof(*p->row));
	for (uint32_t i = 0; status == 0 && i < block->rows; i++) {
		pos = pos < end ? tl_pfile_take_row(pos, keys, block->fields, p->row, &used) : NULL;
		status = pos && pos <= end ? pack_arc(p, block->first + i, p->row, used)
					   : TL_BAD_RECORD;
	}
	return status == 0 && pos != end ? TL_BAD_RECORD : status;
}

int tl_pfile_pack_jump(void *arg, uint64_t number, const uint64_t *row)
{
	struct tl_pfile_packing *p = arg;
	const int side = tl_pfile_range_side(p, row);
	const struct tl_pack_item item = {
		.kind = TL_PACK_JUMP,
		.target = tl_pfile_number_or_none(&p->r->functions, row[1]),
		.at = place_of(p, row + 3),
		.to = place_of(p, row + 7),
		.conditional = row[11],
		.count = row[12],
		.taken = row[13],
	};

	if (side)
		return side > 0 ? TL_PFILE_BEHIND_RANGE : 0;
	return item.target == TL_NONE ? TL_PFILE_NOT_PACKED
				      : add(p, number, row[0], row[2], &item, NULL);
}

/* ---- lines that follow each other ---- */

/* Fields of a line, as bits of its first group. */
enum {
	LINE = 1 << 3,
	ADDRESS = 1 << 4,
	FIRST_COST = 1 << 6,
	MORE = 1 << 7, /* another group follows */
	OTHER = 0xff ^ (LINE | ADDRESS | FIRST_COST | MORE),
	LINE_KEY = 3,
	ADDRESS_KEY = 4,
	BLOCK_KEY = 5,
	FIRST_COST_FIELD = 6,
	COST_ROOM = TL_PACK_LINE_COSTS + TL_PFILE_GROUP,
};

struct line_rows {
	struct tl_pfile_packing *p;
	struct tl_pack_lines lines;
	bool open;       /* `lines` are those of the row before */
	uint64_t *row;   /* that one, but for its costs, which may be of any row before */
	uint32_t fields; /* of a row */
	uint32_t used;   /* fields of `row` that are not 0 */
	uint32_t costs[COST_ROOM];
};

static inline void put_word(uint8_t *to, uint64_t word)
{
	if (TL_HOST_BIG_ENDIAN)
		word = __builtin_bswap64(word);
	memcpy(to, &word, sizeof(word));
}

/*
 * Up to seven costs, the first of those that `bits` says are there, if they are all of one byte,
 * and none is negative: then their bytes in the pack are the same, and zeros are behind them. NULL:
 * they are of another form.
 */
static inline const uint8_t *take_short(const uint8_t *from, unsigned bits, uint32_t *costs,
					uint8_t *to)
{
	const unsigned count = (unsigned)__builtin_ctz(~bits);
	const uint64_t not_short = UINT64_C(0x8181818181818181);
	uint64_t word = tl_get64s(from, TL_HOST_BIG_ENDIAN) & ((UINT64_C(1) << 8 * count) - 1);

	if (bits & (bits + 1) || word & not_short)
		return NULL;
	put_word(to, word);
	for (unsigned i = 0; i < TL_PFILE_GROUP; i++)
		costs[i] = (uint32_t)(word >> (8 * i + 1)) & ((MORE - 1) >> 1);
	return from + count;
}

/* The same of `count` costs of any size that is small, which are not negative. */
static inline const uint8_t *take_any(const uint8_t *from, unsigned bits, unsigned count,
				      uint32_t *costs, uint8_t **to)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = 0;

		if (bits >> i & 1)
			from = tl_pfile_take_number(from, &value);
		if (!from || value & 1 || value >> (TL_PACK_LIGHT_BITS + 1))
			return NULL;
		costs[i] = (uint32_t)(value >> 1);
		*to = tl_pack_line_cost(*to, costs[i]);
	}
	return from;
}

/* A group of costs behind `at` others, of which `count` belong into the pack. */
static inline const uint8_t *take_group(struct line_rows *l, const uint8_t *from, unsigned bits,
					uint32_t at, unsigned count, uint8_t **to)
{
	const uint8_t *next;

	if (!count || at > TL_PACK_LINE_COSTS - count || FIRST_COST_FIELD + at + count > l->fields)
		return NULL;
	next = take_short(from, bits, l->costs + at, *to);
	if (!next)
		return take_any(from, bits, count, l->costs + at, to);
	*to += count;
	return next;
}

/* The costs of a row, of which `bits` are the first group's. NULL: some are of another form. */
static inline const uint8_t *take_costs(struct line_rows *l, const uint8_t *from, unsigned bits,
					uint8_t **to, uint32_t *count)
{
	uint32_t at = bits & (FIRST_COST | MORE) ? 1 : 0;

	from = take_any(from, bits >> FIRST_COST_FIELD & 1, at, l->costs, to);
	while (from && bits & MORE) {
		unsigned there;

		bits = *from++;
		there = bits & MORE ? TL_PFILE_GROUP : 32 - (unsigned)__builtin_clz(bits | 1);
		from = take_group(l, from, bits & (MORE - 1), at, there, to);
		at += there;
	}
	*count = at;
	/* The last one is not 0, as it is in a file that was written so. */
	return from && (!at || l->costs[at - 1]) ? from : NULL;
}

/* Pack a line that is in the function and file of the one before. NULL: it is of another form. */
static inline const uint8_t *take_plain(struct line_rows *l, const uint8_t *from, uint64_t number)
{
	const unsigned bits = *from++;
	uint64_t line = 0, address = 0;
	uint32_t count = 0;
	uint8_t *to;

	if (bits & OTHER)
		return NULL;
	if (bits & LINE)
		from = tl_pfile_take_number(from, &line);
	if (from && bits & ADDRESS)
		from = tl_pfile_take_number(from, &address);
	line = l->row[LINE_KEY] + tl_unzigzag(line);
	address = l->row[ADDRESS_KEY] + tl_unzigzag(address);
	if (!from || line > UINT32_MAX)
		return NULL;
	l->lines.at.line = (uint32_t)line;
	l->lines.at.address = address;
	l->p->pack->next = tl_pfile_item_number(l->p, number);
	to = tl_pack_line_place(&l->lines);
	from = take_costs(l, from, bits, &to, &count);
	if (!from || !tl_pack_line_end(&l->lines, to, count))
		return NULL;
	for (uint32_t e = 0; e < count; e++)
		l->lines.sums[e] += l->costs[e];
	l->row[LINE_KEY] = line;
	l->row[ADDRESS_KEY] = address;
	l->p->rows++;
	return from;
}

static void close_lines(struct line_rows *l)
{
	if (l->open)
		tl_pack_lines_end(&l->lines);
	l->open = false;
}

/* The next rows may be packed as lines of the function and file of this one, which is packed. */
static int open_lines(struct line_rows *l)
{
	const struct tl_pfile_reading *r = l->p->r;
	const uint64_t *row = l->row;

	if (l->p->pack->large || row[LINE_KEY] > UINT32_MAX)
		return 0;
	if (!tl_pack_lines_begin(&l->lines, l->p->pack, tl_pfile_number(&r->functions, row[0]),
				 tl_pfile_number(&r->parts, row[1]),
				 tl_pfile_number(&r->strings, row[2])))
		return TL_NO_MEMORY;
	l->lines.at.block = row[BLOCK_KEY];
	l->open = true;
	return 0;
}

/* Any row. 0, or what ends the block. */
static int take_row(struct line_rows *l, const uint8_t **pos, uint64_t number)
{
	int side, status;

	close_lines(l);
	*pos = tl_pfile_take_row(*pos, FIRST_COST_FIELD, l->fields, l->row, &l->used);
	if (!*pos)
		return TL_BAD_RECORD;
	side = tl_pfile_range_side(l->p, l->row);
	if (side)
		return side > 0 ? TL_PFILE_BEHIND_RANGE : 0;
	status = pack_line(l->p, number, l->row, l->used);
	return status < 0 ? status : open_lines(l);
}

int tl_pfile_pack_lines(void *packing, const struct tl_pfile_block *block, const uint8_t *content)
{
	struct tl_pfile_packing *p = packing;
	const int kept = tl_pfile_keep_rows(p, block, content);
	struct line_rows l = { .p = p, .row = p->row, .fields = block->fields };
	const uint8_t *pos = content, *end = content + block->raw_bytes, *next;
	int status = 0;

	if (kept != TL_PFILE_NOT_KEPT)
		return kept;
	memset(l.row, 0, l.fields * sizeof(*l.row));
	for (uint32_t i = 0; status == 0 && i < block->rows; i++) {
		if (pos >= end)
			return TL_BAD_RECORD;
		next = l.open ? take_plain(&l, pos, block->first + i) : NULL;
		if (next)
			pos = next;
		else
			status = take_row(&l, &pos, block->first + i);
		if (status == 0 && pos > end)
			status = TL_BAD_RECORD;
	}
	close_lines(&l);
	return status == 0 && pos != end ? TL_BAD_RECORD : status;
}
