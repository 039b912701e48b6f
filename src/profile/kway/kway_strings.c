/* SPDX-License-Identifier: Apache-2.0 */
/* The strings of all pieces, each once. */
#include <string.h>

#include "core/error.h"
#include "profile/kway/kway_merging.h"

/* List `count` of the heap is that of the texts that are said once. */
struct strings {
	struct tl_kway_merging *m;
	uint32_t said; /* the next one of that list */
	uint32_t *ranks;
};

static const char *present(const struct strings *s, uint32_t list)
{
	const struct tl_pfile_texts *texts = &s->m->texts;

	return list < s->m->count ? s->m->pieces[list]->cursor.text
				  : texts->list[texts->sorted[s->said]];
}

static int compare_strings(const void *context, uint32_t a, uint32_t b)
{
	return strcmp(present(context, a), present(context, b));
}

/* The next string that an element has. 1, 0 at the end. */
static int advance(struct strings *s, uint32_t list, struct tl_error *err)
{
	struct tl_kway_piece *piece;
	int status;

	if (list == s->m->count)
		return ++s->said < s->m->texts.sorted_count;
	piece = s->m->pieces[list];
	do
		status = tl_kway_cursor_next_string(&piece->cursor, err);
	while (status == 1 && !piece->used[piece->cursor.number]);
	return status;
}

static void set_rank(struct strings *s, uint32_t list, uint32_t rank)
{
	if (list == s->m->count)
		s->ranks[s->said] = rank;
	else
		s->m->pieces[list]->strings[s->m->pieces[list]->cursor.number] = rank;
}

/* Write the least string, and go on in all lists that have it. */
static int take_string(struct strings *s, uint32_t rank, char **text, size_t *room,
		       struct tl_error *err)
{
	struct tl_kway_heap *heap = &s->m->heap;
	const char *first = present(s, heap->list[0]);
	size_t size = strlen(first);
	int status = 0;

	if (!tl_grow(text, room, size + 1, 1))
		return tl_error_memory(err);
	memcpy(*text, first, size + 1);
	tl_pfile_write_string(s->m->writer, *text, size);
	while (status >= 0 && heap->count && !strcmp(present(s, heap->list[0]), *text)) {
		set_rank(s, heap->list[0], rank);
		status = advance(s, heap->list[0], err);
		if (status == 1)
			tl_kway_heap_moved(heap);
		else if (status == 0)
			tl_kway_heap_pop(heap);
	}
	return tl_error_or_end(status);
}

static int begin(struct strings *s, struct tl_error *err)
{
	int status = 1;

	for (uint32_t i = 0; status >= 0 && i < s->m->count; i++) {
		struct tl_kway_piece *piece = s->m->pieces[i];

		tl_kway_cursor_begin(&piece->cursor, &piece->reader, TL_PFILE_STRINGS, 0, NULL);
		status = advance(s, i, err);
		if (status == 1)
			tl_kway_heap_push(&s->m->heap, i);
	}
	if (status >= 0)
		tl_kway_heap_push(&s->m->heap, (uint32_t)s->m->count);
	return tl_error_or_end(status);
}

/* By number of a text: the rank among all. */
static void rank_texts(const struct strings *s)
{
	struct tl_pfile_texts *texts = &s->m->texts;

	for (size_t i = 0; i < texts->count; i++)
		texts->rank[i] = s->ranks[texts->rank[i]];
}

int tl_kway_merge_strings(struct tl_kway_merging *m, struct tl_error *err)
{
	struct strings s = { .m = m };
	size_t room = 0;
	char *text = NULL;
	uint32_t rank = 0;
	int status;

	s.ranks = malloc(((size_t)m->texts.sorted_count + 1) * sizeof(*s.ranks));
	if (!s.ranks)
		return tl_error_memory(err);
	m->heap.count = 0;
	m->heap.compare = compare_strings;
	m->heap.context = &s;
	tl_pfile_begin(m->writer, TL_PFILE_STRINGS);
	status = begin(&s, err);
	while (status == 0 && m->heap.count)
		status = take_string(&s, rank++, &text, &room, err);
	if (status == 0)
		rank_texts(&s);
	free(s.ranks);
	free(text);
	return status;
}
