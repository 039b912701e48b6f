/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of streams of a few instructions, as CSV: every number is counted by hand from the
 * tokens that the test writes, by the rules of docs/analyze.md.
 */
#include <stdio.h>

#include "bytes.h"

#include "core/output.h"
#include "xtrace/analyze/analyze.h"

#define CBNZ_BACK_8 0xb5ffffc0u /* CBNZ X0, . - 8 */
#define MSR_SP_EL0 0xd5184100u  /* MSR SP_EL0, X0 */
#define MSR_TTBR0 0xd5182000u   /* MSR TTBR0_EL1, X0 */

static const uint64_t vector = 0xffff800008010c00;

static char *analyze(struct bytes *b, const struct tl_xtrace_analysis_options *options)
{
	struct tl_output *out;
	struct trace t;
	char *copy;
	size_t size;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(tl_xtrace_analyze(t.trace, options, out, &t.err), 0);
	assert_non_null(tl_output_bytes(out, &size));
	copy = strndup(tl_output_bytes(out, &size), size);
	tl_output_discard(out);
	close_trace(&t);
	return copy;
}

/* Frees the stream. */
static void assert_csv(struct bytes *b, struct tl_xtrace_analysis_options options, const char *want)
{
	char *got;

	options.form = TL_XTRACE_CSV;
	options.thread = TL_NOWHERE;
	got = analyze(b, &options);
	assert_string_equal(got, want);
	free(got);
	free_bytes(b);
}

/* Names of opcodes depend on the disassembler: the first cell of each row goes. */
static void cut_first_cells(char *text)
{
	char *to = text;

	for (char *line = text; *line;) {
		char *comma = strchr(line, ','), *end = strchr(line, '\n') + 1;

		memmove(to, comma + 1, (size_t)(end - comma - 1));
		to += end - comma - 1;
		line = end;
	}
	*to = '\0';
}

static void assert_mix(struct bytes *b, unsigned jobs, uint32_t top, const char *want)
{
	const struct tl_xtrace_analysis_options options = { .analyses = TL_XTRACE_ANALYZE_MIX,
							    .form = TL_XTRACE_CSV,
							    .thread = TL_NOWHERE,
							    .jobs = jobs,
							    .top = top };
	char *got = analyze(b, &options);

	cut_first_cells(got);
	assert_string_equal(got, want);
	free(got);
}

/* One round of a loop, whose load has so many tokens. */
static void put_round(struct bytes *b, unsigned loads)
{
	put_pcinst(b, 0, 0x1000, A64_LDR);
	for (unsigned i = 0; i < loads; i++)
		put_access(b, LOAD, 3, 0x9000 + 8 * i, 5);
	put_inst(b, 0, A64_NOP);
}

/* ---- mix ---- */

/* Four rounds, a fifth that an exception ends, two NOP and ERET above EL0: 17 instructions. */
TEST(the_mix_counts_every_instruction)
{
	struct bytes b = { .data = NULL };

	for (unsigned i = 0; i < 4; i++) {
		put_round(&b, 1);
		put_inst(&b, 0, CBNZ_BACK_8);
	}
	put_round(&b, 1);
	put_allgpr(&b, 0);
	put_pcinst(&b, 1, vector, A64_NOP);
	put_inst(&b, 1, A64_NOP);
	put_inst(&b, 1, A64_ERET);
	put_value(&b, TARGET_B, 0x1008);
	for (unsigned jobs = 1; jobs <= 3; jobs += 2)
		assert_mix(&b, jobs, 0,
			   "class,el0,el1,el2,el3,all,percent\n"
			   "hint,5,2,0,0,7,41.18\n"
			   "load,5,0,0,0,5,29.41\n"
			   "branch,4,0,0,0,4,23.53\n"
			   "branch,0,1,0,0,1,5.88\n");
	assert_mix(&b, 1, 2,
		   "class,el0,el1,el2,el3,all,percent\n"
		   "hint,5,2,0,0,7,41.18\n"
		   "load,5,0,0,0,5,29.41\n");
	free_bytes(&b);
}

/* ---- text ---- */

static const struct tl_xtrace_table_column text_columns[] = {
	{ "left", TL_XTRACE_LEFT },
	{ "number", TL_XTRACE_RIGHT },
	{ "rest", TL_XTRACE_REST },
};

