/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "helper.h"

#include "profile/model/unsized.h"

/*
 * "# callgrind format; version: 1; creator:; cmd:; positions:; events: last in the header; fl then
 * fn per function; explicit cfi + cfn on every call; absolute positions; totals: at the end;
 * functions in a deterministic order"
 */
TEST(canonical_file)
{
	struct tl_profile *profile = small_profile(0);
	char *text = export_text("callgrind", profile);

	assert_string_equal(text, "# callgrind format\n"
				  "version: 1\n"
				  "creator: tracelathe " TL_VERSION "\n"
				  "pid: 1\n"
				  "cmd: prog\n"
				  "thread: 2\n"
				  "positions: line\n"
				  "event: Ticks : Clock Ticks\n"
				  "events: Ticks\n"
				  "summary: 65\n"
				  "\n"
				  "ob=(1) lib.so\n"
				  "fl=(1) b.c\n"
				  "fn=(1) b\n"
				  "30 35\n"
				  "\n"
				  "ob=(2) prog\n"
				  "fl=(2) a.c\n"
				  "fn=(2) a\n"
				  "20 20\n"
				  "cob=(1)\n"
				  "cfi=(1)\n"
				  "cfn=(1)\n"
				  "calls=3 30\n"
				  "20 30\n"
				  "\n"
				  "fl=(3) main.c\n"
				  "fn=(3) main\n"
				  "10 10\n"
				  "cob=(1)\n"
				  "cfi=(1)\n"
				  "cfn=(1)\n"
				  "calls=1 30\n"
				  "10 5\n"
				  "cfi=(2)\n"
				  "cfn=(2)\n"
				  "calls=2 20\n"
				  "10 50\n"
				  "\n"
				  "totals: 65\n");
	free(text);
	tl_profile_free(profile);
}

/* "canonical: the same profile gives the same bytes", whatever the order it was built in */
TEST(order_of_building_does_not_matter)
{
	struct tl_position at[] = { { .file = "x.c", .line = 1 },
				    { .file = "x.c", .line = 2 },
				    { .file = "i.h", .line = 9 } };
	char *text[2];

	for (int turn = 0; turn < 2; turn++) {
		struct tl_profile *profile = new_profile(0, 1);
		uint32_t f, g;

		f = add_function(profile, "o", "x.c", turn ? "g" : "f", 0);
		g = add_function(profile, "o", "x.c", turn ? "f" : "g", 0);
		for (int i = 0; i < 3; i++) {
			add_line(profile, turn ? g : f, TL_NONE, at[turn ? 2 - i : i], 10);
			add_line(profile, turn ? f : g, TL_NONE, at[turn ? 2 - i : i], 20);
		}
		finish(profile);
		text[turn] = export_text("callgrind", profile);
		tl_profile_free(profile);
	}
	assert_string_equal(text[0], text[1]);
	/* "the function's own file first, then inlined ones", and "always closes with fe=" */
	assert_contains(text[0], "fn=(1) f\n1 10\n2 10\nfi=(2) i.h\n9 10\nfe=(1)\n");
	free(text[0]);
	free(text[1]);
}

/*
 * "jcnd=followed/executed target; jump=executed target; the next line is the source position"; "0x
 * hexadecimal is allowed for sub-positions"; jfi and jfn only where file and function differ.
 */
TEST(jumps_and_addresses)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "f.c", "f", 1),
		 g = add_function(profile, "", "g.c", "g", 2);
	struct tl_position from = { .file = "f.c", .line = 3, .address = 0x1000 };
	struct tl_position to = { .file = "f.c", .line = 4, .address = 0x1010 };
	struct tl_position other = { .file = "g.c", .line = 7, .address = 0x2000 };
	struct tl_jump jumps[] = {
		{ .function = f,
		  .target = f,
		  .part = TL_NONE,
		  .from = from,
		  .to = to,
		  .executed = 10,
		  .taken = 4,
		  .conditional = true },
		{ .function = f,
		  .target = g,
		  .part = TL_NONE,
		  .from = to,
		  .to = other,
		  .executed = 6,
		  .taken = 6 },
	};
	char *text;

	add_line(profile, f, TL_NONE, from, 5);
	for (int i = 0; i < 2; i++)
		assert_int_equal(tl_profile_put_jump(profile, &jumps[i], NULL), 0);
	finish(profile);
	text = export_text("callgrind", profile);
	assert_contains(text, "positions: instr line\n");
	assert_contains(text, "fl=(1) f.c\n"
			      "fn=(1) f\n"
			      "0x1000 3 5\n"
			      "jcnd=4/10 0x1010 4\n"
			      "0x1000 3\n"
			      "jfi=(2) g.c\n"
			      "jfn=(2) g\n"
			      "jump=6 0x2000 7\n"
			      "0x1010 4\n");
	/* "unknown object: omit ob" */
	assert_lacks(text, "ob=");
	free(text);
	tl_profile_free(profile);
}

