/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_MAP_OBJECT_IDS_H
#define TL_XRAY_MAP_OBJECT_IDS_H
/*
 * Ids that are places in the objects of a process: first + address - start of an executable
 * segment. An object is opened when the first of its functions is named.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_binary;
struct tl_xray_objects;
struct tl_xray_function;
struct tl_damage;

/* An executable segment. */
struct tl_xray_object {
	uint32_t first;
	uint64_t size, address;      /* address in the file */
	const char *path, *build_id; /* build_id "-": the file had none; both borrowed */
	struct tl_binary *binary;
	bool tried;
	const char *fault; /* why it gives no names; NULL: it does, or was not asked */
};

/* NULL without memory. */
struct tl_xray_objects *tl_xray_objects_make(bool demangle);
/* False without memory. */
bool tl_xray_objects_add(struct tl_xray_objects *objects, const struct tl_xray_object *object);
/* All are added. */
void tl_xray_objects_finish(struct tl_xray_objects *objects);
void tl_xray_objects_free(struct tl_xray_objects *objects);

/* Name a function. False: no object has this id. */
bool tl_xray_objects_lookup(struct tl_xray_objects *objects, uint32_t id,
			    struct tl_xray_function *function);
/* Whether a name may be missing for want of memory. */
bool tl_xray_objects_short_of_memory(const struct tl_xray_objects *objects);

/* The file at `path`, as it was recorded. NULL: no object is, or it is not there any more. */
struct tl_binary *tl_xray_objects_binary(struct tl_xray_objects *objects, const char *path);

/* Object `number` that was asked for names and gave none; NULL: there are no more. */
const struct tl_xray_object *tl_xray_objects_fault(const struct tl_xray_objects *objects,
						   size_t number);

#endif
