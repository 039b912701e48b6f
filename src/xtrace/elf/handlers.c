/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers of signals, as the program's own code begins and ends them: the kernel's part, of which
 * the trace has only where control went. What a handler interrupts is kept in a slot, and comes
 * back from there; the frame on its stack is memory like any other, and appears as its loads found
 * it.
 */
#include "xtrace/elf/context.h"
#include "xtrace/elf/startup.h"
#include "xtrace/elf/words.h"

enum { CONTEXT = 0, RECORD = 1, SLOT = 2, LANDING_LINK = 30 };

/* X5 becomes where the vectors of a slot are, X6 where its predicates are. */
static void put_vectors_place(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	tl_xtrace_code_put(code, tl_xtrace_op_add(5, SLOT, TL_XTRACE_SLOT_VECTORS));
	tl_xtrace_code_load(code, 6, UINT64_C(32) * s->vector_bytes);
	tl_xtrace_code_put(code, tl_xtrace_op_add_reg(6, 6, 5));
}

static void put_keep_vectors(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	put_vectors_place(code, s);
	for (unsigned i = 0; i < 32; i++)
		tl_xtrace_code_put(code, s->scalable ? tl_xtrace_op_str_z(i, 5, i)
						     : tl_xtrace_op_str_q(i, 5, i * 16));
	if (!s->scalable)
		return;
	for (unsigned i = 0; i < 16; i++)
		tl_xtrace_code_put(code, tl_xtrace_op_str_p(i, 6, i));
	tl_xtrace_code_put(code, tl_xtrace_op_rdffr_all(0));
	tl_xtrace_code_put(code, tl_xtrace_op_str_p(0, 6, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(0, 6, 0));
}

static void put_vectors_back(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	put_vectors_place(code, s);
	for (unsigned i = 0; i < 32; i++)
		tl_xtrace_code_put(code, s->scalable ? tl_xtrace_op_ldr_z(i, 5, i)
						     : tl_xtrace_op_ldr_q(i, 5, i * 16));
	if (!s->scalable)
		return;
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(0, 6, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_wrffr(0));
	for (unsigned i = 0; i < 16; i++)
		tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(i, 6, i));
}

/* All registers into the slot; X0 to X2 are in the context. X3 to X6 are free then. */
static void put_keep(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	static const uint32_t names[] = { TL_XTRACE_SYS_NZCV, TL_XTRACE_SYS_FPCR,
					  TL_XTRACE_SYS_FPSR };

	for (unsigned i = 3; i < 30; i += 2)
		tl_xtrace_code_put(code, tl_xtrace_op_stp(i, i + 1, SLOT, 8 * i));
	tl_xtrace_code_put(code, tl_xtrace_op_ldp(3, 4, CONTEXT, TL_XTRACE_SAVED_0));
	tl_xtrace_code_put(code, tl_xtrace_op_stp(3, 4, SLOT, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(3, CONTEXT, TL_XTRACE_SAVED_1 + 8));
	tl_xtrace_code_put(code, tl_xtrace_op_str(3, SLOT, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_add(3, 31, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_str(3, SLOT, TL_XTRACE_SLOT_SP));
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tl_xtrace_code_put(code, tl_xtrace_op_mrs(3, names[i]));
		tl_xtrace_code_put(code, tl_xtrace_op_str(3, SLOT, TL_XTRACE_SLOT_NZCV + 8 * i));
	}
	put_keep_vectors(code, s);
}

/* X0 to X30 and SP of the slot into the context's block, which X2 becomes. */
static void put_copy(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_add(3, CONTEXT, TL_XTRACE_BLOCK));
	for (unsigned i = 0; i < 32; i += 2) {
		tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(5, 6, SLOT));
		tl_xtrace_code_put(code, tl_xtrace_op_stp(5, 6, 3, 8 * i));
	}
	tl_xtrace_code_put(code, tl_xtrace_op_mov(SLOT, 3));
}

/* The record's slot, and where it goes on. */
static void put_record(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(RECORD, CONTEXT, TL_XTRACE_SIGNAL));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_post(SLOT, RECORD));
}

/* Each of the list at X1, by a store of X4 to where X3 is. */
static void put_changes_by(struct tl_xtrace_code *code, uint32_t store)
{
	size_t next = code->count;

	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(3, 4, RECORD));
	/* Over three words and this one. */
	tl_xtrace_code_put(code, tl_xtrace_op_tbnz_sign(3, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_add_reg(3, 3, SLOT));
	tl_xtrace_code_put(code, store);
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, next)));
}

/* What the record changes of the registers at X2. X3 to X5 are used. */
static void put_changes(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_post(5, RECORD));
	tl_xtrace_code_put(code, tl_xtrace_op_str(5, CONTEXT, TL_XTRACE_LANDING));
	put_changes_by(code, tl_xtrace_op_str(4, 3, 0));
	put_changes_by(code, tl_xtrace_op_strb_post(4, 3));
}

/* The registers at X2, and away. */
static void put_go(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(3, SLOT, 8 * LANDING_LINK));
	tl_xtrace_code_put(code, tl_xtrace_op_str(3, CONTEXT, TL_XTRACE_LINK));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(3, SLOT, TL_XTRACE_SLOT_SP));
	tl_xtrace_code_put(code, tl_xtrace_op_add(31, 3, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(LANDING_LINK, CONTEXT, TL_XTRACE_LANDING));
	for (unsigned i = 3; i < 29; i += 2)
		tl_xtrace_code_put(code, tl_xtrace_op_ldp(i, i + 1, SLOT, 8 * i));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(29, SLOT, 8 * 29));
	tl_xtrace_code_put(code, tl_xtrace_op_ldp(0, 1, SLOT, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(2, SLOT, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_br(LANDING_LINK));
}

/*
 * X4 has the record of the handler that begins here instead, or 0: what comes back stays in the
 * slot.
 */
static void put_next(struct tl_xtrace_code *code)
{
	size_t none = code->count;

	tl_xtrace_code_put(code, 0);
	tl_xtrace_code_put(code, tl_xtrace_op_add(RECORD, 4, 8)); /* over its slot, the same */
	put_copy(code);
	put_changes(code);
	if (!code->failed)
		code->words[none] = tl_xtrace_op_cbz(4, (int64_t)(code->count - none) * 4);
}

void tl_xtrace_handlers_put(struct tl_xtrace_code *code, struct tl_xtrace_startup *s)
{
	static const uint32_t names[] = { TL_XTRACE_SYS_NZCV, TL_XTRACE_SYS_FPCR,
					  TL_XTRACE_SYS_FPSR };

	s->signal_begins = tl_xtrace_code_here(code);
	put_record(code);
	put_keep(code, s);
	put_copy(code);
	put_changes(code);
	put_go(code);
	s->signal_ends = tl_xtrace_code_here(code);
	put_record(code);
	put_changes(code);
	put_vectors_back(code, s);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tl_xtrace_code_put(code, tl_xtrace_op_ldr(3, SLOT, TL_XTRACE_SLOT_NZCV + 8 * i));
		tl_xtrace_code_put(code, tl_xtrace_op_msr(names[i], 3));
	}
	put_next(code);
	put_go(code);
}
