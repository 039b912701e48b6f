/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of call frame information that are drawn: functions in any order with gaps between them,
 * in each form of the section, of the pointers and of the index. Which function an address is of
 * is looked up by going through all of them.
 */
#include "../temp_fixture.h"

#include "../chance.h"
#include "make_dwarf.h"

#include "symbols/cfi/tables.h"

enum { TEXT = 0x2000, FRAMES_AT = 0x7000, INDEX_AT = 0x6000, MOST_FUNCTIONS = 24, CIES = 3 };

struct function {
	uint64_t start, size;
	unsigned cie;
	int64_t offset; /* of the CFA */
};

struct functions {
	struct function list[MOST_FUNCTIONS];
	unsigned count;
};

/* How a section is written. */
struct form {
	bool is_64bit;
	bool is_debug;    /* .debug_frame */
	bool is_wide;     /* lengths of 8 bytes */
	uint8_t version;  /* of the CIE */
	uint8_t pointers; /* encoding, of .eh_frame */
};

static const struct form forms[] = {
	{ true, false, false, 1, 0x00 },  /* addresses */
	{ true, false, false, 1, 0x1b },  /* distances of 4 bytes, as compilers have it */
	{ true, false, false, 3, 0x1c },  /* of 8 */
	{ true, false, true, 1, 0x03 },   /* addresses of 4 bytes */
	{ true, false, false, 1, 0x02 },  /* of 2 */
	{ true, false, false, 3, 0x0a },  /* with a sign */
	{ true, false, false, 1, 0x01 },  /* ULEB128 */
	{ true, false, true, 1, 0x19 },   /* distances as SLEB128 */
	{ true, false, false, 1, 0x0c },  /* addresses of 8 bytes */
	{ false, false, false, 1, 0x00 }, /* the same in files of 32 bits */
	{ false, false, false, 1, 0x1b }, { false, false, false, 1, 0x04 },
	{ true, true, false, 1, 0 },      { true, true, false, 3, 0 },
	{ true, true, true, 4, 0 },       { false, true, false, 4, 0 },
	{ false, true, true, 3, 0 },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static struct tl_cfi_row row;

/* ---- drawing ---- */

/* In the order of their addresses, some of one byte, most with a gap behind. */
static void draw_functions(struct functions *f, uint32_t *seed, uint64_t start)
{
	f->count = chance(seed, MOST_FUNCTIONS + 1);
	for (unsigned i = 0; i < f->count; i++) {
		start += chance(seed, 3) ? chance(seed, 20) : 0;
		f->list[i] = (struct function){
			.start = start,
			.size = 1 + chance(seed, 4) * chance(seed, 30),
			.cie = chance(seed, CIES),
			.offset = chance(seed, 1000),
		};
		start += f->list[i].size;
	}
}

static const struct function *function_at(const struct functions *f, uint64_t address)
{
	for (unsigned i = 0; i < f->count; i++)
		if (address >= f->list[i].start && address < f->list[i].start + f->list[i].size)
			return &f->list[i];
	return NULL;
}

/* ---- writing ---- */

static size_t begin_record(const struct form *form, struct made *made)
{
	if (form->is_wide)
		put(made, 0xffffffff, 4);
	put(made, 0, form->is_wide ? 8 : 4);
	return made->size;
}

/* Up to the end with DW_CFA_nop. */
static void end_record(const struct form *form, struct made *made, size_t begun)
{
	const unsigned bytes = form->is_wide ? 8 : 4;

	while (made->size % 4)
		put(made, 0, 1);
	put_at(made, begun - bytes, made->size - begun, bytes);
}

static void put_form(struct made *made, unsigned encoding, uint64_t value)
{
	switch (encoding & 0x0f) {
	case 0:
		put_word(made, value);
		break;
	case 1:
		put_uleb(made, value);
		break;
	case 9:
		put_sleb(made, (int64_t)value, false);
		break;
	default: /* 2, 3, 4 and with signs 10, 11, 12: of 2, 4 and 8 bytes */
		put(made, value, 1U << ((encoding & 7) - 1));
		break;
	}
}

/* The CIE that says the CFA is register number + 1. */
static size_t put_cie(const struct form *form, struct made *made, unsigned number)
{
	const size_t at = made->size, begun = begin_record(form, made);

	put(made, form->is_debug ? UINT64_MAX : 0, form->is_debug && form->is_wide ? 8 : 4);
	put(made, form->version, 1);
	put_text(made, form->is_debug ? "" : "zR");
	if (form->version == 4) {
		put(made, form->is_64bit ? 8 : 4, 1);
		put(made, 0, 1);
	}
	put_uleb(made, 1);
	put_sleb(made, -8, false);
	put_uleb(made, 16 + number);
	if (!form->is_debug) {
		put_uleb(made, 1);
		put(made, form->pointers, 1);
	}
	put(made, 0x0c, 1);
	put_uleb(made, number + 1);
	put_uleb(made, 8);
	end_record(form, made, begun);
	return at;
}

static void put_fde(const struct form *form, struct made *made, size_t cie,
		    const struct function *function)
{
	const size_t begun = begin_record(form, made);
	const unsigned pointers = form->is_debug ? 0 : form->pointers;

	if (form->is_debug)
		put(made, cie, form->is_wide ? 8 : 4);
	else
		put(made, made->size - cie, 4);
	put_form(made, pointers, function->start - (pointers & 0x10 ? FRAMES_AT + made->size : 0));
	put_form(made, pointers, function->size);
	if (!form->is_debug)
		put_uleb(made, 0);
	put(made, 0x0e, 1);
	put_uleb(made, (uint64_t)function->offset);
	end_record(form, made, begun);
}

/* `places[i]`: where the FDE of function i begins. CIEs stand between them. */
static void put_frames(const struct form *form, struct made *made, const struct functions *f,
		       uint32_t *seed, size_t *places)
{
	unsigned order[MOST_FUNCTIONS];
	size_t cies[CIES] = { 0 };
	bool is_there[CIES] = { false };

	*made = (struct made){ .is_64bit = form->is_64bit };
	chance_order(seed, order, f->count);
	for (unsigned i = 0; i < f->count; i++) {
		const struct function *function = &f->list[order[i]];

		if (!is_there[function->cie])
			cies[function->cie] = put_cie(form, made, function->cie);
		is_there[function->cie] = true;
		places[order[i]] = made->size;
		put_fde(form, made, cies[function->cie], function);
	}
	/* "A zero length terminates": nothing behind it is read. */
	if (!form->is_debug) {
		put(made, 0, 4);
		put_fill(made, 8);
	}
}

/* .eh_frame_hdr: pairs of function and FDE as distances from it, in the order of functions. */
static void put_index(struct made *made, bool is_64bit, const struct functions *f,
		      const size_t *places, uint64_t at, uint64_t frames_at, unsigned pairs)
{
	*made = (struct made){ .is_64bit = is_64bit };
	put_bytes(made, (const uint8_t[]){ 1, 0x1b, 0x03, (uint8_t)pairs }, 4);
	put(made, frames_at - (at + 4), 4);
	put(made, f->count, 4);
	for (unsigned i = 0; i < f->count; i++) {
		put(made, f->list[i].start - at, 4);
		put(made, frames_at + places[i] - at, 4);
	}
}

/* ---- looking up ---- */

static struct tl_cfi *open_bytes(const struct made *made)
{
	struct tl_cfi *cfi;

	assert_int_equal(tl_cfi_open_memory(&cfi, made->bytes, made->size, NULL), 0);
	return cfi;
}

static struct tl_cfi *open_sections(struct made *file, bool is_64bit,
				    const struct made_section *sections, size_t count)
{
	*file = (struct made){ .is_64bit = is_64bit };
	make_elf(file, ET_DYN, is_64bit ? EM_X86_64 : EM_386, sections, count);
	return open_bytes(file);
}

static struct made_section section_of(const char *name, const struct made *made, uint64_t address)
{
	return (struct made_section){ .name = name,
				      .type = SHT_PROGBITS,
				      .flags = SHF_ALLOC,
				      .address = address,
				      .data = made->bytes,
				      .size = made->size };
}

/* The row is the function's: its CIE's register, its own offset. */
static void assert_row(const struct function *function, bool is_64bit)
{
	assert_int_equal(row.cfa.kind, TL_CFI_REGISTER);
	assert_int_equal(row.cfa_register, function->cie + 1);
	assert_int_equal(row.cfa.value, function->offset);
	assert_int_equal(row.return_register, 16 + function->cie);
	assert_int_equal(row.machine, is_64bit ? EM_X86_64 : EM_386);
	assert_int_equal(row.is_32bit, !is_64bit);
}

/* From before the first function to behind the last one. */
static void assert_functions(struct tl_cfi *cfi, const struct functions *f, bool is_64bit)
{
	const uint64_t first = f->count ? f->list[0].start : TEXT,
		       last = f->count ? f->list[f->count - 1].start + 200 : TEXT;

	for (uint64_t address = first - 3; address < last; address++) {
		const struct function *function = function_at(f, address);

		assert_int_equal(tl_cfi_find(cfi, address, &row), function != NULL);
		if (function)
			assert_row(function, is_64bit);
	}
}

static struct made frames, index_bytes, file;

TEST(functions_are_found_in_each_form)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 10 * FORMS; round++) {
		const struct form *form = &forms[round % FORMS];
		struct functions f;
		size_t places[MOST_FUNCTIONS];
		struct made_section section;
		struct tl_cfi *cfi;

		draw_functions(&f, &seed, TEXT);
		put_frames(form, &frames, &f, &seed, places);
		section = section_of(form->is_debug ? ".debug_frame" : ".eh_frame", &frames,
				     form->is_debug ? 0 : FRAMES_AT);
		cfi = open_sections(&file, form->is_64bit, &section, 1);
		assert_functions(cfi, &f, form->is_64bit);
		tl_cfi_close(cfi);
	}
}

