/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage on its way to an exporter: which names and lines instructions get from a program that is
 * made here byte by byte, what filters let through, and what is remarked. The exporter writes what
 * it is given as a line an instruction or edge. /
 */
#include <stdio.h>

#include "../refuse.h"
#include "../symbols/make_elf.h"
#include "../temp_fixture.h"

#include "core/output.h"
#include "open/coverage.h"
#include "symbols/binary.h"

/* ---- the program: lines 10, 11 and 13 of calc(int), 20 of g; an instruction each 4 bytes ---- */

enum { CALC = 0x1000, G = 0x1010, BARE = 0x1020, NO_SYMBOL = 0x1030, TEXT_SIZE = 0x40 };

static void put_string(struct made *made, const char *text)
{
	put_bytes(made, text, strlen(text) + 1);
}

/* DWARF 3, section 6.2: a header with line_base -5, line_range 14 and opcode_base 13. */
static void put_line_unit(struct made *line)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	static const struct {
		int lines, bytes;
	} rows[] = { { 9, 0 }, { 1, 4 }, { 2, 8 }, { 7, 4 } };
	size_t header;

	put(line, 0, 4);
	put(line, 3, 2);
	header = line->size;
	put(line, 0, 4);
	put(line, 1, 1); /* bytes of the shortest instruction */
	put(line, 1, 1); /* rows are statements */
	put(line, 0xfb, 1);
	put(line, 14, 1);
	put(line, 13, 1);
	put_bytes(line, lengths, sizeof(lengths));
	put(line, 0, 1); /* no folders */
	put_string(line, "calc.c");
	put(line, 0, 3);
	put(line, 0, 1);
	put_at(line, header, line->size - header - 4, 4);
	/* DW_LNE_set_address */
	put(line, 0x020900, 3);
	put(line, CALC, 8);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* DW_LNS_advance_line, DW_LNS_advance_pc, DW_LNS_copy */
		put(line, 3, 1);
		put(line, (uint64_t)rows[i].lines, 1);
		put(line, 2, 1);
		put(line, (uint64_t)rows[i].bytes, 1);
		put(line, 1, 1);
	}
	/* up to BARE, and DW_LNE_end_sequence */
	put(line, 2, 1);
	put(line, BARE - G, 1);
	put(line, 0x010100, 3);
	put_at(line, 0, line->size - 4, 4);
}

/* A unit with the line table and calc, declared at line 9; g has a symbol and lines alone. */
static void put_info_unit(struct made *abbrev, struct made *info)
{
	static const uint8_t abbreviations[] = {
		/* 1: DW_TAG_compile_unit with children: stmt_list data4, low_pc, high_pc addr */
		1, 0x11, 1, 0x10, 0x06, 0x11, 0x01, 0x12, 0x01, 0, 0,
		/*
		 * 2: DW_TAG_subprogram: name, linkage name string, decl_line data1, the same
		 */
		2, 0x2e, 0, 0x03, 0x08, 0x87, 0x40, 0x08, 0x3b, 0x0b, 0x11, 0x01, 0x12, 0x01, 0, 0,
		0
	};

	put_bytes(abbrev, abbreviations, sizeof(abbreviations));
	put(info, 0, 4);
	put(info, 3, 2);
	put(info, 0, 4);
	put(info, 8, 1);
	put(info, 1, 1);
	put(info, 0, 4);
	put(info, CALC, 8);
	put(info, BARE, 8);
	put(info, 2, 1);
	put_string(info, "calc");
	put_string(info, "_Z4calci");
	put(info, 9, 1);
	put(info, CALC, 8);
	put(info, G, 8);
	put(info, 0, 1);
	put_at(info, 0, info->size - 4, 4);
}

static void make_program(struct made *made, bool debug)
{
	static const uint8_t text[TEXT_SIZE];
	struct made symbols = { .is_64bit = true }, names = { .size = 1, .is_64bit = true };
	struct made abbrev = symbols, info = symbols, line = symbols;
	const struct {
		const char *name;
		uint64_t start, size;
	} functions[] = { { "_Z4calci", CALC, 0x10 }, { "g", G, 0x10 }, { "bare", BARE, 8 } };

	put_symbol(&symbols, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < 3; i++) {
		put_symbol(&symbols, (uint32_t)names.size, STB_GLOBAL << 4 | STT_FUNC, 1,
			   functions[i].start, functions[i].size);
		put_string(&names, functions[i].name);
	}
	put_line_unit(&line);
	put_info_unit(&abbrev, &info);

	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CALC, text, sizeof(text), 0,
		  0 },
		{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, 24 },
		{ ".strtab", SHT_STRTAB, 0, 0, names.bytes, names.size, 0, 0 },
		{ ".debug_abbrev", SHT_PROGBITS, 0, 0, abbrev.bytes, abbrev.size, 0, 0 },
		{ ".debug_info", SHT_PROGBITS, 0, 0, info.bytes, info.size, 0, 0 },
		{ ".debug_line", SHT_PROGBITS, 0, 0, line.bytes, line.size, 0, 0 },
	};

	*made = (struct made){ .is_64bit = true };
	make_elf(made, ET_EXEC, EM_X86_64, sections, debug ? 6 : 3);
}

