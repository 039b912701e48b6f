/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting apart from work: what was spent in some functions, and in those that they call, becomes
 * an event of its own. Calls and durations stay what they are.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "profile/model/model.h"
#include "profile/transform/match.h"

struct split {
	const struct tl_profile *from;
	struct tl_profile *to;
	bool *waits;       /* by function */
	bool *idle;        /* by context: it or one above it waits */
	uint32_t *context; /* by context: its number in the new profile */
	int64_t *cost;     /* a vector with the new event */
};

/* Functions keep their numbers. */
static int take_choice(struct split *s, struct tl_error *err)
{
	const struct tl_profile_functions *from = &s->from->functions;
	size_t count = from->table.count;

	if (!from->chosen)
		return 0;
	s->to->functions.chosen = malloc(count + 1);
	if (!s->to->functions.chosen)
		return tl_error_memory(err);
	memcpy(s->to->functions.chosen, from->chosen, count);
	return 0;
}

static int take_functions(struct split *s, struct tl_error *err)
{
	for (uint32_t f = 0; f < s->from->functions.table.count; f++) {
		int64_t number = tl_profile_put_function(s->to, &s->from->functions.list[f], err);

		if (number < 0)
			return (int)number;
		if (f < s->from->durations.capacity && s->from->durations.list[f].calls &&
		    !tl_profile_add_latency(s->to, (uint32_t)number, TL_NONE,
					    &s->from->durations.list[f]))
			return tl_error_memory(err);
	}
	return take_choice(s, err);
}

static int take_parts(struct split *s, struct tl_error *err)
{
	int64_t number = 0;

	for (size_t i = 0; number >= 0 && i < s->from->parts.count; i++)
		number = tl_profile_put_part(s->to, &s->from->parts.list[i], err);
	return tl_profile_status(number);
}

static int take_part_durations(struct split *s, struct tl_error *err)
{
	for (size_t i = 0; i < s->from->part_functions.table.count; i++) {
		const struct tl_part_function *local = &s->from->part_functions.list[i];
		uint32_t number;

		if (!local->latency.calls)
			continue;
		number = tl_profile_part_function(s->to, local->function, local->part);
		if (number == TL_NONE ||
		    !tl_latency_merge(&s->to->part_functions.list[number].latency, &local->latency,
				      s->to->durations.exact))
			return tl_error_memory(err);
	}
	return 0;
}

static void divide_cost(struct split *s, uint32_t context)
{
	uint32_t events = s->from->event_count;

	memcpy(s->cost, tl_profile_context_self(s->from, context), events * sizeof(*s->cost));
	s->cost[events] = 0;
	if (s->idle[context]) {
		s->cost[events] = s->cost[0];
		s->cost[0] = 0;
	}
}

/* A parent's number is less than its children's. */
static int take_contexts(struct split *s, struct tl_error *err)
{
	for (uint32_t i = 0; i < s->from->contexts.table.count; i++) {
		const struct tl_context *c = &s->from->contexts.list[i];
		int64_t number =
			tl_profile_add_context(s->to, tl_profile_renumber(s->context, c->parent),
					       c->function, c->part, err);

		if (number < 0)
			return (int)number;
		s->context[i] = (uint32_t)number;
		s->idle[i] = s->waits[c->function] || (c->parent != TL_NONE && s->idle[c->parent]);
		divide_cost(s, i);
		tl_profile_add_context_cost(s->to, s->context[i], c->calls, s->cost);
		tl_profile_add_unfinished(s->to, s->context[i], c->unfinished);
		tl_profile_add_cut(s->to, s->context[i], c->cut);
	}
	return 0;
}

static int take_all(struct split *s, const char *pattern, struct tl_error *err)
{
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = pattern };
	size_t contexts = s->from->contexts.table.count;
	int status = tl_profile_match(s->from, &filter, &s->waits, err);

	s->idle = malloc(contexts + 1);
	s->context = malloc((contexts + 1) * sizeof(*s->context));
	s->cost = malloc((s->from->event_count + (size_t)1) * sizeof(*s->cost));
	if (status == 0 && (!s->idle || !s->context || !s->cost))
		status = tl_error_memory(err);
	if (status == 0)
		status = take_functions(s, err);
	if (status == 0)
		status = take_parts(s, err);
	if (status == 0)
		status = take_contexts(s, err);
	if (status == 0)
		status = take_part_durations(s, err);
	if (status != 0)
		return status;
	return tl_profile_finish(s->to, err);
}

/* An empty profile with one event more. */
static int make_profile(struct split *s, struct tl_error *err)
{
	const struct tl_profile *from = s->from;
	uint32_t count = from->event_count;
	struct tl_event *events = calloc(count + (size_t)1, sizeof(*events));
	int status;

	if (!events)
		return tl_error_memory(err);
	memcpy(events, from->events, count * sizeof(*events));
	events[count] = (struct tl_event){ "Idle", "", from->events[0].unit, "" };
	status = tl_profile_make(&s->to, from->format, events, count + 1, from->frequency, err);
	free(events);
	if (status < 0)
		return status;
	s->to->call_count = from->call_count;
	s->to->timed = from->timed;
	s->to->estimated = from->estimated;
	s->to->emulated = from->emulated;
	s->to->durations.exact = from->durations.exact;
	s->to->losses = from->losses;
	return 0;
}

int tl_profile_idle_apart(struct tl_profile **apart, const struct tl_profile *profile,
			  const char *pattern, struct tl_error *err)
{
	struct split s = { .from = profile };
	int status;

	*apart = NULL;
	if (!profile->contexts.table.count && profile->lines.table.count)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the profile has no call stacks to tell waiting from work by");
	status = make_profile(&s, err);
	if (status < 0)
		return status;
	status = take_all(&s, pattern, err);
	free(s.waits);
	free(s.idle);
	free(s.context);
	free(s.cost);
	if (status < 0) {
		tl_profile_free(s.to);
		return status;
	}
	*apart = s.to;
	return 0;
}
