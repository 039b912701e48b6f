/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_CONFIG_H
#define TL_CLI_OPTIONS_CONFIG_H
/*
 * The file of defaults: a line an option, `NAME` or `NAME = VALUE`; # begins a comment. What the
 * command line says goes before all of the file that says the same thing, and options that the
 * command does not take are left out.
 */
#include <stdbool.h>

struct command;
struct settings;

/*
 * Take the options of --config FILE, or of ~/.config/tracelathe/config if it is there. On failure
 * it complains on stderr and returns false.
 */
bool settings_take_config(struct settings *settings, const struct command *command);

#endif
