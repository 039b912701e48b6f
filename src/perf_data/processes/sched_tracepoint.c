/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/sched_tracepoint.h"

#include <string.h>

enum { TYPE_TRACEPOINT = 2 };

static const char *find_text(const char *from, const char *end, const char *text)
{
	return from ? memmem(from, (size_t)(end - from), text, strlen(text)) : NULL;
}

/* A number behind a text; TL_NOWHERE: the text is not there. */
static uint64_t number_behind(const char *from, const char *end, const char *text)
{
	const char *p = find_text(from, end, text);
	uint64_t value = 0;

	if (!p)
		return TL_NOWHERE;
	for (p += strlen(text); p < end && *p == ' '; p++)
		;
	for (; p < end && *p >= '0' && *p <= '9' && value < UINT32_MAX; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return value;
}

/*
 * TRACING_DATA holds the format files of the tracepoints as text: "name: sched_switch", "ID: 314",
 * and lines such as "field:pid_t next_pid; offset:56; size:4;" (section 8).
 */
struct tl_perf_sched_tracepoint tl_perf_sched_tracepoint_find(const struct tl_perf_reader *reader)
{
	const struct tl_perf_sched_tracepoint none = { .id = TL_NOWHERE };
	const char *data = (const char *)reader->tracing.data;
	const char *end = data ? data + reader->tracing.size : NULL;
	const char *name = find_text(data, end, "name: sched_switch\n");
	uint64_t id, next, prev;

	if (!name)
		return none;
	id = number_behind(name, end, "ID:");
	next = number_behind(find_text(name, end, " next_pid;"), end, "offset:");
	prev = number_behind(find_text(name, end, " prev_pid;"), end, "offset:");
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
