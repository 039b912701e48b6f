/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a slice's program has to be told: at which execution of which instruction something comes
 * from outside, and what. Streams of a few instructions, whose events are counted by hand.
 */
#include "pairs.h"

#include "xtrace/elf/context.h"
#include "xtrace/elf/replay.h"

enum { CODE = 0x400000, DATA = 0x9000 };

/* A64 encodings (Arm Architecture Reference Manual, C6.2). */
#define A64_MRS 0xd53be043u    /* MRS X3, CNTVCT_EL0 */
#define A64_LDXR 0xc85f7c20u   /* LDXR X0, [X1] */
#define A64_STXR 0xc8027c20u   /* STXR W2, X0, [X1] */
#define A64_LDR_Q 0x9c000400u  /* LDR Q0, .+128 */
#define A64_BACK_2 0x17fffffeu /* B .-8 */
enum {
	CALL = TL_XTRACE_EVENT_CALL,
	CHECK = TL_XTRACE_EVENT_CHECK,
	OTHER = TL_XTRACE_EVENT_OTHER,
	STOP = TL_XTRACE_EVENT_STOP,
	ORDER = TL_XTRACE_EVENT_ORDER
};

static struct trace t;
static struct tl_xtrace_replay replay;

static void collect(size_t count)
{
	struct tl_xtrace_slice_part parts[2];

	for (uint32_t i = 0; i < count; i++) {
		parts[i] = (struct tl_xtrace_slice_part){
			.trace = t.trace, .stream = i, .end_byte = UINT64_MAX, .most = UINT64_MAX
		};
		tl_xtrace_read_snapshot(t.trace, i, 0, &parts[i].begin);
	}
	replay = (struct tl_xtrace_replay){ 0 };
	assert_int_equal(tl_xtrace_replay_collect(&replay, parts, count, &t.err), 0);
}

/* The whole of a stream. */
static void collect_pair(struct pair *p)
{
	open_trace(&t, &p->stream, &p->snapshots);
	collect(1);
}

static void done(struct pair *p)
{
	tl_xtrace_replay_free(&replay);
	close_trace(&t);
	free_pair(p);
}

/* An event that is wanted: at this execution of the instruction at CODE + `at`. */
struct wanted {
	uint64_t at, execution;
	uint32_t flags;
	uint64_t result, expected, post;
	uint32_t thread;
};

static void assert_events(const struct wanted *list, size_t count)
{
	assert_int_equal(replay.event_count, count);
	for (size_t i = 0; i < count; i++) {
		const struct tl_xtrace_event *event = &replay.events[i];

		assert_int_equal(replay.sites[event->site].pc, CODE + list[i].at);
		assert_int_equal(event->execution, list[i].execution);
		assert_int_equal(event->flags, list[i].flags);
		assert_int_equal(event->result, list[i].result);
		assert_int_equal(event->expected, list[i].expected);
		assert_int_equal(event->post, list[i].post);
		assert_int_equal(event->thread, list[i].thread);
	}
}

#define ASSERT_EVENTS(...)                                                                         \
	assert_events((const struct wanted[]){ __VA_ARGS__ },                                      \
		      sizeof((const struct wanted[]){ __VA_ARGS__ }) / sizeof(struct wanted))

static void assert_patch(size_t number, uint64_t event, uint64_t address, const char *bytes,
			 size_t size)
{
	const struct tl_xtrace_patch *patch = &replay.patches[number];

	assert_true(number < replay.patch_count);
	assert_int_equal(patch->event, event);
	assert_int_equal(patch->address, address);
	assert_int_equal(patch->size, size);
	assert_memory_equal(replay.bytes + patch->data, bytes, size);
}

static bool decides(uint64_t at)
{
	for (size_t i = 0; i < replay.site_count; i++)
		if (replay.sites[i].pc == CODE + at)
			return replay.sites[i].decides;
	fail_msg("no site is at %#x", (unsigned)(CODE + at));
	return false;
}

/* ---- system calls ---- */

/* An SVC with these in X8; X0 to X5 are 0. */
static void put_call(struct bytes *s, uint64_t pc, uint64_t number)
{
	put_pcinst(s, 0, pc, A64_SVC);
	put_value(s, SVCARG, number);
	for (unsigned i = 0; i < 6; i++)
		put_value(s, SVCARG, 0);
}

