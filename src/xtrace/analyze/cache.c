/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/analyze/cache.h"

#include <string.h>

#include "core/error.h"

/* ---- looking up ---- */

static uint64_t *set_of(const struct tl_xtrace_cache_lines *w, uint64_t line)
{
	uint64_t set = w->set_mask || w->sets == 1 ? line & w->set_mask : line % w->sets;

	return w->tags + set * w->ways;
}

/* Make a line the most recent of its set. *dropped: the tag that had to go, 0 if none. */
static bool touch(struct tl_xtrace_cache_lines *w, uint64_t line, uint64_t *dropped)
{
	uint64_t *set = set_of(w, line), tag = line + 1;
	uint32_t at = 0, last = w->ways - 1;

	while (set[at] != tag && at < last)
		at++;
	bool hit = set[at] == tag;
	*dropped = hit ? 0 : set[at];
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = tag;
	return hit;
}

/* ---- inclusion ---- */

static void forget(struct tl_xtrace_cache_lines *w, uint64_t line)
{
	uint64_t *set = set_of(w, line), tag = line + 1;

	for (uint32_t at = 0; at < w->ways; at++)
		if (set[at] == tag) {
			memmove(set + at, set + at + 1, (w->ways - 1 - at) * sizeof(*set));
			set[w->ways - 1] = 0;
			return;
		}
}

static bool leads_to(const struct tl_xtrace_cache_lines *w,
		     const struct tl_xtrace_cache_lines *level)
{
	while (w && w != level)
		w = w->next;
	return w;
}

/* The lines of `w` within a line of the level behind it. */
static void forget_part(struct tl_xtrace_cache_lines *w, const struct tl_xtrace_cache_lines *behind,
			uint64_t line)
{
	unsigned finer = behind->line_shift - w->line_shift;

	for (uint64_t i = 0; i < UINT64_C(1) << finer; i++)
		forget(w, (line << finer) + i);
}

static void forget_before(struct tl_xtrace_caches *caches,
			  const struct tl_xtrace_cache_lines *behind, uint64_t line)
{
	for (size_t c = 0; c < caches->core_count; c++) {
		struct tl_xtrace_cache_core *core = &caches->cores[c];

		for (uint32_t i = 0; i < caches->config->count; i++) {
			bool own = !caches->config->levels[i].shared;
			struct tl_xtrace_cache_lines *w = own ? &core->ways[i] : &caches->shared[i];

			if (w != behind && (own || c == 0) && leads_to(w, behind))
				forget_part(w, behind, line);
		}
	}
}

/* ---- an access ---- */

static void count(struct tl_xtrace_cache_count *counts, uint32_t level, enum tl_xtrace_use use,
		  bool hit)
{
	counts[level].accesses[use]++;
	counts[level].misses[use] += !hit;
}

void tl_xtrace_cache_line(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *w,
			  uint64_t line, enum tl_xtrace_use use, struct tl_xtrace_cache_count *also)
{
	for (;;) {
		uint64_t dropped;
		bool hit = touch(w, line, &dropped);

		if (!core->silent)
			count(core->counts, w->number, use, hit);
		if (also)
			count(also, w->number, use, hit);
		if (dropped && w->inclusive)
			forget_before(core->caches, w, dropped - 1);
		if (hit || !w->next)
			return;
		line >>= w->next->line_shift - w->line_shift;
		w = w->next;
	}
}

/* ---- beginning and end ---- */

static bool make_ways(struct tl_xtrace_cache_lines *w, const struct tl_xtrace_cache_level *level,
		      uint32_t number)
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
	};
	return w->tags;
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
		if (!config->levels[i].shared && !make_ways(&core->ways[i], &config->levels[i], i))
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
		       make_ways(&caches->shared[i], &config->levels[i], i);
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
			free(caches->cores[c].ways[i].tags);
	for (uint32_t i = 0; i < TL_XTRACE_CACHE_LEVELS; i++)
		free(caches->shared[i].tags);
	free(caches->cores);
	*caches = (struct tl_xtrace_caches){ 0 };
}
