/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What xtrace's analyses keep of a machine: SP against a machine that runs here, sparse memory and
 * numbers of addresses against plain arrays, vector registers against the manual's encodings, and
 * the code of a stream by its addresses.
 */
#include "../chance.h"
#include "bytes.h"

#include "xtrace/executed/opcodes.h"
#include "xtrace/state/address_ids.h"
#include "xtrace/state/function_ids.h"
#include "xtrace/state/pages.h"
#include "xtrace/state/sp_change.h"
#include "xtrace/state/vector_registers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- SP ---- */

/* How an instruction uses SP: as the base of an access, or in a sum. */
enum use { OFFSET, PRE, POST, SUM, DIFFERENCE, REGISTER, NOTHING, LOST };

/*
 * Arm Architecture Reference Manual, C4.1. The immediate has `bits` from `low` on, is a multiple of
 * `scale`, and has a sign or none.
 */
static const struct {
	uint32_t opcode;
	enum use use;
	unsigned low, bits, scale;
	bool sign;
} insns[] = {
	{ 0x910003ff, SUM, 10, 12, 1, false },    /* add sp, sp, #imm */
	{ 0x914003ff, SUM, 10, 12, 4096, false }, /* ... lsl #12 */
	{ 0xd10003ff, DIFFERENCE, 10, 12, 1, false },
	{ 0xd14003ff, DIFFERENCE, 10, 12, 4096, false },
	{ 0xa9007bfd, OFFSET, 15, 7, 8, true }, /* stp x29, x30, [sp, #imm] */
	{ 0xa9807bfd, PRE, 15, 7, 8, true },
	{ 0xa8807bfd, POST, 15, 7, 8, true },
	{ 0xa9407bfd, OFFSET, 15, 7, 8, true }, /* ldp */
	{ 0xa8c07bfd, POST, 15, 7, 8, true },
	{ 0x29007bfd, OFFSET, 15, 7, 4, true },    /* stp w29, w30 */
	{ 0x69407bfd, OFFSET, 15, 7, 4, true },    /* ldpsw */
	{ 0xad007bfd, OFFSET, 15, 7, 16, true },   /* stp q29, q30 */
	{ 0x6dc07bfd, PRE, 15, 7, 8, true },       /* ldp d29, d30 */
	{ 0x2cc07bfd, POST, 15, 7, 4, true },      /* ldp s29, s30 */
	{ 0xf90003e0, OFFSET, 10, 12, 8, false },  /* str x0, [sp, #imm] */
	{ 0xb94003e0, OFFSET, 10, 12, 4, false },  /* ldr w0 */
	{ 0x394003e0, OFFSET, 10, 12, 1, false },  /* ldrb w0 */
	{ 0x3dc003e0, OFFSET, 10, 12, 16, false }, /* ldr q0 */
	{ 0xbd4003e0, OFFSET, 10, 12, 4, false },  /* ldr s0 */
	{ 0xf80003e0, OFFSET, 12, 9, 1, true },    /* stur x0 */
	{ 0xf80007e0, POST, 12, 9, 1, true },      /* str x0, [sp], #imm */
	{ 0xf8000fe0, PRE, 12, 9, 1, true },
	{ 0xf84007e0, POST, 12, 9, 1, true },     /* ldr */
	{ 0x3cc00fe0, PRE, 12, 9, 1, true },      /* ldr q0, [sp, #imm]! */
	{ 0xc85f7fe0, OFFSET, 0, 0, 1, false },   /* ldxr x0, [sp] */
	{ 0xc89fffe0, OFFSET, 0, 0, 1, false },   /* stlr x0, [sp] */
	{ 0xf8616be0, REGISTER, 0, 0, 1, false }, /* ldr x0, [sp, x1] */
	{ 0x4c4073e0, REGISTER, 0, 0, 1, false }, /* ld1 { v0.16b }, [sp] */
	{ A64_NOP, NOTHING, 0, 0, 1, false },
	{ 0xf9400020, REGISTER, 0, 0, 1, false }, /* ldr x0, [x1] */
	{ 0xaa0103e0, NOTHING, 0, 0, 1, false },  /* mov x0, x1 */
	{ 0x910003e0, NOTHING, 0, 0, 1, false },  /* mov x0, sp */
	{ 0x4cdf73e0, LOST, 0, 0, 1, false },     /* ld1 { v0.16b }, [sp], #16 */
	{ 0x4cc173e0, LOST, 0, 0, 1, false },     /* ld1 { v0.16b }, [sp], x1 */
	{ 0x910000bf, LOST, 0, 0, 1, false },     /* mov sp, x5 */
	{ 0x8b2463ff, LOST, 0, 0, 1, false },     /* add sp, sp, x4 */
	{ 0x910003bf, LOST, 0, 0, 1, false },     /* mov sp, x29 */
	{ 0xcb2163ff, LOST, 0, 0, 1, false },     /* sub sp, sp, x1 */
};

