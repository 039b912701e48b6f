/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/startup.h"

#include "xtrace/elf/context.h"
#include "xtrace/elf/words.h"

/* Linux on AArch64. */
enum {
	SYS_WRITE = 64,
	SYS_EXIT = 93,
	SYS_EXIT_GROUP = 94,
	SYS_PRCTL = 167,
	SYS_CLONE = 220,
	SYS_MMAP = 222
};
enum { PR_SVE_SET_VL = 50, MAP_FIXED_PRIVATE_ANONYMOUS = 0x32, PROT_EXEC_BIT = 2 };
/* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM: what pthread_create() asks for. */
enum { CLONE_FLAGS = 0x50f00 };
/* The least line of a cache that there can be. */
enum { CACHE_LINE = 16 };

/* ---- branches to what is not made yet ---- */

static size_t put_later(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, TL_XTRACE_NOP);
	return code->count - 1;
}

/* Word `at` becomes `word`, which is an instruction that goes from there to here. */
static void settle(struct tl_xtrace_code *code, size_t at, uint32_t word)
{
	if (!code->failed)
		code->words[at] = word;
}

static int64_t from(const struct tl_xtrace_code *code, size_t at)
{
	return ((int64_t)code->count - (int64_t)at) * 4;
}

/* ---- how it ends ---- */

static void put_exit(struct tl_xtrace_code *code, unsigned call, unsigned status)
{
	tl_xtrace_code_put(code, tl_xtrace_op_movz(0, status));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(8, call));
	tl_xtrace_code_put(code, TL_XTRACE_SVC_0);
}

/* Returns the number of its first word. */
static size_t put_complaint(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s,
			    enum tl_xtrace_message message, unsigned status)
{
	size_t at = code->count;

	tl_xtrace_code_put(code, tl_xtrace_op_movz(0, 2));
	tl_xtrace_code_load(code, 1, s->messages[message]);
	tl_xtrace_code_load(code, 2, s->message_sizes[message]);
	tl_xtrace_code_put(code, tl_xtrace_op_movz(8, SYS_WRITE));
	tl_xtrace_code_put(code, TL_XTRACE_SVC_0);
	put_exit(code, SYS_EXIT_GROUP, status);
	return at;
}

/* ---- the order of threads ---- */

/* Wait for each progress of the list that register `list` leads through. X3, X5 and X6 are used. */
static void put_waits(struct tl_xtrace_code *code, unsigned list)
{
	size_t next = code->count, end, again;

	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(3, 5, list));
	end = put_later(code);
	again = code->count;
	tl_xtrace_code_put(code, TL_XTRACE_YIELD);
	tl_xtrace_code_put(code, tl_xtrace_op_ldar(6, 3));
	tl_xtrace_code_put(code, tl_xtrace_op_sub_reg(6, 6, 5));
	tl_xtrace_code_put(code, tl_xtrace_op_tbnz_sign(6, tl_xtrace_code_to(code, again)));
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, next)));
	settle(code, end, tl_xtrace_op_cbz(3, from(code, end)));
}

/* The progress of the thread of context X0 becomes X5. X6 is used. */
static void put_post(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_add(6, 0, TL_XTRACE_PROGRESS));
	tl_xtrace_code_put(code, tl_xtrace_op_stlr(5, 6));
}

/* X2 is where the event's order is, and becomes where its result is. */
static void put_order(struct tl_xtrace_code *code)
{
	size_t no_post;

	tl_xtrace_code_put(code, tl_xtrace_op_ldr_post(5, 2));
	no_post = put_later(code);
	put_post(code);
	settle(code, no_post, tl_xtrace_op_cbz(5, from(code, no_post)));
	put_waits(code, 2);
}

/* The slice of context X0 is over. The first thread waits for all others, which end alone. */
static void put_end(struct tl_xtrace_code *code)
{
	size_t is_first;

	tl_xtrace_code_load(code, 5, TL_XTRACE_PROGRESS_OVER);
	put_post(code);
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(2, 0, TL_XTRACE_OTHERS));
	is_first = put_later(code);
	put_exit(code, SYS_EXIT, 0);
	settle(code, is_first, tl_xtrace_op_cbnz(2, from(code, is_first)));
	put_waits(code, 2);
	put_exit(code, SYS_EXIT_GROUP, TL_XTRACE_ARRIVED);
}

/* ---- events ---- */

