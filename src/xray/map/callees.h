/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_MAP_CALLEES_H
#define TL_XRAY_MAP_CALLEES_H
/*
 * The code of a program, function by function: the calls of each one, as far as its instructions
 * tell. A function is numbered by its place in the unwind tables (symbols/unwind.h).
 */
#include "symbols/imports.h"
#include "symbols/unwind.h"

/* Flags of a function. */
enum {
	TL_XRAY_CALLEES_READ = 1,   /* the code was read */
	TL_XRAY_CALLS_ANYTHING = 2, /* indirect calls, or code that cannot be read */
	/* a function there may call back any function whose address is taken */
	TL_XRAY_CALLS_OTHER_OBJECTS = 4,
	/* continues after a callee was left: it catches, or calls setjmp */
	TL_XRAY_CALLEES_RESUMES = 8,
};

struct tl_xray_callees {
	uint32_t *calls; /* numbers of functions */
	uint32_t count;
	uint8_t flags;
	bool sledded;
};

struct tl_xray_span {
	uint64_t start, end;
};

struct tl_xray_code {
	struct tl_binary *binary; /* NULL: there are no functions */
	struct tl_unwind unwind;
	struct tl_imports imports;
	struct tl_xray_callees *functions; /* by number in `unwind` */
	uint32_t *taken;                   /* functions whose address is taken */
	size_t taken_count, taken_capacity;
	bool taken_known, no_memory;
	/* the linker's: .plt and the like, .got */
	struct tl_xray_span stubs[4], slots[2];
};

/* False without memory; tl_xray_code_close() is needed then, too. */
bool tl_xray_code_open(struct tl_xray_code *code, struct tl_binary *binary);
void tl_xray_code_close(struct tl_xray_code *code);

/* The callees of a function, read when first asked for. */
const struct tl_xray_callees *tl_xray_code_callees(struct tl_xray_code *code, uint32_t function);
/* Fill `taken`, once. */
void tl_xray_code_find_taken(struct tl_xray_code *code);
/* Whether a function calls itself directly, which its callees leave out. */
bool tl_xray_code_calls_itself(struct tl_xray_code *code, uint32_t function);

/* Flags of a function of another object, by its name (import_flags.c). */
uint8_t tl_xray_import_flags(const char *name);

#endif
