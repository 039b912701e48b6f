/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several profiles become one. The result does not depend on the order in which profiles are
 * merged, or on how they are grouped: equal elements become one element, and all elements are
 * sorted by names and positions alone. So merge(A, merge(B, C)), merge(merge(A, B), C) and
 * merge(C, A, B) give the same bytes in every export.
 *
 * Events are equal if their names are; functions if object, file and name are; parts if process,
 * thread, number, command and header are; lines, arcs, jumps and contexts if the functions, parts
 * and positions that they refer to are. Contexts are kept if every profile with costs has
 * contexts, since a profile of sums has no call tree that could be added to that of the others.
 * Only saturated sums depend on the order, as costs may be negative; these sums are counted.
 */
#include "profile/merge/merge.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"

/* ---- profiles that can be merged ---- */

int tl_merge_refuse_clock(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "the profiles count ticks of different clocks, which have no exact "
			   "sum; --nanoseconds makes nanoseconds of them");
}

/* Ticks of different clocks have no exact sum, and a rounded one would depend on the order. */
static int common_clock(const struct tl_merge *merge, uint64_t *frequency, struct tl_error *err)
{
	const struct tl_profile *first = NULL;

	*frequency = 0;
	for (size_t p = 0; p < merge->count; p++) {
		if (!tl_profile_has_ticks(merge->from[p]))
			continue;
		if (first && first->frequency != merge->from[p]->frequency)
			return tl_merge_refuse_clock(err);
		first = merge->from[p];
		*frequency = first->frequency;
	}
	return 0;
}

static int check(const struct tl_merge *merge, struct tl_error *err)
{
	if (!merge->count || merge->count >= TL_NONE)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "nothing to merge");
	for (size_t p = 0; p < merge->count; p++)
		if (!merge->from[p]->finished)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "a profile that is merged must be finished");
	return 0;
}

/* ---- the whole ---- */

/* The common format of all profiles, else "mixed". */
static const char *common_format(const struct tl_merge *merge)
{
	const char *format = tl_profile_format(merge->from[0]);

	for (size_t p = 1; p < merge->count; p++)
		if (strcmp(format, tl_profile_format(merge->from[p])) != 0)
			return "mixed";
	return format;
}

static enum tl_call_count common_call_count(const struct tl_merge *merge)
{
	enum tl_call_count count = merge->from[0]->call_count;

	for (size_t p = 1; p < merge->count; p++)
		if (merge->from[p]->call_count != count)
			return TL_CALLS_ENDED;
	return count;
}

/*
 * Durations of the result are exact if those of every profile that has durations are. False without
 * memory.
 */
static bool set_whole(struct tl_merge *merge)
{
	struct tl_profile *to = merge->to;

	to->timed = to->durations.exact = true;
	for (size_t p = 0; p < merge->count; p++) {
		const struct tl_profile *from = merge->from[p];

		to->timed = to->timed && from->timed;
		to->emulated = to->emulated || from->emulated;
		to->durations.exact =
			to->durations.exact && (from->durations.exact || !from->durations.capacity);
		tl_losses_add(&to->losses, &from->losses);
	}
	to->format = tl_names_text(&to->names, common_format(merge));
	to->call_count = common_call_count(merge);
	return to->format;
}

static int compare_notes(const void *a, const void *b)
{
	const struct tl_profile_note *x = a, *y = b;
	int order = strcmp(x->format, y->format);

	if (!order)
		order = tl_compare(x->offset, y->offset);
	if (!order)
		order = tl_compare(x->record, y->record);
	if (!order)
		order = tl_compare(x->length, y->length);
	if (!order)
		order = x->status - y->status;
	return order ? order : strcmp(x->text, y->text);
}

