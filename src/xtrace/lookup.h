/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_LOOKUP_H
#define TL_XTRACE_LOOKUP_H
/* Which function an address is in: symbols of the binaries, numbered as they are met. */
#include <tracelathe/symbols.h>

#include "xtrace/numbers.h"

struct xtrace_found {
	const char *name; /* lives as long as the binaries; "[unknown]" */
	uint64_t start, size;
};

/* Zero-filled but for the binaries is the beginning. */
struct xtrace_lookup {
	struct tl_binary *const *binaries;
	size_t binary_count;
	struct xtrace_numbers addresses; /* looked up once each */
	uint32_t *of_address;            /* by number of address */
	size_t address_room;
	struct xtrace_numbers starts; /* of functions; the unknown one starts at UINT64_MAX */
	struct xtrace_found *list;
	size_t room;
};

/* The number of the function at an address; TL_NONE without memory. */
uint32_t tl_xtrace_lookup_at(struct xtrace_lookup *functions, uint64_t address);
void tl_xtrace_lookup_free(struct xtrace_lookup *functions);

/* Whether an address is surely in a function: then it need not be looked up. */
static inline bool tl_xtrace_lookup_has(const struct xtrace_found *function, uint64_t address)
{
	return address - function->start < function->size;
}

#endif
