/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_MAP_MAP_H
#define TL_XRAY_MAP_MAP_H
/* The instrumentation map: its sleds, and the functions that they belong to. */
#include <tracelathe/xray.h>

#include "core/memory.h"

struct tl_binary;
struct tl_xray_objects;
struct tl_xray_uses;

enum tl_xray_sled_kind {
	TL_XRAY_SLED_ENTER,
	TL_XRAY_SLED_EXIT,
	TL_XRAY_SLED_TAIL_EXIT,
	TL_XRAY_SLED_ENTER_ARGS,
	TL_XRAY_SLED_CUSTOM_EVENT,
	TL_XRAY_SLED_TYPED_EVENT,
	TL_XRAY_SLED_KIND_COUNT
};

/* One entry, with the bias added. Unknown kinds are kept. */
struct tl_xray_sled {
	uint64_t address, function;
	uint32_t id;
	uint8_t kind, version;
	bool always;
};

struct tl_xray_map_function {
	uint32_t id;
	bool known; /* name, file and line were looked up */
	uint64_t address;
	const char *name; /* never NULL */
	const char *file;
	uint32_t line;
	size_t order;  /* of the function's first sled */
	uint8_t kinds; /* of its sleds: bits by enum tl_xray_sled_kind */
};

/*
 * Shared objects that a function id can name beside the program: 8 bits above 24, of which records
 * of flight data keep 4 (docs/formats/xray.md, 2.2).
 */
enum { TL_XRAY_OBJECTS = 256, TL_XRAY_OBJECT_SHIFT = 24 };

struct tl_xray_map {
	struct tl_binary *binary; /* NULL: from YAML */
	struct tl_xray_sled *sleds;
	size_t sled_count, sled_capacity;
	struct tl_xray_map_function *functions; /* by id, after tl_xray_map_finish() */
	size_t function_count, function_capacity;
	struct tl_names names; /* of a map from YAML */

	struct tl_xray_objects
		*spans; /* ids are places in objects; NULL: they are those of sleds */
	struct tl_xray_map *objects[TL_XRAY_OBJECTS]; /* of shared objects, from 1 on; borrowed */
	/* functions whose name was looked up, and those of them that have a name */
	uint32_t asked, named;
};

/*
 * Why the file of a map cannot be object `object` (0: the program) of the trace; NULL: it can. It
 * must have all functions that the trace uses, with the sleds that write their records
 * (map_match.c).
 */
const char *tl_xray_map_refutes(const struct tl_xray_map *map, uint32_t object,
				const struct tl_xray_uses *uses);

/* Which shared objects, from 1 on, the file of a map can be. */
void tl_xray_map_fits(const struct tl_xray_map *map, const struct tl_xray_uses *uses,
		      bool fits[TL_XRAY_OBJECTS]);

/* "function-enter", ... as `llvm-xray extract` writes them; NULL for a kind we do not know. */
const char *tl_xray_sled_kind_name(unsigned kind);

/* Append a sled; `name` is its function's and lives as long as the map. False without memory. */
bool tl_xray_map_add(struct tl_xray_map *map, const struct tl_xray_sled *sled, const char *name);
/* The binary that a map came from, NULL: none. */
const struct tl_binary *tl_xray_map_binary(const struct tl_xray_map *map);
/* The binary that has an object's names, by its path; NULL: none. */
struct tl_binary *tl_xray_map_object(const struct tl_xray_map *map, const char *path);
/* A function by its id, also one of a shared object. False when no map has the id. */
bool tl_xray_map_lookup(struct tl_xray_map *map, uint32_t id, struct tl_xray_function *function);
/* True once tl_xray_map_lookup() left names or lines out, for want of memory. */
bool tl_xray_map_short_of_memory(const struct tl_xray_map *map);
/* A function of the map itself, whatever objects it has; NULL: none. After tl_xray_map_finish(). */
struct tl_xray_map_function *tl_xray_map_function(const struct tl_xray_map *map, uint32_t id);
/* Order the functions by id; of several entries with one id the first names the function. */
void tl_xray_map_finish(struct tl_xray_map *map);

#endif
