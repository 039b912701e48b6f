/* SPDX-License-Identifier: Apache-2.0 */
/* An ended fold becomes a part of a profile. */
#include "profile/fold/fold.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "profile/model/model.h"

/*
 * Inclusive ticks to self ticks: those of the children are subtracted. A call takes at most the
 * ticks of the call around it, so that self is never negative.
 */
static void self_ticks(const struct tl_fold *fold, uint64_t *self)
{
	for (size_t i = fold->node_count; i-- > 1;) {
		const struct tl_fold_node *node = &fold->hot.nodes[i];
		uint64_t ticks =
			node->ticks + (i < fold->capacity.untimed ? fold->untimed[i].ticks : 0);

		self[i] += ticks;
		self[node->parent] -= ticks;
	}
}

/*
 * A context is left out (TL_NONE in `contexts`) when the gate was closed during all of its calls
 * and all of its children are left out, too.
 */
static void mark_kept(const struct tl_fold *fold, const uint64_t *self, uint32_t *contexts)
{
	memset(contexts, 0xff, fold->node_count * sizeof(*contexts));
	for (size_t i = fold->node_count; i-- > 1;) {
		const struct tl_fold_node *node = &fold->hot.nodes[i];
		bool any = self[i] || node->calls ||
			   (i < fold->capacity.untimed &&
			    (fold->untimed[i].unfinished || fold->untimed[i].cut));

		for (uint32_t e = 0; e < fold->event_count; e++)
			any |= *tl_fold_cost_at(fold, i, e) != 0;
		if (any)
			contexts[i] = 0;
		if (contexts[i] == 0)
			contexts[node->parent] = 0;
	}
}

static void add_context_costs(const struct tl_fold *fold, struct tl_profile *profile, size_t node,
			      uint32_t context, uint64_t self)
{
	/* Event 0 is time, the others follow. */
	int64_t *to = profile->contexts.table.cost + (size_t)context * profile->event_count;

	tl_add_cost(&to[0], (int64_t)self, &profile->losses.saturated);
	for (uint32_t e = 0; e < fold->event_count; e++)
		tl_add_cost(&to[e + 1], *tl_fold_cost_at(fold, node, e),
			    &profile->losses.saturated);
	profile->contexts.list[context].calls += fold->hot.nodes[node].calls;
	if (node < fold->capacity.untimed) {
		const struct tl_fold_untimed *untimed = &fold->untimed[node];

		profile->contexts.list[context].calls += untimed->cut;
		tl_profile_add_unfinished(profile, context, untimed->unfinished);
		tl_profile_add_cut(profile, context, untimed->cut);
	}
}

/*
 * Whether no two functions of the fold are one function of the profile: then no two nodes are one
 * context of the new part, and contexts are appended without a lookup.
 */
static bool all_differ(const struct tl_fold *fold, const struct tl_profile *profile,
		       const uint32_t *functions)
{
	uint8_t *seen = calloc(profile->functions.table.count + 1, sizeof(*seen));
	bool differ = seen != NULL;

	for (size_t i = 0; differ && i < fold->function_count; i++)
		differ = !seen[functions[i]]++;
	free(seen);
	return differ;
}

static int add_contexts(const struct tl_fold *fold, struct tl_profile *profile, uint32_t part,
			const uint32_t *functions, const uint64_t *self, uint32_t *contexts,
			struct tl_error *err)
{
	bool new = all_differ(fold, profile, functions);

	for (size_t i = 1; i < fold->node_count; i++) {
		const struct tl_fold_node *node = &fold->hot.nodes[i];
		int64_t number;

		if (contexts[i] == TL_NONE)
			continue;
		number = (new ? tl_profile_append_context : tl_profile_add_context)(
			profile, node->parent ? contexts[node->parent] : TL_NONE,
			functions[node->function], part, err);
		if (number < 0)
			return (int)number;
		contexts[i] = (uint32_t)number;
		add_context_costs(fold, profile, i, contexts[i], self[i]);
	}
	return 0;
}

static int add_tree(const struct tl_fold *fold, struct tl_profile *profile, uint32_t part,
		    const uint32_t *functions, struct tl_error *err)
{
	uint32_t *contexts = calloc(fold->node_count, sizeof(*contexts));
	uint64_t *self = calloc(fold->node_count, sizeof(*self));
	int status;

	if (!contexts || !self) {
		status = tl_error_memory(err);
	} else {
		self_ticks(fold, self);
		mark_kept(fold, self, contexts);
		status = add_contexts(fold, profile, part, functions, self, contexts, err);
	}
	free(contexts);
	free(self);
	return status;
}

