/* SPDX-License-Identifier: Apache-2.0 */
/* What several exporters need: stacks, groups, titles, conversion of time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "export/export.h"

int tl_export_options(struct tl_export_options *filled, const struct tl_profile *profile,
		      const struct tl_export_options *options, struct tl_error *err)
{
	*filled = options ? *options : (struct tl_export_options){ .size = sizeof(*filled) };
	if (filled->event && filled->event >= tl_profile_event_count(profile))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such event in this profile");
	return 0;
}

const char tl_estimated_text[] = "call paths are estimated: the input has no call stacks, and each "
				 "function's cost was divided among its "
				 "callers as it is in the profile as a whole";

uint32_t tl_stack_count(const struct tl_profile *profile)
{
	uint32_t contexts = tl_profile_context_count(profile);

	return contexts ? contexts : tl_profile_line_count(profile);
}

struct tl_stack tl_stack_at(const struct tl_profile *profile, uint32_t stack)
{
	if (tl_profile_context_count(profile)) {
		const struct tl_context *c = tl_profile_context(profile, stack);

		return (struct tl_stack){ .parent = c->parent,
					  .function = c->function,
					  .part = c->part,
					  .calls = c->calls,
					  .self = tl_profile_context_self(profile, stack) };
	}

	const struct tl_cost_line *line = tl_profile_line(profile, stack);

	return (struct tl_stack){ .parent = TL_NONE,
				  .function = line->function,
				  .part = line->part,
				  .self = tl_profile_line_cost(profile, stack) };
}

void tl_part_title(const struct tl_profile *profile, uint32_t part, char *title, size_t size)
{
	const struct tl_part *p =
		part < tl_profile_part_count(profile) ? tl_profile_part(profile, part) : NULL;

	if (!p)
		snprintf(title, size, "all");
	else if (p->thread != TL_NOWHERE && *p->command)
		snprintf(title, size, "%s (%" PRIu64 ")", p->command, p->thread);
	else if (p->thread != TL_NOWHERE)
		snprintf(title, size, "thread %" PRIu64, p->thread);
	else if (*p->command)
		snprintf(title, size, "%s", p->command);
	else
		snprintf(title, size, "part %" PRIu64, p->number ? p->number : (uint64_t)part + 1);
}

bool tl_groups_make(struct tl_groups *groups, uint32_t count, uint32_t keys, tl_group_key_fn *key,
		    const void *context)
{
	uint32_t *next;

	groups->start = calloc((size_t)keys + 2, sizeof(*groups->start));
	groups->order = malloc(((size_t)count + 1) * sizeof(*groups->order));
	if (!groups->start || !groups->order)
		return false;
	/*
	 * Counted two places up, summed one place up: filling then moves each start to where it
	 * belongs.
	 */
	next = groups->start + 1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = key(context, i);

		if (k < keys)
			groups->start[(size_t)k + 2]++;
	}
	for (size_t k = 2; k <= keys; k++)
		groups->start[k] += groups->start[k - 1];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = key(context, i);

		if (k < keys)
			groups->order[next[k]++] = i;
	}
	return true;
}

void tl_groups_free(struct tl_groups *groups)
{
	free(groups->start);
	free(groups->order);
}

uint64_t tl_event_frequency(const struct tl_profile *profile, uint32_t event)
{
	return strcmp(tl_profile_event(profile, event)->unit, "ticks")
		       ? 0
		       : tl_profile_frequency(profile);
}

int64_t tl_carry_ns(struct tl_ns_carry *carry, int64_t ticks)
{
	__int128 whole, ns;

	if (!carry->frequency)
		return ticks;
	whole = (__int128)ticks * 1000000000 + carry->rest;
	ns = whole / (__int128)carry->frequency;
	carry->rest = whole - ns * (__int128)carry->frequency;
	return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}
