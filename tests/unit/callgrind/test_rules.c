/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks a rule: its status, its byte, its line; and that the checker says so. */
#include "text.h"

#include <stdio.h>

/* HEAD has 30 bytes and 2 lines; "fn=a\n" 5 bytes and the third. */
enum { BODY = 35 };

static const struct {
	const char *text, *rule;
	enum tl_status status;
	uint64_t offset, line;
	/* clang-format off */
} broken[] = {
	{ HEAD "fn=a\nnonsense\n", "callgrind.line.unknown", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\n1 2x\n", "callgrind.cost.number", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\n1x 2\n", "callgrind.cost.number", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\n+ 2\n", "callgrind.cost.number", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\n1 12.5\n", "callgrind.cost.fraction", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\n1 18446744073709551615\n", "callgrind.cost.large", TL_TOO_LARGE, BODY, 4 },
	{ HEAD "fn=a\n1 5 6\n", "callgrind.cost.surplus", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\n4 6\n-6 41\n", "callgrind.position.negative", TL_BAD_RECORD, BODY + 4, 5 },
	{ HEAD "fn=a\n4294967297 6\n", "callgrind.position.large", TL_TOO_LARGE, BODY, 4 },
	{ HEAD "fn=a\ncfn=b\ncalls=-1 9\n1 1\n", "callgrind.call.number", TL_BAD_RECORD, BODY + 6,
	  5 },
	{ HEAD "fn=a\ncfn=b\ncalls=1 9\nfn=c\n", "callgrind.call.no-cost", TL_BAD_RECORD, BODY + 6,
	  5 },
	{ HEAD "fn=a\ncfn=b\ncalls=1 9\n", "callgrind.call.no-cost", TL_BAD_RECORD, BODY + 6, 5 },
	{ HEAD "fn=a\ncalls=1 9\n1 1\n", "callgrind.call.no-callee", TL_BAD_RECORD, BODY + 10, 5 },
	{ HEAD "fn=a\njump=x 9\n1\n", "callgrind.jump.number", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\njump=1 9\nfn=b\n", "callgrind.jump.no-source", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "fn=a\ncfn=(4)\n", "callgrind.name.undefined", TL_BAD_RECORD, BODY, 4 },
	{ HEAD "version: 2\n", "callgrind.header.version", TL_UNSUPPORTED, 30, 3 },
	{ HEAD "pid: me\n", "callgrind.header.number", TL_BAD_RECORD, 30, 3 },
	{ HEAD "positions:\n", "callgrind.header.positions", TL_BAD_RECORD, 30, 3 },
	{ HEAD "positions: a b c d e f\n", "callgrind.header.positions", TL_BAD_RECORD, 30, 3 },
	{ HEAD "event: = Ir\n", "callgrind.header.event", TL_BAD_RECORD, 30, 3 },
	{ HEAD "fn=a\n1 10\ntotals: 11\n", "callgrind.totals", TL_BAD_RECORD, BODY + 5, 5 },
	{ HEAD "fn=a\n1 10\ntotals: 10\n1 1\n", "callgrind.totals", TL_BAD_RECORD, BODY + 5, 5 },
	/* Cachegrind's sum stands at the end. */
	{ HEAD "fn=a\n1 10\nsummary: 11\n", "callgrind.summary.last", TL_BAD_RECORD, BODY + 5, 5 },
	{ HEAD "creator: callgrind-3.19.0\nfn=a\n1 10\n", "callgrind.totals.missing", TL_TRUNCATED,
	  30 + 26 + 5 + 5, 5 },
	/* "Compare always": a sum that nothing explains, which no cut file reaches */
	{ HEAD "summary: 1\nfn=a\n5 10\n", "callgrind.summary", TL_BAD_RECORD, 30, 3 },
	/* a file whose parts end with totals: ends all of them so; so does a numbered part with its
	   sum in front */
	{ HEAD "fn=a\n1 10\ntotals: 10\npart: 2\nfn=a\n1 1\n", "callgrind.totals.missing",
	  TL_TRUNCATED, BODY + 5 + 11 + 8 + 5 + 4, 8 },
	{ HEAD "part: 1\nsummary: 10\nfn=a\n1 10\n", "callgrind.totals.missing", TL_TRUNCATED,
	  30 + 8 + 12 + 5 + 5, 6 },
	/* Cachegrind: "desc_line* cmd_line events_line data_line+ summary_line" */
	{ "desc: I1 cache: x\ncmd: a\nevents: Ir\nfl=a\nfn=a\n1 10\n", "callgrind.summary.missing",
	  TL_TRUNCATED, 18 + 7 + 11 + 5 + 5 + 5, 6 },
	{ "cmd: a\nevents: Ir\nfl=a\nfn=a\n1 10\n", "callgrind.summary.missing", TL_TRUNCATED,
	  7 + 11 + 5 + 5 + 5, 5 },
	{ "version: 1\ncreator: xdebug 3.3.0\nevents: Time\nfn=a\n1 10\n",
	  "callgrind.summary.missing", TL_TRUNCATED, 11 + 22 + 13 + 5 + 5, 5 },
	{ HEAD "fn=a\n1 10", "callgrind.line.unended", TL_TRUNCATED, BODY, 4 },
	{ HEAD "fn=a\n1 9223372036854775807\n2 1\n", "callgrind.sum.large", TL_TOO_LARGE, BODY + 22,
	  5 },
};
/* clang-format on */

TEST(faults_have_status_offset_and_line)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		expect_fault(broken[i].text, 1, broken[i].status, broken[i].offset, broken[i].line);
}

/* Costs before any events: are a fault of each line. */
TEST(no_events)
{
	expect_fault("version: 1\nfn=a\n1 5\n", 1, TL_BAD_RECORD, 16, 3);
}

struct seen {
	const char *rule;
	uint64_t offset, line;
	unsigned count, damage;
};

static int note(void *arg, const struct tl_callgrind_violation *violation)
{
	struct seen *seen = arg;

	if (!seen->count++) {
		seen->rule = violation->rule;
		seen->offset = violation->offset;
		seen->line = violation->line;
	}
	seen->damage += violation->damage;
	return 0;
}

static struct seen check_text(const char *text)
{
	struct seen seen = { NULL, 0, 0, 0, 0 };
	struct text t;
	int64_t found;

	text_open(&t, text);
	found = tl_callgrind_check(t.reader, note, &seen, &t.err);
	assert_int_equal(found, seen.damage);
	text_close(&t);
	return seen;
}

TEST(the_checker_says_the_same)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct seen seen = check_text(broken[i].text);

		assert_int_equal(seen.count, 1);
		assert_int_equal(seen.damage, 1);
		assert_string_equal(seen.rule, broken[i].rule);
		assert_int_equal(seen.offset, broken[i].offset);
		assert_int_equal(seen.line, broken[i].line);
	}
}

