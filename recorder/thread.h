/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_THREAD_H
#define RECORDER_THREAD_H
/*
 * A thread: its log and its open calls, and the fast way of a record.
 *
 * The log is a file of the thread's own, of which a window is mapped. A window is a buffer of the
 * XRay FDR format (docs/formats/xray.md 2.4) whose BufferExtents are written with every record, so
 * that the file is valid at every instant. Only the thread itself writes; what can come in between
 * is a signal handler with records of its own:
 *   a place is reserved by one instruction, so each record has its own;
 *   a delta is worked out when the place is reserved, so that deltas add up in the order of places;
 *   a frame counts before it is filled (its sp is 0 then), and is emptied before it goes.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "runtime.h"

enum { RT_FUNCTION_BYTES = 8, RT_METADATA_BYTES = 16, RT_BLOCK_HEAD = 64, RT_OLD_WINDOWS = 4 };
enum rt_action { RT_ENTER = 0, RT_EXIT = 1, RT_TAIL_EXIT = 2, RT_ENTER_ARGUMENT = 3 };

struct rt_frame {
	uint64_t sp;   /* grows towards the callers; 0: being filled */
	uint64_t back; /* where the call returns to, if that was changed */
	uint32_t id;
	bool recorded; /* the call is in the log, and so will be its end */
	/* for the threshold: the clock at the entry and before it, and the place behind its record
	 */
	uint64_t entered, before;
	uint8_t *behind;
};

/* A place on the stack where a return address was put back, aarch64/hide.c. */
struct rt_slot {
	uintptr_t *at, hidden, shown;
};

#if defined(__aarch64__)
enum { RT_SLOTS = 1 << 16 };
#else
enum { RT_SLOTS = 0 };
#endif

/* Emptied by the kernel in the child of a fork(), however it was made (MADV_WIPEONFORK). */
struct rt_log {
	uint8_t *pos, *end; /* the next record, the end of the window */
	uint64_t last;      /* clock of the last record */
	uint8_t *block;     /* what BufferExtents counts from */
	uint8_t *map;       /* the mapping of the window */
	size_t map_bytes;
	/* windows before it: what a handler interrupted may still have a record to write there */
	struct {
		uint8_t *map, *block;
		size_t bytes;
		uint64_t used; /* what its extents say */
	} old[RT_OLD_WINDOWS];
	uint64_t map_offset; /* in the file */
	uint64_t window, next_size;
	uint64_t number; /* of the file */
	int32_t tid;
	bool begun, full; /* full: no room for more, all records are lost */
};

struct rt_thread {
	struct rt_log *log;
	/* the object of the last call, and the generation it belongs to */
	uintptr_t object_start;
	uint64_t object_size;
	uint32_t object_first, generation;
	bool tsc;
	bool disowned; /* the open calls became those of another process just now */
	struct rt_frame *frames, *top, *limit, *deepest;
	uint64_t over;                   /* open calls beyond `limit` */
	uintptr_t stack_low, stack_high; /* the thread's own stack */
	uint64_t threshold;
	struct rt_slot *slots;
	uint32_t slot_count;
	uint32_t ends; /* how often the thread's end has been put off */
};

extern __thread struct rt_thread *rt_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* thread.c; all of these keep the vector registers */
struct rt_thread *rt_thread_begin(void);
/* Make room for a record of `bytes`. False: it is lost. */
bool rt_window(struct rt_thread *t, size_t bytes);
/* The clock moved too far for a delta, or back. */
void rt_step(struct rt_thread *t, uint64_t *now);
/* Frames that were left without an exit: write their exits. */
void rt_close_left(struct rt_thread *t, uint64_t sp);
uint32_t rt_find_id(struct rt_thread *t, uintptr_t address);
/* A metadata record with `payload_size` bytes of event data behind it. */
void rt_put_event(struct rt_thread *t, const uint8_t record[RT_METADATA_BYTES], const void *payload,
		  size_t payload_size);
/* An exit of a function that is not the innermost. */
void rt_leave_other(struct rt_thread *t, uint32_t id, enum rt_action action);
bool rt_on_own_stack(const struct rt_thread *t, uint64_t sp);

static inline uint64_t rt_clock(bool tsc)
{
	struct timespec now;

#if defined(__x86_64__)
	if (tsc)
		return __builtin_ia32_rdtsc();
#else
	(void)tsc;
#endif
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Reserve `bytes`, by one instruction: what a signal handler reserves is before or behind it. */
static inline uint8_t *rt_reserve(struct rt_log *log, uint64_t bytes)
{
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(log->pos)::"cc");
	return (uint8_t *)bytes;
#else
	return (uint8_t *)__atomic_fetch_add((uintptr_t *)&log->pos, bytes, __ATOMIC_RELAXED);
#endif
}

/* What a signal handler may change at every instant, with all that it says together. */
#define RT_NOW(field) (*(__typeof__(field) volatile *)&(field))

/* A handler went on to another window: the extents of the one before are what it made of them. */
void rt_mend_extents(const struct rt_log *log, uint8_t *block);

static inline void rt_extend(struct rt_log *log)
{
	uint8_t *block, *pos;

	for (;;) {
		uint64_t bytes;

		block = RT_NOW(log->block);
		pos = RT_NOW(log->pos);
		bytes = (uint64_t)(pos - block);
		/* The record must be there when the extents say so. */
		__asm__ volatile("" ::: "memory");
		memcpy(block - 15, &bytes, sizeof(bytes));
		__asm__ volatile("" ::: "memory");
		if (__builtin_expect(RT_NOW(log->pos) == pos && RT_NOW(log->block) == block, 1))
			return;
		if (RT_NOW(log->block) != block)
			rt_mend_extents(log, block);
	}
}

