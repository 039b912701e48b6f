/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of the table in docs/formats/chrome-trace.md, each in a file of its own: what is
 * counted, what is told, and what becomes of the call beside it.
 */
#include "../foreign/text.h"

#include "chrome_trace/chrome_trace.h"

#define CALL "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":4,\"pid\":1,\"tid\":2}"

/* A row of the table; NULL: no remark of what is left out. */
static const struct group {
	const char *phases, *fact, *remark;
} groups[] = {
	{ "X", "complete_events", NULL },
	{ "B", "begin_events", NULL },
	{ "E", "end_events", NULL },
	{ "iIR", "instants", NULL },
	{ "M", "metadata", NULL },
	{ "C", "counters", "values of counters: no part of calls" },
	{ "bneSTpF", "asynchronous_events",
	  "asynchronous events are left out: they are no calls of a thread" },
	{ "stf", "flow_events", "events of flows between calls are left out" },
	{ "NODPVvc()=", "other_events",
	  "events of objects, samples, memory and clocks are left out" },
};
enum { GROUPS = sizeof(groups) / sizeof(groups[0]) };

static const struct group *group_of(char phase)
{
	for (size_t i = 0; i < GROUPS; i++)
		if (strchr(groups[i].phases, phase))
			return &groups[i];
	return NULL;
}

/* Three events of a phase behind a call. */
static void read_phase(struct text *t, char phase)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "[" CALL ",{\"ph\":\"%c\",\"ts\":7,\"dur\":1,\"name\":\"b\",\"pid\":9},"
		 "{\"ph\":\"%c\",\"ts\":8,\"dur\":1,\"name\":\"b\",\"pid\":9},"
		 "{\"ph\":\"%c\",\"ts\":9,\"dur\":1,\"name\":\"b\",\"pid\":9}]",
		 phase, phase, phase);
	text_read(t, &tl_chrome_reader, text);
	assert_int_equal(t->status, 0);
}

static void expect_facts(const struct text *t, const struct group *group)
{
	for (size_t i = 0; i < GROUPS; i++) {
		uint64_t wanted = &groups[i] == group ? 3 : 0;

		wanted += !strcmp(groups[i].fact, "complete_events");
		assert_int_equal(text_fact(t, groups[i].fact), wanted);
	}
}

static void expect_remark(const struct text *t, const struct group *group)
{
	char remark[256];
	size_t at = 0;

	snprintf(remark, sizeof(remark), "3 %s", group->remark);
	while (at < t->foreign.faults.listed && strcmp(t->foreign.faults.list[at].text, remark))
		at++;
	assert_true(at < t->foreign.faults.listed);
	text_expect_fault(t, at, TL_OK, TL_NOWHERE, TL_NOWHERE, remark);
	assert_string_equal(t->foreign.faults.list[at].rule, group->fact);
	assert_int_equal(t->foreign.faults.count, 1);
}

TEST(phases_of_the_table)
{
	for (size_t i = 0; i < GROUPS; i++)
		for (const char *phase = groups[i].phases; *phase; phase++) {
			struct text t;

			read_phase(&t, *phase);
			expect_facts(&t, &groups[i]);
			assert_int_equal(t.foreign.records, 4);
			if (groups[i].remark)
				expect_remark(&t, &groups[i]);
			text_close(&t);
		}
}

/* "None, or another one: damage of that event." */
TEST(all_other_characters)
{
	unsigned unknown = 0;

	for (char phase = ' '; phase < 0x7f; phase++) {
		struct text t;

		if (phase == '"' || phase == '\\' || group_of(phase))
			continue;
		unknown++;
		read_phase(&t, phase);
		text_expect_stacks(&t, 0, "a 4000\n");
		expect_facts(&t, NULL);
		assert_int_equal(t.foreign.records, 1);
		assert_int_equal(t.foreign.faults.count, 3);
		text_expect_fault(&t, 0, TL_BAD_RECORD, 1 + strlen(CALL) + 1, 1,
				  "without a phase that is known");
		assert_int_equal(
			t.foreign.faults.list[0].length,
			strlen("{\"ph\":\"?\",\"ts\":7,\"dur\":1,\"name\":\"b\",\"pid\":9}"));
		assert_int_equal(t.foreign.faults.list[1].record, 2);
		assert_int_equal(t.foreign.faults.list[2].record, 3);
		text_close(&t);
	}
	/* 95 characters that are printed, two that JSON escapes, 28 of the table. */
	assert_int_equal(unknown, 95 - 2 - 28);
}

/* A phase is a text of one character. */
TEST(what_is_no_phase)
{
	static const char *const texts[] = {
		"[" CALL ",{\"ts\":7}]",
		"[" CALL ",{\"ph\":\"\",\"ts\":7}]",
		"[" CALL ",{\"ph\":\"XX\",\"ts\":7}]",
		"[" CALL ",{\"ph\":8,\"ts\":7}]",
		"[" CALL ",{\"ph\":[\"X\"],\"ts\":7}]",
		"[" CALL ",{\"ph\":null,\"ts\":7}]",
		"[" CALL ",{\"pH\":\"X\",\"ts\":7}]",
		"[" CALL ",{\"ph \":\"X\",\"ts\":7}]",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text t;

		text_read(&t, &tl_chrome_reader, texts[i]);
		text_expect_stacks(&t, 0, "a 4000\n");
		assert_int_equal(t.foreign.faults.count, 1);
		text_expect_fault(&t, 0, TL_BAD_RECORD, 1 + strlen(CALL) + 1, 1,
				  "without a phase that is known");
		text_expect_strict(&t, &tl_chrome_reader, texts[i], strlen(texts[i]));
		text_close(&t);
	}
}

/* "`sf`, `stack`, `stackFrames`: left out, and told", once, however many there are. */
TEST(stack_frames_are_told)
{
	static const struct {
		const char *text;
		bool told;
	} cases[] = {
		{ "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\",\"sf\":5}]", true },
		{ "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\",\"stack\":[\"x\"]}]", true },
		{ "{\"stackFrames\":{},\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2,"
		  "\"name\":\"a\"}]}",
		  true },
		/* One of each, which are no less than one of them. */
		{ "{\"stackFrames\":{},\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2,"
		  "\"name\":\"a\",\"sf\":5}]}",
		  true },
		{ "{\"stackFrame\":{},\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2,"
		  "\"name\":\"a\",\"fs\":5,\"stuck\":1,\"id\":2}]}",
		  false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t;

		text_read(&t, &tl_chrome_reader, cases[i].text);
		text_expect_stacks(&t, 0, "a 2000\n");
		assert_int_equal(t.foreign.faults.count, cases[i].told);
		if (cases[i].told)
			text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE,
					  "stack frames of events are left out");
		text_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_of_the_table),
		cmocka_unit_test(all_other_characters),
		cmocka_unit_test(what_is_no_phase),
		cmocka_unit_test(stack_frames_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
