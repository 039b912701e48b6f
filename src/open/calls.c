/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of an input as data. */
#include "open/calls.h"

#include "core/error.h"
#include "core/sized.h"
#include "open/format.h"
#include "open/input.h"
#include "open/several.h"
#include "timeline/calls/calls_text.h"
#include "timeline/calls/stream.h"

int tl_input_call_source(struct tl_input *input, struct tl_call_source *source,
			 struct tl_calls_options *options, struct tl_error *err)
{
	int status;

	if (input->other_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "calls are shown of one file at a time");
	if (!input->format->calls)
		return tl_error_format(
			err, input->format->info.name,
			tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				    "this format does not hold calls one by one, in an order of "
				    "time"));
	if (!options->to)
		options->to = TL_NOWHERE;
	status = tl_input_relate(input, err);
	if (status < 0)
		return status;
	return input->format->calls(input, source, options, err);
}

int tl_input_calls(struct tl_input *input, const struct tl_calls_options *options,
		   struct tl_calls **calls, struct tl_error *err)
{
	struct tl_calls_options taken = { .size = sizeof(taken) };
	struct tl_call_source source;
	int status = options ? tl_take_options(&taken, sizeof(taken), TL_CALLS_OPTIONS_FIRST,
					       options, options->size, err)
			     : 0;

	*calls = NULL;
	if (status == 0)
		status = tl_input_call_source(input, &source, &taken, err);
	if (status == 0)
		status = tl_calls_open(calls, &source, &taken, err);
	if (status == 0 && source.apart && !tl_calls_any(*calls))
		status = tl_error_format(
			err, input->format->info.name,
			tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				    "this file has samples, and does not say when threads ran "
				    "(`perf record --switch-events` records it)"));
	status = (int)tl_input_unchanged(input, status, err);
	if (status < 0) {
		tl_calls_close(*calls);
		*calls = NULL;
	}
	return status;
}

int tl_dump_calls(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_calls *calls;
	int status = tl_input_calls(input, NULL, &calls, err);

	if (status < 0)
		return status;
	status = tl_calls_print(calls, json, input->options.dump.flags & TL_DUMP_SECONDS, out, err);
	tl_calls_close(calls);
	return status;
}
