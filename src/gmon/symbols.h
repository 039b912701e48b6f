/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_GMON_SYMBOLS_H
#define TL_GMON_SYMBOLS_H
/* Functions of addresses, by the binary that ran. */
#include <tracelathe/core.h>

struct tl_binary;
struct tl_profile;

struct tl_gmon_place {
	uint32_t function; /* of the profile */
	uint32_t line;
	const char *file;
};

struct tl_gmon_symbols {
	struct tl_binary *binary; /* NULL: none is given */
	struct tl_profile *profile;
	uint64_t nameless; /* addresses without a function */
};

/*
 * The place of an address. An address behind the end of a function and before the next one belongs
 * to it, as gprof has it. 0 or negative.
 */
int tl_gmon_place(struct tl_gmon_symbols *s, uint64_t address, struct tl_gmon_place *place,
		  struct tl_error *err);

#endif
