/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TABLES_CALL_GROUPS_H
#define TL_QUERY_TABLES_CALL_GROUPS_H
/*
 * Rows put together by some of their values, for GROUP BY: SQLite would sort them, which takes ten
 * times as long. A row is some words; those that are the same in the whole group are kept once.
 * Beyond some size the words are kept in temporary files, so that memory does not grow without end.
 */
#include "core/memory.h"
#include "query/trace/table.h"

enum { TL_QUERY_WORDS = 16 };

/* The most rows that come at once. */
enum { TL_QUERY_GROUP_ROWS = 4096 };

struct tl_query_group {
	uint64_t keys[TL_QUERY_GROUP_COLUMNS];
	uint64_t rows;
	uint32_t number; /* among the groups as they were met */
	struct tl_query_chunk *first, *last;
};

/* The groups of the last rows, by some bits of their hash: most rows have no need of the index. */
enum { TL_QUERY_RECENT = 1 << 10 };

/* Zero-filled with the counts set is empty. */
struct tl_query_groups {
	size_t key_count, word_count; /* words of a row beside the keys */
	struct tl_query_group *list;
	size_t count, capacity;
	struct tl_index index;
	struct tl_query_blocks {
		char *free;
		size_t left;
		struct tl_query_block *all;
		uint64_t bytes;
	} blocks;
	uint32_t recent[TL_QUERY_RECENT];
	/* reading: */
	size_t at; /* group */
	const struct tl_query_chunk *chunk;
	uint64_t told;    /* rows of the group that came already */
	size_t row_count; /* of the present rows */
};

/*
 * Add `count` rows: a column of each key, then one of each word. 0, TL_NO_MEMORY or TL_IO.
 */
int tl_query_groups_add(struct tl_query_groups *groups, const uint64_t *const *columns,
			size_t count, struct tl_error *err);
/*
 * The group of each of `count` rows, by number, of which no words are kept: a column of each key.
 * False without memory.
 */
bool tl_query_groups_number(struct tl_query_groups *groups, const uint64_t *const *columns,
			    size_t count, uint32_t *numbers);
/* What the keys of groups are, by number. */
struct tl_query_group_order {
	enum tl_query_word words[TL_QUERY_GROUP_COLUMNS];
	bool descending[TL_QUERY_GROUP_COLUMNS];
	const struct tl_query_name *names; /* of TL_QUERY_NAME */
};

/* Groups in the order of their keys, as SQL compares them; no rows are added afterwards. */
void tl_query_groups_sort(struct tl_query_groups *groups, const struct tl_query_group_order *order);
/* Go to the next rows of a group, all of one before those of the next. False: there are none. */
bool tl_query_groups_next(struct tl_query_groups *groups);
/* Of the present rows: their keys, and a column of `row_count` words. */
const uint64_t *tl_query_groups_keys(const struct tl_query_groups *groups);
const uint64_t *tl_query_groups_words(const struct tl_query_groups *groups, size_t column);
void tl_query_groups_free(struct tl_query_groups *groups);

#endif
