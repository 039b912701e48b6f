/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines and arcs of a profile of sums, for tables and trees: one line a function, one arc for each
 * pair of functions, as a Callgrind profile has them that is read for that
 * (callgrind/profile/fold.c). Files from version 2 on have the sums themselves, so that the lines
 * and arcs need not be read; of older and of damaged files they are added up.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/file/reading.h"

static uint32_t part_of(const struct tl_pfile_reading *r, uint64_t number)
{
	if (!r->options.per_part || number == TL_NONE)
		return TL_NONE;
	return tl_pfile_number(&r->parts, number);
}

/* Whether the file has sums that can be relied upon: whole, with nothing lost around them. */
static bool has_sums(const struct tl_pfile_reading *r, enum tl_pfile_section section)
{
	return !r->reader->fault_count && tl_pfile_has(r->reader, section) &&
	       tl_pfile_is_intact(r->reader, section);
}

/* Sums of a file that is not damaged, and yet not of all its rows. */
static int check_rows(const struct tl_pfile_reading *r, enum tl_pfile_section section,
		      uint64_t summed)
{
	if (r->reader->fault_count || summed == tl_pfile_row_count(r->reader, section))
		return 0;
	return tl_pfile_fault(r->reader, TL_BAD_RECORD, TL_NOWHERE, 0,
			      "sums of the file are not those of all its lines and calls; took the "
			      "sums",
			      r->err);
}

/* The costs of a row from field `at` on. Most rows have but the first ones. */
static void add_costs(const struct tl_pfile_reading *r, int64_t *to, const uint64_t *row,
		      uint32_t at)
{
	for (uint32_t i = at; i < r->reader->used; i++)
		tl_add_cost(&to[i - at], (int64_t)row[i], &r->profile->losses.saturated);
}

/* ---- lines ---- */

struct line_sums {
	struct tl_pfile_reading *r;
	uint32_t costs_at; /* field of the first cost */
	uint64_t rows;     /* lines that the sums stand for */
};

static int take_line(void *arg, uint64_t number, const uint64_t *row)
{
	struct line_sums *sums = arg;
	struct tl_pfile_reading *r = sums->r;
	struct tl_profile *p = r->profile;
	struct tl_cost_line line = { .function = tl_pfile_function(r, row[0]),
				     .part = part_of(r, row[1]) };
	int64_t *to;

	(void)number;
	sums->rows += row[2];
	if (line.function == TL_NONE)
		return TL_NO_MEMORY;
	if (line.part != TL_NONE) {
		line.at.file = p->functions.list[line.function].file;
		to = tl_profile_line_row(p, &line);
		if (!to)
			return TL_NO_MEMORY;
	} else {
		if (line.function >= p->lines.table.count && !tl_profile_line_each(p))
			return TL_NO_MEMORY;
		to = p->lines.table.cost + (size_t)line.function * p->event_count;
	}
	add_costs(r, to, row, sums->costs_at);
	return 0;
}

int tl_pfile_read_line_sums(struct tl_pfile_reading *r)
{
	bool summed = has_sums(r, TL_PFILE_LINE_SUMS);
	struct line_sums sums = { .r = r, .costs_at = summed ? 3 : 6 };
	int status = tl_pfile_each_row(r->reader, summed ? TL_PFILE_LINE_SUMS : TL_PFILE_LINES,
				       r->profile->event_count, take_line, &sums, r->err);

	if (status == 0 && summed)
		status = check_rows(r, TL_PFILE_LINES, sums.rows);
	if (status == 0 && !r->options.per_part && !tl_profile_line_each(r->profile))
		status = tl_error_memory(r->err);
	return status;
}

/* ---- arcs ---- */

struct arc_sums {
	struct tl_pfile_reading *r;
	const uint32_t *order; /* of the arcs; NULL: as in the file */
	size_t count;          /* of `order` */
	uint64_t rows;         /* arcs that the sums so far stand for */
	bool summed;           /* rows are those of sums */
	uint32_t *first;       /* by arc of the profile: the first of those it sums */
	size_t capacity;
};

static bool same_arc(const struct tl_arc *a, const struct tl_arc *b)
{
	return a->caller == b->caller && a->callee == b->callee && a->part == b->part;
}

/* The number of an arc, which follows those of the same caller and callee, unless parts count. */
static uint32_t arc_number(struct tl_profile *profile, const struct tl_arc *arc)
{
	size_t count = profile->arcs.table.count;

	if (count && same_arc(&profile->arcs.list[count - 1], arc))
		return (uint32_t)count - 1;
	return tl_cost_table_add(&profile->arcs.table, &profile->arcs.list, arc, sizeof(*arc),
				 profile->event_count);
}

/* Where the first of the arcs of a row was before. */
static uint32_t first_of(const struct arc_sums *sums, uint64_t from, uint64_t count)
{
	uint32_t first = TL_NONE;

	if (from >= sums->count)
		return (uint32_t)from;
	count = tl_min(count, sums->count - from);
	for (uint64_t i = 0; i < count; i++)
		first = tl_min(first, sums->order[from + i]);
	return first;
}

