/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the table of differences by each of its columns, and its gate, against plain models:
 * profiles at random whose numbers are small, so that many rows are alike in a column.
 */
#include <math.h>

#include "profiles.h"

#include "profile/model/unsized.h"

enum { FUNCTIONS = 12, EVENTS = 2, ROOM = 1 << 14 };

struct model_row {
	char name[8], object[8], file[8];
	int64_t before[EVENTS], after[EVENTS];
	uint64_t calls_before, calls_after;
	bool in_before, in_after;
};

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Rows of different names, objects and files; each is in one of the profiles at least. */
static void draw_rows(struct model_row *rows, uint32_t seed)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct model_row *row = &rows[i];

		*row = (struct model_row){ .in_before = true, .in_after = true };
		/* as often as not two functions have one name */
		snprintf(row->name, sizeof(row->name), "f%u", (i * 7 + 3) % FUNCTIONS / 2);
		snprintf(row->object, sizeof(row->object), "o%u", i % 2);
		snprintf(row->file, sizeof(row->file), "s%u.c", i);
		/* of two that have one name, one is in both: else they would be the same by it */
		if (i % 2 && draw(&seed) % 2)
			*(draw(&seed) % 2 ? &row->in_before : &row->in_after) = false;
		for (uint32_t e = 0; e < EVENTS; e++) {
			row->before[e] = row->in_before ? draw(&seed) % 5 : 0;
			row->after[e] = row->in_after ? draw(&seed) % 5 : 0;
		}
		row->calls_before = row->in_before ? draw(&seed) % 3 : 0;
		row->calls_after = row->in_after ? draw(&seed) % 3 : 0;
		/* what has no cost and no call is no row */
		row->before[1] += row->in_before && !row->before[0];
		row->after[1] += !row->in_before && !row->after[0];
	}
}

static struct tl_profile *side_of(const struct model_row *rows, bool after)
{
	const struct tl_event events[] = { { "Ir", "", "", "" }, { "Dr", "", "", "" } };
	struct tl_profile *p;
	uint32_t root;

	assert_int_equal(tl_profile_make(&p, "callgrind", events, EVENTS, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(p, &(struct tl_part){ .command = "" }, NULL), 0);
	root = add_function(p, "root", "prog");
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct model_row *row = &rows[i];
		const int64_t *cost = after ? row->after : row->before;
		const uint64_t calls = after ? row->calls_after : row->calls_before;
		const struct tl_function function = { .name = row->name,
						      .object = row->object,
						      .file = row->file,
						      .id = TL_NOWHERE };
		int64_t number;

		if (!(after ? row->in_after : row->in_before))
			continue;
		number = tl_profile_put_function(p, &function, NULL);
		add_line(p, (uint32_t)number, 0, cost[0], cost[1]);
		if (calls)
			add_arc(p, root, (uint32_t)number, 0, calls, 0, 0);
	}
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

static struct tl_diff *diff_of(const struct model_row *rows, struct tl_profile *sides[2])
{
	const struct tl_diff_options how = { .size = sizeof(how), .by = TL_DIFF_FUNCTIONS };
	struct tl_diff *diff;

