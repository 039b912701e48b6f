/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_X86_FAST_H
#define TL_ISA_X86_FAST_H
/*
 * Size and class of the instructions that programs are made of, from their first bytes alone:
 * encodings of the one-byte and the 0F map in 64-bit mode with at most one prefix and a REX, whose
 * size depends on nothing but opcode, ModRM and SIB. What it knows is what Zydis says of them
 * (tests/unit/isa/test_x86_fast.c compares all); what it does not know, Zydis is asked.
 */
#include "isa/x86/x86_flow.h"

/* As tl_x86_flow_decode() in 64-bit mode. False: not one of these, or fewer than 15 bytes there. */
bool tl_x86_fast(const uint8_t *code, size_t size, uint64_t ip, struct tl_x86_flow *flow);

#endif