static char with_lines[512], without_lines[512];

static int set_up(void **state)
{
	static struct made made;

	temp_setup(state);
	make_program(&made, true);
	strcpy(with_lines, temp_write(&temp, "lines.elf", made.bytes, made.size));
	make_program(&made, false);
	strcpy(without_lines, temp_write(&temp, "bare.elf", made.bytes, made.size));
	return 0;
}

/* ---- the exporter ---- */

static int exporter_answer;

static int write_plain(const struct tl_coverage *c, uint32_t object, struct tl_output *out,
		       struct tl_error *err)
{
	(void)err;
	if (object != TL_NONE)
		tl_put_format(out, "main %s\n", c->objects[object].path);
	for (size_t i = 0; i < c->insn_count; i++) {
		const struct tl_coverage_insn *insn = &c->insns[i];

		tl_put_format(out, "%s+%x %d", c->objects[insn->object].path,
			      (unsigned)insn->address, (int)insn->count);
		if (insn->function != TL_NONE)
			tl_put_format(out, " %s", c->functions[insn->function].name);
		if (insn->place != TL_NONE) {
			const struct tl_coverage_place *place = &c->places[insn->place];

			tl_put_format(out, " (%s %s:%u of %u)", place->function, place->file,
				      place->line, place->declared);
		}
		tl_put_char(out, '\n');
	}
	for (size_t i = 0; i < c->edge_count; i++)
		tl_put_format(out, "%x>%x %d\n", (unsigned)c->edges[i].from,
			      (unsigned)c->edges[i].to, (int)c->edges[i].count);
	return exporter_answer;
}

static const struct tl_coverage_exporter plain = { .write = write_plain },
					 lined = { .write = write_plain, .lines = true },
					 full = { .write = write_plain, .unexecuted = true },
					 single = { .write = write_plain, .one_object = true };

static char remarked[512];
static bool remarks_fail;

static bool add_remark(void *arg, char *text)
{
	(void)arg;
	if (!text)
		return false;
	strcat(remarked, text);
	strcat(remarked, "\n");
	free(text);
	return !remarks_fail;
}

/* ---- what was executed ---- */

struct executed {
	const char *path, *file;
	uint64_t addresses[8]; /* 0: behind the last one */
	uint64_t counts[8];
};

struct passed {
	const char *object, *function;
	bool raw_names;
};

static void fill(struct tl_coverage *c, const struct executed *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t object = tl_coverage_object(c, list[i].path, list[i].file, 0, 0);

		assert_int_equal(object, i);
		for (size_t n = 0; list[i].addresses[n]; n++)
			assert_true(tl_coverage_add_insn(
				c, &(struct tl_coverage_insn){ .address = list[i].addresses[n],
							       .count = list[i].counts[n],
							       .object = object,
							       .place = TL_NONE,
							       .function = TL_NONE,
							       .size = 4 }));
	}
}

static void add_edge(struct tl_coverage *c, uint64_t from, uint32_t from_object, uint64_t to,
		     uint32_t to_object)
{
	assert_true(tl_coverage_add_edge(c, &(struct tl_coverage_edge){ .from = from,
									.to = to,
									.count = 1,
									.from_object = from_object,
									.to_object = to_object,
									.kind = TL_BRANCH_CALL }));
}

/* Writes and frees the coverage; the text is to be freed. NULL: refused with *status. */
static char *write_all(struct tl_coverage *c, const struct tl_coverage_exporter *exporter,
		       struct passed passed, int *status, struct tl_error *err)
{
	const struct tl_input_options options = {
		.size = sizeof(options),
		.raw_names = passed.raw_names,
		.filter = { .object = passed.object, .function = passed.function },
	};
	const struct tl_coverage_remarks remarks = { add_remark, NULL };
	struct tl_output *out;
	const char *bytes;
	char *text;
	size_t size;

