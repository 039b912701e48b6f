/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ATOMICS_H
#define ATOMICS_H
/*
 * What LDADD, SWP, CAS and the like store: QEMU tells plugins the operand instead once a program
 * has threads.
 */
#include <stdint.h>

/*
 * `old` is what was loaded; operands are the registers Rs, Rs + 1, Rt, Rt + 1 before (of CASP;
 * others have Rs and Rt only). Memory is little-endian. A CAS that fails stores what was there.
 */
void atomic_stores(uint32_t opcode, const uint8_t old[16], const uint64_t operands[4],
		   uint8_t stored[16]);

#endif
