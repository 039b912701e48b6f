/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks: a line per call path, "a;b;c 123", with the path's self cost, sorted by the bytes
 * of the path.
 *
 * Paths of the same names are one line, even if their functions are of different parts, files or
 * objects. ';' and the end of a line have a meaning in the format, so inside a name they become ':'
 * and ' '. Characters that would control a terminal are escaped (tl_shown_character()).
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "profile/model/groups.h"
#include "export/profile/depth.h"
#include "export/profile/exporters.h"
#include "export/profile_stacks.h"

/* A node of the tree of names: one per call path. */
struct path_node {
	uint32_t parent; /* node, TL_NONE: a root */
	uint32_t name;
	int64_t self;
	bool inner; /* has children */
};

enum { MOST_NODES = INT32_MAX }; /* entries number them twice */

struct fold {
	const struct tl_profile *profile;
	struct tl_export_options options;
	struct tl_names names;
	struct path_node *nodes;
	size_t node_count, node_capacity;
	struct tl_index index;
	uint32_t *function_names; /* by function; 0: none yet ("" is name 0, and no function's) */
	uint32_t *part_roots;     /* by part, then one for "all"; TL_NONE: none yet */
	bool distinct;            /* no two stacks have the same names: none is looked up */
};

/* ---- the tree ---- */

/* Bytes that have a meaning in the format become similar ones that have none. */
static char clean_byte(char byte)
{
	if (byte == ';')
		return ':';
	if (byte == '\n' || byte == '\r' || byte == '\t')
		return ' ';
	return byte;
}

/* The number of a name without bytes that would break a line or control a terminal; never empty. */
static uint32_t clean_name(struct fold *fold, const char *text)
{
	size_t left = strlen(text), size = 0;
	uint32_t number;
	char *clean;

	if (left >= PTRDIFF_MAX / TL_SHOWN_BYTES)
		return TL_NONE;
	clean = malloc((left + 1) * TL_SHOWN_BYTES);
	if (!clean)
		return TL_NONE;
	while (left) {
		char byte = clean_byte(*text);
		size_t taken = 1;

		if (byte == *text)
			taken = tl_shown_character(text, left, clean + size);
		else
			memcpy(clean + size, (char[]){ byte, '\0' }, 2);
		size += strlen(clean + size);
		text += taken;
		left -= taken;
	}
	if (!size) {
		memcpy(clean, "???", 3);
		size = 3;
	}
	number = tl_names_add(&fold->names, clean, size);
	free(clean);
	return number;
}

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct path_node *have = &((const struct fold *)context)->nodes[number],
			       *wanted = key;

	return have->parent == wanted->parent && have->name == wanted->name;
}

/* A new node; TL_NONE without memory. */
static uint32_t add_node(struct fold *fold, uint32_t parent, uint32_t name)
{
	if (name == TL_NONE || fold->node_count >= MOST_NODES ||
	    !tl_grow(&fold->nodes, &fold->node_capacity, fold->node_count + 1,
		     sizeof(*fold->nodes)))
		return TL_NONE;
	fold->nodes[fold->node_count] = (struct path_node){ .parent = parent, .name = name };
	if (parent != TL_NONE)
		fold->nodes[parent].inner = true;
	return (uint32_t)fold->node_count++;
}

/* The node of a name below another, added if new; TL_NONE without memory. */
static uint32_t node_below(struct fold *fold, uint32_t parent, uint32_t name)
{
	const struct path_node key = { .parent = parent, .name = name };
	const uint64_t hash = tl_hash_pair(parent, name);
	uint32_t found;

	if (fold->distinct)
		return add_node(fold, parent, name);
	found = tl_index_find(&fold->index, hash, same_node, fold, &key);
	if (found != TL_NONE)
		return found;
	found = add_node(fold, parent, name);
	return found != TL_NONE && tl_index_add(&fold->index, hash, found) ? found : TL_NONE;
}

static uint32_t function_name(struct fold *fold, uint32_t function)
{
	uint32_t *name = &fold->function_names[function];

	if (!*name)
		*name = clean_name(fold, tl_profile_function(fold->profile, function)->name);
	return *name;
}

/* The root node of a part, named after its thread. TL_NONE without memory. */
static uint32_t part_root(struct fold *fold, uint32_t part)
{
	uint32_t parts = tl_profile_part_count(fold->profile);
	uint32_t *root = &fold->part_roots[tl_min(part, parts)];
	char title[256];

	if (*root == TL_NONE) {
		tl_part_title(fold->profile, part, title, sizeof(title));
		*root = node_below(fold, TL_NONE, clean_name(fold, title));
	}
	return *root;
}

