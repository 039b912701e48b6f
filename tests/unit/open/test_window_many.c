/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of a trace of so many functions that their calls are noted, and added up by function. */
#include "windows.h"

#include "../chance.h"

enum { FUNCTIONS = 6000, RECORDS = 120000, MOST_DEPTH = 12 };

/* By number in the trace, which is from 1 on. */
struct table {
	struct sums functions[FUNCTIONS + 1];
};

/*
 * A thread that calls functions at random, some of them by themselves.
 * @return the last time; calls[] are those of each function that end
 */
static uint64_t write_many(struct opened *o, uint64_t calls[FUNCTIONS + 1])
{
	uint8_t *bytes = calloc(1, HEADER + RECORDS * (size_t)RECORD);
	uint32_t stack[MOST_DEPTH], depth = 0, seed = 5;
	uint64_t ticks = 1;
	bool again;

	assert_non_null(bytes);
	put_header(bytes);
	for (uint32_t i = 0; i < RECORDS; i++) {
		const bool exit = depth == MOST_DEPTH || (depth && chance(&seed, 2));

		if (exit) {
			calls[stack[--depth]]++;
		} else {
			again = depth && !chance(&seed, 5);
			stack[depth] = again ? stack[depth - 1] : 1 + chance(&seed, FUNCTIONS);
			depth++;
		}
		ticks += chance(&seed, 50);
		put_record(bytes + HEADER + i * (size_t)RECORD, exit,
			   stack[exit ? depth : depth - 1], ticks);
	}
	open_trace(o, bytes, HEADER + RECORDS * (size_t)RECORD);
	free(bytes);
	return ticks;
}

static void table_of(const struct tl_profile *profile, struct table *table)
{
	*table = (struct table){ 0 };
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		const struct tl_function *f = tl_profile_function(profile, i);
		struct sums *of = &table->functions[f->id];
		struct tl_function_totals totals;
		struct tl_latency latency = { 0 };
		char name[16];

		snprintf(name, sizeof(name), "#%u", (unsigned)f->id);
		assert_string_equal(f->name, name);
		assert_in_range(f->id, 1, FUNCTIONS);
		tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
		tl_profile_latency(profile, i, TL_NONE, &latency, sizeof(latency));
		/* each function once */
		assert_false(of->calls || of->unfinished);
		*of = (struct sums){ .calls = totals.calls,
				     .unfinished = totals.unfinished,
				     .finished = latency.calls,
				     .ticks = latency.sum,
				     .median = latency.median,
				     .max = latency.max,
				     .self = totals.self[0],
				     .inclusive = totals.inclusive[0] };
	}
}

static void expect_same_table(const struct tl_profile *a, const struct tl_profile *b)
{
	struct table *tables = calloc(2, sizeof(*tables));

	assert_non_null(tables);
	table_of(a, &tables[0]);
	table_of(b, &tables[1]);
	assert_memory_equal(&tables[0], &tables[1], sizeof(tables[0]));
	assert_int_equal(tl_profile_total(a)[0], tl_profile_total(b)[0]);
	free(tables);
}

/* ---- arcs, in the order of caller and callee ---- */

struct arc {
	uint64_t caller, callee, calls, inclusive;
};

static int by_ends(const void *a, const void *b)
{
	return memcmp(a, b, 2 * sizeof(uint64_t));
}

static struct arc *arcs_of(const struct tl_profile *profile)
{
	const uint32_t count = tl_profile_arc_count(profile);
	struct arc *list = calloc(count + 1, sizeof(*list));

	assert_non_null(list);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		list[i] = (struct arc){ tl_profile_function(profile, arc->caller)->id,
					tl_profile_function(profile, arc->callee)->id, arc->calls,
					(uint64_t)tl_profile_arc_cost(profile, i)[0] };
	}
	qsort(list, count, sizeof(*list), by_ends);
	return list;
}

static void expect_same_arcs(const struct tl_profile *a, const struct tl_profile *b)
{
	struct arc *x = arcs_of(a), *y = arcs_of(b);

	assert_int_equal(tl_profile_arc_count(a), tl_profile_arc_count(b));
	assert_memory_equal(x, y, tl_profile_arc_count(a) * sizeof(*x));
	free(x);
	free(y);
}

/* With contexts, which know nothing of a list; without; and its table. */
static void expect_one_sum(const struct opened *o, struct tl_call_span span)
{
	struct tl_profile *with = window(o, span), *without, *table;

	span.flat = true;
	without = window(o, span);
	span.table = true;
	table = window(o, span);
	assert_int_equal(tl_profile_context_count(without), 0);
	expect_same_table(with, without);
	expect_same_table(with, table);
	expect_same_arcs(with, without);
	assert_int_equal(tl_profile_arc_count(table), 0);
	tl_profile_free(with);
	tl_profile_free(without);
	tl_profile_free(table);
}

TEST(many_functions_have_one_sum)
{
	uint64_t *calls = calloc(FUNCTIONS + 1, sizeof(*calls));
	struct opened o;
	uint64_t last;

	temp_open(&temp);
	last = write_many(&o, calls);
	for (unsigned i = 0; i < 6; i++)
		expect_one_sum(&o, (struct tl_call_span){ .from = last / 60 * drawn(20),
							  .to = last - last / 60 * drawn(20) });
	expect_one_sum(&o, (struct tl_call_span){ .from = last / 2, .to = last / 2 + 5000 });
	close_trace(&o);
	free(calls);
}

TEST(calls_of_many_functions_are_those_of_the_trace)
{
	uint64_t *calls = calloc(FUNCTIONS + 1, sizeof(*calls));
	struct table *table = malloc(sizeof(*table));
	struct tl_profile *profile;
	struct opened o;

	temp_open(&temp);
	write_many(&o, calls);
	profile = window(&o, (struct tl_call_span){ .flat = true, .table = true });
	table_of(profile, table);
	for (unsigned i = 1; i <= FUNCTIONS; i++)
		assert_int_equal(table->functions[i].finished, calls[i]);
	tl_profile_free(profile);
	close_trace(&o);
	free(calls);
	free(table);
}

/* A function can be put into the profile of a window afterwards: it finds the one that is there. */
TEST(functions_of_a_window_are_found_by_name)
{
	uint64_t *calls = calloc(FUNCTIONS + 1, sizeof(*calls));
	struct tl_profile *profile;
	struct tl_function f;
	struct opened o;

	temp_open(&temp);
	write_many(&o, calls);
	profile = window(&o, (struct tl_call_span){ .flat = true, .table = true });
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i += 100) {
		f = *tl_profile_function(profile, i);
		char name[16];

		snprintf(name, sizeof(name), "%s", f.name);
		f.name = name;
		assert_int_equal(tl_profile_add_function(profile, &f, sizeof(f), NULL), i);
	}
	tl_profile_free(profile);
	close_trace(&o);
	free(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_functions_have_one_sum),
		cmocka_unit_test(calls_of_many_functions_are_those_of_the_trace),
		cmocka_unit_test(functions_of_a_window_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
