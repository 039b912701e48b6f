/* SPDX-License-Identifier: Apache-2.0 */
#include "open/lldb/parts.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/auxtrace/sideband.h"
#include "perf_data/auxtrace/switch_scan.h"

/* UAPI: PERF_SAMPLE_TID and PERF_SAMPLE_TIME, as the schema has them. */
enum { SAMPLE_TID = 2, SAMPLE_TIME = 4 };

/* From this time on the processor runs this thread. */
struct run {
	uint64_t ticks;
	uint64_t process, thread;
	size_t number;
};

struct runs {
	struct run *list;
	size_t count, room;
};

/* ---- switches ---- */

static size_t number_of(const struct tl_lldb_bundle *b, uint64_t process)
{
	for (size_t i = 0; i < b->process_count; i++)
		if (b->processes[i].id == process)
			return i;
	return TL_LLDB_FOREIGN;
}

static int add_run(struct runs *runs, const struct tl_lldb_bundle *b, uint64_t ticks,
		   struct tl_perf_thread_fields who, struct tl_error *err)
{
	if (runs->count && runs->list[runs->count - 1].thread == who.tid)
		return 0;
	if (!tl_grow(&runs->list, &runs->room, runs->count + 1, sizeof(*runs->list)))
		return tl_error_memory(err);
	runs->list[runs->count++] = (struct run){ ticks, who.pid, who.tid, number_of(b, who.pid) };
	return 0;
}

/* Out: the thread of the trailer goes, that of the record comes; in: the other way round. */
static int take_switch(struct runs *runs, const struct tl_lldb_bundle *b,
		       const struct tl_perf_record *rec, struct tl_error *err)
{
	const struct tl_perf_pt_info clock = { .time_shift = b->shift,
					       .time_mult = b->multiplier,
					       .time_zero = b->zero };
	const struct tl_perf_thread_fields own = { (uint32_t)rec->id.process,
						   (uint32_t)rec->id.thread };
	const bool out = rec->misc & TL_PERF_MISC_OUT;
	uint64_t ticks;
	int status = 0;

	if (rec->type != TL_PERF_SWITCH_CPU_WIDE || rec->id.thread == TL_NOWHERE ||
	    rec->id.time_ns == TL_NOWHERE || !tl_perf_pt_info_tsc(&clock, rec->id.time_ns, &ticks))
		return 0;
	/* Who goes first ran from the beginning. */
	if (!runs->count)
		status = add_run(runs, b, 0, out ? own : rec->thread, err);
	return status < 0 ? status : add_run(runs, b, ticks, out ? rec->thread : own, err);
}

static int read_runs(struct runs *runs, const struct tl_lldb_traced *t, struct tl_error *err)
{
	const struct tl_perf_sideband_stream stream = {
		.name = "",
		.data = t->switches,
		.size = t->switch_bytes,
		.sample_type = SAMPLE_TID | SAMPLE_TIME,
		.time_shift = t->bundle->shift,
		.time_mult = t->bundle->multiplier,
		.time_zero = t->bundle->zero,
	};
	const struct tl_perf_sideband_stream *of;
	struct tl_perf_sideband *records;
	struct tl_perf_record rec;
	int status = tl_perf_sideband_open(&records, "", UINT64_MAX, err);

	if (status == 0)
		status = tl_perf_sideband_add(records, &stream, err);
	while (status == 0) {
		status = tl_perf_sideband_next(records, UINT64_MAX, &rec, &of, err);
		if (status <= 0)
			break;
		status = take_switch(runs, t->bundle, &rec, err);
	}
	tl_perf_sideband_close(records);
	return tl_error_or_end(status);
}

/* ---- parts ---- */

struct handover {
	const struct tl_lldb_traced *traced;
	const struct run *goes, *comes;
};

static bool has_mapped(const struct tl_lldb_traced *t, const struct run *run, uint64_t ip)
{
	struct tl_pt_mapping mapping;

	return run->number != TL_LLDB_FOREIGN &&
	       tl_pt_program_mapping(t->programs[run->number], ip, &mapping);
}

static int owner(const void *arg, uint64_t ip)
{
	const struct handover *h = arg;

	return (int)has_mapped(h->traced, h->comes, ip) - (int)has_mapped(h->traced, h->goes, ip);
}

static int add_part(struct tl_lldb_parts *parts, const struct tl_lldb_part *part,
		    struct tl_error *err)
{
	if (part->from == part->to)
		return 0;
	if (!tl_grow(&parts->list, &parts->room, parts->count + 1, sizeof(*parts->list)))
		return tl_error_memory(err);
	parts->list[parts->count++] = *part;
	return 0;
}

/* The last run that had begun at a time. */
static size_t run_at(const struct runs *runs, size_t from, uint64_t ticks)
{
	while (from + 1 < runs->count && runs->list[from + 1].ticks <= ticks)
		from++;
	return from;
}

static int cut(struct tl_lldb_parts *parts, const struct tl_lldb_traced *t, const struct runs *runs,
	       struct tl_error *err)
{
	const struct tl_pt_config *config = t->config;
	struct tl_lldb_part part = { .buffer = t->buffer };
	struct tl_perf_switch_scan scan;
	int status = 0;
	size_t at;

	tl_perf_switch_scan_begin(&scan, config, config->begin, config->end);
	part.ticks = tl_perf_switch_scan_first_time(&scan, config->end);
	at = run_at(runs, 0, part.ticks);
	while (status == 0) {
		const struct run *now = &runs->list[at];
		const struct handover h = { t, now, now + 1 };
		const bool next = at + 1 < runs->count;
		const struct tl_perf_switch_goal goal = {
			.next = next, .tsc = next ? now[1].ticks : 0, .owner = owner, .arg = &h
		};
		const uint8_t *end =
			next ? tl_perf_switch_scan_to(&scan, config->end, &goal) : config->end;

		part.to = (uint64_t)(end - config->begin);
		part.process = now->process;
		part.thread = now->thread;
		part.number = now->number;
		status = add_part(parts, &part, err);
		if (end == config->end)
			break;
		at = run_at(runs, at + 1, scan.tsc);
		part.continues |= part.to > part.from;
		part.from = part.to;
		part.ticks = tl_max(part.ticks, runs->list[at].ticks);
	}
	return status;
}

int tl_lldb_parts_add(struct tl_lldb_parts *parts, const struct tl_lldb_traced *traced,
		      struct tl_error *err)
{
	struct run unknown = { 0, TL_NOWHERE, TL_NOWHERE, TL_LLDB_FOREIGN };
	struct runs runs = { .list = NULL };
	int status = read_runs(&runs, traced, err);

	/* Without switches nobody knows whose it is. */
	if (status == 0)
		status = cut(parts, traced,
			     runs.count ? &runs : &(struct runs){ .list = &unknown, .count = 1 },
			     err);
	free(runs.list);
	return status;
}

static int by_begin(const void *a, const void *b)
{
	const struct tl_lldb_part *x = a, *y = b;

	if (x->ticks != y->ticks)
		return tl_compare(x->ticks, y->ticks);
	if (x->buffer != y->buffer)
		return tl_compare(x->buffer, y->buffer);
	return tl_compare(x->from, y->from);
}

void tl_lldb_parts_sort(struct tl_lldb_parts *parts)
{
	if (parts->count)
		qsort(parts->list, parts->count, sizeof(*parts->list), by_begin);
}
