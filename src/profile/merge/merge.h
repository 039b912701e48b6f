/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_MERGE_H
#define TL_PROFILE_MERGE_H
/* A merge in progress: the numbers that the elements of each profile have in the merged one. */
#include "core/arithmetic.h"
#include "profile/model/model.h"

/* By number in one of the profiles: the number in the merged one. */
struct tl_merge_map {
	uint32_t *events, *functions, *parts;
};

struct tl_merge {
	const struct tl_profile *const *from;
	size_t count;
	struct tl_profile *to;
	struct tl_merge_map *maps; /* one a profile */
	int64_t *row;              /* room for a cost vector of the merged profile */
};

/* An element of one of the profiles. */
struct tl_merge_ref {
	uint32_t profile, number;
};

typedef int tl_merge_compare_fn(const void *a, const void *b, void *context);

/*
 * All elements of a kind (`count` gives their number), sorted; NULL without memory. Freed by the
 * caller.
 */
struct tl_merge_ref *tl_merge_sorted(const struct tl_merge *merge,
				     uint32_t (*count)(const struct tl_profile *profile),
				     tl_merge_compare_fn *compare, size_t *total);

/* TL_BAD_USAGE: clocks are different. */
int tl_merge_refuse_clock(struct tl_error *err);

/*
 * What tl_profile_merge() makes of one packed profile (profile/model/pack.h), without its lines,
 * arcs and jumps; `map` says which elements are meant by their numbers. Free it also on failure.
 */
int tl_merge_packed(struct tl_profile **merged, const struct tl_profile *profile,
		    struct tl_merge_map *map, struct tl_error *err);
void tl_merge_map_free(struct tl_merge_map *map);
/* The same of many; the maps, one a profile, are to be freed where that succeeds. */
int tl_merge_identities(struct tl_profile **merged, const struct tl_profile *const *profiles,
			size_t count, struct tl_merge_map **maps, struct tl_error *err);
void tl_merge_maps_free(struct tl_merge_map *maps, size_t count);
/*
 * What tl_profile_merge() makes of packed profiles, packed: equal items are there one by one. The
 * packs of `profiles` are freed on the way, also on failure. Sums of all have to be small enough
 * (tl_pack_weight()).
 */
int tl_merge_packs(struct tl_profile **merged, struct tl_profile *const *profiles, size_t count,
		   struct tl_error *err);

/*
 * Sums to which profiles are added one by one, as they come, with the costs of all parts together
 * (merge_into.c). All profiles of a sum are alike: finished, with the same events, and with
 * contexts that their lines and arcs follow from.
 */
bool tl_merge_has_sum(const struct tl_profile *profile);
bool tl_merge_is_alike(const struct tl_profile *sum, const struct tl_profile *profile);
/* An upper bound of what can become of any number in a sum to which the profile is added. */
uint64_t tl_merge_weight(const struct tl_profile *profile);
/* A sum of nothing, for profiles like this one. */
int tl_merge_begin(struct tl_profile **sum, const struct tl_profile *like, struct tl_error *err);
/* On failure the sum is of no use any more. tl_profile_finish() ends it. */
int tl_merge_into(struct tl_profile *sum, const struct tl_profile *profile, struct tl_error *err);

/* Identities: fill the maps. tl_merge_events() also makes the merged profile. */
int tl_merge_events(struct tl_merge *merge, struct tl_error *err);
int tl_merge_functions(struct tl_merge *merge, struct tl_error *err);
int tl_merge_parts(struct tl_merge *merge, struct tl_error *err);

/* Costs: add the elements of a kind to the merged profile. */
int tl_merge_lines(struct tl_merge *merge, struct tl_error *err);
int tl_merge_arcs(struct tl_merge *merge, struct tl_error *err);
int tl_merge_jumps(struct tl_merge *merge, struct tl_error *err);
int tl_merge_contexts(struct tl_merge *merge, struct tl_error *err);
/* The contexts of one of the profiles, added to those of `into` as they come. */
int tl_merge_unite_contexts(const struct tl_merge *merge, uint32_t profile, struct tl_profile *into,
			    struct tl_error *err);
/* What only some profiles know of a function: the least address, line and number. */
void tl_merge_take_entry(struct tl_function *into, const struct tl_function *from);

#endif
