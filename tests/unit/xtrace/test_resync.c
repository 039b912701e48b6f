/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behind damage `check` goes on at the next instruction from which the stream makes sense again,
 * without snapshots. Offsets are those of the bytes written here.
 */
#include "violations.h"

/* A loop of four instructions; the second of a round loads. */
static size_t put_round(struct bytes *b, uint64_t address)
{
	size_t at = put_pcinst(b, 0, 0x1000, A64_NOP);

	put_inst(b, 0, A64_LDR_FREE);
	put_access(b, LOAD, 3, address, address);
	put_inst(b, 0, A64_NOP);
	put_inst(b, 0, 0x17fffffd); /* B -12 */
	return at;
}

static void put_rounds(struct bytes *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		put_round(b, 0x9000 + 8 * i);
}

/* The bad token is the third instruction of a round: the fourth is where checking goes on. */
TEST(checking_goes_on_at_an_instruction)
{
	struct bytes b = { .data = NULL };
	struct found found = { .count = 0 };
	struct trace t;
	size_t bad;

	put_rounds(&b, 10);
	bad = put_round(&b, 0x9100) + 13 + 5 + 17;
	put_rounds(&b, 30);
	b.data[bad] = 0xff;
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_check(t.trace, note, &found, &t.err), 1);
	assert_string_equal(found.list[0].rule, "xtrace.token");
	assert_int_equal(found.list[0].offset, bad);
	close_trace(&t);
	free_bytes(&b);
}

/* What is wrong behind it is found: the last load finds another value than the same one before. */
TEST(what_is_behind_is_checked)
{
	struct bytes b = { .data = NULL };
	size_t bad, wrong;

	put_rounds(&b, 10);
	bad = put_round(&b, 0x9100) + 13 + 5 + 17;
	b.data[bad] = 0xff;
	put_rounds(&b, 30);
	wrong = put_round(&b, 0x9000) + 13 + 5;
	b.data[wrong + 9] ^= 1;
	put_rounds(&b, 10);
	/* 11 rounds of 4, one of them lost; 30 more; then the second instruction. */
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.token", bad, 42 },
					 { "xtrace.memory.value", wrong, 43 + 120 + 1 },
					 { "xtrace.memory.value", wrong + 17 + 5 + 5 + 18, 168 } },
		      3);
}

/* Nothing makes sense: the rest is lost, and told once. */
TEST(noise_is_lost)
{
	struct bytes b = { .data = NULL };
	uint32_t noise = 1;
	size_t bad;

	put_rounds(&b, 10);
	bad = b.size;
	put_byte(&b, 0xff);
	for (unsigned i = 0; i < 5000; i++) {
		noise = noise * 1103515245 + 12345;
		put_byte(&b, noise >> 24);
	}
	assert_one(&b, "xtrace.token", bad, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checking_goes_on_at_an_instruction),
		cmocka_unit_test(what_is_behind_is_checked),
		cmocka_unit_test(noise_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
