/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a feed of Intel PT: options of the input in, counts out, to the exporter. */
#include "core/error.h"
#include "intel_pt/coverage/coverage.h"
#include "intel_pt/executed/executed.h"
#include "intel_pt/listing/window.h"
#include "open/adapters/intel_pt.h"
#include "open/coverage.h"

static bool add_remark(void *arg, char *text)
{
	return tl_pt_fault_add_text(arg, text);
}

int tl_pt_input_coverage(struct tl_input *input, const struct tl_coverage_exporter *exporter,
			 struct tl_output *out, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	const struct tl_coverage_remarks remarks = { add_remark, &pt->faults };
	struct tl_pt_coverage_options options = {
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.jobs = o->jobs,
		.strict = o->strict,
	};
	struct tl_coverage coverage = { .objects = NULL };
	struct tl_pt_window window;
	int status;

	if (o->quick)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "executed code is not known without decoding it (--quick)");
	status = tl_pt_feed_window(&pt->feed, o->filter.from_seconds, o->filter.to_seconds, &window,
				   err);
	if (status == 0) {
		options.from_ticks = window.from;
		options.to_ticks = window.to;
		status = tl_pt_coverage(&pt->feed, &options, &pt->faults, &coverage, err);
	}
	if (status == 0)
		status = tl_coverage_write(&coverage, o, exporter, &remarks, out, err);
	tl_coverage_free(&coverage);
	return status;
}

int tl_pt_input_executed(struct tl_input *input, size_t number, uint64_t salt,
			 struct tl_flow_source *source, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	const struct tl_pt_executed_options options = {
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.strict = o->strict,
	};

	return tl_pt_executed(&pt->feed, &options, &pt->faults, number, salt, source, err);
}
