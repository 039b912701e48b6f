/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_IMPORTS_H
#define TL_SYMBOLS_IMPORTS_H
/*
 * Places of a program that a loader fills with addresses, and with which: functions of other
 * objects by name, its own by address. For 64-bit little-endian files with RELA tables; of others
 * there is none.
 */
#include <tracelathe/symbols.h>

struct tl_import {
	uint64_t slot;
	uint64_t value;   /* of its own: the address */
	const char *name; /* of another object's, NULL: its own. Lives as long as the binary */
};

/* In order of slots. Zero-filled is empty. */
struct tl_imports {
	struct tl_import *list;
	size_t count, capacity;
	uint64_t *exported; /* addresses of its own that others may ask for by name */
	size_t exported_count, exported_capacity;
};

/* Tables that cannot be read are left out. False without memory. */
bool tl_imports_read(struct tl_imports *imports, struct tl_binary *binary);
void tl_imports_free(struct tl_imports *imports);

/* NULL: nothing is filled in there. */
const struct tl_import *tl_imports_find(const struct tl_imports *imports, uint64_t slot);

#endif
