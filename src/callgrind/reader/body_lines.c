/* SPDX-License-Identifier: Apache-2.0 */
/* Body lines ("Body Lines"): names, costs, calls, jumps. */
#include "callgrind/reader/cost_line.h"
#include "core/error.h"

/* ---- names ---- */

/* The state that each position specification changes (rules B to E). */
static void set_name(struct tl_callgrind_state *s, enum tl_callgrind_slot slot, uint32_t name)
{
	switch (slot) {
	case TL_CALLGRIND_SLOT_OBJECT:
		s->owner.object = name;
		break;
	case TL_CALLGRIND_SLOT_FILE:
		s->owner.file = s->file = s->self_file = name;
		break;
	case TL_CALLGRIND_SLOT_CURRENT_FILE:
		s->file = name;
		break;
	case TL_CALLGRIND_SLOT_FUNCTION:
		s->owner.function = name;
		s->file = s->self_file = s->owner.file;
		s->callee_object = s->callee_file = s->callee = TL_NONE;
		s->jump_file = s->jump_function = TL_NONE;
		break;
	case TL_CALLGRIND_SLOT_CALLEE_OBJECT:
		s->callee_object = name;
		break;
	case TL_CALLGRIND_SLOT_CALLEE_FILE:
		s->callee_file = name;
		break;
	case TL_CALLGRIND_SLOT_CALLEE:
		s->callee = name;
		break;
	case TL_CALLGRIND_SLOT_JUMP_FILE:
		s->jump_file = name;
		break;
	case TL_CALLGRIND_SLOT_JUMP_FUNCTION:
		s->jump_function = name;
		break;
	case TL_CALLGRIND_SLOT_NOTHING:
		break;
	}
}

static int name_faults(struct tl_callgrind_reader *reader,
		       const struct tl_callgrind_reference *reference, struct tl_error *err)
{
	int status = 0;

	if (reference->undefined)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_NAME_UNDEFINED, err);
	if (status == 0 && reference->redefined)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_NAME_REDEFINED, err);
	if (status == 0 && reference->has_control)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_NAME_CONTROL, err);
	return status;
}

int tl_callgrind_name_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
			   struct tl_error *err)
{
	struct tl_lines *lines = &reader->lines;
	const uint8_t *value = lines->start + key->size;
	struct tl_callgrind_item *item = &reader->item;
	struct tl_callgrind_reference reference = { .name = 0 };

	while (value < lines->stop && tl_callgrind_is_blank(*value))
		value++;
	reference.name = tl_callgrind_names_known(&reader->names, key->space, value, lines->stop);
	if (reference.name != TL_NONE) {
		reference.id = (const char *)value + 1;
		reference.id_size = (size_t)(lines->stop - value) - 2;
	} else {
		if (!tl_callgrind_names_read(&reader->names, key->space, (const char *)value,
					     (size_t)(lines->stop - value), tl_lines_passed(lines),
					     &reference))
			return tl_error_memory(err);
		int status = name_faults(reader, &reference, err);

		if (status < 0)
			return status;
	}
	set_name(&reader->state, key->slot, reference.name);
	tl_callgrind_item(reader, TL_CALLGRIND_NAME);
	item->key = key->key;
	item->name.has_id = reference.id != NULL;
	item->name.id = reference.id;
	item->name.id_size = reference.id_size;
	item->name.defines = reference.defines || !reference.id;
	item->name.number = reference.name;
	return 1;
}

/* ---- positions ---- */

/* A source line below 0 is unknown: line 0. */
static struct tl_callgrind_position place_of(const struct tl_callgrind_subpositions *position)
{
	uint64_t line = position->at[TL_CALLGRIND_COLUMN_LINE];

	return (struct tl_callgrind_position){
		position->at[TL_CALLGRIND_COLUMN_INSTR],
		position->at[TL_CALLGRIND_COLUMN_BB],
		line > INT64_MAX ? 0 : line,
	};
}

static int position_faults(struct tl_callgrind_reader *reader,
			   const struct tl_callgrind_subpositions *position, struct tl_error *err)
{
	int status = 0;

	if (position->negative || position->at[TL_CALLGRIND_COLUMN_LINE] > INT64_MAX)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_POSITION_NEGATIVE, err);
	else if (position->at[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_POSITION_LARGE, err);
	if (status == 0 && position->over)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_COST_TOO_LARGE, err);
	return status;
}

