/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instrumentation map: hand-made sections of every version, class and byte order, YAML, and our
 * corpus with llvm-xray-19's extractions as the oracle. Quotes are from docs/formats/xray.md 2.8.
 */

#include "../unit.h"
#include <errno.h>
#include <tracelathe/xray.h>

#include "../symbols/make_elf.h"
#include "../temp.h"
#include "xray/map/map.h"

static struct temp temp;

static const struct {
	bool is_64bit, big;
} kinds[] = { { true, false }, { true, true }, { false, false }, { false, true } };

enum { KINDS = 4 };

/* ---- hand-made maps ---- */

/* "u64 address | u64 function | u8 kind | u8 always | u8 version | 13 pad (ELF32: u32, u32, u8, u8,
 * u8, 5 pad)" */
static void put_sled(struct made *made, uint64_t address, uint64_t function, unsigned kind,
		     bool always, unsigned version)
{
	put_word(made, address);
	put_word(made, function);
	put(made, kind, 1);
	put(made, always, 1);
	put(made, version, 1);
	for (int i = 0; i < (made->is_64bit ? 13 : 5); i++)
		put(made, 0xaa, 1); /* padding says nothing */
}

static struct tl_xray_map *open_made(struct made *made, const struct made *map,
				     const struct made *rela, uint16_t type, uint64_t bias)
{
	static const uint8_t text[0x100];
	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, text, sizeof(text), 0,
		  0 },
		{ "xray_instr_map", SHT_PROGBITS, SHF_ALLOC, 0x3000, map->bytes, map->size, 0, 0 },
		{ ".rela.dyn", SHT_RELA, SHF_ALLOC, 0x400, rela->bytes, rela->size, 0,
		  made->is_64bit ? 24 : 12 },
	};
	struct tl_xray_map *opened;

	make_elf(made, type, made->is_64bit ? EM_X86_64 : EM_ARM, sections, 3);
	temp_write(&temp, "made", made->bytes, made->size);
	assert_int_equal(tl_xray_map_open(&opened, temp_path(&temp, "made"), bias, true, NULL), 0);
	return opened;
}

static void has_sled(const struct tl_xray_map *map, size_t i, struct tl_xray_sled wanted)
{
	assert_true(i < map->sled_count);
	assert_int_equal(map->sleds[i].address, wanted.address);
	assert_int_equal(map->sleds[i].function, wanted.function);
	assert_int_equal(map->sleds[i].id, wanted.id);
	assert_int_equal(map->sleds[i].kind, wanted.kind);
	assert_int_equal(map->sleds[i].always, wanted.always);
	assert_int_equal(map->sleds[i].version, wanted.version);
}

/* "version >= 2: PC-relative to the field itself: address += section_addr + entry_off; function +=
 * ... + 8"
 */
TEST(version_2_is_relative_to_the_field)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct made made = { .is_64bit = kinds[i].is_64bit, .big = kinds[i].big },
			    map = made, rela = made;
		const uint64_t at = 0x3000, word = made.is_64bit ? 8 : 4,
			       entry = made.is_64bit ? 32 : 16;

		put_sled(&map, 0x1000 - at, 0x1000 - (at + word), 0, true, 2);
		put_sled(&map, 0x1020 - (at + entry), 0x1000 - (at + entry + word), 1, false, 2);
		put_sled(&map, 0x1040 - (at + 2 * entry), 0x1040 - (at + 2 * entry + word), 5, true,
			 3);
		struct tl_xray_map *opened = open_made(&made, &map, &rela, ET_DYN, 0);

		assert_int_equal(opened->sled_count, 3);
		assert_int_equal(tl_xray_map_count(opened), 2);
		has_sled(opened, 0, (struct tl_xray_sled){ 0x1000, 0x1000, 1, 0, 2, true });
		has_sled(opened, 1, (struct tl_xray_sled){ 0x1020, 0x1000, 1, 1, 2, false });
		has_sled(opened, 2, (struct tl_xray_sled){ 0x1040, 0x1040, 2, 5, 3, true });
		tl_xray_map_close(opened);
	}
}

