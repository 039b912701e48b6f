/* SPDX-License-Identifier: Apache-2.0 */
#include "callgrind/layout.h"

#define KEY(text, line, space, slot) { text "=", sizeof(text), line, space, slot, text }

/* Those that real files are made of come first: the list is searched for every such line. */
const struct callgrind_key tl_callgrind_keys[] = {
	KEY("fn", LINE_NAME, SPACE_FUNCTION, SLOT_FUNCTION),
	KEY("cfn", LINE_NAME, SPACE_FUNCTION, SLOT_CALLEE),
	KEY("calls", LINE_CALLS, 0, 0),
	KEY("jcnd", LINE_JCND, 0, 0),
	KEY("jump", LINE_JUMP, 0, 0),
	KEY("fi", LINE_NAME, SPACE_FILE, SLOT_CURRENT_FILE),
	KEY("fe", LINE_NAME, SPACE_FILE, SLOT_CURRENT_FILE),
	KEY("cfi", LINE_NAME, SPACE_FILE, SLOT_CALLEE_FILE),
	KEY("cob", LINE_NAME, SPACE_OBJECT, SLOT_CALLEE_OBJECT),
	KEY("fl", LINE_NAME, SPACE_FILE, SLOT_FILE),
	KEY("ob", LINE_NAME, SPACE_OBJECT, SLOT_OBJECT),
	KEY("cfl", LINE_NAME, SPACE_FILE, SLOT_CALLEE_FILE),
	KEY("jfi", LINE_NAME, SPACE_FILE, SLOT_JUMP_FILE),
	KEY("jfn", LINE_NAME, SPACE_FUNCTION, SLOT_JUMP_FUNCTION),
	/*
	 * Old calltree, --mangle-names=no, --dump-bbs=yes, and what nobody writes but some readers
	 * take.
	 */
	KEY("rcalls", LINE_CALLS, 1, 0),
	KEY("frfn", LINE_NAME, SPACE_FUNCTION, SLOT_NOTHING),
	KEY("cfe", LINE_NAME, SPACE_FILE, SLOT_CALLEE_FILE),
	KEY("rec", LINE_OTHER, 0, 0),
	KEY("bb", LINE_OTHER, 0, 0),
	KEY("ln", LINE_OTHER, 0, 0),
	{ "====", 4, LINE_OTHER, 0, 0, "====" }, /* xdebug: a further file appended */
	{ "", 0, LINE_UNKNOWN, 0, 0, "" },
};

const struct callgrind_header_key tl_callgrind_header_keys[] = {
	{ "version", HEADER_VERSION, true },
	{ "creator", HEADER_CREATOR, true },
	{ "pid", HEADER_PID, true },
	{ "cmd", HEADER_CMD, true },
	{ "part", HEADER_PART, true },
	{ "thread", HEADER_THREAD, true },
	{ "desc", HEADER_DESC, false },
	{ "positions", HEADER_POSITIONS, true },
	{ "events", HEADER_EVENTS, true },
	{ "event", HEADER_EVENT, false },
	{ "summary", HEADER_SUMMARY, false },
	{ "totals", HEADER_TOTALS, false },
	{ "timeframe (BB)", HEADER_NO_MEANING, false },
	{ "arch", HEADER_NO_MEANING, false },
	{ NULL, HEADER_OTHER, false },
};

const uint8_t tl_callgrind_first[256] = {
	['0'] = FIRST_COST, ['1'] = FIRST_COST,  ['2'] = FIRST_COST,   ['3'] = FIRST_COST,
	['4'] = FIRST_COST, ['5'] = FIRST_COST,  ['6'] = FIRST_COST,   ['7'] = FIRST_COST,
	['8'] = FIRST_COST, ['9'] = FIRST_COST,  ['+'] = FIRST_COST,   ['-'] = FIRST_COST,
	['*'] = FIRST_COST, [' '] = FIRST_BLANK, ['\t'] = FIRST_BLANK,
};

const char *const tl_callgrind_columns[COLUMNS] = { "instr", "bb", "line" };

const struct callgrind_writer tl_callgrind_writers[] = {
	{ "callgrind-", END_TOTALS }, { "xtree", END_TOTALS }, { "tracelathe", END_TOTALS },
	{ "xdebug", END_SUMMARY },    { NULL, END_ANYHOW },
};

