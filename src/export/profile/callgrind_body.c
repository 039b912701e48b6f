/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a Callgrind file: a block per function with its cost lines, calls and jumps.
 *
 * Readers differ in some points of the format (docs/formats/callgrind.md, 3 and 6). The body avoids
 * them: call lines have absolute positions and always name the callee's file, a block ends in the
 * function's own file, and a position is relative only where all readers take the same base.
 */
#include "export/profile/callgrind.h"

#include <string.h>

#include "core/arithmetic.h"

static void put_position(const struct tl_callgrind_writer *c, const struct tl_position *at)
{
	if (c->layout.addresses) {
		tl_put_hex(c->out, at->address);
		tl_put_char(c->out, ' ');
	}
	if (c->layout.blocks) {
		tl_put_hex(c->out, at->block);
		tl_put_char(c->out, ' ');
	}
	tl_put_u64(c->out, at->line);
}

/* "Sub-position Compression": "*", "+n", "-n". */
static void put_relative_number(const struct tl_callgrind_writer *c, uint64_t number, uint64_t base)
{
	if (number == base) {
		tl_put_char(c->out, '*');
		return;
	}
	if (number > base) {
		tl_put_char(c->out, '+');
		tl_put_u64(c->out, number - base);
	} else {
		tl_put_char(c->out, '-');
		tl_put_u64(c->out, base - number);
	}
}

static void put_relative(const struct tl_callgrind_writer *c, const struct tl_position *at)
{
	if (c->layout.addresses) {
		put_relative_number(c, at->address, c->current.base.address);
		tl_put_char(c->out, ' ');
	}
	if (c->layout.blocks) {
		put_relative_number(c, at->block, c->current.base.block);
		tl_put_char(c->out, ' ');
	}
	put_relative_number(c, at->line, c->current.base.line);
}

static bool at_base(const struct tl_callgrind_writer *c, const struct tl_position *at)
{
	return (!c->layout.addresses || at->address == c->current.base.address) &&
	       (!c->layout.blocks || at->block == c->current.base.block) &&
	       at->line == c->current.base.line;
}

/*
 * The position line of a call or jump. Readers differ in the base of the next relative position:
 * this line, or the cost line before it (rule A). Both are the same if the position did not change.
 */
static void put_source(struct tl_callgrind_writer *c, const struct tl_position *at)
{
	bool same = c->current.agreed && at_base(c, at);

	if (c->options.compression == TL_COMPRESS_ALL && same)
		put_relative(c, at);
	else
		put_position(c, at);
	c->current.agreed = same;
}

/* "missing trailing counters are 0": most lines have one or two costs of a dozen events. */
static void put_costs(const struct tl_callgrind_writer *c)
{
	uint32_t count = tl_max(c->sum.used, 1u);

	while (count > 1 && !c->sum.costs[count - 1])
		count--;
	for (uint32_t i = 0; i < count; i++) {
		int64_t cost = c->sum.costs[i];
		char *p = tl_output_room(c->out, 21);

		*p++ = ' ';
		if (cost >= 0 && cost < 10)
			*p++ = (char)('0' + cost);
		else if (cost >= 0)
			p = tl_format_u64(p, (uint64_t)cost);
		tl_output_advance(c->out, p);
		if (cost < 0)
			tl_put_i64(c->out, cost);
	}
	tl_put_char(c->out, '\n');
}

static void put_name(struct tl_callgrind_writer *c, const char *key,
		     enum tl_callgrind_namespace space, uint32_t number)
{
	tl_callgrind_name_put(&c->names, c->out, key, space, number);
}

/* The target position of a call or jump; unknown numbers are those of the function's entry. */
static struct tl_position target_position(const struct tl_callgrind_writer *c, uint32_t function,
					  struct tl_position to)
{
	const struct tl_function *f = tl_profile_function(c->profile, function);

	if (!to.line)
		to.line = f->line;
	if (!to.address)
		to.address = f->address;
	return to;
}

/* The name of a file of a position; of the function, where the position has none. */
static uint32_t name_of_file(struct tl_callgrind_writer *c, const char *file,
			     uint32_t function_file)
{
	if (!*file)
		return function_file;
	return tl_callgrind_name_number(&c->names, TL_NAMESPACE_FILES, file);
}

/* A cost line is the base of what follows. */
static void line_is_put(struct tl_callgrind_writer *c, const struct tl_position *at)
{
	c->current.base = *at;
	c->current.agreed = true;
	c->current.self_file = c->current.file;
}

