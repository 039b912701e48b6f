/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/derive/recursion.h"

#include <stdlib.h>
#include <string.h>

#include "profile/derive/cycle_costs.h"
#include "profile/model/model.h"

/* The tree of contexts, to be walked downwards without recursion of our own. */
struct paths {
	const struct tl_context *contexts;
	uint32_t *first; /* by context + 1: its first child; of 0: the first root */
	uint32_t *next;  /* by context: the next child of its parent */
	uint32_t *open;  /* by function: how often it is on the path to here */
	bool *recursive;
};

static void link_children(struct paths *p, size_t count)
{
	memset(p->first, 0xff, (count + 1) * sizeof(*p->first));
	for (size_t i = count; i-- > 0;) {
		uint32_t parent = p->contexts[i].parent;
		uint32_t *list = &p->first[parent == TL_NONE ? 0 : parent + 1];

		p->next[i] = *list;
		*list = (uint32_t)i;
	}
}

/* Leave contexts until one has a next sibling; TL_NONE: the walk is over. */
static uint32_t leave(struct paths *p, uint32_t at)
{
	while (at != TL_NONE) {
		p->open[p->contexts[at].function]--;
		if (p->next[at] != TL_NONE)
			return p->next[at];
		at = p->contexts[at].parent;
	}
	return TL_NONE;
}

static void walk(struct paths *p)
{
	uint32_t at = p->first[0];

	while (at != TL_NONE) {
		uint32_t function = p->contexts[at].function;

		p->recursive[function] |= p->open[function]++ > 0;
		at = p->first[at + 1] != TL_NONE ? p->first[at + 1] : leave(p, at);
	}
}

static bool by_contexts(const struct tl_profile *profile, bool *recursive)
{
	size_t count = profile->contexts.table.count;
	struct paths p = {
		.contexts = profile->contexts.list,
		.first = malloc((count + 1) * sizeof(*p.first)),
		.next = malloc(count * sizeof(*p.next)),
		.open = calloc(profile->functions.table.count + 1, sizeof(*p.open)),
		.recursive = recursive,
	};
	bool done = p.first && p.next && p.open;

	if (done) {
		link_children(&p, count);
		walk(&p);
	}
	free(p.first);
	free(p.next);
	free(p.open);
	return done;
}

static bool by_arcs(const struct tl_profile *profile, bool *recursive)
{
	struct tl_cycle_costs cycles;
	bool done = tl_cycle_costs_make(&cycles, profile);

	for (size_t i = 0; done && i < profile->arcs.table.count; i++)
		if (profile->arcs.list[i].caller == profile->arcs.list[i].callee)
			recursive[profile->arcs.list[i].callee] = true;
	for (size_t f = 0; done && cycles.count && f < profile->functions.table.count; f++)
		recursive[f] |= cycles.of[f] != TL_NONE;
	tl_cycle_costs_free(&cycles);
	return done;
}

bool *tl_profile_recursive(const struct tl_profile *profile)
{
	bool *recursive = calloc(profile->functions.table.count + 1, sizeof(*recursive));
	bool done = false;

	if (recursive)
		done = profile->contexts.table.count ? by_contexts(profile, recursive)
						     : by_arcs(profile, recursive);
	if (done)
		return recursive;
	free(recursive);
	return NULL;
}
