/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_ARROW_NAMES_H
#define TL_TIMELINE_CALLS_ARROW_NAMES_H
/*
 * The names of functions as a dictionary that only grows, so that an index means the same in all
 * batches of a stream.
 */
#include <stdatomic.h>

#include <tracelathe/timeline.h>

#include "core/memory.h"

/* A list of names that does not change any more, shared by the batches that have it. */
struct tl_arrow_list {
	atomic_uint references;
	int32_t *offsets; /* count + 1 */
	char *bytes;      /* UTF-8 */
	size_t count;
};

/* The last function met, for each of some values of its number. */
enum { TL_ARROW_RECENT = 1 << 10 };

/* Zero-filled is empty. */
struct tl_arrow_names {
	/* The functions met so far: their numbers, and their names one behind the other. */
	uint32_t *numbers;
	size_t count, number_capacity;
	struct tl_index places;
	int32_t *ends;
	size_t end_capacity;
	char *bytes;
	size_t size, byte_capacity;
	struct tl_arrow_place {
		uint32_t number, place_plus_one;
	} recent[TL_ARROW_RECENT];
	struct tl_arrow_list *list; /* as the last batch had them */
};

/* The place of a name that the last functions do not have. 0 or negative. */
int tl_arrow_names_look_up(struct tl_arrow_names *names, struct tl_calls *calls, uint32_t number,
			   uint32_t *place, struct tl_error *err);

/* The place of a function's name in the dictionary. 0 or negative. */
static inline int tl_arrow_names_find(struct tl_arrow_names *names, struct tl_calls *calls,
				      uint32_t number, uint32_t *place, struct tl_error *err)
{
	const struct tl_arrow_place *recent = &names->recent[number % TL_ARROW_RECENT];

	if (!recent->place_plus_one || recent->number != number)
		return tl_arrow_names_look_up(names, calls, number, place, err);
	*place = recent->place_plus_one - 1;
	return 0;
}

/* The names met so far, with a reference for the caller. NULL without memory. */
struct tl_arrow_list *tl_arrow_names_share(struct tl_arrow_names *names);
/* One reference less. NULL is allowed. */
void tl_arrow_list_leave(struct tl_arrow_list *list);
void tl_arrow_names_free(struct tl_arrow_names *names);

#endif
