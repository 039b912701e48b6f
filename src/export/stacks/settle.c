/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimated paths, scaled to the exact self costs of functions. The estimate gives the share of a
 * path that would lead back to a function to other paths, and sums small paths, so the paths of a
 * function get not quite its cost; here the costs are scaled until they do. Functions without a
 * path are put below "(other)".
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/wide.h"
#include "export/stacks/call_sums.h"
#include "export/stacks/stacks.h"
#include "profile/model/model.h"
#include "profile/model/unsized.h"

struct settling {
	const struct tl_profile *sums, *paths;
	struct tl_profile *result;
	uint32_t events, functions, other;
	uint32_t *made; /* by context of the paths; TL_NONE: left out */
	/*
	 * Of one part, by function and event: the exact cost, that of the paths, that of paths
	 * done.
	 */
	int64_t *wanted, *got, *done;
	bool *placed; /* a context has got it */
	int64_t *share;
};

static void sum_wanted(struct settling *s, uint32_t part, bool in_parts)
{
	uint32_t lines = tl_profile_line_count(s->sums);

	for (uint32_t i = 0; i < lines; i++) {
		const struct tl_cost_line *line = tl_profile_line(s->sums, i);
		const int64_t *cost = tl_profile_line_cost(s->sums, i);
		int64_t *wanted = s->wanted + (size_t)line->function * s->events;

		for (uint32_t e = 0; (!in_parts || line->part == part) && e < s->events; e++)
			wanted[e] = tl_sum_saturating(wanted[e], cost[e]);
	}
}

static void sum_got(struct settling *s, uint32_t part)
{
	uint32_t contexts = tl_profile_context_count(s->paths);

	for (uint32_t i = 0; i < contexts; i++) {
		const struct tl_context *c = tl_profile_context(s->paths, i);

		if (c->part == part && c->function != s->other)
			tl_call_sums_add(s->events, s->got + (size_t)c->function * s->events,
					 tl_profile_context_self(s->paths, i));
	}
}

/* A context's share of its function's cost; a cost that cannot be divided goes to the first one. */
static void next_share(struct settling *s, uint32_t function, const int64_t *self)
{
	for (uint32_t e = 0; e < s->events; e++) {
		size_t at = (size_t)function * s->events + e;
		int64_t from;

		s->share[e] = 0;
		if (s->got[at] <= 0 || s->wanted[at] < 0) {
			if (!s->placed[at])
				s->share[e] = s->wanted[at];
			s->placed[at] = true;
			continue;
		}
		from = tl_share(s->wanted[at], s->done[at], s->got[at]);
		s->done[at] = tl_sum_saturating(s->done[at], self[e]);
		s->share[e] = tl_share(s->wanted[at], s->done[at], s->got[at]) - from;
		s->placed[at] = true;
	}
}

static int copy_contexts(struct settling *s, uint32_t part, struct tl_error *err)
{
	uint32_t contexts = tl_profile_context_count(s->paths);

	for (uint32_t i = 0; i < contexts; i++) {
		const struct tl_context *c = tl_profile_context(s->paths, i);
		uint32_t parent = TL_NONE;
		int64_t number;

		if (c->part != part || c->function == s->other)
			continue;
		if (c->parent != TL_NONE)
			parent = s->made[c->parent];
		next_share(s, c->function, tl_profile_context_self(s->paths, i));
		number = tl_profile_add_context(s->result, parent, c->function, part, err);
		if (number < 0)
			return (int)number;
		s->made[i] = (uint32_t)number;
		tl_profile_add_context_cost(s->result, s->made[i], c->calls, s->share);
	}
	return 0;
}

