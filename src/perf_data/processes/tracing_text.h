/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_TRACING_TEXT_H
#define TL_PERF_DATA_PROCESSES_TRACING_TEXT_H
/*
 * The text of TRACING_DATA: the kernel's format files of tracepoints (Linux's
 * Documentation/trace/events.rst, "Event formats"). It may have any bytes, and has no terminator.
 */
#include <stdint.h>

/* Where a terminated text begins in the bytes up to `end`; NULL: nowhere, or `from` is NULL. */
const char *tl_perf_tracing_find(const char *from, const char *end, const char *text);
/*
 * The decimal number behind the first place of a text, and behind blanks; what is beyond 32 bits is
 * some number beyond them. TL_NOWHERE: the text is not there, or no number behind it.
 */
uint64_t tl_perf_tracing_number(const char *from, const char *end, const char *text);

#endif
