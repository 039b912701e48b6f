/* SPDX-License-Identifier: Apache-2.0 */
/* x86-64: a function's return address is where its caller put it, by which its frame is known. */
#include "fentry.h"

#include "slow.h"

void rt_unhide(uint64_t sp)
{
	struct rt_thread *t = rt_self;

	(void)sp;
	/* The innermost first: of tail calls it has the one that others began with. */
	for (struct rt_frame *frame = t ? t->top - 1 : NULL; frame && frame > t->frames; frame--)
		if (frame->back && frame->sp && *(uintptr_t *)frame->sp == (uintptr_t)rt_return)
			*(uintptr_t *)frame->sp = frame->back;
}

void rt_hide(uint64_t sp)
{
	struct rt_thread *t = rt_self;

	/* Where return addresses are not changed, a frame's sp is not that of its function. */
	if (!t || !t->top[-1].back)
		return;
	rt_close_left_slow(t, sp);
	for (struct rt_frame *frame = t->frames + 1; frame < t->top; frame++)
		if (frame->back && frame->sp && *(uintptr_t *)frame->sp == frame->back)
			*(uintptr_t *)frame->sp = (uintptr_t)rt_return;
}