/* "version 0/1: absolute addresses" */
TEST(versions_0_and_1_are_absolute)
{
	for (size_t i = 0; i < 2 * KINDS; i++) {
		struct made made = { .is_64bit = kinds[i / 2].is_64bit, .big = kinds[i / 2].big },
			    map = made, rela = made;
		unsigned version = i % 2;

		put_sled(&map, 0x1004, 0x1000, 3, true, version);
		put_sled(&map, 0x1044, 0x1040, 2, false, version);
		struct tl_xray_map *opened = open_made(&made, &map, &rela, ET_EXEC, 0);

		has_sled(opened, 0,
			 (struct tl_xray_sled){ 0x1004, 0x1000, 1, 3, (uint8_t)version, true });
		has_sled(opened, 1,
			 (struct tl_xray_sled){ 0x1044, 0x1040, 2, 2, (uint8_t)version, false });
		tl_xray_map_close(opened);
	}
}

/*
 * "if the stored word is 0, look up a RELATIVE/RELA relocation at section_addr+offset (and +8)
 * (PIE)"
 */
TEST(version_1_of_a_pie_is_relocated)
{
	for (size_t i = 0; i < KINDS; i++) {
		struct made made = { .is_64bit = kinds[i].is_64bit, .big = kinds[i].big },
			    map = made, rela = made;
		uint64_t word = made.is_64bit ? 8 : 4,
			 relative = made.is_64bit ? R_X86_64_RELATIVE : R_ARM_RELATIVE;

		put_sled(&map, 0, 0, 0, true, 1);
		put_sled(&map, 0x1024, 0, 1, true, 0);
		const uint64_t entries[][2] = { { 0x3000, 0x1010 },
						{ 0x3000 + word, 0x1000 },
						{ made.is_64bit ? 0x3028 : 0x3014, 0x1000 } };

		for (size_t j = 0; j < 3; j++) {
			put_word(&rela, entries[j][0]);
			put_word(&rela, relative);
			put_word(&rela, entries[j][1]);
		}
		struct tl_xray_map *opened = open_made(&made, &map, &rela, ET_DYN, 0x400000);

		has_sled(opened, 0, (struct tl_xray_sled){ 0x401010, 0x401000, 1, 0, 1, true });
		has_sled(opened, 1, (struct tl_xray_sled){ 0x401024, 0x401000, 1, 1, 0, true });
		tl_xray_map_close(opened);
	}
}

/* "Function ids start at 1 and grow by 1 whenever `function` differs from the previous entry's (not
 * by distinct address)" */
