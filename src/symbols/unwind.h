/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_UNWIND_H
#define TL_SYMBOLS_UNWIND_H
/*
 * The functions of a program by its unwind tables (.eh_frame): where each begins and ends, stripped
 * or not, and which of them can catch an exception (.gcc_except_table). After "Exception Frames" of
 * the Linux Standard Base and the language specific data area of the Itanium C++ ABI. For
 * little-endian files; of others there is none.
 */
#include <tracelathe/symbols.h>

struct tl_unwind_function {
	uint64_t start, end; /* addresses of the file */
	bool catches;        /* a landing pad of it is for more than cleaning up */
};

/* In order of their starts. Zero-filled is empty. */
struct tl_unwind {
	struct tl_unwind_function *functions;
	size_t count, capacity;
};

/* Records that cannot be read are left out. False without memory. */
bool tl_unwind_read(struct tl_unwind *unwind, struct tl_binary *binary);
void tl_unwind_free(struct tl_unwind *unwind);

/* The number of the function that holds an address, TL_NONE: none. */
uint32_t tl_unwind_find(const struct tl_unwind *unwind, uint64_t address);

#endif
