/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_PATHS_H
#define TL_CLI_OPTIONS_PATHS_H
#include "cli/options/settings.h"

/* `diff DIR DIR`, `diff @LIST @LIST`: the files of each are the runs of a side. */
void settings_take_sides(struct settings *settings, const struct command *command);
/*
 * Put in the place of @LIST the files that it names, a line each, and in the place of a directory,
 * with --glob, the files below it with such a name, sorted; of `diff --runs`, in the place of a
 * pattern the files that it matches. False, with a message: the list or the
 * directory cannot be read, or gives no file.
 */
bool settings_expand_paths(struct settings *settings, const struct command *command);

#endif
