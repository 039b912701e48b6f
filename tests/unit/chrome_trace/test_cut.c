/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are cut, and files in which a byte is another one: what is kept are the events that
 * are whole. The durations of the events are powers of two, so that their sum says which were read.
 */
#include "../foreign/chance.h"

#include "chrome_trace/chrome_trace.h"

enum { EVENTS = 10 };

/* Ten calls one after the other, `begins` and `ends` their places in the text. */
struct made {
	char text[2048];
	size_t size, begins[EVENTS], ends[EVENTS];
};

static void make(struct made *m, const char *head, const char *tail)
{
	char *to = m->text + sprintf(m->text, "%s", head);

	for (int i = 0; i < EVENTS; i++) {
		to += sprintf(to, "%s", i ? "," : "");
		m->begins[i] = (size_t)(to - m->text);
		to += sprintf(to,
			      "{\"name\":\"f%d\",\"ph\":\"X\",\"ts\":%d,\"dur\":%d,\"pid\":1,"
			      "\"tid\":2}",
			      i, 5000 * i, 1 << i);
		m->ends[i] = (size_t)(to - m->text);
	}
	to += sprintf(to, "%s", tail);
	m->size = (size_t)(to - m->text);
	assert_true(m->size < sizeof(m->text));
}

/* Which events there are as they were written, a bit each. */
static unsigned events_of(const struct text *t)
{
	unsigned have = 0;

	for (size_t i = 0; i < t->foreign.spans.count; i++)
		for (size_t n = 0; n < t->foreign.spans.threads[i].count; n++) {
			const struct tl_foreign_span *span = &t->foreign.spans.threads[i].spans[n];
			const struct tl_function function =
				tl_foreign_function(&t->foreign, span->frame);
			const unsigned number = (unsigned)atoi(function.name + 1);

			if (*function.name == 'f' && strlen(function.name) == 2 &&
			    number < EVENTS && span->ticks == 5000000 * (int64_t)number &&
			    span->duration == 1000u << number)
				have |= 1u << number;
		}
	return have;
}

/* Of the array form, in which the end may be missing behind any element. */
TEST(every_prefix_of_an_array)
{
	struct made m;

	make(&m, "[", "]");
	for (size_t cut = 1; cut <= m.size; cut++) {
		unsigned whole = 0;
		struct text t;

		while (whole < EVENTS && m.ends[whole] <= cut)
			whole++;
		text_read_sized(&t, &tl_chrome_reader, m.text, cut, false, text_options());
		assert_int_equal(t.status, 0);
		assert_int_equal(events_of(&t), (1u << whole) - 1);
		assert_int_equal(t.foreign.records, whole);
		if (whole < EVENTS && cut > m.begins[whole]) {
			assert_int_equal(t.foreign.faults.count, 1);
			text_expect_fault(&t, 0, TL_TRUNCATED, cut, whole, "ends inside");
			assert_string_equal(t.foreign.faults.list[0].rule, "json");
			assert_int_equal(t.foreign.faults.skipped_bytes, cut - m.begins[whole]);
		} else {
			assert_int_equal(t.foreign.faults.count, 0);
		}
		text_expect_strict(&t, &tl_chrome_reader, m.text, cut);
		text_close(&t);
	}
}

/* Of the object form all but the whole is damage, and all but the head has the events. */
TEST(every_prefix_of_an_object)
{
	static const char head[] = "{\"traceEvents\":[";
	struct made m;

	make(&m, head, "],\"otherData\":{\"version\":1}}");
	for (size_t cut = 0; cut <= m.size; cut++) {
		unsigned whole = 0;
		struct text t;

		while (whole < EVENTS && m.ends[whole] <= cut)
			whole++;
		text_read_sized(&t, &tl_chrome_reader, m.text, cut, false, text_options());
		assert_int_equal(t.status, 0);
		assert_int_equal(events_of(&t), (1u << whole) - 1);
		assert_int_equal(t.foreign.faults.count, cut < m.size);
		if (cut < m.size) {
			assert_int_equal(t.foreign.faults.list[0].status, TL_TRUNCATED);
			assert_int_equal(t.foreign.faults.list[0].offset, cut);
		}
		text_expect_strict(&t, &tl_chrome_reader, m.text, cut);
		text_close(&t);
	}
}

