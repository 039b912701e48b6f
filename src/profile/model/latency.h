/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_LATENCY_H
#define TL_PROFILE_LATENCY_H
/*
 * The durations of one function's calls. Count, sum, minimum and maximum are exact; so are the
 * quantiles while there are at most TL_LATENCY_EXACT calls (or always, when asked). Beyond,
 * durations go to a log-linear histogram of 128 buckets per power of two: a quantile is then at
 * most 1/256 (0.4 %) from the truth, in bounded memory. Which of the two is kept depends on the
 * number of calls alone, never on the order in which parts were merged.
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

enum {
	TL_LATENCY_EXACT = 2048,
	TL_LATENCY_SUB_BITS = 7,
	TL_LATENCY_OCTAVES = 64 - TL_LATENCY_SUB_BITS + 1,
};

struct tl_latencies {
	uint64_t calls, sum; /* set by tl_latency_total() */
	uint64_t min, max;   /* of the durations noted; min UINT64_MAX: none */
	uint64_t *samples;   /* the durations, until they become too many; then NULL */
	/* TL_LATENCY_OCTAVES pointers to 128 counts, or NULL; NULL while samples are kept */
	uint64_t **octaves;
	size_t sample_count, capacity;
	uint64_t saturated; /* times `sum` did not fit */
};

/* Nothing noted yet. */
#define TL_LATENCIES_NONE ((struct tl_latencies){ .min = UINT64_MAX })

/*
 * Where a duration goes: the octave, and the bucket inside it. Octave 0 holds 0 .. 127 one by one.
 */
static inline unsigned tl_latency_octave(uint64_t ticks)
{
	return ticks >> TL_LATENCY_SUB_BITS
		       ? 64u - TL_LATENCY_SUB_BITS - (unsigned)__builtin_clzll(ticks)
		       : 0;
}

/* Octave 0 has buckets of one tick, from 0 on; the others follow each other and double. */
static inline unsigned tl_latency_shift(unsigned octave)
{
	return octave ? octave - 1 : 0;
}

static inline unsigned tl_latency_bucket(uint64_t ticks, unsigned octave)
{
	return (unsigned)(ticks >> tl_latency_shift(octave)) & ((1u << TL_LATENCY_SUB_BITS) - 1);
}

/*
 * The rare cases of tl_latency_note(): samples grow or turn into a histogram, an octave is new.
 * False without memory.
 */
bool tl_latency_note_slow(struct tl_latencies *l, uint64_t ticks, bool exact);

/* Note the duration of one call. False without memory. */
static inline bool tl_latency_note(struct tl_latencies *l, uint64_t ticks, bool exact)
{
	if (ticks < l->min)
		l->min = ticks;
	if (ticks > l->max)
		l->max = ticks;
	if (l->octaves) {
		unsigned octave = tl_latency_octave(ticks);
		uint64_t *counts = l->octaves[octave];

		if (__builtin_expect(counts != NULL, 1)) {
			counts[tl_latency_bucket(ticks, octave)]++;
			return true;
		}
	} else if (l->sample_count < l->capacity && (exact || l->sample_count < TL_LATENCY_EXACT)) {
		l->samples[l->sample_count++] = ticks;
		return true;
	}
	return tl_latency_note_slow(l, ticks, exact);
}

/*
 * Room for so many durations more, which need no histogram: one allocation instead of several.
 * False without memory.
 */
bool tl_latency_reserve(struct tl_latencies *l, size_t count, bool exact);

/* Count durations of one bucket, which makes a histogram of what is there. False without memory. */
bool tl_latency_add_bucket(struct tl_latencies *l, unsigned octave, unsigned bucket,
			   uint64_t count);

/*
 * Add to the number of calls and to the sum of their durations; once or in parts, at any time
 * before the figures.
 */
void tl_latency_total(struct tl_latencies *l, uint64_t calls, uint64_t sum);

/* Add all of `from`, which is left as it was. False without memory. */
bool tl_latency_merge(struct tl_latencies *into, const struct tl_latencies *from, bool exact);

/* The same; the durations may be taken out of `from`, which is then as good as empty. */
bool tl_latency_move(struct tl_latencies *into, struct tl_latencies *from, bool exact);

/*
 * Durations of another clock, each times `times` / `per` to the nearest, into `to`, in which there
 * are none yet. What is counted by bucket is converted as the middle of its bucket. False without
 * memory; tl_latency_free() what there is then.
 */
bool tl_latency_scale(struct tl_latencies *to, const struct tl_latencies *from, uint64_t times,
		      uint64_t per);

/* Sort the samples: once, after the last addition and before the figures. */
void tl_latency_settle(struct tl_latencies *l);

/* What sorting needs beside the samples. Zero-filled, it has nothing. */
struct tl_latency_scratch {
	uint64_t *list;
	size_t capacity;
};

/* tl_latency_settle() of one of many: the scratch memory grows, and is the caller's to free. */
void tl_latency_settle_next(struct tl_latencies *l, struct tl_latency_scratch *scratch);

/* The figures, quantiles as LLVM defines them. */
void tl_latency_figures(const struct tl_latencies *l, struct tl_latency *figures);

void tl_latency_free(struct tl_latencies *l);

#endif
