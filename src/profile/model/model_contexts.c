/* SPDX-License-Identifier: Apache-2.0 */
/* The calling-context tree; functions in parts; durations. */
#include "profile/model/model.h"

#include "core/error.h"

static bool same_context(const void *context, const void *key, uint32_t number)
{
	const struct tl_context *a = &((const struct tl_profile *)context)->contexts.list[number],
				*b = key;

	return a->parent == b->parent && a->function == b->function && a->part == b->part;
}

static uint64_t hash_context(const struct tl_context *c)
{
	return tl_hash_pair((uint64_t)c->parent << 32 | c->function, c->part);
}

/* Appended contexts are indexed when a context is looked up for the first time. */
static bool index_contexts(struct tl_profile *profile)
{
	struct tl_cost_table *table = &profile->contexts.table;

	while (table->index.count < table->count) {
		uint32_t number = (uint32_t)table->index.count;

		if (!tl_index_add(&table->index, hash_context(&profile->contexts.list[number]),
				  number))
			return false;
	}
	return true;
}

int64_t tl_profile_append_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
				  uint32_t part, struct tl_error *err)
{
	struct tl_context context = { .parent = parent, .function = function, .part = part };
	uint32_t number = tl_cost_table_add(&profile->contexts.table, &profile->contexts.list,
					    &context, sizeof(context), profile->event_count);

	return tl_profile_number(number, err);
}

int64_t tl_profile_context_number(struct tl_profile *profile, uint32_t parent, uint32_t function,
				  uint32_t part, struct tl_error *err)
{
	struct tl_context key = { .parent = parent, .function = function, .part = part };
	uint64_t hash = hash_context(&key);
	uint32_t found;

	/* The latest context has no children yet: its first one is new without a look. */
	if (parent != TL_NONE && parent + 1 == profile->contexts.table.count)
		return tl_profile_append_context(profile, parent, function, part, err);
	if (!index_contexts(profile))
		return tl_error_memory(err);
	found = tl_index_find(&profile->contexts.table.index, hash, same_context, profile, &key);
	if (found == TL_NONE)
		found = tl_cost_table_append(&profile->contexts.table, &profile->contexts.list,
					     &key, sizeof(key), profile->event_count, hash);
	return tl_profile_number(found, err);
}

int64_t tl_profile_add_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
			       uint32_t part, struct tl_error *err)
{
	if (!tl_profile_has_function(profile, function) || !tl_profile_has_part(profile, part) ||
	    (parent != TL_NONE && parent >= profile->contexts.table.count))
		return tl_profile_bad_index(err);
	return tl_profile_context_number(profile, parent, function, part, err);
}

void tl_profile_add_context_cost(struct tl_profile *profile, uint32_t context, uint64_t calls,
				 const int64_t *self)
{
	if (context >= profile->contexts.table.count)
		return;
	tl_add_count(&profile->contexts.list[context].calls, calls, &profile->losses.saturated);
	tl_profile_add_costs(profile,
			     profile->contexts.table.cost + (size_t)context * profile->event_count,
			     self);
}

void tl_profile_add_unfinished(struct tl_profile *profile, uint32_t context, uint64_t unfinished)
{
	tl_add_count(&profile->contexts.list[context].unfinished, unfinished,
		     &profile->losses.saturated);
}

void tl_profile_add_cut(struct tl_profile *profile, uint32_t context, uint64_t cut)
{
	tl_add_count(&profile->contexts.list[context].cut, cut, &profile->losses.saturated);
}

/* ---- functions in parts, durations ---- */

static bool same_part_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_part_function *a = &((const struct tl_profile *)context)
						    ->part_functions.list[number],
				      *b = key;

	return a->function == b->function && a->part == b->part;
}

static uint64_t hash_part_function(uint32_t function, uint32_t part)
{
	return tl_hash64((uint64_t)function << 32 | part);
}

uint32_t tl_profile_find_part_function(const struct tl_profile *profile, uint32_t function,
				       uint32_t part)
{
	struct tl_part_function key = { .function = function, .part = part };

	return tl_index_find(&profile->part_functions.table.index,
			     hash_part_function(function, part), same_part_function, profile, &key);
}

uint32_t tl_profile_part_function(struct tl_profile *profile, uint32_t function, uint32_t part)
{
	struct tl_part_function key = { .function = function,
					.part = part,
					.latency = TL_LATENCIES_NONE };
	uint32_t found = tl_profile_find_part_function(profile, function, part);

	return found != TL_NONE ? found
				: tl_cost_table_append(&profile->part_functions.table,
						       &profile->part_functions.list, &key,
						       sizeof(key), profile->event_count,
						       hash_part_function(function, part));
}

/* Make room for the durations of a function; add them to those of the function in the part. */
static bool begin_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			  const struct tl_latencies *latencies)
{
	size_t had = profile->durations.capacity;
	uint32_t local;

	if (function >= had) {
		if (!tl_grow(&profile->durations.list, &profile->durations.capacity,
			     (size_t)function + 1, sizeof(*profile->durations.list)))
			return false;
		for (size_t i = had; i < profile->durations.capacity; i++)
			profile->durations.list[i] = TL_LATENCIES_NONE;
	}
	if (part == TL_NONE)
		return true;
	local = tl_profile_part_function(profile, function, part);
	return local != TL_NONE && tl_latency_merge(&profile->part_functions.list[local].latency,
						    latencies, profile->durations.exact);
}

/* Sums that did not fit before are in the losses of their parts. */
static void count_saturated(struct tl_profile *profile, uint32_t function, uint64_t counted)
{
	profile->losses.saturated += profile->durations.list[function].saturated - counted;
}

bool tl_profile_add_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			    const struct tl_latencies *latencies)
{
	uint64_t counted;

	if (!begin_latency(profile, function, part, latencies))
		return false;
	counted = profile->durations.list[function].saturated + latencies->saturated;
	if (!tl_latency_merge(&profile->durations.list[function], latencies,
			      profile->durations.exact))
		return false;
	count_saturated(profile, function, counted);
	return true;
}

bool tl_profile_move_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			     struct tl_latencies *latencies)
{
	uint64_t counted;

	if (!begin_latency(profile, function, part, latencies))
		return false;
	counted = profile->durations.list[function].saturated + latencies->saturated;
	if (!tl_latency_move(&profile->durations.list[function], latencies,
			     profile->durations.exact))
		return false;
	count_saturated(profile, function, counted);
	return true;
}