/*
 * One byte is another one. "An error of the JSON text costs the event in which it is": all events
 * but that of the byte and the one behind it are as they were; what is missing is told.
 */
TEST(a_byte_is_another_one)
{
	uint32_t seed = 20261128;
	struct made m;

	make(&m, "[", "]");
	for (unsigned run = 0; run < 6000; run++) {
		const unsigned number = chance(&seed, EVENTS);
		const size_t at = m.begins[number] +
				  chance(&seed, (unsigned)(m.ends[number] - m.begins[number]));
		const char was = m.text[at];
		unsigned have, others = (1u << EVENTS) - 1;
		struct text t;

		m.text[at] = (char)chance(&seed, 256);
		text_read_sized(&t, &tl_chrome_reader, m.text, m.size, false, text_options());
		assert_int_equal(t.status, 0);
		have = events_of(&t);
		others &= ~(1u << number | 2u << number);
		if ((have & others) != others)
			fail_msg("byte %zu of event %u: events %x are left of %s", at, number, have,
				 m.text);
		/* An event that is gone was told, or is of another kind now. */
		if (text_fact(&t, "complete_events") < EVENTS && !t.foreign.faults.count)
			assert_true(text_fact(&t, "begin_events") + text_fact(&t, "end_events") +
					    text_fact(&t, "instants") + text_fact(&t, "metadata") ==
				    1);
		text_expect_strict(&t, &tl_chrome_reader, m.text, m.size);
		text_close(&t);
		m.text[at] = was;
	}
}

/* A byte too many, or too few. */
TEST(a_byte_more_or_less)
{
	uint32_t seed = 31;
	struct made m;

	make(&m, "{\"traceEvents\":[", "]}");
	for (unsigned run = 0; run < 4000; run++) {
		const unsigned number = chance(&seed, EVENTS), more = chance(&seed, 2);
		const size_t at = m.begins[number] + 1 +
				  chance(&seed, (unsigned)(m.ends[number] - m.begins[number] - 1));
		unsigned others = (1u << EVENTS) - 1;
		char text[sizeof(m.text) + 1];
		struct text t;

		memcpy(text, m.text, at);
		text[at] = (char)chance(&seed, 128);
		memcpy(text + at + more, m.text + at + !more, m.size - at - !more);
		text_read_sized(&t, &tl_chrome_reader, text, m.size + 2 * more - 1, false,
				text_options());
		assert_int_equal(t.status, 0);
		others &= ~(1u << number | 2u << number);
		if ((events_of(&t) & others) != others)
			fail_msg("byte %zu of event %u %s: events %x are left", at, number,
				 more ? "more" : "less", events_of(&t));
		text_expect_strict(&t, &tl_chrome_reader, text, m.size + 2 * more - 1);
		text_close(&t);
	}
}

