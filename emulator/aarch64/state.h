/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_STATE_H
#define TL_EMULATOR_AARCH64_STATE_H
/*
 * The registers of an AArch64 processor as QEMU 7.2 keeps them on x86-64 hosts: its plugin
 * interface has none. A known program is recorded before a QEMU is used (src/record/emulation).
 */
#include <stdint.h>

#include "stream.h"

struct guest;

/* X0 to X30, SP as 31. */
uint64_t state_x(const struct guest *guest, unsigned number);
/* As an instruction names it: 31 is zero. */
uint64_t state_operand(const struct guest *guest, unsigned number);
/* NZCV as MRS shows it. */
uint64_t state_flags(const struct guest *guest);
/* All but the counts. */
void state_snapshot(const struct guest *guest, struct snapshot *snapshot);

#endif
