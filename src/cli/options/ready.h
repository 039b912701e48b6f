/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_READY_H
#define TL_CLI_OPTIONS_READY_H
/*
 * Ready queries: files NAME.sql whose first line is a comment that says what they answer. They are
 * looked for in the folders of $TRACELATHE_QUERIES (separated by colons), in
 * $XDG_CONFIG_HOME/tracelathe/queries, and where the program is installed.
 */
#include <stdbool.h>
#include <stddef.h>

/* The text of a ready query, for free(); NULL: there is none of that name. */
char *ready_query(const char *name);
/* Tell of each name, in the order of the folders; one may come twice. */
void each_ready_query(void (*tell)(void *arg, const char *name, size_t size), void *arg);
/* Print the names with what they answer. False: there are none. */
bool list_ready_queries(void);

#endif
