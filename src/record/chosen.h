/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_CHOSEN_H
#define TL_RECORD_CHOSEN_H
/* The functions of a program whose names match. */
#include <tracelathe/core.h>

/*
 * Their ids in the XRay instrumentation map (`sleds`), or the addresses of their patchable entries,
 * in decimal, a line each, ascending. *numbers is for free(). TL_BAD_USAGE: the expression is
 * wrong, or no function matches.
 */
int tl_record_chosen(const char *path, const char *expression, bool sleds, char **numbers,
		     size_t *size, struct tl_error *err);

#endif