	for (int after = 0; after < 2; after++)
		sides[after] = side_of(rows, after);
	assert_int_equal(tl_profile_diff(&diff, sides[0], sides[1], &how, NULL), 0);
	return diff;
}

static void free_diff(struct tl_diff *diff, struct tl_profile *sides[2])
{
	tl_diff_free(diff);
	tl_profile_free(sides[0]);
	tl_profile_free(sides[1]);
}

/* ---- the order ---- */

static double change_of(const struct model_row *row, uint32_t event)
{
	return fabs((double)(row->after[event] - row->before[event]));
}

/* "largest first"; what was 0 has grown by more than any percentage */
static double size_in(const struct model_row *row, const char *column, uint32_t event)
{
	if (!strcmp(column, "change"))
		return change_of(row, event);
	if (!strcmp(column, "before"))
		return (double)row->before[event];
	if (!strcmp(column, "after"))
		return (double)row->after[event];
	if (!strcmp(column, "calls"))
		return fabs((double)row->calls_after - (double)row->calls_before);
	if (row->before[event])
		return change_of(row, event) / (double)row->before[event];
	return change_of(row, event) > 0 ? INFINITY : 0;
}

static const char *text_in(const struct model_row *row, const char *column)
{
	return !strcmp(column, "function") ? row->name
	       : !strcmp(column, "object") ? row->object
	       : !strcmp(column, "file")   ? row->file
	       : !strcmp(column, "caller") ? ""
					   : NULL;
}

static bool stands_before(const struct model_row *a, const struct model_row *b, const char *column,
			  uint32_t event, bool ascending)
{
	const char *x = text_in(a, column), *y = text_in(b, column);
	double left = x ? strcmp(y, x) : size_in(a, column, event),
	       right = x ? 0 : size_in(b, column, event);
	int names = strcmp(a->name, b->name);

	if (left != right)
		return (left > right) != ascending;
	/* the same in the column: by the change, by names, by objects, by files */
	if (!x && change_of(a, event) != change_of(b, event))
		return change_of(a, event) > change_of(b, event);
	if (!names)
		names = strcmp(a->object, b->object);
	return names ? names < 0 : strcmp(a->file, b->file) < 0;
}

static void expect_order(char *text, const struct model_row *rows, const char *column,
			 uint32_t event, bool ascending)
{
	const struct model_row *order[FUNCTIONS];

	for (size_t i = 0; i < FUNCTIONS; i++) {
		size_t at = i;

		for (; at && stands_before(&rows[i], order[at - 1], column, event, ascending); at--)
			order[at] = order[at - 1];
		order[at] = &rows[i];
	}
	*text = '\0';
	for (size_t i = 0; i < FUNCTIONS; i++)
		sprintf(text + strlen(text), "%s,%s,%s\n", order[i]->name, order[i]->object,
			order[i]->file);
}

/* Function, object and file of each row that has a file. */
static void order_of(char *text, const struct tl_diff *diff, const char *sort, bool ascending)
{
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_CSV,
						   .sort = sort,
						   .ascending = ascending,
						   .all = true };
	struct tl_output *out;
	char *csv, *line;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_diff(diff, &options, out, NULL), 0);
	csv = take_text(out);
	*text = '\0';
	strtok(csv, "\n");
	while ((line = strtok(NULL, "\n"))) {
		char *end = line;

		if (!strncmp(line, "root,", 5))
			continue;
		for (int commas = 0; commas < 3; end++)
			commas += *end == ',';
		end[-1] = '\0';
		sprintf(text + strlen(text), "%s\n", line);
	}
	free(csv);
}

TEST(rows_by_each_column)
{
	static const struct {
		const char *sort, *column;
		uint32_t event;
	} cases[] = {
		{ NULL, "change", 0 },          { "change", "change", 0 },
		{ "percent", "percent", 0 },    { "before", "before", 0 },
		{ "after", "after", 0 },        { "calls", "calls", 0 },
		{ "function", "function", 0 },  { "object", "object", 0 },
		{ "file", "file", 0 },          { "caller", "caller", 0 },
		{ "Dr:change", "change", 1 },   { "Dr:before", "before", 1 },
		{ "Dr:percent", "percent", 1 }, { "Ir:after", "after", 0 },
	};
	static struct model_row rows[FUNCTIONS];
	static char got[ROOM], expected[ROOM];

	for (uint32_t seed = 1; seed <= 25; seed++) {
		struct tl_profile *sides[2];
		struct tl_diff *diff;

		draw_rows(rows, seed);
		diff = diff_of(rows, sides);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			for (int ascending = 0; ascending < 2; ascending++) {
				order_of(got, diff, cases[i].sort, ascending);
				expect_order(expected, rows, cases[i].column, cases[i].event,
					     ascending);
				if (strcmp(got, expected) != 0)
					fail_msg("seed %u, %s%s:\n%sinstead of\n%s", seed,
						 cases[i].sort ? cases[i].sort : "by itself",
						 ascending ? " ascending" : "", got, expected);
			}
		free_diff(diff, sides);
	}
}

TEST(columns_that_there_are_not)
{
	static const struct {
		const char *sort, *text;
	} cases[] = {
		{ "none", "there is no such column to sort by" },
		{ "Ir:none", "there is no such column to sort by" },
		{ "Ir:function", "there is no such column to sort by" },
		{ "Ix:change", "there is no such event to sort by" },
		{ "I:change", "there is no such event to sort by" },
		{ "Irr:change", "there is no such event to sort by" },
		{ ":change", "there is no such event to sort by" },
		{ "", "there is no such column to sort by" },
	};
	static struct model_row rows[FUNCTIONS];
	struct tl_profile *sides[2];
	struct tl_diff *diff;
	struct tl_output *out;

	draw_rows(rows, 3);
	diff = diff_of(rows, sides);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_report_options options = { .size = sizeof(options),
							   .sort = cases[i].sort };
		struct tl_error err;

		assert_int_equal(tl_report_diff(diff, &options, out, &err), TL_BAD_USAGE);
		assert_string_equal(err.text, cases[i].text);
	}
	tl_output_discard(out);
	free_diff(diff, sides);
}

