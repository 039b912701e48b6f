/* SPDX-License-Identifier: Apache-2.0 */
#include "report/annotate/code_listing.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "symbols/binary.h"

enum { LONGEST_ARROW = 1000 /* instructions; the text of a jump says where it leads anyway */ };

/* ---- reading ---- */

enum { LONGEST_INSN = 15 };

/* What ran there, with the rest of an instruction that reaches past the end. False: no memory. */
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

	*size = ran->code ? ran->code(ran->arg, ran->object, address, bytes, LONGEST_INSN) : 0;
	if (*size)
		return bytes;
	return listing->binary ? tl_binary_code(listing->binary, address, size) : NULL;
}

static bool find_range(struct tl_listing *listing, uint64_t address, uint64_t last)
{
	struct tl_symbol symbol;
	uint64_t start = address, end = last >= address ? last + 1 : address + 1;
	size_t size = 0;

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
	size = listing->byte_count;
	listing->code = size              ? listing->bytes
			: listing->binary ? tl_binary_code(listing->binary, start, &size)
					  : NULL;
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
	return tl_binary_code(listing->binary, address, &size) ? size : 0;
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
	return low < listing->count && listing->insns[low].address == address ? (uint32_t)low
									      : TL_NONE;
}

/* Jumps point forwards too, so their targets are looked for when all instructions are there. */
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
	listing->lanes = 0;
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

static bool lane_is_free(const struct tl_listing *listing, size_t from, size_t to, unsigned lane)
{
	for (size_t i = from; i <= to; i++)
		if ((listing->insns[i].passing | listing->insns[i].turning) >> lane & 1)
			return false;
	return true;
}

static void draw_arrow(struct tl_listing *listing, size_t source, size_t target)
{
	size_t from = source < target ? source : target, to = source < target ? target : source;
	unsigned lane = 0;

	while (lane < TL_ARROW_COLUMNS && !lane_is_free(listing, from, to, lane))
		lane++;
	if (lane == TL_ARROW_COLUMNS)
		return;
	for (size_t i = from + 1; i < to; i++)
		listing->insns[i].passing |= (uint8_t)(1u << lane);
	listing->insns[from].turning |= (uint8_t)(1u << lane);
	listing->insns[to].turning |= (uint8_t)(1u << lane);
	listing->insns[target].entered = true;
	if (lane + 1 > listing->lanes)
		listing->lanes = lane + 1;
}

/* Short arrows first, on the lanes next to the code: round after round, each twice as long. */
void tl_listing_draw(struct tl_listing *listing)
{
	for (size_t least = 0, most = 1; least < LONGEST_ARROW; least = most, most *= 2)
		for (size_t i = 0; i < listing->count; i++) {
			size_t target = listing->insns[i].target,
			       span = target > i ? target - i : i - target;

			if (target != TL_NONE && listing->insns[i].shown && span >= least &&
			    span < most)
				draw_arrow(listing, i, target);
		}
}
