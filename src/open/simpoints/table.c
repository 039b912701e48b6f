/* SPDX-License-Identifier: Apache-2.0 */
/* Simulation points as text, CSV and JSON. */
#include <inttypes.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/json_csv.h"
#include "open/simpoints/simpoints.h"

static void put_json_number(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_format(out, ",\"%s\":", key);
	if (value == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, value);
}

static void put_json(const struct tl_simpoints *points, size_t number, struct tl_output *out)
{
	const struct tl_simpoint *point = &points->list[number];
	const char *name = points->names[number];

	tl_put_format(out, "{\"cluster\":%" PRIu64 ",\"interval\":%" PRIu64 ",\"weight\":",
		      point->cluster, point->interval);
	tl_put_double(out, point->weight);
	put_json_number(out, "thread", point->thread);
	put_json_number(out, "first", point->first);
	put_json_number(out, "instructions", point->end - point->first);
	put_json_number(out, "before", point->first - point->begin);
	put_json_number(out, "snapshot", point->snapshot);
	tl_put_text(out, ",\"file\":");
	if (name)
		tl_put_json(out, name, strlen(name));
	else
		tl_put_text(out, "null");
	tl_put_char(out, '}');
}

static void put_all_json(const struct tl_simpoints *points, struct tl_output *out)
{
	tl_put_text(out, "{\"simpoints\":[");
	for (size_t i = 0; i < points->count; i++) {
		tl_put_text(out, i ? ",\n" : "\n");
		put_json(points, i, out);
	}
	tl_put_text(out, "\n],\"weight\":");
	tl_put_double(out, points->weight);
	tl_put_text(out, "}\n");
}

static int put_all_csv(const struct tl_simpoints *points, struct tl_output *out,
		       struct tl_error *err)
{
	struct tl_csv csv;
	int status = tl_csv_begin(&csv, err);

	if (status < 0)
		return status;
	for (size_t i = 0; i < points->count; i++) {
		put_json(points, i, csv.json);
		tl_put_char(csv.json, '\n');
	}
	return tl_csv_end_rows(&csv, 0, out, err);
}

static void put_all_text(const struct tl_simpoints *points, struct tl_output *out)
{
	tl_put_text(out, "   cluster   interval    weight     thread          first   instructions "
			 "     before"
			 "  snapshot  file\n");
	for (size_t i = 0; i < points->count; i++) {
		const struct tl_simpoint *point = &points->list[i];
		const char *name = points->names[i] ? points->names[i] : "-";

		tl_put_format(out,
			      "%10" PRIu64 " %10" PRIu64 " %9.6f %10" PRIu64 " %14" PRIu64
			      " %14" PRIu64 " %11" PRIu64 " ",
			      point->cluster, point->interval, point->weight, point->thread,
			      point->first, point->end - point->first, point->first - point->begin);
		if (point->snapshot == TL_NOWHERE)
			tl_put_text(out, "        -  ");
		else
			tl_put_format(out, "%9" PRIu64 "  ", point->snapshot);
		tl_put_shown(out, name, strlen(name));
		tl_put_char(out, '\n');
	}
}

int tl_simpoints_table(const struct tl_simpoints *points, enum tl_report_form form,
		       struct tl_output *out, struct tl_error *err)
{
	if (form == TL_REPORT_CSV)
		return put_all_csv(points, out, err);
	if (form == TL_REPORT_JSON)
		put_all_json(points, out);
	else if (form == TL_REPORT_TEXT)
		put_all_text(points, out);
	else
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no form of this table");
	return 0;
}
