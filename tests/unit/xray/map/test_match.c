/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps, uses and recorded objects that are drawn: functions by id, whether a program can be the one
 * that ran, and which object an id is a place in, against loops over all of them
 * (docs/formats/xray.md, 2.8 and 10).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include <tracelathe/xray.h>

#include "xray/map/map.h"
#include "xray/map/object_ids.h"
#include "xray/records/reader.h"

enum { SLEDS = 60, USES = 40, IDS = 20, ROUNDS = 2000, OBJECTS = 4 };

/* ---- maps ---- */

struct sled {
	uint32_t id;
	uint64_t function;
	unsigned kind;
	const char *name;
};

struct drawn {
	struct tl_xray_map map;
	struct sled sleds[SLEDS];
	unsigned count;
};

static void draw_map(struct drawn *d, uint32_t *seed)
{
	static const char *const names[] = { "main", "leaf", "operator()", "" };
	const unsigned count = chance(seed, SLEDS);

	*d = (struct drawn){ .count = count };
	for (unsigned i = 0; i < count; i++) {
		struct sled *s = &d->sleds[i];

		*s = (struct sled){ .id = 1 + chance(seed, IDS),
				    .function = 0x1000 + chance(seed, 4096),
				    .kind = chance(seed, TL_XRAY_SLED_KIND_COUNT),
				    .name = names[chance(seed, 4)] };
		assert_true(tl_xray_map_add(&d->map,
					    &(struct tl_xray_sled){ .address = s->function + 4,
								    .function = s->function,
								    .id = s->id,
								    .kind = (uint8_t)s->kind,
								    .version = 2 },
					    s->name));
	}
	tl_xray_map_finish(&d->map);
}

static void free_map(struct drawn *d)
{
	free(d->map.sleds);
	free(d->map.functions);
}

/* The first sled of a function; NULL: the map has none. */
static const struct sled *first_of(const struct drawn *d, uint32_t id)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->sleds[i].id == id)
			return &d->sleds[i];
	return NULL;
}

static unsigned kinds_of(const struct drawn *d, uint32_t id)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < d->count; i++)
		if (d->sleds[i].id == id)
			kinds |= 1u << d->sleds[i].kind;
	return kinds;
}

/* "Order the functions by id; of several entries with one id the first names the function." */
TEST(functions_of_drawn_sleds)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned functions = 0;
		struct drawn d;

		draw_map(&d, &seed);
		assert_int_equal(d.map.sled_count, d.count);
		for (uint32_t id = 0; id < IDS + 3; id++) {
			const struct sled *first = first_of(&d, id);
			struct tl_xray_map_function *have = tl_xray_map_function(&d.map, id);
			struct tl_xray_function found;

			functions += first != NULL;
			assert_int_equal(have != NULL, first != NULL);
			assert_int_equal(tl_xray_map_lookup(&d.map, id, &found), first != NULL);
			/* a shared object that no map was given for has none */
			assert_false(tl_xray_map_lookup(&d.map, id | 3u << TL_XRAY_OBJECT_SHIFT,
							&found));
			if (!first)
				continue;
			tl_xray_map_lookup(&d.map, id, &found);
			assert_int_equal(have->id, id);
			assert_int_equal(have->kinds, kinds_of(&d, id));
			assert_int_equal(found.id, id);
			assert_int_equal(found.address, first->function);
			assert_string_equal(found.name, first->name);
			assert_string_equal(found.file, "");
			assert_string_equal(found.object, "");
		}
		assert_int_equal(tl_xray_map_count(&d.map), functions);
		assert_int_equal(d.map.asked, functions);
		free_map(&d);
	}
}

/* ---- uses ---- */

/* Whether some sled of a function writes a record: the processors differ, so there may be two. */
static bool has_sled_for(unsigned kinds, unsigned action)
{
	const unsigned enter = 1u << TL_XRAY_SLED_ENTER, args = 1u << TL_XRAY_SLED_ENTER_ARGS,
		       leave = 1u << TL_XRAY_SLED_EXIT, tail = 1u << TL_XRAY_SLED_TAIL_EXIT;

	switch (action) {
	case TL_XRAY_ENTER:
		return kinds & (enter | args);
	case TL_XRAY_EXIT:
		return kinds & (leave | tail);
	case TL_XRAY_TAIL_EXIT:
		return kinds & tail;
	default:
		return kinds & args;
	}
}

