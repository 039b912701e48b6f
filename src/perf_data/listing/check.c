/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of a file. The reader reports those of single records through its observer; the rules
 * between records are checked here.
 */
#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "perf_data/container/reader.h"
#include "perf_data/listing/describe.h"

/*
 * The end of a buffer's AUX data, as AUXTRACE records hold them and as AUX records announce them.
 */
struct buffer_extent {
	uint64_t cpu, tid; /* cpu TL_NOWHERE: of a thread */
	uint64_t data, reported;
	uint64_t offset, record; /* of the record that claims the most */
};

struct checking {
	struct tl_perf_reader *reader;
	struct tl_output *out;
	bool json;
	int64_t violations;
	bool info, aux_before_info, snapshots, no_memory;
	struct buffer_extent *extents;
	size_t extent_count, extent_capacity;
	uint64_t pmu_type;
};

static int violate(void *arg, enum tl_perf_rule rule, uint64_t offset, uint64_t record)
{
	struct checking *c = arg;
	const struct tl_perf_rule_row *row = &tl_perf_rules[rule];

	c->violations++;
	if (c->json)
		tl_put_format(c->out,
			      "{\"rule\":\"%s\",\"offset\":%" PRIu64 ",\"record\":%" PRIu64
			      ",\"text\":\"%s\"}\n",
			      row->id, offset, record, row->text);
	else
		tl_put_format(c->out, "%s offset 0x%" PRIx64 " record %" PRIu64 ": %s\n", row->id,
			      offset, record, row->text);
	return tl_output_failed(c->out);
}

/* Report the faults of the header, which tl_perf_open() found before there was an observer. */
static void report_header_faults(struct checking *c)
{
	const struct tl_perf_reader *r = c->reader;

	for (size_t i = 0; i < r->faults.listed; i++)
		for (int rule = 0; rule < TL_PERF_RULE_COUNT; rule++)
			if (tl_perf_rules[rule].text == r->faults.list[i].text)
				violate(c, (enum tl_perf_rule)rule, r->faults.list[i].offset,
					r->faults.list[i].record);
}

static struct buffer_extent *find_extent(struct checking *c, uint64_t cpu, uint64_t tid)
{
	for (size_t i = 0; i < c->extent_count; i++)
		if (c->extents[i].cpu == cpu && (cpu != TL_NOWHERE || c->extents[i].tid == tid))
			return &c->extents[i];
	if (!tl_grow(&c->extents, &c->extent_capacity, c->extent_count + 1, sizeof(*c->extents))) {
		c->no_memory = true;
		return NULL;
	}
	c->extents[c->extent_count] = (struct buffer_extent){ .cpu = cpu, .tid = tid };
	return &c->extents[c->extent_count++];
}

/*
 * A chunk begins where the one before it ended, or in its padding; chunks of snapshots do not.
 */
static void check_chunk(struct checking *c, const struct tl_perf_record *rec)
{
	const bool per_cpu = rec->auxtrace.cpu != UINT32_MAX;
	struct buffer_extent *e =
		find_extent(c, per_cpu ? rec->auxtrace.cpu : TL_NOWHERE, rec->auxtrace.tid);
	const uint64_t end = rec->auxtrace.offset + rec->data_size;

	if (!c->info && !c->aux_before_info) {
		c->aux_before_info = true;
		violate(c, TL_PERF_RULE_NO_INFO, rec->offset, rec->number);
	}
	if (!e)
		return;
	if (!c->snapshots && rec->auxtrace.offset > e->data)
		violate(c, TL_PERF_RULE_AUX_GAP, rec->offset, rec->number);
	e->data = tl_max(end, e->data);
}

/* A trailer has both thread and processor; the buffer is that of one of them. */
static void note_announced(struct checking *c, const struct tl_perf_record *rec)
{
	struct buffer_extent *e = find_extent(c, rec->id.cpu, rec->id.thread);
	const uint64_t end = rec->aux.offset + rec->aux.size;

	if (!e || end <= e->reported)
		return;
	e->reported = end;
	e->offset = rec->offset;
	e->record = rec->number;
}

static void check_announced(struct checking *c)
{
	for (size_t i = 0; !c->snapshots && i < c->extent_count; i++)
		if (c->extents[i].data && c->extents[i].reported > c->extents[i].data)
			violate(c, TL_PERF_RULE_AUX_MISSING, c->extents[i].offset,
				c->extents[i].record);
}

static void check_aux(struct checking *c, const struct tl_perf_record *rec)
{
	static const struct {
		uint64_t flag;
		enum tl_perf_rule rule;
	} rows[] = {
		{ TL_PERF_AUX_TRUNCATED, TL_PERF_RULE_AUX_TRUNCATED },
		{ TL_PERF_AUX_PARTIAL, TL_PERF_RULE_AUX_PARTIAL },
		{ TL_PERF_AUX_COLLISION, TL_PERF_RULE_AUX_COLLISION },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rec->aux.flags & rows[i].flag)
			violate(c, rows[i].rule, rec->offset, rec->number);
	note_announced(c, rec);
}

static void check_info(struct checking *c, const struct tl_perf_record *rec)
{
	enum { SNAPSHOT_MODE = 8 };

	c->info = true;
	c->snapshots = rec->auxtrace_info.count > SNAPSHOT_MODE &&
		       tl_get64s(rec->auxtrace_info.words + 8 * SNAPSHOT_MODE, rec->swapped);
	if (rec->auxtrace_info.type != TL_PERF_AUXTRACE_TYPE_INTEL_PT || !rec->auxtrace_info.count)
		return;
	c->pmu_type = tl_get64s(rec->auxtrace_info.words, rec->swapped);
	for (size_t i = 0; i < c->reader->attrs.count; i++)
		if (c->reader->attrs.list[i].type == c->pmu_type)
			return;
	violate(c, TL_PERF_RULE_NO_EVENT, rec->offset, rec->number);
}

static void check_record(struct checking *c, const struct tl_perf_record *rec)
{
	if (rec->type == TL_PERF_AUX)
		check_aux(c, rec);
	else if (rec->type == TL_PERF_LOST && rec->lost.count)
		violate(c, TL_PERF_RULE_LOST, rec->offset, rec->number);
	else if (rec->type == TL_PERF_AUXTRACE_INFO)
		check_info(c, rec);
	else if (rec->type == TL_PERF_AUXTRACE)
		check_chunk(c, rec);
}

int64_t tl_perf_check(struct tl_perf_reader *r, bool json, struct tl_output *out,
		      struct tl_error *err)
{
	struct checking c = { .reader = r, .out = out, .json = json };
	const bool strict = r->options.strict;
	struct tl_perf_record rec;
	int status;

	report_header_faults(&c);
	r->faults.observe = violate;
	r->faults.observe_arg = &c;
	r->options.strict = false;
	while ((status = tl_perf_record_next(r, &rec, err)) > 0 && !tl_output_failed(out))
		check_record(&c, &rec);
	r->faults.observe = NULL;
	r->options.strict = strict;
	if (status == 0)
		check_announced(&c);
	free(c.extents);
	if (c.no_memory)
		return tl_error_memory(err);
	if (status < 0 && !tl_output_failed(out))
		return tl_error_format(err, "perf", status);
	return c.violations;
}
