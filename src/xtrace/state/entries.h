/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ENTRIES_H
#define TL_XTRACE_ENTRIES_H
/*
 * The entries of functions that no symbol names: code belongs to the nearest entry below it.
 *
 * A pass over the trace finds the entries, and needs them already. As code is mostly executed from
 * its entry on, entries can be *learned*: questions are answered by those found so far, and kept in
 * mind. An entry that would have changed an answer makes the fold of one segment stale, if it asked
 * and is not over (its *questions*), otherwise the whole pass. What is not stale has the answers
 * that a second pass with all entries would get, whichever thread asked, and when.
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/core.h>

#include "core/memory.h"

/* Addresses, each once. */
struct tl_xtrace_entry_points {
	uint64_t *list;
	size_t count, capacity;
	struct tl_index index;
};

/* False without memory. */
bool tl_xtrace_entry_point_add(struct tl_xtrace_entry_points *entries, uint64_t pc);
void tl_xtrace_entry_points_free(struct tl_xtrace_entry_points *entries);

/* The addresses that the fold of one segment asked for. */
struct tl_xtrace_questions {
	struct tl_xtrace_entry_points asked;
	bool stale;
	struct tl_xtrace_questions *next; /* of those that are open */
};

struct tl_xtrace_entries {
	uint64_t *list; /* increasing */
	size_t count, capacity;
	bool learning;
	bool stale;                          /* the pass is */
	struct tl_xtrace_entry_points found; /* all of this trace so far */

	/* While learning. */
	uint64_t *highest; /* beside `list`: the last address behind it asked for; 0: none */
	size_t highest_capacity;
	struct tl_xtrace_entry_points homeless; /* asked for, but behind no entry */
	struct tl_xtrace_questions *open;
	uint64_t compared; /* questions, with entries */
};

/* These and no others; `list` is taken over, and sorted here. */
void tl_xtrace_entries_take(struct tl_xtrace_entries *entries, uint64_t *list, size_t count);
void tl_xtrace_entries_free(struct tl_xtrace_entries *entries);

/* Begin (again) with the entries found so far; `learn`: go on learning. False without memory. */
bool tl_xtrace_entries_restart(struct tl_xtrace_entries *entries, bool learn);
/* One was found. False without memory. */
bool tl_xtrace_entries_add(struct tl_xtrace_entries *entries, uint64_t pc);

/* The entry to which an address belongs; 0: none is near. `questions`: who asks; NULL: the pass. */
uint64_t tl_xtrace_entries_find(struct tl_xtrace_entries *entries,
				struct tl_xtrace_questions *questions, uint64_t pc);

void tl_xtrace_questions_open(struct tl_xtrace_entries *entries,
			      struct tl_xtrace_questions *questions);
/* They are the pass's from here on, unless they are stale; then false, and they are forgotten. */
bool tl_xtrace_questions_close(struct tl_xtrace_entries *entries,
			       struct tl_xtrace_questions *questions);
/* The pass is stale. */
void tl_xtrace_entries_give_up(struct tl_xtrace_entries *entries);

#endif