/* Whether a place that was reserved is in the present window, whose first records are metadata. */
static inline bool rt_in_window(const struct rt_log *log, const uint8_t *at)
{
	const uint8_t *block, *end;

	do {
		block = RT_NOW(log->block);
		end = RT_NOW(log->end);
	} while (block != RT_NOW(log->block));
	return log->begun && at >= block + RT_BLOCK_HEAD && at + RT_FUNCTION_BYTES <= end;
}

/* False: the record is lost. */
static inline bool rt_put(struct rt_thread *t, enum rt_action action, uint32_t id)
{
	struct rt_log *log = t->log;
	uint64_t now, delta, word;
	uint8_t *at, *block, *end;

	for (;;) {
		now = rt_clock(t->tsc);
		if (__builtin_expect((now - log->last) >> 31 != 0, 0))
			rt_step(t, &now);
		/* A signal handler may go on to another window before or behind the next step. */
		block = RT_NOW(log->block);
		end = RT_NOW(log->end);
		at = rt_reserve(log, RT_FUNCTION_BYTES);
		if (__builtin_expect(at >= block && at + RT_FUNCTION_BYTES <= end, 1))
			break;
		if (rt_in_window(log, at))
			break;
		if (!rt_window(t, RT_FUNCTION_BYTES))
			return false;
		/* The end of a call that the process before the fork began. */
		if (t->disowned && (action == RT_EXIT || action == RT_TAIL_EXIT)) {
			t->disowned = false;
			return false;
		}
		t->disowned = false;
	}
	delta = now - log->last;
	/* A signal handler has written a record since. */
	if (__builtin_expect(delta >> 31 != 0, 0)) {
		delta = 0;
		now = log->last;
	}
	log->last = now;
	word = (uint64_t)id << 4 | (uint64_t)action << 1 | delta << 32;
	memcpy(at, &word, sizeof(word));
	rt_extend(log);
	return true;
}

static inline struct rt_thread *rt_thread(void)
{
	struct rt_thread *t = rt_self;

	if (__builtin_expect(t != NULL, 1))
		return t;
	return rt.mode == RT_OFF ? NULL : rt_thread_begin();
}

static inline uint32_t rt_id(struct rt_thread *t, uintptr_t address)
{
	uint64_t offset = address - t->object_start;

	if (__builtin_expect(offset < t->object_size && t->generation == rt.generation, 1))
		return t->object_first + (uint32_t)offset;
	return rt_find_id(t, address);
}

/* The top frame goes. */
static inline void rt_pop(struct rt_thread *t)
{
	t->top[-1].sp = 0;
	__asm__ volatile("" ::: "memory");
	t->top--;
}

/* An exit; if the call was shorter than the threshold and made no call that stays, it goes. */
static inline void rt_put_exit(struct rt_thread *t, const struct rt_frame *frame,
			       enum rt_action action)
{
	struct rt_log *log = t->log;

	if (!frame->recorded)
		return;
	if (__builtin_expect(t->threshold != 0, 0) && log->pos == frame->behind &&
	    rt_clock(t->tsc) - frame->entered < t->threshold &&
	    __sync_bool_compare_and_swap(&log->pos, frame->behind,
					 frame->behind - RT_FUNCTION_BYTES)) {
		log->last = frame->before;
		rt_extend(log);
		return;
	}
	rt_put(t, action, frame->id);
}

/*
 * A call of function `id` begins. NULL: the stack of frames is full, and nothing was written.
 * `equal`: a frame with the same sp is that of a function left, not of a function that this one was
 * inlined into.
 */
static inline struct rt_frame *rt_enter(struct rt_thread *t, uint32_t id, uint64_t sp, bool equal,
					enum rt_action action)
{
	struct rt_frame *frame;
	uint64_t before;

	if (__builtin_expect(t->top[-1].sp < sp + equal, 0))
		rt_close_left(t, sp + equal);
	if (__builtin_expect(t->top >= t->limit, 0)) {
		rt_lost(2, ENOMEM);
		t->over++;
		return NULL;
	}
	frame = t->top++;
	before = t->log->last;
	frame->id = id;
	frame->recorded = t->top <= t->deepest && rt_put(t, action, id);
	if (__builtin_expect(t->threshold != 0, 0)) {
		frame->entered = t->log->last;
		frame->before = before;
		frame->behind = t->log->pos;
	}
	__asm__ volatile("" ::: "memory");
	frame->sp = sp;
	return frame;
}

/* Frame `frame` is the innermost of its function: those above it were left, or wait elsewhere. */
static inline void rt_leave_to(struct rt_thread *t, struct rt_frame *frame, enum rt_action action)
{
	while (t->top - 1 > frame) {
		if (rt_on_own_stack(t, t->top[-1].sp) && rt_on_own_stack(t, frame->sp))
			rt_put_exit(t, &t->top[-1], RT_EXIT);
		rt_pop(t);
	}
	rt_put_exit(t, frame, action);
	rt_pop(t);
}

/* A call of function `id` ends. */
static inline void rt_leave_id(struct rt_thread *t, uint32_t id, enum rt_action action)
{
	struct rt_frame *frame = t->top - 1;

	if (__builtin_expect(frame->id == id, 1)) {
		rt_put_exit(t, frame, action);
		rt_pop(t);
		return;
	}
	rt_leave_other(t, id, action);
}

#endif
