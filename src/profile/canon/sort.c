/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/canon/sort.h"

#include <string.h>

#include "core/arithmetic.h"

static int compare_rows(const uint64_t *left, const uint64_t *right, unsigned keys)
{
	for (unsigned i = 0; i < keys; i++)
		if (left[i] != right[i])
			return tl_compare(left[i], right[i]);
	return 0;
}

/* Mostly elements come sorted: then no room is needed for their keys. */
static bool is_sorted(const struct tl_pfile_sorter *s, const uint32_t *numbers, size_t count)
{
	uint64_t rows[2][TL_PFILE_MOST_KEYS];

	if (!count)
		return true;
	s->key(s->canon, numbers[0], rows[0]);
	for (size_t i = 1; i < count; i++) {
		s->key(s->canon, numbers[i], rows[i % 2]);
		if (compare_rows(rows[(i - 1) % 2], rows[i % 2], s->keys) > 0)
			return false;
	}
	return true;
}

bool tl_pfile_sorter_room(struct tl_pfile_sorter *s, size_t count)
{
	return tl_grow(&s->rows, &s->row_room, count * s->keys, sizeof(*s->rows)) &&
	       tl_grow(&s->from, &s->from_room, count, sizeof(*s->from)) &&
	       tl_grow(&s->to, &s->to_room, count, sizeof(*s->to)) &&
	       tl_grow(&s->ends, &s->end_room, count, sizeof(*s->ends)) &&
	       tl_grow(&s->numbers, &s->number_room, count, sizeof(*s->numbers));
}

/* ---- keys ---- */

/* The key of each element, which is made once and compared many times; and their extremes. */
static void make_rows(struct tl_pfile_sorter *s, size_t count, uint64_t *least, uint64_t *most)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t *row = s->rows + i * s->keys;

		if (s->fetch && i + TL_PFILE_AHEAD < count)
			s->fetch(s->canon->profile, s->numbers[i + TL_PFILE_AHEAD]);
		s->key(s->canon, s->numbers[i], row);
		for (unsigned k = 0; k < s->keys; k++) {
			least[k] = i ? tl_min(least[k], row[k]) : row[k];
			most[k] = i ? tl_max(most[k], row[k]) : row[k];
		}
	}
}

/* How many bits numbers up to `most` have. */
static unsigned bits_of(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* Keys as one number, the first key in its highest bits, the place in its lowest. */
static void pack_keys(struct tl_pfile_sorter *s, size_t count, const uint64_t *least,
		      const unsigned *bits)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t *row = s->rows + i * s->keys;
		uint64_t packed = 0;

		for (unsigned k = 0; k < s->keys; k++)
			if (bits[k])
				packed = packed << bits[k] | (row[k] - least[k]);
		s->from[i] = packed << bits[s->keys] | i;
	}
}

/* False: the keys differ too much for that. */
static bool make_packed(struct tl_pfile_sorter *s, size_t count)
{
	uint64_t least[TL_PFILE_MOST_KEYS], most[TL_PFILE_MOST_KEYS];
	unsigned bits[TL_PFILE_MOST_KEYS + 1], sum = 0;

	make_rows(s, count, least, most);
	for (unsigned k = 0; k < s->keys; k++)
		sum += bits[k] = bits_of(most[k] - least[k]);
	sum += bits[s->keys] = bits_of(count - 1);
	if (sum >= 64)
		return false;
	pack_keys(s, count, least, bits);
	return true;
}

/* ---- runs ---- */

static void find_runs(struct tl_pfile_sorter *s, size_t count)
{
	s->runs = 0;
	for (size_t i = 1; i < count; i++)
		if (s->from[i] < s->from[i - 1])
			s->ends[s->runs++] = (uint32_t)i;
	s->ends[s->runs++] = (uint32_t)count;
}

/* From `begin` to `middle` and from there to `end`, each in order. No two numbers are equal. */
static void merge_two(const struct tl_pfile_sorter *s, size_t begin, size_t middle, size_t end)
{
	size_t left = begin, right = middle, at = begin;

	/* Which side is less is hard to foresee, so there is no branch on it. */
	while (left < middle && right < end) {
		uint64_t a = s->from[left], b = s->from[right];

		s->to[at++] = tl_min(a, b);
		left += a < b;
		right += a > b;
	}
	memcpy(s->to + at, s->from + left, (middle - left) * sizeof(*s->to));
	at += middle - left;
	memcpy(s->to + at, s->from + right, (end - right) * sizeof(*s->to));
}

/* Runs are merged two by two, which leaves half as many. */
static void merge_runs(struct tl_pfile_sorter *s)
{
	uint64_t *swap = s->from;
	size_t runs = 0, begin = 0;

	for (size_t i = 0; i < s->runs; i += 2) {
		size_t end = s->ends[tl_min(i + 1, s->runs - 1)];

		merge_two(s, begin, s->ends[i], end);
		s->ends[runs++] = (uint32_t)end;
		begin = end;
	}
	s->runs = runs;
	s->from = s->to;
	s->to = swap;
}

void tl_pfile_sort_packed(struct tl_pfile_sorter *s, size_t count)
{
	find_runs(s, count);
	while (s->runs > 1)
		merge_runs(s);
}

static void sort_packed(struct tl_pfile_sorter *s, uint32_t *numbers, size_t count)
{
	const uint64_t places = (UINT64_C(1) << bits_of(count - 1)) - 1;

	tl_pfile_sort_packed(s, count);
	for (size_t i = 0; i < count; i++)
		numbers[i] = s->numbers[s->from[i] & places];
}

/* ---- the whole ---- */

static int compare(const void *a, const void *b, void *context)
{
	const struct tl_pfile_sorter *s = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order =
		compare_rows(s->rows + (size_t)x * s->keys, s->rows + (size_t)y * s->keys, s->keys);

	return order ? order : tl_compare(x, y);
}

static void sort_rows(struct tl_pfile_sorter *s, uint32_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)i;
	qsort_r(numbers, count, sizeof(*numbers), compare, s);
	for (size_t i = 0; i < count; i++)
		numbers[i] = s->numbers[numbers[i]];
}

bool tl_pfile_sort(struct tl_pfile_sorter *s, uint32_t *numbers, size_t count)
{
	if (is_sorted(s, numbers, count))
		return true;
	if (!tl_pfile_sorter_room(s, count))
		return false;
	memcpy(s->numbers, numbers, count * sizeof(*numbers));
	if (make_packed(s, count))
		sort_packed(s, numbers, count);
	else
		sort_rows(s, numbers, count);
	return true;
}

void tl_pfile_sorter_free(struct tl_pfile_sorter *s)
{
	free(s->rows);
	free(s->from);
	free(s->to);
	free(s->ends);
	free(s->numbers);
}
