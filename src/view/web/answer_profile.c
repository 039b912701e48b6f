/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile in columns: what the tables and the pictures of callers are made of. Functions and
 * calls that cost least are left out where there are too many for a page, which is said. A table
 * has no calls between functions: to sum them takes most of the time where there are many.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "view/rows/heaviest.h"
#include "view/web/answer.h"

enum { MOST_FUNCTIONS = 50000, MOST_ARCS = 100000 };

/* The functions and calls that are shown. */
struct chosen {
	const struct tl_profile *profile;
	struct tl_view_row *functions, *arcs; /* arcs NULL: only functions are wanted */
	struct named {
		const struct tl_function *function;
		struct tl_function_totals totals;
		struct tl_latency latency;
		bool timed; /* it has durations */
	} *named;           /* functions[] */
	struct called {
		int64_t caller, callee; /* places of functions in the answer; -1: none */
		uint64_t calls;
		const int64_t *cost;
	} *called; /* arcs[] */
	uint32_t function_count, arc_count;
	uint32_t *place; /* by function: its place in the answer, TL_NONE: it is left out */
	uint32_t functions_left, arcs_left;
};

/* The size of the cost of the first event, if there is one. */
static uint64_t weight_of(const struct tl_profile *profile, const int64_t *costs)
{
	if (!tl_profile_event_count(profile))
		return 0;
	return costs[0] < 0 ? 0 - (uint64_t)costs[0] : (uint64_t)costs[0];
}

static struct tl_function_totals totals_of(const struct tl_profile *profile, uint32_t function)
{
	struct tl_function_totals totals;

	tl_profile_function_totals(profile, function, TL_NONE, &totals, sizeof(totals));
	return totals;
}

/* As in the table of `report`: what was never called and has no cost has no row. */
static bool has_row(const struct tl_profile *profile, const struct tl_function_totals *totals)
{
	bool any = totals->calls || totals->unfinished;

	for (uint32_t e = 0; !any && e < tl_profile_event_count(profile); e++)
		any = totals->self[e] || totals->inclusive[e];
	return any;
}

/* In the order of the profile: what is waited for is memory. */
static bool name_functions(struct chosen *c)
{
	c->named = malloc(((size_t)c->function_count + 1) * sizeof(*c->named));
	if (!c->named)
		return false;
	for (uint32_t i = 0; i < c->function_count; i++)
		c->place[c->functions[i].number] = i;
	for (uint32_t i = 0; i < tl_profile_function_count(c->profile); i++) {
		struct named *named;

		if (c->place[i] == TL_NONE)
			continue;
		named = &c->named[c->place[i]];
		named->function = tl_profile_function(c->profile, i);
		named->totals = totals_of(c->profile, i);
		named->timed = tl_profile_latency(c->profile, i, TL_NONE, &named->latency,
						  sizeof(named->latency));
	}
	return true;
}

static bool choose_functions(struct chosen *c)
{
	uint32_t all = tl_profile_function_count(c->profile), count = 0;
	size_t shown;

	c->functions = malloc(((size_t)all + 1) * sizeof(*c->functions));
	c->place = malloc(((size_t)all + 1) * sizeof(*c->place));
	if (!c->functions || !c->place)
		return false;
	for (uint32_t i = 0; i < all; i++) {
		struct tl_function_totals totals = totals_of(c->profile, i);

		c->place[i] = TL_NONE;
		if (has_row(c->profile, &totals))
			c->functions[count++] =
				(struct tl_view_row){ weight_of(c->profile, totals.inclusive), i };
	}
	shown = tl_view_heaviest(c->functions, count, MOST_FUNCTIONS);
	if (shown == SIZE_MAX)
		return false;
	c->function_count = (uint32_t)shown;
	c->functions_left = count - c->function_count;
	return name_functions(c);
}

static bool is_shown(const struct chosen *c, const struct tl_arc *arc)
{
	return c->place[arc->callee] != TL_NONE &&
	       (arc->caller == TL_NONE || c->place[arc->caller] != TL_NONE);
}

static int64_t place_of(const struct chosen *c, uint32_t function)
{
	return function == TL_NONE ? -1 : (int64_t)c->place[function];
}

