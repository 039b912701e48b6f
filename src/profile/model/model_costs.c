/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, cost lines, arcs and jumps: each is found by its key, added if new, and summed up. */
#include "profile/model/model.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"

/* ---- functions ---- */

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_function *a = &((const struct tl_profile *)context)->functions.list[number],
				 *b = key;

	/* Interned strings: equal when their addresses are. */
	return a->name == b->name && a->file == b->file && a->object == b->object && a->id == b->id;
}

static uint64_t hash_function(const struct tl_function *f)
{
	return tl_hash_pair(tl_hash_pair((uintptr_t)f->name, (uintptr_t)f->file),
			    tl_hash_pair((uintptr_t)f->object, f->id));
}

/* Functions that were appended without it are added to the index. False without memory. */
static bool complete_function_index(struct tl_profile *profile)
{
	struct tl_cost_table *table = &profile->functions.table;

	while (table->index.count < table->count) {
		const uint32_t number = (uint32_t)table->index.count;

		if (!tl_index_add(&table->index, hash_function(&profile->functions.list[number]),
				  number))
			return false;
	}
	return true;
}

struct tl_function *tl_profile_functions_room(struct tl_profile *profile, size_t count)
{
	struct tl_cost_table *table = &profile->functions.table;

	if (count >= TL_NONE || !tl_grow(&profile->functions.list, &table->capacity, count + 1,
					 sizeof(*profile->functions.list)))
		return NULL;
	table->count = count;
	return profile->functions.list;
}

uint32_t tl_profile_function_interned(struct tl_profile *profile,
				      const struct tl_function *function)
{
	const uint64_t hash = hash_function(function);
	uint32_t found;

	if (!complete_function_index(profile))
		return TL_NONE;
	found = tl_index_find(&profile->functions.table.index, hash, same_function, profile,
			      function);
	if (found == TL_NONE)
		found = tl_cost_table_append(&profile->functions.table, &profile->functions.list,
					     function, sizeof(*function), 0, hash);
	return found;
}

int64_t tl_profile_put_function(struct tl_profile *profile, const struct tl_function *function,
				struct tl_error *err)
{
	struct tl_function key = *function;
	uint32_t found;

	key.name = tl_profile_text(profile, function->name);
	key.file = tl_profile_text(profile, function->file);
	key.object = tl_profile_text(profile, function->object);
	if (!key.name || !key.file || !key.object)
		return tl_error_memory(err);
	found = tl_profile_function_interned(profile, &key);
	return tl_profile_number(found, err);
}

/* An array of numbers of 64 bits with zeros behind those that it had. False without memory. */
static bool more_zeros(void *array, size_t had, size_t want)
{
	uint64_t *old, *made;

	memcpy(&old, array, sizeof(old));
	if (!old)
		made = tl_zeroed(want, sizeof(*made));
	else
		made = want < PTRDIFF_MAX / sizeof(*made) ? realloc(old, want * sizeof(*made))
							  : NULL;
	if (!made)
		return false;
	if (old)
		memset(made + had, 0, (want - had) * sizeof(*made));
	memcpy(array, &made, sizeof(made));
	return true;
}

bool tl_profile_given_room(struct tl_profile *profile)
{
	struct tl_profile_sums *sums = &profile->sums;
	const size_t had = sums->given, events = profile->event_count;
	size_t want = profile->functions.table.count;

	if (want <= had)
		return true;
	if (had)
		want = tl_max(want, had + had / 2);
	if (!more_zeros(&sums->self, had * events, want * events) ||
	    !more_zeros(&sums->inclusive, had * events, want * events) ||
	    !more_zeros(&sums->calls, had, want) || !more_zeros(&sums->unfinished, had, want) ||
	    !more_zeros(&sums->cut, had, want))
		return false;
	sums->given = want;
	return true;
}

void tl_profile_forget_given(struct tl_profile *profile)
{
	struct tl_profile_sums *sums = &profile->sums;

	free(sums->self);
	free(sums->inclusive);
	free(sums->calls);
	free(sums->unfinished);
	free(sums->cut);
	sums->self = sums->inclusive = NULL;
	sums->calls = sums->unfinished = sums->cut = NULL;
	sums->given = 0;
}

