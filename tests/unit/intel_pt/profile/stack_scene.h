/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_PROFILE_STACK_SCENE_H
#define TESTS_UNIT_INTEL_PT_PROFILE_STACK_SCENE_H
/*
 * A call stack to which addresses are given. The functions are those of
 * tests/golden/intel_pt/bin/rec, at the addresses nm says; what is beyond them has no symbol.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit.h"

#include "intel_pt/profile/parked_stacks.h"

enum { DEEP = 0x1159, ODD = 0x1185, EVEN = 0x11b2, MAIN = 0x1257, UNKNOWN = 0x900000 };

struct fixture {
	struct tl_pt_feed feed;
	struct tl_pt_functions functions;
	struct tl_pt_stack stack;
	char file[512];
};

static inline bool place(void *arg, uint64_t ip, struct tl_pt_mapping *place)
{
	struct fixture *f = arg;
	bool known = ip < 0x4000;

	*place = (struct tl_pt_mapping){ .object = known ? "rec" : "lib.so",
					 .file = known ? f->file : NULL,
					 .start = known ? 0 : UNKNOWN,
					 .end = known ? 0x4000 : UNKNOWN + 0x10000 };
	return known || ip >= UNKNOWN;
}

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *root = getenv("TL_SOURCE_ROOT");

	if (!f || !root)
		return -1;
	snprintf(f->file, sizeof(f->file), "%s/tests/golden/intel_pt/bin/rec", root);
	f->feed = (struct tl_pt_feed){ .mapping = place, .arg = f };
	tl_pt_functions_begin(&f->functions, &f->feed);
	*state = f;
	return tl_pt_stack_begin(&f->stack, &f->functions, 0, false) ? 0 : -1;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	tl_pt_stack_end(&f->stack);
	tl_pt_functions_end(&f->functions);
	free(f);
	return 0;
}

static inline void go(struct fixture *f, enum tl_pt_arrival how, uint64_t ip, uint64_t back)
{
	struct tl_pt_name name = tl_pt_functions_name(&f->functions, ip);
	struct tl_pt_arrival_addr at = { ip, name.function, TL_NONE, name.is_entry };

	tl_pt_stack_arrive(&f->stack, how, &at, back);
	assert_false(f->stack.fold.no_memory);
}

/* The open frames, outermost first, as "main deep deep". */
static inline void want(struct fixture *f, const char *wanted)
{
	char got[256] = "";
	size_t at = 0;

	for (size_t i = 1; i <= tl_fold_depth(&f->stack.fold); i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%s", i > 1 ? " " : "",
				       f->functions.list[f->stack.fold.frames[i].function].name);
	assert_string_equal(got, wanted);
}

#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
