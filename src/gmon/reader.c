/* SPDX-License-Identifier: Apache-2.0 */
#include "gmon/reader.h"

#include "core/error.h"
#include "core/wide.h"

static const char magic[] = "gmon";

enum { ACCIDENT = 64 };

int tl_gmon_probe(const uint8_t *data, size_t size)
{
	uint32_t version;

	if (size < TL_GMON_HEADER || memcmp(data, magic, 4))
		return 0;
	version = tl_get32(data + 4);
	return version == 1 || version == UINT32_C(1) << 24 ? 100 : 30;
}

/* ---- records ---- */

static uint64_t take_word(const struct tl_gmon_file *g, struct tl_cursor *cur)
{
	const uint8_t *at = cur->pos;

	cur->pos += g->word;
	return g->word == 8 ? tl_get64s(at, g->swap) : tl_get32s(at, g->swap);
}

static uint32_t take_u32(const struct tl_gmon_file *g, struct tl_cursor *cur)
{
	cur->pos += 4;
	return tl_get32s(cur->pos - 4, g->swap);
}

/* `size` bytes that belong to the record. False: there are fewer. */
static bool take_data(struct tl_cursor *cur, uint64_t size, struct tl_gmon_record *record)
{
	if (!tl_cursor_has(cur, size))
		return false;
	record->data = (struct tl_cursor){ cur->pos, cur->pos + size, cur->base };
	cur->pos += size;
	return true;
}

static const char *take_histogram(const struct tl_gmon_file *g, struct tl_cursor *cur,
				  struct tl_gmon_record *record)
{
	if (!tl_cursor_has(cur, 2 * g->word + 24))
		return "a histogram is cut: the records before were kept";
	record->low = take_word(g, cur);
	record->high = take_word(g, cur);
	record->bin_count = take_u32(g, cur);
	record->rate = take_u32(g, cur);
	memcpy(record->dimension, cur->pos, TL_GMON_DIMENSION);
	record->abbreviation = (char)cur->pos[TL_GMON_DIMENSION];
	cur->pos += TL_GMON_DIMENSION + 1;
	if (record->high < record->low || (record->bin_count && record->high == record->low))
		return "a histogram ends before it begins: the records before were kept";
	if (!take_data(cur, 2 * (uint64_t)record->bin_count, record))
		return "a histogram has more bins than the file: the records before were kept";
	return NULL;
}

static const char *take_arc(const struct tl_gmon_file *g, struct tl_cursor *cur,
			    struct tl_gmon_record *record)
{
	if (!tl_cursor_has(cur, 2 * g->word + 4))
		return "a count of calls is cut: the records before were kept";
	record->from = take_word(g, cur);
	record->self = take_word(g, cur);
	record->count = take_u32(g, cur);
	return NULL;
}

static const char *take_blocks(const struct tl_gmon_file *g, struct tl_cursor *cur,
			       struct tl_gmon_record *record)
{
	if (!tl_cursor_has(cur, 4))
		return "counts of blocks are cut: the records before were kept";
	record->count = take_u32(g, cur);
	if (!take_data(cur, 2 * g->word * record->count, record))
		return "there are more counts of blocks than the file has: the records before were "
		       "kept";
	return NULL;
}

/* NULL, or why the record cannot be read; the cursor is then where it was. */
static const char *take_record(const struct tl_gmon_file *g, struct tl_cursor *cur,
			       struct tl_gmon_record *record)
{
	const struct tl_cursor start = *cur;
	const char *why;

	*record = (struct tl_gmon_record){ .offset = tl_cursor_offset(cur) };
	record->kind = (enum tl_gmon_kind) * cur->pos++;
	if (record->kind == TL_GMON_HISTOGRAM)
		why = take_histogram(g, cur, record);
	else if (record->kind == TL_GMON_ARC)
		why = take_arc(g, cur, record);
	else if (record->kind == TL_GMON_BLOCKS)
		why = take_blocks(g, cur, record);
	else
		why = "a record is of no kind that there is: the records before were kept";
	if (why)
		*cur = start;
	return why;
}

