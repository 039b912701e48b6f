/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tables of sums hold (docs/query.md, "Tables"), of a trace with times, of samples, and of
 * a profile without either; all numbers are counted by hand. Rows are told as CSV: NULL is empty.
 */
#include "../unit.h"

#include <string.h>

#include <tracelathe/query.h>

#include "trace.h"

static struct tl_query *open_query(const char *path)
{
	struct tl_query *query;

	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
	return query;
}

static void expect_rows(struct tl_query *query, const char *sql, const char *wanted)
{
	struct tl_output *out;
	struct tl_error err;
	const char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_query_print(query, sql, TL_REPORT_CSV, out, &err), 0);
	tl_output_write(out, "", 1);
	text = tl_output_bytes(out, &size);
	/* The first line has the names of the columns. */
	if (strcmp(strchr(text, '\n') + 1, wanted))
		fail_msg("%s\n%s instead of\n%s", sql, strchr(text, '\n') + 1, wanted);
	tl_output_discard(out);
}

struct expected {
	const char *sql, *rows;
};

static void expect_all(const char *path, const struct expected *cases, size_t count)
{
	struct tl_query *query = open_query(path);

	for (size_t i = 0; i < count; i++)
		expect_rows(query, cases[i].sql, cases[i].rows);
	tl_query_close(query);
}

/* The same of a file that has this text. */
static void expect_text(const char *text, const struct expected *cases, size_t count)
{
	struct temp temp;

	temp_open(&temp);
	temp_write(&temp, "text", text, strlen(text));
	expect_all(temp_path(&temp, "text"), cases, count);
	temp_close(&temp);
}

/* A trace with a clock: 1 calls 2 twice, for 5 and for 20 of its 100 ticks of a ns each. */
TEST(tables_of_a_trace)
{
	static const struct expected cases[] = {
		{ "SELECT id, name, object, file, line, address FROM functions ORDER BY id",
		  "1,#1,,,,\n2,#2,,,,\n" },
		{ "SELECT calls, unfinished, self, inclusive, min, median, p90, p99, max, sum "
		  "FROM functions ORDER BY id",
		  "1,0,75,100,100,100,100,100,100,100\n2,0,25,25,5,20,20,20,20,25\n" },
		{ "SELECT * FROM events", "0,Ticks,Time stamp counter,ticks,,100,1000000000\n" },
		{ "SELECT * FROM costs ORDER BY function", "1,Ticks,75,100\n2,Ticks,25,25\n" },
		{ "SELECT id, process, thread, number, first, last FROM parts",
		  "0,5,7,,100,200\n" },
		{ "SELECT process, thread, first, last, parts FROM threads", "5,7,100,200,1\n" },
		{ "SELECT id, parent, function, part, depth, calls, unfinished, self, inclusive "
		  "FROM contexts",
		  "0,,1,0,0,1,0,75,100\n1,0,2,0,1,2,0,25,25\n" },
		{ "SELECT caller, callee, calls, inclusive FROM arcs WHERE caller IS NOT NULL",
		  "1,2,2,25\n" },
		{ "SELECT * FROM losses", "" },
		{ "SELECT * FROM damage", "" },
		/* Calls are no samples. */
		{ "SELECT * FROM stacks", "" },
	};
	struct temp temp;

	expect_all(make_trace(&temp), cases, sizeof(cases) / sizeof(cases[0]));
	temp_close(&temp);
}

