/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What functions cost in many files, as tables: five files of two to four functions, whose
 * statistics are made here from the same numbers.
 */
#include "../unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles.h"

#include "core/output.h"

enum { FILES = 5, FUNCTIONS = 4 };

static const char *const file_names[FILES] = { "/data/a", "/data/b", "/data/c", "/data/d",
					       "/data/e" };
/* e is off by `wide`; `late` runs in b alone. 0: it does not run. */
static const struct {
	const char *name, *object;
	int64_t costs[FILES];
} functions[FUNCTIONS] = {
	{ "wide", "prog", { 1000, 1020, 1040, 980, 4000 } },
	{ "narrow", "lib", { 500, 501, 499, 500, 502 } },
	{ "late", "prog", { 0, 700, 0, 0, 0 } },
	{ "flat", "lib", { 30, 30, 30, 30, 30 } },
};
/* Of each file: 1530, 2251, 1569, 1510 and 4532. */

/* ---- the files ---- */

static struct tl_profile *file_of(size_t number)
{
	const struct tl_event event = { .name = "Ir", .long_name = "", .unit = "", .formula = "" };
	const struct tl_part part = { .process = 1, .thread = 2, .command = "", .header = "" };
	const struct tl_origin_options options = { .size = sizeof(options),
						   .by = TL_BY_TRACE,
						   .name = file_names[number],
						   .functions = true };
	struct tl_profile *profile, *made;

	assert_int_equal(tl_profile_make(&profile, "callgrind", &event, 1, 0, NULL), 0);
	assert_true(tl_profile_put_part(profile, &part, NULL) == 0);
	for (size_t f = 0; f < FUNCTIONS; f++)
		if (functions[f].costs[number])
			add_line(profile,
				 add_function(profile, functions[f].name, functions[f].object), 0,
				 functions[f].costs[number], 0);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	assert_int_equal(tl_profile_origins(&made, profile, &options, NULL), 0);
	tl_profile_free(profile);
	return made;
}

static struct tl_profile *sum;
static struct tl_spread *spread;

static int make_spread(void **state)
{
	const struct tl_profile *files[FILES];

	(void)state;
	for (size_t i = 0; i < FILES; i++)
		files[i] = file_of(i);
	assert_int_equal(tl_profile_merge(&sum, files, FILES, NULL), 0);
	for (size_t i = 0; i < FILES; i++)
		tl_profile_free((struct tl_profile *)files[i]);
	return tl_spread_make(&spread, sum, NULL, NULL);
}

static int free_spread(void **state)
{
	(void)state;
	tl_spread_free(spread);
	tl_profile_free(sum);
	return 0;
}

/* ---- what is written ---- */

static char *reported(struct tl_report_options options)
{
	struct tl_output *out;

	options.size = sizeof(options);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_spread(spread, &options, out, NULL), 0);
	return take_text(out);
}

#define REPORTED(...) reported((struct tl_report_options){ __VA_ARGS__ })

/* ---- statistics, made here ---- */

struct statistics {
	double min, median, max, mean, deviation;
	size_t count;
};

