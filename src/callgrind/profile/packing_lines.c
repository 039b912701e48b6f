/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost lines of the plain form that follow each other, from the text into the pack, without an item
 * for each. The plain way, which packs the same, is tl_callgrind_step() and
 * tl_callgrind_pack_line(), line by line: it takes what is not of that form.
 */
#include "callgrind/profile/fold.h"

#include "callgrind/reader/cost_line.h"
#include "core/error.h"

static const uint8_t *last_newline(const struct tl_lines *lines)
{
	const uint8_t *p = lines->end;

	while (p > lines->next && p[-1] != '\n')
		p--;
	return p > lines->next ? p - 1 : NULL;
}

/* The end of the last whole line in the buffer, which is looked for once in each filling. */
static const uint8_t *whole_lines(struct tl_callgrind_folder *f)
{
	const struct tl_lines *lines = &f->reader->lines;
	struct tl_callgrind_packing_text *text = &f->packing.text;

	if (text->end != lines->end || text->offset != lines->offset)
		*text = (struct tl_callgrind_packing_text){ last_newline(lines), lines->end,
							    lines->offset };
	return text->newline;
}

/* A number that has more than seven digits, or is hexadecimal. NULL: none, or it does not fit. */
static __attribute__((noinline)) const uint8_t *other_number(const uint8_t *p, uint64_t *number)
{
	bool over = false;
	const uint8_t *end = tl_callgrind_long_number(p, number, &over);

	return over ? NULL : end;
}

static inline bool ends_word(const uint8_t *p)
{
	return *p == ' ' || *p == '\n';
}

/* A sub-position and one blank behind it. NULL: it is of another form. */
static inline const uint8_t *plain_position(const uint8_t *p, uint64_t *at)
{
	const uint8_t sign = *p, *digits = p + (sign == '+' || sign == '-'), *end = p + 1;
	uint64_t number = 0;

	if (sign != '*')
		end = tl_callgrind_parse_few(digits, &number);
	if (!end || !ends_word(end))
		end = other_number(digits, &number);
	if (!end || end == digits || !ends_word(end) || (sign == '-' && number > *at))
		return NULL;
	if (sign == '-')
		*at -= number;
	else
		*at = number + (sign == '+' || sign == '*' ? *at : 0);
	return end + (*end == ' ');
}

static inline const uint8_t *plain_positions(const struct tl_callgrind_reader *reader,
					     const uint8_t *p, uint64_t *at)
{
	const unsigned count = reader->positions.count;

	for (unsigned i = 0; p && i < count && *p != '\n'; i++)
		p = plain_position(p, &at[reader->positions.columns[i]]);
	return p && at[TL_CALLGRIND_COLUMN_LINE] <= UINT32_MAX ? p : NULL;
}

/* The costs of a line, as they are read. */
struct packed_costs {
	uint8_t *end;        /* behind the last one that is not 0 */
	uint32_t read, kept; /* how many there are; how many up to that one */
};

/*
 * Returns the newline behind the costs, NULL: one is of another form. Sums have them in either
 * case.
 */
static inline const uint8_t *read_costs(const struct tl_callgrind_reader *reader, const uint8_t *p,
					int64_t *packed_sums, struct packed_costs *costs)
{
	const uint32_t room = (uint32_t)reader->columns.count;
	int64_t *list = reader->columns.costs, *sums = reader->columns.sums;
	uint8_t *to = costs->end;
	uint32_t count = 0;

	while (*p != '\n') {
		uint64_t cost = 0;
		const uint8_t *end = tl_callgrind_parse_few(p, &cost);

		if (!end || end == p || count == room)
			break;
		to = tl_pack_line_cost(to, (uint32_t)cost);
		list[count] = (int64_t)cost;
		sums[count] += (int64_t)cost;
		packed_sums[count++] += (int64_t)cost;
		costs->kept = cost ? count : costs->kept;
		costs->end = cost ? to : costs->end;
		p = end + (*end == ' ');
	}
	costs->read = count;
	return *p == '\n' && costs->kept <= TL_PACK_LINE_COSTS ? p : NULL;
}

