/* SPDX-License-Identifier: Apache-2.0 */
#include "callgrind/text/layout.h"

#define KEY(text, line, space, slot) { text "=", sizeof(text), line, space, slot, text }

/* Keys that are frequent in real files come first, because the list is searched in order. */
const struct tl_callgrind_key tl_callgrind_keys[] = {
	KEY("fn", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FUNCTION, TL_CALLGRIND_SLOT_FUNCTION),
	KEY("cfn", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FUNCTION, TL_CALLGRIND_SLOT_CALLEE),
	KEY("calls", TL_CALLGRIND_LINE_CALLS, 0, 0),
	KEY("jcnd", TL_CALLGRIND_LINE_JCND, 0, 0),
	KEY("jump", TL_CALLGRIND_LINE_JUMP, 0, 0),
	KEY("fi", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_CURRENT_FILE),
	KEY("fe", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_CURRENT_FILE),
	KEY("cfi", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_CALLEE_FILE),
	KEY("cob", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_OBJECT,
	    TL_CALLGRIND_SLOT_CALLEE_OBJECT),
	KEY("fl", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_FILE),
	KEY("ob", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_OBJECT, TL_CALLGRIND_SLOT_OBJECT),
	KEY("cfl", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_CALLEE_FILE),
	KEY("jfi", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_JUMP_FILE),
	KEY("jfn", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FUNCTION,
	    TL_CALLGRIND_SLOT_JUMP_FUNCTION),
	/*
	 * Keys of old calltree, of --mangle-names=no and --dump-bbs=yes, and keys that no known
	 * writer uses but some readers accept.
	 */
	KEY("rcalls", TL_CALLGRIND_LINE_CALLS, 1, 0),
	KEY("frfn", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FUNCTION, TL_CALLGRIND_SLOT_NOTHING),
	KEY("cfe", TL_CALLGRIND_LINE_NAME, TL_CALLGRIND_NAME_FILE, TL_CALLGRIND_SLOT_CALLEE_FILE),
	KEY("rec", TL_CALLGRIND_LINE_OTHER, 0, 0),
	KEY("bb", TL_CALLGRIND_LINE_OTHER, 0, 0),
	KEY("ln", TL_CALLGRIND_LINE_OTHER, 0, 0),
	{ "====", 4, TL_CALLGRIND_LINE_OTHER, 0, 0, "====" }, /* xdebug: a further file appended */
	{ "", 0, TL_CALLGRIND_LINE_UNKNOWN, 0, 0, "" },
};

const struct tl_callgrind_header_key tl_callgrind_header_keys[] = {
	{ "version", TL_CALLGRIND_HEADER_VERSION, true },
	{ "creator", TL_CALLGRIND_HEADER_CREATOR, true },
	{ "pid", TL_CALLGRIND_HEADER_PID, true },
	{ "cmd", TL_CALLGRIND_HEADER_CMD, true },
	{ "part", TL_CALLGRIND_HEADER_PART, true },
	{ "thread", TL_CALLGRIND_HEADER_THREAD, true },
	{ "desc", TL_CALLGRIND_HEADER_DESC, false },
	{ "positions", TL_CALLGRIND_HEADER_POSITIONS, true },
	{ "events", TL_CALLGRIND_HEADER_EVENTS, true },
	{ "event", TL_CALLGRIND_HEADER_EVENT, false },
	{ "summary", TL_CALLGRIND_HEADER_SUMMARY, false },
	{ "totals", TL_CALLGRIND_HEADER_TOTALS, false },
	{ "timeframe (BB)", TL_CALLGRIND_HEADER_NO_MEANING, false },
	{ "arch", TL_CALLGRIND_HEADER_NO_MEANING, false },
	{ NULL, TL_CALLGRIND_HEADER_OTHER, false },
};

const uint8_t tl_callgrind_first_bytes[256] = {
	['0'] = TL_CALLGRIND_FIRST_COST,   ['1'] = TL_CALLGRIND_FIRST_COST,
	['2'] = TL_CALLGRIND_FIRST_COST,   ['3'] = TL_CALLGRIND_FIRST_COST,
	['4'] = TL_CALLGRIND_FIRST_COST,   ['5'] = TL_CALLGRIND_FIRST_COST,
	['6'] = TL_CALLGRIND_FIRST_COST,   ['7'] = TL_CALLGRIND_FIRST_COST,
	['8'] = TL_CALLGRIND_FIRST_COST,   ['9'] = TL_CALLGRIND_FIRST_COST,
	['+'] = TL_CALLGRIND_FIRST_COST,   ['-'] = TL_CALLGRIND_FIRST_COST,
	['*'] = TL_CALLGRIND_FIRST_COST,   [' '] = TL_CALLGRIND_FIRST_BLANK,
	['\t'] = TL_CALLGRIND_FIRST_BLANK,
};

