/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_STATISTICS_H
#define TL_REPORT_STATISTICS_H
/* Rows of statistics: a function, NULL for the total, and numbers of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_function;
struct tl_output;

/* A number of a row, NaN: there is none. */
struct tl_statistic {
	const char *name;
	double value;
};

/* ---- text ---- */

enum { TL_STATISTICS_COLUMNS = 6 };

/* A table of text: columns of numbers, and what stands behind them. */
struct tl_statistics_text {
	const char *titles[TL_STATISTICS_COLUMNS];
	/* The text of a number, in TL_VALUE_ROOM bytes; returns its length. */
	size_t (*cell)(const void *table, size_t row, int column, char *text);
	/* Write what stands behind the numbers, which take `used` columns, in the same line. */
	void (*put_name)(const void *table, size_t row, size_t used);
};

/* Titles and rows; the last title is "function". */
void tl_put_statistics_text(struct tl_output *out, const struct tl_statistics_text *text,
			    const void *table, size_t rows);

/*
 * A cost between two counts, as the median of an even number is, to the nearest; `rate` and
 * `seconds` as tl_format_cost() has them. Returns the length.
 */
size_t tl_format_statistic(char *text, double cost, uint64_t rate, bool seconds);

/* ---- CSV and JSON ---- */

/* `function,object,file,NAME,...`, and a row of it; neither ends the line. */
void tl_put_statistics_head(struct tl_output *out, const struct tl_statistic *list, size_t count);
void tl_put_statistics_csv(struct tl_output *out, const struct tl_function *function,
			   const struct tl_statistic *list, size_t count);
/* `,"NAME":NUMBER` each; null where there is none, or it is infinite. */
void tl_put_statistics_json(struct tl_output *out, const struct tl_statistic *list, size_t count);
/* `"KEY":"TEXT"` */
void tl_put_json_pair(struct tl_output *out, const char *key, const char *text);
/* `"function":..,"object":..,"file":..` */
void tl_put_json_function(struct tl_output *out, const struct tl_function *function);

#endif
