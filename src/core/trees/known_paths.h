/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TREES_KNOWN_PATHS_H
#define TL_CORE_TREES_KNOWN_PATHS_H
/*
 * Paths of words that were met of late, each with its node in a tree: call paths come again, as
 * programs return to the same places, and one look then finds all of a path, in place of one for
 * each word of it. The memory is bounded (40 MiB) and used as paths come: the oldest are forgotten.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_known_path {
	uint64_t at; /* of its words: how many had been kept before them */
	uint32_t hash, root, node;
	uint32_t count; /* of words; 0: no path */
};

/* Zero-filled is empty. */
struct tl_known_paths {
	struct tl_known_path *places; /* by hash, several for each; a power of two of them */
	size_t place_count, put;      /* those, and paths that were ever kept */
	uint64_t *words;              /* of all paths, round and round */
	uint64_t end;                 /* words that were ever kept */
};

void tl_known_paths_free(struct tl_known_paths *known);
/* What finds a path of words under a root. */
uint64_t tl_known_paths_hash(uint32_t root, const uint64_t *words, size_t count);
/* The node of a path; 0: it is not known. */
uint32_t tl_known_paths_find(const struct tl_known_paths *known, uint64_t hash, uint32_t root,
			     const uint64_t *words, size_t count);
/*
 * Keep a path, which is not known, and its node; one that is too long is not kept. False without
 * memory.
 */
bool tl_known_paths_put(struct tl_known_paths *known, uint64_t hash, uint32_t root,
			const uint64_t *words, size_t count, uint32_t node);

#endif
