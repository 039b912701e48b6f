/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_JSON_LINE_H
#define TL_QUERY_TRACE_JSON_LINE_H
/* The values of a JSON object as our listings write them: on one line, no blanks between. */
#include "query/trace/table.h"

/*
 * The value of a key of the object itself: a number (also a hexadecimal one in a string) as an
 * integer, a string as text, true and false as 1 and 0, anything else as it stands. Texts are kept
 * in *text, which grows; they end with it. Null, or no such key: the value stays NULL. False
 * without memory.
 */
bool tl_query_json_value(const char *line, size_t size, const char *key, char **text,
			 size_t *capacity, struct tl_query_value *value);

#endif
