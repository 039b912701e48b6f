/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the given files are the shared objects of an XRay trace: it has their numbers only, in
 * the order in which they were loaded (docs/formats/xray.md, 2.8).
 */
#include <string.h>

#include "open/adapters/xray_maps.h"

struct shared_objects {
	struct tl_xray_maps *maps;
	bool used[TL_XRAY_OBJECTS];                         /* the trace has functions of it */
	struct tl_xray_candidate *ordered[TL_XRAY_OBJECTS]; /* by the order of the files */
	struct tl_xray_candidate *chosen[TL_XRAY_OBJECTS];  /* NULL: none yet */
};

static bool is_left(const struct tl_xray_candidate *c)
{
	return c->map && !c->used && !c->program;
}

static void find_used(struct shared_objects *s, const struct tl_xray_uses *uses)
{
	uint32_t object = 0;

	for (size_t i = 0; i < uses->count; i++)
		s->used[uses->list[i].id >> TL_XRAY_OBJECT_SHIFT] = true;
	for (size_t i = 0; i < s->maps->count; i++) {
		struct tl_xray_candidate *c = &s->maps->list[i];

		if (!is_left(c))
			continue;
		tl_xray_map_fits(c->map, uses, c->fits);
		if (object + 1 < TL_XRAY_OBJECTS)
			s->ordered[++object] = c;
	}
}

static void take(struct shared_objects *s, uint32_t object, struct tl_xray_candidate *c)
{
	s->chosen[object] = c;
	c->used = true;
}

/* A file that was given twice, as it was loaded twice. */
static bool is_same_file(const struct tl_xray_candidate *a, const struct tl_xray_candidate *b)
{
	return !a->in_folder && !b->in_folder && !strcmp(a->path, b->path);
}

/* The first file that is left and can be the object; *several: others could be it as well. */
static struct tl_xray_candidate *find_file(const struct shared_objects *s, uint32_t object,
					   bool *several)
{
	struct tl_xray_candidate *first = NULL;

	*several = false;
	for (size_t i = 0; i < s->maps->count; i++) {
		struct tl_xray_candidate *c = &s->maps->list[i];

		if (!is_left(c) || !c->fits[object])
			continue;
		if (!first)
			first = c;
		else
			*several |= !is_same_file(first, c);
	}
	return first;
}

/* A file for each object that only one of those left can be; each taken leaves fewer to others. */
static void take_certain(struct shared_objects *s)
{
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t object = 1; object < TL_XRAY_OBJECTS; object++) {
			struct tl_xray_candidate *c = NULL;
			bool several = true;

			if (s->used[object] && !s->chosen[object])
				c = find_file(s, object, &several);
			if (!c || several)
				continue;
			take(s, object, c);
			again = true;
		}
	}
}

/* The object that was used and has no file yet, but could have; 0: none. */
static uint32_t find_open_object(const struct shared_objects *s)
{
	bool several;

	for (uint32_t object = 1; object < TL_XRAY_OBJECTS; object++)
		if (s->used[object] && !s->chosen[object] && find_file(s, object, &several))
			return object;
	return 0;
}

/* Whether the files can have been loaded in the order in which they were named, one by one. */
static bool can_be_ordered(const struct shared_objects *s)
{
	for (uint32_t object = 1; object < TL_XRAY_OBJECTS; object++) {
		const struct tl_xray_candidate *c = s->ordered[object];

		if (s->used[object] && (!c || c->in_folder || !c->fits[object]))
			return false;
	}
	return true;
}

static void tell(struct tl_xray_maps *maps, enum tl_status status, const char *text)
{
	maps->objects_status = status;
	maps->objects_text = text;
}

/* What fits tells the files apart, else their order, which is told; else the first one is taken. */
static void choose_files(struct shared_objects *s)
{
	const bool by_order = can_be_ordered(s);
	uint32_t object;
	bool several;

	take_certain(s);
	while ((object = find_open_object(s)) && by_order) {
		tell(s->maps, TL_OK,
		     "shared objects are told apart by the order of the given files alone: the "
		     "first one is that which was loaded first");
		take(s, object, s->ordered[object]);
	}
	while ((object = find_open_object(s))) {
		tell(s->maps, TL_BAD_FORMAT,
		     "functions of a shared object may have the names of another one: several of "
		     "the given files can be it (named one by one, in the order in which they "
		     "were loaded, they are taken in that order)");
		take(s, object, find_file(s, object, &several));
		take_certain(s);
	}
	for (object = 1; object < TL_XRAY_OBJECTS; object++)
		if (s->used[object] && !s->chosen[object])
			tell(s->maps, TL_BAD_FORMAT,
			     "functions of a shared object have no names: none of the given files "
			     "is that object (one that was loaded again is named again)");
}

/*
 * Records of flight data keep 4 bits of an object's number: the 16th is written as the program, the
 * next as the first, and so on. Numbers are given one by one, so there can be a 16th where
 * functions of the 15th ran. A number above says that the records keep all bits.
 */
static bool may_be_full(const struct shared_objects *s)
{
	enum { LAST = 15 };

	for (uint32_t object = LAST + 1; object < TL_XRAY_OBJECTS; object++)
		if (s->used[object])
			return false;
	return s->used[LAST];
}

bool tl_xray_maps_choose_objects(struct tl_xray_maps *maps, const struct tl_xray_uses *uses)
{
	struct shared_objects s = { .maps = maps };
	bool changed = false;

	maps->objects_text = NULL;
	find_used(&s, uses);
	maps->objects_full = may_be_full(&s);
	if (uses->count)
		choose_files(&s);
	for (uint32_t object = 1; object < TL_XRAY_OBJECTS; object++) {
		struct tl_xray_candidate *c = s.chosen[object];
		struct tl_xray_map *map;

		/* Before anything is known of the trace. */
		if (!uses->count && s.ordered[object])
			take(&s, object, c = s.ordered[object]);
		map = c ? c->map : NULL;
		if (!maps->map)
			continue;
		changed |= maps->map->objects[object] != map;
		maps->map->objects[object] = map;
	}
	return changed;
}