struct stepped {
	uint32_t opcode;
	enum use use;
	bool accessed, shows; /* `shows`: the access tells SP */
	uint64_t address, sp; /* SP behind it */
};

static void step(struct stepped *s, uint64_t sp, uint32_t *seed, bool may_lose)
{
	unsigned which = chance(seed, COUNT(insns));
	int64_t immediate;
	uint32_t field;

	while (insns[which].use == LOST && !may_lose)
		which = chance(seed, COUNT(insns));
	field = (uint32_t)chance_bits(seed) & ((1u << insns[which].bits) - 1);
	immediate = field;
	if (insns[which].sign && field >> (insns[which].bits - 1))
		immediate -= INT64_C(1) << insns[which].bits;
	immediate *= insns[which].scale;
	*s = (struct stepped){ .opcode = insns[which].opcode | field << insns[which].low,
			       .use = insns[which].use,
			       .sp = sp };
	switch (s->use) {
	case OFFSET:
	case PRE:
		s->address = sp + (uint64_t)immediate;
		break;
	case POST:
		s->address = sp;
		break;
	case REGISTER:
		s->address = chance_bits(seed);
		break;
	case SUM:
		s->sp = sp + (uint64_t)immediate;
		return;
	case DIFFERENCE:
		s->sp = sp - (uint64_t)immediate;
		return;
	case LOST:
		/* by an access, of all loads and stores */
		s->accessed = (s->opcode & 0x0a000000) == 0x08000000;
		s->address = sp;
		s->sp = chance_bits(seed) & ~UINT64_C(15);
		return;
	default:
		return;
	}
	/* "A load or store that faulted has no access, and wrote nothing." */
	s->accessed = chance(seed, 6);
	s->shows = s->accessed && s->use != REGISTER;
	if (s->accessed && s->use != OFFSET && s->use != REGISTER)
		s->sp = sp + (uint64_t)immediate;
}

TEST(sp_is_followed)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 200; round++) {
		uint64_t sp = 0x7ffff000 + 16 * chance(&seed, 1000);
		struct tl_xtrace_sp seen = { .known = false };
		bool known = false;

		for (unsigned i = 0; i < 60; i++) {
			struct stepped s;

			step(&s, sp, &seed, !chance(&seed, 9));
			sp = s.sp;
			known = s.use == LOST ? false : known || s.shows;
			tl_xtrace_sp_follow(&seen, s.opcode, s.accessed, s.address);
			assert_int_equal(seen.known, known);
			if (known)
				assert_int_equal(seen.sp, sp);
		}
	}
}

