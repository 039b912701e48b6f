/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listings of a stream of nine tokens, line by line: offsets are sums of the token sizes of
 * docs/formats/xtrace.md, section 2.4, values those that the test writes.
 */
#include <stdio.h>

#include "pairs.h"

#include "xtrace/listing/describe.h"

enum listing { TOKENS, INSTRUCTIONS, SNAPSHOTS, VIOLATIONS, INFO };

static const struct tl_xtrace_insn_text_options no_text = { .no_text = true };

/* Made by the trace as it is; to free(). */
static char *list(struct trace *t, enum listing what, bool json,
		  const struct tl_xtrace_select *select)
{
	struct tl_output *out;
	int64_t status = 0;
	size_t size;
	char *copy;

	assert_int_equal(tl_output_open_memory(&out, &t->err), 0);
	if (what == TOKENS)
		status = tl_xtrace_list_tokens(t->trace, select, json, out, &t->err);
	else if (what == INSTRUCTIONS)
		status =
			tl_xtrace_list_instructions(t->trace, select, &no_text, json, out, &t->err);
	else if (what == SNAPSHOTS)
		status = tl_xtrace_list_snapshots(t->trace, select, TL_NONE, TL_NONE, json, out,
						  &t->err);
	else if (what == VIOLATIONS)
		status = tl_xtrace_list_violations(t->trace, select, json, out, &t->err);
	else
		status = tl_xtrace_describe(t->trace, select, json, out, &t->err);
	assert_true(status >= 0);
	copy = strndup(tl_output_bytes(out, &size), 1 << 16);
	copy[size] = '\0';
	tl_output_discard(out);
	return copy;
}

static void assert_listed(struct trace *t, enum listing what, bool json,
			  const struct tl_xtrace_select *select, const char *want)
{
	char *got = list(t, what, json, select);

	assert_string_equal(got, want);
	free(got);
}

static struct bytes nine_tokens(void)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_LDR);      /* 0x00 */
	put_value(&b, TIME, 9);                  /* 0x0d */
	put_access(&b, LOAD, 1, 0x9000, 0x1234); /* 0x16 */
	put_inst(&b, 0, A64_SVC);                /* 0x21 */
	put_value(&b, SVCARG, 66);               /* 0x26 */
	put_value(&b, SYSCALL_VEC, 1);           /* 0x2f */
	put_number(&b, 0xa000, 8);
	put_number(&b, 3, 8);
	put_value(&b, SVCRET, 3);        /* 0x48 */
	put_inst(&b, 0, A64_RET);        /* 0x51 */
	put_value(&b, TARGET_B, 0x2000); /* 0x56 */
	return b;
}

#define LINE_0 "0x00000000 PCINST EL0 0x1000 f9400020\n"
#define LINE_1 "0x0000000d   TIME time=0x9\n"
#define LINE_2 "0x00000016   LOAD address=0x9000 size=2 value=0x1234\n"
#define LINE_3 "0x00000021 INST EL0 0x1004 d4000001\n"
#define LINE_4 "0x00000026   SVCARG value=0x42\n"
#define LINE_5 "0x0000002f   SYSCALL_VEC iovecs=[0xa000+3]\n"
#define LINE_6 "0x00000048   SVCRET value=0x3\n"
#define LINE_7 "0x00000051 INST EL0 0x1008 d65f03c0\n"
#define LINE_8 "0x00000056   TARGET_B target=0x2000\n"

TEST(tokens_as_text)
{
	struct tl_xtrace_select part = tl_xtrace_everything;
	struct bytes b = nine_tokens();
	struct trace t;

	open_trace(&t, &b, NULL);
	assert_listed(&t, TOKENS, false, &part,
		      LINE_0 LINE_1 LINE_2 LINE_3 LINE_4 LINE_5 LINE_6 LINE_7 LINE_8);
	/* "SVCRET ... the boundary before the instruction" (A21) */
	part.from_ordinal = 1;
	part.to_ordinal = 2;
	assert_listed(&t, TOKENS, false, &part, LINE_3 LINE_4 LINE_5);
	part.from_ordinal = 2;
	part.to_ordinal = TL_NOWHERE;
	assert_listed(&t, TOKENS, false, &part, LINE_6 LINE_7 LINE_8);
	part = tl_xtrace_everything;
	part.from_pc = 0x1004;
	part.to_pc = 0x100c;
	assert_listed(&t, TOKENS, false, &part, LINE_3 LINE_4 LINE_5 LINE_7 LINE_8);
	part = tl_xtrace_everything;
	part.id = 1;
	assert_listed(&t, TOKENS, false, &part, "");
	close_trace(&t);
	free_bytes(&b);
}