	*remarked = '\0';
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	*status = tl_coverage_write(c, &options, exporter, &remarks, out, err);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes ? bytes : "", size);
	tl_output_discard(out);
	tl_coverage_free(c);
	return text;
}

static void assert_written(struct tl_coverage *c, const struct tl_coverage_exporter *exporter,
			   struct passed passed, const char *expected, const char *remarks)
{
	struct tl_error err = { .text = "" };
	int status;
	char *text = write_all(c, exporter, passed, &status, &err);

	assert_int_equal(status, 0);
	assert_string_equal(text, expected);
	assert_string_equal(remarked, remarks);
	free(text);
}

static void assert_not_written(struct tl_coverage *c, const struct tl_coverage_exporter *exporter,
			       struct passed passed, int expected, const char *message)
{
	struct tl_error err = { .text = "" };
	int status;
	char *text = write_all(c, exporter, passed, &status, &err);

	assert_int_equal(status, expected);
	assert_string_equal(text, "");
	if (message)
		assert_string_equal(err.text, message);
	free(text);
}

/* prog with lines: calc's first two lines and g; a library without a file; addresses of nothing. */
static void fill_three(struct tl_coverage *c)
{
	const struct executed list[] = {
		{ "prog",
		  with_lines,
		  { CALC, CALC + 4, CALC + 8, G, BARE, NO_SYMBOL },
		  { 5, 5, 4, 2, 1, 6 } },
		{ "lib.so", NULL, { 0x500 }, { 9 } },
		{ "", NULL, { 0x77 }, { 3 } },
	};

	*c = (struct tl_coverage){ .object_count = 0 };
	fill(c, list, 3);
	add_edge(c, CALC + 4, 0, 0x500, 1);
	add_edge(c, G, 0, BARE, 0);
	add_edge(c, 0x500, 1, CALC + 8, 0);
}

#define NO_FILE(name) "no names and lines for the code of " name ": there is no file of it\n"
#define CALC_ROWS                                                                                  \
	"prog+1000 5 _Z4calci (_Z4calci calc.c:10 of 9)\n"                                         \
	"prog+1004 5 _Z4calci (_Z4calci calc.c:11 of 9)\n"                                         \
	"prog+1008 4 _Z4calci (_Z4calci calc.c:11 of 9)\n"
#define G_ROW "prog+1010 2 g ( calc.c:20 of 0)\n"
#define BARE_ROWS "prog+1020 1 bare\nprog+1030 6\n"

/* ---- tests ---- */

/* A function that DWARF does not know has its line alone; one without lines, its symbol. */
TEST(instructions_get_their_functions_and_lines)
{
	struct tl_coverage c;

	fill_three(&c);
	assert_written(&c, &plain, (struct passed){ NULL, NULL, false },
		       "main prog\n" CALC_ROWS G_ROW BARE_ROWS "lib.so+500 9\n"
		       "+77 3\n"
		       "1004>500 1\n1010>1020 1\n500>1008 1\n",
		       NO_FILE("lib.so") NO_FILE("unknown addresses"));
}

