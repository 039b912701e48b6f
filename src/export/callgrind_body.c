/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a Callgrind file: a block per function with its cost lines, calls and jumps. Written so that readers that
 * differ in the disputed points read the same (docs/formats/callgrind.md, 3 and 6): absolute positions, the callee's
 * file always named, calls never 0 (callgrind_annotate would take the cost for self cost), the function's own file at
 * the end of its block.
 */
#include "export/callgrind.h"

static void put_position(const struct tl_callgrind *c, const struct tl_position *at)
{
	if (c->addresses) {
		tl_put_hex(c->out, at->address);
		tl_put_char(c->out, ' ');
	}
	tl_put_u64(c->out, at->line);
}

static void put_costs(const struct tl_callgrind *c, const int64_t *costs)
{
	for (uint32_t i = 0; i < c->event_count; i++) {
		tl_put_char(c->out, ' ');
		tl_put_i64(c->out, costs[c->events[i]]);
	}
	tl_put_char(c->out, '\n');
}

static void put_name(struct tl_callgrind *c, const char *key, enum tl_namespace space, uint32_t number)
{
	tl_put_callgrind_name(&c->names, c->out, key, space, number);
}

/* Where a call or jump leads. Unknown places of a function are its entry. */
static struct tl_position target_position(const struct tl_callgrind *c, uint32_t function, struct tl_position to)
{
	const struct tl_function *f = tl_profile_function(c->profile, function);

	to.line = to.line ? to.line : f->line;
	to.address = to.address ? to.address : f->address;
	return to;
}

static void put_line(struct tl_callgrind *c, const struct tl_item *item)
{
	put_position(c, item->at);
	put_costs(c, tl_profile_line_cost(c->profile, item->number));
}

static void put_call(struct tl_callgrind *c, const struct tl_item *item)
{
	const struct tl_arc *arc = tl_profile_arc(c->profile, item->number);
	const struct tl_function_names *callee = &c->function_names[arc->callee];
	struct tl_position to = target_position(c, arc->callee, arc->to);

	if (c->objects && callee->object != c->object)
		put_name(c, "cob", TL_OBJECTS, callee->object);
	put_name(c, "cfi", TL_FILES, callee->file);
	put_name(c, "cfn", TL_FUNCTIONS, callee->name);
	tl_put_text(c->out, "calls=");
	tl_put_u64(c->out, arc->calls ? arc->calls : 1);
	tl_put_char(c->out, ' ');
	put_position(c, &to);
	tl_put_char(c->out, '\n');
	put_position(c, item->at);
	put_costs(c, tl_profile_arc_cost(c->profile, item->number));
}

/* "jcnd=followed/executed target" or "jump=executed target", then the position of the jump. */
static void put_jump(struct tl_callgrind *c, const struct tl_item *item)
{
	const struct tl_jump *jump = tl_profile_jump(c->profile, item->number);
	const struct tl_function_names *target = &c->function_names[jump->target];
	struct tl_position to = target_position(c, jump->target, jump->to);
	uint32_t file = *to.file ? tl_callgrind_name_number(&c->names, TL_FILES, to.file) : target->file;

	if (file != c->file)
		put_name(c, "jfi", TL_FILES, file);
	if (jump->target != jump->function)
		put_name(c, "jfn", TL_FUNCTIONS, target->name);
	if (jump->conditional) {
		tl_put_text(c->out, "jcnd=");
		tl_put_u64(c->out, jump->taken);
		tl_put_char(c->out, '/');
	} else {
		tl_put_text(c->out, "jump=");
	}
	tl_put_u64(c->out, jump->executed);
	tl_put_char(c->out, ' ');
	put_position(c, &to);
	tl_put_char(c->out, '\n');
	put_position(c, item->at);
	tl_put_char(c->out, '\n');
}

/* ---- blocks ---- */

static void (*const put_item[])(struct tl_callgrind *c, const struct tl_item *item) = {
	[TL_ITEM_LINE] = put_line,
	[TL_ITEM_CALL] = put_call,
	[TL_ITEM_JUMP] = put_jump,
};

static void begin_block(struct tl_callgrind *c, const struct tl_function_names *function)
{
	tl_put_char(c->out, '\n');
	if (c->objects && function->object != c->object)
		put_name(c, "ob", TL_OBJECTS, function->object);
	put_name(c, "fl", TL_FILES, function->file);
	put_name(c, "fn", TL_FUNCTIONS, function->name);
	c->object = function->object;
	c->file = function->file;
}

static void change_file(struct tl_callgrind *c, uint32_t file, uint32_t own)
{
	if (file == c->file)
		return;
	tl_put_callgrind_name(&c->names, c->out, file == own ? "fe" : "fi", TL_FILES, file);
	c->file = file;
}

/* The function's items of this part. They are in order of parts, and each part is written once. */
static void put_block(struct tl_callgrind *c, uint32_t function, uint32_t part)
{
	const struct tl_function_names *names = &c->function_names[function];
	uint32_t first = c->next[function], at = first;

	for (; at < c->items.start[function + 1] && !c->names.no_memory; at++) {
		struct tl_item item = tl_callgrind_item(c, c->items.order[at]);

		if (c->parts && item.part != part)
			break;
		if (at == first)
			begin_block(c, names);
		change_file(c, *item.at->file ? tl_callgrind_name_number(&c->names, TL_FILES, item.at->file) : names->file,
			    names->file);
		put_item[item.kind](c, &item);
	}
	if (at > first)
		change_file(c, names->file, names->file);
	c->next[function] = at;
}

void tl_callgrind_put_body(struct tl_callgrind *c, uint32_t part)
{
	uint32_t functions = tl_profile_function_count(c->profile);

	c->object = 0;
	for (uint32_t i = 0; i < functions && !c->names.no_memory && !tl_output_failed(c->out); i++)
		put_block(c, c->functions[i], part);
}
