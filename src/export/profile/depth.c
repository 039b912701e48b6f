/* SPDX-License-Identifier: Apache-2.0 */
#include "export/profile/depth.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "export/profile/exporters.h"
#include "profile/model/model.h"

enum { DEFAULT_DEPTH = 1000 };

struct cut {
	const struct tl_profile *from;
	struct tl_profile *to;
	uint32_t most, deeper; /* `deeper`: the function that what is too deep is summed in */
	uint32_t *depth;       /* by context, of `from` */
	uint32_t *context;     /* its number in `to` */
};

/* Depths of contexts, parents before children. @return how many are too deep */
static uint64_t measure(const struct cut *cut)
{
	uint64_t too_deep = 0;

	for (size_t i = 0; i < cut->from->contexts.table.count; i++) {
		uint32_t parent = cut->from->contexts.list[i].parent;

		cut->depth[i] = parent == TL_NONE ? 1 : cut->depth[parent] + 1;
		too_deep += cut->depth[i] > cut->most;
	}
	return too_deep;
}

/* Parts and functions have the numbers that they have in the whole profile. */
static int take_parts_and_functions(struct cut *cut, struct tl_error *err)
{
	char name[64];
	struct tl_function deeper = {
		.name = name, .object = "", .file = "", .id = TL_NOWHERE - 1
	};
	int64_t number = 0;

	snprintf(name, sizeof(name), "(deeper than %u frames)", (unsigned)cut->most);
	for (size_t i = 0; number >= 0 && i < cut->from->parts.count; i++)
		number = tl_profile_put_part(cut->to, &cut->from->parts.list[i], err);
	for (size_t i = 0; number >= 0 && i < cut->from->functions.table.count; i++)
		number = tl_profile_put_function(cut->to, &cut->from->functions.list[i], err);
	if (number >= 0)
		number = tl_profile_put_function(cut->to, &deeper, err);
	cut->deeper = (uint32_t)number;
	return tl_profile_status(number);
}

static int64_t place_of(struct cut *cut, size_t i, struct tl_error *err)
{
	const struct tl_context *c = &cut->from->contexts.list[i];
	uint32_t parent = tl_profile_renumber(cut->context, c->parent);

	if (cut->depth[i] > cut->most + 1)
		return parent;
	return tl_profile_context_number(cut->to, parent,
					 cut->depth[i] > cut->most ? cut->deeper : c->function,
					 c->part, err);
}

static int take_contexts(struct cut *cut, struct tl_error *err)
{
	for (size_t i = 0; i < cut->from->contexts.table.count; i++) {
		const struct tl_context *c = &cut->from->contexts.list[i];
		int64_t number = place_of(cut, i, err);

		if (number < 0)
			return (int)number;
		cut->context[i] = (uint32_t)number;
		tl_profile_add_context_cost(cut->to, (uint32_t)number, c->calls,
					    tl_profile_context_self(cut->from, (uint32_t)i));
		tl_profile_add_unfinished(cut->to, (uint32_t)number, c->unfinished);
		tl_profile_add_cut(cut->to, (uint32_t)number, c->cut);
	}
	return 0;
}

static int make(struct cut *cut, struct tl_error *err)
{
	const struct tl_profile *from = cut->from;
	int status = tl_profile_make(&cut->to, from->format, from->events, from->event_count,
				     from->frequency, err);

	if (status < 0)
		return status;
	cut->to->call_count = from->call_count;
	cut->to->timed = from->timed;
	cut->to->estimated = from->estimated;
	cut->to->emulated = from->emulated;
	cut->to->losses = from->losses;
	status = take_parts_and_functions(cut, err);
	if (status == 0)
		status = take_contexts(cut, err);
	if (status != 0)
		return status;
	return tl_profile_finish(cut->to, err);
}

int tl_export_in_depth(const struct tl_profile *profile, const struct tl_export_options *options,
		       struct tl_output *out, tl_export_write_fn *write, struct tl_error *err)
{
	struct tl_export_options filled;
	size_t count = profile->contexts.table.count;
	struct cut cut = { .from = profile };
	uint64_t too_deep;
	int status = tl_export_options(&filled, profile, options, err);

	if (status < 0)
		return status;
	cut.most = filled.most_depth ? filled.most_depth : DEFAULT_DEPTH;
	if (cut.most == UINT32_MAX)
		cut.most--; /* no profile has so many contexts */
	cut.depth = malloc((count + 1) * sizeof(*cut.depth));
	cut.context = malloc((count + 1) * sizeof(*cut.context));
	if (!cut.depth || !cut.context)
		status = tl_error_memory(err);
	too_deep = status == 0 ? measure(&cut) : 0;
	if (too_deep)
		status = make(&cut, err);
	if (too_deep && filled.too_deep)
		*filled.too_deep = too_deep;
	if (status == 0)
		status = write(cut.to ? cut.to : profile, options, out, err);
	tl_profile_free(cut.to);
	free(cut.depth);
	free(cut.context);
	return status;
}