/* What loses nothing is no damage, and the checker tells of it all the same. */
static const struct {
	const char *text, *rule;
	uint64_t offset, line;
	/* clang-format off */
} noted[] = {
	{ HEAD "fn=a\n 1 5\n", "callgrind.line.indented", BODY, 4 },
	{ "\xef\xbb\xbf" HEAD "fn=a\n1 5\n", "callgrind.line.bom", 0, 1 },
	{ HEAD "1 5\n", "callgrind.cost.no-function", 30, 3 },
	{ HEAD "colour: red\nshape: round\n", "callgrind.header.unknown", 30, 3 },
	{ HEAD "fn=(1) a\nfn=(1) b\n", "callgrind.name.redefined", 39, 4 },
	{ HEAD "fn=a\ncfn=b\nrcalls=1 9\n1 0\n", "callgrind.call.rcalls", BODY + 6, 5 },
	{ HEAD "positions: line line\nfn=a\n1 2 3\n", "callgrind.header.position", 30, 3 },
};
/* clang-format on */

TEST(notes_are_no_damage)
{
	for (size_t i = 0; i < sizeof(noted) / sizeof(noted[0]); i++) {
		struct seen seen = check_text(noted[i].text);

		expect_clean(noted[i].text);
		assert_int_equal(seen.count, 1);
		assert_int_equal(seen.damage, 0);
		assert_string_equal(seen.rule, noted[i].rule);
		assert_int_equal(seen.offset, noted[i].offset);
		assert_int_equal(seen.line, noted[i].line);
	}
}

/* xdebug's summary: is wall time and peak memory, at the end or in {main}; Cachegrind's is the sum.
 */
TEST(ends_of_writers)
{
	expect_clean("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\nevents: Time "
		     "Memory\nfn={main}\n1 1417 32\n\n"
		     "summary: 5233 425336\n\n");
	expect_clean("version: 1\ncreator: xdebug 3.0.0\nevents: Time\nfn={main}\n\nsummary: "
		     "5233\n\n1 1417\n");
	expect_clean(
		"version: 0.9.6\ncmd: a\nevents: Time\nfn={main}\n\nsummary: 5233\n\n1 1417\n");
	expect_clean("desc: Invocation: valgrind\ncmd: a\nevents: Ir\nfn=a\n1 10\nsummary: 10\n");
}

