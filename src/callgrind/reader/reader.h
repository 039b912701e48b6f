/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_READER_READER_H
#define TL_CALLGRIND_READER_READER_H
/*
 * State of the reader. text/lines.c gives a line to reader.c, which finds its kind and the begin
 * and end of parts; header_lines.c or body_lines.c read it and leave the result in `item`.
 */
#include <tracelathe/callgrind.h>

#include "core/text/lines.h"
#include "callgrind/text/name_compression.h"

/* An event by the order of its first mention. Strings are numbers in the pool of names. */
struct tl_callgrind_event {
	uint32_t name, long_name, formula;
	bool column;           /* it has or had a cost column; otherwise it only has a formula */
	uint64_t offset, line; /* those of its "event:" line */
};

/* A line of sums: "summary:" or "totals:". */
struct tl_callgrind_sums {
	int64_t *values;
	size_t count, capacity;
	uint64_t offset, line; /* line 0: the part has none */
	bool last;             /* it follows a cost line of the part, and no cost line follows it */
	bool in_body;          /* it follows the name of a function */
};

struct tl_callgrind_part_state {
	bool open; /* some line of the part was read */
	bool body; /* costs or totals were read: the next header line begins another part */
	bool costs, calls, too_large;
	unsigned headers; /* kinds of header lines of the part, one bit each */
	uint32_t ordinal;
	uint64_t process, thread, number;
	uint32_t command, creator; /* names */
	char *header;              /* terminated; `header_size` without the zero */
	size_t header_size, header_capacity;
	struct tl_callgrind_sums summary, totals;
	uint64_t offset, line;
};

/* A "calls=" or "jump=" line whose cost line has not been read yet. */
enum tl_callgrind_pending {
	TL_CALLGRIND_PENDING_NOTHING,
	TL_CALLGRIND_PENDING_CALL,
	TL_CALLGRIND_PENDING_JUMP,
	TL_CALLGRIND_PENDING_SKIP
};

/* Names and positions in force ("Body lines"). */
struct tl_callgrind_state {
	struct tl_callgrind_owner owner;
	uint32_t file, self_file; /* current file; file of the last self-cost line (rule B) */
	uint32_t callee_object, callee_file, callee;
	uint32_t jump_file, jump_function;
	uint64_t base[TL_CALLGRIND_COLUMNS]; /* position of the last self-cost line (rule A) */
	uint64_t further_base[TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS];
	bool noted_no_function;

	enum tl_callgrind_pending pending;
	uint64_t offset, line; /* of the pending line */
	uint64_t count, taken, to[TL_CALLGRIND_MOST_POSITIONS];
	bool conditional;
};

struct tl_callgrind_faults {
	struct tl_callgrind_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/* Called for every broken rule (the checker). */
typedef int tl_callgrind_observe_fn(void *arg, enum tl_callgrind_rule rule, uint64_t offset,
				    uint64_t line, uint32_t part);

struct tl_callgrind_observer {
	tl_callgrind_observe_fn *fn; /* NULL: there is none */
	void *arg;
};

/* All events that some header line named, of whatever part. */
struct tl_callgrind_events {
	struct tl_callgrind_event *list;
	size_t count, capacity;
};

/*
 * The cost columns of the part ("events:"), or of the part before it if it names none (rule H), and
 * costs by column.
 */
struct tl_callgrind_columns {
	uint32_t *events; /* numbers in the list of events */
	size_t count, capacity;
	const char **names;
	size_t name_capacity;
	int64_t *costs, *sums; /* of the present line; of the part */
	size_t cost_capacity, sum_capacity;
	bool cut; /* the line named more events than are kept: costs of others follow */
};

/* The columns of sub-positions ("positions:"). Words of no known kind are columns, too. */
struct tl_callgrind_position_columns {
	/* enum tl_callgrind_column, or a number behind those */
	uint8_t columns[TL_CALLGRIND_MOST_POSITIONS];
	unsigned count, further_count; /* all of them; those that the format does not define */
	const char *names[TL_CALLGRIND_MOST_POSITIONS];
	/* sub-positions of no known kind of the item, and of the target of a call or jump */
	uint64_t further[TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS];
	uint64_t further_to[TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS];
};

/* Self costs of the present function that no item was made of yet (plain_line.c). */
struct tl_callgrind_function_costs {
	bool wanted;
	int64_t *costs; /* by column */
	uint64_t lines; /* how many cost lines they are the sum of */
	size_t capacity;
};

/* Where a reader stands when it comes to the cut: two that were there alike agree in this. */
struct tl_callgrind_mark {
	uint64_t offset, base[TL_CALLGRIND_COLUMNS];
	struct tl_callgrind_owner owner;
	uint32_t file, part, columns;
};

/*
 * Of a file that two readers read, the first one up to a line "fn=", the other one from there on
 * (profile/halves.c). The second one skims what is before: it takes names, headers and positions
 * from there, and makes no items of costs, calls and jumps. A file in which something is not as it
 * mostly is, is `unusual`: it has to be read by one reader, and reading it ends.
 */
struct tl_callgrind_cut {
	uint64_t offset; /* the cut is at the first "fn=" at or behind it; TL_NOWHERE: no cut */
	bool ends;       /* the reader reads what is before the cut; else what is behind */
	bool skims, met, unusual;
	struct tl_callgrind_mark mark; /* where the cut was met */
	/*
	 * Called before the sums of the first part are compared that ends behind the cut: adds what
	 * is before. NULL: nothing is to be added (any more).
	 */
	void (*before)(void *arg, struct tl_callgrind_reader *reader);
	void *arg;
};

/* Facts about the file up to the present line. */
struct tl_callgrind_seen {
	bool signature;      /* "# callgrind format" */
	bool cut_stacks;     /* creator xtree, which writes stacks up to a depth, as calls */
	bool totals;         /* some part had its "totals:" */
	bool appended_file;  /* "====": several files of xdebug */
	bool unknown_header; /* it was seen, and reported */
	bool unended_line;   /* a last line without its newline was seen, and reported */
};

struct tl_callgrind_reader {
	struct tl_callgrind_options options;
	struct tl_lines lines;
	struct tl_callgrind_names names;
	struct tl_callgrind_faults faults;
	struct tl_callgrind_observer observer;
	struct tl_callgrind_events events;
	struct tl_callgrind_columns columns;
	struct tl_callgrind_position_columns positions;
	struct tl_callgrind_part_state part;
	struct tl_callgrind_state state;
	struct tl_callgrind_function_costs by_function;
	uint32_t plain_left; /* plain lines until their sums are looked at again (plain_line.c) */
	struct tl_callgrind_cut cut;
	struct tl_callgrind_seen seen;
	bool ended;
	struct tl_callgrind_item item;
};

/* Read the next item into reader->item. 1, 0 at the end, or negative. */
int tl_callgrind_step(struct tl_callgrind_reader *reader, struct tl_error *err);

/* ---- functions that the files of the reader share ---- */

/*
 * Report a broken rule at the present line, or at another one. 0; negative: no memory, or strict
 * mode and a rule about damage.
 */
int tl_callgrind_broken(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			struct tl_error *err);
int tl_callgrind_broken_at(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			   uint64_t offset, uint64_t length, uint64_t line, struct tl_error *err);
/* Report a broken rule whose line is skipped: makes the LOST item. 1, or negative. */
int tl_callgrind_lost(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
		      struct tl_error *err);
int tl_callgrind_lost_at(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			 uint64_t offset, uint64_t line, struct tl_error *err);

/* Begin an item at the present line. */
static inline void tl_callgrind_item(struct tl_callgrind_reader *reader,
				     enum tl_callgrind_kind kind)
{
	struct tl_callgrind_item *item = &reader->item;

