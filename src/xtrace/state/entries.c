/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/entries.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

/* An entry names what follows it for so many bytes. */
enum { REACH = 1 << 20 };

/* More of them cost more to keep in order, and to compare, than a second pass. */
enum { MOST_ENTRIES = 1 << 14, MOST_HOMELESS = 1 << 11, MOST_COMPARED = 1 << 26 };

/* ---- addresses, each once ---- */

static bool same_address(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_entry_points *entries = context;
	const uint64_t *pc = key;

	return entries->list[number] == *pc;
}

bool tl_xtrace_entry_point_add(struct tl_xtrace_entry_points *entries, uint64_t pc)
{
	uint64_t hash = tl_hash64(pc);

	if (tl_index_find(&entries->index, hash, same_address, entries, &pc) != TL_NONE)
		return true;
	if (entries->count >= TL_NONE ||
	    !tl_grow(&entries->list, &entries->capacity, entries->count + 1,
		     sizeof(*entries->list)) ||
	    !tl_index_add(&entries->index, hash, (uint32_t)entries->count))
		return false;
	entries->list[entries->count++] = pc;
	return true;
}

void tl_xtrace_entry_points_free(struct tl_xtrace_entry_points *entries)
{
	free(entries->list);
	tl_index_free(&entries->index);
	*entries = (struct tl_xtrace_entry_points){ 0 };
}

/* ---- beginning ---- */

static void forget(struct tl_xtrace_entries *entries)
{
	free(entries->list);
	free(entries->highest);
	tl_xtrace_entry_points_free(&entries->homeless);
	entries->list = NULL;
	entries->highest = NULL;
	entries->count = entries->capacity = entries->highest_capacity = 0;
	entries->compared = 0;
	entries->open = NULL;
}

void tl_xtrace_entries_free(struct tl_xtrace_entries *entries)
{
	forget(entries);
	tl_xtrace_entry_points_free(&entries->found);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return tl_compare(x, y);
}

void tl_xtrace_entries_take(struct tl_xtrace_entries *entries, uint64_t *list, size_t count)
{
	forget(entries);
	if (count)
		qsort(list, count, sizeof(*list), by_address);
	entries->list = list;
	entries->count = entries->capacity = count;
}

bool tl_xtrace_entries_restart(struct tl_xtrace_entries *entries, bool learn)
{
	size_t count = entries->found.count;
	uint64_t *list = tl_zeroed(count, sizeof(*list));
	uint64_t *highest = learn ? tl_zeroed(count, sizeof(*highest)) : NULL;

	if (!list || (learn && !highest)) {
		free(list);
		free(highest);
		return false;
	}
	if (count)
		memcpy(list, entries->found.list, count * sizeof(*list));
	tl_xtrace_entries_take(entries, list, count);
	entries->highest = highest;
	entries->highest_capacity = learn ? count : 0;
	entries->learning = learn && count < MOST_ENTRIES;
	entries->stale = learn && !entries->learning;
	return true;
}

void tl_xtrace_entries_give_up(struct tl_xtrace_entries *entries)
{
	entries->stale |= entries->learning;
	entries->learning = false;
}

/* How many are at or below an address. */
static size_t up_to(const struct tl_xtrace_entries *entries, uint64_t pc)
{
	size_t low = 0, high = entries->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entries->list[middle] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The number of the entry of an address, from 1; 0: none is near. */
static size_t number_of(const struct tl_xtrace_entries *entries, uint64_t pc)
{
	size_t number = up_to(entries, pc);

	return number && pc - entries->list[number - 1] < REACH ? number : 0;
}

/* ---- questions ---- */

/* Of the pass. */
static void note(struct tl_xtrace_entries *entries, size_t number, uint64_t pc)
{
	if (number) {
		if (entries->highest[number - 1] < pc)
			entries->highest[number - 1] = pc;
	} else if (entries->homeless.count >= MOST_HOMELESS ||
		   !tl_xtrace_entry_point_add(&entries->homeless, pc)) {
		tl_xtrace_entries_give_up(entries);
	}
}

uint64_t tl_xtrace_entries_find(struct tl_xtrace_entries *entries,
				struct tl_xtrace_questions *questions, uint64_t pc)
{
	size_t number = number_of(entries, pc);

	if (entries->learning && !questions)
		note(entries, number, pc);
	else if (entries->learning && !tl_xtrace_entry_point_add(&questions->asked, pc))
		tl_xtrace_entries_give_up(entries);
	return number ? entries->list[number - 1] : 0;
}

void tl_xtrace_questions_open(struct tl_xtrace_entries *entries,
			      struct tl_xtrace_questions *questions)
{
	*questions = (struct tl_xtrace_questions){ .next = entries->open };
	entries->open = questions;
}

bool tl_xtrace_questions_close(struct tl_xtrace_entries *entries,
			       struct tl_xtrace_questions *questions)
{
	struct tl_xtrace_questions **link = &entries->open;
	bool stale = questions->stale;

	while (*link && *link != questions)
		link = &(*link)->next;
	if (*link)
		*link = questions->next;
	for (size_t i = 0; !stale && entries->learning && i < questions->asked.count; i++)
		note(entries, number_of(entries, questions->asked.list[i]),
		     questions->asked.list[i]);
	tl_xtrace_entry_points_free(&questions->asked);
	return !stale;
}

/* ---- a new entry ---- */

/* Whether one of the addresses is in a piece of code. */
static bool any_in(struct tl_xtrace_entries *entries, const struct tl_xtrace_entry_points *asked,
		   uint64_t begin, uint64_t size)
{
	entries->compared += asked->count;
	for (size_t i = 0; i < asked->count; i++)
		if (asked->list[i] - begin < size)
			return true;
	return false;
}

/* The `at`th entry from now on: those who asked for what belongs to it had another answer. */
static void tell(struct tl_xtrace_entries *entries, size_t at, uint64_t entry)
{
	uint64_t size = REACH;

	if (at < entries->count && entries->list[at] - entry < size)
		size = entries->list[at] - entry;
	if ((at && entries->highest[at - 1] >= entry) ||
	    any_in(entries, &entries->homeless, entry, size) || entries->compared > MOST_COMPARED)
		tl_xtrace_entries_give_up(entries);
	for (struct tl_xtrace_questions *q = entries->open; q; q = q->next)
		q->stale = q->stale || any_in(entries, &q->asked, entry, size);
}

static bool insert(struct tl_xtrace_entries *entries, size_t at, uint64_t entry)
{
	size_t count = entries->count;

	if (!tl_grow(&entries->list, &entries->capacity, count + 1, sizeof(*entries->list)) ||
	    !tl_grow(&entries->highest, &entries->highest_capacity, count + 1,
		     sizeof(*entries->highest)))
		return false;
	memmove(entries->list + at + 1, entries->list + at, (count - at) * sizeof(*entries->list));
	memmove(entries->highest + at + 1, entries->highest + at,
		(count - at) * sizeof(*entries->highest));
	entries->list[at] = entry;
	entries->highest[at] = 0;
	entries->count++;
	return true;
}

bool tl_xtrace_entries_add(struct tl_xtrace_entries *entries, uint64_t pc)
{
	size_t before = entries->found.count, at;

	if (!tl_xtrace_entry_point_add(&entries->found, pc))
		return false;
	if (!entries->learning || entries->found.count == before)
		return true;
	at = up_to(entries, pc);
	tell(entries, at, pc);
	if (entries->count >= MOST_ENTRIES)
		tl_xtrace_entries_give_up(entries);
	return !entries->learning || insert(entries, at, pc);
}
