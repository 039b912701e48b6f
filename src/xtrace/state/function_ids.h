/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FUNCTION_IDS_H
#define TL_XTRACE_FUNCTION_IDS_H
/*
 * Ids 0, 1, 2, ... for functions, in the order of their first lookup; by symbols of the binaries.
 */
#include <tracelathe/symbols.h>

#include "xtrace/state/address_ids.h"

struct tl_xtrace_function_range {
	const char *name; /* lives as long as the binaries; "[unknown]" */
	uint64_t start, size;
};

/* Zero-filled but for the binaries is the beginning. */
struct tl_xtrace_function_ids {
	struct tl_binary *const *binaries;
	size_t binary_count;
	struct tl_xtrace_address_ids addresses; /* looked up once each */
	uint32_t *of_address;                   /* by number of address */
	size_t address_room;
	struct tl_xtrace_address_ids
		starts; /* of functions; the unknown one starts at UINT64_MAX */
	struct tl_xtrace_function_range *list;
	size_t room;
};

/* The number of the function at an address; TL_NONE without memory. */
uint32_t tl_xtrace_function_id_at(struct tl_xtrace_function_ids *functions, uint64_t address);
void tl_xtrace_function_ids_free(struct tl_xtrace_function_ids *functions);

/* Whether an address is surely in a function: then it need not be looked up. */
static inline bool tl_xtrace_function_covers(const struct tl_xtrace_function_range *function,
					     uint64_t address)
{
	return address - function->start < function->size;
}

#endif
