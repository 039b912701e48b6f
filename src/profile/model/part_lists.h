/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_PART_LISTS_H
#define TL_PROFILE_PART_LISTS_H
/*
 * Which functions each part has, so that what goes through all parts costs as much as there are
 * functions in parts, and not as many as parts times functions.
 */
#include <stdbool.h>
#include <stdint.h>

struct tl_profile;

/* The functions of part p are functions[start[p]] .. functions[start[p + 1] - 1], ascending. */
struct tl_part_lists {
	uint32_t *start, *functions;
};

/* Of a finished profile. False without memory; to be freed in either case. */
bool tl_part_lists_make(struct tl_part_lists *lists, const struct tl_profile *profile);
void tl_part_lists_free(struct tl_part_lists *lists);

#endif
