/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inherited events (Callgrind Profile Format): "InheritedExpr := Name | Number Space* ("*" Space*)?
 * Name | ... + ..."
 */
#include "profiles.h"

#include "profile/model/unsized.h"

static int64_t computed(const char *formula, const char *nested)
{
	/* clang-format off */
	const struct tl_event events[] = {
		{ "Sum", "", "", formula }, { "Ir", "", "", "" }, { "cpu(ms)", "", "", "" },
		  { "Nested", "", "", nested },
	};
	/* clang-format on */
	const int64_t first[] = { 77, 10, 3, 77 }, second[] = { 77, 20, 4, 77 };
	struct tl_cost_line line = { .part = TL_NONE, .at = at("", 1, 0) };
	struct tl_profile *p;
	int64_t total;

	assert_int_equal(tl_profile_make(&p, "x", events, 4, 0, NULL), 0);
	line.function = add_function(p, "", "", "f");
	assert_int_equal(tl_profile_put_line(p, &line, first, NULL), 0);
	line.at.line = 2;
	assert_int_equal(tl_profile_put_line(p, &line, second, NULL), 0);
	finished(p);
	total = tl_profile_total(p)[0];
	assert_int_equal(self_of(p, "f", 0), total);
	if (total != 2 * 77)
		assert_int_equal(tl_profile_line_cost(p, 0)[0] + tl_profile_line_cost(p, 1)[0],
				 total);
	tl_profile_free(p);
	return total;
}

/* Ir is 10 + 20, cpu(ms) 3 + 4. */
TEST(formulas_are_sums_of_events)
{
	assert_int_equal(computed("Ir", "Ir"), 30);
	assert_int_equal(computed("Ir + cpu(ms)", "Ir"), 37);
	assert_int_equal(computed(" 2 Ir+3*cpu(ms)", "Ir"), 81);
	assert_int_equal(computed("2Ir + 3 * cpu(ms)", "Ir"), 81);
	assert_int_equal(computed("Ir - cpu(ms)", "Ir"), 23);
	assert_int_equal(computed("Nested + Ir", "2 cpu(ms)"), 44);
	/* a sign before the first term, and hexadecimal factors, as callgrind files have them */
	assert_int_equal(computed("- Ir + 5 cpu(ms)", "Ir"), 5);
	assert_int_equal(computed("+Ir", "Ir"), 30);
	assert_int_equal(computed("0x1F Ir - 0Xa*cpu(ms)", "Ir"), 31 * 30 - 70);
	assert_int_equal(computed("0x0 Ir + cpu(ms)", "Ir"), 7);
	assert_int_equal(computed("9 Ir", "Ir"), 270);
}

/* What is not understood keeps the numbers of the input: 77 twice. */
TEST(nonsense_is_left_alone)
{
	static const char *const nonsense[] = {
		"Xx",
		"Ir +",
		"+ + Ir",
		"- ",
		"0x Ir",
		"0xg Ir",
		"0x8000000000000000 Ir",
		"1a Ir",
		"1\x11 Ir",
		"Ir cpu(ms)",
		"2",
		"Sum + Ir",
		"99999999999999999999 Ir",
		"*",
		"Ir * 2",
	};

	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++)
		assert_int_equal(computed(nonsense[i], "Ir"), 154);
	assert_int_equal(computed("Nested", "Sum"), 154);
}

/* "a sum that does not fit saturates and is counted" */
TEST(overflow_saturates)
{
	static const struct tl_event events[] = { { "Ir", "", "", "" },
						  { "Big", "", "", "9223372036854775807 Ir" } };
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "x", events, 2, 0, NULL), 0);
	add_line(p, add_function(p, "", "", "f"), TL_NONE, at("", 1, 0), -2, 0);
	finished(p);
	assert_true(tl_profile_total(p)[1] == INT64_MIN);
	assert_true(tl_profile_losses_of(p).saturated > 0);
	tl_profile_free(p);
}

