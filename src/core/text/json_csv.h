/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_JSON_CSV_H
#define TL_CORE_TEXT_JSON_CSV_H
/* What was written as JSON, as CSV (RFC 4180): it is gathered in memory first. */
#include <tracelathe/core.h>

struct tl_csv {
	struct tl_output *json; /* write here */
};

int tl_csv_begin(struct tl_csv *csv, struct tl_error *err);

/*
 * `status` is that of writing the JSON; a negative one is given back, and nothing is put. Facts:
 * one object, of which each value is a row, `fact,value`, the fact named by its path
 * ("by_thread.0.cpu"). Rows: an object a line, each of which is a row; a column for each key of
 * any of them.
 */
int tl_csv_end_facts(struct tl_csv *csv, int status, struct tl_output *out, struct tl_error *err);
int tl_csv_end_rows(struct tl_csv *csv, int status, struct tl_output *out, struct tl_error *err);

#endif
