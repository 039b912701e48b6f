/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage of a program of three functions, made by hand, in the formats of other tools. What is
 * expected follows from docs/coverage.md and the descriptions of the formats: geninfo(1), drcov
 * version 2, `perf2bolt -pa`, LLVM's sample profile.
 *
 *   main 1000: entered 3 times; a loop from 1004 to 100e, left once by the branch at 1004; it
 *              calls f 7 times and g of another file 4 times, of which 6 and 3 come back
 *   f    2000: a system call, and a branch that is never taken
 *   h    3000: entered 5 times by a jump of g, and 2 times more by its own branch; it returns at
 *              two places
 *   u    4000: never entered
 */
#include "helper.h"

#include "export/coverage/coverage_exporters.h"

enum { PROGRAM, LIBRARY };

static const struct tl_coverage_place places[] = {
	{ "main", "main.c", 10, 0, 9, TL_NONE },
	{ "main", "main.c", 11, 0, 9, TL_NONE },
	/* Discriminator 1, of code that has three copies (DWARF discriminators of LLVM). */
	{ "main", "main.c", 11, 0x302, 9, TL_NONE },
	{ "main", "main.c", 12, 0, 9, TL_NONE },
	{ "inl", "inl.h", 5, 0, 3, 3 },
	{ "main", "main.c", 13, 0, 9, TL_NONE },
	{ "f", "f.c", 20, 0, 20, TL_NONE },
	{ "f", "f.c", 21, 0, 20, TL_NONE },
	{ "f", "f.c", 23, 0, 20, TL_NONE },
	{ "h", "main.c", 11, 0, 11, TL_NONE },
	{ "h", "main.c", 14, 0, 11, TL_NONE },
	{ "u", "f.c", 30, 0, 30, TL_NONE },
};

static const struct tl_coverage_function functions[] = {
	{ "main", "main.c", 0x1000, 0x11, PROGRAM, 9 },
	{ "f", "f.c", 0x2000, 7, PROGRAM, 20 },
	{ "h", "main.c", 0x3000, 5, PROGRAM, 11 },
	{ "u", "f.c", 0x4000, 1, PROGRAM, 30 },
	{ "g", "", 0x100, 7, LIBRARY, 0 },
};

/* Out of order, and 1004 in two parts. */
static const struct tl_coverage_insn insns[] = {
	{ 0x4000, 0, PROGRAM, 11, 3, 0, TL_BRANCH_NONE },
	{ 0x100, 4, LIBRARY, TL_NONE, 4, 1, TL_BRANCH_NONE },
	{ 0x102, 5, LIBRARY, TL_NONE, 4, 5, TL_BRANCH_JUMP },
	{ 0x1004, 5, PROGRAM, 1, 0, 2, TL_BRANCH_CONDITIONAL },
	{ 0x1000, 3, PROGRAM, 0, 0, 4, TL_BRANCH_NONE },
	{ 0x1006, 11, PROGRAM, 2, 0, 5, TL_BRANCH_INDIRECT_CALL },
	{ 0x1010, 1, PROGRAM, 5, 0, 1, TL_BRANCH_RETURN },
	{ 0x100b, 9, PROGRAM, 4, 0, 3, TL_BRANCH_NONE },
	{ 0x100e, 9, PROGRAM, 3, 0, 2, TL_BRANCH_JUMP },
	{ 0x2006, 7, PROGRAM, 7, 1, 1, TL_BRANCH_RETURN },
	{ 0x2000, 7, PROGRAM, 6, 1, 4, TL_BRANCH_SYSTEM },
	{ 0x2004, 7, PROGRAM, 6, 1, 2, TL_BRANCH_CONDITIONAL },
	{ 0x2010, 0, PROGRAM, 8, 1, 0, TL_BRANCH_NONE },
	{ 0x3004, 5, PROGRAM, 10, 2, 2, TL_BRANCH_CONDITIONAL },
	{ 0x3006, 4, PROGRAM, 10, 2, 1, TL_BRANCH_RETURN },
	{ 0x3007, 1, PROGRAM, 10, 2, 1, TL_BRANCH_RETURN },
	{ 0x3002, 7, PROGRAM, 9, 2, 2, TL_BRANCH_CONDITIONAL },
	{ 0x3000, 7, PROGRAM, 9, 2, 2, TL_BRANCH_NONE },
	{ 0x1004, 7, PROGRAM, 1, 0, 2, TL_BRANCH_CONDITIONAL },
	{ 0x101, 4, LIBRARY, TL_NONE, 4, 1, TL_BRANCH_RETURN },
};

