/* SPDX-License-Identifier: Apache-2.0 */
/* "Locations without functions are looked up in a file" (docs/formats/pprof.md). */
#include <stdio.h>

#include <tracelathe/profile.h>

#include "../symbols/make_elf.h"
#include "../temp.h"
#include "../wire_bytes.h"
#include "pprof/profile/fold.h"
#include "unit/unit.h"

/* A program of which `looked_up` is from 0x1000 to 0x1100; its build id is abcd. */
static void make_program(struct temp *temp, const char *name)
{
	static const char names[] = "\0looked_up";
	static const uint8_t note[] = { 4, 0, 0, 0,   2,   0,   0, 0,    3,
					0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd };
	static const uint8_t code[0x100] = { 0xc3 };
	struct made made = { .is_64bit = true }, symbols = made_like(&made);

	put_symbol(&symbols, 0, 0, 0, 0, 0);
	put_symbol(&symbols, 1, STB_GLOBAL << 4 | STT_FUNC, 1, 0x1000, 0x100);
	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code), 0,
		  0 },
		{ ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, note, sizeof(note), 0, 0 },
		{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 4, 24 },
		{ ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, sizeof(names), 0, 0 },
	};

	make_elf(&made, ET_EXEC, EM_X86_64, sections, 4);
	temp_write(temp, name, made.bytes, made.size);
}

struct mapping {
	const char *file, *build_id;
	uint64_t start, limit;
};

/* A sample of cost 5 at an address of the last of some mappings; none: of no mapping. */
static void put_profile(struct bytes *b, const struct mapping *mappings, size_t count,
			uint64_t address)
{
	struct bytes inner = { .size = 0 };
	uint64_t string = 3;

	number(&inner, 1, 1);
	number(&inner, 2, 2);
	message(b, 1, &inner);
	block(b, 6, "", 0);
	block(b, 6, "samples", 7);
	block(b, 6, "count", 5);
	for (size_t i = 0; i < count; i++) {
		block(b, 6, mappings[i].file, strlen(mappings[i].file));
		block(b, 6, mappings[i].build_id, strlen(mappings[i].build_id));
		number(&inner, 1, i + 1);
		number(&inner, 2, mappings[i].start);
		number(&inner, 3, mappings[i].limit);
		number(&inner, 5, string++);
		number(&inner, 6, string++);
		message(b, 3, &inner);
	}
	number(&inner, 1, 1);
	number(&inner, 2, count);
	number(&inner, 3, address);
	message(b, 4, &inner);
	number(&inner, 1, 1);
	number(&inner, 2, 5);
	message(b, 2, &inner);
}

/* The name that the address gets, and what is said ("": nothing). */
static void expect_name(const struct bytes *b, const struct tl_pprof_binary *binary,
			const char *sysroot, const char *name, const char *said)
{
	const struct tl_pprof_fold_options options = { .thread = TL_NOWHERE,
						       .process = TL_NOWHERE,
						       .binaries = binary,
						       .binary_count = binary != NULL,
						       .sysroot = sysroot };
	struct tl_pprof_file p = { .size = 0 };
	struct tl_profile *profile = NULL;

	assert_int_equal(tl_pprof_open(&p, b->data, b->size, NULL), 0);
	assert_int_equal(tl_pprof_fold(&p, &options, &profile, NULL), 0);
	assert_int_equal(tl_profile_function_count(profile), 1);
	assert_string_equal(tl_profile_function(profile, 0)->name, name);
	assert_int_equal(p.faults.total != 0, *said != '\0');
	if (*said && !strstr(p.faults.list[0].text, said))
		fail_msg("\"%s\" is not in \"%s\"", said, p.faults.list[0].text);
	tl_profile_free(profile);
	tl_pprof_close(&p);
}

