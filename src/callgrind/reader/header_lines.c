/* SPDX-License-Identifier: Apache-2.0 */
/* Header lines ("Header Lines"). */
#include <stdlib.h>

#include "callgrind/text/parse_number.h"
#include "callgrind/reader/reader.h"

struct value {
	const char *text;
	size_t size;
};

/* The next word of the value. False at its end. */
static bool next_word(struct value *rest, struct value *word)
{
	while (rest->size && tl_callgrind_is_blank((uint8_t)*rest->text)) {
		rest->text++;
		rest->size--;
	}
	*word = (struct value){ rest->text, 0 };
	while (rest->size && !tl_callgrind_is_blank((uint8_t)*rest->text)) {
		rest->text++;
		rest->size--;
		word->size++;
	}
	return word->size != 0;
}

static int number_value(struct tl_callgrind_reader *reader, struct value value, uint64_t *number,
			struct tl_error *err)
{
	bool over = false;
	uint64_t read = 0;
	const uint8_t *end = tl_callgrind_parse_number((const uint8_t *)value.text, &read, &over);

	if (!end || over || end != (const uint8_t *)value.text + value.size)
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_HEADER_NUMBER, err);
	*number = read;
	return 0;
}

/* "version: 0.9.6" is older than 1, "version: 2" is newer. */
static int version_value(struct tl_callgrind_reader *reader, struct value value,
			 struct tl_error *err)
{
	bool over = false;
	uint64_t major = 0;

	if (!tl_callgrind_parse_number((const uint8_t *)value.text, &major, &over))
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_HEADER_NUMBER, err);
	if (major > 1 || over)
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_VERSION, err);
	return 0;
}

/* "cmd: newline as \\n, backslash as \\\\". */
static int command_value(struct tl_callgrind_reader *reader, struct value value,
			 struct tl_error *err)
{
	char *text = malloc(value.size + 1), *to = text;
	uint32_t name = TL_NONE;

	for (size_t i = 0; text && i < value.size; i++) {
		bool escape = value.text[i] == '\\' && i + 1 < value.size &&
			      (value.text[i + 1] == 'n' || value.text[i + 1] == '\\');

		i += escape;
		*to++ = escape && value.text[i] == 'n' ? '\n' : value.text[i];
	}
	if (text)
		name = tl_callgrind_intern(reader, text, (size_t)(to - text));
	free(text);
	reader->part.command = name == TL_NONE ? 0 : name;
	if (name == TL_NONE)
		return tl_error_memory(err);
	return 0;
}

static int creator_value(struct tl_callgrind_reader *reader, struct value value,
			 struct tl_error *err)
{
	uint32_t name = tl_callgrind_intern(reader, value.text, value.size);

	if (name == TL_NONE)
		return tl_error_memory(err);
	reader->part.creator = name;
	reader->seen.cut_stacks = value.size >= 5 && !memcmp(value.text, "xtree", 5);
	return 0;
}

static int description_value(struct tl_callgrind_reader *reader, struct value value,
			     struct tl_error *err)
{
	struct tl_callgrind_part_state *part = &reader->part;
	size_t want = part->header_size + value.size + sizeof("desc: \n");

	if (!tl_grow(&part->header, &part->header_capacity, want, 1))
		return tl_error_memory(err);
	memcpy(part->header + part->header_size, "desc: ", 6);
	memcpy(part->header + part->header_size + 6, value.text, value.size);
	part->header_size = want - 1;
	part->header[part->header_size - 1] = '\n';
	part->header[part->header_size] = '\0';
	return 0;
}

/* TL_CALLGRIND_COLUMNS: not one of the published words. */
static unsigned column_named(struct value word)
{
	unsigned column = 0;

	while (column < TL_CALLGRIND_COLUMNS &&
	       (strlen(tl_callgrind_columns[column]) != word.size ||
		memcmp(tl_callgrind_columns[column], word.text, word.size) != 0))
		column++;
	return column;
}

struct positions {
	uint8_t columns[TL_CALLGRIND_MOST_POSITIONS];
	uint32_t names[TL_CALLGRIND_MOST_POSITIONS];
	unsigned count, further, seen;
};

/*
 * A word that is not defined by the format, or given twice, is a column of its own. False without
 * memory.
 */
static bool add_position(struct tl_callgrind_reader *reader, struct positions *p, struct value word)
{
	unsigned column = column_named(word);

	if (column == TL_CALLGRIND_COLUMNS || p->seen & 1u << column)
		column = TL_CALLGRIND_COLUMNS + p->further++;
	p->seen |= 1u << column;
	p->columns[p->count] = (uint8_t)column;
	p->names[p->count] = tl_callgrind_intern(reader, word.text, word.size);
	return p->names[p->count++] != TL_NONE;
}

/* "any subset of instr, bb, line in this order"; other orders are accepted, too (section 2). */
static int positions_value(struct tl_callgrind_reader *reader, struct value value,
			   struct tl_error *err)
{
	struct positions p = { .count = 0 };
	struct value word;

