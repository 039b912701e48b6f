/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/record.h>

#include "cli/commands/job.h"

static void show_note(void *arg, const char *line)
{
	(void)arg;
	complain("record", "%s", line);
}

static int show_offer(void *arg, const struct tl_recorder_offer *offer)
{
	bool *any = arg;

	*any |= offer->possible;
	printf("%-3s  %-10s  %s\n     %-10s  %s\n", offer->possible ? "yes" : "no", offer->name,
	       offer->help, "", offer->reason);
	return 0;
}

static void take_settings(struct tl_record_options *options, const struct settings *settings)
{
	const struct record_settings *record = &settings->record;

	*options = (struct tl_record_options){
		.size = sizeof(*options),
		.how = record->how,
		.output = settings->output.path,
		.function = record->function,
		.threshold_seconds = record->threshold_seconds,
		.ring_bytes = record->ring_megabytes << 20,
		.buffer_bytes = record->buffer_kilobytes << 10,
		.depth = record->depth,
	};
}

static int list_recorders(const struct tl_record_options *options)
{
	struct tl_error err;
	bool any = false;

	if (tl_record_survey(options, show_offer, &any, &err) < 0) {
		complain_error(options->arguments[0], &err);
		return EXIT_UNUSABLE;
	}
	return close_stdout(any ? EXIT_CLEAN : EXIT_DAMAGED);
}

/* The command that reads the recording, as the last line; what the program did is the status. */
static int show_result(const struct tl_record_result *result)
{
	if (!result->recorded) {
		complain("record", "nothing was recorded: the program made no call that could be "
				   "recorded, or ended before the first one");
		return result->status ? result->status : EXIT_UNUSABLE;
	}
	show_error("tracelathe report %s", result->command);
	putc('\n', stderr);
	return result->status ? result->status : result->incomplete ? EXIT_DAMAGED : EXIT_CLEAN;
}

static int record(const struct settings *settings, const struct tl_record_options *options)
{
	const char *about = settings->record.finish ? options->output : options->arguments[0];
	struct tl_record_result result;
	struct tl_error err;
	int status;

	if (settings->record.finish)
		status = tl_record_finish(options->output, show_note, NULL, &result, sizeof(result),
					  &err);
	else
		status = tl_record_run(options, show_note, NULL, &result, sizeof(result), &err);
	if (status < 0) {
		complain_error(about, &err);
		return EXIT_UNUSABLE;
	}
	return show_result(&result);
}

int cmd_record(struct command_job *job, struct tl_error *err)
{
	struct settings *settings = job->settings;
	struct tl_record_options options;
	const char **end = list_add(&settings->paths.list, sizeof(*end));

	(void)err;
	if (!end) {
		complain("record", "out of memory");
		return EXIT_UNUSABLE;
	}
	*end = NULL;
	take_settings(&options, settings);
	options.arguments = settings->paths.items;
	if (settings->record.list)
		return list_recorders(&options);
	if (settings->record.finish ? !options.output : !options.arguments[0]) {
		complain("record", "%s; `tracelathe record --help` says more",
			 settings->record.finish ? "--finish needs -o FILE" : "no PROGRAM given");
		return EXIT_UNUSABLE;
	}
	return record(settings, &options);
}
