/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions in formats of others, byte by byte. ChampSim: struct input_instr of its
 * inc/trace_instruction.h, and the kinds of branches that its inc/instruction.h tells by registers
 * 6 (stack pointer), 25 (flags) and 26 (instruction pointer). Tarmac: lines as Arm's Fast Models
 * write them.
 */
#include "bytes.h"

#include "xtrace/convert/convert.h"

typedef int convert_fn(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
		       struct tl_error *err);

/* Frees the stream; the result is to free(). */
static char *convert(struct bytes *b, convert_fn *fn, size_t *size)
{
	struct tl_output *out;
	struct trace t;
	char *copy;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(fn(t.trace, 0, out, &t.err), 0);
	tl_output_bytes(out, size);
	copy = calloc(1, *size + 1);
	assert_non_null(copy);
	memcpy(copy, tl_output_bytes(out, size), *size);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(b);
	return copy;
}

/* ---- ChampSim ---- */

enum { SP = 6, FLAG = 25, IP = 26, X0 = 32 };

struct champsim_record {
	uint64_t ip;
	uint8_t is_branch, taken;
	uint8_t destinations[2], sources[4];
	uint64_t stores[2], loads[4];
};

static struct champsim_record record_at(const char *data, size_t number)
{
	const uint8_t *p = (const uint8_t *)data + 64 * number;
	struct champsim_record r = { .is_branch = p[8], .taken = p[9] };

	memcpy(&r.ip, p, 8);
	memcpy(r.destinations, p + 10, 2);
	memcpy(r.sources, p + 12, 4);
	memcpy(r.stores, p + 16, 16);
	memcpy(r.loads, p + 32, 32);
	return r;
}

/* Registers of a branch: a set each, whose order does not matter to ChampSim. */
struct branch {
	uint32_t opcode;
	uint64_t next; /* where it leads; TARGET_B where it needs one */
	bool target_token, taken;
	uint8_t destinations[2], sources[4];
};

static const struct branch branches[] = {
	/* direct jump: writes IP only */
	{ 0x14000004, 0x1010, false, true, { IP }, { 0 } },
	/* conditional: reads IP and flags, or IP and a register */
	{ 0x54000080, 0x1010, false, true, { IP }, { IP, FLAG } },
	{ 0x54000080, 0x1004, false, false, { IP }, { IP, FLAG } },
	{ 0xb4000083, 0x1010, false, true, { IP }, { IP, X0 + 3 } },
	/* indirect jump: reads a register that is none of the three */
	{ 0xd61f0060, 0x2000, true, true, { IP }, { X0 + 3 } },
	/* direct call: reads IP and SP, writes both */
	{ 0x94000004, 0x1010, false, true, { IP, SP }, { IP, SP } },
	/* indirect call: and reads another register */
	{ 0xd63f0060, 0x2000, true, true, { IP, SP }, { IP, SP, X0 + 3 } },
	/* return: reads SP, not IP, writes both */
	{ A64_RET, 0x2000, true, true, { IP, SP }, { SP, X0 + 30 } },
};

static bool has(const uint8_t *list, size_t count, uint8_t number)
{
	return memchr(list, number, count) != NULL;
}

static void assert_set(const uint8_t *got, const uint8_t *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_true(has(want, count, got[i]));
		assert_true(has(got, count, want[i]));
	}
}

TEST(champsim_tells_branches_by_registers)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		const struct branch *want = &branches[i];
		struct bytes b = { .data = NULL };
		struct champsim_record r;
		size_t size;
		char *got;

		put_pcinst(&b, 0, 0x1000, want->opcode);
		if (want->target_token)
			put_value(&b, TARGET_B, want->next);
		put_pcinst(&b, 0, want->next, A64_NOP);
		got = convert(&b, tl_xtrace_to_champsim, &size);
		assert_int_equal(size, 128);
		r = record_at(got, 0);
		assert_int_equal(r.ip, 0x1000);
		assert_int_equal(r.is_branch, 1);
		assert_int_equal(r.taken, want->taken);
		assert_set(r.destinations, want->destinations, 2);
		assert_set(r.sources, want->sources, 4);
		r = record_at(got, 1);
		assert_int_equal(r.ip, want->next);
		assert_int_equal(r.is_branch, 0);
		assert_int_equal(r.taken, 0);
		free(got);
	}
}