/*
 * "one part per profile part is right only if lines and arcs carry part numbers"; names are defined
 * again in each
 */
TEST(parts)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t one = add_part(profile, 9, 1, "p"), two = add_part(profile, 9, 2, "p");
	uint32_t f = add_function(profile, "", "f.c", "f", 1);
	struct tl_position at = { .file = "f.c", .line = 3 };
	char *text;

	add_line(profile, f, one, at, 5);
	add_line(profile, f, two, at, 6);
	finish(profile);
	text = export_text("callgrind", profile);
	assert_contains(text,
			"pid: 9\ncmd: p\nthread: 1\npositions: line\nevent: Ticks : Clock Ticks\n"
			"events: Ticks\nsummary: 5\n\nfl=(1) f.c\nfn=(1) f\n3 5\n\ntotals: 5\n\n"
			"pid: 9\ncmd: p\nthread: 2\npositions: line\nevent: Ticks : Clock Ticks\n"
			"events: Ticks\nsummary: 6\n\nfl=(1) f.c\nfn=(1) f\n3 6\n\ntotals: 6\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * "derived lines and arcs of a trace have part TL_NONE for all parts together: then write one part"
 */
TEST(one_part_for_a_trace)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t one = add_part(profile, 9, 1, "p"), two = add_part(profile, 9, 2, "p");
	uint32_t f = add_function(profile, "", "f.c", "f", 3);
	char *text;

	add_context(profile, TL_NONE, f, one, 1, 5);
	add_context(profile, TL_NONE, f, two, 1, 6);
	finish(profile);
	text = export_text("callgrind", profile);
	assert_contains(text, "pid: 9\ncmd: p\npositions: line\n");
	assert_contains(text, "summary: 11\n\nfl=(1) f.c\nfn=(1) f\n3 11\n\ntotals: 11\n");
	assert_lacks(text, "part:");
	assert_lacks(text, "thread:");
	free(text);
	tl_profile_free(profile);
}

/*
 * "event: Sum = Ir + Dr defines an inherited event": it is no column. "cmd: newline as \\n,
 * backslash as \\\\"
 */
