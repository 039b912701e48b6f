/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/frame/frame.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"

/*
 * More than the records behind the others take: of SVE at 2048 bits, of SME at as many. Where there
 * are none, what is behind the frame is the stack of what the handler interrupts.
 */
enum { MOST = 1 << 17, GROWTH = 4096, PSTATE_FLAGS = 3 };

/* Vectors that are longer need more room than each frame has. */
enum { LONGEST_INSIDE = 64 };

static bool reserve(struct tl_xtrace_signal_frame *f, size_t size)
{
	size_t capacity = (size + GROWTH - 1) / GROWTH * GROWTH;
	uint8_t *bytes;

	if (size <= f->capacity)
		return true;
	bytes = realloc(f->bytes, capacity);
	if (!bytes)
		return false;
	f->bytes = bytes;
	bytes = realloc(f->marks, capacity);
	if (!bytes)
		return false;
	f->marks = bytes;
	f->capacity = capacity;
	return true;
}

static bool include(struct tl_xtrace_signal_frame *f, size_t size)
{
	if (size <= f->size)
		return true;
	if (!reserve(f, size))
		return false;
	memset(f->bytes + f->size, 0, size - f->size);
	memset(f->marks + f->size, 0, size - f->size);
	f->size = size;
	return true;
}

/* The head of the record that tells of more records. */
static bool names_more(const struct tl_xtrace_signal_frame *f, size_t at, size_t size)
{
	for (size_t i = (at + 15) / 16 * 16; i + 4 <= at + size; i += 16)
		if (i >= TL_XTRACE_FRAME_OTHERS &&
		    tl_xtrace_frame_value(f, i, 4) == TL_XTRACE_FRAME_MORE)
			return true;
	return false;
}

bool tl_xtrace_frame_access(struct tl_xtrace_signal_frame *f, uint64_t address,
			    const struct tl_xtrace_seen_access *seen)
{
	uint64_t at = seen->address - address, most = f->extended ? MOST : TL_XTRACE_FRAME_END;
	size_t size;

	if (at >= most)
		return true;
	size = (size_t)tl_min(seen->size, most - at);
	if (!include(f, (size_t)at + size))
		return false;
	for (size_t i = 0; i < size; i++) {
		uint8_t *mark = &f->marks[at + i];

		if (!seen->store && *mark)
			continue;
		f->bytes[at + i] = seen->data[i];
		*mark = seen->store ? TL_XTRACE_FRAME_STORED : TL_XTRACE_FRAME_SHOWN;
	}
	f->extended = f->extended || names_more(f, (size_t)at, size);
	return true;
}

void tl_xtrace_frame_begin(struct tl_xtrace_signal_frame *f, uint32_t vector_bytes)
{
	f->size = 0;
	f->extended = vector_bytes > LONGEST_INSIDE;
}

void tl_xtrace_frame_free(struct tl_xtrace_signal_frame *f)
{
	free(f->bytes);
	free(f->marks);
	*f = (struct tl_xtrace_signal_frame){ .size = 0 };
}

/* ---- what is known ---- */

bool tl_xtrace_frame_all(const struct tl_xtrace_signal_frame *f, size_t at, size_t size,
			 unsigned marks)
{
	if (at + size > f->size)
		return false;
	for (size_t i = at; i < at + size; i++)
		if (!(f->marks[i] & marks))
			return false;
	return true;
}

bool tl_xtrace_frame_any(const struct tl_xtrace_signal_frame *f, size_t at, size_t size,
			 unsigned marks)
{
	for (size_t i = at; i < at + size && i < f->size; i++)
		if (f->marks[i] & marks)
			return true;
	return false;
}

uint64_t tl_xtrace_frame_value(const struct tl_xtrace_signal_frame *f, size_t at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size && at + i < f->size; i++)
		value |= (uint64_t)f->bytes[at + i] << 8 * i;
	return value;
}

static size_t place_of(unsigned number)
{
	return TL_XTRACE_FRAME_REGISTERS + (size_t)number * 8;
}

uint64_t tl_xtrace_frame_changed(const struct tl_xtrace_signal_frame *f)
{
	uint64_t changed = 0;

	for (unsigned i = 0; i < TL_XTRACE_FRAME_PC; i++)
		if (tl_xtrace_frame_all(f, place_of(i), 8, TL_XTRACE_FRAME_STORED))
			changed |= UINT64_C(1) << i;
	return changed;
}

uint64_t tl_xtrace_frame_touched(const struct tl_xtrace_signal_frame *f)
{
	uint64_t touched = 0;

	for (unsigned i = 0; i < TL_XTRACE_FRAME_PC; i++)
		if (tl_xtrace_frame_any(f, place_of(i), 8, TL_XTRACE_FRAME_STORED))
			touched |= UINT64_C(1) << i;
	return touched & ~tl_xtrace_frame_changed(f);
}

bool tl_xtrace_frame_moves(const struct tl_xtrace_signal_frame *f)
{
	return tl_xtrace_frame_any(f, place_of(TL_XTRACE_FRAME_PC), 8, TL_XTRACE_FRAME_STORED);
}

bool tl_xtrace_frame_has_flags(const struct tl_xtrace_signal_frame *f)
{
	return tl_xtrace_frame_any(f, place_of(TL_XTRACE_FRAME_PSTATE) + PSTATE_FLAGS, 1,
				   TL_XTRACE_FRAME_STORED);
}

uint64_t tl_xtrace_frame_word(const struct tl_xtrace_signal_frame *f, unsigned number)
{
	return tl_xtrace_frame_value(f, place_of(number), 8);
}
