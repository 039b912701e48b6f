/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

/* "node label name, self and inclusive share; edge label calls and inclusive": shares of 65 */
TEST(nodes_and_edges)
{
	struct tl_profile *profile = small_profile(0);
	char *text = export_text("dot", profile);

	assert_string_equal(
		text,
		"digraph \"tracelathe\" {\n"
		"\tnode [shape=box];\n"
		"\tf0 [label=\"main\\nself 15.38%\\ninclusive 100.00%\", tooltip=\"main.c:10\"];\n"
		"\tf1 [label=\"a\\nself 30.77%\\ninclusive 76.92%\", tooltip=\"a.c:20\"];\n"
		"\tf2 [label=\"b\\nself 53.85%\\ninclusive 53.85%\", tooltip=\"b.c:30\"];\n"
		"\tf0 -> f1 [label=\"2 calls\\n76.92%\"];\n"
		"\tf0 -> f2 [label=\"1 call\\n7.69%\"];\n"
		"\tf1 -> f2 [label=\"3 calls\\n46.15%\"];\n"
		"}\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * Of the DOT language: every statement between the braces ends in ';', and quotes are closed on
 * their line.
 */
static void assert_parses(const char *text)
{
	bool quoted = false;
	char last = '\n';

	for (; *text; text++) {
		if (quoted && *text == '\\') {
			assert_true(text[1] && text[1] != '\n');
			text++;
			continue;
		}
		if (*text == '"')
			quoted = !quoted;
		if (*text == '\n') {
			assert_false(quoted);
			assert_true(last == ';' || last == '{' || last == '}');
		}
		last = *text;
	}
	assert_false(quoted);
}

/* "escape quotes/backslashes/newlines"; arcs of the same ends are one edge, from whatever places */
TEST(names_and_sums)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "d\\", "a\"b\\c\nd\te\xff", 0),
		 g = add_function(profile, "", "", "g", 0);
	struct tl_position one = { .file = "", .line = 1 }, two = { .file = "", .line = 2 };
	char *text;

	add_line(profile, f, TL_NONE, one, -100);
	add_arc(profile,
		(struct tl_arc){ .caller = f,
				 .callee = g,
				 .part = TL_NONE,
				 .from = one,
				 .to = one,
				 .calls = 2 },
		50);
	add_arc(profile,
		(struct tl_arc){ .caller = f,
				 .callee = g,
				 .part = TL_NONE,
				 .from = two,
				 .to = one,
				 .calls = UINT64_MAX },
		INT64_MAX);
	add_arc(profile,
		(struct tl_arc){ .caller = TL_NONE,
				 .callee = f,
				 .part = TL_NONE,
				 .from = one,
				 .to = one,
				 .calls = 1 },
		1);
	add_function(profile, "", "", "left out", 0);
	finish(profile);
	text = export_text("dot", profile);
	assert_contains(text, "\tf0 [label=\"a\\\"b\\\\c d e\xef\xbf\xbd\\nself -100.00%");
	assert_contains(text, "tooltip=\"d\\\\\"];\n");
	assert_contains(text, "\tf0 -> f1 [label=\"18446744073709551615 "
			      "calls\\n92233720368547758.07%\"];\n}\n");
	assert_lacks(text, "left out");
	assert_parses(text);
	free(text);
	tl_profile_free(profile);
}

/* Graphviz itself, where it is there. */
TEST(graphviz_draws_it)
{
	struct tl_profile *profile = small_profile(0);
	char *text, *picture;

	need_program("dot");
	text = export_text("dot", profile);
	picture = pipe_through("dot -Tsvg", text, strlen(text));
	assert_contains(picture, "self 53.85%");
	free(picture);
	free(text);
	tl_profile_free(profile);
}

/* ---- two profiles ---- */

