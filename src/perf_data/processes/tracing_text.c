/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/tracing_text.h"

#include <string.h>

#include <tracelathe/core.h>

const char *tl_perf_tracing_find(const char *from, const char *end, const char *text)
{
	return from ? memmem(from, (size_t)(end - from), text, strlen(text)) : NULL;
}

uint64_t tl_perf_tracing_number(const char *from, const char *end, const char *text)
{
	const char *p = tl_perf_tracing_find(from, end, text), *digits;
	uint64_t value = 0;

	if (!p)
		return TL_NOWHERE;
	for (p += strlen(text); p < end && *p == ' '; p++)
		;
	for (digits = p; p < end && *p >= '0' && *p <= '9' && value <= UINT32_MAX; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return p == digits ? TL_NOWHERE : value;
}