const char *const tl_callgrind_columns[TL_CALLGRIND_COLUMNS] = { "instr", "bb", "line" };

const struct tl_callgrind_creator tl_callgrind_creators[] = {
	{ "callgrind-", TL_CALLGRIND_END_TOTALS }, { "xtree", TL_CALLGRIND_END_TOTALS },
	{ "tracelathe", TL_CALLGRIND_END_TOTALS }, { "xdebug", TL_CALLGRIND_END_SUMMARY },
	{ NULL, TL_CALLGRIND_END_ANYHOW },
};

const struct tl_callgrind_rule_row tl_callgrind_rules[TL_CALLGRIND_RULE_COUNT] = {
	[TL_CALLGRIND_RULE_LINE_UNKNOWN] = { "callgrind.line.unknown", TL_BAD_RECORD, true,
					     "not a line of this format; skipped it" },
	[TL_CALLGRIND_RULE_LINE_LONG] = { "callgrind.line.long", TL_TOO_LARGE, true,
					  "a line of more than 16 MiB; skipped it" },
	[TL_CALLGRIND_RULE_LINE_UNENDED] = { "callgrind.line.unended", TL_TRUNCATED, true,
					     "the last line has no end, so the file was cut in it, "
					     "or right "
					     "behind it; kept what is there" },
	[TL_CALLGRIND_RULE_LINE_INDENTED] = { "callgrind.line.indented", TL_BAD_RECORD, false,
					      "blanks before a line; ignored them" },
	[TL_CALLGRIND_RULE_NAME_CONTROL] = { "callgrind.name.control", TL_BAD_RECORD, false,
					     "a control character in a name; it is shown as \\x "
					     "and its "
					     "number" },
	[TL_CALLGRIND_RULE_BOM] = { "callgrind.line.bom", TL_BAD_RECORD, false,
				    "a byte order mark before the first line; skipped it" },
	[TL_CALLGRIND_RULE_VERSION] = { "callgrind.header.version", TL_UNSUPPORTED, true,
					"a newer version of the format; read it as version 1" },
	[TL_CALLGRIND_RULE_HEADER_UNKNOWN] = { "callgrind.header.unknown", TL_BAD_RECORD, false,
					       "a header line of no known kind; it changes "
					       "nothing" },
	[TL_CALLGRIND_RULE_HEADER_NUMBER] = { "callgrind.header.number", TL_BAD_RECORD, true,
					      "not a number in a header line; ignored it" },
	[TL_CALLGRIND_RULE_POSITIONS] = { "callgrind.header.positions", TL_BAD_RECORD, true,
					  "positions: has no word, or more than eight; kept the "
					  "positions "
					  "before it" },
	[TL_CALLGRIND_RULE_POSITION_UNKNOWN] = { "callgrind.header.position", TL_BAD_RECORD, false,
						 "a position of no known kind; it is read and "
						 "shown as such, "
						 "and changes nothing" },
	[TL_CALLGRIND_RULE_EVENTS_MISSING] = { "callgrind.header.events", TL_BAD_RECORD, true,
					       "costs before any events: line; skipped them" },
	[TL_CALLGRIND_RULE_EVENT] = { "callgrind.header.event", TL_BAD_RECORD, true,
				      "an event: line without a name; ignored it" },
	[TL_CALLGRIND_RULE_EVENTS_MANY] = { "callgrind.header.events-many", TL_TOO_LARGE, true,
					    "more than 256 events; those behind them are left out, "
					    "and their costs" },
	[TL_CALLGRIND_RULE_FORMULA] = { "callgrind.header.formula", TL_BAD_RECORD, true,
					"an event's formula is not a sum of known events; the "
					"event "
					"is left out" },
	[TL_CALLGRIND_RULE_COST] = { "callgrind.cost.number", TL_BAD_RECORD, true,
				     "not a number in a cost line; skipped the line" },
	[TL_CALLGRIND_RULE_COST_FRACTION] = { "callgrind.cost.fraction", TL_BAD_RECORD, true,
					      "a cost is not a whole number; its fraction was "
					      "dropped" },
	[TL_CALLGRIND_RULE_COST_TOO_LARGE] = { "callgrind.cost.large", TL_TOO_LARGE, true,
					       "a number that does not fit; took the largest there "
					       "is" },
	[TL_CALLGRIND_RULE_COST_SURPLUS] = { "callgrind.cost.surplus", TL_BAD_RECORD, true,
					     "more costs than events; ignored the surplus" },
	[TL_CALLGRIND_RULE_COST_NO_FUNCTION] = { "callgrind.cost.no-function", TL_BAD_RECORD, false,
						 "costs before any fn= line; they belong to ???" },
	[TL_CALLGRIND_RULE_POSITION_NEGATIVE] = { "callgrind.position.negative", TL_BAD_RECORD,
						  true,
						  "a position below 0; the cost counts, the "
						  "position is lost" },
	[TL_CALLGRIND_RULE_POSITION_LARGE] = { "callgrind.position.large", TL_TOO_LARGE, true,
					       "a source line that does not fit in 32 bits; it "
					       "counts as line "
					       "4294967295" },
	[TL_CALLGRIND_RULE_CALLS] = { "callgrind.call.number", TL_BAD_RECORD, true,
				      "not a number in a calls= line; skipped it and its costs" },
	[TL_CALLGRIND_RULE_CALL_NO_COST] = { "callgrind.call.no-cost", TL_BAD_RECORD, true,
					     "calls= without a cost line after it; dropped the "
					     "calls" },
	[TL_CALLGRIND_RULE_CALL_NO_CALLEE] = { "callgrind.call.no-callee", TL_BAD_RECORD, true,
					       "calls= before any cfn=; the callee is ???" },
	[TL_CALLGRIND_RULE_JUMP] = { "callgrind.jump.number", TL_BAD_RECORD, true,
				     "not a number in a jump line; skipped it" },
	[TL_CALLGRIND_RULE_JUMP_NO_SOURCE] = { "callgrind.jump.no-source", TL_BAD_RECORD, true,
					       "a jump without a position line after it; dropped "
					       "the jump" },
	[TL_CALLGRIND_RULE_RCALLS] = { "callgrind.call.rcalls", TL_BAD_RECORD, false,
				       "rcalls= of the old format; read as calls=" },
	[TL_CALLGRIND_RULE_NAME_UNDEFINED] = { "callgrind.name.undefined", TL_BAD_RECORD, true,
					       "a name's number that was never defined; the number "
					       "stands for "
					       "the name" },
	[TL_CALLGRIND_RULE_NAME_REDEFINED] = { "callgrind.name.redefined", TL_BAD_RECORD, false,
					       "a name's number is defined anew with another name; "
					       "it holds "
					       "from here on" },
	[TL_CALLGRIND_RULE_TOTALS] = { "callgrind.totals", TL_BAD_RECORD, true,
				       "the self costs of the part do not sum up to its totals: "
				       "line; the file "
				       "is damaged" },
	[TL_CALLGRIND_RULE_TOTALS_MISSING] = { "callgrind.totals.missing", TL_TRUNCATED, true,
					       "the part has no totals: line, so its end is "
					       "missing; kept what "
					       "is there" },
	[TL_CALLGRIND_RULE_SUMMARY] = { "callgrind.summary", TL_BAD_RECORD, true,
					"the self costs of the part do not sum up to its summary: "
					"line, and no "
					"totals: explains it; the file is damaged" },
	[TL_CALLGRIND_RULE_SUMMARY_LAST] = { "callgrind.summary.last", TL_BAD_RECORD, true,
					     "the costs do not sum up to the summary: line at the "
					     "end; the "
					     "file is damaged" },
	[TL_CALLGRIND_RULE_SUMMARY_MISSING] = { "callgrind.summary.missing", TL_TRUNCATED, true,
						"the part has no summary: line behind its costs, "
						"so its end is "
						"missing; kept what is there" },
	[TL_CALLGRIND_RULE_SUM_TOO_LARGE] = { "callgrind.sum.large", TL_TOO_LARGE, true,
					      "a sum of costs does not fit in 64 bits; it stays at "
					      "the largest "
					      "number" },
	[TL_CALLGRIND_RULE_INCLUSIVE] = { "callgrind.inclusive", TL_BAD_RECORD, false,
					  "the calls of a function cost less than it and its "
					  "callees; a call "
					  "is missing or too cheap" },
};
