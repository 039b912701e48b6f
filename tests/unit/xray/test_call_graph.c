/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function can have called which, by the code of the program in program.h. The expected
 * answers are worked out by hand from what its functions do, by the rules at the head of
 * map/call_graph.h.
 */
#include "../temp_fixture.h"
#include <elf.h>

#include "program.h"

#include "xray/map/call_graph.h"
#include "xray/map/callees.h"
#include "xray/map/map.h"

struct opened {
	struct tl_xray_map *map;
	struct tl_xray_call_graph *graph;
};

static struct opened open_program(uint16_t machine)
{
	struct opened o;

	make_program(&temp, "program", machine);
	assert_int_equal(tl_xray_map_open(&o.map, temp_path(&temp, "program"), 0, true, NULL), 0);
	assert_int_equal(tl_xray_map_count(o.map), SLEDS);
	o.graph = tl_xray_call_graph_open(o.map);
	assert_non_null(o.graph);
	return o;
}

static void close_program(struct opened *o)
{
	assert_false(tl_xray_call_graph_short_of_memory(o->graph));
	tl_xray_call_graph_close(o->graph);
	tl_xray_map_close(o->map);
}

/* By caller, closed by 0: the functions with sleds that it can call, in ascending order. */
static const uint32_t callees[SLEDS + 1][8] = {
	[CALLER] = { LEAF },
	[THROUGH] = { LEAF }, /* HELPER has no sleds */
	/* whatever has its address taken: by a slot, by data, by code, by a name */
	[ABROAD] = { LEAF, CALLBACK, TAKEN, EXPORTED },
	[CATCHER] = { LEAF, THROWER, CLEANER },
	[CLEANER] = { LEAF, THROWER },
	[BOTH] = { LEAF, CLEANER },
	[RECURSIVE] = { RECURSIVE },
	[OWN_SLOT] = { LEAF },
	[OUTER] = { CALLER }, /* not LEAF: CALLER has sleds */
	[WAITS] = { SETTER },
};

static bool leads_anywhere(uint32_t caller)
{
	return caller == INDIRECT || caller == VARIABLE || caller == OUTSIDE ||
	       caller == BAD_STUB || caller == FAR_STUB;
}

static bool has(const uint32_t *list, uint32_t function)
{
	for (; *list; list++)
		if (*list == function)
			return true;
	return false;
}

static void every_pair(uint16_t machine)
{
	struct opened o = open_program(machine);

	for (uint32_t caller = 1; caller <= SLEDS; caller++)
		for (uint32_t callee = 1; callee <= SLEDS; callee++) {
			bool can = tl_xray_can_call(o.graph, caller, callee);

			if (can != (leads_anywhere(caller) || has(callees[caller], callee)))
				fail_msg("machine %u: caller %u, callee %u", machine, caller,
					 callee);
		}
	close_program(&o);
}

TEST(every_pair_of_functions_of_x86_64)
{
	every_pair(EM_X86_64);
}

TEST(every_pair_of_functions_of_aarch64)
{
	every_pair(EM_AARCH64);
}

/*
 * "a function with a landing pad that catches, or that calls setjmp or the like, itself or by a
 * path"
 */
TEST(functions_that_resume)
{
	static const uint32_t resume[] = { SETTER, CATCHER, SAVES, 0 };
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };

	for (size_t i = 0; i < 2; i++) {
		struct opened o = open_program(machines[i]);

		for (uint32_t function = 1; function <= SLEDS; function++)
			assert_int_equal(tl_xray_can_resume(o.graph, function),
					 has(resume, function));
		close_program(&o);
	}
}

/* "for ids that the map does not have" both answers are true; also where a function has no code. */
TEST(unknown_functions_can_do_anything)
{
	static const uint32_t unknown[] = { 0, SLEDS + 1, 1 << 24 | CALLER, TL_NONE };
	struct opened o = open_program(EM_X86_64);

	for (size_t i = 0; i < 4; i++) {
		assert_true(tl_xray_can_call(o.graph, unknown[i], LEAF));
		assert_true(tl_xray_can_call(o.graph, LEAF, unknown[i]));
		assert_true(tl_xray_can_resume(o.graph, unknown[i]));
	}
	assert_false(tl_xray_can_call(o.graph, LEAF, CALLER));
	close_program(&o);
}

/* "A program of another machine than x86-64 and AArch64 tells nothing: all is possible." */
TEST(other_machines_tell_nothing)
{
	struct opened o = open_program(EM_RISCV);

	assert_true(tl_xray_can_call(o.graph, LEAF, CALLER));
	assert_true(tl_xray_can_call(o.graph, THROWER, THROWER));
	assert_false(tl_xray_can_resume(o.graph, LEAF));
	assert_true(tl_xray_can_resume(o.graph, CATCHER)); /* the unwind tables say so */
	close_program(&o);
}

TEST(without_a_program_every_call_is_possible)
{
	static const char yaml[] = "- { id: 1, function: 16 }\n- { id: 2, function: 32 }\n";
	struct tl_xray_map *map;
	struct tl_xray_call_graph *graph;

	temp_write(&temp, "map.yaml", yaml, sizeof(yaml) - 1);
	assert_int_equal(tl_xray_map_open_yaml(&map, temp_path(&temp, "map.yaml"), NULL), 0);
	graph = tl_xray_call_graph_open(map);
	assert_non_null(graph);
	assert_true(tl_xray_can_call(graph, 1, 2));
	assert_true(tl_xray_can_resume(graph, 2));
	tl_xray_call_graph_close(graph);
	tl_xray_map_close(map);
}

/* Names of the C and C++ libraries, as their manuals tell what they do. */
TEST(functions_of_libraries)
{
	static const struct {
		const char *name;
		uint8_t flags;
	} cases[] = {
		{ "setjmp", TL_XRAY_CALLEES_RESUMES },
		{ "_setjmp", TL_XRAY_CALLEES_RESUMES },
		{ "getcontext", TL_XRAY_CALLEES_RESUMES },
		/* another context runs before it returns */
		{ "swapcontext", TL_XRAY_CALLEES_RESUMES | TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "malloc", 0 },
		{ "memcpy", 0 },
		{ "strlen", 0 },
		{ "__fprintf_chk", 0 },
		{ "__cxa_throw", 0 },
		{ "_Unwind_Resume", 0 },
		{ "pthread_mutex_lock", 0 },
		{ "qsort", TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "bsearch", TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "pthread_create", TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "atexit", TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "mallocs", TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "__fprintf", TL_XRAY_CALLS_OTHER_OBJECTS },
		{ "", TL_XRAY_CALLS_OTHER_OBJECTS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (tl_xray_import_flags(cases[i].name) != cases[i].flags)
			fail_msg("%s", cases[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_functions_of_x86_64),
		cmocka_unit_test(every_pair_of_functions_of_aarch64),
		cmocka_unit_test(functions_that_resume),
		cmocka_unit_test(unknown_functions_can_do_anything),
		cmocka_unit_test(other_machines_tell_nothing),
		cmocka_unit_test(without_a_program_every_call_is_possible),
		cmocka_unit_test(functions_of_libraries),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
