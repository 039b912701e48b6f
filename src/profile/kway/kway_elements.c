/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections with elements. Names have the same order in every file, so a map from the numbers of a
 * piece to those of the result goes up, and the rows of a piece stay sorted when their keys are
 * translated.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/file/file_write.h"
#include "profile/file/reading.h"
#include "profile/kway/kway_merging.h"

/* How the elements of a section are merged. */
struct kind {
	enum tl_pfile_section section;
	/* Add a row, whose keys are `key`, to `sum`, which is the same element. */
	void (*add)(struct tl_kway_merging *m, const struct tl_kway_piece *piece, uint64_t *sum);
	/* The element is complete; NULL: it is written as it is. */
	int (*end)(struct tl_kway_merging *m, uint64_t *sum, struct tl_error *err);
	/* Where a piece keeps the numbers of these elements in the result. */
	uint32_t *(*map)(const struct tl_kway_piece *piece);
};

/* ---- keys ---- */

static uint64_t translate(const struct tl_kway_piece *piece, enum tl_kway_key kind, uint64_t key)
{
	switch (kind) {
	case TL_KWAY_STRING:
		return piece->strings[key];
	case TL_KWAY_CALLER:
		return key == TL_NONE ? key : piece->functions[key];
	case TL_KWAY_FUNCTION:
		return piece->functions[key];
	case TL_KWAY_PART:
		return key == TL_NONE ? key : piece->parts[key];
	case TL_KWAY_ABOVE:
		return key ? (uint64_t)piece->contexts[key - 1] + 1 : 0;
	default:
		return key;
	}
}

/* The durations of a function, maybe in a part, as they were written. */
static const struct tl_kway_duration *find_duration(const struct tl_kway_merging *m,
						    uint64_t function, uint64_t part)
{
	size_t low = 0, high = m->duration_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tl_kway_duration *d = &m->durations[middle];

		if (d->function < function || (d->function == function && d->part < part))
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->duration_count ? &m->durations[low] : NULL;
}

/* In a histogram the least duration of a bucket stands for all in it. */
static uint64_t least_of_bucket(uint64_t ticks)
{
	unsigned shift = tl_latency_shift(tl_latency_octave(ticks));

	return ticks >> shift << shift;
}

static void translate_row(const struct tl_kway_merging *m, const struct tl_kway_piece *piece,
			  enum tl_pfile_section section)
{
	const uint8_t *kinds = tl_kway_keys[section].kinds;
	const struct tl_kway_duration *d;

	for (unsigned i = 0; i < tl_pfile_layouts[section].keys; i++)
		piece->key[i] = translate(piece, (enum tl_kway_key)kinds[i], piece->row[i]);
	if (section != TL_PFILE_SAMPLES)
		return;
	d = find_duration(m, piece->key[0], piece->key[1]);
	if (d && d->histogram)
		piece->key[2] = least_of_bucket(piece->key[2]);
}

/* Without call stacks a profile keeps no durations by part. */
static bool is_wanted(const struct tl_kway_merging *m, enum tl_pfile_section section,
		      const uint64_t *row)
{
	return m->contexts || section < TL_PFILE_DURATIONS || row[1] == TL_NONE;
}

/* ---- values ---- */

/* Sums fit (tl_kway_fits()). Costs may be negative, which the sum of unsigned ones has right. */
static void add_values(struct tl_kway_merging *m, const struct tl_kway_piece *piece, uint64_t *sum)
{
	const struct tl_kway_cursor *c = &piece->cursor;
	const struct tl_pfile_layout *layout = &tl_pfile_layouts[c->section];
	uint32_t costs = (uint32_t)layout->keys + layout->values;

	(void)m;
	for (uint32_t i = layout->keys; i < costs; i++)
		sum[i] += piece->row[i];
	for (uint32_t i = costs; i < c->fields; i++)
		sum[costs + piece->events[i - costs]] += piece->row[i];
}

static void take_least(uint64_t *least, uint64_t value, uint64_t unknown)
{
	if (value != unknown && (*least == unknown || value < *least))
		*least = value;
}

static void add_function(struct tl_kway_merging *m, const struct tl_kway_piece *piece,
			 uint64_t *sum)
{
	(void)m;
	take_least(&sum[3], piece->key[3], TL_NOWHERE);
	take_least(&sum[4], piece->key[4], 0);
	take_least(&sum[5], piece->key[5], 0);
}

/* Times of the first and last record, where there are some. */
static void add_part(struct tl_kway_merging *m, const struct tl_kway_piece *piece, uint64_t *sum)
{
	enum { FIRST = 5, LAST, RECORDS };
	const uint64_t *row = piece->row;
	bool timed = row[FIRST] || row[LAST], known = sum[FIRST] || sum[LAST];

	(void)m;
	if (timed && (!known || row[FIRST] < sum[FIRST]))
		sum[FIRST] = row[FIRST];
	if (timed && row[LAST] > sum[LAST])
		sum[LAST] = row[LAST];
	for (unsigned i = RECORDS; i <= RECORDS + TL_PFILE_LOSSES; i++)
		sum[i] += row[i];
}

enum { CALLS = 2, SUM, LEAST, GREATEST, SATURATED, HISTOGRAM };

static void add_durations(struct tl_kway_merging *m, const struct tl_kway_piece *piece,
			  uint64_t *sum)
{
	const uint64_t *row = piece->row;

	(void)m;
	if (!sum[CALLS] || row[LEAST] < sum[LEAST])
		sum[LEAST] = row[LEAST];
	if (row[GREATEST] > sum[GREATEST])
		sum[GREATEST] = row[GREATEST];
	sum[CALLS] += row[CALLS];
	sum[SUM] += row[SUM];
	sum[SATURATED] += row[SATURATED];
	sum[HISTOGRAM] |= row[HISTOGRAM] != 0;
}