static int by_size(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static struct statistics statistics_of(const int64_t *costs)
{
	struct statistics s = { .mean = 0 };
	int64_t sorted[FILES];

	memcpy(sorted, costs, sizeof(sorted));
	qsort(sorted, FILES, sizeof(*sorted), by_size);
	for (size_t i = 0; i < FILES; i++) {
		s.mean += (double)costs[i] / (double)FILES;
		s.count += costs[i] != 0;
	}
	for (size_t i = 0; i < FILES; i++)
		s.deviation += ((double)costs[i] - s.mean) * ((double)costs[i] - s.mean);
	s.deviation = sqrt(s.deviation / (FILES - 1));
	s.min = (double)sorted[0];
	s.median = (double)sorted[FILES / 2];
	s.max = (double)sorted[FILES - 1];
	return s;
}

/* ---- text ---- */

/* "the total, the functions, those first that differ most (by their standard deviation)" */
TEST(spread_as_text)
{
	char *text = REPORTED(.form = TL_REPORT_TEXT), variation[32];
	const struct statistics wide = statistics_of(functions[0].costs);

	snprintf(variation, sizeof(variation), "%.2f%%", 100 * wide.deviation / wide.mean);
	assert_memory_equal(text, "Ir in 5 files\n\n", 15);
	IN_ORDER(text, "  min  median    max  variation  out  in  function\n",
		 "1,510   1,569  4,532  ", "  5  (total), most in /data/e\n",
		 "  980   1,020  4,000  ", variation, "  1   5  wide, most in /data/e\n",
		 "    0       0    700  ", "  1  late, most in /data/b\n", "  499     500    502  ",
		 "  5  narrow, most in /data/e\n",
		 "   30      30     30      0.00%    0   5  flat");
	assert_null(strstr(text, "..."));
	free(text);
}

/* "and the files that stand out": e by its total and by wide, b by late. */
TEST(files_that_stand_out)
{
	char *text = REPORTED(.form = TL_REPORT_TEXT);
	const char *far = strstr(text, "\n2 of 5 files stand out, furthest off first:\n");
	double score;

	assert_non_null(far);
	/* totals are off their median of 1,569 by 39, 682, 0, 59 and 2,963: 59 is the middle */
	far = strstr(far + 1, "\n/data/e: total 4,532, score ");
	assert_non_null(far);
	assert_int_equal(sscanf(far, "\n/data/e: total 4,532, score %lf;", &score), 1);
	assert_true(fabs(score - 0.6745 * 2963 / 59) < 0.05);
	IN_ORDER(far, "; by 1 function, most of all wide: 4,000 instead of 1,020\n",
		 "/data/b: total 2,251, score ",
		 "; by 1 function, most of all late: 700 instead of 0\n");
	free(text);
}

TEST(units_have_their_names)
{
	static const struct {
		enum tl_profile_unit by;
		const char *many;
	} cases[] = { { TL_BY_TRACE, "files" },
		      { TL_BY_HOST, "hosts" },
		      { TL_BY_PROCESS, "processes" },
		      { TL_BY_CGROUP, "cgroups" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char head[64], key[64], *text = REPORTED(.by = cases[i].by),
					*json = REPORTED(.by = cases[i].by, .form = TL_REPORT_JSON);

		snprintf(head, sizeof(head), "Ir in 5 %s\n\n", cases[i].many);
		assert_memory_equal(text, head, strlen(head));
		snprintf(head, sizeof(head), "\n2 of 5 %s stand out", cases[i].many);
		assert_non_null(strstr(text, head));
		snprintf(key, sizeof(key), "],\"%s\":[{\"name\":", cases[i].many);
		assert_non_null(strstr(json, key));
		free(text);
		free(json);
	}
}

TEST(top_cuts_functions)
{
	static const struct {
		uint32_t top;
		size_t left;
	} cases[] = { { 1, 3 }, { 3, 1 }, { 4, 0 }, { 5, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char more[64], *text = REPORTED(.top = cases[i].top);

		snprintf(more, sizeof(more), "... %zu more (--all shows them)\n", cases[i].left);
		assert_int_equal(strstr(text, more) != NULL, cases[i].left > 0);
		assert_int_equal(strstr(text, "...") != NULL, cases[i].left > 0);
		assert_non_null(strstr(text, "wide, most in"));
		assert_int_equal(strstr(text, "  flat") != NULL, cases[i].top >= 4);
		free(text);
	}
}

/* A file has its last name where there is no room for its path, then none; a name is cut last. */
TEST(names_fit_the_terminal)
{
	static const struct {
		uint32_t width;
		const char *end;
	} cases[] = {
		{ 0, "  wide, most in /data/e\n" },
		{ 200, "  wide, most in /data/e\n" },
	};
	bool short_name = false;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = REPORTED(.width = cases[i].width);

		assert_non_null(strstr(text, cases[i].end));
		free(text);
	}
	/* 43 columns of numbers, and "function" behind them: from there on no line is wider */
	for (uint32_t width = 43 + 8; width < 100; width++) {
		char *text = REPORTED(.width = width), *rest = NULL, *line;

		*strstr(text, "\n2 of 5 files") = '\0';
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			assert_in_range(strlen(line), 1, width);
			short_name |= strstr(line, "wide, most in e") != NULL;
		}
		free(text);
	}
	assert_true(short_name);
}

/* ---- the order ---- */

TEST(columns_to_sort_by)
{
	/* the first and the last function of each order */
	static const struct {
		const char *sort, *first, *last, *first_ascending;
	} cases[] = {
		{ NULL, "wide", "flat", "flat" },
		{ "deviation", "wide", "flat", "flat" },
		{ "variation", "late", "flat", "flat" },
		{ "min", "wide", "late", "late" },
		{ "median", "wide", "late", "late" },
		{ "max", "wide", "flat", "flat" },
		{ "mean", "wide", "flat", "flat" },
		/* of equal numbers the names */
		{ "outliers", "late", "narrow", "flat" },
		{ "count", "flat", "late", "late" },
		/* names sort from A to Z */
		{ "function", "flat", "wide", NULL },
		{ "object", "flat", "wide", NULL },
		{ "file", "flat", "wide", NULL },
	};
	const char *const *names = tl_report_spread_sort_columns();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int ascending = 0; ascending < 2; ascending++) {
			char *csv = REPORTED(.form = TL_REPORT_CSV, .sort = cases[i].sort,
					     .ascending = ascending),
			     *rest = NULL, *line, *first = NULL, *last = NULL;

			strtok_r(csv, "\n", &rest);
			strtok_r(NULL, "\n", &rest); /* the total */
			while ((line = strtok_r(NULL, "\n", &rest))) {
				line[strcspn(line, ",")] = '\0';
				first = first ? first : line;
				last = line;
			}
			assert_non_null(first);
			if (!ascending || !cases[i].first_ascending) {
				assert_string_equal(first, cases[i].first);
				assert_string_equal(last, cases[i].last);
			} else {
				assert_string_equal(first, cases[i].first_ascending);
			}
			free(csv);
		}
	/* the list of columns has each of these */
	for (size_t i = 1; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(names[i - 1], cases[i].sort);
	assert_null(names[sizeof(cases) / sizeof(cases[0]) - 1]);
}

TEST(wrong_options)
{
	struct tl_report_options options = { .size = sizeof(options), .sort = "percent" };
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_spread(spread, &options, out, NULL), TL_BAD_USAGE);
	options.sort = NULL;
	options.size = 1;
	assert_int_equal(tl_report_spread(spread, &options, out, NULL), TL_BAD_USAGE);
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	/* without options: text */
	assert_int_equal(tl_report_spread(spread, NULL, out, NULL), 0);
	assert_true(tl_output_bytes(out, &size) && size > 0);
	tl_output_discard(out);
}