/* The instruction behind the last one is where the program stops, when it comes there again. */
TEST(calls_have_results_and_what_the_kernel_wrote)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA, 0x01);
	put_call(&p.stream, CODE + 4, 63);
	put_value(&p.stream, SVCRET, 5);
	put_pcinst(&p.stream, 0, CODE + 8, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA, 0x040301);
	put_inst(&p.stream, 0, A64_BACK_2);
	put_call(&p.stream, CODE + 4, 64);
	put_value(&p.stream, SVCRET, 6);
	put_pcinst(&p.stream, 0, CODE + 8, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA, 0x040301);
	collect_pair(&p);
	ASSERT_EVENTS({ 4, 1, CALL | CHECK, 5, 63, 0, 0 }, { 4, 2, CALL | CHECK, 6, 64, 0, 0 },
		      { 12, 2, STOP, 0, 0, 0, 0 });
	assert_int_equal(replay.patch_count, 1);
	assert_patch(0, 0, DATA + 1, "\x03\x04", 2);
	assert_int_equal(replay.threads[0].first_pc, CODE);
	assert_int_equal(replay.threads[0].instructions, 6);
	assert_int_equal(replay.threads[0].faulted, 0);
	done(&p);
}

/* The kernel begins a call again, with another number (restart_syscall). It is one execution. */
TEST(calls_that_begin_again_are_one)
{
	struct pair p = begin_pair();

	put_call(&p.stream, CODE, 115);
	put_call(&p.stream, CODE, 128);
	put_value(&p.stream, SVCRET, 7);
	put_inst(&p.stream, 0, A64_NOP);
	collect_pair(&p);
	ASSERT_EVENTS({ 0, 1, CALL | CHECK, 7, 128, 0, 0 }, { 8, 1, STOP, 0, 0, 0, 0 });
	assert_int_equal(replay.threads[0].instructions, 2);
	assert_int_equal(replay.threads[0].faulted, 1);
	done(&p);
}

/* ---- memory ---- */

/* The kernel did not write what was read after its call and has changed since. */
TEST(others_write_before_the_load_that_finds_it)
{
	struct pair p = begin_pair();

	put_call(&p.stream, CODE, 172);
	put_value(&p.stream, SVCRET, 0);
	for (uint64_t i = 0; i < 3; i++) {
		put_inst(&p.stream, 0, A64_LDR);
		put_access(&p.stream, LOAD, 3, DATA, i / 2);
	}
	put_inst(&p.stream, 0, A64_STR);
	put_access(&p.stream, STORE, 3, DATA + 8, 0x55);
	put_inst(&p.stream, 0, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA + 8, 0x66);
	collect_pair(&p);
	ASSERT_EVENTS({ 0, 1, CALL | CHECK, 0, 172, 0, 0 }, { 12, 1, 0, 0, 0, 0, 0 },
		      { 20, 1, 0, 0, 0, 0, 0 }, { 24, 1, STOP, 0, 0, 0, 0 });
	assert_int_equal(replay.patch_count, 2);
	assert_patch(0, 1, DATA, "\x01", 1);
	assert_patch(1, 2, DATA + 8, "\x66", 1);
	done(&p);
}

/* DC ZVA stores 64 zeros, from the multiple of 64 on that its address is in. */
TEST(zeros_are_stored)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, 0xd50b7420); /* dc zva, x0 */
	put_value(&p.stream, DC, DATA + 70);
	for (uint64_t at = 56; at <= 128; at += 8) {
		put_inst(&p.stream, 0, A64_LDR);
		put_access(&p.stream, LOAD, 3, DATA + at, at == 64 || at == 120 ? 1 : 9);
	}
	collect_pair(&p);
	/* 56 and 128 are as the slice finds them; all of 64 to 127 is another than it stored. */
	assert_int_equal(replay.patch_count, 8);
	assert_patch(0, 0, DATA + 64, "\x01", 1);
	assert_patch(1, 1, DATA + 72, "\x09", 1);
	assert_patch(7, 7, DATA + 120, "\x01", 1);
	done(&p);
}