TEST(filters_choose_objects_and_functions)
{
	static const struct {
		struct passed passed;
		const char *expected, *remarks;
	} cases[] = {
		/* of an edge, one end is enough */
		{ { "^prog$", NULL, false },
		  "main prog\n" CALC_ROWS G_ROW BARE_ROWS "1004>500 1\n1010>1020 1\n500>1008 1\n",
		  "" },
		{ { "lib", NULL, false },
		  "main lib.so\nlib.so+500 9\n1004>500 1\n500>1008 1\n",
		  NO_FILE("lib.so") },
		{ { "prog", "^g$", false }, "main prog\n" G_ROW "1010>1020 1\n", "" },
		{ { "prog", "^bare$", false }, "main prog\nprog+1020 1 bare\n1010>1020 1\n", "" },
		{ { "prog", "^_Z4", true },
		  "main prog\n" CALC_ROWS "1004>500 1\n500>1008 1\n",
		  "" },
		/* code without a function is of none that could match */
		{ { "lib", ".", false }, "", NO_FILE("lib.so") },
		{ { "prog", "nothing", false }, "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_coverage c;
		struct tl_error err;
		int status;
		char *text;

		fill_three(&c);
		text = write_all(&c, &plain, cases[i].passed, &status, &err);
		assert_int_equal(status, 0);
		/* what is left of nothing has a main object all the same */
		if (*cases[i].expected)
			assert_string_equal(text, cases[i].expected);
		else
			assert_null(strchr(text, '+'));
		assert_string_equal(remarked, cases[i].remarks);
		free(text);
	}
}

/* As the source has it; --raw-names, as the linker has it. */
TEST(functions_match_by_the_name_that_is_shown)
{
	char *plain_name = tl_demangle("_Z4calci");
	struct tl_coverage c;

	if (!plain_name)
		skip();
	free(plain_name);
	fill_three(&c);
	assert_written(&c, &plain, (struct passed){ "prog", "^calc\\(int\\)$", false },
		       "main prog\n" CALC_ROWS "1004>500 1\n500>1008 1\n", "");
	fill_three(&c);
	assert_written(&c, &plain, (struct passed){ "prog", "^calc\\(int\\)$", true },
		       "main prog\n", "");
	fill_three(&c);
	assert_written(&c, &plain, (struct passed){ "prog", "^_Z4", false }, "main prog\n", "");
}

TEST(filters_that_are_none)
{
	static const struct {
		struct passed passed;
		const char *message;
	} cases[] = {
		{ { "[", NULL, false }, "a filter is no regular expression" },
		{ { NULL, "(", false }, "a filter is no regular expression" },
		{ { "prog", "(", false }, "a filter is no regular expression" },
		{ { "elsewhere", NULL, false },
		  "--object matches no object whose code was executed" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_coverage c;

		fill_three(&c);
		assert_not_written(&c, &plain, cases[i].passed, TL_BAD_USAGE, cases[i].message);
	}
}

/*
 * "with the lines of code that did not run": rows of the line table begin at 1000, 1004, 100c, 1010
 */
TEST(lines_that_did_not_run)
{
	const struct executed list[] = { { "prog", with_lines, { CALC + 4 }, { 7 } } };
	struct tl_coverage c = { .object_count = 0 };

	fill(&c, list, 1);
	assert_written(&c, &full, (struct passed){ NULL, NULL, false },
		       "main prog\n"
		       "prog+1000 0 _Z4calci (_Z4calci calc.c:10 of 9)\n"
		       "prog+1004 7 _Z4calci (_Z4calci calc.c:11 of 9)\n"
		       "prog+100c 0 _Z4calci (_Z4calci calc.c:13 of 9)\n"
		       "prog+1010 0 g ( calc.c:20 of 0)\n",
		       "");
}

TEST(programs_without_lines)
{
	const struct executed bare[] = { { "prog", without_lines, { CALC, G }, { 1, 2 } } },
			      lines[] = { { "prog", with_lines, { G }, { 2 } } };
	struct tl_coverage c = { .object_count = 0 };

	fill(&c, bare, 1);
	assert_written(
		&c, &lined, (struct passed){ NULL, NULL, false },
		"main prog\nprog+1000 1 _Z4calci\nprog+1010 2 g\n",
		"no lines for the code of prog: it has no debug information; --object chooses "
		"the objects that are wanted\n");
	/* an exporter that needs none, and a program that has them */
	c = (struct tl_coverage){ .object_count = 0 };
	fill(&c, bare, 1);
	assert_written(&c, &plain, (struct passed){ NULL, NULL, false },
		       "main prog\nprog+1000 1 _Z4calci\nprog+1010 2 g\n", "");
	c = (struct tl_coverage){ .object_count = 0 };
	fill(&c, lines, 1);
	assert_written(&c, &lined, (struct passed){ NULL, NULL, false }, "main prog\n" G_ROW, "");
}

TEST(a_file_that_is_no_program)
{
	const struct executed list[] = { { "prog", "/dev/null", { 1 }, { 1 } },
					 { "gone", "/no/where", { 2 }, { 2 } } };
	struct tl_coverage c = { .object_count = 0 };

	fill(&c, list, 2);
	assert_written(&c, &plain, (struct passed){ NULL, NULL, false },
		       "main gone\nprog+1 1\ngone+2 2\n", NO_FILE("prog") NO_FILE("gone"));
}

/* "the one that ran most instructions of those that --object lets through" */
TEST(the_main_object)
{
	static const struct {
		uint64_t counts[3][2];
		const char *object, *expected;
	} cases[] = {
		{ { { 5, 0 }, { 3, 3 }, { 1, 1 } }, NULL, "main b\n" },
		{ { { 5, 0 }, { 3, 3 }, { 1, 1 } }, "^[ac]$", "main a\n" },
		{ { { 5, 0 }, { 3, 3 }, { 1, 1 } }, "c", "main c\n" },
		/* the first of several that are alike */
		{ { { 2, 2 }, { 4, 0 }, { 1, 3 } }, NULL, "main a\n" },
		/* sums that do not fit are the largest number */
		{ { { 9, 0 }, { UINT64_MAX, 2 }, { 3, 4 } }, NULL, "main b\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct executed list[3] = { { "a", NULL, { 1, 2 }, { 0 } },
					    { "b", NULL, { 1, 2 }, { 0 } },
					    { "c", NULL, { 1, 2 }, { 0 } } };
		struct tl_coverage c = { .object_count = 0 };
		int status;
		struct tl_error err;
		char *text;

		for (int n = 0; n < 3; n++)
			memcpy(list[n].counts, cases[i].counts[n], sizeof(cases[i].counts[n]));
		fill(&c, list, 3);
		text = write_all(&c, &single, (struct passed){ .object = cases[i].object }, &status,
				 &err);
		assert_int_equal(status, 0);
		text[strcspn(text, "\n") + 1] = '\0';
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

TEST(nothing_was_executed)
{
	struct tl_coverage c = { .object_count = 0 };

	assert_written(&c, &plain, (struct passed){ NULL, NULL, false }, "", "");
	c = (struct tl_coverage){ .object_count = 0 };
	assert_written(&c, &plain, (struct passed){ "any", NULL, false }, "", "");
	c = (struct tl_coverage){ .object_count = 0 };
	assert_not_written(&c, &single, (struct passed){ NULL, NULL, false }, TL_UNSUPPORTED,
			   "no instruction was executed, so there is no object to write");
}

TEST(failures_of_others_are_passed_on)
{
	const struct executed list[] = { { "prog", NULL, { 1 }, { 1 } } };
	struct tl_coverage c = { .object_count = 0 };
	struct tl_error err;
	int status;

	fill(&c, list, 1);
	remarks_fail = true;
	assert_not_written(&c, &plain, (struct passed){ NULL, NULL, false }, TL_NO_MEMORY, NULL);
	remarks_fail = false;
	c = (struct tl_coverage){ .object_count = 0 };
	fill(&c, list, 1);
	exporter_answer = TL_IO;
	free(write_all(&c, &plain, (struct passed){ NULL, NULL, false }, &status, &err));
	exporter_answer = 0;
	assert_int_equal(status, TL_IO);
}

/* Made anew each time, as each allocation may be refused. */
static int refused_step(const void *arg, uint64_t *digest)
{
	static const uint64_t addresses[] = { CALC, CALC + 4, G, BARE };
	const struct tl_input_options options = { .size = sizeof(options),
						  .filter = { .function = arg } };
	const struct tl_coverage_remarks remarks = { add_remark, NULL };
	struct tl_coverage c = { .object_count = 0 };
	struct tl_output *out = NULL;
	uint32_t object = tl_coverage_object(&c, "prog", with_lines, 0, 0);
	int status = object == TL_NONE ? TL_NO_MEMORY : tl_output_open_memory(&out, NULL);
	const char *bytes;
	size_t size;

	*remarked = '\0';
	for (size_t i = 0; status == 0 && i < 4; i++)
		if (!tl_coverage_add_insn(&c, &(struct tl_coverage_insn){ .address = addresses[i],
									  .count = i + 1,
									  .object = object,
									  .place = TL_NONE,
									  .function = TL_NONE,
									  .size = 4 }))
			status = TL_NO_MEMORY;
	if (status == 0)
		status = tl_coverage_write(&c, &options, &full, &remarks, out, NULL);
	bytes = out ? tl_output_bytes(out, &size) : NULL;
	if (bytes && !status)
		refuse_note(digest, bytes, size);
	if (out && !status)
		status = tl_output_finish(out, NULL);
	tl_output_discard(out);
	tl_coverage_free(&c);
	return status;
}

TEST(without_memory)
{
	assert_true(refuse_each(refused_step, NULL) > 20);
	assert_true(refuse_each(refused_step, "g") > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_get_their_functions_and_lines),
		cmocka_unit_test(filters_choose_objects_and_functions),
		cmocka_unit_test(functions_match_by_the_name_that_is_shown),
		cmocka_unit_test(filters_that_are_none),
		cmocka_unit_test(lines_that_did_not_run),
		cmocka_unit_test(programs_without_lines),
		cmocka_unit_test(a_file_that_is_no_program),
		cmocka_unit_test(the_main_object),
		cmocka_unit_test(nothing_was_executed),
		cmocka_unit_test(failures_of_others_are_passed_on),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, set_up, temp_teardown);
}
