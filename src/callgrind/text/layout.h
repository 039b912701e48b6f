/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_TEXT_LAYOUT_H
#define TL_CALLGRIND_TEXT_LAYOUT_H
/* The format as tables: beginnings of lines, and rules. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

/* "separate ID tables per kind of name" ("Name Compression"; rule F). */
enum tl_callgrind_name_kind {
	TL_CALLGRIND_NAME_OBJECT,
	TL_CALLGRIND_NAME_FILE,
	TL_CALLGRIND_NAME_FUNCTION,
	TL_CALLGRIND_NAME_KINDS
};

/* What a position specification sets. */
enum tl_callgrind_slot {
	TL_CALLGRIND_SLOT_OBJECT, /* ob= */
	TL_CALLGRIND_SLOT_FILE,   /* fl= : sets the file of the function and the current file */
	TL_CALLGRIND_SLOT_CURRENT_FILE,  /* fi= fe= */
	TL_CALLGRIND_SLOT_FUNCTION,      /* fn= */
	TL_CALLGRIND_SLOT_CALLEE_OBJECT, /* cob= */
	TL_CALLGRIND_SLOT_CALLEE_FILE,   /* cfi= cfl= cfe= */
	TL_CALLGRIND_SLOT_CALLEE,        /* cfn= */
	TL_CALLGRIND_SLOT_JUMP_FILE,     /* jfi= */
	TL_CALLGRIND_SLOT_JUMP_FUNCTION, /* jfn= */
	TL_CALLGRIND_SLOT_NOTHING,       /* frfn= : defines a name and changes nothing else */
};

enum tl_callgrind_line {
	TL_CALLGRIND_LINE_UNKNOWN,
	TL_CALLGRIND_LINE_NAME,  /* by kind of name and slot */
	TL_CALLGRIND_LINE_CALLS, /* calls= rcalls= */
	TL_CALLGRIND_LINE_JUMP,  /* jump= */
	TL_CALLGRIND_LINE_JCND,  /* jcnd= */
	TL_CALLGRIND_LINE_OTHER, /* known, without effect on costs */
};

/*
 * A line of the body by its first bytes; `key` is without the '='. Section 2 of
 * docs/formats/callgrind.md.
 */
struct tl_callgrind_key {
	char start[8];
	uint8_t size; /* of start */
	uint8_t line; /* enum tl_callgrind_line */
	uint8_t space, slot;
	char key[8];
};

extern const struct tl_callgrind_key tl_callgrind_keys[];

/* Header lines. */
enum tl_callgrind_header {
	TL_CALLGRIND_HEADER_OTHER,
	TL_CALLGRIND_HEADER_VERSION,
	TL_CALLGRIND_HEADER_CREATOR,
	TL_CALLGRIND_HEADER_PID,
	TL_CALLGRIND_HEADER_CMD,
	TL_CALLGRIND_HEADER_PART,
	TL_CALLGRIND_HEADER_THREAD,
	TL_CALLGRIND_HEADER_DESC,
	TL_CALLGRIND_HEADER_POSITIONS,
	TL_CALLGRIND_HEADER_EVENTS,
	TL_CALLGRIND_HEADER_EVENT,
	TL_CALLGRIND_HEADER_SUMMARY,
	TL_CALLGRIND_HEADER_TOTALS,
	TL_CALLGRIND_HEADER_NO_MEANING, /* timeframe (BB): arch: */
};

struct tl_callgrind_header_key {
	const char *key;
	enum tl_callgrind_header header;
	bool begins_part; /* after a cost line it begins a new part (rule H) */
};

/* Ends with a NULL key. */
extern const struct tl_callgrind_header_key tl_callgrind_header_keys[];

/* The kind of a line by its first byte. */
enum tl_callgrind_first_byte {
	TL_CALLGRIND_FIRST_OTHER,
	TL_CALLGRIND_FIRST_COST,
	TL_CALLGRIND_FIRST_BLANK
};
extern const uint8_t tl_callgrind_first_bytes[256];

/*
 * Columns of sub-positions. Words that the format does not define are columns behind these, in
 * their order.
 */
