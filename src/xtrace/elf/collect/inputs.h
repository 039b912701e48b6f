/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_INPUTS_H
#define TL_XTRACE_INPUTS_H
/*
 * The registers that a signal's handler begins with, which the kernel sets and the trace does not
 * have: X0 to X2, X29, X30 and SP. They are found where the handler shows them: in what it stores,
 * in the addresses that it accesses and branches to, in arguments of system calls, in a snapshot.
 *
 * The handler is computed twice, from different values in their places. Where both times the same
 * difference to one of them is left, the register that is shown is this one plus that difference.
 */
#include "isa/a64/a64_access.h"
#include "xtrace/state/registers.h"

struct tl_xtrace_inputs {
	struct tl_xtrace_registers runs[2];
	uint64_t left, found; /* bits by number, SP is 31 */
	uint64_t values[32];
};

/* An instruction that was executed. */
struct tl_xtrace_inputs_step {
	uint32_t opcode;
	uint64_t pc;
	const uint8_t *loaded;
	uint32_t loaded_size;
	bool left_out; /* it should have accessed memory, and did not */
};

void tl_xtrace_inputs_begin(struct tl_xtrace_inputs *inputs);
/* A register has this value, of which the bits of `mask` are told. */
void tl_xtrace_inputs_show(struct tl_xtrace_inputs *inputs, unsigned reg, uint64_t value,
			   uint64_t mask);
/* Whether the instruction reads this input, or a sum with it. */
bool tl_xtrace_inputs_read(const struct tl_xtrace_inputs *inputs, uint32_t opcode, unsigned input);
/* The first access of an instruction. */
void tl_xtrace_inputs_address(struct tl_xtrace_inputs *inputs, const struct tl_a64_access *access,
			      uint64_t address);
/* Bytes that it stores, from byte `at` of all of them on. */
void tl_xtrace_inputs_stored(struct tl_xtrace_inputs *inputs, const struct tl_a64_access *access,
			     uint32_t at, const uint8_t *bytes, uint32_t size);
void tl_xtrace_inputs_execute(struct tl_xtrace_inputs *inputs,
			      const struct tl_xtrace_inputs_step *step);

#endif
