/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a signal's handler changes in its frame (Linux, <asm/sigcontext.h>): siginfo has 128 bytes,
 * struct sigcontext is 176 behind it; its registers are 8 bytes, its records 288 bytes behind its
 * beginning. struct fpsimd_context has 528 bytes, so that the second record is at 1120.
 */
#include "../unit.h"

#include "xtrace/elf/frame/frame.h"

#define FRAME UINT64_C(0x7000000)
#define EXTRA UINT32_C(0x45585401)
#define SVE UINT32_C(0x53564501)
#define ZA UINT32_C(0x54366345)
#define ESR UINT32_C(0x45535201)

enum { X = 312, V = 608, SECOND = 1120 };
enum { GENERAL, VECTORS, PREDICATES };
enum { ANY, SHORT, LONG };

static struct tl_xtrace_signal_frame frame;
static struct tl_xtrace_replay replay;

static void begin(uint32_t vector_bytes)
{
	tl_xtrace_frame_free(&frame);
	tl_xtrace_frame_begin(&frame, vector_bytes);
	tl_xtrace_replay_free(&replay);
}

static void done(void)
{
	tl_xtrace_frame_free(&frame);
	tl_xtrace_replay_free(&replay);
}

/* `size` bytes of this value. */
static void put(bool store, uint64_t at, uint8_t value, size_t size)
{
	uint8_t bytes[64];
	const struct tl_xtrace_seen_access seen = { FRAME + at, bytes, size, store };

	assert_true(size <= sizeof(bytes));
	memset(bytes, value, size);
	assert_true(tl_xtrace_frame_access(&frame, FRAME, &seen));
}

static void put_number(bool store, uint64_t at, uint64_t value, size_t size)
{
	uint8_t bytes[8];
	const struct tl_xtrace_seen_access seen = { FRAME + at, bytes, size, store };

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	assert_true(tl_xtrace_frame_access(&frame, FRAME, &seen));
}

static void load_head(uint64_t at, uint32_t kind, uint32_t size)
{
	put_number(false, at, kind, 4);
	put_number(false, at + 4, size, 4);
}

static const char *take(uint32_t vector_bytes)
{
	bool failed = true;
	const char *why = tl_xtrace_frame_take(&frame, FRAME, vector_bytes, &replay, &failed);

	assert_false(failed);
	return why;
}

static void assert_change(size_t number, unsigned kind, unsigned rule, uint32_t place,
			  unsigned bytes, uint64_t value)
{
	const struct tl_xtrace_replay_change *change = &replay.changes.list[number];
	uint64_t mask = 0;

	assert_true(number < replay.changes.count);
	assert_int_equal(change->kind, kind);
	assert_int_equal(change->rule, rule);
	assert_int_equal(change->place, place);
	assert_int_equal(change->bytes, bytes);
	for (unsigned i = 0; i < 8; i++)
		mask |= bytes >> i & 1 ? UINT64_C(0xff) << 8 * i : 0;
	assert_true((change->value & mask) == (value & mask));
}

/* ---- general registers ---- */

TEST(registers_are_changed_as_a_whole_or_in_part)
{
	begin(16);
	put(false, X + 8 * 3, 0x33, 8);
	put(true, X + 8 * 4, 0x44, 16);
	put(true, X + 8 * 20 + 2, 0xee, 1);
	put_number(true, X + 8 * 33, UINT64_C(0x60001000), 8);
	assert_true(tl_xtrace_frame_changed(&frame) == (UINT64_C(1) << 4 | UINT64_C(1) << 5));
	assert_true(tl_xtrace_frame_touched(&frame) == UINT64_C(1) << 20);
	assert_true(tl_xtrace_frame_word(&frame, 5) == UINT64_C(0x4444444444444444));
	assert_true(tl_xtrace_frame_has_flags(&frame));
	assert_false(tl_xtrace_frame_moves(&frame));
	assert_null(take(16));
	assert_int_equal(replay.changes.count, 1);
	assert_change(0, GENERAL, ANY, 8 * 20, 1 << 2, UINT64_C(0xee0000));
	put_number(true, X + 8 * 32, 0x400010, 8);
	assert_true(tl_xtrace_frame_moves(&frame));
	assert_true(tl_xtrace_frame_word(&frame, TL_XTRACE_FRAME_PC) == 0x400010);
	done();
}