int tl_gmon_next(struct tl_gmon_file *g, struct tl_gmon_record *record, struct tl_error *err)
{
	const char *why;

	if (!tl_cursor_left(&g->cur))
		return 0;
	why = take_record(g, &g->cur, record);
	record->number = g->next_number++;
	if (!why)
		return 1;
	const struct tl_fault fault = {
		"record",      why, TL_BAD_RECORD, record->offset, tl_cursor_left(&g->cur),
		record->number
	};

	g->cur.pos = g->cur.end;
	return tl_fault_note(&g->faults, &fault, err);
}

void tl_gmon_rewind(struct tl_gmon_file *g)
{
	g->cur = tl_cursor_over(g->data, g->size);
	g->cur.pos += TL_GMON_HEADER;
	g->next_number = 0;
}

/* ---- opening ---- */

/* How many bytes can be read with this size of addresses. */
static uint64_t readable(struct tl_gmon_file *g, unsigned word)
{
	struct tl_gmon_record record;

	g->word = word;
	tl_gmon_rewind(g);
	while (tl_cursor_left(&g->cur) && !take_record(g, &g->cur, &record))
		;
	return tl_cursor_offset(&g->cur);
}

/*
 * A cut file is read to near its end with the right size only; a short piece can be read by
 * accident.
 */
static unsigned find_word(struct tl_gmon_file *g)
{
	uint64_t by_8 = readable(g, 8), by_4 = readable(g, 4);

	if (by_8 == g->size)
		return 8;
	return by_4 == g->size || by_4 > by_8 + ACCIDENT ? 4 : 8;
}

int tl_gmon_open(struct tl_gmon_file *g, const uint8_t *data, size_t size, unsigned word,
		 struct tl_error *err)
{
	int status = 0;

	if (size < TL_GMON_HEADER || memcmp(data, magic, 4))
		return tl_error_format(
			err, "gmon",
			tl_error_at(err, size < TL_GMON_HEADER ? TL_TRUNCATED : TL_BAD_FORMAT, 0,
				    "not a gmon.out of gprof: its header is missing "
				    "or cut"));
	g->data = data;
	g->size = size;
	g->version = tl_get32(data + 4);
	g->swap = g->version > 0xffff && !(g->version & 0xffff);
	g->version = tl_get32s(data + 4, g->swap);
	if (g->version != 1)
		status = tl_error_format(
			err, "gmon",
			tl_error_at(err, TL_UNSUPPORTED, 4,
				    "a gmon.out of a version other than 1 (shared objects are "
				    "profiled with sprof)"));
	g->word = word ? word : find_word(g);
	tl_gmon_rewind(g);
	return status;
}

void tl_gmon_close(struct tl_gmon_file *g)
{
	tl_fault_list_free(&g->faults);
	*g = (struct tl_gmon_file){ .faults = { .strict = g->faults.strict } };
}

/* ---- inside of records ---- */

uint32_t tl_gmon_bin(const struct tl_gmon_file *g, const struct tl_gmon_record *record,
		     uint32_t number)
{
	return tl_get16s(record->data.pos + 2 * (size_t)number, g->swap);
}

uint64_t tl_gmon_bin_address(const struct tl_gmon_record *record, uint32_t number)
{
	return record->low +
	       tl_scale_unsigned(record->high - record->low, number, record->bin_count);
}

uint64_t tl_gmon_block(const struct tl_gmon_file *g, const struct tl_gmon_record *record,
		       uint64_t number, uint64_t *count)
{
	struct tl_cursor cur = record->data;
	uint64_t address;

	cur.pos += 2 * g->word * number;
	address = take_word(g, &cur);
	*count = take_word(g, &cur);
	return address;
}
