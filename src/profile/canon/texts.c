/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/canon/texts.h"

#include <string.h>

#include <tracelathe/core.h>

static const char **slot_of(struct tl_pfile_texts *texts, const char *text)
{
	return &texts->cache[tl_hash64((uintptr_t)text) % TL_PFILE_TEXT_CACHE];
}

static bool same_text(const void *context, const void *key, uint32_t number)
{
	return ((const struct tl_pfile_texts *)context)->list[number] == key;
}

static uint32_t find(const struct tl_pfile_texts *texts, const char *text)
{
	return tl_index_find(&texts->index, tl_hash64((uintptr_t)text), same_text, texts, text);
}

bool tl_pfile_texts_add(struct tl_pfile_texts *texts, const char *text)
{
	const char **slot = slot_of(texts, text);

	if (*slot == text)
		return true;
	*slot = text;
	if (find(texts, text) != TL_NONE)
		return true;
	if (texts->count >= TL_NONE - 1 ||
	    !tl_grow(&texts->list, &texts->capacity, texts->count + 1, sizeof(*texts->list)) ||
	    !tl_index_add(&texts->index, tl_hash64((uintptr_t)text), (uint32_t)texts->count))
		return false;
	texts->list[texts->count++] = text;
	return true;
}

static int compare_texts(const void *a, const void *b, void *context)
{
	const struct tl_pfile_texts *texts = context;

	return strcmp(texts->list[*(const uint32_t *)a], texts->list[*(const uint32_t *)b]);
}

/* Each address once. */
static bool fill_slots(struct tl_pfile_texts *texts)
{
	unsigned bits = 2;

	while ((size_t)1 << bits < texts->count * 4)
		bits++;
	texts->slots = calloc((size_t)1 << bits, sizeof(*texts->slots));
	texts->mask = ((size_t)1 << bits) - 1;
	texts->shift = 64 - bits;
	for (size_t i = 0; texts->slots && i < texts->count; i++) {
		size_t at = tl_pfile_text_at(texts, texts->list[i]);

		while (texts->slots[at].text)
			at = (at + 1) & texts->mask;
		texts->slots[at] = (struct tl_pfile_text_slot){ texts->list[i], (uint32_t)i };
	}
	return texts->slots;
}

bool tl_pfile_texts_sort(struct tl_pfile_texts *texts)
{
	uint32_t last = 0;

	if (!tl_pfile_texts_add(texts, ""))
		return false;
	texts->rank = malloc(texts->count * sizeof(*texts->rank));
	texts->sorted = malloc(texts->count * sizeof(*texts->sorted));
	if (!texts->rank || !texts->sorted)
		return false;
	for (size_t i = 0; i < texts->count; i++)
		texts->sorted[i] = (uint32_t)i;
	qsort_r(texts->sorted, texts->count, sizeof(*texts->sorted), compare_texts, texts);
	/* One text may have been added at two addresses. */
	for (size_t i = 0; i < texts->count; i++) {
		uint32_t number = texts->sorted[i];

		if (i && strcmp(texts->list[texts->sorted[last]], texts->list[number]) != 0)
			texts->sorted[++last] = number;
		texts->rank[number] = last;
	}
	texts->sorted_count = last + 1;
	return fill_slots(texts);
}

void tl_pfile_texts_free(struct tl_pfile_texts *texts)
{
	free(texts->list);
	free(texts->rank);
	free(texts->sorted);
	free(texts->slots);
	tl_index_free(&texts->index);
	*texts = (struct tl_pfile_texts){ 0 };
}