static const struct tl_coverage_edge edges[] = {
	{ 0x102, 0x3000, 5, LIBRARY, PROGRAM, TL_BRANCH_JUMP, false },
	{ 0x101, 0x100b, 3, LIBRARY, PROGRAM, TL_BRANCH_RETURN, false },
	{ 0x1006, 0x100, 4, PROGRAM, LIBRARY, TL_BRANCH_INDIRECT_CALL, false },
	{ 0x1006, 0x2000, 7, PROGRAM, PROGRAM, TL_BRANCH_INDIRECT_CALL, false },
	{ 0x1004, 0x1010, 1, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, false },
	{ 0x1004, 0x1006, 5, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, true },
	{ 0x1004, 0x1006, 6, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, true },
	{ 0x1000, 0x1010, 2, PROGRAM, PROGRAM, TL_BRANCH_ASYNC, false },
	{ 0x100e, 0x1004, 9, PROGRAM, PROGRAM, TL_BRANCH_JUMP, false },
	{ 0x2006, 0x100b, 6, PROGRAM, PROGRAM, TL_BRANCH_RETURN, false },
	{ 0x2004, 0x2006, 7, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, true },
	{ 0x3002, 0x3004, 5, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, true },
	{ 0x3002, 0x3000, 2, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, false },
	{ 0x3004, 0x3006, 4, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, true },
	{ 0x3004, 0x3007, 1, PROGRAM, PROGRAM, TL_BRANCH_CONDITIONAL, false },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int setup(void **state)
{
	struct tl_coverage *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	assert_int_equal(tl_coverage_object(c, "/bin/p", "/bin/p", 0x400000, 0x401000), PROGRAM);
	assert_int_equal(tl_coverage_object(c, "/lib/q", NULL, 0, 0), LIBRARY);
	for (size_t i = 0; i < COUNT(places); i++)
		assert_int_equal(tl_coverage_place(c, &places[i]), i);
	for (size_t i = 0; i < COUNT(functions); i++)
		assert_int_equal(tl_coverage_function(c, &functions[i]), i);
	for (size_t i = 0; i < COUNT(insns); i++)
		assert_true(tl_coverage_add_insn(c, &insns[i]));
	for (size_t i = 0; i < COUNT(edges); i++)
		assert_true(tl_coverage_add_edge(c, &edges[i]));
	assert_true(tl_coverage_finish(c));
	*state = c;
	return 0;
}

static int teardown(void **state)
{
	tl_coverage_free(*state);
	free(*state);
	return 0;
}

static char *written(const struct tl_coverage *c, const struct tl_coverage_exporter *exporter,
		     uint32_t object, size_t *size)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(exporter->write(c, object, out, NULL), 0);
	return take_output(out, size);
}

static void expect(const struct tl_coverage *c, const struct tl_coverage_exporter *exporter,
		   uint32_t object, const char *wanted)
{
	size_t size;
	char *text = written(c, exporter, object, &size);

	assert_string_equal(text, wanted);
	free(text);
}

/*
 * "Of the instructions of a line in one function the most frequent one counts; these counts are
 * added up over the functions": line 11 is 12 of main and 7 of h.
 */
