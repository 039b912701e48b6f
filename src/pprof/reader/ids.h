/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_READER_IDS_H
#define TL_PPROF_READER_IDS_H
/* Ids of mappings, functions and locations: any 64-bit number but 0. */
#include "pprof/reader/reader.h"

/*
 * Index the ids of `count` elements of `stride` bytes, the first of which has its id at `first`.
 * duplicate() is called for each element whose id another one before it has; that one counts.
 * 0, TL_NO_MEMORY, or what duplicate() said.
 */
int tl_pprof_ids_make(struct tl_pprof_ids *ids, const uint64_t *first, size_t stride, size_t count,
		      int (*duplicate)(void *arg, size_t number, struct tl_error *err), void *arg,
		      struct tl_error *err);
void tl_pprof_ids_free(struct tl_pprof_ids *ids);

#endif
