/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

static uint64_t line_of(struct text *t, enum tl_callgrind_kind kind)
{
	return next_of(t, kind)->at.line;
}

/* Rule A: "base := position of the last self-cost line" (hand/base_rule_call.out: lines 94, 102
 * (call), 104, 94) */
TEST(calls_do_not_move_the_base)
{
	struct text t;

	text_open(&t, HEAD "fl=a.c\nfn=main\n94 6\ncfn=f\ncalls=1 +45\n+8 41\n+10 4\n-10 6\n");
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 94);
	assert_int_equal(line_of(&t, TL_CALLGRIND_CALL), 102);
	assert_int_equal(t.item.to.line, 139);
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 104);
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 94);
	text_close(&t);
}

/* Rule A: "it survives fn=, fi=, fe=, ob="; jumps move it as little as calls */
TEST(the_base_survives)
{
	struct text t;

	text_open(&t, HEAD "fn=a\n10 1\nob=x\nfi=y\nfn=b\n+5 1\njump=1 +100\n+50\n* 1\n");
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 10);
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 15);
	assert_int_equal(line_of(&t, TL_CALLGRIND_JUMP), 65);
	assert_int_equal(t.item.to.line, 115);
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 15);
	text_close(&t);
}

static void expect_target(struct text *t, const char *object, const char *file,
			  const char *function)
{
	next_of(t, TL_CALLGRIND_CALL);
	assert_string_equal(name_of(t, t->item.target.object), object);
	assert_string_equal(name_of(t, t->item.target.file), file);
	assert_string_equal(name_of(t, t->item.target.function), function);
}

/* Rule B: "file of the last self line of this function (fl at its start); cfl/cfi cleared after
 * each call cost line" */
