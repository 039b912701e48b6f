/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_LINKAGE_H
#define TL_SYMBOLS_LINKAGE_H
/*
 * Entries of procedure linkage tables by address. An entry is a few instructions that jump to the
 * address in a slot; no symbol names it, but the relocation of the slot does.
 */
#include "symbols/elf/symtab.h"

/*
 * Read the entries of an executable or shared object (x86-64, i386, AArch64; of other machines
 * there is none) into an empty table, each under the name of what its slot is filled for. A slot
 * that is filled by a function of the file itself has that function's name of `symbols`. What
 * cannot be read is left out. False without memory.
 */
bool tl_linkage_read(struct tl_symtab *entries, const struct tl_elf *file,
		     struct tl_symtab *symbols);

#endif
