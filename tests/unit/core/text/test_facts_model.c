/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of facts that are drawn, written as text, as JSON and as CSV: each is what a plain writer
 * makes of the tree. Rows of objects likewise, whose keys come in any order.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "core/facts.h"
#include "core/output.h"
#include "core/text/json_csv.h"

enum { ROOM = 1 << 18, ROUNDS = 400 };

/* A text that grows; what is wanted of an output. */
struct text {
	char *bytes;
	size_t size;
};

static struct text text_begin(void)
{
	struct text t = { malloc(ROOM), 0 };

	assert_non_null(t.bytes);
	t.bytes[0] = '\0';
	return t;
}

static void put(struct text *t, const char *more)
{
	const size_t size = strlen(more);

	assert_true(t->size + size < ROOM);
	memcpy(t->bytes + t->size, more, size + 1);
	t->size += size;
}

static void put_fact(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_fact(struct text *t, const char *format, ...)
{
	char line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	put(t, line);
}

/* "a field, quoted when it must be" (RFC 4180): quotes are doubled */
static void put_field(struct text *t, const char *field)
{
	if (!strpbrk(field, "\",\r\n")) {
		put(t, field);
		return;
	}
	put(t, "\"");
	for (; *field; field++)
		put(t, *field == '"' ? "\"\"" : (const char[]){ *field, '\0' });
	put(t, "\"");
}

/* ---- a tree, written in four ways at once ---- */

/* The texts of a value: as it is, in JSON, for people. */
struct shape {
	const char *plain, *json, *shown;
};

static const struct shape shapes[] = {
	{ "main", "\"main\"", "main" },
	{ "", "\"\"", "" },
	{ "a,b", "\"a,b\"", "a,b" },
	{ "say \"x\"", "\"say \\\"x\\\"\"", "say \"x\"" },
	{ "two\nlines", "\"two\\nlines\"", "two\\x0alines" },
	{ "back\\slash", "\"back\\\\slash\"", "back\\slash" },
	{ "\xc3\xa9", "\"\xc3\xa9\"", "\xc3\xa9" },
	{ "\x01", "\"\\u0001\"", "\\x01" },
};

static const struct {
	double value;
	const char *json, *shown;
} doubles[] = {
	{ 0, "0", "0" },
	{ 2.5, "2.5", "2.5" },
	{ -1e21, "-1e+21", "-1e+21" },
	{ 0.0009765625, "0.0009765625", "0.000976562" },
	{ 1e-9, "1e-09", "0.000000001" },
	{ -2.5e-7, "-2.5e-07", "-0.000000250" },
	{ 9.5e-10, "9.5e-10", "9.5e-10" },
	{ 0.001, "0.001", "0.001" },
	{ (double)INFINITY, "null", "inf" },
	{ -(double)INFINITY, "null", "-inf" },
};

struct written {
	struct tl_facts json, people;
	struct text wanted_json, wanted_people, wanted_csv;
	char path[512];
	size_t path_size;
	unsigned depth;
	uint32_t seed;
};

static const char *draw_name(struct written *w)
{
	static const char *const names[] = { "records", "cycle_frequency", "a_b_c",
					     "x",       "of,two",          "q\"" };

	return names[chance(&w->seed, 6)];
}

static size_t path_down(struct written *w, const char *name)
{
	const size_t before = w->path_size;

	w->path_size += (size_t)snprintf(w->path + before, sizeof(w->path) - before, "%s%s",
					 before ? "." : "", name);
	return before;
}

static void path_up(struct written *w, size_t before)
{
	w->path[before] = '\0';
	w->path_size = before;
}

static void json_name(struct written *w, const char *name, bool first)
{
	put(&w->wanted_json, first ? "" : ",");
	if (strcmp(name, "q\"") == 0)
		put(&w->wanted_json, "\"q\\\"\":");
	else
		put_fact(&w->wanted_json, "\"%s\":", name);
}

static void people_name(struct written *w, const char *name, const char *end)
{
	for (unsigned i = 0; i < w->depth; i++)
		put(&w->wanted_people, "  ");
	for (; *name; name++)
		put(&w->wanted_people, *name == '_' ? " " : (const char[]){ *name, '\0' });
	put(&w->wanted_people, end);
}

static void wanted_value(struct written *w, const char *json, const char *shown, const char *csv)
{
	put(&w->wanted_json, json);
	put_fact(&w->wanted_people, "%s\n", shown);
	put_field(&w->wanted_csv, w->path);
	put(&w->wanted_csv, ",");
	put_field(&w->wanted_csv, csv);
	put(&w->wanted_csv, "\n");
}

static void write_number(struct written *w, const char *name)
{
	static const int64_t numbers[] = { 0, -1, 7, INT64_MIN, INT64_MAX, 1000000 };
	const int64_t number = numbers[chance(&w->seed, 6)];
	char digits[32];

	if (chance(&w->seed, 2)) {
		tl_fact_i64(&w->json, name, number);
		tl_fact_i64(&w->people, name, number);
		snprintf(digits, sizeof(digits), "%lld", (long long)number);
	} else {
		tl_fact_u64(&w->json, name, (uint64_t)number);
		tl_fact_u64(&w->people, name, (uint64_t)number);
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	}
	wanted_value(w, digits, digits, digits);
}

static void write_value(struct written *w, const char *name)
{
	const unsigned kind = chance(&w->seed, 4);

	if (kind == 0) {
		const struct shape *shape = &shapes[chance(&w->seed, 8)];

		tl_fact_text(&w->json, name, shape->plain);
		tl_fact_text(&w->people, name, shape->plain);
		wanted_value(w, shape->json, shape->shown, shape->plain);
	} else if (kind == 1) {
		const bool value = chance(&w->seed, 2);

		tl_fact_bool(&w->json, name, value);
		tl_fact_bool(&w->people, name, value);
		wanted_value(w, value ? "true" : "false", value ? "yes" : "no",
			     value ? "true" : "false");
	} else if (kind == 2) {
		const unsigned which = chance(&w->seed, 10);
		const char *json = doubles[which].json;

		tl_fact_double(&w->json, name, doubles[which].value);
		tl_fact_double(&w->people, name, doubles[which].value);
		/* null is an empty field */
		wanted_value(w, json, doubles[which].shown, strcmp(json, "null") ? json : "");
	} else {
		write_number(w, name);
	}
}

static void write_members(struct written *w, unsigned deepest);

static void write_object(struct written *w, const char *name, bool first, unsigned deepest)
{
	const size_t before = path_down(w, name);

	tl_facts_object(&w->json, name);
	tl_facts_object(&w->people, name);
	json_name(w, name, first);
	put(&w->wanted_json, "{");
	people_name(w, name, ":\n");
	w->depth++;
	write_members(w, deepest - 1);
	w->depth--;
	put(&w->wanted_json, "}");
	tl_facts_close(&w->json);
	tl_facts_close(&w->people);
	path_up(w, before);
}

static void write_list(struct written *w, const char *name, bool first, unsigned deepest)
{
	const size_t before = path_down(w, name);
	const unsigned count = chance(&w->seed, 4);

	tl_facts_list(&w->json, name);
	tl_facts_list(&w->people, name);
	json_name(w, name, first);
	put(&w->wanted_json, "[");
	people_name(w, name, ":\n");
	w->depth++;
	for (unsigned i = 0; i < count; i++) {
		char number[12];
		size_t inner;

		snprintf(number, sizeof(number), "%u", i);
		inner = path_down(w, number);
		tl_facts_item(&w->json);
		tl_facts_item(&w->people);
		put(&w->wanted_json, i ? ",{" : "{");
		people_name(w, "-", "\n");
		w->depth++;
		write_members(w, deepest - 1);
		w->depth--;
		put(&w->wanted_json, "}");
		tl_facts_close(&w->json);
		tl_facts_close(&w->people);
		path_up(w, inner);
	}
	w->depth--;
	put(&w->wanted_json, "]");
	tl_facts_close_list(&w->json);
	tl_facts_close_list(&w->people);
	path_up(w, before);
}

static void write_members(struct written *w, unsigned deepest)
{
	const unsigned count = chance(&w->seed, 5);

	for (unsigned i = 0; i < count; i++) {
		const unsigned kind = deepest ? chance(&w->seed, 4) : 2;
		const char *name = draw_name(w);

		if (kind == 0) {
			write_object(w, name, i == 0, deepest);
		} else if (kind == 1) {
			write_list(w, name, i == 0, deepest);
		} else {
			const size_t before = path_down(w, name);

			json_name(w, name, i == 0);
			people_name(w, name, ": ");
			write_value(w, name);
			path_up(w, before);
		}
	}
}

static void assert_bytes(struct tl_output *out, const struct text *wanted)
{
	size_t size;
	const char *have = tl_output_bytes(out, &size);

	if (size != wanted->size || memcmp(have, wanted->bytes, size) != 0)
		fail_msg("written:\n%.*s\nwanted:\n%s", (int)size, have, wanted->bytes);
}

static struct tl_output *memory(void)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	return out;
}

