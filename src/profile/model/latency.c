/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/model/latency.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "core/wide.h"

enum { BUCKETS = 1 << TL_LATENCY_SUB_BITS };

/* The counts of an octave, made when they are first asked for. NULL without memory. */
static uint64_t *octave_of(struct tl_latencies *l, unsigned octave)
{
	if (!l->octaves[octave])
		l->octaves[octave] = calloc(BUCKETS, sizeof(**l->octaves));
	return l->octaves[octave];
}

static bool histogram_count(struct tl_latencies *l, uint64_t ticks, uint64_t count)
{
	unsigned octave = tl_latency_octave(ticks);
	uint64_t *counts = octave_of(l, octave);

	if (counts)
		counts[tl_latency_bucket(ticks, octave)] += count;
	return counts != NULL;
}

static bool to_histogram(struct tl_latencies *l)
{
	l->octaves = calloc(TL_LATENCY_OCTAVES, sizeof(*l->octaves));
	if (!l->octaves)
		return false;
	for (size_t i = 0; i < l->sample_count; i++)
		if (!histogram_count(l, l->samples[i], 1))
			return false;
	free(l->samples);
	l->samples = NULL;
	l->sample_count = l->capacity = 0;
	return true;
}

static bool sample(struct tl_latencies *l, uint64_t ticks)
{
	if (!tl_grow(&l->samples, &l->capacity, l->sample_count + 1, sizeof(*l->samples)))
		return false;
	l->samples[l->sample_count++] = ticks;
	return true;
}

bool tl_latency_note_slow(struct tl_latencies *l, uint64_t ticks, bool exact)
{
	if (!l->octaves && (exact || l->sample_count < TL_LATENCY_EXACT))
		return sample(l, ticks);
	return (l->octaves || to_histogram(l)) && histogram_count(l, ticks, 1);
}

bool tl_latency_reserve(struct tl_latencies *l, size_t count, bool exact)
{
	const size_t want = l->sample_count + count;
	uint64_t *samples;

	if (l->octaves || want <= l->capacity || (!exact && want > TL_LATENCY_EXACT))
		return true;
	/* Many functions have a handful: what tl_grow() gives would be twice as much. */
	if (l->sample_count)
		return tl_grow(&l->samples, &l->capacity, want, sizeof(*l->samples));
	samples = malloc(want * sizeof(*samples));
	if (!samples)
		return false;
	free(l->samples);
	l->samples = samples;
	l->capacity = want;
	return true;
}

bool tl_latency_add_bucket(struct tl_latencies *l, unsigned octave, unsigned bucket, uint64_t count)
{
	uint64_t *counts;

	if (!l->octaves && !to_histogram(l))
		return false;
	counts = octave_of(l, octave);
	if (counts)
		counts[bucket] += count;
	return counts != NULL;
}

void tl_latency_total(struct tl_latencies *l, uint64_t calls, uint64_t sum)
{
	l->calls += calls;
	if (__builtin_add_overflow(l->sum, sum, &l->sum)) {
		l->sum = UINT64_MAX;
		l->saturated++;
	}
}

/* The least duration that a bucket counts. */
static uint64_t bucket_low(unsigned octave, unsigned bucket)
{
	uint64_t buckets = octave ? BUCKETS + (uint64_t)bucket : bucket;

	return buckets << tl_latency_shift(octave);
}

static uint64_t bucket_middle(unsigned octave, unsigned bucket)
{
	const uint64_t width = (uint64_t)1 << tl_latency_shift(octave);

	return bucket_low(octave, bucket) + (width - 1) / 2;
}

static bool merge_histogram(struct tl_latencies *into, const struct tl_latencies *from)
{
	for (unsigned o = 0; o < TL_LATENCY_OCTAVES; o++) {
		for (unsigned b = 0; from->octaves[o] && b < BUCKETS; b++)
			if (from->octaves[o][b] &&
			    !histogram_count(into, bucket_low(o, b), from->octaves[o][b]))
				return false;
	}
	return true;
}

static bool append_samples(struct tl_latencies *into, const struct tl_latencies *from)
{
	const size_t count = from->sample_count;

	if (!count)
		return true;
	if (!tl_grow(&into->samples, &into->capacity, into->sample_count + count,
		     sizeof(*into->samples)))
		return false;
	memcpy(into->samples + into->sample_count, from->samples, count * sizeof(*from->samples));
	into->sample_count += count;
	return true;
}

