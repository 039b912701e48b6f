/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_READING_H
#define TL_PROFILE_FILE_READING_H
/* A file that is becoming a profile: what the files of this folder share. */
#include "core/memory.h"
#include "profile/file/file_read.h"
#include "profile/model/pack.h"

/*
 * From the numbers of rows in a file to those of the elements that were made of them. In a file
 * without damage these are equal; where blocks are missing, each run of rows begins anew.
 */
struct tl_pfile_run {
	uint64_t first; /* number in the file */
	uint32_t count, element;
};

/* Zero-filled is empty. */
struct tl_pfile_numbers {
	struct tl_pfile_run *runs;
	size_t count, capacity;
	const uint32_t *to; /* by element: its final number; NULL: the same */
};

/*
 * `count` rows one behind the other, which became as many elements. Rows come with ascending
 * numbers. False without memory.
 */
bool tl_pfile_numbers_add(struct tl_pfile_numbers *numbers, uint64_t number, uint32_t element,
			  uint32_t count);
/* The same of a number that is not in the first run; TL_NONE: no such element. */
uint32_t tl_pfile_numbers_search(const struct tl_pfile_numbers *numbers, uint64_t number);

/* The element of a row, TL_NONE: it is lost. */
static inline uint32_t tl_pfile_number(const struct tl_pfile_numbers *numbers, uint64_t number)
{
	uint32_t element;

	if (numbers->count && number - numbers->runs[0].first < numbers->runs[0].count)
		element = numbers->runs[0].element + (uint32_t)(number - numbers->runs[0].first);
	else
		element = tl_pfile_numbers_search(numbers, number);
	return numbers->to && element != UINT32_MAX ? numbers->to[element] : element;
}

/* The same where TL_NONE stands for no element. */
static inline uint32_t tl_pfile_number_or_none(const struct tl_pfile_numbers *numbers,
					       uint64_t number)
{
	return number == TL_NONE ? TL_NONE : tl_pfile_number(numbers, number);
}

struct tl_pfile_reading {
	struct tl_pfile_reader *reader;
	struct tl_pfile_read_options options;
	struct tl_profile *profile;
	struct tl_names names; /* strings, until there is a profile */
	struct tl_pfile_numbers strings, events, functions, parts, contexts;
	uint32_t *function_order, *part_order, *context_order;
	const uint32_t *order; /* of the elements that are read, by row; NULL: they are appended */
	size_t order_count;
	uint32_t lost_function; /* stands for those that are lost; TL_NONE: none yet */
	uint64_t head[4 + TL_PFILE_LOSSES];
	bool has_head;
	struct tl_error *err;
};

/*
 * Whether room for so many rows, which blocks say there are, may be made before they are read. It
 * is made for what a file of this size may have if zstd shrinks it well.
 */
bool tl_pfile_is_likely(const struct tl_pfile_reading *r, size_t rows, size_t bytes_each);

/* A string, "[lost]" if it is lost. */
static inline const char *tl_pfile_string(const struct tl_pfile_reading *r, uint64_t number)
{
	const struct tl_names *names = r->profile ? &r->profile->names : &r->names;
	uint32_t element = tl_pfile_number(&r->strings, number);

	return element == UINT32_MAX ? "[lost]" : names->names[element].text;
}

/* The function that stands for all that are lost; TL_NONE without memory. */
uint32_t tl_pfile_lost_function(struct tl_pfile_reading *r);

/* A function, that one if it is lost. */
static inline uint32_t tl_pfile_function(struct tl_pfile_reading *r, uint64_t number)
{
	uint32_t element = tl_pfile_number(&r->functions, number);

	return element != UINT32_MAX ? element : tl_pfile_lost_function(r);
}

/* The caller of an arc; TL_NONE: the outside. */
static inline uint32_t tl_pfile_caller(struct tl_pfile_reading *r, uint64_t number)
{
	return number == TL_NONE ? TL_NONE : tl_pfile_function(r, number);
}

/* Parts of a file that threads read; how many rows are worth their start. */
enum { TL_PFILE_SHARES = 8, TL_PFILE_WORTH_SHARES = 1 << 16 };

void tl_pfile_take_losses(struct tl_losses *losses, const uint64_t *row);
/*
 * The numbers that the elements of a section had: NULL where they are as they are, or where they
 * cannot be, since rows are lost. `failed` is set without memory.
 */
