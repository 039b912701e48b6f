/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INSN_LOG_READING_H
#define TL_INSN_LOG_READING_H
/* A log while it is read: what the files of this room share. */
#include "core/text/lines.h"
#include "insn_log/insn_log.h"
#include "insn_log/text.h"
#include "isa/a64/a64.h"

/* An instruction as a log has it. */
struct tl_insn_log_insn {
	uint64_t pc;
	uint32_t opcode;
	unsigned el;
};

/*
 * Instructions that QEMU translated together, of which it logs the text once and then the address
 * only.
 */
struct tl_insn_log_block {
	size_t begin; /* in `code` */
	size_t count;
	uint64_t pc;
};

/* A block by its address (`host` 0: the last one that was translated there), or by where its
 * translation is. */
struct tl_insn_log_place {
	uint64_t host, pc;
	uint32_t block;
	bool is_new; /* of an address: its last text was not executed yet */
};

struct tl_insn_log_blocks {
	struct tl_insn_log_block *list;
	size_t count, capacity;
	uint32_t *code; /* opcodes of all blocks */
	size_t code_count, code_capacity;
	struct tl_insn_log_place *places;
	size_t place_count, place_capacity;
	struct tl_index by_place;
};

/* A block that a processor is about to execute, which it may still be stopped from. */
struct tl_insn_log_awaited {
	uint64_t host, pc;
	uint64_t number; /* of its announcement among all */
	uint32_t block;  /* TL_NONE: none */
};

struct tl_insn_log_reading {
	struct tl_insn_log_file *log;
	struct tl_lines lines;
	struct tl_index by_id; /* of cpus */
	struct tl_names names; /* of processors, in Tarmac */
	struct tl_a64_cache *opcodes;
	struct tl_insn_log_blocks blocks;
	struct tl_insn_log_awaited *awaited; /* by number of the processor */
	size_t awaited_count, awaited_capacity;
	uint64_t announced;
	bool after_in; /* QEMU: instructions may follow */
	bool in_text;  /* the next one is of the last block */
	/* what is said in the end */
	uint64_t no_text, elsewhere, unsized, other_machine, unallocated, seen;
	bool linked;
};

/* ---- fault.c ---- */

/* The present line is broken. 0, or negative. */
int tl_insn_log_broken(struct tl_insn_log_reading *r, const char *text, struct tl_error *err);

/* ---- stream.c ---- */

/* The number of a processor's stream, begun if new; TL_NONE: no memory. */
uint32_t tl_insn_log_cpu(struct tl_insn_log_reading *r, uint64_t id);
void tl_insn_log_put(struct tl_insn_log_reading *r, struct tl_insn_log_cpu *cpu,
		     const struct tl_insn_log_insn *insn);
/* An access of the last instruction; its bytes, where they are no power of two, in parts. */
void tl_insn_log_put_access(struct tl_insn_log_reading *r, struct tl_insn_log_cpu *cpu, bool store,
			    uint64_t address, uint64_t size);
const struct tl_a64 *tl_insn_log_look(struct tl_insn_log_reading *r, uint32_t opcode);
/* Count an opcode that a log has as text: too many that A64 does not have are of another set. */
void tl_insn_log_seen(struct tl_insn_log_reading *r, uint32_t opcode);

/* ---- blocks.c ---- */

/* Begin a block; false without memory. */
bool tl_insn_log_block_begin(struct tl_insn_log_blocks *blocks, uint64_t pc);
bool tl_insn_log_block_add(struct tl_insn_log_blocks *blocks, uint32_t opcode);
/* Let the last block be found by its address; false without memory. */
bool tl_insn_log_block_known(struct tl_insn_log_blocks *blocks);
/* The block at an address by where its translation is: *block, TL_NONE: no text of it came. False
 * without memory. */
bool tl_insn_log_block_find(struct tl_insn_log_blocks *blocks, uint64_t host, uint64_t pc,
			    uint32_t *block);
void tl_insn_log_blocks_end(struct tl_insn_log_blocks *blocks);

/* ---- one line; 0 or negative ---- */

int tl_insn_log_qemu_line(struct tl_insn_log_reading *r, struct tl_error *err);
/* Blocks that are still awaited are executed. */
void tl_insn_log_qemu_end(struct tl_insn_log_reading *r);
int tl_insn_log_execlog_line(struct tl_insn_log_reading *r, struct tl_error *err);
int tl_insn_log_tarmac_line(struct tl_insn_log_reading *r, struct tl_error *err);

#endif
