/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_REMARKS_H
#define TL_PERF_DATA_SAMPLES_REMARKS_H
#include "perf_data/samples/fold.h"

/* One more remark, formatted as by printf(). False without memory. */
bool tl_perf_sample_remark(struct tl_perf_sample_remarks *remarks, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
