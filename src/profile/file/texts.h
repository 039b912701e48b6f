/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_TEXTS_H
#define TL_PROFILE_FILE_TEXTS_H
/* The texts that a profile uses, each with its place in the order of their bytes. */
#include "core/memory.h"

enum { TL_PFILE_TEXT_CACHE = 1024 };

/* Zero-filled is empty. */
struct tl_pfile_texts {
	const char **list; /* by number: in the order they were added */
	size_t count, capacity;
	struct tl_index index; /* by address: the texts of a profile are interned */
	uint32_t *rank;        /* by number */
	uint32_t *sorted;      /* numbers in the order of ranks, each text once */
	uint32_t sorted_count;
	struct tl_pfile_text_slot {
		const char *text;
		uint32_t rank;
	} cache[TL_PFILE_TEXT_CACHE];
};

/* False without memory. */
bool tl_pfile_texts_add(struct tl_pfile_texts *texts, const char *text);
/* Give out ranks, after the last addition. The text "" always has rank 0. False without memory. */
bool tl_pfile_texts_sort(struct tl_pfile_texts *texts);
/* The rank of a text that was added. */
uint32_t tl_pfile_text_rank(struct tl_pfile_texts *texts, const char *text);
void tl_pfile_texts_free(struct tl_pfile_texts *texts);

#endif
