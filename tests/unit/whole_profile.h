/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_WHOLE_PROFILE_H
#define TESTS_UNIT_WHOLE_PROFILE_H
/*
 * Profiles with some of everything, built so that any step may fail: for tests in which memory runs
 * out (refuse.h). `salt` makes profiles that are alike and not the same.
 */
#include <stdio.h>

#include <tracelathe/profile.h>

#include "profile/fold/fold.h"
#include "profile/model/model.h"
#include "refuse.h"

enum { WHOLE_FUNCTIONS = 9, WHOLE_THREADS = 2 };

static inline int64_t whole_function(struct tl_profile *profile, uint32_t number, uint32_t salt,
				     struct tl_error *err)
{
	char name[32], file[32], object[32];

	/* The last ones of two profiles have no name in common. */
	snprintf(name, sizeof(name), "function%u", number < 7 ? number : number + salt * 10);
	snprintf(file, sizeof(file), "file%u.c", number % 3);
	snprintf(object, sizeof(object), "lib%u.so", number % 2);
	return tl_profile_put_function(profile,
				       &(struct tl_function){
					       .name = name,
					       .file = file,
					       .object = object,
					       .id = TL_NOWHERE,
					       .address = 0x1000 + 0x100 * number,
					       .line = 10 * number,
				       },
				       err);
}

static inline int whole_begin(struct tl_profile **profile, const char *format,
			      const struct tl_event *events, uint32_t count, uint32_t salt,
			      struct tl_error *err)
{
	int64_t number = tl_profile_make(profile, format, events, count, 1000000, err);

	for (uint32_t i = 0; number >= 0 && i < WHOLE_FUNCTIONS; i++)
		number = whole_function(*profile, i, salt, err);
	return number < 0 ? (int)number : 0;
}

/* ---- sums: lines, arcs and jumps, a recursion, and a cycle of functions 3, 4 and 5 ---- */

static inline int whole_costs(struct tl_profile *profile, uint32_t part, uint32_t salt,
			      struct tl_error *err)
{
	static const struct {
		uint32_t caller, callee;
	} calls[] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 2, 2 }, { 2, 3 }, { 3, 4 },
		      { 4, 5 }, { 5, 3 }, { 1, 6 }, { 6, 7 }, { 0, 8 }, { TL_NONE, 0 } };
	int status = 0;

	for (uint32_t i = 0; !status && i < 3 * WHOLE_FUNCTIONS; i++) {
		struct tl_cost_line line = { .function = i / 3, .part = part };
		const int64_t cost[] = { 100 + i * 7 + salt, i % 4, 0 };

		line.at.file = i % 5 ? "" : "inlined.h";
		line.at.line = 10 * (i / 3) + i % 3;
		line.at.address = 0x1000 + 0x100 * (i / 3) + 4 * (i % 3);
		status = tl_profile_put_line(profile, &line, cost, err);
	}
	for (uint32_t i = 0; !status && i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct tl_arc arc = {
			calls[i].caller, calls[i].callee, part, { .line = i }, { .line = 1 }, i + 1,
		};
		const int64_t cost[] = { 1000 + i * 11 + salt, 10 + i, 0 };

		status = tl_profile_put_arc(profile, &arc, cost, err);
	}
	for (uint32_t i = 0; !status && i < WHOLE_FUNCTIONS; i++) {
		struct tl_jump jump = {
			i, i, part, { .line = i }, { .line = i + 2 }, 20, 10, i % 2
		};

		status = tl_profile_put_jump(profile, &jump, err);
	}
	return status;
}

static inline int whole_sums(struct tl_profile **profile, uint32_t salt, struct tl_error *err)
{
	static const struct tl_event events[] = {
		{ "Ir", "Instruction Fetches", "instructions", "" },
		{ "Dr", "", "", "" },
		{ "Both", "", "", "Ir + 2 Dr" },
	};
	int64_t status = whole_begin(profile, "callgrind", events, 3, salt, err);

	for (uint32_t thread = 1; status >= 0 && thread <= WHOLE_THREADS; thread++) {
		struct tl_part part = {
			.process = 7, .thread = thread, .command = "prog -x", .header = "a: b\n"
		};

		status = tl_profile_put_part(*profile, &part, err);
		if (status >= 0)
			status = whole_costs(*profile, (uint32_t)status, salt, err);
	}
	if (status >= 0)
		status = tl_profile_finish(*profile, err);
	return (int)status;
}

