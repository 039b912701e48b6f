/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome's trace events (docs/formats/chrome-trace.md): the expected times are counted by hand. */
#include "../foreign/text.h"

#include "chrome_trace/chrome_trace.h"

#define X(name, ts, dur)                                                                           \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" #ts ",\"dur\":" #dur ",\"pid\":1,\"tid\":2}"
#define B(name, ts) "{\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"ph\":\"B\",\"name\":\"" name "\"}"
#define E(ts) "{\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"ph\":\"E\"}"
#define E_OF(name, ts) "{\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"ph\":\"E\",\"name\":\"" name "\"}"

static uint64_t calls_of(const struct text *t, const char *name)
{
	for (uint32_t i = 0; i < tl_profile_function_count(t->profile); i++) {
		struct tl_function_totals totals;

		if (strcmp(tl_profile_function(t->profile, i)->name, name))
			continue;
		assert_int_equal(
			tl_profile_function_totals(t->profile, i, TL_NONE, &totals, sizeof(totals)),
			0);
		return totals.calls;
	}
	return 0;
}

/* "Complete events can be in any order": they nest by their times. */
TEST(complete_events_nest_by_time)
{
	static const char *const texts[] = {
		"[" X("in", 12, 2) "," X("in", 15, 3) "," X("out", 10, 10.5) "," X("next", 20.5,
										   1) "]",
		"{\"traceEvents\":[" X("out", 10, 10.5) "," X("next", 20.5, 1) "," X(
			"in", 15, 3) "," X("in", 12, 2) "]}",
	};

	for (size_t i = 0; i < 2; i++) {
		struct text t;

		text_read(&t, &tl_chrome_reader, texts[i]);
		text_expect_stacks(&t, 0, "next 1000\nout 5500\nout;in 5000\n");
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(calls_of(&t, "in"), 2);
		assert_int_equal(tl_profile_part(t.profile, 0)->process, 1);
		assert_int_equal(tl_profile_part(t.profile, 0)->thread, 2);
		text_close(&t);
	}
}

/* At the same time: the longer one is outside; an end comes before what begins behind it. */
TEST(events_of_the_same_time)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[" X("c", 10, 1) "," X("a", 10, 9) "," X("b", 10, 4) "," X("d", 19, 1) "]");
	text_expect_stacks(&t, 0, "a 5000\na;b 3000\na;b;c 1000\nd 1000\n");
	text_close(&t);
	text_read(&t, &tl_chrome_reader,
		  "[" B("a", 1) "," B("b", 1) "," E(3) "," B("c", 3) "," E(4) "," E(4) "]");
	text_expect_stacks(&t, 0, "a;b 2000\na;c 1000\n");
	text_close(&t);
	/* A call without duration that was written before the call that ends at its time. */
	text_read(&t, &tl_chrome_reader, "[" X("z", 5, 0) "," X("a", 1, 4) "," X("y", 5, 0) "]");
	assert_int_equal(calls_of(&t, "z"), 1);
	assert_int_equal(tl_profile_context_count(t.profile), 3);
	assert_int_equal(tl_profile_context(t.profile, 1)->parent, 0);
	assert_int_equal(tl_profile_context(t.profile, 2)->parent, TL_NONE);
	text_close(&t);
}

/* "An E event ends the innermost B", or with a name the innermost of that name. */
TEST(begins_and_ends)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[" B("a", 0) "," B("b", 2) "," X("x", 3, 1) "," E(6) "," E(10) "," E(11) "]");
	text_expect_stacks(&t, 0, "a 6000\na;b 3000\na;b;x 1000\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "1 ends");
	assert_int_equal(t.foreign.faults.count, 1);
	text_close(&t);
	text_read(&t, &tl_chrome_reader,
		  "[" B("a", 0) "," B("b", 2) "," E_OF("a", 6) "," B("c", 7) "," X("d", 8, 1) "]");
	text_expect_stacks(&t, 0, "a 2000\na;b 4000\nc 1000\nc;d 1000\n");
	assert_int_equal(calls_of(&t, "c"), 0);
	text_close(&t);
}

