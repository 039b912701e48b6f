/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_STACK_NAMES_H
#define TL_EXPORT_STACKS_STACK_NAMES_H
/*
 * Names that are stacks. With --separate-callers=N Callgrind names a function f'g'h: f, called by
 * g, called by h, with up to N callers. A number right behind f (f'2'g'h) is its level of
 * recursion, not a caller (rule N of docs/formats/callgrind.md). A recursive call adds no caller to
 * the name.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/memory.h"

#include <tracelathe/profile.h>

/* The name f'2'g'h, taken apart. */
struct tl_stack_name {
	const char *function; /* f; not terminated */
	size_t size;
	const char *callers; /* g'h; NULL: none */
};

struct tl_stack_name tl_stack_name(const char *text);

/* Whether the names of a profile are stacks, judged by its calls. */
enum tl_stack_names {
	TL_NAMES_PLAIN,    /* most names are not stacks */
	TL_NAMES_CUT,      /* stacks whose outermost callers are not all there */
	TL_NAMES_COMPLETE, /* stacks from the root */
};
enum tl_stack_names tl_stack_names(const struct tl_profile *profile);

/* Make a profile of stacks of sums whose names are complete stacks; in parts if its lines are. */
int tl_stacks_from_names(struct tl_profile **stacks, const struct tl_profile *sums,
			 struct tl_error *err);
/*
 * Make a profile of sums with one function for all levels of recursion, f'g'h. The paths of cut
 * stacks are estimated from it. Names, which may be most of the memory, are lent by the sums, which
 * have to outlive it. No sums are derived.
 */
int tl_stacks_join_levels(struct tl_profile **joined, const struct tl_profile *sums,
			  struct tl_error *err);
/* Make a profile of stacks whose functions are f of one whose functions are f'g'h. */
int tl_stacks_strip_callers(struct tl_profile **stripped, const struct tl_profile *stacks,
			    struct tl_error *err);

#endif
