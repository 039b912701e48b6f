/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing a profile; its events, parts and names. Sums are derived in profile/derive. */
#include "profile/model/model.h"

#include <string.h>

#include "core/error.h"
#include "core/text/optional.h"

const char *tl_profile_text(struct tl_profile *profile, const char *text)
{
	return tl_names_text(&profile->names, tl_text_or_empty(text));
}

int64_t tl_profile_number(uint32_t number, struct tl_error *err)
{
	if (number == TL_NONE)
		return tl_error_memory(err);
	return (int64_t)number;
}

static bool copy_event(struct tl_profile *profile, struct tl_event *event,
		       const struct tl_event *from)
{
	event->name = tl_profile_text(profile, from->name);
	event->long_name = tl_profile_text(profile, from->long_name);
	event->unit = tl_profile_text(profile, from->unit);
	event->formula = tl_profile_text(profile, from->formula);
	return event->name && event->long_name && event->unit && event->formula;
}

int tl_profile_make(struct tl_profile **profile, const char *format, const struct tl_event *events,
		    uint32_t event_count, uint64_t frequency, struct tl_error *err)
{
	struct tl_profile *made = calloc(1, sizeof(*made));
	bool ok = made != NULL;

	*profile = NULL;
	if (!event_count) {
		free(made);
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a profile needs an event");
	}
	if (ok) {
		made->format = format ? tl_names_text(&made->names, format) : "";
		made->frequency = frequency;
		made->events = calloc(event_count, sizeof(*made->events));
		made->sums.total = calloc(event_count, sizeof(*made->sums.total));
		made->sums.zeros = calloc(event_count, sizeof(*made->sums.zeros));
		made->event_count = event_count;
		ok = made->format && made->events && made->sums.total && made->sums.zeros;
	}
	for (uint32_t i = 0; ok && i < event_count; i++)
		ok = copy_event(made, &made->events[i], &events[i]);
	if (!ok) {
		tl_profile_free(made);
		return tl_error_memory(err);
	}
	*profile = made;
	return 0;
}

bool tl_profile_has_ticks(const struct tl_profile *profile)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		if (!strcmp(profile->events[e].unit, "ticks"))
			return true;
	return false;
}

void tl_profile_set_call_count(struct tl_profile *profile, enum tl_call_count count)
{
	profile->call_count = count;
}

static bool widen_vector(int64_t **vector, uint32_t events)
{
	int64_t *wider = realloc(*vector, ((size_t)events + 1) * sizeof(*wider));

	if (!wider)
		return false;
	wider[events] = 0;
	*vector = wider;
	return true;
}

int64_t tl_profile_add_event(struct tl_profile *profile, const struct tl_event *event,
			     struct tl_error *err)
{
	uint32_t count = profile->event_count;
	struct tl_event *events;

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(profile->events[i].name, event->name))
			return i;
	events = count < TL_NONE - 1
			 ? realloc(profile->events, ((size_t)count + 1) * sizeof(*events))
			 : NULL;
	if (!events)
		return tl_error_memory(err);
	profile->events = events;
	/* Tables that were widened before a failure only have rows that are longer than need be:
	 * the profile is dropped. */
	if (!copy_event(profile, &events[count], event) ||
	    !widen_vector(&profile->sums.total, count) ||
	    !widen_vector(&profile->sums.zeros, count) ||
	    !tl_cost_table_widen(&profile->lines.table, count) ||
	    !tl_cost_table_widen(&profile->arcs.table, count) ||
	    !tl_cost_table_widen(&profile->contexts.table, count) ||
	    !tl_cost_table_widen(&profile->part_functions.table, count))
		return tl_error_memory(err);
	profile->event_count++;
	return count;
}

int64_t tl_profile_put_part(struct tl_profile *profile, const struct tl_part *part,
			    struct tl_error *err)
{
	struct tl_part copy = *part;