/* "a tree of named values, written in the order of the calls, as indented text or as one JSON" */
TEST(drawn_facts_in_three_forms)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_output *people = memory(), *table = memory();
		struct written w = { .seed = seed };
		struct tl_csv csv;

		w.wanted_json = text_begin();
		w.wanted_people = text_begin();
		w.wanted_csv = text_begin();
		put(&w.wanted_json, "{");
		put(&w.wanted_csv, "fact,value\n");
		assert_int_equal(tl_csv_begin(&csv, NULL), 0);
		tl_facts_begin(&w.json, csv.json, true);
		tl_facts_begin(&w.people, people, false);
		write_members(&w, seed % 5);
		tl_facts_end(&w.json);
		tl_facts_end(&w.people);
		put(&w.wanted_json, "}\n");
		assert_bytes(csv.json, &w.wanted_json);
		assert_bytes(people, &w.wanted_people);
		assert_int_equal(tl_csv_end_facts(&csv, 0, table, NULL), 0);
		assert_bytes(table, &w.wanted_csv);
		tl_output_discard(table);
		tl_output_discard(people);
		free(w.wanted_json.bytes);
		free(w.wanted_people.bytes);
		free(w.wanted_csv.bytes);
	}
}

/* ---- rows ---- */

enum { KEYS = 7, ROWS = 9 };