TEST(header_lines)
{
	static const struct tl_event events[] = { { "Ir", "Instruction Fetches", "", "" },
						  { "Sum", "All", "", "Ir + Dr" },
						  { "Dr", "", "", "" } };
	struct tl_part part = { .process = TL_NOWHERE,
				.thread = TL_NOWHERE,
				.number = 4,
				.command = "x \\ y\nz",
				.header = "desc: I1 cache: none\nTrigger: end" };
	struct tl_position at = { .file = "f.c", .line = 3 };
	struct tl_cost_line line = { .at = at };
	const int64_t costs[] = { 1, 4, 3 };
	struct tl_profile *profile;
	char *text;

	assert_int_equal(tl_profile_make(&profile, "test", events, 3, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(profile, &part, NULL), 0);
	add_function(profile, "", "f.c", "f", 1);
	assert_int_equal(tl_profile_put_line(profile, &line, costs, NULL), 0);
	finish(profile);
	text = export_text("callgrind", profile);
	assert_contains(
		text, "cmd: x \\\\ y\\nz\npart: 4\ndesc: I1 cache: none\ndesc: Trigger: "
		      "end\npositions: line\n"
		      "event: Ir : Instruction Fetches\nevent: Sum = Ir + Dr : All\nevents: Ir Dr\n"
		      "summary: 1 3\n");
	assert_contains(text, "\n3 1 3\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * "calls >= 1": callgrind_annotate takes the cost after calls=0 for self cost. Costs may be below
 * zero.
 */
TEST(calls_are_never_zero)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "f.c", "f", 1),
		 g = add_function(profile, "", "g.c", "g", 2);
	struct tl_position at = { .file = "f.c", .line = 3 };
	char *text;

	add_line(profile, f, TL_NONE, at, INT64_MIN);
	add_arc(profile,
		(struct tl_arc){ .caller = f,
				 .callee = g,
				 .part = TL_NONE,
				 .from = at,
				 .to = { .file = "" } },
		7);
	/* from outside the trace: the format has no caller for it */
	add_arc(profile,
		(struct tl_arc){ .caller = TL_NONE,
				 .callee = f,
				 .part = TL_NONE,
				 .from = { .file = "" },
				 .to = { .file = "" },
				 .calls = 1 },
		7);
	finish(profile);
	text = export_text("callgrind", profile);
	/* the callee's first line stands for the unknown place */
	assert_contains(text,
			"3 -9223372036854775808\ncfi=(2) g.c\ncfn=(2) g\ncalls=1 2\n3 7\n\ntotals");
	free(text);
	tl_profile_free(profile);
}

/*
 * Names that look like references, break lines or are not there. A known object next to an unknown
 * one names it.
 */
TEST(odd_names)
{
	struct tl_profile *profile = new_profile(0, 1);
	struct tl_position nowhere = { .file = "" };
	char *text;

	add_line(profile, add_function(profile, "", "", "(3)", 0), TL_NONE, nowhere, 1);
	add_line(profile, add_function(profile, "", "a", "x\ny", 0), TL_NONE, nowhere, 2);
	add_line(profile, add_function(profile, "lib", "b", "", 0), TL_NONE, nowhere, 3);
	finish(profile);
	text = export_text("callgrind", profile);
	assert_contains(text, "ob=(1) \?\?\?\nfl=(1) \?\?\?\nfn=(1) (3)\n0 1\n\n"
			      "fl=(2) a\nfn=(2) x y\n0 2\n\n"
			      "ob=(2) lib\nfl=(3) b\nfn=(3) \?\?\?\n0 3\n\ntotals: 6\n");
	free(text);
	tl_profile_free(profile);
}

static char *export_packed(const struct tl_profile *profile, enum tl_export_compression compression)
{
	const struct tl_export_options options = { .size = sizeof(options),
						   .compression = compression };
	size_t size;

	return export_with("callgrind", profile, &options, &size);
}

/* "+3" and "-3" of a position are relative to the cost line before it. */
TEST(positions_relative_to_the_line_before)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "a", "f", 0);
	struct tl_position at = { .file = "a", .line = 100 };
	char *text;

	add_line(profile, f, TL_NONE, at, 1);
	at.line = 103;
	add_line(profile, f, TL_NONE, at, 2);
	at.line = 110;
	add_line(profile, f, TL_NONE, at, 4);
	at.line = 100;
	at.file = "b";
	add_line(profile, f, TL_NONE, at, 8);
	finish(profile);
	text = export_packed(profile, TL_COMPRESS_ALL);
	assert_contains(text, "fn=(1) f\n100 1\n+3 2\n+7 4\n");
	assert_contains(text, "-10 8\n");
	free(text);
	text = export_packed(profile, TL_COMPRESS_NAMES);
	assert_contains(text, "fn=(1) f\n100 1\n103 2\n110 4\n");
	free(text);
	tl_profile_free(profile);
}

/* Without compression only names that look like a number have one. */
TEST(names_without_compression)
{
	static const char *const names[] = { "(3)", "(0", "(9x)", "(x)", "(/1)", "(:1)", "3", "(" };
	struct tl_profile *profile = new_profile(0, 1);
	struct tl_position nowhere = { .file = "" };
	char *text, wanted[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_line(profile, add_function(profile, "", "a", names[i], 0), TL_NONE, nowhere, 1);
	finish(profile);
	text = export_packed(profile, TL_COMPRESS_NONE);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(wanted, sizeof(wanted), "fn=%s\n", names[i]);
		if (i < 3)
			assert_lacks(text, wanted);
		else
			assert_contains(text, wanted);
		snprintf(wanted, sizeof(wanted), ") %s\n", names[i]);
		if (i < 3)
			assert_contains(text, wanted);
	}
	free(text);
	tl_profile_free(profile);
}

