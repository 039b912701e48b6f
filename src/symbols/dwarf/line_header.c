/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/line_header.h"

#include <tracelathe/core.h>

#include "core/text/optional.h"
#include "symbols/dwarf/constants.h"

bool tl_dwarf_add_source(struct tl_dwarf *dwarf, struct tl_dwarf_line_table *lines,
			 const char *name, uint64_t directory)
{
	if (lines->file_count >= TL_NONE || !tl_grow(&lines->files, &lines->file_capacity,
						     lines->file_count + 1, sizeof(*lines->files)))
		return tl_dwarf_no_memory(&dwarf->sections);
	lines->files[lines->file_count++] =
		(struct tl_dwarf_source_file){ .name = name, .directory = directory };
	return true;
}

static bool add_directory(struct tl_dwarf *dwarf, struct tl_dwarf_line_table *lines,
			  const char *name)
{
	if (!tl_grow(&lines->directories, &lines->directory_capacity, lines->directory_count + 1,
		     sizeof(*lines->directories)))
		return tl_dwarf_no_memory(&dwarf->sections);
	lines->directories[lines->directory_count++] = name;
	return true;
}

/* ---- versions 2 to 4: texts, up to an empty one; directory 0 is where the compiler ran, files
 * count from 1 ---- */

static bool read_old_tables(struct tl_dwarf *dwarf, const char *compiled_in,
			    struct tl_dwarf_bytes *bytes, struct tl_dwarf_line_table *lines)
{
	const char *name;

	if (!add_directory(dwarf, lines, compiled_in) ||
	    !tl_dwarf_add_source(dwarf, lines, NULL, 0))
		return false;
	while ((name = tl_dwarf_take_text(bytes)) && *name)
		if (!add_directory(dwarf, lines, name))
			return false;
	while ((name = tl_dwarf_take_text(bytes)) && *name) {
		uint64_t directory = tl_dwarf_take_uleb(bytes);

		/* Time of last modification, and length of the file in bytes. */
		tl_dwarf_take_uleb(bytes);
		tl_dwarf_take_uleb(bytes);
		if (!tl_dwarf_add_source(dwarf, lines, name, directory))
			return false;
	}
	return true;
}

/* ---- version 5: the header says what is told of each; files count from 0 ---- */

enum { MOST_FORMATS = 255 };

struct formats {
	size_t count;
	struct {
		uint64_t content;
		uint16_t form;
	} list[MOST_FORMATS];
};

static void read_formats(struct tl_dwarf_bytes *bytes, struct formats *formats)
{
	formats->count = (size_t)tl_dwarf_take_word(bytes, 1);
	for (size_t i = 0; i < formats->count; i++) {
		uint64_t content = tl_dwarf_take_uleb(bytes), form = tl_dwarf_take_uleb(bytes);

		formats->list[i].content = content;
		formats->list[i].form = form < UINT16_MAX ? (uint16_t)form : UINT16_MAX;
	}
}

/* A directory (as_file: false) or a file. */
static bool read_source(struct tl_dwarf *dwarf, const struct tl_dwarf_line_header *header,
			const struct formats *formats, struct tl_dwarf_bytes *bytes,
			struct tl_dwarf_line_table *lines, bool as_file)
{
	const char *name = NULL;
	uint64_t directory = 0;

	for (size_t i = 0; i < formats->count; i++) {
		struct tl_dwarf_value value =
			tl_dwarf_form_read(&header->form, bytes, formats->list[i].form);

		if (formats->list[i].content == DW_LNCT_path && !bytes->bad)
			name = tl_dwarf_value_text(dwarf, &header->form, &value);
		else if (formats->list[i].content == DW_LNCT_directory_index)
			directory = value.number;
	}
	if (as_file)
		return tl_dwarf_add_source(dwarf, lines, name, directory);
	return add_directory(dwarf, lines, tl_text_or_empty(name));
}

static bool read_sources(struct tl_dwarf *dwarf, const struct tl_dwarf_line_header *header,
			 struct tl_dwarf_bytes *bytes, struct tl_dwarf_line_table *lines,
			 bool as_files)
{
	struct formats formats;
	uint64_t count;

	read_formats(bytes, &formats);
	count = tl_dwarf_take_uleb(bytes);
	/* An entry takes at least one byte, unless the header gives no format for entries. */
	if (count > tl_cursor_left(&bytes->cur))
		tl_dwarf_fail(bytes);
	for (uint64_t i = 0; i < count && !bytes->bad; i++)
		if (!read_source(dwarf, header, &formats, bytes, lines, as_files))
			return false;
	return true;
}

