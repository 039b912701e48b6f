/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_MEMORY_H
#define TL_CORE_MEMORY_H
/* Growing arrays, an arena for objects that are freed together, hash indexes, interned strings. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Make room for `want` elements of `element` bytes in the array at *array (capacity *capacity).
 * Grows by half, zeroes nothing. False without memory; the array is then unchanged.
 */
bool tl_grow(void *array, size_t *capacity, size_t want, size_t element);
/* Give back what an array that grows no more has beside its `count` elements. */
void tl_shrink(void *array, size_t *capacity, size_t count, size_t element);

/*
 * calloc() for large arrays; one element more than asked for, so that NULL always means "no
 * memory", also for a count of 0.
 */
void *tl_zeroed(size_t count, size_t element);

/*
 * malloc() and calloc() of a count that a file says: on a machine of 32 bits the bytes may be more
 * than there are addresses for, which is to have no memory.
 */
static inline void *tl_alloc_many(uint64_t count, size_t element)
{
	return count <= SIZE_MAX / element ? malloc((size_t)count * element) : NULL;
}

static inline void *tl_alloc_zeroed(uint64_t count, size_t element)
{
	return count <= SIZE_MAX / element ? calloc((size_t)count, element) : NULL;
}

/* A chain of blocks that is freed whole. Zero-filled is an empty arena. */
struct tl_arena {
	struct tl_arena_block *blocks;
	char *free;
	size_t left;
	size_t total; /* bytes in blocks shared by small allocations */
};

/* `size` bytes, aligned for any type; NULL without memory. Not zeroed. */
void *tl_arena_alloc(struct tl_arena *arena, size_t size);
/* A terminated copy of `size` bytes. */
char *tl_arena_copy(struct tl_arena *arena, const char *text, size_t size);
/* Give the memory of another arena to this one, which frees it then; the other one is empty. */
void tl_arena_join(struct tl_arena *arena, struct tl_arena *other);
void tl_arena_free(struct tl_arena *arena);

/*
 * An index from keys to 32-bit numbers of the caller's own arrays: open addressing over (hash,
 * number) pairs. Keys are compared by the caller. Zero-filled is an empty index.
 */
struct tl_index {
	struct tl_index_slot *slots;
	size_t mask; /* capacity - 1, 0: none yet */
	size_t count;
};

struct tl_index_slot {
	uint32_t hash;
	uint32_t number; /* TL_NONE: empty */
};

typedef bool tl_index_equal_fn(const void *context, const void *key, uint32_t number);

/* The number stored for a key, TL_NONE when there is none. */
uint32_t tl_index_find(const struct tl_index *index, uint64_t hash, tl_index_equal_fn *equal,
		       const void *context, const void *key);
/* Store a key that is not there yet. False without memory. */
bool tl_index_add(struct tl_index *index, uint64_t hash, uint32_t number);
void tl_index_free(struct tl_index *index);

/* Hashes: any bytes; one and two numbers. */
uint64_t tl_hash_bytes(const void *data, size_t size);

static inline uint64_t tl_hash64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

static inline uint64_t tl_hash_pair(uint64_t a, uint64_t b)
{
	return tl_hash64(a * 0xff51afd7ed558ccdu + b);
}

/*
 * Interned strings: the same text has the same number and address. Number 0 is "". Zero-filled is
 * empty.
 */
struct tl_names {
	struct tl_arena arena;
	struct tl_index index;
	struct tl_name *names;
	size_t count, capacity;
};

struct tl_name {
	const char *text;
	size_t size;
};

/* The number of a text, added if new; TL_NONE without memory. */
uint32_t tl_names_add(struct tl_names *names, const char *text, size_t size);
/* The same of a terminated text that is there for as long as the names are: it is not copied. */
uint32_t tl_names_lend(struct tl_names *names, const char *text, size_t size);
/* The address of an interned copy of a terminated text; NULL without memory. */
const char *tl_names_text(struct tl_names *names, const char *text);
/* Room for `count` more names. False without memory. */
bool tl_names_reserve(struct tl_names *names, size_t count);
/*
 * Add a terminated text, which is in the arena of the names, to room that was reserved; it is not
 * there yet. It costs no look-up: names are indexed when one is looked up for the first time.
 */
void tl_names_append(struct tl_names *names, const char *text, size_t size);
void tl_names_free(struct tl_names *names);

#endif
