/* SPDX-License-Identifier: Apache-2.0 */
/* What two inputs executed, compared stream by stream. */
#include "core/arithmetic.h"
#include "core/error.h"
#include "flow/compare.h"
#include "open/format.h"
#include "open/input.h"

/* The places where traces are damaged equal nothing of the other side. */
static const uint64_t salts[TL_FLOW_SIDES] = { UINT64_C(0x6265666f7265), UINT64_C(0x6166746572) };

static int refuse(struct tl_error *err, enum tl_status status, const char *text)
{
	return tl_error_at(err, status, TL_NOWHERE, text);
}

static int check_input(const struct tl_input *input, struct tl_error *err)
{
	const struct tl_input_filter *filter = &input->options.filter;

	if (!input->format->executed)
		return tl_error_format(err, input->format->info.name,
				       refuse(err, TL_UNSUPPORTED,
					      "this format does not hold the instructions that "
					      "were executed"));
	if (input->other_count)
		return refuse(err, TL_BAD_USAGE, "executions are compared of one file a side");
	if (filter->function || filter->object || filter->from_seconds > 0 ||
	    filter->to_seconds > 0)
		return refuse(err, TL_BAD_USAGE,
			      "executions are compared from begin to end: only threads, processes "
			      "and cpus can be chosen");
	return 0;
}

/* One pair of streams. 1; 0: neither side has one of that number. */
static int compare_streams(struct tl_input *const inputs[TL_FLOW_SIDES], size_t number,
			   struct tl_flow *flow, int *side, struct tl_error *err)
{
	struct tl_flow_source sources[TL_FLOW_SIDES];
	bool there[TL_FLOW_SIDES] = { false, false };
	int status = 0;

	for (*side = 0; status >= 0 && *side < TL_FLOW_SIDES; ++*side) {
		status = inputs[*side]->format->executed(inputs[*side], number, salts[*side],
							 &sources[*side], err);
		there[*side] = status == 1;
		if (status < 0)
			break;
	}
	if (status >= 0 && there[0] && there[1]) {
		status = tl_flow_compare(flow, sources, side, err);
		return status < 0 ? status : 1;
	}
	for (int i = 0; i < TL_FLOW_SIDES; i++) {
		if (!there[i])
			continue;
		flow->unpaired[i]++;
		if (sources[i].close(sources[i].arg) < 0 && status >= 0)
			status = tl_error_memory(err);
	}
	return status < 0 ? status : there[0] || there[1];
}

static int compare_all(struct tl_input *const inputs[TL_FLOW_SIDES], struct tl_flow *flow,
		       int *side, struct tl_error *err)
{
	size_t number = 0;
	int status = 0;

	for (int i = 0; status == 0 && i < TL_FLOW_SIDES; i++) {
		*side = i;
		status = check_input(inputs[i], err);
	}
	if (status < 0)
		return status;
	do
		status = compare_streams(inputs, number++, flow, side, err);
	while (status == 1);
	for (int i = 0; status == 0 && i < TL_FLOW_SIDES; i++) {
		*side = i;
		status = (int)tl_input_unchanged(inputs[i], status, err);
	}
	if (status == 0 && !flow->count) {
		*side = flow->unpaired[0] != 0;
		return refuse(err, TL_UNSUPPORTED, "there is no stream of instructions");
	}
	return status;
}

/* Both sides are read at the same time, and the caller is told of one by one thread at a time. */
static int compare_beside(struct tl_input *const inputs[TL_FLOW_SIDES], struct tl_flow *flow,
			  int *side, struct tl_error *err)
{
	int status;

	inputs[1]->quiet = true;
	status = compare_all(inputs, flow, side, err);
	inputs[1]->quiet = false;
	return status;
}

int tl_input_flow(struct tl_input *before, struct tl_input *after,
		  const struct tl_flow_options *options, struct tl_flow **flow, int *side,
		  struct tl_error *err)
{
	struct tl_input *const inputs[TL_FLOW_SIDES] = { before, after };
	int about = 0, status;

	*flow = NULL;
	status = before == after
			 ? refuse(err, TL_BAD_USAGE, "an input is compared with another one")
			 : tl_flow_open(flow, options, err);
	if (status == 0) {
		const unsigned a = before->options.jobs, b = after->options.jobs;

		(*flow)->jobs = tl_max(a, b);
		status = ((*flow)->jobs > 1 ? compare_beside : compare_all)(inputs, *flow, &about,
									    err);
	}
	if (side)
		*side = about;
	if (status < 0) {
		tl_flow_free(*flow);
		*flow = NULL;
	}
	return status;
}
