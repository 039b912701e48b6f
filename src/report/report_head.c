/* SPDX-License-Identifier: Apache-2.0 */
/* The head of reports, and the cells that all of them have: functions and costs. */
#include "core/output.h"
#include "profile/model/unsized.h"
#include "report/function_cell.h"
#include "report/number_text.h"
#include "report/view.h"

/* The words for each loss. */
/* clang-format off */
static const struct loss {
	size_t offset;
	const char *name; /* in JSON */
	const char *one, *many; /* in words, after the number */
} losses[] = {
#define LOSS(field) offsetof(struct tl_losses, field), #field
	{ LOSS(orphan_exits), "exit had no entry", "exits had no entry" },
	{ LOSS(deduced_exits), "call was closed by the exit of a caller",
	  "calls were closed by the exit of a caller" },
	{ LOSS(unfinished), "call never ended", "calls never ended" },
	{ LOSS(time_reversals), "step back of the clock", "steps back of the clock" },
	{ LOSS(gaps), "gap in the records", "gaps in the records" },
	{ LOSS(skipped_bytes), "byte skipped", "bytes skipped" },
	{ LOSS(skipped_records), "record skipped", "records skipped" },
	{ LOSS(saturated), "sum did not fit 64 bits", "sums did not fit 64 bits" },
	{ LOSS(left_calls), "call was ended, since it cannot have made the next call",
	  "calls were ended, since they cannot have made the next call" },
	{ LOSS(uncertain), "call may belong to a caller further out",
	  "calls may belong to callers further out" },
	{ LOSS(gap_ends), "call ended in a gap", "calls ended in a gap" },
	{ LOSS(bridged), "call is assumed to go on across a gap",
	  "calls are assumed to go on across a gap" },
#undef LOSS
};
/* clang-format on */

/* The last ones are rare: JSON has them only if there were some. */
enum { LOSS_COUNT = sizeof(losses) / sizeof(losses[0]), RARE = 4 };

static uint64_t loss_count(const struct tl_losses *all, const struct loss *loss)
{
	uint64_t count;

	memcpy(&count, (const char *)all + loss->offset, sizeof(count));
	return count;
}

static void put_losses(const struct tl_view *view)
{
	struct tl_losses all = tl_profile_losses_of(view->profile);
	bool first = true;

	for (size_t i = 0; i < LOSS_COUNT; i++) {
		uint64_t count = loss_count(&all, &losses[i]);

		if (!count)
			continue;
		if (!first)
			tl_put_text(view->out, "; ");
		first = false;
		tl_put_count(view->out, count);
		tl_put_char(view->out, ' ');
		if (count == 1)
			tl_put_text(view->out, losses[i].one);
		else
			tl_put_text(view->out, losses[i].many);
	}
	if (!first)
		tl_put_char(view->out, '\n');
}

/* The extent of all parts together. */
struct extent {
	uint64_t first, last; /* ticks; first > last: no times */
	uint64_t records;
	uint32_t parts;
};

static struct extent measure(const struct tl_profile *profile)
{
	struct extent extent = { .first = UINT64_MAX, .parts = tl_profile_part_count(profile) };

	for (uint32_t i = 0; i < extent.parts; i++) {
		const struct tl_part *part = tl_profile_part(profile, i);

		extent.records += part->records;
		if (!part->first_ticks && !part->last_ticks)
			continue;
		if (part->first_ticks < extent.first)
			extent.first = part->first_ticks;
		if (part->last_ticks > extent.last)
			extent.last = part->last_ticks;
	}
	return extent;
}

static void put_counted(const struct tl_view *view, uint64_t count, const char *what)
{
	tl_put_text(view->out, ", ");
	tl_put_count(view->out, count);
	tl_put_char(view->out, ' ');
	tl_put_text(view->out, what);
	tl_put_plural(view->out, count);
}

static void put_span(const struct tl_view *view, const struct extent *extent)
{
	uint64_t frequency = tl_profile_frequency(view->profile);
	char text[TL_VALUE_ROOM];

	if (extent->first > extent->last)
		return;
	tl_format_time(text, extent->last - extent->first, frequency);
	tl_put_text(view->out, ", ");
	tl_put_text(view->out, text);
	if (!frequency)
		tl_put_text(view->out, " ticks of unknown length");
}

/* What an event stands for that is computed from others. */
static void put_formulas(const struct tl_view *view)
{
	for (uint32_t i = 0; i < view->event_count; i++) {
		const struct tl_event *event = tl_profile_event(view->profile, view->events[i]);

		if (!*event->formula)
			continue;
		tl_put_text(view->out, event->name);
		tl_put_text(view->out, " = ");
		tl_put_text(view->out, event->formula);
		tl_put_char(view->out, '\n');
	}
}

void tl_view_put_head(const struct tl_view *view)
{
	struct extent extent = measure(view->profile);
	const char *format = tl_profile_format(view->profile);

	if (!*format)
		format = "profile";
	tl_put_text(view->out, format);
	put_counted(view, extent.parts, view->timed ? "thread" : "part");
	if (extent.records)
		put_counted(view, extent.records, "record");
	if (view->timed)
		put_span(view, &extent);
	tl_put_char(view->out, '\n');
	if (tl_profile_estimated(view->profile))
		tl_put_text(view->out, "call paths are estimated from callers and callees\n");
	if (tl_profile_emulated(view->profile))
		tl_put_text(view->out, "an emulator ran the program: times are the emulator's\n");
	put_formulas(view);
	put_losses(view);
	tl_put_char(view->out, '\n');
}