/* Where a fault is, how long what it costs is, and which event it is. */
TEST(faults_of_the_text)
{
#define FIRST "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2}"
#define LAST "{\"ph\":\"X\",\"name\":\"z\",\"ts\":8,\"dur\":4}"
	static const struct {
		const char *event, *at; /* where the fault is in it */
		const char *words;
	} cases[] = {
		{ "{\"ph\":oops}", "oops", "not a value of JSON" },
		{ "{\"ph\":\"X\",\"ts\":01x}", "01x", "" },
		{ "{\"ph\":\"X\" \"ts\":1}", "\"ts\"", "" },
		{ "{\"ph\" \"X\"}", "\"X\"", "" },
		{ "{\"ph\":\"X\",,\"ts\":1}", ",\"ts\"", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const size_t before = strlen("[" FIRST ",");
		char text[512];
		struct text t;

		sprintf(text, "[" FIRST ",%s," LAST "]", cases[i].event);
		text_read(&t, &tl_chrome_reader, text);
		text_expect_stacks(&t, 0, "a 2000\nz 4000\n");
		assert_int_equal(t.foreign.faults.count, 1);
		if (*cases[i].words)
			text_expect_fault(&t, 0, TL_BAD_RECORD,
					  before + (size_t)(strstr(cases[i].event, cases[i].at) -
							    cases[i].event),
					  1, cases[i].words);
		assert_int_equal(t.foreign.faults.list[0].record, 1);
		assert_true(t.foreign.faults.list[0].offset >= before);
		assert_true(t.foreign.faults.list[0].offset <= before + strlen(cases[i].event));
		/* What is passed over: the event, and the comma behind it. */
		assert_int_equal(t.foreign.faults.list[0].length, strlen(cases[i].event) + 1);
		text_expect_strict(&t, &tl_chrome_reader, text, strlen(text));
		text_close(&t);
	}
}

/* What stands behind the end of the list or the file. */
TEST(text_behind_the_end)
{
	static const struct {
		const char *text;
		unsigned faults;
	} cases[] = {
		{ "[" FIRST "]\n\t ", 0 }, { "{\"traceEvents\":[" FIRST "]}\n", 0 },
		{ "[" FIRST "]x", 1 },     { "[" FIRST "][" LAST "]", 1 },
		{ "[" FIRST ",]", 0 },     { "{\"traceEvents\":[" FIRST ",],}", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t;

		text_read(&t, &tl_chrome_reader, cases[i].text);
		text_expect_stacks(&t, 0, "a 2000\n");
		assert_int_equal(t.foreign.faults.count, cases[i].faults);
		if (cases[i].faults)
			assert_int_equal(t.foreign.faults.list[0].offset, strlen("[" FIRST "]"));
		text_expect_strict(&t, &tl_chrome_reader, cases[i].text, strlen(cases[i].text));
		text_close(&t);
	}
}

/* Texts in which there is no list of events. */
TEST(files_without_a_list)
{
	static const char *const texts[] = {
		"7",
		"\"traceEvents\"",
		"{}",
		"{\"traceEvent\":[]}",
		"{\"x\":{\"traceEvents\":[]}}",
		"null",
		"{\"traceEvents\":{\"a\":[1]}}",
		"{\"traceEvents\":5}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text t;

		text_read(&t, &tl_chrome_reader, texts[i]);
		assert_int_equal(t.status, TL_BAD_FORMAT);
		assert_null(t.profile);
		text_close(&t);
	}
}

/* Two lists are both read: the one after the other. */
TEST(two_lists)
{
	static const char text[] = "{\"traceEvents\":[" FIRST ",{}],\"traceEvents\":7,"
				   "\"traceEvents\":[" LAST ",{}]}";
	struct text t;

	text_read(&t, &tl_chrome_reader, text);
	text_expect_stacks(&t, 0, "a 2000\nz 4000\n");
	assert_int_equal(t.foreign.faults.count, 2);
	text_expect_fault(&t, 0, TL_BAD_RECORD, (uint64_t)(strstr(text, "{}") - text), 1, "phase");
	text_expect_fault(&t, 1, TL_BAD_RECORD, strlen(text) - 4, 1, "phase");
	text_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_of_an_array),
		cmocka_unit_test(every_prefix_of_an_object),
		cmocka_unit_test(a_byte_is_another_one),
		cmocka_unit_test(a_byte_more_or_less),
		cmocka_unit_test(faults_of_the_text),
		cmocka_unit_test(text_behind_the_end),
		cmocka_unit_test(files_without_a_list),
		cmocka_unit_test(two_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