/* An index that is one of pairs in order is searched; of any other one all are listed. */
TEST(functions_are_found_by_an_index)
{
	static const unsigned pairs[] = { 0x3b, 0x1b, 0x3c, 0x3b };
	uint32_t seed = 2;

	for (unsigned round = 0; round < 80; round++) {
		const struct form *form = &forms[round % 12];
		struct functions f;
		size_t places[MOST_FUNCTIONS];
		struct made_section sections[2];
		struct tl_cfi *cfi;

		draw_functions(&f, &seed, TEXT);
		put_frames(form, &frames, &f, &seed, places);
		put_index(&index_bytes, form->is_64bit, &f, places, INDEX_AT, FRAMES_AT,
			  pairs[round % 4]);
		sections[0] = section_of(".eh_frame", &frames, FRAMES_AT);
		sections[1] = section_of(".eh_frame_hdr", &index_bytes, INDEX_AT);
		cfi = open_sections(&file, form->is_64bit, sections, 2);
		assert_functions(cfi, &f, form->is_64bit);
		tl_cfi_close(cfi);
	}
}

/* What an index leaves out is not found: it is taken for the whole. */
TEST(an_index_is_the_whole)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 40; round++) {
		struct functions f, half = { .count = 0 };
		size_t places[MOST_FUNCTIONS], half_places[MOST_FUNCTIONS];
		struct made_section sections[2];
		struct tl_cfi *cfi;

		draw_functions(&f, &seed, TEXT);
		put_frames(&forms[1], &frames, &f, &seed, places);
		for (unsigned i = 0; i < f.count; i++)
			if (chance(&seed, 2)) {
				half_places[half.count] = places[i];
				half.list[half.count++] = f.list[i];
			}
		put_index(&index_bytes, true, &half, half_places, INDEX_AT, FRAMES_AT, 0x3b);
		sections[0] = section_of(".eh_frame", &frames, FRAMES_AT);
		sections[1] = section_of(".eh_frame_hdr", &index_bytes, INDEX_AT);
		cfi = open_sections(&file, true, sections, 2);
		assert_functions(cfi, &half, true);
		tl_cfi_close(cfi);
	}
}

