/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_SCOPES_H
#define TL_SYMBOLS_DWARF_SCOPES_H
/* The functions of a unit and the calls inlined into them, by address (DWARF 3.3). */
#include "symbols/dwarf/unit.h"

struct tl_dwarf_scope {
	uint64_t entry;  /* in .debug_info */
	uint64_t origin; /* entry of the function that was inlined; 0: none of this .debug_info */
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

/* A function, or what is inlined where no function with code is around it. */
struct tl_dwarf_scopes {
	struct tl_dwarf_scope *list; /* the function, then what was inlined, callers first */
	size_t count, capacity;
	struct tl_intervals inlined; /* code of those behind the first */
};

struct tl_dwarf_function {
	uint64_t entry;                 /* in .debug_info */
	uint64_t start, size;           /* its first range */
	struct tl_dwarf_scopes *scopes; /* NULL: not read yet */
};

/* A namespace or a type: what functions of C++ may be declared in. Offsets count from the unit. */
struct tl_dwarf_holder {
	uint32_t entry, end; /* its entry; where those in it end */
	uint32_t above;      /* the holder that it is in; TL_NONE: none */
};

/*
 * What a unit has, in the order of its entries. Programs have many functions of which few are asked
 * for: what was inlined into one is read when an address of it is.
 */
struct tl_dwarf_functions {
	struct tl_dwarf_function *list;
	size_t count, capacity;
	struct tl_dwarf_holder *holders;
	size_t holder_count, holder_capacity;
	struct tl_intervals by_address;
};

/* The functions of a unit; NULL: no memory. */
struct tl_dwarf_functions *tl_dwarf_functions(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit);
void tl_dwarf_functions_free(struct tl_dwarf_functions *functions);
/* The function at an address, with what was inlined into it; NULL: none, or no memory. */
struct tl_dwarf_scopes *tl_dwarf_scopes_at(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
					   uint64_t address);
/* The innermost of these at an address of the function. */
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

#endif
