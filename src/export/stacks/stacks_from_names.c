/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile whose function names are stacks becomes a profile of stacks. A node is a function with
 * its callers, f'g'h, on any level of recursion; its caller is the node g'h. If several functions
 * have that name, the caller is the one whose calls cost most.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "profile/model/groups.h"
#include "export/stacks/call_sums.h"
#include "export/stacks/stack_names.h"
#include "profile/model/model.h"

struct name_node {
	/*
	 * its first level of recursion in the sums; TL_NONE: the sums have no function of the name
	 */
	uint32_t function;
	uint32_t name, callers; /* f'g'h, g'h: numbers of names; TL_NONE: no callers */
	uint32_t parent;        /* the node of its caller; TL_NONE: none, or not known yet */
	int64_t parent_cost;    /* cost of the parent's calls */
	uint32_t made;          /* function of the result */
	uint32_t context, part; /* its context in `part`, the part that was looked at last */
};

struct trees {
	const struct tl_profile *sums;
	struct tl_profile *result;
	bool with_callers;
	struct tl_names names; /* those without a level are the texts of the sums */
	struct name_node *nodes;
	size_t count, capacity;
	uint32_t *node_of;  /* by function of the sums */
	uint32_t *first_of; /* by name: a node, TL_NONE: none */
	size_t first_count, first_capacity;
	struct tl_index index;
	char *text; /* a name being put together */
	size_t text_capacity;
	uint32_t *path; /* nodes from one up to its root */
	size_t path_capacity;
};

static void free_trees(struct trees *t)
{
	void *arrays[] = { t->nodes, t->node_of, t->first_of, t->text, t->path };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	tl_names_free(&t->names);
	tl_index_free(&t->index);
}

/* ---- nodes ---- */

/* Whether a name, which is terminated, has no level of recursion: f'g'h. */
static bool has_no_level(struct tl_stack_name name)
{
	return name.callers ? name.callers == name.function + name.size + 1
			    : !name.function[name.size];
}

/* A name of the profile without its level: f'g'h. TL_NONE without memory. */
static uint32_t joined_name(struct trees *t, struct tl_stack_name name)
{
	size_t callers = name.callers ? strlen(name.callers) + 1 : 0;

	if (has_no_level(name))
		return tl_names_lend(&t->names, name.function, name.size + callers);
	if (!tl_grow(&t->text, &t->text_capacity, name.size + callers + 1, 1))
		return TL_NONE;
	memcpy(t->text, name.function, name.size);
	if (callers) {
		t->text[name.size] = '\'';
		memcpy(t->text + name.size + 1, name.callers, callers - 1);
	}
	return tl_names_add(&t->names, t->text, name.size + callers);
}

static const struct tl_function *function_of(const struct trees *t, const struct name_node *node)
{
	static const struct tl_function unknown = {
		.name = "", .object = "", .file = "", .id = TL_NOWHERE
	};

	if (node->function == TL_NONE)
		return &unknown;
	return tl_profile_function(t->sums, node->function);
}

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct trees *t = context;
	const struct name_node *have = &t->nodes[number], *wanted = key;
	const struct tl_function *f = function_of(t, have), *g = function_of(t, wanted);

	return have->name == wanted->name && !strcmp(f->object, g->object) &&
	       !strcmp(f->file, g->file);
}

/* Where the first node of a name is kept (TL_NONE: no function has it). NULL without memory. */
static uint32_t *first_of_name(struct trees *t, uint32_t name)
{
	if (name >= t->first_count) {
		if (!tl_grow(&t->first_of, &t->first_capacity, (size_t)name + 1,
			     sizeof(*t->first_of)))
			return NULL;
		memset(t->first_of + t->first_count, 0xff,
		       (name + 1 - t->first_count) * sizeof(*t->first_of));
		t->first_count = (size_t)name + 1;
	}
	return &t->first_of[name];
}