/* A profile of nothing is a file of nothing; without an event the format cannot say even that. */
TEST(empty_profile)
{
	struct tl_profile *profile = new_profile(0, 1);
	char *text;

	finish(profile);
	text = export_text("callgrind", profile);
	assert_contains(text, "positions: line\nevent: Ticks : Clock Ticks\nevents: "
			      "Ticks\nsummary: 0\n\ntotals: 0\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * What an independent reader makes of it: totals, self values and calls; functions of one name
 * apart by file.
 */
TEST(callgrind_annotate_agrees)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 2, "prog");
	uint32_t f = add_function(profile, "prog", "main.c", "operator\"\"_x(char const*)", 10);
	uint32_t g = add_function(profile, "prog", "b.c", "twin", 30),
		 h = add_function(profile, "prog", "c.c", "twin", 40);
	uint32_t odd = add_function(profile, "lib", "", "back\\slash\t'quote' \xff", 0);
	uint32_t top = add_context(profile, TL_NONE, f, part, 1, 1000);
	char *text, *report;

	need_program("callgrind_annotate");
	add_context(profile, top, g, part, 2, 2000);
	add_context(profile, top, h, part, 3, 3000);
	add_context(profile, top, odd, part, 1, 4);
	finish(profile);
	text = export_text("callgrind", profile);
	report = pipe_through("callgrind_annotate --auto=no --threshold=100 --tree=calling "
			      "--show-percs=no /dev/stdin",
			      text, strlen(text));
	assert_lacks(report, "WARNING");
	assert_contains(report, "6,004  PROGRAM TOTALS");
	assert_contains(report, "1,000  *  main.c:operator\"\"_x(char const*) [prog]");
	assert_contains(report, "2,000  >   b.c:twin (2x) [prog]");
	assert_contains(report, "3,000  >   c.c:twin (3x) [prog]");
	assert_contains(report, "\n    4  >   \?\?\?:back\\slash 'quote' \xff (1x) [lib]");
	assert_contains(report, "2,000  *  b.c:twin [prog]");
	assert_contains(report, "3,000  *  c.c:twin [prog]");
	free(report);
	free(text);
	tl_profile_free(profile);
}

/*
 * "positions:" has the columns that any line, call or jump needs, and parts only where each has
 * one: also where that is the last of them.
 */
TEST(columns_are_those_of_any_line)
{
	const struct tl_position plain = { .file = "a.c", .line = 1 },
				 placed = { .file = "a.c", .line = 2, .address = 0x10 };
	static const char *const expected[] = { "positions: line\n", "positions: instr line\n" };

	for (int kind = 0; kind < 8; kind++) {
		struct tl_profile *profile = new_profile(0, 1);
		uint32_t one = add_part(profile, 1, 1, ""), two = add_part(profile, 1, 2, "");
		uint32_t f = add_function(profile, "", "a.c", "f", 1);
		uint32_t last = kind & 1 ? TL_NONE : two;
		struct tl_position at = kind & 2 ? placed : plain;
		char *text;

		add_line(profile, f, one, plain, 1);
		add_line(profile, f, two, plain, 2);
		if (kind & 4) {
			struct tl_arc arc = { .caller = f,
					      .callee = f,
					      .part = one,
					      .calls = 1,
					      .from = plain,
					      .to = plain };

			add_arc(profile, arc, 1);
			arc.part = last;
			arc.to = at;
			add_arc(profile, arc, 2);
		} else {
			add_line(profile, f, last, at, 4);
		}
		finish(profile);
		text = export_text("callgrind", profile);
		assert_contains(text, expected[kind >> 1 & 1]);
		assert_int_equal(strstr(text, "thread: 2\n") != NULL, !(kind & 1));
		free(text);
		tl_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_file),
		cmocka_unit_test(order_of_building_does_not_matter),
		cmocka_unit_test(jumps_and_addresses),
		cmocka_unit_test(parts),
		cmocka_unit_test(one_part_for_a_trace),
		cmocka_unit_test(header_lines),
		cmocka_unit_test(calls_are_never_zero),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(positions_relative_to_the_line_before),
		cmocka_unit_test(names_without_compression),
		cmocka_unit_test(columns_are_those_of_any_line),
		cmocka_unit_test(empty_profile),
		cmocka_unit_test(callgrind_annotate_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