/* The first load has what the kernel wrote; a store behind it is what comes back. */
TEST(a_byte_is_what_was_there_or_was_stored_last)
{
	begin(16);
	put(false, X, 1, 8);
	put(false, X, 2, 8);
	assert_true(tl_xtrace_frame_word(&frame, 0) == UINT64_C(0x0101010101010101));
	assert_true(tl_xtrace_frame_all(&frame, X, 8, TL_XTRACE_FRAME_SHOWN));
	put(true, X + 4, 3, 4);
	put(true, X + 6, 4, 1);
	put(false, X, 5, 8);
	assert_true(tl_xtrace_frame_word(&frame, 0) == UINT64_C(0x0304030301010101));
	assert_false(tl_xtrace_frame_all(&frame, X, 8, TL_XTRACE_FRAME_STORED));
	assert_true(tl_xtrace_frame_any(&frame, X, 8, TL_XTRACE_FRAME_STORED));
	assert_false(tl_xtrace_frame_any(&frame, X + 8, 4000, TL_XTRACE_FRAME_STORED));
	done();
}

/* FPSR and FPCR, of 4 bytes each, before V0. */
TEST(status_and_control_are_changed)
{
	begin(16);
	put_number(true, V - 8, 0x9f, 4);
	put_number(true, V - 4, 0x01000000, 4);
	assert_null(take(16));
	assert_int_equal(replay.changes.count, 2);
	assert_change(0, GENERAL, ANY, 8 * 34, 15, 0x9f);
	assert_change(1, GENERAL, ANY, 8 * 33, 15, 0x01000000);
	done();
}

/* ---- vectors ---- */

/* Vectors of 256 bits: Z2 is at 16 + 2 * 32, P3 at 16 + 32 * 32 + 3 * 4, FFR at ... + 16 * 4. */
TEST(long_vectors_and_predicates_are_changed)
{
	begin(32);
	load_head(SECOND, SVE, 1120);
	put(true, SECOND + 16 + 2 * 32 + 16, 0x22, 16);
	put(true, SECOND + 16 + 7 * 32 + 29, 0x77, 1);
	put(true, SECOND + 16 + 1024 + 3 * 4, 0x33, 4);
	put(true, SECOND + 16 + 1024 + 16 * 4, 0x0f, 4);
	assert_null(take(32));
	assert_int_equal(replay.changes.count, 5);
	assert_change(0, VECTORS, ANY, 2 * 32 + 16, 255, UINT64_C(0x2222222222222222));
	assert_change(1, VECTORS, ANY, 2 * 32 + 24, 255, UINT64_C(0x2222222222222222));
	assert_change(2, VECTORS, ANY, 7 * 32 + 24, 1 << 5, UINT64_C(0x770000000000));
	assert_change(3, PREDICATES, ANY, 8, 0xf0, UINT64_C(0x3333333300000000));
	assert_change(4, PREDICATES, ANY, 64, 15, 0x0f0f0f0f);
	done();
}

