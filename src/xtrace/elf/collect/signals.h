/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_COLLECT_SIGNALS_H
#define TL_XTRACE_COLLECT_SIGNALS_H
/*
 * Handlers of signals in a slice: where they begin and end, and with which registers. A break of
 * the PC is a handler's beginning if SP shows the frame that the kernel put below what was
 * interrupted (or on another stack), or if the handler returns to there; else a part is missing.
 */
#include "xtrace/elf/collect/inputs.h"
#include "xtrace/elf/replay.h"
#include "xtrace/state/stack_pointer.h"

/* More of them are handlers that never return: the oldest ones are given up. */
enum { TL_XTRACE_MOST_HANDLERS = 64 };

/* Words of a frame: X0 to X30, SP, PC, PSTATE. */
enum { TL_XTRACE_FRAME_PC = 32, TL_XTRACE_FRAME_PSTATE = 33, TL_XTRACE_FRAME_WORDS = 34 };

/* FPSR, FPCR, and V0 to V31 by halves, in the first record behind these, as bits of `status`. */
enum { TL_XTRACE_FRAME_FPSR = 1, TL_XTRACE_FRAME_FPCR = 2 };

/* A handler that began and has not returned. */
struct tl_xtrace_handler {
	uint64_t signal; /* its number in the replay; TL_NOWHERE: the slot is free */
	uint64_t event;
	uint32_t slot;
	uint64_t from, target; /* the instruction that it interrupts, and where that leads */
	uint64_t near;         /* an address of its stack */
	uint64_t frame;        /* 0: not known */
	struct tl_xtrace_sp stack;
	uint64_t offset, record; /* where it begins, for messages */
	bool proven;
	bool predicated; /* the instruction may have executed without an access */
	/* What it stored to its frame: words, as bits; something that does not come back. */
	uint64_t changed, words[TL_XTRACE_FRAME_WORDS];
	uint64_t changed_halves, halves[TL_XTRACE_REPLAY_HALVES];
	unsigned changed_status; /* bits as above */
	uint32_t status[2];      /* FPSR, FPCR */
	bool spoiled;
};

struct tl_xtrace_handlers {
	struct tl_xtrace_handler list[TL_XTRACE_MOST_HANDLERS];
	size_t count;
	struct tl_xtrace_inputs inputs; /* of handler number `innermost`, if there is one */
	size_t innermost;               /* TL_XTRACE_MOST_HANDLERS: none */
	uint32_t snapshot;              /* the next one of the stream */
};

#endif