/* ---- CSV and JSON ---- */

/* Each number of each function, against those made here. */
TEST(spread_as_csv)
{
	char *csv = REPORTED(.form = TL_REPORT_CSV);

	IN_ORDER(csv,
		 "function,object,file,count,min,median,max,mean,deviation,variation,outliers,"
		 "least_in,most_in\n"
		 "(total),,,5,1510,1569,4532,",
		 ",/data/d,/data/e\nwide,prog,,5,980,1020,4000,", ",1,/data/d,/data/e\n",
		 "late,prog,,1,0,0,700,140,", ",1,/data/a,/data/b\n",
		 "narrow,lib,,5,499,500,502,500.4,", ",/data/c,/data/e\n",
		 "flat,lib,,5,30,30,30,30,0,0,0,/data/a,/data/a\n");
	for (size_t f = 0; f < FUNCTIONS; f++) {
		const struct statistics s = statistics_of(functions[f].costs);
		double min, median, max, mean, deviation, variation;
		char begin[64];
		const char *row;
		size_t count;

		snprintf(begin, sizeof(begin), "\n%s,%s,,", functions[f].name, functions[f].object);
		row = strstr(csv, begin);
		assert_non_null(row);
		assert_int_equal(sscanf(row + strlen(begin), "%zu,%lf,%lf,%lf,%lf,%lf,%lf,", &count,
					&min, &median, &max, &mean, &deviation, &variation),
				 7);
		assert_int_equal(count, s.count);
		assert_true(min == s.min && median == s.median && max == s.max);
		assert_true(fabs(mean - s.mean) < 1e-9 && fabs(deviation - s.deviation) < 1e-9);
		assert_true(fabs(variation - s.deviation / s.mean) < 1e-12);
	}
	free(csv);
}

TEST(spread_as_json)
{
	char *json = REPORTED(.form = TL_REPORT_JSON, .top = 1);

	IN_ORDER(json,
		 "{\"event\":\"Ir\",\"unit\":\"\",\"compared\":5,\"total\":"
		 "{\"least_in\":\"/data/d\",\"most_in\":\"/data/e\",\"count\":5,\"min\":1510,"
		 "\"median\":1569,\"max\":4532,\"mean\":2278.4,",
		 "},\"rows\":[{\"function\":\"wide\",\"object\":\"prog\",\"file\":\"\","
		 "\"least_in\":\"/data/d\",\"most_in\":\"/data/e\",\"count\":5,\"min\":980,",
		 "\"outliers\":1}],\"files\":["
		 "{\"name\":\"/data/a\",\"has_event\":true,\"stands_out\":false,\"total\":1530,",
		 "\"functions\":0},{\"name\":\"/data/b\",\"has_event\":true,\"stands_out\":true,"
		 "\"total\":2251,",
		 "\"functions\":1,\"furthest\":{\"function\":\"late\",\"object\":\"prog\","
		 "\"file\":\"\",\"cost\":700,\"median\":0}},{\"name\":\"/data/c\"",
		 "\"total\":1569,\"score\":0,\"functions\":0},{\"name\":\"/data/d\"",
		 "{\"name\":\"/data/e\",\"has_event\":true,\"stands_out\":true,\"total\":4532,",
		 "\"functions\":1,\"furthest\":{\"function\":\"wide\",",
		 "\"cost\":4000,\"median\":1020}}]}\n");
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_as_text),         cmocka_unit_test(files_that_stand_out),
		cmocka_unit_test(units_have_their_names), cmocka_unit_test(top_cuts_functions),
		cmocka_unit_test(names_fit_the_terminal), cmocka_unit_test(columns_to_sort_by),
		cmocka_unit_test(wrong_options),          cmocka_unit_test(spread_as_csv),
		cmocka_unit_test(spread_as_json),
	};

	return cmocka_run_group_tests_name("report spread", tests, make_spread, free_spread);
}