/* Patches: X2 is where they are, X3 how many. */
static void put_patches(struct tl_xtrace_code *code)
{
	size_t next, end, byte;

	tl_xtrace_code_put(code, tl_xtrace_op_ldr_post(3, 2));
	next = code->count;
	end = put_later(code);
	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(4, 5, 2));
	byte = code->count;
	tl_xtrace_code_put(code, tl_xtrace_op_ldrb_post(6, 2));
	tl_xtrace_code_put(code, tl_xtrace_op_strb_post(6, 4));
	tl_xtrace_code_put(code, tl_xtrace_op_sub(5, 5, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(5, tl_xtrace_code_to(code, byte)));
	tl_xtrace_code_put(code, tl_xtrace_op_add(2, 2, 7));
	tl_xtrace_code_put(code, tl_xtrace_op_and_from(2, 2, 3));
	tl_xtrace_code_put(code, tl_xtrace_op_sub(3, 3, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, next)));
	settle(code, end, tl_xtrace_op_cbz(3, from(code, end)));
}

static unsigned bit_of(unsigned flag)
{
	return (unsigned)__builtin_ctz(flag);
}

/* X4 has the flags, X5 the result, X6 what X8 has to be. */
static void put_flags(struct tl_xtrace_code *code, size_t astray)
{
	size_t no_call, no_check, no_other, no_stop;

	tl_xtrace_code_put(code, tl_xtrace_op_str(5, 0, TL_XTRACE_RESULT));
	no_call = put_later(code);
	tl_xtrace_code_put(code, tl_xtrace_op_str(5, 0, TL_XTRACE_SAVED_0));
	settle(code, no_call,
	       tl_xtrace_op_tbz(4, bit_of(TL_XTRACE_EVENT_CALL), from(code, no_call)));
	no_check = put_later(code);
	tl_xtrace_code_put(code, tl_xtrace_op_sub_reg(5, 8, 6));
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(5, tl_xtrace_code_to(code, astray)));
	settle(code, no_check,
	       tl_xtrace_op_tbz(4, bit_of(TL_XTRACE_EVENT_CHECK), from(code, no_check)));
	tl_xtrace_code_put(code, tl_xtrace_op_tbnz(4, bit_of(TL_XTRACE_EVENT_LOST),
						   tl_xtrace_code_to(code, astray)));
	no_other = put_later(code);
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(5, 1, TL_XTRACE_SITE_OTHER));
	tl_xtrace_code_put(code, tl_xtrace_op_str(5, 0, TL_XTRACE_RESUME));
	settle(code, no_other,
	       tl_xtrace_op_tbz(4, bit_of(TL_XTRACE_EVENT_OTHER), from(code, no_other)));
	no_stop = put_later(code);
	put_end(code);
	settle(code, no_stop,
	       tl_xtrace_op_tbz(4, bit_of(TL_XTRACE_EVENT_STOP), from(code, no_stop)));
}

/* X4 has the flags, X2 is where the event's signal may be. */
static void put_signal(struct tl_xtrace_code *code)
{
	size_t no_signal = put_later(code);

	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(5, 6, 2));
	tl_xtrace_code_put(code, tl_xtrace_op_str(5, 0, TL_XTRACE_SIGNAL));
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(6, 8));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(6, 0, TL_XTRACE_SIGNAL_ENDS));
	tl_xtrace_code_put(code, tl_xtrace_op_str(6, 0, TL_XTRACE_RESUME));
	settle(code, no_signal,
	       tl_xtrace_op_tbz(4, bit_of(TL_XTRACE_EVENT_SIGNAL), from(code, no_signal)));
}

/* X0 is the context, X1 the site; X1 and X2 are saved. */
static void put_dispatch(struct tl_xtrace_code *code, struct tl_xtrace_startup *s, size_t astray)
{
	size_t no_order;

	s->dispatch = tl_xtrace_code_here(code);
	tl_xtrace_code_put(code, tl_xtrace_op_stp(3, 4, 0, TL_XTRACE_SAVED_3));
	tl_xtrace_code_put(code, tl_xtrace_op_stp(5, 6, 0, TL_XTRACE_SAVED_5));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(2, 1, TL_XTRACE_SITE_EVENT));
	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(3, 4, 2));
	tl_xtrace_code_put(code, tl_xtrace_op_str(3, 1, TL_XTRACE_SITE_LEFT));
	no_order = put_later(code);
	put_order(code);
	settle(code, no_order,
	       tl_xtrace_op_tbz(4, bit_of(TL_XTRACE_EVENT_ORDER), from(code, no_order)));
	if (s->handlers)
		put_signal(code);
	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(5, 6, 2));
	put_flags(code, astray);
	put_patches(code);
	tl_xtrace_code_put(code, tl_xtrace_op_str(2, 1, TL_XTRACE_SITE_EVENT));
	tl_xtrace_code_put(code, tl_xtrace_op_ldp(3, 4, 0, TL_XTRACE_SAVED_3));
	tl_xtrace_code_put(code, tl_xtrace_op_ldp(5, 6, 0, TL_XTRACE_SAVED_5));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(2, 0, TL_XTRACE_RESUME));
	tl_xtrace_code_put(code, tl_xtrace_op_br(2));
}

