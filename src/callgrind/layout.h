/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_LAYOUT_H
#define TL_CALLGRIND_LAYOUT_H
/* The format as tables: what a line can begin with, and the rules it can break. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

/* "separate ID tables per kind of name" ("Name Compression"; rule F). */
enum callgrind_space { SPACE_OBJECT, SPACE_FILE, SPACE_FUNCTION, SPACES };

/* What a position specification sets. */
enum callgrind_slot {
	SLOT_OBJECT,        /* ob= */
	SLOT_FILE,          /* fl= : the function's file and the current one */
	SLOT_CURRENT_FILE,  /* fi= fe= */
	SLOT_FUNCTION,      /* fn= */
	SLOT_CALLEE_OBJECT, /* cob= */
	SLOT_CALLEE_FILE,   /* cfi= cfl= cfe= */
	SLOT_CALLEE,        /* cfn= */
	SLOT_JUMP_FILE,     /* jfi= */
	SLOT_JUMP_FUNCTION, /* jfn= */
	SLOT_NOTHING,       /* frfn= : only defines a name */
};

enum callgrind_line {
	LINE_UNKNOWN,
	LINE_NAME,  /* space and slot */
	LINE_CALLS, /* calls= rcalls= */
	LINE_JUMP,  /* jump= */
	LINE_JCND,  /* jcnd= */
	LINE_OTHER, /* known, without meaning for costs */
};

/*
 * A body line by what it begins with; `key` is without the '='. Section 2 of
 * docs/formats/callgrind.md.
 */
struct callgrind_key {
	char start[8];
	uint8_t size; /* of start */
	uint8_t line; /* enum callgrind_line */
	uint8_t space, slot;
	char key[8];
};

extern const struct callgrind_key tl_callgrind_keys[];

/* Header lines. */
enum callgrind_header {
	HEADER_OTHER,
	HEADER_VERSION,
	HEADER_CREATOR,
	HEADER_PID,
	HEADER_CMD,
	HEADER_PART,
	HEADER_THREAD,
	HEADER_DESC,
	HEADER_POSITIONS,
	HEADER_EVENTS,
	HEADER_EVENT,
	HEADER_SUMMARY,
	HEADER_TOTALS,
	HEADER_NO_MEANING, /* timeframe (BB): arch: */
};

struct callgrind_header_key {
	const char *key;
	enum callgrind_header header;
	bool begins_part; /* after cost lines a new part begins with it (rule H) */
};

/* Ends with a NULL key. */
extern const struct callgrind_header_key tl_callgrind_header_keys[];

/* What a line can begin with, by its first byte. */
enum callgrind_first { FIRST_OTHER, FIRST_COST, FIRST_BLANK };
extern const uint8_t tl_callgrind_first[256];

/* Sub-position columns; words of no known kind are columns behind them, in their order. */
enum callgrind_column {
	COLUMN_INSTR,
	COLUMN_BB,
	COLUMN_LINE,
	COLUMNS,
	MOST_POSITIONS = COLUMNS + 5
};
extern const char *const tl_callgrind_columns[COLUMNS];

/* How a writer ends a part: by this a part that was cut is known. */
enum callgrind_end {
	END_ANYHOW,
	END_TOTALS,       /* totals: */
	END_SUMMARY_LAST, /* summary: behind all costs, as their sum */
	END_SUMMARY,      /* summary: that is no sum of costs */
};

struct callgrind_writer {
	const char *creator; /* what the name begins with */
	enum callgrind_end end;
};

/* Those who say their name; ends with a NULL. */
extern const struct callgrind_writer tl_callgrind_writers[];

/* The rules: what is wrong, and whether something of the input is lost or doubtful by it (damage),
 * or only noted. */
enum callgrind_rule {
	RULE_LINE_UNKNOWN,
	RULE_LINE_LONG,
	RULE_LINE_UNENDED,
	RULE_LINE_INDENTED,
	RULE_NAME_CONTROL,
	RULE_BOM,
	RULE_VERSION,
	RULE_HEADER_UNKNOWN,
	RULE_HEADER_NUMBER,
	RULE_POSITIONS,
	RULE_POSITION_UNKNOWN,
	RULE_EVENTS_MISSING,
	RULE_EVENT,
	RULE_FORMULA,
	RULE_COST,
	RULE_COST_FRACTION,
	RULE_COST_TOO_LARGE,
	RULE_COST_SURPLUS,
	RULE_COST_NO_FUNCTION,
	RULE_POSITION_NEGATIVE,
	RULE_POSITION_LARGE,
	RULE_CALLS,
	RULE_CALL_NO_COST,
	RULE_CALL_NO_CALLEE,
	RULE_JUMP,
	RULE_JUMP_NO_SOURCE,
	RULE_RCALLS,
	RULE_NAME_UNDEFINED,
	RULE_NAME_REDEFINED,
	RULE_TOTALS,
	RULE_TOTALS_MISSING,
	RULE_SUMMARY,
	RULE_SUMMARY_LAST,
	RULE_SUMMARY_MISSING,
	RULE_SUM_TOO_LARGE,
	RULE_INCLUSIVE,
	RULE_COUNT
};

struct callgrind_rule_row {
	const char *id;
	enum tl_status status;
	bool damage;
	const char *text;
};

extern const struct callgrind_rule_row tl_callgrind_rules[RULE_COUNT];

#endif
