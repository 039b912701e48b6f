/* SPDX-License-Identifier: Apache-2.0 */
/* Results as tables: footprint, reuse distances, dependences, basic blocks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "xtrace/analyze/stream_analysis.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { TITLE = 160 };

void tl_xtrace_begin_table(struct tl_xtrace_analysis *a, struct tl_xtrace_table *table,
			   const char *name, const char *title)
{
	const struct tl_xtrace_table_page page = { a->options.width, &a->tables.no_memory };

	tl_xtrace_table_begin(table, a->out, a->options.form, &page, a->tables.begun++, name,
			      title);
}

void tl_xtrace_cell_stream(struct tl_xtrace_analysis *a, struct tl_xtrace_table *table,
			   size_t stream)
{
	char text[24];

	if (stream == a->stream_count)
		memcpy(text, "all", 4);
	else
		snprintf(text, sizeof(text), "%" PRIu64, a->streams[stream].stream->info.id);
	tl_xtrace_cell_text(table, text);
}

/* ---- footprint ---- */

static const struct tl_xtrace_table_column footprint_columns[] = {
	{ "thread", TL_XTRACE_LEFT },   { "el", TL_XTRACE_LEFT },
	{ "unit", TL_XTRACE_LEFT },     { "bytes", TL_XTRACE_RIGHT },
	{ "fetched", TL_XTRACE_RIGHT }, { "loaded", TL_XTRACE_RIGHT },
	{ "stored", TL_XTRACE_RIGHT },  { "data", TL_XTRACE_RIGHT },
	{ "all", TL_XTRACE_RIGHT },
};

static void put_extent(struct tl_xtrace_table *t, const char *unit, uint64_t bytes,
		       const struct tl_xtrace_footprint_counts *e)
{
	const uint64_t counts[] = { bytes, e->fetched, e->loaded, e->stored, e->data, e->all };

	tl_xtrace_cell_text(t, unit);
	for (size_t i = 0; i < COUNT(counts); i++)
		tl_xtrace_cell_u64(t, counts[i]);
}

static void put_place(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
		      unsigned el)
{
	const char digit[2] = { (char)('0' + el), '\0' };

	tl_xtrace_cell_stream(a, t, stream);
	tl_xtrace_cell_text(t, el == TL_XTRACE_EVERY_EL ? "all" : digit);
}

static bool show_extents(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
			 const struct tl_xtrace_footprint *footprint)
{
	unsigned levels = 0;

	for (unsigned el = 0; el <= TL_XTRACE_EVERY_EL; el++) {
		struct tl_xtrace_footprint_counts lines, pages;

		if (!tl_xtrace_footprint_sum(footprint, el, a->page_shift, &lines, &pages))
			return false;
		/* The sum of one level is that level. */
		if (el == TL_XTRACE_EVERY_EL ? levels == 1 : !lines.all)
			continue;
		levels++;
		put_place(a, t, stream, el);
		put_extent(t, "line", UINT64_C(1) << a->line_shift, &lines);
		put_place(a, t, stream, el);
		put_extent(t, "page", UINT64_C(1) << a->page_shift, &pages);
	}
	return true;
}

bool tl_xtrace_show_footprint(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_footprint sum;
	struct tl_xtrace_table t;
	bool good = true;

	tl_xtrace_begin_table(a, &t, "footprint", "Footprint: lines and pages that were touched");
	tl_xtrace_table_columns(&t, footprint_columns, COUNT(footprint_columns));
	tl_xtrace_footprint_begin(&sum, a->line_shift);
	for (size_t i = 0; good && i < a->stream_count; i++) {
		good = show_extents(a, &t, i, &a->streams[i].footprint);
		if (good && a->stream_count > 1)
			good = tl_xtrace_footprint_add(&sum, &a->streams[i].footprint);
	}
	if (good && a->stream_count > 1)
		good = show_extents(a, &t, a->stream_count, &sum);
	tl_xtrace_footprint_free(&sum);
	tl_xtrace_table_end(&t);
	return good;
}

/* ---- reuse distances ---- */

static const struct tl_xtrace_table_column reuse_columns[] = {
	{ "thread", TL_XTRACE_LEFT },   { "access", TL_XTRACE_LEFT },
	{ "from", TL_XTRACE_RIGHT },    { "to", TL_XTRACE_RIGHT },
	{ "touches", TL_XTRACE_RIGHT }, { "percent", TL_XTRACE_RIGHT },
	{ "up_to", TL_XTRACE_RIGHT },
};

