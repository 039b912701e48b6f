/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CACHE_H
#define TL_XTRACE_CACHE_H
/*
 * Caches and TLBs, simulated: sets of ways, least recently used out first or by another policy,
 * stores allocate as loads do. A miss asks the next level and fills every level it missed in. What
 * an inclusive level drops, the levels in front of it lose. docs/analyze.md says how each works.
 */
#include "xtrace/caches/footprint.h"

enum { TL_XTRACE_CACHE_LEVELS = 16, TL_XTRACE_CACHE_NAME = 32 };

enum tl_xtrace_cache_side {
	TL_XTRACE_CACHE_INSTRUCTIONS = 1,
	TL_XTRACE_CACHE_DATA = 2,
	TL_XTRACE_CACHE_UNIFIED = 3
};

enum tl_xtrace_cache_policy {
	TL_XTRACE_LRU,
	TL_XTRACE_FIFO,
	TL_XTRACE_RANDOM, /* these by marks of the ways, the others by their order */
	TL_XTRACE_PLRU,
	TL_XTRACE_RRIP,
};

enum tl_xtrace_cache_prefetch { TL_XTRACE_NO_PREFETCH, TL_XTRACE_NEXT_LINE, TL_XTRACE_STRIDE };

/* A line of the configuration. A TLB is a cache whose lines are pages. */
struct tl_xtrace_cache_level {
	char name[TL_XTRACE_CACHE_NAME];
	enum tl_xtrace_cache_side side;
	bool tlb, inclusive, shared;
	uint64_t size, line; /* bytes */
	uint32_t ways;
	uint32_t sets;
	unsigned line_shift;
	uint32_t next; /* level that is asked on a miss, TL_NONE: memory */
	enum tl_xtrace_cache_policy policy;
	uint64_t seed; /* of the random policy */
	enum tl_xtrace_cache_prefetch prefetch;
	bool through; /* stores go to the next level at once */
};

struct tl_xtrace_cache_config {
	struct tl_xtrace_cache_level levels[TL_XTRACE_CACHE_LEVELS];
	uint32_t count;
	/* Where an access begins: caches and TLBs by side; TL_NONE: nowhere. */
	uint32_t first[2][2];
	bool writes; /* what is written to the next level is followed: a level has a write= */
};

/* cache_config.c: text of docs/analyze.md, "Caches". The offset of an error is that of its line. */
int tl_xtrace_cache_parse(struct tl_xtrace_cache_config *config, const char *text, size_t size,
			  struct tl_error *err);
/* The text of the default one. */
extern const char tl_xtrace_cache_default[];

struct tl_xtrace_cache_count {
	uint64_t accesses[TL_XTRACE_USE_COUNT], misses[TL_XTRACE_USE_COUNT];
	/* to the next level; lines fetched without being asked for; those of them that were then */
	uint64_t written, prefetched, useful;
};

enum { TL_XTRACE_DIRTY = 1, TL_XTRACE_PREFETCHED = 2, TL_XTRACE_STRIDES = 64 };

/* What the stride prefetcher knows of a load or store. */
struct tl_xtrace_stride {
	uint64_t pc, line, stride;
	unsigned sure;
};

/* The lines of one level of one core, or of all when it is shared. */
struct tl_xtrace_cache_lines {
	uint64_t *tags; /* line + 1 or 0, set by set, the most recent first */
	struct tl_xtrace_cache_lines *next;
	const struct tl_xtrace_cache_level *level;
	uint32_t number; /* of the level */
	unsigned line_shift;
	uint32_t ways, sets;
	uint32_t set_mask; /* sets - 1 if that is a mask, else 0 */
	bool inclusive;
	bool plain; /* LRU, and nothing is followed: `flags` is NULL */
	/* the first way of the set that was touched last, of a plain one; else nothing's tag, 0 */
	const uint64_t *recent;
	/* Beside the tags, way by way: bits; and what the policy marks. */
	uint8_t *flags, *marks;
	uint64_t random;
	struct tl_xtrace_stride *strides; /* NULL: no such prefetcher */
};

/* One core: its own levels, and the shared ones. */
struct tl_xtrace_cache_core {
	struct tl_xtrace_cache_lines *first[2][2]; /* [is a TLB][is data]; NULL: none */
	struct tl_xtrace_cache_lines ways[TL_XTRACE_CACHE_LEVELS];
	struct tl_xtrace_cache_count counts[TL_XTRACE_CACHE_LEVELS];
	uint64_t pc; /* of the instruction whose accesses come, for prefetchers */
	bool silent; /* accesses change what is in the caches, but are not counted */
	struct tl_xtrace_cache_count unheard; /* what is not counted goes there */
	struct tl_xtrace_caches *caches;
};

struct tl_xtrace_caches {
	const struct tl_xtrace_cache_config *config;
	struct tl_xtrace_cache_lines shared[TL_XTRACE_CACHE_LEVELS];
	struct tl_xtrace_cache_core *cores;
	size_t core_count;
};

int tl_xtrace_caches_begin(struct tl_xtrace_caches *caches,
			   const struct tl_xtrace_cache_config *config, size_t core_count,
			   struct tl_error *err);
void tl_xtrace_caches_end(struct tl_xtrace_caches *caches);

/* A line of a first level: asks the next levels on a miss. `also` is counted too, or NULL. */
void tl_xtrace_cache_line(struct tl_xtrace_cache_core *core, struct tl_xtrace_cache_lines *ways,
			  uint64_t line, enum tl_xtrace_use use,
			  struct tl_xtrace_cache_count *also);

/*
 * A line of data in the levels that are a core's own: whether one has it; and none has it any more,
 * as another core's store took it, with what was written to it.
 */
bool tl_xtrace_cache_holds(const struct tl_xtrace_cache_core *core, uint64_t line);
void tl_xtrace_cache_take(struct tl_xtrace_cache_core *core, uint64_t line);

/*
 * Whether a line was the last one touched: the most recent of its set, so that nothing moves. Then
 * the hit is counted, and there is nothing else that tl_xtrace_cache_line() would do.
 */
static inline bool tl_xtrace_cache_again(struct tl_xtrace_cache_core *core,
					 const struct tl_xtrace_cache_lines *ways, uint64_t line,
					 enum tl_xtrace_use use, struct tl_xtrace_cache_count *also)
{
	if (*ways->recent != line + 1)
		return false;
	core->counts[ways->number].accesses[use] += !core->silent;
	if (also)
		also[ways->number].accesses[use]++;
	return true;
}

/*
 * Every line, and every page, of an access of `size` > 0 bytes is touched once. Most instructions
 * are fetched from the line of the one before.
 */
static inline void tl_xtrace_cache_access(struct tl_xtrace_cache_core *core, uint64_t address,
					  uint64_t size, enum tl_xtrace_use use,
					  struct tl_xtrace_cache_count *also)
{
	for (unsigned tlb = 0; tlb < 2; tlb++) {
		struct tl_xtrace_cache_lines *ways = core->first[tlb][use != TL_XTRACE_USE_FETCH];
		uint64_t line, last;

		if (!ways)
			continue;
		line = address >> ways->line_shift;
		last = (address + size - 1) >> ways->line_shift;
		if (line == last && tl_xtrace_cache_again(core, ways, line, use, also))
			continue;
		/* An access over the end of the address space goes on at its beginning. */
		for (uint64_t left = (last - line) & (UINT64_MAX >> ways->line_shift);; left--) {
			tl_xtrace_cache_line(core, ways, line, use, also);
			if (!left)
				break;
			line = (line + 1) & (UINT64_MAX >> ways->line_shift);
		}
	}
}

#endif
