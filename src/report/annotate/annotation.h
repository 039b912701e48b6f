/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_ANNOTATE_ANNOTATION_H
#define TL_REPORT_ANNOTATE_ANNOTATION_H
/*
 * Annotation: costs, calls and jumps at their places, which are lines of files or instructions of
 * functions. Notes are sorted by place; the notes of one file or function are a group.
 */
#include "profile/canon/sort.h"
#include "profile/model/groups.h"
#include "profile/model/pack.h"
#include "report/view.h"

enum tl_note_kind { TL_NOTE_SELF, TL_NOTE_CALL, TL_NOTE_JUMP };

/* What is annotated: a file, or the instructions of a function. */
struct tl_note_owner {
	const char *file;  /* of lines; "" for instructions */
	uint32_t function; /* of instructions; TL_NONE for lines */
};

/* A cost line, arc or jump of the profile at its place. */
struct tl_note {
	struct tl_note_owner owner;
	uint64_t at; /* line number or address, 0: unknown */
	enum tl_note_kind kind;
	uint32_t number; /* of the line, arc or jump; if packed, in tl_packed_notes.items */
};

/* Whether a group is shown, and why not. */
enum tl_group_outcome {
	TL_GROUP_SHOWN,
	TL_GROUP_UNREADABLE,      /* shown, but without the text */
	TL_GROUP_BELOW_THRESHOLD, /* left out by the threshold */
	TL_GROUP_WITHOUT_PLACE,   /* of no known file, or no known address */
	TL_GROUP_NOT_CHOSEN,      /* the pattern does not match */
	TL_GROUP_OUTCOMES,
};

struct tl_note_group {
	struct tl_note_owner owner;
	size_t first, end; /* its notes; of a packed profile, from tl_notes_load() on */
	uint64_t last;     /* its greatest line number or address */
	size_t cost;       /* its self cost: which vector of tl_annotation.costs */
	enum tl_group_outcome outcome;
};

/*
 * Items of a packed run that follow each other and are of one group: there are up to millions of
 * these, and a cursor is 120 bytes, most of which only the rows of a profile file need.
 */
struct tl_packed_segment {
	const struct tl_pack_chunk *chunk; /* `at`, `previous`, `next`: of the cursor */
	struct tl_pack_place previous;
	uint32_t at, next;
	uint32_t count, group; /* group: the number of its costs */
	uint32_t cursor;       /* TL_NONE; else the number of a whole one */
};

/*
 * How many items of a group, the first ones, are sums of what is of one remark each. When there are
 * `enough` items, it is time for that again.
 */
struct tl_packed_sums {
	uint32_t count, enough;
	uint32_t *of; /* by item: the number of its costs, TL_NONE: they are in the pack */
	size_t of_capacity;
	int64_t *costs; /* by number and event */
	size_t cost_count, cost_capacity;
};

/*
 * The notes of a packed profile. Only those of one group are there at a time, so that an element
 * is its few bytes of the pack, and not a note, in all others.
 */
struct tl_packed_notes {
	struct tl_packed_segment *segments;
	size_t segment_count, segment_capacity;
	struct tl_pack_cursor *cursors; /* of segments that begin with rows */
	size_t cursor_count, cursor_capacity;
	struct tl_groups by_group;  /* segments */
	struct tl_index by_owner;   /* groups, while they are collected */
	struct tl_pack_item *items; /* those of the group */
	uint32_t item_count;
	size_t item_capacity;
	struct tl_packed_sums summed;
	bool has_jumps;
	uint32_t *order, *room; /* numbers of items, as they are sorted */
	size_t order_capacity, room_capacity;
	struct tl_pfile_sorter sorter; /* of keys */
	int64_t *costs;                /* of one item */
	uint32_t *events;              /* all, in their order: where its costs are added to */
	bool all_chosen;               /* the view has every event */
};

struct tl_annotation {
	struct tl_view view;
	struct tl_annotate_options what;
	struct tl_note *notes;
	size_t count, capacity;
	struct tl_note_group *groups; /* heaviest first */
	size_t group_count, group_capacity;
	int64_t *costs; /* vectors of all events */
	size_t cost_capacity;
	int64_t *row; /* room for a vector */
	struct tl_packed_notes packed;
};

/* The notes of one place with the same kind, callee or target: their sum. */
struct tl_remark {
	enum tl_note_kind kind;
	uint64_t at;
	/* self, or inclusive of a call; valid until the next one; zeros of a jump */
	const int64_t *cost;
	uint64_t count, taken; /* calls; executions of a jump and those that jumped */
	uint32_t function;     /* called, or jumped into */
	struct tl_position to; /* of a jump */
	bool conditional;
};

/* Fill in the remark that begins at note `at`; returns the note after it. */
size_t tl_remark_take(const struct tl_annotation *a, const struct tl_note_group *group, size_t at,
		      struct tl_remark *remark);

/*
 * Collect the notes, sort them into groups, and decide which groups are shown. Call tl_notes_free()
 * also after a failure.
 */
int tl_notes_collect(struct tl_annotation *a, struct tl_error *err);
/*
 * The notes of a group, which are needed to show it. Those of the group before may be gone then.
 * False without memory.
 */
bool tl_notes_load(struct tl_annotation *a, struct tl_note_group *group);
void tl_notes_free(struct tl_annotation *a);

/* ---- inside the collection: note_groups.c ---- */

struct tl_note_owner tl_note_owner_of(const struct tl_annotation *a, uint32_t function,
				      const char *file);