/* ---- lines, arcs, jumps ---- */

static bool intern_position(struct tl_profile *profile, struct tl_position *at)
{
	at->file = tl_profile_text(profile, at->file);
	return at->file != NULL;
}

static uint64_t hash_position(const struct tl_position *at)
{
	return tl_hash_pair(tl_hash_pair((uintptr_t)at->file, at->line),
			    tl_hash_pair(at->address, at->block));
}

static bool same_position(const struct tl_position *a, const struct tl_position *b)
{
	return a->file == b->file && a->line == b->line && a->address == b->address &&
	       a->block == b->block;
}

static bool same_line(const void *context, const void *key, uint32_t number)
{
	const struct tl_cost_line *a = &((const struct tl_profile *)context)->lines.list[number],
				  *b = key;

	return a->function == b->function && a->part == b->part && same_position(&a->at, &b->at);
}

int64_t *tl_profile_line_row(struct tl_profile *profile, const struct tl_cost_line *line)
{
	uint64_t hash =
		tl_hash_pair(hash_position(&line->at), (uint64_t)line->function << 32 | line->part);
	uint32_t found = tl_index_find(&profile->lines.table.index, hash, same_line, profile, line);

	if (found == TL_NONE)
		found = tl_cost_table_append(&profile->lines.table, &profile->lines.list, line,
					     sizeof(*line), profile->event_count, hash);
	return found == TL_NONE ? NULL
				: profile->lines.table.cost + (size_t)found * profile->event_count;
}

bool tl_profile_line_each(struct tl_profile *profile)
{
	struct tl_cost_table *table = &profile->lines.table;
	const size_t functions = profile->functions.table.count, events = profile->event_count;

	if (!tl_grow(&profile->lines.list, &table->capacity, functions,
		     sizeof(*profile->lines.list)) ||
	    !tl_grow(&table->cost, &table->cost_capacity, functions * events, sizeof(*table->cost)))
		return false;
	if (table->count < functions)
		memset(table->cost + table->count * events, 0,
		       (functions - table->count) * events * sizeof(*table->cost));
	for (; table->count < functions; table->count++)
		profile->lines.list[table->count] = (struct tl_cost_line){
			.function = (uint32_t)table->count,
			.part = TL_NONE,
			.at.file = profile->functions.list[table->count].file,
		};
	return true;
}

int tl_profile_put_line(struct tl_profile *profile, const struct tl_cost_line *line,
			const int64_t *cost, struct tl_error *err)
{
	struct tl_cost_line key = *line;
	int64_t *row;

	if (!tl_profile_has_function(profile, line->function) ||
	    !tl_profile_has_part(profile, line->part))
		return tl_profile_bad_index(err);
	if (!intern_position(profile, &key.at))
		return tl_error_memory(err);
	row = tl_profile_line_row(profile, &key);
	if (!row)
		return tl_error_memory(err);
	tl_profile_add_costs(profile, row, cost);
	return 0;
}

static bool same_arc(const void *context, const void *key, uint32_t number)
{
	const struct tl_arc *a = &((const struct tl_profile *)context)->arcs.list[number], *b = key;

	return a->caller == b->caller && a->callee == b->callee && a->part == b->part &&
	       same_position(&a->from, &b->from) && same_position(&a->to, &b->to);
}

static uint64_t hash_arc(const struct tl_arc *arc)
{
	return tl_hash_pair(tl_hash_pair(hash_position(&arc->from), hash_position(&arc->to)),
			    tl_hash_pair((uint64_t)arc->caller << 32 | arc->callee, arc->part));
}

uint32_t tl_profile_find_arc(const struct tl_profile *profile, const struct tl_arc *arc)
{
	return tl_index_find(&profile->arcs.table.index, hash_arc(arc), same_arc, profile, arc);
}

/* Arcs that were appended without it are added to the index. False without memory. */
static bool complete_arc_index(struct tl_profile *profile)
{
	struct tl_cost_table *table = &profile->arcs.table;

	while (table->index.count < table->count) {
		const uint32_t number = (uint32_t)table->index.count;

		if (!tl_index_add(&table->index, hash_arc(&profile->arcs.list[number]), number))
			return false;
	}
	return true;
}

