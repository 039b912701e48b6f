/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_NUMBER_TEXT_H
#define TL_REPORT_NUMBER_TEXT_H
/* Numbers as text for reading. Nothing here depends on the locale. */
#include <tracelathe/core.h>

enum { TL_VALUE_ROOM = 48 };

/* Each writes a terminated text of less than TL_VALUE_ROOM bytes and returns its length. */

/* "1,234,567" */
size_t tl_format_count(char *text, uint64_t value);
/* A time of `ticks` at `rate` ticks per second: "61.7 us"; a bare count for rate 0. */
size_t tl_format_time(char *text, uint64_t ticks, uint64_t rate);
/* The same in seconds with nine decimals; a bare count for rate 0. */
size_t tl_format_seconds(char *text, uint64_t ticks, uint64_t rate);
/*
 * A cost: its sign, then its magnitude as a time at `rate` ticks per second (`seconds`: in
 * seconds); a bare count for rate 0.
 */
size_t tl_format_cost(char *text, int64_t cost, uint64_t rate, bool seconds);
/* Ticks per second: "2.596 GHz". */
size_t tl_format_rate(char *text, uint64_t rate);
/* "12.34%" of a total; "-" when there is no total. */
size_t tl_format_share(char *text, int64_t value, int64_t total);

void tl_put_count(struct tl_output *out, uint64_t value);
/* A name of the input, with escapes for what would control a terminal (tl_put_shown()). */
void tl_put_name(struct tl_output *out, const char *text);
/* A name as code in a Markdown table, whose cell neither `|` nor a backquote may end. */
void tl_put_markdown_code(struct tl_output *out, const char *name);
void tl_put_blanks(struct tl_output *out, size_t count);
/* Text right-aligned in `width` columns. */
void tl_put_right(struct tl_output *out, const char *text, size_t length, size_t width);
/* "s" behind the name of things, unless there is one of them. */
void tl_put_plural(struct tl_output *out, uint64_t count);

#endif