/* ---- without contexts ---- */

/* What a function cost by itself: of time the sums have it, of other events its node. */
static int64_t self_cost(const struct tl_fold *fold, size_t node, uint32_t event)
{
	return event ? *tl_fold_cost_at(fold, node, event - 1) : (int64_t)fold->hot.sums[node].self;
}

static int64_t inclusive_cost(const struct tl_fold *fold, size_t node, uint32_t event)
{
	const struct tl_fold_sums *sums = &fold->hot.sums[node];

	if (!event)
		return (int64_t)sums->inclusive;
	return sums->costs[event == fold->event_count ? 0 : event].inclusive;
}

static int add_sums(const struct tl_fold *fold, struct tl_profile *profile,
		    const uint32_t *functions, struct tl_error *err)
{
	struct tl_profile_sums *to = &profile->sums;

	if (!tl_profile_given_room(profile))
		return tl_error_memory(err);
	for (size_t i = 1; i < fold->node_count; i++) {
		const uint32_t function = functions[fold->hot.nodes[i].function];
		const size_t at = (size_t)function * profile->event_count;

		to->calls[function] += fold->hot.nodes[i].calls;
		if (i < fold->capacity.untimed) {
			to->calls[function] += fold->untimed[i].cut;
			to->cut[function] += fold->untimed[i].cut;
			to->unfinished[function] += fold->untimed[i].unfinished;
		}
		for (uint32_t e = 0; e < profile->event_count; e++) {
			to->self[at + e] += self_cost(fold, i, e);
			to->inclusive[at + e] += inclusive_cost(fold, i, e);
		}
	}
	return 0;
}

/* Functions of the fold are one function of the profile where it was told so, and only there. */
static bool are_the_same(const struct tl_fold *fold, const uint32_t *functions, uint32_t *first)
{
	for (uint32_t i = 0; i < fold->function_count; i++) {
		if (!first[functions[i]])
			first[functions[i]] = i + 1;
		if (first[functions[i]] != fold->hot.nodes[i + 1].parent)
			return false;
	}
	return true;
}

int tl_fold_sums_hold(const struct tl_fold *fold, size_t folds, const uint32_t *functions,
		      size_t profile_functions)
{
	const uint64_t most = INT64_MAX / (folds + 1);
	uint32_t *first;
	bool hold = !fold->refused && !fold->losses.saturated && fold->hot.clock <= most;

	for (int i = 0; i < TL_FOLD_SUMMED_COSTS; i++)
		hold = hold && (uint64_t)fold->totals[i] <= most;
	for (size_t i = 1; hold && i < fold->node_count; i++)
		hold = fold->hot.nodes[i].ticks <= INT64_MAX;
	if (!hold)
		return 0;
	first = calloc(profile_functions + 1, sizeof(*first));
	if (!first)
		return TL_NO_MEMORY;
	hold = are_the_same(fold, functions, first);
	free(first);
	return hold;
}

int tl_fold_into(struct tl_fold *fold, struct tl_profile *profile, const struct tl_part *part,
		 const uint32_t *functions, bool keep_latency, struct tl_error *err)
{
	struct tl_part filled = *part;
	int64_t number;
	int status;

	if (fold->no_memory)
		return tl_error_memory(err);
	if (fold->event_count + 1 != profile->event_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the fold counts other events than the profile");
	tl_losses_add(&filled.losses, &fold->losses);
	filled.records = fold->records;
	filled.first_ticks = fold->first_ticks;
	filled.last_ticks = fold->last_ticks;
	number = tl_profile_put_part(profile, &filled, err);
	if (number < 0)
		return (int)number;
	status = fold->hot.sums ? add_sums(fold, profile, functions, err)
				: add_tree(fold, profile, (uint32_t)number, functions, err);
	if (status < 0)
		return status;
	for (uint32_t i = 0; i < fold->function_count; i++) {
		struct tl_latencies *latency = &fold->hot.functions[i];

		profile->parts.list[number].losses.saturated += latency->saturated;
		if (latency->calls &&
		    !tl_profile_move_latency(profile, functions[i],
					     keep_latency ? (uint32_t)number : TL_NONE, latency))
			return tl_error_memory(err);
	}
	return 0;
}
