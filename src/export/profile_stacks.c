/* SPDX-License-Identifier: Apache-2.0 */
#include "export/profile_stacks.h"

#include <inttypes.h>
#include <stdio.h>

const char tl_estimated_text[] = "call paths are estimated: the input has no call stacks, and each "
				 "function's cost was divided among its "
				 "callers as it is in the profile as a whole";

uint32_t tl_stack_count(const struct tl_profile *profile)
{
	uint32_t contexts = tl_profile_context_count(profile);

	if (contexts)
		return contexts;
	return tl_profile_line_count(profile);
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
	const struct tl_part *p;
	uint64_t number = (uint64_t)part + 1;

	if (part >= tl_profile_part_count(profile)) {
		snprintf(title, size, "all");
		return;
	}
	p = tl_profile_part(profile, part);
	if (p->number)
		number = p->number;
	if (p->thread != TL_NOWHERE && *p->command)
		snprintf(title, size, "%s (%" PRIu64 ")", p->command, p->thread);
	else if (p->thread != TL_NOWHERE)
		snprintf(title, size, "thread %" PRIu64, p->thread);
	else if (*p->command)
		snprintf(title, size, "%s", p->command);
	else
		snprintf(title, size, "part %" PRIu64, number);
}
