/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of lines and parts are checked by the reader while it reads (text/layout.c lists them);
 * rules of the whole profile are checked here.
 */
#include "callgrind/profile/fold.h"
#include "core/error.h"
#include "profile/derive/cycles.h"

struct checking {
	tl_callgrind_violation_fn *fn;
	void *arg;
	int64_t violations; /* of them, those that are damage */
	bool stopped;
};

static int violate(void *arg, enum tl_callgrind_rule rule, uint64_t offset, uint64_t line,
		   uint32_t part)
{
	struct checking *c = arg;
	const struct tl_callgrind_violation violation = {
		.rule = tl_callgrind_rules[rule].id,
		.text = tl_callgrind_rules[rule].text,
		.offset = offset,
		.line = line,
		.part = part,
		.damage = tl_callgrind_rules[rule].damage,
	};

	c->violations += violation.damage;
	c->stopped = c->fn(c->arg, &violation) != 0;
	return c->stopped;
}

static void violate_function(struct checking *c, const struct tl_function *function)
{
	const struct tl_callgrind_rule_row *rule = &tl_callgrind_rules[TL_CALLGRIND_RULE_INCLUSIVE];
	const struct tl_callgrind_violation violation = {
		.rule = rule->id,
		.text = rule->text,
		.offset = TL_NOWHERE,
		.line = TL_NOWHERE,
		.part = TL_NONE,
		.function = function->name,
		.damage = rule->damage,
	};

	c->violations += violation.damage;
	c->stopped = c->fn(c->arg, &violation) != 0;
}

/*
 * Inclusive cost (first event) of the calls into each function from other functions. NULL without
 * memory.
 */
static int64_t *entered_costs(const struct tl_profile *profile)
{
	int64_t *entered = calloc(profile->functions.table.count + 1, sizeof(*entered));
	uint64_t saturated = 0;

	for (size_t i = 0; entered && i < profile->arcs.table.count; i++) {
		const struct tl_arc *arc = &profile->arcs.list[i];

		if (arc->caller != arc->callee)
			tl_add_cost(&entered[arc->callee],
				    profile->arcs.table.cost[i * profile->event_count], &saturated);
	}
	return entered;
}

static bool *called_functions(const struct tl_profile *profile)
{
	bool *called = calloc(profile->functions.table.count + 1, sizeof(*called));

	for (size_t i = 0; called && i < profile->arcs.table.count; i++)
		if (profile->arcs.list[i].caller != profile->arcs.list[i].callee)
			called[profile->arcs.list[i].callee] = true;
	return called;
}

/* The kernel starts a new thread in these functions, so no call line leads to them. */
static bool begins_threads(const struct tl_function *function)
{
	static const char *const names[] = { "clone", "clone3", "__clone", "__clone3",
					     "thread_start" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(function->name, names[i]))
			return true;
	return false;
}

/*
 * The inclusive cost of the calls into a function equals its self cost plus the cost of its
 * callees, unless the writer records only the innermost callers. If the calls into it cost less, a
 * call line is wrong. In a cycle nothing can be checked (rule J).
 */
static int check_inclusive(struct checking *c, const struct tl_profile *profile,
			   struct tl_error *err)
{
	struct tl_cycles cycles = { 0 };
	int64_t *entered = entered_costs(profile);
	bool *called = called_functions(profile);
	bool ok = entered && called && tl_cycles_find(&cycles, profile);

	for (size_t f = 0; ok && !c->stopped && f < profile->functions.table.count; f++)
		if (called[f] && cycles.size[cycles.of[f]] == 1 &&
		    !begins_threads(&profile->functions.list[f]) &&
		    entered[f] < profile->sums.inclusive[f * profile->event_count])
			violate_function(c, &profile->functions.list[f]);
	tl_cycles_free(&cycles);
	free(entered);
	free(called);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

int64_t tl_callgrind_check(struct tl_callgrind_reader *reader, tl_callgrind_violation_fn *fn,
			   void *arg, struct tl_error *err)
{
	struct checking c = { .fn = fn, .arg = arg };
	struct tl_callgrind_fold_options options = {
		.size = sizeof(options),
		.part = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.detail = TL_CALLGRIND_FUNCTIONS,
	};
	struct tl_profile *profile;
	bool strict = reader->options.strict;
	int status;

	reader->observer.fn = violate;
	reader->observer.arg = &c;
	reader->options.strict = false;
	status = tl_callgrind_fold(&reader, 1, &options, &profile, err);
	if (status == 0 && !reader->seen.cut_stacks)
		status = check_inclusive(&c, profile, err);
	reader->observer.fn = NULL;
	reader->options.strict = strict;
	tl_profile_free(profile);
	return status < 0 && !c.stopped ? status : c.violations;
}
