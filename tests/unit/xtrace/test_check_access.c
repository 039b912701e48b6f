/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses and branches against the opcode and the known registers: what an instruction says of its
 * accesses is read off the Arm Architecture Reference Manual (C6.2), here in the comments.
 */
#include "violations.h"

/* MOV X1, #0x9000; MOV X0, #0x1234: what the instruction behind them uses. */
static void begin(struct bytes *b)
{
	put_pcinst(b, 0, 0x1000, 0xd2920001);
	put_inst(b, 0, 0xd2824680);
}

static void end(struct bytes *b)
{
	put_inst(b, 0, A64_NOP);
}

/* One access of an opcode behind begin(); `rule` NULL: it is good. */
static void assert_access(uint32_t opcode, unsigned token, unsigned log2, uint64_t address,
			  uint64_t value, const char *rule)
{
	struct bytes b = { .data = NULL };
	size_t at;

	begin(&b);
	put_inst(&b, 0, opcode);
	at = put_access(&b, token, log2, address, value);
	end(&b);
	if (rule)
		assert_one(&b, rule, at, 2);
	else
		assert_good(&b);
}

TEST(where_and_what_is_stored)
{
	/* STR X0, [X1, #8] */
	assert_access(0xf9000420, STORE, 3, 0x9008, 0x1234, NULL);
	assert_access(0xf9000420, STORE, 3, 0x9000, 0x1234, "xtrace.access.address");
	assert_access(0xf9000420, STORE, 3, 0x9008, 0x1235, "xtrace.access.value");
	assert_access(0xf9000420, LOAD, 3, 0x9008, 0x1234, "xtrace.access.direction");
	/* LDR X2, [X1, #8] */
	assert_access(0xf9400422, LOAD, 3, 0x9008, 7, NULL);
	assert_access(0xf9400422, STORE, 3, 0x9008, 7, "xtrace.access.direction");
	/* STRB W0, [X1], #1; STR X0, [X1, #-16]!; STRH W0, [X1, X0]; STR XZR, [X1] */
	assert_access(0x38001420, STORE, 0, 0x9000, 0x34, NULL);
	assert_access(0x38001420, STORE, 0, 0x9001, 0x34, "xtrace.access.address");
	assert_access(0xf81f0c20, STORE, 3, 0x8ff0, 0x1234, NULL);
	assert_access(0x78206820, STORE, 1, 0xa234, 0x1234, NULL);
	assert_access(0x78206820, STORE, 1, 0xa236, 0x1234, "xtrace.access.address");
	assert_access(0xf900003f, STORE, 3, 0x9000, 0, NULL);
	assert_access(0xf900003f, STORE, 3, 0x9000, 1, "xtrace.access.value");
	/* LDR X2, #16: from its own address; STUR D0, [X1, #-8]: what it holds is not known */
	assert_access(0x58000082, LOAD, 3, 0x1018, 1, NULL);
	assert_access(0x58000082, LOAD, 3, 0x1010, 1, "xtrace.access.address");
	assert_access(0xfc1f8020, STORE, 3, 0x8ff8, 99, NULL);
	/* LDPSW X2, X3, [X1, #8] counts words, STGP X2, X3, [X1, #32] granules. */
	for (unsigned second = 0; second < 2; second++) {
		struct bytes b = { .data = NULL };

		begin(&b);
		put_inst(&b, 0, second ? 0x69010c22 : 0x69410c22);
		put_access(&b, second ? STORE : LOAD, second ? 3 : 2, second ? 0x9020 : 0x9008, 1);
		put_access(&b, second ? STORE : LOAD, second ? 3 : 2, second ? 0x9028 : 0x900c, 2);
		end(&b);
		assert_good(&b);
	}
	/* A tag is no part of an address. */
	assert_access(0xf9000420, STORE, 3, 0xff00000000009008, 0x1234, NULL);
}