/*
 * A program whose pointers are signed stores where a call returns to without its signature: a load
 * of all of it finds the pointer, one of the part with the signature finds other bytes than the
 * trace. What points to no call that was executed is a number as any other.
 */
TEST(signatures_are_missing_in_memory)
{
	static const struct {
		uint32_t sign;
		uint64_t at, points;
		bool missing;
	} cases[] = {
		{ 0xd503233f, 0, CODE + 4, true }, /* paciasp */
		{ 0xd503233f, 8, CODE + 4, true },
		{ A64_NOP, 0, CODE + 4, false },
		{ 0xd503233f, 0, CODE + 0x44, false },
		{ 0xd503233f, 4, CODE + 4, false }, /* no register is kept there */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t pointer = UINT64_C(0x12) << 48 | cases[i].points;
		const uint64_t place = DATA + cases[i].at;
		struct pair p = begin_pair();

		put_pcinst(&p.stream, 0, CODE, 0x94000002); /* bl .+8 */
		put_pcinst(&p.stream, 0, CODE + 8, cases[i].sign);
		put_inst(&p.stream, 0, A64_STR);
		put_access(&p.stream, STORE, 3, place, pointer);
		put_inst(&p.stream, 0, A64_LDR);
		put_access(&p.stream, LOAD, 3, place, pointer);
		put_inst(&p.stream, 0, 0xb9400020); /* ldr w0, [x1] */
		put_access(&p.stream, LOAD, 2, place + 4, pointer >> 32);
		put_inst(&p.stream, 0, A64_NOP);
		collect_pair(&p);
		assert_int_equal(replay.patch_count > 0, cases[i].missing);
		for (size_t n = 0; n < replay.patch_count; n++)
			assert_int_equal(
				replay.sites[replay.events[replay.patches[n].event].site].pc,
				CODE + 20);
		done(&p);
	}
}

/* ---- what the machine decides ---- */

TEST(registers_have_the_recorded_value)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, A64_MRS);
	put_value(&p.stream, MRS, 1234);
	put_inst(&p.stream, 0, A64_NOP);
	collect_pair(&p);
	ASSERT_EVENTS({ 0, 1, 0, 1234, 0, 0, 0 }, { 8, 1, STOP, 0, 0, 0, 0 });
	done(&p);
}

/*
 * A store exclusive does by itself what it did if it stored, and a load exclusive came before it.
 * The status that says that it did not, and one without a load before it, are brought back.
 */
TEST(stores_exclusive_do_as_they_did)
{
	struct pair p = begin_pair();

	for (uint64_t i = 0; i < 2; i++) {
		put_pcinst(&p.stream, 0, CODE, A64_LDXR);
		put_access(&p.stream, LOAD, 3, DATA, 3);
		put_inst(&p.stream, 0, A64_STXR);
		if (i)
			put_access(&p.stream, STORE, 3, DATA, 3);
		put_value(&p.stream, STXR, i ? 0 : 1);
		put_inst(&p.stream, 0, A64_STXR);
		if (i)
			put_access(&p.stream, STORE, 3, DATA, 3);
		put_value(&p.stream, STXR, i ? 0 : 1);
		put_inst(&p.stream, 0, 0x17fffffd); /* b .-12 */
	}
	collect_pair(&p);
	ASSERT_EVENTS({ 4, 1, OTHER, 1, 0, 0, 0 }, { 8, 1, OTHER, 1, 0, 0, 0 },
		      { 8, 2, OTHER, 0, 0, 0, 0 }, { 0, 3, STOP, 0, 0, 0, 0 });
	assert_true(decides(4));
	assert_true(decides(8));
	assert_false(decides(0));
	done(&p);
}

/* Registers of SVE are brought back where instructions of SVE are among those of the slice. */
TEST(vectors_of_any_length_are_told)
{
	static const uint32_t opcodes[][2] = {
		{ A64_NOP, A64_NOP }, { 0x04200000, A64_NOP }, /* add z0.b, z0.b, z0.b */
	};

	for (size_t i = 0; i < 2; i++) {
		struct pair p = begin_pair();

		put_pcinst(&p.stream, 0, CODE, opcodes[i][0]);
		put_inst(&p.stream, 0, opcodes[i][1]);
		collect_pair(&p);
		assert_int_equal(replay.scalable, i);
		done(&p);
	}
}

