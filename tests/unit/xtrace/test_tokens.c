/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens one by one, as section 2.4 of docs/formats/xtrace.md has them, and what is no token. */
#include "bytes.h"

static struct tl_xtrace_reader *begin(struct trace *t)
{
	struct tl_xtrace_reader *reader;

	assert_int_equal(tl_xtrace_reader_open(&reader, t->trace, 0, TL_NONE, &t->err), 0);
	return reader;
}

/* The only token of a stream. */
static struct tl_xtrace_token only(const struct bytes *b, struct trace *t)
{
	struct tl_xtrace_token token, more;
	struct tl_xtrace_reader *reader;

	open_trace(t, b, NULL);
	reader = begin(t);
	assert_int_equal(tl_xtrace_next_token(reader, &token, sizeof(token), &t->err), 1);
	assert_int_equal(token.offset, 0);
	assert_int_equal(token.length, b->size);
	assert_int_equal(token.byte, b->data[0]);
	assert_int_equal(tl_xtrace_next_token(reader, &more, sizeof(more), &t->err), 0);
	tl_xtrace_reader_close(reader);
	return token;
}

/* "0x09 49 89 C9 | PCINST EL0..3 | 12 | u64 PC, u32 opcode"; "0x01 41 81 C1 | INST EL0..3 | 4 |
 * opcode". */