/* The number of a node, added if new; TL_NONE without memory. */
static uint32_t add_node(struct trees *t, uint32_t function, const char *text)
{
	struct tl_stack_name name = tl_stack_name(text);
	struct name_node node = { .function = function,
				  .name = joined_name(t, name),
				  .callers = TL_NONE,
				  .parent = TL_NONE,
				  .part = TL_NONE };
	const struct tl_function *f = function_of(t, &node);
	uint64_t hash =
		tl_hash_pair(tl_hash_bytes(f->object, strlen(f->object)),
			     tl_hash_pair(tl_hash_bytes(f->file, strlen(f->file)), node.name));
	uint32_t found = tl_index_find(&t->index, hash, same_node, t, &node), *first = NULL;

	if (found != TL_NONE)
		return found;
	if (name.callers && t->with_callers)
		node.callers = tl_names_lend(&t->names, name.callers, strlen(name.callers));
	if (node.name != TL_NONE)
		first = first_of_name(t, node.name);
	if (!first || (name.callers && t->with_callers && node.callers == TL_NONE) ||
	    t->count >= TL_NONE || !tl_grow(&t->nodes, &t->capacity, t->count + 1, sizeof(node)) ||
	    !tl_index_add(&t->index, hash, (uint32_t)t->count))
		return TL_NONE;
	if (*first == TL_NONE)
		*first = (uint32_t)t->count;
	t->nodes[t->count] = node;
	return (uint32_t)t->count++;
}

static bool add_nodes(struct trees *t)
{
	uint32_t functions = tl_profile_function_count(t->sums);

	t->node_of = malloc(((size_t)functions + 1) * sizeof(*t->node_of));
	if (!t->node_of)
		return false;
	for (uint32_t f = 0; f < functions; f++) {
		t->node_of[f] = add_node(t, f, tl_profile_function(t->sums, f)->name);
		if (t->node_of[f] == TL_NONE)
			return false;
	}
	return true;
}

/* ---- callers ---- */

static void follow_arcs(struct trees *t)
{
	uint32_t arcs = tl_profile_arc_count(t->sums);

	for (uint32_t i = 0; i < arcs; i++) {
		const struct tl_arc *arc = tl_profile_arc(t->sums, i);
		uint32_t caller = arc->caller == TL_NONE ? TL_NONE : t->node_of[arc->caller];
		struct name_node *node = &t->nodes[t->node_of[arc->callee]];
		int64_t cost = tl_profile_arc_cost(t->sums, i)[0];

		if (caller == TL_NONE || node->callers == TL_NONE ||
		    t->nodes[caller].name != node->callers)
			continue;
		if (node->parent == TL_NONE || cost > node->parent_cost) {
			node->parent = caller;
			node->parent_cost = cost;
		}
	}
}

/* A caller that no arc names is found by its name; if no function has the name, a node is added. */
static bool find_callers(struct trees *t)
{
	follow_arcs(t);
	for (size_t i = 0; i < t->count; i++) {
		uint32_t callers = t->nodes[i].callers, *first, parent;

		if (callers == TL_NONE || t->nodes[i].parent != TL_NONE)
			continue;
		first = first_of_name(t, callers);
		if (!first)
			return false;
		parent = *first;
		if (parent == TL_NONE)
			parent = add_node(t, TL_NONE, t->names.names[callers].text);
		if (parent == TL_NONE)
			return false;
		t->nodes[i].parent = parent;
	}
	return true;
}

/* ---- the stacks ---- */

/* Add the function f of a name f'g'h to the result. @return its number, or a negative tl_status */
static int64_t make_function(struct trees *t, struct tl_profile *result,
			     const struct tl_function *from, const char *text, struct tl_error *err)
{
	struct tl_stack_name name = tl_stack_name(text);
	struct tl_function function = *from;

	if (!tl_grow(&t->text, &t->text_capacity, name.size + 1, 1))
		return tl_error_memory(err);
	memcpy(t->text, name.function, name.size);
	t->text[name.size] = '\0';
	function.name = t->text;
	return tl_profile_put_function(result, &function, err);
}

static int make_functions(struct trees *t, struct tl_error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		struct name_node *node = &t->nodes[i];
		int64_t number = make_function(t, t->result, function_of(t, node),
					       t->names.names[node->name].text, err);

		if (number < 0)
			return (int)number;
		node->made = (uint32_t)number;
	}
	return 0;
}

/*
 * The context of a node in a part; added with the contexts of its callers, if new. @return its
 * number, or a negative tl_status
 */
static int64_t context_of(struct trees *t, uint32_t node, uint32_t part, struct tl_error *err)
{
	size_t depth = 0;
	int64_t context = TL_NONE;

	for (uint32_t at = node; at != TL_NONE; at = t->nodes[at].parent) {
		if (t->nodes[at].part == part) {
			context = t->nodes[at].context;
			break;
		}
		if (!tl_grow(&t->path, &t->path_capacity, depth + 1, sizeof(*t->path)))
			return tl_error_memory(err);
		t->path[depth++] = at;
	}
	while (depth--) {
		struct name_node *at = &t->nodes[t->path[depth]];

		context = tl_profile_add_context(t->result, (uint32_t)context, at->made, part, err);
		if (context < 0)
			return context;
		at->context = (uint32_t)context;
		at->part = part;
	}
	return context;
}

