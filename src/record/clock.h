/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_CLOCK_H
#define TL_RECORD_CLOCK_H
/* The rate of the clock of records: that of the TSC against CLOCK_MONOTONIC. */
#include <stdint.h>

struct tl_recording_state;

/* Ticks of the TSC in a second, measured for some milliseconds; 0: there is no TSC. */
uint64_t tl_record_measure_hz(void);
/*
 * The same for recordings that are added up later, which ticks of one rate alone can be: the first
 * recording since the machine was started measures it for longer, and the others take that, as long
 * as it is what they measure.
 */
uint64_t tl_record_common_hz(void);
/* That since a process began, if it is long ago and the process has not the common rate. */
uint64_t tl_record_refine_hz(const struct tl_recording_state *state);

#endif
