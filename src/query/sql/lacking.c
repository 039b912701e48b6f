/* SPDX-License-Identifier: Apache-2.0 */
/* tl_query_*() of a library that was built without SQLite. */
#include <tracelathe/query.h>

#include "core/error.h"

static int lacking(struct tl_error *err)
{
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "this program was built without SQLite, so it cannot answer SQL");
}

int tl_query_open(struct tl_query **query, struct tl_error *err)
{
	*query = NULL;
	return lacking(err);
}

void tl_query_close(struct tl_query *query)
{
	(void)query;
}

int tl_query_add(struct tl_query *query, const char *const *paths, size_t path_count,
		 const struct tl_input_options *options, const char **failed, struct tl_error *err)
{
	(void)query;
	(void)paths;
	(void)path_count;
	(void)options;
	(void)failed;
	return lacking(err);
}

int tl_query_start(struct tl_query *query, const char *sql, const char **rest, struct tl_error *err)
{
	(void)query;
	(void)sql;
	(void)rest;
	return lacking(err);
}

int tl_query_next(struct tl_query *query, struct tl_error *err)
{
	(void)query;
	return lacking(err);
}

bool tl_query_complete(const char *sql)
{
	(void)sql;
	return true;
}

const char *tl_query_message(const struct tl_query *query)
{
	(void)query;
	return "";
}

size_t tl_query_column_count(const struct tl_query *query)
{
	(void)query;
	return 0;
}

const char *tl_query_column_name(const struct tl_query *query, size_t column)
{
	(void)query;
	(void)column;
	return NULL;
}

int tl_query_column(const struct tl_query *query, size_t column, struct tl_query_value *value,
		    size_t size)
{
	(void)query;
	(void)column;
	(void)value;
	(void)size;
	return TL_BAD_USAGE;
}

void tl_query_interrupt(struct tl_query *query)
{
	(void)query;
}

int tl_query_print(struct tl_query *query, const char *sql, enum tl_report_form form,
		   struct tl_output *out, struct tl_error *err)
{
	(void)query;
	(void)sql;
	(void)form;
	(void)out;
	return lacking(err);
}

int tl_query_store(struct tl_query *query, size_t input,
		   const struct tl_query_store_options *options, struct tl_output *out,
		   struct tl_error *err)
{
	(void)query;
	(void)input;
	(void)options;
	(void)out;
	return lacking(err);
}

struct tl_input *tl_query_input(const struct tl_query *query, size_t number)
{
	(void)query;
	(void)number;
	return NULL;
}

const struct tl_profile *tl_query_profile(const struct tl_query *query, size_t number)
{
	(void)query;
	(void)number;
	return NULL;
}
