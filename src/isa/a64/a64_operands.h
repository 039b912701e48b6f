/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_OPERANDS_H
#define TL_ISA_A64_OPERANDS_H
/*
 * Which registers an A64 instruction reads and writes, by its encoding: for simulators, which need
 * dependences. Exact for branches, integers, loads and stores of one or two registers; of vector
 * instructions, the registers that the fields Rd, Rn, Rm and Ra name. Not known: 128-bit atomics
 * and system registers, memory copies, LDIAPP, STILP. The zero register is none.
 */
#include <stdbool.h>
#include <stdint.h>

enum {
	TL_A64_X0 = 0, /* to X30 */
	TL_A64_SP = 31,
	TL_A64_V0 = 32, /* to V31; Z registers, too */
	TL_A64_P0 = 64, /* to P15 */
	TL_A64_NZCV = 80,
	TL_A64_OPERANDS = 8,
};

struct tl_a64_operands {
	uint8_t reads[TL_A64_OPERANDS], writes[TL_A64_OPERANDS];
	uint8_t read_count, write_count;
};

struct tl_a64_operands tl_a64_operands(uint32_t opcode);

#endif