/* A run moves SP by so much, and the last access that shows it says where it is at the end. */
TEST(runs_move_sp)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 500; round++) {
		const unsigned count = 1 + chance(&seed, 12);
		const uint64_t first = 0x7ffff000 + 16 * chance(&seed, 1000);
		struct tl_xtrace_sp_change change = { .kind = TL_XTRACE_SP_KEPT };
		uint64_t sp = first, lost_from = first, last_address = 0, left = 0;
		uint16_t observed = 0, lost_by = 0;
		bool broken = false;

		for (uint16_t i = 0; i < count; i++) {
			struct stepped s;
			uint64_t before = sp;

			step(&s, sp, &seed, round % 2);
			sp = s.sp;
			tl_xtrace_sp_change_add(&change, s.opcode, i,
						s.accessed ? (uint16_t)(i + 1) : 0);
			if (s.use == LOST) {
				if (!broken)
					left = before - first;
				broken = true;
				lost_by = i;
				lost_from = sp;
				observed = 0;
			} else if (s.shows) {
				observed = (uint16_t)(i + 1);
				last_address = s.address;
			} else if (s.use != REGISTER && !s.accessed && s.sp == before &&
				   (s.use == PRE || s.use == POST)) {
				/*
				 * one that faulted moved nothing, which a run cannot tell: no such
				 * run
				 */
				change.kind = UINT8_MAX;
				break;
			}
		}
		if (change.kind == UINT8_MAX)
			continue;
		assert_int_equal(change.broken, broken);
		assert_int_equal(change.moves, sp - lost_from);
		assert_int_equal(change.observed, observed);
		if (observed)
			assert_int_equal(last_address + change.offset, sp);
		if (broken) {
			assert_int_equal(change.lost, lost_by);
			assert_int_equal(change.left, left);
		}
		assert_int_equal(change.kind == TL_XTRACE_SP_MOVED, broken || sp != lost_from);
		assert_int_equal(change.kind == TL_XTRACE_SP_OBSERVED,
				 !broken && sp == lost_from && observed);
	}
}

/*
 * MOV SP, Xn and ADD SP, SP, Xn may lead to another stack; those that stay on their frame do not.
 */
TEST(what_may_switch_stacks)
{
	static const struct {
		uint32_t opcode;
		bool switches;
	} cases[] = {
		{ 0x910000bf, true },  /* mov sp, x5 */
		{ 0x910003bf, false }, /* mov sp, x29 */
		{ 0x8b2463ff, true },  /* add sp, sp, x4 */
		{ 0xcb2163ff, false }, /* sub sp, sp, x1 */
		{ 0x927cec1f, false }, /* and sp, x0, #-16 */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_xtrace_sp_change change = { .kind = TL_XTRACE_SP_KEPT };

		tl_xtrace_sp_change_add(&change, cases[i].opcode, 7, 0);
		assert_true(change.broken);
		assert_int_equal(change.switched, cases[i].switches);
		assert_int_equal(change.lost, 7);
	}
}

/* ---- sparse memory ---- */

TEST(pages_are_zeroed_and_stay)
{
	enum { PAGES = 3000 };
	static struct tl_xtrace_pages pages;
	static uint8_t *known[PAGES];
	uint32_t seed = 3;

	for (size_t bytes = 0; bytes < 2; bytes++) {
		const size_t size = bytes ? 64 : TL_XTRACE_PAGE_BYTES;
		size_t count = 0;

		pages.page_bytes = bytes ? 64 : 0;
		memset(known, 0, sizeof(known));
		assert_null(tl_xtrace_pages_known(&pages, 5));
		for (unsigned i = 0; i < 20000; i++) {
			const unsigned which = chance(&seed, PAGES);
			/* many with the same low bits */
			const uint64_t number = (uint64_t)which << (which % 3 ? 0 : 30);
			uint8_t *page;

			assert_ptr_equal(tl_xtrace_pages_known(&pages, number), known[which]);
			page = tl_xtrace_pages_get(&pages, number);
			assert_non_null(page);
			if (!known[which]) {
				for (size_t at = 0; at < size; at++)
					assert_int_equal(page[at], 0);
				memset(page, (int)(which % 251), size);
				known[which] = page;
				count++;
			}
			assert_ptr_equal(page, known[which]);
			assert_int_equal(page[0], which % 251);
			assert_int_equal(page[size - 1], which % 251);
		}
		assert_int_equal(pages.count, count);
		tl_xtrace_pages_free(&pages);
		assert_int_equal(pages.count, 0);
		assert_int_equal(pages.page_bytes, bytes ? 64 : 0);
	}
}

/* ---- numbers ---- */

