/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_COMPUTE_H
#define TL_ISA_A64_COMPUTE_H
/*
 * What an integer instruction computes: "Data Processing -- Immediate" and "-- Register" (DDI 0487,
 * C4.1, C6.2). Not here, since others do them: ADR, ADRP, MOVZ, MOVN; since keys or random numbers
 * decide: pointer authentication, IRG; and CRC32.
 */
#include <stdbool.h>
#include <stdint.h>

/* NZCV as four bits. */
enum { TL_A64_N = 8, TL_A64_Z = 4, TL_A64_C = 2, TL_A64_V = 1 };

/* Numbers of registers: 31 is SP, and this one always 0. */
enum { TL_A64_ZERO = 32 };

/* The values of the registers that the fields Rn, Rm and Ra (or, of BFM, Rd) name. */
struct tl_a64_inputs {
	uint64_t n, m, a;
	unsigned nzcv;
};

/* The result, and, where the instruction sets flags, *nzcv. */
typedef uint64_t tl_a64_compute_fn(uint32_t opcode, const struct tl_a64_inputs *in, unsigned *nzcv);

struct tl_a64_computation {
	tl_a64_compute_fn *compute; /* NULL: not one of these */
	uint8_t d, n, m, a;         /* TL_A64_ZERO: none */
	bool reads_flags, writes_flags;
};

struct tl_a64_computation tl_a64_computation(uint32_t opcode);

/* Whether a condition (B.cond, CSEL, CCMP) holds. */
bool tl_a64_holds(unsigned condition, unsigned nzcv);

#endif