TEST(the_callees_file)
{
	struct text t;

	text_open(&t, HEAD "fl=a.c\nfn=main\nfi=inl.h\ncfn=g\ncalls=1 1\n1 1\n70 5\ncalls=1 1\n1 "
			   "1\nfe=a.c\ncalls=1 1\n1 1\n"
			   "cfi=b.c\ncalls=1 1\n1 1\ncalls=1 1\n1 1\n2 2\ncalls=1 1\n1 "
			   "1\nfl=c.c\nfn=f\ncfn=g\ncalls=1 1\n1 1\n");
	static const char *const files[] = {
		"a.c", "inl.h", "inl.h", "b.c", "inl.h", "a.c", "c.c"
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		expect_target(&t, "", files[i], "g");
	text_close(&t);
}

/* Rule C: "caller's ob; cleared after use". Rule D: cfn "persists within a function". */
TEST(the_callees_object_and_name)
{
	struct text t;

	text_open(&t, HEAD
		  "ob=prog\nfl=a.c\nfn=main\ncob=lib\ncfn=g\ncalls=1 1\n1 1\ncalls=1 1\n1 1\n");
	expect_target(&t, "lib", "a.c", "g");
	expect_target(&t, "prog", "a.c", "g");
	text_close(&t);
	/* a new function has called nobody yet: 30 + 5 + 6 + 10 + 4 + 5 + 10 bytes before the
	 * second cost line */
	expect_fault(HEAD "fn=f\ncfn=g\ncalls=1 1\n1 1\nfn=h\ncalls=1 1\n1 1\n", 1, TL_BAD_RECORD,
		     30 + 5 + 6 + 10 + 4 + 5 + 10, 9);
}

/* Rule E: "fl sets the function's file AND the current file; fi/fe only the current; fn= puts it
 * back to fl"
 */
TEST(files_of_functions_and_lines)
{
	struct text t;

	text_open(&t, HEAD "fl=a.c\nfn=main\n1 10\nfi=inl.h\n70 5\n\nfn=g\n19 4\n");
	next_of(&t, TL_CALLGRIND_COST);
	assert_string_equal(name_of(&t, t.item.file), "a.c");
	next_of(&t, TL_CALLGRIND_COST);
	assert_string_equal(name_of(&t, t.item.file), "inl.h");
	assert_string_equal(name_of(&t, t.item.owner.file), "a.c");
	next_of(&t, TL_CALLGRIND_COST);
	assert_string_equal(name_of(&t, t.item.file), "a.c");
	assert_string_equal(name_of(&t, t.item.owner.function), "g");
	text_close(&t);
}

/* Rule G: calls=0 is "an ordinary call with count 0"; xdebug's surplus destination number has no
 * meaning (rule L) */
TEST(call_counts)
{
	struct text t;

	text_open(&t, HEAD "fn=a\ncfn=b\ncalls=0 9\n1 47\ncalls=1 0 0\n4 30\ncalls=3\n5 6\n");
	assert_int_equal(next_of(&t, TL_CALLGRIND_CALL)->count, 0);
	assert_int_equal(t.item.costs[0], 47);
	assert_int_equal(next_of(&t, TL_CALLGRIND_CALL)->count, 1);
	assert_int_equal(t.item.at.line, 4);
	assert_int_equal(next_of(&t, TL_CALLGRIND_CALL)->count, 3);
	assert_int_equal(t.item.to.line, 0);
	read_rest(&t);
	text_close(&t);
}

/* The item of a call covers both of its lines, with what may stand between them. */
TEST(an_association_is_two_lines)
{
	struct text t;

	text_open(&t, HEAD "fn=a\ncfn=b\ncalls=1 9\n# between\n\n6 40\n");
	next_of(&t, TL_CALLGRIND_CALL);
	assert_int_equal(t.item.offset, 30 + 5 + 6);
	assert_int_equal(t.item.line, 5);
	assert_int_equal(t.item.length, 10 + 10 + 1 + 5);
	text_close(&t);
}

/* "positions: any subset of instr bb line", each a column (rule I); addresses as 0x */
TEST(position_columns)
{
	struct text t;

	text_open(
		&t,
		"events: Ir\npositions: instr bb line\nfn=a\n0x80001234 0x100 90 1\n+3 * +5 6\n+1 "
		"+16 * 7\n");
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.address, 0x80001234);
	assert_int_equal(t.item.at.block, 0x100);
	assert_int_equal(t.item.at.line, 90);
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.address, 0x80001237);
	assert_int_equal(t.item.at.line, 95);
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.block, 0x110);
	assert_int_equal(t.item.costs[0], 7);
	text_close(&t);
	text_open(&t, "events: Ir\npositions: line instr\nfn=a\n5 0x100 10\n");
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.address, 0x100);
	assert_int_equal(t.item.at.line, 5);
	text_close(&t);
}

/* "ranges 10-20, 10:20, 10+5": the first is the position, also for what is relative to it */
TEST(ranges)
{
	struct text t;

	text_open(&t, HEAD "fn=a\n10-20 5\n+1:30 6\n30+5 7\n");
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 10);
	assert_int_equal(t.item.costs[0], 5);
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 11);
	assert_int_equal(line_of(&t, TL_CALLGRIND_COST), 30);
	assert_int_equal(t.item.costs[0], 7);
	text_close(&t);
}

/* "jcnd=followed/executed target" as written; "jcnd=executed followed target" as printed;
 * "jump=executed target" */
