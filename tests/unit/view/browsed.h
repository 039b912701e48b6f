/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_VIEW_BROWSED_H
#define TESTS_UNIT_VIEW_BROWSED_H
/*
 * A profile by hand, and a browser that shows it: main (10 of its own) calls work twice (60, 20 of
 * them in leaf) and leaf once (30).
 */
#include "profile/model/model.h"
#include "shown.h"

static inline uint32_t add_function(struct tl_profile *profile, const char *name)
{
	const struct tl_function function = { .name = name, .id = TL_NOWHERE };
	struct tl_error err;

	return (uint32_t)tl_profile_add_function(profile, &function, sizeof(function), &err);
}

static inline uint32_t add_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
				   uint64_t calls, int64_t cost)
{
	struct tl_error err;
	uint32_t context = (uint32_t)tl_profile_add_context(profile, parent, function, 0, &err);

	tl_profile_add_context_cost(profile, context, calls, &cost);
	return context;
}

static inline struct tl_profile *make_profile(void)
{
	static const struct tl_event event = { "Ir", "", "", "" };
	const struct tl_part part = { .command = "", .header = "" };
	struct tl_profile *profile;
	struct tl_error err;
	uint32_t main_function, work, leaf, root, middle;

	assert_int_equal(tl_profile_new(&profile, "test", &event, sizeof(event), 1, 0, &err), 0);
	tl_profile_add_part(profile, &part, sizeof(part), &err);
	main_function = add_function(profile, "main");
	work = add_function(profile, "work(int)");
	leaf = add_function(profile, "leaf");
	root = add_context(profile, TL_NONE, main_function, 1, 10);
	middle = add_context(profile, root, work, 2, 40);
	add_context(profile, middle, leaf, 5, 20);
	add_context(profile, root, leaf, 1, 30);
	assert_int_equal(tl_profile_finish(profile, &err), 0);
	return profile;
}

static inline void begin_with(struct shown *s, struct tl_profile *profile)
{
	const struct tl_browser_options options = { .title = "file" };
	struct tl_error err;

	*s = (struct shown){ .profile = profile };
	assert_int_equal(tl_browser_open(&s->browser, s->profile, &options, &err), 0);
}

static inline void begin(struct shown *s)
{
	begin_with(s, make_profile());
}

#endif
