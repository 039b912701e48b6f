/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that AArch64 code makes, against a model that runs the same code: registers that hold
 * what ADR, ADRP, ADD and LDR put there, and know nothing else. The instructions are put together
 * here from the fields of Arm's DDI 0487.
 */
#include "../unit.h"

#include <stdbool.h>
#include <string.h>

#include "isa/refs.h"

enum { AARCH64 = 183, REGISTERS = 32 };

/* ---- an assembler: C4.1.93 ("Data Processing -- Immediate") and others ---- */

static uint32_t adr(bool page, unsigned to, int32_t distance)
{
	const uint32_t bits = (uint32_t)distance & 0x1fffff;

	return (uint32_t)page << 31 | (bits & 3) << 29 | 0x10u << 24 | bits >> 2 << 5 | to;
}

static uint32_t add_immediate(unsigned to, unsigned from, bool shifted, unsigned value)
{
	return 0x91000000u | (uint32_t)shifted << 22 | value << 10 | from << 5 | to;
}

/* LDR Xt, [Xn, #8 * words] */
static uint32_t load(unsigned to, unsigned from, unsigned words)
{
	return 0xf9400000u | words << 10 | from << 5 | to;
}

static uint32_t branch(bool link, int32_t words)
{
	return (link ? 0x94000000u : 0x14000000u) | ((uint32_t)words & 0x3ffffff);
}

static uint32_t branch_register(bool link, unsigned from)
{
	return (link ? 0xd63f0000u : 0xd61f0000u) | from << 5;
}

/* ORR Xd, XZR, Xm, which is MOV */
static uint32_t move(unsigned to, unsigned from)
{
	return 0xaa0003e0u | from << 16 | to;
}

/* ADD Xd, Xn, Xm */
static uint32_t add_register(unsigned to, unsigned from, unsigned other)
{
	return 0x8b000000u | other << 16 | from << 5 | to;
}

/* LDP Xt, Xt2, [Xn] and LDR Xt, [Xn], #8, which writes the base too */
static uint32_t load_pair(unsigned to, unsigned second, unsigned from)
{
	return 0xa9400000u | second << 10 | from << 5 | to;
}

static uint32_t load_after(unsigned to, unsigned from)
{
	return 0xf8408400u | from << 5 | to;
}

/* CBZ Xt and TBZ Xt, #0 */
static uint32_t branch_if_zero(unsigned from, int32_t words)
{
	return 0xb4000000u | ((uint32_t)words & 0x7ffff) << 5 | from;
}

static uint32_t branch_if_clear(unsigned from, int32_t words)
{
	return 0x36000000u | ((uint32_t)words & 0x3fff) << 5 | from;
}

/* ---- reading ---- */

static struct tl_ref read_one(struct tl_ref_reader *reader, uint32_t op, uint64_t at)
{
	const uint8_t bytes[] = { (uint8_t)op, (uint8_t)(op >> 8), (uint8_t)(op >> 16),
				  (uint8_t)(op >> 24) };
	struct tl_ref ref;

	assert_true(tl_ref_read(reader, bytes, sizeof(bytes), at, &ref));
	assert_int_equal(ref.length, 4);
	return ref;
}

static struct tl_ref read_alone(uint32_t op, uint64_t at)
{
	struct tl_ref_reader reader;

	assert_true(tl_ref_open(&reader, AARCH64));
	return read_one(&reader, op, at);
}

/* An instruction that makes one address. */
static void makes(struct tl_ref ref, uint64_t address)
{
	assert_int_equal(ref.kind, TL_REF_NONE);
	assert_int_equal(ref.address_count, 1);
	assert_true(ref.addresses[0] == address);
}

/* ---- single instructions ---- */

/* "ADR: PC + imm, +/- 1 MB": each bit of the distance, which stands in two fields. */
TEST(each_bit_of_a_distance_counts)
{
	const uint64_t at = 0x12345678;

	for (unsigned bit = 0; bit < 20; bit++) {
		const int32_t distance = 1 << bit;

		makes(read_alone(adr(false, 3, distance), at), at + (uint64_t)distance);
		makes(read_alone(adr(false, 3, -distance), at), at - (uint64_t)distance);
	}
	makes(read_alone(adr(false, 3, 0), at), at);
	makes(read_alone(adr(false, 3, -(1 << 20)), at), at - (1 << 20));
	makes(read_alone(adr(false, 3, (1 << 20) - 1), at), at + (1 << 20) - 1);
}

