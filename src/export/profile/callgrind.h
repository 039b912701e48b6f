/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_CALLGRIND_H
#define TL_EXPORT_PROFILE_CALLGRIND_H
/* The Callgrind writer: what its header (callgrind.c), its order and its body share. */
#include <tracelathe/export.h>

#include "export/groups.h"
#include "export/profile/callgrind_names.h"

/*
 * A thing that is written in a function's block. Items are numbered: first all lines, then all
 * arcs, then all jumps.
 */
enum tl_callgrind_writer_item_kind {
	TL_WRITER_ITEM_LINE,
	TL_WRITER_ITEM_CALL,
	TL_WRITER_ITEM_JUMP
};

struct tl_callgrind_writer_item {
	enum tl_callgrind_writer_item_kind kind;
	uint32_t number;   /* of the line, arc or jump */
	uint32_t function; /* whose block; TL_NONE: none */
	uint32_t part;
	uint32_t target;                   /* called or jumped to function, TL_NONE: none */
	const struct tl_position *at, *to; /* to: of calls and jumps */
	bool conditional;
};

/* The names of a function, as numbers. */
struct tl_callgrind_writer_function {
	uint32_t object, file, name;
};

struct tl_callgrind_writer {
	const struct tl_profile *profile;
	struct tl_export_options options;
	struct tl_output *out;
	struct tl_callgrind_name_tables names;
	bool addresses;   /* positions: instr */
	bool blocks;      /* positions: bb */
	bool keep_zero;   /* calls=0 is what the profile's own file said */
	bool parts;       /* a part of the file for each of the profile; else one for all */
	bool objects;     /* some function's object is known */
	uint32_t *events; /* columns: the events that are no formula */
	uint32_t event_count;
	int64_t *totals; /* by part of the file and column */
	struct tl_callgrind_writer_function *function_names;
	uint32_t *functions;    /* in the order of the file */
	struct tl_groups items; /* by function; in the order of the file */
	uint32_t *next;         /* by function: its first item not yet written */
	uint32_t object;        /* of the function written last, as a name; 0: none in this part */
	uint32_t file;          /* current file, as a name */
	uint32_t self_file;     /* that of the last cost line of the block */

	/*
	 * Relative positions: that of the last cost line, if all readers agree what is relative to
	 * it.
	 */
	struct tl_position base;
	bool agreed;

	/* What is written next: costs and counts of items that are printed as one. */
	int64_t *costs; /* by column */
	uint64_t count, taken;
};

struct tl_callgrind_writer_item tl_callgrind_writer_item_at(const struct tl_callgrind_writer *c,
							    uint32_t item);

/* The order of two items of one function; 0: they are printed alike. */
int tl_callgrind_writer_compare(const struct tl_callgrind_writer *c,
				const struct tl_callgrind_writer_item *x,
				const struct tl_callgrind_writer_item *y);

/* Fill `functions`, `items` and `next`. */
int tl_callgrind_writer_order(struct tl_callgrind_writer *c, struct tl_error *err);

/* The blocks of a part. */
void tl_callgrind_writer_put_body(struct tl_callgrind_writer *c, uint32_t part);

#endif
