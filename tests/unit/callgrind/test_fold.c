/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "text.h"

#include "profile/model/unsized.h"

static const struct tl_callgrind_fold_options functions_only = {
	.size = sizeof(functions_only),
	.part = TL_NOWHERE,
	.thread = TL_NOWHERE,
	.process = TL_NOWHERE,
	.detail = TL_CALLGRIND_FUNCTIONS,
};

/* "identity = (object, file of fl, function name), full strings" (hand/same_fn_two_files.out) */
TEST(identity)
{
	struct tl_profile *profile = fold_text(HEAD "fl=a.c\nfn=assist\n1 10\nfl=b.c\nfn=assist\n2 "
						    "20\nob=x.so\nfl=a.c\nfn=assist\n1 7\n");
	struct tl_function_totals totals;

	assert_int_equal(tl_profile_function_count(profile), 3);
	tl_profile_totals_of(profile, find_function(profile, "assist", "b.c"), TL_NONE, &totals);
	assert_int_equal(totals.self[0], 20);
	tl_profile_free(profile);
}

/* Names of unknown objects and files are none; one function however it is named: by an id, another
 * id, or in full. */
TEST(unknown_and_equal_names)
{
	struct tl_profile *profile =
		fold_text(HEAD "ob=\?\?\?\nfl=\?\?\?\nfn=(1) f\n1 1\nfn=(2) f\n1 2\nfn=f\n1 "
			       "4\nob=\nfl=\nfn=(1)\n1 8\n");

	assert_int_equal(tl_profile_function_count(profile), 1);
	assert_string_equal(tl_profile_function(profile, 0)->object, "");
	assert_string_equal(tl_profile_function(profile, 0)->file, "");
	assert_int_equal(totals_of(profile, "f").self[0], 15);
	assert_int_equal(tl_profile_line_count(profile), 1);
	tl_profile_free(profile);
}

/*
 * "several cost lines for one position add up"; a place is a file, an address, a block and a line
 */
TEST(cost_lines)
{
	struct tl_profile *profile =
		fold_text("events: Ir\npositions: instr line\nfl=a.c\nfn=f\n0x10 5 "
			  "1\n0x10 5 2\n0x14 5 4\nfi=b.h\n0x10 5 8\n");

	assert_int_equal(tl_profile_line_count(profile), 3);
	assert_int_equal(tl_profile_line_cost(profile, 0)[0], 3);
	assert_int_equal(tl_profile_line(profile, 1)->at.address, 0x14);
	assert_string_equal(tl_profile_line(profile, 2)->at.file, "b.h");
	assert_int_equal(tl_profile_line_cost(profile, 2)[0], 8);
	tl_profile_free(profile);
}

TEST(arcs_and_jumps)
{
	static const char text[] = HEAD "fl=a.c\nfn=f\n1 1\ncfi=b.c\ncfn=g\ncalls=2 9\n1 "
					"10\ncfi=b.c\ncalls=3 9\n2 20\njcnd=3/10 "
					"7\n1\njfn=g\njump=4 9\n2\n";
	struct tl_profile *profile = fold_text(text);

	assert_int_equal(tl_profile_arc_count(profile), 2);
	assert_int_equal(tl_profile_arc(profile, 1)->calls, 3);
	assert_int_equal(tl_profile_arc(profile, 1)->from.line, 2);
	assert_int_equal(tl_profile_arc(profile, 1)->to.line, 9);
	assert_string_equal(tl_profile_arc(profile, 1)->to.file, "b.c");
	assert_int_equal(tl_profile_jump_count(profile), 2);
	assert_int_equal(tl_profile_jump(profile, 0)->taken, 3);
	assert_int_equal(tl_profile_jump(profile, 0)->executed, 10);
	assert_int_equal(tl_profile_jump(profile, 0)->target,
			 tl_profile_jump(profile, 0)->function);
	assert_string_equal(tl_profile_function(profile, tl_profile_jump(profile, 1)->target)->name,
			    "g");
	tl_profile_free(profile);
	/* For tables: one arc a pair, no jumps, the same sums. */
	profile = fold_with(text, &functions_only);
	assert_int_equal(tl_profile_arc_count(profile), 1);
	assert_int_equal(tl_profile_arc(profile, 0)->calls, 5);
	assert_int_equal(tl_profile_arc_cost(profile, 0)[0], 30);
	assert_int_equal(tl_profile_jump_count(profile), 0);
	assert_int_equal(totals_of(profile, "f").inclusive[0], 31);
	tl_profile_free(profile);
}

