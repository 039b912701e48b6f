/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/kway/kway.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/canon/canon.h"
#include "profile/file/file_write.h"
#include "profile/kway/kway_merging.h"

/* ---- whether sums fit ---- */

/*
 * Costs of contexts are added up along their paths, and those of lines and arcs of a profile of
 * sums by function. Where there are contexts, lines and arcs are only added to their like.
 */
static uint64_t bound_of(const struct tl_kway_piece *piece, unsigned section)
{
	bool contexts = piece->rows[TL_PFILE_CONTEXTS];
	bool alone = section == TL_PFILE_JUMPS || section == TL_PFILE_PARTS ||
		     (contexts && (section == TL_PFILE_LINES || section == TL_PFILE_ARCS));

	return alone ? piece->bounds[section].peak : piece->bounds[section].sum;
}

bool tl_kway_fits(struct tl_kway_piece *const *pieces, size_t count)
{
	for (unsigned section = TL_PFILE_PARTS; section <= TL_PFILE_SAMPLES; section++) {
		uint64_t bound = 0;

		for (size_t i = 0; i < count; i++)
			if (__builtin_add_overflow(bound, bound_of(pieces[i], section), &bound) ||
			    bound > INT64_MAX)
				return false;
	}
	return true;
}

/* ---- what is said once ---- */

static bool keeps_contexts(const struct tl_kway_merging *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const uint64_t *rows = m->pieces[i]->rows;

		if (!rows[TL_PFILE_CONTEXTS] && (rows[TL_PFILE_LINES] || rows[TL_PFILE_ARCS]))
			return false;
	}
	return true;
}

static bool keeps_durations(const struct tl_kway_merging *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->pieces[i]->rows[TL_PFILE_DURATIONS] && !m->pieces[i]->exact)
			return false;
	return true;
}

/* Profiles that have nothing but heads, events and notes are merged as any others are. */
static int merge_wholes(struct tl_kway_merging *m, struct tl_error *err)
{
	const struct tl_profile **list = malloc((m->count + 1) * sizeof(*list));
	int status = tl_error_unless_made(list, err);

	for (size_t i = 0; list && i < m->count; i++)
		list[i] = m->pieces[i]->whole;
	if (status == 0)
		status = tl_profile_merge(&m->whole, list, m->count, err);
	if (status == 0)
		m->whole->durations.exact = m->exact;
	free(list);
	return status;
}

static uint32_t find_event(const struct tl_profile *whole, const char *name)
{
	uint32_t e = 0;

	while (strcmp(whole->events[e].name, name) != 0)
		e++;
	return e;
}

static bool make_maps(struct tl_kway_piece *piece, const struct tl_profile *whole)
{
	uint32_t events = piece->whole->event_count;
	const uint64_t *rows = piece->rows;

	piece->strings = tl_alloc_many(rows[TL_PFILE_STRINGS] + 1, sizeof(uint32_t));
	piece->functions = tl_alloc_many(rows[TL_PFILE_FUNCTIONS] + 1, sizeof(uint32_t));
	piece->parts = tl_alloc_many(rows[TL_PFILE_PARTS] + 1, sizeof(uint32_t));
	piece->contexts = tl_alloc_many(rows[TL_PFILE_CONTEXTS] + 1, sizeof(uint32_t));
	piece->events = malloc(((size_t)events + 1) * sizeof(uint32_t));
	piece->row = calloc((size_t)TL_PFILE_LOSSES + 16 + events, sizeof(*piece->row));
	piece->key = calloc(sizeof(tl_kway_keys[0].kinds), sizeof(*piece->key));
	for (uint32_t e = 0; piece->events && e < events; e++)
		piece->events[e] = find_event(whole, piece->whole->events[e].name);
	return piece->strings && piece->functions && piece->parts && piece->contexts &&
	       piece->events && piece->row && piece->key;
}

static bool prepare(struct tl_kway_merging *m)
{
	bool room = true;

	m->sum = calloc((size_t)TL_PFILE_LOSSES + 16 + m->whole->event_count, sizeof(*m->sum));
	m->heap.list = malloc((m->count + 1) * sizeof(*m->heap.list));
	for (size_t i = 0; room && i < m->count; i++)
		room = make_maps(m->pieces[i], m->whole);
	return room && m->sum && m->heap.list && tl_pfile_said_texts(&m->texts, m->whole) &&
	       tl_pfile_texts_sort(&m->texts);
}

/* ---- the whole ---- */

static int write_all(struct tl_kway_merging *m, int spare, struct tl_output *out,
		     struct tl_error *err)
{
	int status = tl_pfile_writer_open(&m->writer, out, m->whole->event_count, err);

	if (status == 0)
		status = tl_kway_merge_strings(m, err);
	if (status < 0)
		return status;
	tl_pfile_write_said(m->writer, m->whole, &m->texts, m->sum);
	status = spare >= 0 ? tl_kway_merge_halves(m, spare, err)
			    : tl_kway_merge_sections(m, TL_PFILE_FUNCTIONS, TL_PFILE_SAMPLES, err);
	if (status < 0)
		return status;
	return tl_pfile_writer_end(m->writer, err);
}

static void free_merging(struct tl_kway_merging *m)
{
	tl_pfile_writer_close(m->writer);
	tl_pfile_texts_free(&m->texts);
	tl_profile_free(m->whole);
	free(m->heap.list);
	free(m->sum);
	free(m->durations);
}

int tl_kway_merge(struct tl_kway_piece *const *pieces, size_t count, int spare,
		  struct tl_output *out, struct tl_kway_result *result, struct tl_error *err)
{
	struct tl_kway_merging m = { .pieces = pieces, .count = count };
	int status;

	m.exact = keeps_durations(&m);
	m.contexts = keeps_contexts(&m);
	status = merge_wholes(&m, err);
	if (status == 0 && !prepare(&m))
		status = tl_error_memory(err);
	if (status == 0)
		status = write_all(&m, spare, out, err);
	*result = (struct tl_kway_result){ .has_contexts = false };
	if (status == 0)
		result->losses = m.whole->losses;
	for (size_t i = 0; i < count; i++)
		result->had_contexts |= pieces[i]->rows[TL_PFILE_CONTEXTS] != 0;
	result->has_contexts = result->had_contexts && m.contexts;
	free_merging(&m);
	return status;
}
