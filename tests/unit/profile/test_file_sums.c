/* SPDX-License-Identifier: Apache-2.0 */
/* The sums in profile files, and files that several threads write. */
#include <stdio.h>

#include <tracelathe/profile.h>

#include "file_bytes.h"
#include "profile/canon/sort.h"
#include "profile/file/file_list.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"
#include "profile/file/row_block.h"

static const struct tl_pfile_read_options tables = { .functions_only = true };

/* What a file of sums by hand is like beside being right. */
struct variant {
	unsigned version;
	bool damaged;    /* a byte of the line sums is another one */
	uint64_t lines;  /* how many lines the first sum says to be of */
	uint64_t self;   /* its cost */
	uint64_t called; /* calls of the first sum of arcs */
};

/* Function 0 has lines of 100 and -20, function 1 one of 5; it is called twice, from two places. */
static void put_file(const struct variant *v)
{
	file_begin_version(&hand, v->version);
	put_strings();
	put_head();
	put_functions_and_parts();
	block_begin(&hand, LINES, 0, 6, 7);
	ROW(&hand, 0, 0, ARG, 12, 0x1000, 0, 100);
	ROW(&hand, 0, 0, ARG, 13, 0x1004, 0, (uint64_t)-20);
	ROW(&hand, 1, 0, ARG, 20, 0x2000, 0, 5);
	block_end(&hand);
	if (v->version > 1) {
		block_begin(&hand, LINE_SUMS, 0, 2, 4);
		ROW(&hand, 0, 0, v->lines, v->self);
		ROW(&hand, 1, 0, 1, 5);
		block_end(&hand);
		hand.bytes[hand.size - 1] ^= v->damaged;
	}
	block_begin(&hand, ARCS, 0, 11, 13);
	ROW(&hand, 0, 1, 0, ARG, 12, 0x1002, 0, ARG, 20, 0x2000, 0, 4, 2);
	ROW(&hand, 0, 1, 0, ARG, 13, 0x1006, 0, ARG, 20, 0x2000, 0, 6, 3);
	ROW(&hand, NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 85);
	block_end(&hand);
	if (v->version > 1) {
		block_begin(&hand, ARC_SUMS, 0, 3, 6);
		ROW(&hand, 0, 1, 0, 2, v->called, 5);
		ROW(&hand, NONE, 0, 0, 1, 1, 85);
		block_end(&hand);
	}
	block_begin(&hand, ARC_ORDER, 0, 1, 1);
	ROW(&hand, 0); /* 0 was 0, 1 was 2, 2 was 1 */
	ROW(&hand, 1);
	ROW(&hand, (uint64_t)-1);
	block_end(&hand);
	file_end(&hand);
}

static struct tl_profile *read_as(const struct tl_pfile_read_options *options, uint64_t faults)
{
	struct tl_pfile_reader reader;
	struct tl_profile *p;

	assert_int_equal(tl_pfile_open(&reader, hand.bytes, hand.size, false, NULL), 0);
	assert_int_equal(tl_pfile_read(&p, &reader, options, NULL), 0);
	assert_int_equal(reader.fault_count, faults);
	tl_pfile_close(&reader);
	return p;
}

static struct tl_profile *read_tables(uint64_t faults)
{
	return read_as(&tables, faults);
}

static struct tl_function_totals totals_of(const struct tl_profile *p, uint32_t function)
{
	struct tl_function_totals totals;

	assert_int_equal(tl_profile_function_totals(p, function, TL_NONE, &totals, sizeof(totals)),
			 0);
	return totals;
}