/* Add a stack to the tree. `nodes` has the nodes of the stacks before it, also of its parent. */
static bool add_stack(struct fold *fold, uint32_t *nodes, uint32_t number)
{
	struct tl_stack stack = tl_stack_at(fold->profile, number);
	uint32_t parent = TL_NONE, node;
	int64_t value;

	if (stack.parent != TL_NONE) {
		parent = nodes[stack.parent];
	} else if (fold->options.threads) {
		parent = part_root(fold, stack.part);
		if (parent == TL_NONE)
			return false;
	}
	node = node_below(fold, parent, function_name(fold, stack.function));
	if (node == TL_NONE)
		return false;
	value = stack.self[fold->options.event];
	if (fold->options.calls)
		value = (int64_t)tl_min(stack.calls, (uint64_t)INT64_MAX);
	fold->nodes[node].self = tl_sum_saturating(fold->nodes[node].self, value);
	nodes[number] = node;
	return true;
}

/*
 * Whether no two functions have the same name, and each stack of functions is there once: contexts
 * of one part, which are not estimated. False also without memory.
 */
static bool is_distinct(struct fold *fold)
{
	const uint32_t count = tl_profile_function_count(fold->profile);

	if (tl_profile_part_count(fold->profile) > 1 || tl_profile_estimated(fold->profile) ||
	    tl_stack_count(fold->profile) != tl_profile_context_count(fold->profile))
		return false;
	for (uint32_t i = 0; i < count; i++)
		/* Name 0 is "". */
		if (function_name(fold, i) != i + 1)
			return false;
	return true;
}

static bool grow_tree(struct fold *fold)
{
	size_t functions = tl_profile_function_count(fold->profile);
	size_t parts = tl_profile_part_count(fold->profile);
	uint32_t count = tl_stack_count(fold->profile);
	uint32_t *nodes = malloc(((size_t)count + 1) * sizeof(*nodes));
	bool ok;

	fold->function_names = calloc(functions + 1, sizeof(*fold->function_names));
	fold->part_roots = malloc((parts + 1) * sizeof(*fold->part_roots));
	ok = nodes && fold->function_names && fold->part_roots;
	if (ok)
		memset(fold->part_roots, 0xff, (parts + 1) * sizeof(*fold->part_roots));
	fold->distinct = ok && count && is_distinct(fold);
	for (uint32_t i = 0; ok && i < count; i++)
		ok = add_stack(fold, nodes, i);
	free(nodes);
	return ok;
}

static void free_fold(struct fold *fold)
{
	tl_names_free(&fold->names);
	tl_index_free(&fold->index);
	free(fold->nodes);
	free(fold->function_names);
	free(fold->part_roots);
}

/* ---- the order ---- */

/*
 * A node has two entries in the list of its parent: entry 2n is its own line, entry 2n + 1 stands
 * for all the lines below it. They are sorted apart, since in the order of bytes other lines may
 * stand between them: "a 1", "a! 1", "a;b 1".
 */
static uint32_t entry_group(const void *context, uint32_t entry)
{
	const struct path_node *node = &((const struct fold *)context)->nodes[entry / 2];
	bool exists = entry % 2 ? node->inner : node->self > 0;

	if (!exists)
		return TL_NONE;
	if (node->parent == TL_NONE)
		return 0;
	return node->parent + 1;
}

static struct tl_name entry_name(const struct fold *fold, uint32_t entry)
{
	return fold->names.names[fold->nodes[entry / 2].name];
}

/* The byte of an entry at `at`: of its name, then ';' if paths go on below it; -1 at the end. */
static int entry_byte(struct tl_name name, uint32_t entry, size_t at)
{
	if (at < name.size)
		return (unsigned char)name.text[at];
	return entry % 2 ? ';' : -1;
}

static int compare_entries(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct tl_name s = entry_name(context, x), t = entry_name(context, y);
	size_t common = tl_min(s.size, t.size);
	int order = memcmp(s.text, t.text, common);

	if (!order)
		order = entry_byte(s, x, common) - entry_byte(t, y, common);
	return order;
}

static void sort_groups(struct tl_groups *groups, struct fold *fold)
{
	for (size_t g = 0; g <= fold->node_count; g++) {
		size_t first = groups->start[g], count = groups->start[g + 1] - first;

		if (count > 1)
			qsort_r(groups->order + first, count, sizeof(*groups->order),
				compare_entries, fold);
	}
}

/* ---- the lines ---- */

/* One level of the walk: the entries not yet written, and the size of the path above them. */
struct level {
	size_t at, end, path_size;
};

struct walk {
	struct level *levels;
	size_t depth, capacity;
	char *path;
	size_t path_capacity;
};

static bool descend(struct walk *w, const struct tl_groups *groups, size_t group, size_t path_size)
{
	if (!tl_grow(&w->levels, &w->capacity, w->depth + 1, sizeof(*w->levels)))
		return false;
	w->levels[w->depth++] =
		(struct level){ groups->start[group], groups->start[group + 1], path_size };
	return true;
}

