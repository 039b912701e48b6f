/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What vector instructions compute, and where it shows: in stores, in general registers, in the
 * next snapshot. All of memory is at 0x9000, and X4 unknown.
 */
#include "violations.h"
#include "xtrace/state/vector_registers.h"

enum {
	LDR_Q1 = 0x3dc00081,    /* LDR Q1, [X4] */
	STR_Q1 = 0x3d800081,    /* STR Q1, [X4] */
	STR_X5 = 0xf9000085,    /* STR X5, [X4] */
	MOV_X5 = 0xd2800065,    /* MOV X5, #3 */
	FMOV_X5 = 0x9e660025,   /* FMOV X5, D1 */
	LD1_TWO = 0x4c40a080,   /* LD1 {V0.16B, V1.16B}, [X4] */
	LD2 = 0x0c408080,       /* LD2 {V0.8B, V1.8B}, [X4] */
	ST2 = 0x0c008080,       /* ST2 {V0.8B, V1.8B}, [X4] */
	LD1_LANE = 0x0d400c81,  /* LD1 {V1.B}[3], [X4] */
	LD1R = 0x0d40c481,      /* LD1R {V1.4H}, [X4] */
	LD3_LANE = 0x0d407081,  /* LD3 {V1.H, V2.H, V3.H}[2], [X4] */
	ST1_ROUND = 0x4c00a09f, /* ST1 {V31.16B, V0.16B}, [X4] */
};

/* An instruction and its accesses of 8 bytes. */
static size_t put_words(struct bytes *b, uint32_t opcode, unsigned token, const uint64_t *words,
			unsigned count)
{
	size_t last = 0;

	put_inst(b, 0, opcode);
	for (unsigned i = 0; i < count; i++)
		last = put_access(b, token, 3, 0x9000 + 8 * (uint64_t)i, words[i]);
	return last;
}

static struct bytes begin(void)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	return b;
}

/* The stream is good with `right` in its last store, and not with another bit. */
static void assert_last(struct bytes (*make)(void), uint32_t store, const uint64_t *right,
			unsigned count, uint64_t record)
{
	struct bytes good = make(), bad = make();
	uint64_t wrong[8];
	size_t at;

	put_words(&good, store, STORE, right, count);
	put_inst(&good, 0, A64_NOP);
	assert_good(&good);
	memcpy(wrong, right, count * sizeof(*wrong));
	wrong[count - 1] ^= UINT64_C(1) << 17;
	at = put_words(&bad, store, STORE, wrong, count);
	put_inst(&bad, 0, A64_NOP);
	assert_one(&bad, "xtrace.access.value", at, record);
}

static struct bytes sum(void)
{
	struct bytes b = begin();

	put_words(&b, LDR_Q1, LOAD, (const uint64_t[]){ 7, UINT64_MAX }, 2);
	put_inst(&b, 0, 0x4ee18421); /* ADD V1.2D, V1.2D, V1.2D */
	return b;
}

static struct bytes to_general(void)
{
	struct bytes b = begin();

	put_words(&b, LDR_Q1, LOAD, (const uint64_t[]){ 7, 1 }, 2);
	put_inst(&b, 0, MOV_X5);
	put_inst(&b, 0, FMOV_X5);
	return b;
}

static struct bytes from_general(void)
{
	struct bytes b = begin();

	put_inst(&b, 0, MOV_X5);
	put_inst(&b, 0, 0x4e080ca1); /* DUP V1.2D, X5 */
	return b;
}

TEST(computed_of_what_is_known)
{
	assert_last(sum, STR_Q1, (const uint64_t[]){ 14, UINT64_MAX - 1 }, 2, 3);
	assert_last(to_general, STR_X5, (const uint64_t[]){ 7 }, 1, 4);
	assert_last(from_general, STR_Q1, (const uint64_t[]){ 3, 3 }, 2, 3);
}

/* What is not known, or not computed, makes unknown what is written, and nothing else. */
TEST(what_is_not_known)
{
	static const uint32_t rows[][2] = {
		{ FMOV_X5, STR_X5 },    /* of V1 */
		{ 0x4e080ca1, STR_Q1 }, /* DUP V1.2D, X5 */
		{ 0x4e21d421, STR_Q1 }, /* FADD V1.4S, V1.4S, V1.4S */
		{ 0x9e780025, STR_X5 }, /* FCVTZS X5, D1 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes b = begin();

		if (i == 2 || i == 3)
			put_words(&b, LDR_Q1, LOAD, (const uint64_t[]){ 7, 1 }, 2);
		if (i == 0 || i == 3)
			put_inst(&b, 0, MOV_X5);
		put_inst(&b, 0, rows[i][0]);
		put_words(&b, rows[i][1], STORE, (const uint64_t[]){ 99, 99 },
			  rows[i][1] == STR_X5 ? 1 : 2);
		put_inst(&b, 0, A64_NOP);
		assert_good(&b);
	}
}

/* A comparison and a move to a general register leave the vector whose number is in their bits. */
static struct bytes left_alone(void)
{
	struct bytes b = begin();

	put_words(&b, LDR_Q1, LOAD, (const uint64_t[]){ 7, 1 }, 2);
	put_inst(&b, 0, 0x9e780041); /* FCVTZS X1, D2 */
	put_inst(&b, 0, 0x9e660041); /* FMOV X1, D2 */
	return b;
}

TEST(vectors_that_are_not_written)
{
	assert_last(left_alone, STR_Q1, (const uint64_t[]){ 7, 1 }, 2, 4);
	assert_int_equal(tl_xtrace_vector_writes(0x1e632050), 0); /* FCMPE D2, D3 */
	assert_int_equal(tl_xtrace_vector_writes(0x1e630441), 0); /* FCCMP D2, D3, #1, EQ */
	assert_int_equal(tl_xtrace_vector_writes(0x1e630c41), 2); /* FCSEL D1, D2, D3, EQ */
	assert_int_equal(tl_xtrace_vector_writes(0x9e620041), 2); /* SCVTF D1, X2 */
	assert_int_equal(tl_xtrace_vector_writes(0x1e630841), 2); /* FMUL D1, D2, D3 */
}

/* ---- structures ---- */

static const uint64_t four[] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908),
				 UINT64_C(0x1716151413121110), UINT64_C(0x1f1e1d1c1b1a1918) };

