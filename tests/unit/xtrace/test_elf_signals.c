/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals in a slice that becomes a program: which registers of a handler its instructions show,
 * and what is refused. That handlers run is the subject of tests/differential/xtrace_slices.py.
 */
#include "elf_slices.h"

#include "xtrace/elf/collect/inputs.h"
#include "xtrace/elf/replay.h"

/* A64 encodings (Arm Architecture Reference Manual, C6.2). */
#define A64_STP 0xa9bf7bfdu          /* STP X29, X30, [SP, #-16]! */
#define A64_STR_SP 0xf90003e0u       /* STR X0, [SP] */
#define A64_STR_Q 0x3d800040u        /* STR Q0, [X2] */
#define A64_MOV_W19_W0 0x2a0003f3u   /* MOV W19, W0 */
#define A64_CMP_W0_10 0x7100281fu    /* CMP W0, #10 */
#define A64_MOV_W0_1 0x52800020u     /* MOV W0, #1 */
#define A64_ADD_X3_X2_8 0x91002043u  /* ADD X3, X2, #8 */
#define A64_ADD_X3_X1_X2 0x8b020023u /* ADD X3, X1, X2 */
#define A64_AND_X3_X0_1 0x92400003u  /* AND X3, X0, #1 */

enum {
	SP = 31,
	STACK = 0x7000000,
	SIGNAL_FRAME = STACK - 0x1260,
	HANDLER = CODE + 0x800,
	TRAMPOLINE = CODE + 0xc00,
};

/* ---- registers that a handler shows ---- */

static void execute(struct tl_xtrace_inputs *in, uint32_t opcode)
{
	const struct tl_xtrace_inputs_step step = { .opcode = opcode, .pc = HANDLER };

	tl_xtrace_inputs_execute(in, &step);
}

static struct tl_a64_access access_of(uint32_t opcode)
{
	const struct tl_a64 a64 = tl_a64_classify(opcode);

	return tl_a64_access_of(&a64);
}

TEST(a_store_shows_its_registers_and_their_place)
{
	static const uint8_t stored[16] = { 0x10, 0x20, 0, 0, 0, 0, 0, 0, 0x30, 0x40 };
	const struct tl_a64_access access = access_of(A64_STP);
	struct tl_xtrace_inputs in;

	tl_xtrace_inputs_begin(&in);
	tl_xtrace_inputs_address(&in, &access, STACK - 16);
	tl_xtrace_inputs_stored(&in, &access, 0, stored, 8);
	tl_xtrace_inputs_stored(&in, &access, 8, stored + 8, 8);
	assert_true(in.found == (UINT64_C(1) << SP | UINT64_C(1) << 30 | UINT64_C(1) << 29));
	assert_int_equal(in.left, 7);
	assert_int_equal(in.values[SP], STACK);
	assert_int_equal(in.values[29], 0x2010);
	assert_int_equal(in.values[30], 0x4030);
}

TEST(what_is_left_of_an_input_shows_it)
{
	struct tl_xtrace_inputs in;

	tl_xtrace_inputs_begin(&in);
	execute(&in, A64_MOV_W19_W0);
	execute(&in, A64_ADD_X3_X2_8);
	execute(&in, A64_MOV_W0_1);
	tl_xtrace_inputs_show(&in, 19, 11, UINT32_MAX);
	assert_int_equal(in.found, 1);
	assert_int_equal(in.values[0], 11);
	tl_xtrace_inputs_show(&in, 3, DATA + 8, UINT64_MAX);
	assert_int_equal(in.found, 5);
	assert_int_equal(in.values[2], DATA);
	/* Of addresses a half is not enough; what is a constant by now shows nothing. */
	tl_xtrace_inputs_show(&in, 1, 5, UINT32_MAX);
	tl_xtrace_inputs_show(&in, 0, 1, UINT64_MAX);
	assert_int_equal(in.found, 5);
}

TEST(what_is_no_sum_shows_nothing)
{
	struct tl_xtrace_inputs in;

	tl_xtrace_inputs_begin(&in);
	execute(&in, A64_AND_X3_X0_1);
	tl_xtrace_inputs_show(&in, 3, 1, UINT64_MAX);
	execute(&in, A64_ADD_X3_X1_X2);
	tl_xtrace_inputs_show(&in, 3, 1, UINT64_MAX);
	tl_xtrace_inputs_show(&in, 5, 1, UINT64_MAX);
	assert_int_equal(in.found, 0);
}

/*
 * An input that decides, by flags or by a few of its bits, may have decided another way in the
 * trace: what was chosen is not to be told, nor what is added to it.
 */