/* A table of two rows on a page of this width. */
static void assert_text(uint32_t width, const char *want)
{
	bool no_memory = false;
	const struct tl_xtrace_table_page page = { width, &no_memory };
	struct tl_xtrace_table t;
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_xtrace_table_begin(&t, out, TL_XTRACE_TEXT, &page, 0, "t", "Title");
	tl_xtrace_table_columns(&t, text_columns, 3);
	tl_xtrace_cell_text(&t, "a");
	tl_xtrace_cell_u64(&t, 12345678);
	tl_xtrace_cell_text(&t, "something of a length");
	tl_xtrace_cell_text(&t, "bcdefg");
	tl_xtrace_cell_u64(&t, 9);
	tl_xtrace_cell_none(&t);
	tl_xtrace_table_end(&t);
	tl_put_char(out, '\0');
	assert_string_equal(tl_output_bytes(out, &size), want);
	assert_false(no_memory);
	tl_output_discard(out);
}

/* Columns are as wide as what stands in them; 6 + 2 + 8 + 2 are left of "rest". */
TEST(text_is_as_wide_as_its_cells)
{
	assert_text(0, "Title\n"
		       "left      number  rest\n"
		       "a       12345678  something of a length\n"
		       "bcdefg         9  -\n");
	assert_text(39, "Title\n"
			"left      number  rest\n"
			"a       12345678  something of a length\n"
			"bcdefg         9  -\n");
	assert_text(38, "Title\n"
			"left      number  rest\n"
			"a       12345678  something of a le...\n"
			"bcdefg         9  -\n");
	assert_text(26, "Title\n"
			"left      number  rest\n"
			"a       12345678  somet...\n"
			"bcdefg         9  -\n");
	/* With less than 8 columns for the last one, another one goes, which is told. */
	assert_text(25, "Title\n"
			"left    rest\n"
			"a       something of a...\n"
			"bcdefg  -\n"
			"(columns without room are left out; --wide shows them)\n");
}

/* Rows that are written are not written again, and later ones may be wider. */
TEST(long_tables_are_written_on_the_way)
{
	bool no_memory = false;
	const struct tl_xtrace_table_page page = { 0, &no_memory };
	struct tl_xtrace_table t;
	struct tl_output *out;
	const char *text;
	size_t size, lines = 0;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_xtrace_table_begin(&t, out, TL_XTRACE_TEXT, &page, 0, "t", "Title");
	tl_xtrace_table_columns(&t, text_columns, 2);
	for (uint64_t i = 0; i < 5000; i++) {
		tl_xtrace_cell_text(&t, "a");
		tl_xtrace_cell_u64(&t, i * i * i);
	}
	tl_xtrace_table_end(&t);
	tl_put_char(out, '\0');
	text = tl_output_bytes(out, &size);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1, lines++)
		if (lines >= 2) {
			uint64_t number = lines - 2;

			assert_int_equal(*line, 'a');
			assert_int_equal(strtoull(line + 1, NULL, 10), number * number * number);
		}
	assert_int_equal(lines, 5002);
	tl_output_discard(out);
}

/* More different tokens behind one instruction than there are variants of a block. */
TEST(the_mix_counts_blocks_of_any_tokens)
{
	struct bytes b = { .data = NULL };

	for (unsigned i = 0; i < 8; i++) {
		put_round(&b, i);
		put_inst(&b, 0, CBNZ_BACK_8);
	}
	put_round(&b, 7);
	put_round(&b, 6);
	put_pcinst(&b, 0, 0x1004, A64_NOP);
	assert_mix(&b, 1, 0,
		   "class,el0,el1,el2,el3,all,percent\n"
		   "hint,11,0,0,0,11,37.93\n"
		   "load,10,0,0,0,10,34.48\n"
		   "branch,8,0,0,0,8,27.59\n");
	free_bytes(&b);
}

/*
 * Of a large stream several threads count pieces. What a program passes to a system call looks like
 * instructions, where the second piece would begin.
 */
TEST(the_mix_of_pieces)
{
	const size_t piece = 4 << 20;
	struct bytes b = { .data = NULL };
	unsigned rounds = 0;
	char want[200];

	for (; b.size < piece - 4096; rounds++)
		put_round(&b, 1);
	put_pcinst(&b, 0, 0x2000, A64_NOP);
	put_value(&b, SYSCALL_VEC, 1300);
	for (unsigned i = 0; i < 1600; i++)
		put_pcinst(&b, 0, 0x3000, A64_RET);
	for (; b.size < 3 * piece; rounds++)
		put_round(&b, 1);
	snprintf(want, sizeof(want),
		 "class,el0,el1,el2,el3,all,percent\n"
		 "hint,%u,0,0,0,%u,50.00\n"
		 "load,%u,0,0,0,%u,50.00\n",
		 rounds + 1, rounds + 1, rounds, rounds);
	for (unsigned jobs = 1; jobs <= 3; jobs++)
		assert_mix(&b, jobs, 0, want);
	free_bytes(&b);
}

