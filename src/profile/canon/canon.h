/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_CANON_CANON_H
#define TL_PROFILE_CANON_CANON_H
/*
 * The canonical order of a profile: that of names, places and paths, which is also the order of a
 * merged profile (profile/merge). In it the elements of two profiles can be merged as two sorted
 * lists.
 */
#include "profile/canon/texts.h"
#include "profile/model/model.h"

/* The order of the elements of a kind. */
struct tl_pfile_order {
	uint32_t *order; /* by place: the number in the profile */
	uint32_t *place; /* by number: the place; only of functions, parts and contexts */
	size_t count;
};

struct tl_pfile_canon {
	const struct tl_profile *profile;
	unsigned jobs; /* threads that sort */
	struct tl_pfile_texts texts;
	struct tl_pfile_order functions, parts, contexts, lines, arcs, jumps;
};

/*
 * Of a canon that is zero-filled, but for texts that were added: these have ranks, too. False
 * without memory; free it also then.
 */
bool tl_pfile_canon_make(struct tl_pfile_canon *canon, const struct tl_profile *profile,
			 unsigned jobs);
void tl_pfile_canon_free(struct tl_pfile_canon *canon);

/* The texts of what is said once: format, events, notes. False without memory. */
bool tl_pfile_said_texts(struct tl_pfile_texts *texts, const struct tl_profile *profile);

/* Whether the elements stand in this order already. */
bool tl_pfile_order_is_plain(const struct tl_pfile_order *order);

/* The place of a function or part, TL_NONE of TL_NONE. */
static inline uint32_t tl_pfile_place(const struct tl_pfile_order *order, uint32_t number)
{
	return number < order->count ? order->place[number] : TL_NONE;
}

/* Rows of the file, of elements by number. */
enum {
	TL_PFILE_PLACE_FIELDS = 4,
	/* How many numbers say which an element is, by its kind. */
	TL_PFILE_FUNCTION_KEYS = 6,
	TL_PFILE_PART_KEYS = 5,
	TL_PFILE_LINE_KEYS = 6,
	TL_PFILE_ARC_KEYS = 11,
	TL_PFILE_JUMP_KEYS = 12,
	TL_PFILE_MOST_KEYS = 12,
};
void tl_pfile_function_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);
void tl_pfile_part_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);
void tl_pfile_line_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);
void tl_pfile_arc_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);
void tl_pfile_jump_key(const struct tl_pfile_canon *canon, uint32_t number, uint64_t *row);

/*
 * Elements in the order of a file lie anywhere in a large profile: each is fetched from memory
 * while so many before it are worked on.
 */
enum { TL_PFILE_AHEAD = 8, TL_PFILE_CACHE_LINE = 64 };

typedef void tl_pfile_fetch_fn(const struct tl_profile *profile, uint32_t number);

static inline void tl_pfile_fetch(const void *from, size_t size)
{
	const char *bytes = from;

	for (size_t at = 0; at < size; at += TL_PFILE_CACHE_LINE)
		__builtin_prefetch(bytes + at);
}

static inline void tl_pfile_fetch_line(const struct tl_profile *profile, uint32_t number)
{
	tl_pfile_fetch(&profile->lines.list[number], sizeof(*profile->lines.list));
}

static inline void tl_pfile_fetch_arc(const struct tl_profile *profile, uint32_t number)
{
	tl_pfile_fetch(&profile->arcs.list[number], sizeof(*profile->arcs.list));
}

#endif