TEST(what_inputs_decide_shows_nothing)
{
	static const uint32_t opcodes[] = {
		0xf100003f, /* cmp x1, #0 */
		0x9a830044, /* csel x4, x2, x3, eq */
		0xd37ffc25, /* lsr x5, x1, #63 */
		0x8b050046, /* add x6, x2, x5 */
		0x927ff827, /* and x7, x1, #-2 */
		0x91001028, /* add x8, x1, #4 */
	};
	struct tl_xtrace_inputs in;

	tl_xtrace_inputs_begin_any(&in, 2 | 4 | 8);
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		execute(&in, opcodes[i]);
	for (unsigned reg = 4; reg < 8; reg++)
		tl_xtrace_inputs_show(&in, reg, DATA, UINT64_MAX);
	assert_int_equal(in.found, 0);
	tl_xtrace_inputs_show(&in, 8, DATA + 4, UINT64_MAX);
	assert_int_equal(in.found, 2);
	assert_int_equal(in.values[1], DATA);
}

TEST(a_handler_that_reads_its_number_is_known)
{
	struct tl_xtrace_inputs in;

	tl_xtrace_inputs_begin(&in);
	assert_true(tl_xtrace_inputs_read(&in, A64_CMP_W0_10, 0));
	assert_false(tl_xtrace_inputs_read(&in, A64_ADD_X3_X2_8, 0));
	execute(&in, A64_MOV_W0_1);
	assert_false(tl_xtrace_inputs_read(&in, A64_CMP_W0_10, 0));
}

/* A load that faulted has written nothing: neither its register, nor its base. */
TEST(a_load_that_faulted_is_not_executed)
{
	const struct tl_xtrace_inputs_step step = { .opcode = 0xf8408c41, /* LDR X1, [X2, #8]! */
						    .left_out = true };
	struct tl_xtrace_inputs in;

	tl_xtrace_inputs_begin(&in);
	tl_xtrace_inputs_execute(&in, &step);
	tl_xtrace_inputs_show(&in, 2, DATA, UINT64_MAX);
	tl_xtrace_inputs_show(&in, 1, DATA, UINT64_MAX);
	assert_int_equal(in.found, 0);
}

/* ---- slices ---- */

/* An access that shows where the stack is, and an instruction that is interrupted. */
static struct pair interrupted(void)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, A64_STR_SP);
	put_access(&p.stream, STORE, 3, STACK, 5);
	put_inst(&p.stream, 0, A64_NOP);
	return p;
}

static void put_call_at(struct pair *p, uint64_t pc, const uint64_t *arguments)
{
	put_pcinst(&p->stream, 0, pc, A64_SVC);
	for (unsigned i = 0; i < 7; i++)
		put_value(&p->stream, SVCARG, arguments[i]);
	put_value(&p->stream, SVCRET, 0);
}

static void put_return(struct pair *p, uint64_t to)
{
	static const uint64_t arguments[7] = { 139 };

	put_pcinst(&p->stream, 0, HANDLER + 0x80, A64_RET);
	put_value(&p->stream, TARGET_B, TRAMPOLINE);
	put_call_at(p, TRAMPOLINE, arguments);
	put_pcinst(&p->stream, 0, to, A64_NOP);
}

static void put_frame(struct pair *p, uint64_t pc, uint64_t sp)
{
	put_pcinst(&p->stream, 0, pc, A64_STP);
	put_access(&p->stream, STORE, 3, sp - 16, 0x29);
	put_access(&p->stream, STORE, 3, sp - 8, TRAMPOLINE);
}

static void put_jump(struct pair *p)
{
	/* B to the handler's last instruction */
	put_inst(&p->stream, 0, 0x14000000 | (0x80 - 4) / 4);
}

static void assert_made(const struct pair *p)
{
	struct tl_error err = { .status = 0 };
	struct tl_output *out;

	if (make(p, everything, &out, &err))
		fail_msg("refused: %s", err.text);
	tl_output_discard(out);
}

TEST(a_handler_with_a_frame_is_one)
{
	struct pair p = interrupted();

	put_frame(&p, HANDLER, SIGNAL_FRAME);
	put_inst(&p.stream, 0, A64_NOP);
	assert_made(&p);
	free_pair(&p);
}

/* Without one it has to return to what it interrupted. */
TEST(a_handler_that_returns_is_one)
{
	struct pair p = interrupted();

	put_pcinst(&p.stream, 0, HANDLER, 0x14000000 | 0x80 / 4);
	put_return(&p, CODE + 8);
	assert_made(&p);
	free_pair(&p);
}

