/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some functions of a profile: chosen for tables, or the stacks that go through them as a profile
 * of its own.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "profile/model/model.h"
#include "profile/transform/match.h"

struct filter {
	const struct tl_profile *from;
	struct tl_profile *to;
	bool *wanted;       /* by function: its name and object match */
	bool *ignored;      /* by function; NULL: none is */
	bool *partial;      /* by function: some of its calls are left out */
	uint32_t *function; /* by function: number in the new profile, TL_NONE: not there yet */
	uint32_t *context;
};

/* Clear `wanted` where a pattern does not match. */
static int match(const struct tl_profile *profile, bool *wanted, const char *pattern, bool object,
		 struct tl_error *err)
{
	regex_t regex;
	int bad;

	if (!pattern)
		return 0;
	bad = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (bad == REG_ESPACE)
		return tl_error_memory(err);
	if (bad)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	for (size_t i = 0; i < profile->functions.table.count; i++) {
		const struct tl_function *function = &profile->functions.list[i];

		if (wanted[i])
			wanted[i] = regexec(&regex, object ? function->object : function->name, 0,
					    NULL, 0) == 0;
	}
	regfree(&regex);
	return 0;
}

int tl_profile_match(const struct tl_profile *profile, const struct tl_profile_filter *filter,
		     bool **wanted, struct tl_error *err)
{
	size_t count = profile->functions.table.count;
	int status;

	*wanted = malloc(count + 1);
	if (!*wanted)
		return tl_error_memory(err);
	memset(*wanted, true, count);
	status = match(profile, *wanted, filter->function, false, err);
	if (status != 0)
		return status;
	return match(profile, *wanted, filter->object, true, err);
}

int tl_profile_choose(struct tl_profile *profile, const struct tl_profile_filter *filter,
		      struct tl_error *err)
{
	bool *chosen;
	int status = tl_profile_match(profile, filter, &chosen, err);

	if (status < 0) {
		free(chosen);
		return status;
	}
	free(profile->functions.chosen);
	profile->functions.chosen = chosen;
	return 0;
}

bool tl_profile_chosen(const struct tl_profile *profile, uint32_t function)
{
	return function < profile->functions.table.count &&
	       (!profile->functions.chosen || profile->functions.chosen[function]);
}

/* ---- the narrower profile ---- */

static int64_t take_function(struct filter *f, uint32_t function, struct tl_error *err)
{
	if (f->function[function] == TL_NONE) {
		int64_t number =
			tl_profile_put_function(f->to, &f->from->functions.list[function], err);

		if (number < 0)
			return number;
		f->function[function] = (uint32_t)number;
		/* Which durations are those of the calls that are kept, nobody knows. */
		if (function < f->from->durations.capacity && !f->partial[function] &&
		    !tl_profile_add_latency(f->to, (uint32_t)number, TL_NONE,
					    &f->from->durations.list[function]))
			return tl_error_memory(err);
	}
	return f->function[function];
}

static bool is_ignored(const struct filter *f, uint32_t function)
{
	return f->ignored && f->ignored[function];
}

/*
 * Below a wanted function everything is kept (2), above it the path without its own cost (1). From
 * an ignored function on nothing is (3).
 */
static unsigned char *mark_contexts(const struct filter *f)
{
	size_t count = f->from->contexts.table.count;
	unsigned char *keep = calloc(count + 1, 1);

	for (size_t i = 0; keep && i < count; i++) {
		const struct tl_context *c = &f->from->contexts.list[i];

		if (is_ignored(f, c->function) || (c->parent != TL_NONE && keep[c->parent] == 3))
			keep[i] = 3;
		else if (f->wanted[c->function] || (c->parent != TL_NONE && keep[c->parent] == 2))
			keep[i] = 2;
	}
	for (size_t i = count; keep && i-- > 0;) {
		uint32_t parent = f->from->contexts.list[i].parent;

		if (keep[i] == 3)
			keep[i] = 0;
		else if (keep[i] && parent != TL_NONE && !keep[parent])
			keep[parent] = 1;
	}
	return keep;
}

static int take_context(struct filter *f, size_t i, bool with_cost, struct tl_error *err)
{
	const struct tl_context *c = &f->from->contexts.list[i];
	int64_t function = take_function(f, c->function, err), number;

	if (function < 0)
		return (int)function;
	number = tl_profile_add_context(f->to, tl_profile_renumber(f->context, c->parent),
					(uint32_t)function, c->part, err);
	if (number < 0)
		return (int)number;
	f->context[i] = (uint32_t)number;
	if (with_cost) {
		tl_profile_add_context_cost(f->to, (uint32_t)number, c->calls,
					    tl_profile_context_self(f->from, (uint32_t)i));
		tl_profile_add_unfinished(f->to, (uint32_t)number, c->unfinished);
		tl_profile_add_cut(f->to, (uint32_t)number, c->cut);
	}
	return 0;
}

