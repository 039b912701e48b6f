/* SPDX-License-Identifier: Apache-2.0 */
#include "open/window/window.h"

#include <errno.h>

#include "core/error.h"
#include "core/sized.h"
#include "open/format.h"
#include "open/input.h"

/* Bytes of struct tl_call_span in the first release. */
#define SPAN_FIRST TL_SIZE_UP_TO(struct tl_call_span, track)

int tl_call_span_take(const struct tl_call_index *index, const struct tl_call_span *span,
		      struct tl_call_span *taken, struct tl_error *err)
{
	int status = tl_take_options(taken, sizeof(*taken), SPAN_FIRST, span, span->size, err);

	if (status == 0 && taken->one_track && !tl_call_index_at(index, taken->track))
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such track");
	if (!taken->to)
		taken->to = TL_NOWHERE;
	return status;
}

int tl_call_span_progress(const struct tl_input *input, size_t done, size_t total,
			  struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;

	if (!o->progress || !o->progress(o->progress_arg, done, total))
		return 0;
	errno = ECANCELED;
	return tl_error_system(err, "cancelled");
}

int64_t tl_window_function(struct tl_call_index *index, uint32_t number, struct tl_profile *profile,
			   struct tl_error *err)
{
	struct tl_call_function named = { .name = "" };
	int status = tl_call_index_function(index, number, &named, sizeof(named), err);

	if (status < 0)
		return status;
	return tl_profile_put_function(profile,
				       &(struct tl_function){ named.name, named.object, named.file,
							      named.id, named.address, named.line },
				       err);
}

struct tl_part tl_window_part(const struct tl_call_track *track)
{
	return (struct tl_part){ .process = (uint64_t)track->process,
				 .thread = (uint64_t)track->thread,
				 .command = "",
				 .header = "" };
}