/* "bits [127:0] of Z registers" are in both records. */
TEST(lower_parts_are_in_two_records)
{
	begin(32);
	load_head(SECOND, SVE, 1120);
	put(true, V + 16 * 5, 0x55, 8);
	put(true, SECOND + 16 + 32 * 6, 0x66, 8);
	put(true, V + 16 * 7, 0x77, 8);
	put(true, SECOND + 16 + 32 * 7, 0x77, 8);
	put(false, V + 16 * 8 + 8, 0x11, 8);
	put(true, SECOND + 16 + 32 * 8 + 8, 0x88, 8);
	/* As it was. */
	put(false, SECOND + 16 + 32 * 9, 0x99, 8);
	put(true, V + 16 * 9, 0x99, 8);
	assert_null(take(32));
	assert_int_equal(replay.changes.count, 6);
	assert_change(0, VECTORS, SHORT, 5 * 32, 255, UINT64_C(0x5555555555555555));
	assert_change(1, VECTORS, LONG, 6 * 32, 255, UINT64_C(0x6666666666666666));
	assert_change(2, VECTORS, ANY, 7 * 32, 255, UINT64_C(0x7777777777777777));
	assert_change(3, VECTORS, SHORT, 8 * 32 + 8, 255, UINT64_C(0x1111111111111111));
	assert_change(4, VECTORS, LONG, 8 * 32 + 8, 255, UINT64_C(0x8888888888888888));
	assert_change(5, VECTORS, ANY, 9 * 32, 255, UINT64_C(0x9999999999999999));
	done();
}

/* Where there is one record alone, nothing is in doubt; where its neighbour is not known, it is. */
TEST(short_vectors_may_be_alone)
{
	for (unsigned known = 0; known < 2; known++) {
		begin(16);
		if (known)
			load_head(SECOND, 0, 0);
		put(true, V + 16 * 31 + 8, 0x31, 8);
		assert_null(take(16));
		assert_int_equal(replay.changes.count, 1);
		assert_change(0, VECTORS, known ? ANY : SHORT, 31 * 16 + 8, 255,
			      UINT64_C(0x3131313131313131));
	}
	done();
}

/* A handler that finds what it looks for by its kind does not load its size. */
TEST(a_record_may_be_found_by_its_kind)
{
	begin(64);
	load_head(SECOND, ESR, 16);
	put_number(false, SECOND + 16, SVE, 4);
	put(true, SECOND + 16 + 16 + 64 * 31 + 56, 0x31, 8);
	assert_null(take(64));
	assert_int_equal(replay.changes.count, 1);
	assert_change(0, VECTORS, ANY, 31 * 64 + 56, 255, UINT64_C(0x3131313131313131));
	done();
}

/* struct extra_context: its head, the address of more records, their size. */
TEST(records_may_be_beside_the_others)
{
	enum { MORE = SECOND + 48 };

	begin(256);
	put_number(false, SECOND, EXTRA, 4);
	put_number(false, SECOND + 8, FRAME + MORE, 8);
	put_number(false, MORE, SVE, 4);
	put(true, MORE + 16 + 256 * 31 + 248, 0x31, 8);
	put(true, MORE + 16 + 256 * 32 + 32 * 16, 0xff, 32);
	assert_null(take(256));
	assert_int_equal(replay.changes.count, 5);
	assert_change(0, VECTORS, ANY, 31 * 256 + 248, 255, UINT64_C(0x3131313131313131));
	assert_change(4, PREDICATES, ANY, 32 * 16 + 24, 255, UINT64_MAX);
	done();
}

/* Also where vectors need none, as beside ZA; else what is behind the frame is no part of it. */
TEST(records_may_be_behind_the_frame)
{
	enum { BEHIND = 592 + 4096 + 64 };

	for (unsigned told = 0; told < 2; told++) {
		begin(32);
		if (told)
			put_number(false, SECOND, EXTRA, 4);
		put_number(false, SECOND + 8, FRAME + BEHIND, 8);
		put_number(false, BEHIND, SVE, 4);
		put(true, BEHIND + 16 + 32 * 3 + 16, 0x33, 8);
		assert_null(take(32));
		assert_int_equal(replay.changes.count, told);
		if (told)
			assert_change(0, VECTORS, ANY, 3 * 32 + 16, 255,
				      UINT64_C(0x3333333333333333));
	}
	done();
}

/* ---- what is refused ---- */