/* ---- files without section headers ---- */

enum { LOADED_AT = 0x400000, SEGMENTS_AT = 64 };

static void put_segment(struct made *made, uint32_t type, uint64_t offset, uint64_t address,
			uint64_t size)
{
	put(made, type, 4);
	if (made->is_64bit)
		put(made, 4, 4);
	put_word(made, offset);
	put_word(made, address);
	put_word(made, address);
	put_word(made, size);
	put_word(made, size);
	if (!made->is_64bit)
		put(made, 4, 4);
	put_word(made, 1);
}

/* A file of segments: one that holds nothing, one of all bytes from `skip` on, and the index. */
static void make_segments(struct made *made, bool is_64bit, const struct functions *f,
			  uint32_t *seed, size_t skip)
{
	const struct form form = { is_64bit, false, false, 1, 0x03 };
	const size_t segment_bytes = is_64bit ? 56 : 32, index_at = SEGMENTS_AT + 3 * segment_bytes;
	const size_t frames_at = index_at + 12 + 8 * f->count;
	size_t places[MOST_FUNCTIONS];

	put_frames(&form, &frames, f, seed, places);
	put_index(&index_bytes, is_64bit, f, places, LOADED_AT + index_at, LOADED_AT + frames_at,
		  0x3b);
	*made = (struct made){ .is_64bit = is_64bit };
	put_bytes(made, (const uint8_t[]){ 0x7f, 'E', 'L', 'F', is_64bit ? 2 : 1, 1, 1 }, 7);
	put_at(made, 16, ET_DYN, 2);
	put_at(made, 18, is_64bit ? EM_X86_64 : EM_386, 2);
	put_at(made, is_64bit ? 32 : 28, SEGMENTS_AT, is_64bit ? 8 : 4);
	put_at(made, is_64bit ? 54 : 42, segment_bytes, 2);
	put_at(made, is_64bit ? 56 : 44, 3, 2);
	made->size = SEGMENTS_AT;
	/* Its addresses are those of the index, but it has no bytes of the file. */
	put_segment(made, PT_LOAD, 0, LOADED_AT, 0);
	put_segment(made, PT_LOAD, skip, LOADED_AT + skip,
		    frames_at + frames.size > skip ? frames_at + frames.size - skip : 0);
	put_segment(made, PT_GNU_EH_FRAME, index_at, LOADED_AT + index_at, index_bytes.size);
	put_bytes(made, index_bytes.bytes, index_bytes.size);
	put_bytes(made, frames.bytes, frames.size);
}

