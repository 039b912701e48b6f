/* SPDX-License-Identifier: Apache-2.0 */
/* Durations: rows with the sums of each function in a part, then rows with the single durations. */
#include <string.h>

#include "core/error.h"
#include "profile/file/reading.h"

enum { BUCKETS = 1 << TL_LATENCY_SUB_BITS };

struct duration_entry {
	uint64_t function, part; /* as in the file */
	uint64_t counted;        /* calls of which the duration was read */
	struct tl_latencies latencies;
	bool histogram;
};

struct durations {
	struct tl_pfile_reading *r;
	struct duration_entry *list;
	size_t count, capacity;
	size_t at;     /* the entry that samples are read for */
	uint64_t room; /* a guard against counts that no file of this size can have */
};

static bool is_wanted(const struct tl_pfile_reading *r, uint64_t part)
{
	return part == TL_NONE || r->options.per_part;
}

static int take_sums(void *arg, uint64_t number, const uint64_t *row)
{
	struct durations *d = arg;
	struct duration_entry entry = {
		.function = row[0],
		.part = row[1],
		.latencies = { .calls = row[2],
			       .sum = row[3],
			       .min = row[4],
			       .max = row[5],
			       .saturated = row[6] },
		.histogram = row[7],
	};

	(void)number;
	if (!is_wanted(d->r, row[1]))
		return 0;
	if (!tl_grow(&d->list, &d->capacity, d->count + 1, sizeof(entry)))
		return TL_NO_MEMORY;
	d->list[d->count++] = entry;
	return 0;
}

/* ---- single durations ---- */

static int add_exact(struct durations *d, struct tl_latencies *l, uint64_t ticks, uint64_t calls)
{
	if (calls > d->room || calls > SIZE_MAX - l->sample_count)
		return TL_BAD_RECORD;
	d->room -= calls;
	if (!tl_grow(&l->samples, &l->capacity, l->sample_count + (size_t)calls,
		     sizeof(*l->samples)))
		return TL_NO_MEMORY;
	while (calls--)
		l->samples[l->sample_count++] = ticks;
	return 0;
}

static int add_bucket(struct tl_latencies *l, uint64_t ticks, uint64_t calls)
{
	unsigned octave = tl_latency_octave(ticks);

	if (!l->octaves)
		l->octaves = calloc(TL_LATENCY_OCTAVES, sizeof(*l->octaves));
	if (l->octaves && !l->octaves[octave])
		l->octaves[octave] = calloc(BUCKETS, sizeof(**l->octaves));
	if (!l->octaves || !l->octaves[octave])
		return TL_NO_MEMORY;
	l->octaves[octave][tl_latency_bucket(ticks, octave)] += calls;
	return 0;
}

static bool is_before(const struct duration_entry *entry, uint64_t function, uint64_t part)
{
	return entry->function < function || (entry->function == function && entry->part < part);
}

static int take_sample(void *arg, uint64_t number, const uint64_t *row)
{
	struct durations *d = arg;
	struct duration_entry *entry;

	(void)number;
	while (d->at < d->count && is_before(&d->list[d->at], row[0], row[1]))
		d->at++;
	entry = d->at < d->count ? &d->list[d->at] : NULL;
	/* Of a part that is not wanted, or of sums that are lost. */
	if (!entry || entry->function != row[0] || entry->part != row[1])
		return 0;
	if (row[3] > entry->latencies.calls - entry->counted)
		return TL_BAD_RECORD;
	entry->counted += row[3];
	return entry->histogram ? add_bucket(&entry->latencies, row[2], row[3])
				: add_exact(d, &entry->latencies, row[2], row[3]);
}

/* ---- into the profile ---- */

/* Durations that are not whole would give wrong quantiles: they are left out. */
static bool put_entry(struct tl_pfile_reading *r, struct duration_entry *entry)
{
	struct tl_profile *p = r->profile;
	uint32_t function = tl_pfile_number(&r->functions, entry->function), part, local;

	if (function == TL_NONE || entry->counted != entry->latencies.calls)
		return true;
	if (entry->part == TL_NONE)
		return tl_profile_move_latency(p, function, TL_NONE, &entry->latencies);
	part = tl_pfile_number(&r->parts, entry->part);
	if (part == TL_NONE)
		return true;
	local = tl_profile_part_function(p, function, part);
	return local != TL_NONE && tl_latency_move(&p->part_functions.list[local].latency,
						   &entry->latencies, p->durations.exact);
}

int tl_pfile_read_durations(struct tl_pfile_reading *r)
{
	enum { FREE_SAMPLES = 1 << 26, SAMPLES_PER_BYTE = 512 };
	struct durations d = { .r = r };
	int status = tl_pfile_each_row(r->reader, TL_PFILE_DURATIONS, 0, take_sums, &d, r->err);

	d.room = FREE_SAMPLES + (uint64_t)r->reader->size * SAMPLES_PER_BYTE;
	if (status == 0)
		status = tl_pfile_each_row(r->reader, TL_PFILE_SAMPLES, 0, take_sample, &d, r->err);
	for (size_t i = 0; i < d.count; i++) {
		if (status == 0 && !put_entry(r, &d.list[i]))
			status = tl_error_memory(r->err);
		tl_latency_free(&d.list[i].latencies);
	}
	free(d.list);
	return status;
}
