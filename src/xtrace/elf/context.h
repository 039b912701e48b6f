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
	TL_XTRACE_CONTEXT_BYTES = 192,
};

enum {
	TL_XTRACE_SITE_LEFT = 0, /* executions until the event */
	TL_XTRACE_SITE_EVENT = 8,
	TL_XTRACE_SITE_OTHER = 16, /* address: where to go on at events with OTHER */
	TL_XTRACE_SITE_BYTES = 32,
};

/*
 * An event: executions until the next one of its site (0: none), flags, result, expected X8, number
 * of patches; a patch: address, size, bytes up to a multiple of 8.
 */
enum { TL_XTRACE_EVENT_BYTES = 40, TL_XTRACE_PATCH_BYTES = 16 };

enum {
	TL_XTRACE_EVENT_CALL = 1,  /* the result is X0's */
	TL_XTRACE_EVENT_CHECK = 2, /* X8 has to be as expected */
	TL_XTRACE_EVENT_OTHER = 4, /* the site goes on at its other place */
	TL_XTRACE_EVENT_STOP = 8,  /* the slice ends here */
	TL_XTRACE_EVENT_LOST = 16, /* the slice has left its way */
};

/* X0, X1, X2 as they were; X0 is the context. */
static inline void tl_xtrace_put_saved(struct tl_xtrace_code *code)
{
	tl_xtrace_code_put(code, tl_xtrace_op_ldp(1, 2, 0, TL_XTRACE_SAVED_1));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(0, 0, TL_XTRACE_SAVED_0));
}

/* Exit status of the program. */
enum { TL_XTRACE_ARRIVED = 0, TL_XTRACE_WENT_ASTRAY = 1, TL_XTRACE_CANNOT_RUN = 2 };

#endif
