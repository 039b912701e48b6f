/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: times, windows of time, and ranges of numbers. */
#include <string.h>

#include "cli/options/values.h"

/* ---- times ---- */

/* A time with its unit in `size` bytes; none: 0. */
static bool parse_time(const char *text, size_t size, double *seconds)
{
	static const struct {
		const char *name;
		double per_second;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 } };
	char copy[64], *end;

	*seconds = 0;
	if (!size)
		return true;
	if (size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (!parse_decimal(copy, &end, seconds))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(end, units[i].name)) {
			/* 1e3 is exact, 1e-3 is not: so 5ms is the double nearest to 0.005. */
			*seconds /= units[i].per_second;
			return true;
		}
	}
	return false;
}

const char *set_time(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	(void)settings;
	(void)row;
	if (!*value || !parse_time(value, strlen(value), field))
		return "a time is needed, such as 5ms or 0.2";
	return NULL;
}

const char *set_window(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	struct tl_input_filter *filter = field;
	const char *dots = strstr(value, "..");
	double from, to;

	(void)settings;
	(void)row;
	if (!dots || !parse_time(value, (size_t)(dots - value), &from) ||
	    !parse_time(dots + 2, strlen(dots + 2), &to))
		return "a window FROM..TO is needed, such as 0.5..2 or 5ms..20ms";
	if (dots[2] && to <= from)
		return "the window ends before it begins";
	filter->from_seconds = from;
	filter->to_seconds = dots[2] ? to : -1;
	return NULL;
}

/* ---- ranges of numbers ---- */

/* A number of `size` bytes; none: TL_NOWHERE. */
static bool parse_end(const char *text, size_t size, uint64_t *number)
{
	char copy[32];

	*number = TL_NOWHERE;
	if (!size)
		return true;
	if (size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return parse_number(copy, number) && *number != TL_NOWHERE;
}

const char *set_range(struct settings *settings, void *field, const struct option_row *row,
		      const char *value)
{
	struct tl_number_range *range = field;
	const char *dots = strstr(value, "..");

	(void)settings;
	(void)row;
	if (!dots || !parse_end(value, (size_t)(dots - value), &range->from) ||
	    !parse_end(dots + 2, strlen(dots + 2), &range->to))
		return "a range such as 3..7, 3.. or ..7 is needed";
	if (range->from == TL_NOWHERE)
		range->from = 0;
	if (range->to <= range->from)
		return "the range ends before it begins";
	return NULL;
}

/* Two numbers are no range: the second one may be lower. */
const char *set_pair(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	struct tl_number_range *pair = field;
	const char *comma = strchr(value, ',');

	(void)settings;
	(void)row;
	if (!comma || comma == value || !comma[1] ||
	    !parse_end(value, (size_t)(comma - value), &pair->from) ||
	    !parse_end(comma + 1, strlen(comma + 1), &pair->to))
		return "two numbers such as 3,4 are needed";
	if (pair->from == pair->to)
		return "the two are the same";
	return NULL;
}