/* Two functions, one called by the other. Ir 10 and 5, I1mr 1 and 2, ILmr 0 and 3. */
static struct tl_profile *counted(bool contexts)
{
	static const struct tl_event events[] = { { "Ir", "", "", "" },
						  { "I1mr", "", "", "" },
						  { "ILmr", "", "", "" } };
	static const int64_t outer[] = { 10, 1, 0 }, inner[] = { 5, 2, 3 };
	uint32_t f, g, root;
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "x", events, 3, 0, NULL), 0);
	f = add_function(p, "", "", "f");
	g = add_function(p, "", "", "g");
	if (contexts) {
		root = (uint32_t)tl_profile_add_context(p, TL_NONE, f, TL_NONE, NULL);
		tl_profile_add_context_cost(p, root, 1, outer);
		root = (uint32_t)tl_profile_add_context(p, root, g, TL_NONE, NULL);
		tl_profile_add_context_cost(p, root, 1, inner);
	} else {
		const struct tl_cost_line lines[] = { { f, TL_NONE, at("", 1, 0) },
						      { g, TL_NONE, at("", 2, 0) } };
		const struct tl_arc arc = { .caller = f, .callee = g, .part = TL_NONE, .calls = 1 };

		assert_int_equal(tl_profile_put_line(p, &lines[0], outer, NULL), 0);
		assert_int_equal(tl_profile_put_line(p, &lines[1], inner, NULL), 0);
		assert_int_equal(tl_profile_put_arc(p, &arc, inner, NULL), 0);
	}
	finished(p);
	return p;
}

/* "a formula is linear, so it holds for every line, arc, context and sum alike" */
TEST(formulas_are_added_to_finished_profiles)
{
	for (int contexts = 0; contexts < 2; contexts++) {
		struct tl_profile *p = counted(contexts);

		assert_int_equal(tl_profile_add_formula(p, "X=Ir+10*I1mr", NULL), 3);
		/* CEst is Ir + 10 L1m + 100 LLm of what there is, L1m is I1mr */
		assert_int_equal(tl_profile_add_formula(p, "CEst", NULL), 4);
		assert_int_equal(tl_profile_add_formula(p, "L1m", NULL), 5);
		assert_int_equal(tl_profile_add_formula(p, "Y=CEst-X", NULL), 6);
		assert_string_equal(tl_profile_event(p, 4)->formula, "Ir + 10 I1mr + 100 ILmr");
		assert_int_equal(self_of(p, "f", 3), 20);
		assert_int_equal(self_of(p, "g", 3), 25);
		assert_int_equal(inclusive_of(p, "f", 3), 45);
		assert_int_equal(inclusive_of(p, "f", 4), 45 + 300);
		assert_int_equal(self_of(p, "g", 6), 300);
		assert_int_equal(tl_profile_total(p)[4], 345);
		assert_int_equal(tl_profile_total(p)[5], 3);
		assert_int_equal(tl_profile_arc_cost(p, 0)[4], 325);
		assert_int_equal(tl_profile_line_cost(p, 0)[3], 20);
		/* what the input counted is as it was */
		assert_int_equal(inclusive_of(p, "f", 0), 15);
		assert_int_equal(self_of(p, "g", 2), 3);
		tl_profile_free(p);
	}
}

TEST(formulas_that_cannot_be_added)
{
	struct tl_profile *p = counted(false);

	assert_int_equal(tl_profile_add_formula(p, "X=Ir+Nothing", NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_formula(p, "X=", NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_formula(p, "=Ir", NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_formula(p, "X=X", NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_formula(p, "Ir=2I1mr", NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_formula(p, "Xyz", NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_formula(p, "Bm", NULL), TL_UNSUPPORTED);
	assert_int_equal(tl_profile_event_count(p), 3);
	assert_int_equal(tl_profile_add_formula(p, "Ir", NULL), 0);
	assert_int_equal(tl_profile_add_formula(p, "X=2Ir", NULL), 3);
	assert_int_equal(tl_profile_add_formula(p, "X=2Ir", NULL), 3);
	assert_int_equal(tl_profile_add_formula(p, "X=3Ir", NULL), TL_BAD_USAGE);
	tl_profile_free(p);
	assert_string_equal(tl_usual_formula(tl_usual_event(1)), "I1mr + D1mr + D1mw");
	assert_null(tl_usual_formula("X"));
	assert_null(tl_usual_event(5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas_are_sums_of_events),
		cmocka_unit_test(nonsense_is_left_alone),
		cmocka_unit_test(overflow_saturates),
		cmocka_unit_test(formulas_are_added_to_finished_profiles),
		cmocka_unit_test(formulas_that_cannot_be_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
