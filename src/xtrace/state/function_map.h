/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FUNCTION_MAP_H
#define TL_XTRACE_FUNCTION_MAP_H
/*
 * The function of an address; the answer does not depend on the thread or the time of the question.
 * Where the binaries have a symbol it is that. Code they do not know belongs to the place that was
 * called last below it, as far as that is near: the *entries*, which a pass over the trace gathers
 * first. What has neither is "[unknown]".
 */
#include <pthread.h>

#include <tracelathe/symbols.h>

#include "core/memory.h"

struct tl_xtrace_function {
	uint64_t start;   /* its first address */
	uint32_t binary;  /* that has the code, TL_NONE: none */
	const char *name; /* the symbol's, NULL: there is none */
	bool kernel;      /* of no binary, executed above EL0 */
};

struct tl_xtrace_function_map {
	struct tl_binary *const *binaries;
	size_t binary_count;
	struct tl_xtrace_function *list;
	size_t count, capacity;
	struct tl_index index;
	uint64_t *entries; /* increasing */
	size_t entry_count;
	bool any_unknown; /* an address had no symbol */
	pthread_mutex_t lock;
};

/* An address and its function. */
struct tl_xtrace_location {
	uint64_t pc;
	uint32_t function; /* TL_NONE: no memory */
	uint8_t el;
	bool entry; /* the function's first address */
	bool known; /* there is a symbol */
};

/*
 * The same place above EL0: a kernel's image has low addresses, too, those of its identity map, and
 * emulators that share translations record the one for the other. Both maps have blocks of 2 MB.
 */
static inline bool tl_xtrace_same_address(uint64_t a, uint64_t b, unsigned el)
{
	return a == b || (el && !((a ^ b) & 0x1fffff) && a >> 63 != b >> 63);
}

/* The symbol at an address of code that one of the binaries has. */
bool tl_xtrace_symbol(struct tl_binary *const *binaries, size_t count, uint64_t pc,
		      struct tl_symbol *symbol);

void tl_xtrace_function_map_begin(struct tl_xtrace_function_map *functions,
				  struct tl_binary *const *binaries, size_t count);
void tl_xtrace_function_map_free(struct tl_xtrace_function_map *functions);

/*
 * Take over addresses that were called, and drop the answers given without them. `entries` is
 * sorted here.
 */
void tl_xtrace_function_map_entries(struct tl_xtrace_function_map *functions, uint64_t *entries,
				    size_t count);

/* Any thread may ask. */
struct tl_xtrace_location tl_xtrace_locate(struct tl_xtrace_function_map *functions, uint64_t pc,
					   unsigned el);

#endif
