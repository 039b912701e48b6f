/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that are listings of the input (docs/query.md): instants, records, instructions and
 * accesses, of traces written by hand, and of a small stream against the lines of its dump, which
 * are counted here. Conditions choose rows whichever way they are asked for. /
 */
#include "../unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/query.h>

#include "core/output.h"
#include "trace.h"

/* A stream of one thread, below the folder of the sources. */
#define SMALL "%s/tests/golden/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin"

static struct temp temp;
static struct tl_error err;

static int set_up(void **state)
{
	(void)state;
	make_trace(&temp);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	temp_close(&temp);
	return 0;
}

static struct tl_query *open_query(const char *path)
{
	struct tl_query *query;

	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
	return query;
}

static struct tl_query *query_text(const char *name, const char *text)
{
	return open_query(temp_write(&temp, name, text, strlen(text)));
}

/* The rows of a statement without the names of its columns; to be freed. */
static char *rows_of(struct tl_query *query, const char *sql, int expected)
{
	struct tl_output *out;
	const char *bytes, *rows;
	char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_query_print(query, sql, TL_REPORT_CSV, out, &err), expected);
	tl_output_write(out, "", 1);
	bytes = tl_output_bytes(out, &size);
	rows = strchr(bytes, '\n');
	text = strdup(rows ? rows + 1 : "");
	tl_output_discard(out);
	return text;
}

struct expected {
	const char *sql, *rows;
};

static void expect_all(struct tl_query *query, const struct expected *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *rows = rows_of(query, cases[i].sql, 0);

		if (strcmp(rows, cases[i].rows) != 0)
			fail_msg("%s\n%s instead of\n%s", cases[i].sql, rows, cases[i].rows);
		free(rows);
	}
	tl_query_close(query);
}

#define EXPECT_ALL(query, cases) expect_all(query, cases, sizeof(cases) / sizeof((cases)[0]))

/* ---- instants ---- */

/* "an event without duration; its payload as a JSON object" */
TEST(instants)
{
	static const char events[] =
		"[{\"ph\":\"X\",\"name\":\"main\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":1},\n"
		"{\"ph\":\"i\",\"name\":\"tick\",\"ts\":12,\"pid\":1,\"tid\":1,\"s\":\"t\"},\n"
		"{\"ph\":\"i\",\"name\":\"tock\",\"ts\":20,\"pid\":1,\"tid\":2,\"s\":\"t\"},\n"
		"{\"ph\":\"I\",\"name\":\"tick\",\"ts\":30,\"pid\":2,\"tid\":3,\"s\":\"t\"}]\n";
	static const struct expected cases[] = {
		{ "SELECT process, thread, time, name FROM instants ORDER BY time",
		  "1,1,12000,tick\n1,2,20000,tock\n2,3,30000,tick\n" },
		{ "SELECT time FROM instants WHERE name = 'tick' ORDER BY time", "12000\n30000\n" },
		{ "SELECT time FROM instants WHERE thread = 2", "20000\n" },
		{ "SELECT time FROM instants WHERE thread >= 2 AND process = 2", "30000\n" },
		{ "SELECT name FROM instants WHERE time > 12000 AND time < 30000", "tock\n" },
		{ "SELECT name FROM instants WHERE time >= 12000 AND time <= 20000 ORDER BY time",
		  "tick\ntock\n" },
		{ "SELECT count(*) FROM instants WHERE name = 'none' OR time < 0", "0\n" },
		{ "SELECT json_valid(payload) FROM instants WHERE name = 'tock'", "1\n" },
	};

	EXPECT_ALL(query_text("instants", events), cases);
}

/* ---- records ---- */

/* Six of 32 bytes behind a header of 32; a tick is a nanosecond. */
TEST(records_of_a_trace)
{
	static const struct expected cases[] = {
		{ "SELECT offset, kind, thread, time FROM records ORDER BY offset",
		  "32,function,7,100\n64,function,7,110\n96,function,7,115\n"
		  "128,function,7,120\n160,function,7,140\n192,function,7,200\n" },
		{ "SELECT offset FROM records WHERE time >= 115 AND time < 140 ORDER BY 1",
		  "96\n128\n" },
		{ "SELECT offset FROM records WHERE offset > 128 ORDER BY 1 DESC", "192\n160\n" },
		{ "SELECT count(*) FROM records WHERE thread = 8 OR cpu = 3", "0\n" },
		{ "SELECT count(*) FROM records WHERE kind = 'function' AND cpu = 0", "6\n" },
		/* the whole line, as JSON */
		{ "SELECT json_extract(json, '$.id'), json_extract(json, '$.action') FROM "
		  "records WHERE offset IN (64, 96) ORDER BY offset",
		  "2,enter\n2,exit\n" },
	};

	EXPECT_ALL(open_query(temp_path(&temp, "trace")), cases);
}

