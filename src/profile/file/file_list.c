/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/file_list.h"

#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "core/facts.h"
#include "profile/file/row_block.h"

/* ---- info ---- */

static void section_facts(struct tl_facts *facts, const struct tl_pfile_reader *r)
{
	uint64_t rows[TL_PFILE_SECTIONS] = { 0 }, stored[TL_PFILE_SECTIONS] = { 0 },
		 raw[TL_PFILE_SECTIONS] = { 0 };

	for (size_t i = 0; i < r->count; i++) {
		rows[r->blocks[i].section] += r->blocks[i].rows;
		stored[r->blocks[i].section] += r->blocks[i].stored_bytes;
		raw[r->blocks[i].section] += r->blocks[i].raw_bytes;
	}
	tl_facts_list(facts, "sections");
	for (unsigned s = 1; s < TL_PFILE_SECTIONS; s++) {
		if (!rows[s] || s == TL_PFILE_END)
			continue;
		tl_facts_item(facts);
		tl_fact_text(facts, "section", tl_pfile_layouts[s].name);
		tl_fact_u64(facts, "rows", rows[s]);
		tl_fact_u64(facts, "stored_bytes", stored[s]);
		tl_fact_u64(facts, "expanded_bytes", raw[s]);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

void tl_pfile_describe(const struct tl_pfile_reader *r, const struct tl_profile *p, bool json,
		       struct tl_output *out)
{
	struct tl_facts facts;

	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", "profile");
	tl_fact_u64(&facts, "version", r->version);
	tl_fact_u64(&facts, "size", r->size);
	tl_fact_text(&facts, "made_from", tl_profile_format(p));
	if (p->frequency)
		tl_fact_u64(&facts, "ticks_per_second", p->frequency);
	tl_fact_bool(&facts, "timed", p->timed);
	tl_facts_list(&facts, "events");
	for (uint32_t i = 0; i < p->event_count; i++) {
		tl_facts_item(&facts);
		tl_fact_text(&facts, "event", p->events[i].name);
		tl_fact_i64(&facts, "total", p->sums.total[i]);
		tl_facts_close(&facts);
	}
	tl_facts_close_list(&facts);
	tl_fact_u64(&facts, "parts", p->parts.count);
	tl_fact_u64(&facts, "notes", p->notes.count);
	section_facts(&facts, r);
	tl_fact_u64(&facts, "damaged_places", r->fault_count);
	tl_fact_u64(&facts, "skipped_bytes", r->skipped_bytes);
	tl_facts_end(&facts);
}

/* ---- dump ---- */

void tl_pfile_dump(const struct tl_pfile_reader *r, bool json, struct tl_output *out)
{
	static const char *const forms[] = {
		"0x%" PRIx64 " %s rows %" PRIu64 " count %" PRIu32 " %s %" PRIu32
		" bytes of %" PRIu32 "\n",
		"{\"offset\":%" PRIu64 ",\"section\":\"%s\",\"first\":%" PRIu64 ",\"rows\":%" PRIu32
		",\"codec\":\"%s\",\"stored_bytes\":%" PRIu32 ",\"expanded_bytes\":%" PRIu32 "}\n",
	};

	for (size_t i = 0; i < r->count; i++) {
		const struct tl_pfile_block *b = &r->blocks[i];
		const char *name = tl_pfile_layouts[b->section].name;
		const char *codec = b->codec == TL_PFILE_ZSTD ? "zstd" : "stored";

		if (json)
			tl_put_format(out, forms[1], b->offset, name, b->first, b->rows, codec,
				      b->stored_bytes, b->raw_bytes);
		else
			tl_put_format(out, forms[0], b->offset, name, b->first, b->rows, codec,
				      b->stored_bytes, b->raw_bytes);
	}
}

/* ---- check ---- */

static void put_violation(struct tl_output *out, bool json, const char *rule, uint64_t offset,
			  const char *text)
{
	if (!json) {
		tl_put_format(out, "%s offset 0x%" PRIx64 ": %s\n", rule, offset, text);
		return;
	}
	tl_put_format(out, "{\"rule\":\"%s\",\"offset\":%" PRIu64 ",\"text\":", rule, offset);
	tl_put_json(out, text, strlen(text));
	tl_put_text(out, "}\n");
}

struct sorted {
	uint64_t last[TL_PFILE_LOSSES];
	unsigned keys;
	bool begun;
	uint64_t wrong; /* rows that do not follow the one before */
};

static int check_row(void *arg, uint64_t number, const uint64_t *row)
{
	struct sorted *s = arg;
	unsigned i = 0;

	(void)number;
	while (i < s->keys && row[i] == s->last[i])
		i++;
	s->wrong += s->begun && i < s->keys && row[i] < s->last[i];
	memcpy(s->last, row, s->keys * sizeof(*row));
	s->begun = true;
	return 0;
}

static int check_section(struct tl_pfile_reader *r, unsigned section, uint32_t events, bool json,
			 struct tl_output *out, int64_t *found, struct tl_error *err)
{
	struct sorted s = { .keys = tl_pfile_layouts[section].keys };
	int status = tl_pfile_each_row(r, section, events, check_row, &s, err);

	if (status < 0 || !s.wrong)
		return status;
	++*found;
	put_violation(out, json, "unsorted", TL_NOWHERE, tl_pfile_layouts[section].name);
	return 0;
}

/*
 * Sums must be those of the rows that they stand for. Both have one number that depends on all of
 * them, and not on how rows are put together: values by a factor that the functions give.
 */
struct balance {
	unsigned keys, values_at; /* which functions; from where on a row has what is summed */
	unsigned rows_at;         /* how many rows it stands for; 0: for itself */
	uint32_t fields;
	uint64_t sum;
};

static int add_to_balance(void *arg, uint64_t number, const uint64_t *row)
{
	struct balance *b = arg;
	uint64_t key = UINT64_C(0x9e3779b97f4a7c15); /* the hash of 0 is 0 */

	(void)number;
	for (unsigned i = 0; i < b->keys; i++)
		key = tl_hash64(key ^ row[i]) + i;
	b->sum += tl_hash64(key) * (b->rows_at ? row[b->rows_at] : 1);
	for (uint32_t i = b->values_at; i < b->fields; i++)
		b->sum += tl_hash64(key + 1 + i - b->values_at) * row[i];
	return 0;
}

static int balance_of(struct tl_pfile_reader *r, unsigned section, uint32_t events, unsigned keys,
		      bool sums, uint64_t *sum, struct tl_error *err)
{
	struct balance b = { .keys = keys,
			     .values_at = tl_pfile_layouts[section].keys + sums,
			     .rows_at = sums ? keys : 0,
			     .fields = tl_pfile_fields(section, events) };
	int status = tl_pfile_each_row(r, section, events, add_to_balance, &b, err);

	*sum = b.sum;
	return status;
}

/* Where a section begins. */
static uint64_t offset_of(const struct tl_pfile_reader *r, unsigned section)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].section == section)
			return r->blocks[i].offset;
	return TL_NOWHERE;
}

