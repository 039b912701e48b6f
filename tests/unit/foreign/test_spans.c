/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over time as a list, on a timeline and in a window: times and order are counted by hand. */
#include "text.h"

#include "chrome_trace/chrome_trace.h"
#include "foreign/span_calls.h"
#include "timeline/calls/stream.h"

#define EVENT(ph, pid, tid, name, ts)                                                              \
	"{\"ph\":\"" ph "\",\"pid\":" #pid ",\"tid\":" #tid ",\"name\":\"" name "\",\"ts\":" #ts
#define X(pid, tid, name, ts, dur) EVENT("X", pid, tid, name, ts) ",\"dur\":" #dur "}"
#define META(what, tid, name)                                                                      \
	"{\"ph\":\"M\",\"pid\":1,\"tid\":" #tid ",\"name\":\"" what                                \
	"\",\"args\":{\"name\":\"" name "\"}}"

/*
 * Thread 2 of process 1: out 10..20 with in 12..14 and the instant now at 13; late 25..27. Thread 4
 * of process 3: over 11..15, of which side 14..18 is inside as long as it can be.
 */
static const char trace[] =
	"[" X(1, 2, "out", 10, 10) "," X(1, 2, "in", 12, 2) "," X(1, 2, "late", 25, 2) "," EVENT(
		"i", 1, 2, "now", 13) "}," X(3, 4, "over", 11,
					     4) "," X(3, 4, "side", 14,
						      4) "," META("process_name", 0,
								  "prog") "," META("thread_name", 2,
										   "T") "]";

/* A file on the heap, as the source of its calls wants it. */
static struct tl_foreign_file *read_text(const char *text, struct tl_foreign_options options)
{
	struct tl_foreign_file *file = malloc(sizeof(*file));
	struct tl_source *source;

	assert_non_null(file);
	assert_true(tl_foreign_begin(file, &tl_chrome_reader, &options));
	assert_int_equal(tl_source_open_memory(&source, text, strlen(text), "text", NULL), 0);
	assert_int_equal(tl_chrome_reader.read(file, source, NULL), 0);
	tl_source_close(source);
	return file;
}

static void end_file(struct tl_foreign_file *file)
{
	tl_foreign_end(file);
	free(file);
}

/* ---- calls ---- */

/* A line for each call: its name, its process and thread, its times and its depth. */
static void list_calls(const char *text, struct tl_foreign_options options, char *to, size_t size)
{
	const struct tl_calls_options all = { .size = sizeof(all), .to = UINT64_MAX };
	struct tl_call_source source;
	struct tl_call_function f;
	const struct tl_call *call;
	struct tl_calls *calls;
	size_t used = 0;

	*to = '\0';
	assert_int_equal(tl_foreign_call_source(read_text(text, options), &source, NULL), 0);
	assert_int_equal(source.frequency, 1000000000);
	assert_int_equal(tl_calls_open(&calls, &source, &all, NULL), 0);
	while (tl_calls_next(calls, &call, NULL) == 1) {
		assert_int_equal(tl_calls_function(calls, call->function, &f, sizeof(f), NULL), 0);
		used += (size_t)snprintf(to + used, size - used, "%s %d/%d %d..%d %u%s\n", f.name,
					 (int)call->process, (int)call->thread, (int)call->start,
					 (int)call->end, call->depth,
					 call->flags & TL_CALL_CUT ? " cut" : "");
		assert_true(used < size);
	}
	assert_int_equal(tl_calls_function(calls, 1000, &f, sizeof(f), NULL), TL_BAD_USAGE);
	tl_calls_close(calls);
}

static struct tl_foreign_options of_process(uint64_t process, uint64_t thread)
{
	struct tl_foreign_options options = text_options();

	options.process = process;
	options.thread = thread;
	return options;
}