	while (next_word(&value, &word)) {
		if (p.count == TL_CALLGRIND_MOST_POSITIONS ||
		    p.further == TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS)
			return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_POSITIONS, err);
		if (!add_position(reader, &p, word))
			return tl_error_memory(err);
	}
	if (!p.count)
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_POSITIONS, err);
	reader->positions.count = p.count;
	reader->positions.further_count = p.further;
	reader->item.further.count = 0;
	for (unsigned i = 0; i < p.count; i++) {
		reader->positions.columns[i] = p.columns[i];
		reader->positions.names[i] = tl_callgrind_name(reader, p.names[i]);
	}
	memset(reader->state.base, 0, sizeof(reader->state.base));
	memset(reader->state.further_base, 0, sizeof(reader->state.further_base));
	if (!p.further)
		return 0;
	return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_POSITION_UNKNOWN, err);
}

/* ---- events ---- */

/*
 * More events than any writer has. Each function, line and call has a cost for each event, so the
 * limit keeps a short file with many events from taking memory by their product. Events of "event:"
 * lines leave as many numbers free, so that formulas never cost a file its columns.
 */
enum { MOST_EVENTS = 256, MOST_WITH_COLUMNS = 2 * MOST_EVENTS, TOO_MANY_EVENTS = TL_NONE - 1 };

/*
 * The event of a name, added if new and there are less than `most`; TL_NONE without memory;
 * TOO_MANY_EVENTS: it has no number.
 */
static uint32_t event_number(struct tl_callgrind_reader *reader, struct value name, size_t most)
{
	uint32_t text = tl_callgrind_intern(reader, name.text, name.size);

	if (text == TL_NONE)
		return TL_NONE;
	for (size_t i = 0; i < reader->events.count; i++)
		if (reader->events.list[i].name == text)
			return (uint32_t)i;
	if (reader->events.count >= most)
		return TOO_MANY_EVENTS;
	if (!tl_grow(&reader->events.list, &reader->events.capacity, reader->events.count + 1,
		     sizeof(*reader->events.list)))
		return TL_NONE;
	reader->events.list[reader->events.count] = (struct tl_callgrind_event){ .name = text };
	return (uint32_t)reader->events.count++;
}

/* Make room for the arrays that are indexed by column. Sums begin at 0. */
static bool column_room(struct tl_callgrind_reader *reader, size_t count)
{
	if (!tl_grow(&reader->columns.costs, &reader->columns.cost_capacity, count + 1,
		     sizeof(*reader->columns.costs)) ||
	    !tl_grow(&reader->columns.sums, &reader->columns.sum_capacity, count + 1,
		     sizeof(*reader->columns.sums)) ||
	    !tl_grow(&reader->by_function.costs, &reader->by_function.capacity, count + 1,
		     sizeof(*reader->by_function.costs)) ||
	    !tl_grow(&reader->columns.names, &reader->columns.name_capacity, count + 1,
		     sizeof(*reader->columns.names)) ||
	    !tl_grow(&reader->columns.events, &reader->columns.capacity, count + 1,
		     sizeof(*reader->columns.events)))
		return false;
	memset(reader->columns.sums, 0, count * sizeof(*reader->columns.sums));
	reader->plain_left = 0;
	memset(reader->by_function.costs, 0, count * sizeof(*reader->by_function.costs));
	return true;
}

/* Add a column of costs. @return 1; 0: there are too many events; negative: no memory */
static int add_column(struct tl_callgrind_reader *reader, struct value name, size_t count)
{
	uint32_t event;

	if (count == MOST_EVENTS)
		return 0;
	event = event_number(reader, name, MOST_WITH_COLUMNS);
	if (event == TL_NONE || !column_room(reader, count + 1))
		return TL_NO_MEMORY;
	if (event == TOO_MANY_EVENTS)
		return 0;
	reader->events.list[event].column = true;
	reader->columns.events[count] = event;
	return 1;
}

static int events_value(struct tl_callgrind_reader *reader, struct value value,
			struct tl_error *err)
{
	struct value word;
	size_t count = 0;
	int added = 1;

	while (added > 0 && next_word(&value, &word)) {
		added = add_column(reader, word, count);
		count += added > 0;
	}
	if (added < 0 || !column_room(reader, count))
		return tl_error_memory(err);
	reader->columns.count = count;
	reader->columns.cut = !added;
	for (size_t i = 0; i < count; i++)
		reader->columns.names[i] = tl_callgrind_name(
			reader, reader->events.list[reader->columns.events[i]].name);
	if (added)
		return 0;
	return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_EVENTS_MANY, err);
}

static struct value trimmed(const char *start, const char *stop)
{
	while (start < stop && tl_callgrind_is_blank((uint8_t)*start))
		start++;
	while (stop > start && tl_callgrind_is_blank((uint8_t)stop[-1]))
		stop--;
	return (struct value){ start, (size_t)(stop - start) };
}

