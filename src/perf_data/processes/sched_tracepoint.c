/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/sched_tracepoint.h"

#include "perf_data/processes/tracing_text.h"

enum { TYPE_TRACEPOINT = 2 };

/*
 * TRACING_DATA holds the format files of the tracepoints as text: "name: sched_switch", "ID: 314",
 * and lines such as "field:pid_t next_pid; offset:56; size:4;" (section 8).
 */
struct tl_perf_sched_tracepoint tl_perf_sched_tracepoint_find(const struct tl_perf_reader *reader)
{
	const struct tl_perf_sched_tracepoint none = { .id = TL_NOWHERE };
	const char *data = (const char *)reader->tracing.data;
	const char *end = data ? data + reader->tracing.size : NULL;
	const char *name = tl_perf_tracing_find(data, end, "name: sched_switch\n");
	uint64_t id, next, prev;

	if (!name)
		return none;
	id = tl_perf_tracing_number(name, end, "ID:");
	next = tl_perf_tracing_number(tl_perf_tracing_find(name, end, " next_pid;"), end,
				      "offset:");
	prev = tl_perf_tracing_number(tl_perf_tracing_find(name, end, " prev_pid;"), end,
				      "offset:");
	if (id == TL_NOWHERE || next > UINT16_MAX || prev > UINT16_MAX)
		return none;
	return (struct tl_perf_sched_tracepoint){ id, (unsigned)next, (unsigned)prev };
}

static uint32_t raw_word(const struct tl_perf_record *rec, unsigned at)
{
	return tl_get32s(rec->sample.raw + at, rec->swapped);
}

bool tl_perf_sched_switch_of(const struct tl_perf_sched_tracepoint *point,
			     const struct tl_perf_record *rec, struct tl_perf_sched_switch *tids)
{
	const struct tl_perf_attr *attr = rec->attr;

	if (!attr || attr->type != TYPE_TRACEPOINT || attr->config != point->id ||
	    !rec->sample.raw || rec->sample.raw_size < point->next_pid + 4 ||
	    rec->sample.raw_size < point->prev_pid + 4)
		return false;
	tids->previous = raw_word(rec, point->prev_pid);
	tids->next = raw_word(rec, point->next_pid);
	return true;
}