TEST(instructions_of_every_level)
{
	for (unsigned el = 0; el < 4; el++) {
		static const uint8_t inst[] = { 0x01, 0x41, 0x81, 0xc1 },
				     pcinst[] = { 0x09, 0x49, 0x89, 0xc9 };
		struct bytes b = { .data = NULL };
		struct tl_xtrace_token token;
		struct trace t;

		put_byte(&b, pcinst[el]);
		put_number(&b, 0x4007a4, 8);
		put_number(&b, 0x52800039, 4);
		token = only(&b, &t);
		assert_int_equal(token.kind, TL_XTRACE_PCINST);
		assert_int_equal(token.el, el);
		assert_true(token.pc_known);
		assert_int_equal(token.pc, 0x4007a4);
		assert_int_equal(token.opcode, 0x52800039);
		close_trace(&t);
		b.size = 0;
		put_byte(&b, inst[el]);
		put_number(&b, 0x52800039, 4);
		token = only(&b, &t);
		assert_int_equal(token.kind, TL_XTRACE_INST);
		assert_int_equal(token.el, el);
		/* "INST before any PCINST (PC unknown: decode opcodes, mark the PC unknown)". */
		assert_false(token.pc_known);
		assert_int_equal(token.opcode, 0x52800039);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* "k<<4 | 0x02 | LOAD | 8+2^k"; "k<<4 | 0x0A | STORE"; "accept <= 8 (256 B)" (A15). */
TEST(accesses_of_every_size)
{
	for (unsigned k = 0; k <= 8; k++)
		for (unsigned store = 0; store < 2; store++) {
			struct bytes b = { .data = NULL };
			struct tl_xtrace_token token;
			struct trace t;

			put_byte(&b, k << 4 | 2 | store << 3);
			put_number(&b, 0xffff800008b6c420, 8);
			for (unsigned i = 0; i < 1u << k; i++)
				put_byte(&b, i ^ 0x5a);
			token = only(&b, &t);
			assert_int_equal(token.kind, store ? TL_XTRACE_STORE : TL_XTRACE_LOAD);
			assert_int_equal(token.value, 0xffff800008b6c420);
			assert_int_equal(token.data_size, 1u << k);
			assert_memory_equal(token.data, b.data + 9, 1u << k);
			assert_int_equal(token.data[0], 0x5a);
			close_trace(&t);
			free_bytes(&b);
		}
}

/* "0x03 STXR 8 ... 0x2B TARGET_B 8", "0x1C MISC_FLAGS 8", "0x07 TIME C: 8". */
TEST(values_of_eight_bytes)
{
	static const struct {
		uint8_t byte;
		enum tl_xtrace_kind kind;
		/* clang-format off */
	} values[] = {
		{ 0x03, TL_XTRACE_STXR },   { 0x0b, TL_XTRACE_MRS },  { 0x13, TL_XTRACE_SVCARG },
		{ 0x1b, TL_XTRACE_SVCRET }, { 0x23, TL_XTRACE_DC },   { 0x2b, TL_XTRACE_TARGET_B },
		{ 0x1c, TL_XTRACE_FLAGS },  { 0x07, TL_XTRACE_TIME },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct bytes b = { .data = NULL };
		struct tl_xtrace_token token;
		struct trace t;

		put_value(&b, values[i].byte, 0x8877665544332211);
		token = only(&b, &t);
		assert_int_equal(token.kind, values[i].kind);
		assert_int_equal(token.value, 0x8877665544332211);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* "0x0C ALLGPR 256"; "0x24 SYSCALL_VEC 8+16N: u64 N, N x {u64 base, u64 len}". */
TEST(blocks)
{
	struct bytes b = { .data = NULL };
	struct tl_xtrace_token token;
	struct trace t;

	put_allgpr(&b, 7);
	token = only(&b, &t);
	assert_int_equal(token.kind, TL_XTRACE_ALLGPR);
	assert_int_equal(token.data_size, 256);
	assert_int_equal(token.data[8], 8);
	close_trace(&t);
	for (unsigned n = 0; n < 3; n++) {
		b.size = 0;
		put_value(&b, SYSCALL_VEC, n);
		for (unsigned i = 0; i < n; i++) {
			put_number(&b, 0x1000 * i, 8);
			put_number(&b, i, 8);
		}
		token = only(&b, &t);
		assert_int_equal(token.kind, TL_XTRACE_SYSCALL_VEC);
		assert_int_equal(token.value, n);
		assert_int_equal(token.data_size, 16 * n);
		close_trace(&t);
	}
	free_bytes(&b);
}

/* "For INST the PC defaults to the PC of the previous instruction + 4." */
TEST(pc_goes_on_by_four)
{
	struct bytes b = { .data = NULL };
	struct tl_xtrace_token token;
	struct trace t;
	struct tl_xtrace_reader *reader;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_inst(&b, 0, A64_NOP);
	put_access(&b, LOAD, 3, 0x9000, 1);
	put_inst(&b, 1, A64_NOP);
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	open_trace(&t, &b, NULL);
	reader = begin(&t);
	for (uint64_t i = 0; i < 5; i++) {
		static const uint64_t pcs[] = { 0x1000, 0x1004, 0x1004, 0x1008, 0x1000 };

		assert_int_equal(tl_xtrace_next_token(reader, &token, sizeof(token), &t.err), 1);
		assert_int_equal(token.pc, pcs[i]);
	}
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

/* A byte of damage behind two instructions: what is kept, what is told, and how a strict reader
 * stops. */
static void assert_damaged(struct bytes *b, size_t offset, enum tl_status status)
{
	const struct tl_xtrace_options strict = { .size = sizeof(strict),
						  .alone = true,
						  .strict = true };
	struct tl_xtrace_token token;
	struct trace t;
	struct tl_xtrace_reader *reader;

	open_trace(&t, b, NULL);
	reader = begin(&t);
	while (tl_xtrace_next_token(reader, &token, sizeof(token), &t.err) == 1)
		assert_true(token.offset < offset);
	assert_fault(&t, status, offset, b->size - offset);
	tl_xtrace_reader_close(reader);
	close_trace(&t);

	assert_int_equal(try_open(&t, b, NULL, &strict), 0);
	reader = begin(&t);
	int got;

	while ((got = tl_xtrace_next_token(reader, &token, sizeof(token), &t.err)) == 1)
		continue;
	assert_int_equal(got, status);
	assert_int_equal(t.err.offset, offset);
	assert_string_equal(t.err.format, "xtrace");
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(b);
}

static struct bytes two_instructions(void)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_inst(&b, 0, A64_NOP);
	assert_int_equal(b.size, 18);
	return b;
}

/* "Reject with offset: token classes 0/5/6, unknown sub-tokens (A13), k > 8". */
TEST(undefined_tokens)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		unsigned class = byte & 7, high = byte >> 3;
		bool defined = (class == 1 && (high & 7) < 2) || (class == 2 && byte >> 4 <= 8) ||
			       (class == 3 && high < 6) ||
			       (class == 4 && (high == 1 || high == 3 || high == 4)) ||
			       (class == 7 && high == 0);
		struct bytes b = two_instructions();

		put_byte(&b, byte);
		/* Whatever it may need. */
		put_repeat(&b, 0, 600);
		if (!defined)
			assert_damaged(&b, 18, TL_BAD_RECORD);
		free_bytes(&b);
	}
}

/* The reason names what is wrong with the token. */
TEST(reasons)
{
	static const struct {
		unsigned byte;
		const char *text;
	} cases[] = {
		{ 0x00, "undefined class" },     { 0x05, "undefined class" },
		{ 0x06, "undefined class" },     { 0x92, "more than 256 bytes" },
		{ 0x9a, "more than 256 bytes" }, { 0x04, "unknown token" },
		{ 0x33, "unknown token" },       { 0x11, "unknown token" },
		{ 0x0f, "unknown token" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = two_instructions();
		struct tl_xtrace_token token;
		struct tl_xtrace_reader *reader;
		struct trace t;
		size_t listed;
		uint64_t count, skipped;

		put_byte(&b, cases[i].byte);
		put_repeat(&b, 0, 600);
		open_trace(&t, &b, NULL);
		reader = begin(&t);
		while (tl_xtrace_next_token(reader, &token, sizeof(token), &t.err) == 1)
			continue;
		assert_non_null(strstr(tl_xtrace_faults(t.trace, &listed, &count, &skipped)[0].text,
				       cases[i].text));
		tl_xtrace_reader_close(reader);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* "A SYSCALL_VEC whose N passes the end of file": N = 2^60 iovecs would be 2^64 bytes. */
TEST(absurd_counts)
{
	static const uint64_t counts[] = { 3, 4, 1ull << 60, (1ull << 60) - 1, UINT64_MAX };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct bytes b = two_instructions();

		put_value(&b, SYSCALL_VEC, counts[i]);
		put_repeat(&b, 0, 47);
		assert_damaged(&b, 18, TL_BAD_SIZE);
	}
}

/* "Truncated tail (killed collector): keep what is whole, report the offset" (A22). */
TEST(truncated_tails)
{
	for (size_t cut = 1; cut < 13; cut++) {
		struct bytes b = two_instructions();

		put_pcinst(&b, 0, 0x2000, A64_NOP);
		b.size = 18 + cut;
		assert_damaged(&b, 18, TL_TRUNCATED);
	}
}

/* "0x04 and 0x14 unknown: stop with a clear error and the offset; `--skip-unknown 04=N` overrides"
 * (A13). */
TEST(unknown_tokens_can_be_skipped)
{
	const struct tl_xtrace_options options = { .size = sizeof(options),
						   .alone = true,
						   .skip_unknown = "04=2,14=0" };
	struct bytes b = two_instructions();
	struct tl_xtrace_instruction i;
	struct trace t;
	struct tl_xtrace_reader *reader;

	put_byte(&b, 0x04);
	put_number(&b, 0xffff, 2);
	put_byte(&b, 0x14);
	put_inst(&b, 0, A64_RET);
	assert_int_equal(try_open(&t, &b, NULL, &options), 0);
	reader = begin(&t);
	for (unsigned n = 0; n < 3; n++)
		assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 1);
	assert_int_equal(i.pc, 0x1008);
	assert_int_equal(i.opcode, A64_RET);
	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 0);
	assert_no_fault(&t);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

TEST(nonsense_to_skip_is_refused)
{
	/* Known tokens are not to be redefined, and numbers are numbers. */
	static const char *const wrong[] = { "01=4",  "04",    "04=",      "=4",   "04=4;",
					     "104=4", "04=-1", "04=70000", "xx=1", "04=1,," };
	struct bytes b = two_instructions();

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_xtrace_options options = { .size = sizeof(options),
						     .alone = true,
						     .skip_unknown = wrong[i] };
		struct trace t;

		assert_int_equal(try_open(&t, &b, NULL, &options), TL_BAD_USAGE);
		close_trace(&t);
	}
	free_bytes(&b);
}

/* "TIME payload: reader probes {8,0,4,16} by the whole file parses and the values increase" (A11).
 */
TEST(width_of_time_is_found)
{
	static const unsigned widths[] = { 8, 0, 4, 16 };

	for (size_t n = 0; n < 4; n++) {
		struct bytes b = { .data = NULL };
		struct tl_xtrace_token token;
		struct trace t;
		struct tl_xtrace_reader *reader;
		unsigned times = 0;

		put_pcinst(&b, 0, 0x1000, A64_LDR);
		for (uint64_t i = 0; i < 40; i++) {
			put_byte(&b, TIME);
			put_number(&b, 5 * i, widths[n] > 8 ? 8 : widths[n]);
			put_repeat(&b, 0, widths[n] > 8 ? 8 : 0);
			put_access(&b, LOAD, 3, 0x9000 + 8 * i, 0x0102030405060708 * i);
			put_inst(&b, 0, A64_LDR);
		}
		open_trace(&t, &b, NULL);
		assert_int_equal(tl_xtrace_stream(t.trace, 0)->layout->time_bytes, widths[n]);
		reader = begin(&t);
		while (tl_xtrace_next_token(reader, &token, sizeof(token), &t.err) == 1)
			if (token.kind == TL_XTRACE_TIME) {
				assert_int_equal(token.length, widths[n] + 1);
				assert_int_equal(token.value, widths[n] ? 5 * times : 0);
				times++;
			}
		assert_int_equal(times, 40);
		assert_no_fault(&t);
		tl_xtrace_reader_close(reader);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* "VAL/MISC high bits = high 4 or high 5: reader may probe 4 (tokens 13 23 33.. instead of 0B 13
 * 1B..)" (A14). */
TEST(other_numbering_is_found)
{
	struct bytes b = { .data = NULL };
	struct tl_xtrace_token token;
	struct trace t;
	struct tl_xtrace_reader *reader;
	static const enum tl_xtrace_kind kinds[] = { TL_XTRACE_PCINST, TL_XTRACE_SVCARG,
						     TL_XTRACE_SVCRET, TL_XTRACE_TARGET_B,
						     TL_XTRACE_ALLGPR };

	put_pcinst(&b, 0, 0x1000, A64_SVC);
	put_value(&b, 0x23, 93);
	put_value(&b, 0x33, 0);
	put_value(&b, 0x53, 0x2000);
	put_byte(&b, 0x14);
	put_repeat(&b, 0, 256);
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_stream(t.trace, 0)->layout->code_bits, 4);
	reader = begin(&t);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(tl_xtrace_next_token(reader, &token, sizeof(token), &t.err), 1);
		assert_int_equal(token.kind, kinds[i]);
	}
	assert_no_fault(&t);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

/* "{8,0,4,16} by: the whole file parses" (A11), with the other numbering, too. */
TEST(width_and_numbering_are_found_together)
{
	static const unsigned widths[] = { 8, 0, 4, 16 };

	for (size_t n = 0; n < 4; n++) {
		struct bytes b = { .data = NULL };
		struct trace t;

		put_pcinst(&b, 0, 0x1000, A64_LDR);
		for (uint64_t i = 0; i < 40; i++) {
			put_byte(&b, TIME);
			put_number(&b, 5 * i, widths[n] > 8 ? 8 : widths[n]);
			put_repeat(&b, 0, widths[n] > 8 ? 8 : 0);
			put_access(&b, LOAD, 3, 0x9000 + 8 * i, 0x0102030405060708 * i);
			put_value(&b, 0x33, i); /* SVCRET */
			put_inst(&b, 0, A64_LDR);
		}
		open_trace(&t, &b, NULL);
		assert_int_equal(tl_xtrace_stream(t.trace, 0)->layout->code_bits, 4);
		assert_int_equal(tl_xtrace_stream(t.trace, 0)->layout->time_bytes, widths[n]);
		close_trace(&t);
		free_bytes(&b);
	}
}

/*
 * "INST, [SVCARG x7, SYSCALL_VEC or TARGET_B or DC], [TIME], MEM*, [STXR, MRS or MISC_FLAGS]: every
 * non-INST token belongs to the last INST/PCINST, except SVCRET and ALLGPR, which belong to the
 * boundary before the next instruction" (A21).
 */
TEST(tokens_belong_to_their_instruction)
{
	struct bytes b = { .data = NULL };
	struct tl_xtrace_instruction i;
	struct tl_xtrace_access access;
	struct trace t;
	struct tl_xtrace_reader *reader;
	uint64_t at = 0;
	size_t second;

	put_pcinst(&b, 0, 0x1000, A64_SVC);
	for (unsigned n = 0; n < 7; n++)
		put_value(&b, SVCARG, 63 + n);
	put_value(&b, SYSCALL_VEC, 1);
	put_number(&b, 0x5000, 8);
	put_number(&b, 16, 8);
	second = put_value(&b, SVCRET, 12);
	put_allgpr(&b, 100);
	put_inst(&b, 0, A64_LDR);
	put_value(&b, TIME, 9);
	put_access(&b, LOAD, 3, 0x5000, 0x1122334455667788);
	put_access(&b, STORE, 1, 0x6000, 0xabcd);
	put_value(&b, STXR, 1);
	put_value(&b, TARGET_B, 0x2000);
	open_trace(&t, &b, NULL);
	reader = begin(&t);

	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 1);
	assert_int_equal(i.offset, 0);
	assert_int_equal(i.length, second);
	assert_int_equal(i.ordinal, 0);
	assert_true(i.with_pc && !i.before.has_svcret && !i.before.allgpr && !i.before.after_gap);
	assert_int_equal(i.before.snapshot, TL_NONE);
	assert_int_equal(i.syscall.arg_count, 7);
	assert_int_equal(i.syscall.args[0], 63);
	assert_int_equal(i.syscall.args[6], 69);
	assert_int_equal(i.syscall.iovec_count, 1);
	assert_int_equal(i.syscall.iovecs[8], 16);
	assert_false(tl_xtrace_access_next(reader, &i, &at, &access, sizeof(access)));

	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 1);
	assert_int_equal(i.offset, second);
	assert_int_equal(i.length, b.size - second);
	assert_int_equal(i.ordinal, 1);
	assert_int_equal(i.pc, 0x1004);
	assert_true(i.before.has_svcret && i.values.has_time && i.values.has_stxr &&
		    i.values.has_target);
	assert_false(i.values.has_mrs || i.values.has_dc || i.values.has_flags || i.with_pc);
	assert_int_equal(i.before.svcret, 12);
	assert_int_equal(i.before.allgpr[0], 100);
	assert_int_equal(i.values.time, 9);
	assert_int_equal(i.values.stxr, 1);
	assert_int_equal(i.values.target, 0x2000);
	assert_int_equal(i.loads, 1);
	assert_int_equal(i.stores, 1);
	at = 0;
	assert_true(tl_xtrace_access_next(reader, &i, &at, &access, sizeof(access)));
	assert_false(access.store);
	assert_int_equal(access.address, 0x5000);
	assert_int_equal(access.size, 8);
	assert_int_equal(access.data[0], 0x88);
	assert_true(tl_xtrace_access_next(reader, &i, &at, &access, sizeof(access)));
	assert_true(access.store);
	assert_int_equal(access.size, 2);
	assert_false(tl_xtrace_access_next(reader, &i, &at, &access, sizeof(access)));
	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 0);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