/* "event: Sum = Ir + Dr : long name"; formula and long name may be missing. */
static int event_value(struct tl_callgrind_reader *reader, struct value value, struct tl_error *err)
{
	const char *end = value.text + value.size, *colon = memchr(value.text, ':', value.size);
	const char *stop = colon ? colon : end;
	const char *equals = memchr(value.text, '=', (size_t)(stop - value.text));
	struct value name = trimmed(value.text, equals ? equals : stop);
	struct value formula = equals ? trimmed(equals + 1, stop) : (struct value){ "", 0 };
	struct value long_name = colon ? trimmed(colon + 1, end) : (struct value){ "", 0 };
	uint32_t event, texts[2];

	if (!name.size || memchr(name.text, ' ', name.size))
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_EVENT, err);
	event = event_number(reader, name, MOST_EVENTS);
	texts[0] = tl_callgrind_intern(reader, formula.text, formula.size);
	texts[1] = tl_callgrind_intern(reader, long_name.text, long_name.size);
	if (event == TL_NONE || texts[0] == TL_NONE || texts[1] == TL_NONE)
		return tl_error_memory(err);
	if (event == TOO_MANY_EVENTS)
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_EVENTS_MANY, err);
	reader->events.list[event].formula = texts[0];
	reader->events.list[event].long_name = texts[1];
	reader->events.list[event].offset = tl_lines_offset(&reader->lines);
	reader->events.list[event].line = reader->lines.number;
	return 0;
}

/* ---- sums ---- */

static int sums_value(struct tl_callgrind_reader *reader, struct value value,
		      struct tl_callgrind_sums *sums, struct tl_error *err)
{
	struct value word;
	bool odd = false;

	sums->count = 0;
	sums->offset = tl_lines_offset(&reader->lines);
	sums->line = 0;
	sums->last = reader->part.costs;
	sums->in_body = reader->state.owner.function != TL_NONE;
	/* xtree writes this when nothing was measured. */
	if (value.size == 6 && !memcmp(value.text, "(null)", 6))
		value.size = 0;
	while (next_word(&value, &word)) {
		const uint8_t *start = (const uint8_t *)word.text;

		if (!tl_grow(&sums->values, &sums->capacity, sums->count + 1,
			     sizeof(*sums->values)))
			return tl_error_memory(err);
		if (tl_callgrind_unusual_cost(start, start + word.size,
					      &sums->values[sums->count++], &odd,
					      &odd) != start + word.size)
			odd = true;
	}
	if (odd)
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_HEADER_NUMBER, err);
	sums->line = reader->lines.number;
	return 0;
}

/* ---- the line ---- */

static int take_value(struct tl_callgrind_reader *reader, enum tl_callgrind_header header,
		      struct value value, struct tl_error *err)
{
	struct tl_callgrind_part_state *part = &reader->part;

	switch (header) {
	case TL_CALLGRIND_HEADER_VERSION:
		return version_value(reader, value, err);
	case TL_CALLGRIND_HEADER_CREATOR:
		return creator_value(reader, value, err);
	case TL_CALLGRIND_HEADER_PID:
		return number_value(reader, value, &part->process, err);
	case TL_CALLGRIND_HEADER_CMD:
		return command_value(reader, value, err);
	case TL_CALLGRIND_HEADER_PART:
		return number_value(reader, value, &part->number, err);
	case TL_CALLGRIND_HEADER_THREAD:
		return number_value(reader, value, &part->thread, err);
	case TL_CALLGRIND_HEADER_DESC:
		return description_value(reader, value, err);
	case TL_CALLGRIND_HEADER_POSITIONS:
		return positions_value(reader, value, err);
	case TL_CALLGRIND_HEADER_EVENTS:
		return events_value(reader, value, err);
	case TL_CALLGRIND_HEADER_EVENT:
		return event_value(reader, value, err);
	case TL_CALLGRIND_HEADER_SUMMARY:
		return sums_value(reader, value, &part->summary, err);
	case TL_CALLGRIND_HEADER_TOTALS:
		/* A part with totals and without any cost is complete. */
		part->body = true;
		reader->seen.totals = true;
		return sums_value(reader, value, &part->totals, err);
	default:
		return 0;
	}
}

int tl_callgrind_header_line(struct tl_callgrind_reader *reader,
			     const struct tl_callgrind_header_key *key, const char *value,
			     size_t size, struct tl_error *err)
{
	int status = take_value(reader, key->header, (struct value){ value, size }, err);

	reader->part.headers |= 1u << key->header;

	/* "unknown header keys: one counted warning" (section 4). */
	if (status == 0 && key->header == TL_CALLGRIND_HEADER_OTHER &&
	    !reader->seen.unknown_header) {
		reader->seen.unknown_header = true;
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_HEADER_UNKNOWN, err);
	}
	if (status < 0)
		return status;
	tl_callgrind_item(reader, TL_CALLGRIND_HEADER);
	reader->item.key = key->key ? key->key : "unknown";
	reader->item.text = key->key ? value : (const char *)reader->lines.start;
	reader->item.text_size =
		key->key ? size : (size_t)(reader->lines.stop - reader->lines.start);
	return 1;
}