/* ---- the gate ---- */

static double growth(int64_t before, int64_t after)
{
	return after <= before ? 0
	       : before <= 0   ? INFINITY
			       : 100.0 * (double)(after - before) / (double)before;
}

/* The growth of an event over the limit: of rows their number and the largest; of the total. */
struct passed {
	uint64_t count;
	double worst, total;
};

static struct passed passed_of(const struct model_row *rows, const uint32_t *events, uint32_t count,
			       double limit)
{
	struct passed passed = { .worst = 0 };

	for (uint32_t n = 0; n < count; n++) {
		const uint32_t e = events[n];
		int64_t before = 0, after = 0;

		for (size_t i = 0; i < FUNCTIONS; i++) {
			double grown = growth(rows[i].before[e], rows[i].after[e]);

			before += rows[i].before[e];
			after += rows[i].after[e];
			passed.count += grown > limit;
			if (grown > limit && grown > passed.worst)
				passed.worst = grown;
		}
		passed.total = fmax(passed.total, growth(before, after));
	}
	return passed;
}

TEST(what_grew_by_more_than_a_limit)
{
	static const double limits[] = { 0, 24.9, 25, 33.4, 50, 99, 100, 150, 400, 1e9 };
	static const uint32_t chosen[3][EVENTS] = { { 0 }, { 1 }, { 1, 0 } };
	static const uint32_t counts[3] = { 1, 1, 2 };
	static struct model_row rows[FUNCTIONS];

	for (uint32_t seed = 1; seed <= 25; seed++)
		for (size_t i = 0; i < 3 * sizeof(limits) / sizeof(limits[0]); i++) {
			const uint32_t *events = chosen[i % 3], count = counts[i % 3];
			const double limit = limits[i / 3];
			const struct tl_report_options options = { .size = sizeof(options),
								   .events = events,
								   .event_count = count };
			struct tl_profile *sides[2];
			struct tl_diff_gate gate;
			struct tl_diff *diff;
			struct passed passed;

			draw_rows(rows, seed);
			diff = diff_of(rows, sides);
			passed = passed_of(rows, events, count, limit);
			assert_int_equal(tl_report_diff_gate(diff, &options, limit, &gate,
							     sizeof(gate), NULL),
					 0);
			assert_int_equal(gate.count, passed.count);
			assert_true(gate.worst_percent == passed.worst);
			assert_int_equal(gate.worst != NULL, passed.count > 0);
			assert_true(gate.total_percent == passed.total);
			assert_int_equal(gate.total_grew, passed.total > limit);
			free_diff(diff, sides);
		}
}

/* The function and the event of the largest growth; of several, the first in the table's order. */
TEST(the_worst_row)
{
	static const struct model_row rows[FUNCTIONS] = {
		{ "f", "o", "s", { 10, 1 }, { 15, 1 }, 0, 0, true, true }, /* Ir 50 % */
		{ "g", "o", "s", { 10, 2 }, { 10, 8 }, 0, 0, true, true }, /* Dr 300 % */
		{ "h", "o", "s", { 2, 3 }, { 8, 3 }, 0, 0, true, true },   /* Ir 300 % */
	};
	static const uint32_t both[] = { 0, 1 };
	struct tl_report_options options = { .size = sizeof(options),
					     .events = both,
					     .event_count = 2 };
	struct tl_profile *sides[2];
	struct tl_diff *diff = diff_of(rows, sides);
	struct tl_diff_gate gate;

	assert_int_equal(tl_report_diff_gate(diff, &options, 10, &gate, sizeof(gate), NULL), 0);
	assert_int_equal(gate.count, 3);
	assert_string_equal(gate.worst, "h");
	assert_int_equal(gate.worst_event, 0);
	assert_true(gate.worst_percent == 300);
	options.events = both + 1;
	options.event_count = 1;
	assert_int_equal(tl_report_diff_gate(diff, &options, 10, &gate, sizeof(gate), NULL), 0);
	assert_int_equal(gate.count, 1);
	assert_string_equal(gate.worst, "g");
	assert_int_equal(gate.worst_event, 1);
	/* a struct of an older release, and one that is none */
	assert_int_equal(tl_report_diff_gate(diff, &options, 10, &gate, 1, NULL), TL_BAD_USAGE);
	free_diff(diff, sides);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_by_each_column),
		cmocka_unit_test(columns_that_there_are_not),
		cmocka_unit_test(what_grew_by_more_than_a_limit),
		cmocka_unit_test(the_worst_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
