/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of stacks as a profile. */
#include <stdio.h>

#include "core/error.h"
#include "foreign/foreign.h"
#include "profile/model/model.h"

struct stack_build {
	const struct tl_foreign_file *foreign;
	const struct tl_foreign_stacks *stacks;
	struct tl_profile *profile;
	uint32_t *functions; /* by frame */
	uint32_t *contexts;  /* by node */
	uint32_t *parts;     /* by node: the profile's part */
	int64_t *cost;       /* of a node */
	bool distinct;       /* no two siblings are one function */
};

static const char *text_of(const struct stack_build *b, uint32_t name)
{
	return b->stacks->names.names[name].text;
}

/* ---- events ---- */

/* The unit of costs that count thousandths, millionths or billionths of one. */
static bool unit_text(const struct stack_build *b, const struct tl_foreign_event *e, char **text)
{
	static const char *const parts[] = { "", "1/1000 ", "1/1000000 ", "1/1000000000 " };

	return asprintf(text, "%s%s", parts[e->places / 3], text_of(b, e->unit)) >= 0;
}

static int make_profile(struct stack_build *b, struct tl_error *err)
{
	const size_t count = b->stacks->event_count;
	struct tl_event *events = tl_zeroed(count, sizeof(*events));
	char **units = tl_zeroed(count, sizeof(*units));
	int status = tl_error_unless_made(events && units, err);

	for (size_t i = 0; status == 0 && i < count; i++) {
		const struct tl_foreign_event *e = &b->stacks->events[i];

		if (!unit_text(b, e, &units[i])) {
			units[i] = NULL;
			status = tl_error_memory(err);
		}
		events[i] = (struct tl_event){ text_of(b, e->name), "", units[i], "" };
	}
	if (status == 0)
		status = tl_profile_make(&b->profile, b->foreign->faults.format, events,
					 (uint32_t)count, b->foreign->frequency, err);
	for (size_t i = 0; units && i < count; i++)
		free(units[i]);
	free(units);
	free(events);
	if (status == 0)
		tl_profile_set_call_count(b->profile, TL_CALLS_NONE);
	return status;
}

/* ---- parts, functions ---- */

static int add_parts(struct stack_build *b, struct tl_error *err)
{
	for (size_t i = 0; i < b->stacks->part_count; i++) {
		const struct tl_foreign_part *p = &b->stacks->parts[i];
		const struct tl_part part = {
			.process = p->process,
			.thread = p->thread,
			.command = text_of(b, p->command),
			.header = "",
			.first_ticks = p->first_ticks,
			.last_ticks = p->last_ticks,
			.records = p->samples,
		};
		const int64_t number = tl_profile_put_part(b->profile, &part, err);

		if (number < 0)
			return (int)number;
	}
	return 0;
}

static int add_functions(struct stack_build *b, struct tl_error *err)
{
	b->distinct = !b->stacks->alike;
	for (uint32_t i = 0; i < b->stacks->frame_count; i++) {
		const struct tl_function function = tl_foreign_function(b->foreign, i);
		const int64_t number = tl_profile_put_function(b->profile, &function, err);

		if (number < 0)
			return (int)number;
		b->functions[i] = (uint32_t)number;
		b->distinct &= number == i;
	}
	return 0;
}

/* ---- contexts ---- */

static bool take_cost(struct stack_build *b, uint32_t node)
{
	bool any = false;

	for (size_t i = 0; i < b->stacks->event_count; i++) {
		const struct tl_foreign_event *e = &b->stacks->events[i];

		b->cost[i] = node < e->capacity ? e->costs[node] : 0;
		any |= b->cost[i] != 0;
	}
	return any;
}

static int add_line(struct stack_build *b, uint32_t node, struct tl_error *err)
{
	const struct tl_foreign_frame *frame = &b->stacks->frames[b->stacks->tree.nodes[node].key];
	const struct tl_cost_line line = {
		.function = b->functions[b->stacks->tree.nodes[node].key],
		.part = b->parts[node],
		.at = { .file = text_of(b, frame->file), .line = frame->line },
	};

	return tl_profile_put_line(b->profile, &line, b->cost, err);
}

