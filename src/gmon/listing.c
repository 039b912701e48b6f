/* SPDX-License-Identifier: Apache-2.0 */
#include "gmon/listing.h"

#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/facts.h"
#include "core/output.h"
#include "core/text/optional.h"

static const char *const kinds[] = { "histogram", "arc", "blocks" };

struct counts {
	uint64_t records[3], samples, bins, calls;
	uint64_t low, high;
	uint32_t rate;
};

static void count(struct counts *c, const struct tl_gmon_file *g,
		  const struct tl_gmon_record *record)
{
	c->records[record->kind]++;
	c->calls += record->kind == TL_GMON_ARC ? record->count : 0;
	if (record->kind != TL_GMON_HISTOGRAM)
		return;
	c->rate = record->rate;
	c->bins += record->bin_count;
	c->low = tl_min(record->low, c->low);
	c->high = tl_max(record->high, c->high);
	for (uint32_t i = 0; i < record->bin_count; i++)
		c->samples += tl_gmon_bin(g, record, i);
}

int tl_gmon_describe(struct tl_gmon_file *g, bool json, struct tl_output *out, struct tl_error *err)
{
	struct counts c = { .low = UINT64_MAX };
	struct tl_gmon_record record;
	struct tl_facts facts;
	int status;

	while ((status = tl_gmon_next(g, &record, err)) == 1)
		count(&c, g, &record);
	if (status < 0)
		return status;
	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", "gmon");
	tl_fact_u64(&facts, "version", g->version);
	tl_fact_u64(&facts, "address_bits", 8 * g->word);
	tl_fact_text(&facts, "byte_order", g->swap != TL_HOST_BIG_ENDIAN ? "big" : "little");
	tl_fact_u64(&facts, "histograms", c.records[TL_GMON_HISTOGRAM]);
	tl_fact_u64(&facts, "bins", c.bins);
	tl_fact_u64(&facts, "samples", c.samples);
	tl_fact_u64(&facts, "samples_per_second", c.rate);
	tl_fact_u64(&facts, "arcs", c.records[TL_GMON_ARC]);
	tl_fact_u64(&facts, "calls", c.calls);
	tl_fact_u64(&facts, "block_records", c.records[TL_GMON_BLOCKS]);
	tl_fact_u64(&facts, "damaged_places", g->faults.total);
	tl_facts_end(&facts);
	return 0;
}

/* ---- dump ---- */

struct lister {
	struct tl_output *out;
	bool json;
};

static void put_number(const struct lister *l, const char *name, uint64_t value)
{
	tl_put_format(l->out, l->json ? ",\"%s\":%" PRIu64 : " %s %" PRIu64, name, value);
}

static void put_address(const struct lister *l, const char *name, uint64_t value)
{
	tl_put_format(l->out, l->json ? ",\"%s\":\"0x%" PRIx64 "\"" : " %s 0x%" PRIx64, name,
		      value);
}

/* "ADDRESS COUNT" pairs. */
static void put_pair(const struct lister *l, bool *first, uint64_t address, uint64_t value)
{
	const char *comma = *first ? "" : ",";

	*first = false;
	if (l->json)
		tl_put_format(l->out, "%s{\"address\":\"0x%" PRIx64 "\",\"count\":%" PRIu64 "}",
			      comma, address, value);
	else
		tl_put_format(l->out, " 0x%" PRIx64 ":%" PRIu64, address, value);
}

static void put_histogram(const struct lister *l, const struct tl_gmon_file *g,
			  const struct tl_gmon_record *record)
{
	bool first = true;

	put_address(l, "low_pc", record->low);
	put_address(l, "high_pc", record->high);
	put_number(l, "hist_size", record->bin_count);
	put_number(l, "prof_rate", record->rate);
	tl_put_text(l->out, l->json ? ",\"dimen\":" : " dimen ");
	if (l->json)
		tl_put_json(l->out, record->dimension, strlen(record->dimension));
	else
		tl_put_shown(l->out, record->dimension, strlen(record->dimension));
	tl_put_text(l->out, l->json ? ",\"bins\":[" : " bins");
	for (uint32_t i = 0; i < record->bin_count; i++)
		if (tl_gmon_bin(g, record, i))
			put_pair(l, &first, tl_gmon_bin_address(record, i),
				 tl_gmon_bin(g, record, i));
	tl_put_text(l->out, tl_text_if(l->json, "]"));
}

static void put_blocks(const struct lister *l, const struct tl_gmon_file *g,
		       const struct tl_gmon_record *record)
{
	bool first = true;
	uint64_t times;

	put_number(l, "nblocks", record->count);
	tl_put_text(l->out, l->json ? ",\"blocks\":[" : " blocks");
	for (uint64_t i = 0; i < record->count; i++) {
		uint64_t address = tl_gmon_block(g, record, i, &times);

		put_pair(l, &first, address, times);
	}
	tl_put_text(l->out, tl_text_if(l->json, "]"));
}

static void put_record(const struct lister *l, const struct tl_gmon_file *g,
		       const struct tl_gmon_record *record)
{
	tl_put_format(l->out,
		      l->json ? "{\"offset\":%" PRIu64 ",\"record\":\"%s\"" : "0x%08" PRIx64 " %s",
		      record->offset, kinds[record->kind]);
	if (record->kind == TL_GMON_HISTOGRAM) {
		put_histogram(l, g, record);
	} else if (record->kind == TL_GMON_ARC) {
		put_address(l, "from_pc", record->from);
		put_address(l, "self_pc", record->self);
		put_number(l, "count", record->count);
	} else {
		put_blocks(l, g, record);
	}
	tl_put_text(l->out, l->json ? "}\n" : "\n");
}

int tl_gmon_dump(struct tl_gmon_file *g, bool json, struct tl_output *out, struct tl_error *err)
{
	const struct lister l = { out, json };
	struct tl_gmon_record record;
	int status;

	while ((status = tl_gmon_next(g, &record, err)) == 1 && !tl_output_failed(out))
		put_record(&l, g, &record);
	return tl_error_or_end(status);
}
