/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_STACKS_H
#define TL_EXPORT_PROFILE_STACKS_H
/* The stacks of a profile, as exporters write them, and the names of its parts. */
#include <stddef.h>

#include <tracelathe/profile.h>

/*
 * A call stack of a profile with its self cost: a context, or, where the profile has no contexts, a
 * cost line as a stack of one frame. Stacks are numbered from 0 to tl_stack_count() - 1; parents
 * come before their children.
 */
struct tl_stack {
	uint32_t parent; /* stack, TL_NONE: this frame is the root */
	uint32_t function, part;
	uint64_t calls;
	const int64_t *self;
};

uint32_t tl_stack_count(const struct tl_profile *profile);
struct tl_stack tl_stack_at(const struct tl_profile *profile, uint32_t stack);

/* The remark on a profile whose stacks are estimated, for formats that have a place for one. */
extern const char tl_estimated_text[];

/*
 * The title of a part: "command (thread)", "thread N", "part N", or "all" for a number that is no
 * part; at most `size` bytes, terminated.
 */
void tl_part_title(const struct tl_profile *profile, uint32_t part, char *title, size_t size);

#endif
