/* SPDX-License-Identifier: Apache-2.0 */
/* Costs, calls and jumps sorted by place, and the choice of files or functions to show. */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "report/annotate/annotation.h"

/*
 * By default, text shows the files with this share of the cost in percent, as callgrind_annotate.
 */
static const double text_share = 99;

/* ---- collection ---- */

static bool add_note(struct tl_annotation *a, enum tl_note_kind kind, uint32_t number,
		     uint32_t function, const struct tl_position *at)
{
	const struct tl_profile *profile = a->view.profile;
	struct tl_note note = { .file = "", .function = TL_NONE, .kind = kind, .number = number };

	if (function == TL_NONE || !tl_profile_chosen(profile, function))
		return true;
	if (a->what.assembly) {
		note.function = function;
		note.at = at->address;
	} else {
		note.file = at->file;
		note.at = at->line;
	}
	if (!a->what.assembly && !*at->file)
		note.file = tl_profile_function(profile, function)->file;
	if (!tl_grow(&a->notes, &a->capacity, a->count + 1, sizeof(note)))
		return false;
	a->notes[a->count++] = note;
	return true;
}

static bool any_cost(const struct tl_view *view, const int64_t *cost)
{
	for (uint32_t i = 0; i < view->event_count; i++)
		if (cost[view->events[i]])
			return true;
	return false;
}

static bool add_notes(struct tl_annotation *a)
{
	const struct tl_profile *profile = a->view.profile;
	uint32_t lines = tl_profile_line_count(profile), arcs = tl_profile_arc_count(profile);
	uint32_t jumps = tl_profile_jump_count(profile);
	bool ok = true;

	for (uint32_t i = 0; ok && i < lines; i++) {
		const struct tl_cost_line *line = tl_profile_line(profile, i);

		if (any_cost(&a->view, tl_profile_line_cost(profile, i)))
			ok = add_note(a, TL_NOTE_SELF, i, line->function, &line->at);
	}
	for (uint32_t i = 0; ok && i < arcs; i++)
		ok = add_note(a, TL_NOTE_CALL, i, tl_profile_arc(profile, i)->caller,
			      &tl_profile_arc(profile, i)->from);
	for (uint32_t i = 0; ok && i < jumps; i++)
		ok = add_note(a, TL_NOTE_JUMP, i, tl_profile_jump(profile, i)->function,
			      &tl_profile_jump(profile, i)->from);
	return ok;
}

/* ---- order ---- */

static int compare_group(const struct tl_note *a, const struct tl_note *b)
{
	int order = 0;

	if (a->file != b->file)
		order = strcmp(a->file, b->file);
	if (!order)
		order = tl_compare(a->function, b->function);
	return order;
}

static int compare_targets(const struct tl_profile *profile, const struct tl_note *a,
			   const struct tl_note *b)
{
	const struct tl_jump *x = tl_profile_jump(profile, a->number),
			     *y = tl_profile_jump(profile, b->number);
	int order = tl_compare(x->target, y->target);

	if (!order)
		order = strcmp(x->to.file, y->to.file);
	if (!order)
		order = tl_compare(x->to.line, y->to.line);
	if (!order)
		order = tl_compare(x->to.address, y->to.address);
	if (!order)
		order = tl_compare(x->conditional, y->conditional);
	return order;
}

/* 0: they are parts of the same remark. */
static int compare_remarks(const struct tl_profile *profile, const struct tl_note *a,
			   const struct tl_note *b)
{
	int order = compare_group(a, b);

	if (!order)
		order = tl_compare(a->at, b->at);
	if (!order)
		order = tl_compare(a->kind, b->kind);
	if (!order && a->kind == TL_NOTE_CALL)
		order = tl_compare(tl_profile_arc(profile, a->number)->callee,
				   tl_profile_arc(profile, b->number)->callee);
	if (!order && a->kind == TL_NOTE_JUMP)
		order = compare_targets(profile, a, b);
	return order;
}

static int compare_notes(const void *left, const void *right, void *context)
{
	const struct tl_note *a = left, *b = right;
	int order = compare_remarks(context, a, b);

	if (!order)
		order = tl_compare(a->number, b->number);
	return order;
}

/* ---- groups ---- */

static bool add_group(struct tl_annotation *a, size_t first, size_t end)
{
	uint32_t events = tl_profile_event_count(a->view.profile);
	struct tl_note_group group = { .first = first, .end = end, .cost = a->group_count };
	int64_t *sum;

	if (!tl_grow(&a->groups, &a->group_capacity, a->group_count + 1, sizeof(group)) ||
	    !tl_grow(&a->costs, &a->cost_capacity, (a->group_count + 1) * events,
		     sizeof(*a->costs)))
		return false;
	a->groups[a->group_count++] = group;
	sum = tl_group_cost(a, &group);
	memset(sum, 0, events * sizeof(*sum));
	for (size_t i = first; i < end; i++) {
		if (a->notes[i].kind != TL_NOTE_SELF)
			continue;
		const int64_t *cost = tl_profile_line_cost(a->view.profile, a->notes[i].number);

		for (uint32_t e = 0; e < events; e++)
			sum[e] = tl_sum_saturating(sum[e], cost[e]);
	}
	return true;
}

static int compare_weights(const void *left, const void *right, void *context)
{
	const struct tl_annotation *a = context;
	const struct tl_note_group *x = left, *y = right;
	int64_t p = tl_group_cost(a, x)[a->view.events[0]],
		q = tl_group_cost(a, y)[a->view.events[0]];

	if (p != q)
		return tl_compare(q, p);
	return tl_compare(x->first, y->first);
}

