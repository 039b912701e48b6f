/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/events.h"

#include <stdio.h>

#include "core/error.h"
#include "profile/model/model.h"

/* Units of ours for those that pprof calls otherwise (export/profile/pprof.c has the way back). */
static char *unit_of(struct tl_pprof_text unit)
{
	if (tl_pprof_text_is(unit, "nanoseconds"))
		return strdup("ns");
	if (tl_pprof_text_is(unit, "count"))
		return strdup("");
	return strndup(unit.text, unit.size);
}

static bool is_taken(const struct tl_event *list, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return true;
	return false;
}

/* A name that no other event has: with its unit, then with its number where that is needed. */
static char *name_of(const struct tl_pprof_file *p, size_t type, const struct tl_event *list,
		     uint32_t count)
{
	struct tl_pprof_text name = tl_pprof_string(p, p->types[type].name);
	const struct tl_pprof_text unit = tl_pprof_string(p, p->types[type].unit);
	char *made;

	if (!name.size)
		name = (struct tl_pprof_text){ "value", 5 };
	made = strndup(name.text, name.size);
	if (!made || !is_taken(list, count, made))
		return made;
	free(made);
	if (asprintf(&made, "%.*s/%.*s", (int)name.size, name.text, (int)unit.size, unit.text) < 0)
		return NULL;
	if (unit.size && !is_taken(list, count, made))
		return made;
	free(made);
	return asprintf(&made, "%.*s#%zu", (int)name.size, name.text, type + 1) < 0 ? NULL : made;
}

static bool is_calls(const struct tl_pprof_file *p, size_t type)
{
	return type == 0 && p->type_count > 1 &&
	       tl_pprof_text_is(tl_pprof_string(p, p->types[0].name), "calls") &&
	       tl_pprof_text_is(tl_pprof_string(p, p->types[0].unit), "count");
}

static bool take_type(struct tl_pprof_events *events, const struct tl_pprof_file *p, size_t type,
		      struct tl_event *list)
{
	struct tl_event *event = &list[events->count];

	if (is_calls(p, type)) {
		events->columns[type] = TL_PPROF_CALLS;
		events->has_calls = true;
		return true;
	}
	event->name = name_of(p, type, list, events->count);
	event->unit = unit_of(tl_pprof_string(p, p->types[type].unit));
	event->long_name = event->formula = "";
	events->columns[type] = events->count++;
	return event->name && event->unit;
}

/* The type that pprof shows: the one that the profile says, else the last one. */
static size_t default_type(const struct tl_pprof_file *p)
{
	const struct tl_pprof_text wanted = tl_pprof_string(p, p->header.default_type);

	for (size_t i = 0; wanted.size && i < p->type_count; i++) {
		const struct tl_pprof_text name = tl_pprof_string(p, p->types[i].name);

		if (name.size == wanted.size && !memcmp(name.text, wanted.text, name.size))
			return i;
	}
	return p->type_count - 1;
}

static bool take_types(struct tl_pprof_events *events, const struct tl_pprof_file *p,
		       struct tl_event *list)
{
	const size_t first = default_type(p);
	bool taken = take_type(events, p, first, list);

	for (size_t i = 0; taken && i < p->type_count; i++)
		if (i != first)
			taken = take_type(events, p, i, list);
	return taken;
}

int tl_pprof_events_make(struct tl_pprof_events *events, const struct tl_pprof_file *p,
			 struct tl_profile **profile, struct tl_error *err)
{
	struct tl_event *list = tl_zeroed(p->type_count, sizeof(*list));
	int status;

	*events = (struct tl_pprof_events){ .columns = tl_zeroed(p->type_count, sizeof(uint32_t)) };
	status = list && events->columns && take_types(events, p, list)
			 ? tl_profile_make(profile, "pprof", list, events->count, 1000000000, err)
			 : tl_error_memory(err);
	for (size_t i = 0; list && i < p->type_count; i++) {
		free((char *)list[i].name);
		free((char *)list[i].unit);
	}
	free(list);
	if (status == 0)
		tl_profile_set_call_count(*profile,
					  events->has_calls ? TL_CALLS_GIVEN : TL_CALLS_NONE);
	return status;
}

void tl_pprof_events_free(struct tl_pprof_events *events)
{
	free(events->columns);
	events->columns = NULL;
}