/* Rule H: "totals are the sum of parts"; parts with other events are mapped by name */
TEST(parts_with_other_events)
{
	static const char text[] =
		"part: 1\nevents: Ir Dr\nfn=f\n1 1 2\npart: 2\nevents: Dr Bc Ir\nfn=f\n1 10 20 "
		"30\n";

	for (int lines = 0; lines < 2; lines++) {
		struct tl_profile *profile =
			lines ? fold_text(text) : fold_with(text, &functions_only);
		const int64_t *self = totals_of(profile, "f").self;

		assert_int_equal(tl_profile_event_count(profile), 3);
		assert_string_equal(tl_profile_event(profile, 2)->name, "Bc");
		assert_int_equal(self[0], 31);
		assert_int_equal(self[1], 12);
		assert_int_equal(self[2], 20);
		assert_int_equal(tl_profile_total(profile)[1], 12);
		assert_int_equal(tl_profile_part_count(profile), 2);
		tl_profile_free(profile);
	}
}

/* "--part, --thread select"; names of what is not selected are still defined by it */
TEST(selection)
{
	static const char text[] =
		"pid: 9\npart: 1\nthread: 1\nevents: Ir\nfn=(1) f\n1 10\npart: 1\nthread: "
		"2\nfn=(1)\n1 25\npart: 2\nthread: 1\nfn=(1)\n1 50\n";
	static const struct {
		uint64_t part, thread, process;
		int64_t total;
		uint32_t parts;
	} rows[] = {
		{ 1, TL_NOWHERE, TL_NOWHERE, 35, 2 }, { TL_NOWHERE, 1, TL_NOWHERE, 60, 2 },
		{ 1, 2, TL_NOWHERE, 25, 1 },          { 2, 2, TL_NOWHERE, 0, 0 },
		{ TL_NOWHERE, TL_NOWHERE, 9, 10, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_callgrind_fold_options options = functions_only;
		struct tl_profile *profile;

		options.part = rows[i].part;
		options.thread = rows[i].thread;
		options.process = rows[i].process;
		profile = fold_with(text, &options);
		assert_int_equal(tl_profile_total(profile)[0], rows[i].total);
		assert_int_equal(tl_profile_part_count(profile), rows[i].parts);
		if (rows[i].parts)
			assert_int_equal(totals_of(profile, "f").self[0], rows[i].total);
		tl_profile_free(profile);
	}
}

/* "event: Sum = Ir + 2 Dr + 10*D1mr", differences, formulas of formulas; by hand: 100 + 2 * 10 + 10
 * * 1 = 130
 */
TEST(inherited_events)
{
	struct tl_profile *profile = fold_text(
		"event: Sum = Ir + 2 Dr + 10*D1mr : Weighted sum\nevent: Ir : Instruction "
		"Fetch\nevent: Neg = Ir - Dr\n"
		"event: Twice = 2 Sum - Neg\nevents: Ir Dr D1mr\nfl=a.c\nfn=main\n1 100 "
		"10 1\n2 50\n3\ncfn=g\ncalls=1 1\n4 7 1\n");
	struct tl_function_totals totals = totals_of(profile, "main");

	assert_int_equal(tl_profile_event_count(profile), 6);
	assert_string_equal(tl_profile_event(profile, 0)->long_name, "Instruction Fetch");
	assert_string_equal(tl_profile_event(profile, 3)->name, "Sum");
	assert_string_equal(tl_profile_event(profile, 3)->long_name, "Weighted sum");
	assert_string_equal(tl_profile_event(profile, 3)->formula, "Ir + 2 Dr + 10*D1mr");
	assert_int_equal(totals.self[3], 130 + 50);
	assert_int_equal(totals.self[4], 90 + 50);
	assert_int_equal(totals.self[5], 2 * 180 - 140);
	assert_int_equal(totals.inclusive[3], 180 + 9);
	tl_profile_free(profile);
}

/* "Rule B": a callee without a file has that of the last cost line, however files are folded. */
TEST(callees_have_the_file_of_the_last_cost_line)
{
	static const char text[] = HEAD "fl=a.c\nfn=f\n1 10\nfi=b.h\n2 20\n3 5\n"
					"cfn=g\ncalls=1 7\n4 6\nfe=a.c\n5 1\n6 1\n"
					"cfn=g\ncalls=1 7\n6 2\n";

	for (int detail = 0; detail < 2; detail++) {
		struct tl_profile *profile = fold_with(text, detail ? &functions_only : NULL);

		assert_int_equal(tl_profile_function_count(profile), 3);
		find_function(profile, "g", "a.c");
		find_function(profile, "g", "b.h");
		assert_int_equal(totals_of(profile, "f").self[0], 37);
		tl_profile_free(profile);
	}
}

/* Factors: hexadecimal, right before their event, negative, and 0, which counts nothing. */
TEST(factors_of_inherited_events)
{
	static const struct {
		const char *formula;
		int64_t wanted; /* of Ir 100, Dr 7 */
	} cases[] = {
		{ "0x10 Ir", 1600 },      { "0X1f*Dr", 217 },  { "2Ir + Dr", 207 },
		{ "Ir - 3 Dr", 79 },      { "0 Ir + Dr", 7 },  { "Ir+Dr", 107 },
		{ "2 Ir - 2Ir + Dr", 7 }, { "- Dr + Ir", 93 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128];
		struct tl_profile *profile;

		snprintf(text, sizeof(text), "event: X = %s\nevents: Ir Dr\nfn=f\n1 100 7\n",
			 cases[i].formula);
		profile = fold_text(text);
		if (tl_profile_event_count(profile) != 3)
			fail_msg("%s is no formula", cases[i].formula);
		assert_int_equal(totals_of(profile, "f").self[2], cases[i].wanted);
		tl_profile_free(profile);
	}
}

/*
 * Formulas of formulas, 60 deep, each naming the one before it twice: 2 to the power of 60 of what
 * the first one is. Reading each of them anew wherever it is named would never end.
 */
TEST(formulas_of_formulas_are_read_once)
{
	char text[4096] = "event: D0 = Ir\n", line[64];
	struct tl_profile *profile;

	for (int i = 1; i <= 60; i++) {
		snprintf(line, sizeof(line), "event: D%d = D%d + D%d\n", i, i - 1, i - 1);
		strcat(text, line);
	}
	strcat(text, "events: Ir\nfn=f\n1 3\n2 4\n");
	profile = fold_text(text);
	assert_int_equal(tl_profile_event_count(profile), 62);
	assert_true(totals_of(profile, "f").self[61] == INT64_C(7) << 60);
	tl_profile_free(profile);
}

/* Formulas that name each other are no sums, and neither is one that names them: three faults. */
TEST(formulas_in_a_circle)
{
	static const char text[] =
		"events: Ir\nevent: A = B + Ir\nevent: B = A\nevent: C = Ir + A\n"
		"event: D = 2 Ir\nfn=f\n1 5\n";
	const struct tl_callgrind_fault *faults;
	struct tl_profile *profile;
	uint64_t count, skipped;
	size_t listed;
	struct text t;

	text_open(&t, text);
	assert_int_equal(tl_callgrind_fold(&t.reader, 1, NULL, &profile, &t.err), 0);
	faults = tl_callgrind_faults(t.reader, &listed, &count, &skipped);
	assert_int_equal(count, 3);
	assert_int_equal(faults[2].line, 4);
	assert_int_equal(tl_profile_event_count(profile), 2);
	assert_int_equal(totals_of(profile, "f").self[1], 10);
	tl_profile_free(profile);
	text_close(&t);
}

/*
 * "more than 256 events": the first 256 columns of 300 count, with the costs that stand there; what
 * totals: says of the others is not held against the sums. Formulas never cost a file its columns.
 */
TEST(many_events)
{
	for (int formulas = 0; formulas < 2; formulas++) {
		char text[16384] = "", word[64];
		struct tl_profile *profile;
		const struct tl_callgrind_fault *faults;
		uint64_t count, skipped;
		size_t listed;
		struct text t;

		for (int i = 0; i < 300 * formulas; i++) {
			snprintf(word, sizeof(word), "event: X%d = E0\n", i);
			strcat(text, word);
		}
		strcat(text, "events:");
		for (int i = 0; i < 300; i++) {
			snprintf(word, sizeof(word), " E%d", i);
			strcat(text, word);
		}
		strcat(text, "\nfn=f\n1");
		for (int i = 0; i < 300; i++) {
			snprintf(word, sizeof(word), " %d", i + 1);
			strcat(text, word);
		}
		strcat(text, "\ntotals:");
		for (int i = 0; i < 300; i++) {
			snprintf(word, sizeof(word), " %d", i + 1);
			strcat(text, word);
		}
		strcat(text, "\n");
		text_open(&t, text);
		assert_int_equal(tl_callgrind_fold(&t.reader, 1, NULL, &profile, &t.err), 0);
		faults = tl_callgrind_faults(t.reader, &listed, &count, &skipped);
		assert_int_equal(count, 1 + 44 * formulas);
		assert_int_equal(faults[0].status, TL_TOO_LARGE);
		assert_int_equal(faults[0].line, formulas ? 257 : 1);
		assert_int_equal(tl_profile_event_count(profile), 256 + 256 * formulas);
		assert_int_equal(totals_of(profile, "f").self[255], 256);
		if (formulas)
			assert_int_equal(totals_of(profile, "f").self[511], 1);
		tl_profile_free(profile);
		text_close(&t);
	}
}

/*
 * A formula that names itself, or nothing that is known, is left out and told of: byte 11, line 2.
 */
TEST(bad_formulas)
{
	static const char *const formulas[] = { "X", "X + Ir", "Ir + Nobody",        "Ir Dr",
						"+", "3",      "Ir + 99999999999 Ir" };

	for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++) {
		char text[128];
		const struct tl_callgrind_fault *faults;
		struct tl_profile *profile;
		uint64_t count, skipped;
		size_t listed;
		struct text t;

		strcpy(text, "events: Ir\nevent: X = ");
		strcat(strcat(text, formulas[i]), "\nfn=f\n1 1\n");
		text_open(&t, text);
		assert_int_equal(tl_callgrind_fold(&t.reader, 1, NULL, &profile, &t.err), 0);
		assert_int_equal(tl_profile_event_count(profile), 1);
		faults = tl_callgrind_faults(t.reader, &listed, &count, &skipped);
		assert_int_equal(count, 1);
		assert_int_equal(faults[0].status, TL_BAD_RECORD);
		assert_int_equal(faults[0].offset, 11);
		assert_int_equal(faults[0].line, 2);
		tl_profile_free(profile);
		text_close(&t);
	}
}

