/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of a part, and the check that its end is not missing. */
#include "callgrind/reader/reader.h"

static const struct tl_callgrind_state fresh_state = {
	.owner = { TL_NONE, TL_NONE, TL_NONE },
	.file = TL_NONE,
	.self_file = TL_NONE,
	.callee_object = TL_NONE,
	.callee_file = TL_NONE,
	.callee = TL_NONE,
	.jump_file = TL_NONE,
	.jump_function = TL_NONE,
};

void tl_callgrind_state_begin(struct tl_callgrind_reader *reader)
{
	reader->state = fresh_state;
}

void tl_callgrind_part_begin(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_part_state *part = &reader->part;
	uint32_t creator = part->creator;

	*part = (struct tl_callgrind_part_state){
		.open = true,
		.process = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.creator = creator,
		.ordinal = part->ordinal,
		.header = part->header,
		.header_capacity = part->header_capacity,
		.summary = { .values = part->summary.values, .capacity = part->summary.capacity },
		.totals = { .values = part->totals.values, .capacity = part->totals.capacity },
		.offset = tl_lines_offset(&reader->lines),
		.line = reader->lines.number,
	};
	if (part->header)
		*part->header = '\0';
	/*
	 * Addresses and names in force end with a part; tables of compressed names stay (rule F).
	 */
	tl_callgrind_state_begin(reader);
	reader->plain_left = 0;
	if (reader->columns.sums)
		memset(reader->columns.sums, 0,
		       reader->columns.count * sizeof(*reader->columns.sums));
}

static bool sums_agree(const struct tl_callgrind_reader *reader,
		       const struct tl_callgrind_sums *line)
{
	size_t told_of = reader->columns.cut ? reader->columns.count : line->count;

	for (size_t i = 0; i < reader->columns.count || i < told_of; i++) {
		const int64_t have = i < reader->columns.count ? reader->columns.sums[i] : 0;
		const int64_t told = i < line->count ? line->values[i] : 0;

		if (have != told)
			return false;
	}
	return true;
}

static bool has_header(const struct tl_callgrind_part_state *part, enum tl_callgrind_header header)
{
	return part->headers >> header & 1;
}

/* Cachegrind's header has "desc:", "cmd:" and "events:", and no line that only Callgrind writes. */
static bool is_cachegrind(const struct tl_callgrind_reader *reader)
{
	static const unsigned others =
		1u << TL_CALLGRIND_HEADER_VERSION | 1u << TL_CALLGRIND_HEADER_CREATOR |
		1u << TL_CALLGRIND_HEADER_PID | 1u << TL_CALLGRIND_HEADER_PART |
		1u << TL_CALLGRIND_HEADER_THREAD | 1u << TL_CALLGRIND_HEADER_POSITIONS |
		1u << TL_CALLGRIND_HEADER_EVENT | 1u << TL_CALLGRIND_HEADER_TOTALS;
	const struct tl_callgrind_part_state *part = &reader->part;

	return has_header(part, TL_CALLGRIND_HEADER_CMD) &&
	       has_header(part, TL_CALLGRIND_HEADER_EVENTS) && !(part->headers & others) &&
	       !part->calls && !reader->seen.signature;
}

/*
 * Whether Callgrind dumped the part: it is numbered, and either has the sum of its costs in the
 * header or no costs.
 */
static bool is_dump(const struct tl_callgrind_part_state *part)
{
	return has_header(part, TL_CALLGRIND_HEADER_PART) &&
	       (part->summary.line ? !part->summary.in_body : !part->body);
}

static enum tl_callgrind_end expected_end(const struct tl_callgrind_reader *reader)
{
	const char *creator = tl_callgrind_name(reader, reader->part.creator);
	const struct tl_callgrind_creator *writer = tl_callgrind_creators;