static struct bytes two_in_a_row(void)
{
	struct bytes b = begin();

	put_words(&b, LD1_TWO, LOAD, four, 4);
	return b;
}

static struct bytes in_turns(void)
{
	struct bytes b = begin();

	put_words(&b, LD2, LOAD, four, 2);
	return b;
}

static struct bytes one_lane(void)
{
	struct bytes b = begin();

	put_words(&b, LDR_Q1, LOAD, four, 2);
	put_inst(&b, 0, LD1_LANE);
	put_access(&b, LOAD, 0, 0xa000, 0xee);
	return b;
}

static struct bytes again_and_again(void)
{
	struct bytes b = begin();

	put_inst(&b, 0, LD1R);
	put_access(&b, LOAD, 1, 0xa000, 0xabcd);
	return b;
}

static struct bytes lane_of_three(void)
{
	struct bytes b = begin();

	put_words(&b, LDR_Q1, LOAD, four, 2);
	put_inst(&b, 0, LD3_LANE);
	for (unsigned i = 0; i < 3; i++)
		put_access(&b, LOAD, 1, 0xa000 + 2 * i, 0xaaa0 + i);
	return b;
}

/* "Load multiple single-element structures", "2-element structures", "one lane", "replicate". */
TEST(loaded_structures)
{
	assert_last(two_in_a_row, STR_Q1, four + 2, 2, 2);
	assert_last(in_turns, STR_Q1, (const uint64_t[]){ UINT64_C(0x0f0d0b0907050301), 0 }, 2, 2);
	assert_last(one_lane, STR_Q1, (const uint64_t[]){ UINT64_C(0x07060504ee020100), four[1] },
		    2, 3);
	assert_last(again_and_again, STR_Q1, (const uint64_t[]){ UINT64_C(0xabcdabcdabcdabcd), 0 },
		    2, 2);
	assert_last(lane_of_three, STR_Q1,
		    (const uint64_t[]){ UINT64_C(0x0706aaa003020100), four[1] }, 2, 3);
}

TEST(stored_structures)
{
	struct bytes b = begin();

	assert_last(in_turns, ST2, four, 2, 2);
	/* V0 comes behind V31, and the first store of V31 shows it. */
	assert_last(two_in_a_row, ST1_ROUND, (const uint64_t[]){ 5, 6, four[0], four[1] }, 4, 2);
	put_words(&b, ST1_ROUND, STORE, four, 4);
	put_words(&b, ST1_ROUND, STORE, four, 4);
	put_inst(&b, 0, A64_NOP);
	assert_good(&b);
}

/* ---- snapshots ---- */

static void put_snapshot(struct bytes *b, uint64_t index, uint64_t count)
{
	/* X4 is 0x9000. */
	put_record(b, &(struct record){
			      .index = index, .user = count, .total = count, .first = 0x8ffc });
}

/* In a snapshot of ours all bytes of V1 are 0x81. */
static void with_snapshot(uint64_t word, bool good)
{
	struct bytes b = { .data = NULL }, snapshots = { .data = NULL };
	size_t first = put_pcinst(&b, 0, 0x1000, A64_NOP), second;
	struct trace t;

	put_words(&b, LDR_Q1, LOAD, (const uint64_t[]){ word, UINT64_C(0x8181818181818181) }, 2);
	second = put_pcinst(&b, 0, 0x1008, A64_NOP);
	put_inst(&b, 0, A64_NOP);
	put_header(&snapshots);
	put_snapshot(&snapshots, first, 0);
	put_snapshot(&snapshots, second, 2);
	open_trace(&t, &b, &snapshots);
	assert_int_equal(tl_xtrace_check(t.trace, NULL, NULL, &t.err), good ? 0 : 1);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&snapshots);
}

TEST(snapshots_have_vectors)
{
	with_snapshot(UINT64_C(0x8181818181818181), true);
	with_snapshot(UINT64_C(0x8181818181818180), false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computed_of_what_is_known),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(vectors_that_are_not_written),
		cmocka_unit_test(loaded_structures),
		cmocka_unit_test(stored_structures),
		cmocka_unit_test(snapshots_have_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
