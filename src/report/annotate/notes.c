/* SPDX-License-Identifier: Apache-2.0 */
/* Costs, calls and jumps sorted by place, and the choice of files or functions to show. */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "profile/model/model.h"
#include "report/annotate/annotation.h"

/*
 * By default, text shows the files with this share of the cost in percent, as callgrind_annotate.
 */
static const double text_share = 99;

/* ---- collection ---- */

static bool add_note(struct tl_annotation *a, enum tl_note_kind kind, uint32_t number,
		     uint32_t function, const struct tl_position *at)
{
	if (function == TL_NONE || !tl_profile_chosen(a->view.profile, function))
		return true;
	return tl_note_add(a, &(struct tl_note){
				      .owner = tl_note_owner_of(a, function, at->file),
				      .at = tl_note_place(a, at->address, at->line),
				      .kind = kind,
				      .number = number,
			      });
}

static bool add_notes(struct tl_annotation *a)
{
	const struct tl_profile *profile = a->view.profile;
	uint32_t lines = tl_profile_line_count(profile), arcs = tl_profile_arc_count(profile);
	uint32_t jumps = tl_profile_jump_count(profile);
	bool ok = true;

	for (uint32_t i = 0; ok && i < lines; i++) {
		const struct tl_cost_line *line = tl_profile_line(profile, i);

		if (tl_note_any_cost(&a->view, tl_profile_line_cost(profile, i)))
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

static int compare_owners(const struct tl_note_owner *a, const struct tl_note_owner *b)
{
	int order = 0;

	if (a->file != b->file)
		order = strcmp(a->file, b->file);
	if (!order)
		order = tl_compare(a->function, b->function);
	return order;
}

static bool is_packed(const struct tl_annotation *a)
{
	return a->view.profile->pack != NULL;
}

static uint32_t callee_of(const struct tl_annotation *a, const struct tl_note *note)
{
	if (is_packed(a))
		return a->packed.items[note->number].target;
	return tl_profile_arc(a->view.profile, note->number)->callee;
}

static struct tl_jump jump_of(const struct tl_annotation *a, const struct tl_note *note)
{
	if (is_packed(a))
		return tl_packed_notes_jump(a, note->number);
	return *tl_profile_jump(a->view.profile, note->number);
}

/* Notes of one owner. 0: they are parts of the same remark. */
static int compare_remarks(const struct tl_annotation *a, const struct tl_note *first,
			   const struct tl_note *second)
{
	int order = tl_compare(first->at, second->at);

	if (!order)
		order = tl_compare(first->kind, second->kind);
	if (!order && first->kind == TL_NOTE_CALL)
		order = tl_compare(callee_of(a, first), callee_of(a, second));
	if (!order && first->kind == TL_NOTE_JUMP) {
		const struct tl_jump x = jump_of(a, first), y = jump_of(a, second);

		order = tl_note_compare_jumps(&x, &y);
	}
	return order;
}

static int compare_notes(const void *left, const void *right, void *context)
{
	const struct tl_note *first = left, *second = right;
	int order = compare_owners(&first->owner, &second->owner);

	if (!order)
		order = compare_remarks(context, first, second);
	if (!order)
		order = tl_compare(first->number, second->number);
	return order;
}

/* ---- groups ---- */

static bool add_group(struct tl_annotation *a, size_t first, size_t end)
{
	struct tl_note_group *group = tl_note_group_add(a, &a->notes[first].owner);

	if (!group)
		return false;
	group->first = first;
	group->end = end;
	group->last = a->notes[end - 1].at;
	for (size_t i = first; i < end; i++)
		if (a->notes[i].kind == TL_NOTE_SELF)
			tl_note_group_cost(
				a, group,
				tl_profile_line_cost(a->view.profile, a->notes[i].number));
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
	return compare_owners(&x->owner, &y->owner);
}

static bool make_groups(struct tl_annotation *a)
{
	if (!add_notes(a))
		return false;
	if (a->count)
		qsort_r(a->notes, a->count, sizeof(*a->notes), compare_notes, a);
	for (size_t at = 0, end; at < a->count; at = end) {
		for (end = at + 1; end < a->count &&
				   compare_owners(&a->notes[at].owner, &a->notes[end].owner) == 0;
		     end++)
			;
		if (!add_group(a, at, end))
			return false;
	}
	return true;
}

/* ---- choice of groups ---- */

static bool is_named(const struct tl_annotation *a, const struct tl_note_group *group)
{
	if (!a->what.assembly)
		return *group->owner.file != '\0';
	return group->last != 0;
}

static bool is_wanted(const struct tl_annotation *a, const struct tl_note_group *group,
		      const regex_t *pattern)
{
	const char *file = group->owner.file;

	if (a->what.assembly)
		file = tl_profile_function(a->view.profile, group->owner.function)->file;
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
	if (!a->row || !(is_packed(a) ? tl_packed_notes_collect(a) : make_groups(a)))
		return tl_error_memory(err);
	if (a->group_count)
		qsort_r(a->groups, a->group_count, sizeof(*a->groups), compare_weights, a);
	return choose(a, err);
}

bool tl_notes_load(struct tl_annotation *a, struct tl_note_group *group)
{
	if (!is_packed(a))
		return true;
	if (!tl_packed_notes_load(a, group))
		return false;
	group->first = 0;
	group->end = a->count;
	return true;
}

void tl_notes_free(struct tl_annotation *a)
{
	tl_packed_notes_free(&a->packed);
	free(a->notes);
	free(a->groups);
	free(a->costs);
	free(a->row);
}

/* ---- remarks ---- */

/* Add the costs of a line or a call to the row. */
static void add_costs(const struct tl_annotation *a, const struct tl_note *note)
{
	const struct tl_profile *profile = a->view.profile;
	uint32_t events = tl_profile_event_count(profile);
	const int64_t *cost;

	if (is_packed(a)) {
		tl_packed_notes_add_costs(a, note->number, a->row);
		return;
	}
	if (note->kind == TL_NOTE_SELF)
		cost = tl_profile_line_cost(profile, note->number);
	else
		cost = tl_profile_arc_cost(profile, note->number);
	for (uint32_t e = 0; e < events; e++)
		a->row[e] = tl_sum_saturating(a->row[e], cost[e]);
}

static uint64_t calls_of(const struct tl_annotation *a, const struct tl_note *note)
{
	if (is_packed(a))
		return a->packed.items[note->number].count;
	return tl_profile_arc(a->view.profile, note->number)->calls;
}

static void add_to_remark(const struct tl_annotation *a, const struct tl_note *note,
			  struct tl_remark *remark)
{
	if (note->kind == TL_NOTE_JUMP) {
		const struct tl_jump jump = jump_of(a, note);

		remark->count += jump.executed;
		remark->taken += jump.taken;
		return;
	}
	if (note->kind == TL_NOTE_CALL)
		remark->count += calls_of(a, note);
	add_costs(a, note);
}

size_t tl_remark_take(const struct tl_annotation *a, const struct tl_note_group *group, size_t at,
		      struct tl_remark *remark)
{
	const struct tl_note *note = &a->notes[at];
	size_t end = at;

	*remark = (struct tl_remark){
		.kind = note->kind, .at = note->at, .cost = a->row, .function = TL_NONE
	};
	memset(a->row, 0, tl_profile_event_count(a->view.profile) * sizeof(*a->row));
	if (note->kind == TL_NOTE_CALL) {
		remark->function = callee_of(a, note);
	} else if (note->kind == TL_NOTE_JUMP) {
		const struct tl_jump jump = jump_of(a, note);

		remark->function = jump.target;
		remark->to = jump.to;
		remark->conditional = jump.conditional;
	}
	for (; end < group->end && (end == at || compare_remarks(a, note, &a->notes[end]) == 0);
	     end++)
		add_to_remark(a, &a->notes[end], remark);
	return end;
}
