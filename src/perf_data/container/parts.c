/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf.data as a directory (docs/formats/perf-data.md section 1): `data` is a file as any other,
 * and each `data.N` has records only, those of some processors. Only `data` has FINISHED_ROUND,
 * which says nothing of the others: records by time are taken from whichever part is oldest.
 */
#include "perf_data/container/reader.h"
#include "core/source.h"

/* Put the place of the part that is read back, and read another one. */
static void enter(struct tl_perf_reader *r, size_t part)
{
	struct tl_perf_part *from = &r->parts.list[r->parts.current], *to = &r->parts.list[part];
	const struct tl_perf_position now = r->at;

	from->at = r->at;
	from->decompressor = r->decompressor;
	r->parts.current = part;
	r->at = to->at;
	r->at.number = now.number;
	r->at.known = now.known;
	r->decompressor = to->decompressor;
}

static struct tl_perf_part part_at(uint64_t begin, uint64_t size)
{
	return (struct tl_perf_part){ .begin = begin, .at = { .pos = begin, .end = begin + size } };
}

int tl_perf_open_parts(struct tl_perf_reader *r, struct tl_error *err)
{
	const struct tl_source_parts *files = &r->source->parts;

	if (!files->count)
		return 0;
	if (r->header.pipe)
		return tl_error_at(err, TL_UNSUPPORTED, 0,
				   "a pipe's records stand beside data of threads");
	r->parts.list = calloc(files->count + 1, sizeof(*r->parts.list));
	if (!r->parts.list)
		return tl_error_memory(err);
	r->parts.list[0] = part_at(r->at.pos, r->at.end - r->at.pos);
	for (size_t i = 0; i < files->count; i++)
		r->parts.list[i + 1] = part_at(files->list[i].begin, files->list[i].size);
	r->parts.count = files->count + 1;
	if (!files->missing)
		return 0;
	return tl_perf_rule_broken(r, TL_PERF_RULE_PART, r->map_size, 0, err);
}

bool tl_perf_next_part(struct tl_perf_reader *r)
{
	if (!r->parts.count)
		return false;
	r->parts.list[r->parts.current].ended = true;
	for (size_t i = 0; i < r->parts.count; i++)
		if (!r->parts.list[i].ended) {
			enter(r, i);
			return true;
		}
	return false;
}

void tl_perf_oldest_part(struct tl_perf_reader *r)
{
	size_t oldest = r->parts.current;

	for (size_t i = 0; i < r->parts.count; i++) {
		const struct tl_perf_part *part = &r->parts.list[i];

		if (!part->ended && part->latest < r->parts.list[oldest].latest)
			oldest = i;
	}
	if (oldest != r->parts.current)
		enter(r, oldest);
}

void tl_perf_part_time(struct tl_perf_reader *r, uint64_t time_ns)
{
	struct tl_perf_part *part = r->parts.count ? &r->parts.list[r->parts.current] : NULL;

	if (part && part->latest < time_ns)
		part->latest = time_ns;
}

void tl_perf_parts_rewind(struct tl_perf_reader *r)
{
	for (size_t i = 0; i < r->parts.count; i++) {
		struct tl_perf_part *part = &r->parts.list[i];

		enter(r, i);
		r->at.pos = part->begin;
		r->at.unaligned = false;
		tl_perf_decompress_rewind(r);
		part->latest = 0;
		part->ended = false;
	}
	if (r->parts.count)
		enter(r, 0);
}

void tl_perf_parts_free(struct tl_perf_reader *r)
{
	for (size_t i = 0; i < r->parts.count; i++) {
		enter(r, i);
		tl_perf_decompress_free(r);
	}
	free(r->parts.list);
}
