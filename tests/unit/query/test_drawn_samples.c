/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of perf.data that were drawn, as the tables `samples`, `stacks`, `contexts`, `functions`
 * and `threads` have them: what is expected is counted sample by sample, in a list. Conditions
 * choose from the list what a loop over it finds.
 */
#include "../perf_data/sample_file.h"

#include <inttypes.h>

#include "asked.h"

#include "../chance.h"
#include "../temp_fixture.h"

/* Each reading has tables of megabytes, which cost the sanitizers a tenth of a second. */
#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 2, STATEMENTS = 12 };
#else
enum { ROUNDS = 8, STATEMENTS = 30 };
#endif
enum { MOST = 160, FUNCTIONS = 5, DEEPEST = 5, THREADS = 4 };

/* The columns of a sample that are integers, in the order of `columns`. */
enum { TIME, THREAD, CPU, PERIOD_, STACK, COLUMNS };

static const char *const columns[COLUMNS] = { "time", "thread", "cpu", "period", "stack" };

struct sample {
	int64_t is[COLUMNS];
	unsigned depth;
	unsigned path[DEEPEST]; /* functions, the outermost one first */
};

static struct sample samples[MOST];
static unsigned sample_count;
static uint32_t seed;
static struct rows wanted;

static const char event[] = "pmu8:2601";
static const char *const commands[THREADS] = { "ant", "bee", "cat", "dog" };

/* Threads 11 and 12 are of process 10, 21 and 22 are of 20. */
static unsigned thread_number(unsigned thread)
{
	return 10 * (1 + thread / 2) + 1 + thread % 2;
}

static unsigned process_of(int64_t thread)
{
	return (unsigned)thread / 10 * 10;
}

/* ---- a file ---- */

/* The innermost function by its own address, the others by the one behind a call. */
static void draw_sample(struct sample *s)
{
	uint64_t chain[1 + DEEPEST] = { USER };
	struct at at = usual;

	s->depth = 1 + chance(&seed, DEEPEST);
	for (unsigned i = 0; i < s->depth; i++) {
		s->path[i] = chance(&seed, 3) ? i % FUNCTIONS : chance(&seed, FUNCTIONS);
		chain[s->depth - i] = 0x1000 + 0x10 * s->path[i] + (i + 1 < s->depth ? 8 : 4);
	}
	/* Periods are all different. */
	s->is[TIME] = 1000 + chance(&seed, 400);
	s->is[THREAD] = thread_number(chance(&seed, THREADS));
	s->is[CPU] = chance(&seed, 4);
	s->is[PERIOD_] = 1 + 7 * (s - samples) + chance(&seed, 7);
	at.pid = process_of(s->is[THREAD]);
	at.tid = (uint32_t)s->is[THREAD];
	at.cpu = (uint32_t)s->is[CPU];
	at.time = (uint64_t)s->is[TIME];
	at.period = (uint64_t)s->is[PERIOD_];
	put_sample(at, chain, 1 + s->depth);
}

static void draw_file(uint32_t number)
{
	seed = number * 104729;
	sample_count = 1 + chance(&seed, MOST);
	begin();
	for (unsigned process = 10; process <= 20; process += 10) {
		write_names(process,
			    "1000 10 f0\n1010 10 f1\n1020 10 f2\n1030 10 f3\n1040 10 f4\n");
		put_map(&f, process, 0x1000, 0x1000, "//anon", 2);
	}
	for (unsigned i = 0; i < THREADS; i++)
		put_comm(&f, process_of(thread_number(i)), thread_number(i), commands[i], 0, 1);
	for (unsigned i = 0; i < sample_count; i++)
		draw_sample(&samples[i]);
	patch64(&f, 48, f.size - data_at);
	temp_write(&temp, "perf.data", f.bytes, f.size);
}

static struct tl_query *ask_samples(uint64_t thread)
{
	const struct tl_input_options with = {
		.size = sizeof(with),
		.filter = { .process = TL_NOWHERE, .thread = thread, .cpu = TL_NOWHERE },
		.programs = { .sysroot = root },
	};
	const char *path = temp_path(&temp, "perf.data");
	struct tl_query *query;

	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, &with, NULL, NULL), 0);
	return query;
}

