/* SPDX-License-Identifier: Apache-2.0 */
/* The text that describes caches: a line each, a name and its settings (docs/analyze.md). */
#include <string.h>

#include "core/error.h"
#include "xtrace/caches/cache.h"
#include "xtrace/predict/config_text.h"

/* About a core of a server: what Kunpeng 920 is said to have, with one slice of its last level. */
const char tl_xtrace_cache_default[] =
	"L1I   instruction size=64K ways=4 line=64 next=L2\n"
	"L1D   data        size=64K ways=4 line=64 next=L2\n"
	"L2    unified     size=512K ways=8 line=64 next=L3\n"
	"L3    unified     size=1M ways=16 line=64 shared\n"
	"ITLB  instruction tlb entries=32 ways=32 page=4K next=L2TLB\n"
	"DTLB  data        tlb entries=32 ways=32 page=4K next=L2TLB\n"
	"L2TLB unified     tlb entries=1024 ways=4 page=4K\n";

enum { MAX_ENTRIES = 1 << 26, MAX_WORD = 128 };

struct parser {
	struct tl_xtrace_cache_config *config;
	struct tl_xtrace_cache_level *level;
	char next[TL_XTRACE_CACHE_LEVELS][TL_XTRACE_CACHE_NAME]; /* "": none */
	uint64_t entries;
	const char *wrong;
};

static const char unknown_setting[] =
	"not a setting: instruction, data, unified, tlb, shared, inclusive, or size, ways, line, "
	"entries, page, next, policy, seed, prefetch, write with = and a value";

/* ---- values ---- */

static void set_size(struct parser *p, const char *value, uint64_t *size)
{
	if (!tl_xtrace_config_size(value, size))
		p->wrong = "a size is a number from 1 on, with K, M or G behind it if wished";
}

static void set_seed(struct parser *p, const char *value)
{
	if (!tl_xtrace_config_size(value, &p->level->seed))
		p->wrong = "a seed is a number from 1 on, with K, M or G behind it if wished";
}

static void set_ways(struct parser *p, const char *value)
{
	uint64_t ways = 0;

	set_size(p, value, &ways);
	if (ways > MAX_ENTRIES)
		p->wrong = "more ways than any cache has";
	p->level->ways = (uint32_t)ways;
}

static void set_next(struct parser *p, const char *value)
{
	char *next = p->next[p->level - p->config->levels];

	if (strlen(value) >= TL_XTRACE_CACHE_NAME || !*value)
		p->wrong = "a name has 1 to 31 characters";
	else
		memcpy(next, value, strlen(value) + 1);
}

/* A word of a list that ends with NULL: its number. */
static unsigned choose(struct parser *p, const char *value, const char *const *words,
		       const char *wrong)
{
	for (unsigned i = 0; words[i]; i++)
		if (!strcmp(value, words[i]))
			return i;
	p->wrong = wrong;
	return 0;
}

static void set_policy(struct parser *p, const char *value)
{
	static const char *const words[] = {
		[TL_XTRACE_LRU] = "lru",   [TL_XTRACE_FIFO] = "fifo", [TL_XTRACE_RANDOM] = "random",
		[TL_XTRACE_PLRU] = "plru", [TL_XTRACE_RRIP] = "rrip", NULL,
	};

	p->level->policy =
		choose(p, value, words, "a policy is lru, fifo, random, plru (bits) or rrip");
}

static void set_prefetch(struct parser *p, const char *value)
{
	static const char *const words[] = { "none", "next", "stride", NULL };

	p->level->prefetch = choose(p, value, words, "prefetch is none, next or stride");
}

static void set_write(struct parser *p, const char *value)
{
	static const char *const words[] = { "back", "through", NULL };

	p->level->through = choose(p, value, words, "write is back or through");
	p->config->writes = true;
}

static void set_value(struct parser *p, const char *key, const char *value)
{
	struct tl_xtrace_cache_level *level = p->level;

	if (!strcmp(key, "size"))
		set_size(p, value, &level->size);
	else if (!strcmp(key, "line") || !strcmp(key, "page"))
		set_size(p, value, &level->line);
	else if (!strcmp(key, "entries"))
		set_size(p, value, &p->entries);
	else if (!strcmp(key, "ways"))
		set_ways(p, value);
	else if (!strcmp(key, "next"))
		set_next(p, value);
	else if (!strcmp(key, "policy"))
		set_policy(p, value);
	else if (!strcmp(key, "seed"))
		set_seed(p, value);
	else if (!strcmp(key, "prefetch"))
		set_prefetch(p, value);
	else if (!strcmp(key, "write"))
		set_write(p, value);
	else
		p->wrong = unknown_setting;
}

static void set_word(struct parser *p, const char *word)
{
	struct tl_xtrace_cache_level *level = p->level;

	if (!strcmp(word, "instruction"))
		level->side = TL_XTRACE_CACHE_INSTRUCTIONS;
	else if (!strcmp(word, "data"))
		level->side = TL_XTRACE_CACHE_DATA;
	else if (!strcmp(word, "unified"))
		level->side = TL_XTRACE_CACHE_UNIFIED;
	else if (!strcmp(word, "tlb"))
		level->tlb = true;
	else if (!strcmp(word, "shared"))
		level->shared = true;
	else if (!strcmp(word, "inclusive"))
		level->inclusive = true;
	else
		p->wrong = unknown_setting;
}