/* Functions without a path. */
static int add_rest(struct settling *s, uint32_t part, struct tl_error *err)
{
	for (uint32_t f = 0; f < s->functions; f++) {
		const size_t at = (size_t)f * s->events;
		int64_t root, number;
		bool any = false;

		for (uint32_t e = 0; e < s->events; e++)
			any = any || (s->wanted[at + e] && !s->placed[at + e]);
		if (!any)
			continue;
		root = tl_profile_add_context(s->result, TL_NONE, s->other, part, err);
		if (root < 0)
			return (int)root;
		number = tl_profile_add_context(s->result, (uint32_t)root, f, part, err);
		if (number < 0)
			return (int)number;
		next_share(s, f, s->share);
		tl_profile_add_context_cost(s->result, (uint32_t)number, 0, s->share);
	}
	return 0;
}

static int settle_part(struct settling *s, uint32_t part, bool in_parts, struct tl_error *err)
{
	size_t numbers = (size_t)s->functions * s->events;
	int status;

	memset(s->wanted, 0, numbers * sizeof(*s->wanted));
	memset(s->got, 0, numbers * sizeof(*s->got));
	memset(s->done, 0, numbers * sizeof(*s->done));
	memset(s->placed, 0, numbers * sizeof(*s->placed));
	sum_wanted(s, part, in_parts);
	sum_got(s, part);
	status = copy_contexts(s, part, err);
	if (status < 0)
		return status;
	return add_rest(s, part, err);
}

static bool make_room(struct settling *s)
{
	size_t numbers = (size_t)s->functions * s->events + 1;

	s->made = malloc(((size_t)tl_profile_context_count(s->paths) + 1) * sizeof(*s->made));
	s->wanted = malloc(numbers * sizeof(*s->wanted));
	s->got = malloc(numbers * sizeof(*s->got));
	s->done = malloc(numbers * sizeof(*s->done));
	s->placed = malloc(numbers * sizeof(*s->placed));
	s->share = calloc((size_t)s->events + 1, sizeof(*s->share));
	return s->made && s->wanted && s->got && s->done && s->placed && s->share;
}

/* That of "(other)", which the sums do not have, is not lent. */
static int copy_functions(struct settling *s, bool draft, struct tl_error *err)
{
	uint32_t functions = tl_profile_function_count(s->paths);
	int64_t number = 0;

	for (uint32_t f = 0; number >= 0 && f < functions; f++)
		number =
			tl_stacks_copy_function(s->result, s->paths, f, draft && f < s->other, err);
	return tl_profile_status(number);
}

static int settle(struct settling *s, bool draft, struct tl_error *err)
{
	bool in_parts = tl_call_sums_in_parts(s->sums);
	uint32_t parts = tl_profile_part_count(s->paths);
	int status = make_room(s) ? tl_stacks_copy_parts(s->result, s->sums, in_parts, err)
				  : tl_error_memory(err);

	if (status == 0)
		status = copy_functions(s, draft, err);
	for (uint32_t part = 0; status == 0 && part < parts; part++)
		status = settle_part(s, part, in_parts, err);
	free(s->made);
	free(s->wanted);
	free(s->got);
	free(s->done);
	free(s->placed);
	free(s->share);
	if (status < 0)
		return status;
	return (draft ? tl_stacks_inherit : tl_profile_finish)(s->result, err);
}

int tl_stacks_settle(struct tl_profile **settled, const struct tl_profile *paths,
		     const struct tl_profile *sums, bool draft, struct tl_error *err)
{
	struct settling s = {
		.sums = sums,
		.paths = paths,
		.events = tl_profile_event_count(sums),
		.functions = tl_profile_function_count(sums),
		.other = tl_profile_function_count(sums), /* behind those of the sums */
	};
	int status = tl_profile_make(&s.result, tl_profile_format(sums), tl_profile_event(sums, 0),
				     s.events, tl_profile_frequency(sums), err);

	if (status == 0) {
		tl_profile_set_call_count(s.result, tl_profile_call_count(sums));
		status = settle(&s, draft, err);
	}
	if (status < 0)
		tl_profile_free(s.result);
	else
		*settled = s.result;
	return status;
}
