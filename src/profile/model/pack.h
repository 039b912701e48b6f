/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_PACK_H
#define TL_PROFILE_PACK_H
/*
 * Cost lines, arcs and jumps as a few bytes each, for who only wants to write them again: a line of
 * thirteen events is 160 bytes in the arrays of a profile, and about 10 here. The items of one
 * function in one part are a run, in the order in which they were added: places are differences to
 * the item before, and costs the values up to the last one that is not 0. Equal items are not
 * summed; the reader does that. Numbers of items say which of several runs came first; an item
 * whose number follows that of the item before has no byte for it.
 *
 * A run that is read from a profile file has rows of that file instead, as the bytes that they are
 * there: who writes them to a file copies them (tl_pack_rows).
 */
#include "core/memory.h"
#include "core/varint.h"

enum tl_pack_kind { TL_PACK_LINE, TL_PACK_ARC, TL_PACK_JUMP, TL_PACK_KINDS };

struct tl_pack_place {
	uint64_t address, block;
	uint32_t line;
	uint32_t file; /* number of a name of the profile */
};

struct tl_pack_item {
	enum tl_pack_kind kind;
	bool conditional;
	uint32_t target;             /* arc, jump: the function that it leads to */
	struct tl_pack_place at, to; /* to: of arcs and jumps */
	uint64_t count, taken;       /* calls; executions of a jump and those that jumped */
	uint32_t number;             /* of an item that was read: its place among all items */
	uint32_t cost_count;         /* by event; those behind are 0 */
	/*
	 * Of an item that was read: for tl_pack_costs(), LEB128 of zigzag each. Behind them at
	 * least eight bytes can be read.
	 */
	const uint8_t *costs;
	/* Of a row: the costs are in groups, of which the first one has these bits left. */
	bool grouped;
	uint8_t bits, bit_count;
};

/* The bytes of a run are in a chain of chunks; no item is in two of them. */
struct tl_pack_chunk {
	struct tl_pack_chunk *next;
	uint32_t used, size;
	uint8_t data[];
};

/* What the rows of a file have in common. */
struct tl_pack_origin {
	const uint32_t *order; /* by row: the item's number less `first`; NULL: that of the row */
	uint32_t first, end;   /* no number is less, or as large */
	const uint32_t *functions; /* by place in the file: their numbers; NULL: the same */
};

/* What the next row's keys are differences to. */
struct tl_pack_keys {
	struct tl_pack_place at;
	struct tl_pack_place to; /* only of arcs */
	uint32_t target;         /* by place in the file */
};

/*
 * Lines, or arcs, of a run, one behind the other in a profile file: rows in the one form that
 * docs/formats/profile.md ("Rows") has for each, in ascending order, no two of which are at the
 * same place. Files are the numbers of names. Costs and calls are less than 2^TL_PACK_ROW_BITS, and
 * not negative.
 */
enum { TL_PACK_ROW_BITS = 44, TL_PACK_MOST_ROWS = 1 << 18, TL_PACK_GROUP = 7 };

struct tl_pack_rows {
	struct tl_pack_rows *next;
	const struct tl_pack_origin *origin;
	const uint8_t *data;  /* that the pack keeps (tl_pack_keep()) */
	const uint64_t *sums; /* of lines: of their costs, by event; of arcs: NULL */
	uint32_t bytes, count;
	uint32_t row; /* the number of the first one in the file */
	enum tl_pack_kind kind;
	struct tl_pack_keys before, last; /* the row before the first one; the last one */
};

struct tl_pack_run {
	uint32_t function, part;
	uint32_t counts[TL_PACK_KINDS]; /* items, by kind */
	uint64_t bytes;
	struct tl_pack_chunk *first, *last;
	struct tl_pack_rows *rows, *last_rows; /* they stand before the items of chunks */
	struct tl_pack_place previous;
	uint32_t next; /* the number that its next item has without a byte for it */
};

/* How many items a run has. */
static inline uint32_t tl_pack_run_items(const struct tl_pack_run *run)
{
	return run->counts[TL_PACK_LINE] + run->counts[TL_PACK_ARC] + run->counts[TL_PACK_JUMP];
}

