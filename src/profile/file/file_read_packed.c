/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, arcs and jumps into a pack, for who only writes them again. The rows of each of these
 * sections are sorted by function, so that threads make packs of some of the functions each, which
 * are joined then.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/pool.h"
#include "profile/file/reading.h"

/* The functions `begin` .. `end` - 1 of the file. */
struct packing {
	const struct tl_pfile_reading *r;
	struct tl_pfile_reader reader; /* of its own */
	struct tl_pack *pack;
	uint64_t begin, end;
	uint64_t rows; /* that were taken */
	const uint32_t
		*order; /* of the section: the number that each row had; NULL: that of the row */
	uint32_t first; /* items of the sections before */
};

struct packed_kind {
	enum tl_pfile_section section, order_section;
	tl_pfile_row_fn *take;
	size_t *blocks; /* of the section, by number in the file */
	size_t block_count;
	uint32_t *order;
	uint32_t first;
};

enum { KINDS = TL_PACK_KINDS };

/* The packs of a profile that is read. */
struct packings {
	struct tl_pfile_reading *r;
	struct packed_kind kinds[KINDS];
	struct packing ranges[TL_PFILE_SHARES];
	size_t range_count;
};

enum {
	/* Ends the reading: an element has no part, or no function, or something is damaged. */
	NOT_PACKED = TL_UNSUPPORTED,
	BEHIND_RANGE = 1, /* ends that of a section */
};

/* ---- rows ---- */

/* Strings of the file are names of the profile, in their order. A lost one is none. */
static struct tl_pack_place place_of(const struct packing *p, const uint64_t *row)
{
	return (struct tl_pack_place){
		.file = tl_pfile_number(&p->r->strings, row[0]),
		.line = (uint32_t)tl_min(row[1], UINT32_MAX),
		.address = row[2],
		.block = row[3],
	};
}

/* `part`: as the file has it. */
static int add(struct packing *p, uint64_t row, uint64_t function, uint64_t part,
	       const struct tl_pack_item *item, const uint64_t *costs)
{
	uint32_t number = tl_pfile_number_or_none(&p->r->parts, part);
	uint32_t owner = tl_pfile_number_or_none(&p->r->functions, function);

	if (number == TL_NONE || owner == TL_NONE || item->at.file == TL_NONE ||
	    item->to.file == TL_NONE)
		return NOT_PACKED;
	p->pack->next = p->first + (p->order ? p->order[row] : (uint32_t)row);
	p->rows++;
	if (tl_pack_in_any_order(p->pack, owner, number) &&
	    tl_pack_add(p->pack, owner, number, item, (const int64_t *)costs))
		return 0;
	return TL_NO_MEMORY;
}

/* Costs of a row from field `at` on, up to the last one that stands there. */
static uint32_t cost_count(const struct packing *p, uint32_t at)
{
	return p->reader.used > at ? p->reader.used - at : 0;
}

static int pack_line(struct packing *p, uint64_t number, const uint64_t *row)
{
	const struct tl_pack_item item = {
		.kind = TL_PACK_LINE,
		.at = place_of(p, row + 2),
		.cost_count = cost_count(p, 6),
	};

	return add(p, number, row[0], row[1], &item, row + 6);
}

static int pack_arc(struct packing *p, uint64_t number, const uint64_t *row)
{
	const struct tl_pack_item item = {
		.kind = TL_PACK_ARC,
		.target = tl_pfile_number(&p->r->functions, row[1]),
		.at = place_of(p, row + 3),
		.to = place_of(p, row + 7),
		.count = row[11],
		.cost_count = cost_count(p, 12),
	};

	return item.target == TL_NONE ? NOT_PACKED
				      : add(p, number, row[0], row[2], &item, row + 12);
}

static int pack_jump(struct packing *p, uint64_t number, const uint64_t *row)
{
	const struct tl_pack_item item = {
		.kind = TL_PACK_JUMP,
		.target = tl_pfile_number_or_none(&p->r->functions, row[1]),
		.at = place_of(p, row + 3),
		.to = place_of(p, row + 7),
		.conditional = row[11],
		.count = row[12],
		.taken = row[13],
	};

	return item.target == TL_NONE ? NOT_PACKED : add(p, number, row[0], row[2], &item, NULL);
}

