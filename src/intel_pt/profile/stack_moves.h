/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_STACK_MOVES_H
#define TL_INTEL_PT_PROFILE_STACK_MOVES_H
/*
 * Blocks that switch to another stack. A trace does not hold the stack pointer, but the code shows
 * where it is set: coroutine switches, swapcontext(), longjmp() and unwinding of exceptions load it
 * from memory or a register, and then return or jump. A function that restores it (from its frame
 * pointer, or from a register that it saved it in) does not switch.
 */
#include <tracelathe/intel_pt.h>

/*
 * 1: the last change the block makes to the stack pointer sets it to a value of another stack; 0:
 * it does not; or -TL_PT_NOMEM.
 */
int tl_pt_node_switches_stack(struct tl_pt_decoder *decoder, uint32_t number);

/*
 * Whether the bytes before an address can be a call, so that the address can be a return address.
 */
bool tl_pt_behind_call(struct tl_pt_decoder *decoder, uint64_t ip);

#endif