/* "Slices that overlap": the inner one ends with the one around it, and that is said. */
TEST(overlapping_calls)
{
	struct text t;

	text_read(&t, &tl_chrome_reader, "[" X("a", 0, 10) "," X("b", 5, 10) "," X("c", 20, 1) "]");
	text_expect_stacks(&t, 0, "a 5000\na;b 5000\nc 1000\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "1 calls end behind");
	text_close(&t);
	/* What a sum of floating-point numbers is too much is no overlap. */
	text_read(&t, &tl_chrome_reader, "[" X("a", 0.1, 0.2) "," X("b", 0.2, 0.1006) "]");
	text_expect_stacks(&t, 0, "a 100\na;b 100\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* Times are exact: since 1970, below a microsecond, below zero, in quotes. */
TEST(times)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[" X("a", 1643371234123456.789, 0.001) "," X("b", 1643371234123457, 1e-1) "]");
	text_expect_stacks(&t, 0, "a 1\nb 100\n");
	assert_int_equal(tl_profile_part(t.profile, 0)->first_ticks, 1643371234123456789);
	text_close(&t);
	text_read(&t, &tl_chrome_reader, "[" X("a", -5, 3) "," X("b", "4", "2") "]");
	text_expect_stacks(&t, 0, "a 3000\nb 2000\n");
	text_close(&t);
}

/* Names of processes and threads, also behind the events; threads that are texts. */
TEST(metadata)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[" X("a", 0,
			1) ",{\"ph\":\"X\",\"name\":\"b\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":3},"
			   "{\"args\":{\"x\":{\"name\":\"no\"},\"name\":\"T\\u0031\"},\"name\":"
			   "\"thread_name\","
			   "\"ph\":\"M\",\"pid\":1,\"tid\":2},"
			   "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":"
			   "\"prog\"}},"
			   "{\"ph\":\"X\",\"name\":\"c\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":"
			   "\"main\"}]");
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_part_count(t.profile), 3);
	assert_string_equal(tl_profile_part(t.profile, 0)->command, "T1");
	assert_string_equal(tl_profile_part(t.profile, 1)->command, "prog");
	assert_string_equal(tl_profile_part(t.profile, 2)->command, "main");
	text_close(&t);
}

/* "The end of the array may be missing", as a process that died has not written it. */
TEST(an_array_without_end)
{
	static const char *const whole[] = { "[" X("a", 0, 1), "[" X("a", 0, 1) ",\n", "[\n" };
	static const char cut[] = "[" X("a", 0, 1) ",{\"ph\":\"X\",\"name\":\"b";
	struct text t;

	for (size_t i = 0; i < 3; i++) {
		text_read(&t, &tl_chrome_reader, whole[i]);
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		text_close(&t);
	}
	text_read(&t, &tl_chrome_reader, cut);
	text_expect_stacks(&t, 0, "a 1000\n");
	text_expect_fault(&t, 0, TL_TRUNCATED, strlen(cut), 1, "ends inside");
	text_close(&t);
	text_read(&t, &tl_chrome_reader, "{\"traceEvents\":[" X("a", 0, 1));
	text_expect_fault(&t, 0, TL_TRUNCATED, strlen("{\"traceEvents\":[" X("a", 0, 1)), 1,
			  "ends");
	text_close(&t);
}

/* What is not read is told, by kind: a remark, as no call is missing. */
TEST(events_that_are_left_out)
{
	struct text t;

	text_read(
		&t, &tl_chrome_reader,
		"[" X("a", 0,
		      1) ",{\"ph\":\"b\",\"ts\":1},{\"ph\":\"e\",\"ts\":1},{\"ph\":\"C\"},"
			 "{\"ph\":\"s\"},{\"ph\":\"N\"},{\"ph\":\"i\",\"name\":\"now\",\"ts\":3},{"
			 "\"ph\":\"?\"},"
			 "{\"ph\":\"X\",\"name\":\"q\"},{\"ph\":\"X\",\"ts\":9,\"name\":\"r\"},7]");
	text_expect_stacks(&t, 0, "a 1000\n");
	assert_int_equal(t.foreign.faults.count, 8);
	text_expect_fault(&t, 0, TL_BAD_RECORD, t.foreign.faults.list[0].offset, 7, "phase");
	text_expect_fault(&t, 1, TL_BAD_RECORD, t.foreign.faults.list[1].offset, 8,
			  "without a time");
	text_expect_fault(&t, 2, TL_BAD_RECORD, t.foreign.faults.list[2].offset, 9, "duration");
	text_expect_fault(&t, 3, TL_BAD_RECORD, t.foreign.faults.list[3].offset, 10, "no object");
	text_expect_fault(&t, 5, TL_OK, TL_NOWHERE, TL_NOWHERE, "2 asynchronous");
	text_close(&t);
}

