/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of stacks as a profile. */
#include "pprof/profile/fold.h"

#include "core/error.h"
#include "pprof/profile/collect.h"
#include "pprof/profile/events.h"
#include "pprof/profile/names.h"
#include "profile/model/model.h"

/* What a node of the tree of locations has become: its innermost function. */
struct made_node {
	uint32_t context, part;
	uint32_t first_arc, arc_count; /* of its functions, the outermost first */
	struct tl_pprof_frame innermost;
};

struct builder {
	struct tl_pprof_file *p;
	const struct tl_pprof_fold_options *options;
	struct tl_profile *profile;
	struct tl_pprof_collected collected;
	struct tl_pprof_events events;
	struct tl_pprof_names names;
	struct made_node *made; /* by node, of a tree of locations */
	uint32_t *contexts;     /* by node, of a tree of functions; TL_NONE: a thread */
	uint32_t *arcs;
	size_t arc_count, arc_capacity;
	uint32_t *stamps; /* by arc: the last stack that was counted for it */
	size_t stamp_capacity;
	int64_t *cost;  /* of a node: a number for each event of the profile */
	uint64_t calls; /* of the node */
	bool negative;  /* a number of calls was negative */
};

/* ---- parts ---- */

static int add_parts(struct builder *b, struct tl_error *err)
{
	const struct tl_pprof_header *h = &b->p->header;
	int64_t number = 0;

	for (size_t i = 0; number >= 0 && i < b->collected.thread_count; i++) {
		const struct tl_pprof_thread *thread = &b->collected.threads[i];
		const struct tl_pprof_text name = tl_pprof_string(b->p, thread->name);
		const struct tl_part part = {
			.process = thread->process,
			.thread = thread->thread,
			.command = tl_profile_intern(b->profile, name.text, name.size),
			.header = "",
			.first_ticks = h->duration_ns ? h->time_ns : 0,
			.last_ticks = h->duration_ns ? h->time_ns + h->duration_ns : 0,
			.records = b->collected.samples[i],
		};

		if (!part.command)
			return tl_error_memory(err);
		number = tl_profile_put_part(b->profile, &part, err);
	}
	return tl_profile_status(number);
}

/* ---- contexts, lines and calls ---- */

/* The values of a node as costs. False: it has none of its own. */
static bool take_cost(struct builder *b, uint32_t node)
{
	const int64_t *values = tl_pprof_stacks_values(&b->collected.stacks, node);

	if (!values)
		return false;
	b->calls = 0;
	for (size_t i = 0; i < b->p->type_count; i++) {
		if (b->events.columns[i] != TL_PPROF_CALLS) {
			b->cost[b->events.columns[i]] = values[i];
			continue;
		}
		b->calls = values[i] > 0 ? (uint64_t)values[i] : 0;
		b->negative = b->negative || values[i] < 0;
	}
	return true;
}

static struct tl_position position_of(const struct tl_pprof_frame *frame, uint64_t address)
{
	return (struct tl_position){ .file = frame->file, .line = frame->line, .address = address };
}

/* The call from the innermost function so far to the next one, numbered for the node. */
static int add_arc(struct builder *b, struct made_node *made, const struct tl_pprof_frame *from,
		   const struct tl_pprof_frame *to, uint64_t from_address, struct tl_error *err)
{
	const struct tl_function *callee = &b->profile->functions.list[to->function];
	const struct tl_arc arc = {
		.caller = from->function,
		.callee = to->function,
		.part = made->part,
		.from = position_of(from, from_address),
		.to = { .file = callee->file, .line = callee->line, .address = callee->address },
	};
	int64_t number = tl_profile_arc_number(b->profile, &arc, err);

	if (number < 0)
		return (int)number;
	if (!tl_grow(&b->arcs, &b->arc_capacity, b->arc_count + 1, sizeof(*b->arcs)))
		return tl_error_memory(err);
	b->arcs[b->arc_count++] = (uint32_t)number;
	made->arc_count++;
	return 0;
}