/* Where a row stands to the range: 1 behind it, -1 before it. */
static int range_side(const struct packing *p, const uint64_t *row)
{
	return row[0] < p->begin ? -1 : row[0] >= p->end;
}

static int take_line(void *arg, uint64_t number, const uint64_t *row)
{
	int side = range_side(arg, row);

	return side ? side > 0 : pack_line(arg, number, row);
}

static int take_arc(void *arg, uint64_t number, const uint64_t *row)
{
	int side = range_side(arg, row);

	return side ? side > 0 : pack_arc(arg, number, row);
}

static int take_jump(void *arg, uint64_t number, const uint64_t *row)
{
	int side = range_side(arg, row);

	return side ? side > 0 : pack_jump(arg, number, row);
}

/* ---- ranges ---- */

static int take_function(void *arg, uint64_t number, const uint64_t *row)
{
	uint64_t *function = arg;

	(void)number;
	*function = row[0];
	return BEHIND_RANGE;
}

/* The function of the first row of a block; that of none, if it is damaged. */
static uint64_t first_function(struct tl_pfile_reader *reader, const struct packed_kind *kind,
			       uint32_t events, size_t block)
{
	struct tl_pfile_reader share =
		tl_pfile_share(reader, kind->blocks[block], kind->blocks[block] + 1);
	uint64_t function = 0;
	struct tl_error ignored;

	tl_pfile_each_row(&share, kind->section, events, take_function, &function, &ignored);
	tl_pfile_share_end(&share);
	return function;
}