TEST(ids_count_changes_of_function)
{
	static const uint64_t functions[] = { 0x1000, 0x1000, 0x1040, 0x1000, 0x1080 };
	static const uint32_t ids[] = { 1, 1, 2, 3, 4 };
	struct made made = { .is_64bit = true }, map = made, rela = made;

	for (size_t i = 0; i < 5; i++)
		put_sled(&map, functions[i], functions[i], 0, true, 0);
	/* "a section whose size is not a multiple of the entry keeps the whole entries" */
	put(&map, 0x1000, 8);
	struct tl_xray_map *opened = open_made(&made, &map, &rela, ET_EXEC, 0);
	struct tl_xray_function function;

	assert_int_equal(opened->sled_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(opened->sleds[i].id, ids[i]);
	assert_int_equal(tl_xray_map_count(opened), 4);
	assert_false(tl_xray_map_find(opened, 0, &function, sizeof(function)));
	assert_false(tl_xray_map_find(opened, 5, &function, sizeof(function)));
	assert_false(tl_xray_map_find(opened, TL_NONE, &function, sizeof(function)));
	assert_true(tl_xray_map_find(opened, 3, &function, sizeof(function)));
	assert_int_equal(function.address, 0x1000);
	assert_string_equal(function.name, "");
	assert_string_equal(function.file, "");
	assert_string_equal(function.object, temp_path(&temp, "made"));
	tl_xray_map_close(opened);
}

/* A map of functions at `start`, 0x40 apart. */
static struct tl_xray_map *open_functions(uint64_t start, unsigned count)
{
	struct made made = { .is_64bit = true }, map = made, rela = made;

	for (unsigned i = 0; i < count; i++)
		put_sled(&map, start + 0x40 * i, start + 0x40 * i, 0, true, 0);
	return open_made(&made, &map, &rela, ET_EXEC, 0);
}

/* 2.2: an id has the number of the shared object in its upper 8 bits, 0 is the program. */
TEST(ids_name_functions_of_shared_objects)
{
	static const struct {
		uint32_t object, id;
		uint64_t address; /* 0: there is none */
	} rows[] = {
		{ 0, 1, 0x1000 },   { 0, 2, 0x1040 },   { 0, 3, 0 },   { 1, 0, 0 },
		{ 1, 1, 0x1080 },   { 1, 3, 0x1100 },   { 1, 4, 0 },   { 2, 1, 0 },
		{ 255, 1, 0x1200 }, { 255, 2, 0x1240 }, { 254, 2, 0 },
	};
	struct tl_xray_map *program = open_functions(0x1000, 2), *first = open_functions(0x1080, 3),
			   *last = open_functions(0x1200, 2);

	program->objects[1] = first;
	program->objects[255] = last;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint32_t id = rows[i].object << TL_XRAY_OBJECT_SHIFT | rows[i].id;
		struct tl_xray_function function = { .address = 0 };

		assert_int_equal(tl_xray_map_lookup(program, id, &function), rows[i].address != 0);
		if (!rows[i].address)
			continue;
		assert_int_equal(function.address, rows[i].address);
		assert_int_equal(function.id, id);
	}
	tl_xray_map_close(program);
	tl_xray_map_close(first);
	tl_xray_map_close(last);
}

static void refused(int (*open_map)(struct tl_xray_map **, struct tl_error *), int status,
		    uint64_t offset, const char *text)
{
	struct tl_xray_map *map = (struct tl_xray_map *)&temp;
	struct tl_error err;

	assert_int_equal(open_map(&map, &err), status);
	assert_null(map);
	assert_int_equal(err.status, status);
	assert_int_equal(err.offset, offset);
	if (text)
		assert_string_equal(err.text, text);
}

static int open_elf(struct tl_xray_map **map, struct tl_error *err)
{
	return tl_xray_map_open(map, temp_path(&temp, "made"), 0, true, err);
}

/* "TL_BAD_FORMAT: not ELF, or no such section" */
TEST(binaries_without_a_map_are_told)
{
	static const uint8_t text[16];
	struct made_section section = { ".text", SHT_PROGBITS, SHF_ALLOC, 0x1000,
					text,    sizeof(text), 0,         0 };
	struct made made = { .is_64bit = true };

	make_elf(&made, ET_DYN, EM_X86_64, &section, 1);
	temp_write(&temp, "made", made.bytes, made.size);
	refused(open_elf, TL_BAD_FORMAT, TL_NOWHERE,
		"has no section xray_instr_map; was it built with -fxray-instrument?");
	section.name = "xray_instr_map";
	section.type = SHT_NOBITS;
	make_elf(&made, ET_DYN, EM_X86_64, &section, 1);
	temp_write(&temp, "made", made.bytes, made.size);
	refused(open_elf, TL_BAD_FORMAT, TL_NOWHERE, NULL);
	section.type = SHT_PROGBITS;
	make_elf(&made, ET_REL, EM_X86_64, &section, 1);
	temp_write(&temp, "made", made.bytes, made.size);
	refused(open_elf, TL_UNSUPPORTED, TL_NOWHERE, NULL);
	temp_write(&temp, "made", "- { id: 1 }\n", 12);
	refused(open_elf, TL_BAD_FORMAT, 0, "not an ELF file");
}

