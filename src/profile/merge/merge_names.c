/* SPDX-License-Identifier: Apache-2.0 */
/* Identities in a merged profile: events, functions, parts. */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/merge/merge.h"
#include "profile/model/unsized.h"

static uint32_t *new_map(size_t count)
{
	return malloc((count + 1) * sizeof(uint32_t));
}

/* ---- events ---- */

static const struct tl_event *event_of(const struct tl_merge *merge, const struct tl_merge_ref *ref)
{
	return &merge->from[ref->profile]->events[ref->number];
}

static int compare_events(const void *a, const void *b, void *context)
{
	return strcmp(event_of(context, a)->name, event_of(context, b)->name);
}

/*
 * Where profiles describe one event differently, the text that sorts last is taken: the choice does
 * not depend on the order of the profiles.
 */
static void take_text(const char **into, const char *text)
{
	if (strcmp(*into, text) < 0)
		*into = text;
}

/* Distinct events by name into `events`, each profile's numbers into its map. */
static int unite_events(struct tl_merge *merge, const struct tl_merge_ref *refs, size_t total,
			struct tl_event *events, uint32_t *count, struct tl_error *err)
{
	*count = 0;
	for (size_t i = 0; i < total; i++) {
		const struct tl_event *event = event_of(merge, &refs[i]);
		struct tl_event *last = *count ? &events[*count - 1] : NULL;

		if (!last || strcmp(last->name, event->name) != 0) {
			events[(*count)++] = *event;
		} else if (strcmp(last->formula, event->formula) != 0) {
			return tl_error_at(
				err, TL_BAD_USAGE, TL_NOWHERE,
				"an event has different formulas in two of the profiles");
		} else {
			take_text(&last->long_name, event->long_name);
			take_text(&last->unit, event->unit);
		}
		merge->maps[refs[i].profile].events[refs[i].number] = *count - 1;
	}
	return 0;
}

static bool same_events(const struct tl_profile *a, const struct tl_profile *b)
{
	if (a->event_count != b->event_count)
		return false;
	for (uint32_t e = 0; e < a->event_count; e++)
		if (strcmp(a->events[e].name, b->events[e].name) != 0)
			return false;
	return true;
}

static bool all_the_same(const struct tl_merge *merge)
{
	for (size_t p = 1; p < merge->count; p++)
		if (!same_events(merge->from[0], merge->from[p]))
			return false;
	return true;
}

/*
 * The order people know: time first, then as Callgrind's simulator counts; events of other names
 * follow by name. It is decided by the event alone.
 */
static unsigned rank(const struct tl_event *event)
{
	static const char *const known[] = {
		"Ticks", "Ir",   "Dr",   "Dw", "I1mr", "D1mr", "D1mw",
		"ILmr",  "DLmr", "DLmw", "Bc", "Bcm",  "Bi",   "Bim",
	};
	unsigned i = 0;

	if (!strcmp(event->unit, "ticks"))
		return 0;
	while (i < sizeof(known) / sizeof(known[0]) && strcmp(known[i], event->name) != 0)
		i++;
	return i;
}

static int compare_known(const void *a, const void *b, void *context)
{
	const struct tl_event *events = context;
	const struct tl_event *x = &events[*(const uint32_t *)a],
			      *y = &events[*(const uint32_t *)b];
	int order = tl_compare(rank(x), rank(y));

	if (!order)
		order = strcmp(x->name, y->name);
	return order;
}

/* The order of all profiles, where they agree on one; fill `order` with numbers of united events.
 */
static void order_events(const struct tl_merge *merge, struct tl_event *events, uint32_t count,
			 uint32_t *order)
{
	const struct tl_profile *first = merge->from[0];

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (all_the_same(merge) && first->event_count == count)
		for (uint32_t e = 0; e < count; e++)
			order[e] = merge->maps[0].events[e];
	else
		qsort_r(order, count, sizeof(*order), compare_known, events);
}

/* `events` in `order` are those of the merged profile; the maps follow. */
static int make_profile(struct tl_merge *merge, const struct tl_event *events,
			const uint32_t *order, uint32_t count, struct tl_error *err)
{
	struct tl_event *sorted = malloc(count * sizeof(*sorted));
	uint32_t *place = new_map(count);
	int status = tl_error_unless_made(sorted && place, err);

	for (uint32_t i = 0; status == 0 && i < count; i++) {
		sorted[i] = events[order[i]];
		place[order[i]] = i;
	}
	for (size_t p = 0; status == 0 && p < merge->count; p++)
		for (uint32_t e = 0; e < merge->from[p]->event_count; e++)
			merge->maps[p].events[e] = place[merge->maps[p].events[e]];
	if (status == 0)
		status = tl_profile_make(&merge->to, "", sorted, count, 0, err);
	free(sorted);
	free(place);
	return status;
}

int tl_merge_events(struct tl_merge *merge, struct tl_error *err)
{
	size_t total;
	struct tl_merge_ref *refs =
		tl_merge_sorted(merge, tl_profile_event_count, compare_events, &total);
	struct tl_event *events = malloc((total + 1) * sizeof(*events));
	uint32_t *order = new_map(total), count = 0;
	bool room = refs && events && order;
	int status;

	for (size_t p = 0; p < merge->count; p++) {
		merge->maps[p].events = new_map(merge->from[p]->event_count);
		room = room && merge->maps[p].events;
	}
	status =
		room ? unite_events(merge, refs, total, events, &count, err) : tl_error_memory(err);
	if (status == 0) {
		order_events(merge, events, count, order);
		merge->row = malloc(count * sizeof(*merge->row));
		status = merge->row ? make_profile(merge, events, order, count, err)
				    : tl_error_memory(err);
	}
	free(refs);
	free(events);
	free(order);
	return status;
}

