/* SPDX-License-Identifier: Apache-2.0 */
/* Where two lists of blocks that part meet again. */
#include <string.h>

#include "core/error.h"
#include "flow/compare.h"

enum {
	FIRST_WIDTH = 64,
	MEET_GROWTH = 8, /* a run is at most so many times as long as the shortest one */
	MEMORY = 8,      /* a block that came within so many blocks is a loop's */
	FEW_NEW = 4,     /* one block in so many has to be another one */
};

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)
/* Behind the end of both lists the same follows, so that they meet there at last. */
#define THE_END UINT64_C(0x7468656520656e64)

/* The blocks of a side that are searched. */
struct span {
	const uint64_t *hashes;
	size_t meet; /* length of a run */
	size_t runs; /* how many begin in it */
	bool whole;  /* nothing follows */
};

static uint64_t hash_of(const struct tl_flow_side *s, size_t element)
{
	return s->source.blocks->list[s->list.numbers[element]].hash;
}

static int make_span(struct tl_flow_compare *c, int side, size_t width, size_t meet,
		     struct span *span, struct tl_error *err)
{
	struct tl_flow_side *s = &c->sides[side];
	size_t waiting, there = 0;
	int status = tl_flow_read(s, width, err);

	if (status < 0)
		return status;
	waiting = s->list.count - s->begin;
	if (!tl_grow(&c->hashes[side], &c->hash_room[side], width, sizeof(uint64_t)))
		return tl_error_memory(err);
	for (; there < waiting && there < width; there++)
		c->hashes[side][there] = hash_of(s, s->begin + there);
	for (size_t i = 0; s->over && there < width && i < meet; i++)
		c->hashes[side][there++] = THE_END;
	*span = (struct span){ .hashes = c->hashes[side],
			       .meet = meet,
			       .whole = s->over && waiting + meet <= width };
	if (there > width)
		there = width;
	span->runs = there < meet ? 0 : there - meet + 1;
	return 0;
}

/* The hash of the run behind, from that of a run and the blocks at its ends. */
static uint64_t roll(uint64_t hash, uint64_t leaves, uint64_t comes, uint64_t highest)
{
	return (hash - leaves * highest) * FACTOR + comes;
}

static uint64_t first_hash(const struct span *span, uint64_t *highest)
{
	uint64_t hash = 0;

	*highest = 1;
	for (size_t i = 0; i < span->meet; i++) {
		hash = hash * FACTOR + span->hashes[i];
		*highest *= i ? FACTOR : 1;
	}
	return hash;
}

/* Whether a block is another one than those right before it. The end is as good as any. */
static bool is_new(const struct span *span, size_t at)
{
	const uint64_t hash = span->hashes[at];

	for (size_t i = 1; i <= MEMORY && i <= at; i++)
		if (span->hashes[at - i] == hash)
			return hash == THE_END;
	return true;
}

/* The slot of a run: that of an equal one, or the empty one to put it in. */
static uint32_t *slot_of(const struct tl_flow_compare *c, size_t mask, const struct span *before,
			 const uint64_t *run, uint64_t hash)
{
	const size_t bytes = before->meet * sizeof(*run);
	size_t at = (size_t)tl_hash64(hash) & mask;

	while (c->slots[at] != TL_NONE && memcmp(before->hashes + c->slots[at], run, bytes) != 0)
		at = (at + 1) & mask;
	return &c->slots[at];
}

/* How many blocks of a run have to be new, two at least. */
static size_t least_new(size_t meet)
{
	const size_t least = meet / FEW_NEW > 2 ? meet / FEW_NEW : 2;

	return least < meet ? least : meet;
}

/*
 * Runs in which a loop goes round are left out: every loop of the program has them, so that they
 * tell nothing of the place.
 */
static bool index_runs(struct tl_flow_compare *c, const struct span *span, size_t *mask)
{
	const size_t meet = span->meet, least = least_new(meet);
	uint64_t highest, hash;
	size_t fresh = 0;

	for (*mask = FIRST_WIDTH; *mask < 2 * span->runs; *mask *= 2)
		;
	if (!tl_grow(&c->slots, &c->slot_room, *mask, sizeof(*c->slots)))
		return false;
	memset(c->slots, 0xff, *mask * sizeof(*c->slots));
	--*mask;
	if (!span->runs)
		return true;
	hash = first_hash(span, &highest);
	for (size_t i = 0; i < meet; i++)
		fresh += is_new(span, i);
	for (size_t i = 0; i < span->runs; i++) {
		uint32_t *slot =
			fresh < least ? NULL : slot_of(c, *mask, span, span->hashes + i, hash);

		if (slot && *slot == TL_NONE)
			*slot = (uint32_t)i;
		if (i + 1 == span->runs)
			break;
		hash = roll(hash, span->hashes[i], span->hashes[i + meet], highest);
		fresh += is_new(span, i + meet);
		fresh -= is_new(span, i);
	}
	return true;
}

/* The first run of either side that both have, by the sum of what is passed over. */
static bool search(struct tl_flow_compare *c, const struct span spans[TL_FLOW_SIDES],
		   struct tl_flow_meeting *meeting)
{
	const struct span *after = &spans[1];
	size_t mask, best = SIZE_MAX;
	uint64_t highest, hash;

	meeting->found = false;
	if (!index_runs(c, &spans[0], &mask))
		return false;
	if (!after->runs)
		return true;
	hash = first_hash(after, &highest);
	for (size_t i = 0; i < after->runs && i < best; i++) {
		const uint32_t found = *slot_of(c, mask, &spans[0], after->hashes + i, hash);

		if (found != TL_NONE && found + i < best) {
			best = found + i;
			*meeting = (struct tl_flow_meeting){ { found, i }, true };
		}
		if (i + 1 < after->runs)
			hash = roll(hash, after->hashes[i], after->hashes[i + after->meet],
				    highest);
	}
	return true;
}

/* What is the same before the run, that of a loop for example, is not passed over. */
static void go_back(const struct span spans[TL_FLOW_SIDES], struct tl_flow_meeting *meeting)
{
	while (meeting->found && meeting->at[0] && meeting->at[1] &&
	       spans[0].hashes[meeting->at[0] - 1] == spans[1].hashes[meeting->at[1] - 1]) {
		meeting->at[0]--;
		meeting->at[1]--;
	}
}

static bool is_missing(const struct tl_flow_side *s)
{
	return s->begin < s->list.count && !s->source.blocks->list[s->list.numbers[s->begin]].count;
}

int tl_flow_meet(struct tl_flow_compare *c, struct tl_flow_meeting *meeting, struct tl_error *err)
{
	const size_t longest = (size_t)c->flow->options.meet * MEET_GROWTH;
	/* Nobody knows how much is missing. */
	size_t meet = is_missing(&c->sides[0]) || is_missing(&c->sides[1]) ? longest
									   : c->flow->options.meet;

	for (size_t width = FIRST_WIDTH + meet;; width *= 2) {
		struct span spans[TL_FLOW_SIDES];
		int status = 0;

		for (int side = 0; status == 0 && side < TL_FLOW_SIDES; side++)
			status = make_span(c, side, width, meet, &spans[side], err);
		if (status < 0)
			return status;
		if (!search(c, spans, meeting))
			return tl_error_memory(err);
		/* No place nearer than this one lies outside of what was searched. */
		if ((meeting->found && meeting->at[0] + meeting->at[1] <= width - meet) ||
		    (spans[0].whole && spans[1].whole) || width >= c->flow->options.window) {
			go_back(spans, meeting);
			return 0;
		}
		if (meet < longest)
			meet *= 2;
	}
}
