/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares at their limits: "leave out functions below this share of the total, in percent". Of a
 * total of 1,000,000 a share of 1 % is 10,000: 9,999 is below, 10,000 and 10,001 are not.
 */
#include "profiles.h"

#include "profile/model/unsized.h"

enum { TOTAL = 1000000 };

static const struct {
	const char *name;
	int64_t cost;
} functions[] = {
	{ "below", 9999 },      { "at", 10000 },    { "above", 10001 },
	{ "negative", -10000 }, { "small", -9999 },
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static bool is_shown(size_t i)
{
	return llabs(functions[i].cost) >= 10000;
}

/* main calls each of them, by contexts or by arcs, and has the rest of the total itself. */
static struct tl_profile *shares(bool contexts, bool with_costs)
{
	const struct tl_event event = { "Ir", "", "", "" };
	struct tl_profile *p;
	uint32_t caller;
	int64_t root = 0, rest = TOTAL;

	assert_int_equal(tl_profile_make(&p, "callgrind", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(p, &(struct tl_part){ .command = "" }, NULL), 0);
	caller = add_function(p, "main", "prog");
	if (contexts)
		root = tl_profile_add_context(p, TL_NONE, caller, 0, NULL);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		uint32_t function = add_function(p, functions[i].name, "prog");
		int64_t cost = with_costs ? functions[i].cost : 0;

		rest -= cost;
		if (contexts) {
			int64_t number =
				tl_profile_add_context(p, (uint32_t)root, function, 0, NULL);

			assert_true(number >= 0);
			tl_profile_add_context_cost(p, (uint32_t)number, 1, &cost);
		} else {
			add_line(p, function, 0, cost, 0);
			add_arc(p, caller, function, 0, 1, cost, 0);
		}
	}
	if (contexts)
		tl_profile_add_context_cost(p, (uint32_t)root, 1, &rest);
	else
		add_line(p, caller, 0, rest, 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_int_equal(*tl_profile_total(p), TOTAL);
	return p;
}

static void assert_shown(const char *text, const char *name, bool shown)
{
	if ((strstr(text, name) != NULL) != shown)
		fail_msg("%s is %s in:\n%s", name, shown ? "not" : "", text);
}

/* The row of a function ends with its name. */
static void assert_rows(char *text)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s\n", functions[i].name);
		assert_shown(text, name, is_shown(i));
	}
	free(text);
}

TEST(trees_leave_out_what_is_below)
{
	struct tl_profile *traced = shares(true, true), *summed = shares(false, true);
	const struct tl_report_options options = { .threshold = 1 };

	assert_rows(tree_text(traced, TL_TREE_TOP_DOWN, options));
	for (int kind = TL_TREE_CALLERS; kind <= TL_TREE_BOTH; kind++) {
		char *text = tree_text(summed, (enum tl_tree_kind)kind, options);

		for (size_t i = 0; i < FUNCTIONS; i++) {
			char row[32];

			/* main has them all as callees, at any share. */
			snprintf(row, sizeof(row), "* %s\n", functions[i].name);
			assert_shown(text, row, is_shown(i));
		}
		assert_non_null(strstr(text, "2 functions below the threshold"));
		free(text);
	}
	tl_profile_free(traced);
	tl_profile_free(summed);
}

/* The change is held against the larger total. */
TEST(differences_leave_out_what_is_below)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct tl_profile *before = shares(false, swapped),
				  *after = shares(false, !swapped);
		const struct tl_diff_options how = { .size = sizeof(how) };
		const struct tl_report_options options = { .size = sizeof(options),
							   .threshold = 1 };
		struct tl_output *out;
		struct tl_diff *diff;

		assert_int_equal(tl_profile_diff(&diff, before, after, &how, NULL), 0);
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_report_diff(diff, &options, out, NULL), 0);
		assert_rows(take_text(out));
		tl_diff_free(diff);
		tl_profile_free(before);
		tl_profile_free(after);
	}
}

/* ---- colours ---- */

/* A row from 1 % of the total on is warm, from 10 % on hot. */
TEST(colours_begin_at_their_shares)
{
	static const struct {
		int64_t cost;
		const char *color;
	} rows[] = {
		{ 9999, "" }, { 10000, "\033[33m" }, { 99999, "\033[33m" }, { 100000, "\033[1;31m" }
	};
	const struct tl_event event = { "Ir", "", "", "" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_profile *p;
		char *text, *line;

		assert_int_equal(tl_profile_make(&p, "callgrind", &event, 1, 0, NULL), 0);
		add_line(p, add_function(p, "rest", "prog"), TL_NONE, TOTAL - rows[i].cost, 0);
		add_line(p, add_function(p, "share", "prog"), TL_NONE, rows[i].cost, 0);
		assert_int_equal(tl_profile_finish(p, NULL), 0);
		text = functions_text(p, (struct tl_report_options){ .color = true });
		line = strstr(text, "share");
		assert_non_null(line);
		while (line > text && line[-1] != '\n')
			line--;
		if (*rows[i].color)
			assert_memory_equal(line, rows[i].color, strlen(rows[i].color));
		else
			assert_int_equal(*line, ' ');
		free(text);
		tl_profile_free(p);
	}
}

/* ---- annotation ---- */

/* Files of 60, 30, 9 and 1 %: "the heaviest files that have this share of the cost". */
static char *annotated(double threshold, int64_t last)
{
	static const int64_t costs[] = { 600000, 300000, 90000 };
	const struct tl_event event = { "Ir", "", "", "" };
	const struct tl_annotate_options what = { .size = sizeof(what),
						  .threshold = threshold,
						  .context = -1 };
	const struct tl_report_options options = { .size = sizeof(options) };
	struct tl_profile *p;
	struct tl_output *out;

	assert_int_equal(tl_profile_make(&p, "callgrind", &event, 1, 0, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		char name[] = { 'f', (char)('0' + i), 0 },
		     file[] = { (char)('a' + i), '.', 'c', 0 };
		const struct tl_function f = {
			.name = name, .object = "prog", .file = file, .id = TL_NOWHERE
		};
		int64_t function = tl_profile_put_function(p, &f, NULL),
			cost = i < 3 ? costs[i] : last;
		struct tl_cost_line line = { .function = (uint32_t)function,
					     .part = TL_NONE,
					     .at = { .file = file, .line = 1 } };

		assert_true(function >= 0);
		assert_int_equal(tl_profile_put_line(p, &line, &cost, NULL), 0);
	}
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_annotate(p, &what, &options, out, NULL), 0);
	tl_profile_free(p);
	return take_text(out);
}

TEST(annotations_end_with_their_share)
{
	static const struct {
		double threshold;
		int files;
	} rows[] = { { 59.9999, 1 }, { 60, 1 }, { 60.0001, 2 }, { 90, 2 },  { 90.0001, 3 },
		     { 99, 3 },      { -1, 3 }, { 99.0001, 4 }, { 100, 4 }, { 0, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = annotated(rows[i].threshold, 10000);

		for (int f = 0; f < 4; f++)
			assert_shown(text, (const char[]){ (char)('a' + f), '.', 'c', 0 },
				     f < rows[i].files);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_leave_out_what_is_below),
		cmocka_unit_test(differences_leave_out_what_is_below),
		cmocka_unit_test(colours_begin_at_their_shares),
		cmocka_unit_test(annotations_end_with_their_share),
	};

	return cmocka_run_group_tests_name("report threshold", tests, NULL, NULL);
}