TEST(functions_are_found_by_segments)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < 40; round++) {
		const bool is_64bit = round % 2;
		struct functions f;
		struct tl_cfi *cfi;

		draw_functions(&f, &seed, TEXT);
		make_segments(&file, is_64bit, &f, &seed, round % 5);
		cfi = open_bytes(&file);
		assert_functions(cfi, &f, is_64bit);
		tl_cfi_close(cfi);
	}
}

/* Where no segment holds the index or the table, or the file is cut, nothing is found. */
TEST(segments_that_do_not_hold_the_tables)
{
	static const struct functions f = { { { TEXT, 16, 0, 24 } }, 1 }, none = { .count = 0 };
	uint32_t seed = 5;

	for (unsigned is_64bit = 0; is_64bit < 2; is_64bit++) {
		const size_t index_at = SEGMENTS_AT + 3 * (is_64bit ? 56 : 32);
		struct tl_cfi *cfi;

		for (size_t skip = 0; skip < index_at + 22; skip++) {
			make_segments(&file, is_64bit, &f, &seed, skip);
			cfi = open_bytes(&file);
			/* The index begins at a byte that the segment has to have. */
			assert_functions(cfi, skip <= index_at ? &f : &none, is_64bit);
			tl_cfi_close(cfi);
		}
		make_segments(&file, is_64bit, &f, &seed, 0);
		file.size -= 16;
		cfi = open_bytes(&file);
		assert_functions(cfi, &none, is_64bit);
		tl_cfi_close(cfi);
	}
}

/* ---- several tables ---- */

/*
 * "by the index in .eh_frame_hdr ..., then .debug_frame of the file or of its debug file": what
 * both have is taken from the first, and a gap of the first may be a function of the next.
 */