static bool choose_arcs(struct chosen *c)
{
	uint32_t all = tl_profile_arc_count(c->profile), count = 0;
	size_t shown;

	c->arcs = malloc(((size_t)all + 1) * sizeof(*c->arcs));
	if (!c->arcs)
		return false;
	for (uint32_t i = 0; i < all; i++)
		if (is_shown(c, tl_profile_arc(c->profile, i)))
			c->arcs[count++] = (struct tl_view_row){
				weight_of(c->profile, tl_profile_arc_cost(c->profile, i)), i
			};
	shown = tl_view_heaviest(c->arcs, count, MOST_ARCS);
	if (shown == SIZE_MAX)
		return false;
	c->arc_count = (uint32_t)shown;
	c->arcs_left = all - c->arc_count;
	c->called = malloc((shown + 1) * sizeof(*c->called));
	for (uint32_t i = 0; c->called && i < c->arc_count; i++) {
		uint32_t number = c->arcs[i].number;
		const struct tl_arc *arc = tl_profile_arc(c->profile, number);

		c->called[i] =
			(struct called){ place_of(c, arc->caller), place_of(c, arc->callee),
					 arc->calls, tl_profile_arc_cost(c->profile, number) };
	}
	return c->called != NULL;
}

static void free_chosen(struct chosen *c)
{
	free(c->functions);
	free(c->arcs);
	free(c->place);
	free(c->named);
	free(c->called);
}

/* ---- columns ---- */

static void comma(struct tl_output *out, uint32_t i)
{
	if (i)
		tl_put_char(out, ',');
}

static void put_names(struct tl_output *out, const struct chosen *c)
{
	static const char *const titles[] = { "\"name\":[", "],\"object\":[", "],\"file\":[" };

	for (unsigned column = 0; column < 3; column++) {
		tl_put_text(out, titles[column]);
		for (uint32_t i = 0; i < c->function_count; i++) {
			const struct tl_function *f = c->named[i].function;
			const char *const texts[] = { f->name, f->object, f->file };

			comma(out, i);
			tl_put_json(out, texts[column], strlen(texts[column]));
		}
	}
	tl_put_text(out, "],\"line\":[");
	for (uint32_t i = 0; i < c->function_count; i++) {
		comma(out, i);
		tl_put_u64(out, c->named[i].function->line);
	}
}

static void put_costs(struct tl_output *out, const struct chosen *c, bool inclusive)
{
	uint32_t events = tl_profile_event_count(c->profile);

	for (uint32_t e = 0; e < events; e++) {
		tl_put_text(out, e ? "],[" : "[");
		for (uint32_t i = 0; i < c->function_count; i++) {
			const struct tl_function_totals *totals = &c->named[i].totals;

			comma(out, i);
			tl_put_i64(out, inclusive ? totals->inclusive[e] : totals->self[e]);
		}
	}
	tl_put_text(out, events ? "]]" : "]");
}

enum count_column { CALLS, UNFINISHED, CUT };

static void put_counts(struct tl_output *out, const struct chosen *c, enum count_column column)
{
	for (uint32_t i = 0; i < c->function_count; i++) {
		const struct tl_function_totals *totals = &c->named[i].totals;
		const uint64_t numbers[] = { totals->calls, totals->unfinished, totals->cut };

		comma(out, i);
		tl_put_u64(out, numbers[column]);
	}
}

/* Durations: [calls, min, median, p90, p99, max, sum, exact], or null. */
static void put_durations(struct tl_output *out, const struct chosen *c)
{
	for (uint32_t i = 0; i < c->function_count; i++) {
		const struct tl_latency *l = &c->named[i].latency;

		comma(out, i);
		if (!c->named[i].timed) {
			tl_put_text(out, "null");
			continue;
		}
		tl_put_char(out, '[');
		const uint64_t numbers[] = { l->calls, l->min, l->median, l->p90,
					     l->p99,   l->max, l->sum,    l->exact };

		for (unsigned n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
			comma(out, n);
			tl_put_u64(out, numbers[n]);
		}
		tl_put_char(out, ']');
	}
}

static void put_functions(struct tl_output *out, const struct chosen *c)
{
	tl_put_text(out, ",\n\"functions\":{");
	put_names(out, c);
	tl_put_text(out, "],\"self\":[");
	put_costs(out, c, false);
	tl_put_text(out, ",\"inclusive\":[");
	put_costs(out, c, true);
	tl_put_text(out, ",\"calls\":[");
	put_counts(out, c, CALLS);
	tl_put_text(out, "],\"unfinished\":[");
	put_counts(out, c, UNFINISHED);
	tl_put_text(out, "],\"cut\":[");
	put_counts(out, c, CUT);
	tl_put_text(out, "],\"durations\":[");
	put_durations(out, c);
	tl_put_text(out, "]}");
}

