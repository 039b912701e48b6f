/* SPDX-License-Identifier: Apache-2.0 */
/* Each traced function counts its own calls, and knows nothing of any recorder. */
#ifndef RECORDED_COUNTS_H
#define RECORDED_COUNTS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef __has_attribute
#define __has_attribute(x) 0
#endif
#define HIDDEN __attribute__((no_instrument_function, noinline)) UNSLED
#if defined(__clang__)
#define UNSLED __attribute__((xray_never_instrument)) __attribute__((patchable_function_entry(0)))
#define TRACED __attribute__((noinline, xray_always_instrument))
#else
#define UNSLED __attribute__((patchable_function_entry(0, 0)))
#define TRACED __attribute__((noipa))
#endif

enum { COUNTERS = 1400 };

struct counter {
	const char *name;
	unsigned long count;
};

extern struct counter counters[COUNTERS];

#define COUNT(number)                                                                              \
	do {                                                                                       \
		counters[number].name = __func__;                                                  \
		__atomic_add_fetch(&counters[number].count, 1, __ATOMIC_RELAXED);                  \
	} while (0)

/* What was counted goes to the file COUNTS.PID. */
static inline __attribute__((no_instrument_function, always_inline)) void write_counts(void)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s.%d", getenv("COUNTS"), (int)getpid());
	file = fopen(path, "w");
	for (int i = 0; file && i < COUNTERS; i++)
		if (counters[i].count)
			fprintf(file, "%lu %s\n", counters[i].count, counters[i].name);
	if (file)
		fclose(file);
}
#endif
