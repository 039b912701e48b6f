/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_GMON_FOLD_H
#define TL_GMON_FOLD_H
/*
 * gmon.out as a profile of sums: time of lines from the histograms, counts of calls from the arcs.
 * The time of calls is not in the file: as in gprof, the time of a function and of all it called is
 * divided among its callers by their counts.
 */
#include "gmon/reader.h"

struct tl_binary;
struct tl_profile;

/* Of a file that was just opened; `binary` may be NULL. 0 or negative. */
int tl_gmon_fold(struct tl_gmon_file *g, struct tl_binary *binary, struct tl_profile **profile,
		 struct tl_error *err);

#endif