TEST(calls_come_with_their_threads_times_and_depths)
{
	static const char first[] = "out 1/2 10000..20000 0\nin 1/2 12000..14000 1\n"
				    "late 1/2 25000..27000 0\n";
	static const char second[] = "over 3/4 11000..15000 0\nside 3/4 14000..15000 1 cut\n";
	const struct {
		struct tl_foreign_options options;
		const char *first, *second;
	} cases[] = {
		{ text_options(), first, second },
		{ of_process(1, TL_NOWHERE), first, "" },
		{ of_process(TL_NOWHERE, 4), "", second },
		{ of_process(3, 4), "", second },
		{ of_process(1, 4), "", "" },
		{ of_process(2, TL_NOWHERE), "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char have[512], wanted[512];

		list_calls(trace, cases[i].options, have, sizeof(have));
		snprintf(wanted, sizeof(wanted), "%s%s", cases[i].first, cases[i].second);
		assert_string_equal(have, wanted);
	}
}

/* Depths and parents of what is told are those of all calls. */
TEST(calls_that_a_filter_leaves_out_are_not_told)
{
	struct tl_foreign_options options = of_process(1, TL_NOWHERE);
	char have[512];

	options.function = "^(in|late)$";
	list_calls(trace, options, have, sizeof(have));
	assert_string_equal(have, "in 1/2 12000..14000 1\nlate 1/2 25000..27000 0\n");
	options.object = "lib";
	list_calls(trace, options, have, sizeof(have));
	assert_string_equal(have, "");
	options.function = "^late$";
	options.object = "^$";
	list_calls(trace, options, have, sizeof(have));
	assert_string_equal(have, "late 1/2 25000..27000 0\n");
	options.function = NULL;
	list_calls(trace, options, have, sizeof(have));
	assert_string_equal(have, "out 1/2 10000..20000 0\nin 1/2 12000..14000 1\n"
				  "late 1/2 25000..27000 0\n");
}

#define B(name, ts) EVENT("B", 1, 1, name, ts) "}"
#define E(name, ts) EVENT("E", 1, 1, name, ts) "}"

/*
 * "Of ends that stand together, that of the innermost call is taken first": none is cut, and all
 * have their ends. A begin of the same time between them parts them: it is of another call.
 */
TEST(ends_of_one_time_come_in_any_order)
{
	char calls[1024];

	list_calls("[" X(1, 1, "out", 0, 10) "," B("a", 1) "," B("b", 1) "," B("c", 2) "," E(
			   "a", 3) "," E("b", 3) "," E("c", 3) "," B("d", 4) "," E("d", 5) "]",
		   text_options(), calls, sizeof(calls));
	assert_string_equal(calls, "out 1/1 0..10000 0\na 1/1 1000..3000 1\nb 1/1 1000..3000 2\n"
				   "c 1/1 2000..3000 3\nd 1/1 4000..5000 1\n");
	list_calls("[" B("a", 1) "," B("b", 1) "," E("a", 3) "," B("b", 3) "," E("b", 3) "]",
		   text_options(), calls, sizeof(calls));
	assert_string_equal(calls,
			    "a 1/1 1000..3000 0\nb 1/1 1000..3000 1 cut\nb 1/1 3000..3000 0\n");
}

#undef B
#undef E

/* Times below zero are told from the least of them on; a process and thread below zero is 0. */
TEST(calls_before_time_zero)
{
	char have[256];

	list_calls("[" X(-5, -6, "a", -8, 3) "," X(-5, -6, "b", -2, 4) "]", text_options(), have,
		   sizeof(have));
	assert_string_equal(have, "a 0/0 0..3000 0\nb 0/0 6000..10000 0\n");
}

static void expect_no_source(const char *text, struct tl_foreign_options options, int status,
			     const char *words)
{
	struct tl_call_source source;
	struct tl_error err;

	assert_int_equal(tl_foreign_call_source(read_text(text, options), &source, &err), status);
	assert_non_null(strstr(err.text, words));
}

TEST(files_and_patterns_that_give_no_calls)
{
	struct tl_foreign_options options = text_options();

	expect_no_source("[" META("thread_name", 2, "T") "]", options, TL_UNSUPPORTED,
			 "does not hold calls");
	options.object = "(";
	expect_no_source(trace, options, TL_BAD_USAGE, "for objects");
	options.function = "(";
	expect_no_source(trace, options, TL_BAD_USAGE, "for functions");
}

/* ---- what is wrong ---- */

/* "1 calls end behind the calls around them", "1 ends of calls have no begin": told once. */
TEST(the_nesting_is_checked)
{
	struct tl_foreign_file *file = read_text(trace, text_options());

	assert_int_equal(tl_foreign_check_spans(file, NULL), 0);
	assert_int_equal(file->faults.count, 1);
	assert_non_null(strstr(file->faults.list[0].text, "1 calls end behind"));
	end_file(file);
	file = read_text("[" X(1, 1, "a", 1, 2) "," EVENT("E", 1, 1, "a",
							  2) "}," EVENT("E", 1, 2, "b", 2) "}]",
			 text_options());
	assert_int_equal(tl_foreign_check_spans(file, NULL), 0);
	assert_int_equal(file->faults.count, 1);
	assert_non_null(strstr(file->faults.list[0].text, "2 ends of calls have no begin"));
	end_file(file);
}

/* ---- timelines ---- */

struct drawing {
	const char *function, *object;
	double from, to; /* seconds */
	uint32_t depth;  /* 0: all */
	uint64_t thread;
	const char *names; /* what is on the timeline, in the order of `names_of` */
};

/* The names out of a timeline in Chrome's form, each with its duration if it has one. */
static void names_of(const char *json, char *to, size_t size)
{
	static const char *const names[] = {
		"out", "in", "late", "now", "over", "side", "prog", "T"
	};
	size_t used = 0;

	*to = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char key[32];

		snprintf(key, sizeof(key), "\"name\":\"%s\"", names[i]);
		if (strstr(json, key))
			used += (size_t)snprintf(to + used, size - used, "%s ", names[i]);
		assert_true(used < size);
	}
}

