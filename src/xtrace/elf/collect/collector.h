/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_COLLECTOR_H
#define TL_XTRACE_COLLECTOR_H
/* What the files share that walk over a slice and learn what its program needs (collect.c). */
#include "xtrace/elf/collect/order.h"
#include "xtrace/elf/collect/signals.h"
#include "xtrace/elf/context.h"
#include "xtrace/format/walk.h"
#include "xtrace/state/stack_pointer.h"

/* The instruction whose tokens are being read. */
struct tl_xtrace_present {
	struct tl_a64 insn;
	enum tl_xtrace_rewrite rewrite;
	uint64_t pc, offset;
	uint64_t execution;       /* of this PC, from 1 */
	uint64_t *count;          /* where that is counted */
	uint64_t target;          /* TL_NOWHERE: not told */
	uint64_t event;           /* of SOME */
	bool any, stored;         /* there is one; the slice itself wrote it */
	bool has_value, reserved; /* of MRS; a load exclusive came before */
	bool accessed;            /* first at `address` */
	uint64_t address;
	/* In a handler whose inputs are looked for: bytes that it stored, and those it loaded. */
	uint32_t stored_bytes, loaded_bytes;
	uint8_t loaded[16];
};

/* Of one thread. */
struct tl_xtrace_collector {
	struct tl_xtrace_replay *replay;
	const struct tl_xtrace_slice_part *part;
	uint32_t thread;
	struct tl_xtrace_replay_thread *counts;
	struct tl_xtrace_order *order;       /* NULL: there is one thread */
	struct tl_xtrace_sp stack;           /* of several */
	uint64_t near_stack;                 /* of the last access relative to SP */
	struct tl_xtrace_handlers *handlers; /* NULL: there was no signal */
	bool accessed, timed;                /* there was an access; there was a TIME */
	bool signs;                          /* pointers, whose signatures the program has not */
	struct tl_xtrace_walk walk;
	size_t segment;
	bool over;
	struct tl_xtrace_present now;
	struct {
		uint64_t event;   /* of the last system call; TL_NOWHERE: none */
		bool open;        /* its result is still to come */
		bool sets_length; /* of vectors */
		unsigned arguments;
	} call;
	const char *refused; /* by tl_xtrace_changed_fn */
	struct tl_error *err;
	struct tl_a64_cache *cache;
};

/* ---- event.c. False: see tl_xtrace_collect_no_room() ---- */

/* The number of the present instruction in its stream. */
uint64_t tl_xtrace_collect_record(const struct tl_xtrace_collector *c);
/* The slice cannot be a program, for this reason, at the present instruction. Negative. */
int tl_xtrace_collect_refuse(struct tl_xtrace_collector *c, const char *text);
/* After a function of replay.h or image.h failed: the slice is refused, or no memory. Negative. */
int tl_xtrace_collect_no_room(struct tl_xtrace_collector *c);

/* An event of the present instruction; TL_NOWHERE: as above. */
uint64_t tl_xtrace_collect_event_here(struct tl_xtrace_collector *c);
/* An event of the present instruction, with its flags and result. */
bool tl_xtrace_collect_event(struct tl_xtrace_collector *c, uint32_t flags, uint64_t result);

/* ---- tokens.c ---- */

/* tl_xtrace_changed_fn of a collector. */
bool tl_xtrace_collect_changed(void *arg, uint64_t address, uint8_t value, bool by_call);
/* Several threads: the thread's progress, if another one waits for what was done up to here. */
bool tl_xtrace_collect_post(struct tl_xtrace_collector *c);
/* Several threads: SP behind the present instruction. */
bool tl_xtrace_collect_follow_stack(struct tl_xtrace_collector *c);
/* The present instruction is a system call, or one of which the trace tells how much it loads. */
bool tl_xtrace_collect_begin_call(struct tl_xtrace_collector *c);
bool tl_xtrace_collect_begin_some(struct tl_xtrace_collector *c);
/*
 * The present instruction comes again, as it faulted or was interrupted: in the program it runs
 * once. Its event is found again, as it is that of the same execution.
 */