static const char *const keys[KEYS] = { "offset", "text", "rule", "a b", "c,d", "n", "m" };
static const struct {
	const char *json, *plain;
} cells[] = {
	{ "1", "1" },       { "-2.5e3", "-2.5e3" },
	{ "\"\"", "" },     { "\"x\"", "x" },
	{ "true", "true" }, { "false", "false" },
	{ "null", "" },     { "\"q\\\"\\u0041,\\n\"", "q\"A,\n" },
};

/* "an object a line, each of which is a row; a column for each key of any of them" */
TEST(drawn_rows_have_a_column_for_each_key)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		uint32_t drawn = seed;
		unsigned columns[KEYS], column_count = 0, rows = 1 + chance(&drawn, ROWS);
		int cell_of[ROWS][KEYS];
		struct text wanted = text_begin();
		struct tl_output *out = memory();
		struct tl_csv csv;

		assert_int_equal(tl_csv_begin(&csv, NULL), 0);
		for (unsigned row = 0; row < rows; row++) {
			unsigned order[KEYS], count = 1 + chance(&drawn, KEYS);

			chance_order(&drawn, order, KEYS);
			for (unsigned i = 0; i < KEYS; i++)
				cell_of[row][i] = -1;
			for (unsigned i = 0; i < count; i++) {
				const unsigned key = order[i], cell = chance(&drawn, 8);
				unsigned known = 0;

				tl_put_format(csv.json, "%s\"%s\":%s", i ? "," : "{", keys[key],
					      cells[cell].json);
				cell_of[row][key] = (int)cell;
				while (known < column_count && columns[known] != key)
					known++;
				if (known == column_count)
					columns[column_count++] = key;
			}
			tl_put_text(csv.json, row + 1 < rows || seed % 2 ? "}\n" : "}");
		}
		for (unsigned i = 0; i < column_count; i++) {
			put(&wanted, i ? "," : "");
			put_field(&wanted, keys[columns[i]]);
		}
		put(&wanted, "\n");
		for (unsigned row = 0; row < rows; row++)
			for (unsigned i = 0; i < column_count; i++) {
				const int cell = cell_of[row][columns[i]];

				put(&wanted, i ? "," : "");
				put_field(&wanted, cell < 0 ? "" : cells[cell].plain);
				put(&wanted, i + 1 == column_count ? "\n" : "");
			}
		assert_int_equal(tl_csv_end_rows(&csv, 0, out, NULL), 0);
		assert_bytes(out, &wanted);
		tl_output_discard(out);
		free(wanted.bytes);
	}
}

