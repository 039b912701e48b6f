/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_READER_READER_H
#define TL_CALLGRIND_READER_READER_H
/*
 * The reader's insides. A line goes from lines.c through reader.c, which tells what kind it is and
 * where parts begin and end, to header_lines.c or body_lines.c; what it says is left in `item`.
 */
#include <tracelathe/callgrind.h>

#include "callgrind/text/lines.h"
#include "callgrind/text/name_compression.h"

/* A kind of cost, by the number it was met with. Strings are numbers of the pool of names. */
struct tl_callgrind_event {
	uint32_t name, long_name, formula;
	bool column;           /* it has, or had, a column; else only a formula */
	uint64_t offset, line; /* of its "event:" line */
};

/* A line of sums: "summary:" or "totals:". */
struct tl_callgrind_sums {
	int64_t *values;
	size_t count, capacity;
	uint64_t offset, line; /* line 0: none in this part */
	bool last;             /* cost lines stood before it, none after it */
	bool in_body;          /* a function's name stood before it */
};

struct tl_callgrind_part_state {
	bool open; /* some line of it was met */
	bool body; /* costs or totals were met: the next header line begins another part */
	bool costs, calls, too_large;
	unsigned headers; /* kinds of header lines that it has, by bit */
	uint32_t ordinal;
	uint64_t process, thread, number;
	uint32_t command, creator; /* names */
	char *header;              /* terminated; `header_size` without the zero */
	size_t header_size, header_capacity;
	struct tl_callgrind_sums summary, totals;
	uint64_t offset, line;
};

/* "calls=" or "jump=" waits for its cost line. */
enum tl_callgrind_pending {
	TL_CALLGRIND_PENDING_NOTHING,
	TL_CALLGRIND_PENDING_CALL,
	TL_CALLGRIND_PENDING_JUMP,
	TL_CALLGRIND_PENDING_SKIP
};

/* Where the reader is in a part ("Body lines"). */
struct tl_callgrind_state {
	struct tl_callgrind_owner owner;
	uint32_t file, self_file; /* current file; file of the last self-cost line (rule B) */
	uint32_t callee_object, callee_file, callee;
	uint32_t jump_file, jump_function;
	uint64_t base[TL_CALLGRIND_COLUMNS]; /* position of the last self-cost line (rule A) */
	uint64_t further_base[TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS];
	bool noted_no_function;

	enum tl_callgrind_pending pending;
	uint64_t offset, line; /* of the line that waits */
	uint64_t count, taken, to[TL_CALLGRIND_MOST_POSITIONS];
	bool conditional;
};

struct tl_callgrind_faults {
	struct tl_callgrind_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/* Everything that breaks a rule, for the checker. */
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
};

/* The columns of sub-positions ("positions:"). Words of no known kind are columns, too. */
struct tl_callgrind_position_columns {
	/* enum tl_callgrind_column, or a number behind those */
	uint8_t columns[TL_CALLGRIND_MOST_POSITIONS];
	unsigned count, further_count; /* all; those of no known kind */
	const char *names[TL_CALLGRIND_MOST_POSITIONS];
	/* sub-positions of no known kind of the item, and of the target of a call or jump */
	uint64_t further[TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS];
	uint64_t further_to[TL_CALLGRIND_MOST_POSITIONS - TL_CALLGRIND_COLUMNS];
};

/* Self costs of the present function that no item was made of yet (function_costs.c). */
struct tl_callgrind_function_costs {
	bool wanted;
	int64_t *costs; /* by column */
	uint64_t lines; /* how many cost lines they are the sum of */
	size_t capacity;
};

/* What stood anywhere in the file up to here. */
struct tl_callgrind_seen {
	bool signature;      /* "# callgrind format" */
	bool cut_stacks;     /* creator xtree, which writes stacks up to a depth, as calls */
	bool totals;         /* some part had its "totals:" */
	bool appended_file;  /* "====": several files of xdebug */
	bool unknown_header; /* and it was reported */
	bool unended_line;   /* a last line without its newline, and it was reported */
};

struct tl_callgrind_reader {
	struct tl_callgrind_options options;
	struct tl_callgrind_lines lines;
	struct tl_callgrind_names names;
	struct tl_callgrind_faults faults;
	struct tl_callgrind_observer observer;
	struct tl_callgrind_events events;
	struct tl_callgrind_columns columns;
	struct tl_callgrind_position_columns positions;
	struct tl_callgrind_part_state part;
	struct tl_callgrind_state state;
	struct tl_callgrind_function_costs by_function;
	struct tl_callgrind_seen seen;
	bool ended;
	struct tl_callgrind_item item;
};

/* The next item, left in reader->item. 1, 0 at the end, or negative. */
int tl_callgrind_step(struct tl_callgrind_reader *reader, struct tl_error *err);

/* ---- what the files of the reader share ---- */

/*
 * A rule is broken at the present line, or at another. 0, or negative: strict mode and the rule is
 * of the damaging kind, or no memory.
 */
int tl_callgrind_broken(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			struct tl_error *err);
int tl_callgrind_broken_at(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			   uint64_t offset, uint64_t length, uint64_t line, struct tl_error *err);
/* The same, and the line is skipped: makes the LOST item. 1, or negative. */
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
	item->offset = tl_callgrind_lines_offset(&reader->lines);
	item->length = (uint64_t)(reader->lines.next - reader->lines.whole);
	item->line = reader->lines.number;
	item->part = reader->part.ordinal;
}

/*
 * Add the present line, a cost line, to the run; false: it is not one of those, and nothing was
 * done.
 */
bool tl_callgrind_add_to_function(struct tl_callgrind_reader *reader);
/* Make the item of a run of some lines, which is then empty. */
void tl_callgrind_function_item(struct tl_callgrind_reader *reader);

/* Lines by their kind: 1 and an item, 0 without one, or negative. */
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

/* Nothing is in force, as at the beginning of a part. */
void tl_callgrind_state_begin(struct tl_callgrind_reader *reader);
/* The part begins with the present line. */
void tl_callgrind_part_begin(struct tl_callgrind_reader *reader);
/* Its sums against its totals and summary, then the PART_END item. 1 or negative. */
int tl_callgrind_part_end(struct tl_callgrind_reader *reader, struct tl_error *err);

/* A number of the pool for bytes of a line; TL_NONE without memory. */
uint32_t tl_callgrind_intern(struct tl_callgrind_reader *reader, const char *text, size_t size);

/*
 * The formula of an event ("InheritedExpr") as a factor for each event of the reader; `factors` has
 * event_count numbers, all 0. False: it is no sum of events that have columns.
 */
bool tl_callgrind_formula(const struct tl_callgrind_reader *reader, uint32_t event,
			  int64_t *factors);

#endif
