/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_GMON_LISTING_H
#define TL_GMON_LISTING_H
/* Facts and records of a file, as text or JSON. */
#include "gmon/reader.h"

/* 0 or negative. */
int tl_gmon_describe(struct tl_gmon_file *g, bool json, struct tl_output *out,
		     struct tl_error *err);
/* Every record on a line; histograms with the bins that are not empty. 0 or negative. */
int tl_gmon_dump(struct tl_gmon_file *g, bool json, struct tl_output *out, struct tl_error *err);

#endif