/* "several files given together are parts of one run", each with ids of its own; an empty one is
 * what threads leave */
TEST(several_files)
{
	static const char *const texts[] = {
		"",
		"part: 1\nevents: Ir\nfn=(1) f\n1 1\n",
		"part: 2\nevents: Ir\nfn=(1) g\n1 2\nfn=(2) f\n1 4\n",
	};
	struct tl_callgrind_reader *readers[3];
	struct text t[3];
	struct tl_profile *profile;

	for (int i = 0; i < 3; i++) {
		text_open(&t[i], texts[i]);
		readers[i] = t[i].reader;
	}
	assert_int_equal(tl_callgrind_fold(readers, 3, NULL, &profile, NULL), 0);
	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_int_equal(tl_profile_function_count(profile), 2);
	assert_int_equal(totals_of(profile, "f").self[0], 5);
	assert_int_equal(totals_of(profile, "g").self[0], 2);
	for (int i = 0; i < 3; i++)
		text_close(&t[i]);
	/* the names outlive the readers */
	assert_string_equal(tl_profile_function(profile, find_function(profile, "g", NULL))->name,
			    "g");
	tl_profile_free(profile);
}

static void refuse(const char *text, enum tl_status status)
{
	struct tl_profile *profile;
	struct text t;

	text_open(&t, text);
	assert_int_equal(tl_callgrind_fold(&t.reader, 1, NULL, &profile, &t.err), status);
	assert_null(profile);
	assert_int_equal(t.err.status, status);
	assert_int_equal(t.err.offset, 0);
	text_close(&t);
}

