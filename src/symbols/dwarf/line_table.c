/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/line_table.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/line_header.h"

/* The state machine of a line number program (DWARF 6.2.2), and where its rows go. */
struct machine {
	struct tl_dwarf *dwarf;
	struct tl_dwarf_line_table *lines;
	struct tl_dwarf_program_rows *rows;
	const struct tl_dwarf_line_header *header;
	struct tl_dwarf_bytes bytes;
	uint64_t address, file, line, column, discriminator;
	uint64_t operation; /* number within a very long instruction word */
	size_t sequence;    /* the row that the sequence began with */
};

static void reset(struct machine *m)
{
	m->address = m->column = m->discriminator = m->operation = 0;
	m->file = m->line = 1;
	m->sequence = m->rows->count;
}

static uint32_t narrow(uint64_t number)
{
	return number < TL_NONE ? (uint32_t)number : 0;
}

static bool add_row(struct machine *m, uint32_t file)
{
	struct tl_dwarf_program_rows *rows = m->rows;

	if (!tl_grow(&rows->list, &rows->capacity, rows->count + 1, sizeof(*rows->list)))
		return tl_dwarf_no_memory(&m->dwarf->sections);
	rows->list[rows->count++] = (struct tl_dwarf_row){
		.address = m->address,
		.file = file,
		.line = narrow(m->line),
		.column = narrow(m->column),
		.discriminator = narrow(m->discriminator),
	};
	m->discriminator = 0; /* each row that has one says so (DWARF 6.2.5.3) */
	return true;
}

/* Drop a sequence whose code the linker dropped: its rows would hide other code at the address. */
static bool end_sequence(struct machine *m)
{
	struct tl_dwarf_program_rows *rows = m->rows;

	/* The row that ends a sequence stands behind its code. */
	while (rows->count > m->sequence && rows->list[rows->count - 1].address == m->address)
		rows->count--;
	if (!add_row(m, TL_NONE))
		return false;
	if (tl_intervals_find(m->dwarf->code, rows->list[m->sequence].address) == TL_NONE)
		rows->count = m->sequence;
	reset(m);
	return true;
}

/* DWARF 6.2.5.1 "Special Opcodes". */
static void advance(struct machine *m, uint64_t operations)
{
	const struct tl_dwarf_line_header *header = m->header;

	if (header->operations <= 1) {
		m->address += header->instruction_bytes * operations;
		return;
	}
	operations += m->operation;
	m->address += header->instruction_bytes * (operations / header->operations);
	m->operation = operations % header->operations;
}

static bool special(struct machine *m, uint8_t opcode)
{
	uint8_t adjusted = (uint8_t)(opcode - m->header->opcode_base);

	advance(m, adjusted / m->header->line_range);
	m->line += (uint64_t)(int64_t)(m->header->line_base + adjusted % m->header->line_range);
	return add_row(m, narrow(m->file));
}

static bool extended(struct machine *m)
{
	uint64_t length = tl_dwarf_take_uleb(&m->bytes);
	const uint8_t *start = m->bytes.cur.pos;
	bool kept = true;

	if (!length || !tl_dwarf_need(&m->bytes, length))
		return true;
	switch (tl_dwarf_take_word(&m->bytes, 1)) {
	case DW_LNE_end_sequence:
		kept = end_sequence(m);
		break;
	case DW_LNE_set_address:
		m->operation = 0;
		if (length - 1 == 4 || length - 1 == 8 || length - 1 == 2)
			m->address = tl_dwarf_take_word(&m->bytes, (size_t)length - 1);
		break;
	case DW_LNE_define_file: {
		const char *name = tl_dwarf_take_text(&m->bytes);

		kept = !name ||
		       tl_dwarf_add_source(m->dwarf, m->lines, name, tl_dwarf_take_uleb(&m->bytes));
		break;
	}
	case DW_LNE_set_discriminator:
		m->discriminator = tl_dwarf_take_uleb(&m->bytes);
		break;
	default: /* an extension of a producer */
		break;
	}
	if (!m->bytes.bad)
		m->bytes.cur.pos = start + length;
	return kept;
}

static void unknown(struct machine *m, uint8_t opcode)
{
	for (uint8_t n = m->header->operands[opcode - 1]; n; n--)
		tl_dwarf_take_uleb(&m->bytes);
}

static bool standard(struct machine *m, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return add_row(m, narrow(m->file));
	case DW_LNS_advance_pc:
		advance(m, tl_dwarf_take_uleb(&m->bytes));
		return true;
	case DW_LNS_advance_line:
		m->line += (uint64_t)tl_dwarf_take_sleb(&m->bytes);
		return true;
	case DW_LNS_set_file:
		m->file = tl_dwarf_take_uleb(&m->bytes);
		return true;
	case DW_LNS_set_column:
		m->column = tl_dwarf_take_uleb(&m->bytes);
		return true;
	case DW_LNS_const_add_pc:
		advance(m, (255u - m->header->opcode_base) / m->header->line_range);
		return true;
	case DW_LNS_fixed_advance_pc:
		m->address += tl_dwarf_take_word(&m->bytes, 2);
		m->operation = 0;
		return true;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		return true;
	default: /* DW_LNS_set_isa, and opcodes of later versions */
		unknown(m, opcode);
		return true;
	}
}