TEST(tables_are_asked_in_their_order)
{
	static const struct form eh = { true, false, false, 1, 0x1b },
				 debug = { true, true, false, 4, 0 };
	static struct made more;
	uint32_t seed = 6;

	for (unsigned round = 0; round < 40; round++) {
		struct functions first, second;
		size_t places[MOST_FUNCTIONS];
		struct made_section sections[2];
		struct tl_cfi *cfi;

		draw_functions(&first, &seed, TEXT);
		draw_functions(&second, &seed, TEXT + 2);
		put_frames(&eh, &frames, &first, &seed, places);
		put_frames(&debug, &more, &second, &seed, places);
		sections[0] = section_of(".debug_frame", &more, 0);
		sections[1] = section_of(".eh_frame", &frames, FRAMES_AT);
		cfi = open_sections(&file, true, sections, 2);
		for (uint64_t address = TEXT; address < TEXT + 1000; address++) {
			const struct function *function = function_at(&first, address);

			if (!function)
				function = function_at(&second, address);
			assert_int_equal(tl_cfi_find(cfi, address, &row), function != NULL);
			if (function)
				assert_row(function, true);
		}
		tl_cfi_close(cfi);
	}
}

/*
 * A section as zlib has it without compressing (RFC 1950, RFC 1951, "Non-compressed blocks"): a
 * header, one block, the checksum.
 */
static void put_stored(struct made *made, const struct made *data)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < data->size; i++) {
		a = (a + data->bytes[i]) % 65521;
		b = (b + a) % 65521;
	}
	put_bytes(made, (const uint8_t[]){ 0x78, 0x01, 0x01 }, 3);
	put(made, data->size, 2);
	put(made, ~data->size, 2);
	put_bytes(made, data->bytes, data->size);
	for (unsigned i = 0; i < 4; i++)
		put(made, (b << 16 | a) >> (24 - 8 * i), 1);
}

/* With the header of gABI, and with that of sections whose names begin with ".zdebug". */
TEST(compressed_tables_are_expanded)
{
	uint32_t seed = 7;

	for (unsigned round = 0; round < 32; round++) {
		const struct form form = { round % 4 < 2, true, false, 3, 0 };
		const bool is_old = round % 2;
		struct made_section section;
		struct functions f;
		size_t places[MOST_FUNCTIONS];
		struct made packed = { .is_64bit = form.is_64bit };
		struct tl_cfi *cfi;

		draw_functions(&f, &seed, TEXT);
		put_frames(&form, &frames, &f, &seed, places);
		if (is_old) {
			put_bytes(&packed, "ZLIB", 4);
			for (unsigned i = 0; i < 8; i++)
				put(&packed, (uint64_t)frames.size >> (56 - 8 * i), 1);
		} else {
			put(&packed, 1, 4);
			if (form.is_64bit)
				put(&packed, 0, 4);
			put_word(&packed, frames.size);
			put_word(&packed, 1);
		}
		put_stored(&packed, &frames);
		section = section_of(is_old ? ".zdebug_frame" : ".debug_frame", &packed, 0);
		section.flags = is_old ? 0 : SHF_COMPRESSED;
		cfi = open_sections(&file, form.is_64bit, &section, 1);
		assert_functions(cfi, &f, form.is_64bit);
		tl_cfi_close(cfi);
		/* A byte that is another one is noticed by the checksum: there is no table then. */
		if (!f.count)
			continue;
		packed.bytes[packed.size - 5] ^= 1;
		cfi = open_sections(&file, form.is_64bit, &section, 1);
		assert_functions(cfi, &(const struct functions){ .count = 0 }, form.is_64bit);
		tl_cfi_close(cfi);
	}
}

/* ---- a debug file ---- */

/* .note.gnu.build-id: sizes of the name and the id, the type, the name and the id. */
static void put_build_id(struct made *made)
{
	put(made, 4, 4);
	put(made, 3, 4);
	put(made, 3, 4);
	put_text(made, "GNU");
	put_bytes(made, (const uint8_t[]){ 0xab, 0xcd, 0xef }, 3);
}

static struct made_section note_of(struct made *note)
{
	struct made_section section;

