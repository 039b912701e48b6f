/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_MAP_FUNCTION_NAMES_H
#define TL_XRAY_MAP_FUNCTION_NAMES_H
/* Names of the functions of a trace, each looked up once, and whether a filter selects it. */
#include <regex.h>

#include "core/memory.h"
#include "xray/format/function_ids.h"

struct tl_xray_function_name {
	const char *name; /* "#id" if the map does not know it; never "" */
	const char *file, *object;
	uint32_t line;
	bool wanted;
	uint64_t address; /* of the entry, 0: unknown */
};

struct tl_xray_function_names {
	struct tl_xray_ids ids;
	struct tl_xray_function_name *names; /* by number */
	size_t capacity;
	struct tl_xray_map *map;
	struct tl_arena arena; /* made-up names */
	regex_t function, object;
	bool by_function, by_object;
};

/* `map`, `function` and `object` (POSIX extended regular expressions) may be NULL. */
int tl_xray_names_begin(struct tl_xray_function_names *names, struct tl_xray_map *map,
			const char *function, const char *object, struct tl_error *err);
void tl_xray_names_end(struct tl_xray_function_names *names);

uint32_t tl_xray_names_add(struct tl_xray_function_names *names, uint32_t id);

/* The number of an id, whose name is then names->names[number]; TL_NONE without memory. */
static inline uint32_t tl_xray_names_number(struct tl_xray_function_names *names, uint32_t id)
{
	uint32_t number = tl_xray_ids_find(&names->ids, id);

	return number != TL_NONE ? number : tl_xray_names_add(names, id);
}

#endif