/* "Ids 0, 1, 2, ... for addresses, in the order of their first lookup"; 0 is an address, too. */
TEST(addresses_have_numbers)
{
	enum { KEYS = 5000 };
	static uint64_t keys[KEYS];
	struct tl_xtrace_address_ids ids = { .count = 0 };
	uint32_t seed = 4;

	assert_int_equal(tl_xtrace_address_id_find(&ids, 0), TL_NONE);
	for (uint32_t i = 0; i < KEYS; i++)
		keys[i] = i < 3 ? i : i % 2 ? UINT64_MAX - i : (uint64_t)i << 32;
	for (uint32_t i = 0; i < KEYS; i++) {
		assert_int_equal(tl_xtrace_address_id_find(&ids, keys[i]), TL_NONE);
		assert_int_equal(tl_xtrace_address_id_add(&ids, keys[i]), i);
		for (unsigned n = 0; n < 4; n++) {
			const uint32_t other = chance(&seed, i + 1);

			assert_int_equal(tl_xtrace_address_id_add(&ids, keys[other]), other);
			assert_int_equal(tl_xtrace_address_id_find(&ids, keys[other]), other);
		}
	}
	assert_int_equal(ids.count, KEYS);
	tl_xtrace_address_ids_free(&ids);
	assert_int_equal(ids.count, 0);
}

/* Without symbols all code is of one function, that nothing is surely in. */
TEST(code_without_symbols_is_one_function)
{
	struct tl_xtrace_function_ids functions = { .binary_count = 0 };

	for (uint64_t address = 0; address < 1000; address += 4)
		assert_int_equal(tl_xtrace_function_id_at(&functions, address), 0);
	assert_string_equal(functions.list[0].name, "[unknown]");
	assert_false(tl_xtrace_function_covers(&functions.list[0], 0));
	assert_false(tl_xtrace_function_covers(&functions.list[0], UINT64_MAX));
	assert_int_equal(functions.addresses.count, 250);
	tl_xtrace_function_ids_free(&functions);
}

/* ---- vector registers ---- */