/* "A damaged/mutated ELF must never crash" */
TEST(mutants_do_not_crash)
{
	uint64_t random = 999;

	for (size_t i = 0; i < 1000; i++) {
		struct made made = { .is_64bit = kinds[i % KINDS].is_64bit,
				     .big = kinds[i % KINDS].big },
			    map = made, rela = made;
		struct tl_xray_function function;
		struct tl_xray_map *opened;

		put_sled(&map, 0, 0, 0, true, 1);
		put_sled(&map, 0x1024, 0x1000, 1, true, 2);
		put_word(&rela, 0x3000);
		put_word(&rela, R_X86_64_RELATIVE);
		put_word(&rela, 0x1000);
		tl_xray_map_close(open_made(&made, &map, &rela, ET_DYN, 0));
		for (int n = 0; n < 4; n++)
			made.bytes[next_random(&random) % made.size] =
				(uint8_t)next_random(&random);
		temp_write(&temp, "mutant", made.bytes, made.size);
		if (tl_xray_map_open(&opened, temp_path(&temp, "mutant"), 0, true, NULL))
			continue;
		for (uint32_t id = 1; id <= tl_xray_map_count(opened); id++)
			assert_true(tl_xray_map_find(opened, id, &function, sizeof(function)));
		tl_xray_map_close(opened);
	}
}

/* ---- YAML ---- */

static const char *yaml_text;

static int open_yaml(struct tl_xray_map **map, struct tl_error *err)
{
	return tl_xray_map_open_yaml(
		map, temp_write(&temp, "map.yaml", yaml_text, strlen(yaml_text)), err);
}

/* "A YAML map is accepted instead: a list of {id, address, function, kind, always-instrument,
 * function-name, version}" */
TEST(yaml_maps_are_read)
{
	struct tl_xray_function function;
	struct tl_xray_map *map;

	yaml_text = "---\n"
		    "- { id: 7, address: 0x20, function: 0x10, kind: function-exit, "
		    "always-instrument: true,\n"
		    "    function-name: 'it''s(a, \xc3\xa9)', version: 2 }\n"
		    "- id: 2\n"
		    "  address: 65\n"
		    "  function: 0xFFFFFFFFFFFFFFFF\n"
		    "  kind: typed-event\n"
		    "  always-instrument: false\n"
		    "  function-name: \"a \\\"b\\\" \\x41\"\n"
		    "  note: [ ours, { not: at all } ]\n"
		    "- { function: 0x10, id: 7, function-name: second }\n"
		    "- { id: 9, function: 1, function-name: plain }\n"
		    "...\n";
	assert_int_equal(open_yaml(&map, NULL), 0);
	assert_int_equal(map->sled_count, 4);
	has_sled(map, 0, (struct tl_xray_sled){ 0x20, 0x10, 7, TL_XRAY_SLED_EXIT, 2, true });
	has_sled(map, 1,
		 (struct tl_xray_sled){ 65, UINT64_MAX, 2, TL_XRAY_SLED_TYPED_EVENT, 0, false });
	assert_int_equal(tl_xray_map_count(map), 3);
	assert_true(tl_xray_map_find(map, 7, &function, sizeof(function)));
	assert_string_equal(function.name, "it's(a, \xc3\xa9)");
	assert_int_equal(function.address, 0x10);
	assert_string_equal(function.object, "");
	assert_true(tl_xray_map_find(map, 2, &function, sizeof(function)));
	assert_string_equal(function.name, "a \"b\" A");
	assert_true(tl_xray_map_find(map, 9, &function, sizeof(function)));
	assert_string_equal(function.name, "plain");
	assert_false(tl_xray_map_find(map, 1, &function, sizeof(function)));
	/* docs/abi.md: a size below that of the first release; nothing is written */
	memset(&function, 0x5a, sizeof(function));
	assert_int_equal(tl_xray_map_find(map, 9, &function, sizeof(function) - 1), TL_BAD_USAGE);
	for (size_t i = 0; i < sizeof(function); i++)
		assert_int_equal(((const uint8_t *)&function)[i], 0x5a);
	tl_xray_map_close(map);

	yaml_text = "--- []\n";
	assert_int_equal(open_yaml(&map, NULL), 0);
	assert_int_equal(tl_xray_map_count(map), 0);
	tl_xray_map_close(map);
}

