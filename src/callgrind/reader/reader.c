/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a file; kinds of lines; handing lines to body_lines.c and header_lines.c. */
#include "callgrind/reader/reader.h"

#include <stdlib.h>

#include "callgrind/text/parse_number.h"
#include "core/sized.h"
#include "core/text/optional.h"

/* ---- lines ---- */

static const struct tl_callgrind_key *find_key(const uint8_t *start, const uint8_t *stop)
{
	const struct tl_callgrind_key *key = tl_callgrind_keys;

	for (; key->size; key++) {
		if (start[0] != (uint8_t)key->start[0] || start[1] != (uint8_t)key->start[1])
			continue;
		if ((size_t)(stop - start) >= key->size && !memcmp(start, key->start, key->size))
			return key;
	}
	return NULL;
}

static bool is_key_byte(uint8_t c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || tl_callgrind_is_blank(c) ||
	       (c >= '0' && c <= '9') || c == '_' || c == '(' || c == ')';
}

/* Find the key of a header line: "key:". */
static const struct tl_callgrind_header_key *find_header(const uint8_t *start, const uint8_t *stop,
							 const uint8_t **colon)
{
	const struct tl_callgrind_header_key *key = tl_callgrind_header_keys;

	*colon = start;
	while (*colon < stop && is_key_byte(**colon))
		++*colon;
	if (*colon == stop || **colon != ':' || (*start | 0x20) < 'a' || (*start | 0x20) > 'z')
		return NULL;
	while (key->key && (strlen(key->key) != (size_t)(*colon - start) ||
			    memcmp(key->key, start, (size_t)(*colon - start)) != 0))
		key++;
	return key;
}

static int header_line(struct tl_callgrind_reader *reader,
		       const struct tl_callgrind_header_key *key, const uint8_t *colon,
		       struct tl_error *err)
{
	const uint8_t *value = colon + 1, *stop = reader->lines.stop;

	tl_lines_blank(&reader->lines, value);
	while (value < stop && tl_callgrind_is_blank(*value))
		value++;
	while (stop > value && tl_callgrind_is_blank(stop[-1]))
		stop--;
	return tl_callgrind_header_line(reader, key, (const char *)value, (size_t)(stop - value),
					err);
}

/* Make an item whose text is the line itself. */
static int text_item(struct tl_callgrind_reader *reader, enum tl_callgrind_kind kind,
		     const char *key)
{
	struct tl_lines *lines = &reader->lines;

	tl_callgrind_item(reader, kind);
	reader->item.key = key;
	reader->item.text = (const char *)lines->start;
	reader->item.text_size = (size_t)(lines->stop - lines->start);
	return 1;
}

/*
 * Whether a name line changes the function that self costs belong to. Other name lines matter to
 * single lines, calls and jumps only.
 */
static bool changes_function(const struct tl_callgrind_key *key)
{
	return key->line == TL_CALLGRIND_LINE_NAME &&
	       (key->slot == TL_CALLGRIND_SLOT_FUNCTION || key->slot == TL_CALLGRIND_SLOT_FILE ||
		key->slot == TL_CALLGRIND_SLOT_OBJECT);
}

static bool is_at_cut(const struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key)
{
	return key->line == TL_CALLGRIND_LINE_NAME && key->slot == TL_CALLGRIND_SLOT_FUNCTION &&
	       !reader->cut.met && tl_lines_offset(&reader->lines) >= reader->cut.offset;
}

static int body_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
		     struct tl_error *err)
{
	if (!reader->part.open)
		tl_callgrind_part_begin(reader);
	if (reader->by_function.lines && changes_function(key)) {
		tl_lines_again(&reader->lines);
		tl_callgrind_function_item(reader);
		return 1;
	}
	if (__builtin_expect(is_at_cut(reader, key), 0)) {
		tl_callgrind_meet_cut(reader);
		if (reader->ended)
			return 0;
	}
	switch (key->line) {
	case TL_CALLGRIND_LINE_NAME:
		return tl_callgrind_name_line(reader, key, err);
	case TL_CALLGRIND_LINE_CALLS:
		return tl_callgrind_calls_line(reader, key, err);
	case TL_CALLGRIND_LINE_JUMP:
	case TL_CALLGRIND_LINE_JCND:
		return tl_callgrind_jump_line(reader, key, err);
	default:
		reader->seen.appended_file = reader->seen.appended_file || *key->key == '=';
		return text_item(reader, TL_CALLGRIND_OTHER, key->key);
	}
}

