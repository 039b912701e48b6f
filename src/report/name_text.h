/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_NAME_TEXT_H
#define TL_REPORT_NAME_TEXT_H
/* Names in lines of text, shortened where the terminal has no room for the whole name. */
#include <stddef.h>
#include <stdint.h>

struct tl_output;

#define TL_NAME_UNBOUNDED ((size_t)0)
/* No bound, but lists of a name that is long are elided: a file has room, a reader has not. */
#define TL_NAME_ELIDED SIZE_MAX

/* Columns of the terminal that tl_put_name() takes for a name. */
size_t tl_name_columns(const char *name);

/* Columns that tl_put_short_name() takes. */
size_t tl_short_name_columns(const char *name, size_t room);

/*
 * The name in at most `room` columns (TL_NAME_UNBOUNDED: whole; TL_NAME_ELIDED: lists are elided
 * where it is longer than 40, but nothing else is). Of a name that is longer,
 * parameters are elided first, `f(...)`, then template arguments, too, `f<...>(...)`, then the
 * brackets, `f`; if that is not enough the middle is, since the namespace and the last part of a
 * name tell the most.
 */
void tl_put_short_name(struct tl_output *out, const char *name, size_t room);

#endif