/* ---- costs ---- */

/* Costs up to the end of the line. False: a word is no number. */
static inline bool read_costs(struct tl_callgrind_reader *reader, const uint8_t *p,
			      struct tl_callgrind_cost_flags *costs)
{
	const uint8_t *stop = reader->lines.stop;
	unsigned room = (unsigned)reader->columns.count;

	while (p < stop) {
		int64_t cost;

		p = tl_callgrind_read_cost(p, stop, &cost, costs);
		if (!p)
			return false;
		if (__builtin_expect(costs->count == room, 0)) {
			costs->surplus = !reader->columns.cut;
			continue;
		}
		reader->columns.costs[costs->count++] = cost;
	}
	return true;
}

static int cost_faults(struct tl_callgrind_reader *reader,
		       const struct tl_callgrind_cost_flags *costs, struct tl_error *err)
{
	int status = 0;

	if (costs->over)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_COST_TOO_LARGE, err);
	if (status == 0 && costs->fraction)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_COST_FRACTION, err);
	if (status == 0 && costs->surplus)
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_COST_SURPLUS, err);
	return status;
}

/* Add to the sums of the part, which are compared with "totals:" at its end. */
static inline bool add_to_sums(struct tl_callgrind_reader *reader, unsigned count)
{
	bool over = false;

	for (unsigned i = 0; i < count; i++)
		if (__builtin_expect(__builtin_add_overflow(reader->columns.sums[i],
							    reader->columns.costs[i],
							    &reader->columns.sums[i]),
				     0)) {
			reader->columns.sums[i] =
				reader->columns.costs[i] < 0 ? INT64_MIN : INT64_MAX;
			over = true;
		}
	return !over;
}

static int self_faults(struct tl_callgrind_reader *reader, bool summed, struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	int status = 0;

	if (!summed && !reader->part.too_large) {
		reader->part.too_large = true;
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_SUM_TOO_LARGE, err);
	}
	if (status == 0 && s->owner.function == TL_NONE && !s->noted_no_function) {
		s->noted_no_function = true;
		status = tl_callgrind_broken(reader, TL_CALLGRIND_RULE_COST_NO_FUNCTION, err);
	}
	return status;
}

/* Self cost is the only kind of line that moves the base of relative positions (rule A). */
static inline int self_line(struct tl_callgrind_reader *reader,
			    const struct tl_callgrind_subpositions *position, unsigned count,
			    struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	bool summed = add_to_sums(reader, count);

	reader->plain_left = 0;
	tl_callgrind_set_base(reader, position);
	s->self_file = s->file;
	reader->part.body = reader->part.costs = true;
	reader->part.summary.last = false;
	tl_callgrind_item(reader, TL_CALLGRIND_COST);
	reader->item.count = 1;
	if (__builtin_expect(!summed || s->owner.function == TL_NONE, 0))
		return self_faults(reader, summed, err);
	return 0;
}

/* Begin the item of a call or jump: it starts at the pending line, not at the present one. */
static void pending_item(struct tl_callgrind_reader *reader, enum tl_callgrind_kind kind)
{
	struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_item *item = &reader->item;

	tl_callgrind_item(reader, kind);
	item->length += item->offset - s->offset;
	item->offset = s->offset;
	item->line = s->line;
	item->count = s->count;
	item->taken = s->taken;
	item->conditional = s->conditional;
	item->to = place_of(
		&(struct tl_callgrind_subpositions){ .at = { s->to[0], s->to[1], s->to[2] } });
	s->pending = TL_CALLGRIND_PENDING_NOTHING;
}

/* The callee of a call (rules B, C, D). */
static int call_line(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;

	pending_item(reader, TL_CALLGRIND_CALL);
	reader->part.body = true;
	reader->item.target = (struct tl_callgrind_owner){
		s->callee_object == TL_NONE ? s->owner.object : s->callee_object,
		s->callee_file == TL_NONE ? s->self_file : s->callee_file,
		s->callee,
	};
	s->callee_object = s->callee_file = TL_NONE;
	if (s->callee != TL_NONE)
		return 0;
	return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_CALL_NO_CALLEE, err);
}

