/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text before the cut, for a reader that reads what is behind. Names that are defined there,
 * headers, and the function, file and position in force are taken by the plain way; costs are not
 * read at all, and names of callees only where an id or a name may be new. The reader of that text
 * finds what is wrong in it, so that nothing is reported here.
 */
#include "callgrind/reader/cost_line.h"

void tl_callgrind_give_up_cut(struct tl_callgrind_reader *reader)
{
	reader->cut.unusual = reader->ended = true;
	reader->cut.skims = false;
}

void tl_callgrind_meet_cut(struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_cut *cut = &reader->cut;

	cut->met = true;
	cut->skims = false;
	cut->mark = (struct tl_callgrind_mark){
		.offset = tl_lines_offset(&reader->lines),
		.owner = s->owner,
		.file = s->file,
		.part = reader->part.ordinal,
		.columns = (uint32_t)reader->columns.count,
	};
	memcpy(cut->mark.base, s->base, sizeof(cut->mark.base));
	if (cut->ends)
		reader->ended = true;
}

/* The cost line of a call or jump: only what it ends matters. */
static void skim_pending(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;

	if (s->pending == TL_CALLGRIND_PENDING_CALL)
		s->callee_object = s->callee_file = TL_NONE;
	else
		s->jump_file = s->jump_function = TL_NONE;
	s->pending = TL_CALLGRIND_PENDING_NOTHING;
	reader->part.body = true;
}

/* Self cost: only the position matters, to which that of the next line may be relative. */
static bool skim_self(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;

	if (!reader->part.open || !reader->columns.count || reader->positions.further_count ||
	    s->owner.function == TL_NONE)
		return false;
	if (!tl_callgrind_fast_positions(reader, reader->lines.start, s->base) ||
	    s->base[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX)
		return false;
	s->self_file = s->file;
	reader->part.body = reader->part.costs = true;
	reader->part.summary.last = false;
	return true;
}

static void skim_cost(struct tl_callgrind_reader *reader)
{
	const enum tl_callgrind_pending pending = reader->state.pending;

	if (pending == TL_CALLGRIND_PENDING_CALL || pending == TL_CALLGRIND_PENDING_JUMP)
		skim_pending(reader);
	else if (pending != TL_CALLGRIND_PENDING_NOTHING || !skim_self(reader))
		tl_callgrind_give_up_cut(reader);
}

/* "cfn=(7)", "cfi=(7)", "cfl=(7)" or "cob=(7)", which define no name. */
static bool is_known_callee(const uint8_t *p, const uint8_t *stop)
{
	const uint8_t *id = p + 5;

	if (memcmp(p, "cfn=(", 5) != 0 && memcmp(p, "cfi=(", 5) != 0 &&
	    memcmp(p, "cfl=(", 5) != 0 && memcmp(p, "cob=(", 5) != 0)
		return false;
	for (p = id; tl_callgrind_is_digit(*p);)
		p++;
	return p > id && *p == ')' && p + 1 == stop;
}

static bool skim_calls(struct tl_callgrind_reader *reader)
{
	reader->part.calls = true;
	reader->state.pending = TL_CALLGRIND_PENDING_CALL;
	return true;
}

bool tl_callgrind_skim_line(struct tl_callgrind_reader *reader)
{
	static const char calls[] = "calls=";
	const uint8_t *start = reader->lines.start, *stop = reader->lines.stop;

	if (reader->lines.too_long)
		return false;
	if (tl_callgrind_first_bytes[*start] == TL_CALLGRIND_FIRST_COST) {
		skim_cost(reader);
		return true;
	}
	if (*start != 'c' || !reader->part.open || reader->state.pending)
		return false;
	if (stop - start > 6 && !memcmp(start, calls, sizeof(calls) - 1))
		return skim_calls(reader);
	return stop - start > 6 && is_known_callee(start, stop);
}
