/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executed basic blocks as DynamoRIO's drcov writes them, version 2: a table of modules as text,
 * then 8 bytes a block (offset from the module's base, size, module), little-endian.
 */
#include "core/error.h"
#include "core/output.h"
#include "export/coverage/coverage_exporters.h"

enum { BLOCK_MOST = UINT16_MAX };

struct block {
	uint64_t start, end;
	uint32_t object;
};

struct blocks {
	const struct tl_coverage *coverage;
	bool *leaders; /* by instruction: a branch goes there */
};

static uint64_t offset_of(const struct tl_coverage *c, const struct block *block)
{
	const struct tl_coverage_object *object = &c->objects[block->object];

	return block->start + object->bias - object->base;
}

static void put_little(struct tl_output *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		tl_put_char(out, (char)(value >> (8 * i)));
}

static void put_block(const struct tl_coverage *c, const struct block *block, struct tl_output *out)
{
	put_little(out, offset_of(c, block), 4);
	put_little(out, block->end - block->start, 2);
	put_little(out, block->object, 2);
}

/* Whether an instruction goes on with the block before it. */
static bool goes_on(const struct blocks *b, const struct block *block, size_t i)
{
	const struct tl_coverage_insn *insn = &b->coverage->insns[i];

	return block->end == insn->address && block->object == insn->object && !b->leaders[i] &&
	       insn->address + insn->size - block->start <= BLOCK_MOST;
}

/* Call `each` with all blocks; returns their number. `out` NULL: they are only counted. */
static uint64_t each_block(const struct blocks *b, struct tl_output *out)
{
	const struct tl_coverage *c = b->coverage;
	struct block block = { 0 };
	uint64_t count = 0;
	bool open = false;

	for (size_t i = 0; i < c->insn_count; i++) {
		const struct tl_coverage_insn *insn = &c->insns[i];

		if (!insn->count || !insn->size)
			continue;
		if (!open || !goes_on(b, &block, i)) {
			if (open && out)
				put_block(c, &block, out);
			block.start = insn->address;
			block.object = insn->object;
			count++;
		}
		block.end = insn->address + insn->size;
		open = true;
		if (insn->kind != TL_BRANCH_NONE && insn->kind != TL_BRANCH_SYSTEM) {
			if (out)
				put_block(c, &block, out);
			open = false;
		}
	}
	if (open && out)
		put_block(c, &block, out);
	return count;
}

static void find_leaders(struct blocks *b)
{
	const struct tl_coverage *c = b->coverage;

	for (size_t i = 0; i < c->edge_count; i++) {
		uint32_t insn = tl_coverage_find(c, c->edges[i].to_object, c->edges[i].to);

		if (insn != TL_NONE)
			b->leaders[insn] = true;
	}
}

/* The end of a module: that of its last executed instruction, as sizes are not in a trace. */
static uint64_t end_of(const struct tl_coverage *c, uint32_t object)
{
	const struct tl_coverage_object *o = &c->objects[object];
	uint64_t end = 0;

	for (size_t i = 0; i < c->insn_count; i++)
		if (c->insns[i].object == object && c->insns[i].address + c->insns[i].size > end)
			end = c->insns[i].address + c->insns[i].size;
	return end + o->bias;
}

static void put_modules(const struct tl_coverage *c, struct tl_output *out)
{
	tl_put_text(out, "DRCOV VERSION: 2\nDRCOV FLAVOR: tracelathe\n");
	tl_put_format(out, "Module Table: version 2, count %zu\n", c->object_count);
	tl_put_text(out, "Columns: id, base, end, entry, path\n");
	for (size_t i = 0; i < c->object_count; i++) {
		tl_put_format(out, "%3zu, 0x%016llx, 0x%016llx, 0x%016x, ", i,
			      (unsigned long long)c->objects[i].base,
			      (unsigned long long)end_of(c, (uint32_t)i), 0);
		tl_put_shown(out, c->objects[i].path, strlen(c->objects[i].path));
		tl_put_char(out, '\n');
	}
}

static int write_drcov(const struct tl_coverage *c, uint32_t object, struct tl_output *out,
		       struct tl_error *err)
{
	struct blocks b = { .coverage = c, .leaders = tl_zeroed(c->insn_count, sizeof(bool)) };

	(void)object;
	if (!b.leaders)
		return tl_error_memory(err);
	find_leaders(&b);
	put_modules(c, out);
	tl_put_format(out, "BB Table: %llu bbs\n", (unsigned long long)each_block(&b, NULL));
	each_block(&b, out);
	free(b.leaders);
	return 0;
}

const struct tl_coverage_exporter tl_drcov_exporter = {
	.write = write_drcov,
};
