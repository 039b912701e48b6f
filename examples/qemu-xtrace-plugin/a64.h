/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef A64_H
#define A64_H
/*
 * Which instructions carry a token, by their encoding (Arm Architecture Reference Manual, C4.1).
 */
#include <stdint.h>

enum carries {
	CARRIES_SVC = 1 << 0,    /* SVCARG x 7, SYSCALL_VEC, SVCRET */
	CARRIES_STATUS = 1 << 1, /* STXR: the status register of an exclusive store */
	CARRIES_MRS = 1 << 2,    /* the register that MRS has written */
	CARRIES_MSR = 1 << 3,    /* the register that MSR reads */
	CARRIES_FLAGS = 1 << 4,  /* NZCV after RNDR, RNDRRS and conditional selects */
	CARRIES_DC = 1 << 5,     /* the address of DC ZVA, DC GZVA */
	CARRIES_TARGET = 1 << 6, /* BR, BLR, RET: the register is the target */
	CARRIES_NEXT = 1 << 7,   /* with pointer authentication: where it went */
	CARRIES_ERET = 1 << 8,   /* ELR_EL1 */
	IS_HINT_9 = 1 << 9,
	IS_HINT_13 = 1 << 10,
	IS_ATOMIC = 1 << 12, /* loads and stores at once: LDADD, SWP, CAS, CASP and the like */
	IS_LOAD_EXCLUSIVE = 1 << 13,
	IS_SME = 1 << 14,    /* turns streaming mode or ZA on */
	IS_ACCESS = 1 << 15, /* loads and stores */
	IS_TILE = 1 << 16,   /* of them those of a slice of ZA */
	IS_FIRST = 1 << 11,  /* the first of its translation block; not of the encoding */
};

unsigned a64_carries(uint32_t opcode);

#endif
