/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of a file: its writer, its events with their sums, its parts, the number of lines of each
 * kind.
 */
#include "callgrind/listing/describe.h"

#include <stdlib.h>

#include "callgrind/reader/reader.h"
#include "core/arithmetic.h"
#include "core/facts.h"

/* Facts of one part. */
struct summary {
	uint64_t process, thread, number, offset;
	bool checked; /* it has totals, or a line that takes their place */
};

struct survey {
	uint64_t kinds[TL_CALLGRIND_KIND_COUNT];
	struct summary *parts;
	size_t part_count, part_capacity;
	int64_t *sums; /* by event of the reader, over all parts */
	size_t sum_count, sum_capacity;
	uint32_t command; /* the first creator that some part names */
};

static bool note_part(struct survey *s, const struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_part_state *part = &reader->part;

	if (!tl_grow(&s->parts, &s->part_capacity, s->part_count + 1, sizeof(*s->parts)) ||
	    !tl_grow(&s->sums, &s->sum_capacity, reader->events.count + 1, sizeof(*s->sums)))
		return false;
	for (; s->sum_count < reader->events.count; s->sum_count++)
		s->sums[s->sum_count] = 0;
	for (size_t i = 0; i < reader->columns.count; i++)
		s->sums[reader->columns.events[i]] = tl_sum_saturating(
			s->sums[reader->columns.events[i]], reader->columns.sums[i]);
	s->parts[s->part_count++] = (struct summary){
		.process = part->process,
		.thread = part->thread,
		.number = part->number,
		.offset = part->offset,
		.checked = part->totals.line || part->summary.last,
	};
	if (!s->command)
		s->command = part->command;
	return true;
}

static int read_all(struct survey *s, struct tl_callgrind_reader *reader, struct tl_error *err)
{
	int status;

	while ((status = tl_callgrind_step(reader, err)) > 0) {
		s->kinds[reader->item.kind]++;
		if (reader->item.kind == TL_CALLGRIND_PART_END && !note_part(s, reader))
			return tl_error_memory(err);
	}
	if (status == 0 && !tl_lines_passed(&reader->lines))
		status = tl_error_at(err, TL_TRUNCATED, 0,
				     "the file is empty; with --separate-threads=yes the data is "
				     "in FILE-01, FILE-02, ...");
	return status;
}

/* ---- facts ---- */

static void event_facts(struct tl_facts *facts, const struct survey *s,
			const struct tl_callgrind_reader *reader)
{
	tl_facts_list(facts, "events");
	for (size_t i = 0; i < reader->events.count; i++) {
		const struct tl_callgrind_event *event = &reader->events.list[i];

		tl_facts_item(facts);
		tl_fact_text(facts, "name", tl_callgrind_name(reader, event->name));
		if (event->long_name)
			tl_fact_text(facts, "long_name",
				     tl_callgrind_name(reader, event->long_name));
		if (event->formula)
			tl_fact_text(facts, "formula", tl_callgrind_name(reader, event->formula));
		if (event->column && i < s->sum_count)
			tl_fact_i64(facts, "sum", s->sums[i]);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

static void known_u64(struct tl_facts *facts, const char *name, uint64_t value, uint64_t unknown)
{
	if (value != unknown)
		tl_fact_u64(facts, name, value);
}

static void part_facts(struct tl_facts *facts, const struct survey *s)
{
	tl_fact_u64(facts, "parts", s->part_count);
	tl_facts_list(facts, "by_part");
	for (size_t i = 0; i < s->part_count; i++) {
		const struct summary *part = &s->parts[i];

		tl_facts_item(facts);
		tl_fact_u64(facts, "offset", part->offset);
		known_u64(facts, "part", part->number, 0);
		known_u64(facts, "process", part->process, TL_NOWHERE);
		known_u64(facts, "thread", part->thread, TL_NOWHERE);
		tl_fact_bool(facts, "has_totals", part->checked);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

static const struct {
	enum tl_callgrind_kind kind;
	const char *name;
	/* clang-format off */
} counted[] = {
	{ TL_CALLGRIND_HEADER, "header_lines" }, { TL_CALLGRIND_NAME, "name_lines" },
	{ TL_CALLGRIND_COST, "cost_lines" },	 { TL_CALLGRIND_CALL, "calls" },
	{ TL_CALLGRIND_JUMP, "jumps" },		 { TL_CALLGRIND_OTHER, "other_lines" },
	{ TL_CALLGRIND_COMMENT, "comments" },	 { TL_CALLGRIND_LOST, "lost" },
};
/* clang-format on */

static void tell(struct tl_facts *facts, const struct survey *s,
		 const struct tl_callgrind_reader *reader)
{
	const char *creator = tl_callgrind_name(reader, reader->part.creator);

	tl_fact_text(facts, "format", "callgrind");
	if (*creator)
		tl_fact_text(facts, "creator", creator);
	if (s->command)
		tl_fact_text(facts, "command", tl_callgrind_name(reader, s->command));
	tl_fact_u64(facts, "size", tl_lines_passed(&reader->lines));
	tl_fact_u64(facts, "lines", reader->lines.number);
	event_facts(facts, s, reader);
	tl_facts_object(facts, "items_by_kind");
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		tl_fact_u64(facts, counted[i].name, s->kinds[counted[i].kind]);
	tl_facts_close(facts);
	part_facts(facts, s);
	tl_fact_u64(facts, "damaged_places", reader->faults.count);
	tl_fact_u64(facts, "skipped_bytes", reader->faults.skipped_bytes);
}

int tl_callgrind_describe(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	struct survey s = { .kinds = { 0 } };
	struct tl_facts facts;
	int status = read_all(&s, reader, err);

	if (status == 0) {
		tl_facts_begin(&facts, out, json);
		tell(&facts, &s, reader);
		tl_facts_end(&facts);
	}
	free(s.parts);
	free(s.sums);
	return tl_error_format(err, "callgrind", status);
}