TEST(tokens_as_json)
{
	struct bytes b = nine_tokens();
	struct trace t;

	open_trace(&t, &b, NULL);
	assert_listed(&t, TOKENS, true, &tl_xtrace_everything,
		      "{\"offset\":0,\"token\":\"PCINST\",\"el\":0,\"pc\":\"0x1000\",\"opcode\":"
		      "\"0xf9400020\"}\n"
		      "{\"offset\":13,\"token\":\"TIME\",\"time\":\"0x9\"}\n"
		      "{\"offset\":22,\"token\":\"LOAD\",\"address\":\"0x9000\",\"size\":2,"
		      "\"value\":\"0x1234\"}\n"
		      "{\"offset\":33,\"token\":\"INST\",\"el\":0,\"pc\":\"0x1004\",\"opcode\":"
		      "\"0xd4000001\"}\n"
		      "{\"offset\":38,\"token\":\"SVCARG\",\"value\":\"0x42\"}\n"
		      "{\"offset\":47,\"token\":\"SYSCALL_VEC\",\"iovecs\":[{\"base\":\"0xa000\","
		      "\"length\":3}]}\n"
		      "{\"offset\":72,\"token\":\"SVCRET\",\"value\":\"0x3\"}\n"
		      "{\"offset\":81,\"token\":\"INST\",\"el\":0,\"pc\":\"0x1008\",\"opcode\":"
		      "\"0xd65f03c0\"}\n"
		      "{\"offset\":86,\"token\":\"TARGET_B\",\"target\":\"0x2000\"}\n");
	close_trace(&t);
	free_bytes(&b);
}

TEST(instructions)
{
	struct tl_xtrace_select part = tl_xtrace_everything;
	struct bytes b = nine_tokens();
	struct trace t;

	open_trace(&t, &b, NULL);
	assert_listed(&t, INSTRUCTIONS, false, &part,
		      "0 EL0 0x1000 f9400020 time=0x9 L:0x9000/2=0x1234\n"
		      "1 EL0 0x1004 d4000001 x8=0x42\n"
		      "2 EL0 0x1008 d65f03c0 target=0x2000\n");
	part.from_ordinal = 1;
	part.to_ordinal = 2;
	assert_listed(&t, INSTRUCTIONS, false, &part, "1 EL0 0x1004 d4000001 x8=0x42\n");
	part = tl_xtrace_everything;
	part.from_pc = 0x1008;
	assert_listed(&t, INSTRUCTIONS, true, &part,
		      "{\"offset\":81,\"token\":\"INST\",\"ordinal\":2,\"el\":0,\"pc\":\"0x1008\","
		      "\"opcode\":\"0xd65f03c0\",\"target\":\"0x2000\"}\n");
	part = tl_xtrace_everything;
	part.to_ordinal = 1;
	assert_listed(&t, INSTRUCTIONS, true, &part,
		      "{\"offset\":0,\"token\":\"PCINST\",\"ordinal\":0,\"el\":0,\"pc\":\"0x1000\","
		      "\"opcode\":\"0xf9400020\",\"time\":\"0x9\",\"accesses\":[{\"store\":false,"
		      "\"address\":\"0x9000\",\"size\":2,\"value\":\"0x1234\"}]}\n");
	close_trace(&t);
	free_bytes(&b);
}

/* ---- several streams ---- */

#define THREAD(id) "xtrace.1." id ".hint9.xinsndata.bin"

