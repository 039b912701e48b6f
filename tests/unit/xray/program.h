/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XRAY_PROGRAM_H
#define TESTS_UNIT_XRAY_PROGRAM_H
/*
 * A program made byte by byte, for x86-64 or AArch64: two dozen small functions with sleds, unwind
 * tables, stubs of a linker and relocations. What each function does stands beside its name; the
 * tests work out by hand from this list which one can call which.
 */
#include <stdint.h>

#include "../temp.h"

/* Functions with sleds; the values are the ids that the instrumentation map gives them. */
enum {
	CALLER = 1, /* calls LEAF */
	LEAF,       /* returns */
	THROUGH,    /* calls HELPER */
	INDIRECT,   /* calls the address in a register */
	QUIET,      /* calls the stub of malloc() */
	ABROAD,     /* calls the stub of qsort() */
	SETTER,     /* calls setjmp() through its slot */
	CATCHER,    /* calls LEAF, THROWER and CLEANER; catches exceptions */
	THROWER,    /* returns */
	CLEANER,    /* calls LEAF and THROWER; its landing pad only cleans up */
	BOTH,       /* calls LEAF and CLEANER */
	RECURSIVE,  /* calls itself */
	CALLBACK,   /* returns; its address stands in .data.rel.ro */
	TAKEN,      /* returns; TAKER makes its address */
	EXPORTED,   /* returns; a dynamic symbol */
	VARIABLE,   /* jumps to the address in a variable */
	OUTSIDE,    /* calls code that no unwind table describes */
	OWN_SLOT,   /* calls through a slot that the loader fills with the address of LEAF */
	BAD_STUB,   /* calls a stub that jumps to the address in a register */
	FAR_STUB,   /* calls a stub whose jump stands behind more instructions than stubs have */
	OUTER,      /* calls CALLER */
	SAVES,      /* calls SAVER */
	WAITS,      /* calls SETTER */
	SLEDS = WAITS,
	/* Functions without sleds. */
	HELPER, /* jumps to LEAF */
	TAKER,  /* makes the address of TAKEN */
	SAVER,  /* calls setjmp() through its slot */
	FUNCTIONS = SAVER,
};

/*
 * `machine`: EM_X86_64 or EM_AARCH64; for any other one the code is that of x86-64. A
 * position-independent file (ET_DYN), which names no loader: it can be a shared object. All
 * functions have a sled for their entry and one for their exit, but for BAD_STUB, which has the
 * first alone.
 */
void make_program(struct temp *temp, const char *name, uint16_t machine);

/*
 * The same as a program at fixed addresses (ET_EXEC), of which the first `sleds` functions have
 * sleds.
 */
void make_fixed_program(struct temp *temp, const char *name, unsigned sleds);

#endif
