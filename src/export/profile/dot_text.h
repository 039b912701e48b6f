/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_DOT_TEXT_H
#define TL_EXPORT_DOT_TEXT_H
/* What call graphs for Graphviz are written with. */
#include <tracelathe/core.h>

/* Text inside of double quotes. */
void tl_dot_put_quoted(struct tl_output *out, const char *text);
/* |cost| in hundredths of a percent of |total|. */
int64_t tl_dot_hundredths(int64_t cost, int64_t total);
/* "12.34%" of |total|. */
void tl_dot_put_share(struct tl_output *out, int64_t cost, int64_t total);
/* The attribute of a filled node: a hue of the colour circle, as strong as the share. */
void tl_dot_put_color(struct tl_output *out, unsigned hue_permille, int64_t cost, int64_t total);

#endif
