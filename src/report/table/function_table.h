/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TABLE_FUNCTION_TABLE_H
#define TL_REPORT_TABLE_FUNCTION_TABLE_H
/* The sorted function table, and its forms. */
#include "report/table/columns.h"

struct tl_function_table {
	struct tl_view view;
	struct tl_table_row *rows;
	size_t count;
	size_t shown; /* number of rows that are written, from the first */
};

int tl_function_table_put_text(const struct tl_function_table *table, struct tl_error *err);
void tl_function_table_put_csv(const struct tl_function_table *table);
void tl_function_table_put_json(const struct tl_function_table *table);

#endif