static int end_durations(struct tl_kway_merging *m, uint64_t *sum, struct tl_error *err)
{
	sum[HISTOGRAM] |= !m->exact && sum[CALLS] > TL_LATENCY_EXACT;
	if (!tl_grow(&m->durations, &m->duration_capacity, m->duration_count + 1,
		     sizeof(*m->durations)))
		return tl_error_memory(err);
	m->durations[m->duration_count++] =
		(struct tl_kway_duration){ (uint32_t)sum[0], (uint32_t)sum[1], sum[HISTOGRAM] };
	tl_pfile_write_row(m->writer, sum);
	return 0;
}

/* ---- one section ---- */

static int compare_keys(const void *context, uint32_t a, uint32_t b)
{
	const struct tl_kway_merging *m = context;
	const uint64_t *x = m->pieces[a]->key, *y = m->pieces[b]->key;
	unsigned identity = tl_kway_keys[m->pieces[a]->cursor.section].identity;

	for (unsigned i = 0; i < identity; i++)
		if (x[i] != y[i])
			return tl_compare(x[i], y[i]);
	return 0;
}

static int advance(const struct tl_kway_merging *m, struct tl_kway_piece *piece,
		   const struct kind *kind, struct tl_error *err)
{
	int status;

	do
		status = tl_kway_cursor_next(&piece->cursor, err);
	while (status == 1 && !is_wanted(m, kind->section, piece->row));
	if (status == 1)
		translate_row(m, piece, kind->section);
	return status;
}

static bool has_key(const struct tl_kway_merging *m, const struct tl_kway_piece *piece)
{
	return !memcmp(piece->key, m->sum,
		       tl_kway_keys[piece->cursor.section].identity * sizeof(*m->sum));
}

/* The least element: of all pieces that have it. */
static int take_element(struct tl_kway_merging *m, const struct kind *kind, uint32_t number,
			struct tl_error *err)
{
	const struct tl_pfile_layout *layout = &tl_pfile_layouts[kind->section];
	struct tl_kway_heap *heap = &m->heap;
	int status = 0;

	memset(m->sum, 0, tl_pfile_fields(kind->section, m->whole->event_count) * sizeof(*m->sum));
	memcpy(m->sum, m->pieces[heap->list[0]]->key, layout->keys * sizeof(*m->sum));
	while (status >= 0 && heap->count && has_key(m, m->pieces[heap->list[0]])) {
		struct tl_kway_piece *piece = m->pieces[heap->list[0]];

		kind->add(m, piece, m->sum);
		if (kind->map)
			kind->map(piece)[piece->cursor.number] = number;
		status = advance(m, piece, kind, err);
		if (status == 1)
			tl_kway_heap_moved(heap);
		else if (status == 0)
			tl_kway_heap_pop(heap);
	}
	if (status < 0)
		return status;
	if (kind->end)
		return kind->end(m, m->sum, err);
	tl_pfile_write_row(m->writer, m->sum);
	return 0;
}

static int begin_kind(struct tl_kway_merging *m, const struct kind *kind, struct tl_error *err)
{
	int status = 0;

	m->heap.count = 0;
	m->heap.compare = compare_keys;
	m->heap.context = m;
	tl_pfile_begin(m->writer, kind->section);
	for (uint32_t i = 0; status >= 0 && i < m->count; i++) {
		struct tl_kway_piece *piece = m->pieces[i];

		tl_kway_cursor_begin(&piece->cursor, &piece->reader, kind->section,
				     piece->whole->event_count, piece->row);
		status = advance(m, piece, kind, err);
		if (status == 1)
			tl_kway_heap_push(&m->heap, i);
	}
	return tl_error_or_end(status);
}

static int merge_kind(struct tl_kway_merging *m, const struct kind *kind, struct tl_error *err)
{
	int status = begin_kind(m, kind, err);

	for (uint32_t number = 0; status == 0 && m->heap.count; number++) {
		if (number == TL_NONE)
			return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
					   "the sum of all files has more elements than a profile "
					   "file holds");
		status = take_element(m, kind, number, err);
	}
	return status;
}

/* ---- all of them ---- */

static uint32_t *function_map(const struct tl_kway_piece *piece)
{
	return piece->functions;
}

static uint32_t *part_map(const struct tl_kway_piece *piece)
{
	return piece->parts;
}

static uint32_t *context_map(const struct tl_kway_piece *piece)
{
	return piece->contexts;
}

static const struct kind kinds[] = {
	{ TL_PFILE_FUNCTIONS, add_function, NULL, function_map },
	{ TL_PFILE_PARTS, add_part, NULL, part_map },
	{ TL_PFILE_CONTEXTS, add_values, NULL, context_map },
	{ TL_PFILE_LINES, add_values, NULL, NULL },
	{ TL_PFILE_ARCS, add_values, NULL, NULL },
	{ TL_PFILE_JUMPS, add_values, NULL, NULL },
	{ TL_PFILE_DURATIONS, add_durations, end_durations, NULL },
	{ TL_PFILE_SAMPLES, add_values, NULL, NULL },
};

int tl_kway_merge_sections(struct tl_kway_merging *m, enum tl_pfile_section first,
			   enum tl_pfile_section last, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].section >= first && kinds[i].section <= last &&
		    (m->contexts || kinds[i].section != TL_PFILE_CONTEXTS))
			status = merge_kind(m, &kinds[i], err);
	return status;
}