/* The numbers of the stacks, of which only is asked later that they are those of the paths. */
static void learn_stacks(struct tl_query *query)
{
	static struct rows rows;

	ask_rows(query, "SELECT period, stack FROM samples", &rows);
	assert_int_equal(rows.count, sample_count);
	for (size_t i = 0; i < rows.count; i++) {
		char *rest;
		const long long period = strtoll(rows.list[i], &rest, 10);
		struct sample *s = &samples[(period - 1) / 7];

		assert_int_equal(s->is[PERIOD_], period);
		s->is[STACK] = strtoll(rest + 1, NULL, 10);
	}
}

/* ---- samples and their stacks ---- */

static void add_sample(const struct sample *s)
{
	add_row(&wanted, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%" PRId64, s->is[TIME],
		s->is[THREAD], s->is[CPU], event, s->is[PERIOD_]);
}

static const char *path_text(const struct sample *s, unsigned depth, char text[64])
{
	size_t size = 0;

	for (unsigned i = 0; i < depth; i++)
		size += (size_t)snprintf(text + size, 64 - size, "%sf%u", i ? ";" : "", s->path[i]);
	return text;
}

#define PERIOD_AND_PATH                                                                            \
	"SELECT period, (SELECT group_concat(name, ';') FROM (SELECT name FROM stacks k JOIN "     \
	"functions f ON f.id = k.function WHERE k.stack = s.stack ORDER BY k.depth)) FROM "        \
	"samples s"

/* Those of one thread, 0: of all. */
static void expect_paths(struct tl_query *query, unsigned thread, const char *sql)
{
	char text[64];

	clear_rows(&wanted);
	for (unsigned i = 0; i < sample_count; i++)
		if (!thread || samples[i].is[THREAD] == thread)
			add_row(&wanted, "%" PRId64 ",%s", samples[i].is[PERIOD_],
				path_text(&samples[i], samples[i].depth, text));
	expect_asked(query, sql, &wanted);
}

TEST(samples_have_their_stacks)
{
	for (uint32_t number = 1; number <= ROUNDS; number++) {
		static struct rows rows;
		struct tl_query *query;

		draw_file(number);
		query = ask_samples(TL_NOWHERE);
		expect_paths(query, 0, PERIOD_AND_PATH);
		/* A stack has the same number whichever thread is asked for. */
		expect_paths(query, 21, PERIOD_AND_PATH " WHERE thread = 21");
		expect_paths(query, 12, PERIOD_AND_PATH " WHERE thread = 12 AND cpu >= 0");
		/* They come in the order of their times. */
		ask_rows(query, "SELECT time FROM samples", &rows);
		assert_int_equal(rows.count, sample_count);
		for (size_t i = 1; i < rows.count; i++)
			assert_true(strtoll(rows.list[i - 1], NULL, 10) <=
				    strtoll(rows.list[i], NULL, 10));
		tl_query_close(query);
	}
}

/* A row for each function of each stack that a sample has, and by either key. */
TEST(rows_of_stacks)
{
	for (uint32_t number = 1; number <= ROUNDS; number++) {
		struct tl_query *query;
		unsigned rows[FUNCTIONS] = { 0 };
		char sql[120];

		draw_file(number);
		query = ask_samples(TL_NOWHERE);
		learn_stacks(query);
		for (unsigned i = 0; i < sample_count; i++) {
			unsigned before = 0;

			while (samples[before].is[STACK] != samples[i].is[STACK])
				before++;
			if (before < i)
				continue;
			for (unsigned n = 0; n < samples[i].depth; n++)
				rows[samples[i].path[n]]++;
			clear_rows(&wanted);
			add_row(&wanted, "%u,%u,%u", samples[i].depth, 0, samples[i].depth - 1);
			snprintf(
				sql, sizeof(sql),
				"SELECT count(*), min(depth), max(depth) FROM stacks WHERE stack = "
				"%" PRId64,
				samples[i].is[STACK]);
			expect_asked(query, sql, &wanted);
		}
		for (unsigned i = 0; i < FUNCTIONS; i++) {
			clear_rows(&wanted);
			add_row(&wanted, "%u", rows[i]);
			snprintf(sql, sizeof(sql),
				 "SELECT count(*) FROM functions f JOIN stacks s ON s.function = "
				 "f.id WHERE f.name = 'f%u'",
				 i);
			expect_asked(query, sql, &wanted);
		}
		tl_query_close(query);
	}
}