/* "TL_BAD_USAGE: there is no such form, nothing was put" */
TEST(forms_that_are_none_are_refused)
{
	struct tl_output *out;
	struct tl_error err;
	struct tl_xray_map *map;

	yaml_text = "- { id: 9, function: 1, function-name: plain }\n";
	assert_int_equal(open_yaml(&map, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(
		tl_xray_map_put(map, (enum tl_xray_map_form)(TL_XRAY_MAP_JSON + 1), out, &err),
		TL_BAD_USAGE);
	assert_int_equal(tl_xray_map_put(map, (enum tl_xray_map_form) - 1, out, &err),
			 TL_BAD_USAGE);
	assert_false(tl_output_used(out));
	assert_int_equal(tl_xray_map_put(map, TL_XRAY_MAP_JSON, out, &err), 0);
	assert_true(tl_output_used(out));
	tl_output_discard(out);
	tl_xray_map_close(map);
}

/* "errors carry the byte offset": bytes, not characters. Offsets are counted by hand. */
TEST(yaml_errors_are_told_at_their_byte)
{
	static const struct {
		const char *text;
		int status;
		uint64_t offset;
	} cases[] = {
		{ "", TL_BAD_FORMAT, 0 },
		{ "id: 1\n", TL_BAD_FORMAT, 0 },
		{ "--- text\n", TL_BAD_FORMAT, 4 },
		{ "- 1\n", TL_BAD_RECORD, 2 },
		{ "- { id: 1 }\n", TL_BAD_RECORD, 2 },
		{ "- { function: 1 }\n", TL_BAD_RECORD, 2 },
		{ "- { id: -1, function: 1 }\n", TL_BAD_RECORD, 8 },
		{ "- { id: 4294967295, function: 1 }\n", TL_BAD_RECORD, 8 },
		{ "- { id: 1, function: 0x10000000000000000 }\n", TL_BAD_RECORD, 21 },
		{ "- { id: 1, function: 0xg }\n", TL_BAD_RECORD, 21 },
		{ "- { id: 1, function: 1, version: 256 }\n", TL_BAD_RECORD, 33 },
		{ "- { id: 1, function: 1, kind: entry }\n", TL_BAD_RECORD, 30 },
		{ "- { id: 1, function: 1, always-instrument: 2 }\n", TL_BAD_RECORD, 43 },
		{ "- { id: [1], function: 1 }\n", TL_BAD_RECORD, 8 },
		{ "- { id: *a, function: 1 }\n", TL_BAD_RECORD, 8 },
		{ "- { [a]: 1 }\n", TL_BAD_RECORD, 4 },
		{ "- { function-name: '\xc3\xa9\xe2\x82\xac', id: x }\n", TL_BAD_RECORD, 32 },
		{ "- { id: 1, function: 1 }\n- [\n", TL_BAD_RECORD, 27 },
		{ "- { function-name: 'a', id: \xff }\n", TL_BAD_FORMAT, 28 },
		{ "- { id: 1, function: 1 ]\n", TL_BAD_FORMAT, 23 },
	};
	const char *deep = "- { id: 1, x: "
			   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		yaml_text = cases[i].text;
		refused(open_yaml, cases[i].status, cases[i].offset, NULL);
	}
	yaml_text = deep;
	refused(open_yaml, TL_BAD_RECORD, 14 + 64, NULL);
}

/* Damaged text gives sleds or an error inside the file, never a crash. */
TEST(damaged_yaml_does_not_crash)
{
	static const char sound[] =
		"---\n- { id: 1, address: 0x20, function: 0x10, kind: function-exit, "
		"always-instrument: true, function-name: 'f(\xc3\xa9)', version: 2 }\n"
		"- id: 2\n  function: \"0x20\"\n  other: [ a, { b: c } "
		"]\n...\n";
	uint64_t random = 31337;

	for (size_t i = 0; i < sizeof(sound) + 1000; i++) {
		struct tl_xray_map *map;
		struct tl_error err;
		char text[sizeof(sound)];
		size_t size = i < sizeof(sound) ? i : sizeof(sound) - 1;

		memcpy(text, sound, sizeof(sound));
		for (int n = 0; i >= sizeof(sound) && n < 3; n++)
			text[next_random(&random) % size] =
				"{}[]:,-'\"#&*!|>%@ \n\t\xff\x01z"[next_random(&random) % 23];
		temp_write(&temp, "damaged.yaml", text, size);
		if (tl_xray_map_open_yaml(&map, temp_path(&temp, "damaged.yaml"), &err)) {
			assert_true(err.status == TL_BAD_FORMAT || err.status == TL_BAD_RECORD);
			assert_true(err.offset <= size);
			continue;
		}
		assert_true(map->sled_count <= 2 + size / 8);
		tl_xray_map_close(map);
	}
}

static int open_missing(struct tl_xray_map **map, struct tl_error *err)
{
	return tl_xray_map_open_yaml(map, temp_path(&temp, "missing"), err);
}

TEST(a_missing_yaml_file_is_told)
{
	refused(open_missing, TL_IO, TL_NOWHERE, NULL);
}

/* ---- corpus ---- */

static bool corpus_path(char *path, size_t size, const char *name)
{
	const char *shared = getenv("TL_SHARED"), *root = getenv("TL_SOURCE_ROOT");

	if (shared)
		snprintf(path, size, "%s/corpus/xray/bin/%s", shared, name);
	else
		snprintf(path, size, "%s/../shared/corpus/xray/bin/%s", root ? root : ".", name);
	return access(path, R_OK) == 0;
}

/* llvm-xray leaves out the names unless asked: `symbols` says which extraction is the oracle. */
static void same_as_extracted(const char *program, bool symbols)
{
	struct tl_xray_map *ours, *theirs;
	char elf[512], yaml[512], name[64];

	snprintf(name, sizeof(name), "%s.elf", program);
	assert_true(corpus_path(elf, sizeof(elf), name));
	snprintf(name, sizeof(name), "%s.instrmap%s.yaml", program, symbols ? "-sym" : "");
	assert_true(corpus_path(yaml, sizeof(yaml), name));
	assert_int_equal(tl_xray_map_open(&ours, elf, 0, true, NULL), 0);
	assert_int_equal(tl_xray_map_open_yaml(&theirs, yaml, NULL), 0);
	assert_true(theirs->sled_count > 0);
	assert_int_equal(ours->sled_count, theirs->sled_count);
	assert_int_equal(tl_xray_map_count(ours), tl_xray_map_count(theirs));
	for (size_t i = 0; i < theirs->sled_count; i++) {
		struct tl_xray_function a, b;

		has_sled(ours, i, theirs->sleds[i]);
		assert_true(tl_xray_map_find(ours, ours->sleds[i].id, &a, sizeof(a)));
		assert_true(tl_xray_map_find(theirs, theirs->sleds[i].id, &b, sizeof(b)));
		assert_int_equal(a.address, b.address);
		assert_string_equal(symbols ? a.name : "", b.name);
		assert_string_equal(a.object, elf);
	}
	tl_xray_map_close(theirs);
	tl_xray_map_close(ours);
}

static void need_corpus(void)
{
	char path[512];

	if (!corpus_path(path, sizeof(path), "fib.elf")) {
		print_message("no corpus: skipped\n");
		skip();
	}
}

/*
 * ids, addresses, functions, kinds and names equal those of llvm-xray-19 extract; no difference is
 * allowed
 */
TEST(corpus_maps_are_those_of_llvm_xray)
{
	static const char *const programs[] = { "args", "custom", "fib", "fib14",
						"mig",  "mt",     "tail" };

	need_corpus();
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		same_as_extracted(programs[i], false);
		same_as_extracted(programs[i], true);
	}
}

