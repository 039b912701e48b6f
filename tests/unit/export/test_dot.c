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
		cmocka_unit_test(nodes_and_edges),
		cmocka_unit_test(names_and_sums),
		cmocka_unit_test(graphviz_draws_it),
		cmocka_unit_test(empty_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
