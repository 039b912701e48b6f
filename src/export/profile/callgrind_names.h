/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_CALLGRIND_NAMES_H
#define TL_EXPORT_PROFILE_CALLGRIND_NAMES_H
/*
 * Name compression of the Callgrind format ("Name Compression"): objects, files and functions each
 * have their own numbers; the first mention in a part has the name beside it. Names are defined
 * again in each part, since some readers forget them there (docs/formats/callgrind.md, 3.F).
 */
#include "core/memory.h"
#include "core/output.h"

enum tl_callgrind_namespace {
	TL_NAMESPACE_OBJECTS,
	TL_NAMESPACE_FILES,
	TL_NAMESPACE_FUNCTIONS,
	TL_NAMESPACE_COUNT
};

struct tl_callgrind_name_table {
	struct tl_names names;
	uint32_t *defined; /* by number: the part it was defined in last, from 1 */
	size_t defined_count, defined_capacity;
	const char *last; /* the text asked for last, by address, and its number */
	uint32_t last_number;
};

struct tl_callgrind_name_tables {
	struct tl_callgrind_name_table tables[TL_NAMESPACE_COUNT];
	uint32_t part; /* from 1 */
	bool in_full;  /* no numbers are written */
	bool no_memory;
};

/*
 * The number of a name; "" is "???", the unknown name of the format. 0 without memory.
 */
uint32_t tl_callgrind_name_number(struct tl_callgrind_name_tables *tables,
				  enum tl_callgrind_namespace space, const char *text);

/* "fn=(7) main\n" or "fn=(7)\n". */
void tl_callgrind_name_put(struct tl_callgrind_name_tables *tables, struct tl_output *out,
			   const char *key, enum tl_callgrind_namespace space, uint32_t number);

void tl_callgrind_name_tables_free(struct tl_callgrind_name_tables *tables);

#endif
