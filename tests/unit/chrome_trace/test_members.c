/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of events in odd forms: times, names of threads, arguments of instants and counters. The
 * expected values are counted by hand.
 */
#include <stdarg.h>

#include "../foreign/text.h"

#include "chrome_trace/chrome_trace.h"

/* More members than are taken at once: the event is read token by token. */
#define MANY                                                                                       \
	",\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,"        \
	"\"k\":0,\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0"

/* A file whose one event is a call named "a" with these members, read both ways. */
static void read_both(const char *members, void (*expect)(struct text *t, const void *arg),
		      const void *arg)
{
	static const char *const ends[] = { "}]", MANY "}]" };

	for (size_t i = 0; i < 2; i++) {
		char text[1024];
		struct text t;

		snprintf(text, sizeof(text), "[{\"ph\":\"X\",\"name\":\"a\",%s%s", members,
			 ends[i]);
		text_read(&t, &tl_chrome_reader, text);
		assert_int_equal(t.status, 0);
		expect(&t, arg);
		text_close(&t);
	}
}

/* ---- times ---- */

struct times {
	const char *members;
	int64_t self;    /* nanoseconds */
	unsigned faults; /* 1: without a duration that counts */
};

static void expect_times(struct text *t, const void *arg)
{
	const struct times *times = arg;

	if (tl_profile_total(t->profile)[0] != times->self)
		fail_msg("%d ns and not %d of %s", (int)tl_profile_total(t->profile)[0],
			 (int)times->self, times->members);
	assert_int_equal(t->foreign.faults.count, times->faults);
	if (times->faults)
		text_expect_fault(t, 0, TL_BAD_RECORD, 1, 0, "without a duration");
}