static bool can_be(const struct drawn *d, const struct tl_xray_use *use)
{
	const uint32_t id = use->id & ((1u << TL_XRAY_OBJECT_SHIFT) - 1);

	if (!first_of(d, id))
		return false;
	for (unsigned action = TL_XRAY_ENTER; action <= TL_XRAY_ENTER_ARGS; action++)
		if (use->actions >> action & 1 && !has_sled_for(kinds_of(d, id), action))
			return false;
	return true;
}

/* Uses that mostly fit, so that each of them may be the one that does not. */
static void draw_uses(struct tl_xray_uses *uses, const struct drawn *d, uint32_t *seed)
{
	const unsigned count = chance(seed, USES);
	uint32_t ids[USES];
	uint8_t actions[USES];

	for (unsigned i = 0; i < count; i++) {
		const uint32_t id = 1 + chance(seed, IDS);

		ids[i] = id | chance(seed, OBJECTS) << TL_XRAY_OBJECT_SHIFT;
		actions[i] = (uint8_t)chance(seed, 16);
		if (chance(seed, 12))
			for (unsigned action = 0; action < 4; action++)
				if (!has_sled_for(kinds_of(d, id), action))
					actions[i] &= (uint8_t)~(1u << action);
	}
	assert_true(tl_xray_note_uses(uses, ids, actions, count));
	/* what did nothing is no use */
	for (unsigned i = 0, n = 0; i < count; i++) {
		if (!actions[i])
			continue;
		assert_int_equal(uses->list[n].id, ids[i]);
		assert_int_equal(uses->list[n++].actions, actions[i]);
		assert_true(n <= uses->count);
	}
}

/* "It must have all functions that the trace uses, with the sleds that write their records." */
TEST(programs_that_can_have_run)
{
	uint32_t seed = 2;
	unsigned refuted = 0, fitting = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tl_xray_uses uses = { .list = NULL };
		bool fits[TL_XRAY_OBJECTS], wanted[OBJECTS];
		struct drawn d;

		draw_map(&d, &seed);
		draw_uses(&uses, &d, &seed);
		for (uint32_t object = 0; object < OBJECTS; object++) {
			const char *why = tl_xray_map_refutes(&d.map, object, &uses);

			wanted[object] = true;
			for (size_t i = 0; i < uses.count; i++)
				if (uses.list[i].id >> TL_XRAY_OBJECT_SHIFT == object)
					wanted[object] &= can_be(&d, &uses.list[i]);
			assert_int_equal(why == NULL, wanted[object]);
			if (why)
				assert_non_null(strstr(why, "is not the program that ran"));
			refuted += why != NULL;
			fitting += why == NULL;
		}
		tl_xray_map_fits(&d.map, &uses, fits);
		for (uint32_t object = 0; object < TL_XRAY_OBJECTS; object++)
			assert_int_equal(fits[object], object >= OBJECTS || wanted[object]);
		/* the number of the faults does not matter once they are given up */
		uses.count = 0;
		assert_null(tl_xray_map_refutes(&d.map, 0, &uses));
		free(uses.list);
		free_map(&d);
	}
	assert_true(refuted > ROUNDS / 4 && fitting > ROUNDS / 4);
}

