/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_GROUPS_H
#define TL_PROFILE_GROUPS_H
/* Numbers grouped by a key. */
#include <stdbool.h>
#include <stdint.h>

/*
 * Numbers 0 .. count - 1 grouped by key: those of key k are order[start[k]] .. order[start[k + 1] -
 * 1], ascending. Keys at or past `keys` are left out. False without memory; freed by
 * tl_groups_free() in either case.
 */
struct tl_groups {
	uint32_t *start, *order;
};
typedef uint32_t tl_group_key_fn(const void *context, uint32_t number);

bool tl_groups_make(struct tl_groups *groups, uint32_t count, uint32_t keys, tl_group_key_fn *key,
		    const void *context);
void tl_groups_free(struct tl_groups *groups);

#endif
