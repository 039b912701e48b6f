/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FUNCTION_MAP_H
#define TL_XTRACE_FUNCTION_MAP_H
/*
 * The function of an address. Where the binaries have a symbol it is that. Code they do not know
 * belongs to the place that was called last below it, as far as that is near: the *entries*
 * (entries.h). What has neither is "[unknown]". Any thread may ask; the answer does not depend on
 * the thread or the time of the question, while nothing is stale.
 */
#include <pthread.h>

#include <tracelathe/symbols.h>

#include "core/memory.h"
#include "xtrace/state/entries.h"

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
	struct tl_xtrace_entries entries;
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

/* Begin (again) with the entries found so far; `learn`: learn others. False without memory. */
bool tl_xtrace_function_map_restart(struct tl_xtrace_function_map *functions, bool learn);
/* An entry was found. False without memory. */
bool tl_xtrace_function_map_learn(struct tl_xtrace_function_map *functions, uint64_t pc);
/* Whether an answer since the last start was another one than it would be now. */
bool tl_xtrace_function_map_stale(struct tl_xtrace_function_map *functions);
/* The number of the entries found. */
size_t tl_xtrace_function_map_found(struct tl_xtrace_function_map *functions);

/* The fold of a segment begins; and is over: false: it is stale. `stay`: it cannot be done again,
 * so that the pass is. */
void tl_xtrace_function_map_open(struct tl_xtrace_function_map *functions,
				 struct tl_xtrace_questions *questions);
bool tl_xtrace_function_map_close(struct tl_xtrace_function_map *functions,
				  struct tl_xtrace_questions *questions, bool stay);

/* `questions`: of the segment that asks; NULL: the answer is for the pass. */
struct tl_xtrace_location tl_xtrace_locate_for(struct tl_xtrace_function_map *functions,
					       struct tl_xtrace_questions *questions, uint64_t pc,
					       unsigned el);
struct tl_xtrace_location tl_xtrace_locate(struct tl_xtrace_function_map *functions, uint64_t pc,
					   unsigned el);

/*
 * The number of a function of another map of the same binaries; `named`: it has a symbol's name,
 * which is found here. TL_NONE: there is no such function, or no memory.
 */
uint32_t tl_xtrace_function_put(struct tl_xtrace_function_map *functions,
				const struct tl_xtrace_function *function, bool named);

#endif
