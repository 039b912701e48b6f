/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PT_INFO_H
#define TL_PERF_DATA_PT_INFO_H
/* The words of AUXTRACE_INFO (docs/formats/perf-data.md section 6). */
#include <tracelathe/perf_data.h>

/* The words of a record, those that an older perf did not write as 0; without the filter. */
struct tl_perf_pt_info tl_perf_pt_info_of(const struct tl_perf_record *rec);
/* Fill in the config of the event that recorded Intel PT, if the file describes it. */
void tl_perf_pt_info_find_event(const struct tl_perf_reader *reader, struct tl_perf_pt_info *info);
/* Ticks of the TSC per second, 0: unknown. */
uint64_t tl_perf_pt_info_tsc_hz(const struct tl_perf_pt_info *info);
/* Between TSC and the perf clock: only the time_ members count. False: there is no conversion. */
bool tl_perf_pt_info_ns(const struct tl_perf_pt_info *info, uint64_t tsc, uint64_t *ns);
bool tl_perf_pt_info_tsc(const struct tl_perf_pt_info *info, uint64_t ns, uint64_t *tsc);

#endif