/* Each record by itself: the sleds that can write it, of all sets of sleds there are. */
TEST(every_set_of_sleds_and_every_record)
{
	static const char *const words[] = { "entries", "exits", "tail exits", "arguments" };

	for (unsigned kinds = 0; kinds < 1u << TL_XRAY_SLED_KIND_COUNT; kinds++) {
		struct tl_xray_map map = { .binary = NULL };

		for (unsigned kind = 0; kind < TL_XRAY_SLED_KIND_COUNT; kind++)
			if (kinds >> kind & 1)
				assert_true(tl_xray_map_add(
					&map,
					&(struct tl_xray_sled){ .id = 7, .kind = (uint8_t)kind },
					""));
		tl_xray_map_finish(&map);
		for (unsigned action = TL_XRAY_ENTER; action <= TL_XRAY_ENTER_ARGS; action++) {
			struct tl_xray_use use = { 7, (uint8_t)(1u << action) };
			const struct tl_xray_uses uses = { .list = &use, .count = 1 };
			const char *why = tl_xray_map_refutes(&map, 0, &uses);

			assert_int_equal(why == NULL, kinds && has_sled_for(kinds, action));
			if (why)
				assert_non_null(strstr(why, kinds ? words[action] : "functions"));
			/* of another object it says nothing */
			use.id |= 2u << TL_XRAY_OBJECT_SHIFT;
			assert_null(tl_xray_map_refutes(&map, 0, &uses));
		}
		free(map.sleds);
		free(map.functions);
	}
}

/* ---- recorded objects ---- */

/* "Ids that are places in the objects of a process: first + address - start of a segment" */
TEST(ids_are_places_in_recorded_objects)
{
	enum { MOST = 12 };
	uint32_t seed = 3;

	for (unsigned round = 0; round < 400; round++) {
		struct tl_xray_objects *objects = tl_xray_objects_make(true);
		struct tl_xray_object list[MOST];
		const unsigned count = chance(&seed, MOST + 1);
		unsigned order[MOST], asked[MOST] = { 0 }, faults = 0;
		uint32_t next = chance(&seed, 3);

		assert_non_null(objects);
		for (unsigned i = 0; i < count; i++) {
			static const char *const paths[] = { "/nowhere/libc.so.6", "/nowhere/prog",
							     "nowhere.so" };

			list[i] = (struct tl_xray_object){ .first = next,
							   .size = chance(&seed, 40),
							   .address = 0x1000 * (uint64_t)i + 0x40,
							   .path = paths[chance(&seed, 3)],
							   .build_id = "-" };
			/* some with a gap behind them, of which no id is */
			next += (uint32_t)list[i].size + chance(&seed, 3);
			next += list[i].size == 0;
		}
		chance_order(&seed, order, count);
		for (unsigned i = 0; i < count; i++)
			assert_true(tl_xray_objects_add(objects, &list[order[i]]));
		tl_xray_objects_finish(objects);
		for (uint32_t id = 0; id < next + 3; id++) {
			const struct tl_xray_object *in = NULL;
			struct tl_xray_function found;
			char name[64];

			for (unsigned i = 0; i < count; i++)
				if (id >= list[i].first && id - list[i].first < list[i].size) {
					in = &list[i];
					asked[i] = 1;
				}
			assert_int_equal(tl_xray_objects_lookup(objects, id, &found), in != NULL);
			if (!in)
				continue;
			assert_int_equal(found.id, id);
			assert_int_equal(found.address, in->address + (id - in->first));
			assert_string_equal(found.object, in->path);
			/* the file is not there: functions are told by address */
			snprintf(name, sizeof(name), "[%s+0x%llx]",
				 strrchr(in->path, '/') ? strrchr(in->path, '/') + 1 : in->path,
				 (unsigned long long)found.address);
			assert_string_equal(found.name, name);
		}
		for (unsigned i = 0; i < count; i++)
			faults += asked[i];
		for (unsigned i = 0; i < faults; i++)
			assert_non_null(strstr(tl_xray_objects_fault(objects, i)->fault,
					       "is not here any more"));
		assert_null(tl_xray_objects_fault(objects, faults));
		assert_null(tl_xray_objects_binary(objects, "/nowhere/libc.so.6"));
		assert_false(tl_xray_objects_short_of_memory(objects));
		tl_xray_objects_free(objects);
	}
	tl_xray_objects_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_drawn_sleds),
		cmocka_unit_test(programs_that_can_have_run),
		cmocka_unit_test(every_set_of_sleds_and_every_record),
		cmocka_unit_test(ids_are_places_in_recorded_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