/* LDR X0, [X1]; STR X0, [X1]; an SVC that goes on is no branch, the last BR is one. */
TEST(champsim_accesses_and_calls)
{
	struct bytes b = { .data = NULL };
	struct champsim_record r;
	size_t size;
	char *got;

	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	put_inst(&b, 0, A64_STR);
	put_access(&b, STORE, 3, 0x9008, 5);
	put_inst(&b, 0, A64_SVC);
	put_inst(&b, 0, A64_NOP);
	put_inst(&b, 0, 0xd61f0060);
	put_value(&b, TARGET_B, 0x2000);
	got = convert(&b, tl_xtrace_to_champsim, &size);
	assert_int_equal(size, 5 * 64);
	r = record_at(got, 0);
	assert_set(r.destinations, (const uint8_t[]){ X0, 0 }, 2);
	assert_set(r.sources, (const uint8_t[]){ X0 + 1, 0, 0, 0 }, 4);
	assert_int_equal(r.loads[0], 0x9000);
	assert_int_equal(r.loads[1], 0);
	assert_int_equal(r.stores[0], 0);
	r = record_at(got, 1);
	assert_set(r.destinations, (const uint8_t[]){ 0, 0 }, 2);
	assert_set(r.sources, (const uint8_t[]){ X0, X0 + 1, 0, 0 }, 4);
	assert_int_equal(r.loads[0], 0);
	assert_int_equal(r.stores[0], 0x9008);
	assert_int_equal(r.stores[1], 0);
	assert_int_equal(record_at(got, 2).is_branch, 0);
	assert_int_equal(record_at(got, 4).is_branch, 1);
	assert_int_equal(record_at(got, 4).ip, 0x1010);
	free(got);
}

/* ---- Tarmac ---- */

/* The text of an instruction depends on the disassembler: it is cut off behind the colon. */
static void cut_texts(char *text)
{
	char *to = text;

	for (char *line = text; *line;) {
		char *end = strchr(line, '\n'), *colon = memchr(line, ':', (size_t)(end - line));
		size_t size = (size_t)((colon ? colon + 1 : end) - line);

		memmove(to, line, size);
		to += size;
		*to++ = '\n';
		line = end + 1;
	}
	*to = '\0';
}

TEST(tarmac_lines)
{
	struct bytes b = { .data = NULL };
	size_t size;
	char *got;

	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 0x1122334455667788);
	put_inst(&b, 0, 0x3900001f); /* STRB WZR, [X0] */
	put_access(&b, STORE, 0, 0xa000, 0);
	put_pcinst(&b, 1, 0xffff800008010c00, 0x94000002); /* BL . + 8 */
	got = convert(&b, tl_xtrace_to_tarmac, &size);
	cut_texts(got);
	assert_string_equal(got, "1 clk IT (1) 0000000000001000 f9400020 O EL0t_n :\n"
				 "1 clk MR8 0000000000009000 1122334455667788\n"
				 "1 clk R X0 1122334455667788\n"
				 "2 clk IT (2) 0000000000001004 3900001f O EL0t_n :\n"
				 "2 clk MW1 000000000000a000 00\n"
				 "3 clk IT (3) ffff800008010c00 94000002 O EL1h_n :\n"
				 "3 clk R X30 ffff800008010c04\n");
	free(got);
}

/* ---- JSON lines ---- */

TEST(json_lines)
{
	struct bytes b = { .data = NULL };
	size_t size;
	char *got;

	put_inst(&b, 0, A64_NOP);
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_value(&b, TIME, 9);
	put_access(&b, LOAD, 1, 0x9000, 0x1234);
	put_inst(&b, 0, A64_SVC);
	put_value(&b, SVCARG, 66);
	put_value(&b, SVCARG, 1);
	put_value(&b, SYSCALL_VEC, 2);
	put_number(&b, 0xa000, 8);
	put_number(&b, 3, 8);
	put_number(&b, 0xb000, 8);
	put_number(&b, 4, 8);
	put_value(&b, SVCRET, 7);
	put_inst(&b, 0, A64_RET);
	put_value(&b, TARGET_B, 0x2000);
	got = convert(&b, tl_xtrace_to_jsonl, &size);
	assert_string_equal(
		got, "{\"instruction\":0,\"thread\":0,\"offset\":0,\"el\":0,\"pc\":null,"
		     "\"opcode\":\"0xd503201f\"}\n"
		     "{\"instruction\":1,\"thread\":0,\"offset\":5,\"el\":0,\"pc\":\"0x1000\","
		     "\"opcode\":\"0xf9400020\",\"time\":9,\"accesses\":[{\"access\":\"load\","
		     "\"address\":\"0x9000\",\"size\":2,\"value\":\"0x1234\"}]}\n"
		     "{\"instruction\":2,\"thread\":0,\"offset\":38,\"el\":0,\"pc\":\"0x1004\","
		     "\"opcode\":\"0xd4000001\",\"svcargs\":[\"0x42\",\"0x1\"],"
		     "\"iovecs\":[{\"base\":\"0xa000\",\"length\":3},{\"base\":\"0xb000\","
		     "\"length\":4}]}\n"
		     "{\"instruction\":3,\"thread\":0,\"offset\":102,\"el\":0,\"pc\":\"0x1008\","
		     "\"opcode\":\"0xd65f03c0\",\"svcret\":\"0x7\",\"target\":\"0x2000\"}\n");
	free(got);
}

