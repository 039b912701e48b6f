/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STACK_POINTER_H
#define TL_XTRACE_STACK_POINTER_H
/* SP, followed through instructions and the addresses of their accesses. */
#include <stdbool.h>
#include <stdint.h>

/* SP, if it is known. Zero-filled: unknown. */
struct tl_xtrace_sp {
	bool known;
	uint64_t sp;
};

/*
 * SP behind an instruction. `accessed`: it loaded or stored, first at `address`; a load or store
 * that faulted has no access, and wrote nothing.
 */
void tl_xtrace_sp_follow(struct tl_xtrace_sp *stack, uint32_t opcode, bool accessed,
			 uint64_t address);

#endif
