/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_SUFFIX_H
#define TL_CLI_OPTIONS_SUFFIX_H
/* The name of the output file chooses the form of the output where no option does. */
#include "cli/options/settings.h"

/*
 * `-o x.json`, `.csv`, `.svg`, `.html` as the options that a command has for these forms, `-o
 * x.dot` and the like as --to; other names choose nothing.
 */
void settings_take_suffix(struct settings *settings, const struct command *command);

#endif