/* The last block of a section that begins before a function; the first one, if none does. */
static size_t block_before(struct tl_pfile_reader *reader, const struct packed_kind *kind,
			   uint32_t events, uint64_t function)
{
	size_t low = 0, high = kind->block_count;

	while (function && high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (first_function(reader, kind, events, middle) < function)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Some ranges of about as many lines, of a profile that is worth it. */
static void choose_ranges(struct packings *p)
{
	const struct tl_profile *profile = p->r->profile;
	const struct packed_kind *lines = &p->kinds[0];
	uint64_t begin = 0;

	for (size_t i = 1; p->r->options.jobs > 1 && i < TL_PFILE_SHARES; i++) {
		size_t block = lines->block_count * i / TL_PFILE_SHARES;
		uint64_t end;

		if (lines->block_count < TL_PFILE_SHARES)
			break;
		end = first_function(p->r->reader, lines, profile->event_count, block) + 1;
		if (end <= begin)
			continue;
		p->ranges[p->range_count].begin = begin;
		p->ranges[p->range_count++].end = begin = end;
	}
	p->ranges[p->range_count].begin = begin;
	p->ranges[p->range_count++].end = UINT64_MAX;
}

static int read_kind(struct packings *all, struct packing *p, const struct packed_kind *kind)
{
	const uint32_t events = p->r->profile->event_count;
	struct tl_error ignored;
	size_t first;
	int status;

	if (!kind->block_count)
		return 0;
	p->reader = tl_pfile_share(all->r->reader, 0, all->r->reader->count);
	first = kind->blocks[block_before(&p->reader, kind, events, p->begin)];
	p->reader.blocks += first;
	p->reader.count -= first;
	p->order = kind->order;
	p->first = kind->first;
	status = tl_pfile_each_row(&p->reader, kind->section, events, kind->take, p, &ignored);
	if (status >= 0 && p->reader.fault_count)
		status = NOT_PACKED;
	tl_pfile_share_end(&p->reader);
	return tl_error_or_end(status);
}

static int read_range(void *arg, size_t task)
{
	struct packings *all = arg;
	struct packing *p = &all->ranges[task];
	const struct tl_profile *profile = all->r->profile;
	int status = 0;

	p->r = all->r;
	p->pack = calloc(1, sizeof(*p->pack));
	for (uint32_t i = 0; i < profile->parts.count; i++)
		if (!p->pack || !tl_pack_part(p->pack, i, profile->event_count))
			return TL_NO_MEMORY;
	for (size_t k = 0; status == 0 && k < KINDS; k++)
		status = read_kind(all, p, &all->kinds[k]);
	return status;
}

/* ---- the whole ---- */

static int list_blocks(const struct tl_pfile_reader *reader, struct packed_kind *kind)
{
	kind->blocks = tl_alloc_many(reader->count + 1, sizeof(*kind->blocks));
	if (!kind->blocks)
		return TL_NO_MEMORY;
	for (size_t i = 0; i < reader->count; i++)
		if (reader->blocks[i].section == kind->section)
			kind->blocks[kind->block_count++] = i;
	return 0;
}

/* Items get the numbers that the elements had, those of one section behind those of another. */
static int begin_kinds(struct packings *p, uint64_t *rows)
{
	int status = 0;

	for (size_t k = 0; status == 0 && k < KINDS; k++) {
		struct packed_kind *kind = &p->kinds[k];
		const size_t count = tl_pfile_row_count(p->r->reader, kind->section);

		if (count > TL_NONE - 1 - *rows)
			return NOT_PACKED;
		kind->first = (uint32_t)*rows;
		*rows += count;
		status = list_blocks(p->r->reader, kind);
		if (status == 0)
			kind->order =
				tl_pfile_read_order(p->r, kind->order_section, count, &status);
	}
	return status;
}

/* Each row is in one range: where they are not sorted by function, some are not found. */
static int join_ranges(struct packings *p, uint64_t rows, struct tl_pack **pack)
{
	for (size_t i = 0; i < p->range_count; i++)
		rows -= p->ranges[i].rows;
	if (rows)
		return NOT_PACKED;
	for (size_t i = 1; i < p->range_count; i++)
		if (!tl_pack_join(p->ranges[0].pack, p->ranges[i].pack))
			return TL_NO_MEMORY;
	*pack = p->ranges[0].pack;
	p->ranges[0].pack = NULL;
	return 0;
}

static int read_ranges(struct packings *p, struct tl_pack **pack)
{
	uint64_t rows = 0;
	int status = begin_kinds(p, &rows);

	if (status < 0)
		return status;
	choose_ranges(p);
	status = tl_pool_run(p->r->options.jobs, p->range_count, read_range, p);
	if (status < 0)
		return status;
	return join_ranges(p, rows, pack);
}

static void free_packings(struct packings *p)
{
	for (size_t k = 0; k < KINDS; k++) {
		free(p->kinds[k].blocks);
		free(p->kinds[k].order);
	}
	for (size_t i = 0; i < p->range_count; i++)
		tl_pack_free(p->ranges[i].pack);
	free(p);
}

static bool has_formula(const struct tl_profile *profile)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		if (*profile->events[e].formula)
			return true;
	return false;
}

static int read_pack(struct tl_pfile_reading *r, struct tl_pack **pack)
{
	struct packings *p = calloc(1, sizeof(*p));
	int status;

	if (!p)
		return TL_NO_MEMORY;
	*p = (struct packings){
		.r = r,
		.kinds = {
			{ .section = TL_PFILE_LINES, .order_section = TL_PFILE_LINE_ORDER,
			  .take = take_line },
			{ .section = TL_PFILE_ARCS, .order_section = TL_PFILE_ARC_ORDER,
			  .take = take_arc },
			{ .section = TL_PFILE_JUMPS, .order_section = TL_PFILE_JUMP_ORDER,
			  .take = take_jump },
		},
	};
	status = read_ranges(p, pack);
	free_packings(p);
	return status;
}

/*
 * What damage takes away is said and put right when elements are read one by one; then nothing may
 * have been noted before.
 */
int tl_pfile_read_packed(struct tl_pfile_reading *r)
{
	struct tl_pfile_reader *reader = r->reader;
	const struct tl_pfile_reader before = *reader;
	struct tl_pack *pack = NULL;
	int status;

	if (tl_pfile_has(reader, TL_PFILE_CONTEXTS) || has_formula(r->profile))
		return 0;
	status = read_pack(r, &pack);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(r->err);
	if (status == 0 && reader->fault_count == before.fault_count && !tl_pack_is_large(pack) &&
	    !pack->negative) {
		reader->read[TL_PFILE_LINES] = reader->read[TL_PFILE_ARCS] = true;
		reader->read[TL_PFILE_JUMPS] = true;
		r->profile->pack = pack;
		return 1;
	}
	tl_pack_free(pack);
	reader->fault_count = before.fault_count;
	reader->skipped_bytes = before.skipped_bytes;
	return 0;
}
