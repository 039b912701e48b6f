/* SPDX-License-Identifier: Apache-2.0 */
/* Where no front end comes in behind the compiler's back, slow steps are plain calls. */
#include "slow.h"

/* Nothing can be written over entries of which nothing is known. */
void rt_patch_begin(void)
{
}

struct rt_thread *rt_thread_begin(void)
{
	return rt_thread_begin_slow();
}

bool rt_window(struct rt_thread *t, size_t bytes)
{
	return rt_window_slow(t, bytes);
}

void rt_step(struct rt_thread *t, uint64_t *now)
{
	rt_step_slow(t, now);
}

void rt_close_left(struct rt_thread *t, uint64_t sp)
{
	rt_close_left_slow(t, sp);
}

uint32_t rt_find_id(struct rt_thread *t, uintptr_t address)
{
	return rt_find_id_slow(t, address);
}

void rt_leave_other(struct rt_thread *t, uint32_t id, enum rt_action action)
{
	rt_leave_other_slow(t, id, action);
}

void rt_put_event(struct rt_thread *t, const uint8_t record[RT_METADATA_BYTES], const void *payload,
		  size_t payload_size)
{
	rt_put_event_slow(t, record, payload, payload_size);
}