/* Samples: no calls, so no durations; three of them, of which two are of one thread. */
TEST(tables_of_samples)
{
	static const char text[] = "a b 1/2 [000] 5.5:  7 cycles:u: \n\t 1f f+0x1 (/x)\n"
				   "\t 20 main+0x1 (/x)\n\n"
				   "a 3 6.5: 5 cycles:u: \n\t 20 main+0x1 (/x)\n\n"
				   "a b 1/2 [000] 7.5:  1 cycles:u: \n\t 20 main+0x1 (/x)\n\n";
	static const struct expected cases[] = {
		{ "SELECT name, object, calls, unfinished, self, inclusive, min, max, sum FROM "
		  "functions ORDER BY name",
		  "f,/x,0,0,7,7,,,\nmain,/x,0,0,6,13,,,\n" },
		{ "SELECT * FROM events", "0,cycles:u,,,,13,\n1,samples,,samples,,3,\n" },
		{ "SELECT name, event, c.self, c.inclusive FROM costs c JOIN functions f ON f.id = "
		  "c.function ORDER BY name, event",
		  "f,cycles:u,7,7\nf,samples,1,1\nmain,cycles:u,6,13\nmain,samples,2,3\n" },
		{ "SELECT * FROM parts",
		  "0,1,2,,a b,,5500000000,7500000000,2\n1,,3,,a,,6500000000,6500000000,1\n" },
		{ "SELECT * FROM threads ORDER BY thread",
		  "1,2,a b,5500000000,7500000000,2,1\n,3,a,6500000000,6500000000,1,1\n" },
		{ "SELECT depth, calls, event, self, inclusive FROM contexts WHERE event = "
		  "'cycles:u' ORDER BY part, depth",
		  "0,0,cycles:u,1,8\n1,0,cycles:u,7,7\n0,0,cycles:u,5,5\n" },
		/* A row for each function of each stack that was sampled, the outermost first. */
		{ "SELECT c.part, c.depth, s.depth, f.name FROM stacks s JOIN functions f ON f.id "
		  "= "
		  "s.function JOIN contexts c ON c.id = s.stack AND c.event = 'samples' "
		  "ORDER BY c.part, c.depth, s.depth",
		  "0,0,0,main\n0,1,0,main\n0,1,1,f\n1,0,0,main\n" },
		{ "SELECT count(*) FROM stacks WHERE depth = 1", "1\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/* Parts of one thread are one thread: from the first to the last of both, and the name of one. */
TEST(threads_of_several_parts)
{
	static const char text[] = "a 1/2 5.5: 1 c:  1 f (x)\nb 1/2 4.5: 1 c:  1 f (x)\n"
				   "b 1/2 6.5: 1 c:  1 f (x)\nb 0/2 9.5: 1 c:  1 f (x)\n";
	static const struct expected cases[] = {
		{ "SELECT count(*) FROM parts", "3\n" },
		{ "SELECT process, thread, name, first, last, records, parts FROM threads",
		  "0,2,b,9500000000,9500000000,1,1\n1,2,a,4500000000,6500000000,3,2\n" },
		{ "SELECT count(*) FROM threads WHERE thread = 2", "2\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/* No times, no threads; what a call cost, where it was made, and a jump. */
TEST(tables_of_sums)
{
	static const char text[] =
		"# callgrind format\nevents: Ir Dr\n\nfl=a.c\nfn=main\n1 10 1\njcnd=3/5 4\n2\n"
		"cfn=f\ncalls=3 9\n2 30 2\n\nfn=f\n9 30 2\n";
	static const struct expected cases[] = {
		{ "SELECT name, file, calls, self, inclusive, sum FROM functions ORDER BY name",
		  "f,a.c,3,30,30,\nmain,a.c,0,10,40,\n" },
		{ "SELECT id, name, total, frequency FROM events", "0,Ir,40,\n1,Dr,3,\n" },
		{ "SELECT f.name, g.name, from_line, to_line, a.calls, event, a.inclusive FROM "
		  "arcs "
		  "a JOIN functions f ON f.id = caller JOIN functions g ON g.id = callee ORDER BY "
		  "event",
		  "main,f,2,9,3,Dr,2\nmain,f,2,9,3,Ir,30\n" },
		{ "SELECT name, l.line, event, l.self FROM lines l JOIN functions f ON f.id = "
		  "l.function ORDER BY name, event",
		  "f,9,Dr,2\nf,9,Ir,30\nmain,1,Dr,1\nmain,1,Ir,10\n" },
		{ "SELECT name, from_line, to_line, executed, taken FROM jumps j JOIN functions f "
		  "ON "
		  "f.id = j.function",
		  "main,2,4,5,3\n" },
		{ "SELECT process, thread, first, last FROM parts", ",,,\n" },
		{ "SELECT process, thread, first, last, parts FROM threads", ",,,,1\n" },
		/* "Paths of a profile without call stacks are not estimated." */
		{ "SELECT count(*) FROM contexts", "0\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/* Line 2 is no stack: its place, and that costs were made thousandths, which is a remark. */
TEST(damage_of_an_input)
{
	static const char text[] = "a 1.5\nno count\nb 2\n";
	static const struct expected cases[] = {
		{ "SELECT count(*) FROM functions", "2\n" },
		{ "SELECT status, offset, length, record FROM damage",
		  "bad record,6,9,2\nremark,,0,\n" },
		{ "SELECT substr(file, -5), substr(text, 1, 17) FROM damage",
		  "/text,a line does not e\n/text,some costs of sam\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/* Names differ in case: which of them is first is told by the statement. */
TEST(order_of_a_collation)
{
	static const char text[] =
		"[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2,\"name\":\"B\"},"
		"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":4,\"dur\":3,\"name\":\"a\"},"
		"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":8,\"dur\":4,\"name\":\"C\"},"
		"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":13,\"dur\":5,\"name\":\"b\"}]";
	static const struct expected cases[] = {
		{ "SELECT name FROM calls ORDER BY name", "B\nC\na\nb\n" },
		{ "SELECT name FROM calls ORDER BY name COLLATE NOCASE, id", "a\nB\nb\nC\n" },
		{ "SELECT name FROM calls ORDER BY name COLLATE NOCASE DESC LIMIT 1", "C\n" },
		{ "SELECT name, sum(duration) FROM calls GROUP BY name ORDER BY name COLLATE "
		  "NOCASE DESC, sum(duration)",
		  "C,4000\nB,2000\nb,5000\na,3000\n" },
		{ "SELECT sum(duration) FROM calls GROUP BY name COLLATE NOCASE ORDER BY 1",
		  "3000\n4000\n7000\n" },
		{ "SELECT name FROM functions ORDER BY name COLLATE NOCASE, name", "a\nB\nb\nC\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/*
 * Sums of a profile are of no part; the line whose cost did not fit is lost in its part alone. How
 * many sums there are besides the line's own is no matter of this table.
 */
TEST(losses_of_no_part)
{
	static const char text[] = "events: Ir\nfn=f\n1 9223372036854775807\n"
				   "1 9223372036854775807\n2 5\n";
	static const struct expected cases[] = {
		{ "SELECT part, process, thread, what, count > 0 FROM losses",
		  "0,,,skipped records,1\n,,,saturated sums,1\n" },
		{ "SELECT count FROM losses WHERE part IS NOT NULL", "1\n" },
		{ "SELECT what FROM losses WHERE part IS NULL", "saturated sums\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/* An end without its begin in thread 2, two begins without their ends in thread 3. */
TEST(losses_of_parts)
{
	static const char text[] =
		"[{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":1},{\"ph\":\"B\",\"pid\":1,\"tid\":3,"
		"\"ts\":2,\"name\":\"a\"},{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"ts\":3,\"name\":"
		"\"b\"}]";
	static const struct expected cases[] = {
		{ "SELECT * FROM losses", "0,1,2,orphan exits,1\n1,1,3,unfinished calls,2\n" },
		{ "SELECT what FROM losses WHERE part = 1", "unfinished calls\n" },
		{ "SELECT name, calls, unfinished, sum FROM functions", "a,0,1,0\nb,0,1,0\n" },
		/* Times are those of the file, in ns. */
		{ "SELECT thread, name, start, \"end\", duration FROM calls",
		  "3,a,2000,,\n3,b,3000,,\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

/* Accesses of such a log are no rows yet: that is an error, and not a table without rows. */
TEST(accesses_of_a_log_are_refused)
{
	static const char text[] = "0, 0x1000, 0xf9400001, \"ldr x1, [x0]\", load, 0x3000\n";
	struct temp temp;
	struct tl_query *query;
	struct tl_output *out;
	struct tl_error err;

	temp_open(&temp);
	temp_write(&temp, "text", text, strlen(text));
	query = open_query(temp_path(&temp, "text"));
	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_true(tl_query_print(query, "SELECT * FROM accesses", TL_REPORT_CSV, out, &err) < 0);
	assert_non_null(strstr(tl_query_message(query), "`dump --json` lists them"));
	tl_output_discard(out);
	tl_query_close(query);
	temp_close(&temp);
}

/*
 * A log of one processor: a load, a store of two words, no access. Bytes are in memory order,
 * the lowest of the opcode first; a function is told where a cost line has the address.
 */
TEST(tables_of_instructions)
{
	static const char text[] =
		"0, 0x1000, 0xf9400001, \"ldr x1, [x0]\", load, 0x00003000, RAM\n"
		"0, 0x1004, 0xa9bf7bfd, \"stp x29, x30, [sp, #-0x10]!\", store, 0x00004000, RAM, "
		"store, 0x00004008, RAM\n"
		"0, 0x1008, 0xd503201f, \"nop\"\n";
	static const struct expected cases[] = {
		{ "SELECT ordinal, address, bytes, time FROM instructions",
		  "0,4096,010040f9,\n1,4100,fd7bbfa9,\n2,4104,1f2003d5,\n" },
		{ "SELECT ordinal FROM instructions WHERE ordinal >= 1 AND ordinal < 2", "1\n" },
		{ "SELECT ordinal FROM instructions WHERE address = 4104", "2\n" },
		{ "SELECT name FROM instructions i JOIN functions f ON f.id = i.function "
		  "WHERE ordinal = 2",
		  "0x1000\n" },
	};

	expect_text(text, cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_a_trace),
		cmocka_unit_test(tables_of_samples),
		cmocka_unit_test(threads_of_several_parts),
		cmocka_unit_test(tables_of_sums),
		cmocka_unit_test(damage_of_an_input),
		cmocka_unit_test(losses_of_parts),
		cmocka_unit_test(losses_of_no_part),
		cmocka_unit_test(order_of_a_collation),
		cmocka_unit_test(accesses_of_a_log_are_refused),
		cmocka_unit_test(tables_of_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