/* The number of an arc whose strings are interned; TL_NONE without memory. */
static uint32_t count_arc(struct tl_profile *profile, const struct tl_arc *arc)
{
	const uint64_t hash = hash_arc(arc);
	uint32_t found;

	if (!complete_arc_index(profile))
		return TL_NONE;
	found = tl_index_find(&profile->arcs.table.index, hash, same_arc, profile, arc);
	if (found == TL_NONE) {
		struct tl_arc fresh = *arc;

		fresh.calls = 0;
		found = tl_cost_table_append(&profile->arcs.table, &profile->arcs.list, &fresh,
					     sizeof(fresh), profile->event_count, hash);
	}
	if (found != TL_NONE)
		tl_add_count(&profile->arcs.list[found].calls, arc->calls,
			     &profile->losses.saturated);
	return found;
}

int64_t *tl_profile_arc_row(struct tl_profile *profile, const struct tl_arc *arc)
{
	uint32_t number = count_arc(profile, arc);

	return number == TL_NONE ? NULL
				 : profile->arcs.table.cost + (size_t)number * profile->event_count;
}

int64_t tl_profile_arc_number(struct tl_profile *profile, const struct tl_arc *arc,
			      struct tl_error *err)
{
	struct tl_arc key = *arc;
	uint32_t number;

	if (!intern_position(profile, &key.from) || !intern_position(profile, &key.to))
		return tl_error_memory(err);
	number = count_arc(profile, &key);
	return tl_profile_number(number, err);
}

int tl_profile_put_arc(struct tl_profile *profile, const struct tl_arc *arc,
		       const int64_t *inclusive, struct tl_error *err)
{
	int64_t number;

	if (!tl_profile_has_function(profile, arc->callee) ||
	    !tl_profile_has_part(profile, arc->part) ||
	    (arc->caller != TL_NONE && !tl_profile_has_function(profile, arc->caller)))
		return tl_profile_bad_index(err);
	number = tl_profile_arc_number(profile, arc, err);
	if (number < 0)
		return (int)number;
	tl_profile_add_costs(profile,
			     profile->arcs.table.cost + (size_t)number * profile->event_count,
			     inclusive);
	return 0;
}

static bool same_jump(const void *context, const void *key, uint32_t number)
{
	const struct tl_jump *a = &((const struct tl_profile *)context)->jumps.list[number],
			     *b = key;

	return a->function == b->function && a->target == b->target && a->part == b->part &&
	       a->conditional == b->conditional && same_position(&a->from, &b->from) &&
	       same_position(&a->to, &b->to);
}

int tl_profile_put_jump(struct tl_profile *profile, const struct tl_jump *jump,
			struct tl_error *err)
{
	struct tl_jump key = *jump;
	uint64_t hash;
	uint32_t found;

	if (!tl_profile_has_function(profile, jump->function) ||
	    !tl_profile_has_function(profile, jump->target) ||
	    !tl_profile_has_part(profile, jump->part))
		return tl_profile_bad_index(err);
	if (!intern_position(profile, &key.from) || !intern_position(profile, &key.to))
		return tl_error_memory(err);
	hash = tl_hash_pair(tl_hash_pair(hash_position(&key.from), hash_position(&key.to)),
			    tl_hash_pair((uint64_t)key.function << 32 | key.target,
					 key.part * 2ull + key.conditional));
	found = tl_index_find(&profile->jumps.table.index, hash, same_jump, profile, &key);
	if (found == TL_NONE) {
		key.executed = key.taken = 0;
		found = tl_cost_table_append(&profile->jumps.table, &profile->jumps.list, &key,
					     sizeof(key), 0, hash);
	}
	if (found == TL_NONE)
		return tl_error_memory(err);
	tl_add_count(&profile->jumps.list[found].executed, jump->executed,
		     &profile->losses.saturated);
	tl_add_count(&profile->jumps.list[found].taken, jump->taken, &profile->losses.saturated);
	return 0;
}
