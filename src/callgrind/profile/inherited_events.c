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

/* A factor may stand right before its event ("Number Space* ..."). */
static size_t number_size(const char *text)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return 2 + strspn(text + 2, "0123456789abcdefABCDEF");
	return strspn(text, "0123456789");
}

/*
 * A column of an "events:" line without any cost line does not exist in the profile. A formula that
 * names such a column, even 0 times, could not be written and read again, so it is left out.
 */
static bool all_known(const struct tl_callgrind_folder *fold,
		      const struct tl_callgrind_reader *reader, const int64_t *factors,
		      const char *formula)
{
	static const char between[] = " \t+-*";
	bool any = false;

	for (size_t i = 0; i < reader->events.count; i++) {
		const char *name = tl_callgrind_name(reader, reader->events.list[i].name);

		if (factors[i] && !has_event(fold, name, strlen(name)))
			return false;
		any |= factors[i] != 0;
	}
	for (formula += strspn(formula, between); *formula; formula += strspn(formula, between)) {
		size_t size = strcspn(formula, between), number = number_size(formula);

		if (number < size && !has_event(fold, formula + number, size - number))
			return false;
		formula += size;
	}
	return any;
}

static int note_event(struct tl_callgrind_folder *fold, struct tl_callgrind_reader *reader,
		      uint32_t number, struct tl_error *err)
{
	const struct tl_callgrind_event *event = &reader->events.list[number];
	int64_t *factors = calloc(reader->events.count + 1, sizeof(*factors));
	struct tl_event inherited;
	bool ok = factors != NULL;

	if (ok && (!tl_callgrind_formula(reader, number, factors) ||
		   !all_known(fold, reader, factors, tl_callgrind_name(reader, event->formula)))) {
		free(factors);
		return tl_callgrind_broken_at(reader, TL_CALLGRIND_RULE_FORMULA, event->offset, 0,
					      event->line, err);
	}
	ok = ok && copy_texts(fold, reader, event, &inherited) &&
	     tl_grow(&fold->inherited, &fold->inherited_capacity, fold->inherited_count + 1,
		     sizeof(inherited));
	free(factors);
	if (!ok)
		return tl_error_memory(err);
	fold->inherited[fold->inherited_count++] = inherited;
	return 0;
}

int tl_callgrind_note_inherited(struct tl_callgrind_folder *fold,
				struct tl_callgrind_reader *reader, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && fold->profile && i < reader->events.count; i++) {
		const struct tl_callgrind_event *event = &reader->events.list[i];
		const char *name = tl_callgrind_name(reader, event->name);

		if (!event->column && event->formula && !is_inherited(fold, name, strlen(name)))
			status = note_event(fold, reader, (uint32_t)i, err);
	}
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