/* ---- functions ---- */

static const struct tl_function *function_of(const struct tl_merge *merge,
					     const struct tl_merge_ref *ref)
{
	return &merge->from[ref->profile]->functions.list[ref->number];
}

static int by_names(const struct tl_function *x, const struct tl_function *y)
{
	int order = strcmp(x->object, y->object);

	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = strcmp(x->name, y->name);
	return order;
}

static int compare_functions(const void *a, const void *b, void *context)
{
	return by_names(function_of(context, a), function_of(context, b));
}

/* An address or line that only some profiles know: the least one that is not 0 ("unknown"). */
void tl_merge_take_entry(struct tl_function *into, const struct tl_function *from)
{
	if (from->line && (!into->line || from->line < into->line))
		into->line = from->line;
	if (from->address && (!into->address || from->address < into->address))
		into->address = from->address;
	if (from->id < into->id)
		into->id = from->id;
}

/* Functions refs[at] ... refs[end - 1] are one. */
static int unite_functions(struct tl_merge *merge, const struct tl_merge_ref *refs, size_t at,
			   size_t end, struct tl_error *err)
{
	struct tl_function function = *function_of(merge, &refs[at]);
	int64_t number;

	for (size_t i = at + 1; i < end; i++)
		tl_merge_take_entry(&function, function_of(merge, &refs[i]));
	number = tl_profile_put_function(merge->to, &function, err);
	for (size_t i = at; number >= 0 && i < end; i++)
		merge->maps[refs[i].profile].functions[refs[i].number] = (uint32_t)number;
	return tl_profile_status(number);
}

/* Pass each run of elements that compare as equal to `unite`. */
static int each_run(struct tl_merge *merge, const struct tl_merge_ref *refs, size_t total,
		    tl_merge_compare_fn *compare,
		    int (*unite)(struct tl_merge *merge, const struct tl_merge_ref *refs, size_t at,
				 size_t end, struct tl_error *err),
		    struct tl_error *err)
{
	int status = 0;

	for (size_t at = 0, end; status == 0 && at < total; at = end) {
		for (end = at + 1; end < total && compare(&refs[at], &refs[end], merge) == 0; end++)
			;
		status = unite(merge, refs, at, end, err);
	}
	return status;
}

int tl_merge_functions(struct tl_merge *merge, struct tl_error *err)
{
	size_t total;
	struct tl_merge_ref *refs =
		tl_merge_sorted(merge, tl_profile_function_count, compare_functions, &total);
	bool room = refs != NULL;
	int status;

	for (size_t p = 0; p < merge->count; p++) {
		merge->maps[p].functions = new_map(merge->from[p]->functions.table.count);
		room = room && merge->maps[p].functions;
	}
	status = room ? each_run(merge, refs, total, compare_functions, unite_functions, err)
		      : tl_error_memory(err);
	free(refs);
	return status;
}

/* ---- parts ---- */

static const struct tl_part *part_of(const struct tl_merge *merge, const struct tl_merge_ref *ref)
{
	return &merge->from[ref->profile]->parts.list[ref->number];
}

static int compare_parts(const void *a, const void *b, void *context)
{
	const struct tl_part *x = part_of(context, a), *y = part_of(context, b);
	int order = tl_compare(x->process, y->process);

	if (!order)
		order = tl_compare(x->number, y->number);
	if (!order)
		order = tl_compare(x->thread, y->thread);
	if (!order)
		order = strcmp(x->command, y->command);
	if (!order)
		order = strcmp(x->header, y->header);
	return order;
}

static void take_part(struct tl_part *into, const struct tl_part *from)
{
	bool timed = from->first_ticks || from->last_ticks;

	if (timed &&
	    ((!into->first_ticks && !into->last_ticks) || from->first_ticks < into->first_ticks))
		into->first_ticks = from->first_ticks;
	if (timed && from->last_ticks > into->last_ticks)
		into->last_ticks = from->last_ticks;
	into->records += from->records;
	tl_losses_add(&into->losses, &from->losses);
}

static int unite_parts(struct tl_merge *merge, const struct tl_merge_ref *refs, size_t at,
		       size_t end, struct tl_error *err)
{
	struct tl_part part = *part_of(merge, &refs[at]);
	int64_t number;

	for (size_t i = at + 1; i < end; i++)
		take_part(&part, part_of(merge, &refs[i]));
	number = tl_profile_put_part(merge->to, &part, err);
	for (size_t i = at; number >= 0 && i < end; i++)
		merge->maps[refs[i].profile].parts[refs[i].number] = (uint32_t)number;
	return tl_profile_status(number);
}

int tl_merge_parts(struct tl_merge *merge, struct tl_error *err)
{
	size_t total;
	struct tl_merge_ref *refs =
		tl_merge_sorted(merge, tl_profile_part_count, compare_parts, &total);
	bool room = refs != NULL;
	int status;

	for (size_t p = 0; p < merge->count; p++) {
		merge->maps[p].parts = new_map(merge->from[p]->parts.count);
		room = room && merge->maps[p].parts;
	}
	status = room ? each_run(merge, refs, total, compare_parts, unite_parts, err)
		      : tl_error_memory(err);
	free(refs);
	return status;
}