/*
 * "calls= without its cost line is reported and dropped" (section 4). The present line is then read
 * again.
 */
static int drop_pending(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	enum tl_callgrind_pending pending = s->pending;
	enum tl_callgrind_rule rule = TL_CALLGRIND_RULE_JUMP_NO_SOURCE;

	s->pending = TL_CALLGRIND_PENDING_NOTHING;
	if (pending == TL_CALLGRIND_PENDING_SKIP)
		return 0;
	if (!reader->ended)
		tl_lines_again(&reader->lines);
	if (pending == TL_CALLGRIND_PENDING_CALL)
		rule = TL_CALLGRIND_RULE_CALL_NO_COST;
	return tl_callgrind_lost_at(reader, rule, s->offset, s->line, err);
}

static bool is_signature(const struct tl_lines *lines)
{
	static const char text[] = "# callgrind format";

	return (size_t)(lines->stop - lines->start) == sizeof(text) - 1 &&
	       !memcmp(lines->start, text, sizeof(text) - 1);
}

/* Any line but a cost line. */
static int other_line(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	const struct tl_lines *lines = &reader->lines;
	const struct tl_callgrind_key *key = find_key(lines->start, lines->stop);
	const struct tl_callgrind_header_key *header = NULL;
	const uint8_t *colon;

	if (!key && *lines->start == '#') {
		reader->seen.signature = reader->seen.signature || is_signature(lines);
		return text_item(reader, TL_CALLGRIND_COMMENT, "#");
	}
	if (reader->state.pending) {
		int status = drop_pending(reader, err);

		if (status)
			return status;
	}
	if (key)
		return body_line(reader, key, err);
	header = find_header(lines->start, lines->stop, &colon);
	if (!header)
		return tl_callgrind_lost(reader, TL_CALLGRIND_RULE_LINE_UNKNOWN, err);
	if (header->begins_part && reader->part.open && reader->part.body) {
		tl_lines_again(&reader->lines);
		return tl_callgrind_part_end(reader, err);
	}
	if (!reader->part.open)
		tl_callgrind_part_begin(reader);
	return header_line(reader, header, colon, err);
}

/*
 * A cost line that could not be added to the sum of its function. The sum so far becomes an item
 * first, because self costs are added in the order of the file.
 */
static int cost_line(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	if (!reader->by_function.lines || reader->state.pending)
		return tl_callgrind_cost_line(reader, err);
	tl_lines_again(&reader->lines);
	tl_callgrind_function_item(reader);
	return 1;
}

/* The fast way first. */
static inline int cost_line_of_any_form(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	int status = tl_callgrind_plain_line(reader);

	return status < 0 ? cost_line(reader, err) : status;
}

/* A line that begins with a blank, or is too long. */
static int unusual_line(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_lines *lines = &reader->lines;

	if (lines->too_long)
		return tl_callgrind_lost(reader, TL_CALLGRIND_RULE_LINE_LONG, err);
	while (lines->start < lines->stop && tl_callgrind_is_blank(*lines->start))
		lines->start++;
	if (lines->start == lines->stop)
		return 0;
	int status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_LINE_INDENTED, err);

	if (status < 0)
		return status;
	if (tl_callgrind_first_bytes[*lines->start] == TL_CALLGRIND_FIRST_COST)
		return cost_line(reader, err);
	return other_line(reader, err);
}

/*
 * End of the text, or of what is to be read of it. At the end of the text a pending call or jump is
 * dropped, and the last part is complete.
 */
static int end_of_text(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	if (reader->ended && (reader->cut.unusual || (reader->cut.met && reader->cut.ends)))
		return 0;
	reader->ended = true;
	if (reader->state.pending) {
		int status = drop_pending(reader, err);

		if (status)
			return status;
	}
	if (!reader->part.open)
		return 0;
	return tl_callgrind_part_end(reader, err);
}

static int skip_mark(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_lines *lines = &reader->lines;

	if (lines->stop - lines->start < 3 || memcmp(lines->start, "\xef\xbb\xbf", 3) != 0)
		return 0;
	lines->start += 3;
	lines->whole += 3;
	return tl_callgrind_broken_at(reader, TL_CALLGRIND_RULE_BOM, 0, 0, 1, err);
}

/*
 * A number at the end of a truncated file may have lost digits. The line is used all the same,
 * since most writers just omit the last newline. Reported once, although a line may be read twice.
 */
static int unended_line(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	if (reader->seen.unended_line)
		return 0;
	reader->seen.unended_line = true;
	return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_LINE_UNENDED, err);
}