/* Durations that were kept apart for each part stay so. */
static int take_local_durations(struct filter *f, struct tl_error *err)
{
	for (size_t i = 0; i < f->from->part_functions.table.count; i++) {
		const struct tl_part_function *local = &f->from->part_functions.list[i];
		uint32_t number;

		if (!local->latency.calls || f->function[local->function] == TL_NONE ||
		    f->partial[local->function])
			continue;
		number = tl_profile_part_function(f->to, f->function[local->function], local->part);
		if (number == TL_NONE ||
		    !tl_latency_merge(&f->to->part_functions.list[number].latency, &local->latency,
				      f->to->durations.exact))
			return tl_error_memory(err);
	}
	return 0;
}

static int take_contexts(struct filter *f, struct tl_error *err)
{
	unsigned char *keep = mark_contexts(f);
	int status = tl_error_unless_made(keep, err);

	for (size_t i = 0; status == 0 && i < f->from->contexts.table.count; i++)
		if (keep[i] != 2 && f->from->contexts.list[i].calls)
			f->partial[f->from->contexts.list[i].function] = true;

	for (size_t i = 0; status == 0 && i < f->from->contexts.table.count; i++)
		if (keep[i])
			status = take_context(f, i, keep[i] == 2, err);
	free(keep);
	return status;
}

static int take_sums(struct filter *f, struct tl_error *err)
{
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < f->from->lines.table.count; i++) {
		struct tl_cost_line line = f->from->lines.list[i];
		int64_t function;

		if (!f->wanted[line.function] || is_ignored(f, line.function))
			continue;
		function = take_function(f, line.function, err);
		if (function < 0)
			return (int)function;
		line.function = (uint32_t)function;
		status = tl_profile_put_line(f->to, &line, tl_profile_line_cost(f->from, i), err);
	}
	for (uint32_t i = 0; status == 0 && i < f->from->arcs.table.count; i++) {
		struct tl_arc arc = f->from->arcs.list[i];
		int64_t caller = TL_NONE, callee;

		if (!f->wanted[arc.callee] && (arc.caller == TL_NONE || !f->wanted[arc.caller]))
			continue;
		if (is_ignored(f, arc.callee) ||
		    (arc.caller != TL_NONE && is_ignored(f, arc.caller)))
			continue;
		if (arc.caller != TL_NONE)
			caller = take_function(f, arc.caller, err);
		callee = caller < 0 ? caller : take_function(f, arc.callee, err);
		if (callee < 0)
			return (int)callee;
		arc.caller = (uint32_t)caller;
		arc.callee = (uint32_t)callee;
		status = tl_profile_put_arc(f->to, &arc, tl_profile_arc_cost(f->from, i), err);
	}
	return status;
}

static int match_ignored(struct filter *f, const char *pattern, struct tl_error *err)
{
	const struct tl_profile_filter ignore = { .size = sizeof(ignore), .function = pattern };

	if (!pattern)
		return 0;
	return tl_profile_match(f->from, &ignore, &f->ignored, err);
}

static int take_all(struct filter *f, const struct tl_profile_filter *filter, struct tl_error *err)
{
	const struct tl_profile *from = f->from;
	size_t functions = from->functions.table.count, contexts = from->contexts.table.count;
	int status;

	f->function = malloc((functions + 1) * sizeof(*f->function));
	f->context = malloc((contexts + 1) * sizeof(*f->context));
	f->partial = calloc(functions + 1, sizeof(*f->partial));
	if (!f->function || !f->context || !f->partial)
		return tl_error_memory(err);
	for (size_t i = 0; i < functions; i++)
		f->function[i] = TL_NONE;
	status = tl_profile_match(from, filter, &f->wanted, err);
	if (status == 0)
		status = match_ignored(f, filter->ignore, err);
	for (size_t i = 0; status == 0 && i < from->parts.count; i++) {
		int64_t number = tl_profile_put_part(f->to, &from->parts.list[i], err);

		status = tl_profile_status(number);
	}
	if (status == 0)
		status = contexts ? take_contexts(f, err) : take_sums(f, err);
	if (status == 0)
		status = take_local_durations(f, err);
	if (status != 0)
		return status;
	return tl_profile_finish(f->to, err);
}

int tl_profile_filtered(struct tl_profile **filtered, const struct tl_profile *profile,
			const struct tl_profile_filter *filter, struct tl_error *err)
{
	struct tl_profile_filter taken = { .size = sizeof(taken) };
	struct filter f = { .from = profile };
	int status;

	*filtered = NULL;
	tl_take(&taken, sizeof(taken), filter, filter->size);
	status = tl_profile_make(&f.to, profile->format, profile->events, profile->event_count,
				 profile->frequency, err);
	if (status < 0)
		return status;
	f.to->call_count = profile->call_count;
	f.to->timed = profile->timed;
	f.to->estimated = profile->estimated;
	f.to->emulated = profile->emulated;
	f.to->durations.exact = profile->durations.exact;
	f.to->losses = profile->losses;
	status = take_all(&f, &taken, err);
	free(f.wanted);
	free(f.ignored);
	free(f.partial);
	free(f.function);
	free(f.context);
	if (status < 0) {
		tl_profile_free(f.to);
		return status;
	}
	*filtered = f.to;
	return 0;
}
