/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cachegrind profiles: self cost by file, function and line, all parts together; "summary:" at the
 * end. cg_annotate, cg_diff and cg_merge read them. There are no calls, objects or addresses in
 * this format.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "export/profile/exporters.h"

struct cachegrind {
	const struct tl_profile *profile;
	struct tl_output *out;
	uint32_t *events; /* columns: the events that are no formula */
	uint32_t event_count;
	uint32_t *order; /* lines of the profile */
	int64_t *costs, *sums;
};

/* A name ends with its line, so control characters become blanks; an unknown name is "???". */
static void put_name(struct tl_output *out, const char *key, const char *name)
{
	tl_put_text(out, key);
	if (!*name)
		tl_put_text(out, "???");
	for (; *name; name++)
		tl_put_char(out, (unsigned char)*name < ' ' ? ' ' : *name);
	tl_put_char(out, '\n');
}

static const struct tl_function *function_of(const struct cachegrind *c, uint32_t line)
{
	return tl_profile_function(c->profile, tl_profile_line(c->profile, line)->function);
}

static const char *file_of(const struct cachegrind *c, uint32_t line)
{
	const char *file = tl_profile_line(c->profile, line)->at.file;

	if (*file)
		return file;
	return function_of(c, line)->file;
}

static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

/* 0 for lines that are written as one: of the same file, function and line number. */
static int compare_places(const struct cachegrind *c, uint32_t x, uint32_t y)
{
	uint32_t a = tl_profile_line(c->profile, x)->at.line,
		 b = tl_profile_line(c->profile, y)->at.line;
	int order = compare_text(file_of(c, x), file_of(c, y));

	if (!order)
		order = compare_text(function_of(c, x)->name, function_of(c, y)->name);
	if (!order)
		order = tl_compare(a, b);
	return order;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_places(context, x, y);

	if (!order)
		order = tl_compare(x, y);
	return order;
}

static int prepare(struct cachegrind *c, struct tl_error *err)
{
	uint32_t lines = tl_profile_line_count(c->profile),
		 events = tl_profile_event_count(c->profile);

	c->events = malloc(((size_t)events + 1) * sizeof(*c->events));
	c->order = malloc(((size_t)lines + 1) * sizeof(*c->order));
	c->costs = calloc((size_t)events + 1, sizeof(*c->costs));
	c->sums = calloc((size_t)events + 1, sizeof(*c->sums));
	if (!c->events || !c->order || !c->costs || !c->sums)
		return tl_error_memory(err);
	for (uint32_t e = 0; e < events; e++)
		if (!*tl_profile_event(c->profile, e)->formula)
			c->events[c->event_count++] = e;
	if (!c->event_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the profile has no event, and the format needs one");
	for (uint32_t i = 0; i < lines; i++)
		c->order[i] = i;
	qsort_r(c->order, lines, sizeof(*c->order), compare_lines, c);
	return 0;
}

static void put_head(const struct cachegrind *c, const struct tl_export_options *options)
{
	uint32_t parts = tl_profile_part_count(c->profile);
	const char *command = "";

	if (options->command)
		command = options->command;
	if (parts && *tl_profile_part(c->profile, 0)->command)
		command = tl_profile_part(c->profile, 0)->command;
	tl_put_text(c->out, "desc: Creator: tracelathe " TL_VERSION "\n");
	put_name(c->out, "cmd: ", command);
	tl_put_text(c->out, "events:");
	for (uint32_t i = 0; i < c->event_count; i++) {
		tl_put_char(c->out, ' ');
		for (const char *p = tl_profile_event(c->profile, c->events[i])->name; *p; p++)
			tl_put_char(c->out, (unsigned char)*p <= ' ' ? '_' : *p);
	}
	tl_put_char(c->out, '\n');
}

static void put_costs(const struct cachegrind *c, const int64_t *costs)
{
	for (uint32_t i = 0; i < c->event_count; i++) {
		tl_put_char(c->out, ' ');
		tl_put_i64(c->out, costs[i]);
	}
	tl_put_char(c->out, '\n');
}

/* Write the lines order[at ..] that compare equal as one. @return the first that differs */
static uint32_t put_place(struct cachegrind *c, uint32_t at, uint32_t lines)
{
	uint32_t first = c->order[at];

	memset(c->costs, 0, c->event_count * sizeof(*c->costs));
	for (; at < lines && !compare_places(c, first, c->order[at]); at++) {
		const int64_t *costs = tl_profile_line_cost(c->profile, c->order[at]);

		for (uint32_t i = 0; i < c->event_count; i++)
			c->costs[i] = tl_sum_saturating(c->costs[i], costs[c->events[i]]);
	}
	for (uint32_t i = 0; i < c->event_count; i++)
		c->sums[i] = tl_sum_saturating(c->sums[i], c->costs[i]);
	tl_put_u64(c->out, tl_profile_line(c->profile, first)->at.line);
	put_costs(c, c->costs);
	return at;
}

static void put_body(struct cachegrind *c)
{
	uint32_t lines = tl_profile_line_count(c->profile);
	const char *file = NULL, *name = NULL;

	for (uint32_t at = 0; at < lines && !tl_output_failed(c->out);) {
		const char *line_file = file_of(c, c->order[at]),
			   *line_name = function_of(c, c->order[at])->name;
		bool other = !file || strcmp(file, line_file);

		if (other)
			put_name(c->out, "fl=", line_file);
		if (other || strcmp(name, line_name))
			put_name(c->out, "fn=", line_name);
		file = line_file;
		name = line_name;
		at = put_place(c, at, lines);
	}
	tl_put_text(c->out, "summary:");
	put_costs(c, c->sums);
}

static int write_cachegrind(const struct tl_profile *profile,
			    const struct tl_export_options *options, struct tl_output *out,
			    struct tl_error *err)
{
	struct cachegrind c = { .profile = profile, .out = out };
	struct tl_export_options filled;
	int status = tl_export_options(&filled, profile, options, err);

	if (status == 0)
		status = prepare(&c, err);
	if (status == 0) {
		put_head(&c, &filled);
		put_body(&c);
	}
	free(c.events);
	free(c.order);
	free(c.costs);
	free(c.sums);
	return status;
}

const struct tl_exporter tl_cachegrind_exporter = {
	.name = "cachegrind",
	.suffix = ".cachegrind",
	.help = "Cachegrind profile: self cost by line, for cg_annotate, cg_diff and cg_merge",
	.write = write_cachegrind,
};
