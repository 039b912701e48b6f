/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of an index that are told apart although their hashes are equal: the linker sends what is
 * looked up and stored here, and only three bits of each hash are left. Two keys of one hash of 32
 * bits are as rare in a test as they are certain in a large trace, and without them a comparison
 * that takes one key for another is never asked.
 */
#include "core/memory.h"

/* The linker's names: __wrap_X is what callers of X reach, __real_X is X. */
uint32_t __wrap_tl_index_find(const struct tl_index *index, uint64_t hash, tl_index_equal_fn *equal,
			      const void *context, const void *key);
uint32_t __real_tl_index_find(const struct tl_index *index, uint64_t hash, tl_index_equal_fn *equal,
			      const void *context, const void *key);
bool __wrap_tl_index_add(struct tl_index *index, uint64_t hash, uint32_t number);
bool __real_tl_index_add(struct tl_index *index, uint64_t hash, uint32_t number);

uint32_t __wrap_tl_index_find(const struct tl_index *index, uint64_t hash, tl_index_equal_fn *equal,
			      const void *context, const void *key)
{
	return __real_tl_index_find(index, hash & 7, equal, context, key);
}

bool __wrap_tl_index_add(struct tl_index *index, uint64_t hash, uint32_t number)
{
	return __real_tl_index_add(index, hash & 7, number);
}
