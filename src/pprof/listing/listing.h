/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_LISTING_LISTING_H
#define TL_PPROF_LISTING_LISTING_H
/* Facts and records of a profile that was just opened, as text or JSON. */
#include "pprof/reader/reader.h"

/* 0 or negative. */
int tl_pprof_describe(struct tl_pprof_file *p, bool json, struct tl_output *out,
		      struct tl_error *err);
/* Every field of the profile on a line, in the order of the file. 0 or negative. */
int tl_pprof_dump(struct tl_pprof_file *p, bool json, struct tl_output *out, struct tl_error *err);

#endif