TEST(jumps)
{
	struct text t;

	text_open(&t, HEAD "fl=a.c\nfn=main\n5 10\njcnd=3/10 +2\n*\njcnd=10 3 7\n5\njump=4 "
			   "6\n*\njfi=b.h\njfn=g\njump=1 9\n*\n"
			   "jcnd=8 7\n5\n");
	next_of(&t, TL_CALLGRIND_JUMP);
	assert_true(t.item.conditional);
	assert_int_equal(t.item.taken, 3);
	assert_int_equal(t.item.count, 10);
	assert_int_equal(t.item.to.line, 7);
	assert_string_equal(name_of(&t, t.item.target.file), "a.c");
	next_of(&t, TL_CALLGRIND_JUMP);
	assert_int_equal(t.item.taken, 3);
	assert_int_equal(t.item.count, 10);
	next_of(&t, TL_CALLGRIND_JUMP);
	assert_false(t.item.conditional);
	assert_int_equal(t.item.count, 4);
	assert_int_equal(t.item.target.function, TL_NONE);
	next_of(&t, TL_CALLGRIND_JUMP);
	assert_string_equal(name_of(&t, t.item.target.file), "b.h");
	assert_string_equal(name_of(&t, t.item.target.function), "g");
	next_of(&t, TL_CALLGRIND_JUMP);
	assert_int_equal(t.item.count, 8);
	assert_int_equal(t.item.to.line, 7);
	text_close(&t);
}

/* "fewer costs: zeros"; tabs and more blanks between numbers are blanks; signed and hexadecimal
 * costs (rule K) */
TEST(costs)
{
	struct text t;

	text_open(&t, "events: Ir Dr Dw\nfn=a\n1\t100\n2\n3  -1 0x10   3\n");
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.cost_count, 1);
	assert_int_equal(t.item.costs[0], 100);
	assert_int_equal(next_of(&t, TL_CALLGRIND_COST)->cost_count, 0);
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.cost_count, 3);
	assert_int_equal(t.item.costs[0], -1);
	assert_int_equal(t.item.costs[1], 16);
	assert_int_equal(t.item.costs[2], 3);
	text_close(&t);
}

/* A call line that is wrong takes its costs with it: "costs are never moved to another function
 * because of it" */
TEST(a_bad_call_costs_nobody)
{
	struct text t;

	text_open(&t, HEAD "fn=a\ncfn=b\ncalls=x 9\n6 40\n7 1\n");
	next_of(&t, TL_CALLGRIND_LOST);
	assert_int_equal(t.item.line, 5);
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.line, 7);
	text_close(&t);
	/* Without the line of its costs nothing else is lost. */
	text_open(&t, HEAD "fn=a\ncfn=b\ncalls=x 9\nfn=c\n7 1\n");
	next_of(&t, TL_CALLGRIND_LOST);
	assert_int_equal(t.item.line, 5);
	assert_string_equal(name_of(&t, next_of(&t, TL_CALLGRIND_NAME)->name.number), "c");
	next_of(&t, TL_CALLGRIND_COST);
	assert_int_equal(t.item.at.line, 7);
	assert_string_equal(name_of(&t, t.item.owner.function), "c");
	text_close(&t);
}

/* A key is a word of letters: what begins with another byte is no header line. */
TEST(keys_begin_with_a_letter)
{
	static const char *const odd[] = { "`b: 1", "{b: 1", "@b: 1", "[b: 1" };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char text[80];

		strcat(strcat(strcpy(text, HEAD "fn=a\n"), odd[i]), "\n1 1\n");
		expect_fault(text, 1, TL_BAD_RECORD, sizeof(HEAD "fn=a\n") - 1, 4);
	}
	expect_clean(HEAD "zb: 1\nfn=a\n1 1\n");
	expect_clean(HEAD "Ab: 1\nfn=a\n1 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_do_not_move_the_base),
		cmocka_unit_test(the_base_survives),
		cmocka_unit_test(the_callees_file),
		cmocka_unit_test(the_callees_object_and_name),
		cmocka_unit_test(files_of_functions_and_lines),
		cmocka_unit_test(call_counts),
		cmocka_unit_test(an_association_is_two_lines),
		cmocka_unit_test(position_columns),
		cmocka_unit_test(ranges),
		cmocka_unit_test(jumps),
		cmocka_unit_test(costs),
		cmocka_unit_test(a_bad_call_costs_nobody),
		cmocka_unit_test(keys_begin_with_a_letter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
