/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PACKETS_SIZED_H
#define TL_INTEL_PT_PACKETS_SIZED_H
/*
 * How public calls of this room fill a struct of the caller (docs/abi.md, core/sized.h): where the
 * caller's struct has our size it is filled in place; a larger one is filled from a copy of ours.
 */
#include <tracelathe/intel_pt.h>

#include "core/sized.h"

/* The copy `from` of `have` bytes goes to the caller's struct, if the call has filled it. */
static inline int tl_pt_give_sized(int status, void *to, size_t size, const void *from, size_t have)
{
	if (status >= 0)
		tl_copy_sized(to, size, from, have);
	return status;
}

#endif
