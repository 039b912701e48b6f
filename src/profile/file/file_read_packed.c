/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, arcs and jumps into a pack, for who only writes them again. */
#include <string.h>

#include "core/error.h"
#include "profile/file/reading.h"

/* A reader of a section, of which no row is an element of the profile yet. */
struct packing {
	struct tl_pfile_reading *r;
	struct tl_pack *pack;
	uint32_t *order; /* of the section: the number that each row had; NULL: that of the row */
	uint32_t first;  /* items of the sections before */
};

/* Ends the reading of a section: an element has no part, or no function. */
enum { NOT_PACKED = TL_UNSUPPORTED };

/* Strings of the file are names of the profile, in their order. */
static uint32_t name_of(const struct packing *p, uint64_t string)
{
	uint32_t number = tl_pfile_number(&p->r->strings, string);
	const char *text;

	if (number != TL_NONE)
		return number;
	text = tl_pfile_string(p->r, string);
	return tl_names_add(&p->r->profile->names, text, strlen(text));
}

static struct tl_pack_place place_of(const struct packing *p, const uint64_t *row)
{
	return (struct tl_pack_place){
		.file = name_of(p, row[0]),
		.line = row[1] > UINT32_MAX ? UINT32_MAX : (uint32_t)row[1],
		.address = row[2],
		.block = row[3],
	};
}

/* `part`: as the file has it. */
static int add(const struct packing *p, uint64_t row, uint64_t function, uint64_t part,
	       const struct tl_pack_item *item, const uint64_t *costs)
{
	uint32_t number = part == TL_NONE ? TL_NONE : tl_pfile_number(&p->r->parts, part);
	uint32_t owner =
		function == TL_NONE ? TL_NONE : tl_pfile_number(&p->r->functions, function);

	if (number == TL_NONE || owner == TL_NONE || item->at.file == TL_NONE ||
	    item->to.file == TL_NONE)
		return NOT_PACKED;
	if (p->order)
		p->pack->next = p->first + p->order[row];
	if (tl_pack_in_any_order(p->pack, owner, number) &&
	    tl_pack_add(p->pack, owner, number, item, (const int64_t *)costs))
		return 0;
	return TL_NO_MEMORY;
}

static int pack_line(void *arg, uint64_t number, const uint64_t *row)
{
	const struct packing *p = arg;
	const struct tl_pack_item item = {
		.kind = TL_PACK_LINE,
		.at = place_of(p, row + 2),
		.cost_count = p->r->profile->event_count,
	};

	return add(p, number, row[0], row[1], &item, row + 6);
}

static int pack_arc(void *arg, uint64_t number, const uint64_t *row)
{
	const struct packing *p = arg;
	const struct tl_pack_item item = {
		.kind = TL_PACK_ARC,
		.target = tl_pfile_number(&p->r->functions, row[1]),
		.at = place_of(p, row + 3),
		.to = place_of(p, row + 7),
		.count = row[11],
		.cost_count = p->r->profile->event_count,
	};

	return item.target == TL_NONE ? NOT_PACKED
				      : add(p, number, row[0], row[2], &item, row + 12);
}

static int pack_jump(void *arg, uint64_t number, const uint64_t *row)
{
	const struct packing *p = arg;
	const struct tl_pack_item item = {
		.kind = TL_PACK_JUMP,
		.target = row[1] == TL_NONE ? TL_NONE : tl_pfile_number(&p->r->functions, row[1]),
		.at = place_of(p, row + 3),
		.to = place_of(p, row + 7),
		.conditional = row[11],
		.count = row[12],
		.taken = row[13],
	};

	return item.target == TL_NONE ? NOT_PACKED : add(p, number, row[0], row[2], &item, NULL);
}

/* Items get the numbers that the elements had, those of one section behind those of another. */
static int pack_section(struct packing *p, enum tl_pfile_section section,
			enum tl_pfile_section order, tl_pfile_row_fn *take)
{
	const size_t count = tl_pfile_row_count(p->r->reader, section);
	int status = 0;

	if (count > TL_NONE - 1 - p->first)
		return NOT_PACKED;
	p->order = tl_pfile_read_order(p->r, order, count, &status);
	if (status == 0)
		status = tl_pfile_each_row(p->r->reader, section, p->r->profile->event_count, take,
					   p, p->r->err);
	p->first += (uint32_t)count;
	p->pack->next = p->first;
	free(p->order);
	return status;
}

static int pack_sections(struct packing *p)
{
	static const struct {
		enum tl_pfile_section section, order;
		tl_pfile_row_fn *take;
	} kinds[] = {
		{ TL_PFILE_LINES, TL_PFILE_LINE_ORDER, pack_line },
		{ TL_PFILE_ARCS, TL_PFILE_ARC_ORDER, pack_arc },
		{ TL_PFILE_JUMPS, TL_PFILE_JUMP_ORDER, pack_jump },
	};
	struct tl_profile *profile = p->r->profile;
	int status = 0;

	for (uint32_t i = 0; i < profile->parts.count; i++)
		if (!tl_pack_part(p->pack, i, profile->event_count))
			return tl_error_memory(p->r->err);
	for (size_t k = 0; status == 0 && k < sizeof(kinds) / sizeof(kinds[0]); k++)
		status = pack_section(p, kinds[k].section, kinds[k].order, kinds[k].take);
	return status;
}

static bool has_formula(const struct tl_profile *profile)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		if (*profile->events[e].formula)
			return true;
	return false;
}

/*
 * What damage takes away is said and put right when elements are read one by one; then nothing may
 * have been noted before.
 */
int tl_pfile_read_packed(struct tl_pfile_reading *r)
{
	const struct tl_pfile_reader before = *r->reader;
	struct packing p = { .r = r };
	bool fits;
	int status;

	if (tl_pfile_has(r->reader, TL_PFILE_CONTEXTS) || has_formula(r->profile))
		return 0;
	p.pack = calloc(1, sizeof(*p.pack));
	status = p.pack ? pack_sections(&p) : tl_error_memory(r->err);
	fits = status == 0 && r->reader->fault_count == before.fault_count &&
	       !tl_pack_is_large(p.pack) && !p.pack->negative;
	if (fits) {
		r->profile->pack = p.pack;
		return 1;
	}
	tl_pack_free(p.pack);
	if (status < 0 && status != NOT_PACKED)
		return status;
	r->reader->fault_count = before.fault_count;
	r->reader->skipped_bytes = before.skipped_bytes;
	r->reader->raw_left = before.raw_left;
	return 0;
}
