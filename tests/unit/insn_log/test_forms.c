/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of each form of log: what is one, what is damaged, and what is too much. The tokens that
 * are expected stand here as hexadecimal digits, from docs/formats/xtrace.md (2.4).
 */
#include "logs.h"

/* 1008: b.eq 1010; 100c: b 1010; 1010: blr x1, br x1, ret, eret */
#define BEQ "54000040"
#define B "14000001"

#define ROW(pc, opcode) "0, 0x" pc ", 0x" opcode ", \"text\"\n"

/* ---- which log it is ---- */

TEST(first_lines)
{
	static const struct {
		const char *line;
		enum tl_insn_log_form form;
	} rows[] = {
		{ "core   0: 0x80000000 (0x00000297) auipc", TL_INSN_LOG_SPIKE },
		{ "core 12: 3 0x80000000 (0x00000297) x5", TL_INSN_LOG_SPIKE },
		{ "core 0: 3 80000000 (0x00000297)", TL_INSN_LOG_NONE },
		{ "core 0: x 0x80000000 (0x00000297)", TL_INSN_LOG_NONE },
		{ "core 0: 0x (0x00000297)", TL_INSN_LOG_NONE },
		{ "core 0: 0x80000000 00000297", TL_INSN_LOG_NONE },
		{ "core x: 0x80000000 (0x00000297)", TL_INSN_LOG_NONE },
		{ "core 0 0x80000000 (0x00000297)", TL_INSN_LOG_NONE },
		{ "0, 0x400580, 0xd503201f, \"", TL_INSN_LOG_EXECLOG },
		{ "0, 0x400580, 0xd503201f, nop", TL_INSN_LOG_NONE },
		{ "0, 0x400580, 0x, \"nop\"", TL_INSN_LOG_NONE },
		{ "0, 0x400580, d503201f, \"nop\"", TL_INSN_LOG_NONE },
		{ "0, 0x, 0xd503201f, \"nop\"", TL_INSN_LOG_NONE },
		{ "0, 400580, 0xd503201f, \"nop\"", TL_INSN_LOG_NONE },
		{ "x, 0x400580, 0xd503201f, \"nop\"", TL_INSN_LOG_NONE },
		{ "1 clk IT (1)", TL_INSN_LOG_TARMAC },
		{ "1 cs IS (1)", TL_INSN_LOG_TARMAC },
		{ "1 ps ES (1)", TL_INSN_LOG_TARMAC },
		{ "1 ns R X0", TL_INSN_LOG_TARMAC },
		{ "1 us cpu IT (1)", TL_INSN_LOG_TARMAC },
		{ "\t1 tic cpu IS (1)", TL_INSN_LOG_TARMAC },
		{ "1 cyc cpu R", TL_INSN_LOG_TARMAC },
		{ "1 clk a b R X0", TL_INSN_LOG_NONE },
		{ "1 clock IT (1)", TL_INSN_LOG_NONE },
		{ "1 cl IT (1)", TL_INSN_LOG_NONE },
		{ "1 clk RX X0", TL_INSN_LOG_NONE },
		{ "x clk R X0", TL_INSN_LOG_NONE },
		{ "1", TL_INSN_LOG_NONE },
		{ "Trace 0: 0x7f10 [1000] main", TL_INSN_LOG_QEMU },
		{ "Trace 0x7f10 [0: 1000] main", TL_INSN_LOG_QEMU },
		{ "Trace 0x7f10 [1000] main", TL_INSN_LOG_QEMU },
		{ "Trace 0x [1000] main", TL_INSN_LOG_NONE },
		{ "Trace 0: 0x7f10 1000 main", TL_INSN_LOG_NONE },
		{ "Trace 0: 7f10 [1000] main", TL_INSN_LOG_NONE },
		{ "Trace x: 0x7f10 [1000] main", TL_INSN_LOG_NONE },
		{ "----------------\nIN:", TL_INSN_LOG_QEMU },
		{ "----------------\r\nIN: main", TL_INSN_LOG_QEMU },
		{ "----------------\nOUT:", TL_INSN_LOG_NONE },
		{ "-----------------\nIN: main", TL_INSN_LOG_NONE },
		{ "---------------\nIN: main", TL_INSN_LOG_NONE },
		{ "----------------\n\nIN: main", TL_INSN_LOG_NONE },
		{ "\n\n0, 0x400580, 0xd503201f, \"", TL_INSN_LOG_EXECLOG },
		{ "", TL_INSN_LOG_NONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint8_t *line = (const uint8_t *)rows[i].line;
		const enum tl_insn_log_form form =
			tl_insn_log_recognize(line, strlen(rows[i].line));

		if (form != rows[i].form)
			fail_msg("%s: %s", rows[i].line, tl_insn_log_form_name(form));
	}
}

/* The first 64 KiB are looked at. */
TEST(what_stands_before_a_log)
{
	static const char line[] = ROW("1000", "d503201f");
	enum { HEAD = 64 * 1024 };
	static uint8_t text[HEAD + 64];

	memset(text, '\n', sizeof(text));
	memcpy(text + HEAD - strlen(line), line, strlen(line));
	assert_int_equal(tl_insn_log_recognize(text, sizeof(text)), TL_INSN_LOG_EXECLOG);
	memset(text, '\n', sizeof(text));
	memcpy(text + HEAD, line, strlen(line));
	assert_int_equal(tl_insn_log_recognize(text, sizeof(text)), TL_INSN_LOG_NONE);
}

TEST(names_of_forms)
{
	static const char *const names[] = { "none", "qemu", "execlog", "tarmac", "spike" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(tl_insn_log_form_name((enum tl_insn_log_form)i), names[i]);
}

/* ---- where an instruction leads ---- */

/*
 * Targets of indirect branches stand before the next instruction (2b), even the next one in memory:
 * blr x1, br x1, ret, eret; not behind a direct call.
 */
TEST(targets_of_indirect_branches)
{
	static const struct {
		const char *text, *tokens;
	} rows[] = {
		{ ROW("1000", "d63f0020"), "20003fd6" },
		{ ROW("1000", "d61f0020"), "20001fd6" },
		{ ROW("1000", "d65f03c0"), "c0035fd6" },
		{ ROW("1000", "d69f03e0"), "e0039fd6" },
	};
	char text[128], tokens[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "%s" ROW("1004", "d503201f"), rows[i].text);
		snprintf(tokens, sizeof(tokens), "09" AT("0010") "%s2b" AT("0410") "01" NOP,
			 rows[i].tokens);
		expect_tokens(text, tokens);
	}
	expect_tokens(ROW("1000", "94000001") ROW("1004", "d503201f"),
		      "09" AT("0010") "0100009401" NOP);
}

/* Executions that go on elsewhere than they were led to are said, but for Tarmac's. */
TEST(places_where_execution_goes_elsewhere)
{
	static const struct {
		const char *text;
		unsigned count;
	} rows[] = {
		{ ROW("1000", "d503201f") ROW("1004", "d503201f"), 0 },
		{ ROW("1000", "d503201f") ROW("1008", "d503201f"), 1 },
		{ ROW("1008", BEQ) ROW("1010", "d503201f"), 0 },
		{ ROW("1008", BEQ) ROW("100c", "d503201f"), 0 },
		{ ROW("1008", BEQ) ROW("1014", "d503201f"), 1 },
		{ ROW("100c", B) ROW("1010", "d503201f"), 0 },
		{ ROW("1010", "14000002") ROW("1014", "d503201f"), 1 },
		{ ROW("1000", "94000400") ROW("2000", "d503201f"), 0 },
		{ ROW("1000", "94000400") ROW("1004", "d503201f"), 1 },
		{ ROW("2000", "17fffc00") ROW("1000", "d503201f"), 0 },
		{ ROW("1000", "d65f03c0") ROW("5000", "d503201f"), 0 },
		{ "1 clk IT (1) 1000 d503201f O EL1h_n\n1 clk IT (2) 2000 d503201f O EL1h_n\n", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_text(rows[i].text), 0);
		if (log_read.faults.count != rows[i].count)
			fail_msg("row %u: %u", (unsigned)i, (unsigned)log_read.faults.count);
		if (rows[i].count)
			assert_non_null(strstr(log_read.faults.list[0].text, "at 1 places"));
		tl_insn_log_end(&log_read);
	}
}

/* ---- QEMU ---- */

TEST(executions_in_older_forms)
{
	expect_tokens(IN_BACK "Trace 0: 0x7f30 [1008] main\n", "09" AT("0810") NOP);
	expect_tokens(IN_BACK "Trace  0:  0x7f30 [1008] main\n", "09" AT("0810") NOP);
	/* QEMU 2.8 to 2.12, and before. */
	expect_tokens(IN_BACK "Trace 0x7f30 [0: 1008] main\n", "09" AT("0810") NOP);
	expect_tokens(IN_BACK "Trace 0x7f30 [1008] main\n", "09" AT("0810") NOP);
	expect_tokens(IN_BACK "Trace 0x7f30 [00001008] \n", "09" AT("0810") NOP);
}

TEST(damaged_lines_of_qemu)
{
	static const char *const lines[] = {
		"Trace x: 0x7f30 [1008]\n",
		"Trace 0 0x7f30 [1008]\n",
		"Trace 0: 7f30 [1008]\n",
		"Trace 0x7f30 [0: 1008/\n",
		"Trace 0x7f30 [0:]\n",
		"Trace 0: 0x [1008]\n",
		"Trace 0: 0x7f30 1008]\n",
		"Trace 0: 0x7f30 [z]\n",
		"Trace 0: 0x7f30 [1008 x\n",
		"Trace 0: 0x7f30 [0000/]\n",
		"Stopped execution of TB chain before 0x7f30 1008\n",
		"Stopped execution of TB chain before 0x7f30 [z]\n",
		"Stopped execution of TB chain before 7f30 [1008]\n",
		"Stopped execution of TB chain before 0x [1008]\n",
		"----------------\nIN: x\n0x:  d503201f  nop\n",
		"----------------\nIN: x\n0x1008  d503201f  nop\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[256];
		const char *behind = strstr(lines[i], "\n0x"),
			   *last = behind ? behind + 1 : lines[i];

		snprintf(text, sizeof(text), IN_BACK RUN("0", "7f30", "1008") "%s", lines[i]);
		expect_fault(text, "line");
		assert_int_equal(read_text(text), 0);
		assert_int_equal(log_read.faults.list[0].offset,
				 strlen(text) - strlen(lines[i]) + (size_t)(last - lines[i]));
		assert_int_equal(log_read.faults.skipped_bytes, strlen(last));
		assert_int_equal(log_read.instructions, 1);
		tl_insn_log_end(&log_read);
	}
}

/*
 * A stop takes back the block that was announced last at its place and address, and no other one:
 * neither an earlier one, nor another translation of the address.
 */
TEST(stops_of_one_block)
{
	static const char stop[] = "Stopped execution of TB chain before 0x7f30 [1008] x\n",
			  elsewhere[] = "Stopped execution of TB chain before 0x7f30 [100c] x\n",
			  other[] = "Stopped execution of TB chain before 0x7f40 [1008] x\n";
	static const struct {
		const char *first, *second;
		unsigned counts[3]; /* by processor, in the order in which they were met */
	} rows[] = {
		{ stop, "", { 1, 1, 1 } },      { stop, stop, { 1, 0, 1 } },
		{ elsewhere, "", { 2, 1, 1 } }, { other, "", { 2, 1, 0 } },
		{ other, other, { 2, 1, 0 } },  { stop, other, { 1, 1, 0 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[768];

		/* Processor 2 is met first, and announces the block last; 1 has it elsewhere. */
		snprintf(text, sizeof(text),
			 IN_BACK RUN("2", "7f30", "1008") RUN("0", "7f30", "1008")
				 RUN("1", "7f40", "1008") RUN("2", "7f30", "1008") "%s%s",
			 rows[i].first, rows[i].second);
		assert_int_equal(read_text(text), 0);
		assert_int_equal(log_read.cpu_count, 3);
		for (unsigned n = 0; n < 3; n++)
			assert_int_equal(log_read.cpus[n].instructions, rows[i].counts[n]);
		tl_insn_log_end(&log_read);
	}
}

/* ---- the plugin execlog ---- */

TEST(damaged_lines_of_execlog)
{
	static const char *const lines[] = {
		"0 0x1004, 0xd503201f, \"nop\"\n",     "0, 1004, 0xd503201f, \"nop\"\n",
		"0, 0x, 0xd503201f, \"nop\"\n",        "0, 0x1004 0xd503201f, \"nop\"\n",
		"0, 0x1004, 0xd503201f \"nop\"\n",     "0, 0x1004, 0xd503201f, nop\n",
		"0, 0x1004, 0xd503201f, \"nop\n",      "0, 0x1004, 0x1d503201f, \"nop\"\n",
		"9, 0x11111111111111111, 0x0, \"\"\n", "99999999999999999999, 0x0, 0x0, \"\"\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), ROW("1000", "d503201f") "%s", lines[i]);
		expect_fault(text, "line");
		snprintf(text, sizeof(text), ROW("1000", "d503201f") "\nwords %s", lines[i]);
		assert_int_equal(read_text(text), 0);
		assert_int_equal(log_read.faults.count, 0);
		assert_int_equal(log_read.instructions, 1);
		tl_insn_log_end(&log_read);
	}
}

/* f9400001 loads 8 bytes, 29400400 (ldp w0, w1) too, 3dc00000 (ldr q0) 16: shared by accesses. */
TEST(sizes_of_accesses)
{
	static const struct {
		const char *opcode, *accesses;
		unsigned loads, stores, unsized;
		const char *tokens;
	} rows[] = {
		{ "29400400", "load, 0x3000, load, 0x3004", 2, 0, 0,
		  "22" AT("0030") "0000000022" AT("0430") "00000000" },
		{ "f9400001", "load, 0x3000, RAM, store, 0x3000", 1, 1, 0,
		  "32" AT("0030") AT("0000") "3a" AT("0030") AT("0000") },
		{ "3dc00000", "load, 0x3000", 1, 0, 0, "42" AT("0030") AT("0000") AT("0000") },
		{ "f9400001", "load, 0x3000, load, 0x3000, load, 0x3000", 0, 0, 3, "" },
		{ "f9400001", "load, 3000, load, 0x, load, zz", 0, 0, 0, "" },
		{ "f9400001", "loaded, 0x3000, restore, 0x3000", 0, 0, 0, "" },
		{ "d503201f", "store, 0x3000", 0, 0, 1, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "0, 0x1000, 0x%s, \"text\", %s\n", rows[i].opcode,
			 rows[i].accesses);
		assert_int_equal(read_text(text), 0);
		assert_string_equal(tokens_of(0) + 2 + 16 + 8, rows[i].tokens);
		assert_int_equal(log_read.loads, rows[i].loads);
		assert_int_equal(log_read.stores, rows[i].stores);
		assert_int_equal(log_read.has_accesses,
				 rows[i].loads + rows[i].stores + rows[i].unsized > 0);
		assert_int_equal(log_read.faults.count, rows[i].unsized > 0);
		if (rows[i].unsized)
			assert_int_equal(log_read.faults.list[0].text[0], '0' + rows[i].unsized);
		tl_insn_log_end(&log_read);
	}
}

/* ---- Tarmac ---- */

#define STEP "1 clk IT (1) 1000 d503201f O EL0t_n : NOP\n"

TEST(damaged_lines_of_tarmac)
{
	static const char *const lines[] = {
		"2 clk IT\n",
		"2 clk IT (2) 1004\n",
		"2 clk IT (2) xyz d503201f O EL1h_n\n",
		"2 clk IT (2) 1004x d503201f O EL1h_n\n",
		"2 clk IT (2) 1004 xyz O EL1h_n\n",
		"2 clk IT (2) 1004 1d503201f O EL1h_n\n",
		"2 clk IT (x) 1004 d503201f O EL1h_n\n",
		"2 clk IT (2 1004 d503201f O EL1h_n\n",
		"2 clk ES (1004:xyz) O EL1h_n\n",
		"2 clk ES (1004:d503201f O EL1h_n\n",
		"2 clk IT (2) 1004 d503201f\n",
		"2 clk IT (2) 1004 d503201f O\n",
		"2 clk IT (2) 1004 d503201f O E\n",
		"2 clk IT (2) 1004 d503201f O EL\n",
		"2 clk IT (2) 1004 d503201f O EL4h_n\n",
		"2 clk IT (2) 1004 d503201f O EL/h_n\n",
		"2 clk IT (2) 1004 d503201f O Eh1\n",
		"2 clk MR8\n",
		"2 clk MW8 xyz 0\n",
		"2 clk MW8 3000x 0\n",
		"2 clk MW4097 3000 0\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), STEP "%s", lines[i]);
		assert_int_equal(read_text(text), 0);
		if (log_read.faults.count != 1 || log_read.instructions != 1)
			fail_msg("%s is no damaged line", lines[i]);
		assert_int_equal(log_read.faults.list[0].offset, strlen(STEP));
		assert_int_equal(log_read.faults.list[0].record, 2);
		tl_insn_log_end(&log_read);
	}
}

/* What is neither an instruction nor an access is passed over. */
TEST(other_lines_of_tarmac)
{
	static const char *const lines[] = {
		"\n",
		"2\n",
		"2 clk\n",
		"x clk IT (2) 1004 d503201f O EL0t_n\n",
		"2 clk cpu\n",
		"2 clk cpu cpu IT (2) 1004 d503201f O EL0t_n\n",
		"2 clk R X1 0000000000000007\n",
		"2 clk E 1004 00000088 CoreEvent_IRQ\n",
		"2 clk MR 3000 00\n",
		"2 clk MRx 3000 00\n",
		"2 clk MW0 3000 00\n",
		"2 clk M8 3000 00\n",
		"2 clk ITX (2) 1004 d503201f O EL0t_n\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), STEP "%s", lines[i]);
		assert_int_equal(read_text(text), 0);
		if (log_read.faults.count || log_read.instructions != 1 || log_read.stores)
			fail_msg("%s is not passed over", lines[i]);
		assert_int_equal(log_read.cpu_count, 1);
		tl_insn_log_end(&log_read);
	}
}

/* Without an ordinal, with a physical address or the kind of memory behind the address. */
TEST(instructions_of_tarmac)
{
	static const struct {
		const char *line;
		unsigned el;
	} rows[] = {
		{ "1 clk IT (0012) 1000 d503201f O EL0t_n", 0 },
		{ "1 clk IT 1000 d503201f O EL1h_n", 1 },
		{ "1 clk IT (1) 1000:0000001000_NS d503201f O EL2h_n", 2 },
		{ "1 clk IS (1) 1000_NS d503201f O el3h_s", 3 },
		{ "1\tclk\tES\t(1000:d503201f)\tO\tEL2", 2 },
		{ "1 clk cpu1 IT (1) 1000 D503201F O EL3h_s : NOP", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char tokens[64];

		snprintf(tokens, sizeof(tokens), "%x9" AT("0010") NOP, 4 * rows[i].el);
		expect_tokens(rows[i].line, tokens);
	}
}

/* An access of 4096 bytes is sixteen of 256, the largest token; one of 13 bytes is 8, 4 and 1. */
TEST(accesses_of_tarmac)
{
	static const char small[] = "32" AT("0030") AT("0000") "22" AT("0830") "00000000"
									       "02" AT("0c30") "00";
	const size_t head = 2 + 16 + 8, token = 2 + 16 + 512;

	assert_int_equal(read_text(STEP "2 clk MR13X 3000 0\n"), 0);
	assert_string_equal(tokens_of(0) + head, small);
	assert_int_equal(log_read.loads, 1);
	assert_int_equal(log_read.stores, 0);
	tl_insn_log_end(&log_read);
	assert_int_equal(read_text(STEP "2 clk MW4096 3000 0\n"), 0);
	assert_int_equal(strlen(tokens_of(0)), head + 16 * token);
	assert_memory_equal(tokens_of(0) + head + 15 * token, "8a" AT("003f"), 18);
	assert_int_equal(log_read.stores, 1);
	tl_insn_log_end(&log_read);
	/* Before the first instruction there is none that it could be of. */
	assert_int_equal(read_text("1 clk MW8 3000 0\n" STEP), 0);
	assert_int_equal(log_read.stores, 0);
	assert_true(log_read.has_accesses);
	assert_string_equal(tokens_of(0), "09" AT("0010") NOP);
	tl_insn_log_end(&log_read);
}

/* ---- other instruction sets ---- */

/* `good` instructions of A64 behind `bad` ones that it does not have. */
static int read_mixed(unsigned bad, unsigned good)
{
	static const char wrong[] = ROW("1000", "02028593"), right[] = ROW("1000", "14000000");
	const size_t size = bad * strlen(wrong) + good * strlen(right);
	char *text = malloc(size + 1), *at = text;
	int status;

	assert_non_null(text);
	for (unsigned i = 0; i < bad + good; i++)
		at += sprintf(at, "%s", i < bad ? wrong : right);
	status = read_sized(text, size, false);
	tl_insn_log_end(&log_read);
	free(text);
	return status;
}

/* One in eight may be unknown; of 4,096 it is known early. */
TEST(how_many_unknown_instructions_are_too_many)
{
	assert_int_equal(read_mixed(2, 14), 0);
	assert_int_equal(read_mixed(3, 14), TL_UNSUPPORTED);
	assert_int_equal(read_mixed(3, 20), TL_UNSUPPORTED);
	assert_int_equal(read_mixed(3, 21), 0);
	assert_int_equal(read_mixed(513, 3583), TL_UNSUPPORTED);
	assert_int_equal(read_mixed(513, 8000), TL_UNSUPPORTED);
	assert_int_equal(read_mixed(512, 8000), 0);
}

/* Of QEMU, lines of bytes instead of words: as many as others may be. */
TEST(instructions_of_another_machine)
{
	static const char bytes[] = "0x1010:  31 ed   xorl %ebp, %ebp\n";
	char text[512];

	snprintf(text, sizeof(text), IN_BACK RUN("0", "7f30", "1008") "IN: x\n%s", bytes);
	assert_int_equal(read_text(text), 0);
	assert_int_equal(log_read.faults.count, 1);
	assert_string_equal(log_read.faults.list[0].rule, "set");
	assert_non_null(strstr(log_read.faults.list[0].text, "1 instructions are not A64"));
	tl_insn_log_end(&log_read);
	snprintf(text, sizeof(text), IN_BACK RUN("0", "7f30", "1008") "IN: x\n%s%s", bytes, bytes);
	assert_int_equal(read_text(text), TL_UNSUPPORTED);
	tl_insn_log_end(&log_read);
}

/* A line of 16 MiB and more is not kept. */
TEST(a_line_that_is_too_long)
{
	static const char head[] = ROW("1000", "d503201f");
	const size_t size = strlen(head) + (17u << 20);
	char *text = malloc(size);

	assert_non_null(text);
	memset(text, '1', size);
	memcpy(text, head, strlen(head));
	text[size - 1] = '\n';
	assert_int_equal(read_sized(text, size, false), 0);
	assert_int_equal(log_read.faults.count, 1);
	assert_non_null(strstr(log_read.faults.list[0].text, "longer than 16 MiB"));
	assert_int_equal(log_read.faults.list[0].offset, strlen(head));
	tl_insn_log_end(&log_read);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_lines),
		cmocka_unit_test(what_stands_before_a_log),
		cmocka_unit_test(names_of_forms),
		cmocka_unit_test(targets_of_indirect_branches),
		cmocka_unit_test(places_where_execution_goes_elsewhere),
		cmocka_unit_test(executions_in_older_forms),
		cmocka_unit_test(damaged_lines_of_qemu),
		cmocka_unit_test(stops_of_one_block),
		cmocka_unit_test(damaged_lines_of_execlog),
		cmocka_unit_test(sizes_of_accesses),
		cmocka_unit_test(damaged_lines_of_tarmac),
		cmocka_unit_test(other_lines_of_tarmac),
		cmocka_unit_test(instructions_of_tarmac),
		cmocka_unit_test(accesses_of_tarmac),
		cmocka_unit_test(how_many_unknown_instructions_are_too_many),
		cmocka_unit_test(instructions_of_another_machine),
		cmocka_unit_test(a_line_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
