/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_QUERY_ASKED_H
#define TESTS_UNIT_QUERY_ASKED_H
/*
 * Rows of statements, and rows that a model has, as lines of CSV in any order: NULL is empty, and
 * no value has a comma. A list that differs is told by its first line that the other one lacks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/query.h>

#include "../unit.h"

enum { MOST_ROWS = 4000, ROW_TEXT = 1 << 18 };

struct rows {
	char *list[MOST_ROWS];
	size_t count;
	char text[ROW_TEXT];
	size_t size;
};

static inline void clear_rows(struct rows *rows)
{
	rows->count = rows->size = 0;
}

static inline void __attribute__((format(printf, 2, 3))) add_row(struct rows *rows,
								 const char *format, ...)
{
	const size_t left = sizeof(rows->text) - rows->size;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(rows->text + rows->size, left, format, args);
	va_end(args);
	assert_true(size >= 0 && (size_t)size < left && rows->count < MOST_ROWS);
	rows->list[rows->count++] = rows->text + rows->size;
	rows->size += (size_t)size + 1;
}

static inline struct tl_query *ask_file(const char *path)
{
	struct tl_query *query;

	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
	return query;
}

/* The rows of a statement, without the line of names. */
static inline void ask_rows(struct tl_query *query, const char *sql, struct rows *rows)
{
	struct tl_output *out;
	char *text, *line, *rest;
	const char *bytes;
	size_t size;

	clear_rows(rows);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (tl_query_print(query, sql, TL_REPORT_CSV, out, NULL) < 0)
		fail_msg("%s: %s", sql, tl_query_message(query));
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	assert_non_null(text);
	strtok_r(text, "\n", &rest);
	while ((line = strtok_r(NULL, "\n", &rest)))
		add_row(rows, "%s", line);
	free(text);
	tl_output_discard(out);
}

static inline int compare_rows(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static inline void sort_rows(struct rows *rows)
{
	if (rows->count)
		qsort(rows->list, rows->count, sizeof(rows->list[0]), compare_rows);
}

/* The statement gives `wanted`, which is sorted by this. */
static inline void expect_asked(struct tl_query *query, const char *sql, struct rows *wanted)
{
	static struct rows given;

	ask_rows(query, sql, &given);
	sort_rows(&given);
	sort_rows(wanted);
	for (size_t i = 0; i < given.count || i < wanted->count; i++) {
		const char *is = i < given.count ? given.list[i] : "no more rows";
		const char *is_wanted = i < wanted->count ? wanted->list[i] : "no more rows";

		if (strcmp(is, is_wanted) != 0)
			fail_msg("%s: %zu rows, of which one is\n%s, and not %zu with\n%s", sql,
				 given.count, is, wanted->count, is_wanted);
	}
}

#endif
