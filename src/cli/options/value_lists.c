/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options that name files, and of those that may be repeated. */
#include <stdlib.h>
#include <string.h>

#include "cli/options/values.h"
#include "cli/options/words.h"

static const char no_memory[] = "out of memory", no_file[] = "a file name is missing";

const char *set_described(struct settings *settings, void *field, const struct option_row *row,
			  const char *value)
{
	struct tl_analysis *analysis = field;

	(void)settings;
	if (value && !*value)
		return no_file;
	analysis->analyses |= (unsigned)row->choice;
	if (value && row->choice == TL_ANALYZE_CACHE)
		analysis->caches = value;
	else if (value)
		analysis->predictors = value;
	return NULL;
}

/* A copy of the first `size` bytes of an argument that lives as long as the settings. */
static char *copy_part(struct settings *settings, const char *text, size_t size)
{
	char **copy = list_add(&settings->files.copies.list, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = strndup(text, size);
	return *copy;
}

/* FILE[@ADDR]: a file's name may have an @ in it: only a number behind the last @ is an address. */
const char *add_binary(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	struct tl_binary_spec *binary = list_add(field, sizeof(*binary));
	const char *at = strrchr(value, '@');
	size_t size = strlen(value);

	(void)row;
	if (!binary)
		return no_memory;
	if (at && parse_number(at + 1, &binary->address))
		size = (size_t)(at - value);
	else
		binary->address = 0;
	binary->path = copy_part(settings, value, size);
	if (!binary->path)
		return no_memory;
	if (!size)
		return no_file;
	return NULL;
}

/* FILE[:OFF[-END]]@ADDR, as ptxed has it; the file's name may have these characters in it, too. */
const char *add_raw(struct settings *settings, void *field, const struct option_row *row,
		    const char *value)
{
	struct tl_raw_spec *raw = list_add(field, sizeof(*raw));
	char *path = copy_part(settings, value, strlen(value)), *at, *colon, *dash;

	if (!raw || !path)
		return no_memory;
	raw->path = path;
	at = strrchr(path, '@');
	if (!at || !parse_number(at + 1, &raw->address))
		return row->argument;
	*at = '\0';
	colon = strrchr(path, ':');
	if (colon) {
		dash = strchr(colon, '-');
		if (dash)
			*dash = '\0';
		if (!parse_number(colon + 1, &raw->offset) ||
		    (dash && !parse_number(dash + 1, &raw->end)))
			return row->argument;
		*colon = '\0';
	}
	if (!*path)
		return no_file;
	return NULL;
}

/* REGEX=TEXT: an expression may have a "=" in it, a name rarely has: the last one separates. */
const char *add_rename(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	struct tl_rename *rename = list_add(field, sizeof(*rename));
	const char *equals = strrchr(value, '=');

	if (!equals || equals == value)
		return row->argument;
	if (!rename)
		return no_memory;
	rename->pattern = copy_part(settings, value, (size_t)(equals - value));
	if (!rename->pattern)
		return no_memory;
	rename->text = equals + 1;
	return check_pattern(rename->pattern);
}

/* A formula or a usual event is kept apart: the input may not have it. NULL, or what is wrong. */
static const char *take_event(struct settings *settings, struct event_settings *events,
			      const struct option_row *row, const char *name, size_t size)
{
	const char *copy = copy_part(settings, name, size), **formula;
	bool choice = row->commands & C_EVENTS; /* else events are only added */

	if (!copy)
		return no_memory;
	if (!*copy || *copy == '=')
		return "an event has no name";
	if (!strchr(copy, '=') && !tl_usual_formula(copy))
		return choice ? NULL : "NAME=FORMULA is needed, or one of CEst, L1m, LLm, L2m, Bm";
	formula = list_add(&events->formulas.list, sizeof(*formula));
	if (!formula)
		return no_memory;
	*formula = copy;
	return NULL;
}

const char *set_events(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	struct event_settings *events = field;

	events->names = value;
	events->formulas.list.count = 0; /* the last --event holds */
	for (;;) {
		size_t size = strcspn(value, ",");
		const char *wrong = take_event(settings, events, row, value, size);

		if (wrong || !value[size])
			return wrong;
		value += size + 1;
	}
}

const char *set_labels(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	unsigned *labels = field;

	(void)settings;
	*labels = 0;
	for (;;) {
		size_t size = strcspn(value, ",");
		struct word word;
		size_t number = 0;

		while (option_word(row, number, &word) &&
		       (word.size != size || memcmp(word.text, value, size) != 0))
			number++;
		if (!option_word(row, number, &word))
			return row->argument;
		*labels |= 1U << number;
		if (!value[size])
			return NULL;
		value += size + 1;
	}
}

const char *add_dir(struct settings *settings, void *field, const struct option_row *row,
		    const char *value)
{
	const char **dir = list_add(field, sizeof(*dir));

	(void)settings;
	(void)row;
	if (!dir)
		return no_memory;
	*dir = value;
	if (!*value)
		return "a directory is missing";
	return NULL;
}

const char *add_label(struct settings *settings, void *field, const struct option_row *row,
		      const char *value)
{
	const char **label = list_add(field, sizeof(*label));

	(void)settings;
	(void)row;
	if (!label)
		return no_memory;
	*label = value;
	if (*value == '=' || !strchr(value, '='))
		return row->argument;
	return NULL;
}
