/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length of vectors along a stream: what system calls set and execve() leaves of it (Linux,
 * Documentation/arch/arm64/sve.rst), what whole registers show, what threads inherit.
 */
#include "elf_slices.h"

#include "xtrace/elf/vector_lengths.h"

/* A64 encodings (Arm Architecture Reference Manual, C8.2). */
#define A64_STR_Z 0xe5804020u /* STR Z0, [X1] */
#define A64_LDR_P 0x85800020u /* LDR P0, [X1] */
#define A64_PTRUE 0x2518e3e0u

enum { INHERIT = 1 << 17, AT_EXECVE = 1 << 18, SET = 50, GET = 51 };
enum { CLONE = 220, EXECVE = 221, PRCTL = 167 };

static void put_three(struct bytes *s, uint64_t number, uint64_t x0, uint64_t x1, uint64_t result)
{
	put_inst(s, 0, A64_SVC);
	put_value(s, SVCARG, number);
	put_value(s, SVCARG, x0);
	put_value(s, SVCARG, x1);
	for (unsigned i = 0; i < 4; i++)
		put_value(s, SVCARG, 0);
	put_value(s, SVCRET, result);
}

static void put_whole(struct bytes *s, uint32_t opcode, unsigned token, uint64_t bytes)
{
	put_inst(s, 0, opcode);
	for (uint64_t i = 0; i < bytes; i += 4)
		put_access(s, token, 2, DATA + i, 7);
	put_inst(s, 0, A64_NOP);
}

static struct pair begin(void)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, A64_NOP);
	return p;
}

struct wanted {
	enum tl_xtrace_length_kind kind;
	uint32_t bytes;
	uint64_t record;
};

static void assert_lengths(struct pair *p, const struct wanted *wanted, size_t count)
{
	const struct tl_xtrace_vector_lengths *lengths;
	struct trace t;

	open_trace(&t, &p->stream, &p->snapshots);
	assert_true(tl_xtrace_vector_lengths_until(t.trace, 0, UINT64_MAX));
	lengths = &t.trace->lengths[0];
	assert_int_equal(lengths->count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(lengths->list[i].kind, wanted[i].kind);
		assert_int_equal(lengths->list[i].bytes, wanted[i].bytes);
		assert_int_equal(lengths->list[i].record, wanted[i].record);
	}
	close_trace(&t);
	free_pair(p);
}

#define ASSERT_LENGTHS(p, ...)                                                                     \
	assert_lengths(p, (const struct wanted[]){ __VA_ARGS__ },                                  \
		       sizeof((const struct wanted[]){ __VA_ARGS__ }) / sizeof(struct wanted))

TEST(system_calls_set_and_tell_it)
{
	struct pair p = begin();

	put_three(&p.stream, PRCTL, SET, 32, 32);
	put_three(&p.stream, PRCTL, SET, 64, (uint64_t)-22);
	put_three(&p.stream, PRCTL, GET, 0, 32 | INHERIT);
	put_three(&p.stream, PRCTL, SET, 256, 64);
	put_three(&p.stream, PRCTL, 15, 16, 16);
	put_inst(&p.stream, 0, A64_NOP);
	ASSERT_LENGTHS(&p, { TL_XTRACE_LENGTH_SET, 32, 1 }, { TL_XTRACE_LENGTH_SET, 64, 4 });
}

/* Of 256 bits a P has 4 bytes. What faults is not whole. */
TEST(whole_registers_show_it)
{
	struct pair p = begin();

	put_whole(&p.stream, A64_STR_Z, STORE, 32);
	put_whole(&p.stream, A64_LDR_P, LOAD, 4);
	put_whole(&p.stream, A64_STR_Z, STORE, 64);
	/* A handler begins behind a part of it. */
	put_inst(&p.stream, 0, A64_STR_Z);
	put_access(&p.stream, STORE, 3, DATA, 7);
	put_access(&p.stream, STORE, 3, DATA + 8, 7);
	put_pcinst(&p.stream, 0, CODE + 0x100, A64_NOP);
	put_whole(&p.stream, A64_LDR_P, LOAD, 4);
	ASSERT_LENGTHS(&p, { TL_XTRACE_LENGTH_SEEN, 32, 1 }, { TL_XTRACE_LENGTH_SEEN, 64, 5 },
		       { TL_XTRACE_LENGTH_SEEN, 32, 9 });
}

