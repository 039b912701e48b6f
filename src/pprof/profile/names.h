/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_NAMES_H
#define TL_PPROF_PROFILE_NAMES_H
/* What a location is in the profile that is made: functions, inlined ones among them, and lines. */
#include "pprof/profile/objects.h"

struct tl_profile;

/* A function at a location; texts are the profile's. */
struct tl_pprof_frame {
	uint32_t function; /* of the profile */
	uint32_t line;     /* 0: unknown */
	const char *file;
};

struct tl_pprof_place {
	size_t first_frame;   /* the innermost */
	uint32_t frame_count; /* 0: not looked up yet */
};

struct tl_pprof_names {
	struct tl_pprof_file *p;
	struct tl_profile *profile;
	struct tl_pprof_objects objects;
	struct tl_pprof_place *places; /* by location; then that of unknown ones, that of none */
	struct tl_pprof_frame *frames;
	size_t frame_count, frame_capacity;
	struct tl_pprof_known {
		uint64_t mapping;
		uint32_t function;
	} *known; /* by function: its number in the profile, in the last mapping that it had */
	const char **files; /* by function: the file as a text of the profile; NULL: not yet */
};

/* Locations that are none. */
enum { TL_PPROF_UNKNOWN, TL_PPROF_NO_STACK, TL_PPROF_EXTRA };

/* `objects` is set up; false without memory. End it in any case. */
bool tl_pprof_names_begin(struct tl_pprof_names *names, struct tl_pprof_file *p,
			  struct tl_profile *profile);
void tl_pprof_names_end(struct tl_pprof_names *names);

/*
 * The functions of a location, the innermost first, valid until the next call. `location`: a
 * number, or the number of locations + TL_PPROF_UNKNOWN or TL_PPROF_NO_STACK. NULL: *err is set.
 */
const struct tl_pprof_frame *tl_pprof_frames(struct tl_pprof_names *names, uint32_t location,
					     uint32_t *count, struct tl_error *err);

#endif