/* Rows of one class are summed: CBNZ and ERET are branches. Equal counts go by name. */
TEST(the_mix_by_class)
{
	const struct tl_xtrace_analysis_options options = { .analyses = TL_XTRACE_ANALYZE_MIX,
							    .form = TL_XTRACE_JSON,
							    .thread = TL_NOWHERE };
	static const char want[] =
		"{\"format\":\"xtrace\",\"classes\":["
		"{\"class\":\"hint\",\"el0\":1,\"el1\":2,\"el2\":0,\"el3\":0,\"all\":3,"
		"\"percent\":50.00},"
		"{\"class\":\"branch\",\"el0\":1,\"el1\":1,\"el2\":0,\"el3\":0,\"all\":2,"
		"\"percent\":33.33},"
		"{\"class\":\"load\",\"el0\":1,\"el1\":0,\"el2\":0,\"el3\":0,\"all\":1,"
		"\"percent\":16.67}],\"opcodes\":[";
	struct bytes b = { .data = NULL };
	char *got;

	put_round(&b, 1);
	put_inst(&b, 0, CBNZ_BACK_8);
	put_pcinst(&b, 1, vector, A64_NOP);
	put_inst(&b, 1, A64_NOP);
	put_inst(&b, 1, A64_ERET);
	got = analyze(&b, &options);
	assert_memory_equal(got, want, sizeof(want) - 1);
	free(got);
	free_bytes(&b);
}

/* ---- footprint, reuse, caches ---- */

/*
 * A load of line 0x240; a store over the end of it; a load of it. One line of code at each level.
 */
static struct bytes accesses(void)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	put_inst(&b, 0, A64_STR);
	put_access(&b, STORE, 3, 0x903c, 5);
	put_inst(&b, 0, A64_LDR);
	put_access(&b, LOAD, 3, 0x9008, 5);
	put_allgpr(&b, 0);
	put_pcinst(&b, 1, vector, A64_NOP);
	return b;
}

TEST(a_footprint_by_level)
{
	struct bytes b = accesses();

	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_FOOTPRINT },
		   "thread,el,unit,bytes,fetched,loaded,stored,data,all\n"
		   "0,0,line,64,1,1,2,2,3\n"
		   "0,0,page,4096,1,1,1,1,2\n"
		   "0,1,line,64,1,0,0,0,1\n"
		   "0,1,page,4096,1,0,0,0,1\n"
		   "0,all,line,64,2,1,2,2,4\n"
		   "0,all,page,4096,2,1,1,1,3\n");
	b = accesses();
	/* Lines of 4096 bytes and pages of 64 KiB: the access no longer crosses a line. */
	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){
			   .analyses = TL_XTRACE_ANALYZE_FOOTPRINT, .line = 4096, .page = 65536 },
		   "thread,el,unit,bytes,fetched,loaded,stored,data,all\n"
		   "0,0,line,4096,1,1,1,1,2\n"
		   "0,0,page,65536,1,1,1,1,1\n"
		   "0,1,line,4096,1,0,0,0,1\n"
		   "0,1,page,65536,1,0,0,0,1\n"
		   "0,all,line,4096,2,1,1,1,3\n"
		   "0,all,page,65536,2,1,1,1,2\n");
}

/* Lines of data: A, A, B, A. Of code: C, C, C, D. */
TEST(reuse_of_data_and_code)
{
	struct bytes b = accesses();

	assert_csv(&b, (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_REUSE },
		   "thread,access,from,to,touches,percent,up_to\n"
		   "0,instruction,0,0,2,50.00,50.00\n"
		   "0,instruction,,,2,50.00,100.00\n"
		   "0,data,0,0,1,25.00,25.00\n"
		   "0,data,1,1,1,25.00,50.00\n"
		   "0,data,,,2,50.00,100.00\n");
}

/* DC ZVA stores a whole block, wherever in it the address is. */
TEST(a_zeroed_block_is_stored)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, 0xd50b7420); /* DC ZVA, X0 */
	put_value(&b, DC, 0x9038);
	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_FOOTPRINT,
							.line = 16 },
		   "thread,el,unit,bytes,fetched,loaded,stored,data,all\n"
		   "0,0,line,16,1,0,4,4,5\n"
		   "0,0,page,4096,1,0,1,1,2\n");
}

/*
 * L1 has two sets of one way: 0x9000 and 0x9080 drop each other. L2 has four sets of two ways and
 * keeps both. The code is one line.
 */
