/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_OPEN_WINDOWS_H
#define TESTS_UNIT_OPEN_WINDOWS_H
/* Windows of a trace in XRay's basic mode: with contexts and without, a profile has one sum. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/export.h>
#include <tracelathe/open.h>

#include "../query/trace.h"
#include "../temp_fixture.h"

static inline void put_header(uint8_t *bytes)
{
	put(bytes, 3, 2);              /* version */
	put(bytes + 4, 3, 4);          /* constant and nonstop TSC */
	put(bytes + 8, 1000000000, 8); /* frequency */
}

struct opened {
	struct tl_input *input;
	struct tl_call_index *index;
};

static inline void open_trace(struct opened *o, const uint8_t *bytes, size_t size)
{
	const char *path = temp_write(&temp, "trace", bytes, size);

	assert_int_equal(tl_input_open(&o->input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_index(o->input, &o->index, NULL), 0);
}

static inline void close_trace(struct opened *o)
{
	tl_call_index_close(o->index);
	tl_input_close(o->input);
	temp_close(&temp);
}

static inline struct tl_profile *window(const struct opened *o, struct tl_call_span span)
{
	struct tl_profile *profile;

	span.size = sizeof(span);
	assert_int_equal(tl_input_window(o->input, o->index, &span, &profile, NULL), 0);
	return profile;
}

/* Of one function, or of calls between two, by their numbers in the trace. */
struct sums {
	uint64_t calls, unfinished, cut, finished, ticks, min, median, p99, max, exact;
	int64_t self, inclusive;
	bool arc;
};

enum { IDS = 4 };

/* Calls that damage hides have a function of their own, whose number is above all. */
static inline uint64_t id_of(const struct tl_profile *profile, uint32_t function)
{
	uint64_t id = tl_profile_function(profile, function)->id;

	return id < IDS ? id : 0;
}

/* By number in the trace. */
static inline void sums_of_functions(const struct tl_profile *profile, struct sums *sums)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct sums *of = &sums[id_of(profile, i)];
		struct tl_function_totals totals;
		struct tl_latency latency = { 0 };

		tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
		tl_profile_latency(profile, i, TL_NONE, &latency, sizeof(latency));
		*of = (struct sums){ .calls = totals.calls,
				     .unfinished = totals.unfinished,
				     .cut = totals.cut,
				     .finished = latency.calls,
				     .ticks = latency.sum,
				     .min = latency.min,
				     .median = latency.median,
				     .p99 = latency.p99,
				     .max = latency.max,
				     .exact = latency.exact,
				     .self = totals.self[0],
				     .inclusive = totals.inclusive[0] };
	}
}

static inline void sums_of_arcs(const struct tl_profile *profile, struct sums sums[IDS][IDS])
{
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);
		struct sums *of = &sums[id_of(profile, arc->caller)][id_of(profile, arc->callee)];

		assert_false(of->arc);
		of->arc = true;
		of->calls = arc->calls;
		of->inclusive = tl_profile_arc_cost(profile, i)[0];
	}
}

/* Functions, losses and parts. */
static inline void expect_equal_tables(const struct tl_profile *with,
				       const struct tl_profile *without)
{
	struct sums a[IDS] = { 0 }, b[IDS] = { 0 };
	struct tl_losses x, y;

	sums_of_functions(with, a);
	sums_of_functions(without, b);
	assert_memory_equal(a, b, sizeof(a));
	tl_profile_losses(with, &x, sizeof(x));
	tl_profile_losses(without, &y, sizeof(y));
	assert_memory_equal(&x, &y, sizeof(x));
	assert_int_equal(tl_profile_total(with)[0], tl_profile_total(without)[0]);
	assert_int_equal(tl_profile_part_count(with), tl_profile_part_count(without));
	for (uint32_t i = 0; i < tl_profile_part_count(with); i++)
		assert_int_equal(tl_profile_part(with, i)->records,
				 tl_profile_part(without, i)->records);
}

static inline void expect_equal_sums(const struct tl_profile *with,
				     const struct tl_profile *without)
{
	struct sums arcs[2][IDS][IDS] = { 0 };

	expect_equal_tables(with, without);
	sums_of_arcs(with, arcs[0]);
	sums_of_arcs(without, arcs[1]);
	assert_memory_equal(arcs[0], arcs[1], sizeof(arcs[0]));
}

/* "sums of functions alone are enough, without the calls between them" */
static inline void expect_table(const struct opened *o, struct tl_call_span span,
				const struct tl_profile *without)
{
	struct tl_profile *table;

	span.table = true;
	table = window(o, span);
	expect_equal_tables(without, table);
	assert_int_equal(tl_profile_arc_count(table), 0);
	tl_profile_free(table);
}

/* A window with contexts, without, and its table: one sum. */
static inline void expect_sums_of(const struct opened *o, struct tl_call_span span)
{
	struct tl_profile *with = window(o, span), *without;

	span.flat = true;
	without = window(o, span);
	assert_false(tl_profile_flat(with));
	assert_int_equal(tl_profile_flat(without), tl_profile_function_count(without) != 0);
	assert_int_equal(tl_profile_context_count(without), 0);
	expect_equal_sums(with, without);
	expect_table(o, span, without);
	tl_profile_free(with);
	tl_profile_free(without);
}

/* A progress function: cancels at call number `*arg`. */
static inline int stop(void *arg, uint64_t done, uint64_t total)
{
	unsigned *calls = arg;

	(void)done;
	(void)total;
	return --*calls == 0;
}

/* A number below `below` that looks random, the same in each run. */
static inline uint32_t drawn(uint32_t below)
{
	static uint32_t seed = 14;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

#endif