static int take_arc(void *arg, uint64_t number, const uint64_t *row)
{
	struct arc_sums *sums = arg;
	struct tl_pfile_reading *r = sums->r;
	struct tl_profile *p = r->profile;
	const char *empty = tl_pfile_string(r, 0);
	const uint32_t calls_at = sums->summed ? 4 : 11;
	struct tl_arc arc = {
		.caller = tl_pfile_caller(r, row[0]),
		.callee = tl_pfile_function(r, row[1]),
		.part = part_of(r, row[2]),
		.from = { .file = empty },
		.to = { .file = empty },
	};
	size_t before = p->arcs.table.count;
	uint64_t rows = sums->summed ? row[3] : 1;
	uint32_t here = first_of(sums, sums->summed ? sums->rows : number, rows), at;

	sums->rows += rows;
	if (arc.callee == TL_NONE)
		return TL_NO_MEMORY;
	at = arc_number(p, &arc);
	if (at == TL_NONE ||
	    !tl_grow(&sums->first, &sums->capacity, p->arcs.table.count, sizeof(*sums->first)))
		return TL_NO_MEMORY;
	if (at == before || here < sums->first[at])
		sums->first[at] = here;
	tl_add_count(&p->arcs.list[at].calls, row[calls_at], &p->losses.saturated);
	add_costs(r, p->arcs.table.cost + (size_t)at * p->event_count, row, calls_at + 1);
	return 0;
}

/* Arcs in the order in which the first of each came. No two have the same first one. */
static bool sort_arcs(struct arc_sums *sums)
{
	struct tl_profile *p = sums->r->profile;
	size_t count = p->arcs.table.count;
	uint32_t *at = malloc((sums->count + 1) * sizeof(*at)); /* by arc of the file */
	uint32_t *place = malloc((count + 1) * sizeof(*place));
	uint32_t next = 0;
	bool ok = at && place;

	for (size_t i = 0; ok && i < sums->count; i++)
		at[i] = TL_NONE;
	for (size_t i = 0; ok && i < count; i++) {
		place[i] = TL_NONE;
		if (sums->first[i] < sums->count)
			at[sums->first[i]] = (uint32_t)i;
	}
	for (size_t i = 0; ok && i < sums->count; i++)
		if (at[i] != TL_NONE)
			place[at[i]] = next++;
	/* Rows of numbers that no block announced come last. */
	for (size_t i = 0; ok && i < count; i++)
		if (place[i] == TL_NONE)
			place[i] = next++;
	ok = ok && tl_pfile_reorder(&p->arcs.list, &p->arcs.table, sizeof(*p->arcs.list),
				    p->event_count, place);
	free(at);
	free(place);
	return ok;
}

/* Room for all arcs at once, so that arrays of a large file are not moved while they grow. */
static bool reserve(struct arc_sums *sums, size_t rows)
{
	struct tl_pfile_reading *r = sums->r;
	struct tl_profile *p = r->profile;
	size_t bytes = sizeof(*p->arcs.list) + p->event_count * sizeof(*p->arcs.table.cost);

	return !tl_pfile_is_likely(r, rows, bytes) ||
	       (tl_grow(&p->arcs.list, &p->arcs.table.capacity, rows, sizeof(*p->arcs.list)) &&
		tl_grow(&p->arcs.table.cost, &p->arcs.table.cost_capacity, rows * p->event_count,
			sizeof(*p->arcs.table.cost)) &&
		tl_grow(&sums->first, &sums->capacity, rows, sizeof(*sums->first)));
}

int tl_pfile_read_arc_sums(struct tl_pfile_reading *r)
{
	struct arc_sums sums = { .r = r,
				 .count = tl_pfile_row_count(r->reader, TL_PFILE_ARCS),
				 .summed = has_sums(r, TL_PFILE_ARC_SUMS) };
	int failed = 0, status;
	uint32_t *order = tl_pfile_read_order(r, TL_PFILE_ARC_ORDER, sums.count, &failed);

	if (!failed && sums.summed &&
	    !reserve(&sums, tl_pfile_row_count(r->reader, TL_PFILE_ARC_SUMS)))
		failed = tl_error_memory(r->err);
	sums.order = order;
	if (!order)
		sums.count = 0;
	status = failed ? failed
			: tl_pfile_each_row(r->reader,
					    sums.summed ? TL_PFILE_ARC_SUMS : TL_PFILE_ARCS,
					    r->profile->event_count, take_arc, &sums, r->err);
	if (status == 0 && sums.summed)
		status = check_rows(r, TL_PFILE_ARCS, sums.rows);
	if (status == 0 && order && !sort_arcs(&sums))
		status = tl_error_memory(r->err);
	free(order);
	free(sums.first);
	return status;
}