struct by_part {
	const struct tl_profile *sums;
	bool in_parts;
};

static uint32_t part_of_line(const void *context, uint32_t line)
{
	const struct by_part *by = context;

	if (!by->in_parts)
		return 0;
	return tl_profile_line(by->sums, line)->part;
}

static uint32_t part_of_arc(const void *context, uint32_t arc)
{
	const struct by_part *by = context;

	if (!by->in_parts)
		return 0;
	return tl_profile_arc(by->sums, arc)->part;
}

static int add_line(struct trees *t, uint32_t number, uint32_t part, struct tl_error *err)
{
	const struct tl_cost_line *line = tl_profile_line(t->sums, number);
	int64_t context = context_of(t, t->node_of[line->function], part, err);

	if (context < 0)
		return (int)context;
	tl_profile_add_context_cost(t->result, (uint32_t)context, 0,
				    tl_profile_line_cost(t->sums, number));
	return 0;
}

static int add_arc(struct trees *t, uint32_t number, uint32_t part, const int64_t *nothing,
		   struct tl_error *err)
{
	const struct tl_arc *arc = tl_profile_arc(t->sums, number);
	int64_t context = context_of(t, t->node_of[arc->callee], part, err);

	if (context < 0)
		return (int)context;
	tl_profile_add_context_cost(t->result, (uint32_t)context, arc->calls, nothing);
	return 0;
}

/* Part by part: a node keeps its context of one part, so it is looked up once per part. */
static int add_costs(struct trees *t, const struct tl_groups *lines, const struct tl_groups *arcs,
		     uint32_t parts, struct tl_error *err)
{
	int64_t *nothing = calloc((size_t)tl_profile_event_count(t->sums) + 1, sizeof(*nothing));
	int status = tl_error_unless_made(nothing, err);

	for (uint32_t part = 0; part < parts; part++) {
		for (uint32_t i = lines->start[part]; status == 0 && i < lines->start[part + 1];
		     i++)
			status = add_line(t, lines->order[i], part, err);
		for (uint32_t i = arcs->start[part]; status == 0 && i < arcs->start[part + 1]; i++)
			status = add_arc(t, arcs->order[i], part, nothing, err);
	}
	free(nothing);
	return status;
}

static int grow_trees(struct trees *t, struct tl_error *err)
{
	struct by_part by = { t->sums, tl_call_sums_by_part(t->sums) };
	uint32_t parts = by.in_parts ? tl_profile_part_count(t->sums) : 1;
	struct tl_groups lines = { 0 }, arcs = { 0 };
	int status = tl_stacks_copy_parts(t->result, t->sums, by.in_parts, err);

	if (status == 0)
		status = make_functions(t, err);
	if (status == 0 &&
	    (!tl_groups_make(&lines, tl_profile_line_count(t->sums), parts, part_of_line, &by) ||
	     !tl_groups_make(&arcs, tl_profile_arc_count(t->sums), parts, part_of_arc, &by)))
		status = tl_error_memory(err);
	if (status == 0)
		status = add_costs(t, &lines, &arcs, parts, err);
	tl_groups_free(&lines);
	tl_groups_free(&arcs);
	if (status < 0)
		return status;
	return tl_profile_finish(t->result, err);
}

static int new_like(struct tl_profile **made, const struct tl_profile *profile,
		    struct tl_error *err)
{
	int status = tl_profile_make(made, tl_profile_format(profile), tl_profile_event(profile, 0),
				     tl_profile_event_count(profile), tl_profile_frequency(profile),
				     err);

	if (status == 0)
		tl_profile_set_call_count(*made, tl_profile_call_count(profile));
	return status;
}

/* Free the state, and hand the result over unless an error is on the way. */
static int end_trees(struct trees *t, struct tl_profile **made, int status)
{
	free_trees(t);
	if (status < 0)
		tl_profile_free(t->result);
	else
		*made = t->result;
	return status;
}

int tl_stacks_from_names(struct tl_profile **stacks, const struct tl_profile *sums,
			 struct tl_error *err)
{
	struct trees t = { .sums = sums, .with_callers = true };
	int status = new_like(&t.result, sums, err);