/* The number in the chosen positions: a line, or an address. */
static inline uint64_t tl_note_place(const struct tl_annotation *a, uint64_t address, uint32_t line)
{
	return a->what.assembly ? address : line;
}

/* By where they lead to; 0: they are parts of the same remark, if they begin at one place. */
int tl_note_compare_jumps(const struct tl_jump *x, const struct tl_jump *y);
bool tl_note_add(struct tl_annotation *a, const struct tl_note *note);
/* A group without notes and costs. NULL without memory; valid until the next one. */
struct tl_note_group *tl_note_group_add(struct tl_annotation *a, const struct tl_note_owner *owner);
void tl_note_group_cost(const struct tl_annotation *a, const struct tl_note_group *group,
			const int64_t *cost);
/* Whether a cost line is a note: one of the chosen events is not 0. */
bool tl_note_any_cost(const struct tl_view *view, const int64_t *cost);

/* packed_notes.c: the groups of a packed profile and their sums. False without memory. */
bool tl_packed_notes_collect(struct tl_annotation *a);
/* The notes of a group, sorted. False without memory. */
bool tl_packed_notes_load(struct tl_annotation *a, const struct tl_note_group *group);
void tl_packed_notes_free(struct tl_packed_notes *packed);
/* Add the costs of an item of the group that is loaded to a vector of all events. */
void tl_packed_notes_add_costs(const struct tl_annotation *a, uint32_t number, int64_t *costs);
static inline enum tl_note_kind tl_packed_note_kind(const struct tl_pack_item *item)
{
	static const enum tl_note_kind kinds[] = {
		[TL_PACK_LINE] = TL_NOTE_SELF,
		[TL_PACK_ARC] = TL_NOTE_CALL,
		[TL_PACK_JUMP] = TL_NOTE_JUMP,
	};

	return kinds[item->kind];
}

/* Sort the items of the group that is loaded. False without memory. */
bool tl_packed_notes_sort(struct tl_annotation *a);
/* By remarks; 0: both are of the same one. */
int tl_packed_notes_compare(const struct tl_annotation *a, uint32_t first, uint32_t second);
/*
 * Sort the items of the group that is loaded, and let one stand for all that are of its remark:
 * files of many parts, or of many names for a function, have the same lines again and again. False
 * without memory.
 */
bool tl_packed_notes_sum(struct tl_annotation *a);
/* A jump of the group that is loaded. */
struct tl_jump tl_packed_notes_jump(const struct tl_annotation *a, uint32_t number);

static inline int64_t *tl_group_cost(const struct tl_annotation *a,
				     const struct tl_note_group *group)
{
	return a->costs + group->cost * tl_profile_event_count(a->view.profile);
}

/* ---- source files ---- */

struct tl_source_file;

/* Called for each group that is shown, with the text of its file. False without memory. */
bool tl_annotate_put_file(const struct tl_annotation *a, const struct tl_note_group *group,
			  const struct tl_source_file *text);
bool tl_annotate_put_csv_file(const struct tl_annotation *a, const struct tl_note_group *group,
			      const struct tl_source_file *text);
bool tl_annotate_put_json_file(const struct tl_annotation *a, const struct tl_note_group *group,
			       const struct tl_source_file *text);

/* ---- lines and instructions in CSV and JSON ---- */

void tl_annotate_put_csv_head(const struct tl_annotation *a);
/* "kind,to,count,taken,costs...," */
void tl_annotate_put_csv_remark(const struct tl_annotation *a, const struct tl_remark *remark);
void tl_annotate_put_json_remark(const struct tl_annotation *a, const struct tl_remark *remark);

/* A place up to its remarks: `{...,"remarks":[`. */
typedef void tl_annotate_place_fn(struct tl_output *out, const void *context, uint64_t at);
/* The places of a group with their remarks, and the end of the group's own object. */
void tl_annotate_put_json_places(const struct tl_annotation *a, const struct tl_note_group *group,
				 tl_annotate_place_fn *begin, const void *context);

/* ---- lines and instructions in text ---- */

/*
 * The widths of cost columns, of the share of the first event, and of the line number or address.
 */
struct tl_note_layout {
	uint32_t events; /* number of chosen events that have room */
	size_t *widths;  /* by chosen event */
	size_t share, place;
};

bool tl_note_layout_make(struct tl_note_layout *layout, const struct tl_annotation *a,
			 const struct tl_note_group *group, unsigned place_base);
void tl_note_layout_free(struct tl_note_layout *layout);
void tl_note_put_heads(const struct tl_annotation *a, const struct tl_note_layout *layout,
		       const char *place);
/* Costs, or blanks of their width when `cost` is NULL. */
void tl_note_put_costs(const struct tl_annotation *a, const struct tl_note_layout *layout,
		       const int64_t *cost);
/* A call out of a place; `gap` blanks stand where the place's own columns are. */
void tl_note_put_call(const struct tl_annotation *a, const struct tl_note_layout *layout,
		      size_t gap, const struct tl_remark *remark);
/*
 * "Ir 1,234 (12.34%), Dr 5 (0.10%)", of as many events as have room on the terminal beside other
 * text of `used` columns.
 */
void tl_note_put_sums(const struct tl_annotation *a, const int64_t *cost, size_t used);
/* The sums of all groups by outcome. */
void tl_annotate_put_foot(const struct tl_annotation *a);
void tl_annotate_put_json_foot(const struct tl_annotation *a);

#endif
