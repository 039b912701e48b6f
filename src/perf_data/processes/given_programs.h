/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_GIVEN_PROGRAMS_H
#define TL_PERF_DATA_PROCESSES_GIVEN_PROGRAMS_H
/*
 * Files that the user gave for programs of a recording (search.programs). A file is an object's by
 * its build id, or by its name where the recording or the file has no build id.
 */
#include "perf_data/processes/system.h"

/* Whether the given file is to be tried as that of an object; it may still be another build. */
bool tl_perf_is_candidate(const struct tl_perf_system *sys, const struct tl_perf_object *object,
			  const char *given);
/*
 * Whether the given file is that of any object of the recording, or a list of the names of its
 * kernel. 1; 0: *why says why not, until the next call; TL_NO_MEMORY.
 */
int tl_perf_given_is_used(const struct tl_perf_system *sys, const char *given, const char **why,
			  struct tl_error *err);

#endif