	if (status == 0 && (!add_nodes(&t) || !find_callers(&t)))
		status = tl_error_memory(err);
	if (status == 0)
		status = grow_trees(&t, err);
	return end_trees(&t, stacks, status);
}

/* ---- stacks that are cut ---- */

static int copy_parts(struct trees *t, struct tl_error *err)
{
	uint32_t parts = tl_profile_part_count(t->sums);

	for (uint32_t i = 0; i < parts; i++)
		if (tl_profile_put_part(t->result, tl_profile_part(t->sums, i), err) < 0)
			return TL_NO_MEMORY;
	return 0;
}

static int join_functions(struct trees *t, struct tl_error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		struct tl_function function = *function_of(t, &t->nodes[i]);

		function.name = t->result->names.names[t->nodes[i].name].text;
		function.object = tl_profile_text(t->result, function.object);
		function.file = tl_profile_text(t->result, function.file);
		if (function.object && function.file)
			t->nodes[i].made = tl_profile_function_interned(t->result, &function);
		if (!function.object || !function.file || t->nodes[i].made == TL_NONE)
			return tl_error_memory(err);
	}
	return 0;
}

static uint32_t joined(const struct trees *t, uint32_t function)
{
	if (function == TL_NONE)
		return TL_NONE;
	return t->nodes[t->node_of[function]].made;
}

static int join_costs(struct trees *t, struct tl_error *err)
{
	uint32_t lines = tl_profile_line_count(t->sums), arcs = tl_profile_arc_count(t->sums);
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < lines; i++) {
		struct tl_cost_line line = *tl_profile_line(t->sums, i);

		line.function = joined(t, line.function);
		status = tl_profile_put_line(t->result, &line, tl_profile_line_cost(t->sums, i),
					     err);
	}
	for (uint32_t i = 0; status == 0 && i < arcs; i++) {
		struct tl_arc arc = *tl_profile_arc(t->sums, i);

		arc.caller = joined(t, arc.caller);
		arc.callee = joined(t, arc.callee);
		status = tl_profile_put_arc(t->result, &arc, tl_profile_arc_cost(t->sums, i), err);
	}
	if (status < 0)
		return status;
	return tl_stacks_inherit(t->result, err);
}

int tl_stacks_join_levels(struct tl_profile **made, const struct tl_profile *sums,
			  struct tl_error *err)
{
	struct trees t = { .sums = sums };
	int status = new_like(&t.result, sums, err);

	/* The names of nodes are those of the functions, most of which are lent by the sums. */
	if (status == 0 && (!add_nodes(&t) || !tl_profile_take_names(t.result, &t.names)))
		status = tl_error_memory(err);
	if (status == 0)
		status = copy_parts(&t, err);
	if (status == 0)
		status = join_functions(&t, err);
	if (status == 0)
		status = join_costs(&t, err);
	return end_trees(&t, made, status);
}

static int strip_contexts(struct trees *t, uint32_t *made, struct tl_error *err)
{
	uint32_t contexts = tl_profile_context_count(t->sums);

	for (uint32_t i = 0; i < contexts; i++) {
		const struct tl_context *from = tl_profile_context(t->sums, i);
		const struct tl_function *f = tl_profile_function(t->sums, from->function);
		int64_t function = make_function(t, t->result, f, f->name, err), context = function;
		uint32_t parent = TL_NONE;

		if (from->parent != TL_NONE)
			parent = made[from->parent];
		if (function >= 0)
			context = tl_profile_add_context(t->result, parent, (uint32_t)function,
							 from->part, err);
		if (context < 0)
			return (int)context;
		made[i] = (uint32_t)context;
		tl_profile_add_context_cost(t->result, made[i], from->calls,
					    tl_profile_context_self(t->sums, i));
	}
	return tl_profile_finish(t->result, err);
}

int tl_stacks_strip_callers(struct tl_profile **stripped, const struct tl_profile *stacks,
			    struct tl_error *err)
{
	struct trees t = { .sums = stacks };
	uint32_t *made = malloc(((size_t)tl_profile_context_count(stacks) + 1) * sizeof(*made));
	int status = made ? new_like(&t.result, stacks, err) : tl_error_memory(err);

	if (status == 0)
		status = copy_parts(&t, err);
	if (status == 0)
		status = strip_contexts(&t, made, err);
	free(made);
	return end_trees(&t, stripped, status);
}