/* "Tables need nothing else of lines and arcs": with sums that are others, so are the tables. */
TEST(tables_are_made_of_the_sums)
{
	static const struct {
		struct variant file;
		uint64_t faults;
		int64_t self;
		uint64_t calls;
	} cases[] = {
		{ { 2, false, 2, 80, 10 }, 0, 80, 10 },
		{ { 2, false, 2, 81, 11 }, 0, 81, 11 },
		/* "files of version 1 are read as before" */
		{ { 1, false, 2, 81, 11 }, 0, 80, 10 },
		/* A damaged block is noticed, and its sums are made of the lines. */
		{ { 2, true, 2, 81, 11 }, 1, 80, 11 }, /* the arcs' are whole */
		/* Sums that are not those of all lines are noticed; then the arcs are added up. */
		{ { 2, false, 1, 81, 11 }, 1, 81, 10 },
	};
	static const struct tl_pfile_read_options table = { .functions_only = true, .table = true };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_profile *p;

		put_file(&cases[i].file);
		p = read_tables(cases[i].faults);
		assert_int_equal(totals_of(p, 0).self[0], cases[i].self);
		assert_int_equal(totals_of(p, 1).self[0], 5);
		assert_int_equal(totals_of(p, 1).calls, cases[i].calls);
		assert_int_equal(tl_profile_arc_count(p), 2);
		tl_profile_free(p);
		/* A table alone needs no arcs, where the sums can be taken as they are. */
		p = read_as(&table, cases[i].faults);
		assert_int_equal(totals_of(p, 0).self[0], cases[i].self);
		assert_int_equal(totals_of(p, 0).inclusive[0], cases[i].self + 5);
		assert_int_equal(totals_of(p, 1).calls, cases[i].calls);
		assert_int_equal(tl_profile_arc_count(p),
				 cases[i].file.version == 1 || cases[i].faults ? 2 : 0);
		tl_profile_free(p);
	}
}

/* "the number that each element had": the arc from outside was between the two others. */
TEST(sums_of_arcs_come_in_the_order_of_the_first_of_each)
{
	for (unsigned version = 1; version <= 2; version++) {
		const struct variant file = { version, false, 2, 80, 10 };
		struct tl_profile *p;

		put_file(&file);
		p = read_tables(0);
		assert_int_equal(tl_profile_arc(p, 0)->caller, 0);
		assert_int_equal(tl_profile_arc(p, 0)->calls, 10);
		assert_int_equal(tl_profile_arc_cost(p, 0)[0], 5);
		assert_int_equal(tl_profile_arc(p, 1)->caller, TL_NONE);
		assert_int_equal(tl_profile_arc_cost(p, 1)[0], 85);
		tl_profile_free(p);
	}
}

static int64_t violations(const char *words)
{
	struct tl_pfile_reader reader;
	struct tl_output *out;
	const char *text;
	int64_t found;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_open(&reader, hand.bytes, hand.size, false, NULL), 0);
	found = tl_pfile_check(&reader, 1, false, out, NULL);
	tl_pfile_close(&reader);
	text = tl_output_bytes(out, &size);
	if (words)
		assert_non_null(memmem(text, size, words, strlen(words)));
	else
		assert_int_equal(size, 0);
	tl_output_discard(out);
	return found;
}

/* "check adds all lines and arcs up again (rule sums)" */
TEST(sums_are_checked)
{
	static const struct variant right = { 2, false, 2, 80, 10 },
				    costs = { 2, false, 2, 81, 10 }, rows = { 2, false, 3, 80, 10 },
				    calls = { 2, false, 2, 80, 9 }, both = { 2, false, 2, 81, 9 },
				    old = { 1, false, 2, 81, 9 };
	char told[64];

	put_file(&right);
	assert_int_equal(violations(NULL), 0);
	put_file(&costs);
	snprintf(told, sizeof(told), "sums offset %#zx: lines\n", block_of(LINES));
	assert_int_equal(violations(told), 1);
	put_file(&rows);
	assert_int_equal(violations("lines\n"), 1);
	put_file(&calls);
	assert_int_equal(violations("arcs\n"), 1);
	put_file(&both);
	assert_int_equal(violations("lines\n"), 2);
	put_file(&old);
	assert_int_equal(violations(NULL), 0);
}

/* ---- written ---- */

static struct tl_profile *new_profile(uint32_t events)
{
	struct tl_event list[] = { { .name = "Ir" }, { .name = "Dr" }, { .name = "Dw" } };
	struct tl_profile *p;

	assert_int_equal(tl_profile_new(&p, "callgrind", list, sizeof(*list), events, 0, NULL), 0);
	return p;
}