	*note = (struct made){ .is_64bit = true };
	put_build_id(note);
	section = section_of(".note.gnu.build-id", note, 0);
	section.type = SHT_NOTE;
	return section;
}

/* The binary has .eh_frame for the one half, its debug file .debug_frame for the other. */
TEST(debug_files_are_asked_last)
{
	static const struct form eh = { true, false, false, 1, 0x1b },
				 debug = { true, true, false, 3, 0 };
	struct functions first, second;
	size_t places[MOST_FUNCTIONS];
	struct made note;
	char path[600];
	uint32_t seed = 8;
	struct tl_debug_places where = { .root = temp.directory };
	struct made_section sections[2] = { note_of(&note) };
	struct tl_cfi *cfi;

	snprintf(path, sizeof(path), "%s", temp_path(&temp, ".build-id"));
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(mkdir(temp_path(&temp, ".build-id/ab"), 0755), 0);
	for (unsigned round = 0; round < 10; round++) {
		draw_functions(&first, &seed, TEXT);
		draw_functions(&second, &seed, TEXT + 0x1000);
		put_frames(&debug, &frames, &second, &seed, places);
		sections[1] = section_of(".debug_frame", &frames, 0);
		tl_cfi_close(open_sections(&file, true, sections, 2));
		temp_write(&temp, ".build-id/ab/cdef.debug", file.bytes, file.size);
		put_frames(&eh, &frames, &first, &seed, places);
		sections[1] = section_of(".eh_frame", &frames, FRAMES_AT);
		tl_cfi_close(open_sections(&file, true, sections, 2));
		snprintf(path, sizeof(path), "%s",
			 temp_write(&temp, "binary", file.bytes, file.size));
		assert_int_equal(tl_cfi_open(&cfi, path, &where, NULL), 0);
		assert_functions(cfi, &first, true);
		assert_functions(cfi, &second, true);
		tl_cfi_close(cfi);
	}
	assert_int_equal(remove(temp_path(&temp, ".build-id/ab/cdef.debug")), 0);
	assert_int_equal(tl_cfi_open(&cfi, path, &where, NULL), 0);
	assert_functions(cfi, &first, true);
	for (unsigned i = 0; i < second.count; i++)
		assert_int_equal(tl_cfi_find(cfi, second.list[i].start, &row), 0);
	tl_cfi_close(cfi);
	assert_int_equal(tl_cfi_open(&cfi, temp_path(&temp, "nothing"), &where, NULL), TL_IO);
	assert_null(cfi);
}

/* ---- damage ---- */

/* A table that ends early has the functions whose records are whole, and no other. */
TEST(tables_that_are_cut)
{
	uint32_t seed = 9;

	for (unsigned round = 0; round < FORMS; round++) {
		const struct form *form = &forms[round];
		struct functions f;
		size_t places[MOST_FUNCTIONS];

		draw_functions(&f, &seed, TEXT);
		if (f.count > 5)
			f.count = 5;
		put_frames(form, &frames, &f, &seed, places);
		for (size_t size = 1; size < frames.size; size++) {
			struct made cut = frames;
			struct made_section section;
			struct tl_cfi *cfi;

			cut.size = size;
			section = section_of(form->is_debug ? ".debug_frame" : ".eh_frame", &cut,
					     form->is_debug ? 0 : FRAMES_AT);
			cfi = open_sections(&file, form->is_64bit, &section, 1);
			for (unsigned i = 0; i < f.count; i++) {
				const size_t begins = places[i] + (form->is_wide ? 12 : 4),
					     bytes = form->is_wide ? 8 : 4;
				uint64_t length = 0;

				for (size_t n = bytes; n--;)
					length = length << 8 | frames.bytes[begins - bytes + n];
				assert_int_equal(tl_cfi_find(cfi, f.list[i].start, &row),
						 begins + length <= size);
				if (begins + length <= size)
					assert_row(&f.list[i], form->is_64bit);
			}
			tl_cfi_close(cfi);
		}
	}
}

/*
 * A CIE of a version, of letters or of sizes that are not known takes its functions with it, and
 * those of the others stay. Where "R" became another letter that has no data, addresses have 8
 * bytes and the function is elsewhere.
 */