/* "Reject: no events: anywhere"; an empty file says so */
TEST(nothing_usable)
{
	refuse("", TL_TRUNCATED);
	refuse("version: 1\nfl=a.c\nfn=main\n5 10\n", TL_BAD_FORMAT);
	refuse("events:\nfn=main\n5 10\n", TL_BAD_FORMAT);
}

/* "sum over 2^64: saturate and report" */
TEST(sums_saturate)
{
	static const char text[] = HEAD "fn=f\n1 9223372036854775807\n2 9223372036854775807\n";

	for (int lines = 0; lines < 2; lines++) {
		struct tl_profile *profile =
			lines ? fold_text(text) : fold_with(text, &functions_only);

		assert_int_equal(totals_of(profile, "f").self[0], INT64_MAX);
		assert_true(tl_profile_losses_of(profile).saturated > 0);
		tl_profile_free(profile);
	}
}

/* Jumps are of the body too: events: after them begin another part, with other columns. */
TEST(a_jump_is_body)
{
	struct tl_profile *profile =
		fold_text("events: A\nfn=f\njump=1 2\n1\nevents: A B C\nfn=f\n1 1 2 3\n");

	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_int_equal(tl_profile_event_count(profile), 3);
	assert_int_equal(totals_of(profile, "f").self[2], 3);
	tl_profile_free(profile);
}

