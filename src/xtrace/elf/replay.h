/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_REPLAY_H
#define TL_XTRACE_REPLAY_H
/*
 * What a slice's program has to know beside memory and registers: the instructions that are
 * rewritten (sites), and the executions of them at which something comes from outside (events): the
 * kernel, or another thread's access that has to be done before.
 */
#include "xtrace/elf/image.h"
#include "xtrace/elf/rewrite.h"
#include "xtrace/format/trace.h"

struct tl_xtrace_site {
	uint64_t pc;
	uint32_t opcode;
	enum tl_xtrace_rewrite rewrite;
	uint64_t events;  /* how many it has, of all threads */
	bool decides;     /* a store exclusive: an event may say its status */
	bool interrupted; /* handlers of signals begin there */
	/* islands.c: addresses of its code; 0: a word in its place does */
	uint64_t entry, other;
	uint64_t behind, before; /* for the handler instead of going on, or of executing it */
	uint64_t first_event;    /* program.c: address */
};

struct tl_xtrace_event {
	uint32_t site, flags;
	uint64_t execution; /* of the site by the thread, from 1 */
	uint64_t result, expected;
	uint64_t post; /* what the thread's progress becomes first; 0: nothing */
	uint32_t thread;
	uint64_t signal; /* of those with TL_XTRACE_EVENT_SIGNAL: its number */
};

/* General registers of a thread, SP, and NZCV, FPCR and FPSR as MRS has them. */
enum {
	TL_XTRACE_REPLAY_SP = 31,
	TL_XTRACE_REPLAY_NZCV = 32,
	TL_XTRACE_REPLAY_FPCR = 33,
	TL_XTRACE_REPLAY_FPSR = 34,
	TL_XTRACE_REPLAY_REGISTERS = 35,
};

/*
 * The lower 128 bits of Z0 to Z31 are in two records of a handler's frame. Which of them comes back
 * is not the same in all kernels.
 */
enum tl_xtrace_vector_rule {
	TL_XTRACE_ANY_RULE,   /* of a change: both have it; of a trace: it is not known */
	TL_XTRACE_SHORT_RULE, /* that of V0 to V31: Linux */
	TL_XTRACE_LONG_RULE,  /* that of Z0 to Z31: QEMU */
};

enum tl_xtrace_change_kind {
	TL_XTRACE_CHANGE_GENERAL,    /* as struct tl_xtrace_replay_signal counts them, of 8 bytes */
	TL_XTRACE_CHANGE_VECTORS,    /* Z0 to Z31, each in its length */
	TL_XTRACE_CHANGE_PREDICATES, /* P0 to P15 and FFR, likewise */
};

/* Bytes of a slot that a handler changed, in 8 of them. */
struct tl_xtrace_replay_change {
	uint8_t kind, rule; /* enums as above; if it is the trace's rule */
	uint8_t bytes;      /* which, as bits */
	uint32_t place;     /* of the first of the 8, among those of the kind */
	uint64_t value;
};

/*
 * A handler begins, or ends. At its beginning all registers are kept in a slot, and some have other
 * values in the handler; at its end they are what is in the slot, but for some that it changed.
 */
struct tl_xtrace_replay_signal {
	uint64_t pc; /* where control goes */
	uint32_t slot;
	bool ends;
	bool before;    /* the instruction that it interrupts is not executed */
	bool asked;     /* the handler reads its number, X0 */
	uint64_t known; /* the others, as bits */
	uint64_t values[TL_XTRACE_REPLAY_REGISTERS];
	size_t first_change, change_count; /* of the replay's: what else a handler changed */
	/* Another handler begins right where it ends, in the same slot: its number; 0: none. */
	size_t next;
	uint64_t landing; /* islands.c: address of the way to `pc` */
	uint64_t record;  /* program.c: address of what the program knows of it */
	size_t link;      /* program.c: where the one before it has this address, in the data */
};

/* Of all signals, in their order. */
struct tl_xtrace_replay_changes {
	struct tl_xtrace_replay_change *list;
	size_t count, capacity;
	enum tl_xtrace_vector_rule rule; /* of the trace, as far as it is known */
	unsigned tries;                  /* handlers whose end may have shown it */
};

/* Z0 to Z31, P0 to P15 and FFR, of which so many bytes of each Z count. */
struct tl_xtrace_replay_vectors {
	uint32_t bytes;
	uint8_t z[32][256], p[17][32];
};

