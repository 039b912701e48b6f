/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_NUMBER_TEXT_H
#define TL_REPORT_NUMBER_TEXT_H
/* Numbers as people read them. Nothing here depends on the locale. */
#include <tracelathe/core.h>

enum { TL_VALUE_ROOM = 48 };

/* Each writes a terminated text of less than TL_VALUE_ROOM bytes and returns its length. */

/* "1,234,567" */
size_t tl_format_count(char *text, uint64_t value);
/* A time of `ticks` at `rate` ticks per second: "61.7 us"; a bare count for rate 0. */
size_t tl_format_time(char *text, uint64_t ticks, uint64_t rate);
/* The same in seconds with nine decimals; a bare count for rate 0. */
size_t tl_format_seconds(char *text, uint64_t ticks, uint64_t rate);
/* Ticks per second: "2.596 GHz". */
size_t tl_format_rate(char *text, uint64_t rate);
/* "12.34%" of a total; "-" when there is no total. */
size_t tl_format_share(char *text, int64_t value, int64_t total);

void tl_put_count(struct tl_output *out, uint64_t value);
/* A name of the input, as tl_put_shown() shows it. */
void tl_put_name(struct tl_output *out, const char *text);
void tl_put_blanks(struct tl_output *out, size_t count);
/* Text right-aligned in `width` columns. */
void tl_put_right(struct tl_output *out, const char *text, size_t length, size_t width);

#endif
