/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORMAT_FUNCTION_IDS_H
#define TL_XRAY_FORMAT_FUNCTION_IDS_H
/*
 * Dense numbers for function ids, from 0 in the order of first use. Ids have 28 bits: small ones,
 * and larger ones where there are many, index an array; others are hashed.
 */
#include <tracelathe/xray.h>

#include "core/memory.h"

struct tl_xray_ids {
	uint32_t *small; /* id -> number + 1, 0: none */
	size_t small_count, small_capacity;
	struct tl_index large;
	uint32_t *ids; /* number -> id */
	size_t count, capacity;
};

/* The number of an id, TL_NONE: it has none. */
uint32_t tl_xray_ids_find_large(const struct tl_xray_ids *ids, uint32_t id);

static inline uint32_t tl_xray_ids_find(const struct tl_xray_ids *ids, uint32_t id)
{
	if (__builtin_expect(id < ids->small_count && ids->small[id], 1))
		return ids->small[id] - 1;
	return tl_xray_ids_find_large(ids, id);
}

/* Give an id that has none the next number. TL_NONE without memory. */
uint32_t tl_xray_ids_add(struct tl_xray_ids *ids, uint32_t id);

void tl_xray_ids_free(struct tl_xray_ids *ids);

#endif
