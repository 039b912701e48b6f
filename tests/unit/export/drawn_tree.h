/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_EXPORT_DRAWN_TREE_H
#define TESTS_UNIT_EXPORT_DRAWN_TREE_H
/*
 * A tree of calls that is drawn, and so is known: as contexts, and as the sums of lines and arcs
 * that it has where functions are told apart by their callers (f'g'h), or have names of their own.
 */
#include "helper.h"

#include <stdio.h>

#include "../chance.h"
#include "../paths_text.h"
#include "profile/model/unsized.h"

/* Takes the first one, too, which is freed. */
static inline void assert_same_paths(struct tl_profile *made, const struct tl_profile *truth)
{
	char *seen = paths_text(made, false), *wanted = paths_text(truth, false);

	assert_string_equal(seen, wanted);
	free(seen);
	free(wanted);
	tl_profile_free(made);
}

/* ---- the tree ---- */

enum { TREE_NODES = 60, TREE_PARTS = 3, TREE_EVENTS = 2 };

struct tree {
	struct tree_node {
		int parent; /* -1: a root; parents come first */
		char letter;
		unsigned depth;
		int64_t self[TREE_PARTS][TREE_EVENTS];
		uint64_t calls[TREE_PARTS];
	} nodes[TREE_NODES];
	int count;
	uint32_t parts;
};

static inline bool tree_has_child(const struct tree *tree, int parent, char letter)
{
	for (int i = 0; i < tree->count; i++)
		if (tree->nodes[i].parent == parent && tree->nodes[i].letter == letter)
			return true;
	return false;
}

static inline void tree_draw(struct tree *tree, uint32_t *seed, int count, uint32_t parts)
{
	*tree = (struct tree){ .parts = parts };
	while (tree->count < count) {
		struct tree_node *node = &tree->nodes[tree->count];
		const int parent =
			tree->count ? (int)chance(seed, (unsigned)tree->count + 1) - 1 : -1;
		const char letter = (char)('a' + chance(seed, 12));

		if (tree_has_child(tree, parent, letter) ||
		    (parent >= 0 && tree->nodes[parent].depth > 8))
			continue;
		node->parent = parent;
		node->letter = letter;
		node->depth = parent < 0 ? 1 : tree->nodes[parent].depth + 1;
		for (uint32_t part = 0; part < parts; part++) {
			node->self[part][0] = 1 + chance(seed, 1000);
			node->self[part][1] = chance(seed, 3) ? chance(seed, 90) : 0;
			node->calls[part] = parent < 0 ? 0 : 1 + chance(seed, 20);
		}
		tree->count++;
	}
}

static inline int64_t tree_inclusive(const struct tree *tree, int node, uint32_t part,
				     uint32_t event)
{
	int64_t sum = tree->nodes[node].self[part][event];

	for (int i = node + 1; i < tree->count; i++)
		if (tree->nodes[i].parent == node)
			sum += tree_inclusive(tree, i, part, event);
	return sum;
}

/* The truth; a node's function is its letter, or, with `numbered`, has a name of its own: a17. */
static inline struct tl_profile *tree_contexts(const struct tree *tree, bool numbered)
{
	struct tl_profile *profile = new_profile(0, TREE_EVENTS);
	uint32_t contexts[TREE_NODES];
	char name[16];

	for (uint32_t part = 0; part < tree->parts; part++)
		add_part(profile, 1, part + 1, "");
	for (uint32_t part = 0; part < tree->parts; part++)
		for (int i = 0; i < tree->count; i++) {
			const struct tree_node *node = &tree->nodes[i];

			snprintf(name, sizeof(name), numbered ? "%c%d" : "%c", node->letter, i);
			contexts[i] = add_context(
				profile, node->parent < 0 ? TL_NONE : contexts[node->parent],
				add_function(profile, "", "", name, 0), part, 0, 0);
			tl_profile_add_context_cost(profile, contexts[i], node->calls[part],
						    node->self[part]);
		}
	finish(profile);
	return profile;
}

/* The text "f'g'h" of a node, or its own name; the innermost `most` functions only. */
static inline void tree_name(const struct tree *tree, int node, unsigned most, bool numbered,
			     char *name)
{
	if (numbered) {
		sprintf(name, "%c%d", tree->nodes[node].letter, node);
		return;
	}
	for (unsigned i = 0; node >= 0 && i < most; i++, node = tree->nodes[node].parent) {
		if (i)
			*name++ = '\'';
		*name++ = tree->nodes[node].letter;
	}
	*name = '\0';
}

/* Lines and arcs of the same calls; `in_parts`: each part has its own, else they are of none. */
static inline struct tl_profile *tree_sums(const struct tree *tree, unsigned most, bool numbered,
					   bool in_parts)
{
	struct tl_profile *profile = new_profile(0, TREE_EVENTS);
	uint32_t functions[TREE_NODES];
	char name[64];

	for (uint32_t part = 0; part < tree->parts; part++)
		add_part(profile, 1, part + 1, "");
	for (int i = 0; i < tree->count; i++) {
		tree_name(tree, i, most, numbered, name);
		functions[i] = add_function(profile, "", "", name, 0);
	}
	for (uint32_t part = 0; part < tree->parts; part++)
		for (int i = 0; i < tree->count; i++) {
			const struct tree_node *node = &tree->nodes[i];
			const struct tl_position nowhere = { .file = "" };
			const uint32_t of = in_parts ? part : TL_NONE;

			const struct tl_cost_line line = { functions[i], of, nowhere };
			const struct tl_arc arc = {
				node->parent < 0 ? TL_NONE : functions[node->parent],
				functions[i],
				of,
				nowhere,
				nowhere,
				node->calls[part],
			};
			const int64_t inclusive[] = { tree_inclusive(tree, i, part, 0),
						      tree_inclusive(tree, i, part, 1) };

			assert_int_equal(
				tl_profile_put_line(profile, &line, node->self[part], NULL), 0);
			if (node->parent >= 0)
				assert_int_equal(tl_profile_put_arc(profile, &arc, inclusive, NULL),
						 0);
		}
	finish(profile);
	return profile;
}

#endif