/* ---- a trace: contexts and durations, through the fold ---- */

/* Enters and leaves at random: at times a frame is skipped, or has no entry. */
static inline void whole_steps(struct tl_fold *fold, uint32_t seed)
{
	for (uint32_t i = 0; i < 400; i++) {
		uint32_t function;

		seed = seed * 1664525 + 1013904223;
		function = (seed >> 8) % WHOLE_FUNCTIONS;
		tl_fold_time(fold, 100 * i + (seed >> 24) % 50);
		if (seed >> 31 && tl_fold_depth(fold) < 12)
			tl_fold_enter(fold, function);
		else if (tl_fold_depth(fold))
			tl_fold_leave(fold, seed >> 28 ? tl_fold_top(fold) : function);
		tl_fold_cost(fold, &(const int64_t){ seed >> 20 });
	}
}

static inline int whole_thread(struct tl_profile *profile, uint64_t thread, uint32_t salt,
			       struct tl_error *err)
{
	struct tl_part part = { .process = 7, .thread = thread, .command = "worker" };
	uint32_t functions[WHOLE_FUNCTIONS];
	struct tl_fold fold;
	int status;

	if (!tl_fold_begin(&fold, 1, false))
		return TL_NO_MEMORY;
	for (uint32_t i = 0; i < WHOLE_FUNCTIONS; i++)
		functions[i] = tl_fold_add_function(&fold);
	if (!fold.no_memory)
		whole_steps(&fold, (uint32_t)thread + 100 * salt);
	tl_fold_end(&fold);
	/* Both count from 0. */
	for (uint32_t i = 0; i < WHOLE_FUNCTIONS; i++)
		assert_true(functions[i] == i || fold.no_memory);
	status = tl_fold_into(&fold, profile, &part, functions, true, err);
	tl_fold_free(&fold);
	return status;
}

static inline int whole_trace(struct tl_profile **profile, uint32_t salt, struct tl_error *err)
{
	static const struct tl_event events[] = {
		{ "Ticks", "", "ticks", "" },
		{ "Bytes", "Bytes allocated", "bytes", "" },
	};
	int status = whole_begin(profile, "xray", events, 2, salt, err);

	for (uint64_t thread = 1; !status && thread <= WHOLE_THREADS; thread++)
		status = whole_thread(*profile, thread, salt, err);
	if (!status) {
		(*profile)->timed = true;
		status = tl_profile_finish(*profile, err);
	}
	return status;
}

/* ---- a profile as a digest ---- */

static inline void whole_note_costs(const struct tl_profile *profile, const int64_t *costs,
				    uint64_t *digest)
{
	refuse_note(digest, costs, profile->event_count * sizeof(*costs));
}

static inline void whole_note_functions(const struct tl_profile *profile, uint64_t *digest)
{
	for (uint32_t f = 0; f < tl_profile_function_count(profile); f++) {
		struct tl_function_totals totals;
		struct tl_latency latency;

		refuse_note_text(digest, tl_profile_function(profile, f)->name);
		refuse_note_number(digest, tl_profile_chosen(profile, f));
		for (uint32_t part = 0; part <= tl_profile_part_count(profile); part++) {
			uint32_t number = part == tl_profile_part_count(profile) ? TL_NONE : part;

			tl_profile_totals_of(profile, f, number, &totals);
			whole_note_costs(profile, totals.self, digest);
			whole_note_costs(profile, totals.inclusive, digest);
			refuse_note_number(digest, (int64_t)totals.calls);
			if (tl_profile_latency_of(profile, f, number, &latency))
				refuse_note_number(digest, (int64_t)(latency.sum ^ latency.p90));
		}
	}
}

static inline void whole_note(const struct tl_profile *profile, uint64_t *digest)
{
	whole_note_costs(profile, tl_profile_total(profile), digest);
	whole_note_functions(profile, digest);
	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++) {
		refuse_note_text(digest, tl_profile_line(profile, i)->at.file);
		whole_note_costs(profile, tl_profile_line_cost(profile, i), digest);
	}
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		refuse_note_number(digest, (int64_t)tl_profile_arc(profile, i)->calls);
		whole_note_costs(profile, tl_profile_arc_cost(profile, i), digest);
	}
	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		refuse_note_number(digest, (int64_t)tl_profile_context(profile, i)->calls);
		whole_note_costs(profile, tl_profile_context_inclusive(profile, i), digest);
	}
}

#endif
