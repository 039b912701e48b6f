/* SPDX-License-Identifier: Apache-2.0 */
/* Cost columns, sums and foot of annotated source and of annotated code. */
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "report/annotate/annotation.h"
#include "report/name_text.h"
#include "report/number_text.h"

enum { GAP = 2, TEXT_COLUMNS = 40 };

/* ---- columns ---- */

static size_t format_cost(const struct tl_view *view, uint32_t event, int64_t cost, char *text)
{
	if (cost)
		return tl_format_cost(text, cost, tl_view_rate(view, event), view->options.seconds);
	strcpy(text, ".");
	return 1;
}

static size_t format_share(const struct tl_view *view, int64_t cost, char *text)
{
	if (cost)
		return tl_format_share(text, cost, tl_view_total(view));
	strcpy(text, ".");
	return 1;
}

static void widen(size_t *width, size_t length)
{
	if (length > *width)
		*width = length;
}

static void measure(struct tl_note_layout *layout, const struct tl_annotation *a,
		    const struct tl_remark *remark)
{
	char text[TL_VALUE_ROOM];

	for (uint32_t i = 0; i < layout->events; i++) {
		uint32_t event = a->view.events[i];

		widen(&layout->widths[i], format_cost(&a->view, event, remark->cost[event], text));
	}
	widen(&layout->share, format_share(&a->view, remark->cost[a->view.events[0]], text));
}

/* Leave further events out until the text has room on the terminal. */
static void fit(struct tl_note_layout *layout, const struct tl_annotation *a)
{
	size_t total = layout->share + layout->place + 2 * GAP + TEXT_COLUMNS;

	for (uint32_t i = 0; i < layout->events; i++)
		total += layout->widths[i] + GAP;
	while (a->view.options.width && total > a->view.options.width && layout->events > 1)
		total -= layout->widths[--layout->events] + GAP;
}

static size_t digits(uint64_t value, unsigned base)
{
	size_t count = 1;

	while (value /= base)
		count++;
	return count;
}

bool tl_note_layout_make(struct tl_note_layout *layout, const struct tl_annotation *a,
			 const struct tl_note_group *group, unsigned place_base)
{
	uint64_t last;

	*layout = (struct tl_note_layout){ .events = a->view.event_count, .share = 1 };
	layout->widths = calloc(layout->events, sizeof(*layout->widths));
	if (!layout->widths)
		return false;
	for (uint32_t i = 0; i < layout->events; i++)
		layout->widths[i] =
			strlen(tl_profile_event(a->view.profile, a->view.events[i])->name);
	for (size_t at = group->first; at < group->end;) {
		struct tl_remark remark;

		at = tl_remark_take(a, group, at, &remark);
		measure(layout, a, &remark);
	}
	last = a->notes[group->end - 1].at;
	if (place_base == 10)
		last += (uint64_t)a->what.context;
	layout->place = digits(last, place_base);
	widen(&layout->place, strlen(place_base == 10 ? "line" : "address"));
	fit(layout, a);
	return true;
}

void tl_note_layout_free(struct tl_note_layout *layout)
{
	free(layout->widths);
}

void tl_note_put_heads(const struct tl_annotation *a, const struct tl_note_layout *layout,
		       const char *place)
{
	struct tl_output *out = a->view.out;

	if (a->view.options.color)
		tl_put_text(out, TL_COLOR_DIM);
	for (uint32_t i = 0; i < layout->events; i++) {
		const char *name = tl_profile_event(a->view.profile, a->view.events[i])->name;

		tl_put_right(out, name, strlen(name), layout->widths[i]);
		tl_put_blanks(out, GAP);
		if (i)
			continue;
		tl_put_right(out, "%", 1, layout->share);
		tl_put_blanks(out, GAP);
	}
	tl_put_right(out, place, strlen(place), layout->place);
	tl_view_end_line(&a->view);
}

