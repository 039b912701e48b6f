/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SERIES_H
#define TL_XTRACE_SERIES_H
/*
 * The course of a stream, by intervals of so many instructions: how much the counters of all
 * analyses grew in each. Rows are kept until the end: other tables may be written meanwhile.
 */
#include "isa/a64/a64.h"
#include "xtrace/caches/footprint.h"

enum {
	TL_XTRACE_SERIES_CELLS = 104, /* of a row, with 16 caches and 16 predictors */
	TL_XTRACE_SERIES_NAME = 48,   /* bytes of a column's name */
};

/* Of a stream, where rows are made. */
struct tl_xtrace_series_stream {
	uint64_t interval;           /* the present one's number, from 0 */
	uint64_t first, end;         /* its first instruction, and the one behind it */
	uint64_t instructions, user; /* that count, and those of EL0 among them */
	uint64_t loads, stores;      /* their accesses */
	uint64_t calls;              /* of the system */
	uint64_t classes[TL_A64_CLASS_COUNT];
	struct tl_xtrace_footprint footprint; /* of the present interval alone */
	uint64_t before[TL_XTRACE_SERIES_CELLS];
};

/* Rows of all streams. Zero-filled, and with a length, is the beginning. */
struct tl_xtrace_series {
	uint64_t length; /* instructions of an interval; 0: there are no intervals */
	struct tl_a64_cache *instructions;
	size_t cells;   /* of a row */
	uint64_t *rows; /* stream, interval, first instruction, then its cells */
	size_t row_count, room;
};

struct tl_xtrace_analysis;
struct tl_xtrace_stream_analysis;

/* Before the pass, once parts are known. False without memory. */
bool tl_xtrace_series_begin(struct tl_xtrace_analysis *a);
/* An instruction that counts. */
void tl_xtrace_series_count(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s);
/* The interval ends before the next instruction. False without memory. */
bool tl_xtrace_series_end_interval(struct tl_xtrace_analysis *a,
				   struct tl_xtrace_stream_analysis *s);
/* The last intervals, and the table. False without memory. */
bool tl_xtrace_show_series(struct tl_xtrace_analysis *a);
void tl_xtrace_series_free(struct tl_xtrace_analysis *a);

#endif