/*
 * "llvm-xray 14 and 19 refuse any binary that holds a typed-event sled ... read them". Sizes of the
 * section by readelf: 0x1a0 and 0x100 bytes; names and kinds from the programs' source.
 */
TEST(typed_event_sleds_are_read)
{
	static const struct {
		const char *program;
		size_t sleds;
		uint32_t functions, typed_id;
	} cases[] = { { "events.elf", 13, 5, 2 }, { "ty-O0.elf", 8, 3, 1 } };

	need_corpus();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xray_function function;
		struct tl_xray_map *map;
		char elf[512];
		size_t typed = 0;

		assert_true(corpus_path(elf, sizeof(elf), cases[i].program));
		assert_int_equal(tl_xray_map_open(&map, elf, 0, true, NULL), 0);
		assert_int_equal(map->sled_count, cases[i].sleds);
		assert_int_equal(tl_xray_map_count(map), cases[i].functions);
		for (size_t j = 0; j < map->sled_count; j++)
			if (map->sleds[j].kind == TL_XRAY_SLED_TYPED_EVENT) {
				assert_int_equal(map->sleds[j].id, cases[i].typed_id);
				typed++;
			}
		assert_int_equal(typed, 1);
		assert_true(tl_xray_map_find(map, cases[i].typed_id, &function, sizeof(function)));
		assert_string_equal(function.name, "typed(unsigned short, int)");
		tl_xray_map_close(map);
	}
}

