/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_STACK_NAMES_H
#define TL_EXPORT_STACKS_STACK_NAMES_H
/*
 * Names that are stacks. With --separate-callers=N Callgrind calls a function f'g'h: f, called by
 * g, called by h, as far as N callers; a number right behind f (f'2'g'h) is a level of its
 * recursion and no caller (rule N of docs/formats/callgrind.md). A function that calls itself gets
 * no further caller.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/memory.h"

#include <tracelathe/profile.h>

/* f'2'g'h in its pieces. */
struct tl_stack_name {
	const char *function; /* f; not terminated */
	size_t size;
	const char *callers; /* g'h; NULL: none */
};

struct tl_stack_name tl_stack_name(const char *text);

/* What calls say of names. */
enum tl_stack_names {
	TL_NAMES_PLAIN,    /* most are no stacks */
	TL_NAMES_CUT,      /* stacks whose outermost callers are not all there */
	TL_NAMES_COMPLETE, /* stacks from the root */
};
enum tl_stack_names tl_stack_names(const struct tl_profile *profile);

/* A profile of sums whose names are complete stacks, as one of stacks; parts as far as its lines
 * have them. */
int tl_stacks_from_names(struct tl_profile **stacks, const struct tl_profile *sums,
			 struct tl_error *err);
/*
 * A profile of sums where levels of recursion are one function, f'g'h: what the paths of cut stacks
 * are estimated from.
 */
int tl_stacks_join_levels(struct tl_profile **joined, const struct tl_profile *sums,
			  struct tl_error *err);
/* A profile of stacks whose functions are f'g'h as one whose functions are f. */
int tl_stacks_strip_callers(struct tl_profile **stripped, const struct tl_profile *stacks,
			    struct tl_error *err);

#endif
