/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that were judged: check says the same of a trace with them as without, whatever is wrong
 * with it; and their computations are those of the instructions.
 */
#include <stdio.h>

#include "violations.h"
#include "xtrace/check/block.h"

/* ---- good and bad traces, both ways ---- */

enum { MOST = 4000 };

struct told {
	struct tl_xtrace_violation list[MOST];
	char expected[MOST][80];
	size_t count;
};

static int tell(void *arg, const struct tl_xtrace_violation *v)
{
	struct told *told = arg;

	if (told->count == MOST)
		return 1;
	snprintf(told->expected[told->count], 80, "%s", v->expected ? v->expected : "");
	told->list[told->count++] = *v;
	return 0;
}

static void assert_same(struct trace *t)
{
	static struct told blocks, plain;

	blocks.count = plain.count = 0;
	assert_int_equal(tl_xtrace_check(t->trace, tell, &blocks, &t->err),
			 tl_xtrace_check_plainly(t->trace, tell, &plain, &t->err));
	assert_int_equal(blocks.count, plain.count);
	for (size_t i = 0; i < plain.count; i++) {
		const struct tl_xtrace_violation *a = &blocks.list[i], *b = &plain.list[i];

		assert_string_equal(a->rule, b->rule);
		assert_string_equal(blocks.expected[i], plain.expected[i]);
		assert_true(a->offset == b->offset && a->record == b->record && a->pc == b->pc);
	}
}

static struct bytes read_golden(const char *name, const char *kind)
{
	struct bytes b = { .data = NULL };
	struct tl_source *source;
	const uint8_t *data;
	char path[512];
	size_t size;

	snprintf(path, sizeof(path), "%s/tests/golden/xtrace/%s.%s.bin.zst",
		 getenv("TL_SOURCE_ROOT"), name, kind);
	assert_int_equal(tl_source_open(&source, path, NULL, NULL), 0);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	b.data = malloc(size);
	b.size = b.room = size;
	assert_non_null(b.data);
	memcpy(b.data, data, size);
	tl_source_close(source);
	return b;
}

static uint32_t random_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 4;
}

/* The bytes that are not as they were are few, so that most of the trace stays good. */
static void spoil(struct bytes *b, uint32_t *seed)
{
	for (unsigned i = 0; i < 3; i++) {
		size_t at = random_number(seed) % b->size;

		b->data[at] = (uint8_t)(b->data[at] ^ 1u << random_number(seed) % 8);
	}
}

/* The lowest bytes of a snapshot's offset, with our records of vectors of 128 bits. */
static void spoil_place(struct bytes *snapshots, uint32_t *seed)
{
	size_t count = (snapshots->size - 24) / 1424,
	       at = 24 + 1424 * (random_number(seed) % count) + 8;

	snapshots->data[at] = (uint8_t)random_number(seed);
	snapshots->data[at + 1] = (uint8_t)(random_number(seed) % 16);
}

static void both_ways(const char *name, unsigned times)
{
	struct bytes stream = read_golden(name, "xinsndata"),
		     snapshots = read_golden(name, "xsnapshot");
	uint32_t seed = 7;
	struct trace t;

	for (unsigned i = 0; i <= times; i++) {
		struct bytes b = { malloc(stream.size), stream.size, stream.size };

		assert_non_null(b.data);
		memcpy(b.data, stream.data, stream.size);
		if (i)
			spoil(&b, &seed);
		/* The places of some snapshots move on for good. */
		if (i % 4 == 3)
			spoil_place(&snapshots, &seed);
		open_trace(&t, &b, &snapshots);
		assert_same(&t);
		close_trace(&t);
		free_bytes(&b);
	}
	free_bytes(&stream);
	free_bytes(&snapshots);
}

