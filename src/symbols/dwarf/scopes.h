/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_SCOPES_H
#define TL_SYMBOLS_DWARF_SCOPES_H
/* The functions of a unit and the calls inlined into them, by address (DWARF 3.3). */
#include "symbols/dwarf/unit.h"

struct tl_dwarf_scope {
	uint64_t entry; /* in .debug_info */
	const char
		*shown;  /* the name as callers are told, theirs to keep; NULL: not asked for yet */
	uint32_t parent; /* the scope that this one was inlined into; TL_NONE: not inlined */
	uint32_t call_file; /* position of the call that was inlined */
	union {
		struct {
			uint64_t start, size; /* first range of a function */
		};
		struct {
			uint32_t call_line, call_column;
		};
	};
};

/* A namespace or a type: what functions of C++ may be declared in. */
struct tl_dwarf_holder {
	uint64_t entry, end; /* its entry; where those in it end */
	uint32_t above;      /* the holder that it is in; TL_NONE: none */
};

struct tl_dwarf_scopes {
	struct tl_dwarf_scope *list; /* in the order of the entries: parents first */
	size_t count, capacity;
	struct tl_dwarf_holder *holders; /* in the order of the entries */
	size_t holder_count, holder_capacity;
	struct tl_intervals innermost;
};

/* The functions of a unit; NULL: no memory. */
struct tl_dwarf_scopes *tl_dwarf_scopes(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit);
/* The innermost function at an address, NULL: none. */
struct tl_dwarf_scope *tl_dwarf_scope_at(const struct tl_dwarf_scopes *scopes, uint64_t address);
/* Its mangled name, or that of its source; NULL: it has none. */
const char *tl_dwarf_scope_name(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
				const struct tl_dwarf_scope *scope);
/*
 * The name of a function that has no mangled one, with the namespaces and types around it, for the
 * caller to free: compilers give none to functions that are local to a file. NULL: it has a mangled
 * name, or is in none of these, or there is no memory, which is noted.
 */
char *tl_dwarf_scope_qualified(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
			       const struct tl_dwarf_scope *scope);
/* What the lines of a function count from, and which block of its line an inlined call is in. */
struct tl_dwarf_scope_lines {
	uint32_t declared;      /* line of the function's declaration, 0: unknown */
	uint32_t discriminator; /* of the call */
};
struct tl_dwarf_scope_lines tl_dwarf_scope_lines(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
						 const struct tl_dwarf_scope *scope);
void tl_dwarf_scopes_free(struct tl_dwarf_scopes *scopes);

#endif