/* ---- sums ---- */

static bool has_prefix(const struct sample *s, const struct sample *path, unsigned depth)
{
	return s->is[THREAD] == path->is[THREAD] && s->depth >= depth &&
	       !memcmp(s->path, path->path, depth * sizeof(path->path[0]));
}

static bool has_function(const struct sample *s, unsigned function)
{
	for (unsigned i = 0; i < s->depth; i++)
		if (s->path[i] == function)
			return true;
	return false;
}

/* A context for each beginning of each stack of a thread. */
static void want_contexts(void)
{
	char text[64];

	clear_rows(&wanted);
	for (unsigned i = 0; i < sample_count; i++)
		for (unsigned depth = 1; depth <= samples[i].depth; depth++) {
			int64_t self[2] = { 0 }, inclusive[2] = { 0 };
			unsigned first = 0;

			while (!has_prefix(&samples[first], &samples[i], depth))
				first++;
			if (first < i)
				continue;
			for (unsigned n = i; n < sample_count; n++) {
				const struct sample *s = &samples[n];

				if (!has_prefix(s, &samples[i], depth))
					continue;
				inclusive[0] += s->is[PERIOD_];
				inclusive[1]++;
				if (s->depth > depth)
					continue;
				self[0] += s->is[PERIOD_];
				self[1]++;
			}
			path_text(&samples[i], depth, text);
			for (unsigned e = 0; e < 2; e++)
				add_row(&wanted, "%" PRId64 ",%s,%u,0,0,%s,%" PRId64 ",%" PRId64,
					samples[i].is[THREAD], text, depth - 1,
					e ? "samples" : event, self[e], inclusive[e]);
		}
}

static void want_functions(void)
{
	clear_rows(&wanted);
	for (unsigned function = 0; function < FUNCTIONS; function++) {
		int64_t self = 0, inclusive = 0;

		for (unsigned i = 0; i < sample_count; i++) {
			const struct sample *s = &samples[i];

			if (s->path[s->depth - 1] == function)
				self += s->is[PERIOD_];
			if (has_function(s, function))
				inclusive += s->is[PERIOD_];
		}
		if (inclusive)
			add_row(&wanted, "f%u,0,0,%" PRId64 ",%" PRId64 ",,,", function, self,
				inclusive);
	}
}

/* Of the first to the last sample. */
static void want_threads(void)
{
	clear_rows(&wanted);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const unsigned number = thread_number(thread);
		int64_t first = INT64_MAX, last = 0;
		unsigned count = 0;

		for (unsigned i = 0; i < sample_count; i++) {
			const struct sample *s = &samples[i];

			if (s->is[THREAD] != number)
				continue;
			first = s->is[TIME] < first ? s->is[TIME] : first;
			last = s->is[TIME] > last ? s->is[TIME] : last;
			count++;
		}
		if (count)
			add_row(&wanted, "%u,%u,%s,%" PRId64 ",%" PRId64 ",%u,1",
				process_of(number), number, commands[thread], first, last, count);
	}
}

TEST(sums_of_samples)
{
	for (uint32_t number = 1; number <= ROUNDS; number++) {
		struct tl_query *query;

		draw_file(number);
		query = ask_samples(TL_NOWHERE);
		want_contexts();
		expect_asked(
			query,
			"WITH RECURSIVE p(id, path) AS (SELECT c.id, name FROM contexts c JOIN "
			"functions f ON f.id = c.function WHERE parent IS NULL AND event = "
			"'samples' UNION ALL SELECT c.id, p.path || ';' || name FROM p JOIN "
			"contexts c ON c.parent = p.id AND c.event = 'samples' JOIN functions f "
			"ON f.id = c.function) SELECT thread, path, depth, calls, unfinished, "
			"event, self, inclusive FROM p JOIN contexts c ON c.id = p.id JOIN parts "
			"ON parts.id = c.part",
			&wanted);
		want_functions();
		expect_asked(query,
			     "SELECT name, calls, unfinished, self, inclusive, min, max, sum FROM "
			     "functions",
			     &wanted);
		want_threads();
		expect_asked(query, "SELECT * FROM threads", &wanted);
		tl_query_close(query);
	}
}

