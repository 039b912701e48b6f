/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_FUNCTIONS_H
#define TL_REPORT_FUNCTIONS_H
/* The sorted function table, and the forms it is written in. */
#include "report/columns.h"

struct tl_table {
	struct tl_view view;
	struct tl_row *rows;
	size_t count;
	size_t shown; /* the first so many are written */
};

int tl_table_put_text(const struct tl_table *table, struct tl_error *err);
void tl_table_put_csv(const struct tl_table *table);
void tl_table_put_json(const struct tl_table *table);

#endif