/* LDP X2, X3, [X1, #16], in one access or in two; more and less than that. */
TEST(all_bytes_and_no_more)
{
	struct bytes b = { .data = NULL };
	size_t at;

	for (unsigned good = 0; good < 2; good++) {
		begin(&b);
		put_inst(&b, 0, 0xa9410c22);
		put_access(&b, LOAD, 3, 0x9010, 1);
		at = put_access(&b, LOAD, 3, good ? 0x9018 : 0x9020, 2);
		end(&b);
		if (good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.access.address", at, 2);
	}
	begin(&b);
	at = put_inst(&b, 0, 0xa9410c22);
	put_access(&b, LOAD, 3, 0x9010, 1);
	end(&b);
	assert_one(&b, "xtrace.access.size", at, 2);
	begin(&b);
	put_inst(&b, 0, 0xf9400422); /* LDR X2, [X1, #8] */
	put_access(&b, LOAD, 3, 0x9008, 1);
	at = put_access(&b, LOAD, 3, 0x9010, 1);
	end(&b);
	assert_one(&b, "xtrace.access.size", at, 2);
	begin(&b);
	at = put_inst(&b, 0, 0xf9400422);
	end(&b);
	assert_one(&b, "xtrace.access.missing", at, 2);
}

/* "A faulting load/store is recorded as INST without MEM, then the handler, then the same PC
 * again", also one whose first half was there. */
TEST(faults_explain_what_is_missing)
{
	struct bytes b = { .data = NULL };

	begin(&b);
	put_inst(&b, 0, 0xa9410c22); /* LDP X2, X3, [X1, #16] */
	put_access(&b, LOAD, 3, 0x9010, 1);
	put_pcinst(&b, 0, 0x1008, 0xa9410c22);
	put_access(&b, LOAD, 3, 0x9010, 1);
	put_access(&b, LOAD, 3, 0x9018, 2);
	end(&b);
	assert_good(&b);
}

/* LDADD X0, X2, [X1] loads and stores there; STXR W3, X0, [X1] may fail; an emulator's loads. */
TEST(atomic_operations)
{
	struct bytes b = { .data = NULL };
	size_t at;

	begin(&b);
	put_inst(&b, 0, 0xf8200022);
	put_access(&b, LOAD, 3, 0x9000, 1);
	put_access(&b, STORE, 3, 0x9000, 0x1235);
	end(&b);
	assert_good(&b);
	begin(&b);
	put_inst(&b, 0, 0xf8200022);
	put_access(&b, LOAD, 3, 0x9000, 1);
	at = put_access(&b, STORE, 3, 0x9008, 0x1235);
	end(&b);
	assert_one(&b, "xtrace.access.address", at, 2);
	begin(&b);
	put_inst(&b, 0, 0xc8037c20);
	put_value(&b, STXR, 1);
	end(&b);
	assert_good(&b);
	begin(&b);
	put_inst(&b, 0, 0xc8037c20);
	put_access(&b, LOAD, 3, 0x9000, 1);
	put_access(&b, STORE, 3, 0x9000, 0x1234);
	put_value(&b, STXR, 0);
	end(&b);
	assert_good(&b);
	begin(&b);
	put_inst(&b, 0, 0xc8037c20);
	at = put_access(&b, STORE, 3, 0x9000, 0x1233);
	put_value(&b, STXR, 0);
	end(&b);
	assert_one(&b, "xtrace.access.value", at, 2);
}

/* SP is known from the first access relative to it. */
TEST(a_followed_stack_pointer)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, 0xa9bf7bfd); /* STP X29, X30, [SP, #-16]! */
	put_access(&b, STORE, 3, 0x7ff0, 1);
	put_access(&b, STORE, 3, 0x7ff8, 2);
	put_inst(&b, 0, 0xd10043ff); /* SUB SP, SP, #16 */
	put_inst(&b, 0, 0xf90007e0); /* STR X0, [SP, #8] */
	at = put_access(&b, STORE, 3, 0x7fe0, 2);
	put_inst(&b, 0, A64_NOP);
	assert_one(&b, "xtrace.access.address", at, 2);
}

/* CMP X1, X0; B.EQ +16; CBZ X0, +16; TBNZ X0, #2, +16 (0x1234 has bit 2). */
TEST(branches_by_known_values)
{
	static const struct {
		uint32_t opcode;
		bool taken;
	} branches[] = { { 0x54000080, false }, { 0x54000081, true }, { 0xb4000080, false },
			 { 0xb5000080, true },  { 0x37100080, true }, { 0x36100080, false } };

	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		for (unsigned good = 0; good < 2; good++) {
			struct bytes b = { .data = NULL };
			size_t at;

			begin(&b);
			put_inst(&b, 0, 0xeb00003f); /* CMP X1, X0 */
			put_inst(&b, 0, branches[i].opcode);
			at = put_pcinst(&b, 0, branches[i].taken == good ? 0x101c : 0x1010,
					A64_NOP);
			if (good)
				assert_good(&b);
			else
				assert_one(&b, "xtrace.pc.branch", at, 4);
		}
}

