/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_SCOPE_NAME_H
#define TL_PROFILE_SCOPE_NAME_H
/* What a function is in, by its demangled name. */
#include <stdbool.h>
#include <stddef.h>

/*
 * The class or namespace that a function's name stands in, or the outermost one. @return bytes from
 * *begin on, 0: it is in none
 */
size_t tl_scope_name(const char *name, bool outermost, const char **begin);

#endif