void tl_note_put_costs(const struct tl_annotation *a, const struct tl_note_layout *layout,
		       const int64_t *cost)
{
	struct tl_output *out = a->view.out;
	char text[TL_VALUE_ROOM];

	for (uint32_t i = 0; i < layout->events; i++) {
		uint32_t event = a->view.events[i];
		size_t length = 0;

		if (cost)
			length = format_cost(&a->view, event, cost[event], text);
		tl_put_right(out, text, length, layout->widths[i]);
		tl_put_blanks(out, GAP);
		if (i)
			continue;
		length = 0;
		if (cost)
			length = format_share(&a->view, cost[event], text);
		tl_put_right(out, text, length, layout->share);
		tl_put_blanks(out, GAP);
	}
}

/* ---- sums ---- */

static size_t sum_columns(const struct tl_annotation *a, uint32_t event, const int64_t *cost)
{
	char text[TL_VALUE_ROOM];

	return strlen("  ()") + tl_name_columns(tl_profile_event(a->view.profile, event)->name) +
	       format_cost(&a->view, event, cost[event], text) +
	       tl_format_share(text, cost[event], tl_profile_total(a->view.profile)[event]);
}

/* The number of events whose sums have room on the terminal, at least one. */
static uint32_t events_that_fit(const struct tl_annotation *a, const int64_t *cost, size_t used)
{
	uint32_t count = 0;

	while (count < a->view.event_count) {
		used += (count ? strlen(", ") : 0) + sum_columns(a, a->view.events[count], cost);
		if (count && a->view.options.width && used > a->view.options.width)
			break;
		count++;
	}
	return count;
}

void tl_note_put_sums(const struct tl_annotation *a, const int64_t *cost, size_t used)
{
	const int64_t *total = tl_profile_total(a->view.profile);
	const uint32_t count = events_that_fit(a, cost, used);
	struct tl_output *out = a->view.out;
	char text[TL_VALUE_ROOM];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t event = a->view.events[i];
		size_t length = format_cost(&a->view, event, cost[event], text);

		if (i)
			tl_put_text(out, ", ");
		tl_put_name(out, tl_profile_event(a->view.profile, event)->name);
		tl_put_char(out, ' ');
		tl_put_bytes(out, *text == '.' ? "0" : text, length);
		tl_put_text(out, " (");
		tl_put_bytes(out, text, tl_format_share(text, cost[event], total[event]));
		tl_put_char(out, ')');
	}
}

/* Sum the costs of all groups of an outcome into a->row. @return the number of groups */
static size_t sum_outcome(const struct tl_annotation *a, enum tl_group_outcome outcome)
{
	uint32_t events = tl_profile_event_count(a->view.profile);
	size_t count = 0;

	memset(a->row, 0, events * sizeof(*a->row));
	for (size_t i = 0; i < a->group_count; i++) {
		if (a->groups[i].outcome != outcome)
			continue;
		count++;
		for (uint32_t e = 0; e < events; e++)
			a->row[e] =
				tl_sum_saturating(a->row[e], tl_group_cost(a, &a->groups[i])[e]);
	}
	return count;
}

static bool is_zero(const struct tl_view *view, const int64_t *cost)
{
	for (uint32_t i = 0; i < view->event_count; i++)
		if (cost[view->events[i]])
			return false;
	return true;
}

/* The cost that is in no group: of functions that were not chosen. */
static void rest_of_total(const struct tl_annotation *a)
{
	const int64_t *total = tl_profile_total(a->view.profile);

	for (uint32_t e = 0; e < tl_profile_event_count(a->view.profile); e++) {
		int64_t rest = total[e];

		for (size_t i = 0; i < a->group_count; i++)
			if (__builtin_sub_overflow(rest, tl_group_cost(a, &a->groups[i])[e], &rest))
				rest = 0;
		a->row[e] = rest;
	}
}