TEST(caches_by_level)
{
	static const char config[] = "L1 data size=128 ways=1 line=64 next=L2\n"
				     "I instruction size=64 ways=1 line=64 next=L2\n"
				     "L2 unified size=512 ways=2 line=64\n";
	struct tl_xtrace_cache_config caches;
	struct bytes b = { .data = NULL };

	assert_int_equal(tl_xtrace_cache_parse(&caches, config, sizeof(config) - 1, NULL), 0);
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	put_inst(&b, 0, A64_LDR);
	put_access(&b, LOAD, 3, 0x9080, 5);
	put_inst(&b, 0, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	put_inst(&b, 0, A64_NOP);
	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_CACHE,
							.caches = &caches },
		   "thread,level,access,accesses,hits,misses,missed\n"
		   "0,L1,load,3,0,3,100.00\n"
		   "0,I,fetch,4,3,1,25.00\n"
		   "0,L2,fetch,1,0,1,100.00\n"
		   "0,L2,load,3,1,2,66.67\n"
		   "0,L2,all,4,1,3,75.00\n");
}

/* ---- basic blocks ---- */

static struct bytes two_rounds(void)
{
	struct bytes b = { .data = NULL };

	for (unsigned i = 0; i < 2; i++) {
		put_round(&b, 1);
		put_inst(&b, 0, CBNZ_BACK_8);
	}
	put_inst(&b, 0, A64_NOP);
	put_inst(&b, 0, A64_NOP);
	return b;
}

TEST(blocks_by_instructions)
{
	struct bytes b = two_rounds();

	assert_csv(&b, (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_BLOCKS },
		   "block,el,address,length,executions,instructions,percent,function\n"
		   "1,0,0x1000,3,2,6,75.00,\n"
		   "2,0,0x100c,2,1,2,25.00,\n");
	b = two_rounds();
	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_BLOCKS,
							.top = 1 },
		   "block,el,address,length,executions,instructions,percent,function\n"
		   "1,0,0x1000,3,2,6,75.00,\n");
}

/* Intervals of four instructions: the second begins in the middle of the second round. */
TEST(vectors_of_intervals)
{
	const struct tl_xtrace_analysis_options options = { .analyses = TL_XTRACE_ANALYZE_BBV,
							    .thread = TL_NOWHERE,
							    .interval = 4 };
	struct bytes b = two_rounds();
	char *got = analyze(&b, &options);

	assert_string_equal(got, "T:1:4\nT:1:2 :2:2\n");
	free(got);
	assert_csv(&b, options,
		   "interval,thread,block,address,instructions\n"
		   "0,0,1,0x1000,4\n"
		   "1,0,1,0x1000,2\n"
		   "1,0,2,0x100c,2\n");
}

/* ---- system calls ---- */

static void put_call(struct bytes *b, uint64_t number, uint64_t x0, uint64_t x1, uint64_t x2)
{
	const uint64_t args[7] = { number, x0, x1, x2 };

	put_inst(b, 0, A64_SVC);
	for (unsigned i = 0; i < 7; i++)
		put_value(b, SVCARG, args[i]);
}

#define CALL_COLUMNS                                                                               \
	"thread,instruction,between,pc,number,name,arguments,result,error,vectors,task\n"

TEST(calls_with_results)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_inst(&b, 0, A64_NOP);
	put_call(&b, 64, 1, 0x9000, 5);
	put_value(&b, SVCRET, 5);
	put_inst(&b, 0, A64_NOP);
	put_call(&b, 56, (uint64_t)-100, 0x9100, 0);
	put_value(&b, SVCRET, (uint64_t)-2);
	put_inst(&b, 0, A64_NOP);
	put_call(&b, 9999, 1, 2, 3);
	put_value(&b, SVCRET, (uint64_t)-38);
	put_call(&b, 93, 7, 0, 0);
	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_SYSCALLS },
		   CALL_COLUMNS
		   "0,2,2,0x1008,64,write,0x1 0x9000 0x5,5,,,\n"
		   "0,4,1,0x1010,56,openat,0xffffffffffffff9c 0x9100 0x0 0x0,-2,ENOENT,,\n"
		   "0,6,1,0x1018,9999,,0x1 0x2 0x3 0x0 0x0 0x0,-38,ENOSYS,,\n"
		   "0,7,0,0x101c,93,exit,0x7,,,,\n");
}

TEST(calls_with_vectors)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_call(&b, 66, 1, 0x9000, 2);
	put_value(&b, SYSCALL_VEC, 2);
	put_number(&b, 0xa000, 8);
	put_number(&b, 3, 8);
	put_number(&b, 0xb000, 8);
	put_number(&b, 4, 8);
	put_value(&b, SVCRET, 7);
	put_inst(&b, 0, A64_NOP);
	assert_csv(&b,
		   (struct tl_xtrace_analysis_options){ .analyses = TL_XTRACE_ANALYZE_SYSCALLS },
		   CALL_COLUMNS "0,1,1,0x1004,66,writev,0x1 0x9000 0x2,7,,0xa000:3 0xb000:4,\n");
}