static bool make_groups(struct tl_annotation *a)
{
	for (size_t at = 0, end; at < a->count; at = end) {
		for (end = at + 1;
		     end < a->count && compare_group(&a->notes[at], &a->notes[end]) == 0; end++)
			;
		if (!add_group(a, at, end))
			return false;
	}
	if (a->group_count)
		qsort_r(a->groups, a->group_count, sizeof(*a->groups), compare_weights, a);
	return true;
}

/* ---- choice of groups ---- */

static bool is_named(const struct tl_annotation *a, const struct tl_note_group *group)
{
	if (!a->what.assembly)
		return *tl_group_note(a, group)->file != '\0';
	/* Sorted: the last of them has the greatest address. */
	return a->notes[group->end - 1].at != 0;
}

static bool is_wanted(const struct tl_annotation *a, const struct tl_note_group *group,
		      const regex_t *pattern)
{
	const struct tl_note *note = tl_group_note(a, group);
	const char *file = note->file;

	if (a->what.assembly)
		file = tl_profile_function(a->view.profile, note->function)->file;
	return !pattern || regexec(pattern, file, 0, NULL, 0) == 0;
}

/* Heaviest first, until their sum reaches the threshold; without any cost, all are shown. */
static void choose_groups(struct tl_annotation *a, const regex_t *pattern)
{
	double total = fabs((double)tl_view_total(&a->view)),
	       enough = total * a->what.threshold / 100, shown = 0;
	bool all = a->what.threshold >= 100 || !(total > 0);

	for (size_t i = 0; i < a->group_count; i++) {
		struct tl_note_group *group = &a->groups[i];
		double cost = (double)tl_group_cost(a, group)[a->view.events[0]];

		if (!is_named(a, group))
			group->outcome = TL_GROUP_WITHOUT_PLACE;
		else if (!is_wanted(a, group, pattern))
			group->outcome = TL_GROUP_NOT_CHOSEN;
		else if (!all && shown >= enough)
			group->outcome = TL_GROUP_BELOW_THRESHOLD;
		if (group->outcome == TL_GROUP_SHOWN || group->outcome == TL_GROUP_WITHOUT_PLACE)
			shown += cost;
	}
}

static int choose(struct tl_annotation *a, struct tl_error *err)
{
	regex_t pattern;
	int bad = 0;

	if (a->what.file)
		bad = regcomp(&pattern, a->what.file, REG_EXTENDED | REG_NOSUB);
	if (bad == REG_ESPACE)
		return tl_error_memory(err);
	if (bad)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	choose_groups(a, a->what.file ? &pattern : NULL);
	if (a->what.file)
		regfree(&pattern);
	return 0;
}

int tl_notes_collect(struct tl_annotation *a, struct tl_error *err)
{
	const struct tl_profile *profile = a->view.profile;

	/* CSV and JSON are complete; so are files that were chosen by name. */
	if (a->what.threshold < 0 || isnan(a->what.threshold)) {
		a->what.threshold = 100;
		if (a->view.options.form == TL_REPORT_TEXT && !a->what.file)
			a->what.threshold = text_share;
	}
	a->row = malloc(tl_profile_event_count(profile) * sizeof(*a->row));
	if (!a->row || !add_notes(a))
		return tl_error_memory(err);
	if (a->count)
		qsort_r(a->notes, a->count, sizeof(*a->notes), compare_notes,
			(void *)(uintptr_t)profile);
	if (!make_groups(a))
		return tl_error_memory(err);
	return choose(a, err);
}

void tl_notes_free(struct tl_annotation *a)
{
	free(a->notes);
	free(a->groups);
	free(a->costs);
	free(a->row);
}

/* ---- remarks ---- */

static void add_to_remark(const struct tl_annotation *a, const struct tl_note *note,
			  struct tl_remark *remark)
{
	const struct tl_profile *profile = a->view.profile;
	const int64_t *cost = NULL;

	if (note->kind == TL_NOTE_SELF) {
		cost = tl_profile_line_cost(profile, note->number);
	} else if (note->kind == TL_NOTE_CALL) {
		cost = tl_profile_arc_cost(profile, note->number);
		remark->count += tl_profile_arc(profile, note->number)->calls;
	} else {
		remark->count += tl_profile_jump(profile, note->number)->executed;
		remark->taken += tl_profile_jump(profile, note->number)->taken;
	}
	for (uint32_t e = 0; cost && e < tl_profile_event_count(profile); e++)
		a->row[e] = tl_sum_saturating(a->row[e], cost[e]);
}

size_t tl_remark_take(const struct tl_annotation *a, const struct tl_note_group *group, size_t at,
		      struct tl_remark *remark)
{
	const struct tl_profile *profile = a->view.profile;
	const struct tl_note *note = &a->notes[at];
	size_t end = at;

	*remark = (struct tl_remark){
		.kind = note->kind, .at = note->at, .cost = a->row, .function = TL_NONE
	};
	memset(a->row, 0, tl_profile_event_count(profile) * sizeof(*a->row));
	if (note->kind == TL_NOTE_CALL) {
		remark->function = tl_profile_arc(profile, note->number)->callee;
	} else if (note->kind == TL_NOTE_JUMP) {
		const struct tl_jump *jump = tl_profile_jump(profile, note->number);

		remark->function = jump->target;
		remark->to = jump->to;
		remark->conditional = jump->conditional;
	}
	for (;
	     end < group->end && (end == at || compare_remarks(profile, note, &a->notes[end]) == 0);
	     end++)
		add_to_remark(a, &a->notes[end], remark);
	return end;
}