/* ---- memory ---- */

static void put_maps(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s, size_t no_map)
{
	size_t next, end;

	tl_xtrace_code_load(code, 19, s->maps);
	next = code->count;
	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(0, 1, 19));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_post(2, 19));
	end = put_later(code);
	tl_xtrace_code_put(code, tl_xtrace_op_mov(20, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(3, MAP_FIXED_PRIVATE_ANONYMOUS));
	tl_xtrace_code_put(code, tl_xtrace_op_movn(4, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(5, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(8, SYS_MMAP));
	tl_xtrace_code_put(code, TL_XTRACE_SVC_0);
	tl_xtrace_code_put(code, tl_xtrace_op_sub_reg(0, 0, 20));
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(0, tl_xtrace_code_to(code, no_map)));
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, next)));
	settle(code, end, tl_xtrace_op_cbz(1, from(code, end)));
}

static void put_copies(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	size_t next, end, piece;

	tl_xtrace_code_load(code, 19, s->copies);
	tl_xtrace_code_load(code, 20, s->pages);
	next = code->count;
	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(0, 1, 19));
	end = put_later(code);
	piece = code->count;
	tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(2, 3, 20));
	tl_xtrace_code_put(code, tl_xtrace_op_stp_post(2, 3, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_sub(1, 1, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(1, tl_xtrace_code_to(code, piece)));
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, next)));
	settle(code, end, tl_xtrace_op_cbz(1, from(code, end)));
}

/* What was copied as data is executed: B2.4.4 of the manual, "Concurrent modification and execution
 * of instructions". */
static void put_cache_upkeep(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	size_t next, end, line;

	tl_xtrace_code_put(code, TL_XTRACE_DSB_ISH);
	for (unsigned instructions = 0; instructions < 2; instructions++) {
		tl_xtrace_code_load(code, 19, s->maps);
		next = code->count;
		tl_xtrace_code_put(code, tl_xtrace_op_ldp_post(0, 1, 19));
		tl_xtrace_code_put(code, tl_xtrace_op_ldr_post(2, 19));
		end = put_later(code);
		tl_xtrace_code_put(
			code, tl_xtrace_op_tbz(2, PROT_EXEC_BIT, tl_xtrace_code_to(code, next)));
		line = code->count;
		tl_xtrace_code_put(code, instructions ? tl_xtrace_op_ic_ivau(0)
						      : tl_xtrace_op_dc_cvau(0));
		tl_xtrace_code_put(code, tl_xtrace_op_add(0, 0, CACHE_LINE));
		tl_xtrace_code_put(code, tl_xtrace_op_sub(1, 1, CACHE_LINE));
		tl_xtrace_code_put(code, tl_xtrace_op_cbnz(1, tl_xtrace_code_to(code, line)));
		tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_to(code, next)));
		settle(code, end, tl_xtrace_op_cbz(1, from(code, end)));
		tl_xtrace_code_put(code, TL_XTRACE_DSB_ISH);
	}
	tl_xtrace_code_put(code, TL_XTRACE_ISB);
}

/* ---- registers ---- */

static void put_scalable(struct tl_xtrace_code *code, const struct tl_xtrace_startup_thread *s)
{
	uint64_t predicates = s->vectors + UINT64_C(32) * s->vector_bytes;

	tl_xtrace_code_load(code, 19, s->vectors);
	tl_xtrace_code_load(code, 20, predicates);
	for (unsigned i = 0; i < 32; i++)
		tl_xtrace_code_put(code, tl_xtrace_op_ldr_z(i, 19, i));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(0, 20, 16));
	tl_xtrace_code_put(code, tl_xtrace_op_wrffr(0));
	for (unsigned i = 0; i < 16; i++)
		tl_xtrace_code_put(code, tl_xtrace_op_ldr_p(i, 20, i));
}

static void put_vectors(struct tl_xtrace_code *code, const struct tl_xtrace_startup_thread *s)
{
	tl_xtrace_code_load(code, 19, s->vectors);
	for (unsigned i = 0; i < 32; i++)
		tl_xtrace_code_put(code, tl_xtrace_op_ldr_q(i, 19, i * s->vector_bytes));
}

/* A machine without vectors of this length can run a slice that does not ask for it. */
static void put_vector_state(struct tl_xtrace_code *code, const struct tl_xtrace_startup_thread *s,
			     bool scalable, size_t no_vectors)
{
	size_t short_ones, both;

	if (!scalable && s->vector_bytes == 16) {
		put_vectors(code, s);
		return;
	}
	tl_xtrace_code_put(code, tl_xtrace_op_movz(0, PR_SVE_SET_VL));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(1, s->vector_bytes));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(8, SYS_PRCTL));
	tl_xtrace_code_put(code, TL_XTRACE_SVC_0);
	tl_xtrace_code_put(code, tl_xtrace_op_and_16(0, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_sub(0, 0, s->vector_bytes));
	if (scalable) {
		tl_xtrace_code_put(code, tl_xtrace_op_cbnz(0, tl_xtrace_code_to(code, no_vectors)));
		put_scalable(code, s);
		return;
	}
	short_ones = put_later(code);
	put_scalable(code, s);
	both = put_later(code);
	settle(code, short_ones, tl_xtrace_op_cbnz(0, from(code, short_ones)));
	put_vectors(code, s);
	settle(code, both, tl_xtrace_op_b(from(code, both)));
}

