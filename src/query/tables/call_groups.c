/* SPDX-License-Identifier: Apache-2.0 */
#include "query/tables/call_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"

/* Rows of a group that lie one behind the other: a column of `capacity` words, then the next. */
struct tl_query_chunk {
	struct tl_query_chunk *next;
	uint32_t used, capacity;
	uint64_t words[];
};

/* A chunk has no more rows than come at once. */
enum { FIRST_ROWS = 4, CHUNK_BYTES = TL_QUERY_GROUP_ROWS * sizeof(uint64_t) };

/* ---- blocks: memory, then temporary files ---- */

struct tl_query_block {
	struct tl_query_block *next;
	void *mapped; /* NULL: the bytes follow */
	size_t size;
};

enum { BLOCK_BYTES = 1 << 20, MAPPED_BYTES = 1 << 26 };
static const uint64_t memory_bytes = 256 << 20;

/* A file without a name, of a size that the disk has room for. Negative: errno. */
static int make_file(size_t size)
{
	const char *folder = getenv("TMPDIR");
	char *pattern;
	int fd, status;

	if (asprintf(&pattern, "%s/tracelathe-XXXXXX", folder && *folder ? folder : "/var/tmp") < 0)
		return -1;
	fd = tl_file_make_temporary(pattern);
	if (fd >= 0)
		unlink(pattern);
	free(pattern);
	if (fd < 0)
		return -1;
	status = posix_fallocate(fd, 0, (off_t)size);
	if (!status)
		return fd;
	close(fd);
	errno = status;
	return -1;
}

static int map_block(struct tl_query_blocks *blocks, struct tl_error *err)
{
	struct tl_query_block *block = calloc(1, sizeof(*block));
	int fd;

	if (!block)
		return tl_error_memory(err);
	fd = make_file(MAPPED_BYTES);
	block->mapped =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (block->mapped == MAP_FAILED) {
		free(block);
		return tl_error_system(err, "no temporary file for the groups of a statement");
	}
	block->size = MAPPED_BYTES;
	block->next = blocks->all;
	blocks->all = block;
	blocks->free = block->mapped;
	blocks->left = MAPPED_BYTES;
	blocks->bytes += MAPPED_BYTES;
	return 0;
}

static int add_block(struct tl_query_blocks *blocks, struct tl_error *err)
{
	struct tl_query_block *block;

	if (blocks->bytes >= memory_bytes)
		return map_block(blocks, err);
	block = malloc(sizeof(*block) + BLOCK_BYTES);
	if (!block)
		return tl_error_memory(err);
	*block = (struct tl_query_block){ .next = blocks->all };
	blocks->all = block;
	blocks->free = (char *)(block + 1);
	blocks->left = BLOCK_BYTES;
	blocks->bytes += BLOCK_BYTES;
	return 0;
}

/* ---- rows ---- */

/* A chunk of rows behind the last one of a group. */
static int add_chunk(struct tl_query_groups *groups, struct tl_query_group *group,
		     struct tl_error *err)
{
	size_t row_bytes = groups->word_count * sizeof(uint64_t);
	uint32_t rows = group->last ? group->last->capacity * 2 : FIRST_ROWS;
	struct tl_query_chunk *chunk;
	size_t size;
	int status = 0;

	if (rows * row_bytes > CHUNK_BYTES)
		rows = (uint32_t)(CHUNK_BYTES / row_bytes);
	size = sizeof(*chunk) + rows * row_bytes;
	if (groups->blocks.left < size)
		status = add_block(&groups->blocks, err);
	if (status < 0)
		return status;
	chunk = (struct tl_query_chunk *)(void *)groups->blocks.free;
	groups->blocks.free += size;
	groups->blocks.left -= size;
	chunk->next = NULL;
	chunk->used = 0;
	chunk->capacity = rows;
	if (group->last)
		group->last->next = chunk;
	else
		group->first = chunk;
	group->last = chunk;
	return 0;
}

static bool same_keys(const void *context, const void *key, uint32_t number)
{
	const struct tl_query_groups *groups = context;
	const uint64_t *have = groups->list[number].keys, *wanted = key;

	for (size_t i = 0; i < groups->key_count; i++)
		if (have[i] != wanted[i])
			return false;
	return true;
}

/* The number of a group, TL_NONE without memory. */
static uint32_t look_up(struct tl_query_groups *groups, const uint64_t *keys, uint64_t hash)
{
	uint32_t number = tl_index_find(&groups->index, hash, same_keys, groups, keys);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&groups->list, &groups->capacity, groups->count + 1, sizeof(*groups->list)) ||
	    !tl_index_add(&groups->index, hash, (uint32_t)groups->count))
		return TL_NONE;
	groups->list[groups->count] = (struct tl_query_group){ .number = (uint32_t)groups->count };
	memcpy(groups->list[groups->count].keys, keys, groups->key_count * sizeof(*keys));
	return (uint32_t)groups->count++;
}

static uint32_t find_group(struct tl_query_groups *groups, const uint64_t *keys)
{
	uint64_t hash = 0;
	uint32_t *recent;

	for (size_t i = 0; i < groups->key_count; i++)
		hash = tl_hash_pair(hash, keys[i]);
	recent = &groups->recent[hash % TL_QUERY_RECENT];
	if (*recent >= groups->count || !same_keys(groups, keys, *recent))
		*recent = look_up(groups, keys, hash);
	return *recent;
}

