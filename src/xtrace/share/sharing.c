/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/share/sharing.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

/* An access within one line. */
struct touch {
	struct tl_xtrace_sharing *sharing;
	struct tl_xtrace_shared_line *line;
	uint64_t *written; /* of the line's cores */
	uint32_t *writers;
	uint32_t number; /* of the line */
	uint32_t core, function;
	uint64_t bytes; /* a bit for each byte; of longer lines, for each of 64 equal parts */
	struct tl_xtrace_sharing_count *counts, *count; /* of all, and of this core; NULL: none */
};

/* ---- lines ---- */

static bool make_room(struct tl_xtrace_sharing *s, size_t lines)
{
	return tl_grow(&s->lines, &s->line_room, lines, sizeof(*s->lines)) &&
	       tl_grow(&s->written, &s->written_room, lines * s->cores, sizeof(*s->written)) &&
	       tl_grow(&s->writers, &s->writer_room, lines * s->cores, sizeof(*s->writers));
}

static bool find_line(struct touch *t, uint64_t line)
{
	struct tl_xtrace_sharing *s = t->sharing;
	uint32_t before = s->ids.count;

	if (!make_room(s, (size_t)before + 1))
		return false;
	t->number = tl_xtrace_address_id_add(&s->ids, line);
	if (t->number == TL_NONE)
		return false;
	if (t->number == before)
		s->lines[before] = (struct tl_xtrace_shared_line){ .number = line,
								   .owner = TL_NONE,
								   .pairs = TL_NONE };
	t->line = &s->lines[t->number];
	t->written = &s->written[(size_t)t->number * s->cores];
	t->writers = &s->writers[(size_t)t->number * s->cores];
	return true;
}

/* ---- misses ---- */

static struct tl_xtrace_sharing_pair *pair_of(struct touch *t)
{
	struct tl_xtrace_sharing *s = t->sharing;
	uint32_t writer = t->writers[t->core], at = t->line->pairs;

	while (at != TL_NONE &&
	       (s->pairs[at].function != t->function || s->pairs[at].writer != writer))
		at = s->pairs[at].next;
	if (at != TL_NONE)
		return &s->pairs[at];
	if (!tl_grow(&s->pairs, &s->pair_room, (size_t)s->pair_count + 1, sizeof(*s->pairs)))
		return NULL;
	s->pairs[s->pair_count] = (struct tl_xtrace_sharing_pair){
		.line = t->number, .function = t->function, .writer = writer, .next = t->line->pairs
	};
	t->line->pairs = s->pair_count++;
	return &s->pairs[t->line->pairs];
}

/* A miss of a line that was lost: did others write what is accessed now? */
static bool count_shared(struct touch *t)
{
	bool shared = t->written[t->core] & t->bytes;
	struct tl_xtrace_sharing_pair *pair;

	if (!t->count)
		return true;
	pair = pair_of(t);
	if (!pair)
		return false;
	pair->true_shared += shared;
	pair->false_shared += !shared;
	t->count->true_shared += shared;
	t->count->false_shared += !shared;
	return true;
}

static bool miss(struct touch *t)
{
	uint64_t self = UINT64_C(1) << t->core;

	if (t->count) {
		bool had = t->line->touched & self, taken = t->line->lost & self;

		t->count->cold += !had;
		t->count->evicted += had && !taken;
		t->count->transfers += t->line->owner != TL_NONE;
	}
	/* What had changed is in memory from here on. */
	t->line->owner = TL_NONE;
	if (t->line->lost & self && !count_shared(t))
		return false;
	t->line->lost &= ~self;
	t->line->holders |= self;
	return true;
}

/* ---- stores ---- */

static void invalidate(struct touch *t)
{
	uint64_t self = UINT64_C(1) << t->core, others = t->line->holders & ~self;

	for (uint64_t left = others; left; left &= left - 1) {
		uint32_t core = (uint32_t)__builtin_ctzll(left);

		t->written[core] = 0;
		t->writers[core] = t->function;
		if (t->sharing->caches.take)
			t->sharing->caches.take(t->sharing->caches.arg, core, t->line->number);
		if (t->counts)
			t->counts[core].lost++;
	}
	t->line->lost |= others;
	t->line->holders = self;
}

static void store(struct touch *t, bool held)
{
	uint64_t self = UINT64_C(1) << t->core, others = t->line->holders & ~self;
	unsigned count = (unsigned)__builtin_popcountll(others);

	if (t->count) {
		t->count->upgrades += held && others;
		t->count->invalidations += count;
		t->line->invalidations += count;
	}
	invalidate(t);
	for (uint64_t left = t->line->lost; left; left &= left - 1)
		t->written[__builtin_ctzll(left)] |= t->bytes;
	t->line->owner = t->core;
}

/* ---- accesses ---- */

static uint64_t bits_of(const struct tl_xtrace_sharing *s, uint64_t first, uint64_t last)
{
	unsigned shift = tl_excess(s->line_shift, 6);
	uint64_t from = first >> shift, to = last >> shift;

	return (UINT64_MAX >> (63 - (to - from))) << from;
}

/* Holders whose caches have dropped the line: what they had changed is in memory. */
static void drop_evicted(struct touch *t)
{
	const struct tl_xtrace_sharing_caches *caches = &t->sharing->caches;

	for (uint64_t left = caches->holds ? t->line->holders : 0; left; left &= left - 1) {
		uint32_t core = (uint32_t)__builtin_ctzll(left);

		if (caches->holds(caches->arg, core, t->line->number))
			continue;
		t->line->holders &= ~(UINT64_C(1) << core);
		if (t->line->owner == core)
			t->line->owner = TL_NONE;
	}
}

static bool touch_line(struct touch *t, bool is_store)
{
	bool held;

	drop_evicted(t);
	held = t->line->holders >> t->core & 1;
	if (t->count) {
		t->count->loads += !is_store;
		t->count->stores += is_store;
	}
	if (!held && !miss(t))
		return false;
	t->line->touched |= UINT64_C(1) << t->core;
	if (is_store)
		store(t, held);
	return true;
}

bool tl_xtrace_sharing_access(struct tl_xtrace_sharing *s, uint32_t core, bool is_store,
			      uint64_t address, uint64_t size, uint32_t function,
			      struct tl_xtrace_sharing_count *counts)
{
	uint64_t line_bytes = UINT64_C(1) << s->line_shift;

	while (size) {
		struct touch t = { .sharing = s,
				   .core = core,
				   .function = function,
				   .counts = counts,
				   .count = counts ? &counts[core] : NULL };
		uint64_t first = address & (line_bytes - 1),
			 part = tl_min(size, line_bytes - first);

		t.bytes = bits_of(s, first, first + part - 1);
		if (!find_line(&t, address >> s->line_shift) || !touch_line(&t, is_store))
			return false;
		address += part;
		size -= part;
	}
	return true;
}

void tl_xtrace_sharing_free(struct tl_xtrace_sharing *s)
{
	tl_xtrace_address_ids_free(&s->ids);
	free(s->lines);
	free(s->written);
	free(s->writers);
	free(s->pairs);
	*s = (struct tl_xtrace_sharing){ .cores = 0 };
}
