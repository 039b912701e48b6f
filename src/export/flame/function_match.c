/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that two profiles have in common, and the columns of threads. A function of the
 * baseline is the one of the profile with the same object, file and name; else with the same name
 * (a rebuilt program may lie elsewhere), if each side has one of that name left; else a further
 * one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "export/flame/flame.h"
#include "export/profile_stacks.h"

/* ---- functions ---- */

static uint64_t hash_function(const struct tl_function *f)
{
	return tl_hash_pair(tl_hash_pair(tl_hash_bytes(f->object, strlen(f->object)),
					 tl_hash_bytes(f->file, strlen(f->file))),
			    tl_hash_bytes(f->name, strlen(f->name)));
}

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_function *have = ((const struct tl_flame *)context)->functions.all[number],
				 *wanted = key;

	return !strcmp(have->name, wanted->name) && !strcmp(have->file, wanted->file) &&
	       !strcmp(have->object, wanted->object);
}

/* Unmatched functions of one name: how many on each side, and the last of the profile. */
struct left {
	uint32_t after, before, number;
};

struct match {
	struct tl_flame *flame;
	struct tl_index index;
	struct tl_names names;
	struct left *left; /* by name */
	bool *taken;       /* by function of the profile */
};

static bool match_exactly(struct match *m)
{
	struct tl_flame *flame = m->flame;
	uint32_t count = tl_profile_function_count(flame->profile[1]);

	for (uint32_t i = 0; i < flame->functions.count; i++) {
		const struct tl_function *f = flame->functions.all[i];
		uint64_t hash = hash_function(f);

		if (tl_index_find(&m->index, hash, same_function, flame, f) == TL_NONE &&
		    !tl_index_add(&m->index, hash, i))
			return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_function *f = tl_profile_function(flame->profile[1], i);
		uint32_t found =
			tl_index_find(&m->index, hash_function(f), same_function, flame, f);

		flame->functions.of[1][i] = found;
		if (found != TL_NONE)
			m->taken[found] = true;
	}
	return true;
}

static struct left *left_of(struct match *m, const struct tl_function *f)
{
	uint32_t name = tl_names_add(&m->names, f->name, strlen(f->name));

	if (name == TL_NONE)
		return NULL;
	return &m->left[name];
}

static bool count_left(struct match *m)
{
	struct tl_flame *flame = m->flame;
	uint32_t count = tl_profile_function_count(flame->profile[1]);
	struct left *left = NULL;

	for (uint32_t i = 0; i < flame->functions.count; i++) {
		if (m->taken[i])
			continue;
		left = left_of(m, flame->functions.all[i]);
		if (!left)
			return false;
		left->after++;
		left->number = i;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (flame->functions.of[1][i] != TL_NONE)
			continue;
		left = left_of(m, tl_profile_function(flame->profile[1], i));
		if (!left)
			return false;
		left->before++;
	}
	return true;
}

static bool match_names(struct match *m)
{
	struct tl_flame *flame = m->flame;
	uint32_t count = tl_profile_function_count(flame->profile[1]);

	for (uint32_t i = 0; i < count; i++) {
		const struct tl_function *f = tl_profile_function(flame->profile[1], i);
		const struct left *left = NULL;

		if (flame->functions.of[1][i] == TL_NONE)
			left = left_of(m, f);
		if (!left)
			continue;
		if (left->after == 1 && left->before == 1) {
			flame->functions.of[1][i] = left->number;
			continue;
		}
		flame->functions.of[1][i] = flame->functions.count;
		flame->functions.all[flame->functions.count++] = f;
	}
	return true;
}

static bool match_baseline(struct tl_flame *flame)
{
	size_t functions =
		(size_t)flame->functions.count + tl_profile_function_count(flame->profile[1]);
	struct match m = { .flame = flame,
			   .left = calloc(functions + 1, sizeof(*m.left)),
			   .taken = calloc(functions + 1, sizeof(*m.taken)) };
	bool ok = m.left && m.taken && tl_names_add(&m.names, "", 0) == 0 && match_exactly(&m) &&
		  count_left(&m) && match_names(&m);

	tl_index_free(&m.index);
	tl_names_free(&m.names);
	free(m.left);
	free(m.taken);
	return ok;
}

/* The last function of an estimate stands for all paths that were too small: "(other)". */
static void map_estimate(struct tl_flame *flame, int side)
{
	uint32_t count = tl_profile_function_count(flame->profile[side]);

	flame->functions.of[side][count] = flame->functions.count + TL_FLAME_OTHER;
}

