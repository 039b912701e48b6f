/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that are added to a finished profile: formulas over those it has, of the user's choice or
 * usual ones. Costs are widened by a column, which inherited_events.c fills.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "profile/model/model.h"

/* One term of a usual event: what it is made of, each with its factor. */
struct usual_term {
	const char *factor, *event;
};

enum { MOST_TERMS = 13 };

/* As KCachegrind has them. */
static const struct usual {
	const char *name, *long_name, *formula;
	unsigned least; /* terms that a profile must have */
	struct usual_term terms[MOST_TERMS];
} usuals[] = {
	{ "CEst",
	  "Cycle Estimation",
	  "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm",
	  2, /* instructions alone estimate no cycles */
	  { { "", "Ir" },
	    { "10 ", "Bim" },
	    { "10 ", "Bcm" },
	    { "10 ", "I1mr" },
	    { "10 ", "D1mr" },
	    { "10 ", "D1mw" },
	    { "20 ", "Ge" },
	    { "100 ", "I2mr" },
	    { "100 ", "D2mr" },
	    { "100 ", "D2mw" },
	    { "100 ", "ILmr" },
	    { "100 ", "DLmr" },
	    { "100 ", "DLmw" } } },
	{ "L1m",
	  "L1 Miss Sum",
	  "I1mr + D1mr + D1mw",
	  1,
	  { { "", "I1mr" }, { "", "D1mr" }, { "", "D1mw" } } },
	{ "LLm",
	  "Last-level Miss Sum",
	  "ILmr + DLmr + DLmw",
	  1,
	  { { "", "ILmr" }, { "", "DLmr" }, { "", "DLmw" } } },
	{ "L2m",
	  "L2 Miss Sum",
	  "I2mr + D2mr + D2mw",
	  1,
	  { { "", "I2mr" }, { "", "D2mr" }, { "", "D2mw" } } },
	{ "Bm", "Mispredicted Branches", "Bim + Bcm", 1, { { "", "Bim" }, { "", "Bcm" } } },
};

enum { USUAL_COUNT = sizeof(usuals) / sizeof(usuals[0]), LONGEST_FORMULA = 256 };

static const struct usual *find_usual(const char *name)
{
	for (size_t i = 0; i < USUAL_COUNT; i++)
		if (!strcmp(usuals[i].name, name))
			return &usuals[i];
	return NULL;
}

const char *tl_usual_event(size_t number)
{
	return number < USUAL_COUNT ? usuals[number].name : NULL;
}

const char *tl_usual_formula(const char *name)
{
	const struct usual *usual = name ? find_usual(name) : NULL;

	return usual ? usual->formula : NULL;
}

static int64_t find_event(const struct tl_profile *profile, const char *name)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		if (!strcmp(profile->events[e].name, name))
			return e;
	return -1;
}

/* The terms that the profile has. @return how many */
static unsigned put_terms(const struct tl_profile *profile, const struct usual *usual,
			  char formula[LONGEST_FORMULA])
{
	unsigned count = 0;
	char *end = formula;

	*formula = '\0';
	for (size_t i = 0; i < MOST_TERMS && usual->terms[i].event; i++) {
		if (find_event(profile, usual->terms[i].event) < 0)
			continue;
		end = stpcpy(end, count++ ? " + " : "");
		end = stpcpy(end, usual->terms[i].factor);
		end = stpcpy(end, usual->terms[i].event);
	}
	return count;
}

/* The columns that are there only once sums are derived. */
static bool widen_derived(struct tl_profile *profile, uint32_t events)
{
	struct {
		int64_t **costs;
		size_t count;
	} const tables[] = {
		{ &profile->sums.self, profile->functions.table.count },
		{ &profile->sums.inclusive, profile->functions.table.count },
		{ &profile->contexts.inclusive, profile->contexts.table.count },
		{ &profile->part_functions.inclusive, profile->part_functions.table.count },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct tl_cost_table table = { .count = tables[i].count,
					       .cost_capacity = tables[i].count * events,
					       .cost = *tables[i].costs };

		/* Self costs may be those of the lines, which are widened with the event. */
		if (!table.cost || table.cost == profile->lines.table.cost)
			continue;
		if (!tl_cost_table_widen(&table, events))
			return false;
		*tables[i].costs = table.cost;
	}
	return true;
}

static int64_t add_event(struct tl_profile *profile, const struct tl_event *event,
			 struct tl_error *err)
{
	uint32_t events = profile->event_count;
	bool shared = profile->sums.self == profile->lines.table.cost;
	int64_t number;
	int status = tl_profile_check_formula(profile, event->formula, err);

	if (status < 0)
		return status;
	if (!widen_derived(profile, events))
		return tl_error_memory(err);
	number = tl_profile_add_event(profile, event, err);
	if (shared)
		profile->sums.self = profile->lines.table.cost;
	status = number < 0 ? (int)number : tl_profile_inherit(profile, events, err);
	if (status < 0)
		return status;
	return number;
}

static int64_t add_usual(struct tl_profile *profile, const char *name, struct tl_error *err)
{
	const struct usual *usual = find_usual(name);
	char formula[LONGEST_FORMULA];
	struct tl_event event = { .name = name, .unit = "", .formula = formula };
	int64_t known = find_event(profile, name);

	if (known >= 0)
		return known;
	if (!usual)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "an event to be added is neither NAME=FORMULA nor a usual one");
	if (put_terms(profile, usual, formula) < usual->least)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the input has not counted what the event of --event is made "
				   "of (valgrind: --cache-sim=yes, --branch-sim=yes)");
	event.long_name = usual->long_name;
	return add_event(profile, &event, err);
}

int64_t tl_profile_add_formula(struct tl_profile *profile, const char *text, struct tl_error *err)
{
	const char *equals = strchr(text, '=');
	struct tl_event event = { .long_name = "", .unit = "" };
	int64_t known, number;
	char *name;

	if (!equals)
		return add_usual(profile, text, err);
	if (equals == text)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a formula's event has no name");
	name = strndup(text, (size_t)(equals - text));
	if (!name)
		return tl_error_memory(err);
	event.name = name;
	event.formula = equals + 1;
	known = find_event(profile, name);
	if (known < 0)
		number = add_event(profile, &event, err);
	else if (!strcmp(profile->events[known].formula, event.formula))
		number = known;
	else
		number = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "the input has an event of the formula's name already");
	free(name);
	return number;
}