/* "ADRP: the page of PC + imm * 4096, +/- 4 GB" */
TEST(pages_begin_at_multiples_of_4096)
{
	static const uint64_t places[] = { 0x500000000, 0x500000004, 0x500000ffc, 0x500001000 };

	for (size_t i = 0; i < 4; i++) {
		const uint64_t page = places[i] / 4096 * 4096;

		for (unsigned bit = 0; bit < 20; bit++) {
			const int32_t pages = 1 << bit;

			makes(read_alone(adr(true, 30, pages), places[i]),
			      page + 4096 * (uint64_t)pages);
			makes(read_alone(adr(true, 30, -pages), places[i]),
			      page - 4096 * (uint64_t)pages);
		}
		makes(read_alone(adr(true, 0, 0), places[i]), page);
	}
}

TEST(branches_go_both_ways)
{
	static const int32_t words[] = { 1, -1, 2, 1000, -1000, (1 << 13) - 1, -(1 << 13) };
	const uint64_t at = 0x40000000;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint32_t ops[] = { branch(true, words[i]), branch(false, words[i]),
					 branch_if_zero(5, words[i]),
					 branch_if_clear(5, words[i]) };

		for (size_t j = 0; j < 4; j++) {
			const struct tl_ref ref = read_alone(ops[j], at);

			assert_int_equal(ref.kind, TL_REF_DIRECT);
			assert_true(ref.target == at + (uint64_t)(4 * (int64_t)words[i]));
			assert_int_equal(ref.address_count, 0);
		}
	}
	assert_true(read_alone(branch(true, (1 << 25) - 1), at).target == at + 0x7fffffc);
	assert_true(read_alone(branch(false, -(1 << 25)), at).target == at - 0x8000000);
}

TEST(less_than_an_instruction_is_none)
{
	const uint8_t bytes[4] = { 0x1f, 0x20, 0x03, 0xd5 };
	struct tl_ref_reader reader;
	struct tl_ref ref;

	assert_true(tl_ref_open(&reader, AARCH64));
	for (size_t size = 1; size < 4; size++) {
		assert_false(tl_ref_read(&reader, bytes, size, 0x1000, &ref));
		assert_int_equal(ref.length, size);
		assert_int_equal(ref.kind, TL_REF_NONE);
	}
	assert_true(tl_ref_read(&reader, bytes, 5, 0x1000, &ref));
	assert_int_equal(ref.length, 4);
}

/* ---- what is between an address and its use ---- */

static struct tl_ref read_all(const uint32_t *code, size_t count)
{
	struct tl_ref_reader reader;
	struct tl_ref ref = { .length = 0 };

	assert_true(tl_ref_open(&reader, AARCH64));
	for (size_t i = 0; i < count; i++)
		ref = read_one(&reader, code[i], 0x1000 + 4 * i);
	return ref;
}

/* ADRP X16, +2 pages; something; LDR X17, [X16, #24]; BR X17: which instructions let it pass. */
TEST(what_comes_between_page_and_load)
{
	const struct {
		uint32_t op;
		bool lost;
	} cases[] = {
		{ 0xd503201f, false }, /* NOP, whose bits 4:0 are 31 */
		{ move(1, 2), false },
		{ move(16, 1), true },
		{ add_register(16, 1, 2), true },
		{ add_register(1, 16, 16), false },
		/* loads: to, the second register, the base */
		{ load_pair(1, 2, 3), false },
		{ load_pair(16, 2, 3), true },
		{ load_pair(1, 16, 3), true },
		{ load_pair(1, 2, 16), true },
		{ load_after(1, 16), true },
		{ load_after(1, 2), false },
		/* the same fields where no load writes them */
		{ add_register(1, 16, 2), false },
		{ load(16, 1, 0), true },
		{ load(1, 16, 0), false },
		/* a conditional branch goes on */
		{ branch_if_zero(16, 2), false },
		{ branch_if_clear(16, 2), false },
		/* a callee may use X16; behind a jump something else comes by */
		{ branch(true, 2), true },
		{ branch(false, 2), true },
		{ branch_register(true, 9), true },
		{ branch_register(false, 9), true },
		{ 0xd65f03c0, true }, /* RET */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t code[] = { adr(true, 16, 2), cases[i].op, load(17, 16, 3),
					  branch_register(false, 17) };
		const struct tl_ref ref = read_all(code, 4);

		assert_int_equal(ref.kind, cases[i].lost ? TL_REF_INDIRECT : TL_REF_SLOT);
		if (!cases[i].lost)
			assert_true(ref.target == 0x3018);
	}
}