/* ---- several threads ---- */

static void open_threads(const struct pair *pairs)
{
	open_pairs(&t, pairs);
	collect(2);
}

static void done_threads(struct pair *pairs)
{
	done(&pairs[0]);
	free_pair(&pairs[1]);
}

static void put_timed(struct bytes *s, uint32_t opcode, uint64_t time, uint64_t value)
{
	put_inst(s, 0, opcode);
	put_value(s, TIME, time);
	put_access(s, opcode == A64_STR ? STORE : LOAD, 3, DATA, value);
}

static void assert_waits_for_first(uint64_t event)
{
	assert_int_equal(replay.wait_count, 1);
	assert_int_equal(replay.waits[0].event, event);
	assert_int_equal(replay.waits[0].thread, 0);
	assert_int_equal(replay.waits[0].progress, 1);
}

/*
 * The second thread loads what the first one stored: it waits for the first one's progress, which
 * that makes at its next instruction; a load of a vector register from beside the code has no room
 * for that, so that it is the one behind it. Once is enough.
 */
TEST(threads_wait_for_what_others_stored)
{
	struct pair pairs[2] = { begin_pair_at(0x7000), begin_pair_at(0x100000) };
	struct bytes *first = &pairs[0].stream, *second = &pairs[1].stream;

	put_pcinst(first, 0, CODE, A64_NOP);
	put_timed(first, A64_STR, 1, 77);
	put_pcinst(second, 0, CODE + 0x100, A64_NOP);
	put_timed(second, A64_LDR, 2, 77);
	put_inst(second, 0, A64_NOP);
	put_inst(first, 0, A64_LDR_Q);
	put_value(first, TIME, 3);
	put_byte(first, LOAD | 4 << 4);
	put_number(first, CODE + 136, 8);
	put_repeat(first, 0, 16);
	put_inst(first, 0, A64_NOP);
	put_inst(first, 0, A64_NOP);
	open_threads(pairs);
	ASSERT_EVENTS({ 0x104, 1, ORDER, 0, 0, 0, 1 }, { 12, 1, ORDER, 0, 0, 1, 0 },
		      { 20, 1, STOP, 0, 0, 0, 0 }, { 0x10c, 1, STOP, 0, 0, 0, 1 });
	assert_waits_for_first(0);
	assert_int_equal(replay.patch_count, 0);
	done_threads(pairs);
}

/* What came from outside is stored by the thread that found it: others wait for that as well. */
TEST(threads_wait_for_what_came_from_outside)
{
	struct pair pairs[2] = { begin_pair_at(0x7000), begin_pair_at(0x100000) };
	struct bytes *first = &pairs[0].stream, *second = &pairs[1].stream;

	put_pcinst(first, 0, CODE, A64_NOP);
	put_timed(first, A64_LDR, 1, 5);
	put_timed(first, A64_LDR, 2, 6);
	put_inst(first, 0, A64_NOP);
	put_pcinst(second, 0, CODE + 0x100, A64_NOP);
	put_timed(second, A64_LDR, 3, 6);
	open_threads(pairs);
	ASSERT_EVENTS({ 8, 1, 0, 0, 0, 0, 0 }, { 0x104, 1, ORDER, 0, 0, 0, 1 },
		      { 12, 1, ORDER, 0, 0, 1, 0 }, { 16, 1, STOP, 0, 0, 0, 0 },
		      { 0x108, 1, STOP, 0, 0, 0, 1 });
	assert_waits_for_first(1);
	assert_int_equal(replay.patch_count, 1);
	assert_patch(0, 0, DATA, "\x06", 1);
	done_threads(pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_have_results_and_what_the_kernel_wrote),
		cmocka_unit_test(calls_that_begin_again_are_one),
		cmocka_unit_test(others_write_before_the_load_that_finds_it),
		cmocka_unit_test(zeros_are_stored),
		cmocka_unit_test(signatures_are_missing_in_memory),
		cmocka_unit_test(registers_have_the_recorded_value),
		cmocka_unit_test(stores_exclusive_do_as_they_did),
		cmocka_unit_test(vectors_of_any_length_are_told),
		cmocka_unit_test(threads_wait_for_what_others_stored),
		cmocka_unit_test(threads_wait_for_what_came_from_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
