/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/stacks.h"

#include <string.h>

#include <tracelathe/core.h>

#include "core/tables/at_first.h"

enum { FIRST_SLOTS = 1 << TL_AT_FIRST(12, 4), MOST_PLACES = 9 };

bool tl_foreign_stacks_begin(struct tl_foreign_stacks *s)
{
	*s = (struct tl_foreign_stacks){ .slot_mask = FIRST_SLOTS - 1 };
	s->slots = calloc(FIRST_SLOTS, sizeof(*s->slots));
	if (!s->slots || !tl_grow(&s->nodes, &s->node_capacity, 1, sizeof(*s->nodes)) ||
	    tl_names_add(&s->names, "", 0) == TL_NONE)
		return false;
	s->nodes[0] = (struct tl_foreign_node){ 0 };
	s->node_count = 1;
	return true;
}

void tl_foreign_stacks_free(struct tl_foreign_stacks *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		free(s->events[i].costs);
	free(s->events);
	free(s->frames);
	free(s->parts);
	free(s->nodes);
	free(s->slots);
	tl_index_free(&s->frame_index);
	tl_index_free(&s->part_index);
	tl_names_free(&s->names);
	*s = (struct tl_foreign_stacks){ .slots = NULL };
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

uint32_t tl_foreign_stacks_named(struct tl_foreign_stacks *s, const char *name, size_t size)
{
	const struct tl_foreign_frame frame = { .name = tl_names_add(&s->names, name, size) };

	return frame.name == TL_NONE ? TL_NONE : tl_foreign_stacks_frame(s, &frame);
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

/* ---- nodes ---- */

static void put_slot(struct tl_foreign_stacks *s, uint32_t number)
{
	size_t at = tl_foreign_stacks_home(s, s->nodes[number].parent, s->nodes[number].frame);

	while (s->slots[at])
		at = (at + 1) & s->slot_mask;
	s->slots[at] = number;
}

static bool grow_slots(struct tl_foreign_stacks *s)
{
	const size_t count = 2 * (s->slot_mask + 1);
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(s->slots);
	s->slots = slots;
	s->slot_mask = count - 1;
	for (size_t i = 1; i < s->node_count; i++)
		put_slot(s, (uint32_t)i);
	return true;
}

uint32_t tl_foreign_stacks_add(struct tl_foreign_stacks *s, uint32_t parent, uint32_t frame)
{
	const uint32_t number = (uint32_t)s->node_count;

	if (s->node_count >= TL_NONE ||
	    !tl_grow(&s->nodes, &s->node_capacity, s->node_count + 1, sizeof(*s->nodes)))
		return 0;
	if (2 * s->node_count > s->slot_mask && !grow_slots(s))
		return 0;
	s->nodes[number] = (struct tl_foreign_node){ parent, frame };
	s->node_count++;
	put_slot(s, number);
	return number;
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

bool tl_foreign_stacks_count_decimal(struct tl_foreign_stacks *s, uint32_t node, uint32_t event,
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
	return tl_foreign_stacks_count(s, node, event, scaled);
}