static int jump_source(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;

	pending_item(reader, TL_CALLGRIND_JUMP);
	reader->part.body = true;
	reader->item.target = (struct tl_callgrind_owner){
		s->owner.object,
		s->jump_file == TL_NONE ? s->self_file : s->jump_file,
		s->jump_function,
	};
	s->jump_file = s->jump_function = TL_NONE;
	return 0;
}

/* Report a line that cannot be read, together with its pending call or jump. */
static int bad_cost_line(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			 struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	bool with_first =
		s->pending == TL_CALLGRIND_PENDING_CALL || s->pending == TL_CALLGRIND_PENDING_JUMP;

	s->pending = TL_CALLGRIND_PENDING_NOTHING;
	s->callee_object = s->callee_file = s->jump_file = s->jump_function = TL_NONE;
	if (with_first)
		return tl_callgrind_lost_at(reader, rule, s->offset, s->line, err);
	return tl_callgrind_lost(reader, rule, err);
}

/* The cost line of a call whose "calls=" line was bad: it is not self cost, so it is skipped. */
static int skipped_line(struct tl_callgrind_reader *reader)
{
	reader->state.pending = TL_CALLGRIND_PENDING_NOTHING;
	reader->state.callee_object = reader->state.callee_file = TL_NONE;
	reader->faults.skipped_bytes += (uint64_t)(reader->lines.next - reader->lines.whole);
	return 0;
}

/* Sub-positions of columns that the format does not define. */
static void further_places(struct tl_callgrind_reader *reader,
			   const struct tl_callgrind_subpositions *position,
			   enum tl_callgrind_pending pending)
{
	memcpy(reader->positions.further, position->at + TL_CALLGRIND_COLUMNS,
	       sizeof(reader->positions.further));
	memcpy(reader->positions.further_to, reader->state.to + TL_CALLGRIND_COLUMNS,
	       sizeof(reader->positions.further_to));
	reader->item.further.at = reader->positions.further;
	reader->item.further.to =
		pending == TL_CALLGRIND_PENDING_NOTHING ? NULL : reader->positions.further_to;
	reader->item.further.count = reader->positions.further_count;
}

