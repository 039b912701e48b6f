/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_TELL_H
#define TL_PERF_DATA_TELL_H
/* What a file is and what stands in it, as text or JSON; whether it keeps the rules. */
#include <tracelathe/perf_data.h>

/* The facts of one file. 0 or negative. */
int tl_perf_describe(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		     struct tl_error *err);
/* Every record on a line, in the reader's order. 0 or negative. */
int tl_perf_dump(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		 struct tl_error *err);
/* One record on a line. */
void tl_perf_dump_record(const struct tl_perf_record *record, bool json, struct tl_output *out);
/* Every broken rule on a line; how many, or negative. */
int64_t tl_perf_check(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		      struct tl_error *err);

/*
 * slice.c: the file with as much of its Intel PT as ran in a window; to_ticks 0: no end. 0 or
 * negative.
 */
int tl_perf_slice(struct tl_perf_trace *trace, uint64_t from_ticks, uint64_t to_ticks,
		  struct tl_output *out, struct tl_error *err);

#endif