/* The sums of the lines of a part, by event; there may be more events by now. */
struct tl_pack_sums {
	int64_t *costs;
	uint32_t count;
};

/* What the origins of rows point to, which the pack frees. */
struct tl_pack_orders {
	uint32_t *rows[TL_PACK_KINDS], *functions;
};

struct tl_pack {
	struct tl_arena arena;
	struct tl_pack_run *runs;
	size_t run_count, run_capacity;
	uint32_t *run_of; /* by function: the run that its next item goes to, if of its part */
	struct tl_index by_part; /* runs by function and part, of tl_pack_in_any_order() */
	size_t function_count, function_capacity;
	struct tl_pack_sums *sums; /* by part */
	size_t part_count, part_capacity;
	uint64_t *sizes; /* by event: the sum of the costs of calls, without their signs */
	uint8_t *room;   /* for the bytes of one item */
	uint64_t *files; /* by name: a bit, whether a place is in that file */
	size_t file_words, file_capacity;
	uint32_t event_count;
	uint32_t next; /* the number of the next item; who adds it may set another one */
	uint32_t end;  /* all numbers are less */
	uint64_t counts;
	bool addresses, blocks; /* some are known */
	bool large;             /* see tl_pack_weight(), which knows of all */
	/*
	 * Some cost is negative, so that items with costs may have none together; tl_merge_packs()
	 * has made it, so that the order of the items says nothing.
	 */
	bool negative, of_merge;
	struct tl_pack_orders orders;
};

/* Room for a part with this many events, as many as before or more. False without memory. */
bool tl_pack_part(struct tl_pack *pack, uint32_t part, uint32_t event_count);
/*
 * Add an item of a function in a part that there is room for; `costs` has item->cost_count numbers.
 * False without memory.
 */
bool tl_pack_add(struct tl_pack *pack, uint32_t function, uint32_t part,
		 const struct tl_pack_item *item, const int64_t *costs);
/*
 * Before tl_pack_add(): the function may have items of other parts since its last one of this part.
 * Without this these would be two runs. False without memory.
 */
bool tl_pack_in_any_order(struct tl_pack *pack, uint32_t function, uint32_t part);

/*
 * Lines of one function, part and file that follow each other, put into the pack as a text is read:
 * the same bytes as of tl_pack_add(), without an item for each. For each line its place is set in
 * `at`, tl_pack_line_place() says where its costs belong, tl_pack_line_cost() puts each of them
 * there, with up to eight bytes of anything behind them, and tl_pack_line_end() adds the line; what
 * does not come to its end is not in the pack. At the end tl_pack_lines_end() completes what the
 * pack knows of them.
 * Costs are less than 2^TL_PACK_LIGHT_BITS, and the caller adds them to `sums`. Nothing else may be
 * added meanwhile, and the pack may not be `large`.
 */
enum { TL_PACK_LINE_COSTS = 14, TL_PACK_LIGHT_BITS = 24 };

struct tl_pack_lines {
	struct tl_pack *pack;
	struct tl_pack_run *run;
	struct tl_pack_place at;
	int64_t *sums; /* of the part, by event */
	uint8_t *begin, *head;
	uint64_t addresses, blocks; /* all of them, by or */
	uint32_t count;
};

/* False without memory. */
bool tl_pack_lines_begin(struct tl_pack_lines *lines, struct tl_pack *pack, uint32_t function,
			 uint32_t part, uint32_t file);
uint8_t *tl_pack_line_place(struct tl_pack_lines *lines);

/* Returns the byte behind the cost. Most costs are of one byte or two. */
static inline uint8_t *tl_pack_line_cost(uint8_t *p, uint32_t cost)
{
	const uint32_t value = cost << 1;

	if (value < 0x80) {
		*p = (uint8_t)value;
		return p + 1;
	}
	return tl_put_varint(p, value);
}

/*
 * The line has `count` costs, TL_PACK_LINE_COSTS at most, of which the last one is not 0 and ends
 * before `end`. False without memory.
 */
bool tl_pack_line_end(struct tl_pack_lines *lines, const uint8_t *end, uint32_t count);
/* Behind the last line. */
void tl_pack_lines_end(struct tl_pack_lines *lines);

