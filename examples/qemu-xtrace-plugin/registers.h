/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REGISTERS_H
#define REGISTERS_H
/* A virtual processor's registers, by what QEMU calls them. */
#include "qemu.h"
#include "stream.h"

struct registers {
	struct qemu_plugin_register *x[32], *z[32], *p[16], *ffr, *cpsr, *elr[4]; /* of EL2, EL3 */
	struct qemu_plugin_register *granules; /* of 8 bytes that a vector has now */
	struct qemu_plugin_register *system[SYSTEM_REGISTERS];
	GByteArray *bytes;
};

/* On the processor's own thread, in a callback that may read registers. */
void registers_find(struct registers *registers);
void registers_free(struct registers *registers);

/* X0 to X30, SP as 31. */
uint64_t register_x(struct registers *registers, unsigned number);
/* As an instruction names it: 31 is zero. */
uint64_t register_operand(struct registers *registers, unsigned number);
/* Zeros beyond the vectors' length. */
void register_predicate(struct registers *registers, unsigned number,
			uint8_t bytes[MAX_PREDICATE_BYTES]);
/* NZCV as MRS shows it. */
uint64_t register_flags(struct registers *registers);
unsigned register_el(struct registers *registers);
/* Where ERET at this level goes. */
uint64_t register_elr(struct registers *registers, unsigned el);
/*
 * All but the counts. `now`: vectors are as long as the program has them, which may be shorter than
 * the processor's longest.
 */
void registers_snapshot(struct registers *registers, struct snapshot *snapshot, bool now);

#endif