static void put_arcs(struct tl_output *out, const struct chosen *c)
{
	uint32_t events = tl_profile_event_count(c->profile);

	tl_put_text(out, ",\n\"arcs\":{\"caller\":[");
	for (uint32_t i = 0; i < c->arc_count; i++) {
		comma(out, i);
		tl_put_i64(out, c->called[i].caller);
	}
	tl_put_text(out, "],\"callee\":[");
	for (uint32_t i = 0; i < c->arc_count; i++) {
		comma(out, i);
		tl_put_i64(out, c->called[i].callee);
	}
	tl_put_text(out, "],\"calls\":[");
	for (uint32_t i = 0; i < c->arc_count; i++) {
		comma(out, i);
		tl_put_u64(out, c->called[i].calls);
	}
	tl_put_text(out, "],\"inclusive\":[");
	for (uint32_t e = 0; e < events; e++) {
		tl_put_text(out, e ? "],[" : "[");
		for (uint32_t i = 0; i < c->arc_count; i++) {
			comma(out, i);
			tl_put_i64(out, c->called[i].cost[e]);
		}
	}
	tl_put_text(out, events ? "]]}" : "]}");
}

/* ---- the head ---- */

static void put_events(struct tl_output *out, const struct tl_profile *profile)
{
	uint32_t events = tl_profile_event_count(profile);

	tl_put_text(out, ",\"events\":[");
	for (uint32_t e = 0; e < events; e++) {
		const struct tl_event *event = tl_profile_event(profile, e);

		tl_web_put_text(out, e ? ",{\"name\":" : "{\"name\":", event->name);
		tl_web_put_text(out, ",\"long\":", event->long_name);
		tl_web_put_text(out, ",\"unit\":", event->unit);
		tl_put_text(out, ",\"total\":");
		tl_put_i64(out, tl_profile_total(profile)[e]);
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

static void put_losses(struct tl_output *out, const struct tl_profile *profile)
{
	struct tl_losses l;

	tl_profile_losses(profile, &l, sizeof(l));
	const struct {
		const char *name;
		uint64_t count;
	} rows[] = {
		{ "{\"orphan_exits\":", l.orphan_exits },
		{ ",\"deduced_exits\":", l.deduced_exits },
		{ ",\"unfinished\":", l.unfinished },
		{ ",\"time_reversals\":", l.time_reversals },
		{ ",\"gaps\":", l.gaps },
		{ ",\"skipped_bytes\":", l.skipped_bytes },
		{ ",\"skipped_records\":", l.skipped_records },
		{ ",\"saturated\":", l.saturated },
		{ ",\"left_calls\":", l.left_calls },
		{ ",\"gap_ends\":", l.gap_ends },
		{ ",\"bridged\":", l.bridged },
		{ ",\"uncertain\":", l.uncertain },
	};

	tl_put_text(out, ",\"losses\":");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tl_web_put_number(out, rows[i].name, rows[i].count);
	tl_put_char(out, '}');
}

static void put_profile(struct tl_output *out, const struct chosen *c)
{
	tl_web_put_text(out, "{\"format\":", tl_profile_format(c->profile));
	tl_web_put_number(out, ",\"frequency\":", tl_profile_frequency(c->profile));
	tl_put_text(out, tl_profile_timed(c->profile) ? ",\"timed\":true" : ",\"timed\":false");
	tl_put_text(out, tl_profile_estimated(c->profile) ? ",\"estimated\":true"
							  : ",\"estimated\":false");
	tl_put_text(out,
		    tl_profile_emulated(c->profile) ? ",\"emulated\":true" : ",\"emulated\":false");
	tl_web_put_number(out, ",\"first_event\":", tl_profile_shown_event(c->profile, 0));
	tl_web_put_number(out, ",\"parts\":", tl_profile_part_count(c->profile));
	tl_web_put_number(out, ",\"functions_left_out\":", c->functions_left);
	tl_web_put_number(out, ",\"arcs_left_out\":", c->arcs_left);
	put_events(out, c->profile);
	put_losses(out, c->profile);
	put_functions(out, c);
	if (c->arcs)
		put_arcs(out, c);
	else
		tl_put_text(out, ",\n\"arcs\":null");
	tl_put_text(out, "}\n");
}

int tl_web_answer_profile(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_window window = tl_web_asked_window(question);
	struct tl_web_profile *profile;
	struct chosen chosen = { 0 };
	const bool table = question->request->table;
	int status = tl_web_profile_get(question->document, question->asker, &window,
					table ? TL_DETAIL_TABLE : TL_DETAIL_GRAPH, &profile, err);

	if (status < 0)
		return status;
	chosen.profile = profile->profile;
	if (choose_functions(&chosen) && (table || choose_arcs(&chosen)))
		put_profile(question->out, &chosen);
	else
		status = tl_error_memory(err);
	free_chosen(&chosen);
	tl_web_profile_put(question->document, profile);
	return status;
}