static void put_line(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	if (c->options.compression == TL_COMPRESS_ALL && c->current.agreed)
		put_relative(c, item->at);
	else
		put_position(c, item->at);
	line_is_put(c, item->at);
	put_costs(c);
}

static void put_call(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	const struct tl_callgrind_writer_function *callee = &c->function_names[item->target];
	struct tl_position to = target_position(c, item->target, *item->to);

	if (c->layout.objects && callee->object != c->current.object)
		put_name(c, "cob", TL_NAMESPACE_OBJECTS, callee->object);
	put_name(c, "cfi", TL_NAMESPACE_FILES, callee->file);
	put_name(c, "cfn", TL_NAMESPACE_FUNCTIONS, callee->name);
	tl_put_text(c->out, "calls=");
	/* Without a stated zero, a call without a count is one that never ended. */
	if (c->sum.count || c->layout.keep_zero)
		tl_put_u64(c->out, c->sum.count);
	else
		tl_put_char(c->out, '1');
	tl_put_char(c->out, ' ');
	put_position(c, &to);
	tl_put_char(c->out, '\n');
	put_source(c, item->at);
	put_costs(c);
}

/* "jcnd=followed/executed target" or "jump=executed target", then the position of the jump. */
static void put_jump(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	const struct tl_callgrind_writer_function *target = &c->function_names[item->target];
	struct tl_position to = target_position(c, item->target, *item->to);
	uint32_t file = name_of_file(c, to.file, target->file);

	/* Without jfi=, readers take the current file or that of the last cost line (rule B). */
	if (file != c->current.file || file != c->current.self_file)
		put_name(c, "jfi", TL_NAMESPACE_FILES, file);
	if (item->target != item->function)
		put_name(c, "jfn", TL_NAMESPACE_FUNCTIONS, target->name);
	if (item->conditional) {
		tl_put_text(c->out, "jcnd=");
		tl_put_u64(c->out, c->sum.taken);
		tl_put_char(c->out, '/');
	} else {
		tl_put_text(c->out, "jump=");
	}
	tl_put_u64(c->out, c->sum.count);
	tl_put_char(c->out, ' ');
	put_position(c, &to);
	tl_put_char(c->out, '\n');
	put_source(c, item->at);
	tl_put_char(c->out, '\n');
}

/* ---- items that are printed as one ---- */

static void add_count(uint64_t *to, uint64_t count)
{
	if (__builtin_add_overflow(*to, count, to))
		*to = UINT64_MAX;
}

/* Costs by event, of which those behind `count` are 0; events ascend. */
static void add_costs(struct tl_callgrind_writer *c, const int64_t *costs, uint32_t count)
{
	uint32_t i = 0;

	for (; i < c->event_count && c->events[i] < count; i++)
		c->sum.costs[i] = tl_sum_saturating(c->sum.costs[i], costs[c->events[i]]);
	c->sum.used = tl_max(c->sum.used, i);
}

static void add_packed(struct tl_callgrind_writer *c, const struct tl_pack_item *item)
{
	add_count(&c->sum.count, item->count);
	add_count(&c->sum.taken, item->taken);
	tl_pack_costs(item, c->unpacking.costs);
	add_costs(c, c->unpacking.costs, item->cost_count);
}

static void add_item(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	const int64_t *costs = NULL;

	if (item->packed) {
		add_packed(c, item->packed);
	} else if (item->kind == TL_WRITER_ITEM_LINE) {
		costs = tl_profile_line_cost(c->profile, item->number);
	} else if (item->kind == TL_WRITER_ITEM_CALL) {
		costs = tl_profile_arc_cost(c->profile, item->number);
		add_count(&c->sum.count, tl_profile_arc(c->profile, item->number)->calls);
	} else {
		add_count(&c->sum.count, tl_profile_jump(c->profile, item->number)->executed);
		add_count(&c->sum.taken, tl_profile_jump(c->profile, item->number)->taken);
	}
	if (costs)
		add_costs(c, costs, c->profile->event_count);
}

static void (*const put_kind[])(struct tl_callgrind_writer *c,
				const struct tl_callgrind_writer_item *item) = {
	[TL_WRITER_ITEM_LINE] = put_line,
	[TL_WRITER_ITEM_CALL] = put_call,
	[TL_WRITER_ITEM_JUMP] = put_jump,
};

