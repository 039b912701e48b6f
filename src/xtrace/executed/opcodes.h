/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_EXECUTED_OPCODES_H
#define TL_XTRACE_EXECUTED_OPCODES_H
/* The code that ran, by address: streams have the opcode of each instruction. */
#include "core/memory.h"
#include "xtrace/format/trace.h"

struct tl_xtrace_opcode {
	uint64_t address;
	uint32_t opcode; /* the last one that ran there */
};

/* Memory: about 32 bytes an address. */
struct tl_xtrace_opcodes {
	struct tl_xtrace_opcode *list; /* in the order in which addresses are met */
	size_t count, capacity;
	struct tl_index index; /* of `list`, by address */
};

/* Go through all streams of a trace; begin with zeros. 0 or negative: what is there is a part. */
int tl_xtrace_opcodes_read(struct tl_xtrace_opcodes *opcodes, struct tl_xtrace_trace *trace,
			   struct tl_error *err);
/*
 * Fill at most `size` bytes from an address on, up to the first instruction that did not run.
 * Returns how many.
 */
size_t tl_xtrace_opcodes_at(const struct tl_xtrace_opcodes *opcodes, uint64_t address,
			    uint8_t *bytes, size_t size);
void tl_xtrace_opcodes_free(struct tl_xtrace_opcodes *opcodes);

#endif
