/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_TTY_H
#define TL_CLI_TERMINAL_TTY_H
/* The terminal: how wide it is, and whether it gets colors. */
#include <stdbool.h>

/* The values of --color and --progress, in the order of the words "auto|always|never". */
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Columns of the terminal behind a descriptor, 0: it is no terminal. */
unsigned terminal_width(int fd);
/* Whether the output, the file of -o or NULL, is written in colors. */
bool use_color(enum when when, const char *output);
/* Whether the output is a file; else it is standard output (NULL, "-"). */
bool is_file(const char *output);

#endif
