/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_SVE_H
#define TL_EMULATOR_AARCH64_SVE_H
/*
 * Loads and stores of SVE under a predicate: QEMU 7.2 makes most of them without telling its
 * plugins, so their elements are computed from the registers (Arm Architecture Reference Manual,
 * C4.1, "SVE Memory"). LDR, STR and LD1R are told.
 */
#include <stdbool.h>
#include <stdint.h>

struct guest;

enum {
	SVE_BYTES = 256,             /* of the longest vector */
	SVE_ELEMENTS = 4 * SVE_BYTES /* of an instruction */
};

enum sve_fault {
	SVE_FAULTS,      /* all elements are accessed, or none */
	SVE_FIRST_FAULT, /* those that FFR has afterwards, and the first */
	SVE_NO_FAULT,    /* those that FFR has afterwards */
};

/* What an instruction accesses. */
struct sve_access {
	bool writes;
	unsigned shift; /* 2 to the power of this is the size of an element in memory */
	unsigned count;
	uint64_t addresses[SVE_ELEMENTS];
	enum sve_fault fault;
	unsigned lane_shift;       /* size of an element in the vector */
	uint16_t lanes[SVE_BYTES]; /* with FFR: of each element */
};

/* Whether the instruction is such an access; false: it is none, or wholly told. */
bool sve_is_access(uint32_t opcode);
/* What it is about to access. */
void sve_compute(uint32_t opcode, const struct guest *guest, struct sve_access *access);
/* What it has accessed of that. */
void sve_cut_at_fault(const struct guest *guest, struct sve_access *access);
/* Accesses of SME's matrix, which are neither told nor computed. */
bool sve_is_matrix_access(uint32_t opcode);

#endif
