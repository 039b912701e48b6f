/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a trace: its header, its threads, the number of records of each kind, its damage. */
#include <stdlib.h>

#include "core/error.h"
#include "core/facts.h"
#include "xray/listing/select.h"

struct counts {
	uint64_t kinds[TL_XRAY_KIND_COUNT];
	uint64_t actions[TL_XRAY_ENTER_ARGS + 1];
	uint64_t first_tsc, last_tsc;
};

static int count_thread(struct tl_xray_reader *reader, const struct tl_xray_thread *thread,
			struct counts *counts, struct tl_error *err)
{
	struct tl_xray_record record;
	struct tl_xray_stream stream;
	int status;

	counts->first_tsc = UINT64_MAX;
	tl_xray_stream_open(&stream, reader, reader->order, thread->begin, thread->end,
			    &reader->faults);
	while ((status = tl_xray_stream_next(&stream, &record, err)) == 1) {
		counts->kinds[record.kind]++;
		if (record.kind != TL_XRAY_FUNCTION)
			continue;
		counts->actions[record.action]++;
		if (record.tsc < counts->first_tsc)
			counts->first_tsc = record.tsc;
		if (record.tsc > counts->last_tsc)
			counts->last_tsc = record.tsc;
	}
	tl_xray_stream_end(&stream);
	return status;
}

static void add_counts(struct counts *sum, const struct counts *counts)
{
	for (unsigned i = 0; i < TL_XRAY_KIND_COUNT; i++)
		sum->kinds[i] += counts->kinds[i];
	for (unsigned i = 0; i <= TL_XRAY_ENTER_ARGS; i++)
		sum->actions[i] += counts->actions[i];
	if (counts->first_tsc < sum->first_tsc)
		sum->first_tsc = counts->first_tsc;
	if (counts->last_tsc > sum->last_tsc)
		sum->last_tsc = counts->last_tsc;
}

static void header_facts(struct tl_facts *facts, const struct tl_xray_reader *r)
{
	static const char *const modes[] = { "basic", "fdr", "profiling" };
	const struct tl_xray_info *info = &r->info;

	tl_fact_text(facts, "format", "xray");
	tl_fact_text(facts, "mode", modes[info->mode]);
	tl_fact_u64(facts, "version", info->version);
	tl_fact_text(facts, "endianness", info->big_endian ? "big" : "little");
	if (info->big_endian && info->mode == TL_XRAY_FDR)
		tl_fact_text(facts, "bit_order", info->high_bits ? "high" : "low");
	if (r->from_text)
		tl_fact_text(facts, "text", "yaml");
	tl_fact_text(facts, "compression", tl_source_compression(r->source));
	tl_fact_u64(facts, "size", info->size);
	if (info->mode == TL_XRAY_PROFILING) {
		tl_fact_u64(facts, "timestamp", info->timestamp);
		tl_fact_i64(facts, "process", info->process);
	} else {
		tl_fact_bool(facts, "constant_tsc", info->constant_tsc);
		tl_fact_bool(facts, "nonstop_tsc", info->nonstop_tsc);
		tl_fact_u64(facts, "cycle_frequency", info->frequency);
	}
	if (info->mode == TL_XRAY_FDR)
		tl_fact_u64(facts, "buffer_size", info->buffer_size);
}

static void span_facts(struct tl_facts *facts, const struct tl_xray_reader *r,
		       const struct counts *counts)
{
	if (counts->first_tsc > counts->last_tsc)
		return;
	tl_fact_u64(facts, "first_tsc", counts->first_tsc);
	tl_fact_u64(facts, "last_tsc", counts->last_tsc);
	if (r->info.frequency)
		tl_fact_double(facts, "seconds",
			       (double)(counts->last_tsc - counts->first_tsc) /
				       (double)r->info.frequency);
}

static void record_facts(struct tl_facts *facts, const struct counts *counts)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < TL_XRAY_KIND_COUNT; i++)
		all += i == TL_XRAY_LOST ? 0 : counts->kinds[i];
	tl_fact_u64(facts, "records", all);
	tl_facts_object(facts, "records_by_kind");
	for (unsigned i = 0; i < TL_XRAY_KIND_COUNT; i++)
		if (counts->kinds[i] && i != TL_XRAY_LOST)
			tl_fact_u64(facts, tl_xray_kind_name((enum tl_xray_kind)i),
				    counts->kinds[i]);
	tl_facts_close(facts);
	if (!counts->kinds[TL_XRAY_FUNCTION])
		return;
	tl_facts_object(facts, "function_records_by_action");
	for (unsigned i = 0; i <= TL_XRAY_ENTER_ARGS; i++)
		tl_fact_u64(facts, tl_xray_action_name((enum tl_xray_action)i), counts->actions[i]);
	tl_facts_close(facts);
}

static void thread_facts(struct tl_facts *facts, const struct tl_xray_reader *r,
			 const struct counts *counts)
{
	tl_fact_u64(facts, r->info.mode == TL_XRAY_FDR ? "buffers" : "blocks", r->info.blocks);
	tl_fact_u64(facts, "threads", r->info.threads);
	tl_facts_list(facts, "by_thread");
	for (size_t i = 0; i < r->thread_count; i++) {
		const struct tl_xray_thread *t = &r->threads[i];

		tl_facts_item(facts);
		tl_fact_i64(facts, "process", t->process);
		tl_fact_i64(facts, "thread", t->thread);
		tl_fact_u64(facts, r->info.mode == TL_XRAY_FDR ? "buffers" : "blocks",
			    t->end - t->begin);
		tl_fact_u64(facts, r->info.mode == TL_XRAY_PROFILING ? "paths" : "function_records",
			    counts[i].kinds[r->info.mode == TL_XRAY_PROFILING ? TL_XRAY_SAMPLE
									      : TL_XRAY_FUNCTION]);
		span_facts(facts, r, &counts[i]);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

static void damage_facts(struct tl_facts *facts, const struct tl_xray_reader *r)
{
	tl_fact_u64(facts, "damaged_places", r->faults.count);
	tl_fact_u64(facts, "skipped_bytes", r->faults.skipped_bytes);
	if (!r->faults.count)
		return;
	tl_facts_list(facts, "damage");
	for (size_t i = 0; i < r->faults.listed && i < 10; i++) {
		const struct tl_xray_fault *fault = &r->faults.list[i];

		tl_facts_item(facts);
		tl_fact_u64(facts, "offset", fault->offset);
		tl_fact_u64(facts, "length", fault->length);
		tl_fact_text(facts, "text", fault->text);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

int tl_xray_describe(struct tl_xray_reader *reader, bool json, struct tl_output *out,
		     struct tl_error *err)
{
	struct counts *counts = calloc(reader->thread_count + 1, sizeof(*counts));
	struct counts sum = { .first_tsc = UINT64_MAX };
	struct tl_facts facts;
	int status = tl_error_unless_made(counts, err);

	tl_xray_rewind(reader);
	for (size_t i = 0; status == 0 && i < reader->thread_count; i++) {
		status = count_thread(reader, &reader->threads[i], &counts[i], err);
		add_counts(&sum, &counts[i]);
	}
	if (status == 0) {
		tl_facts_begin(&facts, out, json);
		header_facts(&facts, reader);
		record_facts(&facts, &sum);
		span_facts(&facts, reader, &sum);
		thread_facts(&facts, reader, counts);
		damage_facts(&facts, reader);
		tl_facts_end(&facts);
	}
	free(counts);
	return tl_error_format(err, "xray", status);
}