int tl_callgrind_cost_line(struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_item *item = &reader->item;
	struct tl_callgrind_subpositions position;
	struct tl_callgrind_cost_flags costs = { 0 };
	enum tl_callgrind_pending pending = s->pending;
	unsigned count;
	int status;

	if (pending == TL_CALLGRIND_PENDING_SKIP)
		return skipped_line(reader);
	if (!reader->part.open)
		tl_callgrind_part_begin(reader);
	tl_callgrind_subpositions_begin(&position, reader);
	const uint8_t *p =
		tl_callgrind_sub_positions(reader, reader->lines.start, &position, &count);

	if (!reader->columns.count && pending != TL_CALLGRIND_PENDING_JUMP)
		return bad_cost_line(reader, TL_CALLGRIND_RULE_EVENTS_MISSING, err);
	if (!p || (pending != TL_CALLGRIND_PENDING_JUMP && !read_costs(reader, p, &costs)))
		return bad_cost_line(reader, TL_CALLGRIND_RULE_COST, err);
	if (pending == TL_CALLGRIND_PENDING_NOTHING)
		status = self_line(reader, &position, costs.count, err);
	else if (pending == TL_CALLGRIND_PENDING_CALL)
		status = call_line(reader, err);
	else
		status = jump_source(reader);
	if (__builtin_expect(costs.over || costs.fraction || costs.surplus, 0) && status == 0)
		status = cost_faults(reader, &costs, err);
	if (__builtin_expect(position.negative || position.over ||
				     position.at[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX,
			     0) &&
	    status == 0)
		status = position_faults(reader, &position, err);
	item->owner = s->owner;
	item->file = s->file;
	item->at = place_of(&position);
	if (__builtin_expect(reader->positions.further_count != 0, 0))
		further_places(reader, &position, pending);
	item->costs = reader->columns.costs;
	item->cost_count = costs.count;
	if (status < 0)
		return status;
	return 1;
}

/* ---- calls and jumps ---- */

/*
 * The target of a call or jump: sub-positions relative to the base. Missing ones are unknown;
 * surplus ones, which xdebug writes, have no meaning.
 */
static bool read_target(struct tl_callgrind_reader *reader, const uint8_t *p)
{
	struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_subpositions position;
	unsigned count;

	tl_callgrind_subpositions_begin(&position, reader);
	if (!tl_callgrind_sub_positions(reader, p, &position, &count) || position.over)
		return false;
	memset(s->to, 0, sizeof(s->to));
	for (unsigned i = 0; i < count; i++)
		s->to[reader->positions.columns[i]] = position.at[reader->positions.columns[i]];
	return true;
}

static const uint8_t *count_at(const uint8_t *p, uint64_t *count)
{
	bool over = false;
	const uint8_t *end = tl_callgrind_parse_number(tl_callgrind_skip_blanks(p), count, &over);

	return over ? NULL : end;
}

static int begin_pending(struct tl_callgrind_reader *reader, enum tl_callgrind_pending pending)
{
	struct tl_callgrind_state *s = &reader->state;

	s->pending = pending;
	s->offset = tl_lines_offset(&reader->lines);
	s->line = reader->lines.number;
	return 0;
}

/* "calls=(Call Count) (Destination position)". A count of 0 is valid (rule G). */
int tl_callgrind_calls_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
			    struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	const uint8_t *stop = reader->lines.stop,
		      *p = count_at(reader->lines.start + key->size, &s->count);

	reader->part.calls = true;
	if (p && (p == stop || tl_callgrind_is_blank(*p)) &&
	    read_target(reader, tl_callgrind_skip_blanks(p))) {
		s->conditional = false;
		s->taken = 0;
		begin_pending(reader, TL_CALLGRIND_PENDING_CALL);
		if (!key->space)
			return 0;
		return tl_callgrind_broken(reader, TL_CALLGRIND_RULE_RCALLS, err);
	}
	int status = tl_callgrind_lost(reader, TL_CALLGRIND_RULE_CALLS, err);

	begin_pending(reader, TL_CALLGRIND_PENDING_SKIP);
	return status;
}

static unsigned count_words(const uint8_t *p, const uint8_t *stop)
{
	unsigned words = 0;

	for (p = tl_callgrind_skip_blanks(p); p < stop; p = tl_callgrind_skip_blanks(p), words++)
		while (p < stop && !tl_callgrind_is_blank(*p))
			p++;
	return words;
}

/*
 * "jump=executed target"; "jcnd=followed/executed target" as written, "jcnd=executed followed
 * target" as printed in the published text (section 2).
 */
static const uint8_t *jump_counts(const struct tl_callgrind_reader *reader, const uint8_t *p,
				  struct tl_callgrind_state *s)
{
	uint64_t first, second;

	p = count_at(p, &first);
	s->count = s->taken = p ? first : 0;
	if (!p || !s->conditional)
		return p;
	if (*p == '/') {
		p = count_at(p + 1, &second);
		s->count = p ? second : 0;
	} else if (count_words(p, reader->lines.stop) > reader->positions.count) {
		p = count_at(p, &second);
		s->taken = p ? second : 0;
	}
	return p;
}

int tl_callgrind_jump_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
			   struct tl_error *err)
{
	struct tl_callgrind_state *s = &reader->state;
	const uint8_t *stop = reader->lines.stop, *p;

	s->conditional = key->line == TL_CALLGRIND_LINE_JCND;
	p = jump_counts(reader, reader->lines.start + key->size, s);
	if (p && (p == stop || tl_callgrind_is_blank(*p)) &&
	    read_target(reader, tl_callgrind_skip_blanks(p)))
		return begin_pending(reader, TL_CALLGRIND_PENDING_JUMP);

	int status = tl_callgrind_lost(reader, TL_CALLGRIND_RULE_JUMP, err);

	/* The source line of a jump has no costs. Read as self cost, it would move the base. */
	begin_pending(reader, TL_CALLGRIND_PENDING_SKIP);
	return status;
}