/* The first ones of all in an order that does not depend on that of the profiles. */
static int merge_notes(struct tl_merge *merge, struct tl_error *err)
{
	size_t count = 0;
	struct tl_profile_note *notes;
	bool ok = true;

	for (size_t p = 0; p < merge->count; p++)
		count += merge->from[p]->notes.count;
	notes = malloc((count + 1) * sizeof(*notes));
	if (!notes)
		return tl_error_memory(err);
	count = 0;
	for (size_t p = 0; p < merge->count; p++)
		for (size_t i = 0; i < merge->from[p]->notes.count; i++)
			notes[count++] = merge->from[p]->notes.list[i];
	qsort(notes, count, sizeof(*notes), compare_notes);
	for (size_t i = 0; ok && i < count; i++)
		ok = tl_profile_add_note(merge->to, &notes[i]);
	free(notes);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

static bool keeps_contexts(const struct tl_merge *merge)
{
	for (size_t p = 0; p < merge->count; p++) {
		const struct tl_profile *from = merge->from[p];

		if (!from->contexts.table.count &&
		    (from->lines.table.count || from->arcs.table.count))
			return false;
	}
	return true;
}

/*
 * `parts`: also the durations of functions in one part, which a result without contexts does not
 * keep.
 */
static int merge_latencies(struct tl_merge *merge, bool parts, struct tl_error *err)
{
	for (size_t p = 0; p < merge->count; p++) {
		const struct tl_profile *from = merge->from[p];

		for (uint32_t f = 0;
		     f < from->functions.table.count && f < from->durations.capacity; f++)
			if (from->durations.list[f].calls &&
			    !tl_profile_add_latency(merge->to, merge->maps[p].functions[f], TL_NONE,
						    &from->durations.list[f]))
				return tl_error_memory(err);
		for (size_t i = 0; parts && i < from->part_functions.table.count; i++) {
			const struct tl_part_function *local = &from->part_functions.list[i];
			uint32_t number = tl_profile_part_function(
				merge->to, merge->maps[p].functions[local->function],
				tl_profile_renumber(merge->maps[p].parts, local->part));

			if (number == TL_NONE ||
			    !tl_latency_merge(&merge->to->part_functions.list[number].latency,
					      &local->latency, merge->to->durations.exact))
				return tl_error_memory(err);
		}
	}
	return 0;
}

static int merge_all(struct tl_merge *merge, struct tl_error *err)
{
	static int (*const steps[])(struct tl_merge *merge, struct tl_error *err) = {
		tl_merge_functions, tl_merge_parts, tl_merge_lines, tl_merge_arcs, tl_merge_jumps,
	};
	bool contexts = keeps_contexts(merge);
	int status = tl_merge_events(merge, err);

	if (status < 0)
		return status;
	status = common_clock(merge, &merge->to->frequency, err);
	if (status == 0 && !set_whole(merge))
		status = tl_error_memory(err);
	if (status == 0)
		status = merge_notes(merge, err);
	for (size_t i = 0; status == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		status = steps[i](merge, err);
	if (status == 0 && contexts)
		status = tl_merge_contexts(merge, err);
	if (status == 0)
		status = merge_latencies(merge, contexts, err);
	if (status != 0)
		return status;
	return tl_profile_finish(merge->to, err);
}

void tl_merge_map_free(struct tl_merge_map *map)
{
	free(map->events);
	free(map->functions);
	free(map->parts);
}

void tl_merge_maps_free(struct tl_merge_map *maps, size_t count)
{
	for (size_t p = 0; maps && p < count; p++)
		tl_merge_map_free(&maps[p]);
	free(maps);
}

static void free_maps(struct tl_merge *merge)
{
	tl_merge_maps_free(merge->maps, merge->count);
	free(merge->row);
}

static int merge_checked(struct tl_merge *merge, struct tl_error *err)
{
	int status = check(merge, err);

	if (status < 0)
		return status;
	merge->maps = calloc(merge->count, sizeof(*merge->maps));
	status = merge->maps ? merge_all(merge, err) : tl_error_memory(err);
	if (status < 0) {
		tl_profile_free(merge->to);
		merge->to = NULL;
	}
	return status;
}

int tl_profile_merge(struct tl_profile **merged, const struct tl_profile *const *profiles,
		     size_t count, struct tl_error *err)
{
	struct tl_merge merge = { .from = profiles, .count = count };
	int status = merge_checked(&merge, err);

	free_maps(&merge);
	*merged = merge.to;
	return status;
}

int tl_merge_identities(struct tl_profile **merged, const struct tl_profile *const *profiles,
			size_t count, struct tl_merge_map **maps, struct tl_error *err)
{
	struct tl_merge merge = { .from = profiles, .count = count };
	int status = merge_checked(&merge, err);

	*maps = NULL;
	if (status == 0) {
		*maps = merge.maps;
		merge.maps = NULL;
	}
	free_maps(&merge);
	*merged = merge.to;
	return status;
}

int tl_merge_packed(struct tl_profile **merged, const struct tl_profile *profile,
		    struct tl_merge_map *map, struct tl_error *err)
{
	struct tl_merge_map *maps;
	int status = tl_merge_identities(merged, &profile, 1, &maps, err);

	*map = status == 0 ? maps[0] : (struct tl_merge_map){ NULL, NULL, NULL };
	free(maps);
	return status;
}
