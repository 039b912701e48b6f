/* SPDX-License-Identifier: Apache-2.0 */
/* The call stacks of a profile of sums: known by names, or estimated. */
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "export/stacks/call_sums.h"
#include "export/stacks/stacks.h"
#include "export/stacks/stack_names.h"
#include "profile/model/model.h"

enum { DEFAULT_CONTEXTS = 100000, DEFAULT_DEPTH = 500 };

static int estimate(struct tl_profile **stacks, const struct tl_profile *sums,
		    const struct tl_stacks_options *options, bool settled, bool lent,
		    struct tl_error *err)
{
	uint32_t parts = tl_call_sums_in_parts(sums) ? tl_profile_part_count(sums) : 1;
	const struct tl_stacks_limits limits = {
		.threshold = options->threshold,
		.most = options->most_contexts ? options->most_contexts : DEFAULT_CONTEXTS / parts,
		.most_depth = options->most_depth ? options->most_depth : DEFAULT_DEPTH,
		.lent = lent,
		.unfinished = settled,
	};
	struct tl_profile *paths = NULL;
	int status = tl_stacks_estimate(&paths, sums, &limits, err);

	if (status < 0 || !settled) {
		*stacks = paths;
		return status;
	}
	status = tl_stacks_settle(stacks, paths, sums, lent, err);
	tl_profile_free(paths);
	return status;
}

/* The innermost callers are known by the names, those further out are estimated. */
static int estimate_outer(struct tl_profile **stacks, const struct tl_profile *sums,
			  const struct tl_stacks_options *options, struct tl_error *err)
{
	struct tl_profile *joined = NULL, *paths = NULL;
	int status = tl_stacks_join_levels(&joined, sums, err);

	if (status == 0)
		status = estimate(&paths, joined, options, true, true, err);
	if (status == 0)
		status = tl_stacks_strip_callers(stacks, paths, err);
	tl_profile_free(paths);
	tl_profile_free(joined);
	return status;
}

int tl_stacks_make(struct tl_profile **stacks, const struct tl_profile *sums,
		   const struct tl_stacks_options *options, bool settled, struct tl_error *err)
{
	enum tl_stack_names names = tl_stack_names(sums);
	int status;

	*stacks = NULL;
	if (names == TL_NAMES_COMPLETE)
		return tl_stacks_from_names(stacks, sums, err);
	if (names == TL_NAMES_CUT)
		status = estimate_outer(stacks, sums, options, err);
	else
		status = estimate(stacks, sums, options, settled, false, err);
	/* Without any call each function is a stack of its own, and nothing was estimated. */
	if (status == 0)
		(*stacks)->estimated = tl_profile_arc_count(sums) > 0;
	return status;
}

int tl_profile_stacks(struct tl_profile **stacks, const struct tl_profile *sums,
		      const struct tl_stacks_options *options, struct tl_error *err)
{
	struct tl_stacks_options filled = { .size = sizeof(filled) };
	int status = 0;

	*stacks = NULL;
	if (options)
		status = tl_take_options(&filled, sizeof(filled), sizeof(filled), options,
					 options->size, err);
	if (status < 0)
		return status;
	if (tl_profile_context_count(sums))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the profile has call stacks");
	return tl_stacks_make(stacks, sums, &filled, true, err);
}