static int add_node(struct stack_build *b, uint32_t node, struct tl_error *err)
{
	const struct tl_path_node *n = &b->stacks->tree.nodes[node];
	int64_t context;

	b->parts[node] = b->parts[n->parent];
	context = (b->distinct ? tl_profile_append_context : tl_profile_add_context)(
		b->profile, b->contexts[n->parent], b->functions[n->key], b->parts[node], err);
	if (context < 0)
		return (int)context;
	b->contexts[node] = (uint32_t)context;
	if (!take_cost(b, node))
		return 0;
	tl_profile_add_context_cost(b->profile, (uint32_t)context, 0, b->cost);
	if (!b->foreign->options.lines)
		return 0;
	return add_line(b, node, err);
}

/* A parent's number is less than its children's; children of node 0 are roots of parts. */
static int add_nodes(struct stack_build *b, struct tl_error *err)
{
	const struct tl_path_tree *tree = &b->stacks->tree;
	int status = 0;

	for (uint32_t i = 1; status == 0 && i < tree->count; i++) {
		if (tree->nodes[i].parent) {
			status = add_node(b, i, err);
		} else {
			b->parts[i] = (uint32_t)tree->nodes[i].key;
			b->contexts[i] = TL_NONE;
		}
	}
	return status;
}

/* ---- sums of functions ---- */

static int64_t cost_at(const struct tl_foreign_event *e, uint32_t at)
{
	return at < e->capacity ? e->costs[at] : 0;
}

/* No two frames may be one function: its costs are those of one frame. */
static int put_sums(struct stack_build *b, struct tl_error *err)
{
	const size_t count = b->stacks->event_count;
	struct tl_profile_sums *to = &b->profile->sums;

	if (!tl_profile_given_room(b->profile))
		return tl_error_memory(err);
	for (uint32_t f = 0; f < b->stacks->frame_count; f++) {
		const size_t at = b->functions[f] * count;

		for (size_t i = 0; i < count; i++) {
			const struct tl_foreign_event *e = &b->stacks->events[i];

			to->self[at + i] = cost_at(e, tl_foreign_flat_self(f));
			to->inclusive[at + i] = cost_at(e, tl_foreign_flat_inclusive(f));
		}
	}
	return 0;
}

int tl_foreign_fold_stacks(struct tl_foreign_file *f, struct tl_profile **profile,
			   struct tl_error *err)
{
	const struct tl_foreign_stacks *s = &f->stacks;
	struct stack_build b = {
		.foreign = f,
		.stacks = s,
		.functions = tl_zeroed(s->frame_count, sizeof(*b.functions)),
		.contexts = tl_zeroed(s->tree.count, sizeof(*b.contexts)),
		.parts = tl_zeroed(s->tree.count, sizeof(*b.parts)),
		.cost = tl_zeroed(s->event_count, sizeof(*b.cost)),
	};
	int status = 0;

	if (!b.functions || !b.contexts || !b.parts || !b.cost)
		status = tl_error_memory(err);
	if (status == 0)
		status = make_profile(&b, err);
	if (status == 0)
		status = add_parts(&b, err);
	if (status == 0)
		status = add_functions(&b, err);
	if (status == 0)
		status = s->flat ? put_sums(&b, err) : add_nodes(&b, err);
	if (status == 0) {
		b.profile->losses.saturated += s->saturated;
		b.profile->sums.only = f->options.sums_alone;
		b.profile->sums.by_part = f->options.per_thread;
		status = tl_profile_finish(b.profile, err);
	}
	free(b.functions);
	free(b.contexts);
	free(b.parts);
	free(b.cost);
	if (status == 0)
		*profile = b.profile;
	else
		tl_profile_free(b.profile);
	return status;
}
