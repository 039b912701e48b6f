/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/caches/footprint.h"

uint32_t tl_xtrace_footprint_mask(struct tl_xtrace_footprint *f, uint64_t key)
{
	uint32_t before = f->numbers.count, number;
	size_t want = (size_t)before + 1;

	if (!tl_grow(&f->chunks, &f->chunk_room, want, sizeof(*f->chunks)) ||
	    !tl_grow(&f->keys, &f->key_room, want, sizeof(*f->keys)))
		return TL_NONE;
	number = tl_xtrace_address_id_add(&f->numbers, key);
	if (number == before) {
		f->chunks[number] = (struct tl_xtrace_line_mask){ 0 };
		f->keys[number] = key;
	}
	return number;
}

void tl_xtrace_footprint_free(struct tl_xtrace_footprint *f)
{
	tl_xtrace_address_ids_free(&f->numbers);
	free(f->chunks);
	free(f->keys);
	*f = (struct tl_xtrace_footprint){ 0 };
}

static void unite(struct tl_xtrace_line_mask *sum, const struct tl_xtrace_line_mask *chunk)
{
	for (unsigned use = 0; use < TL_XTRACE_USE_COUNT; use++)
		sum->lines[use] |= chunk->lines[use];
}

/* Chunks of other kinds (all exception levels, pages) under a key of their own. */
static bool unite_at(struct tl_xtrace_footprint *sum, uint64_t key,
		     const struct tl_xtrace_line_mask *chunk)
{
	uint32_t number = tl_xtrace_footprint_mask(sum, key);

	if (number != TL_NONE)
		unite(&sum->chunks[number], chunk);
	return number != TL_NONE;
}

bool tl_xtrace_footprint_add(struct tl_xtrace_footprint *sum, const struct tl_xtrace_footprint *f)
{
	for (uint32_t i = 0; i < f->numbers.count; i++)
		if (!unite_at(sum, f->keys[i], &f->chunks[i]))
			return false;
	return true;
}

static void count(const struct tl_xtrace_line_mask *chunk,
		  struct tl_xtrace_footprint_counts *extent)
{
	uint64_t data = chunk->lines[TL_XTRACE_USE_LOAD] | chunk->lines[TL_XTRACE_USE_STORE];

	extent->fetched += (uint64_t)__builtin_popcountll(chunk->lines[TL_XTRACE_USE_FETCH]);
	extent->loaded += (uint64_t)__builtin_popcountll(chunk->lines[TL_XTRACE_USE_LOAD]);
	extent->stored += (uint64_t)__builtin_popcountll(chunk->lines[TL_XTRACE_USE_STORE]);
	extent->data += (uint64_t)__builtin_popcountll(data);
	extent->all += (uint64_t)__builtin_popcountll(data | chunk->lines[TL_XTRACE_USE_FETCH]);
}

/* A line is a part of one page, or its first page stands for it. */
static bool add_pages(struct tl_xtrace_footprint *pages, uint64_t first_line,
		      const struct tl_xtrace_line_mask *chunk, unsigned line_shift,
		      unsigned page_shift)
{
	for (unsigned i = 0; i < 64; i++) {
		uint64_t page = (first_line + i) << line_shift >> page_shift;
		struct tl_xtrace_line_mask one = { 0 };
		bool any = false;

		for (unsigned use = 0; use < TL_XTRACE_USE_COUNT; use++) {
			uint64_t touched = chunk->lines[use] >> i & 1;

			one.lines[use] = touched << (page & 63);
			any = any || touched;
		}
		if (any && !unite_at(pages, page >> 6 << 2, &one))
			return false;
	}
	return true;
}

bool tl_xtrace_footprint_sum(const struct tl_xtrace_footprint *f, unsigned el, unsigned page_shift,
			     struct tl_xtrace_footprint_counts *line_sum,
			     struct tl_xtrace_footprint_counts *page_sum)
{
	struct tl_xtrace_footprint lines = { .line_shift = f->line_shift },
				   pages = { .line_shift = page_shift };
	bool good = true;

	for (uint32_t i = 0; good && i < f->numbers.count; i++) {
		if (el != TL_XTRACE_EVERY_EL && (f->keys[i] & 3) != el)
			continue;
		good = unite_at(&lines, f->keys[i] & ~UINT64_C(3), &f->chunks[i]) &&
		       add_pages(&pages, f->keys[i] >> 2 << 6, &f->chunks[i], f->line_shift,
				 page_shift);
	}
	*line_sum = *page_sum = (struct tl_xtrace_footprint_counts){ 0 };
	for (uint32_t i = 0; i < lines.numbers.count; i++)
		count(&lines.chunks[i], line_sum);
	for (uint32_t i = 0; i < pages.numbers.count; i++)
		count(&pages.chunks[i], page_sum);
	tl_xtrace_footprint_free(&lines);
	tl_xtrace_footprint_free(&pages);
	return good;
}
