/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

static void complain_column(struct command_job *job, const struct tl_error *err)
{
	show_error("tracelathe diff: --sort %s: %s; the columns are", job->settings->report.sort,
		   err->text);
	for (const char *const *name = tl_report_diff_sort_columns(); *name; name++)
		show_error_item(*name, name == tl_report_diff_sort_columns());
	putc('\n', stderr);
	job->error_shown = true;
}

/* The second side may be of another build, so it may have programs and a map of its own. */
void use_programs_after(struct settings *settings)
{
	if (settings->diff.binaries_after.list.count) {
		settings->input.programs.binaries = settings->diff.binaries_after.items;
		settings->input.programs.binary_count = settings->diff.binaries_after.list.count;
	}
	if (settings->diff.map_after)
		settings->input.programs.map = settings->diff.map_after;
	else if (settings->diff.binaries_after.list.count)
		settings->input.programs.map = NULL;
}

static int fold_both(struct command_job *job, struct tl_profile *profiles[2], struct tl_error *err)
{
	struct settings *settings = job->settings;
	int status = fold_file(job, settings->paths.items[0], &profiles[0], err);

	if (status < 0)
		return status;
	use_programs_after(settings);
	return fold_file(job, settings->paths.items[1], &profiles[1], err);
}

static enum tl_diff_unit unit_of(const struct settings *settings)
{
	if (settings->diff.by == DIFF_BY_LINE)
		return TL_DIFF_LINES;
	if (settings->diff.by == DIFF_BY_ARC)
		return TL_DIFF_ARCS;
	return TL_DIFF_FUNCTIONS;
}

static const struct tl_event *diff_event(const void *of, uint32_t event)
{
	return tl_diff_event(of, event);
}

/* Whether --event asks for calls, which no input needs to have as an event. */
static bool wants_calls(const char *names)
{
	static const char calls[] = "calls";

	while (names) {
		const char *end = strchrnul(names, ',');

		if ((size_t)(end - names) == sizeof(calls) - 1 &&
		    !memcmp(names, calls, sizeof(calls) - 1))
			return true;
		names = *end ? end + 1 : NULL;
	}
	return false;
}

static void list_events(const struct tl_profile *profile, const char *path)
{
	uint32_t count = tl_profile_event_count(profile);

	show_error("%s has", path);
	for (uint32_t i = 0; i < count; i++)
		show_error_item(tl_profile_event(profile, i)->name, !i);
}

static void complain_nothing_common(struct command_job *job, struct tl_profile *const profiles[2])
{
	fputs("tracelathe diff: the files have nothing in common that can be compared: ", stderr);
	list_events(profiles[0], job->settings->paths.items[0]);
	fputs("; ", stderr);
	list_events(profiles[1], job->settings->paths.items[1]);
	putc('\n', stderr);
	job->error_shown = true;
}

/* Files of two formats: which of their numbers stand for the same. */
static void say_shared(struct command_job *job, const struct tl_diff *diff)
{
	const char *const *paths = job->settings->paths.items;

	for (uint32_t i = 0; i < tl_diff_event_count(diff); i++) {
		const char *name = tl_diff_event(diff, i)->name,
			   *before = tl_diff_event_name(diff, i, false),
			   *after = tl_diff_event_name(diff, i, true);

		if (before && after && (strcmp(before, name) != 0 || strcmp(after, name) != 0))
			complain(job->command->name, "%s: %s of %s and %s of %s are compared", name,
				 before, paths[0], after, paths[1]);
		else if (!before && !after && !wants_calls(job->settings->events.names))
			complain(job->command->name,
				 "calls: the files have no event in common, so how often functions "
				 "were called is compared");
	}
}

static void say_left_out(const struct tl_diff *diff)
{
	bool first = true;

	show_error("tracelathe diff: events that only one of the files has are left out:");
	for (uint32_t i = 0; i < tl_diff_event_count(diff); i++) {
		if (tl_diff_event_common(diff, i))
			continue;
		show_error_item(tl_diff_event(diff, i)->name, first);
		first = false;
	}
	fputc('\n', stderr);
}

static int out_of_memory(struct tl_error *err)
{
	*err = (struct tl_error){ TL_NO_MEMORY, 0, NULL, "out of memory", TL_NOWHERE, TL_NOWHERE };
	return TL_NO_MEMORY;
}

/* Events that both files have: the costs of others would all be new, or gone. */
static int choose_common(struct command_job *job, const struct tl_diff *diff, uint32_t **events,
			 struct tl_error *err)
{
	struct tl_report_options *report = &job->settings->report;
	uint32_t count = tl_diff_event_count(diff);

	*events = calloc(count, sizeof(**events));
	if (!*events)
		return out_of_memory(err);
	for (uint32_t i = 0; i < count; i++)
		if (tl_diff_event_common(diff, i))
			(*events)[report->event_count++] = i;
	if (report->event_count < count) {
		say_left_out(diff);
		job->damaged = true;
	}
	report->events = *events;
	return 0;
}

/* An event that --event names must be in both files. */
static int check_common(struct command_job *job, const struct tl_diff *diff)
{
	const struct tl_report_options *report = &job->settings->report;

	for (uint32_t i = 0; i < report->event_count; i++) {
		if (tl_diff_event_common(diff, report->events[i]))
			continue;
		complain(job->command->name, "--event %s: only one of the files has it",
			 tl_diff_event(diff, report->events[i])->name);
		job->error_shown = true;
		return TL_UNSUPPORTED;
	}
	return 0;
}

