/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_KWAY_MERGING_H
#define TL_PROFILE_KWAY_MERGING_H
/* A merge in progress: what the files of this folder share. */
#include "profile/file/block_writer.h"
#include "profile/canon/texts.h"
#include "profile/kway/kway.h"
#include "profile/kway/kway_heap.h"

/* A function, maybe in a part, whose durations were written. */
struct tl_kway_duration {
	uint32_t function, part;
	bool histogram;
};

struct tl_kway_merging {
	struct tl_kway_piece *const *pieces;
	size_t count;
	struct tl_profile *whole;    /* what is said once of the result */
	struct tl_pfile_texts texts; /* of that, ranked among all strings */
	struct tl_pfile_writer *writer;
	struct tl_kway_heap heap;
	uint64_t *sum; /* the row that is put together */
	bool exact, contexts;
	struct tl_kway_duration *durations;
	size_t duration_count, duration_capacity;
};

/*
 * Strings: write those that elements have and those of `texts`; fill the maps of the pieces and the
 * ranks of `texts`.
 */
int tl_kway_merge_strings(struct tl_kway_merging *merging, struct tl_error *err);
/*
 * Sections with elements, in the order of their numbers, from `first` to `last`: functions and
 * parts fill the maps that those behind them need.
 */
int tl_kway_merge_sections(struct tl_kway_merging *merging, enum tl_pfile_section first,
			   enum tl_pfile_section last, struct tl_error *err);
/* All of these, on two threads, one of which writes to `spare` first. */
int tl_kway_merge_halves(struct tl_kway_merging *merging, int spare, struct tl_error *err);

#endif