/* "The vector length will be reset to the system default", if nothing keeps it. */
TEST(programs_have_what_is_kept_for_them)
{
	static const struct {
		uint64_t length;
		size_t count;
		struct wanted all[2];
	} rows[] = {
		{ 32, 2, { { TL_XTRACE_LENGTH_SET, 32, 1 }, { TL_XTRACE_LENGTH_LOST, 0, 2 } } },
		{ 32 | INHERIT, 1, { { TL_XTRACE_LENGTH_SET, 32, 1 } } },
		{ 32 | AT_EXECVE, 1, { { TL_XTRACE_LENGTH_SET, 32, 2 } } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair p = begin();

		put_three(&p.stream, PRCTL, SET, rows[i].length, rows[i].length);
		put_three(&p.stream, EXECVE, 0, 0, 0);
		put_pcinst(&p.stream, 0, CODE + 0x1000, A64_NOP);
		assert_lengths(&p, rows[i].all, rows[i].count);
	}
}

TEST(a_program_that_cannot_be_executed_changes_nothing)
{
	struct pair p = begin();

	put_three(&p.stream, PRCTL, SET, 32, 32);
	put_three(&p.stream, EXECVE, 0, 0, (uint64_t)-2);
	put_inst(&p.stream, 0, A64_NOP);
	ASSERT_LENGTHS(&p, { TL_XTRACE_LENGTH_SET, 32, 1 });
}

/* Later slices go on where the walk for earlier ones has ended. */
TEST(segments_are_walked_over_once)
{
	struct pair p = begin();
	const struct tl_xtrace_vector_lengths *lengths;
	uint64_t second, third;
	struct trace t;

	put_three(&p.stream, PRCTL, SET, 32, 32);
	snap(&p, 2, 5);
	second = put_pcinst(&p.stream, 0, CODE + 8, A64_NOP);
	put_three(&p.stream, PRCTL, SET, 64, 64);
	snap(&p, 4, 5);
	third = put_pcinst(&p.stream, 0, CODE + 16, A64_NOP);
	put_three(&p.stream, PRCTL, SET, 128, 128);
	put_inst(&p.stream, 0, A64_NOP);
	open_trace(&t, &p.stream, &p.snapshots);
	assert_true(tl_xtrace_vector_lengths_until(t.trace, 0, 0));
	lengths = &t.trace->lengths[0];
	assert_int_equal(lengths->segments, 1);
	assert_null(tl_xtrace_vector_length_before(t.trace, 0, 0));
	assert_int_equal(lengths->count, 1);
	assert_true(tl_xtrace_vector_lengths_until(t.trace, 0, second));
	assert_int_equal(lengths->segments, 2);
	assert_true(tl_xtrace_vector_lengths_until(t.trace, 0, 0));
	assert_int_equal(lengths->segments, 2);
	assert_int_equal(lengths->count, 2);
	assert_int_equal(tl_xtrace_vector_length_before(t.trace, 0, second)->bytes, 32);
	assert_true(tl_xtrace_vector_lengths_until(t.trace, 0, UINT64_MAX));
	assert_int_equal(tl_xtrace_vector_length_before(t.trace, 0, third)->bytes, 64);
	assert_int_equal(tl_xtrace_vector_length_before(t.trace, 0, UINT64_MAX)->bytes, 128);
	assert_int_equal(lengths->list[2].record, 5);
	close_trace(&t);
	free_pair(&p);
}

/* ---- slices ---- */

TEST(registers_of_another_length_are_refused)
{
	struct pair p = begin();
	size_t at = p.stream.size;

	put_whole(&p.stream, A64_STR_Z, STORE, 32);
	assert_refused(&p, "another length here", at, 1);
	free_pair(&p);
}

/* The second program has registers of this length, or shows nothing; 0: it shows nothing. */
static void assert_executed(uint64_t shown, const char *refused)
{
	struct pair p = begin();
	struct tl_xtrace_slice slice = everything;
	struct tl_error err = { .status = 0 };
	struct tl_output *out;

	put_three(&p.stream, PRCTL, SET, 32, 32);
	put_three(&p.stream, EXECVE, 0, 0, 0);
	put_pcinst(&p.stream, 0, CODE + 0x1000, A64_NOP);
	snap(&p, 4, 5);
	put_pcinst(&p.stream, 0, CODE + 0x1004, A64_PTRUE);
	if (shown)
		put_whole(&p.stream, A64_STR_Z, STORE, shown);
	put_inst(&p.stream, 0, A64_NOP);
	slice.first_snapshot = 1;
	assert_int_equal(make(&p, slice, &out, &err), refused ? TL_UNSUPPORTED : 0);
	if (refused && !strstr(err.text, refused))
		fail_msg("\"%s\" instead of \"%s\"", err.text, refused);
	tl_output_discard(out);
	free_pair(&p);
}

TEST(another_program_shows_its_length)
{
	assert_executed(0, "another program is executed");
	assert_executed(16, NULL);
	assert_executed(32, "another length here");
}

/*
 * A thread sets 32 bytes, or what snapshots have, and makes another one, of which nothing shows a
 * length, or does.
 */
static void assert_inherited(uint64_t length, uint64_t thread, uint64_t shown, bool refused)
{
	struct pair pairs[2] = { begin(), begin() };
	struct tl_xtrace_slice slice = everything;
	struct tl_error err = { .status = 0 };
	struct tl_output *out;
	struct trace t;

	put_three(&pairs[0].stream, PRCTL, SET, length, length);
	put_three(&pairs[0].stream, CLONE, 0, 0, thread);
	put_inst(&pairs[0].stream, 0, A64_NOP);
	put_inst(&pairs[1].stream, 0, A64_PTRUE);
	if (shown)
		put_whole(&pairs[1].stream, A64_STR_Z, STORE, shown);
	put_inst(&pairs[1].stream, 0, A64_NOP);
	slice.size = sizeof(slice);
	slice.stream = 1;
	open_pairs(&t, pairs);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xtrace_slice_elf(t.trace, &slice, out, &err),
			 refused ? TL_UNSUPPORTED : 0);
	if (refused)
		assert_non_null(strstr(err.text, "of which this may be one"));
	tl_output_discard(out);
	close_trace(&t);
	free_pairs(pairs);
}

TEST(threads_inherit_a_length)
{
	assert_inherited(32, 77, 0, true);
	assert_inherited(32, 77, 16, false);
	assert_inherited(16, 77, 0, false);
	/* No thread was made. */
	assert_inherited(32, (uint64_t)-11, 0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_set_and_tell_it),
		cmocka_unit_test(whole_registers_show_it),
		cmocka_unit_test(programs_have_what_is_kept_for_them),
		cmocka_unit_test(a_program_that_cannot_be_executed_changes_nothing),
		cmocka_unit_test(segments_are_walked_over_once),
		cmocka_unit_test(registers_of_another_length_are_refused),
		cmocka_unit_test(another_program_shows_its_length),
		cmocka_unit_test(threads_inherit_a_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
