/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ENTRY_POINTS_H
#define TL_XTRACE_ENTRY_POINTS_H
#include <stdbool.h>
#include <stdint.h>
#include <tracelathe/core.h>

#include "core/memory.h"

/* Addresses, each once. */
struct tl_xtrace_entry_points {
	uint64_t *list;
	size_t count, capacity;
	struct tl_index index;
};

/* False without memory. */
bool tl_xtrace_entry_point_add(struct tl_xtrace_entry_points *entries, uint64_t pc);
void tl_xtrace_entry_points_free(struct tl_xtrace_entry_points *entries);

#endif
