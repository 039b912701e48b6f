/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_LISTING_PLAIN_LINES_H
#define TL_XRAY_LISTING_PLAIN_LINES_H
/*
 * The JSON lines of function records without arguments, of which a dump has millions: put together
 * of texts that are made once for each function and thread, by several threads
 * (core/text/ordered.h).
 */
#include "xray/listing/select.h"

struct tl_xray_lines;

/* NULL without memory. */
struct tl_xray_lines *tl_xray_lines_open(struct tl_xray_function_names *names, unsigned jobs,
					 struct tl_output *out);
/* Lines for records, which are next. False without memory. */
bool tl_xray_lines_add(struct tl_xray_lines *lines, const struct tl_xray_plain *records,
		       size_t count);
/* Where the line of any other record is written to, which is next. NULL without memory. */
struct tl_output *tl_xray_lines_other(struct tl_xray_lines *lines);
/* It is written. False without memory. */
bool tl_xray_lines_other_end(struct tl_xray_lines *lines);
/* Whether what follows need not be made. */
bool tl_xray_lines_failed(const struct tl_xray_lines *lines);
/* Write all. 0 or TL_NO_MEMORY; errors of the output are its own. NULL is allowed. */
int tl_xray_lines_close(struct tl_xray_lines *lines, struct tl_error *err);

#endif
