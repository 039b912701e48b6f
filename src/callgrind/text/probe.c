/* SPDX-License-Identifier: Apache-2.0 */
/* Is this a Callgrind or Cachegrind profile? */
#include <string.h>

#include "callgrind/text/layout.h"
#include "core/arithmetic.h"
#include "core/cursor.h"

#include <tracelathe/callgrind.h>

/* A line near the beginning of a profile, and the certainty that it gives. */
static const struct {
	const char *start;
	int sure;
} marks[] = {
	{ "# callgrind format", 100 },
	{ "events:", 80 },
	{ "positions:", 60 },
	{ "creator: callgrind", 90 },
	{ "creator:", 40 },
	{ "==== NEW PROFILING FILE", 60 },
	{ "desc:", 40 },
	{ "version:", 20 },
	{ "fn=", 20 },
};

enum { LOOKED_AT = 2048 };

/* Lines of massif's snapshots, which begin with "desc:", too. */
static const char *const others[] = { "time_unit:", "snapshot=" };

/* "A first 2 KiB that is neither text nor a known signature" is not a profile (section 4). */
static bool is_text(const uint8_t *data, size_t size)
{
	size_t odd = 0;

	for (size_t i = 0; i < size; i++)
		odd += data[i] < ' ' && data[i] != '\t' && data[i] != '\n' && data[i] != '\r';
	return odd <= size / 64;
}

static int sure_of_line(const uint8_t *line, size_t size)
{
	int sure = 0;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t length = strlen(marks[i].start);

		if (length <= size && !memcmp(line, marks[i].start, length) && marks[i].sure > sure)
			sure = marks[i].sure;
	}
	return sure;
}

static bool is_of_other_format(const uint8_t *line, size_t size)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) <= size && !memcmp(line, others[i], strlen(others[i])))
			return true;
	return false;
}

int tl_callgrind_probe(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, tl_min(size, LOOKED_AT));
	int sure = 0;

	if (!is_text(data, tl_cursor_left(&cur)))
		return 0;
	if (tl_cursor_has(&cur, 3) && !memcmp(cur.pos, "\xef\xbb\xbf", 3))
		cur.pos += 3;
	while (tl_cursor_left(&cur)) {
		const uint8_t *stop = memchr(cur.pos, '\n', tl_cursor_left(&cur));
		size_t length = stop ? (size_t)(stop - cur.pos) : tl_cursor_left(&cur);
		int line = sure_of_line(cur.pos, length);

		if (is_of_other_format(cur.pos, length))
			return 0;
		sure = tl_max(line, sure);
		cur.pos += stop ? length + 1 : length;
	}
	return sure;
}
