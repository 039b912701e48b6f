/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROFILE_PROFILES_H
#define TESTS_UNIT_PROFILE_PROFILES_H
/* Small profiles built by hand, and their exports as strings. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/export.h>
#include <tracelathe/profile.h>

#include "profile/model/unsized.h"

static inline struct tl_profile *new_profile(const char *format, const char *const *events,
					     uint32_t count, uint64_t frequency)
{
	struct tl_event list[8] = { 0 };
	struct tl_profile *profile;

	for (uint32_t i = 0; i < count; i++) {
		list[i].name = events[i];
		list[i].unit = strcmp(events[i], "Ticks") ? "" : "ticks";
	}
	assert_int_equal(tl_profile_make(&profile, format, list, count, frequency, NULL), 0);
	return profile;
}

static inline uint32_t add_part(struct tl_profile *profile, uint64_t process, uint64_t thread,
				uint64_t number, const char *command)
{
	struct tl_part part = {
		.process = process, .thread = thread, .number = number, .command = command
	};
	int64_t at = tl_profile_put_part(profile, &part, NULL);

	assert_true(at >= 0);
	return (uint32_t)at;
}

static inline uint32_t add_function(struct tl_profile *profile, const char *object,
				    const char *file, const char *name)
{
	struct tl_function function = {
		.name = name, .object = object, .file = file, .id = TL_NOWHERE
	};
	int64_t number = tl_profile_put_function(profile, &function, NULL);

	assert_true(number >= 0);
	return (uint32_t)number;
}

static inline struct tl_position at(const char *file, uint32_t line, uint64_t address)
{
	return (struct tl_position){ .file = file, .line = line, .address = address };
}

static inline void add_line(struct tl_profile *profile, uint32_t function, uint32_t part,
			    struct tl_position where, int64_t a, int64_t b)
{
	struct tl_cost_line line = { .function = function, .part = part, .at = where };
	const int64_t cost[8] = { a, b };

	assert_int_equal(tl_profile_put_line(profile, &line, cost, NULL), 0);
}

static inline void add_arc(struct tl_profile *profile, uint32_t caller, uint32_t callee,
			   uint32_t part, struct tl_position from, uint64_t calls, int64_t a,
			   int64_t b)
{
	struct tl_arc arc = { caller, callee, part, from, { 0 }, calls };
	const int64_t cost[8] = { a, b };

	assert_int_equal(tl_profile_put_arc(profile, &arc, cost, NULL), 0);
}

static inline void add_jump(struct tl_profile *profile, uint32_t function, uint32_t part,
			    uint32_t from, uint32_t to, uint64_t executed, uint64_t taken)
{
	struct tl_jump jump = { function,      function, part,  at("", from, 0),
				at("", to, 0), executed, taken, true };

	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
}

static inline uint32_t add_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
				   uint32_t part, uint64_t calls, int64_t self)
{
	const int64_t cost[8] = { self };
	int64_t number = tl_profile_add_context(profile, parent, function, part, NULL);

	assert_true(number >= 0);
	tl_profile_add_context_cost(profile, (uint32_t)number, calls, cost);
	return (uint32_t)number;
}

static inline struct tl_profile *finished(struct tl_profile *profile)
{
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/* The number of a function by its name alone; fails when there is none. */
static inline uint32_t function_named(const struct tl_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (!strcmp(tl_profile_function(profile, i)->name, name))
			return i;
	fail_msg("no function %s", name);
	return 0;
}

static inline int64_t self_of(const struct tl_profile *profile, const char *name, uint32_t event)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, function_named(profile, name), TL_NONE, &totals);
	return totals.self[event];
}

static inline int64_t inclusive_of(const struct tl_profile *profile, const char *name,
				   uint32_t event)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, function_named(profile, name), TL_NONE, &totals);
	return totals.inclusive[event];
}

static inline char *exported(const struct tl_profile *profile, const char *format)
{
	struct tl_output *out;
	const char *bytes;
	size_t size;
	char *copy;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find(format)->write(profile, NULL, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	copy = calloc(1, size + 1);
	assert_non_null(copy);
	memcpy(copy, bytes, size);
	tl_output_discard(out);
	return copy;
}

#endif
