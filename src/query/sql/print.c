/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of statements as text. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "query/sql/table_text.h"

static void put_hex_bytes(struct tl_output *out, const struct tl_query_value *value)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < value->size; i++) {
		unsigned char byte = (unsigned char)value->text[i];

		tl_put_char(out, digits[byte >> 4]);
		tl_put_char(out, digits[byte & 15]);
	}
}

/* ---- CSV ---- */

static void put_csv_names(struct tl_query *query, struct tl_output *out)
{
	for (size_t i = 0; i < tl_query_column_count(query); i++) {
		if (i)
			tl_put_char(out, ',');
		tl_put_csv(out, tl_query_column_name(query, i));
	}
	tl_put_text(out, "\n");
}

static void put_csv_value(struct tl_output *out, const struct tl_query_value *value)
{
	switch (value->type) {
	case TL_QUERY_NULL:
		break;
	case TL_QUERY_INTEGER:
		tl_put_i64(out, value->integer);
		break;
	case TL_QUERY_REAL:
		tl_put_double(out, value->real);
		break;
	case TL_QUERY_TEXT:
		tl_put_csv_bytes(out, value->text, value->size);
		break;
	case TL_QUERY_BLOB:
		put_hex_bytes(out, value);
		break;
	}
}

static int put_csv_row(struct tl_query *query, struct tl_output *out)
{
	struct tl_query_value value;

	for (size_t i = 0; i < tl_query_column_count(query); i++) {
		if (i)
			tl_put_char(out, ',');
		if (tl_query_column(query, i, &value, sizeof(value)) == 0)
			put_csv_value(out, &value);
	}
	tl_put_char(out, '\n');
	return 0;
}

/* ---- JSON ---- */

static void put_json_value(struct tl_output *out, const struct tl_query_value *value)
{
	if (value->type == TL_QUERY_INTEGER) {
		tl_put_i64(out, value->integer);
	} else if (value->type == TL_QUERY_REAL && isfinite(value->real)) {
		tl_put_double(out, value->real);
	} else if (value->type == TL_QUERY_TEXT) {
		tl_put_json(out, value->text, value->size);
	} else if (value->type == TL_QUERY_BLOB) {
		tl_put_char(out, '"');
		put_hex_bytes(out, value);
		tl_put_char(out, '"');
	} else {
		tl_put_text(out, "null");
	}
}

static int put_json_row(struct tl_query *query, struct tl_output *out)
{
	struct tl_query_value value;

	for (size_t i = 0; i < tl_query_column_count(query); i++) {
		const char *name = tl_query_column_name(query, i);

		tl_put_char(out, i ? ',' : '{');
		tl_put_json(out, name, strlen(name));
		tl_put_char(out, ':');
		if (tl_query_column(query, i, &value, sizeof(value)) == 0)
			put_json_value(out, &value);
	}
	tl_put_char(out, '}');
	return 0;
}

/* ---- statements ---- */

static int print_csv(struct tl_query *query, struct tl_output *out, struct tl_error *err)
{
	int status;

	put_csv_names(query, out);
	while ((status = tl_query_next(query, err)) == 1 && !tl_output_failed(out))
		put_csv_row(query, out);
	return status;
}

static int print_json(struct tl_query *query, struct tl_output *out, struct tl_error *err)
{
	const char *before = "[";
	int status;

	while ((status = tl_query_next(query, err)) == 1 && !tl_output_failed(out)) {
		tl_put_text(out, before);
		put_json_row(query, out);
		before = ",\n";
	}
	tl_put_text(out, *before == '[' ? "[]\n" : "]\n");
	return status;
}

static int print_statement(struct tl_query *query, enum tl_report_form form, struct tl_output *out,
			   struct tl_error *err)
{
	if (!tl_query_column_count(query))
		return tl_query_next(query, err);
	switch (form) {
	case TL_REPORT_CSV:
		return print_csv(query, out, err);
	case TL_REPORT_JSON:
		return print_json(query, out, err);
	case TL_REPORT_TEXT:
		return tl_query_print_table(query, out, err);
	}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such form of report");
}

int tl_query_print(struct tl_query *query, const char *sql, enum tl_report_form form,
		   struct tl_output *out, struct tl_error *err)
{
	int status;

	while ((status = tl_query_start(query, sql, &sql, err)) == 1) {
		status = print_statement(query, form, out, err);
		if (status < 0 || tl_output_failed(out))
			break;
	}
	return tl_error_or_end(status);
}
