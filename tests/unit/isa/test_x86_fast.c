/* SPDX-License-Identifier: Apache-2.0 */
/* Every form that is decoded without Zydis is what Zydis says it is. */
#include <string.h>

#include "../unit.h"

#include "isa/x86/x86_fast.h"

enum { BYTES = 15, AT = 0x7fff0000 };

static struct tl_x86_flow_decoder zydis;
static unsigned long known, asked;

static void compare(const uint8_t *code)
{
	struct tl_x86_flow ours, theirs;

	asked++;
	if (!tl_x86_fast(code, BYTES, AT, &ours))
		return;
	known++;
	if (tl_x86_flow_zydis(&zydis, code, BYTES, AT, &theirs) == TL_X86_DECODED &&
	    ours.size == theirs.size && ours.iclass == theirs.iclass &&
	    ours.flags == theirs.flags && ours.target == theirs.target)
		return;
	fail_msg("%02x %02x %02x %02x %02x: %u bytes, class %u, flags %#x", code[0], code[1],
		 code[2], code[3], code[4], ours.size, ours.iclass, ours.flags);
}

/* All values of ModRM; SIB bytes with and without a base, when there is one. */
static void compare_modrm(uint8_t *code, size_t at)
{
	static const uint8_t sibs[] = { 0x24, 0x25, 0x0d, 0x65, 0xe5, 0x9c };

	for (unsigned modrm = 0; modrm < 256; modrm++) {
		bool sib = modrm < 0xc0 && (modrm & 7) == 4;

		code[at] = (uint8_t)modrm;
		for (size_t i = 0; i < (sib ? sizeof(sibs) : 1); i++) {
			code[at + 1] = sib ? sibs[i] : 0;
			compare(code);
		}
	}
}

/* `fill`: what displacements and immediates are made of. */
static void compare_all(uint8_t fill)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf3, 0xf2, 0x64, 0x65, 0x67, 0xf0, 0x2e };
	static const uint8_t rexes[] = { 0, 0x40, 0x41, 0x44, 0x48, 0x4f };
	uint8_t code[BYTES + 8];

	for (size_t i = 0; i < sizeof(prefixes) * sizeof(rexes) * 2 * 256; i++) {
		size_t rest = i / 256, at = 0;
		uint8_t rex = rexes[rest / 2 % sizeof(rexes)],
			prefix = prefixes[rest / 2 / sizeof(rexes)];

		memset(code, fill, sizeof(code));
		if (prefix)
			code[at++] = prefix;
		if (rex)
			code[at++] = rex;
		if (rest % 2)
			code[at++] = 0x0f;
		code[at++] = (uint8_t)i;
		compare_modrm(code, at);
	}
}

TEST(test_as_zydis)
{
	tl_x86_flow_open(&zydis, TL_X86_64);
	known = asked = 0;
	compare_all(0x11);
	compare_all(0xee);
	compare_all(0x00);
	/* Most of the encodings there are, so that the comparison is one. */
	assert_true(known > asked / 4);
}

/* A branch has its target whichever way it goes. */
TEST(test_targets)
{
	static const struct {
		uint8_t code[BYTES];
		uint64_t target;
	} branches[] = {
		{ { 0x74, 0x80 }, AT + 2 - 128 },
		{ { 0x0f, 0x8f, 0xff, 0xff, 0xff, 0x7f }, AT + 6 + UINT64_C(0x7fffffff) },
		{ { 0xe9, 0, 0, 0, 0x80 }, AT + 5 - UINT64_C(0x80000000) },
		{ { 0xeb, 0x7f }, AT + 2 + 127 },
	};
	struct tl_x86_flow flow;

	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		assert_true(tl_x86_fast(branches[i].code, BYTES, AT, &flow));
		assert_true(flow.flags & TL_X86_DIRECT);
		assert_int_equal(flow.target, branches[i].target);
	}
}

/* Where fewer bytes are left than the longest instruction has, Zydis tells whether it is cut. */
TEST(test_few_bytes)
{
	static const uint8_t nop[BYTES] = { 0x90 };
	struct tl_x86_flow flow;

	assert_true(tl_x86_fast(nop, BYTES, AT, &flow));
	assert_false(tl_x86_fast(nop, BYTES - 1, AT, &flow));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_zydis),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