/* What was skipped is in the part it was skipped from. */
TEST(losses_of_parts)
{
	struct tl_profile *profile =
		fold_text("part: 1\nevents: Ir\nfn=f\n1 1\npart: 2\nfn=f\n1 x\n1 1\n");

	assert_int_equal(tl_profile_part(profile, 0)->losses.skipped_records, 0);
	assert_int_equal(tl_profile_part(profile, 1)->losses.skipped_records, 1);
	assert_int_equal(tl_profile_part(profile, 1)->losses.skipped_bytes, 4);
	assert_int_equal(tl_profile_part(profile, 1)->records, 1);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity),
		cmocka_unit_test(unknown_and_equal_names),
		cmocka_unit_test(cost_lines),
		cmocka_unit_test(arcs_and_jumps),
		cmocka_unit_test(parts_with_other_events),
		cmocka_unit_test(selection),
		cmocka_unit_test(inherited_events),
		cmocka_unit_test(callees_have_the_file_of_the_last_cost_line),
		cmocka_unit_test(factors_of_inherited_events),
		cmocka_unit_test(bad_formulas),
		cmocka_unit_test(formulas_of_formulas_are_read_once),
		cmocka_unit_test(formulas_in_a_circle),
		cmocka_unit_test(many_events),
		cmocka_unit_test(several_files),
		cmocka_unit_test(nothing_usable),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(losses_of_parts),
		cmocka_unit_test(a_jump_is_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