static char *draw(const char *text, struct tl_foreign_options options, uint32_t depth, int status)
{
	struct tl_foreign_file *file = read_text(text, options);
	struct tl_timeline *timeline;
	struct tl_output *out;
	struct tl_error err;
	size_t size;
	char *json;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_timeline_open(&timeline, "chrome", out, NULL), 0);
	assert_int_equal(tl_foreign_timeline(file, depth, timeline, &err), status);
	assert_int_equal(tl_timeline_finish(timeline, NULL), status ? 1 : 0);
	tl_output_write(out, "", 1);
	json = strdup(tl_output_bytes(out, &size));
	assert_non_null(json);
	tl_output_discard(out);
	end_file(file);
	return json;
}

/* What begins in the window is drawn: 3 µs from the first call on is 13 µs. */
TEST(timelines_show_what_is_chosen)
{
	static const struct drawing cases[] = {
		{ NULL, NULL, 0, 0, 0, TL_NOWHERE, "out in late now over side prog T " },
		{ NULL, NULL, 3e-6, 0, 0, TL_NOWHERE, "late now side prog T " },
		{ NULL, NULL, 0, 3e-6, 0, TL_NOWHERE, "out in over prog T " },
		{ NULL, NULL, 2e-6, 4e-6, 0, TL_NOWHERE, "in now prog T " },
		{ NULL, NULL, 0, 0, 1, TL_NOWHERE, "out late now over prog T " },
		{ NULL, NULL, 0, 0, 2, TL_NOWHERE, "out in late now over side prog T " },
		/* A call that is not shown takes no depth. */
		{ "^(in|side)$", NULL, 0, 0, 1, TL_NOWHERE, "in now side prog T " },
		{ NULL, "lib", 0, 0, 0, TL_NOWHERE, "now prog T " },
		{ NULL, NULL, 0, 0, 0, 4, "over side " },
		{ NULL, NULL, 0, 0, 0, 2, "out in late now T " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_foreign_options options = text_options();
		char have[128], *json;

		options.function = cases[i].function;
		options.object = cases[i].object;
		options.from_seconds = cases[i].from;
		options.to_seconds = cases[i].to;
		options.thread = cases[i].thread;
		json = draw(trace, options, cases[i].depth, 0);
		names_of(json, have, sizeof(have));
		assert_string_equal(have, cases[i].names);
		free(json);
	}
}

/* Each call has its thread, its begin from the first call on, and its duration. */
TEST(calls_stand_on_timelines_as_they_were)
{
	static const char *const lines[] = {
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.000,\"dur\":10.000,\"name\":\"out\"}",
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":2.000,\"dur\":2.000,\"name\":\"in\"}",
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":15.000,\"dur\":2.000,\"name\":\"late\"}",
		"{\"pid\":3,\"tid\":4,\"ph\":\"X\",\"ts\":1.000,\"dur\":4.000,\"name\":\"over\"}",
		"{\"pid\":3,\"tid\":4,\"ph\":\"X\",\"ts\":4.000,\"dur\":1.000,\"name\":\"side\"}",
		"\"ph\":\"i\",\"ts\":3.000",
	};
	char *json = draw(trace, text_options(), 0, 0);

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_non_null(strstr(json, lines[i]));
	/* The trace names its process behind its calls. */
	assert_true(strstr(json, "\"process_name\"") < strstr(json, "\"ph\":\"X\""));
	assert_non_null(strstr(json, "\"process_name\""));
	free(json);
	json = draw("[" X(-5, -6, "a", -8, 3) "]", text_options(), 0, 0);
	assert_non_null(strstr(json, "{\"pid\":0,\"tid\":0,\"ph\":\"X\",\"ts\":0.000,"
				     "\"dur\":3.000,\"name\":\"a\"}"));
	free(json);
	free(draw("[" META("thread_name", 2, "T") "]", text_options(), 0, TL_UNSUPPORTED));
}

/* A value holds until the next one: those before a window are drawn, those behind it are not. */
TEST(counters_of_a_window)
{
#define VALUE(ts, value)                                                                           \
	"{\"ph\":\"C\",\"name\":\"heap\",\"pid\":1,\"ts\":" #ts ",\"args\":{\"value\":" value "}}"
	static const char *const parts[] = { X(1, 2, "out", 10, 10), X(3, 4, "other", 12, 1),
					     VALUE(11, "41"),        VALUE(12.999, "42"),
					     VALUE(13, "43"),        VALUE(14, "44") };
	char text[1024] = "[";
	struct tl_foreign_options options = text_options();
	char *json;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		strcat(strcat(text, i ? "," : ""), parts[i]);
	strcat(text, "]");
	options.from_seconds = 2e-6;
	options.to_seconds = 3e-6;
	json = draw(text, options, 0, 0);
	assert_non_null(strstr(json, ":41}"));
	assert_non_null(strstr(json, ":42}"));
	assert_null(strstr(json, ":43}"));
	assert_null(strstr(json, ":44}"));
	free(json);
	options.process = 3;
	json = draw(text, options, 0, 0);
	assert_non_null(strstr(json, "other"));
	assert_null(strstr(json, ":41}"));
	free(json);
}

/* ---- profiles ---- */

/* What passes inside the window counts, also of calls that began before it. */
TEST(profiles_of_windows)
{
	static const struct {
		double from, to;
		const char *stacks;
	} cases[] = {
		{ 0, 0, "late 2000\nout 8000\nout;in 2000\nover 3000\nover;side 1000\n" },
		{ 3e-6, 0, "late 2000\nout 6000\nout;in 1000\nover 1000\nover;side 1000\n" },
		{ 0, 3e-6, "out 2000\nout;in 1000\nover 2000\n" },
		{ 3e-6, 16e-6, "late 1000\nout 6000\nout;in 1000\nover 1000\nover;side 1000\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_foreign_options options = text_options();
		struct text t;

		options.from_seconds = cases[i].from;
		options.to_seconds = cases[i].to;
		text_read_sized(&t, &tl_chrome_reader, trace, strlen(trace), false, options);
		text_expect_stacks(&t, 0, cases[i].stacks);
		text_close(&t);
	}
}

/* A begin and an end are a record each: 2 of every call, and 1 of an end alone. */
TEST(records_of_parts)
{
	struct text t;

	text_read(&t, &tl_chrome_reader, trace);
	assert_int_equal(tl_profile_part_count(t.profile), 2);
	assert_int_equal(tl_profile_part(t.profile, 0)->records, 6);
	assert_int_equal(tl_profile_part(t.profile, 1)->records, 4);
	text_close(&t);
	text_read(&t, &tl_chrome_reader, "[" X(1, 1, "a", 1, 2) "," EVENT("E", 1, 1, "a", 2) "}]");
	assert_int_equal(tl_profile_part(t.profile, 0)->records, 3);
	text_close(&t);
}

/* ---- tables of functions, which have no call paths ---- */

static void read_as(struct text *t, const char *text, bool table)
{
	struct tl_foreign_options options = text_options();

	options.table = table;
	text_read_sized(t, &tl_chrome_reader, text, strlen(text), false, options);
	assert_int_equal(t->status, 0);
}

static void expect_function(const struct text *t, const char *name, uint64_t calls, int64_t self,
			    int64_t inclusive)
{
	struct tl_function_totals totals;

	for (uint32_t i = 0; i < tl_profile_function_count(t->profile); i++) {
		if (strcmp(tl_profile_function(t->profile, i)->name, name) != 0)
			continue;
		tl_profile_function_totals(t->profile, i, TL_NONE, &totals, sizeof(totals));
		assert_int_equal(totals.calls, calls);
		assert_int_equal(totals.self[0], self);
		assert_int_equal(totals.inclusive[0], inclusive);
		return;
	}
	fail();
}

/* By hand. A call of itself adds nothing to what is inclusive. */
TEST(a_table_has_sums_alone)
{
	static const char recursion[] = "[" X(1, 1, "a", 0, 10) "," X(1, 1, "b", 1, 8) "," X(
		1, 1, "a", 2, 3) "," EVENT("B", 1, 2, "a", 4) "}," X(1, 2, "b", 5, 2) "]";
	struct text t;

	read_as(&t, trace, true);
	assert_true(tl_profile_flat(t.profile));
	assert_int_equal(tl_profile_context_count(t.profile), 0);
	expect_function(&t, "out", 1, 8000, 10000);
	expect_function(&t, "in", 1, 2000, 2000);
	expect_function(&t, "over", 1, 3000, 4000);
	expect_function(&t, "side", 1, 1000, 1000);
	assert_int_equal(tl_profile_part(t.profile, 0)->records, 6);
	text_close(&t);
	read_as(&t, recursion, true);
	/* 10 - 8 and 3 in the one thread; 3 - 2 in the other, where a has no end. */
	expect_function(&t, "a", 2, 6000, 13000);
	expect_function(&t, "b", 2, 7000, 10000);
	assert_int_equal(tl_profile_part(t.profile, 1)->losses.unfinished, 1);
	text_close(&t);
}

static void assert_same_latency(const struct text *a, const struct text *b, uint32_t function)
{
	struct tl_latency x = { 0 }, y = { 0 };

	assert_int_equal(tl_profile_latency(a->profile, function, TL_NONE, &x, sizeof(x)),
			 tl_profile_latency(b->profile, function, TL_NONE, &y, sizeof(y)));
	assert_int_equal(x.calls, y.calls);
	assert_int_equal(x.min, y.min);
	assert_int_equal(x.max, y.max);
	assert_int_equal(x.sum, y.sum);
	assert_int_equal(x.median, y.median);
	assert_int_equal(x.p90, y.p90);
	assert_int_equal(x.p99, y.p99);
	assert_int_equal(x.exact, y.exact);
}

/* The same text with call paths and without: what a table shows is the same. */
static void assert_same_table(const char *text, bool flat)
{
	struct tl_losses lost_a, lost_b;
	struct text a, b;

	read_as(&a, text, false);
	read_as(&b, text, true);
	assert_true(tl_profile_flat(b.profile) == flat);
	assert_int_equal(tl_profile_function_count(a.profile),
			 tl_profile_function_count(b.profile));
	for (uint32_t i = 0; i < tl_profile_function_count(a.profile); i++) {
		struct tl_function_totals x, y;

		tl_profile_function_totals(a.profile, i, TL_NONE, &x, sizeof(x));
		tl_profile_function_totals(b.profile, i, TL_NONE, &y, sizeof(y));
		assert_int_equal(x.calls, y.calls);
		assert_int_equal(x.unfinished, y.unfinished);
		assert_int_equal(x.cut, y.cut);
		assert_int_equal(x.self[0], y.self[0]);
		assert_int_equal(x.inclusive[0], y.inclusive[0]);
		assert_same_latency(&a, &b, i);
	}
	assert_int_equal(tl_profile_part_count(a.profile), tl_profile_part_count(b.profile));
	for (uint32_t i = 0; i < tl_profile_part_count(a.profile); i++) {
		const struct tl_part *x = tl_profile_part(a.profile, i),
				     *y = tl_profile_part(b.profile, i);

		assert_int_equal(x->records, y->records);
		assert_int_equal(x->first_ticks, y->first_ticks);
		assert_int_equal(x->last_ticks, y->last_ticks);
		assert_memory_equal(&x->losses, &y->losses, sizeof(x->losses));
	}
	assert_int_equal(tl_profile_losses(a.profile, &lost_a, sizeof(lost_a)), 0);
	assert_int_equal(tl_profile_losses(b.profile, &lost_b, sizeof(lost_b)), 0);
	assert_memory_equal(&lost_a, &lost_b, sizeof(lost_a));
	text_close(&a);
	text_close(&b);
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % limit;
}

/* Begins, ends and whole calls of few names, of which many do not fit each other. */
TEST(tables_are_those_of_call_paths)
{
	enum { TEXTS = 40, EVENTS = 400, ROOM = 100 };
	char *text = malloc(EVENTS * ROOM + 8);
	uint64_t random = 4711;

	assert_non_null(text);
	for (int round = 0; round < TEXTS; round++) {
		size_t used = 0;
		unsigned now = 0;

		text[used++] = '[';
		for (int i = 0; i < EVENTS; i++) {
			const uint32_t kind = below(&random, 8);

			now += below(&random, 4);
			used += (size_t)snprintf(
				text + used, ROOM,
				"%s{\"ph\":\"%c\",\"pid\":1,\"tid\":%u,\"name\":\"f%u\","
				"\"ts\":%u,\"dur\":%u}",
				i ? "," : "", "BBBEEEXX"[kind], below(&random, 3),
				below(&random, 5), now, below(&random, 9));
		}
		snprintf(text + used, 2, "]");
		assert_same_table(text, true);
	}
	free(text);
}

/* Sums that might not fit need call paths: three times 4.5e15 us are more than 64 bits of ns. */
TEST(a_table_of_sums_that_might_not_fit_has_call_paths)
{
	static const char once[] = "[" X(1, 1, "a", 0, 4500000000000000) "]";
	static const char more[] = "[" X(1, 1, "a", 0, 4500000000000000) "," X(
		1, 2, "a", 0, 4500000000000000) "," X(1, 3, "b", 0, 4500000000000000) "]";

	assert_same_table(once, true);
	assert_same_table(more, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_one_time_come_in_any_order),
		cmocka_unit_test(calls_come_with_their_threads_times_and_depths),
		cmocka_unit_test(calls_that_a_filter_leaves_out_are_not_told),
		cmocka_unit_test(calls_before_time_zero),
		cmocka_unit_test(files_and_patterns_that_give_no_calls),
		cmocka_unit_test(the_nesting_is_checked),
		cmocka_unit_test(timelines_show_what_is_chosen),
		cmocka_unit_test(calls_stand_on_timelines_as_they_were),
		cmocka_unit_test(counters_of_a_window),
		cmocka_unit_test(profiles_of_windows),
		cmocka_unit_test(records_of_parts),
		cmocka_unit_test(a_table_has_sums_alone),
		cmocka_unit_test(tables_are_those_of_call_paths),
		cmocka_unit_test(a_table_of_sums_that_might_not_fit_has_call_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