/* The values of a counter by hand: "NAME PROCESS/THREAD: TIME=VALUE ...", a line each. */
static void expect_counters(struct text *t, const char *wanted)
{
	struct tl_foreign_counters *c = &t->foreign.counters;
	char have[1024] = "";
	size_t used = 0;

	tl_foreign_counters_sort(c);
	for (size_t i = 0; i < c->value_count; i++) {
		const struct tl_foreign_counter *of = &c->list[c->values[i].counter];

		if (!i || c->values[i].counter != c->values[i - 1].counter)
			used += (size_t)snprintf(
				have + used, sizeof(have) - used, "%s%s %d%s:", i ? "\n" : "",
				t->foreign.stacks.names.names[of->name].text, (int)of->process,
				of->thread == TL_FOREIGN_PROCESS ? "" : "?");
		used += (size_t)snprintf(have + used, sizeof(have) - used, " %d=%.17g",
					 (int)c->values[i].ticks, c->values[i].value);
	}
	assert_string_equal(have, wanted);
}

/* Those of the instants of the first thread, in the order of the input. */
static void expect_payloads(const struct text *t, const char *wanted)
{
	static const char *const kinds[] = { "text", "whole", "real" };
	const struct tl_foreign_spans *spans = &t->foreign.spans;
	const struct tl_name *names = t->foreign.stacks.names.names;
	const struct tl_foreign_thread *thread = &spans->threads[0];
	char have[2048] = "";
	size_t used = 0;

	for (uint32_t order = 0; order < thread->count; order++) {
		uint32_t count;
		const struct tl_foreign_argument *a =
			tl_foreign_payload_of(spans, thread, order, &count);

		for (uint32_t i = 0; i < count; i++)
			used += (size_t)snprintf(
				have + used, sizeof(have) - used, "%u %s %s %s %d %g\n", order,
				names[a[i].name].text, kinds[a[i].kind], names[a[i].text].text,
				a[i].kind == TL_FOREIGN_WHOLE ? (int)a[i].whole : 0, a[i].real);
	}
	assert_string_equal(have, wanted);
}

static void read_arguments(struct text *t, const char *text)
{
	struct tl_foreign_options options = text_options();

	options.arguments = true;
	text_read_sized(t, &tl_chrome_reader, text, strlen(text), false, options);
}

#define I(args) "{\"name\":\"i\",\"args\":" args ",\"ph\":\"i\",\"ts\":5,\"pid\":1,\"tid\":2}"

/* Arguments of instants, also before the phase; what is inside of them is named by both. */
TEST(arguments_of_instants)
{
	struct text t;

	read_arguments(&t,
		       "[" X("a", 0, 10) "," I(
			       "{\"n\":3,\"s\":\"t\\u00e9\",\"f\":-1.5,\"b\":true,"
			       "\"name\":\"x\"}") ","
						  "{\"ph\":\"I\",\"name\":\"j\",\"ts\":1,\"pid\":1,"
						  "\"tid\":2,\"args\":{\"z\":null,"
						  "\"o\":{\"l\":[1,{\"k\":-2},[]],\"e\":{}}}}," I(
							  "7") "," I("[1]") "," I("{}") "]");
	expect_payloads(&t, "1 n whole  3 3\n1 s text t\303\251 0 0\n1 f real  0 -1.5\n"
			    "1 b text true 0 0\n1 name text x 0 0\n2 z text null 0 0\n"
			    "2 o.l[0] whole  1 1\n2 o.l[1].k whole  -2 -2\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* Containers inside of each other are read to a depth, and 32 values of an event. */
TEST(arguments_of_instants_have_limits)
{
	struct text t;
	char text[1024] = "[" X("a", 0, 1) ",{\"ph\":\"i\",\"name\":\"n\",\"ts\":1,\"pid\":1,"
					   "\"tid\":2,\"args\":{";
	uint32_t count;
	const struct tl_foreign_argument *a;

	read_arguments(&t,
		       "[" I("{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{\"i\":1},"
			     "\"j\":2}}}}}}}}") "]");
	expect_payloads(&t, "0 a.b.c.d.e.f.g.h text ... 0 0\n0 a.b.c.d.e.f.g.j whole  2 2\n");
	text_close(&t);

	for (int i = 0; i < 35; i++)
		sprintf(text + strlen(text), "%s\"k%d\":%d", i ? "," : "", i, i);
	strcat(text, "}}]");
	read_arguments(&t, text);
	a = tl_foreign_payload_of(&t.foreign.spans, &t.foreign.spans.threads[0], 1, &count);
	assert_int_equal(count, 33);
	assert_int_equal(a[31].whole, 31);
	assert_int_equal(a[32].whole, 3);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* Where no timeline is made they are passed over. */
TEST(arguments_of_instants_unasked_for)
{
	struct text t;

	text_read(&t, &tl_chrome_reader, "[" X("a", 0, 10) "," I("{\"n\":3}") "]");
	expect_payloads(&t, "");
	text_close(&t);
}

/*
 * "Counter events: each key of args is a series"; the members of an event come in any order, as do
 * events. What is no number is no value.
 */
TEST(values_of_counters)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[" X("a", 0,
			1) ",{\"ph\":\"C\",\"name\":\"heap\",\"pid\":4,\"ts\":60,\"args\":{"
			   "\"value\":7.5}},"
			   "{\"args\":{\"value\":5,\"name\":\"no\",\"list\":[1,{\"value\":2}]},"
			   "\"name\":\"heap\",\"ph\":\"C\",\"pid\":4,\"ts\":10.5},"
			   "{\"ph\":\"C\",\"name\":\"zoo\",\"ts\":20,\"args\":{\"cats\":3,"
			   "\"dogs\":-1.25e2,\"text\":\"x\",\"null\":null}},"
			   "{\"ph\":\"C\",\"name\":\"heap\",\"pid\":4,\"ts\":60,\"args\":{"
			   "\"value\":1e-3}}]");
	text_expect_stacks(&t, 0, "a 1000\n");
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "4 values of counters");
	expect_counters(&t, "heap 4: 10500=5 60000=7.5 60000=0.001\nzoo cats 0: 20000=3\nzoo dogs "
			    "0: 20000=-125");
	text_close(&t);
}

