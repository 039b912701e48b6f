/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_EVENTS_H
#define TL_PPROF_PROFILE_EVENTS_H
/* Sample types as events of a profile. */
#include "pprof/reader/reader.h"

struct tl_profile;

/* In place of an event: the type is the number of calls. */
#define TL_PPROF_CALLS TL_NONE

struct tl_pprof_events {
	uint32_t *columns; /* by sample type: the event, or TL_PPROF_CALLS */
	bool has_calls;
	uint32_t count; /* events */
};

/*
 * An empty profile with an event for each sample type. The first one is the type that pprof shows
 * if it is not asked for another; the rest follow in the order of the file. Types of one name are
 * told apart by their units. A first type `calls` in `count` among others is the calls of contexts.
 * 0 or negative.
 */
int tl_pprof_events_make(struct tl_pprof_events *events, const struct tl_pprof_file *p,
			 struct tl_profile **profile, struct tl_error *err);
void tl_pprof_events_free(struct tl_pprof_events *events);

#endif