/* "MISC_FLAGS: the NZCV register after a conditional select": CMP X1, X0; CSEL X2, X0, X1, EQ. */
TEST(flags_are_compared)
{
	for (unsigned good = 0; good < 2; good++) {
		struct bytes b = { .data = NULL };
		size_t at;

		begin(&b);
		put_inst(&b, 0, 0xeb00003f);
		put_inst(&b, 0, 0x9a810002);
		at = put_value(&b, FLAGS, good ? 0x20000000 : 0x60000000);
		put_inst(&b, 0, A64_NOP);
		if (good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.register.value", at, 3);
	}
}

/* CSEL X2, X0, X1, EQ by flags that nothing else tells; STR X2, [X1]. */
TEST(flags_tell_what_was_selected)
{
	for (unsigned equal = 0; equal < 2; equal++)
		for (unsigned good = 0; good < 2; good++) {
			struct bytes b = { .data = NULL };
			size_t at;

			begin(&b);
			put_inst(&b, 0, 0x9a810002);
			put_value(&b, FLAGS, equal ? 0x40000000 : 0x80000000);
			put_inst(&b, 0, 0xf9000022);
			at = put_access(&b, STORE, 3, 0x9000, equal == good ? 0x1234 : 0x9000);
			end(&b);
			if (good)
				assert_good(&b);
			else
				assert_one(&b, "xtrace.access.value", at, 3);
		}
}

/* ---- vectors ---- */

/* An access of up to 16 bytes: a value, and zeros. */
static size_t put_piece(struct bytes *b, unsigned token, unsigned log2, uint64_t address,
			uint64_t value)
{
	size_t at;

	if (log2 < 4)
		return put_access(b, token, log2, address, value);
	at = b->size;
	put_byte(b, token | log2 << 4);
	put_number(b, address, 8);
	put_number(b, value, 8);
	put_number(b, 0, 8);
	return at;
}

/* A load or store of vectors at 0x9000, whose tokens are of `log2` bytes and all hold `value`. */
static size_t put_vectors(struct bytes *b, uint32_t opcode, unsigned token, unsigned log2,
			  unsigned tokens, uint64_t value)
{
	size_t last = 0;

	put_inst(b, 0, opcode);
	for (unsigned i = 0; i < tokens; i++)
		last = put_piece(b, token, log2, 0x9000 + ((uint64_t)i << log2), value);
	return last;
}

enum {
	LDR_D1 = 0xfd400081,    /* LDR D1, [X4] */
	LDR_Q1 = 0x3dc00081,    /* LDR Q1, [X4] */
	STR_D1 = 0xfd000081,    /* STR D1, [X4] */
	STR_Q1 = 0x3d800081,    /* STR Q1, [X4] */
	STP_Q1_Q1 = 0xad000481, /* STP Q1, Q1, [X4] */
	STP_Q1_Q2 = 0xad000881, /* STP Q1, Q2, [X4] */
};

/* "The contents of a store": what was loaded, of D with zeros above it. */
TEST(vectors_that_were_loaded)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_vectors(&b, LDR_Q1, LOAD, 4, 1, 7);
	put_vectors(&b, STR_Q1, STORE, 4, 1, 7);
	put_vectors(&b, LDR_D1, LOAD, 3, 1, 7);
	put_vectors(&b, STR_Q1, STORE, 4, 1, 7);
	put_vectors(&b, LDR_D1, LOAD, 3, 1, 7);
	at = put_vectors(&b, STR_D1, STORE, 3, 1, 8);
	put_inst(&b, 0, A64_NOP);
	assert_one(&b, "xtrace.access.value", at, 6);
}

/* The first store of a register that is not known shows it. */
TEST(vectors_that_were_stored)
{
	struct bytes b = { .data = NULL };
	size_t at, pair;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_vectors(&b, STP_Q1_Q1, STORE, 4, 2, 5);
	put_inst(&b, 0, STR_D1);
	put_access(&b, STORE, 3, 0x9000, 5);
	at = put_vectors(&b, STR_Q1, STORE, 4, 1, 6);
	put_inst(&b, 0, STP_Q1_Q1);
	put_piece(&b, STORE, 4, 0x9000, 9);
	pair = put_piece(&b, STORE, 4, 0x9010, 10);
	put_inst(&b, 0, A64_NOP);
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.access.value", at, 3 },
					 { "xtrace.access.value", pair, 4 } },
		      2);
}

/* What may write a register makes it unknown; another one stays. */
TEST(vectors_that_are_written)
{
	static const uint32_t writes[] = {
		0x4e21d421, /* FADD V1.4S, V1.4S, V1.4S */
		0x9e670001, /* FMOV D1, X0 */
		0x04210000, /* ADD Z0.B, Z0.B, Z1.B: of SVE all are forgotten */
		0xd503477f, /* SMSTART */
	};
	struct bytes b = { .data = NULL };
	size_t at;

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		struct bytes good = { .data = NULL };

		put_pcinst(&good, 0, 0x1000, A64_NOP);
		put_vectors(&good, STR_Q1, STORE, 4, 1, 5);
		put_inst(&good, 0, writes[i]);
		put_vectors(&good, STR_Q1, STORE, 4, 1, 6);
		put_inst(&good, 0, A64_NOP);
		assert_good(&good);
	}
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_vectors(&b, STP_Q1_Q2, STORE, 4, 2, 5);
	put_inst(&b, 0, 0x4e22d442); /* FADD V2.4S, V2.4S, V2.4S */
	at = put_vectors(&b, STR_Q1, STORE, 4, 1, 6);
	put_inst(&b, 0, A64_NOP);
	assert_one(&b, "xtrace.access.value", at, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_and_what_is_stored),
		cmocka_unit_test(all_bytes_and_no_more),
		cmocka_unit_test(faults_explain_what_is_missing),
		cmocka_unit_test(atomic_operations),
		cmocka_unit_test(a_followed_stack_pointer),
		cmocka_unit_test(branches_by_known_values),
		cmocka_unit_test(flags_are_compared),
		cmocka_unit_test(flags_tell_what_was_selected),
		cmocka_unit_test(vectors_that_were_loaded),
		cmocka_unit_test(vectors_that_were_stored),
		cmocka_unit_test(vectors_that_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