/* ---- rows of a file (pack_keep.c) ---- */

/* Where a pack has room for what is kept next. Zero-filled is none. */
struct tl_pack_room {
	uint8_t *at;
	size_t left, kept; /* bytes; all that were kept so far */
};

/* A copy of bytes behind which a few more can be read. NULL without memory, which ends it. */
const uint8_t *tl_pack_keep(struct tl_pack *pack, struct tl_pack_room *room, const uint8_t *bytes,
			    size_t size);
/* What all of some rows have together: sums, and addresses and basic blocks by or. */
struct tl_pack_rows_sums {
	const uint64_t *costs; /* by event */
	uint64_t calls, addresses, blocks;
};
/*
 * Add rows, TL_PACK_MOST_ROWS at most, to a run, as tl_pack_in_any_order() has it. What they point
 * to stays as it is as long as the pack is there. False without memory.
 */
bool tl_pack_add_rows(struct tl_pack *pack, uint32_t function, uint32_t part,
		      const struct tl_pack_rows *rows, const struct tl_pack_rows_sums *sums);
/* Note that places of rows are in this file. False without memory. */
bool tl_pack_know_file(struct tl_pack *pack, uint32_t name);

/*
 * What no sum of some of its items exceeds; TL_PACK_LARGE: sums may not fit 64 bits, and have to be
 * made one by one (tl_profile_unpack()).
 */
#define TL_PACK_LARGE (UINT64_C(1) << 62)
uint64_t tl_pack_weight(const struct tl_pack *pack);
static inline bool tl_pack_is_large(const struct tl_pack *pack)
{
	return tl_pack_weight(pack) == TL_PACK_LARGE;
}

/*
 * Put the items of another pack, which is of the same profile and has as many parts, behind those
 * of this one, and leave it empty. Numbers stay as they are. False without memory: free both.
 */
bool tl_pack_join(struct tl_pack *pack, struct tl_pack *other);

/* Whether a place of some item is in this file. */
static inline bool tl_pack_has_file(const struct tl_pack *pack, uint32_t name)
{
	return name / 64 < pack->file_words && pack->files[name / 64] >> name % 64 & 1;
}

/* The bytes of all items. */
uint64_t tl_pack_size(const struct tl_pack *pack);
void tl_pack_free(struct tl_pack *pack);

/* Where the reading of a run is. */
struct tl_pack_cursor {
	const struct tl_pack_chunk *chunk;
	uint32_t at;
	struct tl_pack_place previous;
	uint32_t next;
	const struct tl_pack_rows *rows; /* that come first; NULL: no more of them */
	uint32_t row, row_at;            /* how many, and bytes, of these are read */
	struct tl_pack_keys keys;
};

struct tl_pack_cursor tl_pack_read(const struct tl_pack_run *run);
/* The next item; only arcs and jumps fill in `to`. False at the end. */
bool tl_pack_next(struct tl_pack_cursor *cursor, struct tl_pack_item *item);
/* The next one of a kind. */
bool tl_pack_next_of(struct tl_pack_cursor *cursor, enum tl_pack_kind kind,
		     struct tl_pack_item *item);
/* The next one, of rows, of the same kind where one is given; TL_PACK_KINDS: any. */
bool tl_pack_next_row(struct tl_pack_cursor *cursor, enum tl_pack_kind kind,
		      struct tl_pack_item *item);
/* Begin to read rows. */
struct tl_pack_cursor tl_pack_read_rows(const struct tl_pack_rows *rows);
/* All items of a run, into room for as many as tl_pack_run_items() says. */
void tl_pack_read_run(const struct tl_pack_run *run, struct tl_pack_item *items);
/* The item's costs, as many as it says. */
void tl_pack_costs(const struct tl_pack_item *item, int64_t *costs);
/* The same as text, a blank before each, in room for TL_PACK_COST_TEXT bytes each. Its end. */
enum { TL_PACK_COST_TEXT = 22 };
char *tl_pack_format_costs(const struct tl_pack_item *item, char *text);
/* Add them to sums, each to that of the event which `events` has in its place. */
void tl_pack_add_costs(const struct tl_pack_item *item, const uint32_t *events, uint64_t *sums);

#endif