enum tl_callgrind_column {
	TL_CALLGRIND_COLUMN_INSTR,
	TL_CALLGRIND_COLUMN_BB,
	TL_CALLGRIND_COLUMN_LINE,
	TL_CALLGRIND_COLUMNS,
	TL_CALLGRIND_MOST_POSITIONS = TL_CALLGRIND_COLUMNS + 5
};
extern const char *const tl_callgrind_columns[TL_CALLGRIND_COLUMNS];

/* The last line of a part, by writer: if it is missing, the part was truncated. */
enum tl_callgrind_end {
	TL_CALLGRIND_END_ANYHOW,
	TL_CALLGRIND_END_TOTALS,       /* totals: */
	TL_CALLGRIND_END_SUMMARY_LAST, /* summary: behind all costs, and equal to their sum */
	TL_CALLGRIND_END_SUMMARY,      /* summary: with another meaning than a sum of costs */
};

struct tl_callgrind_creator {
	const char *creator; /* beginning of the creator's name */
	enum tl_callgrind_end end;
};

/* Writers that name themselves; ends with a NULL. */
extern const struct tl_callgrind_creator tl_callgrind_creators[];

/*
 * The rules of the format. Breaking a rule is damage when data are lost or doubtful by it,
 * otherwise a remark.
 */
enum tl_callgrind_rule {
	TL_CALLGRIND_RULE_LINE_UNKNOWN,
	TL_CALLGRIND_RULE_LINE_LONG,
	TL_CALLGRIND_RULE_LINE_UNENDED,
	TL_CALLGRIND_RULE_LINE_INDENTED,
	TL_CALLGRIND_RULE_NAME_CONTROL,
	TL_CALLGRIND_RULE_BOM,
	TL_CALLGRIND_RULE_VERSION,
	TL_CALLGRIND_RULE_HEADER_UNKNOWN,
	TL_CALLGRIND_RULE_HEADER_NUMBER,
	TL_CALLGRIND_RULE_POSITIONS,
	TL_CALLGRIND_RULE_POSITION_UNKNOWN,
	TL_CALLGRIND_RULE_EVENTS_MISSING,
	TL_CALLGRIND_RULE_EVENT,
	TL_CALLGRIND_RULE_EVENTS_MANY,
	TL_CALLGRIND_RULE_FORMULA,
	TL_CALLGRIND_RULE_COST,
	TL_CALLGRIND_RULE_COST_FRACTION,
	TL_CALLGRIND_RULE_COST_TOO_LARGE,
	TL_CALLGRIND_RULE_COST_SURPLUS,
	TL_CALLGRIND_RULE_COST_NO_FUNCTION,
	TL_CALLGRIND_RULE_POSITION_NEGATIVE,
	TL_CALLGRIND_RULE_POSITION_LARGE,
	TL_CALLGRIND_RULE_CALLS,
	TL_CALLGRIND_RULE_CALL_NO_COST,
	TL_CALLGRIND_RULE_CALL_NO_CALLEE,
	TL_CALLGRIND_RULE_JUMP,
	TL_CALLGRIND_RULE_JUMP_NO_SOURCE,
	TL_CALLGRIND_RULE_RCALLS,
	TL_CALLGRIND_RULE_NAME_UNDEFINED,
	TL_CALLGRIND_RULE_NAME_REDEFINED,
	TL_CALLGRIND_RULE_TOTALS,
	TL_CALLGRIND_RULE_TOTALS_MISSING,
	TL_CALLGRIND_RULE_SUMMARY,
	TL_CALLGRIND_RULE_SUMMARY_LAST,
	TL_CALLGRIND_RULE_SUMMARY_MISSING,
	TL_CALLGRIND_RULE_SUM_TOO_LARGE,
	TL_CALLGRIND_RULE_INCLUSIVE,
	TL_CALLGRIND_RULE_COUNT
};

struct tl_callgrind_rule_row {
	const char *id;
	enum tl_status status;
	bool damage;
	const char *text;
};

extern const struct tl_callgrind_rule_row tl_callgrind_rules[TL_CALLGRIND_RULE_COUNT];

#endif