static void put_bucket(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
		       const char *access, const struct tl_xtrace_reuse_histogram *h,
		       unsigned bucket, uint64_t below)
{
	tl_xtrace_cell_stream(a, t, stream);
	tl_xtrace_cell_text(t, access);
	tl_xtrace_cell_u64(t, bucket ? UINT64_C(1) << (bucket - 1) : 0);
	tl_xtrace_cell_u64(t, bucket ? (UINT64_C(1) << bucket) - 1 : 0);
	tl_xtrace_cell_u64(t, h->buckets[bucket]);
	tl_xtrace_cell_percent(t, h->buckets[bucket], h->touches);
	tl_xtrace_cell_percent(t, below + h->buckets[bucket], h->touches);
}

static void put_cold(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
		     const char *access, const struct tl_xtrace_reuse_histogram *h)
{
	tl_xtrace_cell_stream(a, t, stream);
	tl_xtrace_cell_text(t, access);
	tl_xtrace_cell_none(t);
	tl_xtrace_cell_none(t);
	tl_xtrace_cell_u64(t, h->cold);
	tl_xtrace_cell_percent(t, h->cold, h->touches);
	tl_xtrace_cell_percent(t, h->touches, h->touches);
}

/* All buckets up to the last that has any; then the first touches, which have no distance. */
static void put_histogram(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
			  const char *access, const struct tl_xtrace_reuse_histogram *h)
{
	unsigned end = TL_XTRACE_REUSE_BUCKETS;
	uint64_t below = 0;

	while (end && !h->buckets[end - 1])
		end--;
	for (unsigned bucket = 0; bucket < end; bucket++) {
		put_bucket(a, t, stream, access, h, bucket, below);
		below += h->buckets[bucket];
	}
	if (h->touches)
		put_cold(a, t, stream, access, h);
}

void tl_xtrace_show_reuse(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_reuse_histogram fetches = { 0 }, data = { 0 };
	struct tl_xtrace_table t;
	char title[TITLE];

	snprintf(title, sizeof(title),
		 "Reuse distance, in other lines of %" PRIu64
		 " bytes; the last row of each: first touches",
		 UINT64_C(1) << a->line_shift);
	tl_xtrace_begin_table(a, &t, "reuse", title);
	tl_xtrace_table_columns(&t, reuse_columns, COUNT(reuse_columns));
	for (size_t i = 0; i < a->stream_count; i++) {
		put_histogram(a, &t, i, "instruction", &a->streams[i].fetches.histogram);
		put_histogram(a, &t, i, "data", &a->streams[i].data.histogram);
		tl_xtrace_reuse_histogram_add(&fetches, &a->streams[i].fetches.histogram);
		tl_xtrace_reuse_histogram_add(&data, &a->streams[i].data.histogram);
	}
	if (a->stream_count > 1) {
		put_histogram(a, &t, a->stream_count, "instruction", &fetches);
		put_histogram(a, &t, a->stream_count, "data", &data);
	}
	tl_xtrace_table_end(&t);
}

/* ---- dependences ---- */

static const struct tl_xtrace_table_column dependence_columns[] = {
	{ "thread", TL_XTRACE_LEFT }, { "kind", TL_XTRACE_LEFT },   { "from", TL_XTRACE_RIGHT },
	{ "to", TL_XTRACE_RIGHT },    { "reads", TL_XTRACE_RIGHT }, { "percent", TL_XTRACE_RIGHT },
	{ "up_to", TL_XTRACE_RIGHT },
};

/* Bucket TL_XTRACE_DISTANCES: what has no distance. */
static void put_distances(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
			  const char *kind, const struct tl_xtrace_distances *d)
{
	uint64_t below = 0;

	for (unsigned bucket = 0; bucket <= TL_XTRACE_DISTANCES; bucket++) {
		bool known = bucket < TL_XTRACE_DISTANCES;
		uint64_t count = known ? d->buckets[bucket] : d->unknown;

		below += count;
		if (!count)
			continue;
		tl_xtrace_cell_stream(a, t, stream);
		tl_xtrace_cell_text(t, kind);
		if (known) {
			tl_xtrace_cell_u64(t, UINT64_C(1) << bucket);
			tl_xtrace_cell_u64(t, (UINT64_C(2) << bucket) - 1);
		} else {
			tl_xtrace_cell_none(t);
			tl_xtrace_cell_none(t);
		}
		tl_xtrace_cell_u64(t, count);
		tl_xtrace_cell_percent(t, count, d->reads);
		tl_xtrace_cell_percent(t, below, d->reads);
	}
}

static const struct tl_xtrace_table_column window_columns[] = {
	{ "thread", TL_XTRACE_LEFT },        { "window", TL_XTRACE_RIGHT },
	{ "instructions", TL_XTRACE_RIGHT }, { "chains", TL_XTRACE_RIGHT },
	{ "parallelism", TL_XTRACE_RIGHT },
};

