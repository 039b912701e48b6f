/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_STACKS_H
#define TL_EXPORT_PROFILE_STACKS_H
/* The stacks of a profile, as exporters write them, and the names of its parts. */
#include <stddef.h>

#include <tracelathe/profile.h>

/*
 * What a stack of a profile costs by itself: a context, or, where the input had no call stacks, the
 * one frame of a cost line. Stacks are numbered from 0 to tl_stack_count() - 1; parents come before
 * their children.
 */
struct tl_stack {
	uint32_t parent; /* stack, TL_NONE: this frame is the root */
	uint32_t function, part;
	uint64_t calls;
	const int64_t *self;
};

uint32_t tl_stack_count(const struct tl_profile *profile);
struct tl_stack tl_stack_at(const struct tl_profile *profile, uint32_t stack);

/* What formats with room for a remark say of a profile whose stacks are estimated. */
extern const char tl_estimated_text[];

/*
 * Text of a part that people recognise: "command (thread)", "thread N", "part N"; `size` bytes at
 * most, terminated.
 */
void tl_part_title(const struct tl_profile *profile, uint32_t part, char *title, size_t size);

#endif