uint32_t *tl_pfile_read_order(struct tl_pfile_reading *r, enum tl_pfile_section section,
			      size_t count, int *failed);
/* Elements of `size` bytes and their costs into another order. False without memory. */
bool tl_pfile_reorder(void *elements, const struct tl_cost_table *table, size_t size,
		      uint32_t events, const uint32_t *order);

/*
 * Some elements of a table were put where their order says, and others are lost: put those that
 * are there in the order of the file. False without memory.
 */
bool tl_pfile_undo_order(void *elements, struct tl_cost_table *table, size_t size, uint32_t events,
			 const uint32_t *order);

/* file_read_costs.c */
int tl_pfile_read_contexts(struct tl_pfile_reading *r);
int tl_pfile_read_lines(struct tl_pfile_reading *r);
int tl_pfile_read_arcs(struct tl_pfile_reading *r);
int tl_pfile_read_jumps(struct tl_pfile_reading *r);
/* The same packed. 1; 0: they cannot be, and nothing has been read; negative. */
int tl_pfile_read_packed(struct tl_pfile_reading *r);
/* tables/read_sums.c: lines and arcs as sums of functions */
int tl_pfile_read_line_sums(struct tl_pfile_reading *r);
int tl_pfile_read_arc_sums(struct tl_pfile_reading *r);
/* tables/read_table.c: sums of functions alone, without arcs. As tl_pfile_read_packed(). */
int tl_pfile_read_table(struct tl_pfile_reading *r);
/* file_read_durations.c */
int tl_pfile_read_durations(struct tl_pfile_reading *r);

/* ---- rows that become items of a pack ---- */

/* The functions `begin` .. `end` - 1 of the file, by one thread. */
struct tl_pfile_packing {
	const struct tl_pfile_reading *r;
	struct tl_pfile_reader reader; /* of its own */
	struct tl_pack *pack;
	uint64_t *row; /* room for the longest one */
	uint64_t begin, end;
	uint64_t rows; /* that were taken */
	/* Of the section: the number that each row had; NULL: that of the row. */
	const uint32_t *order;
	uint32_t first; /* items of the sections before */
	/* The same for rows that are kept, those of the block, and their sums by event. */
	struct tl_pack_origin *origin;
	struct tl_pack_room room;
	struct tl_pfile_kept *kept;
	size_t kept_count, kept_room;
	uint64_t *sums;
	size_t sum_room;
};

enum {
	/* Ends the reading: an element has no part, or no function, or something is damaged. */
	TL_PFILE_NOT_PACKED = TL_UNSUPPORTED,
	TL_PFILE_BEHIND_RANGE = 1, /* ends that of a section */
};

/* Where a row stands to the range: 1 behind it, -1 before it. */
static inline int tl_pfile_range_side(const struct tl_pfile_packing *p, const uint64_t *row)
{
	return row[0] < p->begin ? -1 : row[0] >= p->end;
}

/* The number that the item of a row gets. */
static inline uint32_t tl_pfile_item_number(const struct tl_pfile_packing *p, uint64_t row)
{
	return p->first + (p->order ? p->order[row] : (uint32_t)row);
}

/*
 * packed/read_items.c: what is done with a row that may be of the range, for tl_pfile_each_row();
 * and with all lines, or arcs, of a block, for tl_pfile_each_rows().
 */
int tl_pfile_pack_jump(void *packing, uint64_t number, const uint64_t *row);
int tl_pfile_pack_lines(void *packing, const struct tl_pfile_block *block, const uint8_t *content);
int tl_pfile_pack_arcs(void *packing, const struct tl_pfile_block *block, const uint8_t *content);

/*
 * packed/read_rows.c: keep the rows of a block of lines or arcs as they are (tl_pack_rows). 0, or
 * TL_PFILE_BEHIND_RANGE; TL_PFILE_NOT_KEPT: they are of another form than a pack has them in, and
 * nothing was done; TL_NO_MEMORY.
 */
enum { TL_PFILE_NOT_KEPT = 2 };
int tl_pfile_keep_rows(struct tl_pfile_packing *packing, const struct tl_pfile_block *block,
		       const uint8_t *content);

#endif
