/* SPDX-License-Identifier: Apache-2.0 */
/* diff --flow: what two runs executed. */
#include "cli/commands/job.h"

static void warn_incomplete(struct command_job *job, const struct tl_flow *flow)
{
	const size_t unpaired[2] = { tl_flow_unpaired(flow, false), tl_flow_unpaired(flow, true) };
	struct tl_flow_stream stream;

	for (int side = 0; side < 2; side++) {
		if (!unpaired[side])
			continue;
		complain(job->command->name,
			 "--flow: %s has more threads than the other file: %zu of them are not "
			 "compared",
			 job->settings->paths.items[side], unpaired[side]);
		job->damaged = true;
	}
	for (size_t i = 0; tl_flow_stream(flow, i, &stream, sizeof(stream)) == 0; i++) {
		if (!stream.complete)
			complain(job->command->name,
				 "--flow: the executions do not meet again within the window; "
				 "nothing behind the last difference was compared: --window N");
		job->damaged |= !stream.complete || stream.missing;
	}
}

static int compare(struct command_job *job, struct tl_input *const inputs[2], struct tl_error *err)
{
	const struct tl_flow_options options = {
		.size = sizeof(options),
		.window = job->settings->diff.window,
		.meet = job->settings->diff.meet,
	};
	struct tl_flow *flow = NULL;
	int side, status = tl_input_flow(inputs[0], inputs[1], &options, &flow, &side, err);

	progress_end(job->progress);
	if (status < 0) {
		complain_error(job->settings->paths.items[side], err);
		job->error_shown = true;
	} else {
		status = tl_report_flow(flow, &job->settings->report, job->out, err);
		warn_incomplete(job, flow);
	}
	for (int i = 0; i < 2; i++)
		if (status >= 0 || !job->settings->input.strict)
			warn_damage(job, inputs[i], job->settings->paths.items[i]);
	tl_flow_free(flow);
	return status;
}

int diff_flow(struct command_job *job, struct tl_error *err)
{
	struct tl_input *inputs[2] = { NULL, NULL };
	int status = TL_BAD_FORMAT;

	for (int side = 0; side < 2; side++) {
		if (side)
			use_programs_after(job->settings);
		if (!open_file(job, job->settings->paths.items[side]))
			break;
		inputs[side] = job->input;
		job->input = NULL;
	}
	if (inputs[0] && inputs[1])
		status = compare(job, inputs, err);
	else
		job->error_shown = true;
	tl_input_close(inputs[0]);
	tl_input_close(inputs[1]);
	return status;
}