const struct callgrind_rule_row tl_callgrind_rules[RULE_COUNT] = {
	[RULE_LINE_UNKNOWN] = { "callgrind.line.unknown", TL_BAD_RECORD, true,
				"not a line of this format; skipped it" },
	[RULE_LINE_LONG] = { "callgrind.line.long", TL_TOO_LARGE, true,
			     "a line of more than 16 MiB; skipped it" },
	[RULE_LINE_UNENDED] = { "callgrind.line.unended", TL_TRUNCATED, true,
				"the last line has no end, so the file was cut in it, or right "
				"behind it; kept what is there" },
	[RULE_LINE_INDENTED] = { "callgrind.line.indented", TL_BAD_RECORD, false,
				 "blanks before a line; read it as if without" },
	[RULE_NAME_CONTROL] = { "callgrind.name.control", TL_BAD_RECORD, false,
				"a control character in a name; it is shown as \\x and its "
				"number" },
	[RULE_BOM] = { "callgrind.line.bom", TL_BAD_RECORD, false,
		       "a byte order mark before the first line; skipped it" },
	[RULE_VERSION] = { "callgrind.header.version", TL_UNSUPPORTED, true,
			   "a newer version of the format; read it as version 1" },
	[RULE_HEADER_UNKNOWN] = { "callgrind.header.unknown", TL_BAD_RECORD, false,
				  "a header line of no known kind; it changes nothing" },
	[RULE_HEADER_NUMBER] = { "callgrind.header.number", TL_BAD_RECORD, true,
				 "not a number in a header line; ignored it" },
	[RULE_POSITIONS] = { "callgrind.header.positions", TL_BAD_RECORD, true,
			     "positions: has no word, or more than eight; kept the positions "
			     "before it" },
	[RULE_POSITION_UNKNOWN] = { "callgrind.header.position", TL_BAD_RECORD, false,
				    "a position of no known kind; it is read and shown as such, "
				    "and changes nothing" },
	[RULE_EVENTS_MISSING] = { "callgrind.header.events", TL_BAD_RECORD, true,
				  "costs before any events: line; skipped them" },
	[RULE_EVENT] = { "callgrind.header.event", TL_BAD_RECORD, true,
			 "an event: line without a name; ignored it" },
	[RULE_FORMULA] = { "callgrind.header.formula", TL_BAD_RECORD, true,
			   "an event's formula is no sum of known events; the event is left out" },
	[RULE_COST] = { "callgrind.cost.number", TL_BAD_RECORD, true,
			"not a number in a cost line; skipped the line" },
	[RULE_COST_FRACTION] = { "callgrind.cost.fraction", TL_BAD_RECORD, true,
				 "a cost that is no whole number; its fraction was dropped" },
	[RULE_COST_TOO_LARGE] = { "callgrind.cost.large", TL_TOO_LARGE, true,
				  "a number that does not fit; took the largest there is" },
	[RULE_COST_SURPLUS] = { "callgrind.cost.surplus", TL_BAD_RECORD, true,
				"more costs than events; ignored the surplus" },
	[RULE_COST_NO_FUNCTION] = { "callgrind.cost.no-function", TL_BAD_RECORD, false,
				    "costs before any fn= line; they belong to ???" },
	[RULE_POSITION_NEGATIVE] = { "callgrind.position.negative", TL_BAD_RECORD, true,
				     "a position below 0; the cost counts, the position is lost" },
	[RULE_POSITION_LARGE] = { "callgrind.position.large", TL_TOO_LARGE, true,
				  "a source line that does not fit in 32 bits; it counts as line "
				  "4294967295" },
	[RULE_CALLS] = { "callgrind.call.number", TL_BAD_RECORD, true,
			 "not a number in a calls= line; skipped it and its costs" },
	[RULE_CALL_NO_COST] = { "callgrind.call.no-cost", TL_BAD_RECORD, true,
				"calls= without a cost line after it; dropped the calls" },
	[RULE_CALL_NO_CALLEE] = { "callgrind.call.no-callee", TL_BAD_RECORD, true,
				  "calls= before any cfn=; the callee is ???" },
	[RULE_JUMP] = { "callgrind.jump.number", TL_BAD_RECORD, true,
			"not a number in a jump line; skipped it" },
	[RULE_JUMP_NO_SOURCE] = { "callgrind.jump.no-source", TL_BAD_RECORD, true,
				  "a jump without a position line after it; dropped the jump" },
	[RULE_RCALLS] = { "callgrind.call.rcalls", TL_BAD_RECORD, false,
			  "rcalls= of the old format; read as calls=" },
	[RULE_NAME_UNDEFINED] = { "callgrind.name.undefined", TL_BAD_RECORD, true,
				  "a name's number that was never defined; the number stands for "
				  "the name" },
	[RULE_NAME_REDEFINED] = { "callgrind.name.redefined", TL_BAD_RECORD, false,
				  "a name's number is defined anew with another name; it holds "
				  "from here on" },
	[RULE_TOTALS] = { "callgrind.totals", TL_BAD_RECORD, true,
			  "the self costs of the part do not sum up to its totals: line; the file "
			  "is damaged" },
	[RULE_TOTALS_MISSING] = { "callgrind.totals.missing", TL_TRUNCATED, true,
				  "the part has no totals: line, so its end is missing; kept what "
				  "is there" },
	[RULE_SUMMARY] = { "callgrind.summary", TL_BAD_RECORD, true,
			   "the self costs of the part do not sum up to its summary: line, and no "
			   "totals: explains it; the file is damaged" },
	[RULE_SUMMARY_LAST] = { "callgrind.summary.last", TL_BAD_RECORD, true,
				"the costs do not sum up to the summary: line at the end; the "
				"file is damaged" },
	[RULE_SUMMARY_MISSING] = { "callgrind.summary.missing", TL_TRUNCATED, true,
				   "the part has no summary: line behind its costs, so its end is "
				   "missing; kept what is there" },
	[RULE_SUM_TOO_LARGE] = { "callgrind.sum.large", TL_TOO_LARGE, true,
				 "a sum of costs does not fit in 64 bits; it stays at the largest "
				 "number" },
	[RULE_INCLUSIVE] = { "callgrind.inclusive", TL_BAD_RECORD, false,
			     "the calls of a function cost less than it and its callees; a call "
			     "is missing or too cheap" },
};
