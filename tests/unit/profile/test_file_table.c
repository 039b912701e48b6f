/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of functions that are read without arcs, beside the same profile in memory. */
#include <stdio.h>

#include <tracelathe/profile.h>

#include "../refuse.h"

#include "profile/file/file_read.h"
#include "profile/file/file_write.h"

enum { EVENT_COUNT = 3 };

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* What the calls of a profile are like. */
struct shape {
	uint32_t functions, lines, arcs;
	uint32_t forward; /* of a hundred calls: those to functions of higher numbers */
	uint32_t outside; /* those without a caller */
	int64_t least;    /* costs are from this one on */
};

static void add_functions(struct tl_profile *p, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char name[16];
		struct tl_function function = { .name = name, .file = "", .object = "" };

		/* Names in another order than numbers, so that the file's order is another one. */
		snprintf(name, sizeof(name), "f%u", (unsigned)(i * 7919u % 100003u));
		assert_int_equal(tl_profile_add_function(p, &function, sizeof(function), NULL), i);
	}
}

static void random_costs(const struct shape *shape, uint64_t *random, int64_t *costs)
{
	for (unsigned e = 0; e < EVENT_COUNT; e++)
		costs[e] =
			next_random(random) % 3
				? shape->least + (int64_t)(next_random(random) % (e ? 90 : 70000))
				: 0;
}

static struct tl_profile *make(const struct shape *shape)
{
	static const struct tl_event events[] = { { .name = "Ir" },
						  { .name = "Dr" },
						  { .name = "Dw" } };
	struct tl_profile *p;
	uint64_t random = 1;
	int64_t costs[EVENT_COUNT];

	assert_int_equal(
		tl_profile_new(&p, "callgrind", events, sizeof(*events), EVENT_COUNT, 0, NULL), 0);
	add_functions(p, shape->functions);
	for (uint32_t i = 0; i < shape->lines; i++) {
		const struct tl_cost_line line = {
			.function = (uint32_t)(next_random(&random) % shape->functions),
			.part = TL_NONE,
			.at = { .file = "a.c", .address = i },
		};

		random_costs(shape, &random, costs);
		assert_int_equal(tl_profile_add_line(p, &line, sizeof(line), costs, NULL), 0);
	}
	for (uint32_t i = 0; i < shape->arcs; i++) {
		uint32_t a = (uint32_t)(next_random(&random) % shape->functions);
		uint32_t b = (uint32_t)(next_random(&random) % shape->functions);
		const bool forward = next_random(&random) % 100 < shape->forward;
		struct tl_arc arc = {
			.caller = forward && a > b ? b : a,
			.callee = forward && a > b ? a : b,
			.part = TL_NONE,
			.from = { .file = "a.c", .address = i },
			.to = { .file = "a.c" },
			.calls = next_random(&random) % 5,
		};

		if (next_random(&random) % 100 < shape->outside)
			arc.caller = TL_NONE;
		random_costs(shape, &random, costs);
		assert_int_equal(tl_profile_add_arc(p, &arc, sizeof(arc), costs, NULL), 0);
	}
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

static struct tl_profile *read_table(const uint8_t *bytes, size_t size, unsigned jobs)
{
	const struct tl_pfile_read_options options = { .functions_only = true,
						       .table = true,
						       .jobs = jobs };
	struct tl_pfile_reader reader;
	struct tl_profile *p;

	assert_int_equal(tl_pfile_open(&reader, bytes, size, false, NULL), 0);
	assert_int_equal(tl_pfile_read(&p, &reader, &options, NULL), 0);
	assert_int_equal(reader.fault_count, 0);
	tl_pfile_close(&reader);
	return p;
}

static struct tl_function_totals totals_of(const struct tl_profile *p, uint32_t function)
{
	struct tl_function_totals totals;

