/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_WINDOW_H
#define TL_OPEN_WINDOW_H
/* What questions about a window of calls share. */
#include <tracelathe/open.h>

#include "profile/model/model.h"
#include "timeline/index/index.h"

/* A checked copy of a span, with an end. 0 or TL_BAD_USAGE. */
int tl_call_span_take(const struct tl_call_index *index, const struct tl_call_span *span,
		      struct tl_call_span *taken, struct tl_error *err);

/* Tell the input's progress function. 0, or TL_IO: it cancels. */
int tl_call_span_progress(const struct tl_input *input, size_t done, size_t total,
			  struct tl_error *err);

/* The profile's number of a function of the index, or a negative status. */
int64_t tl_window_function(struct tl_call_index *index, uint32_t number, struct tl_profile *profile,
			   struct tl_error *err);

/* A track as a part of a profile. */
struct tl_part tl_window_part(const struct tl_call_track *track);

/*
 * Put the sums of functions, and unless the span wants a table alone those of calls between them,
 * into an empty profile, without contexts (sums.c). 1; 0: sums might not fit, and the profile is of
 * no use; or negative.
 */
int tl_window_sums(struct tl_input *input, struct tl_call_index *index,
		   struct tl_call_cursor *cursor, const struct tl_call_span *span,
		   struct tl_profile *profile, struct tl_error *err);

#endif
