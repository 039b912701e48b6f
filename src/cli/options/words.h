/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_WORDS_H
#define TL_CLI_OPTIONS_WORDS_H
/* The words that values of options can be: checked by the parser, offered by completions. */
#include "cli/options/option.h"

/* A word of an option's argument; it does not end with a NUL. */
struct word {
	const char *text;
	size_t size;
};

/* The word `number` of an option, of its argument "a|b|c" or by its name_of(); false: none. */
bool option_word(const struct option_row *row, size_t number, struct word *word);
/* The number of the word that a value is, -1: none. */
int option_word_number(const struct option_row *row, const char *value);
/* Whether the value is the name of a file or a directory. */
bool option_takes_file(const struct option_row *row);

/* Names by number, NULL behind the last. */
const char *format_name(size_t number);   /* formats that can be read */
const char *exporter_name(size_t number); /* formats that profiles are written in */
const char *target_name(size_t number);   /* all that `convert` writes */
const char *timeline_name(size_t number);
const char *recorder_name(size_t number);
const char *report_column(size_t number);
const char *diff_column(size_t number);
const char *event_name(size_t number); /* events that usual traces and profiles have */
const char *usual_name(size_t number); /* events that are formulas of others */
const char *shell_name(size_t number);

#endif
