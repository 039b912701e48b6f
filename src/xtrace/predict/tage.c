/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/predict/tage.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

enum {
	SHORTEST = 4, /* history of the first table */
	TAG_BITS = 11,
	NO_TAG = 0xffff,
	/* A counter of three bits: 0 and above is taken. */
	LOWEST = -4,
	HIGHEST = 3,
	USEFUL = 3,
	/* So many branches, and all are half as useful. */
	AGE = 1 << 18,
	HISTORY = 4096, /* bits that are kept, a power of two; more than any table sees */
};

struct entry {
	uint16_t tag;
	int8_t counter;
	uint8_t useful;
};

/* The youngest `length` bits of the history, in `width` bits: bit n is XORed to n % width. */
struct folded {
	uint32_t value, length, width;
};

struct table {
	struct entry *entries;
	struct folded index, tag, tag_less;
	/* of the present branch */
	struct entry *found;
	uint16_t wanted;
};

struct tl_xtrace_tage {
	struct table tables[TL_XTRACE_TAGE_TABLES];
	uint32_t count, mask, bits; /* tables; entries - 1, and its bits */
	uint8_t *base;              /* counters of two bits: 2 and above is taken */
	uint32_t base_mask;
	uint8_t history[HISTORY]; /* a ring; the youngest is at `youngest` */
	uint32_t youngest;
	uint64_t branches;
};

/* ---- history ---- */

static void fold_bit(struct folded *f, uint32_t bit, uint32_t gone)
{
	uint32_t mask = (UINT32_C(1) << f->width) - 1;

	f->value = (f->value << 1 | f->value >> (f->width - 1)) & mask;
	f->value ^= bit ^ gone << f->length % f->width;
}

static void push_history(struct tl_xtrace_tage *t, bool taken)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct table *table = &t->tables[i];
		uint32_t gone = t->history[(t->youngest - table->index.length + 1) & (HISTORY - 1)];

		fold_bit(&table->index, taken, gone);
		fold_bit(&table->tag, taken, gone);
		fold_bit(&table->tag_less, taken, gone);
	}
	t->youngest = (t->youngest + 1) & (HISTORY - 1);
	t->history[t->youngest] = taken;
}

/* Lengths from SHORTEST to the longest, each so many times the one before. */
static uint32_t length_of(const struct tl_xtrace_predictor_spec *spec, uint32_t table)
{
	double first = SHORTEST, ratio = spec->history / first;

	if (spec->tables == 1)
		return spec->history;
	return (uint32_t)(first * pow(ratio, (double)table / (spec->tables - 1)) + 0.5);
}

/* ---- a branch ---- */

static void look_up(struct tl_xtrace_tage *t, uint64_t pc)
{
	uint64_t place = pc >> 2;

	for (uint32_t i = 0; i < t->count; i++) {
		struct table *table = &t->tables[i];
		uint64_t index = place ^ place >> t->bits ^ table->index.value;

		table->wanted = (uint16_t)((place ^ table->tag.value ^
					    (uint64_t)table->tag_less.value << 1) &
					   ((1 << TAG_BITS) - 1));
		table->found = &table->entries[index & t->mask];
	}
}

/* The table of the longest history below `below` that has the branch; `count`: none. */
static uint32_t provider_below(const struct tl_xtrace_tage *t, uint32_t below)
{
	for (uint32_t i = below; i--;)
		if (t->tables[i].found->tag == t->tables[i].wanted)
			return i;
	return t->count;
}

static bool says(const struct tl_xtrace_tage *t, uint32_t table, const uint8_t *base)
{
	return table < t->count ? t->tables[table].found->counter >= 0 : *base >= 2;
}

static void learn_entry(struct entry *entry, bool taken)
{
	if (taken && entry->counter < HIGHEST)
		entry->counter++;
	else if (!taken && entry->counter > LOWEST)
		entry->counter--;
}

static void learn_base(uint8_t *base, bool taken)
{
	if (taken && *base < 3)
		++*base;
	else if (!taken && *base)
		--*base;
}

/* An entry of a longer history, where one is of no use. */
static void allocate(struct tl_xtrace_tage *t, uint32_t from, bool taken)
{
	for (uint32_t i = from; i < t->count; i++)
		if (!t->tables[i].found->useful) {
			*t->tables[i].found = (struct entry){ .tag = t->tables[i].wanted,
							      .counter = taken ? 0 : -1 };
			return;
		}
	for (uint32_t i = from; i < t->count; i++)
		t->tables[i].found->useful--;
}

static void judge(struct entry *entry, bool right)
{
	if (right && entry->useful < USEFUL)
		entry->useful++;
	else if (!right && entry->useful)
		entry->useful--;
}

static void grow_old(struct tl_xtrace_tage *t)
{
	if (++t->branches % AGE)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		for (uint32_t at = 0; at <= t->mask; at++)
			t->tables[i].entries[at].useful >>= 1;
}

bool tl_xtrace_tage_predict(struct tl_xtrace_tage *t, uint64_t pc, bool taken)
{
	uint8_t *base = &t->base[(pc >> 2) & t->base_mask];
	uint32_t provider, other;
	bool said, other_said;

	look_up(t, pc);
	provider = provider_below(t, t->count);
	other = provider < t->count ? provider_below(t, provider) : t->count;
	said = says(t, provider, base);
	other_said = says(t, other, base);
	if (provider < t->count) {
		if (said != other_said)
			judge(t->tables[provider].found, said == taken);
		learn_entry(t->tables[provider].found, taken);
	} else {
		learn_base(base, taken);
	}
	if (said != taken)
		allocate(t, provider < t->count ? provider + 1 : 0, taken);
	grow_old(t);
	push_history(t, taken);
	return said == taken;
}

/* ---- beginning and end ---- */

static bool make_table(struct table *table, const struct tl_xtrace_predictor_spec *spec,
		       uint32_t number, uint32_t bits)
{
	uint32_t length = length_of(spec, number);

	table->index = (struct folded){ .length = length, .width = bits };
	table->tag = (struct folded){ .length = length, .width = TAG_BITS };
	table->tag_less = (struct folded){ .length = length, .width = TAG_BITS - 1 };
	table->entries = tl_zeroed(spec->entries, sizeof(*table->entries));
	for (uint32_t i = 0; table->entries && i < spec->entries; i++)
		table->entries[i].tag = NO_TAG;
	return table->entries;
}

struct tl_xtrace_tage *tl_xtrace_tage_new(const struct tl_xtrace_predictor_spec *spec)
{
	struct tl_xtrace_tage *t = calloc(1, sizeof(*t));
	bool good;

	if (!t)
		return NULL;
	t->mask = spec->entries - 1;
	t->bits = (uint32_t)__builtin_ctz(spec->entries);
	t->base_mask = spec->base - 1;
	t->base = tl_zeroed(spec->base, sizeof(*t->base));
	good = t->base;
	for (uint32_t i = 0; good && i < spec->base; i++)
		t->base[i] = 1;
	while (good && t->count < spec->tables) {
		good = make_table(&t->tables[t->count], spec, t->count, t->bits);
		t->count++;
	}
	if (good)
		return t;
	tl_xtrace_tage_free(t);
	return NULL;
}

void tl_xtrace_tage_free(struct tl_xtrace_tage *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		free(t->tables[i].entries);
	free(t->base);
	free(t);
}
