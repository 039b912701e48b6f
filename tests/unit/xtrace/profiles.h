/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_PROFILES_H
#define TESTS_UNIT_XTRACE_PROFILES_H
/* Profiles of streams in memory. Code has no symbols here: functions are what is called. */
#include "bytes.h"

#include "profile/model/unsized.h"

static inline struct tl_profile *fold_pair(const struct bytes *stream,
					   const struct bytes *snapshots, unsigned jobs)
{
	const struct tl_xtrace_fold_options options = {
		.size = sizeof(options),
		.id = TL_NOWHERE,
		.lines = true,
		.jobs = jobs,
	};
	struct tl_profile *profile;
	struct trace t;

	open_trace(&t, stream, snapshots);
	assert_int_equal(tl_xtrace_fold(t.trace, &options, &profile, &t.err), 0);
	close_trace(&t);
	return profile;
}

/* ---- the same in segments ---- */

/* The size of the token at `at` (2.4); no SYSCALL_VEC. */
static inline size_t token_size(const struct bytes *stream, size_t at)
{
	unsigned byte = stream->data[at];

	switch (byte & 7) {
	case 1:
		return byte & 8 ? 13 : 5;
	case 2:
		return 9 + ((size_t)1 << (byte >> 4));
	default:
		return byte == ALLGPR ? 257 : 9;
	}
}

/* Snapshots before every `step`th PCINST token; they do not say what SP is. */
static inline struct tl_profile *fold_cut(const struct bytes *stream, unsigned step, unsigned jobs)
{
	struct bytes records = { 0 };
	struct tl_profile *profile;
	unsigned count = 0, number = 0;

	put_header(&records);
	for (size_t at = 0; at < stream->size; at += token_size(stream, at))
		if ((stream->data[at] & 15) == PCINST && count++ % step == 0) {
			put_record(&records, &(struct record){ .index = at,
							       .user = number,
							       .total = number,
							       .first = (uint64_t)-31 });
			number++;
		}
	profile = fold_pair(stream, &records, jobs);
	free_bytes(&records);
	return profile;
}

static inline void assert_same_profile(const struct tl_profile *a, const struct tl_profile *b)
{
	uint32_t events = tl_profile_event_count(a);

	assert_int_equal(tl_profile_context_count(a), tl_profile_context_count(b));
	assert_int_equal(tl_profile_line_count(a), tl_profile_line_count(b));
	assert_int_equal(tl_profile_arc_count(a), tl_profile_arc_count(b));
	assert_int_equal(tl_profile_jump_count(a), tl_profile_jump_count(b));
	for (uint32_t i = 0; i < tl_profile_context_count(a); i++) {
		const struct tl_context *x = tl_profile_context(a, i),
					*y = tl_profile_context(b, i);

		assert_int_equal(tl_profile_function(a, x->function)->address,
				 tl_profile_function(b, y->function)->address);
		assert_int_equal(x->parent, y->parent);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->unfinished, y->unfinished);
		assert_memory_equal(tl_profile_context_self(a, i), tl_profile_context_self(b, i),
				    events * sizeof(int64_t));
	}
	for (uint32_t i = 0; i < tl_profile_line_count(a); i++)
		assert_memory_equal(tl_profile_line_cost(a, i), tl_profile_line_cost(b, i),
				    events * sizeof(int64_t));
	for (uint32_t i = 0; i < tl_profile_arc_count(a); i++) {
		assert_int_equal(tl_profile_arc(a, i)->calls, tl_profile_arc(b, i)->calls);
		assert_memory_equal(tl_profile_arc_cost(a, i), tl_profile_arc_cost(b, i),
				    events * sizeof(int64_t));
	}
	for (uint32_t i = 0; i < tl_profile_jump_count(a); i++) {
		assert_int_equal(tl_profile_jump(a, i)->executed, tl_profile_jump(b, i)->executed);
		assert_int_equal(tl_profile_jump(a, i)->taken, tl_profile_jump(b, i)->taken);
	}
	assert_memory_equal(&tl_profile_part(a, 0)->losses, &tl_profile_part(b, 0)->losses,
			    sizeof(struct tl_losses));
}

static inline struct tl_profile *fold_whole(struct bytes *stream)
{
	struct tl_profile *profile = fold_pair(stream, NULL, 1);

	free_bytes(stream);
	return profile;
}

/* Folded in one, and in segments by one thread and by several: the profile is the same. */
static inline struct tl_profile *fold(struct bytes *stream)
{
	struct tl_profile *profile = fold_pair(stream, NULL, 1), *cut;

	for (unsigned step = 1; step <= 5; step++) {
		cut = fold_cut(stream, step, step % 2 ? 1 : 3);
		assert_same_profile(profile, cut);
		tl_profile_free(cut);
	}
	free_bytes(stream);
	return profile;
}

static inline uint32_t find(const struct tl_profile *profile, uint64_t address)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->address == address)
			return i;
	fail_msg("no function at %#llx", (unsigned long long)address);
	return TL_NONE;
}

static inline void assert_calls(const struct tl_profile *profile, uint64_t address, uint64_t calls,
				uint64_t unfinished)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, find(profile, address), TL_NONE, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.unfinished, unfinished);
}

static inline void assert_function(const struct tl_profile *profile, uint64_t address,
				   uint64_t calls, uint64_t unfinished, int64_t self,
				   int64_t inclusive)
{
	struct tl_function_totals totals;

	assert_calls(profile, address, calls, unfinished);
	tl_profile_totals_of(profile, find(profile, address), TL_NONE, &totals);
	assert_int_equal(totals.self[0], self);
	assert_int_equal(totals.inclusive[0], inclusive);
}

static inline void assert_arc(const struct tl_profile *profile, uint64_t caller, uint64_t from,
			      uint64_t callee, uint64_t calls, int64_t inclusive)
{
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->caller != find(profile, caller) || arc->callee != find(profile, callee) ||
		    arc->from.address != from)
			continue;
		assert_int_equal(arc->calls, calls);
		assert_int_equal(tl_profile_arc_cost(profile, i)[0], inclusive);
		return;
	}
	fail_msg("no such call");
}

static inline const int64_t *line_at(const struct tl_profile *profile, uint64_t address)
{
	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		if (tl_profile_line(profile, i)->at.address == address)
			return tl_profile_line_cost(profile, i);
	fail_msg("no line at %#llx", (unsigned long long)address);
	return NULL;
}

/* The end of a list of addresses; no instruction has it. */
enum { END = 1 };
#define PATH(...) ((const uint64_t[]){ __VA_ARGS__, END })

/* The path is called so often; it begins at a root. */
static inline void assert_path(const struct tl_profile *profile, uint64_t calls,
			       const uint64_t *path)
{
	size_t length = 0;

	while (path[length] != END)
		length++;
	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		uint32_t at = i;
		size_t left = length;

		while (left && at != TL_NONE &&
		       tl_profile_function(profile, tl_profile_context(profile, at)->function)
				       ->address == path[left - 1]) {
			at = tl_profile_context(profile, at)->parent;
			left--;
		}
		if (left || at != TL_NONE)
			continue;
		assert_int_equal(tl_profile_context(profile, i)->calls, calls);
		return;
	}
	fail_msg("no such path");
}

static inline struct tl_losses losses_of(const struct tl_profile *profile)
{
	return tl_profile_part(profile, 0)->losses;
}

#endif