/* "bias: as tl_binary_open()": names do not depend on where the file was loaded. */
TEST(bias_moves_addresses_not_names)
{
	const uint64_t bias = 0x555555554000;
	struct tl_xray_function function;
	struct tl_xray_map *map;
	char elf[512];

	need_corpus();
	assert_true(corpus_path(elf, sizeof(elf), "fib.elf"));
	assert_int_equal(tl_xray_map_open(&map, elf, bias, true, NULL), 0);
	assert_true(tl_xray_map_find(map, 4, &function, sizeof(function)));
	assert_int_equal(function.address, bias + 0x234f0);
	assert_string_equal(function.name, "sortpart");
	tl_xray_map_close(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2_is_relative_to_the_field),
		cmocka_unit_test(versions_0_and_1_are_absolute),
		cmocka_unit_test(version_1_of_a_pie_is_relocated),
		cmocka_unit_test(ids_count_changes_of_function),
		cmocka_unit_test(ids_name_functions_of_shared_objects),
		cmocka_unit_test(binaries_without_a_map_are_told),
		cmocka_unit_test(mutants_do_not_crash),
		cmocka_unit_test(yaml_maps_are_read),
		cmocka_unit_test(forms_that_are_none_are_refused),
		cmocka_unit_test(yaml_errors_are_told_at_their_byte),
		cmocka_unit_test(damaged_yaml_does_not_crash),
		cmocka_unit_test(a_missing_yaml_file_is_told),
		cmocka_unit_test(corpus_maps_are_those_of_llvm_xray),
		cmocka_unit_test(typed_event_sleds_are_read),
		cmocka_unit_test(bias_moves_addresses_not_names),
	};

	temp_open(&temp);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	temp_close(&temp);
	return failed;
}