	assert_int_equal(tl_profile_function_totals(p, function, TL_NONE, &totals, sizeof(totals)),
			 0);
	return totals;
}

/* The profile that was written is the expected one: it made its sums of all lines and arcs. */
static void expect_same(const struct tl_profile *want, const struct tl_profile *got)
{
	assert_int_equal(tl_profile_function_count(got), tl_profile_function_count(want));
	assert_memory_equal(tl_profile_total(got), tl_profile_total(want),
			    EVENT_COUNT * sizeof(int64_t));
	for (uint32_t f = 0; f < tl_profile_function_count(want); f++) {
		const struct tl_function_totals a = totals_of(want, f), b = totals_of(got, f);

		assert_string_equal(tl_profile_function(want, f)->name,
				    tl_profile_function(got, f)->name);
		assert_int_equal(a.calls, b.calls);
		assert_memory_equal(a.self, b.self, EVENT_COUNT * sizeof(*a.self));
		assert_memory_equal(a.inclusive, b.inclusive, EVENT_COUNT * sizeof(*a.inclusive));
	}
}

TEST(a_table_without_arcs_has_the_sums_of_the_profile)
{
	static const struct shape cases[] = {
		/* one large cycle; several blocks of arcs, callers across their edges */
		{ 300, 2000, 60000, 0, 1, 0 },
		/* few callers, of which some have all of several blocks */
		{ 3, 10, 40000, 50, 10, 0 },
		/* no cycle */
		{ 2000, 9000, 30000, 100, 3, 0 },
		/* small cycles among many functions; costs below 0 */
		{ 5000, 5000, 6000, 90, 20, -300 },
		/* more costs of arcs than are kept, so that blocks are read twice */
		{ 2000, 3000, 110000, 20, 3, 0 },
		{ 2000, 3000, 110000, 100, 3, -300 },
		/* nothing is called */
		{ 40, 200, 0, 0, 0, 0 },
		/* only from outside */
		{ 40, 200, 90, 0, 100, 0 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tl_profile *p = make(&cases[c]);
		struct tl_output *out;
		const char *bytes;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_pfile_write(p, 1, out, NULL), 0);
		bytes = tl_output_bytes(out, &size);
		for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
			struct tl_profile *table = read_table((const uint8_t *)bytes, size, jobs);

			expect_same(p, table);
			assert_int_equal(tl_profile_arc_count(table), 0);
			assert_int_equal(tl_profile_line_count(table), 0);
			tl_profile_free(table);
		}
		tl_output_discard(out);
		tl_profile_free(p);
	}
}

/* Sums that do not fit 64 bits are counted where they are made one by one. */
TEST(sums_that_do_not_fit_are_made_of_arcs)
{
	static const struct shape shape = { 10, 30, 60, 0, 0, INT64_MAX / 4 };
	struct tl_profile *p = make(&shape), *table;
	struct tl_output *out;
	const char *bytes;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write(p, 1, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	table = read_table((const uint8_t *)bytes, size, 1);
	assert_true(tl_profile_arc_count(table) > 0);
	tl_profile_free(table);
	tl_output_discard(out);
	tl_profile_free(p);
}

struct bytes {
	const char *bytes;
	size_t size;
};

static int read_step(const void *input, uint64_t *digest)
{
	static const struct tl_pfile_read_options options = { .functions_only = true,
							      .table = true };
	const struct bytes *file = input;
	struct tl_pfile_reader reader;
	struct tl_profile *p = NULL;
	int status = tl_pfile_open(&reader, (const uint8_t *)file->bytes, file->size, false, NULL);

	if (status == 0)
		status = tl_pfile_read(&p, &reader, &options, NULL);
	if (status == 0) {
		refuse_note_number(digest, tl_profile_total(p)[0]);
		refuse_note_number(digest, (int64_t)tl_profile_arc_count(p));
		for (uint32_t f = 0; f < tl_profile_function_count(p); f++)
			refuse_note_number(digest, totals_of(p, f).inclusive[0]);
	}
	tl_profile_free(p);
	tl_pfile_close(&reader);
	return status;
}

TEST(memory_that_runs_out_is_said)
{
	static const struct shape shape = { 20, 40, 60, 50, 5, 0 };
	struct tl_profile *p = make(&shape);
	struct tl_output *out;
	struct bytes file;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write(p, 1, out, NULL), 0);
	file.bytes = tl_output_bytes(out, &file.size);
	assert_true(refuse_each(read_step, &file) > 20);
	tl_output_discard(out);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_without_arcs_has_the_sums_of_the_profile),
		cmocka_unit_test(sums_that_do_not_fit_are_made_of_arcs),
		cmocka_unit_test(memory_that_runs_out_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