static void put_line(struct tl_output *out, const char *path, size_t size, int64_t value)
{
	tl_put_bytes(out, path, size);
	tl_put_char(out, ' ');
	tl_put_i64(out, value);
	tl_put_char(out, '\n');
}

static bool walk_entry(struct walk *w, const struct fold *fold, const struct tl_groups *groups,
		       uint32_t entry, size_t path_size, struct tl_output *out)
{
	struct tl_name name = entry_name(fold, entry);

	if (!tl_grow(&w->path, &w->path_capacity, path_size + name.size + 1, 1))
		return false;
	memcpy(w->path + path_size, name.text, name.size);
	path_size += name.size;
	if (entry % 2) {
		w->path[path_size++] = ';';
		return descend(w, groups, (size_t)entry / 2 + 1, path_size);
	}
	put_line(out, w->path, path_size, fold->nodes[entry / 2].self);
	return true;
}

static bool put_lines(const struct fold *fold, const struct tl_groups *groups,
		      struct tl_output *out)
{
	struct walk w = { 0 };
	bool ok = descend(&w, groups, 0, 0);

	while (ok && w.depth && !tl_output_failed(out)) {
		struct level *level = &w.levels[w.depth - 1];

		if (level->at == level->end)
			w.depth--;
		else
			ok = walk_entry(&w, fold, groups, groups->order[level->at++],
					level->path_size, out);
	}
	free(w.levels);
	free(w.path);
	return ok;
}

/* ---- the largest ones ---- */

static int compare_values(const void *a, const void *b, void *context)
{
	const struct fold *fold = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t s = fold->nodes[x].self, t = fold->nodes[y].self;

	if (s != t)
		return tl_compare(t, s);
	return tl_compare(x, y);
}

/* The names of a path from the root on; `path` has room for its nodes. */
static void put_path(const struct fold *fold, uint32_t node, uint32_t *path, struct tl_output *out)
{
	int64_t value = fold->nodes[node].self;
	size_t depth = 0;

	for (; node != TL_NONE; node = fold->nodes[node].parent)
		path[depth++] = node;
	while (depth) {
		struct tl_name name = entry_name(fold, path[--depth] * 2);

		tl_put_bytes(out, name.text, name.size);
		tl_put_char(out, depth ? ';' : ' ');
	}
	tl_put_i64(out, value);
	tl_put_char(out, '\n');
}

static bool put_top(struct fold *fold, struct tl_output *out)
{
	uint32_t *order = malloc((fold->node_count + 1) * sizeof(*order));
	uint32_t *path = malloc((fold->node_count + 1) * sizeof(*path));
	bool ok = order && path;
	size_t count = 0;

	for (uint32_t i = 0; ok && i < fold->node_count; i++)
		if (fold->nodes[i].self > 0)
			order[count++] = i;
	if (ok && count)
		qsort_r(order, count, sizeof(*order), compare_values, fold);
	for (size_t i = 0; ok && i < count && i < fold->options.top && !tl_output_failed(out); i++)
		put_path(fold, order[i], path, out);
	free(order);
	free(path);
	return ok;
}

static bool put_sorted(struct fold *fold, struct tl_output *out)
{
	struct tl_groups groups = { 0 };
	bool ok = tl_groups_make(&groups, (uint32_t)fold->node_count * 2,
				 (uint32_t)fold->node_count + 1, entry_group, fold);

	if (ok) {
		sort_groups(&groups, fold);
		ok = put_lines(fold, &groups, out);
	}
	tl_groups_free(&groups);
	return ok;
}

/* Tell of the lines that there are none of, as flamegraph.pl takes no counts below zero. */
static void count_below_zero(const struct fold *fold)
{
	uint64_t count = 0;

	for (size_t i = 0; i < fold->node_count; i++)
		count += fold->nodes[i].self < 0;
	if (count && fold->options.below_zero)
		*fold->options.below_zero = count;
}

static int write_stacks(const struct tl_profile *profile, const struct tl_export_options *options,
			struct tl_output *out, struct tl_error *err)
{
	struct fold fold = { .profile = profile };
	int status = tl_export_options(&fold.options, profile, options, err);
	bool ok;

	if (status < 0)
		return status;
	ok = grow_tree(&fold);
	count_below_zero(&fold);
	ok = ok && (fold.options.top ? put_top(&fold, out) : put_sorted(&fold, out));
	free_fold(&fold);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

static int write_folded(const struct tl_profile *profile, const struct tl_export_options *options,
			struct tl_output *out, struct tl_error *err)
{
	return tl_export_in_depth(profile, options, out, write_stacks, err);
}

const struct tl_exporter tl_folded_exporter = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks, a line per call path with its self cost",
	.write = write_folded,
	.stacks = true,
};