static void add_line(struct tl_profile *p, uint32_t function, uint64_t address, int64_t cost)
{
	const struct tl_cost_line line = { .function = function,
					   .part = TL_NONE,
					   .at = { .file = "a.c", .address = address } };
	const int64_t costs[3] = { cost, 1, 0 };

	assert_int_equal(tl_profile_add_line(p, &line, sizeof(line), costs, NULL), 0);
}

static size_t written(const struct tl_profile *profile, unsigned jobs, char **bytes)
{
	struct tl_output *out;
	const char *from;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write(profile, jobs, out, NULL), 0);
	from = tl_output_bytes(out, &size);
	*bytes = malloc(size);
	assert_non_null(*bytes);
	memcpy(*bytes, from, size);
	tl_output_discard(out);
	return size;
}

/* "Where a sum does not fit 64 bits, the lines from there on have a row of their own". */
TEST(sums_that_do_not_fit_are_several_rows)
{
	struct tl_function function = { .name = "f", .file = "", .object = "" };
	struct tl_pfile_reader reader;
	struct tl_profile *p = new_profile(1);
	char *bytes;
	struct tl_losses losses;
	uint64_t saturated;
	size_t size;

	assert_int_equal(tl_profile_add_function(p, &function, sizeof(function), NULL), 0);
	add_line(p, 0, 1, INT64_MAX - 5);
	add_line(p, 0, 2, 5);
	add_line(p, 0, 3, 1);
	add_line(p, 0, 4, 1);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_int_equal(tl_profile_losses(p, &losses, sizeof(losses)), 0);
	saturated = losses.saturated;
	assert_true(saturated > 0);
	size = written(p, 1, &bytes);
	tl_profile_free(p);
	assert_int_equal(tl_pfile_open(&reader, (const uint8_t *)bytes, size, false, NULL), 0);
	assert_int_equal(tl_pfile_row_count(&reader, TL_PFILE_LINE_SUMS), 2);
	assert_int_equal(tl_pfile_read(&p, &reader, &tables, NULL), 0);
	assert_int_equal(totals_of(p, 0).self[0], INT64_MAX);
	assert_int_equal(tl_profile_losses(p, &losses, sizeof(losses)), 0);
	assert_int_equal(losses.saturated, saturated);
	tl_profile_free(p);
	tl_pfile_close(&reader);
	free(bytes);
}

/* Keys 1 and 2; how many rows; calls and two costs. */
TEST(a_sum_that_does_not_fit_is_not_added)
{
	static const struct {
		uint64_t to[6], sum[6];
		bool fits;
	} cases[] = {
		{ { 1, 2, 3, 4, 5, 6 }, { 1, 2, 1, 10, 20, (uint64_t)-30 }, true },
		{ { 1, 2, 3, 4, 5, 6 }, { 1, 3, 1, 0, 0, 0 }, false },
		{ { 1, 2, 3, 4, 5, 6 }, { 0, 2, 1, 0, 0, 0 }, false },
		/* calls have no sign, costs have one */
		{ { 1, 2, 3, INT64_MAX, 5, 6 }, { 1, 2, 1, 1, 0, 0 }, true },
		{ { 1, 2, 3, UINT64_MAX, 5, 6 }, { 1, 2, 1, 1, 0, 0 }, false },
		{ { 1, 2, 3, 4, INT64_MAX, 6 }, { 1, 2, 1, 1, 1, 0 }, false },
		{ { 1, 2, 3, 4, 5, (uint64_t)INT64_MIN }, { 1, 2, 1, 1, 1, (uint64_t)-1 }, false },
		{ { 1, 2, 3, 4, 5, (uint64_t)INT64_MIN }, { 1, 2, 1, 1, 1, 1 }, true },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		uint64_t to[6];

		memcpy(to, cases[c].to, sizeof(to));
		assert_int_equal(tl_pfile_sum_add(to, cases[c].sum, 2, 6, true), cases[c].fits);
		for (unsigned i = 0; i < 6; i++)
			assert_true(to[i] ==
				    cases[c].to[i] +
					    (cases[c].fits && i >= 2 ? cases[c].sum[i] : 0));
	}
}

