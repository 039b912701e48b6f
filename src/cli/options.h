/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_H
#define TL_CLI_OPTIONS_H
/* The one table of options: parsing, help, manual pages and completions go by it. */
#include "cli/cli.h"

struct option_row {
	const char *name;     /* without the dashes */
	char letter;          /* short form, 0: none */
	const char *argument; /* NULL: a switch; "a|b|c": one of these words; "[=X]": not needed */
	unsigned commands;    /* which take it */
	const char *help;
	/* Stores the value into the field; returns NULL, or what is wrong with the value. */
	const char *(*set)(void *field, const struct option_row *row, const char *value);
	size_t field; /* offset in struct settings */
	int choice;   /* for set_choice() and set_bit() */
};

/* Ends with a NULL name. */
extern const struct option_row option_rows[];

/* A switch that may have a value all the same. */
static inline bool value_is_optional(const struct option_row *row)
{
	return row->argument && row->argument[0] == '[';
}

/*
 * Read the arguments after the command. Complains on stderr when it returns false. Free with
 * settings_free(), also after a failure.
 */
bool settings_parse(struct settings *settings, const struct command *command, int argc,
		    char **argv);
void settings_free(struct settings *settings);

/* ---- values.c ---- */

const char *set_flag(void *field, const struct option_row *row, const char *value);
const char *clear_flag(void *field, const struct option_row *row, const char *value);
const char *set_choice(void *field, const struct option_row *row, const char *value);
const char *set_bit(void *field, const struct option_row *row, const char *value);
const char *set_text(void *field, const struct option_row *row, const char *value);
const char *set_regex(void *field, const struct option_row *row, const char *value);
const char *set_word(void *field, const struct option_row *row, const char *value);
const char *set_when(void *field, const struct option_row *row, const char *value);
const char *set_id(void *field, const struct option_row *row, const char *value);
const char *set_part(void *field, const struct option_row *row, const char *value);
const char *set_count(void *field, const struct option_row *row, const char *value);
const char *set_lines(void *field, const struct option_row *row, const char *value);
const char *set_jobs(void *field, const struct option_row *row, const char *value);
const char *set_percent(void *field, const struct option_row *row, const char *value);
const char *set_window(void *field, const struct option_row *row, const char *value);
const char *set_time(void *field, const struct option_row *row, const char *value);
const char *set_two(void *field, const struct option_row *row, const char *value);
const char *set_range(void *field, const struct option_row *row, const char *value);
const char *set_byte(void *field, const struct option_row *row, const char *value);
const char *set_u32(void *field, const struct option_row *row, const char *value);
const char *set_raw(void *field, const struct option_row *row, const char *value);
const char *set_format(void *field, const struct option_row *row, const char *value);
const char *set_timeline(void *field, const struct option_row *row, const char *value);
const char *set_positions(void *field, const struct option_row *row, const char *value);
const char *set_caches(void *field, const struct option_row *row, const char *value);
const char *set_target(void *field, const struct option_row *row, const char *value);
const char *set_after_binary(void *field, const struct option_row *row, const char *value);
const char *set_rename(void *field, const struct option_row *row, const char *value);
const char *set_source_dir(void *field, const struct option_row *row, const char *value);
const char *set_binary(void *field, const struct option_row *row, const char *value);
/* Whether a name is something `convert --to` writes. */
bool target_known(const char *name);

#endif
