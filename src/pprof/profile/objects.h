/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_OBJECTS_H
#define TL_PPROF_PROFILE_OBJECTS_H
/*
 * The binaries of mappings, for locations whose functions the profile does not have: those given,
 * by build id or name, else the files that the profile names, if they are of the same build.
 */
#include "pprof/reader/reader.h"

struct tl_binary;

/* A binary given beside the profile. */
struct tl_pprof_binary {
	const char *path;
	uint64_t address; /* where it was loaded; 0: as the mapping says */
};

struct tl_pprof_object {
	struct tl_binary *binary; /* NULL: none */
	uint64_t bias;            /* of addresses without a mapping */
	bool opened;
	const char *why;   /* why there is none, static */
	uint64_t nameless; /* locations without a name */
};

struct tl_pprof_objects {
	const struct tl_pprof_file *p;
	const struct tl_pprof_binary *given;
	size_t given_count;
	const char *sysroot; /* NULL: / */
	const struct tl_debuginfod *debuginfod;
	bool raw_names;
	struct tl_pprof_object *list; /* by mapping; the last one is for locations without */
	bool *used;                   /* by number of those given */
};

/* False without memory. */
bool tl_pprof_objects_begin(struct tl_pprof_objects *objects, const struct tl_pprof_file *p);
void tl_pprof_objects_end(struct tl_pprof_objects *objects);

/*
 * The binary of a location, and the address in it. NULL: there is none, and *object says why, or no
 * memory, which *err says.
 */
struct tl_binary *tl_pprof_binary_at(struct tl_pprof_objects *objects,
				     const struct tl_pprof_location *location,
				     struct tl_pprof_object **object, uint64_t *address,
				     struct tl_error *err);
/* Say what has no names and why, and which binaries were not used. 0 or negative. */
int tl_pprof_objects_tell(struct tl_pprof_objects *objects, struct tl_fault_list *faults,
			  struct tl_error *err);

#endif
