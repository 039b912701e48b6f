/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CONTEXT_H
#define TL_XTRACE_CONTEXT_H
/*
 * The data of a slice's program that its own code works with: offsets in bytes, and bits.
 *
 * The context: registers of the slice while our code runs, and what an event hands over. A site: a
 * rewritten instruction; it counts how often control comes there until its next event. An event:
 * one execution of a site at which something comes from outside.
 */
#include "xtrace/elf/code.h"
#include "xtrace/elf/words.h"

enum {
	TL_XTRACE_SAVED_0 = 0, /* X0, X1, ... X6 */
	TL_XTRACE_SAVED_1 = 8,
	TL_XTRACE_SAVED_3 = 24,
	TL_XTRACE_SAVED_5 = 40,
	TL_XTRACE_RESUME = 56,    /* address: where the site goes on */
	TL_XTRACE_DISPATCH = 64,  /* address of the code that carries out events */
	TL_XTRACE_RESULT = 72,    /* of the last event */
	TL_XTRACE_THREAD_ID = 80, /* TPIDR_EL0 */
	TL_XTRACE_FLAGS_SAVED = 88,
	TL_XTRACE_PREDICATES = 96, /* three, of up to 32 bytes */
	/* what the thread has done that others wait for; TL_XTRACE_PROGRESS_OVER: all */
	TL_XTRACE_PROGRESS = 192,
	/* of the first thread of several: address of the waits for all others' ends; else 0 */
	TL_XTRACE_OTHERS = 200,
	TL_XTRACE_STARTED = 208, /* of the first thread: 1 when all threads are there */
	/* of signals (handlers.c): addresses of the present one's record, of the code for its
	 * beginning and its end, of the way to where it goes on; X30 there */
	TL_XTRACE_SIGNAL = 216,
	TL_XTRACE_SIGNAL_BEGINS = 224,
	TL_XTRACE_SIGNAL_ENDS = 232,
	TL_XTRACE_LANDING = 240,
	TL_XTRACE_LINK = 248,
	TL_XTRACE_BLOCK = 256, /* X0 to X30 and SP of the handler */
	TL_XTRACE_CONTEXT_BYTES = 512,
};

/*
 * A slot: what a handler interrupted. X0 to X30, SP, NZCV as struct tl_xtrace_replay_signal counts
 * them, then FPCR, FPSR, and the vectors, predicates and FFR, each in its size.
 */
enum {
	TL_XTRACE_SLOT_SP = 248,
	TL_XTRACE_SLOT_NZCV = 256,
	TL_XTRACE_SLOT_FPCR = 264,
	TL_XTRACE_SLOT_FPSR = 272,
	TL_XTRACE_SLOT_VECTORS = 288,
};

#define TL_XTRACE_PROGRESS_OVER (UINT64_C(1) << 62)

/* The page of SP, of which so many bits count, is a thread's. */
enum { TL_XTRACE_STACK_BITS = 17, TL_XTRACE_STACK_PAGE = 12 };

/*
 * Where threads have their contexts, one behind the other, each with its sites' data: the context
 * of a thread is at the place of its stack in a table of addresses.
 */
struct tl_xtrace_context_table {
	uint64_t first, bytes; /* address of the first one; bytes of each */
	uint32_t stacks;       /* bits 47 to 32 of the table's address; 0: there is one thread */
};

/* Xt becomes the address of the thread's context. No other register, nor a flag, is used. */
static inline void tl_xtrace_put_context(struct tl_xtrace_code *code, unsigned rt,
					 const struct tl_xtrace_context_table *contexts)
{
	if (!contexts->stacks) {
		tl_xtrace_code_load(code, rt, contexts->first);
		return;
	}
	tl_xtrace_code_put(code, tl_xtrace_op_add(rt, 31, 0));
	tl_xtrace_code_put(code,
			   tl_xtrace_op_ubfx(rt, rt, TL_XTRACE_STACK_PAGE, TL_XTRACE_STACK_BITS));
	tl_xtrace_code_put(code, tl_xtrace_op_lsl(rt, rt, 3));
	tl_xtrace_code_put(code, tl_xtrace_op_movk_32(rt, contexts->stacks));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(rt, rt, 0));
}

enum {
	TL_XTRACE_SITE_LEFT = 0, /* executions until the event */
	TL_XTRACE_SITE_EVENT = 8,
	TL_XTRACE_SITE_OTHER = 16, /* address: where to go on at events with OTHER */
	TL_XTRACE_SITE_BYTES = 32,
};

/*
 * An event: executions until the next one of its site (0: none), flags, [order, signal,] result,
 * expected X8, number of patches; a patch: address, size, bytes up to a multiple of 8. The order:
 * what the thread's progress becomes (0: nothing new), then waits: address of a progress and what
 * it has to be at least; an address of 0 ends them. The signal: address of its record, and where
 * the site goes on (0: a handler ends).
 *
 * The record of a signal: address of its slot, of the way to where it goes on, then registers that
 * change: place in the slot and value; a negative place ends them. Then, likewise, bytes that do;
 * with the negative place the address of the record of a handler that begins there, or 0.
 */
enum {
	TL_XTRACE_EVENT_BYTES = 40,
	TL_XTRACE_ORDER_BYTES = 24,
	TL_XTRACE_WAIT_BYTES = 16,
	TL_XTRACE_SIGNAL_BYTES = 16,
	TL_XTRACE_RECORD_BYTES = 16 + 16 * (35 + 2), /* at most */
	TL_XTRACE_CHANGE_BYTES = 16 * 8,
	TL_XTRACE_PATCH_BYTES = 16
};

enum {
	TL_XTRACE_EVENT_CALL = 1,    /* the result is X0's */
	TL_XTRACE_EVENT_CHECK = 2,   /* X8 has to be as expected */
	TL_XTRACE_EVENT_OTHER = 4,   /* the site goes on at its other place */
	TL_XTRACE_EVENT_STOP = 8,    /* the slice ends here */
	TL_XTRACE_EVENT_LOST = 16,   /* the slice has left its way */
	TL_XTRACE_EVENT_ORDER = 32,  /* there is an order with other threads */
	TL_XTRACE_EVENT_SIGNAL = 64, /* a handler begins or ends */
};

/*
 * X0 becomes the context, with X0 to X2 in it. No register is free at first: TPIDR_EL0, whose value
 * is known, keeps X0 until there is an address to save it at. Flags are not touched.
 */
static inline void tl_xtrace_put_save(struct tl_xtrace_code *code,
				      const struct tl_xtrace_context_table *contexts)
{
	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, 0));
	tl_xtrace_put_context(code, 0, contexts);
	tl_xtrace_code_put(code, tl_xtrace_op_stp(1, 2, 0, TL_XTRACE_SAVED_1));
	tl_xtrace_code_put(code, tl_xtrace_op_mrs(1, TL_XTRACE_SYS_TPIDR));
	tl_xtrace_code_put(code, tl_xtrace_op_str(1, 0, TL_XTRACE_SAVED_0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(1, 0, TL_XTRACE_THREAD_ID));
	tl_xtrace_code_put(code, tl_xtrace_op_msr(TL_XTRACE_SYS_TPIDR, 1));
}

/* X0, X1, X2 as they were; X0 is the context. */
static inline void tl_xtrace_put_saved(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ldp(1, 2, 0, TL_XTRACE_SAVED_1));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(0, 0, TL_XTRACE_SAVED_0));
}

/* Exit status of the program. */
enum { TL_XTRACE_ARRIVED = 0, TL_XTRACE_WENT_ASTRAY = 1, TL_XTRACE_CANNOT_RUN = 2 };

#endif