static void put_event_name(const struct tl_view *view, uint32_t i)
{
	const char *name = tl_profile_event(view->profile, view->events[i])->name;

	tl_put_json(view->out, name, strlen(name));
}

void tl_view_put_json_cost(const struct tl_view *view, const int64_t *cost)
{
	for (uint32_t i = 0; i < view->event_count; i++) {
		tl_put_char(view->out, i ? ',' : '{');
		put_event_name(view, i);
		tl_put_char(view->out, ':');
		tl_put_i64(view->out, cost[view->events[i]]);
	}
	tl_put_char(view->out, '}');
}

void tl_view_put_json_head(const struct tl_view *view)
{
	const char *format = tl_profile_format(view->profile);

	tl_put_text(view->out, "\"format\":");
	tl_put_json(view->out, format, strlen(format));
	tl_put_text(view->out, ",\"frequency\":");
	tl_put_u64(view->out, tl_profile_frequency(view->profile));
	tl_put_text(view->out, ",\"events\":");
	for (uint32_t i = 0; i < view->event_count; i++) {
		tl_put_char(view->out, i ? ',' : '[');
		put_event_name(view, i);
	}
	tl_put_char(view->out, ']');
	if (tl_profile_estimated(view->profile))
		tl_put_text(view->out, ",\"estimated\":true");
	if (tl_profile_emulated(view->profile))
		tl_put_text(view->out, ",\"emulated\":true");
	tl_put_text(view->out, ",\"total\":");
	tl_view_put_json_cost(view, tl_profile_total(view->profile));
}

void tl_view_put_json_losses(const struct tl_view *view)
{
	struct tl_losses all = tl_profile_losses_of(view->profile);

	tl_put_text(view->out, "\"losses\":");
	for (size_t i = 0; i < LOSS_COUNT; i++) {
		uint64_t count = loss_count(&all, &losses[i]);

		if (i >= LOSS_COUNT - RARE && !count)
			continue;
		tl_put_text(view->out, i ? ",\"" : "{\"");
		tl_put_text(view->out, losses[i].name);
		tl_put_text(view->out, "\":");
		tl_put_u64(view->out, count);
	}
	tl_put_char(view->out, '}');
}

static void put_json_number(struct tl_output *out, const char *name, uint64_t value, bool known)
{
	tl_put_text(out, name);
	if (known)
		tl_put_u64(out, value);
	else
		tl_put_text(out, "null");
}

/* The name of the function's cycle; null: it is in none. */
static void put_json_cycle(const struct tl_view *view, uint32_t cycle)
{
	tl_put_text(view->out, ",\"cycle\":");
	if (cycle == TL_NONE)
		tl_put_text(view->out, "null");
	else
		tl_put_json(view->out, tl_view_name(view, cycle),
			    strlen(tl_view_name(view, cycle)));
}

void tl_view_put_json_function(const struct tl_view *view, uint32_t function)
{
	static const struct tl_function outside = { "", "", "", TL_NOWHERE, 0, 0 };
	const struct tl_function *is = &outside;

	if (function != TL_NONE)
		is = tl_view_function(view, function);
	tl_put_text(view->out, "\"function\":");
	tl_put_json(view->out, is->name, strlen(is->name));
	tl_put_text(view->out, ",\"object\":");
	tl_put_json(view->out, is->object, strlen(is->object));
	tl_put_text(view->out, ",\"file\":");
	tl_put_json(view->out, is->file, strlen(is->file));
	put_json_number(view->out, ",\"line\":", is->line, is->line);
	put_json_number(view->out, ",\"id\":", is->id, is->id != TL_NOWHERE);
	if (view->cycles.count && function != TL_NONE)
		put_json_cycle(view, tl_view_cycle_of(view, function));
}

void tl_put_csv_pair(struct tl_output *out, const char *name, const char *suffix)
{
	tl_put_char(out, ',');
	if (!strpbrk(name, "\",\r\n")) {
		tl_put_text(out, name);
		tl_put_char(out, ':');
		tl_put_text(out, suffix);
		return;
	}
	tl_put_char(out, '"');
	for (; *name; name++) {
		if (*name == '"')
			tl_put_char(out, '"');
		tl_put_char(out, *name);
	}
	tl_put_char(out, ':');
	tl_put_text(out, suffix);
	tl_put_char(out, '"');
}

void tl_view_put_csv_event(const struct tl_view *view, uint32_t chosen, const char *suffix)
{
	tl_put_csv_pair(view->out, tl_profile_event(view->profile, view->events[chosen])->name,
			suffix);
}

void tl_view_put_csv_cost(const struct tl_view *view, const int64_t *cost)
{
	for (uint32_t i = 0; i < view->event_count; i++) {
		int64_t value = cost[view->events[i]];
		char *p = tl_output_room(view->out, 2);

		*p++ = ',';
		/* Most costs of a line are small, or 0. */
		if (value >= 0 && value < 10)
			*p++ = (char)('0' + value);
		tl_output_advance(view->out, p);
		if (value < 0 || value >= 10)
			tl_put_i64(view->out, value);
	}
}

void tl_view_put_function(const struct tl_view *view, uint32_t function, size_t used)
{
	struct tl_function_cell cell = { .name = tl_view_name(view, function) };

	if (function != TL_NONE) {
		const struct tl_function *is = tl_view_function(view, function);
		uint32_t cycle = tl_view_cycle_of(view, function);

		cell.file = is->file;
		cell.line = is->line;
		if (view->several_objects)
			cell.object = is->object;
		if (cycle != TL_NONE)
			cell.cycle = tl_view_name(view, cycle);
	}
	tl_put_function_cell(view->out, &cell, tl_room_left(&view->options, used));
}