TEST(blocks_change_no_answer)
{
	static const char *const names[] = {
		"u1-recur-vl128/xtrace.20251120130000.0.hint9",
		"u2-sys-vl128/xtrace.20251120130000.0.hint9",
		"u3-simd-vl128/xtrace.20251120130000.0.hint9",
		"u4-thr-time/xtrace.20251120130000.1.hint9",
		"k1-core-el01/xtrace.20251120130000.0.hint9",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		both_ways(names[i], 20);
}

/* ---- a loop, in which each value is wrong once ---- */

/*
 * Ten times: LDR X2, [X0], #8; ADD X3, X3, X2; STR X3, [X1, #8], in two halves; LDRSB W4, [X1, #8];
 * STP X2, X3, [X1, #16]; what makes registers unknown, of which the last store tells nothing:
 * MOV X8, #3; LDP X8, X9, [X1, #16], in two halves; MOV X7, #1; FMOV X7, D0; STR X7, [X1, #32];
 * STR X8, [X1, #40]; CMP X2, #5; B.HI loop (taken nine times).
 */
static struct bytes loop(void)
{
	struct bytes b = { .data = NULL };
	uint64_t sum = UINT64_C(0x700000000);

	put_pcinst(&b, 0, 0xff4, 0xd2820000); /* MOV X0, #0x1000 */
	put_inst(&b, 0, 0xd2840001);          /* MOV X1, #0x2000 */
	put_inst(&b, 0, 0xd2c000e3);          /* MOV X3, #0x700000000 */
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t value = i < 9 ? 10 * (i + 1) : 5;

		sum += value;
		put_pcinst(&b, 0, 0x1000, 0xf8408402);
		put_access(&b, LOAD, 3, 0x1000 + 8 * i, value);
		put_inst(&b, 0, 0x8b020063);
		put_inst(&b, 0, 0xf9000423);
		put_access(&b, STORE, 2, 0x2008, sum & 0xffffffff);
		put_access(&b, STORE, 2, 0x200c, sum >> 32);
		put_inst(&b, 0, 0x39c02024);
		put_access(&b, LOAD, 0, 0x2008, sum & 255);
		put_inst(&b, 0, 0xa9010c22);
		put_access(&b, STORE, 3, 0x2010, value);
		put_access(&b, STORE, 3, 0x2018, sum);
		put_inst(&b, 0, 0xd2800068);
		put_inst(&b, 0, 0xa9412428);
		put_access(&b, LOAD, 3, 0x2010, value);
		put_access(&b, LOAD, 3, 0x2018, sum);
		put_inst(&b, 0, 0xd2800027);
		put_inst(&b, 0, 0x9e660007);
		put_inst(&b, 0, 0xf9001027);
		put_access(&b, STORE, 3, 0x2020, 12345 + i);
		put_inst(&b, 0, 0xf9001428);
		put_access(&b, STORE, 3, 0x2028, value);
		put_inst(&b, 0, 0xf100145f);
		put_inst(&b, 0, 0x54fffe88); /* B.HI 0x1000, from 0x1030 */
	}
	put_inst(&b, 0, A64_NOP);
	put_inst(&b, 0, 0xf9000024); /* STR X4, [X1]: of all that came before */
	put_access(&b, STORE, 3, 0x2000, (((sum & 255) ^ 128) - 128) & 0xffffffff);
	put_inst(&b, 0, A64_NOP);
	return b;
}

/*
 * Ten times: LDR Q1, [X0], #16; CMEQ V2.16B, V1.16B, #0; SHRN V2.8B, V2.8H, #4; FMOV X2, D2;
 * STR X2, [X1]; LD1R {V4.2D}, [X1]; ADD V3.4S, V3.4S, V1.4S; STR Q3, [X1, #16]; FMOV X2, D5, which
 * is not known; ST1 {V3.16B, V4.16B}, [X1]; NOP; SUBS X3, X3, #1; B.NE loop.
 */
static struct bytes loop_of_vectors(void)
{
	struct bytes b = { .data = NULL };
	uint64_t sum = 0;

	put_pcinst(&b, 0, 0xff0, 0xd2820000); /* MOV X0, #0x1000 */
	put_inst(&b, 0, 0xd2840001);          /* MOV X1, #0x2000 */
	put_inst(&b, 0, 0xd2800143);          /* MOV X3, #10 */
	put_inst(&b, 0, 0x4f000403);          /* MOVI V3.4S, #0 */
	for (uint64_t i = 0; i < 10; i++) {
		/* Byte 0 of Q1 is i, all others 0, so that a nibble each says so. */
		uint64_t zeros = i ? ~UINT64_C(15) : UINT64_MAX;

		sum += i;
		put_pcinst(&b, 0, 0x1000, 0x3cc10401);
		put_access(&b, LOAD, 3, 0x1000 + 16 * i, i);
		put_access(&b, LOAD, 3, 0x1008 + 16 * i, 0);
		put_inst(&b, 0, 0x4e209822);
		put_inst(&b, 0, 0x0f0c8442);
		put_inst(&b, 0, 0x9e660042);
		put_inst(&b, 0, 0xf9000022);
		put_access(&b, STORE, 3, 0x2000, zeros);
		put_inst(&b, 0, 0x4d40cc24);
		put_access(&b, LOAD, 3, 0x2000, zeros);
		put_inst(&b, 0, 0x4ea18463);
		put_inst(&b, 0, 0x3d800423);
		put_access(&b, STORE, 3, 0x2010, sum);
		put_access(&b, STORE, 3, 0x2018, 0);
		put_inst(&b, 0, 0x9e6600a2);
		put_inst(&b, 0, 0x4c00a023);
		put_access(&b, STORE, 3, 0x2000, sum);
		put_access(&b, STORE, 3, 0x2008, 0);
		put_access(&b, STORE, 3, 0x2010, zeros);
		put_access(&b, STORE, 3, 0x2018, zeros);
		put_inst(&b, 0, A64_NOP);
		put_inst(&b, 0, 0xf1000463);
		put_inst(&b, 0, 0x54fffe81); /* B.NE 0x1000, from 0x1030 */
	}
	put_inst(&b, 0, A64_NOP);
	return b;
}

