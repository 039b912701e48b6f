/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_HELP_HELP_H
#define TL_CLI_HELP_HELP_H
/* Texts for users, made from the tables of commands and options, to standard output. */
#include "cli/options/command.h"

void help_overview(void);
void help_command(const struct command *command, bool all);
/* A manual page in roff; NULL: the page of the program itself. */
void man_page(const struct command *command);
/* The completions for a shell, one of shell_name(). */
void completion_script(const char *shell);
void complain_unknown_command(const char *name);

#endif
