/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of functions, packed as numbers: by function the maker's number (as difference), finished
 * calls, those whose end is not known, ticks of three kinds; then the durations one by one, or
 * where these are too many, extremes and buckets that count some, as the distance from the one
 * before.
 */
#include "core/arithmetic.h"
#include "open/window/tile_sums.h"

enum { BUCKETS = 1 << TL_LATENCY_SUB_BITS, ALL_BUCKETS = TL_LATENCY_OCTAVES * BUCKETS };

static bool pack_buckets(const struct tl_latencies *l, struct tl_packed *rows)
{
	unsigned before = 0;
	bool packed = tl_pack_number(rows, l->min) && tl_pack_number(rows, l->max);

	for (unsigned i = 0; packed && i < ALL_BUCKETS; i++) {
		const uint64_t *octave = l->octaves[i / BUCKETS];

		if (!octave || !octave[i % BUCKETS])
			continue;
		packed = tl_pack_number(rows, i + 1 - before) &&
			 tl_pack_number(rows, octave[i % BUCKETS]);
		before = i + 1;
	}
	return packed && tl_pack_number(rows, 0);
}

static bool pack_durations(const struct tl_latencies *l, struct tl_packed *rows)
{
	if (l->octaves)
		return pack_buckets(l, rows);
	for (size_t i = 0; i < l->sample_count; i++)
		if (!tl_pack_number(rows, l->samples[i]))
			return false;
	return true;
}

static bool pack_row(const struct tl_flat_row *row, const struct tl_latencies *l,
		     struct tl_packed *rows)
{
	return tl_pack_number(rows, row->calls << 1 | (l->octaves != NULL)) &&
	       tl_pack_number(rows, row->cut) && tl_pack_number(rows, row->ticks) &&
	       tl_pack_number(rows, row->self) && tl_pack_number(rows, row->inclusive) &&
	       pack_durations(l, rows);
}

bool tl_tile_rows_pack(const struct tl_sums *s, struct tl_packed *rows)
{
	const struct tl_flat *flat = &s->flat;
	uint32_t before = 0;

	for (uint32_t i = 0; i < flat->function_count; i++) {
		const struct tl_flat_row *row = &flat->hot.rows[i];

		if (!row->calls && !row->cut && !row->self && !row->inclusive)
			continue;
		if (!tl_pack_number(rows, i - before) ||
		    !pack_row(row, &flat->hot.latencies[i], rows))
			return false;
		before = i;
	}
	return true;
}

/* ---- reading: the bytes are our own ---- */

static uint64_t take(struct tl_cursor *cur)
{
	uint64_t number = 0;

	tl_get_varint(cur, &number);
	return number;
}

static void add_buckets(struct tl_cursor *cur, struct tl_latencies *l, struct tl_flat *flat)
{
	uint64_t min = take(cur), max = take(cur), gap;
	unsigned bucket = 0;

	l->min = tl_min(l->min, min);
	l->max = tl_max(l->max, max);
	while ((gap = take(cur)) != 0) {
		bucket += (unsigned)gap;
		flat->no_memory |= !tl_latency_add_bucket(l, (bucket - 1) / BUCKETS,
							  (bucket - 1) % BUCKETS, take(cur));
	}
}

static void add_row(struct tl_cursor *cur, uint32_t number, struct tl_flat *flat)
{
	struct tl_flat_row *row = &flat->hot.rows[number];
	struct tl_latencies *l = &flat->hot.latencies[number];
	uint64_t head = take(cur), calls = head >> 1;

	row->calls += calls;
	row->cut += take(cur);
	flat->refused |= __builtin_add_overflow(row->ticks, take(cur), &row->ticks);
	row->self += take(cur);
	row->inclusive += take(cur);
	if (head & 1) {
		add_buckets(cur, l, flat);
		return;
	}
	for (uint64_t i = 0; i < calls; i++)
		flat->no_memory |= !tl_latency_note(l, take(cur), false);
}

void tl_tile_rows_add(const struct tl_packed *rows, const struct tl_sums *from, struct tl_sums *to)
{
	struct tl_cursor cur = tl_cursor_over(rows->bytes, rows->size);
	uint64_t row = 0;

	while (tl_cursor_left(&cur) && tl_sums_can_go_on(to)) {
		uint32_t number;

		row += take(&cur);
		number = tl_sums_function(to, from->indexed[row]);
		if (number != TL_NONE)
			add_row(&cur, number, &to->flat);
	}
}