TEST(values_of_counters_without_a_time_are_told)
{
	struct text t;

	text_read(&t, &tl_chrome_reader,
		  "[" X("a", 0, 1) ",{\"ph\":\"C\",\"name\":\"heap\",\"args\":{\"value\":7}}]");
	assert_int_equal(t.foreign.faults.count, 2);
	text_expect_fault(&t, 0, TL_BAD_RECORD, t.foreign.faults.list[0].offset, 1,
			  "without a time");
	expect_counters(&t, "");
	text_close(&t);
}

/* More than 32 of one event are told of. */
TEST(values_of_counters_have_a_limit)
{
	char text[1024] = "[" X("a", 0, 1) ",{\"ph\":\"C\",\"name\":\"n\",\"ts\":1,\"args\":{";
	struct text t;

	for (int i = 0; i < 35; i++)
		sprintf(text + strlen(text), "%s\"k%d\":%d", i ? "," : "", i, i);
	strcat(text, "}}]");
	text_read(&t, &tl_chrome_reader, text);
	assert_int_equal(t.foreign.counters.value_count, 32);
	assert_int_equal(t.foreign.faults.count, 2);
	text_expect_fault(&t, 1, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "3 values");
	text_close(&t);
}

/* 200,000 calls inside each other, and as many ends of other names: no time is wasted on them. */
TEST(deep_calls)
{
	enum { DEPTH = 100000 };
	char *text = malloc(2 * DEPTH * 64), *p = text;
	struct text t;

	p += sprintf(p, "[");
	for (int i = 0; i < DEPTH; i++)
		p += sprintf(p, "{\"ph\":\"B\",\"name\":\"f\",\"ts\":%d},", i);
	for (int i = 0; i < DEPTH; i++)
		p += sprintf(p, "{\"ph\":\"E\",\"name\":\"g\",\"ts\":%d},", DEPTH + i);
	text_read(&t, &tl_chrome_reader, text);
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_context_count(t.profile), DEPTH);
	text_close(&t);
	free(text);
}

