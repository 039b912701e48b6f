/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_XRAY_MAPS_H
#define TL_OPEN_ADAPTERS_XRAY_MAPS_H
/* The files that may name the functions of an XRay trace, and which of them ran. */
#include "open/format.h"
#include "xray/map/map.h"
#include "xray/map/log_map.h"
#include "xray/records/reader.h"

/* A file that was given, or a file in a folder that was given. */
struct tl_xray_candidate {
	struct tl_xray_map *map; /* NULL: the file has none */
	const char *path;        /* as given: that of the folder, if one was given */
	const char *text;        /* why it is not used; NULL: it is used, or is not needed */
	enum tl_status status;
	bool program; /* it is not a shared object */
	bool in_folder, used;
	bool fits[TL_XRAY_OBJECTS]; /* it can be that shared object */
};

struct tl_xray_maps {
	struct tl_xray_candidate *list;
	size_t count, capacity;
	/* that of the program, which refers to those of its objects; NULL: none */
	struct tl_xray_map *map;
	/* of the names of shared objects: TL_OK for a remark; NULL: they are certain, or none */
	/* the trace may have functions of more objects than its records can tell apart */
	bool objects_full;
	const char *objects_text;
	enum tl_status objects_status;
	/* what `tracelathe record` wrote beside the log; used if no other file was given */
	struct tl_xray_recorded recorded;
	const char *recorded_fault; /* why its program is not used; NULL: it is */
};

/*
 * Open the files that the options name, or the map beside the log `path`. On failure *failed is the
 * file that the error is about.
 */
int tl_xray_maps_open(struct tl_xray_maps *maps, const char *path,
		      const struct tl_input_options *options, const char **failed,
		      struct tl_error *err);
/* Begin with an empty map, for names that the trace `path` itself has. 0 or TL_NO_MEMORY. */
int tl_xray_maps_named(struct tl_xray_maps *maps, const char *path, struct tl_error *err);
void tl_xray_maps_close(struct tl_xray_maps *maps);

/* Choose files by the functions that the trace uses. True: the choice has changed. */
bool tl_xray_maps_choose(struct tl_xray_maps *maps, const struct tl_xray_uses *uses);

/*
 * Choose those of shared objects among the files that are not `used`, for maps->map
 * (xray_shared.c). True: a choice has changed.
 */
bool tl_xray_maps_choose_objects(struct tl_xray_maps *maps, const struct tl_xray_uses *uses);

/* Find out which of the given programs ran, before their names are asked for. */
int tl_xray_maps_find(struct tl_xray_maps *maps, struct tl_xray_reader *reader,
		      struct tl_error *err);

/* Notes about the files, at most `room` of them. Returns their number. */
size_t tl_xray_maps_damage(const struct tl_xray_maps *maps, struct tl_damage *places, size_t room);

#endif
