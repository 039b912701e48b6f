/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arithmetic.h"
#include "core/memory.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>

#include <tracelathe/core.h>

/*
 * From this size on memory is worth large pages: mapping and clearing it page by page would take
 * longer than filling it.
 */
enum { LARGE = 4 << 20, SMALL_PAGE = 4096, LARGE_PAGE = 2 << 20 };

/*
 * Whole pages, those at both ends too: a mapping of which only a part were advised would be two for
 * the system, which realloc() then cannot move but must copy.
 */
static void prefer_large_pages(void *data, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t start = (uintptr_t)data & ~(uintptr_t)(SMALL_PAGE - 1);
	uintptr_t end = ((uintptr_t)data + size + SMALL_PAGE - 1) & ~(uintptr_t)(SMALL_PAGE - 1);

	/* Advice: whether it is followed makes no difference but in time. */
	if (size >= LARGE)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
	(void)data;
	(void)size;
#endif
}

bool tl_grow(void *array, size_t *capacity, size_t want, size_t element)
{
	size_t next = *capacity + *capacity / 2 + 16;
	void *old, *grown;

	if (want <= *capacity)
		return true;
	if (next < want)
		next = want;
	if (next > PTRDIFF_MAX / element)
		return false;
	memcpy(&old, array, sizeof(old));
	grown = realloc(old, next * element);
	if (!grown)
		return false;
	prefer_large_pages(grown, next * element);
	memcpy(array, &grown, sizeof(grown));
	*capacity = next;
	return true;
}

void tl_shrink(void *array, size_t *capacity, size_t count, size_t element)
{
	void *old, *shrunk = NULL;

	if (count == *capacity)
		return;
	memcpy(&old, array, sizeof(old));
	if (!count)
		free(old);
	else if (!(shrunk = realloc(old, count * element)))
		return;
	memcpy(array, &shrunk, sizeof(shrunk));
	*capacity = count;
}

void *tl_zeroed(size_t count, size_t element)
{
	void *made = count < PTRDIFF_MAX / element ? calloc(count + 1, element) : NULL;

	if (made)
		prefer_large_pages(made, (count + 1) * element);
	return made;
}

/* ---- arena ---- */

/* With its heads a largest block is a whole number of large pages, which the system then aligns. */
enum {
	ARENA_HEADS = 64,
	ARENA_BLOCK = 16 * 1024,
	ARENA_LARGE_BLOCK = 4 * LARGE_PAGE - ARENA_HEADS
};

struct tl_arena_block {
	struct tl_arena_block *next;
	alignas(max_align_t) char data[];
};

static char *arena_block(struct tl_arena *arena, size_t size)
{
	struct tl_arena_block *block;

	if (size > PTRDIFF_MAX - sizeof(*block))
		return NULL;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	prefer_large_pages(block, sizeof(*block) + size);
	block->next = arena->blocks;
	arena->blocks = block;
	return block->data;
}

/*
 * Blocks grow with the arena: a quarter of its size, rounded down to a multiple of the smallest
 * block.
 */
static size_t next_block(const struct tl_arena *arena)
{
	size_t size = arena->total / 4 / ARENA_BLOCK * ARENA_BLOCK;

	if (size < ARENA_BLOCK)
		return ARENA_BLOCK;
	return tl_min(size, ARENA_LARGE_BLOCK);
}

static char *arena_take(struct tl_arena *arena, size_t size)
{
	char *taken;

	if (size > arena->left) {
		size_t block = next_block(arena);

		if (size > ARENA_BLOCK / 4)
			return arena_block(arena, size);
		taken = arena_block(arena, block);
		if (!taken)
			return NULL;
		arena->free = taken;
		arena->left = block;
		arena->total += block;
	}
	taken = arena->free;
	arena->free += size;
	arena->left -= size;
	return taken;
}

