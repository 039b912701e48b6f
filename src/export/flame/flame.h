/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_FLAME_FLAME_H
#define TL_EXPORT_FLAME_FLAME_H
/*
 * A flame graph, from profiles to a page or a picture: the call paths of all contexts become one
 * tree (frame_tree.c), paths too small to be seen are summed (frame_prune.c), and the remaining
 * frames are written (page.c, page_data.c, picture.c).
 */
#include <tracelathe/export.h>

#include "core/memory.h"
#include "export/stacks/stacks.h"

/* Numbers of frames without a function, from functions.count on; those of threads follow. */
enum { TL_FLAME_ALL, TL_FLAME_OTHER, TL_FLAME_DEEPER, TL_FLAME_THREADS };

/* Threads that the page can show one by one; all further ones are one column. */
enum { TL_FLAME_MOST_COLUMNS = TL_STACKS_MOST_PARTS };

/* A frame. Parents come before their children; frame 0 is TL_FLAME_ALL and its own parent. */
struct tl_flame_node {
	uint32_t parent, function, depth;
};

/*
 * The self cost of a frame in one column: of a thread, or, with a baseline, of one of the profiles.
 */
struct tl_flame_cell {
	uint32_t node, column;
	uint64_t calls;
};

/* The functions of both profiles, those that are the same taken as one (function_match.c). */
struct tl_flame_functions {
	const struct tl_function **all;
	uint32_t count;
	uint32_t *of[2]; /* by function of tl_flame.contexts[side] */
};

/* The threads whose costs frames keep apart; with a baseline, the two profiles. */
struct tl_flame_columns {
	uint32_t count;
	uint32_t *of_part; /* by part of tl_flame.contexts[0] */
	uint32_t *part_of; /* by column: the first of its parts */
	bool last_shared;  /* the last column holds several parts */
};

/* All call paths, one node each (frame_tree.c). */
struct tl_flame_tree {
	struct tl_flame_node *nodes;
	size_t count, capacity;
	struct tl_index index;
	uint32_t *node_of[2];  /* by context */
	int64_t *inclusive[2]; /* by node and event */
	double *score;         /* by node: its largest share of any event and column */
};

/* The frames that are drawn, depth first, siblings by name (frame_prune.c). */
struct tl_flame_drawing {
	struct tl_flame_node *frames;
	uint32_t frame_count;
	struct tl_flame_cell *cells;
	int64_t *self; /* by cell and event */
	size_t cell_count, cell_capacity, self_capacity;
	uint64_t left_out; /* paths summed because they are small */
	uint64_t too_deep; /* frames summed because they are deep */
	double threshold;  /* share of the smallest frame drawn, if any was left out */
};

struct tl_flame {
	struct tl_flame_options options;      /* with the defaults filled in */
	const struct tl_profile *profile[2];  /* as given; [1] is the baseline or NULL */
	const struct tl_profile *contexts[2]; /* the profile or its estimate: it has contexts */
	struct tl_profile *estimate[2];
	bool estimated;

	uint32_t event_count;
	uint32_t *events[2]; /* by event of the graph; TL_NONE: the baseline has none of the name */
	bool common;         /* there is no baseline, or it has one of the events */

	struct tl_flame_functions functions;
	struct tl_flame_columns columns;
	struct tl_flame_tree tree;
	struct tl_flame_drawing drawn;
};

/*
 * The steps, in this order: match the functions of the two profiles, assign threads to columns,
 * build the tree of paths, choose the frames. False without memory.
 */
bool tl_flame_match(struct tl_flame *flame);
bool tl_flame_assign_columns(struct tl_flame *flame);
bool tl_flame_grow(struct tl_flame *flame);
bool tl_flame_prune(struct tl_flame *flame);
/* The cost of an event in a cost vector of either profile, in the units of the first profile. */
int64_t tl_flame_cost(const struct tl_flame *flame, int side, const int64_t *costs, uint32_t event);
/* The size of a cost as a share of a total. */
double tl_flame_share(int64_t cost, int64_t total);

/*
 * The text on a frame (put into `buffer`, if it is no name of a function); the title of a column.
 */
const char *tl_flame_name(const struct tl_flame *flame, uint32_t function, char *buffer,
			  size_t size);
void tl_flame_column_title(const struct tl_flame *flame, uint32_t column, char *title, size_t size);
/* Whether a frame stands for no function of the profile. */
bool tl_flame_special(const struct tl_flame *flame, uint32_t function);

/* Calls back with each sentence that a reader of the graph has to know: estimated, summed, lost. */
typedef void tl_flame_note_fn(void *arg, const char *text);
void tl_flame_notes(const struct tl_flame *flame, tl_flame_note_fn *note, void *arg);

/* Write "12,345" into 32 bytes. @return `text` */
const char *tl_flame_grouped(uint64_t number, char *text);

int tl_flame_write_page(const struct tl_flame *flame, struct tl_output *out, struct tl_error *err);
int tl_flame_write_svg(const struct tl_flame *flame, struct tl_output *out, struct tl_error *err);
/* The profile as the page reads it: one JSON object, in which no '<' stands. */
int tl_flame_write_data(const struct tl_flame *flame, struct tl_output *out, struct tl_error *err);

/* Functions in the table; the ones with the greatest inclusive cost. */
enum { TL_FLAME_MOST_ROWS = 5000 };

/* The totals of a function in a column; TL_NONE: in all threads. */
struct tl_flame_row {
	uint32_t function, column;
	uint64_t calls;
};

struct tl_flame_rows {
	struct tl_flame_row *rows;
	int64_t *costs; /* by row: self of each event, then inclusive of each */
	size_t count, row_capacity, cost_capacity;
	uint64_t left_out;
};

/* False without memory; freed by tl_flame_rows_free() in either case. */
bool tl_flame_rows_collect(struct tl_flame_rows *rows, const struct tl_flame *flame);
void tl_flame_rows_free(struct tl_flame_rows *rows);

/*
 * Text in HTML or XML, between tags or in double quotes. Control characters become blanks, bytes
 * that are not UTF-8 become U+FFFD.
 */
void tl_flame_put_markup(struct tl_output *out, const char *text, size_t size);

/*
 * The page around title and data, made by scripts/web_bundle.py: three pieces, or none of any size.
 */
struct tl_flame_page_section {
	const char *text;
	size_t size;
};
extern const struct tl_flame_page_section tl_flame_page_sections[3];

#endif
