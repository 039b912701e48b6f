/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/stacks.h"

#include <string.h>

#include <tracelathe/core.h>

enum { MOST_PLACES = 9 };

bool tl_foreign_stacks_begin(struct tl_foreign_stacks *s)
{
	*s = (struct tl_foreign_stacks){ .frames = NULL };
	return tl_path_tree_begin(&s->tree) && tl_names_add(&s->names, "", 0) != TL_NONE;
}

void tl_foreign_stacks_free(struct tl_foreign_stacks *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		free(s->events[i].costs);
	free(s->events);
	free(s->frames);
	free(s->parts);
	free(s->named);
	tl_path_tree_free(&s->tree);
	tl_index_free(&s->frame_index);
	tl_index_free(&s->part_index);
	tl_names_free(&s->names);
	*s = (struct tl_foreign_stacks){ .frames = NULL };
}

/* ---- frames ---- */

static bool same_frame(const void *context, const void *key, uint32_t number)
{
	const struct tl_foreign_frame *frames = context, *wanted = key, *have = &frames[number];

	return have->name == wanted->name && have->object == wanted->object &&
	       have->file == wanted->file && have->line == wanted->line;
}

uint32_t tl_foreign_stacks_frame(struct tl_foreign_stacks *s, const struct tl_foreign_frame *frame)
{
	const uint64_t hash = tl_hash_pair((uint64_t)frame->name << 32 | frame->object,
					   (uint64_t)frame->file << 32 | frame->line);
	uint32_t number = tl_index_find(&s->frame_index, hash, same_frame, s->frames, frame);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)s->frame_count;
	if (number == TL_NONE ||
	    !tl_grow(&s->frames, &s->frame_capacity, s->frame_count + 1, sizeof(*s->frames)) ||
	    !tl_index_add(&s->frame_index, hash, number))
		return TL_NONE;
	s->frames[s->frame_count++] = *frame;
	return number;
}

/* Room for the frame of a name. */
static bool room_for_named(struct tl_foreign_stacks *s, uint32_t name)
{
	const size_t before = s->named_capacity;

	if (!tl_grow(&s->named, &s->named_capacity, (size_t)name + 1, sizeof(*s->named)))
		return false;
	memset(s->named + before, 0, (s->named_capacity - before) * sizeof(*s->named));
	return true;
}

uint32_t tl_foreign_stacks_of_name(struct tl_foreign_stacks *s, uint32_t name)
{
	const struct tl_foreign_frame frame = { .name = name };
	uint32_t number;

	if (name >= s->named_capacity && !room_for_named(s, name))
		return TL_NONE;
	if (s->named[name])
		return s->named[name] - 1;
	number = tl_foreign_stacks_frame(s, &frame);
	if (number != TL_NONE)
		s->named[name] = number + 1;
	return number;
}

uint32_t tl_foreign_stacks_named(struct tl_foreign_stacks *s, const char *name, size_t size)
{
	const uint32_t number = tl_names_add(&s->names, name, size);

	return number == TL_NONE ? TL_NONE : tl_foreign_stacks_of_name(s, number);
}

/* ---- parts and events ---- */

static const char other_events[] = "other events";

static bool same_part(const void *context, const void *key, uint32_t number)
{
	const struct tl_foreign_part *parts = context, *wanted = key, *have = &parts[number];

	return have->process == wanted->process && have->thread == wanted->thread &&
	       have->command == wanted->command;
}

uint32_t tl_foreign_stacks_part(struct tl_foreign_stacks *s, const struct tl_foreign_part *part)
{
	const uint64_t hash =
		tl_hash_pair(tl_hash_pair(part->process, part->thread), part->command);
	uint32_t number = tl_index_find(&s->part_index, hash, same_part, s->parts, part);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)s->part_count;
	if (!tl_grow(&s->parts, &s->part_capacity, s->part_count + 1, sizeof(*s->parts)) ||
	    !tl_index_add(&s->part_index, hash, number))
		return TL_NONE;
	s->parts[s->part_count++] = *part;
	return number;
}

uint32_t tl_foreign_stacks_event(struct tl_foreign_stacks *s, const char *name, size_t size,
				 const char *unit)
{
	struct tl_foreign_event event = { .name = tl_names_add(&s->names, name, size),
					  .unit = tl_names_add(&s->names, unit, strlen(unit)) };

	if (event.name == TL_NONE || event.unit == TL_NONE)
		return TL_NONE;
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i].name == event.name)
			return (uint32_t)i;
	if (s->event_count == TL_FOREIGN_EVENTS)
		return TL_FOREIGN_EVENTS - 1;
	if (s->event_count == TL_FOREIGN_EVENTS - 1)
		event.name = tl_names_add(&s->names, other_events, strlen(other_events));
	if (event.name == TL_NONE ||
	    !tl_grow(&s->events, &s->event_capacity, s->event_count + 1, sizeof(*s->events)))
		return TL_NONE;
	s->events[s->event_count] = event;
	return (uint32_t)s->event_count++;
}

/* ---- costs ---- */

bool tl_foreign_stacks_room(struct tl_foreign_stacks *s, uint32_t event, uint32_t node)
{
	struct tl_foreign_event *e = &s->events[event];
	const size_t before = e->capacity;

	if (!tl_grow(&e->costs, &e->capacity, (size_t)node + 1, sizeof(*e->costs)))
		return false;
	memset(e->costs + before, 0, (e->capacity - before) * sizeof(*e->costs));
	return true;
}

/* Count in smaller units: the least of 3, 6, 9 places that hold `places`. */
static void raise_places(struct tl_foreign_stacks *s, struct tl_foreign_event *e, unsigned places)
{
	for (; e->places < places && e->places < MOST_PLACES; e->places += 3)
		for (size_t i = 0; i < e->capacity; i++) {
			const int64_t cost = e->costs[i];

			if (__builtin_mul_overflow(cost, 1000, &e->costs[i])) {
				e->costs[i] = cost < 0 ? INT64_MIN : INT64_MAX;
				s->saturated++;
			}
		}
}

int64_t tl_foreign_stacks_scaled(struct tl_foreign_stacks *s, uint32_t event,
				 const struct tl_decimal *cost)
{
	struct tl_foreign_event *e = &s->events[event];
	const unsigned places = tl_decimal_places(cost);
	bool exact = true;
	int64_t scaled;

	if (places > e->places)
		raise_places(s, e, places);
	scaled = tl_decimal_scaled(cost, (int)e->places, &exact);
	s->rounded += !exact;
	return scaled;
}

bool tl_foreign_stacks_count_decimal(struct tl_foreign_stacks *s, uint32_t node, uint32_t event,
				     const struct tl_decimal *cost)
{
	return tl_foreign_stacks_count(s, node, event, tl_foreign_stacks_scaled(s, event, cost));
}