TEST(a_break_on_the_same_stack_is_a_gap)
{
	struct pair p = interrupted();
	size_t at = p.stream.size - 5;

	put_frame(&p, HANDLER, STACK - 64);
	put_inst(&p.stream, 0, A64_NOP);
	assert_refused(&p, "or a part is missing", at, 1);
	free_pair(&p);
}

TEST(a_return_elsewhere_is_refused)
{
	struct pair p = interrupted();
	size_t at;

	put_frame(&p, HANDLER, SIGNAL_FRAME);
	put_jump(&p);
	at = p.stream.size + 13 + 9;
	put_return(&p, CODE + 0x40);
	assert_refused(&p, "or a part is missing", at, 5);
	free_pair(&p);
}

/*
 * A handler that ends behind the second snapshot, and began before it. What it interrupted has
 * moved X3 from a vector register, so that it is not known; `behind` is executed where it returns.
 */
static struct pair began_before(uint32_t behind)
{
	struct pair p = interrupted();

	put_inst(&p.stream, 0, 0x9e660003); /* FMOV X3, D0 */
	put_frame(&p, HANDLER, SIGNAL_FRAME);
	/* SP is that of the frame: X31 is 31 more than X0. */
	snap(&p, 4, SIGNAL_FRAME - 31);
	put_pcinst(&p.stream, 0, HANDLER + 4, 0x14000000 | (0x80 - 4) / 4);
	put_return(&p, CODE + 12);
	put_inst(&p.stream, 0, behind);
	put_inst(&p.stream, 0, A64_NOP);
	return p;
}

/* Made from the second snapshot on: 0, or refused with one fault, that of the first snapshot. */
static void assert_began_before(uint32_t behind, bool good)
{
	struct pair p = began_before(behind);
	struct tl_xtrace_slice slice = everything;
	const struct tl_xtrace_fault *faults;
	struct tl_error err = { .status = 0 };
	struct tl_output *out;
	struct trace t;
	size_t listed;
	uint64_t count, skipped;
	int status;

	slice.size = sizeof(slice);
	slice.first_snapshot = 1;
	open_trace(&t, &p.stream, &p.snapshots);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	status = tl_xtrace_slice_elf(t.trace, &slice, out, &err);
	if (good && status)
		fail_msg("refused: %s", err.text);
	faults = tl_xtrace_faults(t.trace, &listed, &count, &skipped);
	assert_int_equal(count, !good);
	if (!good) {
		assert_int_equal(status, TL_UNSUPPORTED);
		assert_non_null(strstr(err.text, "that began before the slice"));
		assert_int_equal(faults[0].record, 0);
		assert_int_equal(faults[0].offset, 24);
		assert_non_null(strstr(faults[0].text, "begin the slice there"));
	}
	tl_output_discard(out);
	close_trace(&t);
	free_pair(&p);
}

TEST(a_handler_that_began_before_comes_back)
{
	assert_began_before(A64_NOP, true);
	/* X4 is in the snapshot; X3 is overwritten; X3 is read. */
	assert_began_before(0xb4000024, true);
	assert_began_before(0xd2800023, true);
	assert_began_before(0xb4000023, false);
	/* D0 is still that of the snapshot; FCMP D0, #0.0. */
	assert_began_before(0x1e602008, true);
}

/* The program counter in the frame: 128 + 176 + 8 + 8 * 32. */
TEST(a_handler_may_change_where_it_returns)
{
	struct pair p = interrupted();

	put_frame(&p, HANDLER, SIGNAL_FRAME);
	put_inst(&p.stream, 0, A64_STR_FREE);
	put_access(&p.stream, STORE, 3, SIGNAL_FRAME + 128 + 176 + 8 + 256, CODE + 0x40);
	put_inst(&p.stream, 0, 0x14000000 | (0x80 - 8) / 4);
	put_return(&p, CODE + 0x40);
	assert_made(&p);
	free_pair(&p);
}

