/* SPDX-License-Identifier: Apache-2.0 */
#include "folded/frames.h"

#include <string.h>

#include "core/cursor.h"

enum { FIRST_SLOTS = 1024 };

static const char no_name[] = "???";

void tl_folded_frames_free(struct tl_folded_frames *f)
{
	free(f->slots);
	f->slots = NULL;
}

/* ---- the text of a frame ---- */

/* The highest bit of each byte of a word that is a ';', exact up to the first of them. */
static inline uint64_t separators(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u, others = word ^ ones * ';';

	return (others - ones) & ~others & ones << 7;
}

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/* The first `count` bytes of a word, 0 to 7. */
static inline uint64_t first_bytes(uint64_t word, size_t count)
{
	return word & (((uint64_t)1 << 8 * count) - 1);
}

const uint8_t *tl_folded_frame_end(const struct tl_folded_frames *f, const uint8_t *text,
				   const uint8_t *end, uint32_t *hash)
{
	uint64_t sum = 0, word = 0;
	const uint8_t *p = text;
	size_t last;

	for (; end - p >= 8; p += 8) {
		word = tl_le64(p);
		if (separators(word))
			break;
		sum = mix(sum, word);
	}
	last = (size_t)(end - p);
	if (last) {
		word = tl_le64(p);
		/* What lies behind `end` may be a ';', too. */
		if (separators(word) && (size_t)__builtin_ctzll(separators(word)) / 8 < last)
			last = (size_t)__builtin_ctzll(separators(word)) / 8;
		sum = mix(sum, first_bytes(word, last));
	}
	*hash = (uint32_t)mix(sum, (uint64_t)(p + last - text));
	if (f->slots)
		__builtin_prefetch(&f->slots[*hash & f->mask]);
	return p + last;
}

static inline uint64_t first_word(const uint8_t *text, size_t size)
{
	return size < 8 ? first_bytes(tl_le64(text), size) : tl_le64(text);
}

/* ---- the table ---- */

static void put(struct tl_folded_slot *slots, size_t mask, const struct tl_folded_slot *slot)
{
	size_t at = slot->hash & mask;

	while (slots[at].text)
		at = (at + 1) & mask;
	slots[at] = *slot;
}

static bool grow(struct tl_folded_frames *f)
{
	const size_t slots = f->slots ? 2 * (f->mask + 1) : FIRST_SLOTS;
	struct tl_folded_slot *grown = tl_alloc_zeroed(slots, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; f->slots && i <= f->mask; i++)
		if (f->slots[i].text)
			put(grown, slots - 1, &f->slots[i]);
	free(f->slots);
	f->slots = grown;
	f->mask = slots - 1;
	return true;
}

/* The number of a frame that is not in the table, which it is in from now on. */
static uint32_t add(struct tl_folded_frames *f, const char *text, size_t size, uint32_t hash)
{
	const uint32_t name = size ? tl_names_add(&f->stacks->names, text, size)
				   : tl_names_add(&f->stacks->names, no_name, strlen(no_name));
	struct tl_folded_slot slot = { .size = (uint32_t)size, .hash = hash };

	if (name == TL_NONE)
		return TL_NONE;
	slot.first = first_word((const uint8_t *)text, size);
	slot.text = f->stacks->names.names[name].text;
	slot.frame = tl_foreign_stacks_of_name(f->stacks, name);
	if (slot.frame == TL_NONE || (f->count >= f->mask / 4 * 3 && !grow(f)))
		return TL_NONE;
	put(f->slots, f->mask, &slot);
	f->count++;
	return slot.frame;
}

/*
 * Whether the text of a slot goes on as another one of its size, behind the first eight bytes: word
 * by word, the last of which may reach back into the one before.
 */
static inline bool goes_on_as(const struct tl_folded_slot *slot, const uint8_t *text, size_t size)
{
	const uint8_t *have = (const uint8_t *)slot->text;

	if (size <= 8)
		return true;
	for (size_t i = 8; i + 8 < size; i += 8)
		if (tl_get64(have + i) != tl_get64(text + i))
			return false;
	return tl_get64(have + size - 8) == tl_get64(text + size - 8);
}

uint32_t tl_folded_frame(struct tl_folded_frames *f, const uint8_t *text, size_t size,
			 uint32_t hash)
{
	const uint64_t first = first_word(text, size);

	for (size_t at = hash & f->mask; f->slots && f->slots[at].text; at = (at + 1) & f->mask) {
		const struct tl_folded_slot *slot = &f->slots[at];

		if (slot->hash == hash && slot->first == first && slot->size == size &&
		    goes_on_as(slot, text, size))
			return slot->frame;
	}
	return add(f, (const char *)text, size, hash);
}
