/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <tracelathe/profile.h> that take the size of a struct (docs/abi.md). */
#include "core/sized.h"

#include <stdlib.h>

#include "core/error.h"
#include "profile/model/unsized.h"

/* ---- reading ---- */

int tl_profile_function_totals(const struct tl_profile *profile, uint32_t function, uint32_t part,
			       struct tl_function_totals *totals, size_t size)
{
	struct tl_function_totals ours;

	tl_profile_totals_of(profile, function, part, &ours);
	return tl_give(totals, size, sizeof(ours), &ours, sizeof(ours));
}

bool tl_profile_latency(const struct tl_profile *profile, uint32_t function, uint32_t part,
			struct tl_latency *latency, size_t size)
{
	struct tl_latency ours;

	return tl_profile_latency_of(profile, function, part, &ours) &&
	       tl_give(latency, size, sizeof(ours), &ours, sizeof(ours)) == 0;
}

int tl_profile_losses(const struct tl_profile *profile, struct tl_losses *losses, size_t size)
{
	struct tl_losses ours = tl_profile_losses_of(profile);

	return tl_give(losses, size, sizeof(ours), &ours, sizeof(ours));
}

/* ---- building ---- */

int tl_profile_new(struct tl_profile **profile, const char *format, const struct tl_event *events,
		   size_t event_size, uint32_t event_count, uint64_t frequency,
		   struct tl_error *err)
{
	struct tl_event *ours = calloc((size_t)event_count + 1, sizeof(*ours));
	int status;

	*profile = NULL;
	if (!ours)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < event_count; i++)
		tl_take(&ours[i], sizeof(*ours), (const char *)events + i * event_size, event_size);
	status = tl_profile_make(profile, format, ours, event_count, frequency, err);
	free(ours);
	return status;
}

int64_t tl_profile_add_part(struct tl_profile *profile, const struct tl_part *part, size_t size,
			    struct tl_error *err)
{
	struct tl_part ours;

	tl_take(&ours, sizeof(ours), part, size);
	return tl_profile_put_part(profile, &ours, err);
}

int64_t tl_profile_add_function(struct tl_profile *profile, const struct tl_function *function,
				size_t size, struct tl_error *err)
{
	struct tl_function ours;

	tl_take(&ours, sizeof(ours), function, size);
	return tl_profile_put_function(profile, &ours, err);
}

int tl_profile_add_line(struct tl_profile *profile, const struct tl_cost_line *line, size_t size,
			const int64_t *cost, struct tl_error *err)
{
	struct tl_cost_line ours;

	tl_take(&ours, sizeof(ours), line, size);
	return tl_profile_put_line(profile, &ours, cost, err);
}

int tl_profile_add_arc(struct tl_profile *profile, const struct tl_arc *arc, size_t size,
		       const int64_t *inclusive, struct tl_error *err)
{
	struct tl_arc ours;

	tl_take(&ours, sizeof(ours), arc, size);
	return tl_profile_put_arc(profile, &ours, inclusive, err);
}

int tl_profile_add_jump(struct tl_profile *profile, const struct tl_jump *jump, size_t size,
			struct tl_error *err)
{
	struct tl_jump ours;

	tl_take(&ours, sizeof(ours), jump, size);
	return tl_profile_put_jump(profile, &ours, err);
}