	copy.command = tl_profile_text(profile, part->command);
	copy.header = tl_profile_text(profile, part->header);
	if (!copy.command || !copy.header || profile->parts.count >= TL_NONE ||
	    !tl_grow(&profile->parts.list, &profile->parts.capacity, profile->parts.count + 1,
		     sizeof(*profile->parts.list)))
		return tl_error_memory(err);
	profile->parts.list[profile->parts.count] = copy;
	return (int64_t)profile->parts.count++;
}

const char *tl_profile_intern(struct tl_profile *profile, const char *text, size_t size)
{
	uint32_t number = tl_names_add(&profile->names, text, size);

	return number == TL_NONE ? NULL : profile->names.names[number].text;
}

bool tl_profile_take_names(struct tl_profile *profile, struct tl_names *names)
{
	struct tl_names old = profile->names;
	bool ok = true;

	profile->names = *names;
	*names = (struct tl_names){ 0 };
	for (uint32_t i = 0; ok && i < profile->event_count; i++)
		ok = copy_event(profile, &profile->events[i], &profile->events[i]);
	profile->format = ok ? tl_names_text(&profile->names, profile->format) : "";
	ok = ok && profile->format;
	tl_names_free(&old);
	return ok;
}

bool tl_profile_add_note(struct tl_profile *profile, const struct tl_profile_note *note)
{
	struct tl_profile_notes *notes = &profile->notes;
	struct tl_profile_note copy = *note;

	if (notes->count >= TL_PROFILE_NOTES)
		return true;
	copy.text = tl_names_text(&profile->names, tl_text_or_empty(note->text));
	copy.format = tl_names_text(&profile->names, tl_text_or_empty(note->format));
	if (!copy.text || !copy.format ||
	    !tl_grow(&notes->list, &notes->capacity, notes->count + 1, sizeof(copy)))
		return false;
	notes->list[notes->count++] = copy;
	return true;
}

int tl_profile_bad_index(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "no function, context or part has this number");
}

void tl_losses_add(struct tl_losses *a, const struct tl_losses *b)
{
	a->orphan_exits += b->orphan_exits;
	a->deduced_exits += b->deduced_exits;
	a->unfinished += b->unfinished;
	a->time_reversals += b->time_reversals;
	a->gaps += b->gaps;
	a->skipped_bytes += b->skipped_bytes;
	a->skipped_records += b->skipped_records;
	a->saturated += b->saturated;
	a->left_calls += b->left_calls;
	a->gap_ends += b->gap_ends;
	a->bridged += b->bridged;
	a->uncertain += b->uncertain;
}

void tl_profile_free(struct tl_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->durations.capacity; i++)
		tl_latency_free(&profile->durations.list[i]);
	for (size_t i = 0; i < profile->part_functions.table.count; i++)
		tl_latency_free(&profile->part_functions.list[i].latency);
	if (profile->sums.self == profile->lines.table.cost)
		profile->sums.self = NULL;
	tl_cost_table_free(&profile->functions.table);
	tl_cost_table_free(&profile->contexts.table);
	tl_cost_table_free(&profile->lines.table);
	tl_cost_table_free(&profile->arcs.table);
	tl_cost_table_free(&profile->jumps.table);
	tl_cost_table_free(&profile->part_functions.table);
	void *const owned[] = {
		profile->events,
		profile->parts.list,
		profile->functions.list,
		profile->contexts.list,
		profile->contexts.inclusive,
		profile->lines.list,
		profile->arcs.list,
		profile->jumps.list,
		profile->sums.total,
		profile->sums.zeros,
		profile->sums.self,
		profile->sums.inclusive,
		profile->sums.calls,
		profile->sums.unfinished,
		profile->sums.cut,
		profile->part_functions.list,
		profile->part_functions.inclusive,
		profile->durations.list,
		profile->functions.chosen,
		profile->notes.list,
	};
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		free(owned[i]);
	tl_pack_free(profile->pack);
	tl_names_free(&profile->names);
	free(profile);
}
