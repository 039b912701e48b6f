/* SPDX-License-Identifier: Apache-2.0 */
/* "f'g'h" is f, called by g, called by h; "f'2" a level of recursion (rule N of
 * docs/formats/callgrind.md). */
#include <string.h>

#include "../unit.h"

#include "export/stacks/stack_names.h"
#include "profile/model/unsized.h"

TEST(names_in_pieces)
{
	static const struct {
		const char *text, *function, *callers;
		/* clang-format off */
	} names[] = {
		{ "main", "main", NULL },
		{ "f'g'h", "f", "g'h" },
		{ "f'2", "f", NULL },
		{ "f'12'g", "f", "g" },
		{ "f'2x", "f", "2x" },
		{ "foldl'", "foldl'", NULL },
		{ "foldl'main", "foldl", "main" },
		{ "'f", "'f", NULL },
		{ "", "", NULL },
		{ "f''g", "f''g", NULL },
		{ "(below main)'_start", "(below main)", "_start" },
		{ "std::sort<int*>(int*, int*)'main", "std::sort<int*>(int*, int*)", "main" },
		{ "fn(&'a T)'main", "fn(&'a T)", "main" },
		{ "a::operator<(a const&) const'main", "a::operator<(a const&) const", "main" },
		{ "a::operator->()'main", "a::operator->()", "main" },
		{ "operator>> <char>(x&)'f'g", "operator>> <char>(x&)", "f'g" },
		{ "operator<'main", "operator<", "main" },
		{ "operator-'f'g", "operator-", "f'g" },
		{ "o'p", "o", "p" },
		{ "f(a)b'g", "f(a)b", "g" },
		{ "f)'g", "f)", "g" },
		{ "f{'a}[']<'>'g", "f{'a}[']<'>", "g" },
		{ "App\\Kernel->handle'main", "App\\Kernel->handle", "main" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tl_stack_name name = tl_stack_name(names[i].text);

		assert_int_equal(name.size, strlen(names[i].function));
		assert_memory_equal(name.function, names[i].function, name.size);
		if (names[i].callers)
			assert_string_equal(name.callers, names[i].callers);
		else
			assert_null(name.callers);
	}
}

/* A profile of calls, each "caller callee". */
static enum tl_stack_names names_of(const char *const *calls, size_t count)
{
	const struct tl_event event = { .name = "Ir", .long_name = "", .unit = "", .formula = "" };
	struct tl_profile *profile;
	enum tl_stack_names names;

	assert_int_equal(tl_profile_make(&profile, "callgrind", &event, 1, 0, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		const char *ends[2] = { calls[i], strchr(calls[i], ' ') + 1 };
		uint32_t numbers[2];

		for (int end = 0; end < 2; end++) {
			char text[64] = "";
			struct tl_function function = {
				.name = text, .object = "", .file = "", .id = TL_NOWHERE
			};

			memcpy(text, ends[end], strcspn(ends[end], " "));
			numbers[end] = (uint32_t)tl_profile_put_function(profile, &function, NULL);
		}
		struct tl_arc arc = { .caller = numbers[0],
				      .callee = numbers[1],
				      .part = TL_NONE,
				      .calls = 1,
				      .from = { .file = "" },
				      .to = { .file = "" } };
		const int64_t cost = 1;

		assert_int_equal(tl_profile_put_arc(profile, &arc, &cost, NULL), 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	names = tl_stack_names(profile);
	tl_profile_free(profile);
	return names;
}

#define NAMES(...)                                                                                 \
	names_of((const char *const[]){ __VA_ARGS__ },                                             \
		 sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

TEST(what_calls_say)
{
	assert_int_equal(
		NAMES("main f'main", "f'main g'f'main", "f'main f'2'main", "f'2'main g'f'main"),
		TL_NAMES_COMPLETE);
	assert_int_equal(NAMES("main f'main", "f'main g'f", "g'f h'g"), TL_NAMES_CUT);
	assert_int_equal(NAMES("main f", "f g", "f f'2", "f'2 g"), TL_NAMES_PLAIN);
	assert_int_equal(NAMES("main foldl'", "foldl' go'x"), TL_NAMES_PLAIN);
	/* the caller's name is cut, and a function that calls itself says nothing */
	assert_int_equal(NAMES("main f'main", "f g'f'main"), TL_NAMES_COMPLETE);
	assert_int_equal(NAMES("main f'main", "g g'2", "h h'2", "i'x i'3'x"), TL_NAMES_COMPLETE);
	assert_int_equal(NAMES("main f'main", "g g'x", "h h'x"), TL_NAMES_PLAIN);
	/* "ma" is no beginning of "main" */
	assert_int_equal(NAMES("main f'ma"), TL_NAMES_PLAIN);
	assert_int_equal(NAMES("ma f'main"), TL_NAMES_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_pieces),
		cmocka_unit_test(what_calls_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
