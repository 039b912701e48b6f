/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the row of an opcode. */
#include "isa/a64/a64.h"

#include "isa/a64/a64_table.h"

static const struct tl_a64_table *const tables[] = {
	&tl_a64_branches, &tl_a64_immediates, &tl_a64_registers, &tl_a64_memory,
	&tl_a64_vectors,  &tl_a64_sve_memory, &tl_a64_sve,       &tl_a64_sme,
};

enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

/* Bits [low, low + count) of an opcode, signed, times four. */
static int32_t offset_of(uint32_t opcode, unsigned low, unsigned count)
{
	uint32_t field = opcode >> low & ((1u << count) - 1);
	int32_t sign = (int32_t)(1u << (count - 1));

	return (((int32_t)field ^ sign) - sign) * 4;
}

static struct tl_a64 fill(uint32_t opcode, const struct tl_a64_row *row, size_t number)
{
	struct tl_a64 insn = {
		.opcode = opcode,
		.access = row->access,
		.row = (uint16_t)(number + 1),
		.class = row->class,
		.flow = row->flow,
		.special = row->special,
		.target = row->count != 0,
	};

	if (row->count)
		insn.offset = offset_of(opcode, row->low, row->count);
	if (row->bytes)
		insn.bytes = (uint16_t)row->bytes(opcode);
	return insn;
}

static const struct tl_a64_row *find(const struct tl_a64_table *table, uint32_t opcode)
{
	if ((opcode & table->mask) != table->bits)
		return NULL;
	for (size_t i = 0; i < table->count; i++) {
		const struct tl_a64_row *row = &table->rows[i];

		if ((opcode & row->mask) == row->bits &&
		    (!row->allocated || row->allocated(opcode)))
			return row;
	}
	return NULL;
}

struct tl_a64 tl_a64_classify(uint32_t opcode)
{
	size_t before = 0;

	for (size_t t = 0; t < TABLES; before += tables[t++]->count) {
		const struct tl_a64_row *row = find(tables[t], opcode);

		if (row)
			return fill(opcode, row, before + (size_t)(row - tables[t]->rows));
	}
	return (struct tl_a64){ .opcode = opcode, .flow = TL_A64_TRAP };
}

const char *tl_a64_group(const struct tl_a64 *insn)
{
	size_t number = insn->row;

	for (size_t t = 0; number && t < TABLES; number -= tables[t++]->count)
		if (number <= tables[t]->count)
			return tables[t]->rows[number - 1].group;
	return "Unallocated";
}

const char *tl_a64_class_name(unsigned class)
{
	static const char *const names[TL_A64_CLASS_COUNT] = {
		[TL_A64_UNALLOCATED] = "unallocated",
		[TL_A64_BRANCH] = "branch",
		[TL_A64_EXCEPTION] = "exception",
		[TL_A64_SYSTEM] = "system",
		[TL_A64_HINT] = "hint",
		[TL_A64_BARRIER] = "barrier",
		[TL_A64_LOAD] = "load",
		[TL_A64_STORE] = "store",
		[TL_A64_ATOMIC] = "atomic",
		[TL_A64_PREFETCH] = "prefetch",
		[TL_A64_INTEGER] = "integer",
		[TL_A64_MULTIPLY] = "multiply",
		[TL_A64_AUTH] = "authentication",
		[TL_A64_FLOAT] = "float",
		[TL_A64_SIMD] = "simd",
		[TL_A64_CRYPTO] = "crypto",
		[TL_A64_SVE] = "sve",
		[TL_A64_SME] = "sme",
	};

	return class < TL_A64_CLASS_COUNT ? names[class] : names[TL_A64_UNALLOCATED];
}

/* A slot is right when its opcode is the one asked for; opcode 0 (UDF) has slot 0. */
void tl_a64_cache_begin(struct tl_a64_cache *cache)
{
	const struct tl_a64 first = tl_a64_classify(0);

	for (size_t i = 0; i < sizeof(cache->slots) / sizeof(cache->slots[0]); i++)
		cache->slots[i] = first;
}
