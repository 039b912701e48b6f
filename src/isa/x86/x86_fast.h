/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_X86_FAST_H
#define TL_ISA_X86_FAST_H
/*
 * The fast path of tl_x86_flow_decode(): size and class of the most frequent instructions from
 * their first bytes alone. It knows encodings of the one-byte and the 0F map in 64-bit mode with at
 * most one prefix and a REX, whose size depends on opcode, ModRM and SIB only. The result is that
 * of tl_x86_flow_zydis() (tests/unit/isa/test_x86_fast.c compares every encoding); all other
 * instructions go to Zydis.
 */
#include "isa/x86/x86_flow.h"

/* As tl_x86_flow_decode() in 64-bit mode. False: not one of these, or fewer than 15 bytes there. */
bool tl_x86_fast(const uint8_t *code, size_t size, uint64_t ip, struct tl_x86_flow *flow);

#endif
