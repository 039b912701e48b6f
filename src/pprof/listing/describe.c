/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "core/facts.h"
#include "pprof/listing/listing.h"
#include "pprof/reader/sample.h"
#include "profile/model/model.h"

enum { LISTED = 1024, KEYS_LISTED = 256 };

/* A label key with its samples. */
struct key_count {
	uint64_t key, samples;
};

struct survey {
	int64_t *totals; /* by sample type */
	uint64_t saturated, samples, locations, deepest;
	struct key_count keys[KEYS_LISTED];
	size_t key_count;
};

static void count_key(struct survey *s, const struct tl_pprof_file *p, uint64_t key)
{
	const struct tl_pprof_text text = tl_pprof_string(p, key);

	for (size_t i = 0; i < s->key_count; i++) {
		const struct tl_pprof_text other = tl_pprof_string(p, s->keys[i].key);

		if (other.size != text.size || memcmp(other.text, text.text, text.size))
			continue;
		s->keys[i].samples++;
		return;
	}
	if (s->key_count < KEYS_LISTED)
		s->keys[s->key_count++] = (struct key_count){ key, 1 };
}

static void count_sample(struct survey *s, const struct tl_pprof_file *p,
			 const struct tl_pprof_sample *sample)
{
	s->samples++;
	s->locations += sample->location_count;
	if (sample->location_count > s->deepest)
		s->deepest = sample->location_count;
	for (size_t i = 0; i < p->type_count; i++)
		tl_add_cost(&s->totals[i], sample->values[i], &s->saturated);
	for (size_t i = 0; i < sample->label_count; i++)
		count_key(s, p, sample->labels[i].key);
}

static int take_survey(struct survey *s, struct tl_pprof_file *p, struct tl_error *err)
{
	struct tl_pprof_samples samples;
	int status;

	s->totals = tl_zeroed(p->type_count, sizeof(*s->totals));
	if (!s->totals)
		return tl_error_memory(err);
	tl_pprof_samples_begin(&samples, p);
	while ((status = tl_pprof_samples_next(&samples, err)) == 1)
		count_sample(s, p, &samples.sample);
	tl_pprof_samples_end(&samples);
	return status;
}

/* ---- facts ---- */

/* A string of the file as a fact; "" is none. */
static bool tell_text(struct tl_facts *facts, const char *name, struct tl_pprof_text text)
{
	char *copy;

	if (!text.size)
		return true;
	copy = strndup(text.text, text.size);
	if (copy)
		tl_fact_text(facts, name, copy);
	free(copy);
	return copy != NULL;
}

static bool tell_types(struct tl_facts *facts, const struct tl_pprof_file *p,
		       const struct survey *s)
{
	bool told = true;

	tl_facts_list(facts, "sample_types");
	for (size_t i = 0; told && i < p->type_count && i < LISTED; i++) {
		tl_facts_item(facts);
		told = tell_text(facts, "type", tl_pprof_string(p, p->types[i].name)) &&
		       tell_text(facts, "unit", tl_pprof_string(p, p->types[i].unit));
		tl_fact_i64(facts, "total", s->totals[i]);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
	return told;
}

static bool tell_header(struct tl_facts *facts, const struct tl_pprof_file *p)
{
	const struct tl_pprof_header *h = &p->header;
	bool told = tell_text(facts, "default_sample_type", tl_pprof_string(p, h->default_type)) &&
		    tell_text(facts, "period_type", tl_pprof_string(p, h->period_type.name)) &&
		    tell_text(facts, "period_unit", tl_pprof_string(p, h->period_type.unit)) &&
		    tell_text(facts, "drop_frames", tl_pprof_string(p, h->drop_frames)) &&
		    tell_text(facts, "keep_frames", tl_pprof_string(p, h->keep_frames)) &&
		    tell_text(facts, "doc_url", tl_pprof_string(p, h->doc_url));

	if (h->period)
		tl_fact_i64(facts, "period", (int64_t)h->period);
	if (h->time_ns)
		tl_fact_i64(facts, "time_nanos", (int64_t)h->time_ns);
	if (h->duration_ns)
		tl_fact_i64(facts, "duration_nanos", (int64_t)h->duration_ns);
	for (size_t i = 0; told && i < h->comment_count && i < LISTED; i++)
		told = tell_text(facts, "comment", tl_pprof_string(p, h->comments[i]));
	return told;
}

static bool tell_labels(struct tl_facts *facts, const struct tl_pprof_file *p,
			const struct survey *s)
{
	bool told = true;

	tl_facts_list(facts, "labels");
	for (size_t i = 0; told && i < s->key_count; i++) {
		tl_facts_item(facts);
		told = tell_text(facts, "key", tl_pprof_string(p, s->keys[i].key));
		tl_fact_u64(facts, "samples", s->keys[i].samples);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
	return told;
}

static bool tell_mappings(struct tl_facts *facts, const struct tl_pprof_file *p)
{
	bool told = true;
	char range[64];

	tl_facts_list(facts, "mappings");
	for (size_t i = 0; told && i < p->mapping_count && i < LISTED; i++) {
		const struct tl_pprof_mapping *m = &p->mappings[i];

		tl_facts_item(facts);
		told = tell_text(facts, "file", tl_pprof_string(p, m->file)) &&
		       tell_text(facts, "build_id", tl_pprof_string(p, m->build_id));
		snprintf(range, sizeof(range), "0x%" PRIx64 "..0x%" PRIx64, m->start, m->limit);
		tl_fact_text(facts, "range", range);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
	return told;
}

static bool tell(struct tl_facts *facts, const struct tl_pprof_file *p, const struct survey *s)
{
	bool told;

	tl_fact_text(facts, "format", "pprof");
	tl_fact_u64(facts, "bytes", p->size);
	told = tell_types(facts, p, s) && tell_header(facts, p);
	tl_fact_u64(facts, "samples", s->samples);
	tl_fact_u64(facts, "deepest_stack", s->deepest);
	tl_fact_u64(facts, "locations", p->location_count);
	tl_fact_u64(facts, "functions", p->function_count);
	tl_fact_u64(facts, "strings", p->string_count);
	told = told && tell_mappings(facts, p) && tell_labels(facts, p, s);
	if (p->counts.unknown_fields)
		tl_fact_u64(facts, "unknown_fields", p->counts.unknown_fields);
	tl_fact_u64(facts, "damaged_places", p->faults.total);
	return told;
}

int tl_pprof_describe(struct tl_pprof_file *p, bool json, struct tl_output *out,
		      struct tl_error *err)
{
	struct survey *s = calloc(1, sizeof(*s));
	struct tl_facts facts;
	int status = s ? take_survey(s, p, err) : tl_error_memory(err);

	if (status == 0) {
		tl_facts_begin(&facts, out, json);
		if (!tell(&facts, p, s))
			status = tl_error_memory(err);
		tl_facts_end(&facts);
	}
	if (s)
		free(s->totals);
	free(s);
	return tl_error_format(err, "pprof", status);
}