/* "with --cache-sim summary = totals + 2 Ir": a summary: beside totals: that agree is by design */
TEST(explained_summary)
{
	assert_int_equal(check_text(HEAD "summary: 12\nfn=a\n5 10\ntotals: 10\n").count, 0);
}

/* Known lines without a meaning for costs: "never the end of the parse" (section 4) */
TEST(other_dialects)
{
	assert_int_equal(
		check_text(HEAD
			   "timeframe (BB): 1-2\narch: arm\nfrfn=(spontaneous)\nfn=a\nbb=0x10 3 "
			   "1\nln=5\nrec=1\n1 5\nsummary: 7\n"
			   "==== NEW PROFILING FILE ====\nversion: 0.9.6\nevents: Ir\nfn=b\n1 "
			   "5\nsummary: "
			   "9\n")
			.count,
		0);
}

/*
 * A call that costs less than what was called: no totals: line sees that. In a cycle nothing can be
 * said.
 */
TEST(calls_that_are_too_cheap)
{
	struct seen seen = check_text(HEAD "fn=main\n1 10\ncfn=f\ncalls=1 9\n1 39\nfn=f\n9 40\n");

	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.rule, "callgrind.inclusive");
	assert_int_equal(seen.offset, TL_NOWHERE);
	assert_int_equal(
		check_text(HEAD "fn=main\n1 10\ncfn=f\ncalls=1 9\n1 40\nfn=f\n9 40\n").count, 0);
	assert_int_equal(
		check_text(HEAD
			   "fn=a\n1 10\ncfn=b\ncalls=1 9\n1 5\nfn=b\n9 40\ncfn=a\ncalls=1 1\n1 5\n")
			.count,
		0);
}

/* What the C library calls a new thread's first function, on each version and machine. */
TEST(threads_begin_in_what_nobody_calls_for_that_much)
{
	static const char *const names[] = { "clone", "clone3", "__clone", "__clone3",
					     "thread_start" };
	char text[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text),
			 HEAD "fn=main\n1 10\ncfn=%s\ncalls=1 9\n1 39\nfn=%s\n9 40\n", names[i],
			 names[i]);
		assert_int_equal(check_text(text).count, 0);
		/* a function that is called alike is none of these */
		snprintf(text, sizeof(text),
			 HEAD "fn=main\n1 10\ncfn=%s_\ncalls=1 9\n1 39\nfn=%s_\n9 40\n", names[i],
			 names[i]);
		assert_int_equal(check_text(text).count, 1);
	}
}

static int stop_at_once(void *arg, const struct tl_callgrind_violation *violation)
{
	(void)violation;
	++*(int *)arg;
	return 1;
}

TEST(the_caller_can_stop)
{
	struct text t;
	int calls = 0;

	text_open(&t, HEAD "fn=a\nx\ny\nz\n");
	assert_int_equal(tl_callgrind_check(t.reader, stop_at_once, &calls, &t.err), 1);
	assert_int_equal(calls, 1);
	text_close(&t);
}

/* The first 1000 faults are listed, all are counted, with the bytes they cost. */
TEST(many_faults)
{
	enum { LINES = 1500 };
	char *text = malloc(LINES * 2 + 64), *to = text + strlen(strcpy(text, HEAD));
	uint64_t count, skipped;
	size_t listed;
	struct text t;

	for (int i = 0; i < LINES; i++)
		to = stpcpy(to, "?\n");
	text_open(&t, text);
	read_rest(&t);
	tl_callgrind_faults(t.reader, &listed, &count, &skipped);
	assert_int_equal(listed, 1000);
	assert_int_equal(count, LINES);
	assert_int_equal(skipped, LINES * 2);
	text_close(&t);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_have_status_offset_and_line),
		cmocka_unit_test(no_events),
		cmocka_unit_test(the_checker_says_the_same),
		cmocka_unit_test(notes_are_no_damage),
		cmocka_unit_test(ends_of_writers),
		cmocka_unit_test(explained_summary),
		cmocka_unit_test(other_dialects),
		cmocka_unit_test(calls_that_are_too_cheap),
		cmocka_unit_test(threads_begin_in_what_nobody_calls_for_that_much),
		cmocka_unit_test(the_caller_can_stop),
		cmocka_unit_test(many_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