static const struct tl_path_node *node_at(const struct builder *b, uint32_t number)
{
	return &b->collected.stacks.tree.nodes[number];
}

/* Of the location of a node; keys of threads are no locations. */
static uint64_t address_of(const struct builder *b, uint32_t number)
{
	const struct tl_path_node *node = node_at(b, number);

	return node->key < b->p->location_count ? b->p->locations[node->key].address : 0;
}

/* The functions of a node's location, the outermost first, as contexts below its parent's. */
static int add_frames(struct builder *b, uint32_t number, struct tl_error *err)
{
	const struct tl_path_node *node = node_at(b, number);
	const struct made_node *parent = &b->made[node->parent];
	struct made_node *made = &b->made[number];
	struct tl_pprof_frame from = parent->innermost;
	uint64_t address = address_of(b, node->parent);
	uint32_t count;
	const struct tl_pprof_frame *frames =
		tl_pprof_frames(&b->names, (uint32_t)node->key, &count, err);
	int status = frames ? 0 : err ? (int)err->status : TL_NO_MEMORY;

	*made = (struct made_node){ parent->context, parent->part, (uint32_t)b->arc_count, 0,
				    from };
	while (status == 0 && count-- > 0) {
		const struct tl_pprof_frame to = frames[count];
		int64_t context = tl_profile_context_number(b->profile, made->context, to.function,
							    made->part, err);

		if (context < 0)
			return (int)context;
		if (made->context != TL_NONE)
			status = add_arc(b, made, &from, &to, address, err);
		made->context = (uint32_t)context;
		made->innermost = from = to;
		address = address_of(b, number);
	}
	return status;
}

/* A call costs what the stacks through it cost, once each, however often it is on one. */
static int count_arcs(struct builder *b, uint32_t number, struct tl_error *err)
{
	const struct made_node *made = &b->made[number];
	size_t had = b->stamp_capacity, arcs = b->profile->arcs.table.count;
	const struct tl_path_node *nodes = b->collected.stacks.tree.nodes;

	if (!tl_grow(&b->stamps, &b->stamp_capacity, arcs, sizeof(*b->stamps)))
		return tl_error_memory(err);
	if (b->stamp_capacity > had)
		memset(b->stamps + had, 0, (b->stamp_capacity - had) * sizeof(*b->stamps));
	if (made->arc_count)
		tl_add_count(&b->profile->arcs.list[b->arcs[made->first_arc + made->arc_count - 1]]
				      .calls,
			     b->calls, &b->profile->losses.saturated);
	for (uint32_t at = number; nodes[at].parent; at = nodes[at].parent)
		for (uint32_t i = 0; i < b->made[at].arc_count; i++) {
			uint32_t arc = b->arcs[b->made[at].first_arc + i];

			if (b->stamps[arc] == number)
				continue;
			b->stamps[arc] = number;
			tl_profile_add_costs(b->profile,
					     b->profile->arcs.table.cost +
						     (size_t)arc * b->events.count,
					     b->cost);
		}
	return 0;
}

static int add_line(struct builder *b, uint32_t number, struct tl_error *err)
{
	const struct made_node *made = &b->made[number];
	const struct tl_cost_line line = {
		.function = made->innermost.function,
		.part = made->part,
		.at = position_of(&made->innermost, address_of(b, number)),
	};
	int status = tl_profile_put_line(b->profile, &line, b->cost, err);

	if (status < 0)
		return status;
	return count_arcs(b, number, err);
}

/* A node of a tree of locations. */
static int add_location(struct builder *b, uint32_t number, struct tl_error *err)
{
	const struct tl_path_node *node = node_at(b, number);
	int status;

	if (!node->parent) {
		b->made[number] =
			(struct made_node){ .context = TL_NONE, .part = (uint32_t)node->key };
		return 0;
	}
	status = add_frames(b, number, err);
	if (status < 0 || !take_cost(b, number))
		return status;
	tl_profile_add_context_cost(b->profile, b->made[number].context, b->calls, b->cost);
	return add_line(b, number, err);
}

