/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_EVENT_NAMES_H
#define TL_PERF_DATA_SAMPLES_EVENT_NAMES_H
/* What recorded events are called, and what their periods count. */
#include "perf_data/container/reader.h"

enum { TL_PERF_EVENT_NAME_ROOM = 48 };

/*
 * The name of an event as perf would write it: the recorded one, else by type and number; `room` is
 * used where it has to be made.
 */
const char *tl_perf_event_name(const struct tl_perf_attr *attr, char room[TL_PERF_EVENT_NAME_ROOM]);
/* The unit of its periods, "": a count. */
const char *tl_perf_event_unit(const struct tl_perf_attr *attr);

#endif
