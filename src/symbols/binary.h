/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_BINARY_H
#define TL_SYMBOLS_BINARY_H
/* Functions of a binary for the rooms above, beyond the public header. */
#include <tracelathe/symbols.h>

struct tl_debug_places;
struct tl_dwarf;

/* tl_binary_open() with other places for separate debug information; it copies them. */
int tl_binary_open_with_places(struct tl_binary **binary, const char *path, uint64_t bias,
			       bool demangle, const struct tl_debug_places *places,
			       struct tl_error *err);
/* The places of tl_binary_open(), and who is asked beside them; NULL: nobody. */
int tl_binary_open_asking(struct tl_binary **binary, const char *path, uint64_t bias, bool demangle,
			  const struct tl_debuginfod *debuginfod, struct tl_error *err);

/* The public functions that take the size of a struct, for callers inside the library. */
bool tl_binary_symbol_at(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol);
/* As tl_binary_symbol_at(), without file, line and column, for which DWARF would be read. */
bool tl_binary_name_at(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol);
size_t tl_binary_inlined_at(struct tl_binary *binary, uint64_t address, struct tl_inlined *chain,
			    size_t room);

/* True for an object file that was not linked yet (ET_REL): its addresses are not final. */
bool tl_binary_is_relocatable(const struct tl_binary *binary);

/* True once memory ran out during a lookup, so that answers may lack names or lines. */
bool tl_binary_short_of_memory(const struct tl_binary *binary);

/* What is added to the addresses of the file. */
uint64_t tl_binary_bias(const struct tl_binary *binary);

/* Its DWARF, NULL: none; the bias is subtracted from `address`. */
struct tl_dwarf *tl_binary_dwarf(struct tl_binary *binary, uint64_t *address);

/*
 * From an offset in the file to the address that the byte is linked at, without the bias; the
 * offset itself where no segment holds it.
 */
uint64_t tl_binary_linked_address(const struct tl_binary *binary, uint64_t offset);

/* How many symbols it has, in whatever table; 0: it was stripped. */
size_t tl_binary_symbol_count(const struct tl_binary *binary);

/* Whether code at an address is the binary's; of a list of names: whether one is the address's. */
bool tl_binary_holds(struct tl_binary *binary, uint64_t address);

/* True for an entry of a procedure linkage table, which has a function's name with "@plt". */
bool tl_binary_is_linkage(struct tl_binary *binary, uint64_t address);

/* One function at an address: the one of the line, or one that it was inlined into. */
struct tl_code_frame {
	const char *function; /* linkage name, or that of its source; "" */
	const char *file;     /* "" */
	uint32_t line;        /* of the address, or of the call that was inlined; 0: unknown */
	uint32_t discriminator;
	uint32_t declared; /* line of the function's declaration, 0: unknown */
};

/* The functions at an address by DWARF, the innermost first, with lines and names as given. */
size_t tl_binary_frames_at(struct tl_binary *binary, uint64_t address, struct tl_code_frame *frames,
			   size_t room);

/*
 * The same before names are looked for, which takes most of the time: who has met a function before
 * need not. What was inlined of one function at several places has the same `function`.
 */
struct tl_code_scope {
	uint64_t function; /* an entry of the DWARF */
	struct tl_dwarf *dwarf;
	struct tl_dwarf_unit *unit;
	struct tl_dwarf_scope *scope;
	const char *call_file; /* as in struct tl_inlined */
};

/* The number of functions; the first `room` of them are put into `scopes`. */
size_t tl_binary_scopes_at(struct tl_binary *binary, uint64_t address, struct tl_code_scope *scopes,
			   size_t room);
/* Its name as in struct tl_inlined; the line of its declaration. */
const char *tl_binary_scope_name(struct tl_binary *binary, const struct tl_code_scope *scope);
uint32_t tl_binary_scope_declared(const struct tl_code_scope *scope);

/*
 * Call `each` with the address of each row of the line tables, also of code that was never run,
 * until it returns false. False: it did, or memory ran out.
 */
bool tl_binary_each_row(struct tl_binary *binary, bool (*each)(void *arg, uint64_t address),
			void *arg);

#endif