/* A node of a tree of functions: no other one is the same context. */
static int add_function(struct builder *b, uint32_t number, struct tl_error *err)
{
	const struct tl_path_node *node = node_at(b, number);
	const uint32_t parent = b->contexts[node->parent];
	int64_t context = TL_NONE;

	if (node->parent)
		context = tl_profile_append_context(
			b->profile, parent, (uint32_t)node->key,
			parent == TL_NONE ? (uint32_t)node_at(b, node->parent)->key
					  : b->profile->contexts.list[parent].part,
			err);
	if (context < 0)
		return (int)context;
	b->contexts[number] = (uint32_t)context;
	if (node->parent && take_cost(b, number))
		tl_profile_add_context_cost(b->profile, (uint32_t)context, b->calls, b->cost);
	return 0;
}

/* A parent's number is less than its children's. */
static int add_nodes(struct builder *b, struct tl_error *err)
{
	const struct tl_path_tree *tree = &b->collected.stacks.tree;
	const bool locations = b->options->lines;
	struct tl_error own = { .status = TL_OK };
	int status = 0;

	if (locations)
		b->made = tl_zeroed(tree->count, sizeof(*b->made));
	else
		b->contexts = tl_zeroed(tree->count, sizeof(*b->contexts));
	b->cost = tl_zeroed(b->events.count, sizeof(*b->cost));
	if ((!b->made && !b->contexts) || !b->cost)
		return tl_error_memory(err);
	for (uint32_t i = 1; status == 0 && i < tree->count; i++)
		status = (locations ? add_location : add_function)(b, i, &own);
	if (status < 0 && err)
		*err = own;
	return status;
}

/* ---- the whole ---- */

static int tell(struct builder *b, struct tl_error *err)
{
	int status = tl_pprof_objects_tell(&b->names.objects, &b->p->faults, err);

	if (status == 0 && b->negative)
		status = tl_pprof_fault(b->p, "calls", TL_BAD_RECORD, TL_NOWHERE, 0,
					"a number of calls is negative: it counts as 0", err);
	return status;
}

static int build(struct builder *b, struct tl_error *err)
{
	int status = tl_pprof_events_make(&b->events, b->p, &b->profile, err);

	if (status == 0 && !tl_pprof_names_begin(&b->names, b->p, b->profile))
		status = tl_error_memory(err);
	if (status == 0)
		status = tl_pprof_collect(&b->collected, b->p, &b->names, b->options, err);
	if (status == 0)
		status = add_parts(b, err);
	if (status == 0)
		status = add_nodes(b, err);
	if (status == 0) {
		tl_add_count(&b->profile->losses.saturated, b->collected.stacks.saturated,
			     &b->profile->losses.saturated);
		b->profile->sums.only = b->options->sums_alone;
		b->profile->sums.by_part = b->options->per_thread;
		status = tl_profile_finish(b->profile, err);
	}
	if (status < 0)
		return status;
	return tell(b, err);
}

int tl_pprof_fold(struct tl_pprof_file *p, const struct tl_pprof_fold_options *options,
		  struct tl_profile **profile, struct tl_error *err)
{
	struct builder b = {
		.p = p,
		.options = options,
		.names = { .objects = { .given = options->binaries,
					.given_count = options->binary_count,
					.sysroot = options->sysroot,
					.debuginfod = options->debuginfod,
					.raw_names = options->raw_names } },
	};
	int status = build(&b, err);

	tl_pprof_names_end(&b.names);
	tl_pprof_events_free(&b.events);
	tl_pprof_collected_free(&b.collected);
	free(b.made);
	free(b.contexts);
	free(b.arcs);
	free(b.stamps);
	free(b.cost);
	*profile = status == 0 ? b.profile : NULL;
	if (status < 0)
		tl_profile_free(b.profile);
	return tl_error_format(err, "pprof", status);
}
