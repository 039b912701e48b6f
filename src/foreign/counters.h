/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_COUNTERS_H
#define TL_FOREIGN_COUNTERS_H
/*
 * Values of counters over time, in any order, as an input has them: kept (24 bytes each), and put
 * on a timeline counter by counter, in the order of time.
 */
#include "core/memory.h"

struct tl_timeline;

struct tl_foreign_counter {
	int64_t process, thread; /* TL_FOREIGN_PROCESS: of the process itself */
	uint32_t name;           /* of the stacks' names */
};

struct tl_foreign_value {
	int64_t ticks;
	double value;
	uint32_t counter, order;
};

struct tl_foreign_counters {
	struct tl_foreign_counter *list;
	size_t count, capacity;
	struct tl_index index;
	struct tl_foreign_value *values;
	size_t value_count, value_capacity;
};

void tl_foreign_counters_free(struct tl_foreign_counters *counters);

/* The number of a counter, added if it is new; TL_NONE without memory. */
uint32_t tl_foreign_counter(struct tl_foreign_counters *counters, int64_t process, int64_t thread,
			    uint32_t name);
/* Add a value. False without memory. */
bool tl_foreign_counters_add(struct tl_foreign_counters *counters, uint32_t counter, int64_t ticks,
			     double value);
/* By counter, then by time; what is at the same time in the order of the input. */
void tl_foreign_counters_sort(struct tl_foreign_counters *counters);

#endif