TEST(probing)
{
	static const struct {
		const char *text;
		int sure;
	} cases[] = {
		{ "[{\"ph\":\"X\"", 80 },
		{ "{\"traceEvents\":[", 90 },
		{ "{\"displayTimeUnit\":", 50 },
		{ "[]", 0 },
		{ "{}", 0 },
		{ "ph", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			tl_chrome_probe((const uint8_t *)cases[i].text, strlen(cases[i].text)),
			cases[i].sure);
}

static unsigned draw(uint32_t *seed, unsigned below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % below;
}

/*
 * Members in an order of chance, some of another kind than they should be. No thread is a text: its
 * number is that of a name, and the names of arguments that are not used are numbered, too.
 */
static char *random_event(char *to, uint32_t *seed, bool many)
{
	static const char *const members[][4] = {
		{ "\"ph\":\"X\"", "\"ph\":\"E\"", "\"ph\":\"C\"", "\"ph\":7" },
		{ "\"ts\":12.5", "\"ts\":\"13\"", "\"ts\":1e1", "\"ts\":[1]" },
		{ "\"dur\":3", "\"dur\":-1", "\"dur\":\"x\"", "\"dur\":0.0005" },
		{ "\"pid\":1", "\"pid\":\"3\"", "\"pid\":1.0", "\"pid\":{}" },
		{ "\"tid\":2", "\"tid\":\"4\"", "\"tid\":1e400", "\"tid\":null" },
		{ "\"name\":\"f\"", "\"name\":\"g\\n\"", "\"name\":5", "\"name\":{\"a\":1}" },
		{ "\"sf\":1", "\"stack\":[]", "\"cat\":\"c\"", "\"id\":\"0x1\"" },
		{ "\"args\":{\"name\":\"n\",\"v\":1}", "\"args\":1", "\"s\":\"t\"", "\"x\":true" },
	};
	unsigned at = draw(seed, 8);

	to += sprintf(to, "{");
	for (unsigned i = 0; i < 8; i++, at = (at + 3) % 8)
		if (draw(seed, 8))
			to += sprintf(to, "%s,",
				      members[at][draw(seed, 8) < 5 ? 0 : draw(seed, 4)]);
	/* More members than are taken at once. */
	for (unsigned i = 0; many && i < 17; i++)
		to += sprintf(to, "\"other\":%u,", i);
	return to + sprintf(to, "\"end\":0}");
}

static char *random_events(uint32_t seed, bool many)
{
	char *text = malloc(64 * 1024), *to = text;

	assert_non_null(text);
	to += sprintf(to, "[");
	for (unsigned i = 0; i < 60; i++) {
		to += sprintf(to, "%s", i ? "," : "");
		to = random_event(to, &seed, many);
	}
	sprintf(to, "]");
	return text;
}

static char *exported(const struct tl_profile *profile)
{
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_output *out;
	const void *bytes;
	size_t size;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("json")->write(profile, &options, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	assert_non_null(text);
	tl_output_discard(out);
	return text;
}

/* Events that are read at once mean what their tokens do. */
TEST(events_at_once_and_by_tokens)
{
	for (uint32_t seed = 1; seed <= 100; seed++) {
		char *texts[] = { random_events(seed, false), random_events(seed, true) };
		struct text t[2];

		for (int i = 0; i < 2; i++)
			text_read(&t[i], &tl_chrome_reader, texts[i]);
		assert_int_equal(t[0].status, t[1].status);
		assert_int_equal(t[0].foreign.records, t[1].foreign.records);
		assert_int_equal(t[0].foreign.faults.count, t[1].foreign.faults.count);
		for (size_t i = 0; i < t[0].foreign.faults.listed; i++)
			assert_string_equal(t[0].foreign.faults.list[i].text,
					    t[1].foreign.faults.list[i].text);
		for (int i = 0; i < 2; i++) {
			free(texts[i]);
			texts[i] = t[i].status ? strdup("") : exported(t[i].profile);
		}
		assert_string_equal(texts[0], texts[1]);
		for (int i = 0; i < 2; i++) {
			text_close(&t[i]);
			free(texts[i]);
		}
	}
}

TEST(damage)
{
	text_damage(&tl_chrome_reader,
		    "{\"traceEvents\":[" B("a", 1) "," X("b", 2, 0.5) "," E(3) "],\"x\":[1]}");
	text_damage(&tl_chrome_reader, "[" X("a", 1, 2) "," X("b", 2, 0.5) "," E(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_events_nest_by_time),
		cmocka_unit_test(events_of_the_same_time),
		cmocka_unit_test(begins_and_ends),
		cmocka_unit_test(overlapping_calls),
		cmocka_unit_test(times),
		cmocka_unit_test(metadata),
		cmocka_unit_test(an_array_without_end),
		cmocka_unit_test(events_that_are_left_out),
		cmocka_unit_test(arguments_of_instants),
		cmocka_unit_test(arguments_of_instants_have_limits),
		cmocka_unit_test(arguments_of_instants_unasked_for),
		cmocka_unit_test(values_of_counters),
		cmocka_unit_test(values_of_counters_without_a_time_are_told),
		cmocka_unit_test(values_of_counters_have_a_limit),
		cmocka_unit_test(deep_calls),
		cmocka_unit_test(probing),
		cmocka_unit_test(events_at_once_and_by_tokens),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
