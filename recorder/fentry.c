/* SPDX-License-Identifier: Apache-2.0 */
#include "fentry.h"

#include <unistd.h>

#include "slow.h"

void rt_fentry(uintptr_t address, uint64_t sp, uintptr_t *back)
{
	struct rt_thread *t = rt_thread();
	struct rt_frame *frame;

	if (!t)
		return;
	/* A tail call returns to where its caller would have. */
	frame = rt_enter(t, rt_id(t, address), sp, *back != (uintptr_t)rt_return, RT_ENTER);
	if (!frame) {
		t->over--;
		return;
	}
	frame->back = *back;
	*back = (uintptr_t)rt_return;
}

/* Frames above it were left, or belong to a stack that waits and comes back. */
struct rt_frame *rt_find_frame_slow(struct rt_thread *t, uint64_t sp)
{
	static const char lost[] = "tracelathe: a return address was changed by another hand\n";
	struct rt_frame *frame, found;

	rt_close_left_slow(t, sp);
	for (frame = t->top - 1; frame > t->frames && frame->sp != sp; frame--)
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

uintptr_t rt_fentry_leave(uint64_t sp)
{
	struct rt_thread *t = rt_self;
	struct rt_frame *frame = t->top - 1;
	uintptr_t back;

	if (__builtin_expect(frame->sp != sp, 0))
		frame = rt_find_frame(t, sp);
	back = frame->back;
	rt_put_exit(t, frame, RT_EXIT);
	rt_pop(t);
	return back;
}