/* ---- instructions ---- */

/* nop; bl 400010; there nop, ret; then nop. Bytes stand as they do in memory. */
static const char log_text[] = "0, 0x400000, 0xd503201f, \"nop\"\n"
			       "0, 0x400004, 0x94000003, \"bl #0x400010\"\n"
			       "0, 0x400010, 0xd503201f, \"nop\"\n"
			       "0, 0x400014, 0xd65f03c0, \"ret\"\n"
			       "0, 0x400008, 0xd503201f, \"nop\"\n";

TEST(instructions_of_a_log)
{
	static const struct expected cases[] = {
		{ "SELECT ordinal, thread, time, address, bytes FROM instructions ORDER BY ordinal",
		  "0,0,,4194304,1f2003d5\n1,0,,4194308,03000094\n2,0,,4194320,1f2003d5\n"
		  "3,0,,4194324,c0035fd6\n4,0,,4194312,1f2003d5\n" },
		/* ranges from either side, whether they are of ordinals or of addresses */
		{ "SELECT ordinal FROM instructions WHERE ordinal >= 1 AND ordinal < 3", "1\n2\n" },
		{ "SELECT ordinal FROM instructions WHERE ordinal > 1 AND ordinal <= 3", "2\n3\n" },
		{ "SELECT address FROM instructions WHERE ordinal = 4", "4194312\n" },
		{ "SELECT count(*) FROM instructions WHERE ordinal = 5", "0\n" },
		{ "SELECT count(*) FROM instructions WHERE ordinal > 2 AND ordinal < 3", "0\n" },
		{ "SELECT count(*) FROM instructions WHERE ordinal < 0", "0\n" },
		{ "SELECT count(*) FROM instructions WHERE ordinal >= -5 AND ordinal < 2", "2\n" },
		{ "SELECT count(*) FROM instructions WHERE ordinal <= 9223372036854775807", "5\n" },
		{ "SELECT count(*) FROM instructions WHERE ordinal > 9223372036854775806", "0\n" },
		{ "SELECT ordinal FROM instructions WHERE address = 4194308", "1\n" },
		{ "SELECT ordinal FROM instructions WHERE address >= 4194308 AND address < 4194320 "
		  "ORDER BY ordinal",
		  "1\n4\n" },
		{ "SELECT ordinal FROM instructions WHERE address > 4194312 ORDER BY ordinal",
		  "2\n3\n" },
		{ "SELECT ordinal FROM instructions WHERE address < 4194308", "0\n" },
		{ "SELECT ordinal FROM instructions WHERE address >= 4194312 AND ordinal < 4",
		  "2\n3\n" },
		{ "SELECT count(*) FROM instructions WHERE thread = 0", "5\n" },
		{ "SELECT count(*) FROM instructions WHERE thread = 1", "0\n" },
		/* the function of an address is a row of `functions` */
		{ "SELECT i.ordinal, f.address FROM instructions i JOIN functions f ON i.function "
		  "= "
		  "f.id ORDER BY i.ordinal",
		  "0,4194304\n1,4194304\n2,4194320\n3,4194320\n4,4194304\n" },
		{ "SELECT max(ordinal), bytes FROM instructions WHERE bytes LIKE '%d5'",
		  "4,1f2003d5\n" },
		{ "SELECT ordinal FROM instructions ORDER BY ordinal DESC LIMIT 2", "4\n3\n" },
	};

	EXPECT_ALL(query_text("log", log_text), cases);
}

TEST(a_log_has_no_rows_of_accesses)
{
	struct tl_query *query = query_text("log", log_text);

	free(rows_of(query, "SELECT * FROM accesses", TL_BAD_USAGE));
	assert_non_null(strstr(tl_query_message(query),
			       "the accesses of a log of instructions are no rows"));
	tl_query_close(query);
}

/* What a format has not is an error, not a table without rows. */
TEST(formats_without_such_rows)
{
	static const struct {
		const char *table, *words;
	} cases[] = {
		{ "instructions", "this format does not hold instructions" },
		{ "accesses", "this format does not hold accesses to memory" },
		{ "samples", "this format holds no samples" },
	};
	struct tl_query *query = open_query(temp_path(&temp, "trace"));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char sql[64];

		snprintf(sql, sizeof(sql), "SELECT * FROM %s", cases[i].table);
		free(rows_of(query, sql, TL_BAD_USAGE));
		if (!strstr(tl_query_message(query), cases[i].words))
			fail_msg("%s: %s", sql, tl_query_message(query));
	}
	tl_query_close(query);
}

