/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_BINARY_H
#define TL_SYMBOLS_BINARY_H
/* Functions of a binary for the rooms above, beyond the public header. */
#include <tracelathe/symbols.h>

/* tl_binary_open() with another place than /usr/lib/debug for separate debug information. */
int tl_binary_open_with_root(struct tl_binary **binary, const char *path, uint64_t bias,
			     bool demangle, const char *debug_root, struct tl_error *err);

/* The public functions that take the size of a struct, for callers inside the library. */
bool tl_binary_symbol_at(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol);
size_t tl_binary_inlined_at(struct tl_binary *binary, uint64_t address, struct tl_inlined *chain,
			    size_t room);

/* True for an object file that was not linked yet (ET_REL): its addresses are not final. */
bool tl_binary_is_relocatable(const struct tl_binary *binary);

/* True once memory ran out during a lookup, so that answers may lack names or lines. */
bool tl_binary_short_of_memory(const struct tl_binary *binary);

/* How many symbols it has, in whatever table; 0: it was stripped. */
size_t tl_binary_symbol_count(const struct tl_binary *binary);

#endif