void *tl_arena_alloc(struct tl_arena *arena, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t pad = arena->left % align;

	/*
	 * Blocks end aligned, so the number of bytes left gives the alignment of the first free
	 * byte. An empty arena has no bytes left.
	 */
	if (pad) {
		arena->free += pad;
		arena->left -= pad;
	}
	if (size > PTRDIFF_MAX - align)
		return NULL;
	/* No bytes have an address too: NULL says only "no memory". */
	return arena_take(arena, size ? (size + align - 1) / align * align : align);
}

void tl_arena_join(struct tl_arena *arena, struct tl_arena *other)
{
	struct tl_arena_block **end = &other->blocks;

	while (*end)
		end = &(*end)->next;
	*end = arena->blocks;
	arena->blocks = other->blocks;
	arena->total += other->total;
	*other = (struct tl_arena){ 0 };
}

char *tl_arena_copy(struct tl_arena *arena, const char *text, size_t size)
{
	char *copy = size < PTRDIFF_MAX ? arena_take(arena, size + 1) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

void tl_arena_free(struct tl_arena *arena)
{
	for (struct tl_arena_block *block = arena->blocks, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	*arena = (struct tl_arena){ 0 };
}

/* ---- index ---- */

uint32_t tl_index_find(const struct tl_index *index, uint64_t hash, tl_index_equal_fn *equal,
		       const void *context, const void *key)
{
	if (!index->slots)
		return TL_NONE;
	for (size_t i = (uint32_t)hash & index->mask;; i = (i + 1) & index->mask) {
		const struct tl_index_slot *slot = &index->slots[i];

		if (slot->number == TL_NONE)
			return TL_NONE;
		if (slot->hash == (uint32_t)hash && equal(context, key, slot->number))
			return slot->number;
	}
}

static void index_put(struct tl_index_slot *slots, size_t mask, struct tl_index_slot slot,
		      size_t at)
{
	while (slots[at & mask].number != TL_NONE)
		at++;
	slots[at & mask] = slot;
}

static bool index_grow(struct tl_index *index)
{
	size_t capacity = index->slots ? (index->mask + 1) * 2 : 16;
	struct tl_index_slot *slots;

	if (capacity > PTRDIFF_MAX / sizeof(*slots))
		return false;
	slots = malloc(capacity * sizeof(*slots));
	if (!slots)
		return false;
	prefer_large_pages(slots, capacity * sizeof(*slots));
	memset(slots, 0xff, capacity * sizeof(*slots));
	for (size_t i = 0; index->slots && i <= index->mask; i++)
		if (index->slots[i].number != TL_NONE)
			index_put(slots, capacity - 1, index->slots[i], index->slots[i].hash);
	free(index->slots);
	index->slots = slots;
	index->mask = capacity - 1;
	return true;
}

bool tl_index_add(struct tl_index *index, uint64_t hash, uint32_t number)
{
	if ((!index->slots || index->count + index->count / 2 >= index->mask) && !index_grow(index))
		return false;
	index_put(index->slots, index->mask, (struct tl_index_slot){ (uint32_t)hash, number },
		  (uint32_t)hash);
	index->count++;
	return true;
}

void tl_index_free(struct tl_index *index)
{
	free(index->slots);
	*index = (struct tl_index){ 0 };
}

/*
 * Two words at a time, each in its own lane, so that the multiplications do not wait for each
 * other.
 */
static const unsigned char *hash_words(const unsigned char *bytes, size_t *size, uint64_t lanes[2])
{
	for (; *size >= 16; *size -= 16, bytes += 16) {
		uint64_t words[2];

		memcpy(words, bytes, sizeof(words));
		for (int i = 0; i < 2; i++) {
			lanes[i] = (lanes[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
			lanes[i] ^= lanes[i] >> 32;
		}
	}
	return bytes;
}

/* One to seven bytes as a number: names are short, so that a loop over these would cost most. */
static uint64_t last_bytes(const unsigned char *bytes, size_t size)
{
	uint32_t first, last;

	if (size < 4)
		return bytes[0] | (uint64_t)bytes[size / 2] << 8 | (uint64_t)bytes[size - 1] << 16;
	memcpy(&first, bytes, sizeof(first));
	memcpy(&last, bytes + size - sizeof(last), sizeof(last));
	return first | (uint64_t)last << 32;
}

uint64_t tl_hash_bytes(const void *data, size_t size)
{
	uint64_t lanes[2] = { size, 0x94d049bb133111ebu }, word;
	const unsigned char *bytes = hash_words(data, &size, lanes);
	uint64_t hash = tl_hash_pair(lanes[0], lanes[1]);

	if (size >= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = tl_hash_pair(hash, word);
		bytes += sizeof(word);
		size -= sizeof(word);
	}
	return size ? tl_hash_pair(hash, last_bytes(bytes, size)) : hash;
}

/* ---- names ---- */

static bool same_name(const void *context, const void *key, uint32_t number)
{
	const struct tl_names *names = context;
	const struct tl_name *wanted = key;
	const struct tl_name *have = &names->names[number];

	return have->size == wanted->size && !memcmp(have->text, wanted->text, have->size);
}

/* One more name at an address that stays. */
static uint32_t names_put(struct tl_names *names, const char *text, size_t size)
{
	if (!text || names->count >= TL_NONE ||
	    !tl_grow(&names->names, &names->capacity, names->count + 1, sizeof(*names->names)))
		return TL_NONE;
	names->names[names->count] = (struct tl_name){ text, size };
	return (uint32_t)names->count++;
}

/* The same, found by its text from here on. */
static uint32_t names_put_indexed(struct tl_names *names, uint64_t hash, const char *text,
				  size_t size)
{
	uint32_t number = names_put(names, text, size);

	if (number != TL_NONE && !tl_index_add(&names->index, hash, number)) {
		names->count--;
		return TL_NONE;
	}
	return number;
}

static uint32_t find_name(const struct tl_names *names, uint64_t hash, const char *text,
			  size_t size)
{
	struct tl_name key = { text, size };

	return tl_index_find(&names->index, hash, same_name, names, &key);
}

/* Number 0 is "". Names that were appended are indexed here. */
static bool names_begin(struct tl_names *names)
{
	if (!names->count)
		return names_put_indexed(names, tl_hash_bytes("", 0), "", 0) != TL_NONE;
	while (names->index.count < names->count) {
		const struct tl_name *name = &names->names[names->index.count];

		if (!tl_index_add(&names->index, tl_hash_bytes(name->text, name->size),
				  (uint32_t)names->index.count))
			return false;
	}
	return true;
}

bool tl_names_reserve(struct tl_names *names, size_t count)
{
	return count < TL_NONE - names->count &&
	       tl_grow(&names->names, &names->capacity, names->count + count,
		       sizeof(*names->names));
}

void tl_names_append(struct tl_names *names, const char *text, size_t size)
{
	names->names[names->count++] = (struct tl_name){ text, size };
}

static uint32_t names_add(struct tl_names *names, const char *text, size_t size, bool lent)
{
	uint64_t hash = tl_hash_bytes(text, size);
	uint32_t found;

	if (!names_begin(names))
		return TL_NONE;
	found = find_name(names, hash, text, size);
	if (found != TL_NONE)
		return found;
	if (!lent)
		text = tl_arena_copy(&names->arena, text, size);
	return names_put_indexed(names, hash, text, size);
}

uint32_t tl_names_add(struct tl_names *names, const char *text, size_t size)
{
	return names_add(names, text, size, false);
}

uint32_t tl_names_lend(struct tl_names *names, const char *text, size_t size)
{
	return names_add(names, text, size, true);
}

const char *tl_names_text(struct tl_names *names, const char *text)
{
	uint32_t number = tl_names_add(names, text, strlen(text));

	return number == TL_NONE ? NULL : names->names[number].text;
}

void tl_names_free(struct tl_names *names)
{
	tl_arena_free(&names->arena);
	tl_index_free(&names->index);
	free(names->names);
	*names = (struct tl_names){ 0 };
}