/* ---- a line ---- */

static uint32_t find_level(const struct tl_xtrace_cache_config *config, const char *name)
{
	for (uint32_t i = 0; i < config->count; i++)
		if (!strcmp(config->levels[i].name, name))
			return i;
	return TL_NONE;
}

static void begin_level(struct parser *p, const char *name)
{
	if (p->config->count == TL_XTRACE_CACHE_LEVELS)
		p->wrong = "more than 16 caches and TLBs";
	else if (strlen(name) >= TL_XTRACE_CACHE_NAME)
		p->wrong = "a name has 1 to 31 characters";
	else if (find_level(p->config, name) != TL_NONE)
		p->wrong = "this name was there already";
	if (p->wrong)
		return;
	p->level = &p->config->levels[p->config->count];
	*p->level = (struct tl_xtrace_cache_level){ .side = TL_XTRACE_CACHE_UNIFIED,
						    .next = TL_NONE,
						    .seed = 1 };
	memcpy(p->level->name, name, strlen(name) + 1);
	p->entries = 0;
}

/* Sets from the sizes: of a TLB in entries, of a cache in bytes. */
static const char *settle_sizes(struct tl_xtrace_cache_level *level, uint64_t entries)
{
	if (!level->line)
		level->line = level->tlb ? 4096 : 64;
	if (level->line & (level->line - 1) || level->line < 16)
		return "a line (page) is a power of two from 16 on";
	level->line_shift = (unsigned)__builtin_ctzll(level->line);
	if ((entries != 0) == (level->size != 0))
		return "either a size or a number of entries is needed";
	if (!entries)
		entries = level->size % level->line ? 0 : level->size / level->line;
	if (!level->ways || !entries || entries % level->ways)
		return "the size must be a multiple of ways times line size";
	if (entries > MAX_ENTRIES)
		return "larger than this simulation holds: 2^26 lines";
	level->size = entries * level->line;
	level->sets = (uint32_t)(entries / level->ways);
	return NULL;
}

static void parse_line(struct parser *p, char *line)
{
	char *rest = line, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	if (!word)
		return;
	begin_level(p, word);
	while (!p->wrong && (word = strtok_r(NULL, " \t\r", &rest))) {
		char *equals = strchr(word, '=');

		if (equals)
			*equals = '\0';
		if (equals)
			set_value(p, word, equals + 1);
		else
			set_word(p, word);
	}
	if (!p->wrong)
		p->wrong = settle_sizes(p->level, p->entries);
	if (!p->wrong)
		p->config->count++;
}

static const char *take_line(void *arg, char *line)
{
	struct parser *p = arg;

	parse_line(p, line);
	return p->wrong;
}

/* ---- the whole ---- */

static const char *link_level(struct parser *p, struct tl_xtrace_cache_level *level)
{
	const char *name = p->next[level - p->config->levels];
	const struct tl_xtrace_cache_level *next;

	if (!*name)
		return NULL;
	level->next = find_level(p->config, name);
	if (level->next == TL_NONE)
		return "there is no level of the name that next= gives";
	next = &p->config->levels[level->next];
	if (next <= level)
		return "the next level stands further down";
	if (next->tlb != level->tlb)
		return "a cache is followed by a cache, a TLB by a TLB";
	if (next->line < level->line || next->line / level->line > 4096)
		return "the next level's lines are as long, up to 4096 times longer";
	if (level->shared && !next->shared)
		return "a shared level is followed by a shared one";
	if (level->side & ~next->side)
		return "the next level does not take all that this one does";
	return NULL;
}

static bool is_next(const struct tl_xtrace_cache_config *config, uint32_t level)
{
	for (uint32_t i = 0; i < config->count; i++)
		if (config->levels[i].next == level)
			return true;
	return false;
}

/* Accesses begin at levels that follow no other. */
static const char *find_first(struct tl_xtrace_cache_config *config)
{
	memset(config->first, 0xff, sizeof(config->first));
	for (uint32_t i = 0; i < config->count; i++) {
		const struct tl_xtrace_cache_level *level = &config->levels[i];

		for (unsigned data = 0; data < 2 && !is_next(config, i); data++) {
			uint32_t *first = &config->first[level->tlb][data];

			if (!(level->side &
			      (data ? TL_XTRACE_CACHE_DATA : TL_XTRACE_CACHE_INSTRUCTIONS)))
				continue;
			if (*first != TL_NONE)
				return "two first levels for the same accesses: one lacks a next=";
			*first = i;
		}
	}
	return config->count ? NULL : "no cache is described";
}

static const char *link_levels(struct parser *p)
{
	for (uint32_t i = 0; i < p->config->count; i++) {
		const char *wrong = link_level(p, &p->config->levels[i]);

		if (wrong)
			return wrong;
	}
	return find_first(p->config);
}

int tl_xtrace_cache_parse(struct tl_xtrace_cache_config *config, const char *text, size_t size,
			  struct tl_error *err)
{
	struct parser p = { .config = config };
	int status;

	*config = (struct tl_xtrace_cache_config){ 0 };
	status = tl_xtrace_config_lines(text, size, take_line, &p, err);
	if (status < 0)
		return status;
	p.wrong = link_levels(&p);
	return p.wrong ? tl_error_at(err, TL_BAD_FORMAT, 0, p.wrong) : 0;
}