/* TIME 1 and 4 with a NOP between; TIME 2 and 3. */
TEST(instructions_in_the_order_of_time)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct bytes b[2] = { { .data = NULL }, { .data = NULL } };
	struct tl_xtrace_select part = tl_xtrace_everything;
	struct trace t = { .trace = NULL };
	struct tl_xtrace_file files[2];

	for (unsigned i = 0; i < 4; i++) {
		struct bytes *to = &b[i == 1 || i == 2];

		put_pcinst(to, 0, 0x1000 * (i + 1), A64_LDR);
		put_value(to, TIME, i + 1);
		put_access(to, LOAD, 0, 0x9000, 5);
		if (i == 0)
			put_inst(to, 0, A64_NOP);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(
			tl_source_open_memory(&t.sources[i], b[i].data, b[i].size, "a", NULL), 0);
		files[i] = (struct tl_xtrace_file){ i ? THREAD("8") : THREAD("7"), t.sources[i] };
	}
	assert_int_equal(tl_xtrace_open(&t.trace, files, 2, &options, NULL, &t.err), 0);
	assert_listed(&t, INSTRUCTIONS, false, &part,
		      "0 thread 7 EL0 0x1000 f9400020 time=0x1 L:0x9000/1=0x05\n"
		      "0 thread 8 EL0 0x2000 f9400020 time=0x2 L:0x9000/1=0x05\n"
		      "1 thread 8 EL0 0x3000 f9400020 time=0x3 L:0x9000/1=0x05\n"
		      "1 thread 7 EL0 0x1004 d503201f\n"
		      "2 thread 7 EL0 0x4000 f9400020 time=0x4 L:0x9000/1=0x05\n");
	part.to_ordinal = 1;
	assert_listed(&t, TOKENS, false, &part,
		      "0x00000000    7 PCINST EL0 0x1000 f9400020\n"
		      "0x0000000d    7   TIME time=0x1\n"
		      "0x00000016    7   LOAD address=0x9000 size=1 value=0x05\n"
		      "0x00000000    8 PCINST EL0 0x2000 f9400020\n"
		      "0x0000000d    8   TIME time=0x2\n"
		      "0x00000016    8   LOAD address=0x9000 size=1 value=0x05\n");
	part = tl_xtrace_everything;
	part.by_stream = true;
	part.from_ordinal = 1;
	assert_listed(&t, INSTRUCTIONS, false, &part,
		      "1 thread 7 EL0 0x1004 d503201f\n"
		      "2 thread 7 EL0 0x4000 f9400020 time=0x4 L:0x9000/1=0x05\n"
		      "1 thread 8 EL0 0x3000 f9400020 time=0x3 L:0x9000/1=0x05\n");
	close_trace(&t);
	free_bytes(&b[0]);
	free_bytes(&b[1]);
}

/* ---- snapshots ---- */

/* A record of 128 bits: 1424 bytes behind a header of 24. */
TEST(two_snapshots)
{
	struct bytes b = { .data = NULL }, records = { .data = NULL };
	struct tl_xtrace_select part = tl_xtrace_everything;
	char want[4096], *got;
	struct tl_output *out;
	struct trace t;
	size_t size, used;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_pcinst(&b, 0, 0x1004, A64_NOP);
	put_header(&records);
	put_record(&records, &(struct record){ .first = 7 });
	put_record(&records, &(struct record){ .index = 13, .user = 1, .total = 1, .first = 8 });
	open_trace(&t, &b, &records);
	got = list(&t, SNAPSHOTS, false, &part);
	assert_memory_equal(got,
			    "snapshot 0 thread 0 record 0x18 file 0 offset 0x0 user 0 total 0 "
			    "vl 128\n  x0           0x7\n  x1           0x8\n",
			    104);
	assert_non_null(strstr(got, "  sp           0x26\n  fpcr         0x1000\n"));
	assert_non_null(strstr(got, "  z31          0x9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f\n"));
	assert_non_null(strstr(got, "  p0           0xc0c0\n"));
	assert_non_null(strstr(got, "snapshot 1 thread 0 record 0x5a8 file 0 offset 0xd user 1 "
				    "total 1 vl 128\n"));
	free(got);
	part.from_snapshot = 1;
	got = list(&t, SNAPSHOTS, true, &part);
	assert_memory_equal(got,
			    "{\"offset\":1448,\"snapshot\":1,\"thread\":0,\"file\":0,"
			    "\"stream_offset\":13,\"user\":1,\"total\":1,\"vl\":128,\"x\":[8,9,10,",
			    98);
	free(got);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(
		tl_xtrace_list_snapshots(t.trace, &tl_xtrace_everything, 0, 1, false, out, &t.err),
		0);
	used = (size_t)snprintf(
		want, sizeof(want),
		"snapshot 0 thread 0 record 0x18 file 0 offset 0x0 user 0 total 0 vl 128\n"
		"snapshot 1 thread 0 record 0x5a8 file 0 offset 0xd user 1 total 1 vl 128\n"
		"  1 instructions, 1 of them user, 13 bytes\n");
	for (unsigned i = 0; i < 32; i++) {
		char name[8];

		snprintf(name, sizeof(name), i == 31 ? "sp" : "x%u", i);
		used += (size_t)snprintf(want + used, sizeof(want) - used, "  %-12s 0x%x -> 0x%x\n",
					 name, 7 + i, 8 + i);
	}
	assert_non_null(tl_output_bytes(out, &size));
	assert_int_equal(size, used);
	assert_memory_equal(tl_output_bytes(out, &size), want, used);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&records);
}