/* struct fpsimd_context, behind the registers: V0 to V31 from 16 on, after which others begin. */
TEST(a_handler_may_change_vectors)
{
	static const struct {
		unsigned at;
		const char *refused;
	} places[] = {
		{ 16, NULL },
		{ 512, NULL },
		{ 0, "the head of the record of V0 to V31" },
		{ 528, "of whose heads" },
		{ 520, "of whose heads" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const uint64_t to = SIGNAL_FRAME + 128 + 176 + 288 + places[i].at;
		struct pair p = interrupted();
		size_t at;

		put_frame(&p, HANDLER, SIGNAL_FRAME);
		put_inst(&p.stream, 0, A64_STR_Q);
		put_access(&p.stream, STORE, 3, to, 1);
		put_access(&p.stream, STORE, 3, to + 8, 1);
		put_inst(&p.stream, 0, 0x14000000 | (0x80 - 8) / 4);
		at = p.stream.size + 13 + 9;
		put_return(&p, CODE + 8);
		if (places[i].refused)
			assert_refused(&p, places[i].refused, at, 6);
		else
			assert_made(&p);
		free_pair(&p);
	}
}

/*
 * The handler stores V0, and what is behind it stores it again: if that is not what the handler
 * stored, it came from another record. Where nothing shows it, there is none.
 */
TEST(what_comes_back_shows_the_record_that_it_is_of)
{
	static const struct {
		uint64_t behind;
		enum tl_xtrace_vector_rule change, trace;
	} cases[] = {
		{ 0, TL_XTRACE_SHORT_RULE, TL_XTRACE_SHORT_RULE },
		{ 1, TL_XTRACE_ANY_RULE, TL_XTRACE_ANY_RULE },
		{ 2, TL_XTRACE_SHORT_RULE, TL_XTRACE_LONG_RULE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t to = SIGNAL_FRAME + 128 + 176 + 288 + 16;
		struct pair p = interrupted();
		struct tl_xtrace_replay replay = { 0 };
		struct tl_xtrace_slice_part part = { .end_byte = UINT64_MAX, .most = UINT64_MAX };
		struct trace t;

		put_frame(&p, HANDLER, SIGNAL_FRAME);
		put_inst(&p.stream, 0, A64_STR_Q);
		put_access(&p.stream, STORE, 3, to, 1);
		put_access(&p.stream, STORE, 3, to + 8, 1);
		put_inst(&p.stream, 0, 0x14000000 | (0x80 - 8) / 4);
		put_return(&p, CODE + 8);
		if (cases[i].behind) {
			put_inst(&p.stream, 0, A64_STR_Q);
			put_access(&p.stream, STORE, 3, DATA, cases[i].behind);
			put_access(&p.stream, STORE, 3, DATA + 8, 1);
		}
		put_inst(&p.stream, 0, A64_NOP);
		open_trace(&t, &p.stream, &p.snapshots);
		part.trace = t.trace;
		tl_xtrace_read_snapshot(t.trace, 0, 0, &part.begin);
		assert_int_equal(tl_xtrace_replay_collect(&replay, &part, 1, &t.err), 0);
		assert_int_equal(replay.changes.rule, cases[i].trace);
		assert_int_equal(replay.changes.count, 2);
		assert_int_equal(replay.changes.list[0].rule, cases[i].change);
		tl_xtrace_replay_free(&replay);
		close_trace(&t);
		free_pair(&p);
	}
}

/*
 * A signal waits while a handler runs: where that one returns, the next one begins, and only it
 * goes back to what was interrupted. Both have one slot, and what the first changes stays there.
 */
TEST(a_handler_may_begin_where_another_ends)
{
	static const uint64_t arguments[7] = { 139 };
	struct pair p = interrupted();
	struct tl_xtrace_replay replay = { 0 };
	struct tl_xtrace_slice_part part = { .end_byte = UINT64_MAX, .most = UINT64_MAX };
	struct trace t;

	put_frame(&p, HANDLER, SIGNAL_FRAME);
	put_inst(&p.stream, 0, A64_STR_FREE);
	put_access(&p.stream, STORE, 3, SIGNAL_FRAME + 128 + 176 + 8 + 8 * 7, 0x77);
	put_inst(&p.stream, 0, 0x14000000 | (0x80 - 8) / 4);
	put_pcinst(&p.stream, 0, HANDLER + 0x80, A64_RET);
	put_value(&p.stream, TARGET_B, TRAMPOLINE);
	put_call_at(&p, TRAMPOLINE, arguments);
	put_frame(&p, HANDLER + 0x200, SIGNAL_FRAME);
	put_inst(&p.stream, 0, 0x17ffff9f); /* B HANDLER + 0x80 */
	put_return(&p, CODE + 8);
	open_trace(&t, &p.stream, &p.snapshots);
	part.trace = t.trace;
	tl_xtrace_read_snapshot(t.trace, 0, 0, &part.begin);
	if (tl_xtrace_replay_collect(&replay, &part, 1, &t.err))
		fail_msg("refused: %s", t.err.text);
	assert_int_equal(replay.signal_count, 4);
	assert_false(replay.signals[0].ends);
	assert_int_equal(replay.signals[0].next, 0);
	assert_true(replay.signals[1].ends);
	assert_int_equal(replay.signals[1].next, 2);
	assert_int_equal(replay.signals[1].known, 1 << 7);
	assert_int_equal(replay.signals[1].values[7], 0x77);
	assert_int_equal(replay.signals[2].pc, HANDLER + 0x200);
	assert_int_equal(replay.signals[2].values[SP], SIGNAL_FRAME);
	assert_true(replay.signals[3].ends);
	assert_int_equal(replay.signals[3].pc, CODE + 8);
	assert_int_equal(replay.slots.count, 1);
	tl_xtrace_replay_free(&replay);
	close_trace(&t);
	free_pair(&p);
}

/* Interrupted in a store exclusive that failed, which a program decides itself. */
TEST(what_is_decided_is_not_interrupted)
{
	struct pair p = begin_pair();
	size_t at = put_pcinst(&p.stream, 0, CODE, 0xc8037c41); /* STXR W3, X1, [X2] */

	put_value(&p.stream, STXR, 1);
	put_frame(&p, HANDLER, SIGNAL_FRAME);
	assert_refused(&p, "cannot be interrupted", at, 0);
	free_pair(&p);
}

/* ---- the number of a signal ---- */

static void assert_number(struct pair *p, bool known)
{
	struct tl_xtrace_slice slice = everything;
	struct tl_error err = { .status = 0 };
	struct tl_output *out;
	struct trace t;

	slice.size = sizeof(slice);
	open_trace(&t, &p->stream, &p->snapshots);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xtrace_slice_elf(t.trace, &slice, out, &err), 0);
	if (known)
		assert_no_fault(&t);
	else
		assert_fault(&t, TL_UNSUPPORTED, TL_NOWHERE, 0);
	tl_output_discard(out);
	close_trace(&t);
}

/* rt_sigaction(number, act) with `act` at DATA. */
static void put_action(struct pair *p, uint64_t pc, uint64_t number)
{
	const uint64_t arguments[7] = { 134, number, DATA };

	put_pcinst(&p->stream, 0, pc, A64_STR_FREE);
	put_access(&p->stream, STORE, 3, DATA, HANDLER);
	put_call_at(p, pc + 4, arguments);
	put_inst(&p->stream, 0, A64_STR_SP);
	put_access(&p->stream, STORE, 3, STACK, 5);
}

static void put_asking_handler(struct pair *p)
{
	put_inst(&p->stream, 0, A64_NOP);
	put_frame(p, HANDLER, SIGNAL_FRAME);
	put_inst(&p->stream, 0, A64_CMP_W0_10);
	put_inst(&p->stream, 0, A64_NOP);
}

TEST(a_number_that_nothing_shows_is_told)
{
	struct pair p = interrupted();

	put_asking_handler(&p);
	assert_number(&p, false);
	free_pair(&p);
}

TEST(a_number_is_that_of_its_action)
{
	struct pair p = begin_pair();

	put_action(&p, CODE, 10);
	put_asking_handler(&p);
	assert_number(&p, true);
	free_pair(&p);
}

TEST(a_handler_of_two_signals_has_no_number)
{
	struct pair p = begin_pair();

	put_action(&p, CODE, 10);
	put_action(&p, CODE + 12, 12);
	put_asking_handler(&p);
	assert_number(&p, false);
	free_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_shows_its_registers_and_their_place),
		cmocka_unit_test(what_is_left_of_an_input_shows_it),
		cmocka_unit_test(what_is_no_sum_shows_nothing),
		cmocka_unit_test(what_inputs_decide_shows_nothing),
		cmocka_unit_test(a_handler_that_reads_its_number_is_known),
		cmocka_unit_test(a_load_that_faulted_is_not_executed),
		cmocka_unit_test(a_handler_with_a_frame_is_one),
		cmocka_unit_test(a_handler_that_returns_is_one),
		cmocka_unit_test(a_break_on_the_same_stack_is_a_gap),
		cmocka_unit_test(a_return_elsewhere_is_refused),
		cmocka_unit_test(a_handler_that_began_before_comes_back),
		cmocka_unit_test(a_handler_may_change_where_it_returns),
		cmocka_unit_test(a_handler_may_change_vectors),
		cmocka_unit_test(what_comes_back_shows_the_record_that_it_is_of),
		cmocka_unit_test(a_handler_may_begin_where_another_ends),
		cmocka_unit_test(what_is_decided_is_not_interrupted),
		cmocka_unit_test(a_number_that_nothing_shows_is_told),
		cmocka_unit_test(a_number_is_that_of_its_action),
		cmocka_unit_test(a_handler_of_two_signals_has_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
