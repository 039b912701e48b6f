/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/first_fault.h"

#include "xtrace/elf/context.h"
#include "xtrace/elf/words.h"

/* LDFF1 (scalar plus scalar), LDNF1: dtype says both sizes. */
static bool is_contiguous(uint32_t opcode)
{
	return (opcode & 0xfe00e000) == 0xa4006000 || (opcode & 0xfe10e000) == 0xa410a000;
}

/*
 * Gathers: bit 13 is "ff" in the groups "SVE Memory - 32-bit Gather and Unsized Contiguous" and
 * "64-bit Gather" (chapter C4), but where it is not: LDNT1, LD1Q and prefetches (bits 22:21 are 0,
 * bit 15 is 1), prefetches by a scalar, broadcasts, LDR.
 */
static bool is_gather(uint32_t opcode)
{
	uint32_t kind = opcode & 0xfe000000, msz = opcode >> 23 & 3;
	bool prefetches = !msz && opcode >> 21 & 1 && (!(opcode >> 15 & 1) || opcode >> 22 & 1);

	if ((kind != 0x84000000 && kind != 0xc4000000) || !(opcode >> 13 & 1))
		return false;
	if ((opcode & 0x00608000) == 0x00008000 || prefetches)
		return false;
	return kind == 0xc4000000 || ((opcode & 0x00408000) != 0x00408000 && msz != 3);
}

bool tl_xtrace_is_first_fault(uint32_t opcode)
{
	return is_contiguous(opcode) || is_gather(opcode);
}

/* Sizes as powers of two. */
static unsigned memory_size(uint32_t opcode)
{
	static const uint8_t of_dtype[16] = { 0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3 };

	return is_contiguous(opcode) ? of_dtype[opcode >> 21 & 15] : opcode >> 23 & 3;
}

static unsigned register_size(uint32_t opcode)
{
	static const uint8_t of_dtype[16] = { 0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3 };

	if (is_contiguous(opcode))
		return of_dtype[opcode >> 21 & 15];
	return opcode >> 30 & 1 ? 3 : 2;
}

uint64_t tl_xtrace_first_fault_elements(uint32_t opcode, uint64_t size)
{
	return size >> memory_size(opcode);
}

/* A predicate register below 8 that is none of two others; loads are governed by these. */
static unsigned other_than(unsigned a, unsigned b)
{
	for (unsigned p = 0; p < 2; p++)
		if (p != a && p != b)
			return p;
	return 2;
}

/* Predicates that are used meanwhile, and where they are kept. */
struct predicates {
	unsigned governing, chosen, next, all;
	unsigned size;
};

/* `chosen` becomes the first X1 active elements, `next` the one behind them, if there is one. */
static void put_choice(struct tl_xtrace_code *code, const struct predicates *p)
{
	size_t loop, end;

	tl_xtrace_code_put(code, tl_xtrace_op_pfalse(p->chosen));
	tl_xtrace_code_put(code, tl_xtrace_op_pfalse(p->next));
	loop = code->count;
	tl_xtrace_code_put(code, tl_xtrace_op_pnext(p->next, p->governing, p->size));
	end = code->count + 4;
	tl_xtrace_code_put(code, tl_xtrace_op_cbz(1, tl_xtrace_code_to(code, end)));
	tl_xtrace_code_put(code, tl_xtrace_op_orr_p(p->chosen, p->governing, p->chosen, p->next));
	tl_xtrace_code_put(code, tl_xtrace_op_sub(1, 1, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, loop)));
}

/* "FFR elements are set to FALSE from the first that is not loaded on." */
static void put_ffr(struct tl_xtrace_code *code, const struct predicates *p)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ptrue(p->all));
	tl_xtrace_code_put(code, tl_xtrace_op_brkb(p->next, p->all, p->next));
	tl_xtrace_code_put(code, tl_xtrace_op_rdffr(p->all, p->next));
	tl_xtrace_code_put(code, tl_xtrace_op_wrffr(p->all));
}

/* The predicate that governs the load cannot be put back before it. */
static void put_chosen_back(struct tl_xtrace_code *code, unsigned chosen,
			    const struct tl_xtrace_context_table *contexts)
{
	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, 0));
	tl_xtrace_put_context(code, 0, contexts);
	tl_xtrace_code_put(code, tl_xtrace_op_str(1, 0, TL_XTRACE_SAVED_1));
	tl_xtrace_code_put(code, tl_xtrace_op_mrs(1, TL_XTRACE_SYS_TPIDR));
	tl_xtrace_code_put(code, tl_xtrace_op_str(1, 0, TL_XTRACE_SAVED_0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(1, 0, TL_XTRACE_THREAD_ID));
	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_add(1, 0, TL_XTRACE_PREDICATES));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(chosen, 1, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(1, 0, TL_XTRACE_SAVED_1));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(0, 0, TL_XTRACE_SAVED_0));
}

void tl_xtrace_put_first_fault(struct tl_xtrace_code *code, uint32_t opcode,
			       const struct tl_xtrace_context_table *contexts)
{
	struct predicates p = { .governing = opcode >> 10 & 7, .size = register_size(opcode) };

	p.chosen = other_than(p.governing, p.governing);
	p.next = other_than(p.governing, p.chosen);
	p.all = 8;
	tl_xtrace_code_put(code, tl_xtrace_op_add(2, 0, TL_XTRACE_PREDICATES));
	tl_xtrace_code_put(code, tl_xtrace_op_str_p(p.chosen, 2, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_str_p(p.next, 2, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_str_p(p.all, 2, 2));
	tl_xtrace_code_put(code, tl_xtrace_op_mrs(1, TL_XTRACE_SYS_NZCV));
	tl_xtrace_code_put(code, tl_xtrace_op_str(1, 0, TL_XTRACE_FLAGS_SAVED));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(1, 0, TL_XTRACE_RESULT));
	put_choice(code, &p);
	put_ffr(code, &p);
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(p.next, 2, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(p.all, 2, 2));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(1, 0, TL_XTRACE_FLAGS_SAVED));
	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_NZCV, 1));
	tl_xtrace_put_saved(code);
	tl_xtrace_code_put(code, (opcode & ~(7u << 10)) | (uint32_t)p.chosen << 10);
	put_chosen_back(code, p.chosen, contexts);
}