/* A gap, a snapshot and every value; ALLGPR before the first instruction of another level. */
static void put_values(struct bytes *s, struct bytes *snapshots)
{
	put_header(snapshots);
	put_record(snapshots, &(struct record){ .first = 0x500 });
	put_pcinst(s, 0, 0x1000, 0xd53bd040); /* MRS X0, TPIDR_EL0 */
	put_value(s, MRS, 0x77);
	put_inst(s, 0, 0xc8037c41); /* STXR W3, X1, [X2] */
	put_access(s, STORE, 3, 0x9000, 1);
	put_value(s, STXR, 1);
	put_inst(s, 0, 0xd50b7422); /* DC ZVA, X2 */
	put_value(s, DC, 0xa000);
	put_inst(s, 0, 0x9a810002); /* CSEL X2, X0, X1, EQ */
	put_value(s, FLAGS, 0x40000000);
	put_allgpr(s, 0x10);
	put_pcinst(s, 1, 0xffff800008010c00, A64_NOP);
}

/* Frees both. */
static char *convert_pair(struct bytes *s, struct bytes *snapshots, convert_fn *fn)
{
	struct tl_output *out;
	struct trace t;
	size_t size;
	char *copy;

	open_trace(&t, s, snapshots);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(fn(t.trace, 0, out, &t.err), 0);
	assert_non_null(tl_output_bytes(out, &size));
	copy = strndup(tl_output_bytes(out, &size), size);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(s);
	free_bytes(snapshots);
	return copy;
}

TEST(json_values)
{
	static const char *const parts[] = {
		"\"pc\":\"0x1000\",\"opcode\":\"0xd53bd040\",\"snapshot\":0,\"mrs\":\"0x77\"}\n",
		"\"opcode\":\"0xc8037c41\",\"stxr\":\"0x1\",\"accesses\":[{\"access\":\"store\","
		"\"address\":\"0x9000\",\"size\":8,\"value\":\"0x0000000000000001\"}]}\n",
		"\"opcode\":\"0xd50b7422\",\"dc\":\"0xa000\"}\n",
		"\"opcode\":\"0x9a810002\",\"flags\":\"0x40000000\"}\n",
		"\"el\":1,\"pc\":\"0xffff800008010c00\",\"opcode\":\"0xd503201f\","
		"\"allgpr\":[\"0x10\",\"0x11\",\"0x12\",",
		"\"0x2e\",\"0x2f\"]}\n",
	};
	struct bytes s = { .data = NULL }, snapshots = { .data = NULL };
	const char *at;
	char *got;

	put_values(&s, &snapshots);
	at = got = convert_pair(&s, &snapshots, tl_xtrace_to_jsonl);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *found = strstr(at, parts[i]);

		if (!found)
			fail_msg("not there: %s in %s", parts[i], at);
		at = found + strlen(parts[i]);
	}
	assert_string_equal(at, "");
	free(got);
}

/* Registers of snapshots and ALLGPR come before the instruction behind them; X31 is SP. */
TEST(tarmac_registers)
{
	struct bytes s = { .data = NULL }, snapshots = { .data = NULL };
	const char *first, *all;
	char *got;

	put_values(&s, &snapshots);
	got = convert_pair(&s, &snapshots, tl_xtrace_to_tarmac);
	first = strstr(got, " IT (1) ");
	all = strstr(got, " IT (4) ");
	assert_non_null(first);
	assert_non_null(all);
	assert_true(strstr(got, "R X0 0000000000000500\n") < first);
	assert_true(strstr(got, "R X30 000000000000051e\n") < first);
	assert_true(strstr(got, "000000000000051f\n") < first); /* SP */
	assert_non_null(strstr(all, "R X0 0000000000000010\n"));
	assert_non_null(strstr(all, "R X30 000000000000002e\n"));
	assert_non_null(strstr(all, "000000000000002f\n"));
	assert_true(strstr(all, "R X0 0000000000000010\n") < strstr(all, " IT (5) "));
	assert_non_null(strstr(first, "R X0 0000000000000077\n"));
	assert_non_null(strstr(first, "MW8 0000000000009000 0000000000000001\n"));
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(champsim_tells_branches_by_registers),
		cmocka_unit_test(champsim_accesses_and_calls),
		cmocka_unit_test(tarmac_lines),
		cmocka_unit_test(json_lines),
		cmocka_unit_test(json_values),
		cmocka_unit_test(tarmac_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
