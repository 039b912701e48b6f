/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QEMU's log of what it translates ("IN:", then a line for each instruction) and of the blocks that
 * it executes ("Trace"). A block that is about to be executed can be stopped before its first
 * instruction, which the line behind it says: so the last block of a processor waits.
 */
#include "core/error.h"
#include "insn_log/reading.h"

enum { OPCODE_DIGITS = 8 };

/* ---- texts of blocks ---- */

/* Whether an instruction is the next one of the block that is being read. */
static bool is_next(const struct tl_insn_log_blocks *b, uint64_t pc)
{
	const struct tl_insn_log_block *block = &b->list[b->count - 1];

	return pc == block->pc + 4 * block->count;
}

/* "0x00400580:  d503201f  nop" */
static int take_insn(struct tl_insn_log_reading *r, struct tl_insn_log_text text,
		     struct tl_error *err)
{
	struct tl_insn_log_blocks *b = &r->blocks;
	unsigned digits;
	uint64_t pc, opcode;

	if (!tl_insn_log_take_hex(&text, &pc, NULL) || !tl_insn_log_take(&text, ":"))
		return tl_insn_log_broken(r, "an instruction without an address; left it out", err);
	tl_insn_log_skip_blanks(&text);
	if (!tl_insn_log_take_hex(&text, &opcode, &digits) || digits != OPCODE_DIGITS ||
	    (text.at < text.end && text.at + 1 < text.end && text.at[1] != ' ')) {
		r->other_machine++;
		return 0;
	}
	if (!r->in_text) {
		if (!tl_insn_log_block_begin(b, pc) || !tl_insn_log_block_known(b))
			return tl_error_memory(err);
		r->in_text = true;
	} else if (!is_next(b, pc)) {
		r->in_text = false;
		return tl_insn_log_broken(
			r, "an instruction not behind the one before in its block; left it out",
			err);
	}
	tl_insn_log_seen(r, (uint32_t)opcode);
	return tl_error_unless_made(tl_insn_log_block_add(b, (uint32_t)opcode), err);
}

/* ---- executions ---- */

static void execute(struct tl_insn_log_reading *r, uint32_t cpu, uint32_t number)
{
	const struct tl_insn_log_block *block = &r->blocks.list[number];
	struct tl_insn_log_insn insn = { .pc = block->pc };

	for (size_t i = 0; i < block->count; i++, insn.pc += 4) {
		insn.opcode = r->blocks.code[block->begin + i];
		tl_insn_log_put(r, &r->log->cpus[cpu], &insn);
	}
	r->log->blocks++;
}

/*
 * "Trace 0: 0x7f01 [cs_base/pc/flags/cflags] symbol"; before QEMU 3 "Trace 0x7f01 [0: pc] symbol",
 * before 2.8 without the processor.
 */
static bool cut_trace(struct tl_insn_log_text text, uint64_t *cpu, uint64_t *host, uint64_t *pc)
{
	*cpu = 0;
	tl_insn_log_skip_blanks(&text);
	tl_insn_log_take_cpu(&text, cpu);
	if (!tl_insn_log_take(&text, "0x") || !tl_insn_log_take_hex(&text, host, NULL) ||
	    !tl_insn_log_go_behind(&text, '['))
		return false;
	tl_insn_log_take_cpu(&text, cpu);
	if (!tl_insn_log_take_hex(&text, pc, NULL))
		return false;
	if (tl_insn_log_take(&text, "/"))
		return tl_insn_log_take_hex(&text, pc, NULL);
	return tl_insn_log_take(&text, "]");
}

static int take_trace(struct tl_insn_log_reading *r, struct tl_insn_log_text text,
		      struct tl_error *err)
{
	uint64_t id, host, pc;
	uint32_t cpu, block;

	if (!cut_trace(text, &id, &host, &pc))
		return tl_insn_log_broken(r, "an execution without its address; left it out", err);
	cpu = tl_insn_log_cpu(r, id);
	if (cpu == TL_NONE || !tl_insn_log_block_find(&r->blocks, host, pc, &block) ||
	    !tl_grow(&r->awaited, &r->awaited_capacity, cpu + 1, sizeof(*r->awaited)))
		return tl_error_memory(err);
	for (; r->awaited_count <= cpu; r->awaited_count++)
		r->awaited[r->awaited_count].block = TL_NONE;
	if (r->awaited[cpu].block != TL_NONE)
		execute(r, cpu, r->awaited[cpu].block);
	r->awaited[cpu] = (struct tl_insn_log_awaited){ host, pc, r->announced++, block };
	r->no_text += block == TL_NONE;
	return 0;
}

/*
 * "Stopped execution of TB chain before 0x7f01 [pc] symbol": it does not say of which processor.
 * Several may have announced the same block, but those that run it for long have begun before.
 */
static int take_stop(struct tl_insn_log_reading *r, struct tl_insn_log_text text,
		     struct tl_error *err)
{
	struct tl_insn_log_awaited *last = NULL;
	uint64_t host, pc;

	if (!tl_insn_log_take(&text, "0x") || !tl_insn_log_take_hex(&text, &host, NULL) ||
	    !tl_insn_log_go_behind(&text, '[') || !tl_insn_log_take_hex(&text, &pc, NULL))
		return tl_insn_log_broken(r, "a stop without its address; left it out", err);
	for (size_t i = 0; i < r->awaited_count; i++) {
		struct tl_insn_log_awaited *a = &r->awaited[i];

		if (a->block != TL_NONE && a->host == host && a->pc == pc &&
		    (!last || a->number > last->number))
			last = a;
	}
	if (last)
		last->block = TL_NONE;
	return 0;
}

int tl_insn_log_qemu_line(struct tl_insn_log_reading *r, struct tl_error *err)
{
	struct tl_insn_log_text text = { r->lines.start, r->lines.stop };

	if (tl_insn_log_take(&text, "Trace "))
		return take_trace(r, text, err);
	if (r->after_in && tl_insn_log_take(&text, "0x"))
		return take_insn(r, text, err);
	r->in_text = false;
	r->after_in = tl_insn_log_take(&text, "IN:");
	if (tl_insn_log_take(&text, "Stopped execution of TB chain before "))
		return take_stop(r, text, err);
	r->linked |= tl_insn_log_take(&text, "Linking TBs ");
	return 0;
}

void tl_insn_log_qemu_end(struct tl_insn_log_reading *r)
{
	for (uint32_t i = 0; i < r->awaited_count; i++)
		if (r->awaited[i].block != TL_NONE)
			execute(r, i, r->awaited[i].block);
}