static void put_registers(struct tl_xtrace_code *code, const struct tl_xtrace_startup_thread *s)
{
	const struct {
		uint32_t reg;
		uint64_t value;
	} system[] = {
		{ TL_XTRACE_SYS_FPCR, s->fpcr },
		{ TL_XTRACE_SYS_FPSR, s->fpsr },
		{ TL_XTRACE_SYS_NZCV, s->nzcv },
		{ TL_XTRACE_SYS_TPIDR, s->thread_id },
	};

	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++) {
		tl_xtrace_code_load(code, 0, system[i].value);
		tl_xtrace_code_put(code, tl_xtrace_op_msr(system[i].reg, 0));
	}
	tl_xtrace_code_load(code, 0, s->sp);
	tl_xtrace_code_put(code, tl_xtrace_op_add(31, 0, 0));
	tl_xtrace_code_load(code, 30, s->entry);
	tl_xtrace_code_put(code, tl_xtrace_op_br(30));
}

/* ---- threads ---- */

/* The way into a thread's slice. */
static void put_thread(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s,
		       size_t thread, size_t no_vectors)
{
	put_vector_state(code, &s->threads[thread], s->scalable, no_vectors);
	put_registers(code, &s->threads[thread]);
}

/* No thread begins, or ends, before all are there. */
static void put_start(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	size_t again;

	tl_xtrace_code_load(code, 3, s->started);
	again = code->count;
	tl_xtrace_code_put(code, TL_XTRACE_YIELD);
	tl_xtrace_code_put(code, tl_xtrace_op_ldar(6, 3));
	tl_xtrace_code_put(code, tl_xtrace_op_cbz(6, tl_xtrace_code_to(code, again)));
}

static void put_all_started(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s)
{
	tl_xtrace_code_load(code, 3, s->started);
	tl_xtrace_code_put(code, tl_xtrace_op_movz(6, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_stlr(6, 3));
}

/* A stack is asked for, and not used. */
static void put_other_thread(struct tl_xtrace_code *code, const struct tl_xtrace_startup *s,
			     size_t thread, size_t no_vectors, size_t no_thread)
{
	size_t is_parent;

	tl_xtrace_code_load(code, 0, CLONE_FLAGS);
	tl_xtrace_code_load(code, 1, s->threads[thread].vectors);
	for (unsigned i = 2; i < 5; i++)
		tl_xtrace_code_put(code, tl_xtrace_op_movz(i, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_movz(8, SYS_CLONE));
	tl_xtrace_code_put(code, TL_XTRACE_SVC_0);
	tl_xtrace_code_put(code, tl_xtrace_op_tbnz_sign(0, tl_xtrace_code_to(code, no_thread)));
	is_parent = put_later(code);
	put_start(code, s);
	put_thread(code, s, thread, no_vectors);
	settle(code, is_parent, tl_xtrace_op_cbnz(0, from(code, is_parent)));
}

void tl_xtrace_startup_put(struct tl_xtrace_code *code, struct tl_xtrace_startup *s)
{
	size_t no_map = put_complaint(code, s, TL_XTRACE_SAY_NO_MAP, TL_XTRACE_CANNOT_RUN);
	size_t no_vectors = put_complaint(code, s, TL_XTRACE_SAY_NO_VECTORS, TL_XTRACE_CANNOT_RUN);
	size_t no_thread = put_complaint(code, s, TL_XTRACE_SAY_NO_THREAD, TL_XTRACE_CANNOT_RUN);
	size_t astray = put_complaint(code, s, TL_XTRACE_SAY_ASTRAY, TL_XTRACE_WENT_ASTRAY);

	put_dispatch(code, s, astray);
	if (s->handlers)
		tl_xtrace_handlers_put(code, s);
	s->start = tl_xtrace_code_here(code);
	put_maps(code, s, no_map);
	put_copies(code, s);
	put_cache_upkeep(code, s);
	for (size_t i = 1; i < s->thread_count; i++)
		put_other_thread(code, s, i, no_vectors, no_thread);
	if (s->thread_count > 1)
		put_all_started(code, s);
	put_thread(code, s, 0, no_vectors);
	tl_xtrace_code_literals(code);
}
