/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_CANON_SORT_H
#define TL_PROFILE_CANON_SORT_H
/*
 * Elements sorted by their keys. They mostly come as a few ascending runs, since a profile is
 * written function by function and a function is met several times: such runs are merged. Keys that
 * differ little are one number for that, with the place that the element came at.
 */
#include "profile/canon/canon.h"

typedef void tl_pfile_key_fn(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);

/* One for each thread; with the first four members set, and freed by tl_pfile_sorter_free(). */
struct tl_pfile_sorter {
	const struct tl_pfile_canon *canon;
	tl_pfile_key_fn *key;
	tl_pfile_fetch_fn *fetch; /* NULL: none is needed */
	unsigned keys;            /* of an element, TL_PFILE_MOST_KEYS at most */
	uint64_t *rows;           /* keys, by the place that an element came at */
	uint64_t *from, *to; /* packed keys in the order so far, and in that of the next pass */
	uint32_t *ends;      /* of the runs in `from` */
	uint32_t *numbers;   /* as they came */
	size_t row_room, from_room, to_room, end_room, number_room, runs;
};

/* Sort numbers of elements; those with equal keys stay as they came. False without memory. */
bool tl_pfile_sort(struct tl_pfile_sorter *sorter, uint32_t *numbers, size_t count);
/* Room for so many elements in the arrays of a sorter. False without memory. */
bool tl_pfile_sorter_room(struct tl_pfile_sorter *sorter, size_t count);
/* Sort the first numbers of `from`, no two of which are equal, with that room. */
void tl_pfile_sort_packed(struct tl_pfile_sorter *sorter, size_t count);
void tl_pfile_sorter_free(struct tl_pfile_sorter *sorter);

#endif
