/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FUNCTIONS_H
#define TL_XTRACE_FUNCTIONS_H
/*
 * Which function an address is in; the same answer whoever asks, and when. Where the binaries have
 * a symbol it is that. Code they do not know belongs to the place that was called last below it, as
 * far as that is near: the *entries*, which a pass over the trace gathers first. What has neither
 * is "[unknown]".
 */
#include <pthread.h>

#include <tracelathe/symbols.h>

#include "core/memory.h"

struct xtrace_function {
	uint64_t start;   /* its first address */
	uint32_t binary;  /* that has the code, TL_NONE: none */
	const char *name; /* the symbol's, NULL: there is none */
	bool kernel;      /* of no binary, met above EL0 */
};

struct xtrace_functions {
	struct tl_binary *const *binaries;
	size_t binary_count;
	struct xtrace_function *list;
	size_t count, capacity;
	struct tl_index index;
	uint64_t *entries; /* increasing */
	size_t entry_count;
	bool any_unknown; /* an address had no symbol */
	pthread_mutex_t lock;
};

/* An address and its function. */
struct xtrace_place {
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
static inline bool xtrace_same_place(uint64_t a, uint64_t b, unsigned el)
{
	return a == b || (el && !((a ^ b) & 0x1fffff) && a >> 63 != b >> 63);
}

/* The symbol at an address of code that one of the binaries has. */
bool tl_xtrace_symbol(struct tl_binary *const *binaries, size_t count, uint64_t pc,
		      struct tl_symbol *symbol);

void tl_xtrace_functions_begin(struct xtrace_functions *functions,
			       struct tl_binary *const *binaries, size_t count);
void tl_xtrace_functions_free(struct xtrace_functions *functions);

/* Take over addresses that were called, and forget what was said without them. `entries` is sorted
 * here. */
void tl_xtrace_functions_entries(struct xtrace_functions *functions, uint64_t *entries,
				 size_t count);

/* Any thread may ask. */
struct xtrace_place tl_xtrace_place(struct xtrace_functions *functions, uint64_t pc, unsigned el);

#endif