int tl_callgrind_step(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_lines *lines = &reader->lines;
	int status = 0;

	while (status == 0) {
		status = reader->ended ? 0 : tl_lines_next(lines, err);
		if (status == 0)
			return end_of_text(reader, err);
		if (status > 0)
			status = lines->number == 1 ? skip_mark(reader, err) : 0;
		if (__builtin_expect(status == 0 && lines->unended, 0))
			status = unended_line(reader, err);
		if (status < 0)
			return status;
		if (reader->cut.skims && tl_callgrind_skim_line(reader))
			continue;
		enum tl_callgrind_first_byte first = tl_callgrind_first_bytes[*lines->start];

		if (__builtin_expect(lines->too_long != 0, 0))
			status = unusual_line(reader, err);
		else if (first == TL_CALLGRIND_FIRST_COST)
			status = cost_line_of_any_form(reader, err);
		else if (lines->start == lines->stop)
			status = 0;
		else if (first == TL_CALLGRIND_FIRST_BLANK)
			status = unusual_line(reader, err);
		else
			status = other_line(reader, err);
	}
	return status;
}

int tl_callgrind_next(struct tl_callgrind_reader *reader, struct tl_callgrind_item *item,
		      size_t size, struct tl_error *err)
{
	int status;

	if (size < sizeof(*item))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_callgrind_item is too small");
	status = tl_callgrind_step(reader, err);
	if (status > 0)
		tl_copy_sized(item, size, &reader->item, sizeof(reader->item));
	return status;
}

/* ---- the handle ---- */

static bool copy_columns(struct tl_callgrind_reader *reader)
{
	/* "positions: defaults to line". */
	reader->positions.columns[0] = TL_CALLGRIND_COLUMN_LINE;
	reader->positions.names[0] = tl_callgrind_columns[TL_CALLGRIND_COLUMN_LINE];
	reader->positions.count = 1;
	tl_callgrind_state_begin(reader);
	reader->part.process = reader->part.thread = reader->cut.offset = TL_NOWHERE;
	/* Number 0 of the pool is "", which stands for every absent text. */
	reader->names.pool = &reader->names.own;
	return tl_names_add(reader->names.pool, "", 0) != TL_NONE;
}

int tl_callgrind_open(struct tl_callgrind_reader **reader, struct tl_source *source,
		      const struct tl_callgrind_options *options, struct tl_error *err)
{
	struct tl_callgrind_reader *made;

	*reader = NULL;
	if (options && options->size < sizeof(*options))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_callgrind_options is too small");
	made = calloc(1, sizeof(*made));
	if (!made || !tl_lines_begin(&made->lines, source) || !copy_columns(made)) {
		tl_callgrind_close(made);
		return tl_error_memory(err);
	}
	if (options)
		tl_take(&made->options, sizeof(made->options), options, options->size);
	*reader = made;
	return 0;
}

void tl_callgrind_close(struct tl_callgrind_reader *reader)
{
	if (!reader)
		return;
	tl_lines_end(&reader->lines);
	tl_callgrind_names_free(&reader->names);
	free(reader->faults.list);
	free(reader->events.list);
	free(reader->columns.events);
	free(reader->columns.names);
	free(reader->part.header);
	free(reader->part.summary.values);
	free(reader->part.totals.values);
	free(reader->columns.costs);
	free(reader->columns.sums);
	free(reader->by_function.costs);
	free(reader);
}

int tl_callgrind_part(const struct tl_callgrind_reader *reader, struct tl_callgrind_part *part,
		      size_t size)
{
	const struct tl_callgrind_part_state *p = &reader->part;
	const struct tl_callgrind_part ours = {
		.process = p->process,
		.thread = p->thread,
		.number = p->number,
		.command = tl_callgrind_name(reader, p->command),
		.creator = tl_callgrind_name(reader, p->creator),
		.header = tl_text_or_empty(p->header),
		.events = reader->columns.names,
		.event_count = (uint32_t)reader->columns.count,
		.positions = reader->positions.names,
		.position_count = reader->positions.count,
	};

	return tl_give(part, size, sizeof(ours), &ours, sizeof(ours));
}

const struct tl_callgrind_fault *tl_callgrind_faults(const struct tl_callgrind_reader *reader,
						     size_t *listed, uint64_t *count,
						     uint64_t *skipped_bytes)
{
	*listed = reader->faults.listed;
	*count = reader->faults.count;
	*skipped_bytes = reader->faults.skipped_bytes;
	return reader->faults.list;
}