static void lines_functions_and_branches(void **state)
{
	expect(*state, &tl_lcov_exporter, PROGRAM,
	       "TN:\nSF:f.c\nFN:20,f\nFN:30,u\nFNDA:7,f\nFNDA:0,u\nFNF:2\nFNH:1\n"
	       "BRDA:20,0,0,0\nBRDA:20,0,1,7\nBRF:2\nBRH:1\n"
	       "DA:20,7\nDA:21,7\nDA:23,0\nDA:30,0\nLF:4\nLH:2\nend_of_record\n"
	       "TN:\nSF:inl.h\nFNF:0\nFNH:0\nBRF:0\nBRH:0\nDA:5,9\nLF:1\nLH:1\nend_of_record\n"
	       "TN:\nSF:main.c\nFN:9,main\nFN:11,h\nFNDA:3,main\nFNDA:7,h\nFNF:2\nFNH:2\n"
	       "BRDA:11,0,0,1\nBRDA:11,0,1,11\nBRDA:11,1,0,2\nBRDA:11,1,1,5\n"
	       "BRDA:14,0,0,1\nBRDA:14,0,1,4\nBRF:6\nBRH:6\n"
	       "DA:10,3\nDA:11,19\nDA:12,9\nDA:13,1\nDA:14,5\nLF:5\nLH:5\nend_of_record\n");
}

static void every_edge_is_a_row(void **state)
{
	expect(*state, &tl_edges_exporter, PROGRAM,
	       "from_object,from,from_function,from_file,from_line,"
	       "to_object,to,to_function,to_file,to_line,kind,count\n"
	       "/bin/p,0x1000,main,main.c,10,/bin/p,0x1010,main,main.c,13,interrupt,2\n"
	       "/bin/p,0x1004,main,main.c,11,/bin/p,0x1006,main,main.c,11,not-taken,11\n"
	       "/bin/p,0x1004,main,main.c,11,/bin/p,0x1010,main,main.c,13,conditional,1\n"
	       "/bin/p,0x1006,main,main.c,11,/bin/p,0x2000,f,f.c,20,indirect-call,7\n"
	       "/bin/p,0x1006,main,main.c,11,/lib/q,0x100,g,,,indirect-call,4\n"
	       "/bin/p,0x100e,main,main.c,12,/bin/p,0x1004,main,main.c,11,jump,9\n"
	       "/bin/p,0x2004,f,f.c,20,/bin/p,0x2006,f,f.c,21,not-taken,7\n"
	       "/bin/p,0x2006,f,f.c,21,/bin/p,0x100b,main,inl.h,5,return,6\n"
	       "/bin/p,0x3002,h,main.c,11,/bin/p,0x3000,h,main.c,11,conditional,2\n"
	       "/bin/p,0x3002,h,main.c,11,/bin/p,0x3004,h,main.c,14,not-taken,5\n"
	       "/bin/p,0x3004,h,main.c,14,/bin/p,0x3006,h,main.c,14,not-taken,4\n"
	       "/bin/p,0x3004,h,main.c,14,/bin/p,0x3007,h,main.c,14,conditional,1\n"
	       "/lib/q,0x101,g,,,/bin/p,0x100b,main,inl.h,5,return,3\n"
	       "/lib/q,0x102,g,,,/bin/p,0x3000,h,main.c,11,jump,5\n");
}

