/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_H
#define TRACELATHE_H
/**
 * @file
 * All headers of the library in one.
 */
#include <tracelathe/callgrind.h>
#include <tracelathe/core.h>
#include <tracelathe/export.h>
#include <tracelathe/flow.h>
#include <tracelathe/intel_pt.h>
#include <tracelathe/open.h>
#include <tracelathe/perf_data.h>
#include <tracelathe/profile.h>
#include <tracelathe/query.h>
#include <tracelathe/record.h>
#include <tracelathe/report.h>
#include <tracelathe/symbols.h>
#include <tracelathe/timeline.h>
#include <tracelathe/xray.h>
#include <tracelathe/xtrace.h>
#endif
