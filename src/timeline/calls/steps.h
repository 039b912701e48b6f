/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_STEPS_H
#define TL_TIMELINE_CALLS_STEPS_H
/*
 * Steps of a call stack: one call begins, or the innermost open call ends. A producer has already
 * decided what becomes of exits without an entry and of frames that were left, so that steps nest
 * whatever the trace holds, and nobody else needs to know.
 */
#include <tracelathe/timeline.h>

#include "core/cursor.h"
#include "core/memory.h"
#include "core/varint.h"

struct tl_step {
	uint64_t ticks;
	uint32_t function; /* of a call that begins */
	bool end;
	uint8_t flags; /* enum tl_call_flag */
};

struct tl_steps {
	struct tl_step *list;
	size_t count, capacity;
	bool no_memory; /* sticky */
};

/* Append a step. */
static inline void tl_steps_put(struct tl_steps *steps, struct tl_step step)
{
	if (__builtin_expect(steps->count == steps->capacity, 0) &&
	    !tl_grow(&steps->list, &steps->capacity, steps->count + 1, sizeof(step))) {
		steps->no_memory = true;
		return;
	}
	steps->list[steps->count++] = step;
}

/* Bytes in a growing array. */
struct tl_packed {
	uint8_t *bytes;
	size_t size, capacity;
};

/* Append a number, bytes, or a text with the number of its bytes. False without memory. */
bool tl_pack_number(struct tl_packed *packed, uint64_t value);
bool tl_pack_bytes(struct tl_packed *packed, const void *bytes, size_t size);
bool tl_pack_text(struct tl_packed *packed, const char *text);

/* False: the bytes end first, or the number has more than 64 bits. */
bool tl_get_varint(struct tl_cursor *cur, uint64_t *value);

/* Pack steps, of which the first is `base` ticks or later, behind what is there. False without
 * memory. */
bool tl_steps_pack(const struct tl_steps *steps, uint64_t base, struct tl_packed *packed);
/* Append the steps of packed bytes. False: they are no steps; see also steps->no_memory. */
bool tl_steps_unpack(struct tl_steps *steps, uint64_t base, const uint8_t *bytes, size_t size);

#endif