/* Lines that name no thread are of the only one there is, whatever was asked before. */
TEST(the_only_thread_of_a_stream)
{
	static const char *const tables[] = { "accesses", "instructions" };
	char path[1024], sql[96];

	snprintf(path, sizeof(path), SMALL, getenv("TL_SOURCE_ROOT"));
	for (size_t i = 0; i < 4; i++) {
		struct tl_query *query = open_query(path);
		char *rows;

		snprintf(sql, sizeof(sql), "SELECT DISTINCT thread FROM %s WHERE thread %s",
			 tables[i % 2], i < 2 ? "= 0" : "< 5");
		rows = rows_of(query, sql, 0);
		assert_string_equal(rows, "0\n");
		free(rows);
		tl_query_close(query);
	}
}

/* ---- a stream against its dump ---- */

enum { MOST_TOKENS = 2000 };

struct token {
	bool instruction, load, store;
	uint64_t pc, address, size;
	uint32_t opcode;
};

static struct token tokens[MOST_TOKENS];
static size_t token_count;

static uint64_t number_behind(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	if (!at)
		return 0;
	at += strlen(key);
	return strtoull(at + (*at == '"'), NULL, 0);
}

/* The lines of the dump, by their keys. */
static void read_tokens(const char *path)
{
	struct tl_input *input;
	struct tl_output *out;
	const char *bytes;
	char *text, *rest;
	size_t size;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, &err), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_dump(input, TL_REPORT_JSON, out, &err), 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	token_count = 0;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct token *token = &tokens[token_count++];

		assert_true(token_count < MOST_TOKENS);
		*token = (struct token){
			.instruction = strstr(line, "\"opcode\":"),
			.load = strstr(line, "\"token\":\"LOAD\""),
			.store = strstr(line, "\"token\":\"STORE\""),
			.pc = number_behind(line, "\"pc\":"),
			.opcode = (uint32_t)number_behind(line, "\"opcode\":"),
			.address = number_behind(line, "\"address\":"),
			.size = number_behind(line, "\"size\":"),
		};
	}
	free(text);
	tl_output_discard(out);
	tl_input_close(input);
}

static void append(char *text, size_t *used, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	*used += (size_t)vsprintf(text + *used, format, list);
	va_end(list);
}

/* Rows of either table from an ordinal to another one, the last of them left out. */
static char *expected_rows(bool accesses, long from, long to)
{
	char *text = malloc(MOST_TOKENS * 64);
	long ordinal = -1;
	size_t used = 0;

	assert_non_null(text);
	*text = '\0';
	for (size_t i = 0; i < token_count; i++) {
		const struct token *t = &tokens[i];
		const uint8_t *b = (const uint8_t *)&t->opcode;

		ordinal += t->instruction;
		if (ordinal < from || ordinal >= to)
			continue;
		if (!accesses && t->instruction)
			append(text, &used, "%ld,%" PRIu64 ",%02x%02x%02x%02x\n", ordinal, t->pc,
			       b[0], b[1], b[2], b[3]);
		else if (accesses && (t->load || t->store))
			append(text, &used, "%ld,%" PRIu64 ",%" PRIu64 ",%d\n", ordinal, t->address,
			       t->size, t->store);
	}
	return text;
}

TEST(instructions_and_accesses_of_a_stream)
{
	static const struct {
		long from, to;
	} ranges[] = { { 0, 100000 }, { 0, 1 }, { 5, 40 }, { 200, 300 }, { 640, 700 }, { 9, 9 } };
	char path[1024], sql[256];
	struct tl_query *query;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		skip();
	snprintf(path, sizeof(path), SMALL, getenv("TL_SOURCE_ROOT"));
	read_tokens(path);
	query = open_query(path);
	for (size_t i = 0; i < 2 * sizeof(ranges) / sizeof(ranges[0]); i++) {
		bool accesses = i % 2;
		char *rows,
			*expected = expected_rows(accesses, ranges[i / 2].from, ranges[i / 2].to);

		snprintf(sql, sizeof(sql),
			 "SELECT ordinal, address, %s FROM %s WHERE ordinal >= %ld AND ordinal < "
			 "%ld",
			 accesses ? "size, write" : "bytes", accesses ? "accesses" : "instructions",
			 ranges[i / 2].from, ranges[i / 2].to);
		rows = rows_of(query, sql, 0);
		assert_string_equal(rows, expected);
		free(rows);
		free(expected);
	}
	tl_query_close(query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instants),
		cmocka_unit_test(records_of_a_trace),
		cmocka_unit_test(instructions_of_a_log),
		cmocka_unit_test(a_log_has_no_rows_of_accesses),
		cmocka_unit_test(formats_without_such_rows),
		cmocka_unit_test(the_only_thread_of_a_stream),
		cmocka_unit_test(instructions_and_accesses_of_a_stream),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
