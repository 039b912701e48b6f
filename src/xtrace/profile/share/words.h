/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PROFILE_WORDS_H
#define TL_XTRACE_PROFILE_WORDS_H
/* Numbers that the shares of a stream tell each other, one behind the other. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/memory.h"

struct tl_xtrace_words {
	uint64_t *list;
	size_t count, capacity;
	bool no_memory;
};

/* Words of somebody else, in bytes of any alignment. */
struct tl_xtrace_words_read {
	const uint8_t *data;
	size_t count, next;
	bool bad; /* they end too early, or a number is none that can be */
};

static inline void tl_xtrace_words_put(struct tl_xtrace_words *words, uint64_t word)
{
	if (words->no_memory ||
	    !tl_grow(&words->list, &words->capacity, words->count + 1, sizeof(*words->list))) {
		words->no_memory = true;
		return;
	}
	words->list[words->count++] = word;
}

/* A number up to `most`; 0 if it is none. */
static inline uint64_t tl_xtrace_words_get(struct tl_xtrace_words_read *words, uint64_t most)
{
	uint64_t word = 0;

	if (words->next < words->count)
		memcpy(&word, words->data + sizeof(word) * words->next++, sizeof(word));
	else
		words->bad = true;
	words->bad |= word > most;
	return words->bad ? 0 : word;
}

#endif
