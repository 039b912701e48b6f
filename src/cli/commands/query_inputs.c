/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of commands that ask them in SQL, and what is to be said of them. */
#include <tracelathe/query.h>

#include "cli/commands/job.h"

int add_inputs(struct command_job *job, struct tl_query *query, size_t each, struct tl_error *err)
{
	struct settings *settings = job->settings;
	const char *const *paths = settings->paths.items;

	settings->input.progress = progress_tick;
	settings->input.progress_arg = job->progress;
	for (size_t i = 0; i < settings->paths.list.count; i += each) {
		const char *failed = paths[i];
		int status = tl_query_add(query, &paths[i], each, &settings->input, &failed, err);

		if (status < 0) {
			progress_end(job->progress);
			complain_error(failed ? failed : paths[i], err);
			job->error_shown = true;
			return status;
		}
	}
	return 0;
}

void complain_query(struct command_job *job, const struct tl_query *query)
{
	if (!*tl_query_message(query) || tl_output_failed(job->out))
		return;
	complain(NULL, "%s", tl_query_message(query));
	job->error_shown = true;
}

void warn_inputs(struct command_job *job, const struct tl_query *query)
{
	struct tl_input *input;

	for (size_t i = 0; (input = tl_query_input(query, i)); i++) {
		const struct tl_profile *profile = tl_query_profile(query, i);
		const char *path = job->settings->paths.items[i];

		if (profile)
			warn_saturated(job, path, profile);
		warn_damage(job, input, path);
	}
}