void tl_xtrace_collect_take_back(struct tl_xtrace_collector *c);
/* A token of the present instruction. */
bool tl_xtrace_collect_token(struct tl_xtrace_collector *c, const struct tl_xtrace_walk *w,
			     enum tl_xtrace_kind kind);

/* ---- signals.c ---- */

/*
 * The present instruction is followed by one at `pc`, where it does not lead: a handler begins
 * there, or ended. 0; negative: refused.
 */
int tl_xtrace_collect_break(struct tl_xtrace_collector *c, uint64_t pc);
/* Whether such a break, at the end of the slice, is a handler's. */
bool tl_xtrace_collect_breaks_at_end(struct tl_xtrace_collector *c, uint64_t offset);
/*
 * What shows the registers that a handler began with: an access; a register's value; the present
 * instruction is whole; the next one is at a place of the stream. False without memory.
 */
bool tl_xtrace_collect_handler_access(struct tl_xtrace_collector *c,
				      const struct tl_xtrace_seen_access *seen);
bool tl_xtrace_collect_handler_value(struct tl_xtrace_collector *c, unsigned reg, uint64_t value);
void tl_xtrace_collect_handler_step(struct tl_xtrace_collector *c);
bool tl_xtrace_collect_handler_place(struct tl_xtrace_collector *c, uint64_t offset);
/* An access, which may be to the frame of any that has not returned. False without memory. */
bool tl_xtrace_collect_frame_access(struct tl_xtrace_collector *c,
				    const struct tl_xtrace_seen_access *seen);
void tl_xtrace_collect_free_handlers(struct tl_xtrace_collector *c);
/*
 * resume.c: a handler ends here, and goes on at `pc`, that began before the slice. The registers of
 * what it interrupted are a slot's, if all that the slice needs of them is found in the trace. 0;
 * negative: refused. `handler`: its frame, whose contents are the caller's to free; `sp`: that of
 * what it interrupted.
 */
int tl_xtrace_collect_resume(struct tl_xtrace_collector *c, uint64_t pc, uint32_t *slot,
			     struct tl_xtrace_handler *handler, uint64_t *sp);
/*
 * vector_rule.c: the last signal of the replay, with which a handler ends at the present
 * instruction, has changes of a rule. What comes behind may tell which is the trace's.
 */
void tl_xtrace_collect_vector_rule(struct tl_xtrace_collector *c);
/*
 * numbers.c: signals whose handlers ask for their numbers, which nothing in the slice shows: as
 * rt_sigaction() was called, anywhere in the trace. False without memory.
 */
bool tl_xtrace_collect_numbers(struct tl_xtrace_replay *replay, struct tl_xtrace_trace *trace);
/*
 * lengths.c: a slice with SVE instructions is refused whose thread has another length of vectors
 * than its snapshots have, or may have. 0, or negative.
 */
int tl_xtrace_collect_lengths(const struct tl_xtrace_replay *replay,
			      const struct tl_xtrace_slice_part *parts, struct tl_error *err);
/* The slice is over: 0; negative: what was taken for a handler cannot be told from a gap. */
int tl_xtrace_collect_handlers_over(struct tl_xtrace_collector *c);
/* All threads are over: 0; negative: a handler changed what is not told how it comes back. */
int tl_xtrace_collect_vectors_over(struct tl_xtrace_replay *replay, struct tl_error *err);

/* ---- end.c ---- */

/* The program stops where it comes to `pc` as often as the slice did, and once more. */
int tl_xtrace_collect_stop(struct tl_xtrace_collector *c, uint64_t pc);

/* Whether the present instruction can lead to `pc`. */
bool tl_xtrace_collect_may_follow(const struct tl_xtrace_present *p, uint64_t pc);
/*
 * The slice is over: the program is to stop behind the present instruction. `next`: the one that
 * follows in the trace; TL_NOWHERE: none. 0, or negative.
 */
int tl_xtrace_collect_end(struct tl_xtrace_collector *c, uint64_t next);

#endif
