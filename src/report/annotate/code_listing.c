/* SPDX-License-Identifier: Apache-2.0 */
#include "report/annotate/code_listing.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "symbols/binary.h"

/* Instructions that an arrow spans at most; the text of a longer jump has its target, too. */
enum { LONGEST_ARROW = 1000 };

/* ---- reading ---- */

enum { LONGEST_INSN = 15 };

/* Read the code that ran, and what an instruction may reach past `end`. False: no memory. */
static bool read_ran(struct tl_listing *listing, uint64_t start, uint64_t end)
{
	const struct tl_executed_code *ran = &listing->ran;
	size_t size = (size_t)(end - start) + LONGEST_INSN;

	listing->byte_count = 0;
	if (!ran->code)
		return true;
	if (!listing->bytes)
		listing->bytes = malloc(TL_LISTING_BYTES + LONGEST_INSN);
	if (!listing->bytes)
		return false;
	listing->byte_count = ran->code(ran->arg, ran->object, start, listing->bytes, size);
	return true;
}

const uint8_t *tl_listing_code(const struct tl_listing *listing, uint64_t address,
			       uint8_t bytes[15], size_t *size)
{
	const struct tl_executed_code *ran = &listing->ran;

	*size = 0;
	if (ran->code)
		*size = ran->code(ran->arg, ran->object, address, bytes, LONGEST_INSN);
	if (*size)
		return bytes;
	if (!listing->binary)
		return NULL;
	return tl_binary_code(listing->binary, address, size);
}

static bool find_range(struct tl_listing *listing, uint64_t address, uint64_t last)
{
	struct tl_symbol symbol;
	uint64_t start = address, end = address + 1;
	size_t size;

	if (last > address)
		end = last + 1;
	if (listing->binary && tl_binary_symbol_at(listing->binary, address, &symbol) &&
	    symbol.size && address >= symbol.start && address - symbol.start < symbol.size) {
		start = symbol.start;
		end = symbol.start + symbol.size;
	}
	if (address - start >= TL_LISTING_BYTES)
		start = address;
	if (end < start || end - start > TL_LISTING_BYTES)
		end = start + TL_LISTING_BYTES;
	if (!read_ran(listing, start, end))
		return false;
	listing->code = NULL;
	size = listing->byte_count;
	if (size)
		listing->code = listing->bytes;
	else if (listing->binary)
		listing->code = tl_binary_code(listing->binary, start, &size);
	if (!listing->code)
		size = 0;
	listing->start = start;
	listing->end = end - start < size ? end : start + size;
	return true;
}

static bool add_insn(struct tl_listing *listing, uint64_t address, const struct tl_insn *insn)
{
	if (!tl_grow(&listing->insns, &listing->capacity, listing->count + 1,
		     sizeof(*listing->insns)))
		return false;
	listing->insns[listing->count++] = (struct tl_listed_insn){ .address = address,
								    .length = (uint8_t)insn->length,
								    .target = TL_NONE };
	return true;
}

static size_t code_left(const struct tl_listing *listing, uint64_t address)
{
	size_t size = 0;

	if (listing->byte_count)
		return listing->byte_count - (size_t)(address - listing->start);
	/* The last instruction of a range without a symbol may reach past it. */
	if (!tl_binary_code(listing->binary, address, &size))
		return 0;
	return size;
}

static uint32_t find_insn(const struct tl_listing *listing, uint64_t address)
{
	size_t low = 0, high = listing->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (listing->insns[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == listing->count || listing->insns[low].address != address)
		return TL_NONE;
	return (uint32_t)low;
}

/* Jumps may lead forwards, so targets are looked up when all instructions are listed. */
static void find_targets(struct tl_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct tl_insn insn;

		tl_listing_insn(listing, &listing->insns[i], &insn);
		if ((insn.kind == TL_INSN_JUMP || insn.kind == TL_INSN_BRANCH) && insn.has_target)
			listing->insns[i].target = find_insn(listing, insn.target);
	}
}

bool tl_listing_read(struct tl_listing *listing, uint64_t address, uint64_t last)
{
	listing->count = 0;
	listing->arrow_columns = 0;
	if (!find_range(listing, address, last))
		return false;
	for (uint64_t at = listing->start; listing->code && at < listing->end;) {
		struct tl_insn insn;

		tl_disassemble(listing->disassembler, listing->code + (at - listing->start),
			       code_left(listing, at), at, &insn);
		if (!add_insn(listing, at, &insn))
			return false;
		at += insn.length;
	}
	find_targets(listing);
	return true;
}

void tl_listing_free(struct tl_listing *listing)
{
	free(listing->insns);
	free(listing->bytes);
	listing->insns = NULL;
	listing->bytes = NULL;
}

void tl_listing_insn(const struct tl_listing *listing, const struct tl_listed_insn *listed,
		     struct tl_insn *insn)
{
	tl_disassemble(listing->disassembler, listing->code + (listed->address - listing->start),
		       listed->length, listed->address, insn);
}

/* ---- arrows ---- */

static bool column_is_free(const struct tl_listing *listing, size_t from, size_t to,
			   unsigned column)
{
	for (size_t i = from; i <= to; i++)
		if ((listing->insns[i].passing | listing->insns[i].corners) >> column & 1)
			return false;
	return true;
}

static void draw_arrow(struct tl_listing *listing, size_t source, size_t target)
{
	size_t from = tl_min(source, target), to = tl_max(source, target);
	unsigned column = 0;

	while (column < TL_ARROW_COLUMNS && !column_is_free(listing, from, to, column))
		column++;
	if (column == TL_ARROW_COLUMNS)
		return;
	for (size_t i = from + 1; i < to; i++)
		listing->insns[i].passing |= (uint8_t)(1u << column);
	listing->insns[from].corners |= (uint8_t)(1u << column);
	listing->insns[to].corners |= (uint8_t)(1u << column);
	listing->insns[target].entered = true;
	if (column + 1 > listing->arrow_columns)
		listing->arrow_columns = column + 1;
}

/* Short arrows first, in the columns next to the code; each round takes arrows twice as long. */
void tl_listing_draw(struct tl_listing *listing)
{
	for (size_t least = 0, most = 1; least < LONGEST_ARROW; least = most, most *= 2)
		for (size_t i = 0; i < listing->count; i++) {
			size_t target = listing->insns[i].target, span = i - target;

			if (target > i)
				span = target - i;
			if (target != TL_NONE && listing->insns[i].shown && span >= least &&
			    span < most)
				draw_arrow(listing, i, target);
		}
}
