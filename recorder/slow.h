/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_SLOW_H
#define RECORDER_SLOW_H
/*
 * The slow steps themselves. Recorded code may have values in vector registers, which libc's
 * functions change; so the names of thread.h keep those (vectors.S) and call these.
 */
#include <signal.h>

#include "thread.h"

struct rt_thread *rt_thread_begin_slow(void);
bool rt_window_slow(struct rt_thread *t, size_t bytes);
void rt_step_slow(struct rt_thread *t, uint64_t *now);
void rt_close_left_slow(struct rt_thread *t, uint64_t sp);
uint32_t rt_find_id_slow(struct rt_thread *t, uintptr_t address);
void rt_put_event_slow(struct rt_thread *t, const uint8_t record[RT_METADATA_BYTES],
		       const void *payload, size_t payload_size);
void rt_leave_other_slow(struct rt_thread *t, uint32_t id, enum rt_action action);
/* fentry.c */
struct rt_frame *rt_find_frame_slow(struct rt_thread *t, uint64_t slot);

#endif