/* clang-format off */
static const char *const words[TL_GROUP_OUTCOMES][2][2] = {
	/* of lines: one, many; of instructions: one, many */
	[TL_GROUP_SHOWN] = {
		{ "annotated file", "annotated files" },
		{ "annotated function", "annotated functions" } },
	[TL_GROUP_UNREADABLE] = {
		{ "file that could not be read (--source-dir DIR)",
		  "files that could not be read (--source-dir DIR)" },
		{ "function without code (--binary FILE)",
		  "functions without code (--binary FILE)" } },
	[TL_GROUP_BELOW_THRESHOLD] = {
		{ "further file (--threshold 100)", "further files (--threshold 100)" },
		{ "further function (--threshold 100)", "further functions (--threshold 100)" } },
	[TL_GROUP_WITHOUT_PLACE] = {
		{ "unknown file", "unknown files" },
		{ "function without addresses", "functions without addresses" } },
	[TL_GROUP_NOT_CHOSEN] = {
		{ "file that was not asked for", "files that were not asked for" },
		{ "function that was not asked for", "functions that were not asked for" } },
};
/* clang-format on */

void tl_annotate_put_foot(const struct tl_annotation *a)
{
	struct tl_output *out = a->view.out;
	char text[TL_VALUE_ROOM];
	const char *word;

	for (int outcome = 0; outcome < TL_GROUP_OUTCOMES; outcome++) {
		size_t count = sum_outcome(a, (enum tl_group_outcome)outcome);

		if (!count && outcome != TL_GROUP_SHOWN)
			continue;
		word = words[outcome][a->what.assembly][count != 1];
		tl_note_put_sums(a, a->row,
				 strlen("  in  ") + tl_format_count(text, count) + strlen(word));
		tl_put_text(out, "  in ");
		tl_put_count(out, count);
		tl_put_char(out, ' ');
		tl_put_text(out, word);
		tl_put_char(out, '\n');
	}
	rest_of_total(a);
	if (!is_zero(&a->view, a->row)) {
		tl_note_put_sums(a, a->row, strlen("  elsewhere"));
		tl_put_text(out, "  elsewhere\n");
	}
	if (events_that_fit(a, tl_profile_total(a->view.profile), 0) < a->view.event_count)
		tl_put_text(out, "... events that have no room are left out (--wide shows them)\n");
}

void tl_annotate_put_json_foot(const struct tl_annotation *a)
{
	static const char *const keys[TL_GROUP_OUTCOMES] = {
		[TL_GROUP_SHOWN] = "],\"annotated\":",
		[TL_GROUP_UNREADABLE] = ",\"unreadable\":",
		[TL_GROUP_BELOW_THRESHOLD] = ",\"below_threshold\":",
		[TL_GROUP_WITHOUT_PLACE] = ",\"unknown\":",
		[TL_GROUP_NOT_CHOSEN] = ",\"unwanted\":",
	};

	for (int outcome = 0; outcome < TL_GROUP_OUTCOMES; outcome++) {
		sum_outcome(a, (enum tl_group_outcome)outcome);
		tl_put_text(a->view.out, keys[outcome]);
		tl_view_put_json_cost(&a->view, a->row);
	}
	rest_of_total(a);
	tl_put_text(a->view.out, ",\"elsewhere\":");
	tl_view_put_json_cost(&a->view, a->row);
	tl_put_char(a->view.out, ',');
	tl_view_put_json_losses(&a->view);
	tl_put_text(a->view.out, "}\n");
}

void tl_note_put_call(const struct tl_annotation *a, const struct tl_note_layout *layout,
		      size_t gap, const struct tl_remark *remark)
{
	struct tl_output *out = a->view.out;
	char text[TL_VALUE_ROOM];
	size_t used = layout->share + GAP + gap + strlen("    > ") + strlen("  ( calls)") +
		      tl_format_count(text, remark->count);

	for (uint32_t i = 0; i < layout->events; i++)
		used += layout->widths[i] + GAP;
	tl_note_put_costs(a, layout, remark->cost);
	tl_put_blanks(out, gap);
	tl_put_text(out, "    > ");
	tl_view_put_function(&a->view, remark->function, used);
	/* Samples, and some profiles, tell what a call cost but not how often it was made. */
	if (remark->count) {
		tl_put_text(out, "  (");
		tl_put_count(out, remark->count);
		tl_put_text(out, " call");
		tl_put_plural(out, remark->count);
		tl_put_char(out, ')');
	}
	tl_put_char(out, '\n');
}
