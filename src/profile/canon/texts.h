/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_CANON_TEXTS_H
#define TL_PROFILE_CANON_TEXTS_H
/* The texts that a profile uses, each with its place in the order of their bytes. */
#include <tracelathe/core.h>

#include "core/memory.h"

/* Texts added one after the other are mostly the same few. */
enum { TL_PFILE_TEXT_CACHE = 1024 };

struct tl_pfile_text_slot {
	const char *text; /* NULL: free */
	uint32_t number;
};

/* Zero-filled is empty. */
struct tl_pfile_texts {
	const char **list; /* by number: in the order they were added */
	size_t count, capacity;
	struct tl_index index; /* by address: the texts of a profile are interned */
	uint32_t *rank;        /* by number */
	uint32_t *sorted;      /* numbers in the order of ranks, each text once */
	uint32_t sorted_count;
	const char *cache[TL_PFILE_TEXT_CACHE]; /* that were added */
	/* Numbers by address, a quarter full at most: asked for each place several times. */
	struct tl_pfile_text_slot *slots;
	unsigned shift; /* of a hash, to its slot */
	size_t mask;
};

/* False without memory. */
bool tl_pfile_texts_add(struct tl_pfile_texts *texts, const char *text);
/* Give out ranks, after the last addition. The text "" always has rank 0. False without memory. */
bool tl_pfile_texts_sort(struct tl_pfile_texts *texts);

static inline size_t tl_pfile_text_at(const struct tl_pfile_texts *texts, const char *text)
{
	return (size_t)((uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u >> texts->shift);
}

/* The rank of a text that was added. */
static inline uint32_t tl_pfile_text_rank(const struct tl_pfile_texts *texts, const char *text)
{
	size_t at = tl_pfile_text_at(texts, text);

	while (texts->slots[at].text != text)
		at = (at + 1) & texts->mask;
	return texts->rank[texts->slots[at].number];
}

void tl_pfile_texts_free(struct tl_pfile_texts *texts);

#endif
