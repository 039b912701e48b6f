/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_TELL_H
#define TL_PERF_DATA_TELL_H
/* Facts, records and broken rules of a file as text or JSON, and slices of a file. */
#include <tracelathe/perf_data.h>

/* Facts of a file. 0 or negative. */
int tl_perf_describe(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		     struct tl_error *err);
/* Every record on a line, in the reader's order. 0 or negative. */
int tl_perf_dump(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		 struct tl_error *err);
/* Every violation of a rule on a line. The number of violations, or negative. */
int64_t tl_perf_check(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		      struct tl_error *err);

/*
 * slice.c: write the file with only that part of its Intel PT that ran in a window; to_ticks 0: no
 * end. 0 or negative.
 */
int tl_perf_slice(struct tl_perf_trace *trace, uint64_t from_ticks, uint64_t to_ticks,
		  struct tl_output *out, struct tl_error *err);

#endif
