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

struct packed_kind {
	enum tl_pfile_section section, order_section;
	tl_pfile_row_fn *take; /* NULL: blocks are */
	tl_pfile_rows_fn *take_block;
	size_t *blocks; /* of the section, by number in the file */
	size_t block_count;
	uint32_t *order;
	uint32_t first, rows;
};

enum { KINDS = TL_PACK_KINDS };

/* The packs of a profile that is read. */
struct packings {
	struct tl_pfile_reading *r;
	struct packed_kind kinds[KINDS];
	struct tl_pfile_packing ranges[TL_PFILE_SHARES];
	size_t range_count;
	uint32_t *functions; /* the order of functions; NULL: as in the file */
};

/* ---- ranges ---- */

static int take_function(void *arg, uint64_t number, const uint64_t *row)
{
	uint64_t *function = arg;

	(void)number;
	*function = row[0];
	return TL_PFILE_BEHIND_RANGE;
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

static int read_kind(struct packings *all, struct tl_pfile_packing *p,
		     const struct packed_kind *kind)
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
	p->origin = tl_arena_alloc(&p->pack->arena, sizeof(*p->origin));
	if (!p->origin)
		return TL_NO_MEMORY;
	*p->origin = (struct tl_pack_origin){
		.order = kind->order,
		.first = kind->first,
		.end = kind->first + kind->rows,
		.functions = all->functions,
	};
	status = kind->take ? tl_pfile_each_row(&p->reader, kind->section, events, kind->take, p,
						&ignored)
			    : tl_pfile_each_rows(&p->reader, kind->section, events,
						 kind->take_block, p, &ignored);
	if (status >= 0 && p->reader.fault_count)
		status = TL_PFILE_NOT_PACKED;
	tl_pfile_share_end(&p->reader);
	return tl_error_or_end(status);
}

static int read_range(void *arg, size_t task)
{
	struct packings *all = arg;
	struct tl_pfile_packing *p = &all->ranges[task];
	const struct tl_profile *profile = all->r->profile;
	int status = 0;

	p->r = all->r;
	p->pack = calloc(1, sizeof(*p->pack));
	/* Rows of arcs are the longest. */
	p->row = calloc(tl_pfile_fields(TL_PFILE_ARCS, profile->event_count), sizeof(*p->row));
	if (!p->row)
		return TL_NO_MEMORY;
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

		/* Rows are looked up in the order by their numbers. */
		if (count > TL_NONE - 1 - *rows ||
		    !tl_pfile_is_gapless(p->r->reader, kind->section))
			return TL_PFILE_NOT_PACKED;
		kind->first = (uint32_t)*rows;
		kind->rows = (uint32_t)count;
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
		return TL_PFILE_NOT_PACKED;
	for (size_t i = 1; i < p->range_count; i++)
		if (!tl_pack_join(p->ranges[0].pack, p->ranges[i].pack))
			return TL_NO_MEMORY;
	*pack = p->ranges[0].pack;
	p->ranges[0].pack = NULL;
	for (size_t k = 0; k < KINDS; k++) {
		(*pack)->orders.rows[k] = p->kinds[k].order;
		p->kinds[k].order = NULL;
	}
	(*pack)->orders.functions = p->functions;
	p->functions = NULL;
	return 0;
}

/* The reading has the order of functions for itself. */
static bool copy_functions(struct packings *p)
{
	const size_t count = p->r->profile->functions.table.count;

	if (!p->r->functions.to)
		return true;
	p->functions = tl_alloc_many(count + 1, sizeof(*p->functions));
	if (p->functions)
		memcpy(p->functions, p->r->functions.to, count * sizeof(*p->functions));
	return p->functions;
}

static int read_ranges(struct packings *p, struct tl_pack **pack)
{
	uint64_t rows = 0;
	int status = begin_kinds(p, &rows);

	if (status == 0 && !copy_functions(p))
		status = TL_NO_MEMORY;
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
	for (size_t i = 0; i < p->range_count; i++) {
		tl_pack_free(p->ranges[i].pack);
		free(p->ranges[i].row);
		free(p->ranges[i].kept);
		free(p->ranges[i].sums);
	}
	free(p->functions);
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
			  .take_block = tl_pfile_pack_lines },
			{ .section = TL_PFILE_ARCS, .order_section = TL_PFILE_ARC_ORDER,
			  .take_block = tl_pfile_pack_arcs },
			{ .section = TL_PFILE_JUMPS, .order_section = TL_PFILE_JUMP_ORDER,
			  .take = tl_pfile_pack_jump },
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