/* Bits of the stream are turned round, one at a time: good without, and told the same both ways. */
static void turn_bits(struct bytes (*make)(void))
{
	struct bytes b = make();
	struct trace t;
	size_t bits = 8 * b.size;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_check(t.trace, NULL, NULL, &t.err), 0);
	close_trace(&t);
	for (size_t i = 0; i < bits; i += 11) {
		b.data[i / 8] = (uint8_t)(b.data[i / 8] ^ 1u << i % 8);
		open_trace(&t, &b, NULL);
		assert_same(&t);
		close_trace(&t);
		b.data[i / 8] = (uint8_t)(b.data[i / 8] ^ 1u << i % 8);
	}
	free_bytes(&b);
}

TEST(bits_of_a_loop)
{
	turn_bits(loop);
}

TEST(bits_of_a_loop_of_vectors)
{
	turn_bits(loop_of_vectors);
}

/* ---- computations ---- */

/* Registers behind an operation of a block, and behind the instruction that it is of. */
static void assert_computes(uint32_t opcode, const struct tl_a64_computation *c, uint32_t *seed)
{
	struct tl_xtrace_check_operation operations[2] = { tl_xtrace_check_computation(opcode, c) };
	const struct tl_xtrace_check_block block = { .operations = operations, .insn_count = 1 };
	static struct tl_xtrace_check_stream s;
	struct tl_xtrace_registers *r = &s.registers, before;
	struct tl_a64_inputs in;
	unsigned nzcv = 0;
	uint64_t result;
	const uint8_t none[16] = { 0 };

	for (unsigned i = 0; i < TL_A64_ZERO; i++)
		r->x[i] = i % 3 ? (uint64_t)random_number(seed) << 40 ^ random_number(seed)
				: random_number(seed) % 3 - UINT64_C(1);
	r->nzcv = random_number(seed) % 16;
	before = *r;
	in = (struct tl_a64_inputs){ r->x[c->n], r->x[c->m], r->x[c->a], r->nzcv };
	result = c->compute(opcode, &in, &nzcv);
	assert_int_equal(tl_xtrace_check_run_block(&s, &block, none), 1);
	if (c->d != TL_A64_ZERO)
		before.x[c->d] = result;
	if (c->writes_flags)
		before.nzcv = nzcv;
	assert_int_equal(before.nzcv, r->nzcv);
	assert_memory_equal(before.x, r->x, sizeof(r->x));
}

TEST(operations_are_computations)
{
	uint32_t seed = 1;
	unsigned tried = 0, own = 0;

	for (unsigned i = 0; i < 150000; i++) {
		/* "Data Processing -- Immediate" and "-- Register" */
		uint32_t opcode =
			(random_number(&seed) << 16 ^ random_number(&seed)) & ~0x0e000000u;
		struct tl_a64_computation c;

		opcode |= i & 1 ? 0x0a000000 : 0x10000000;
		c = tl_a64_computation(opcode);
		if (!c.compute || (c.d == TL_A64_ZERO && !c.writes_flags))
			continue;
		assert_computes(opcode, &c, &seed);
		tried++;
		own += tl_xtrace_check_computation(opcode, &c).kind !=
			       TL_XTRACE_OPERATION_COMPUTE &&
		       tl_xtrace_check_computation(opcode, &c).kind !=
			       TL_XTRACE_OPERATION_COMPUTE_FLAGS;
	}
	assert_true(tried > 8000 && own > 800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_change_no_answer),
		cmocka_unit_test(bits_of_a_loop),
		cmocka_unit_test(bits_of_a_loop_of_vectors),
		cmocka_unit_test(operations_are_computations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