static bool step(struct machine *m)
{
	uint8_t opcode = (uint8_t)tl_dwarf_take_word(&m->bytes, 1);

	if (opcode >= m->header->opcode_base)
		return special(m, opcode);
	return opcode ? standard(m, opcode) : extended(m);
}

/* ---- rows in order ---- */

/* Where one sequence ends another may begin: the end comes first. */
static int compare_rows(const struct tl_dwarf_row *a, const struct tl_dwarf_row *b)
{
	const int order = tl_compare(a->address, b->address);

	return order ? order : (b->file == TL_NONE) - (a->file == TL_NONE);
}

static bool in_order(const struct tl_dwarf_row *rows, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_rows(&rows[i - 1], &rows[i]) > 0)
			return false;
	return true;
}

/* Keep rows that are in order. Of rows at one address only the last: the others cover no bytes. */
static void keep(struct tl_dwarf_line_table *lines, const struct tl_dwarf_row *rows, size_t count)
{
	size_t kept = lines->count;

	for (size_t i = 0; i < count; i++) {
		if (kept && lines->rows[kept - 1].address == rows[i].address)
			kept--;
		lines->rows[kept++] = rows[i];
	}
	lines->count = kept;
}

/* How many rows of a table are kept at most. */
static size_t distinct(const struct tl_dwarf_row *rows, size_t count)
{
	size_t found = count != 0;

	for (size_t i = 1; i < count; i++)
		found += rows[i].address != rows[i - 1].address;
	return found;
}

struct sequence {
	const struct tl_dwarf_row *first;
	size_t count;
};

static int by_first_address(const void *left, const void *right)
{
	const struct sequence *a = left, *b = right;

	return tl_compare(a->first->address, b->first->address);
}

/* The rows of a sequence end with one of no file. Returns the number of sequences. */
static size_t find_sequences(const struct tl_dwarf_row *rows, size_t count, struct sequence *list)
{
	size_t found = 0, first = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].file != TL_NONE)
			continue;
		if (list)
			list[found] = (struct sequence){ &rows[first], i + 1 - first };
		found++;
		first = i + 1;
	}
	return found;
}

/* Whether each sequence is in order and ends before the next one begins, or there. */
static bool are_apart(const struct sequence *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tl_dwarf_row *first = list[i].first;
		const uint64_t end = first[list[i].count - 1].address;

		if (!in_order(first, list[i].count))
			return false;
		if (i + 1 < count && (list[i + 1].first->address < end ||
				      list[i + 1].first->address == first->address))
			return false;
	}
	return true;
}

/* A row and its position in the program. */
struct placed_row {
	struct tl_dwarf_row row;
	size_t order;
};

static int by_address(const void *left, const void *right)
{
	const struct placed_row *a = left, *b = right;
	const int order = compare_rows(&a->row, &b->row);

	return order ? order : tl_compare(a->order, b->order);
}

/* Sort rows of sequences that overlap, or go back. False without memory. */
static bool sort_rows(struct tl_dwarf_row *rows, size_t count)
{
	struct placed_row *placed = tl_alloc_many(count, sizeof(*placed));

	if (!placed)
		return false;
	for (size_t i = 0; i < count; i++)
		placed[i] = (struct placed_row){ rows[i], i };
	qsort(placed, count, sizeof(*placed), by_address);
	for (size_t i = 0; i < count; i++)
		rows[i] = placed[i].row;
	free(placed);
	return true;
}

/*
 * Functions in sections of their own have a sequence each, which stand in no order: a sequence is
 * sorted as a whole. False without memory.
 */
static bool keep_sequences(struct tl_dwarf_line_table *lines, struct tl_dwarf_row *rows,
			   size_t count)
{
	const size_t sequences = find_sequences(rows, count, NULL);
	struct sequence *list = tl_alloc_many(sequences + 1, sizeof(*list));
	bool apart;

	if (!list)
		return false;
	find_sequences(rows, count, list);
	qsort(list, sequences, sizeof(*list), by_first_address);
	apart = are_apart(list, sequences);
	for (size_t i = 0; apart && i < sequences; i++)
		keep(lines, list[i].first, list[i].count);
	free(list);
	if (!apart && !sort_rows(rows, count))
		return false;
	if (!apart)
		keep(lines, rows, count);
	return true;
}

/* Keep the rows of a program in the order of their addresses. False without memory. */
static bool settle(struct tl_dwarf_line_table *lines, const struct tl_dwarf_program_rows *rows)
{
	lines->rows = tl_alloc_many(distinct(rows->list, rows->count) + 1, sizeof(*lines->rows));
	if (!lines->rows)
		return false;
	if (!in_order(rows->list, rows->count))
		return keep_sequences(lines, rows->list, rows->count);
	keep(lines, rows->list, rows->count);
	return true;
}