/* "Begin and end are rounded, each once", and the duration is what lies between them. */
TEST(times_are_rounded_once)
{
	static const struct times cases[] = {
		{ "\"ts\":1,\"dur\":2", 2000, 0 },
		{ "\"ts\":\"1\",\"dur\":\"2\"", 2000, 0 },
		/* 0.4 to 0.8 ns: 0 to 1. */
		{ "\"ts\":0.0004,\"dur\":0.0004", 1, 0 },
		/* 0.5 to 0.9 ns: both are 1. */
		{ "\"ts\":0.0005,\"dur\":0.0004", 0, 0 },
		/* 0.3 to 1.4 ns. */
		{ "\"ts\":0.0003,\"dur\":0.0011", 1, 0 },
		/* -2000.6 to -2000.5 ns: halves away from zero, as times are. */
		{ "\"ts\":-2.0006,\"dur\":0.0001", 0, 0 },
		/* -2000.6 to -2000.4 ns. */
		{ "\"ts\":-2.0006,\"dur\":0.0002", 1, 0 },
		/* -0.4 to 0.6 ns. */
		{ "\"ts\":-0.0004,\"dur\":0.001", 1, 0 },
		{ "\"ts\":-3,\"dur\":5", 5000, 0 },
		/* 1e15 us, as it was in 2001, and a duration that no double keeps beside it. */
		{ "\"ts\":1000000000000000.001,\"dur\":0.001", 1, 0 },
		{ "\"ts\":1000000000000000.001,\"dur\":0.0005", 1, 0 },
		/* An end beyond all times is none: the call is unfinished. */
		{ "\"ts\":9223372036854775,\"dur\":1e30", 0, 0 },
		{ "\"ts\":9223372036854775,\"dur\":0.806", 806, 0 },
		{ "\"ts\":1,\"dur\":-1", 0, 1 },
		{ "\"ts\":1", 0, 1 },
		{ "\"ts\":1,\"dur\":null", 0, 1 },
		{ "\"ts\":1,\"dur\":\"x\"", 0, 1 },
		{ "\"ts\":1,\"dur\":0", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		read_both(cases[i].members, expect_times, &cases[i]);
}

static void expect_left_out(struct text *t, const void *arg)
{
	(void)arg;
	assert_int_equal(tl_profile_context_count(t->profile), 0);
	assert_int_equal(t->foreign.faults.count, 1);
	text_expect_fault(t, 0, TL_BAD_RECORD, 1, 0, "an event without a time; left it out");
	assert_string_equal(t->foreign.faults.list[0].rule, "event");
}

TEST(events_without_a_time)
{
	read_both("\"dur\":2", expect_left_out, NULL);
	read_both("\"ts\":null,\"dur\":2", expect_left_out, NULL);
	read_both("\"ts\":1,\"ts\":[2],\"dur\":2", expect_left_out, NULL);
	read_both("\"ts\":\"\",\"dur\":2", expect_left_out, NULL);
	read_both("\"st\":1,\"dur\":2", expect_left_out, NULL);
}

/* ---- names ---- */

static void expect_name(struct text *t, const void *name)
{
	assert_int_equal(tl_profile_context_count(t->profile), 1);
	assert_string_equal(
		tl_profile_function(t->profile, tl_profile_context(t->profile, 0)->function)->name,
		name);
}

/* "The name of an event": the last one that it has; none is "???". */
TEST(names_of_calls)
{
	static const struct {
		const char *members, *name;
	} cases[] = {
		{ "\"ts\":1,\"dur\":1", "a" },
		{ "\"ts\":1,\"dur\":1,\"name\":\"b\"", "b" },
		{ "\"ts\":1,\"dur\":1,\"name\":\"\\u0041\\\"\\\\\\/\\t\"", "A\"\\/\t" },
		{ "\"ts\":1,\"dur\":1,\"name\":\"\\ud83d\\ude00\"", "\360\237\230\200" },
		{ "\"ts\":1,\"dur\":1,\"name\":\"\\u00e9t\\u00e9\"", "\303\251t\303\251" },
		{ "\"ts\":1,\"dur\":1,\"name\":\"\"", "???" },
		{ "\"ts\":1,\"dur\":1,\"name\":null", "???" },
		{ "\"ts\":1,\"dur\":1,\"name\":7", "???" },
		{ "\"ts\":1,\"dur\":1,\"name\":{\"name\":\"b\"}", "???" },
		{ "\"ts\":1,\"dur\":1,\"mane\":\"b\"", "a" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		read_both(cases[i].members, expect_name, cases[i].name);
}

#define CALL(pid, tid) "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":" #pid ",\"tid\":" #tid "}"
#define META(what, pid, tid, args)                                                                 \
	"{\"ph\":\"M\",\"name\":\"" what "\",\"pid\":" #pid ",\"tid\":" #tid ",\"args\":" args "}"

/* The names of threads 1/1, 1/2 and 2/1, with "," between them. */
static void expect_commands(const char *metadata, const char *commands)
{
	char text[1024], have[256];
	struct text t;

	snprintf(text, sizeof(text), "[" CALL(1, 1) "," CALL(1, 2) "," CALL(2, 1) ",%s]", metadata);
	text_read(&t, &tl_chrome_reader, text);
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_profile_part_count(t.profile), 3);
	snprintf(have, sizeof(have), "%s,%s,%s", tl_profile_part(t.profile, 0)->command,
		 tl_profile_part(t.profile, 1)->command, tl_profile_part(t.profile, 2)->command);
	assert_string_equal(have, commands);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

TEST(names_of_threads)
{
	expect_commands(META("thread_name", 1, 2, "{\"name\":\"T\"}"), ",T,");
	expect_commands(META("process_name", 1, 7, "{\"name\":\"P\"}"), "P,P,");
	/* A name of its own is the thread's, wherever it stands. */
	expect_commands(META("thread_name", 1, 2, "{\"name\":\"T\"}") "," META("process_name", 1, 2,
									       "{\"name\":\"P\"}"),
			"P,T,");
	expect_commands(META("process_name", 2, 1, "{\"name\":\"P\"}") "," META("thread_name", 1, 1,
										"{\"name\":\"T\"}"),
			"T,,P");
	/* The last one counts. */
	expect_commands(META("thread_name", 1, 1, "{\"name\":\"T\"}") "," META("thread_name", 1, 1,
									       "{\"name\":\"U\"}"),
			"U,,");
	/* What names nothing. */
	expect_commands(META("thread_names", 1, 1, "{\"name\":\"T\"}"), ",,");
	expect_commands(META("thread_name", 1, 1, "{\"name\":7}"), ",,");
	expect_commands(META("thread_name", 1, 1, "{\"nome\":\"T\"}"), ",,");
	expect_commands(META("thread_name", 1, 1, "{\"n\":{\"name\":\"T\"}}"), ",,");
	expect_commands(META("thread_name", 1, 1, "[\"name\"]"), ",,");
	expect_commands(META("thread_name", 1, 1, "\"name\""), ",,");
	expect_commands(META("process_labels", 1, 1, "{\"labels\":\"T\",\"name\":\"U\"}"), ",,");
	/* A name of a process that has no calls. */
	expect_commands(META("process_name", 5, 1, "{\"name\":\"P\"}"), ",,");
}

/* ---- arguments of instants ---- */

static void read_arguments(struct text *t, const char *args)
{
	struct tl_foreign_options options = text_options();
	char text[2048];

	options.arguments = true;
	snprintf(text, sizeof(text),
		 "[{\"ph\":\"i\",\"ts\":1,\"name\":\"n\",\"args\":%s},"
		 "{\"name\":\"m\",\"args\":%s,\"ts\":2,\"ph\":\"i\"}]",
		 args, args);
	text_read_sized(t, &tl_chrome_reader, text, strlen(text), false, options);
	assert_int_equal(t->status, 0);
}

/* "NAME=VALUE" of each argument of an instant, with blanks between them. */
static void put_arguments(const struct text *t, uint32_t order, char *to, size_t room)
{
	const struct tl_name *names = t->foreign.stacks.names.names;
	const struct tl_foreign_argument *a;
	size_t used = 0;
	uint32_t count;

	*to = '\0';
	a = tl_foreign_payload_of(&t->foreign.spans, &t->foreign.spans.threads[0], order, &count);
	for (uint32_t i = 0; i < count; i++) {
		used += (size_t)snprintf(to + used, room - used, "%s%s=", i ? " " : "",
					 names[a[i].name].text);
		if (a[i].kind == TL_FOREIGN_WHOLE)
			used += (size_t)snprintf(to + used, room - used, "%lld",
						 (long long)a[i].whole);
		else if (a[i].kind == TL_FOREIGN_REAL)
			used += (size_t)snprintf(to + used, room - used, "%gf", a[i].real);
		else
			used += (size_t)snprintf(to + used, room - used, "'%s'",
						 names[a[i].text].text);
		assert_true(used < room);
	}
}

static void expect_arguments(const char *args, const char *wanted)
{
	struct text t;
	char have[1024];

	read_arguments(&t, args);
	/* Whether the phase is known when they are read or not. */
	for (uint32_t order = 0; order < 2; order++) {
		put_arguments(&t, order, have, sizeof(have));
		assert_string_equal(have, wanted);
	}
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* "One inside of another is named by both: `data.frame`, `list[2]`." */
TEST(arguments_of_instants)
{
	expect_arguments("{}", "");
	expect_arguments("{\"a\":1}", "a=1");
	expect_arguments("{\"a\":\"x\",\"b\":true,\"c\":false,\"d\":null}",
			 "a='x' b='true' c='false' d='null'");
	expect_arguments("{\"a\":1.5,\"b\":-2,\"c\":1e2,\"d\":15e-1,\"e\":\"7\"}",
			 "a=1.5f b=-2 c=100 d=1.5f e='7'");
	expect_arguments("{\"a\":{\"b\":1,\"c\":2},\"d\":3}", "a.b=1 a.c=2 d=3");
	expect_arguments("{\"a\":[1,2,3],\"d\":3}", "a[0]=1 a[1]=2 a[2]=3 d=3");
	expect_arguments("{\"a\":[[1,2],[3]],\"d\":3}", "a[0][0]=1 a[0][1]=2 a[1][0]=3 d=3");
	expect_arguments("{\"a\":[{\"b\":1},{\"b\":2}]}", "a[0].b=1 a[1].b=2");
	expect_arguments("{\"a\":{\"b\":[0,0,0,0,0,0,0,0,0,0,\"x\"]}}",
			 "a.b[0]=0 a.b[1]=0 a.b[2]=0 a.b[3]=0 a.b[4]=0 a.b[5]=0 a.b[6]=0 a.b[7]=0 "
			 "a.b[8]=0 a.b[9]=0 a.b[10]='x'");
	expect_arguments("{\"a\":{},\"b\":[],\"c\":1}", "c=1");
	expect_arguments("{\"\\u0061\\n\":\"\\t\"}", "a\n='\t'");
	/* A number that no 64 bits hold. */
	expect_arguments("{\"a\":1e30,\"b\":9223372036854775807}",
			 "a=1e+30f b=9223372036854775807");
	/* Arguments that are no object. */
	expect_arguments("[1]", "");
	expect_arguments("7", "");
	expect_arguments("\"a\"", "");
}

/* Names of more than 256 bytes are cut there, also those of two levels. */
TEST(long_names_of_arguments)
{
	char args[1024], name[301];
	struct text t;
	uint32_t count;
	const struct tl_foreign_argument *a;

	memset(name, 'k', 300);
	name[300] = '\0';
	snprintf(args, sizeof(args), "{\"%s\":1,\"%.254s\":{\"x\":{\"y\":2}},\"z\":3}", name, name);
	read_arguments(&t, args);
	a = tl_foreign_payload_of(&t.foreign.spans, &t.foreign.spans.threads[0], 0, &count);
	assert_int_equal(count, 3);
	assert_int_equal(t.foreign.stacks.names.names[a[0].name].size, 256);
	assert_memory_equal(t.foreign.stacks.names.names[a[0].name].text, name, 256);
	assert_int_equal(t.foreign.stacks.names.names[a[1].name].size, 256);
	assert_memory_equal(t.foreign.stacks.names.names[a[1].name].text + 253, "k.x", 3);
	assert_string_equal(t.foreign.stacks.names.names[a[2].name].text, "z");
	text_close(&t);
}

/* ---- counters ---- */

/* "NAME=VALUE@TIME" of each value, sorted as they are. */
static void expect_values(const char *args, const char *wanted)
{
	char text[1024], have[1024] = "";
	size_t used = 0;
	struct text t;

	for (unsigned form = 0; form < 2; form++) {
		snprintf(text, sizeof(text),
			 form ? "[{\"args\":%s,\"ts\":1.5,\"name\":\"n\",\"pid\":3,\"ph\":\"C\"}]"
			      : "[{\"ph\":\"C\",\"ts\":1.5,\"name\":\"n\",\"pid\":3,\"args\":%s}]",
			 args);
		text_read(&t, &tl_chrome_reader, text);
		assert_int_equal(t.status, 0);
		used = 0;
		have[0] = '\0';
		for (size_t i = 0; i < t.foreign.counters.value_count; i++) {
			const struct tl_foreign_counter *of =
				&t.foreign.counters.list[t.foreign.counters.values[i].counter];

			assert_int_equal(of->process, 3);
			used += (size_t)snprintf(have + used, sizeof(have) - used, "%s%s=%g@%lld",
						 i ? " " : "",
						 t.foreign.stacks.names.names[of->name].text,
						 t.foreign.counters.values[i].value,
						 (long long)t.foreign.counters.values[i].ticks);
		}
		assert_string_equal(have, wanted);
		text_close(&t);
	}
}

/* "Its name is the event's, with the argument's behind it unless that is `value`." */
TEST(values_of_counters)
{
	expect_values("{\"value\":4}", "n=4@1500");
	expect_values("{\"a\":4,\"b\":-0.5}", "n a=4@1500 n b=-0.5@1500");
	expect_values("{\"\":4}", "n=4@1500");
	expect_values("{\"values\":1}", "n values=1@1500");
	expect_values("{\"a\":\"4\",\"b\":null,\"c\":[1],\"d\":{\"e\":2},\"f\":1e400,\"g\":3}",
		      "n f=inf@1500 n g=3@1500");
	expect_values("{\"name\":\"x\",\"a\":1}", "n a=1@1500");
	expect_values("{\"name\":2,\"a\":1}", "n name=2@1500 n a=1@1500");
	expect_values("{}", "");
	expect_values("[1]", "");
	expect_values("1", "");
}

/* Without a name of the event it is the argument's alone. */
TEST(values_of_an_event_without_a_name)
{
	struct text t;

	text_read(&t, &tl_chrome_reader, "[{\"ph\":\"C\",\"ts\":1,\"args\":{\"a\":4}}]");
	assert_int_equal(t.foreign.counters.value_count, 1);
	assert_string_equal(t.foreign.stacks.names.names[t.foreign.counters.list[0].name].text,
			    "a");
	text_close(&t);
}

/* The arguments of one event are none of the next one. */
TEST(arguments_end_with_their_event)
{
	struct text t;
	struct tl_foreign_options options = text_options();
	static const char text[] = "[{\"ph\":\"C\",\"ts\":1,\"name\":\"n\",\"args\":{\"value\":1}},"
				   "{\"ph\":\"C\",\"ts\":2,\"name\":\"n\"},"
				   "{\"ph\":\"i\",\"ts\":3,\"name\":\"i\",\"args\":{\"x\":1}},"
				   "{\"ph\":\"i\",\"ts\":4,\"name\":\"i\"}]";
	char have[64];

	options.arguments = true;
	text_read_sized(&t, &tl_chrome_reader, text, strlen(text), false, options);
	assert_int_equal(t.status, 0);
	assert_int_equal(t.foreign.counters.value_count, 1);
	put_arguments(&t, 0, have, sizeof(have));
	assert_string_equal(have, "x=1");
	put_arguments(&t, 1, have, sizeof(have));
	assert_string_equal(have, "");
	text_close(&t);
}

/* "Recognised: an object with `traceEvents`, an array of objects with `ph`", behind blanks. */
TEST(probing)
{
	static const struct {
		const char *text;
		int sure;
	} cases[] = {
		{ "\xef\xbb\xbf \t\r\n[{\"ph\":\"X\"", 80 },
		{ " {\"ph\":1}", 40 },
		{ "[{\"traceEvents\":1}]", 0 },
		{ "[{\"displayTimeUnit\":1}]", 0 },
		{ "{\"displayTimeUnit\":1,\"traceEvents\":[", 90 },
		{ "{\"displayTimeUnit\":1,\"ph\":2", 40 },
		{ " \t ", 0 },
		{ "", 0 },
		{ "x[{\"ph\":", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			tl_chrome_probe((const uint8_t *)cases[i].text, strlen(cases[i].text)),
			cases[i].sure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_rounded_once),
		cmocka_unit_test(events_without_a_time),
		cmocka_unit_test(names_of_calls),
		cmocka_unit_test(names_of_threads),
		cmocka_unit_test(arguments_of_instants),
		cmocka_unit_test(long_names_of_arguments),
		cmocka_unit_test(values_of_counters),
		cmocka_unit_test(values_of_an_event_without_a_name),
		cmocka_unit_test(arguments_end_with_their_event),
		cmocka_unit_test(probing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
