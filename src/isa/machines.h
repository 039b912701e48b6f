/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_MACHINES_H
#define TL_ISA_MACHINES_H
/* The instruction sets, one table of operations each. */
#include "isa/isa.h"

struct tl_machine {
	unsigned number; /* e_machine */
	/* The machine's own state, NULL without memory. */
	void *(*open)(void);
	void (*close)(void *state);
	/* False: no instruction. */
	bool (*decode)(void *state, const uint8_t *code, size_t size, uint64_t address,
		       struct tl_insn *insn);
	unsigned least; /* bytes of an instruction */
};

extern const struct tl_machine tl_machine_x86_64, tl_machine_i386, tl_machine_aarch64;

#endif
