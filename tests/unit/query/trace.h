/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_QUERY_TRACE_H
#define TESTS_UNIT_QUERY_TRACE_H
/* An XRay trace of two functions, of which 1 calls 2 twice, in the folder of a test. */
#include "../temp.h"

/* ---- a trace: basic mode, version 3, 32 bytes a record ---- */

enum { HEADER = 32, RECORD = 32 };

static inline void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static inline void put_record(uint8_t *at, uint8_t exit, uint32_t function, uint64_t tsc)
{
	put(at + 3, exit, 1);
	put(at + 4, function, 4);
	put(at + 8, tsc, 8);
	put(at + 16, 7, 4); /* thread */
	put(at + 20, 5, 4); /* process */
}

static inline const char *make_trace(struct temp *temp)
{
	static const struct {
		uint8_t exit;
		uint32_t function;
		uint64_t tsc;
	} records[] = { { 0, 1, 100 }, { 0, 2, 110 }, { 1, 2, 115 },
			{ 0, 2, 120 }, { 1, 2, 140 }, { 1, 1, 200 } };
	enum { COUNT = sizeof(records) / sizeof(records[0]) };
	uint8_t bytes[HEADER + COUNT * RECORD] = { 0 };

	temp_open(temp);
	put(bytes, 3, 2);              /* version */
	put(bytes + 4, 3, 4);          /* constant and nonstop TSC */
	put(bytes + 8, 1000000000, 8); /* frequency */
	for (size_t i = 0; i < COUNT; i++)
		put_record(bytes + HEADER + i * RECORD, records[i].exit, records[i].function,
			   records[i].tsc);
	temp_write(temp, "trace", bytes, sizeof(bytes));
	return temp_path(temp, "trace");
}

#endif
