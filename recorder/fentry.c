/* SPDX-License-Identifier: Apache-2.0 */
#include "fentry.h"

#include <unistd.h>

#include "slow.h"

void rt_fentry(uintptr_t address, uintptr_t *slot)
{
	struct rt_thread *t = rt_thread();
	struct rt_frame *frame;

	if (!t)
		return;
	/* A tail call returns to where its caller would have. */
	frame = rt_enter(t, rt_id(t, address), (uintptr_t)slot, *slot != (uintptr_t)rt_return,
			 RT_ENTER);
	if (!frame) {
		t->over--;
		return;
	}
	frame->back = *slot;
	*slot = (uintptr_t)rt_return;
}

/* Frames above it were left, or belong to a stack that waits and comes back. */
struct rt_frame *rt_find_frame_slow(struct rt_thread *t, uint64_t slot)
{
	static const char lost[] = "tracelathe: a return address was changed by another hand\n";
	struct rt_frame *frame, found;

	rt_close_left_slow(t, slot);
	for (frame = t->top - 1; frame > t->frames && frame->sp != slot; frame--)
		;
	if (frame == t->frames) {
		(void)!write(STDERR_FILENO, lost, sizeof(lost) - 1);
		__builtin_trap();
	}
	found = *frame;
	for (; frame < t->top - 1; frame++)
		*frame = frame[1];
	*frame = found;
	return frame;
}

uintptr_t rt_fentry_leave(uint64_t slot)
{
	struct rt_thread *t = rt_self;
	struct rt_frame *frame = t->top - 1;
	uintptr_t back;

	if (__builtin_expect(frame->sp != slot, 0))
		frame = rt_find_frame(t, slot);
	back = frame->back;
	rt_put_exit(t, frame, RT_EXIT);
	rt_pop(t);
	return back;
}

void rt_unhide(void)
{
	struct rt_thread *t = rt_self;

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