	item->kind = kind;
	item->offset = tl_lines_offset(&reader->lines);
	item->length = (uint64_t)(reader->lines.next - reader->lines.whole);
	item->line = reader->lines.number;
	item->part = reader->part.ordinal;
}

/* Whether the next cost line is that of a function, in a part whose sums cannot overflow by it. */
bool tl_callgrind_may_be_plain(struct tl_callgrind_reader *reader);
/*
 * Read a self-cost line of the plain form. 1: there is its item; 0: it was added to the sum of its
 * function; -1, and nothing is changed: the line is another one.
 */
int tl_callgrind_plain_line(struct tl_callgrind_reader *reader);
/* Make an item of the sum of a function, and begin a new sum. */
void tl_callgrind_function_item(struct tl_callgrind_reader *reader);

/* Read a line of one kind. 1: there is an item; 0: there is none; or negative. */
int tl_callgrind_cost_line(struct tl_callgrind_reader *reader, struct tl_error *err);
int tl_callgrind_name_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
			   struct tl_error *err);
int tl_callgrind_calls_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
			    struct tl_error *err);
int tl_callgrind_jump_line(struct tl_callgrind_reader *reader, const struct tl_callgrind_key *key,
			   struct tl_error *err);
int tl_callgrind_header_line(struct tl_callgrind_reader *reader,
			     const struct tl_callgrind_header_key *key, const char *value,
			     size_t size, struct tl_error *err);

/*
 * Before the cut, in a reader that reads what is behind: take what later lines need from the
 * present line. False: it is a line that has to be read.
 */
bool tl_callgrind_skim_line(struct tl_callgrind_reader *reader);
/* The present line, of "fn=", is at or behind the cut, which was not met yet. */
void tl_callgrind_meet_cut(struct tl_callgrind_reader *reader);
/* Nothing more is to be read, as the file has to be read by one reader. */
void tl_callgrind_give_up_cut(struct tl_callgrind_reader *reader);

/* Reset names and positions, as at the beginning of a part. */
void tl_callgrind_state_begin(struct tl_callgrind_reader *reader);
/* Begin a part with the present line. */
void tl_callgrind_part_begin(struct tl_callgrind_reader *reader);
/*
 * Compare the sums of the part with its totals and summary, then make the PART_END item. 1 or
 * negative.
 */
int tl_callgrind_part_end(struct tl_callgrind_reader *reader, struct tl_error *err);

/* The number in the pool of a text; TL_NONE without memory. */
uint32_t tl_callgrind_intern(struct tl_callgrind_reader *reader, const char *text, size_t size);

enum tl_callgrind_formula_state {
	TL_CALLGRIND_FORMULA_UNREAD,
	TL_CALLGRIND_FORMULA_OPEN, /* being read */
	TL_CALLGRIND_FORMULA_GOOD,
	TL_CALLGRIND_FORMULA_BAD, /* no sum of events that have columns */
};

/* The formulas of a reader's events ("InheritedExpr"), by the number of the event. */
struct tl_callgrind_formulas {
	const struct tl_callgrind_reader *reader;
	size_t count;     /* of events */
	int64_t *factors; /* of a good formula: a factor for each event, 0 without a column */
	bool *named;      /* whether each event stands in the formula's own text */
	enum tl_callgrind_formula_state *state;
};

/* Read all formulas of a reader. False without memory. `f` is to be freed in either case. */
bool tl_callgrind_formulas_read(struct tl_callgrind_formulas *f,
				const struct tl_callgrind_reader *reader);
void tl_callgrind_formulas_free(struct tl_callgrind_formulas *f);

#endif
