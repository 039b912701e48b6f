/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/unwind.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "symbols/eh_frame.h"

/* ---- landing pads ---- */

/*
 * Whether an action record, or one of those chained behind it, catches: its type filter is 0 for
 * cleaning up, and a type or a list of types otherwise.
 */
static bool action_catches(struct tl_eh_table actions, uint64_t action)
{
	/* Each record has two bytes at least; a chain of more records than fit is a ring. */
	for (size_t left = tl_cursor_left(&actions.cur) / 2 + 1; action && left; left--) {
		uint64_t at = action - 1, next;

		tl_cursor_seek(&actions.cur, at);
		if (tl_eh_take_leb(&actions, true))
			return !actions.bad;
		at = tl_cursor_offset(&actions.cur);
		next = tl_eh_take_leb(&actions, true);
		action = next ? at + next + 1 : 0;
		if (actions.bad)
			return false;
	}
	return false;
}

static bool catches(const struct tl_section *lsdas, const struct tl_eh_fde *fde)
{
	struct tl_eh_calls calls;
	struct tl_eh_call call;

	if (!tl_eh_calls_begin(&calls, lsdas, fde))
		return false;
	while (tl_eh_calls_next(&calls, &call))
		if (call.pad && call.action && action_catches(calls.actions, call.action))
			return true;
	return false;
}

/* ---- functions ---- */

/* False without memory. */
static bool add_function(struct tl_unwind *unwind, const struct tl_eh_fde *fde,
			 const struct tl_section *lsdas)
{
	struct tl_unwind_function function = { fde->start, fde->start + fde->size, false };
	const uint64_t highest = fde->instructions.is_32bit ? UINT32_MAX : UINT64_MAX;

	/* A function that the linker dropped begins at 0. */
	if (!fde->start || !fde->size || function.end < function.start || function.end > highest)
		return true;
	function.catches = catches(lsdas, fde);
	if (!tl_grow(&unwind->functions, &unwind->capacity, unwind->count + 1, sizeof(function)))
		return false;
	unwind->functions[unwind->count++] = function;
	return true;
}

static bool read_frames(struct tl_unwind *unwind, const struct tl_eh_table *frames,
			const struct tl_section *lsdas)
{
	uint64_t offset = 0, common, known_at = UINT64_MAX;
	struct tl_eh_table record;
	struct tl_eh_cie cie = { 0 };
	struct tl_eh_fde fde;
	bool known = false;

	for (; tl_eh_record_at(frames, offset, &record);
	     offset = (uint64_t)(record.cur.end - record.cur.base)) {
		/* CIEs are read when an FDE names them; most FDEs in a row name the same. */
		if (!tl_eh_is_fde(&record, &common))
			continue;
		if (common != known_at) {
			known_at = common;
			known = tl_eh_read_cie(frames, common, &cie);
		}
		if (known && tl_eh_read_fde(&record, &cie, &fde) &&
		    !add_function(unwind, &fde, lsdas))
			return false;
	}
	return true;
}

static int by_start(const void *left, const void *right)
{
	const struct tl_unwind_function *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	return tl_compare(a->end, b->end);
}

bool tl_unwind_read(struct tl_unwind *unwind, struct tl_binary *binary)
{
	struct tl_section frames, lsdas = { 0 };
	struct tl_eh_table table;

	*unwind = (struct tl_unwind){ 0 };
	if (tl_binary_is_big_endian(binary) || !tl_binary_section(binary, ".eh_frame", &frames) ||
	    !frames.data)
		return true;
	tl_binary_section(binary, ".gcc_except_table", &lsdas);
	table = tl_eh_table_at(&frames, frames.address, !tl_binary_is_64bit(binary));
	if (!read_frames(unwind, &table, &lsdas)) {
		tl_unwind_free(unwind);
		return false;
	}
	if (unwind->count)
		qsort(unwind->functions, unwind->count, sizeof(*unwind->functions), by_start);
	return true;
}

void tl_unwind_free(struct tl_unwind *unwind)
{
	free(unwind->functions);
	*unwind = (struct tl_unwind){ 0 };
}

uint32_t tl_unwind_find(const struct tl_unwind *unwind, uint64_t address)
{
	size_t low = 0, high = unwind->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unwind->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < unwind->functions[low - 1].end ? (uint32_t)(low - 1) : TL_NONE;
}