/* A system call does not end a block; a branch and its target do. */
static void executed_blocks(void **state)
{
	static const struct {
		uint32_t offset;
		uint16_t size, module;
	} blocks[] = {
		{ 0, 4, 0 },      { 4, 2, 0 },      { 6, 5, 0 },      { 0xb, 5, 0 },
		{ 0x10, 1, 0 },   { 0x1000, 6, 0 }, { 0x1006, 1, 0 }, { 0x2000, 4, 0 },
		{ 0x2004, 2, 0 }, { 0x2006, 1, 0 }, { 0x2007, 1, 0 }, { 0x100, 2, 1 },
		{ 0x102, 5, 1 },
	};
	static const char head[] = "DRCOV VERSION: 2\nDRCOV FLAVOR: tracelathe\n"
				   "Module Table: version 2, count 2\n"
				   "Columns: id, base, end, entry, path\n"
				   "  0, 0x0000000000401000, 0x0000000000404000, "
				   "0x0000000000000000, /bin/p\n"
				   "  1, 0x0000000000000000, 0x0000000000000107, "
				   "0x0000000000000000, /lib/q\n"
				   "BB Table: 13 bbs\n";
	size_t size;
	char *text = written(*state, &tl_drcov_exporter, PROGRAM, &size);
	const uint8_t *p = (const uint8_t *)text + sizeof(head) - 1;

	assert_memory_equal(text, head, sizeof(head) - 1);
	assert_int_equal(size, sizeof(head) - 1 + 8 * COUNT(blocks));
	for (size_t i = 0; i < COUNT(blocks); i++, p += 8) {
		assert_int_equal(p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24, blocks[i].offset);
		assert_int_equal(p[4] | p[5] << 8, blocks[i].size);
		assert_int_equal(p[6] | p[7] << 8, blocks[i].module);
	}
	free(text);
}

/* "Branches from elsewhere come from address 0." "The first in first out." */
static void branches_and_runs(void **state)
{
	expect(*state, &tl_bolt_exporter, PROGRAM,
	       "B 1004 1010 1 0\nB 1006 2000 7 0\nB 100e 1004 9 0\nB 2006 100b 6 0\n"
	       "B 3002 3000 2 0\nB 3004 3007 1 0\nB 0 100b 3 0\nB 0 3000 5 0\n"
	       "f 1000 1004 1\nf 1000 1006 2\nF 1004 1006 9\nf 100b 100e 9\nF 1010 1010 1\n"
	       "f 2000 2006 7\nF 3000 3002 2\nF 3000 3004 1\nF 3000 3006 4\n"
	       "F 3007 3007 1\n");
	expect(*state, &tl_bolt_exporter, LIBRARY, "B 0 100 4 0\nf 100 101 4\nf 102 102 5\n");
}

/* "The most frequent instruction of a line and discriminator, times its copies; totals count bytes
 * of code." */
static void samples_of_lines(void **state)
{
	expect(*state, &tl_llvm_profile_exporter, PROGRAM,
	       "main:137:0\n 1: 3\n 2: 12\n 2.1: 33 f:7 g:4\n 3: 9\n 4: 1\n"
	       " 3: inl:27\n  2: 9\n"
	       "f:49:7\n 0: 7\n 1: 7\n 3: 0\n"
	       "h:43:5\n 0: 7\n 3: 5\n");
	expect(*state, &tl_llvm_profile_exporter, LIBRARY, "");
}

/* Nothing was executed: each format has its frame only. */
TEST(nothing)
{
	struct tl_coverage c = { .objects = NULL };

	assert_true(tl_coverage_finish(&c));
	expect(&c, &tl_lcov_exporter, 0, "");
	expect(&c, &tl_bolt_exporter, 0, "");
	expect(&c, &tl_llvm_profile_exporter, 0, "");
	expect(&c, &tl_drcov_exporter, 0,
	       "DRCOV VERSION: 2\nDRCOV FLAVOR: tracelathe\nModule Table: version 2, count 0\n"
	       "Columns: id, base, end, entry, path\nBB Table: 0 bbs\n");
	tl_coverage_free(&c);
}

/* A block has room for 65535 bytes: code without a branch that is longer is several. */
TEST(blocks_are_bounded)
{
	struct tl_coverage c = { .objects = NULL };
	struct tl_coverage_insn insn = {
		.count = 1, .place = TL_NONE, .function = TL_NONE, .size = 15
	};
	size_t size;
	char *text;

	tl_coverage_object(&c, "p", NULL, 0, 0);
	/* 65535 is 15 times 4369: one more instruction is one block more. */
	for (unsigned i = 0; i < 4370; i++, insn.address += 15)
		assert_true(tl_coverage_add_insn(&c, &insn));
	assert_true(tl_coverage_finish(&c));
	text = written(&c, &tl_drcov_exporter, 0, &size);
	assert_non_null(strstr(text, "BB Table: 2 bbs\n"));
	assert_memory_equal(text + size - 16, "\0\0\0\0\xff\xff\0\0\xff\xff\0\0\x0f\0\0\0", 16);
	free(text);
	tl_coverage_free(&c);
}