/* ---- violations, info ---- */

TEST(violations)
{
	struct tl_xtrace_select part = tl_xtrace_everything;
	struct bytes b = { .data = NULL };
	struct trace t;
	char *got;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_pcinst(&b, 0, 0x2000, A64_NOP);
	open_trace(&t, &b, NULL);
	got = list(&t, VIOLATIONS, false, &part);
	assert_memory_equal(got,
			    "xtrace.pc.continuity offset 0xd record 1 thread 0 pc 0x2000: ", 61);
	assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
	free(got);
	got = list(&t, VIOLATIONS, true, &part);
	assert_memory_equal(
		got,
		"{\"rule\":\"xtrace.pc.continuity\",\"offset\":13,\"record\":1,"
		"\"thread\":0,\"pc\":\"0x2000\",\"file\":\"a.xinsndata.bin\",\"text\":\"",
		112);
	free(got);
	part.id = 5;
	assert_listed(&t, VIOLATIONS, false, &part, "");
	close_trace(&t);
	free_bytes(&b);
}

TEST(info_counts)
{
	struct tl_xtrace_select part = tl_xtrace_everything;
	struct bytes b = nine_tokens();
	struct trace t;
	char *got, *again;

	put_pcinst(&b, 1, 0x1000, A64_NOP);
	put_access(&b, STORE, 3, 0x9000, 1);
	put_byte(&b, 0x05); /* a class that is not defined */
	part.exact = true;
	open_trace(&t, &b, NULL);
	got = list(&t, INFO, true, &part);
	assert_non_null(strstr(got, "\"instructions\":4,"));
	assert_non_null(strstr(got, "{\"el0\":3,\"el1\":1,\"el2\":0,\"el3\":0}"));
	assert_non_null(strstr(got, "\"distinct_pcs\":3,\"tokens\":11,"));
	assert_non_null(strstr(got, "{\"INST\":2,\"PCINST\":2,\"LOAD\":1,\"STORE\":1,\"SVCARG\":1,"
				    "\"SVCRET\":1,\"TARGET_B\":1,\"SYSCALL_VEC\":1,\"TIME\":1}"));
	assert_non_null(strstr(got, "\"loaded_bytes\":2,\"stored_bytes\":8,"));
	assert_non_null(strstr(got, "\"damaged_places\":1,\"skipped_bytes\":1,"));
	/* The same again, damage included; also without the set of PCs. */
	again = list(&t, INFO, true, &part);
	assert_string_equal(again, got);
	free(again);
	free(got);
	part.exact = false;
	got = list(&t, INFO, true, &part);
	assert_null(strstr(got, "distinct_pcs"));
	assert_non_null(strstr(got, "\"tokens\":11,"));
	assert_non_null(strstr(got, "\"damaged_places\":1,"));
	free(got);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- info of many segments ---- */

struct tally {
	unsigned insts, pcinsts, loads, vectors, targets, damaged;
	uint64_t lost;
};

/* So many rounds of six tokens; every third one has a vector, whose size stands in its count. */
static void put_rounds(struct bytes *b, unsigned count, struct tally *tally)
{
	for (unsigned i = 0; i < count; i++) {
		put_pcinst(b, 0, 0x1000, A64_LDR);
		put_access(b, LOAD, i % 4, 0x9000, 5);
		put_inst(b, 0, A64_NOP);
		put_inst(b, 0, A64_RET);
		put_value(b, TARGET_B, 0x1000);
		if (i % 3)
			continue;
		put_value(b, SYSCALL_VEC, i % 5);
		put_repeat(b, 0x05, 16 * (i % 5));
		tally->vectors++;
	}
	tally->pcinsts += count;
	tally->loads += count;
	tally->insts += 2 * count;
	tally->targets += count;
}

/* "the rest of its segment is lost": a token of an undefined class, and all behind it. */
static void put_damage(struct bytes *b, struct tally *tally)
{
	size_t begin = b->size;
	struct tally unseen = { 0 };

	put_byte(b, 0x05);
	put_rounds(b, 100, &unseen);
	tally->damaged++;
	tally->lost += b->size - begin;
}

static void assert_tally(struct trace *t, unsigned jobs, const struct tally *tally)
{
	struct tl_xtrace_select all = tl_xtrace_everything;
	char want[512], *got;

	all.jobs = jobs;
	got = list(t, INFO, true, &all);
	snprintf(want, sizeof(want),
		 "\"tokens_by_kind\":{\"INST\":%u,\"PCINST\":%u,\"LOAD\":%u,\"TARGET_B\":%u,"
		 "\"SYSCALL_VEC\":%u}",
		 tally->insts, tally->pcinsts, tally->loads, tally->targets, tally->vectors);
	assert_non_null(strstr(got, want));
	snprintf(want, sizeof(want), "\"damaged_places\":%u,\"skipped_bytes\":%llu,",
		 tally->damaged, (unsigned long long)tally->lost);
	assert_non_null(strstr(got, want));
	free(got);
}

/* Segments of any length, whole and damaged, however many of them are walked at once. */
TEST(info_counts_segments_in_any_order)
{
	struct tally tally = { 0 };
	struct pair p = begin_pair();
	struct trace t;

	for (unsigned segment = 0; segment < 23; segment++) {
		if (segment)
			snap(&p, segment, 5);
		put_rounds(&p.stream, 20 + segment * segment % 11 * 300, &tally);
		if (segment % 7 == 3)
			put_damage(&p.stream, &tally);
	}
	open_trace(&t, &p.stream, &p.snapshots);
	for (unsigned jobs = 0; jobs <= 9; jobs++)
		assert_tally(&t, jobs, &tally);
	close_trace(&t);
	free_pair(&p);
}

/* The first fault in the order of the bytes, whichever segment is read first. */
TEST(strict_info_fails_at_the_first_fault)
{
	const struct tl_xtrace_options strict = { .size = sizeof(strict),
						  .alone = true,
						  .strict = true };
	struct tl_xtrace_select all = tl_xtrace_everything;
	struct tally tally = { 0 };
	struct pair p = begin_pair();
	uint64_t first = 0;
	struct trace t;

	for (unsigned segment = 0; segment < 9; segment++) {
		if (segment)
			snap(&p, segment, 5);
		put_rounds(&p.stream, segment < 4 ? 2000 : 40, &tally);
		if (segment == 3)
			first = p.stream.size;
		if (segment >= 3)
			put_damage(&p.stream, &tally);
	}
	assert_int_equal(try_open(&t, &p.stream, &p.snapshots, &strict), 0);
	for (all.jobs = 1; all.jobs <= 3; all.jobs++) {
		struct tl_output *out;

		assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
		assert_int_equal(tl_xtrace_describe(t.trace, &all, true, out, &t.err),
				 TL_BAD_RECORD);
		assert_int_equal(t.err.offset, first);
		tl_output_discard(out);
	}
	close_trace(&t);
	free_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_as_text),
		cmocka_unit_test(tokens_as_json),
		cmocka_unit_test(instructions),
		cmocka_unit_test(instructions_in_the_order_of_time),
		cmocka_unit_test(two_snapshots),
		cmocka_unit_test(violations),
		cmocka_unit_test(info_counts),
		cmocka_unit_test(info_counts_segments_in_any_order),
		cmocka_unit_test(strict_info_fails_at_the_first_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