static void show_windows(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_table t;

	tl_xtrace_begin_table(a, &t, "parallelism",
			      "Instructions by the longest chains of dependences in windows");
	tl_xtrace_table_columns(&t, window_columns, COUNT(window_columns));
	for (size_t i = 0; i < a->stream_count; i++)
		for (unsigned w = 0; w < TL_XTRACE_WINDOWS; w++) {
			const struct tl_xtrace_dependences *d = &a->streams[i].dependences;
			double chains = (double)(d->chains[w] ? d->chains[w] : 1);

			tl_xtrace_cell_stream(a, &t, i);
			tl_xtrace_cell_u64(&t, tl_xtrace_window(w));
			tl_xtrace_cell_u64(&t, d->instructions);
			tl_xtrace_cell_u64(&t, d->chains[w]);
			tl_put_format(tl_xtrace_cell_begin(&t), "%.2f",
				      (double)d->instructions / chains);
			tl_xtrace_cell_end(&t);
		}
	tl_xtrace_table_end(&t);
}

bool tl_xtrace_show_dependences(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_table t;
	bool good = true;

	for (size_t i = 0; i < a->stream_count; i++)
		good &= tl_xtrace_dependences_end(&a->streams[i].dependences);
	tl_xtrace_begin_table(a, &t, "dependences",
			      "Instructions between making and reading; last row of each: not "
			      "seen being made");
	tl_xtrace_table_columns(&t, dependence_columns, COUNT(dependence_columns));
	for (size_t i = 0; i < a->stream_count; i++) {
		put_distances(a, &t, i, "register", &a->streams[i].dependences.registers);
		put_distances(a, &t, i, "memory", &a->streams[i].dependences.memory);
	}
	tl_xtrace_table_end(&t);
	/* CSV is one table. */
	if (a->options.form != TL_XTRACE_CSV)
		show_windows(a);
	return good;
}

/* ---- basic blocks ---- */

static const struct tl_xtrace_table_column block_columns[] = {
	{ "block", TL_XTRACE_RIGHT },      { "el", TL_XTRACE_RIGHT },
	{ "address", TL_XTRACE_RIGHT },    { "length", TL_XTRACE_RIGHT },
	{ "executions", TL_XTRACE_RIGHT }, { "instructions", TL_XTRACE_RIGHT },
	{ "percent", TL_XTRACE_RIGHT },    { "function", TL_XTRACE_REST },
};

/* Most instructions first, then in the order of addresses. */
static int by_instructions(const void *x, const void *y, void *list)
{
	const struct tl_xtrace_basic_block *blocks = list;
	const struct tl_xtrace_basic_block *a = &blocks[*(const uint32_t *)x],
					   *b = &blocks[*(const uint32_t *)y];

	if (a->instructions != b->instructions)
		return tl_compare(b->instructions, a->instructions);
	if (a->address != b->address)
		return tl_compare(a->address, b->address);
	return tl_compare(a->el, b->el);
}

static bool put_block(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, uint32_t number,
		      uint64_t total)
{
	const struct tl_xtrace_basic_block *block = &a->blocks.list[number];
	uint32_t function = tl_xtrace_function_id_at(&a->functions, block->address);

	if (function == TL_NONE)
		return false;
	tl_xtrace_cell_u64(t, (uint64_t)number + 1);
	tl_xtrace_cell_u64(t, block->el);
	tl_xtrace_cell_hex(t, block->address);
	tl_xtrace_cell_u64(t, block->length);
	tl_xtrace_cell_u64(t, block->executions);
	tl_xtrace_cell_u64(t, block->instructions);
	tl_xtrace_cell_percent(t, block->instructions, total);
	if (a->options.binary_count)
		tl_xtrace_cell_text(t, a->functions.list[function].name);
	else
		tl_xtrace_cell_none(t);
	return true;
}

bool tl_xtrace_show_blocks(struct tl_xtrace_analysis *a)
{
	uint32_t count = a->blocks.numbers.count, shown = a->options.top;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	uint64_t total = 0;
	struct tl_xtrace_table t;
	bool good = order;

	for (uint32_t i = 0; good && i < count; i++) {
		order[i] = i;
		total += a->blocks.list[i].instructions;
	}
	if (good && count)
		qsort_r(order, count, sizeof(*order), by_instructions, a->blocks.list);
	tl_xtrace_begin_table(a, &t, "blocks",
			      "Basic blocks, by the instructions executed in them");
	tl_xtrace_table_columns(&t, block_columns, COUNT(block_columns));
	for (uint32_t i = 0; good && i < count && (!shown || i < shown); i++)
		good = put_block(a, &t, order[i], total);
	tl_xtrace_table_end(&t);
	free(order);
	return good;
}
