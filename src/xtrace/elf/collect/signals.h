/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_COLLECT_SIGNALS_H
#define TL_XTRACE_COLLECT_SIGNALS_H
/*
 * Handlers of signals in a slice: where they begin and end, and with which registers. A break of
 * the PC is a handler's beginning if SP shows the frame that the kernel put below what was
 * interrupted (or on another stack), or if the handler returns to there; else a part is missing.
 */
#include "xtrace/elf/frame/frame.h"
#include "xtrace/elf/collect/inputs.h"
#include "xtrace/state/stack_pointer.h"

/* More of them are handlers that never return: the oldest ones are given up. */
enum { TL_XTRACE_MOST_HANDLERS = 64 };

/* A handler that began and has not returned. */
struct tl_xtrace_handler {
	uint64_t signal; /* its number in the replay; TL_NOWHERE: the slot is free */
	/* Of what it interrupted: where it began itself, or the one that it follows. */
	uint64_t interruption, event;
	uint32_t slot;
	uint64_t from, target; /* the instruction that it interrupts, and where that leads */
	uint64_t near;         /* an address of its stack */
	uint64_t frame;        /* 0: not known */
	struct tl_xtrace_sp stack;
	uint64_t offset, record; /* where it begins, for messages */
	bool proven;
	bool predicated; /* the instruction may have executed without an access */
	struct tl_xtrace_signal_frame contents; /* of its frame */
};

struct tl_xtrace_handlers {
	struct tl_xtrace_handler list[TL_XTRACE_MOST_HANDLERS];
	size_t count;
	struct tl_xtrace_inputs inputs; /* of handler number `innermost`, if there is one */
	size_t innermost;               /* TL_XTRACE_MOST_HANDLERS: none */
	uint32_t snapshot;              /* the next one of the stream */
};

#endif
