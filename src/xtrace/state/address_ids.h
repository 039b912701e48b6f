/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ADDRESS_IDS_H
#define TL_XTRACE_ADDRESS_IDS_H
/*
 * Ids 0, 1, 2, ... for addresses, in the order of their first lookup: data on an address stands in
 * an array of the caller at its id. Looked up for every instruction and access, so the search is
 * inline and compares keys itself. Memory grows with the number of different addresses.
 */
#include <tracelathe/core.h>

#include "core/memory.h"

struct tl_xtrace_address_slot {
	uint64_t key;
	uint32_t number; /* TL_NONE: empty */
};

/* Zero-filled is empty. */
struct tl_xtrace_address_ids {
	struct tl_xtrace_address_slot *slots;
	size_t mask; /* capacity - 1; meaningless without slots */
	uint32_t count;
};

/* The number of a key that is not there yet; TL_NONE without memory. */
uint32_t tl_xtrace_address_id_new(struct tl_xtrace_address_ids *numbers, uint64_t key);
void tl_xtrace_address_ids_free(struct tl_xtrace_address_ids *numbers);

/* The number of a key, TL_NONE if it has none. */
static inline uint32_t tl_xtrace_address_id_find(const struct tl_xtrace_address_ids *numbers,
						 uint64_t key)
{
	if (!numbers->slots)
		return TL_NONE;
	for (size_t at = (size_t)tl_hash64(key) & numbers->mask;; at = (at + 1) & numbers->mask) {
		const struct tl_xtrace_address_slot *slot = &numbers->slots[at];

		if (slot->key == key || slot->number == TL_NONE)
			return slot->number;
	}
}

/* The number of a key, a new one (the count before) if it has none; TL_NONE without memory. */
static inline uint32_t tl_xtrace_address_id_add(struct tl_xtrace_address_ids *numbers, uint64_t key)
{
	uint32_t number = tl_xtrace_address_id_find(numbers, key);

	return number != TL_NONE ? number : tl_xtrace_address_id_new(numbers, key);
}

#endif
