/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_STACK_MOVES_H
#define TL_INTEL_PT_PROFILE_STACK_MOVES_H
/*
 * Blocks that go over to another stack. A trace does not have the stack pointer, but the code
 * tells: what switches coroutines, swapcontext(), longjmp() and what unwinds exceptions set it from
 * memory or a register, and then return or jump. That a function sets it back (from its frame
 * pointer, or from a register that it put it into before) is no such thing.
 */
#include <tracelathe/intel_pt.h>

/*
 * 1: the last thing the block does to the stack pointer is to set it to what was not this stack's;
 * 0; -TL_PT_NOMEM.
 */
int tl_pt_node_switches_stack(struct tl_pt_decoder *decoder, uint32_t number);

/*
 * Whether what stands before an address is a call, so that the address is one that is returned to.
 */
bool tl_pt_behind_call(struct tl_pt_decoder *decoder, uint64_t ip);

#endif
