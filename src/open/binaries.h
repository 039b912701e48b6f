/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_BINARIES_H
#define TL_OPEN_BINARIES_H
/* Faults in the debug information of binaries, as damage of the input. */
#include <tracelathe/open.h>
#include <tracelathe/symbols.h>

/*
 * Put the first fault of a binary into places[0], if there is room, and add it to *count. Returns
 * the number of places filled.
 */
size_t tl_binary_damage(const struct tl_binary *binary, struct tl_damage *places, size_t room,
			uint64_t *count);

#endif