	for (; writer->creator; writer++)
		if (!strncmp(creator, writer->creator, strlen(writer->creator)))
			return writer->end;
	if (reader->seen.appended_file)
		return TL_CALLGRIND_END_SUMMARY;
	if (reader->seen.totals || is_dump(&reader->part))
		return TL_CALLGRIND_END_TOTALS;
	return is_cachegrind(reader) ? TL_CALLGRIND_END_SUMMARY_LAST : TL_CALLGRIND_END_ANYHOW;
}

/*
 * The rule that this writer breaks by a missing end of the part; TL_CALLGRIND_RULE_COUNT: its end
 * is there.
 */
static enum tl_callgrind_rule missing_end(const struct tl_callgrind_part_state *part,
					  enum tl_callgrind_end end)
{
	bool behind = part->summary.line && (part->summary.last || !part->costs);

	if (end == TL_CALLGRIND_END_TOTALS && !part->totals.line)
		return TL_CALLGRIND_RULE_TOTALS_MISSING;
	if ((end == TL_CALLGRIND_END_SUMMARY_LAST && !behind) ||
	    (end == TL_CALLGRIND_END_SUMMARY && !part->summary.line))
		return TL_CALLGRIND_RULE_SUMMARY_MISSING;
	return TL_CALLGRIND_RULE_COUNT;
}

static int tell_missing(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			struct tl_error *err)
{
	if (!reader->ended)
		return tl_callgrind_broken(reader, rule, err);
	return tl_callgrind_broken_at(reader, rule, tl_lines_passed(&reader->lines), 0,
				      reader->lines.number, err);
}

/*
 * "sum(self) == totals: in every intact part ... Compare always" (section 4). Callgrind's summary:
 * differs by design where simulated caches and system calls count (section 2), so it is only held
 * against the sums where no totals: is; Cachegrind's summary: stands at the end and is its totals.
 * One in the middle of a body is xdebug's, and no sum.
 */
static int check_sums(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_callgrind_part_state *part = &reader->part;
	const struct tl_callgrind_sums *line = part->totals.line ? &part->totals : &part->summary;
	enum tl_callgrind_end end = expected_end(reader);
	enum tl_callgrind_rule rule = missing_end(part, end);

	if (part->too_large)
		return 0;
	if (rule != TL_CALLGRIND_RULE_COUNT)
		return tell_missing(reader, rule, err);
	if (!line->line || (line == &part->summary &&
			    (end == TL_CALLGRIND_END_SUMMARY || (line->in_body && !line->last))))
		return 0;
	if (sums_agree(reader, line))
		return 0;
	if (part->totals.line)
		rule = TL_CALLGRIND_RULE_TOTALS;
	else
		rule = line->last ? TL_CALLGRIND_RULE_SUMMARY_LAST : TL_CALLGRIND_RULE_SUMMARY;
	return tl_callgrind_broken_at(reader, rule, line->offset, 0, line->line, err);
}

/* Of a part that two readers read, the second one adds what the first one has. */
static void add_sums_before(struct tl_callgrind_reader *reader)
{
	if (!reader->cut.met || !reader->cut.before)
		return;
	reader->cut.before(reader->cut.arg, reader);
	reader->cut.before = NULL;
}

int tl_callgrind_part_end(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	int status = 0;

	if (reader->by_function.lines) {
		tl_callgrind_function_item(reader);
		return 1;
	}
	add_sums_before(reader);
	if (!reader->cut.skims && !reader->cut.unusual)
		status = check_sums(reader, err);
	reader->part.open = false;
	if (status < 0)
		return status;
	reader->item = (struct tl_callgrind_item){
		.kind = TL_CALLGRIND_PART_END,
		.offset = reader->part.offset,
		.line = reader->part.line,
		.length = (reader->ended ? tl_lines_passed(&reader->lines)
					 : tl_lines_offset(&reader->lines)) -
			  reader->part.offset,
		.part = reader->part.ordinal++,
		.costs = reader->columns.sums,
		.cost_count = (uint32_t)reader->columns.count,
	};
	return 1;
}
