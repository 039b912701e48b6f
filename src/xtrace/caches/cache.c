/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/caches/cache.h"

#include <string.h>

#include "core/error.h"

/* ---- looking up ---- */

static uint64_t *set_of(const struct tl_xtrace_cache_lines *w, uint64_t line)
{
	uint64_t set = w->set_mask || w->sets == 1 ? line & w->set_mask : line % w->sets;

	return w->tags + set * w->ways;
}

/*
 * Make a line the most recent of its set. *dropped: the tag that had to go, 0 if none. Tags move on
 * while the line is looked for: it is mostly one of the first.
 */
static bool touch(struct tl_xtrace_cache_lines *w, uint64_t line, uint64_t *dropped)
{
	uint64_t *set = set_of(w, line), tag = line + 1, moved = set[0];

	*dropped = 0;
	w->recent = set;
	if (moved == tag)
		return true;
	set[0] = tag;
	for (uint32_t at = 1; at < w->ways; at++) {
		uint64_t here = set[at];

		set[at] = moved;
		if (here == tag)
			return true;
		moved = here;
	}
	*dropped = moved;
	return false;
}

/* ---- other policies than LRU, and lines with flags ---- */

enum { INSERTED = 2, FARTHEST = 3, SURE = 2 };

static uint64_t next_random(struct tl_xtrace_cache_lines *w)
{
	uint64_t z = w->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The way that holds a tag; w->ways: none does. */
static uint32_t find(const struct tl_xtrace_cache_lines *w, const uint64_t *set, uint64_t tag)
{
	uint32_t at = 0;

	while (at < w->ways && set[at] != tag)
		at++;
	return at;
}

static uint32_t farthest(const struct tl_xtrace_cache_lines *w, uint8_t *marks)
{
	for (;;) {
		for (uint32_t at = 0; at < w->ways; at++)
			if (marks[at] >= FARTHEST)
				return at;
		for (uint32_t at = 0; at < w->ways; at++)
			marks[at]++;
	}
}

static uint32_t unmarked(const struct tl_xtrace_cache_lines *w, const uint8_t *marks)
{
	for (uint32_t at = 0; at < w->ways; at++)
		if (!marks[at])
			return at;
	return 0;
}

/* The way that a new line takes. */
static uint32_t victim(struct tl_xtrace_cache_lines *w, const uint64_t *set)
{
	uint8_t *marks = w->marks + (set - w->tags);
	uint32_t empty;

	if (w->level->policy <= TL_XTRACE_FIFO)
		return w->ways - 1;
	empty = find(w, set, 0);
	if (empty < w->ways)
		return empty;
	if (w->level->policy == TL_XTRACE_RANDOM)
		return (uint32_t)(next_random(w) % w->ways);
	return w->level->policy == TL_XTRACE_RRIP ? farthest(w, marks) : unmarked(w, marks);
}

/* One bit a way: when all are set, only that of the last one stays. */
static void mark_recent(const struct tl_xtrace_cache_lines *w, uint8_t *marks, uint32_t at)
{
	marks[at] = 1;
	for (uint32_t i = 0; i < w->ways; i++)
		if (!marks[i])
			return;
	memset(marks, 0, w->ways);
	marks[at] = 1;
}

/* A line was touched, or inserted; returns its way from now on. */
static uint32_t settle(struct tl_xtrace_cache_lines *w, uint64_t *set, uint32_t at, bool hit)
{
	size_t first = (size_t)(set - w->tags);
	uint64_t tag = set[at];
	uint8_t flags = w->flags[first + at];

	switch (w->level->policy) {
	case TL_XTRACE_RANDOM:
		return at;
	case TL_XTRACE_PLRU:
		mark_recent(w, w->marks + first, at);
		return at;
	case TL_XTRACE_RRIP:
		w->marks[first + at] = hit ? 0 : INSERTED;
		return at;
	case TL_XTRACE_FIFO:
		if (hit)
			return at;
		break;
	default:
		break;
	}
	memmove(set + 1, set, at * sizeof(*set));
	memmove(w->flags + first + 1, w->flags + first, at);
	set[0] = tag;
	w->flags[first] = flags;
	return 0;
}

/* ---- what is written to the next level ---- */

static struct tl_xtrace_cache_count *counts_at(struct tl_xtrace_cache_core *core,
					       const struct tl_xtrace_cache_lines *w)
{
	return core->silent ? &core->unheard : &core->counts[w->number];
}

static uint64_t line_behind(const struct tl_xtrace_cache_lines *w, uint64_t line)
{
	return w->next ? line >> (w->next->line_shift - w->line_shift) : line;
}

/* What arrives where its line is stays there, unless stores go through; else it goes on. */
static void write_on(struct tl_xtrace_cache_core *core, const struct tl_xtrace_cache_lines *w,
		     uint64_t line)
{
	while (core->caches->config->writes) {
		const struct tl_xtrace_cache_lines *next = w->next;
		const uint64_t *set;
		uint32_t at;

		counts_at(core, w)->written++;
		if (!next)
			return;
		line = line_behind(w, line);
		set = set_of(next, line);
		at = find(next, set, line + 1);
		if (at < next->ways && !next->level->through) {
			next->flags[(size_t)(set - next->tags) + at] |= TL_XTRACE_DIRTY;
			return;
		}
		w = next;
	}
}

/* ---- inclusion ---- */

/* The flags that the line had. */
static uint8_t forget(struct tl_xtrace_cache_lines *w, uint64_t line)
{
	uint64_t *set = set_of(w, line);
	size_t first = (size_t)(set - w->tags);
	uint32_t at = find(w, set, line + 1), after;
	uint8_t flags = 0;

	if (at == w->ways)
		return 0;
	after = w->level->policy <= TL_XTRACE_FIFO ? w->ways - 1 - at : 0;
	memmove(set + at, set + at + 1, after * sizeof(*set));
	set[at + after] = 0;
	if (!w->plain) {
		flags = w->flags[first + at];
		memmove(w->flags + first + at, w->flags + first + at + 1, after);
		w->flags[first + at + after] = 0;
		w->marks[first + at + after] = 0;
	}
	return flags;
}

static bool leads_to(const struct tl_xtrace_cache_lines *w,
		     const struct tl_xtrace_cache_lines *level)
{
	while (w && w != level)
		w = w->next;
	return w;
}

/* The lines of `w` within a line of the level behind it. Whether one of them was written to. */
static bool forget_part(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
			const struct tl_xtrace_cache_lines *behind, uint64_t line)
{
	unsigned finer = behind->line_shift - w->line_shift;
	bool dirty = false;

	for (uint64_t i = 0; i < UINT64_C(1) << finer; i++)
		if (forget(w, (line << finer) + i) & TL_XTRACE_DIRTY) {
			counts_at(core, w)->written++;
			dirty = true;
		}
	return dirty;
}

static bool forget_before(struct tl_xtrace_cache_core *by,
			  const struct tl_xtrace_cache_lines *behind, uint64_t line)
{
	struct tl_xtrace_caches *caches = by->caches;
	bool dirty = false;

	for (size_t c = 0; c < caches->core_count; c++) {
		struct tl_xtrace_cache_core *core = &caches->cores[c];

		for (uint32_t i = 0; i < caches->config->count; i++) {
			bool own = !caches->config->levels[i].shared;
			struct tl_xtrace_cache_lines *w = own ? &core->ways[i] : &caches->shared[i];

			if (w != behind && (own || c == 0) && leads_to(w, behind))
				dirty |= forget_part(by, w, behind, line);
		}
	}
	return dirty;
}

/* A line had to go. */
static void drop(struct tl_xtrace_cache_core *core, const struct tl_xtrace_cache_lines *w,
		 uint64_t line, uint8_t flags)
{
	bool dirty = flags & TL_XTRACE_DIRTY;

	if (w->inclusive)
		dirty |= forget_before(core, w, line);
	if (dirty)
		write_on(core, w, line);
}

/* ---- lines with flags ---- */

static void insert(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
		   uint64_t line, uint8_t flags)
{
	uint64_t *set = set_of(w, line), dropped;
	uint32_t at = victim(w, set);
	uint8_t *flag = &w->flags[(size_t)(set - w->tags) + at], gone = *flag;

	dropped = set[at];
	set[at] = line + 1;
	*flag = flags;
	settle(w, set, at, false);
	if (dropped)
		drop(core, w, dropped - 1, gone);
}

static void prefetch(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
		     uint64_t line)
{
	line &= UINT64_MAX >> w->line_shift;
	if (find(w, set_of(w, line), line + 1) < w->ways)
		return;
	counts_at(core, w)->prefetched++;
	insert(core, w, line, TL_XTRACE_PREFETCHED);
}

/* Three accesses of one instruction that are as far from each other: the next one is known. */
static void follow_stride(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
			  uint64_t line)
{
	struct tl_xtrace_stride *s = &w->strides[core->pc / 4 % TL_XTRACE_STRIDES];
	uint64_t stride = line - s->line;

	if (s->pc != core->pc) {
		*s = (struct tl_xtrace_stride){ .pc = core->pc, .line = line };
		return;
	}
	if (!stride)
		return;
	s->sure = stride == s->stride ? s->sure + (s->sure < 3) : 0;
	s->stride = stride;
	s->line = line;
	if (s->sure >= SURE)
		prefetch(core, w, line + stride);
}

/* Touch a line: whether it was there. */
static bool touch_flagged(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
			  uint64_t line)
{
	uint64_t *set = set_of(w, line);
	uint32_t at = find(w, set, line + 1);
	uint8_t *flag;

	if (at == w->ways) {
		insert(core, w, line, 0);
		return false;
	}
	flag = &w->flags[(size_t)(set - w->tags) + at];
	if (*flag & TL_XTRACE_PREFETCHED)
		counts_at(core, w)->useful++;
	*flag &= (uint8_t)~TL_XTRACE_PREFETCHED;
	settle(w, set, at, true);
	return true;
}

static void fetch_ahead(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
			uint64_t line, enum tl_xtrace_use use, bool hit)
{
	if (w->level->prefetch == TL_XTRACE_NEXT_LINE && !hit)
		prefetch(core, w, line + 1);
	else if (w->strides && use != TL_XTRACE_USE_FETCH)
		follow_stride(core, w, line);
}

/* A store, once its line is in the first level. */
static void store(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w, uint64_t line)
{
	uint64_t *set = set_of(w, line);
	uint32_t at = find(w, set, line + 1);

	if (w->level->through || at == w->ways)
		write_on(core, w, line);
	else
		w->flags[(size_t)(set - w->tags) + at] |= TL_XTRACE_DIRTY;
}

/* ---- an access ---- */

static void count(struct tl_xtrace_cache_count *counts, uint32_t level, enum tl_xtrace_use use,
		  bool hit)
{
	counts[level].accesses[use]++;
	counts[level].misses[use] += !hit;
}

/* Whether the line was there; it is now. */
static bool look(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w, uint64_t line)
{
	uint64_t dropped;
	bool hit;

	if (!w->plain)
		return touch_flagged(core, w, line);
	hit = touch(w, line, &dropped);
	if (dropped && w->inclusive)
		drop(core, w, dropped - 1, 0);
	return hit;
}

void tl_xtrace_cache_line(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *first,
			  uint64_t first_line, enum tl_xtrace_use use,
			  struct tl_xtrace_cache_count *also)
{
	struct tl_xtrace_cache_lines *w = first;
	uint64_t line = first_line;

	for (;;) {
		bool hit = look(core, w, line);

		if (!core->silent)
			count(core->counts, w->number, use, hit);
		if (also)
			count(also, w->number, use, hit);
		if (w->level->prefetch)
			fetch_ahead(core, w, line, use, hit);
		if (hit || !w->next)
			break;
		line = line_behind(w, line);
		w = w->next;
	}
	if (use == TL_XTRACE_USE_STORE && core->caches->config->writes && !first->level->tlb)
		store(core, first, first_line);
}

/* ---- lines between cores ---- */

/* The next level of data that is a core's own; NULL: none. */
static struct tl_xtrace_cache_lines *if_own(struct tl_xtrace_cache_lines *w)
{
	return w && !w->level->shared ? w : NULL;
}

bool tl_xtrace_cache_holds(const struct tl_xtrace_cache_core *core, uint64_t line)
{
	const struct tl_xtrace_cache_lines *w = if_own(core->first[0][1]);

	while (w && find(w, set_of(w, line), line + 1) == w->ways)
		w = if_own(w->next);
	return w;
}

void tl_xtrace_cache_take(struct tl_xtrace_cache_core *core, uint64_t line)
{
	for (struct tl_xtrace_cache_lines *w = if_own(core->first[0][1]); w; w = if_own(w->next))
		forget(w, line);
}

/* ---- beginning and end ---- */

/* Marks and flags of the ways, where something is followed. */
static bool make_flags(struct tl_xtrace_cache_lines *w, const struct tl_xtrace_cache_level *level)
{
	size_t lines = (size_t)level->sets * level->ways;

	if (w->plain)
		return true;
	w->flags = tl_zeroed(lines, sizeof(*w->flags));
	w->marks = tl_zeroed(lines, sizeof(*w->marks));
	if (level->prefetch == TL_XTRACE_STRIDE)
		w->strides = tl_zeroed(TL_XTRACE_STRIDES, sizeof(*w->strides));
	return w->flags && w->marks && (w->strides || level->prefetch != TL_XTRACE_STRIDE);
}

static const uint64_t no_tag;

static bool make_ways(struct tl_xtrace_cache_lines *w, const struct tl_xtrace_cache_level *level,
		      uint32_t number, bool writes)
{
	*w = (struct tl_xtrace_cache_lines){
		.tags = tl_zeroed((size_t)level->sets * level->ways, sizeof(*w->tags)),
		.level = level,
		.number = number,
		.line_shift = level->line_shift,
		.ways = level->ways,
		.sets = level->sets,
		.set_mask = level->sets & (level->sets - 1) ? 0 : level->sets - 1,
		.inclusive = level->inclusive,
		.random = level->seed,
		.plain = !level->policy && !level->prefetch && (level->tlb || !writes),
		.recent = &no_tag,
	};
	return w->tags && make_flags(w, level);
}

static void free_ways(struct tl_xtrace_cache_lines *w)
{
	free(w->tags);
	free(w->flags);
	free(w->marks);
	free(w->strides);
}

static struct tl_xtrace_cache_lines *ways_of(struct tl_xtrace_cache_core *core, uint32_t level)
{
	if (level == TL_NONE)
		return NULL;
	return core->caches->config->levels[level].shared ? &core->caches->shared[level]
							  : &core->ways[level];
}

static bool make_core(struct tl_xtrace_caches *caches, struct tl_xtrace_cache_core *core)
{
	const struct tl_xtrace_cache_config *config = caches->config;

	core->caches = caches;
	for (uint32_t i = 0; i < config->count; i++) {
		if (!config->levels[i].shared &&
		    !make_ways(&core->ways[i], &config->levels[i], i, config->writes))
			return false;
		/* A shared level is followed by a shared one: the same for every core. */
		ways_of(core, i)->next = ways_of(core, config->levels[i].next);
	}
	for (unsigned tlb = 0; tlb < 2; tlb++)
		for (unsigned data = 0; data < 2; data++)
			core->first[tlb][data] = ways_of(core, config->first[tlb][data]);
	return true;
}

int tl_xtrace_caches_begin(struct tl_xtrace_caches *caches,
			   const struct tl_xtrace_cache_config *config, size_t core_count,
			   struct tl_error *err)
{
	*caches = (struct tl_xtrace_caches){ .config = config, .core_count = core_count };
	caches->cores = tl_zeroed(core_count, sizeof(*caches->cores));
	bool good = caches->cores;

	for (uint32_t i = 0; good && i < config->count; i++)
		good = !config->levels[i].shared ||
		       make_ways(&caches->shared[i], &config->levels[i], i, config->writes);
	for (size_t c = 0; good && c < core_count; c++)
		good = make_core(caches, &caches->cores[c]);
	if (good)
		return 0;
	tl_xtrace_caches_end(caches);
	return tl_error_memory(err);
}

void tl_xtrace_caches_end(struct tl_xtrace_caches *caches)
{
	for (size_t c = 0; caches->cores && c < caches->core_count; c++)
		for (uint32_t i = 0; i < TL_XTRACE_CACHE_LEVELS; i++)
			free_ways(&caches->cores[c].ways[i]);
	for (uint32_t i = 0; i < TL_XTRACE_CACHE_LEVELS; i++)
		free_ways(&caches->shared[i]);
	free(caches->cores);
	*caches = (struct tl_xtrace_caches){ 0 };
}
