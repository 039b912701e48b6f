/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SIDEBAND_TEXT_H
#define TL_PERF_DATA_SIDEBAND_TEXT_H
/* Sideband records as text, in the form of ptdump and ptxed. */
#include <tracelathe/perf_data.h>

/* The name of a record with its main flag: "PERF_RECORD_MMAP", "PERF_RECORD_COMM.EXEC". */
void tl_perf_put_record_name(struct tl_output *out, const struct tl_perf_record *record);
/* The fields of a record: on the same line, or (`verbose`) each on a line of its own. */
void tl_perf_put_record(struct tl_output *out, const struct tl_perf_record *record, bool verbose);

#endif