TEST(cies_that_are_not_known)
{
	static const struct {
		unsigned form, offset; /* of the byte, from the CIE on */
		uint8_t byte;
		bool is_found;
	} cases[] = {
		{ 1, 8, 1, true },     { 1, 8, 2, false },    { 1, 8, 3, true },
		{ 1, 8, 0, false },    { 1, 8, 5, false },    { 1, 10, 'S', false },
		{ 1, 10, 'B', false }, { 1, 10, 'G', false }, { 1, 10, 'X', false },
		{ 1, 10, 'r', false }, { 1, 9, 'y', false },  { 14, 20, 4, true },
		{ 14, 22, 4, false },  { 14, 23, 1, false },  { 15, 10, 8, false },
		{ 15, 11, 2, false },  { 13, 9, 'z', false }, { 13, 9, 'e', false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct form *form = &forms[cases[i].form];
		struct made made = { .is_64bit = form->is_64bit };
		struct function first = { TEXT, 16, 0, 24 }, second = { TEXT + 32, 16, 1, 40 };
		struct made_section section;
		struct tl_cfi *cfi;
		size_t cie = put_cie(form, &made, 1);

		put_fde(form, &made, cie, &second);
		cie = put_cie(form, &made, 0);
		put_fde(form, &made, cie, &first);
		put_at(&made, cie + cases[i].offset, cases[i].byte, 1);
		section = section_of(form->is_debug ? ".debug_frame" : ".eh_frame", &made,
				     form->is_debug ? 0 : FRAMES_AT);
		cfi = open_sections(&file, form->is_64bit, &section, 1);
		assert_int_equal(tl_cfi_find(cfi, first.start, &row), cases[i].is_found);
		assert_int_equal(tl_cfi_find(cfi, second.start, &row), 1);
		assert_row(&second, form->is_64bit);
		tl_cfi_close(cfi);
	}
}

/* "For little-endian files." */
TEST(big_endian_files_have_no_tables)
{
	static const struct functions f = { { { TEXT, 16, 0, 24 } }, 1 };
	struct made big = { .is_64bit = true, .big = true };
	struct made_section section;
	size_t places[1];
	struct tl_cfi *cfi;
	uint32_t seed = 10;

	put_frames(&forms[0], &frames, &f, &seed, places);
	section = section_of(".eh_frame", &frames, FRAMES_AT);
	make_elf(&big, ET_DYN, EM_PPC64, &section, 1);
	cfi = open_bytes(&big);
	assert_int_equal(tl_cfi_machine(cfi), EM_PPC64);
	assert_int_equal(tl_cfi_find(cfi, TEXT, &row), 0);
	tl_cfi_close(cfi);
}

/* The code at the entry point has no caller: 128 bytes of it, in both classes. */
TEST(the_entry_point_is_known)
{
	for (unsigned is_64bit = 0; is_64bit < 2; is_64bit++) {
		struct tl_cfi *cfi;

		file = (struct made){ .is_64bit = is_64bit };
		make_elf(&file, ET_EXEC, is_64bit ? EM_X86_64 : EM_386, NULL, 0);
		put_at(&file, 24, TEXT, is_64bit ? 8 : 4);
		cfi = open_bytes(&file);
		for (uint64_t address = TEXT - 200; address < TEXT + 400; address++)
			assert_int_equal(tl_cfi_is_entry(cfi, address),
					 address >= TEXT && address < TEXT + 128);
		tl_cfi_close(cfi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_in_each_form),
		cmocka_unit_test(functions_are_found_by_an_index),
		cmocka_unit_test(an_index_is_the_whole),
		cmocka_unit_test(functions_are_found_by_segments),
		cmocka_unit_test(segments_that_do_not_hold_the_tables),
		cmocka_unit_test(tables_are_asked_in_their_order),
		cmocka_unit_test(compressed_tables_are_expanded),
		cmocka_unit_test(debug_files_are_asked_last),
		cmocka_unit_test(tables_that_are_cut),
		cmocka_unit_test(cies_that_are_not_known),
		cmocka_unit_test(big_endian_files_have_no_tables),
		cmocka_unit_test(the_entry_point_is_known),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