/* Arm Architecture Reference Manual, C4.1: the registers that each of these writes. */
TEST(instructions_write_vector_registers)
{
	static const struct {
		uint32_t opcode, registers;
	} cases[] = {
		{ 0x3dc00023, 1u << 3 },           /* ldr q3, [x1] */
		{ 0x3d800023, 0 },                 /* str q3, [x1] */
		{ 0x3cc00423, 1u << 3 },           /* ldr q3, [x1], #0 */
		{ 0xfd400025, 1u << 5 },           /* ldr d5, [x1] */
		{ 0x3ce16823, 1u << 3 },           /* ldr q3, [x1, x1] */
		{ 0x1c000027, 1u << 7 },           /* ldr s7, . + 4 */
		{ 0x9c000020, 1u << 0 },           /* ldr q0, . + 4 */
		{ 0xad400861, 1u << 1 | 1u << 2 }, /* ldp q1, q2, [x3] */
		{ 0xad000861, 0 },                 /* stp q1, q2, [x3] */
		{ 0x4c40203e, 0xc0000003 },        /* ld1 { v30.16b - v1.16b }, [x1] */
		{ 0x4c000020, 0 },                 /* st4 { v0.16b - v3.16b }, [x1] */
		{ 0x4e21d403, 1u << 3 },           /* fadd v3.4s, v0.4s, v1.4s */
		{ 0x1e212843, 1u << 3 },           /* fadd s3, s2, s1 */
		{ 0x9e670003, 1u << 3 },           /* fmov d3, x0 */
		{ 0x8b010000, 0 },                 /* add x0, x0, x1 */
		{ 0x91000400, 0 },                 /* add x0, x0, #1 */
		{ 0xf9400020, 0 },                 /* ldr x0, [x1] */
		{ 0xa9400861, 0 },                 /* ldp x1, x2, [x3] */
		{ A64_NOP, 0 },
		{ 0x14000001, 0 }, /* b . + 4 */
		{ A64_RET, 0 },
		{ A64_SVC, UINT32_MAX },    /* what it leaves is the kernel's */
		{ 0xd51b4240, UINT32_MAX }, /* msr svcr, x0 */
		{ 0x04200000, UINT32_MAX }, /* add z0.b, z0.b, z0.b: SVE is not followed */
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(tl_xtrace_vector_writes(cases[i].opcode), cases[i].registers);
}

/* A store shows bytes, which the next one has to hold; loads clear what is behind them. */
TEST(stores_show_vector_registers)
{
	static struct tl_xtrace_vectors v;
	uint8_t wanted[32][TL_XTRACE_VECTOR_BYTES];
	unsigned known[32] = { 0 };
	uint32_t seed = 5;

	memset(&v, 0, sizeof(v));
	memset(wanted, 0, sizeof(wanted));
	for (unsigned i = 0; i < 20000; i++) {
		const unsigned number = chance(&seed, 32), at = 8 * chance(&seed, 2);
		const unsigned size = 1 + chance(&seed, TL_XTRACE_VECTOR_BYTES - at);
		uint8_t bytes[TL_XTRACE_VECTOR_BYTES];
		bool holds = true;

		memcpy(bytes, wanted[number] + at, size);
		for (unsigned n = chance(&seed, 3); n; n--)
			bytes[chance(&seed, size)] = (uint8_t)chance(&seed, 256);
		switch (chance(&seed, 8)) {
		case 0:
			tl_xtrace_vectors_forget(&v, 1u << number | 1u << 31);
			known[number] = known[31] = 0;
			break;
		case 1:
			tl_xtrace_vector_load(&v, number, at, bytes, size);
			if (!at)
				memset(wanted[number], 0, TL_XTRACE_VECTOR_BYTES);
			memcpy(wanted[number] + at, bytes, size);
			known[number] = TL_XTRACE_VECTOR_BYTES;
			break;
		default:
			for (unsigned b = 0; b < size; b++)
				holds = holds && (at + b >= known[number] ||
						  wanted[number][at + b] == bytes[b]);
			assert_int_equal(tl_xtrace_vector_holds(&v, number, at, bytes, size),
					 holds);
			if (holds && at <= known[number] && at + size > known[number]) {
				memcpy(wanted[number] + at, bytes, size);
				known[number] = at + size;
			}
			break;
		}
		assert_int_equal(v.known[number], known[number]);
		assert_memory_equal(v.v[number].bytes, wanted[number], known[number]);
		assert_int_equal(v.whole >> number & 1, known[number] == TL_XTRACE_VECTOR_BYTES);
	}
}

/* ---- the code of a stream ---- */

TEST(code_is_what_ran_last)
{
	enum { PLACES = 3000 };
	struct bytes b = { .data = NULL };
	struct tl_xtrace_opcodes opcodes = { .count = 0 };
	static uint32_t last[PLACES];
	uint32_t seed = 6, known = 0;
	struct trace t;

	memset(last, 0, sizeof(last));
	/*
	 * places that share the low bits of their addresses, which change their code now and then
	 */
	for (unsigned i = 0; i < 9000; i++) {
		const unsigned place = chance(&seed, 3) ? chance(&seed, 40) : chance(&seed, PLACES);
		const uint32_t opcode = chance(&seed, 8) ? A64_NOP : A64_LDR + (place & 0x1f);

		known += !last[place];
		last[place] = opcode;
		put_pcinst(&b, 0, 0x400000 + ((uint64_t)place % 40 << 20) + 4 * (place / 40),
			   opcode);
	}
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_opcodes_read(&opcodes, t.trace, NULL), 0);
	assert_int_equal(opcodes.count, known);
	for (unsigned place = 0; place < PLACES; place++) {
		const uint64_t address = 0x400000 + ((uint64_t)place % 40 << 20) + 4 * (place / 40);
		uint8_t bytes[10];
		const size_t size = tl_xtrace_opcodes_at(&opcodes, address, bytes, sizeof(bytes));
		size_t wanted = 0;

		/* up to the first that did not run, or the end of the room in the midst of one */
		for (unsigned at = place; at < PLACES && last[at] && wanted < sizeof(bytes);
		     at += 40)
			for (unsigned n = 0; n < 4 && wanted < sizeof(bytes); n++, wanted++)
				assert_int_equal(bytes[wanted], last[at] >> 8 * n & 0xff);
		assert_int_equal(size, wanted);
	}
	tl_xtrace_opcodes_free(&opcodes);
	close_trace(&t);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sp_is_followed),
		cmocka_unit_test(runs_move_sp),
		cmocka_unit_test(what_may_switch_stacks),
		cmocka_unit_test(pages_are_zeroed_and_stay),
		cmocka_unit_test(addresses_have_numbers),
		cmocka_unit_test(code_without_symbols_is_one_function),
		cmocka_unit_test(instructions_write_vector_registers),
		cmocka_unit_test(stores_show_vector_registers),
		cmocka_unit_test(code_is_what_ran_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