/* What is said behind the table. NULL without memory. */
static char *gate_text(const struct tl_diff *diff, const struct tl_diff_gate *gate)
{
	char total[64] = "", worst[32] = "is new", *text;

	if (gate->total_grew)
		snprintf(total, sizeof(total), " the total grew by %.4g%%%s", gate->total_percent,
			 gate->count ? ";" : "");
	if (!gate->count)
		return strdup(total);
	if (!isinf(gate->worst_percent))
		snprintf(worst, sizeof(worst), "by %.4g%%", gate->worst_percent);
	if (asprintf(&text, "%s %" PRIu64 " of the rows grew by more, most of all %s, %s: %s",
		     total, gate->count, tl_diff_event(diff, gate->worst_event)->name, worst,
		     gate->worst) < 0)
		return NULL;
	return text;
}

/* The first event, which text shows, or those that were asked for. */
static int pass_gate(struct command_job *job, const struct tl_diff *diff, struct tl_error *err)
{
	struct tl_report_options report = job->settings->report;
	struct tl_diff_gate gate;
	int status;

	if (!job->settings->events.names)
		report.event_count = 1;
	status = tl_report_diff_gate(diff, &report, job->settings->diff.fail_above, &gate,
				     sizeof(gate), err);
	if (status < 0 || (!gate.count && !gate.total_grew))
		return status;
	job->gate = gate_text(diff, &gate);
	if (job->gate)
		return 0;
	return out_of_memory(err);
}

/* The call graph needs the functions by their inclusive cost, and the calls. */
static int put_graph(struct command_job *job, const struct tl_diff *diff, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	struct tl_diff_options by = { .size = sizeof(by),
				      .inclusive = true,
				      .renames = settings->diff.renames.items,
				      .rename_count = settings->diff.renames.list.count };
	const struct tl_export_options options = {
		.size = sizeof(options),
		.event = settings->report.events[0],
		.command = settings->paths.items[1],
		.threshold = settings->report.threshold > 0 ? settings->report.threshold : 0,
	};
	const struct tl_profile *before = tl_diff_profile(diff, false),
				*after = tl_diff_profile(diff, true);
	struct tl_diff *functions = NULL, *arcs = NULL;
	int status = tl_profile_diff(&functions, before, after, &by, err);

	by.by = TL_DIFF_ARCS;
	if (status == 0)
		status = tl_profile_diff(&arcs, before, after, &by, err);
	if (status == 0)
		status = tl_export_diff_dot(functions, arcs, &options, job->out, err);
	tl_diff_free(functions);
	tl_diff_free(arcs);
	return status;
}

static int put_report(struct command_job *job, const struct tl_diff *diff, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	int status;

	if (settings->diff.form == DIFF_DOT)
		status = put_graph(job, diff, err);
	else if (settings->diff.markdown)
		status = tl_report_diff_markdown(diff, &settings->report, job->out, err);
	else
		status = tl_report_diff(diff, &settings->report, job->out, err);
	if (status == TL_BAD_USAGE && settings->report.sort)
		complain_column(job, err);
	if (status == 0 && settings->diff.fail_above >= 0)
		status = pass_gate(job, diff, err);
	return status;
}

static int report(struct command_job *job, const struct tl_diff *diff, struct tl_error *err)
{
	const struct event_list list = { diff, tl_diff_event_count(diff), diff_event };
	uint32_t *events = NULL;
	int status;

	say_shared(job, diff);
	if (job->settings->events.names)
		status = choose_events_of(job, &list, &events, err);
	else
		status = choose_common(job, diff, &events, err);
	if (status == 0)
		status = check_common(job, diff);
	if (status == 0)
		status = put_report(job, diff, err);
	free(events);
	return status;
}

/* Both profiles as one flame graph, colored by the change. */
static int write_diff_flame(struct command_job *job, struct tl_error *err)
{
	struct tl_profile *profiles[2] = { NULL, NULL };
	uint32_t *events = NULL;
	int status = can_write_flame(job) ? fold_both(job, profiles, err) : TL_UNSUPPORTED;

	if (status == 0 && job->settings->events.names)
		status = choose_events(job, profiles[1], &events, err);
	if (status == 0)
		status = write_flame(job, profiles[1], profiles[0], err);
	free(events);
	tl_profile_free(profiles[0]);
	tl_profile_free(profiles[1]);
	return status;
}

int cmd_diff(struct command_job *job, struct tl_error *err)
{
	if (job->settings->flame.of_diff)
		return write_diff_flame(job, err);
	if (job->settings->diff.runs)
		return diff_runs(job, err);
	if (job->settings->diff.flow)
		return diff_flow(job, err);

	const struct tl_diff_options options = {
		.size = sizeof(options),
		.by = unit_of(job->settings),
		.inclusive = job->settings->diff.inclusive,
		.renames = job->settings->diff.renames.items,
		.rename_count = job->settings->diff.renames.list.count,
		.calls = wants_calls(job->settings->events.names),
	};
	struct tl_profile *profiles[2] = { NULL, NULL };
	struct tl_diff *diff = NULL;
	int status = fold_both(job, profiles, err);

	if (status == 0)
		status = tl_profile_diff(&diff, profiles[0], profiles[1], &options, err);
	if (status == TL_UNSUPPORTED && !job->error_shown)
		complain_nothing_common(job, profiles);
	if (status == TL_BAD_USAGE && !job->error_shown && options.rename_count) {
		complain(job->command->name, "--rename: %s", err->text);
		job->error_shown = true;
	}
	if (status == 0)
		status = report(job, diff, err);
	tl_diff_free(diff);
	tl_profile_free(profiles[0]);
	tl_profile_free(profiles[1]);
	return status;
}