static void assert_why(uint32_t vector_bytes, const char *words)
{
	const char *why = take(vector_bytes);

	if (!why || !strstr(why, words))
		fail_msg("\"%s\" instead of \"%s\"", why ? why : "nothing", words);
	assert_int_equal(replay.changes.count, 0);
}

TEST(records_that_are_not_known_are_refused)
{
	begin(32);
	put(true, SECOND + 64, 1, 8);
	assert_why(32, "of whose heads");
	/* Behind the one of vectors, whose size is known. */
	begin(32);
	load_head(SECOND, SVE, 1120);
	put(true, SECOND + 1120 + 8, 1, 8);
	assert_why(32, "of whose heads");
	/* The address of more records is not. */
	begin(256);
	put_number(false, SECOND, EXTRA, 4);
	put(true, SECOND + 2000, 1, 8);
	assert_why(256, "of whose heads");
	begin(32);
	load_head(SECOND, ESR, 24);
	put(true, SECOND + 64, 1, 8);
	assert_why(32, "whose size is no record's");
	begin(32);
	load_head(SECOND, ESR, 16);
	put(true, SECOND + 8, 1, 8);
	assert_why(32, "of no known registers");
	done();
}

TEST(what_changes_records_themselves_is_refused)
{
	begin(16);
	put(true, V - 16, 1, 8);
	assert_why(16, "the head of the record of V0 to V31");
	/* The record of vectors becomes the end. */
	begin(32);
	load_head(SECOND, SVE, 1120);
	put(true, SECOND, 0, 8);
	assert_why(32, "took the record");
	begin(32);
	load_head(SECOND, SVE, 16);
	put(true, SECOND + 12, 1, 4);
	assert_why(32, "has none of them");
	done();
}

TEST(other_lengths_and_modes_are_refused)
{
	begin(32);
	load_head(SECOND, SVE, 1120);
	put_number(false, SECOND + 8, 16, 2);
	put(true, SECOND + 64, 1, 8);
	assert_why(32, "of another length");
	begin(32);
	load_head(SECOND, SVE, 1120);
	put_number(false, SECOND + 10, 1, 2);
	put(true, SECOND + 64, 1, 8);
	assert_why(32, "streaming mode");
	begin(32);
	load_head(SECOND, ZA, 16 + 32 * 32);
	put(true, SECOND + 64, 1, 8);
	assert_why(32, "ZA (SME)");
	done();
}

/* What was there before, stored once more, is no change of records. */
TEST(heads_may_be_stored_as_they_were)
{
	begin(32);
	put_number(true, V - 16, UINT64_C(528) << 32 | 0x46508001, 8);
	put_number(true, SECOND, UINT64_C(1120) << 32 | SVE, 8);
	put_number(true, SECOND + 8, 32, 8);
	put(true, SECOND + 16 + 16, 7, 8);
	put_number(true, SECOND + 1120, 0, 8);
	assert_null(take(32));
	assert_int_equal(replay.changes.count, 1);
	assert_change(0, VECTORS, ANY, 16, 255, UINT64_C(0x0707070707070707));
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_changed_as_a_whole_or_in_part),
		cmocka_unit_test(a_byte_is_what_was_there_or_was_stored_last),
		cmocka_unit_test(status_and_control_are_changed),
		cmocka_unit_test(long_vectors_and_predicates_are_changed),
		cmocka_unit_test(lower_parts_are_in_two_records),
		cmocka_unit_test(short_vectors_may_be_alone),
		cmocka_unit_test(a_record_may_be_found_by_its_kind),
		cmocka_unit_test(records_may_be_beside_the_others),
		cmocka_unit_test(records_may_be_behind_the_frame),
		cmocka_unit_test(records_that_are_not_known_are_refused),
		cmocka_unit_test(what_changes_records_themselves_is_refused),
		cmocka_unit_test(other_lengths_and_modes_are_refused),
		cmocka_unit_test(heads_may_be_stored_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
