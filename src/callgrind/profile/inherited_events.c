/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inherited events: formulas are checked against the columns of the profile; the profile computes
 * their values.
 */
#include "callgrind/profile/fold.h"
#include "core/error.h"

static bool copy_texts(struct tl_callgrind_folder *fold, const struct tl_callgrind_reader *reader,
		       const struct tl_callgrind_event *event, struct tl_event *copy)
{
	const char *name = tl_callgrind_name(reader, event->name),
		   *formula = tl_callgrind_name(reader, event->formula);
	const char *long_name = tl_callgrind_name(reader, event->long_name);

	*copy = (struct tl_event){
		.name = tl_profile_intern(fold->profile, name, strlen(name)),
		.unit = fold->empty,
		.long_name = tl_profile_intern(fold->profile, long_name, strlen(long_name)),
		.formula = tl_profile_intern(fold->profile, formula, strlen(formula)),
	};
	return copy->name && copy->long_name && copy->formula;
}

static bool is_inherited(const struct tl_callgrind_folder *fold, const char *name, size_t size)
{
	for (size_t i = 0; i < fold->inherited_count; i++)
		if (strlen(fold->inherited[i].name) == size &&
		    !memcmp(fold->inherited[i].name, name, size))
			return true;
	return false;
}

static bool has_event(const struct tl_callgrind_folder *fold, const char *name, size_t size)
{
	for (uint32_t e = 0; e < fold->profile->event_count; e++)
		if (strlen(fold->profile->events[e].name) == size &&
		    !memcmp(fold->profile->events[e].name, name, size))
			return true;
	return is_inherited(fold, name, size);
}

/* The formulas of a reader, and which of its events the profile has, or will have. */
struct noting {
	struct tl_callgrind_folder *fold;
	struct tl_callgrind_reader *reader;
	struct tl_callgrind_formulas formulas;
	bool *known;
};

/*
 * A column of an "events:" line without any cost line does not exist in the profile. A formula that
 * names such a column, even 0 times, could not be written and read again, so it is left out.
 */
static bool all_known(const struct noting *n, uint32_t event)
{
	const int64_t *factors = n->formulas.factors + event * n->formulas.count;
	const bool *named = n->formulas.named + event * n->formulas.count;
	bool any = false;

	for (size_t i = 0; i < n->formulas.count; i++) {
		if ((factors[i] || named[i]) && !n->known[i])
			return false;
		any |= factors[i] != 0;
	}
	return any;
}

static int note_event(struct noting *n, uint32_t number, struct tl_error *err)
{
	const struct tl_callgrind_event *event = &n->reader->events.list[number];
	struct tl_callgrind_folder *fold = n->fold;
	struct tl_event inherited;

	if (n->formulas.state[number] != TL_CALLGRIND_FORMULA_GOOD || !all_known(n, number))
		return tl_callgrind_broken_at(n->reader, TL_CALLGRIND_RULE_FORMULA, event->offset,
					      0, event->line, err);
	if (!copy_texts(fold, n->reader, event, &inherited) ||
	    !tl_grow(&fold->inherited, &fold->inherited_capacity, fold->inherited_count + 1,
		     sizeof(inherited)))
		return tl_error_memory(err);
	fold->inherited[fold->inherited_count++] = inherited;
	n->known[number] = true;
	return 0;
}

static bool begin_noting(struct noting *n)
{
	const struct tl_callgrind_events *events = &n->reader->events;

	n->known = calloc(events->count + 1, sizeof(*n->known));
	if (!tl_callgrind_formulas_read(&n->formulas, n->reader) || !n->known)
		return false;
	for (size_t i = 0; i < events->count; i++) {
		const char *name = tl_callgrind_name(n->reader, events->list[i].name);

		n->known[i] = has_event(n->fold, name, strlen(name));
	}
	return true;
}

int tl_callgrind_note_inherited(struct tl_callgrind_folder *fold,
				struct tl_callgrind_reader *reader, struct tl_error *err)
{
	struct noting n = { .fold = fold, .reader = reader };
	int status;

	if (!fold->profile)
		return 0;
	status = tl_error_unless_made(begin_noting(&n), err);
	for (size_t i = 0; status == 0 && i < reader->events.count; i++) {
		const struct tl_callgrind_event *event = &reader->events.list[i];
		const char *name = tl_callgrind_name(reader, event->name);

		if (!event->column && event->formula && !is_inherited(fold, name, strlen(name)))
			status = note_event(&n, (uint32_t)i, err);
	}
	tl_callgrind_formulas_free(&n.formulas);
	free(n.known);
	return status;
}

int tl_callgrind_add_inherited(struct tl_callgrind_folder *fold, struct tl_error *err)
{
	for (size_t i = 0; i < fold->inherited_count; i++) {
		int64_t event = tl_profile_add_event(fold->profile, &fold->inherited[i], err);

		if (event < 0)
			return (int)event;
	}
	return 0;
}

void tl_callgrind_free_inherited(struct tl_callgrind_folder *fold)
{
	free(fold->inherited);
}