/* The durations of `from`, one way or the other, into the durations of `into`. */
static bool merge_durations(struct tl_latencies *into, const struct tl_latencies *from, bool exact)
{
	bool many = into->sample_count + from->sample_count > TL_LATENCY_EXACT;

	if (!into->octaves && (from->octaves || (many && !exact)) && !to_histogram(into))
		return false;
	if (from->octaves)
		return merge_histogram(into, from);
	if (!into->octaves)
		return append_samples(into, from);
	for (size_t i = 0; i < from->sample_count; i++)
		if (!histogram_count(into, from->samples[i], 1))
			return false;
	return true;
}

bool tl_latency_merge(struct tl_latencies *into, const struct tl_latencies *from, bool exact)
{
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->saturated += from->saturated;
	tl_latency_total(into, from->calls, from->sum);
	return merge_durations(into, from, exact);
}

bool tl_latency_move(struct tl_latencies *into, struct tl_latencies *from, bool exact)
{
	if (into->samples || into->octaves)
		return tl_latency_merge(into, from, exact);
	into->samples = from->samples;
	into->octaves = from->octaves;
	into->sample_count = from->sample_count;
	into->capacity = from->capacity;
	from->samples = NULL;
	from->octaves = NULL;
	from->sample_count = from->capacity = 0;
	return tl_latency_merge(into, from, exact);
}

static bool scale_histogram(struct tl_latencies *to, const struct tl_latencies *from,
			    uint64_t times, uint64_t per)
{
	bool ok = to_histogram(to);

	for (unsigned o = 0; ok && o < TL_LATENCY_OCTAVES; o++)
		for (unsigned b = 0; ok && from->octaves[o] && b < BUCKETS; b++)
			ok = !from->octaves[o][b] ||
			     histogram_count(
				     to, tl_scale_unsigned_nearest(bucket_middle(o, b), times, per),
				     from->octaves[o][b]);
	return ok;
}

bool tl_latency_scale(struct tl_latencies *to, const struct tl_latencies *from, uint64_t times,
		      uint64_t per)
{
	bool ok = true;

	to->calls = from->calls;
	to->sum = tl_scale_unsigned_nearest(from->sum, times, per);
	to->saturated = from->saturated + (to->sum == UINT64_MAX && from->sum < UINT64_MAX);
	if (from->min <= from->max) {
		to->min = tl_scale_unsigned_nearest(from->min, times, per);
		to->max = tl_scale_unsigned_nearest(from->max, times, per);
	}
	for (size_t i = 0; ok && i < from->sample_count; i++)
		ok = sample(to, tl_scale_unsigned_nearest(from->samples[i], times, per));
	return ok && (!from->octaves || scale_histogram(to, from, times, per));
}

/* The value, or the limit that it lies beyond. */
static uint64_t between(uint64_t low, uint64_t value, uint64_t high)
{
	if (value < low)
		return low;
	return tl_min(value, high);
}

/*
 * The middle of the bucket that holds the duration of this rank, no further than the exact
 * extremes.
 */
static uint64_t histogram_rank(const struct tl_latencies *l, uint64_t rank)
{
	for (unsigned o = 0; o < TL_LATENCY_OCTAVES; o++)
		for (unsigned b = 0; l->octaves[o] && b < BUCKETS; b++) {
			if (rank < l->octaves[o][b])
				return between(l->min, bucket_middle(o, b), l->max);
			rank -= l->octaves[o][b];
		}
	return l->max;
}

static uint64_t rank_of(const struct tl_latencies *l, uint64_t rank)
{
	return l->octaves ? histogram_rank(l, rank) : l->samples[rank];
}

/* floor(n * percent / 100) without overflow */
static uint64_t percent_of(uint64_t n, unsigned percent)
{
	return n / 100 * percent + n % 100 * percent / 100;
}

static int by_ticks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return tl_compare(x, y);
}

/* A digit of a radix sort has at most so many bits: its table is in the first cache. */
enum { MOST_DIGIT_BITS = 11 };

