/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_NAME_LIST_H
#define TL_SYMBOLS_NAME_LIST_H
/*
 * Names of addresses as text, for code that has no ELF file: /proc/kallsyms of a kernel ("address
 * type name [module]"), and the maps that run-time compilers write for perf, /tmp/perf-PID.map
 * ("address size name", numbers in hexadecimal).
 */
#include <tracelathe/core.h>

#include "core/memory.h"

struct tl_named_range {
	uint64_t start, end;
	const char *name;   /* lives as long as the list */
	const char *module; /* of the kernel; "": the kernel itself, or none */
	uint8_t rank;       /* the least of several names of an address names it */
	uint32_t number;    /* of the line: of equal ranges a later one replaced the earlier */
};

/* In order of starts, without overlaps. Zero-filled is empty. */
struct tl_name_list {
	struct tl_arena arena;
	struct tl_named_range *list;
	size_t count, capacity;
	bool hidden; /* all addresses were 0: kptr_restrict hides them from the reader */
};

/* Whether a file begins with a line of kallsyms, or of a kernel's System.map, which is the same. */
bool tl_name_list_is_kallsyms(const char *path);

/*
 * Lines that are none of the form are passed over.
 * @return 0, TL_IO, TL_NO_MEMORY
 */
int tl_name_list_read_kallsyms(struct tl_name_list *list, const char *path, struct tl_error *err);
int tl_name_list_read_perf_map(struct tl_name_list *list, const char *path, struct tl_error *err);
void tl_name_list_free(struct tl_name_list *list);

/* The range that holds an address, NULL: none. */
const struct tl_named_range *tl_name_list_find(const struct tl_name_list *list, uint64_t address);

#endif
