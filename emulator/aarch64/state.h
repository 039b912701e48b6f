/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_STATE_H
#define TL_EMULATOR_AARCH64_STATE_H
/*
 * The registers of an AArch64 processor as QEMU 7.2 keeps them on x86-64 hosts: its plugin
 * interface has none. A known program is recorded before a QEMU is used (src/record/emulation).
 */
#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

struct guest;

/* X0 to X30, SP as 31. */
uint64_t state_x(const struct guest *guest, unsigned number);
/* As an instruction names it: 31 is zero. */
uint64_t state_operand(const struct guest *guest, unsigned number);
/* NZCV as MRS shows it. */
uint64_t state_flags(const struct guest *guest);

enum { FFR = 16 };

/* Of SVE, where the processor has it; else 16. */
unsigned state_vector_bytes(const struct guest *guest);
/* P0 to P15, FFR: the bit of a byte of the vector. */
bool state_predicate(const struct guest *guest, unsigned number, unsigned bit);
/* Bytes `at` and behind of a vector, at most 8. */
uint64_t state_lane(const struct guest *guest, unsigned vector, unsigned at, unsigned size);

/* All but the counts. */
void state_snapshot(const struct guest *guest, struct snapshot *snapshot);

#endif