/* What a handler interrupted that began before the slice: in its slot from the beginning on. */
struct tl_xtrace_replay_resumed {
	uint32_t slot;
	uint64_t values[TL_XTRACE_REPLAY_REGISTERS];
	struct tl_xtrace_replay_vectors vectors;
};

struct tl_xtrace_replay_slots {
	uint32_t count;
	struct tl_xtrace_replay_resumed *resumed;
	size_t resumed_count, resumed_capacity;
};

/* Bytes that were written from outside. */
struct tl_xtrace_patch {
	uint64_t event, address, size, data; /* `data`: where they are in `bytes` */
};

/* The event waits until the progress of another thread is as far. */
struct tl_xtrace_wait {
	uint64_t event, progress;
	uint32_t thread;
};

struct tl_xtrace_replay_thread {
	struct tl_xtrace_snapshot begin;
	uint64_t first_pc;
	uint64_t last_event;   /* TL_NOWHERE: none */
	uint64_t instructions; /* executed; those that faulted and came again count once */
	uint64_t faulted;
};

struct tl_xtrace_replay {
	struct tl_xtrace_image image;
	struct tl_xtrace_replay_thread *threads;
	size_t thread_count;
	struct tl_xtrace_pages stacks; /* of several threads: stacks.c */
	struct tl_xtrace_site *sites;
	size_t site_count, site_capacity;
	struct tl_xtrace_event *events; /* of each thread in the order of execution */
	size_t event_count, event_capacity;
	struct tl_xtrace_wait *waits;
	size_t wait_count, wait_capacity;
	struct tl_xtrace_replay_signal *signals;
	size_t signal_count, signal_capacity;
	struct tl_xtrace_replay_changes changes;
	struct tl_xtrace_replay_slots slots; /* of signals, of all threads */
	struct tl_xtrace_patch *patches;
	size_t patch_count, patch_capacity;
	uint8_t *bytes;
	size_t byte_count, byte_capacity;
	bool scalable; /* SVE instructions are among them */
};

/* More bytes from outside are refused, and more threads. */
enum { TL_XTRACE_MOST_PATCHED = 1 << 29, TL_XTRACE_MOST_THREADS = 64 };

/* The site at a PC, made if need be; TL_NONE without memory. */
uint32_t tl_xtrace_replay_site(struct tl_xtrace_replay *replay, uint64_t pc, uint32_t opcode,
			       enum tl_xtrace_rewrite rewrite);
/*
 * An event at a thread's execution of a site; its last event if it is the same. TL_NOWHERE without
 * memory.
 */
uint64_t tl_xtrace_replay_event(struct tl_xtrace_replay *replay, uint32_t thread, uint32_t site,
				uint64_t execution);
/* stacks.c: a thread of several has SP there. False without memory. */
bool tl_xtrace_replay_stack(struct tl_xtrace_replay *replay, uint32_t thread, uint64_t sp);
/* False without memory. */
bool tl_xtrace_replay_wait(struct tl_xtrace_replay *replay, const struct tl_xtrace_wait *wait);
/* A signal at an event, zero-filled but for its `pc`. Its number; TL_NOWHERE without memory. */
uint64_t tl_xtrace_replay_signal(struct tl_xtrace_replay *replay, uint64_t event, uint64_t pc);
/* One that begins where another one ends, likewise. */
uint64_t tl_xtrace_replay_next_signal(struct tl_xtrace_replay *replay, uint64_t signal,
				      uint64_t pc);
/* A byte is written at an event. False without memory, or beyond the most. */
bool tl_xtrace_replay_patch(struct tl_xtrace_replay *replay, uint64_t event, uint64_t address,
			    uint8_t value);
void tl_xtrace_replay_free(struct tl_xtrace_replay *replay);

/* The part of a stream that runs. */
struct tl_xtrace_slice_part {
	struct tl_xtrace_trace *trace;
	uint32_t stream;
	struct tl_xtrace_snapshot begin;
	uint32_t first_snapshot; /* its number */
	uint64_t end_byte;       /* of the stream */
	uint64_t most;           /* instructions */
	uint64_t first_ordinal;  /* of the first instruction in its stream, for messages */
};

/*
 * Walk over the parts, which are of a stream each, and learn what they need; of several in the
 * order of TIME. `replay` is zero-filled. 0; TL_UNSUPPORTED with a text and its place for what
 * cannot run; TL_NO_MEMORY.
 */
int tl_xtrace_replay_collect(struct tl_xtrace_replay *replay,
			     const struct tl_xtrace_slice_part *parts, size_t count,
			     struct tl_error *err);

#endif