/* What is no JSON is told of, wherever it ends. */
TEST(texts_that_are_cut_are_refused)
{
	static const char facts[] = "{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"e\":true}",
			  rows[] = "{\"a\":1,\"b\":\"c\"}\n{\"a\":2}\n";

	for (size_t size = 0; size < sizeof(facts); size++) {
		struct tl_output *out = memory();
		struct tl_csv csv;
		struct tl_error err = { .status = 0 };

		assert_int_equal(tl_csv_begin(&csv, NULL), 0);
		tl_put_bytes(csv.json, facts, size);
		assert_int_equal(tl_csv_end_facts(&csv, 0, out, &err),
				 size + 1 < sizeof(facts) ? TL_TRUNCATED : 0);
		tl_output_discard(out);
	}
	for (size_t size = 0; size < sizeof(rows); size++) {
		const bool whole = size == 0 || size == 15 || size == 16 || size >= 23;
		struct tl_output *out = memory();
		struct tl_csv csv;

		assert_int_equal(tl_csv_begin(&csv, NULL), 0);
		tl_put_bytes(csv.json, rows, size);
		if (whole)
			assert_int_equal(tl_csv_end_rows(&csv, 0, out, NULL), 0);
		else
			assert_true(tl_csv_end_rows(&csv, 0, out, NULL) < 0);
		tl_output_discard(out);
	}
}

/* Facts are at most sixteen deep, and a deeper tree is refused, not cut. */
TEST(facts_that_are_too_deep_are_refused)
{
	for (unsigned depth = 1; depth <= 40; depth++) {
		struct tl_output *out = memory();
		struct tl_csv csv;

		assert_int_equal(tl_csv_begin(&csv, NULL), 0);
		for (unsigned i = 0; i < depth; i++)
			tl_put_text(csv.json, i % 2 ? "[" : "{\"k\":");
		tl_put_text(csv.json, depth % 2 ? "1" : "");
		for (unsigned i = depth; i-- > 0;)
			tl_put_text(csv.json, i % 2 ? "]" : "}");
		assert_int_equal(tl_csv_end_facts(&csv, 0, out, NULL),
				 depth <= 16 ? 0 : TL_NO_MEMORY);
		tl_output_discard(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_facts_in_three_forms),
		cmocka_unit_test(drawn_rows_have_a_column_for_each_key),
		cmocka_unit_test(texts_that_are_cut_are_refused),
		cmocka_unit_test(facts_that_are_too_deep_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
