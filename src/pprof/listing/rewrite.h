/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_LISTING_REWRITE_H
#define TL_PPROF_LISTING_REWRITE_H
/*
 * The profile anew: all fields as they are, also those that are not known, without samples that are
 * damaged or that a filter leaves out.
 */
#include "pprof/profile/fold.h"

/* `put` gets the bytes. Of a profile that was just opened; 0 or negative. */
int tl_pprof_rewrite(struct tl_pprof_file *p, const struct tl_pprof_fold_options *options,
		     void (*put)(void *arg, const void *data, size_t size), void *arg,
		     struct tl_error *err);

#endif
