/* SPDX-License-Identifier: Apache-2.0 */
#include "core/trees/known_paths.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

#include "core/memory.h"
#include "core/tables/at_first.h"

/*
 * A hash has WAYS places, so that paths which come in turn do not drive each other out before
 * there are too many of them. There are few places at first, so that those of few paths stay in the
 * caches.
 */
enum {
	WAYS = 4,
	LEAST_PLACES = 1 << TL_AT_FIRST(12, 4),
	MOST_PLACES = 1 << TL_AT_FIRST(18, 6),
	WORDS = 1 << TL_AT_FIRST(22, 10), /* of all paths together */
	LONGEST = WORDS / 8,              /* path that is kept */
};

void tl_known_paths_free(struct tl_known_paths *k)
{
	free(k->places);
	free(k->words);
	*k = (struct tl_known_paths){ .places = NULL };
}

/*
 * A path is hashed for each sample: four words at a time, each in a lane of its own, so that the
 * multiplications do not wait for each other.
 */
enum { LANES = 4 };

static inline uint64_t mix(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return lane ^ lane >> 32;
}

uint64_t tl_known_paths_hash(uint32_t root, const uint64_t *words, size_t count)
{
	uint64_t lanes[LANES] = { count, root, 1, 2 };
	size_t i = 0;

	for (; i + LANES <= count; i += LANES)
		for (int lane = 0; lane < LANES; lane++)
			lanes[lane] = mix(lanes[lane], words[i + (size_t)lane]);
	for (; i < count; i++)
		lanes[i % LANES] = mix(lanes[i % LANES], words[i]);
	return tl_hash_pair(tl_hash_pair(lanes[0], lanes[1]), tl_hash_pair(lanes[2], lanes[3]));
}

/* The first place of a hash, of so many places. */
static size_t place_of(size_t count, uint32_t hash)
{
	return hash & (count - 1) & ~(size_t)(WAYS - 1);
}

static bool is_kept(const struct tl_known_paths *k, const struct tl_known_path *path)
{
	return path->at + WORDS >= k->end;
}

uint32_t tl_known_paths_find(const struct tl_known_paths *k, uint64_t hash, uint32_t root,
			     const uint64_t *words, size_t count)
{
	const struct tl_known_path *path;

	if (!k->places || !count)
		return 0;
	path = &k->places[place_of(k->place_count, (uint32_t)hash)];
	for (int i = 0; i < WAYS; i++, path++)
		if (path->hash == (uint32_t)hash && path->count == count && path->root == root &&
		    is_kept(k, path) &&
		    !memcmp(k->words + path->at % WORDS, words, count * sizeof(*words)))
			return path->node;
	return 0;
}

/* The paths of a table, in a larger one. False without memory. */
static bool grow(struct tl_known_paths *k, size_t count)
{
	struct tl_known_path *places = tl_zeroed(count, sizeof(*places));

	if (!places)
		return false;
	/* What shared a hash shares one of two, which has as many places. */
	for (size_t i = 0; i < k->place_count; i++)
		if (k->places[i].count)
			places[place_of(count, k->places[i].hash) + i % WAYS] = k->places[i];
	free(k->places);
	k->places = places;
	k->place_count = count;
	return true;
}

/* The place for a path: one that is free, or that of the oldest path. */
static struct tl_known_path *place_for(const struct tl_known_paths *k, uint32_t hash)
{
	struct tl_known_path *first = &k->places[place_of(k->place_count, hash)], *oldest = first;

	for (int i = 0; i < WAYS; i++) {
		if (!first[i].count)
			return &first[i];
		if (first[i].at < oldest->at)
			oldest = &first[i];
	}
	return oldest;
}

/* Room for one more path. False without memory. */
static bool make_room(struct tl_known_paths *k)
{
	if (!k->words)
		k->words = tl_zeroed(WORDS, sizeof(*k->words));
	if (!k->words)
		return false;
	if (!k->places)
		return grow(k, LEAST_PLACES);
	if (k->put > k->place_count / 4 && k->place_count < MOST_PLACES)
		return grow(k, 2 * k->place_count);
	return true;
}

bool tl_known_paths_put(struct tl_known_paths *k, uint64_t hash, uint32_t root,
			const uint64_t *words, size_t count, uint32_t node)
{
	if (!count || count > LONGEST)
		return true;
	if (!make_room(k))
		return false;
	/* The words of a path stand in a row. */
	if (k->end % WORDS + count > WORDS)
		k->end += WORDS - k->end % WORDS;
	memcpy(k->words + k->end % WORDS, words, count * sizeof(*words));
	*place_for(k, (uint32_t)hash) =
		(struct tl_known_path){ k->end, (uint32_t)hash, root, node, (uint32_t)count };
	k->end += count;
	k->put++;
	return true;
}