/* The result is the call's own only where the program goes on as it was. */
struct way_back {
	uint64_t pc;               /* of the instruction behind SVCRET */
	uint64_t task, task_after; /* MSR SP_EL0 */
	uint64_t space;            /* MSR TTBR0_EL1; 0: none */
	uint64_t registers;        /* X0 of the last ALLGPR */
	bool own;
};

TEST(results_of_other_tasks)
{
	static const uint64_t task = 0xffff000000001000;
	static const struct way_back ways[] = {
		{ 0x1008, task, task, 0, 0, true },
		{ 0x4000, task, task, 0, 0, false },          /* a signal's handler */
		{ 0x1008, task, task + 0x1000, 0, 0, false }, /* another thread */
		{ 0x1008, task, 0x7000, 0, 0, true },         /* SP of the program, no thread */
		{ 0x1008, task, task, 0x5000, 0, true },      /* what it was is not known */
		{ 0x1008, task, task, 0, 1, false },          /* X19 to X30 are others */
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct bytes b = { .data = NULL };

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		put_call(&b, 172, 0, 0, 0);
		put_allgpr(&b, 0);
		put_pcinst(&b, 1, vector, MSR_SP_EL0);
		put_value(&b, MRS, ways[i].task);
		put_inst(&b, 1, MSR_SP_EL0);
		put_value(&b, MRS, ways[i].task_after);
		if (ways[i].space) {
			put_inst(&b, 1, MSR_TTBR0);
			put_value(&b, MRS, ways[i].space);
		}
		put_inst(&b, 1, A64_ERET);
		put_value(&b, TARGET_B, ways[i].pc);
		put_allgpr(&b, ways[i].registers);
		put_value(&b, SVCRET, 42);
		put_pcinst(&b, 0, ways[i].pc, A64_NOP);
		assert_csv(&b,
			   (struct tl_xtrace_analysis_options){
				   .analyses = TL_XTRACE_ANALYZE_SYSCALLS },
			   ways[i].own ? CALL_COLUMNS
				   "0,1,1,0x1004,172,getpid,,42,,,0xffff000000001000\n"
				       : CALL_COLUMNS
				   "0,1,1,0x1004,172,getpid,,,,,0xffff000000001000\n");
	}
}

/* ---- options ---- */

static int try_analyze(const struct tl_xtrace_analysis_options *options)
{
	struct bytes b = accesses();
	struct tl_output *out;
	struct trace t;
	int status;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	status = tl_xtrace_analyze(t.trace, options, out, &t.err);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(&b);
	return status;
}

TEST(wrong_options)
{
	static const struct {
		uint64_t thread, line, page;
		int status;
	} tried[] = {
		{ 0, 0, 0, 0 },
		{ 1, 0, 0, TL_BAD_USAGE },
		{ TL_NOWHERE, 16, UINT64_C(1) << 40, 0 },
		{ TL_NOWHERE, 8, 0, TL_BAD_USAGE },
		{ TL_NOWHERE, 48, 0, TL_BAD_USAGE },
		{ TL_NOWHERE, 0, UINT64_C(1) << 41, TL_BAD_USAGE },
	};

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		const struct tl_xtrace_analysis_options options = {
			.analyses = TL_XTRACE_ANALYZE_FOOTPRINT,
			.thread = tried[i].thread,
			.line = tried[i].line,
			.page = tried[i].page,
		};

		assert_int_equal(try_analyze(&options), tried[i].status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mix_counts_every_instruction),
		cmocka_unit_test(text_is_as_wide_as_its_cells),
		cmocka_unit_test(long_tables_are_written_on_the_way),
		cmocka_unit_test(the_mix_counts_blocks_of_any_tokens),
		cmocka_unit_test(the_mix_of_pieces),
		cmocka_unit_test(the_mix_by_class),
		cmocka_unit_test(a_footprint_by_level),
		cmocka_unit_test(reuse_of_data_and_code),
		cmocka_unit_test(a_zeroed_block_is_stored),
		cmocka_unit_test(caches_by_level),
		cmocka_unit_test(blocks_by_instructions),
		cmocka_unit_test(vectors_of_intervals),
		cmocka_unit_test(calls_with_results),
		cmocka_unit_test(calls_with_vectors),
		cmocka_unit_test(results_of_other_tasks),
		cmocka_unit_test(wrong_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
