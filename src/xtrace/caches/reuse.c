/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/caches/reuse.h"

#include <string.h>

/* One cache line of marks is counted by its bits, the blocks before it by the tree. */
enum { WORD = 64, BLOCK = 512, WORDS = BLOCK / WORD, FIRST_ROOM = 4 * BLOCK };

static uint32_t ones(uint64_t word)
{
	return (uint32_t)__builtin_popcountll(word);
}

static void tree_add(struct tl_xtrace_reuse *r, uint32_t time, uint32_t change)
{
	uint32_t blocks = r->room / BLOCK;

	for (uint32_t at = time / BLOCK + 1; at <= blocks; at += at & -at)
		r->tree[at] += change;
}

/* Marks at times before `time`. */
static uint32_t marks_before(const struct tl_xtrace_reuse *r, uint32_t time)
{
	uint32_t sum = 0, word = time / WORD;

	for (uint32_t at = time / BLOCK; at; at -= at & -at)
		sum += r->tree[at];
	for (uint32_t at = time / BLOCK * WORDS; at < word; at++)
		sum += ones(r->marks[at]);
	return time % WORD ? sum + ones(r->marks[word] << (WORD - time % WORD)) : sum;
}

static void mark(struct tl_xtrace_reuse *r, uint32_t line, uint32_t time)
{
	r->marks[time / WORD] |= UINT64_C(1) << time % WORD;
	r->owners[time] = line;
	r->times[line] = time;
	tree_add(r, time, 1);
}

static void unmark(struct tl_xtrace_reuse *r, uint32_t time)
{
	r->marks[time / WORD] &= ~(UINT64_C(1) << time % WORD);
	tree_add(r, time, UINT32_MAX);
}

/* The marks of the first `count` times, as many as there are lines, are those of `owners`. */
static void lay_out(struct tl_xtrace_reuse *r, uint32_t count)
{
	memset(r->marks, 0, r->room / 8);
	memset(r->tree, 0, (r->room / BLOCK + 1) * sizeof(*r->tree));
	for (uint32_t time = 0; time < count; time++)
		mark(r, r->owners[time], time);
	r->now = count;
}

static bool get_room(struct tl_xtrace_reuse *r, uint32_t room)
{
	uint32_t *owners, *tree;
	uint64_t *marks;

	owners = realloc(r->owners, room * sizeof(*owners));
	if (!owners)
		return false;
	r->owners = owners;
	marks = realloc(r->marks, room / 8);
	if (!marks)
		return false;
	r->marks = marks;
	tree = realloc(r->tree, (room / BLOCK + 1) * sizeof(*tree));
	if (!tree)
		return false;
	r->tree = tree;
	r->room = room;
	return true;
}

/* Move the marks together; more room when half of it or more would be taken at once. */
static bool renew(struct tl_xtrace_reuse *r)
{
	uint32_t count = 0;

	for (uint32_t time = 0; time < r->now; time++)
		if (r->marks[time / WORD] >> time % WORD & 1)
			r->owners[count++] = r->owners[time];
	if (!r->room && !get_room(r, FIRST_ROOM))
		return false;
	if (count >= r->room / 2 && (r->room > UINT32_MAX / 2 || !get_room(r, r->room * 2)))
		return false;
	lay_out(r, count);
	return true;
}

static void count_distance(struct tl_xtrace_reuse_histogram *h, uint32_t distance)
{
	h->buckets[distance ? 32 - __builtin_clz(distance) : 0]++;
	h->distances += distance;
}

bool tl_xtrace_reuse_touch_other(struct tl_xtrace_reuse *r, uint64_t line)
{
	uint32_t before = r->lines.count, number;

	if (r->now == r->room && !renew(r))
		return false;
	if (!tl_grow(&r->times, &r->time_room, (size_t)before + 1, sizeof(*r->times)))
		return false;
	number = tl_xtrace_address_id_add(&r->lines, line);
	if (number == TL_NONE)
		return false;
	if (number == before) {
		r->histogram.cold++;
	} else {
		/* All lines have a mark; the line's own one is not after itself. */
		count_distance(&r->histogram, before - 1 - marks_before(r, r->times[number]));
		unmark(r, r->times[number]);
	}
	mark(r, number, r->now++);
	return true;
}

void tl_xtrace_reuse_free(struct tl_xtrace_reuse *r)
{
	tl_xtrace_address_ids_free(&r->lines);
	free(r->times);
	free(r->owners);
	free(r->marks);
	free(r->tree);
	*r = (struct tl_xtrace_reuse){ 0 };
}

void tl_xtrace_reuse_histogram_add(struct tl_xtrace_reuse_histogram *sum,
				   const struct tl_xtrace_reuse_histogram *h)
{
	sum->touches += h->touches;
	sum->cold += h->cold;
	sum->distances += h->distances;
	for (size_t i = 0; i < TL_XTRACE_REUSE_BUCKETS; i++)
		sum->buckets[i] += h->buckets[i];
}