static const struct tl_callgrind_writer_item *
block_item(const struct tl_callgrind_writer *c, uint32_t at, struct tl_callgrind_writer_room *room)
{
	if (c->profile->pack)
		return tl_callgrind_writer_unpacked(c, at, room);
	room->item = tl_callgrind_writer_item_at(c, c->items.order[at]);
	return &room->item;
}

/* Whether the item at `at` is printed like one before it. */
static bool is_like(const struct tl_callgrind_writer *c,
		    const struct tl_callgrind_writer_item *item, uint32_t at)
{
	const struct tl_callgrind_writer_unpacking *u = &c->unpacking;
	struct tl_callgrind_writer_room room;

	if (item->packed &&
	    tl_callgrind_writer_packed_order(c, item->packed, &u->items[u->order[at]]))
		return false;
	return !tl_callgrind_writer_order_of(c, item, block_item(c, at, &room));
}

/* Write the item at `at` and those behind it that compare equal, as one. @return the next item */
static uint32_t put_items(struct tl_callgrind_writer *c,
			  const struct tl_callgrind_writer_item *item, uint32_t at, uint32_t end)
{
	memset(c->sum.costs, 0, c->sum.used * sizeof(*c->sum.costs));
	c->sum.used = 0;
	c->sum.count = c->sum.taken = 0;
	add_item(c, item);
	for (at++; at < end && is_like(c, item, at); at++) {
		struct tl_callgrind_writer_room room;

		add_item(c, block_item(c, at, &room));
	}
	put_kind[item->kind](c, item);
	return at;
}

/* ---- blocks ---- */

static void begin_block(struct tl_callgrind_writer *c,
			const struct tl_callgrind_writer_function *function)
{
	tl_put_char(c->out, '\n');
	if (c->layout.objects && function->object != c->current.object)
		put_name(c, "ob", TL_NAMESPACE_OBJECTS, function->object);
	put_name(c, "fl", TL_NAMESPACE_FILES, function->file);
	put_name(c, "fn", TL_NAMESPACE_FUNCTIONS, function->name);
	c->current.object = function->object;
	c->current.file = c->current.self_file = function->file;
	c->current.agreed = false;
}

static void change_file(struct tl_callgrind_writer *c, uint32_t file, uint32_t own)
{
	if (file == c->current.file)
		return;
	put_name(c, file == own ? "fe" : "fi", TL_NAMESPACE_FILES, file);
	c->current.file = file;
}

/* Write what is at `at`, with what is printed like it. @return the next item */
static uint32_t put_next(struct tl_callgrind_writer *c,
			 const struct tl_callgrind_writer_function *names, uint32_t at,
			 uint32_t end)
{
	struct tl_callgrind_writer_room room;
	const struct tl_callgrind_writer_item *item = block_item(c, at, &room);

	change_file(c, name_of_file(c, item->at->file, names->file), names->file);
	return put_items(c, item, at, end);
}

/* The same of a packed block, of which most lines are written as they were read. */
static uint32_t put_next_packed(struct tl_callgrind_writer *c,
				const struct tl_callgrind_writer_function *names, uint32_t at,
				uint32_t end)
{
	struct tl_callgrind_writer_room room;
	const struct tl_callgrind_writer_item *item = block_item(c, at, &room);
	uint32_t next;

	change_file(c, name_of_file(c, item->at->file, names->file), names->file);
	next = tl_callgrind_writer_put_lone_lines(c, at, end);
	if (next == at)
		return put_items(c, item, at, end);
	line_is_put(c, block_item(c, next - 1, &room)->at);
	return next;
}

static void put_block(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_block *block)
{
	const struct tl_callgrind_writer_function *names = &c->function_names[block->function];
	uint32_t at = block->first, end = block->end;

	if (c->profile->pack) {
		if (!tl_callgrind_writer_unpack(c, block->first)) {
			c->names.no_memory = true;
			return;
		}
		end = tl_pack_run_items(&c->profile->pack->runs[block->first]);
		at = 0;
	}
	begin_block(c, names);
	while (at < end && !c->names.no_memory)
		at = c->profile->pack ? put_next_packed(c, names, at, end)
				      : put_next(c, names, at, end);
	change_file(c, names->file, names->file);
}

void tl_callgrind_writer_put_body(struct tl_callgrind_writer *c, uint32_t part)
{
	const struct tl_groups *blocks = &c->blocks.by_part;

	c->current.object = 0;
	for (uint32_t i = blocks->start[part];
	     i < blocks->start[part + 1] && !c->names.no_memory && !tl_output_failed(c->out); i++)
		put_block(c, &c->blocks.list[blocks->order[i]]);
}
