/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_OPTION_H
#define TL_CLI_OPTIONS_OPTION_H
/* The one table of options: parsing, help, manual pages and completions are made from it. */
#include <stdbool.h>
#include <stddef.h>

struct settings;
struct option_row;

/*
 * Store a value in its field; value NULL: the option has none. @return NULL, or what is wrong with
 * the value; row->argument stands for "must be" and that argument.
 */
typedef const char *set_fn(struct settings *settings, void *field, const struct option_row *row,
			   const char *value);

struct option_row {
	const char *name;     /* without the dashes */
	const char *argument; /* NULL: no value; "a|b|c": one of these words; "[=X]": optional */
	const char *help;
	unsigned commands; /* which take it: C_NAME bits */
	char letter;       /* short form, 0: none */
	bool repeatable;
	set_fn *set;
	size_t field; /* offset in struct settings */
	int choice;   /* the value of a switch, the first of the words of a value */
	/* Names that the value may have, by number; NULL behind the last (words.h). */
	const char *(*name_of)(size_t number);
};

/* Ends with a NULL name. */
extern const struct option_row option_rows[];

static inline bool value_is_optional(const struct option_row *row)
{
	return row->argument && row->argument[0] == '[';
}

/* A value that must be given. */
static inline bool value_is_needed(const struct option_row *row)
{
	return row->argument && row->argument[0] != '[';
}

#endif