/* "Counts are exact; they saturate." */
TEST(counts_saturate)
{
	struct tl_coverage c = { .objects = NULL };
	struct tl_coverage_insn insn = { .address = 1, .count = UINT64_MAX - 1, .place = TL_NONE };
	struct tl_coverage_edge edge = { .from = 1, .to = 2, .count = UINT64_MAX };

	assert_true(tl_coverage_add_insn(&c, &insn));
	assert_true(tl_coverage_add_edge(&c, &edge));
	tl_coverage_count(&c, 0, 1);
	assert_true(c.insns[0].count == UINT64_MAX);
	insn.count = edge.count = 2;
	assert_true(tl_coverage_add_insn(&c, &insn));
	assert_true(tl_coverage_add_edge(&c, &edge));
	assert_true(c.insns[0].count == UINT64_MAX && c.edges[0].count == UINT64_MAX);
	assert_int_equal(c.insn_count, 1);
	assert_int_equal(c.edge_count, 1);
	tl_coverage_free(&c);
}

/* What differs in one member is another one; what is equal in all is the same. */
TEST(equal_ones_are_one)
{
	struct tl_coverage c = { .objects = NULL };
	const struct tl_coverage_place place = { "f", "f.c", 1, 2, 3, TL_NONE };
	struct tl_coverage_place others[] = { place, place, place, place, place, place };
	const struct tl_coverage_edge edge = { 1, 2, 1, 0, 0, TL_BRANCH_JUMP, false };
	struct tl_coverage_edge more[] = { edge, edge, edge, edge, edge, edge };

	others[0].function = "g";
	others[1].file = "g.c";
	others[2].line = others[3].discriminator = others[4].declared = 9;
	others[5].caller = 0;
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(tl_coverage_place(&c, &place), 0);
		for (uint32_t i = 0; i < COUNT(others); i++)
			assert_int_equal(tl_coverage_place(&c, &others[i]), i + 1);
	}
	more[0].from = more[1].to = 9;
	more[2].from_object = more[3].to_object = 1;
	more[4].kind = TL_BRANCH_CALL;
	more[5].falls = true;
	for (int twice = 0; twice < 2; twice++) {
		assert_true(tl_coverage_add_edge(&c, &edge));
		for (uint32_t i = 0; i < COUNT(more); i++)
			assert_true(tl_coverage_add_edge(&c, &more[i]));
	}
	assert_int_equal(c.edge_count, 1 + COUNT(more));
	assert_int_equal(tl_coverage_object(&c, "a", NULL, 0, 0), 0);
	assert_int_equal(tl_coverage_object(&c, "a", "a", 0, 0), 1);
	assert_int_equal(tl_coverage_object(&c, "b", "a", 0, 0), 2);
	assert_int_equal(tl_coverage_object(&c, "a", NULL, 5, 5), 0);
	assert_int_equal(tl_coverage_object(&c, "a", "a", 5, 5), 1);
	tl_coverage_free(&c);
}

#define WITH_PROGRAM(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROGRAM(lines_functions_and_branches),
		WITH_PROGRAM(every_edge_is_a_row),
		WITH_PROGRAM(executed_blocks),
		WITH_PROGRAM(branches_and_runs),
		WITH_PROGRAM(samples_of_lines),
		cmocka_unit_test(nothing),
		cmocka_unit_test(blocks_are_bounded),
		cmocka_unit_test(counts_saturate),
		cmocka_unit_test(equal_ones_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
