/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/executed/opcodes.h"

#include <stdlib.h>

#include "core/error.h"
#include "xtrace/format/walk.h"

enum { INSN_BYTES = 4, LAST_BITS = 12 };

/* What ran of late, by the low bits of its address: most instructions are those of a loop. */
struct reading {
	struct tl_xtrace_opcodes *opcodes;
	struct tl_xtrace_opcode last[1 << LAST_BITS];
};

static bool same_address(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_opcodes *opcodes = context;

	return opcodes->list[number].address == *(const uint64_t *)key;
}

static uint32_t find(const struct tl_xtrace_opcodes *opcodes, uint64_t address)
{
	return tl_index_find(&opcodes->index, tl_hash64(address), same_address, opcodes, &address);
}

/* False without memory. */
static bool note(struct tl_xtrace_opcodes *opcodes, const struct tl_xtrace_opcode *met)
{
	uint32_t number = find(opcodes, met->address);

	if (number != TL_NONE) {
		opcodes->list[number] = *met;
		return true;
	}
	if (opcodes->count >= TL_NONE ||
	    !tl_grow(&opcodes->list, &opcodes->capacity, opcodes->count + 1,
		     sizeof(*opcodes->list)) ||
	    !tl_index_add(&opcodes->index, tl_hash64(met->address), (uint32_t)opcodes->count))
		return false;
	opcodes->list[opcodes->count++] = *met;
	return true;
}

static bool meet(struct reading *reading, const struct tl_xtrace_opcode *met)
{
	struct tl_xtrace_opcode *last =
		&reading->last[met->address / INSN_BYTES & ((1 << LAST_BITS) - 1)];

	if (last->address == met->address && last->opcode == met->opcode)
		return true;
	*last = *met;
	return note(reading->opcodes, met);
}

static int read_segment(void *arg, struct tl_xtrace_walk *walk,
			size_t segment __attribute__((unused)), struct tl_error *err)
{
	struct tl_xtrace_walk w = *walk;
	enum tl_xtrace_kind kind;
	bool room = true;

	while (room && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		struct tl_xtrace_opcode met;

		if (!tl_xtrace_is_instruction(kind))
			continue;
		met.opcode = tl_xtrace_walk_instruction(&w, kind);
		met.address = w.pc;
		room = !w.pc_known || meet(arg, &met);
	}
	*walk = w;
	return tl_error_unless_made(room, err);
}

int tl_xtrace_opcodes_read(struct tl_xtrace_opcodes *opcodes, struct tl_xtrace_trace *trace,
			   struct tl_error *err)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int status = 0;

	if (!reading)
		return tl_error_memory(err);
	reading->opcodes = opcodes;
	tl_xtrace_rewind(trace);
	for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++)
		status = tl_xtrace_each_segment(trace, i, 1, read_segment, reading, err);
	free(reading);
	return status;
}

size_t tl_xtrace_opcodes_at(const struct tl_xtrace_opcodes *opcodes, uint64_t address,
			    uint8_t *bytes, size_t size)
{
	size_t count = 0;

	while (count < size) {
		uint32_t number = find(opcodes, address + count);

		if (number == TL_NONE)
			break;
		/* Instructions are little-endian (Arm ARM, "Instruction endianness"). */
		for (unsigned i = 0; i < INSN_BYTES && count < size; i++)
			bytes[count++] = (uint8_t)(opcodes->list[number].opcode >> 8 * i);
	}
	return count;
}

void tl_xtrace_opcodes_free(struct tl_xtrace_opcodes *opcodes)
{
	free(opcodes->list);
	tl_index_free(&opcodes->index);
	*opcodes = (struct tl_xtrace_opcodes){ 0 };
}
