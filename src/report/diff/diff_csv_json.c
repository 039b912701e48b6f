/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of differences as CSV (RFC 4180) and as one JSON object. Numbers are exact: ticks,
 * unless the clocks differ and they had to be converted.
 */
#include <string.h>

#include "core/output.h"
#include "report/diff/diff_table.h"
#include "report/view.h"

static const char *event_name(const struct tl_diff_table *table, uint32_t i)
{
	return tl_diff_event(table->diff, table->events[i])->name;
}

/* The change in percent of the cost before; false if that was 0. */
static bool percent_of(const struct tl_diff_row *row, uint32_t event, double *percent)
{
	if (!row->before[event])
		return false;
	*percent = 100 * ((double)row->after[event] - (double)row->before[event]) /
		   (double)row->before[event];
	return true;
}

/* ---- CSV ---- */

static const char *const heads[] = {
	[TL_DIFF_FUNCTIONS] = "function,object,file,calls:before,calls:after",
	[TL_DIFF_ARCS] = "caller,caller object,function,object,file,calls:before,calls:after",
	[TL_DIFF_LINES] = "function,object,file,line",
};

static void put_field(struct tl_output *out, const char *text)
{
	tl_put_csv(out, text);
	tl_put_char(out, ',');
}

static void put_identity(const struct tl_diff_table *table, const struct tl_diff_row *row)
{
	static const struct tl_function outside = { .name = "", .object = "" };
	struct tl_output *out = table->out;
	enum tl_diff_unit by = tl_diff_by(table->diff);

	if (by == TL_DIFF_ARCS) {
		const struct tl_function *caller = row->caller ? row->caller : &outside;

		put_field(out, caller->name);
		put_field(out, caller->object);
	}
	put_field(out, row->function->name);
	put_field(out, row->function->object);
	put_field(out, row->file);
	if (by != TL_DIFF_LINES) {
		tl_put_u64(out, row->calls_before);
		tl_put_char(out, ',');
		tl_put_u64(out, row->calls_after);
	} else if (row->line) {
		tl_put_u64(out, row->line);
	}
}

static void put_csv_costs(const struct tl_diff_table *table, const struct tl_diff_row *row)
{
	for (uint32_t i = 0; i < table->event_count; i++) {
		uint32_t event = table->events[i];
		double percent;

		tl_put_char(table->out, ',');
		tl_put_i64(table->out, row->before[event]);
		tl_put_char(table->out, ',');
		tl_put_i64(table->out, row->after[event]);
		tl_put_char(table->out, ',');
		tl_put_i64(table->out, tl_diff_change(row, event));
		tl_put_char(table->out, ',');
		if (percent_of(row, event, &percent))
			tl_put_double(table->out, percent);
	}
}

void tl_diff_put_csv(const struct tl_diff_table *table)
{
	static const char *const suffixes[] = { "before", "after", "change", "percent" };

	tl_put_text(table->out, heads[tl_diff_by(table->diff)]);
	for (uint32_t i = 0; i < table->event_count; i++)
		for (size_t j = 0; j < sizeof(suffixes) / sizeof(suffixes[0]); j++)
			tl_put_csv_pair(table->out, event_name(table, i), suffixes[j]);
	tl_put_text(table->out, ",state\n");
	for (size_t i = 0; i < table->shown && !tl_output_failed(table->out); i++) {
		put_identity(table, &table->rows[i]);
		put_csv_costs(table, &table->rows[i]);
		tl_put_char(table->out, ',');
		tl_put_text(table->out, tl_diff_state(table->diff, &table->rows[i]));
		tl_put_char(table->out, '\n');
	}
}

/* ---- JSON ---- */

static void put_text_member(struct tl_output *out, const char *key, const char *text)
{
	tl_put_text(out, key);
	tl_put_json(out, text, strlen(text));
}

static void put_change(const struct tl_diff_table *table, const char *key, int64_t before,
		       int64_t after)
{
	const struct tl_diff_row row = { .before = &before, .after = &after };
	double percent;

	tl_put_text(table->out, key);
	tl_put_text(table->out, "{\"before\":");
	tl_put_i64(table->out, before);
	tl_put_text(table->out, ",\"after\":");
	tl_put_i64(table->out, after);
	tl_put_text(table->out, ",\"change\":");
	tl_put_i64(table->out, tl_diff_change(&row, 0));
	tl_put_text(table->out, ",\"percent\":");
	if (percent_of(&row, 0, &percent))
		tl_put_double(table->out, percent);
	else
		tl_put_text(table->out, "null");
	tl_put_char(table->out, '}');
}

static void put_json_costs(const struct tl_diff_table *table, const int64_t *before,
			   const int64_t *after)
{
	for (uint32_t i = 0; i < table->event_count; i++) {
		put_text_member(table->out, i ? "," : "{", event_name(table, i));
		put_change(table, ":", before[table->events[i]], after[table->events[i]]);
	}
	tl_put_char(table->out, '}');
}

static void put_json_row(const struct tl_diff_table *table, const struct tl_diff_row *row)
{
	enum tl_diff_unit by = tl_diff_by(table->diff);
	struct tl_output *out = table->out;

	tl_put_char(out, '{');
	if (by == TL_DIFF_ARCS && row->caller) {
		put_text_member(out, "\"caller\":", row->caller->name);
		put_text_member(out, ",\"caller_object\":", row->caller->object);
		tl_put_char(out, ',');
	} else if (by == TL_DIFF_ARCS) {
		tl_put_text(out, "\"caller\":null,\"caller_object\":null,");
	}
	put_text_member(out, "\"function\":", row->function->name);
	put_text_member(out, ",\"object\":", row->function->object);
	put_text_member(out, ",\"file\":", row->file);
	if (by == TL_DIFF_LINES && row->line)
		tl_put_format(out, ",\"line\":%u", row->line);
	else if (by == TL_DIFF_LINES)
		tl_put_text(out, ",\"line\":null");
	put_text_member(out, ",\"state\":", tl_diff_state(table->diff, row));
	if (by != TL_DIFF_LINES) {
		tl_put_text(out, ",\"calls\":{\"before\":");
		tl_put_u64(out, row->calls_before);
		tl_put_text(out, ",\"after\":");
		tl_put_u64(out, row->calls_after);
		tl_put_char(out, '}');
	}
	tl_put_text(out, ",\"costs\":");
	put_json_costs(table, row->before, row->after);
	tl_put_char(out, '}');
}

void tl_diff_put_json(const struct tl_diff_table *table)
{
	static const char *const units[] = { "function", "arc", "line" };
	struct tl_output *out = table->out;

	put_text_member(out,
			"{\"before\":", tl_profile_format(tl_diff_profile(table->diff, false)));
	put_text_member(out, ",\"after\":", tl_profile_format(tl_diff_profile(table->diff, true)));
	put_text_member(out, ",\"by\":", units[tl_diff_by(table->diff)]);
	tl_put_text(out, ",\"units\":");
	for (uint32_t i = 0; i < table->event_count; i++) {
		put_text_member(out, i ? "," : "{", event_name(table, i));
		put_text_member(out, ":", tl_diff_event(table->diff, table->events[i])->unit);
	}
	tl_put_text(out, "},\"total\":");
	put_json_costs(table, tl_diff_total(table->diff, false), tl_diff_total(table->diff, true));
	tl_put_text(out, ",\"rows\":[");
	for (size_t i = 0; i < table->shown && !tl_output_failed(out); i++) {
		if (i)
			tl_put_char(out, ',');
		put_json_row(table, &table->rows[i]);
	}
	tl_put_text(out, "]}\n");
}