/* main 10 + 0, calls a 2 times (30 in all), and, if it is there, one more function once (60). */
static struct tl_profile *side(int64_t a, const char *more)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 2, ""), top;

	top = add_context(profile, TL_NONE, add_function(profile, "", "", "main", 0), part, 1, 10);
	add_context(profile, top, add_function(profile, "", "", "a", 0), part, 2, a);
	if (more)
		add_context(profile, top, add_function(profile, "", "", more, 0), part, 1, 60);
	finish(profile);
	return profile;
}

static char *diff_text(const struct tl_profile *before, const struct tl_profile *after,
		       struct tl_export_options options, int want)
{
	struct tl_diff_options by = { .size = sizeof(by), .inclusive = true };
	struct tl_diff *functions, *arcs;
	struct tl_output *out;
	struct tl_error err;
	size_t size;

	options.size = sizeof(options);
	assert_int_equal(tl_profile_diff(&functions, before, after, &by, NULL), 0);
	by.by = TL_DIFF_ARCS;
	assert_int_equal(tl_profile_diff(&arcs, before, after, &by, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_export_diff_dot(functions, arcs, &options, out, &err), want);
	tl_diff_free(functions);
	tl_diff_free(arcs);
	return take_output(out, &size);
}

/*
 * "what grew is red, what shrank is green, what is new or gone has a dashed frame". The larger
 * total is 100: before main 100, a 30 and old 60, after main 80, a 10 and new 60. The saturation is
 * four fifths of the root of the share by which a function changed: of 20 % 0.357, of 60 % 0.619.
 */
TEST(what_changed_is_coloured)
{
	struct tl_profile *before = side(30, "old"), *after = side(10, "new");
	char *text = diff_text(before, after, (struct tl_export_options){ .command = "x\"y" }, 0);

	assert_string_equal(text,
			    "digraph \"x\\\"y\" {\n"
			    "\tnode [shape=box];\n"
			    "\tf0 [label=\"a\\n30.00% -> 10.00%\", style=\"filled\", "
			    "fillcolor=\"0.330 0.357 1\"];\n"
			    "\tf1 [label=\"main\\n100.00% -> 80.00%\", style=\"filled\", "
			    "fillcolor=\"0.330 0.357 1\"];\n"
			    "\tf2 [label=\"new\\n0.00% -> 60.00%\", style=\"filled,dashed\", "
			    "fillcolor=\"0.000 0.619 1\"];\n"
			    "\tf3 [label=\"old\\n60.00% -> 0.00%\", style=\"filled,dashed\", "
			    "fillcolor=\"0.330 0.619 1\"];\n"
			    "\tf1 -> f0 [label=\"2 -> 2 calls\\n30.00% -> 10.00%\"];\n"
			    "\tf1 -> f2 [label=\"0 -> 1 calls\\n0.00% -> 60.00%\", style=dashed];\n"
			    "\tf1 -> f3 [label=\"1 -> 0 calls\\n60.00% -> 0.00%\", style=dashed];\n"
			    "}\n");
	free(text);
	/* With a threshold of 50 % main, new and old are drawn, and the calls between these. */
	text = diff_text(before, after, (struct tl_export_options){ .threshold = 50 }, 0);
	assert_contains(text, "\tf2 [label=\"old\\n");
	assert_contains(text, "\tf0 -> f1 [");
	assert_lacks(text, "label=\"a\\n");
	assert_lacks(text, "\tf3");
	free(text);
	free(diff_text(before, after, (struct tl_export_options){ .event = 1 }, TL_BAD_USAGE));
	tl_profile_free(before);
	tl_profile_free(after);
}

TEST(empty_profile)
{
	struct tl_profile *profile = new_profile(0, 1);
	char *text;

	finish(profile);
	text = export_text("dot", profile);
	assert_string_equal(text, "digraph \"tracelathe\" {\n\tnode [shape=box];\n}\n");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_and_edges),   cmocka_unit_test(names_and_sums),
		cmocka_unit_test(graphviz_draws_it), cmocka_unit_test(what_changed_is_coloured),
		cmocka_unit_test(empty_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