/* A file is recognised by its tokens alone; what is something else is not. */
TEST(streams_are_recognised)
{
	struct bytes b = { .data = NULL };
	static const char text[] =
		"\tThis is a text of some length that begins like an instruction of EL0 does.\n";

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	assert_int_equal(tl_xtrace_probe(b.data, b.size), 15);
	put_inst(&b, 0, A64_NOP);
	assert_int_equal(tl_xtrace_probe(b.data, b.size), 40);
	for (unsigned n = 0; n < 100; n++)
		put_inst(&b, 0, A64_NOP);
	assert_int_equal(tl_xtrace_probe(b.data, b.size), 75);
	assert_int_equal(tl_xtrace_probe((const uint8_t *)text, sizeof(text)), 0);
	assert_int_equal(tl_xtrace_probe(b.data, 0), 0);
	b.data[1] = 1; /* a PC is not a multiple of 4 */
	assert_int_equal(tl_xtrace_probe(b.data, b.size), 0);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_every_level),
		cmocka_unit_test(accesses_of_every_size),
		cmocka_unit_test(values_of_eight_bytes),
		cmocka_unit_test(blocks),
		cmocka_unit_test(pc_goes_on_by_four),
		cmocka_unit_test(undefined_tokens),
		cmocka_unit_test(reasons),
		cmocka_unit_test(absurd_counts),
		cmocka_unit_test(truncated_tails),
		cmocka_unit_test(unknown_tokens_can_be_skipped),
		cmocka_unit_test(nonsense_to_skip_is_refused),
		cmocka_unit_test(width_of_time_is_found),
		cmocka_unit_test(other_numbering_is_found),
		cmocka_unit_test(width_and_numbering_are_found_together),
		cmocka_unit_test(tokens_belong_to_their_instruction),
		cmocka_unit_test(streams_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