static void take_from_sums(struct tl_callgrind_reader *reader, int64_t *packed_sums, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		reader->columns.sums[i] -= reader->columns.costs[i];
		packed_sums[i] -= reader->columns.costs[i];
	}
}

/* Read one line at p and add it. 1; 0: it is of another form; negative: no memory. */
static inline int pack_one(struct tl_callgrind_folder *f, struct tl_pack_lines *lines,
			   const uint8_t **text)
{
	struct tl_callgrind_reader *reader = f->reader;
	struct tl_callgrind_state *s = &reader->state;
	uint64_t at[TL_CALLGRIND_COLUMNS];
	struct packed_costs costs = { NULL, 0, 0 };
	const uint8_t *p = *text;

	if (tl_callgrind_first_bytes[*p] != TL_CALLGRIND_FIRST_COST)
		return 0;
	memcpy(at, s->base, sizeof(at));
	p = plain_positions(reader, p, at);
	if (!p)
		return 0;
	lines->at.address = at[TL_CALLGRIND_COLUMN_INSTR];
	lines->at.block = at[TL_CALLGRIND_COLUMN_BB];
	lines->at.line = (uint32_t)at[TL_CALLGRIND_COLUMN_LINE];
	costs.end = tl_pack_line_place(lines);
	p = read_costs(reader, p, lines->sums, &costs);
	if (!p) {
		take_from_sums(reader, lines->sums, costs.read);
		return 0;
	}
	if (!tl_pack_line_end(lines, costs.end, costs.kept))
		return TL_NO_MEMORY;
	memcpy(s->base, at, sizeof(at));
	*text = p + 1;
	return 1;
}

/* The reader has given `count` lines, of which the last one is from `last` to `next`. */
static void lines_given(struct tl_callgrind_reader *reader, uint32_t count, const uint8_t *last,
			const uint8_t *next)
{
	struct tl_lines *lines = &reader->lines;

	reader->plain_left -= count;
	reader->state.self_file = reader->state.file;
	reader->part.body = reader->part.costs = true;
	reader->part.summary.last = false;
	lines->number += count;
	lines->start = lines->whole = last;
	lines->stop = next - 1;
	lines->next = next;
}

static int pack_text(struct tl_callgrind_folder *f, const uint8_t *newline, struct tl_error *err)
{
	struct tl_callgrind_reader *reader = f->reader;
	const uint8_t *next = reader->lines.next, *last = next;
	struct tl_pack_lines lines;
	uint32_t count = 0;
	int status = 1;

	if (!tl_pack_lines_begin(&lines, f->profile->pack, f->packing.function, f->part.number,
				 tl_callgrind_packing_file(f, reader->state.file)))
		return tl_error_memory(err);
	while (next < newline && count < reader->plain_left) {
		const uint8_t *line = next;

		status = pack_one(f, &lines, &next);
		if (status <= 0)
			break;
		last = line;
		count++;
	}
	tl_pack_lines_end(&lines);
	if (count)
		lines_given(reader, count, last, next);
	f->part.records += count;
	return status < 0 ? tl_error_memory(err) : 0;
}

int tl_callgrind_pack_lines(struct tl_callgrind_folder *f, struct tl_error *err)
{
	struct tl_callgrind_reader *reader = f->reader;
	const struct tl_callgrind_owner *owner = &reader->state.owner, *last = &f->packing.owner;
	const uint8_t *newline = whole_lines(f);

	if (!newline || reader->lines.next >= newline || f->packing.row ||
	    f->profile->pack->large || f->packing.function == TL_NONE ||
	    owner->function != last->function || owner->file != last->file ||
	    owner->object != last->object || !tl_callgrind_may_be_plain(reader) ||
	    tl_callgrind_first_bytes[*reader->lines.next] != TL_CALLGRIND_FIRST_COST)
		return 0;
	return pack_text(f, newline, err);
}