/* ---- the header ---- */

static bool refuse(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit, enum tl_status status,
		   const char *text)
{
	return tl_dwarf_fault(&dwarf->sections, status, unit->lines, text);
}

/* Sizes and version; `bytes` then ends with the table. */
static bool read_form(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
		      struct tl_dwarf_bytes *bytes, struct tl_dwarf_unit *form)
{
	uint64_t length = tl_dwarf_take_word(bytes, 4), version;

	*form = *unit;
	form->offset_size = length == 0xffffffffu ? 8 : 4;
	if (form->offset_size == 8)
		length = tl_dwarf_take_word(bytes, 8);
	if (bytes->bad || !tl_cursor_has(&bytes->cur, length))
		refuse(dwarf, unit, TL_TRUNCATED,
		       ".debug_line: a table is cut short; lines may be missing");
	else
		tl_cursor_limit(&bytes->cur, tl_cursor_offset(&bytes->cur) + length);
	version = tl_dwarf_take_word(bytes, 2);
	form->version = (uint8_t)version;
	if (bytes->bad || version < 2 || version > 5)
		return refuse(dwarf, unit, TL_UNSUPPORTED,
			      ".debug_line: a table of a version that is not 2 to 5; lines may be "
			      "missing");
	if (version >= 5) {
		form->address_size = (uint8_t)tl_dwarf_take_word(bytes, 1);
		/* The size of a segment selector: rows do not record selectors. */
		tl_dwarf_skip(bytes, 1);
	}
	return true;
}

static void read_numbers(struct tl_dwarf_bytes *bytes, struct tl_dwarf_line_header *header)
{
	header->instruction_bytes = (uint8_t)tl_dwarf_take_word(bytes, 1);
	header->operations = header->form.version >= 4 ? (uint8_t)tl_dwarf_take_word(bytes, 1) : 1;
	tl_dwarf_skip(bytes, 1); /* default_is_stmt */
	header->line_base = (int8_t)tl_dwarf_take_word(bytes, 1);
	header->line_range = (uint8_t)tl_dwarf_take_word(bytes, 1);
	header->opcode_base = (uint8_t)tl_dwarf_take_word(bytes, 1);
	header->operands = bytes->cur.pos;
	tl_dwarf_skip(bytes, header->opcode_base ? header->opcode_base - 1u : 0);
}

bool tl_dwarf_line_header(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			  struct tl_dwarf_line_header *header, struct tl_dwarf_line_table *lines)
{
	struct tl_dwarf_bytes bytes = tl_dwarf_bytes(&dwarf->sections, TL_DWARF_LINE, unit->lines);
	uint64_t length, size;
	bool kept;

	if (!read_form(dwarf, unit, &bytes, &header->form))
		return false;
	length = tl_dwarf_take_word(&bytes, header->form.offset_size);
	if (!tl_dwarf_need(&bytes, length))
		return refuse(dwarf, unit, TL_TRUNCATED,
			      ".debug_line: a header reaches past its table; lines may be missing");
	header->program = bytes;
	header->program.cur.pos += length;
	tl_cursor_limit(&bytes.cur, tl_cursor_offset(&header->program.cur));
	size = (uint64_t)(header->program.cur.end - header->program.cur.base) - unit->lines;
	if (size > dwarf->budget.lines || size >= TL_NONE)
		return refuse(dwarf, unit, TL_TOO_LARGE,
			      ".debug_line: tables overlap; lines may be missing");
	dwarf->budget.lines -= size;
	read_numbers(&bytes, header);
	if (bytes.bad || !header->line_range || !header->opcode_base)
		return refuse(dwarf, unit, TL_BAD_RECORD,
			      ".debug_line: an invalid header; lines may be missing");
	if (header->form.version >= 5)
		kept = read_sources(dwarf, header, &bytes, lines, false) &&
		       read_sources(dwarf, header, &bytes, lines, true);
	else
		kept = read_old_tables(dwarf, unit->directory, &bytes, lines);
	/* Rows do not depend on the names, so that they are kept. */
	if (bytes.bad)
		refuse(dwarf, unit, TL_BAD_RECORD,
		       ".debug_line: the file names of a table are damaged; files may be missing");
	return kept;
}