/* "A callee may use X0 to X18" (AAPCS64): the others are as before behind a call. */
TEST(registers_that_a_call_leaves)
{
	for (unsigned number = 0; number < 31; number++) {
		const uint32_t called[] = { adr(true, number, 2), branch(true, 4),
					    load(number, number, 1),
					    branch_register(true, number) };
		const uint32_t jumped[] = { adr(true, number, 2), branch(false, 4),
					    load(number, number, 1),
					    branch_register(true, number) };
		struct tl_ref ref = read_all(called, 4);

		assert_int_equal(ref.kind, number <= 18 ? TL_REF_INDIRECT : TL_REF_SLOT);
		if (number > 18)
			assert_true(ref.target == 0x3008);
		assert_int_equal(read_all(jumped, 4).kind, TL_REF_INDIRECT);
	}
}

/* ---- random code against the model ---- */

/* A register: what it holds, and whether anything else was put there since ADR or ADRP. */
struct model {
	struct {
		uint64_t made, slot;
		bool fresh;
	} registers[REGISTERS];
};

/* One of the instructions that make addresses, and what the reader has to say of it. */
struct planned {
	uint32_t op;
	enum tl_ref_kind kind;
	uint64_t target;
	bool makes_address;
	uint64_t address;
};

static unsigned draw(uint32_t *seed, unsigned below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

static void put(struct model *m, unsigned to, uint64_t made, bool fresh, struct planned *plan)
{
	m->registers[to].made = made;
	m->registers[to].fresh = fresh;
	m->registers[to].slot = 0;
	plan->makes_address = true;
	plan->address = made;
}

static void lose(struct model *m, unsigned to)
{
	m->registers[to].slot = 0;
	m->registers[to].fresh = false;
}

static struct planned plan_one(struct model *m, uint32_t *seed, uint64_t at)
{
	/* Few registers, so that they meet; all values of fields in turn. */
	const unsigned to = draw(seed, 4) + 16, from = draw(seed, 4) + 16;
	const unsigned value = draw(seed, 4096);
	const int32_t distance = (int32_t)draw(seed, 1 << 21) - (1 << 20);
	struct planned plan = { .kind = TL_REF_NONE };

	switch (draw(seed, 7)) {
	case 0:
		plan.op = adr(false, to, distance);
		put(m, to, at + (uint64_t)(int64_t)distance, true, &plan);
		break;
	case 1:
		plan.op = adr(true, to, distance);
		put(m, to, at / 4096 * 4096 + (uint64_t)(int64_t)distance * 4096, true, &plan);
		break;
	case 2:
		plan.op = add_immediate(to, from, false, value);
		put(m, to, m->registers[from].made + value, m->registers[from].fresh, &plan);
		break;
	case 3:
		plan.op = add_immediate(to, from, true, value);
		put(m, to, m->registers[from].made + 4096 * (uint64_t)value,
		    m->registers[from].fresh, &plan);
		break;
	case 4: {
		const uint64_t slot = m->registers[from].made + 8 * (uint64_t)value;
		const bool fresh = m->registers[from].fresh;

		plan.op = load(to, from, value);
		lose(m, to);
		m->registers[to].slot = fresh ? slot : 0;
		break;
	}
	case 5:
		plan.op = move(to, 1);
		lose(m, to);
		break;
	default:
		plan.op = branch_register(true, from);
		plan.target = m->registers[from].slot;
		plan.kind = plan.target ? TL_REF_SLOT : TL_REF_INDIRECT;
		for (unsigned i = 0; i <= 18; i++)
			lose(m, i);
	}
	return plan;
}

TEST(random_code_as_the_model_runs_it)
{
	struct tl_ref_reader reader;
	struct model model = { .registers = { { .made = 0 } } };
	uint32_t seed = 2026;
	size_t slots = 0;

	assert_true(tl_ref_open(&reader, AARCH64));
	for (uint64_t at = 0x7f0000000000; at < 0x7f0000000000 + 4 * 50000; at += 4) {
		const struct planned plan = plan_one(&model, &seed, at);
		const struct tl_ref ref = read_one(&reader, plan.op, at);

		assert_int_equal(ref.kind, plan.kind);
		assert_int_equal(ref.address_count, plan.makes_address);
		if (plan.makes_address)
			assert_true(ref.addresses[0] == plan.address);
		if (plan.kind == TL_REF_SLOT)
			assert_true(ref.target == plan.target);
		slots += plan.kind == TL_REF_SLOT;
	}
	/* Enough of them for the test to mean something. */
	assert_true(slots > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bit_of_a_distance_counts),
		cmocka_unit_test(pages_begin_at_multiples_of_4096),
		cmocka_unit_test(branches_go_both_ways),
		cmocka_unit_test(less_than_an_instruction_is_none),
		cmocka_unit_test(what_comes_between_page_and_load),
		cmocka_unit_test(registers_that_a_call_leaves),
		cmocka_unit_test(random_code_as_the_model_runs_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
