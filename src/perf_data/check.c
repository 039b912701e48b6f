/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: those of records are noticed by the reader as it goes; those between records are looked at here. */
#include <inttypes.h>

#include "core/output.h"
#include "perf_data/reader.h"
#include "perf_data/tell.h"

struct checking {
	struct tl_perf_reader *reader;
	struct tl_output *out;
	bool json;
	int64_t violations;
	bool info, aux_before_info;
	uint64_t pmu_type;
};

static int violate(void *arg, enum perf_rule rule, uint64_t offset, uint64_t record)
{
	struct checking *c = arg;
	const struct perf_rule_row *row = &tl_perf_rules[rule];

	c->violations++;
	if (c->json)
		tl_put_format(c->out,
			      "{\"rule\":\"%s\",\"offset\":%" PRIu64 ",\"record\":%" PRIu64 ",\"text\":\"%s\"}\n",
			      row->id, offset, record, row->text);
	else
		tl_put_format(c->out, "%s offset 0x%" PRIx64 " record %" PRIu64 ": %s\n", row->id, offset, record,
			      row->text);
	return tl_output_failed(c->out);
}

/* Faults of the header were met when the file was opened. */
static void tell_earlier(struct checking *c)
{
	const struct tl_perf_reader *r = c->reader;

	for (size_t i = 0; i < r->listed; i++)
		for (int rule = 0; rule < RULE_COUNT; rule++)
			if (tl_perf_rules[rule].text == r->faults[i].text)
				violate(c, (enum perf_rule)rule, r->faults[i].offset, r->faults[i].record);
}

static void check_aux(struct checking *c, const struct tl_perf_record *rec)
{
	static const struct {
		uint64_t flag;
		enum perf_rule rule;
	} rows[] = {
		{ TL_PERF_AUX_TRUNCATED, RULE_AUX_TRUNCATED },
		{ TL_PERF_AUX_PARTIAL, RULE_AUX_PARTIAL },
		{ TL_PERF_AUX_COLLISION, RULE_AUX_COLLISION },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rec->aux.flags & rows[i].flag)
			violate(c, rows[i].rule, rec->offset, rec->number);
}

static void check_info(struct checking *c, const struct tl_perf_record *rec)
{
	c->info = true;
	if (rec->auxtrace_info.type != AUXTRACE_TYPE_INTEL_PT || !rec->auxtrace_info.count)
		return;
	c->pmu_type = tl_get64s(rec->auxtrace_info.words, rec->swapped);
	for (size_t i = 0; i < c->reader->attrs.count; i++)
		if (c->reader->attrs.list[i].type == c->pmu_type)
			return;
	violate(c, RULE_NO_EVENT, rec->offset, rec->number);
}

static void check_record(struct checking *c, const struct tl_perf_record *rec)
{
	if (rec->type == TL_PERF_AUX)
		check_aux(c, rec);
	else if (rec->type == TL_PERF_LOST && rec->lost.count)
		violate(c, RULE_LOST, rec->offset, rec->number);
	else if (rec->type == TL_PERF_AUXTRACE_INFO)
		check_info(c, rec);
	else if (rec->type == TL_PERF_AUXTRACE && !c->info && !c->aux_before_info) {
		c->aux_before_info = true;
		violate(c, RULE_NO_INFO, rec->offset, rec->number);
	}
}

int64_t tl_perf_check(struct tl_perf_reader *r, bool json, struct tl_output *out, struct tl_error *err)
{
	struct checking c = { .reader = r, .out = out, .json = json };
	const bool strict = r->options.strict;
	struct tl_perf_record rec;
	int status;

	tell_earlier(&c);
	r->observe = violate;
	r->observe_arg = &c;
	r->options.strict = false;
	while ((status = tl_perf_next(r, &rec, err)) > 0 && !tl_output_failed(out))
		check_record(&c, &rec);
	r->observe = NULL;
	r->options.strict = strict;
	if (status < 0 && !tl_output_failed(out))
		return tl_error_format(err, "perf", status);
	return c.violations;
}
