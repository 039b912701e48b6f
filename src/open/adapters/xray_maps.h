/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_XRAY_MAPS_H
#define TL_OPEN_ADAPTERS_XRAY_MAPS_H
/* The files that can name the functions of an XRay trace, and which of them was what ran. */
#include "open/format.h"
#include "xray/map/map.h"
#include "xray/records/reader.h"

/* A file that was given, or one in a folder that was. */
struct tl_xray_candidate {
	struct tl_xray_map *map; /* NULL: it has none */
	const char *path;        /* as given: the folder's, where it was one */
	const char *text;        /* why it is not used; NULL: it is, or need not be */
	enum tl_status status;
	bool program; /* no shared object */
	bool in_folder, used;
};

struct tl_xray_maps {
	struct tl_xray_candidate *list;
	size_t count, capacity;
	struct tl_xray_map *map; /* the program's, with those of its objects; NULL: none */
	/* why functions of shared objects have no names; NULL: they have, or there are none */
	const char *objects_text;
};

/* Open what the options name. On failure *failed is the file it is about. */
int tl_xray_maps_open(struct tl_xray_maps *maps, const struct tl_input_options *options,
		      const char **failed, struct tl_error *err);
void tl_xray_maps_close(struct tl_xray_maps *maps);

/* Choose by what the trace uses. True: it is another choice than before. */
bool tl_xray_maps_choose(struct tl_xray_maps *maps, const struct tl_xray_uses *uses);

/*
 * What is to be told of them, at most `room` places; their number. `names`: names were asked for.
 */
size_t tl_xray_maps_damage(const struct tl_xray_maps *maps, struct tl_damage *places, size_t room);

#endif
