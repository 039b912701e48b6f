/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_CFI_TABLES_H
#define TL_SYMBOLS_CFI_TABLES_H
/*
 * The call frame information of an ELF file: .eh_frame, by the index in .eh_frame_hdr where it has
 * one, then .debug_frame of the file or of its debug file. For little-endian files. A function's
 * instructions are run when a row of it is asked for.
 */
#include <tracelathe/core.h>

#include "symbols/cfi/row.h"

struct tl_cfi;
struct tl_debug_places;

/* `places`: as of tl_binary_open_with_places(). TL_IO, TL_BAD_FORMAT, TL_NO_MEMORY. */
int tl_cfi_open(struct tl_cfi **cfi, const char *path, const struct tl_debug_places *places,
		struct tl_error *err);
/* The same of a file's bytes that the caller keeps; it has no debug file. */
int tl_cfi_open_memory(struct tl_cfi **cfi, const uint8_t *data, size_t size, struct tl_error *err);
void tl_cfi_close(struct tl_cfi *cfi);

/* The kind of processor, as in the file's header. */
uint16_t tl_cfi_machine(const struct tl_cfi *cfi);

/*
 * Whether an address is of the code at the file's entry point: nothing called that. (In the dynamic
 * linker no table says so.)
 */
bool tl_cfi_is_entry(const struct tl_cfi *cfi, uint64_t address);

/* The row of an address of the file. 1; 0: there is none; TL_NO_MEMORY. */
int tl_cfi_find(struct tl_cfi *cfi, uint64_t address, struct tl_cfi_row *row);

#endif
