/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_RELOCATIONS_H
#define TL_SYMBOLS_RELOCATIONS_H
/* The values that a loader stores, and where, with load bias 0. */
#include "symbols/elf/elf_file.h"

/* Zero-filled is empty. */
struct tl_relocations {
	struct tl_relocation *items; /* by address */
	size_t count, capacity;
};

struct tl_relocation {
	uint64_t address, value;
};

/*
 * Gather the RELATIVE and absolute relocations of an executable or shared object. False without
 * memory.
 */
bool tl_relocations_read(struct tl_relocations *relocations, const struct tl_elf *file);
bool tl_relocations_find(const struct tl_relocations *relocations, uint64_t address,
			 uint64_t *value);
void tl_relocations_free(struct tl_relocations *relocations);

#endif
