/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_DEPTH_H
#define TL_EXPORT_PROFILE_DEPTH_H
/*
 * Call stacks of a bounded depth, for formats that write each stack in full: the paths of a
 * recursion of 20,000 calls, 1.3 MB of trace, are 1.2 GB of text.
 */
#include <tracelathe/export.h>

typedef int tl_export_write_fn(const struct tl_profile *profile,
			       const struct tl_export_options *options, struct tl_output *out,
			       struct tl_error *err);

/*
 * Write a profile by `write`; if it has stacks of more than `most_depth` frames of the options, in
 * its place one in which what such stacks have beyond that is summed in a frame of a function of
 * its own, so that totals and the costs of all that is shown stay. Sets *too_deep of the options.
 */
int tl_export_in_depth(const struct tl_profile *profile, const struct tl_export_options *options,
		       struct tl_output *out, tl_export_write_fn *write, struct tl_error *err);

#endif
