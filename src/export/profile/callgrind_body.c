/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a Callgrind file: a block per function with its cost lines, calls and jumps. Written
 * so that readers that differ in the disputed points read the same (docs/formats/callgrind.md, 3
 * and 6): absolute positions on call lines, the callee's file always named, the function's own file
 * at the end of its block; relative positions only where all readers agree what they are relative
 * to.
 */
#include "export/profile/callgrind.h"

#include <string.h>

#include "core/saturate.h"

static void put_position(const struct tl_callgrind_writer *c, const struct tl_position *at)
{
	if (c->addresses) {
		tl_put_hex(c->out, at->address);
		tl_put_char(c->out, ' ');
	}
	if (c->blocks) {
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
	tl_put_char(c->out, number > base ? '+' : '-');
	tl_put_u64(c->out, number > base ? number - base : base - number);
}

static void put_relative(const struct tl_callgrind_writer *c, const struct tl_position *at)
{
	if (c->addresses) {
		put_relative_number(c, at->address, c->base.address);
		tl_put_char(c->out, ' ');
	}
	if (c->blocks) {
		put_relative_number(c, at->block, c->base.block);
		tl_put_char(c->out, ' ');
	}
	put_relative_number(c, at->line, c->base.line);
}

static bool at_base(const struct tl_callgrind_writer *c, const struct tl_position *at)
{
	return (!c->addresses || at->address == c->base.address) &&
	       (!c->blocks || at->block == c->base.block) && at->line == c->base.line;
}

/* The position line of a call or jump: most readers go on from there, and we from the cost line
 * before it (rule A). */
static void put_source(struct tl_callgrind_writer *c, const struct tl_position *at)
{
	bool same = c->agreed && at_base(c, at);

	if (c->options.compression == TL_COMPRESS_ALL && same)
		put_relative(c, at);
	else
		put_position(c, at);
	c->agreed = same;
}

/* "missing trailing counters are 0": most lines have one or two of a dozen. */
static void put_costs(const struct tl_callgrind_writer *c)
{
	uint32_t count = c->event_count;

	while (count > 1 && !c->costs[count - 1])
		count--;
	for (uint32_t i = 0; i < count; i++) {
		tl_put_char(c->out, ' ');
		tl_put_i64(c->out, c->costs[i]);
	}
	tl_put_char(c->out, '\n');
}

static void put_name(struct tl_callgrind_writer *c, const char *key,
		     enum tl_callgrind_namespace space, uint32_t number)
{
	tl_callgrind_name_put(&c->names, c->out, key, space, number);
}

/* Where a call or jump leads. Unknown places of a function are its entry. */
static struct tl_position target_position(const struct tl_callgrind_writer *c, uint32_t function,
					  struct tl_position to)
{
	const struct tl_function *f = tl_profile_function(c->profile, function);

	to.line = to.line ? to.line : f->line;
	to.address = to.address ? to.address : f->address;
	return to;
}

static void put_line(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	if (c->options.compression == TL_COMPRESS_ALL && c->agreed)
		put_relative(c, item->at);
	else
		put_position(c, item->at);
	c->base = *item->at;
	c->agreed = true;
	c->self_file = c->file;
	put_costs(c);
}

static void put_call(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	const struct tl_callgrind_writer_function *callee = &c->function_names[item->target];
	struct tl_position to = target_position(c, item->target, *item->to);

	if (c->objects && callee->object != c->object)
		put_name(c, "cob", TL_NAMESPACE_OBJECTS, callee->object);
	put_name(c, "cfi", TL_NAMESPACE_FILES, callee->file);
	put_name(c, "cfn", TL_NAMESPACE_FUNCTIONS, callee->name);
	tl_put_text(c->out, "calls=");
	tl_put_u64(c->out, c->count || c->keep_zero ? c->count : 1);
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
	uint32_t file = *to.file ? tl_callgrind_name_number(&c->names, TL_NAMESPACE_FILES, to.file)
				 : target->file;

	/* Readers take either of the two for the file that is not named (rule B). */
	if (file != c->file || file != c->self_file)
		put_name(c, "jfi", TL_NAMESPACE_FILES, file);
	if (item->target != item->function)
		put_name(c, "jfn", TL_NAMESPACE_FUNCTIONS, target->name);
	if (item->conditional) {
		tl_put_text(c->out, "jcnd=");
		tl_put_u64(c->out, c->taken);
		tl_put_char(c->out, '/');
	} else {
		tl_put_text(c->out, "jump=");
	}
	tl_put_u64(c->out, c->count);
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

static void add_item(struct tl_callgrind_writer *c, const struct tl_callgrind_writer_item *item)
{
	const int64_t *costs = NULL;

	if (item->kind == TL_WRITER_ITEM_LINE) {
		costs = tl_profile_line_cost(c->profile, item->number);
	} else if (item->kind == TL_WRITER_ITEM_CALL) {
		costs = tl_profile_arc_cost(c->profile, item->number);
		add_count(&c->count, tl_profile_arc(c->profile, item->number)->calls);
	} else {
		add_count(&c->count, tl_profile_jump(c->profile, item->number)->executed);
		add_count(&c->taken, tl_profile_jump(c->profile, item->number)->taken);
	}
	for (uint32_t i = 0; costs && i < c->event_count; i++)
		c->costs[i] = tl_sum_saturating(c->costs[i], costs[c->events[i]]);
}

static void (*const put_kind[])(struct tl_callgrind_writer *c,
				const struct tl_callgrind_writer_item *item) = {
	[TL_WRITER_ITEM_LINE] = put_line,
	[TL_WRITER_ITEM_CALL] = put_call,
	[TL_WRITER_ITEM_JUMP] = put_jump,
};

/* The item at `at` and those after it that are printed alike; -> the next one. */
static uint32_t put_items(struct tl_callgrind_writer *c, uint32_t at, uint32_t end)
{
	const struct tl_callgrind_writer_item item =
		tl_callgrind_writer_item_at(c, c->items.order[at]);

	memset(c->costs, 0, c->event_count * sizeof(*c->costs));
	c->count = c->taken = 0;
	add_item(c, &item);
	for (at++; at < end; at++) {
		struct tl_callgrind_writer_item next =
			tl_callgrind_writer_item_at(c, c->items.order[at]);

		if (tl_callgrind_writer_compare(c, &item, &next))
			break;
		add_item(c, &next);
	}
	put_kind[item.kind](c, &item);
	return at;
}

/* ---- blocks ---- */

static void begin_block(struct tl_callgrind_writer *c,
			const struct tl_callgrind_writer_function *function)
{
	tl_put_char(c->out, '\n');
	if (c->objects && function->object != c->object)
		put_name(c, "ob", TL_NAMESPACE_OBJECTS, function->object);
	put_name(c, "fl", TL_NAMESPACE_FILES, function->file);
	put_name(c, "fn", TL_NAMESPACE_FUNCTIONS, function->name);
	c->object = function->object;
	c->file = c->self_file = function->file;
	c->agreed = false;
}

static void change_file(struct tl_callgrind_writer *c, uint32_t file, uint32_t own)
{
	if (file == c->file)
		return;
	put_name(c, file == own ? "fe" : "fi", TL_NAMESPACE_FILES, file);
	c->file = file;
}

/* The function's items of this part. They are in order of parts, and each part is written once. */
static void put_block(struct tl_callgrind_writer *c, uint32_t function, uint32_t part)
{
	const struct tl_callgrind_writer_function *names = &c->function_names[function];
	uint32_t first = c->next[function], at = first, end = c->items.start[function + 1];

	while (at < end && !c->names.no_memory) {
		struct tl_callgrind_writer_item item =
			tl_callgrind_writer_item_at(c, c->items.order[at]);

		if (c->parts && item.part != part)
			break;
		if (at == first)
			begin_block(c, names);
		change_file(c,
			    *item.at->file ? tl_callgrind_name_number(&c->names, TL_NAMESPACE_FILES,
								      item.at->file)
					   : names->file,
			    names->file);
		at = put_items(c, at, end);
	}
	if (at > first)
		change_file(c, names->file, names->file);
	c->next[function] = at;
}

void tl_callgrind_writer_put_body(struct tl_callgrind_writer *c, uint32_t part)
{
	uint32_t functions = tl_profile_function_count(c->profile);

	c->object = 0;
	for (uint32_t i = 0; i < functions && !c->names.no_memory && !tl_output_failed(c->out); i++)
		put_block(c, c->functions[i], part);
}