/* One round of it. */
static void sort_by_digit(uint64_t *restrict to, const uint64_t *restrict from, size_t count,
			  unsigned shift, unsigned bits)
{
	const size_t digits = (size_t)1 << bits, mask = digits - 1;
	size_t places[1 << MOST_DIGIT_BITS], at = 0;

	memset(places, 0, digits * sizeof(*places));
	for (size_t i = 0; i < count; i++)
		places[from[i] >> shift & mask]++;
	for (size_t i = 0; i < digits; i++) {
		size_t here = places[i];

		places[i] = at;
		at += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i] >> shift & mask]++] = from[i];
}

/*
 * Durations are many, and mostly short: by their digits, from the lowest up to the highest that any
 * has. Rounds come in pairs, of which the second one puts the samples back where they were. False
 * without memory.
 */
static bool sort_by_digits(struct tl_latencies *l, struct tl_latency_scratch *scratch)
{
	const unsigned used = l->max ? 64 - (unsigned)__builtin_clzll(l->max) : 0;
	const unsigned pairs = (used + 2 * MOST_DIGIT_BITS - 1) / (2 * MOST_DIGIT_BITS);
	const unsigned bits = pairs ? (used + 2 * pairs - 1) / (2 * pairs) : 0;
	uint64_t *list = l->samples;

	if (l->sample_count > scratch->capacity) {
		free(scratch->list);
		scratch->list = malloc(l->sample_count * sizeof(*scratch->list));
		scratch->capacity = scratch->list ? l->sample_count : 0;
	}
	if (!scratch->list)
		return false;
	for (unsigned shift = 0; shift < 2 * bits * pairs; shift += 2 * bits) {
		sort_by_digit(scratch->list, list, l->sample_count, shift, bits);
		sort_by_digit(list, scratch->list, l->sample_count, shift + bits, bits);
	}
	return true;
}

/*
 * Most functions have a handful: each goes to the place that as many are less than it says, which
 * no branch depends on, as it could not be foreseen. Three times as quick as an insertion sort, and
 * some times as qsort().
 */
enum { HANDFUL = 24 };

static void sort_handful(uint64_t *list, size_t count)
{
	uint64_t sorted[HANDFUL];
	unsigned places[HANDFUL] = { 0 };

	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++) {
			const unsigned less = list[i] < list[k];

			places[k] += less;
			places[i] += !less;
		}
	for (size_t i = 0; i < count; i++)
		sorted[places[i]] = list[i];
	memcpy(list, sorted, count * sizeof(*list));
}

/* A Shell sort. */
static void sort_few(uint64_t *list, size_t count)
{
	static const size_t gaps[] = { 57, 23, 10, 4, 1 };

	for (size_t g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++)
		for (size_t i = gaps[g]; i < count; i++) {
			const uint64_t value = list[i];
			size_t at = i;

			for (; at >= gaps[g] && list[at - gaps[g]] > value; at -= gaps[g])
				list[at] = list[at - gaps[g]];
			list[at] = value;
		}
}

void tl_latency_settle_next(struct tl_latencies *l, struct tl_latency_scratch *scratch)
{
	enum { FEW = 256 };

	if (l->sample_count <= HANDFUL && l->sample_count)
		sort_handful(l->samples, l->sample_count);
	else if (l->sample_count < FEW)
		sort_few(l->samples, l->sample_count);
	else if (!sort_by_digits(l, scratch))
		qsort(l->samples, l->sample_count, sizeof(*l->samples), by_ticks);
}

void tl_latency_settle(struct tl_latencies *l)
{
	struct tl_latency_scratch scratch = { NULL, 0 };

	tl_latency_settle_next(l, &scratch);
	free(scratch.list);
}

void tl_latency_figures(const struct tl_latencies *l, struct tl_latency *figures)
{
	*figures = (struct tl_latency){
		.calls = l->calls, .min = l->min, .max = l->max, .sum = l->sum
	};
	figures->exact = !l->octaves;
	if (!l->calls)
		return;
	figures->median = rank_of(l, l->calls / 2);
	figures->p90 = rank_of(l, percent_of(l->calls, 90));
	figures->p99 = rank_of(l, percent_of(l->calls, 99));
}

void tl_latency_free(struct tl_latencies *l)
{
	for (unsigned o = 0; l->octaves && o < TL_LATENCY_OCTAVES; o++)
		free(l->octaves[o]);
	free(l->octaves);
	free(l->samples);
	*l = TL_LATENCIES_NONE;
}