/* "One of --binary whose name is that of the mapping (any for the first mapping ...)." */
TEST(binaries_that_are_given)
{
	static const struct {
		struct mapping mappings[2];
		size_t count;
		uint64_t bias, address;
		const char *name, *said;
	} cases[] = {
		{ { { "/x/prog", "", 0, 0 } }, 1, 0, 0x1010, "looked_up", "" },
		{ { { "/x/other", "", 0, 0 } }, 1, 0, 0x10ff, "looked_up", "" },
		{ { { "/x/other", "", 0, 0 } }, 1, 0, 0x1100, "0x1100", "has no name" },
		{ { { "/x/other", "", 0, 0 } }, 1, 0x5000, 0x6000, "looked_up", "" },
		/* The mapping says where the file is, unless addresses are those of the file. */
		{ { { "/x/prog", "", 0x700000, 0x702000 } }, 1, 0, 0x701010, "looked_up", "" },
		{ { { "/x/prog", "", 0x1010, 0x2000 } }, 1, 0, 0x1010, "0x1010", "has no name" },
		{ { { "/x/prog", "", 0x1011, 0x2000 } }, 1, 0, 0x1010, "looked_up", "" },
		{ { { "/x/prog", "", 0x800, 0x1010 } }, 1, 0, 0x1010, "looked_up", "" },
		/* Of the second mapping the name must be the same. */
		{ { { "/x/a", "", 0, 0 }, { "/y/prog", "", 0, 0 } },
		  2,
		  0,
		  0x1010,
		  "looked_up",
		  "" },
		{ { { "/x/a", "", 0, 0 }, { "prog", "", 0, 0 } }, 2, 0, 0x1010, "looked_up", "" },
		{ { { "/x/a", "", 0, 0 }, { "/y/aprog", "", 0, 0 } },
		  2,
		  0,
		  0x1010,
		  "0x1010",
		  "such file" },
		{ { { "/x/a", "", 0, 0 }, { "", "", 0, 0 } }, 2, 0, 0x1010, "0x1010", "given" },
		/* Build ids may be filled up with zeros; another one is another file. */
		{ { { "/x/prog", "abcd", 0, 0 } }, 1, 0, 0x1010, "looked_up", "" },
		{ { { "/x/prog", "abcd0000", 0, 0 } }, 1, 0, 0x1010, "looked_up", "" },
		{ { { "/x/prog", "abcd0001", 0, 0 } }, 1, 0, 0x1010, "0x1010", "another build" },
		{ { { "/x/prog", "abce", 0, 0 } }, 1, 0, 0x1010, "0x1010", "another build" },
		{ { { "/x/prog", "abc", 0, 0 } }, 1, 0, 0x1010, "0x1010", "another build" },
		/* Without a mapping, any. */
		{ { { NULL, NULL, 0, 0 } }, 0, 0, 0x1010, "looked_up", "" },
	};
	struct temp temp;

	temp_open(&temp);
	make_program(&temp, "prog");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_pprof_binary binary = { temp_path(&temp, "prog"), cases[i].bias };
		struct bytes b = { .size = 0 };

		put_profile(&b, cases[i].mappings, cases[i].count, cases[i].address);
		expect_name(&b, &binary, NULL, cases[i].name, cases[i].said);
	}
	temp_close(&temp);
}

/* "Else the file that the mapping names (below --sysroot), if its build id is not another one." */
TEST(files_that_mappings_name)
{
	static const struct {
		struct mapping mapping;
		const char *name, *said;
	} cases[] = {
		{ { "/prog", "", 0, 0 }, "looked_up", "" },
		{ { "/prog", "abcd", 0, 0 }, "looked_up", "" },
		{ { "/prog", "ab", 0, 0 }, "0x1010", "another build" },
		{ { "/nothing", "", 0, 0 }, "0x1010", "no such file" },
		{ { "prog", "", 0, 0 }, "0x1010", "no file for it is given" },
		{ { "", "", 0, 0 }, "0x1010", "no file for it is given" },
	};
	struct temp temp;
	struct bytes b = { .size = 0 };

	temp_open(&temp);
	make_program(&temp, "prog");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b.size = 0;
		put_profile(&b, &cases[i].mapping, 1, 0x1010);
		expect_name(&b, NULL, temp_path(&temp, ""), cases[i].name, cases[i].said);
	}
	b.size = 0;
	put_profile(&b, NULL, 0, 0x1010);
	expect_name(&b, NULL, NULL, "0x1010", "does not say which file");
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binaries_that_are_given),
		cmocka_unit_test(files_that_mappings_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
