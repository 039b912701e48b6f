/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STARTUP_H
#define TL_XTRACE_STARTUP_H
/*
 * The code of a slice's program that is not the slice's: it lays out memory and registers, and
 * carries out events. It uses no stack, as pages of the slice may be where that is.
 */
#include "xtrace/elf/code.h"

/* Messages, by number: address and size in the program. */
enum tl_xtrace_message {
	TL_XTRACE_SAY_NO_MAP,
	TL_XTRACE_SAY_NO_VECTORS,
	TL_XTRACE_SAY_NO_THREAD,
	TL_XTRACE_SAY_ASTRAY,
	TL_XTRACE_MESSAGES
};

/* What a thread begins with. */
struct tl_xtrace_startup_thread {
	uint64_t vectors; /* Z0 to Z31, P0 to P15, FFR, each in its size */
	uint64_t entry;   /* the way into the slice */
	uint64_t sp, fpcr, fpsr, nzcv, thread_id;
	uint32_t vector_bytes;
};

/* Where things are in the program. */
struct tl_xtrace_startup {
	uint64_t maps;   /* address, size, protection of each; a size of 0 ends them */
	uint64_t copies; /* address and size of each; a size of 0 ends them */
	uint64_t pages;  /* their bytes */
	struct tl_xtrace_startup_thread *threads;
	size_t thread_count;
	uint64_t started; /* address of a word that is 0 until all threads are there */
	uint64_t messages[TL_XTRACE_MESSAGES], message_sizes[TL_XTRACE_MESSAGES];
	bool scalable;         /* the slice has SVE instructions */
	bool handlers;         /* and handlers of signals */
	uint32_t vector_bytes; /* the most that a thread has */
	/* made: */
	uint64_t start, dispatch;
	uint64_t signal_begins, signal_ends;
};

/* handlers.c: the code for the beginning and the end of a signal's handler. */
void tl_xtrace_handlers_put(struct tl_xtrace_code *code, struct tl_xtrace_startup *s);

void tl_xtrace_startup_put(struct tl_xtrace_code *code, struct tl_xtrace_startup *s);

#endif