/* Room for one more row in the last chunk of a group. */
static int have_room(struct tl_query_groups *groups, struct tl_query_group *group,
		     struct tl_error *err)
{
	const struct tl_query_chunk *chunk = group->last;

	if (chunk && chunk->used < chunk->capacity)
		return 0;
	return add_chunk(groups, group, err);
}

int tl_query_groups_add(struct tl_query_groups *groups, const uint64_t *const *columns,
			size_t count, struct tl_error *err)
{
	const uint64_t *const *words = columns + groups->key_count;
	uint64_t keys[TL_QUERY_GROUP_COLUMNS] = { 0 };

	for (size_t row = 0; row < count; row++) {
		struct tl_query_chunk *chunk;
		uint32_t number;

		for (size_t i = 0; i < groups->key_count; i++)
			keys[i] = columns[i][row];
		number = find_group(groups, keys);
		if (number == TL_NONE)
			return tl_error_memory(err);
		if (groups->word_count) {
			int status = have_room(groups, &groups->list[number], err);

			if (status < 0)
				return status;
			chunk = groups->list[number].last;
			for (size_t i = 0; i < groups->word_count; i++)
				chunk->words[i * chunk->capacity + chunk->used] = words[i][row];
			chunk->used++;
		}
		groups->list[number].rows++;
	}
	return 0;
}

bool tl_query_groups_number(struct tl_query_groups *groups, const uint64_t *const *columns,
			    size_t count, uint32_t *numbers)
{
	uint64_t keys[TL_QUERY_GROUP_COLUMNS] = { 0 };
	uint32_t number = TL_NONE;

	for (size_t row = 0; row < count; row++) {
		bool same = number != TL_NONE;

		/* Threads, and often depths, are those of the row before. */
		for (size_t i = 0; i < groups->key_count; i++) {
			same &= keys[i] == columns[i][row];
			keys[i] = columns[i][row];
		}
		if (!same)
			number = find_group(groups, keys);
		if (number == TL_NONE)
			return false;
		numbers[row] = number;
	}
	return true;
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct tl_query_name *a, const struct tl_query_name *b)
{
	const int difference = memcmp(a->text, b->text, tl_min(a->size, b->size));

	return difference ? difference : compare_numbers(a->size, b->size);
}

/* What is unknown is NULL in SQL, which comes first. */
static int compare_words(const struct tl_query_group_order *order, size_t key, uint64_t a,
			 uint64_t b)
{
	switch (order->words[key]) {
	case TL_QUERY_NAME:
		return compare_names(&order->names[a], &order->names[b]);
	case TL_QUERY_SIGNED:
		return compare_numbers(a + INT64_MAX + 1, b + INT64_MAX + 1);
	case TL_QUERY_KNOWN:
		break;
	}
	return compare_numbers(a + 1, b + 1);
}

struct sorting {
	const struct tl_query_group_order *order;
	size_t key_count;
};

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct tl_query_group *a = left, *b = right;
	const struct sorting *sorting = context;
	int difference = 0;

	for (size_t i = 0; !difference && i < sorting->key_count; i++) {
		const bool descending = sorting->order->descending[i];

		difference = compare_words(sorting->order, i, (descending ? b : a)->keys[i],
					   (descending ? a : b)->keys[i]);
	}
	return difference;
}

void tl_query_groups_sort(struct tl_query_groups *groups, const struct tl_query_group_order *order)
{
	struct sorting sorting = { .order = order, .key_count = groups->key_count };

	if (groups->count)
		qsort_r(groups->list, groups->count, sizeof(*groups->list), compare_groups,
			&sorting);
}

/* ---- reading ---- */

bool tl_query_groups_next(struct tl_query_groups *groups)
{
	uint64_t left;

	if (groups->at < groups->count && groups->told == groups->list[groups->at].rows) {
		groups->at++;
		groups->told = 0;
		groups->chunk = NULL;
	}
	if (groups->at == groups->count)
		return false;
	groups->chunk = groups->chunk ? groups->chunk->next : groups->list[groups->at].first;
	left = groups->list[groups->at].rows - groups->told;
	if (groups->chunk)
		left = groups->chunk->used;
	groups->row_count = left < TL_QUERY_GROUP_ROWS ? (size_t)left : TL_QUERY_GROUP_ROWS;
	groups->told += groups->row_count;
	return true;
}

const uint64_t *tl_query_groups_keys(const struct tl_query_groups *groups)
{
	return groups->list[groups->at].keys;
}

const uint64_t *tl_query_groups_words(const struct tl_query_groups *groups, size_t column)
{
	return groups->chunk->words + column * groups->chunk->capacity;
}

void tl_query_groups_free(struct tl_query_groups *groups)
{
	while (groups->blocks.all) {
		struct tl_query_block *block = groups->blocks.all;

		groups->blocks.all = block->next;
		if (block->mapped)
			munmap(block->mapped, block->size);
		free(block);
	}
	free(groups->list);
	tl_index_free(&groups->index);
}
