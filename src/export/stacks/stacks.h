/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_STACKS_H
#define TL_EXPORT_STACKS_STACKS_H
/* Profiles with call stacks, made of profiles that only have sums: costs by line and call arcs. */
#include <tracelathe/export.h>

/* Parts of a profile that get paths of their own; of more parts, the costs are taken together. */
enum { TL_STACKS_MOST_PARTS = 32 };

/* A new profile whose contexts are estimated from the lines and arcs of one without. */
int tl_stacks_estimate(struct tl_profile **estimate, const struct tl_profile *sums,
		       double threshold, uint32_t most, uint32_t most_depth, struct tl_error *err);
/* Its paths once more, with the self costs that functions have in the sums. */
int tl_stacks_settle(struct tl_profile **settled, const struct tl_profile *paths,
		     const struct tl_profile *sums, struct tl_error *err);
/* tl_profile_stacks(); not `settled`: what is too small to be a path is summed where it is, at the
 * cost of exact self. */
int tl_stacks_make(struct tl_profile **stacks, const struct tl_profile *sums,
		   const struct tl_stacks_options *options, bool settled, struct tl_error *err);
/* The name of the function that stands for what an estimate does not go into. */
extern const char tl_stacks_other_name[];

#endif
