/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_SEVERAL_H
#define TL_OPEN_SEVERAL_H
#include <tracelathe/open.h>

/*
 * TL_BAD_USAGE, and *failed is the path, if a file is given twice; with `by_content` also if one
 * has the same bytes as another. Else 0.
 */
int tl_input_distinct(const char *const *paths, size_t count, bool by_content, const char **failed,
		      struct tl_error *err);

/* Call the format's relate() before the first fold; later calls do nothing. */
int tl_input_relate(struct tl_input *input, struct tl_error *err);

/*
 * Put the elements of a profile of several files into the order that tl_profile_merge() gives the
 * sum of their profiles, so that the order of the files is not seen. *profile is replaced; NULL
 * behind a failure.
 */
int tl_input_order_as_sum(struct tl_profile **profile, struct tl_error *err);

/* How the files of an input are opened: it tells the progress of all of them, unless `quiet`. */
struct tl_source_options tl_input_source_options(struct tl_input *input);

#endif