/* A row takes at least one byte of the program, which bounds the number of rows. */
static bool run(struct tl_dwarf *dwarf, const struct tl_dwarf_line_header *header,
		struct tl_dwarf_line_table *lines)
{
	struct machine m = { .dwarf = dwarf,
			     .lines = lines,
			     .rows = &dwarf->program_rows,
			     .header = header,
			     .bytes = header->program };

	m.rows->count = 0;
	reset(&m);
	while (tl_cursor_left(&m.bytes.cur))
		if (!step(&m))
			return false;
	if (m.bytes.bad || m.sequence < m.rows->count)
		tl_dwarf_fault(
			&dwarf->sections, TL_TRUNCATED, tl_cursor_offset(&m.bytes.cur),
			".debug_line: a program ends within a sequence; lines may be missing");
	/*
	 * Rows before the cut are kept; the last one becomes the end of the sequence, since its own
	 * end is unknown.
	 */
	if (m.sequence < m.rows->count) {
		m.address = m.rows->list[m.rows->count - 1].address;
		if (!end_sequence(&m))
			return false;
	}
	return settle(lines, m.rows) || tl_dwarf_no_memory(&dwarf->sections);
}

/* ---- tables ---- */

static bool same_offset(const void *context, const void *key, uint32_t number)
{
	const struct tl_dwarf *dwarf = context;

	return dwarf->line_tables.list[number]->offset == *(const uint64_t *)key;
}

static void read_table(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
		       struct tl_dwarf_line_table *lines)
{
	struct tl_dwarf_line_header header;

	if (!tl_dwarf_line_header(dwarf, unit, &header, lines) || !run(dwarf, &header, lines))
		lines->count = 0;
}

static struct tl_dwarf_line_table *add_table(struct tl_dwarf *dwarf,
					     const struct tl_dwarf_unit *unit)
{
	struct tl_dwarf_line_table *made;

	if (dwarf->line_tables.count >= TL_NONE - 1 ||
	    !tl_grow(&dwarf->line_tables.list, &dwarf->line_tables.capacity,
		     dwarf->line_tables.count + 1, sizeof(*dwarf->line_tables.list)))
		return NULL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->offset = unit->lines;
	dwarf->line_tables.list[dwarf->line_tables.count] = made;
	if (!tl_index_add(&dwarf->line_tables.by_offset, tl_hash64(unit->lines),
			  (uint32_t)dwarf->line_tables.count)) {
		free(made);
		return NULL;
	}
	dwarf->line_tables.count++;
	return made;
}

struct tl_dwarf_line_table *tl_dwarf_lines(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit)
{
	struct tl_dwarf_line_table *lines;
	uint32_t number;

	if (unit->lines == TL_NOWHERE)
		return NULL;
	number = tl_index_find(&dwarf->line_tables.by_offset, tl_hash64(unit->lines), same_offset,
			       dwarf, &unit->lines);
	if (number != TL_NONE)
		return dwarf->line_tables.list[number];
	lines = add_table(dwarf, unit);
	if (!lines)
		tl_dwarf_no_memory(&dwarf->sections);
	else
		read_table(dwarf, unit, lines);
	return lines;
}

const struct tl_dwarf_row *tl_dwarf_row_at(const struct tl_dwarf_line_table *lines,
					   uint64_t address)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || lines->rows[low - 1].file == TL_NONE)
		return NULL;
	return &lines->rows[low - 1];
}

/* ---- paths ---- */

/* A path that is longer than any system accepts counts as unknown. */
enum { MOST_PATH = 1 << 16 };

static const char *join(struct tl_dwarf *dwarf, const char *directory, const char *name)
{
	size_t before = *name == '/' ? 0 : strlen(directory), length = strlen(name);
	char *path;

	if (before + length > MOST_PATH)
		return "";
	path = tl_arena_alloc(&dwarf->texts, before + length + 2);
	if (!path)
		return NULL;
	memcpy(path, directory, before);
	if (before)
		path[before++] = '/';
	memcpy(path + before, name, length + 1);
	return path;
}

const char *tl_dwarf_path(struct tl_dwarf *dwarf, struct tl_dwarf_line_table *lines, uint32_t file)
{
	struct tl_dwarf_source_file *source;
	const char *directory = "";

	if (file >= lines->file_count || !lines->files[file].name)
		return "";
	source = &lines->files[file];
	if (!source->path) {
		if (source->directory < lines->directory_count)
			directory = lines->directories[source->directory];
		source->path = join(dwarf, directory, source->name);
		if (!source->path)
			tl_dwarf_no_memory(&dwarf->sections);
	}
	return source->path;
}

void tl_dwarf_lines_free(struct tl_dwarf_line_table *lines)
{
	free(lines->rows);
	free(lines->files);
	free(lines->directories);
	free(lines);
}