/* Also where there should be none. A damaged file is not held against this. */
static int check_sums(struct tl_pfile_reader *r, unsigned section, uint32_t events, bool json,
		      struct tl_output *out, int64_t *found, struct tl_error *err)
{
	const enum tl_pfile_section summed = tl_pfile_sums(section);
	const unsigned keys = tl_pfile_layouts[summed].keys;
	uint64_t rows = 0, sums = 0;
	int status;

	if (r->version < 2 || r->fault_count || tl_pfile_has(r, TL_PFILE_CONTEXTS))
		return 0;
	status = balance_of(r, section, events, keys, false, &rows, err);
	if (status == 0)
		status = balance_of(r, summed, events, keys, true, &sums, err);
	if (status < 0 || rows == sums)
		return status;
	++*found;
	put_violation(out, json, "sums", offset_of(r, rows ? section : summed),
		      tl_pfile_layouts[section].name);
	return 0;
}

int64_t tl_pfile_check(struct tl_pfile_reader *r, uint32_t events, bool json, struct tl_output *out,
		       struct tl_error *err)
{
	int64_t found = 0;
	uint64_t faults = r->fault_count;
	int status = 0;

	for (uint64_t i = 0; i < faults && i < TL_PFILE_FAULTS; i++, found++)
		put_violation(out, json, "damage", r->faults[i].offset, r->faults[i].text);
	for (unsigned s = TL_PFILE_FUNCTIONS; status == 0 && s <= TL_PFILE_SAMPLES; s++)
		status = check_section(r, s, events, json, out, &found, err);
	for (unsigned s = TL_PFILE_LINE_SUMS; status == 0 && s <= TL_PFILE_ARC_SUMS; s++)
		status = check_section(r, s, events, json, out, &found, err);
	for (unsigned s = TL_PFILE_LINES; status == 0 && s <= TL_PFILE_ARCS; s++)
		status = check_sums(r, s, events, json, out, &found, err);
	/* The second reading found the same faults again. */
	r->fault_count = faults;
	if (status < 0)
		return status;
	return found;
}
