/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_INPUTS_H
#define TL_XTRACE_INPUTS_H
/*
 * Registers that a part of the program begins with, and which the trace does not have: those that
 * the kernel sets for a signal's handler (X0 to X2, X29, X30 and SP), or those that a handler
 * brings back which began before the slice. They are found where the program shows them: in what it
 * stores, in the addresses that it accesses and branches to, in arguments of system calls, in a
 * snapshot.
 *
 * The program is computed twice, from different values in their places. Where both times the same
 * difference to one of them is left, the register that is shown is this one plus that difference.
 */
#include "isa/a64/a64_access.h"
#include "xtrace/state/registers.h"

/* Linux, arch/arm64/kernel/signal.c, setup_return(), setup_rt_frame(): X0 to X2, X29, X30, SP. */
#define TL_XTRACE_SET_BY_KERNEL UINT64_C(0xe0000007)

struct tl_xtrace_inputs {
	struct tl_xtrace_registers runs[2];
	uint64_t left, found; /* bits by number, SP is 31 */
	bool handler;         /* X0 is the number of a signal, the others are addresses */
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

/* Of a handler; of any part, whose inputs are these registers. */
void tl_xtrace_inputs_begin(struct tl_xtrace_inputs *inputs);
void tl_xtrace_inputs_begin_any(struct tl_xtrace_inputs *inputs, uint64_t registers);
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
