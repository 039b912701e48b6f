/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_CALLGRIND_H
#define TL_EXPORT_PROFILE_CALLGRIND_H
/* The state of the Callgrind writer, shared by its header (callgrind.c), order and body. */
#include <tracelathe/export.h>

#include "core/arithmetic.h"
#include "profile/model/groups.h"
#include "profile/model/model.h"
#include "export/profile/callgrind_names.h"

/*
 * One entry of a function's block: a cost line, a call or a jump. Items are numbered: all lines of
 * the profile first, then all arcs, then all jumps.
 */
enum tl_callgrind_writer_item_kind {
	TL_WRITER_ITEM_LINE,
	TL_WRITER_ITEM_CALL,
	TL_WRITER_ITEM_JUMP
};

struct tl_callgrind_writer_item {
	enum tl_callgrind_writer_item_kind kind;
	uint32_t number;   /* of the line, arc or jump */
	uint32_t function; /* the function whose block has it; TL_NONE: none */
	uint32_t part;
	uint32_t target;                   /* function called or jumped to, TL_NONE: none */
	const struct tl_position *at, *to; /* to: of calls and jumps */
	bool conditional;
	const struct tl_pack_item *packed; /* with count and costs; NULL: `number` has them */
};

/* Room for an item that is made of a packed one (profile/model/pack.h). */
struct tl_callgrind_writer_room {
	struct tl_callgrind_writer_item item;
	struct tl_position at, to;
};

/* The items of the block that is written, where they are packed. */
struct tl_callgrind_writer_unpacking {
	const struct tl_pack_run *run;
	struct tl_pack_item *items;
	size_t capacity;
	/* their numbers, in the order of the file; and room for as many */
	uint32_t *order, *room;
	size_t order_capacity, room_capacity;
	int64_t *costs; /* of one item */
	bool plain;     /* costs are written in their order, places in full */
};

/* The names of a function, as numbers. */
struct tl_callgrind_writer_function {
	uint32_t object, file, name;
};

/* The parts of the format that the profile needs. */
struct tl_callgrind_writer_layout {
	bool addresses; /* positions: instr */
	bool blocks;    /* positions: bb */
	bool objects;   /* the object of some function is known */
	bool parts;     /* the file has each part of the profile; else one part for all */
	bool keep_zero; /* calls=0 is as the input stated it (rule G) */
};

/* Object, file and position that a reader of the lines so far has as current. */
struct tl_callgrind_writer_state {
	uint32_t object;    /* of the function written last, as a name; 0: none in this part */
	uint32_t file;      /* current file, as a name */
	uint32_t self_file; /* that of the last cost line of the block */
	/* Relative positions: the last cost line, and whether all readers are relative to it. */
	struct tl_position base;
	bool agreed;
};

/* The sum of the items that are written as one. */
struct tl_callgrind_writer_sum {
	int64_t *costs; /* by column; from `used` on all are 0 */
	uint32_t used;
	uint64_t count, taken;
};

/*
 * Blocks, each the items of one function and, in a file of several parts, one part: by part, and in
 * a part in the order of the file.
 */
struct tl_callgrind_writer_blocks {
	struct tl_callgrind_writer_block {
		/* its items are these of the function, or all of the packed run `first` */
		uint32_t function, first, end;
		uint32_t part;
	} *list;
	size_t count, capacity;
	struct tl_groups by_part;
};

struct tl_callgrind_writer {
	const struct tl_profile *profile;
	struct tl_export_options options;
	struct tl_output *out;
	struct tl_callgrind_name_tables names;
	struct tl_callgrind_writer_layout layout;
	uint32_t *events; /* columns: the events that are no formula */
	uint32_t event_count;
	int64_t *totals; /* by part of the file and column */
	struct tl_callgrind_writer_function *function_names;
	uint32_t *functions;    /* in the order of the file */
	struct tl_groups items; /* by function; in the order of the file */
	struct tl_callgrind_writer_blocks blocks;
	struct tl_callgrind_writer_state current;
	struct tl_callgrind_writer_sum sum;
	struct tl_callgrind_writer_unpacking unpacking;
};

struct tl_callgrind_writer_item tl_callgrind_writer_item_at(const struct tl_callgrind_writer *c,
							    uint32_t item);

/* The order of two items of one function; 0: they are printed alike. */
int tl_callgrind_writer_compare(const struct tl_callgrind_writer *c,
				const struct tl_callgrind_writer_item *x,
				const struct tl_callgrind_writer_item *y);

/* Compares only the columns that are written. */
static inline int tl_callgrind_writer_compare_positions(const struct tl_callgrind_writer *c,
							const struct tl_position *x,
							const struct tl_position *y)
{
	int order = 0;

	if (c->layout.addresses)
		order = tl_compare(x->address, y->address);
	if (!order)
		order = tl_compare(x->line, y->line);
	if (!order && c->layout.blocks)
		order = tl_compare(x->block, y->block);
	return order;
}

/* The same order as tl_callgrind_writer_compare(), which few pairs of items need. */
static inline int tl_callgrind_writer_order_of(const struct tl_callgrind_writer *c,
					       const struct tl_callgrind_writer_item *x,
					       const struct tl_callgrind_writer_item *y)
{
	int order = 0;

	if (x->part == y->part && x->at->file == y->at->file)
		order = tl_callgrind_writer_compare_positions(c, x->at, y->at);
	return order ? order : tl_callgrind_writer_compare(c, x, y);
}

/* Fill `functions`, `items` (unless they are packed) and `blocks`. */
int tl_callgrind_writer_order(struct tl_callgrind_writer *c, struct tl_error *err);

/* Read the items of a packed run into c->unpacking, sorted. False without memory. */
bool tl_callgrind_writer_unpack(struct tl_callgrind_writer *c, uint32_t run);

/* The item at a place of that order, which points into `room`. */
const struct tl_callgrind_writer_item *
tl_callgrind_writer_unpacked(const struct tl_callgrind_writer *c, uint32_t at,
			     struct tl_callgrind_writer_room *room);
/*
 * Write the lines from `at` on that are written alone and as they were read, of one file, which is
 * the present one. Returns the place behind them, `at` if there is none: the plain way is right for
 * all of them.
 */
uint32_t tl_callgrind_writer_put_lone_lines(struct tl_callgrind_writer *c, uint32_t at,
					    uint32_t end);
/*
 * The order of two items of the packed block, as far as their places alone say; 0: they are equal,
 * or the places are in two files.
 */
static inline int tl_callgrind_writer_packed_order(const struct tl_callgrind_writer *c,
						   const struct tl_pack_item *x,
						   const struct tl_pack_item *y)
{
	int order = 0;

	if (x->at.file != y->at.file)
		return 0;
	if (c->layout.addresses)
		order = tl_compare(x->at.address, y->at.address);
	if (!order)
		order = tl_compare(x->at.line, y->at.line);
	if (!order && c->layout.blocks)
		order = tl_compare(x->at.block, y->at.block);
	return order;
}

/* The blocks of a part. */
void tl_callgrind_writer_put_body(struct tl_callgrind_writer *c, uint32_t part);

#endif