/* "The number of threads that wrote a file changes nothing." The rows fill 12 blocks and a part. */
TEST(threads_write_the_same_bytes)
{
	enum { FUNCTIONS_MADE = 300, LINES_MADE = 180000 };
	struct tl_profile *p = new_profile(3);
	struct tl_pfile_reader reader;
	char *one, *other;
	size_t size;

	for (uint32_t i = 0; i < FUNCTIONS_MADE; i++) {
		char name[16];
		struct tl_function function = { .name = name, .file = "", .object = "" };

		snprintf(name, sizeof(name), "f%u", i * 7919 % FUNCTIONS_MADE);
		assert_int_equal(tl_profile_add_function(p, &function, sizeof(function), NULL), i);
	}
	for (uint32_t i = 0; i < LINES_MADE; i++)
		add_line(p, i / 37 % FUNCTIONS_MADE, i * 7919u % LINES_MADE, i % 100);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	size = written(p, 1, &one);
	/* The lines of a function are in two blocks, and have one sum. */
	assert_int_equal(tl_pfile_open(&reader, (const uint8_t *)one, size, false, NULL), 0);
	assert_int_equal(tl_pfile_row_count(&reader, TL_PFILE_LINE_SUMS), FUNCTIONS_MADE);
	tl_pfile_close(&reader);
	for (unsigned jobs = 2; jobs <= 40; jobs += 19) {
		assert_int_equal(written(p, jobs, &other), size);
		assert_memory_equal(one, other, size);
		free(other);
	}
	free(one);
	tl_profile_free(p);
}

/* ---- sorting ---- */

enum { ELEMENTS = 1000, KEYS = 3 };
static uint64_t keys_of[ELEMENTS][KEYS];

static void test_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row)
{
	(void)canon;
	memcpy(row, keys_of[number], sizeof(keys_of[number]));
}

static int compare_elements(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (unsigned i = 0; i < KEYS; i++)
		if (keys_of[x][i] != keys_of[y][i])
			return keys_of[x][i] < keys_of[y][i] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Elements with equal keys stay as they came: qsort() with the number as the last key. */
TEST(elements_are_sorted_whatever_their_keys_are)
{
	/* how many values a key has, by case: few, none, so many that keys do not fit 64 bits */
	static const uint64_t ranges[][KEYS] = {
		{ 1, 1, 5 },
		{ 3, 1, 1000 },
		{ 1, 1, 1 },
		{ UINT64_MAX, 2, 9 },
		{ 1ull << 40, 1ull << 13, 1 },
		{ 1ull << 40, 1ull << 14, 1 },
		{ 1ull << 40, 1ull << 15, 1 },
		{ 2, UINT64_MAX, 3 },
	};
	struct tl_pfile_sorter sorter = { .key = test_key, .keys = KEYS };
	uint64_t random = 16;

	for (size_t c = 0; c < sizeof(ranges) / sizeof(ranges[0]); c++) {
		for (size_t count = 1; count <= ELEMENTS; count += 333) {
			uint32_t numbers[ELEMENTS], want[ELEMENTS];

			for (uint32_t i = 0; i < count; i++) {
				for (unsigned k = 0; k < KEYS; k++) {
					random = random * 6364136223846793005u +
						 1442695040888963407u;
					keys_of[i][k] = 77 + (random >> 8) % ranges[c][k];
				}
				numbers[i] = want[i] = i;
			}
			qsort(want, count, sizeof(*want), compare_elements);
			assert_true(tl_pfile_sort(&sorter, numbers, count));
			assert_memory_equal(numbers, want, count * sizeof(*want));
		}
	}
	tl_pfile_sorter_free(&sorter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_made_of_the_sums),
		cmocka_unit_test(sums_of_arcs_come_in_the_order_of_the_first_of_each),
		cmocka_unit_test(sums_are_checked),
		cmocka_unit_test(sums_that_do_not_fit_are_several_rows),
		cmocka_unit_test(a_sum_that_does_not_fit_is_not_added),
		cmocka_unit_test(threads_write_the_same_bytes),
		cmocka_unit_test(elements_are_sorted_whatever_their_keys_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
