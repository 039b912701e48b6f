/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of contexts, and those of lines, arcs, jumps and durations, refer to functions and parts
 * only. So two threads merge them, each with cursors of its own over the same pieces.
 */
#include <stdlib.h>

#include "core/error.h"
#include "core/pool.h"
#include "profile/kway/kway_merging.h"

/* ---- what is whose ---- */

static uint64_t fields_of(const struct tl_kway_merging *m, unsigned section)
{
	uint64_t rows = 0;

	if (section == TL_PFILE_CONTEXTS && !m->contexts)
		return 0;
	for (size_t i = 0; i < m->count; i++)
		rows += m->pieces[i]->rows[section];
	return rows * tl_pfile_fields(section, m->whole->event_count);
}

/*
 * The first section of the second half, so that the larger half is as small as it can be. Samples
 * stay with durations, which say how they are kept.
 */
static enum tl_pfile_section second_half(const struct tl_kway_merging *m)
{
	uint64_t all = 0, before = 0, best = UINT64_MAX;
	unsigned first = TL_PFILE_LINES;

	for (unsigned section = TL_PFILE_CONTEXTS; section <= TL_PFILE_SAMPLES; section++)
		all += fields_of(m, section);
	for (unsigned section = TL_PFILE_LINES; section <= TL_PFILE_DURATIONS; section++) {
		uint64_t larger;

		before += fields_of(m, section - 1);
		larger = before > all - before ? before : all - before;
		if (larger < best)
			first = section;
		if (larger < best)
			best = larger;
	}
	return (enum tl_pfile_section)first;
}

/* ---- a half ---- */

struct half {
	struct tl_kway_merging m;
	struct tl_kway_piece *pieces, **list; /* of the second half: copies */
	enum tl_pfile_section first, last;
	struct tl_output *out;
	struct tl_error err;
	int status;
};

/* What is the first half's stays so; cursors and their rows are the copy's own. */
static bool copy_piece(struct tl_kway_piece *copy, const struct tl_kway_piece *piece)
{
	const uint32_t events = piece->whole->event_count;

	*copy = *piece;
	copy->reader = tl_pfile_share(&piece->reader, 0, piece->reader.count);
	copy->cursor = (struct tl_kway_cursor){ .reader = NULL };
	copy->row = calloc((size_t)TL_PFILE_LOSSES + 16 + events, sizeof(*copy->row));
	copy->key = calloc(sizeof(tl_kway_keys[0].kinds), sizeof(*copy->key));
	return copy->row && copy->key;
}

static bool copy_pieces(struct half *half)
{
	const size_t count = half->m.count;
	bool ok;

	half->pieces = calloc(count + 1, sizeof(*half->pieces));
	half->list = calloc(count + 1, sizeof(struct tl_kway_piece *));
	ok = half->pieces && half->list;
	for (size_t i = 0; ok && i < count; i++) {
		half->list[i] = &half->pieces[i];
		ok = copy_piece(half->list[i], half->m.pieces[i]);
	}
	return ok;
}

static bool has_contexts(const struct tl_kway_merging *m)
{
	return fields_of(m, TL_PFILE_CONTEXTS) != 0;
}

/* The same merge, with all that changes in it apart. */
static int begin_second(struct half *half, const struct tl_kway_merging *m, int spare,
			struct tl_error *err)
{
	int status;

	half->m = *m;
	half->m.writer = NULL;
	half->m.sum =
		calloc((size_t)TL_PFILE_LOSSES + 16 + m->whole->event_count, sizeof(*half->m.sum));
	half->m.heap.list = malloc((m->count + 1) * sizeof(*half->m.heap.list));
	half->m.durations = NULL;
	half->m.duration_count = half->m.duration_capacity = 0;
	if (!half->m.sum || !half->m.heap.list || !copy_pieces(half))
		return tl_error_memory(err);
	half->m.pieces = half->list;
	status = tl_output_open_descriptor(&half->out, spare, err);
	if (status == 0)
		status = tl_pfile_writer_open(&half->m.writer, half->out, m->whole->event_count,
					      err);
	if (status == 0)
		tl_pfile_writer_follow(half->m.writer, has_contexts(m));
	return status;
}

static void end_second(struct half *half)
{
	for (size_t i = 0; half->pieces && i < half->m.count; i++) {
		tl_pfile_share_end(&half->pieces[i].reader);
		free(half->pieces[i].row);
		free(half->pieces[i].key);
	}
	tl_pfile_writer_close(half->m.writer);
	tl_output_discard(half->out);
	free(half->pieces);
	free(half->list);
	free(half->m.sum);
	free(half->m.heap.list);
	free(half->m.durations);
}

static int merge_half(void *arg, size_t task)
{
	struct half *half = (struct half *)arg + task;

	half->status = tl_kway_merge_sections(&half->m, half->first, half->last, &half->err);
	return half->status;
}

static int merge_both(struct half *halves, struct tl_error *err)
{
	int status = tl_pool_run(2, 2, merge_half, halves);

	if (status < 0 && err)
		*err = halves[halves[0].status == 0].err;
	if (status == 0)
		status = tl_pfile_writer_stop(halves[1].m.writer, err);
	return status;
}

static int commit(struct half *half, struct tl_error *err)
{
	struct tl_output *out = half->out;

	half->out = NULL;
	return tl_output_commit(out, err);
}

/* ---- the whole ---- */

int tl_kway_merge_halves(struct tl_kway_merging *m, int spare, struct tl_error *err)
{
	struct half halves[2] = { { .last = TL_PFILE_SAMPLES }, { .last = TL_PFILE_SAMPLES } };
	int status = tl_kway_merge_sections(m, TL_PFILE_FUNCTIONS, TL_PFILE_PARTS, err);

	if (status < 0)
		return status;
	halves[0].m = *m;
	halves[0].first = TL_PFILE_CONTEXTS;
	halves[1].first = second_half(m);
	halves[0].last = (enum tl_pfile_section)(halves[1].first - 1);
	status = begin_second(&halves[1], m, spare, err);
	if (status == 0)
		status = merge_both(halves, err);
	/* What grew in the first half is the whole's. */
	m->durations = halves[0].m.durations;
	m->duration_count = halves[0].m.duration_count;
	m->duration_capacity = halves[0].m.duration_capacity;
	if (status == 0)
		status = commit(&halves[1], err);
	if (status == 0)
		status = tl_pfile_writer_append(m->writer, spare, err);
	end_second(&halves[1]);
	return status;
}
