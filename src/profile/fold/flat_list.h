/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FOLD_FLAT_LIST_H
#define TL_PROFILE_FOLD_FLAT_LIST_H
/*
 * The flat fold for many functions, whose rows and durations are in no near cache: each call would
 * wait for memory four times, and for its arc as often again. So calls that end are noted in a
 * list, and when it is full they are sorted by function and added up one function after the other.
 *
 * Which call of a function is the outermost one is known from the stack: each frame has the number
 * of the one below it that is of the same function.
 */
#include "profile/fold/flat.h"

/* A call that ended, or was open where its stack ends. */
struct tl_flat_ended {
	uint64_t ticks, self;
	uint32_t function, caller; /* caller TL_NONE: from outside */
	uint8_t count;             /* enum tl_flat_count */
	bool outermost;            /* of its function */
	bool outermost_arc;        /* of calls of its function by its caller */
	bool counted;              /* as of a frame */
};

enum { TL_FLAT_LIST_CALLS = 1 << 18 };

struct tl_flat_list {
	struct tl_flat_ended *calls, *sorted; /* TL_FLAT_LIST_CALLS each */
	size_t count;
	uint32_t *innermost; /* by function: the number of its innermost frame; 0: none is open */
	size_t capacity;
	size_t merged_capacity; /* of `merged`, which takes arcs of another list in */
	struct tl_flat_arc *merged;
};

/*
 * From here on calls are noted in a list; those that are open go on. Arcs are then ordered by
 * callee and caller. The fold is no piece (flat_local.c). False without memory.
 */
bool tl_flat_list_begin(struct tl_flat *flat);
void tl_flat_list_free(struct tl_flat_list *list);
/* There is a function more. False without memory. */
bool tl_flat_list_grow(struct tl_flat *flat);
/* Add up what is noted. */
void tl_flat_list_settle(struct tl_flat *flat);
/*
 * Whether a frame below one, `before` being the first of its function, is a call by the same
 * caller. Where that is not found soon, the fold refuses.
 */
bool tl_flat_list_is_called(struct tl_flat *flat, uint32_t before, uint32_t caller);

/* A call begins. False without memory. */
static inline __attribute__((always_inline)) bool
tl_flat_list_enter(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	uint32_t *innermost = &flat->list->innermost[function];

	if (!tl_flat_has_room(h, flat))
		return false;
	*++h->top = (struct tl_flat_frame){
		.start = h->clock,
		.function = function,
		.before = *innermost,
	};
	*innermost = (uint32_t)(h->top - flat->frames);
	return true;
}

/* The innermost frame ends; `counted` as of a frame. */
static inline __attribute__((always_inline)) void tl_flat_list_leave(struct tl_flat_hot *h,
								     struct tl_flat *flat,
								     enum tl_flat_count count,
								     bool counted)
{
	const struct tl_flat_frame *frame = h->top--;
	const uint64_t ticks = h->clock - frame->start;
	const uint32_t caller = h->top->function, before = frame->before;
	struct tl_flat_list *list = flat->list;

	list->innermost[frame->function] = before;
	list->calls[list->count++] = (struct tl_flat_ended){
		.ticks = ticks,
		.self = ticks - frame->callees,
		.function = frame->function,
		.caller = caller,
		.count = (uint8_t)count,
		.outermost = !before,
		.outermost_arc =
			!before || (h->arcs && !tl_flat_list_is_called(flat, before, caller)),
		.counted = counted,
	};
	h->top->callees += ticks;
	h->top->counted |= counted;
	if (__builtin_expect(list->count == TL_FLAT_LIST_CALLS, 0))
		tl_flat_list_settle(flat);
}

#endif
