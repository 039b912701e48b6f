/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as SQL, of a trace of two functions: it is answered or refused, and changes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tracelathe/query.h>

#include "fuzz.h"

enum { HEADER = 32, RECORD = 32, MOST_ROWS = 1000 };

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Basic mode: 1 calls 2. */
static struct tl_query *open_trace(int fd)
{
	uint8_t bytes[HEADER + 4 * RECORD] = { 3 };
	char name[64];
	const char *path = name;
	struct tl_query *query;
	struct tl_error err;

	put(bytes + 4, 3, 4);
	put(bytes + 8, 1000000000, 8);
	for (unsigned i = 0; i < 4; i++) {
		uint8_t *record = bytes + HEADER + i * RECORD;

		record[3] = i > 1;
		record[4] = i == 1 || i == 2 ? 2 : 1;
		put(record + 8, 100 + i * 10, 8);
		record[16] = 7;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	FUZZ_MUST(write(fd, bytes, sizeof(bytes)) == sizeof(bytes));
	FUZZ_MUST(tl_query_open(&query, &err) == 0);
	FUZZ_MUST(tl_query_add(query, &path, 1, NULL, NULL, &err) == 0);
	return query;
}

static void read_rows(struct tl_query *query)
{
	struct tl_query_value value;
	struct tl_error err;

	for (int rows = 0; rows < MOST_ROWS && tl_query_next(query, &err) == 1; rows++)
		for (size_t i = 0; i < tl_query_column_count(query); i++)
			FUZZ_MUST(tl_query_column(query, i, &value, sizeof(value)) == 0);
}

/* The trace is as before, whatever was asked. */
static void expect_calls(struct tl_query *query)
{
	struct tl_query_value value;
	struct tl_error err;

	FUZZ_MUST(tl_query_start(query, "SELECT count(*) FROM a.calls", NULL, &err) == 1);
	FUZZ_MUST(tl_query_next(query, &err) == 1);
	FUZZ_MUST(tl_query_column(query, 0, &value, sizeof(value)) == 0);
	FUZZ_MUST(value.integer == 2);
}

/* One for many inputs, as none changes it; anew at times, so that what is kept does not grow. */
static struct tl_query *query_for_next(void)
{
	enum { INPUTS = 500 };
	static struct tl_query *query;
	static unsigned left;
	static int fd = -1;

	if (left--)
		return query;
	tl_query_close(query);
	if (fd >= 0)
		close(fd);
	fd = memfd_create("trace", 0);
	FUZZ_MUST(fd >= 0);
	/* The trace is read when it is asked for. */
	query = open_trace(fd);
	left = INPUTS;
	return query;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_query *query = query_for_next();
	char *text = strndup((const char *)data, size);
	const char *rest = text;
	struct tl_error err;

	FUZZ_MUST(text);
	while (tl_query_start(query, rest, &rest, &err) == 1)
		read_rows(query);
	expect_calls(query);
	free(text);
	return 0;
}
