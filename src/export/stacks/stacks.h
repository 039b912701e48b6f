/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_STACKS_H
#define TL_EXPORT_STACKS_STACKS_H
/* Profiles with call stacks, made of profiles that only have sums: costs by line and call arcs. */
#include <tracelathe/export.h>

/* Parts of a profile that get paths of their own; of more parts, the costs are taken together. */
enum { TL_STACKS_MOST_PARTS = 32 };

/* How paths are estimated. */
struct tl_stacks_limits {
	double threshold; /* percent */
	uint32_t most, most_depth;
	/* The texts of functions are those of the sums, which have to outlive what is made. */
	bool lent;
	/* Only contexts and their self costs are wanted: no sums are derived. */
	bool unfinished;
};

/* A new profile whose contexts are estimated from the lines and arcs of one without. */
int tl_stacks_estimate(struct tl_profile **estimate, const struct tl_profile *sums,
		       const struct tl_stacks_limits *limits, struct tl_error *err);
/*
 * The estimated paths, scaled to the self costs that functions have in the sums (settle.c). A draft
 * is lent its texts by the sums, and unfinished.
 */
int tl_stacks_settle(struct tl_profile **settled, const struct tl_profile *paths,
		     const struct tl_profile *sums, bool draft, struct tl_error *err);
/*
 * tl_profile_stacks(). Not `settled`: paths that are too small are summed below their caller, and
 * self costs of functions are not exact.
 */
int tl_stacks_make(struct tl_profile **stacks, const struct tl_profile *sums,
		   const struct tl_stacks_options *options, bool settled, struct tl_error *err);
/* The name of the function that stands for all paths that are too small or too deep. */
extern const char tl_stacks_other_name[];

#endif