bool tl_flame_match(struct tl_flame *flame)
{
	uint32_t count = tl_profile_function_count(flame->profile[0]), more = 0;

	if (flame->profile[1])
		more = tl_profile_function_count(flame->profile[1]);
	flame->functions.all = calloc((size_t)count + more + 1, sizeof(*flame->functions.all));
	flame->functions.of[0] = calloc((size_t)count + 1, sizeof(uint32_t));
	flame->functions.of[1] = calloc((size_t)more + 1, sizeof(uint32_t));
	if (!flame->functions.all || !flame->functions.of[0] || !flame->functions.of[1])
		return false;
	for (uint32_t i = 0; i < count; i++) {
		flame->functions.all[i] = tl_profile_function(flame->profile[0], i);
		flame->functions.of[0][i] = i;
	}
	flame->functions.count = count;
	if (flame->profile[1] && !match_baseline(flame))
		return false;
	map_estimate(flame, 0);
	if (flame->profile[1])
		map_estimate(flame, 1);
	return true;
}

/* ---- columns ---- */

/* The parts with the greatest cost have a column each, in the order of parts. */
static int compare_parts(const void *a, const void *b, void *costs)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t *cost = costs;

	if (cost[x] != cost[y])
		return tl_compare(cost[y], cost[x]);
	return tl_compare(x, y);
}

static uint64_t magnitude(int64_t cost)
{
	if (cost < 0)
		return -(uint64_t)cost;
	return (uint64_t)cost;
}

/* The cost of each part in the first event, summed over its contexts. */
static void sum_parts(const struct tl_flame *flame, uint64_t *costs, uint32_t parts)
{
	const struct tl_profile *profile = flame->contexts[0];
	uint32_t contexts = tl_profile_context_count(profile);

	for (uint32_t i = 0; i < contexts && flame->event_count; i++) {
		uint32_t part = tl_profile_context(profile, i)->part;

		if (part < parts)
			costs[part] +=
				magnitude(tl_profile_context_self(profile, i)[flame->events[0][0]]);
	}
}

static bool choose_columns(struct tl_flame *flame, uint32_t parts)
{
	uint64_t *costs = calloc((size_t)parts + 1, sizeof(*costs));
	uint32_t *order = calloc((size_t)parts + 1, sizeof(*order));
	uint32_t own = TL_FLAME_MOST_COLUMNS - 1, column = 0;

	if (costs && order) {
		sum_parts(flame, costs, parts);
		for (uint32_t i = 0; i < parts; i++)
			order[i] = i;
		qsort_r(order, parts, sizeof(*order), compare_parts, costs);
		for (uint32_t i = 0; i < parts; i++)
			flame->columns.of_part[order[i]] = i < own ? 0 : own;
		for (uint32_t i = 0; i < parts; i++) {
			if (flame->columns.of_part[i] == own)
				continue;
			flame->columns.part_of[column] = i;
			flame->columns.of_part[i] = column++;
		}
		flame->columns.count = TL_FLAME_MOST_COLUMNS;
		flame->columns.last_shared = true;
	}
	free(costs);
	free(order);
	return costs && order;
}

bool tl_flame_assign_columns(struct tl_flame *flame)
{
	uint32_t parts = tl_profile_part_count(flame->contexts[0]);

	flame->columns.of_part = calloc((size_t)parts + 1, sizeof(*flame->columns.of_part));
	flame->columns.part_of = calloc(TL_FLAME_MOST_COLUMNS, sizeof(*flame->columns.part_of));
	if (!flame->columns.of_part || !flame->columns.part_of)
		return false;
	if (flame->profile[1] || parts < 2) {
		flame->columns.count = 1 + (flame->profile[1] != NULL);
		return true;
	}
	if (parts > TL_FLAME_MOST_COLUMNS)
		return choose_columns(flame, parts);
	for (uint32_t i = 0; i < parts; i++)
		flame->columns.of_part[i] = flame->columns.part_of[i] = i;
	flame->columns.count = parts;
	return true;
}

/* Parts of the same thread have the same title; their numbers are then added. */
static void part_title(const struct tl_flame *flame, uint32_t column, char *title, size_t size)
{
	const struct tl_profile *profile = flame->profile[0];
	uint32_t part = flame->columns.part_of[column],
		 columns = flame->columns.count - flame->columns.last_shared;
	uint64_t number = tl_profile_part(profile, part)->number;
	char other[256];

	if (!number)
		number = (uint64_t)part + 1;
	tl_part_title(profile, part, title, size);
	for (uint32_t i = 0; i < columns; i++) {
		tl_part_title(profile, flame->columns.part_of[i], other, sizeof(other));
		if (i != column && !strcmp(title, other)) {
			size_t length = strlen(title);

			snprintf(title + length, size - length, ", part %llu",
				 (unsigned long long)number);
			return;
		}
	}
}

void tl_flame_column_title(const struct tl_flame *flame, uint32_t column, char *title, size_t size)
{
	static const char *const sides[] = { "after", "before" };
	const char *text = NULL;

	if (flame->profile[1])
		text = sides[column];
	else if (flame->columns.count < 2)
		text = "all";
	else if (flame->columns.last_shared && column == flame->columns.count - 1)
		text = "all other threads";
	if (!text) {
		part_title(flame, column, title, size);
		return;
	}
	strncpy(title, text, size - 1);
	title[size - 1] = '\0';
}
