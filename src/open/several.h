/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_SEVERAL_H
#define TL_OPEN_SEVERAL_H
#include <tracelathe/open.h>

/*
 * No file is given twice, nor, `by_content`, a copy of one. 0 or TL_BAD_USAGE; *failed is then its
 * path.
 */
int tl_input_distinct(const char *const *paths, size_t count, bool by_content, const char **failed,
		      struct tl_error *err);

/* What the files of an input know of each other, before they are folded. Once. */
int tl_input_relate(struct tl_input *input, struct tl_error *err);

#endif
