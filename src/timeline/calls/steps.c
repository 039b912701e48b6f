/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps as bytes: a number of the time since the step before and two bits, then the flags if there
 * are any, then the function of a call that begins.
 */
#include "timeline/calls/steps.h"

#include <string.h>

enum { END = 1, HAS_FLAGS = 2, HEAD_BITS = 2 };

/* Among the flags: the time does not fit beside the bits of the head; it follows as a number. */
enum { LONG_TIME = 0x80 };

bool tl_pack_number(struct tl_packed *packed, uint64_t value)
{
	if (!tl_grow(&packed->bytes, &packed->capacity, packed->size + TL_VARINT_BYTES, 1))
		return false;
	packed->size = (size_t)(tl_put_varint(packed->bytes + packed->size, value) - packed->bytes);
	return true;
}

bool tl_pack_bytes(struct tl_packed *packed, const void *bytes, size_t size)
{
	if (!tl_grow(&packed->bytes, &packed->capacity, packed->size + size + 1, 1))
		return false;
	if (size)
		memcpy(packed->bytes + packed->size, bytes, size);
	packed->size += size;
	return true;
}

bool tl_pack_text(struct tl_packed *packed, const char *text)
{
	size_t size = strlen(text) + 1;

	return tl_pack_number(packed, size) && tl_pack_bytes(packed, text, size);
}

bool tl_get_varint(struct tl_cursor *cur, uint64_t *value)
{
	unsigned shift = 0;

	*value = 0;
	while (tl_cursor_has(cur, 1) && shift < 64) {
		uint8_t byte = *cur->pos++;

		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
		shift += 7;
	}
	return false;
}

static uint8_t *pack_step(uint8_t *p, const struct tl_step *step, uint64_t passed)
{
	bool is_long = passed > UINT64_MAX >> HEAD_BITS;
	uint8_t flags = (uint8_t)(step->flags | (is_long ? LONG_TIME : 0));

	p = tl_put_varint(p, (is_long ? 0 : passed << HEAD_BITS) | (flags ? HAS_FLAGS : 0) |
				     (step->end ? END : 0));
	if (flags)
		*p++ = flags;
	if (is_long)
		p = tl_put_varint(p, passed);
	return step->end ? p : tl_put_varint(p, step->function);
}

bool tl_steps_pack(const struct tl_steps *steps, uint64_t base, struct tl_packed *packed)
{
	size_t most = steps->count * (3 * TL_VARINT_BYTES + 1);
	uint8_t *p;

	if (!tl_grow(&packed->bytes, &packed->capacity, packed->size + most + 1, 1))
		return false;
	p = packed->bytes + packed->size;
	for (size_t i = 0; i < steps->count; i++) {
		p = pack_step(p, &steps->list[i], steps->list[i].ticks - base);
		base = steps->list[i].ticks;
	}
	packed->size = (size_t)(p - packed->bytes);
	return true;
}

static bool unpack_flags(struct tl_cursor *cur, struct tl_step *step)
{
	uint64_t passed = 0;
	uint8_t flags;

	if (!tl_cursor_has(cur, 1))
		return false;
	flags = *cur->pos++;
	step->flags = flags & (uint8_t)~LONG_TIME;
	if (flags & LONG_TIME && !tl_get_varint(cur, &passed))
		return false;
	step->ticks += passed;
	return true;
}

bool tl_steps_unpack(struct tl_steps *steps, uint64_t base, const uint8_t *bytes, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(bytes, size);
	struct tl_step step = { .ticks = base };
	uint64_t head, function = 0;

	while (tl_cursor_left(&cur)) {
		if (!tl_get_varint(&cur, &head))
			return false;
		step.ticks += head >> HEAD_BITS;
		step.end = head & END;
		step.flags = 0;
		if (head & HAS_FLAGS && !unpack_flags(&cur, &step))
			return false;
		if (!step.end && (!tl_get_varint(&cur, &function) || function > UINT32_MAX))
			return false;
		step.function = step.end ? 0 : (uint32_t)function;
		tl_steps_put(steps, step);
	}
	return !steps->no_memory;
}