/* ---- conditions ---- */

static bool holds(int64_t value, const char *comparison, int64_t bound)
{
	if (!strcmp(comparison, "="))
		return value == bound;
	if (comparison[0] == '<')
		return comparison[1] ? value <= bound : value < bound;
	return comparison[1] ? value >= bound : value > bound;
}

/* Conditions on up to three columns, with bounds that some sample has, or one beside it. */
static void draw_conditions(char *sql, size_t room, bool chosen[MOST])
{
	static const char *const comparisons[] = { "=", "<", "<=", ">", ">=" };
	size_t size = (size_t)snprintf(sql, room,
				       "SELECT time, thread, cpu, event, period FROM "
				       "samples WHERE ");

	memset(chosen, true, MOST);
	for (unsigned left = 1 + chance(&seed, 3); left; left--) {
		const unsigned column = chance(&seed, COLUMNS);
		const char *comparison = comparisons[chance(&seed, 5)];
		const int64_t bound =
			samples[chance(&seed, sample_count)].is[column] + (int)chance(&seed, 3) - 1;
		/* A text is compared as the number that it is, since the column has integers. */
		const char *quote = chance(&seed, 8) ? "" : "'";

		for (unsigned i = 0; i < sample_count; i++)
			chosen[i] &= holds(samples[i].is[column], comparison, bound);
		size += (size_t)snprintf(sql + size, room - size, "%s %s %s%" PRId64 "%s%s",
					 columns[column], comparison, quote, bound, quote,
					 left > 1 ? " AND " : "");
	}
	if (!chance(&seed, 4)) {
		const bool ours = chance(&seed, 2);

		snprintf(sql + size, room - size, " AND event = '%s'", ours ? event : "pmu8:260");
		for (unsigned i = 0; i < sample_count; i++)
			chosen[i] &= ours;
	}
}

TEST(samples_that_are_chosen)
{
	for (uint32_t number = 1; number <= ROUNDS; number++) {
		struct tl_query *query;

		draw_file(number);
		query = ask_samples(TL_NOWHERE);
		learn_stacks(query);
		for (unsigned n = 0; n < STATEMENTS; n++) {
			bool chosen[MOST];
			char sql[300];

			draw_conditions(sql, sizeof(sql), chosen);
			clear_rows(&wanted);
			for (unsigned i = 0; i < sample_count; i++)
				if (chosen[i])
					add_sample(&samples[i]);
			expect_asked(query, sql, &wanted);
		}
		tl_query_close(query);
	}
}

/* What the options choose holds beside what a statement asks for. */
TEST(a_thread_that_the_options_choose)
{
	for (uint32_t number = 1; number <= ROUNDS; number++) {
		struct tl_query *query;

		draw_file(number);
		query = ask_samples(12);
		for (unsigned asked = 11; asked < 14; asked++) {
			char sql[120];

			clear_rows(&wanted);
			for (unsigned i = 0; i < sample_count; i++)
				if (asked == 12 && samples[i].is[THREAD] == 12)
					add_sample(&samples[i]);
			snprintf(sql, sizeof(sql),
				 "SELECT time, thread, cpu, event, period FROM samples WHERE "
				 "thread = "
				 "%u",
				 asked);
			expect_asked(query, sql, &wanted);
		}
		tl_query_close(query);
	}
}

static int set_up(void **state)
{
	return temp_setup(state) < 0 ? -1 : make_root(state);
}

static int tear_down(void **state)
{
	return temp_teardown(state) < 0 ? -1 : remove_root(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_their_stacks),
		cmocka_unit_test(rows_of_stacks),
		cmocka_unit_test(sums_of_samples),
		cmocka_unit_test(samples_that_are_chosen),
		cmocka_unit_test(a_thread_that_the_options_choose),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
