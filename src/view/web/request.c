/* SPDX-License-Identifier: Apache-2.0 */
#include "view/web/request.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/optional.h"

typedef bool take_fn(void *to, const char *value);

/* Decimal digits and nothing else. @return the character behind them, NULL: none, or too many */
static const char *take_digits(uint64_t *number, const char *text)
{
	const char *p = text;

	*number = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*number, 10u, number) ||
		    __builtin_add_overflow(*number, (unsigned)(*p - '0'), number))
			return NULL;
	return p == text ? NULL : p;
}

static bool take_number(void *to, const char *value)
{
	const char *end = take_digits(to, value);

	return end && !*end;
}

static bool take_numbers(void *to, const char *value)
{
	struct tl_web_numbers *numbers = to;
	uint64_t number;

	for (numbers->count = 0; numbers->count < TL_WEB_MOST_NUMBERS; value++) {
		value = take_digits(&number, value);
		if (!value || number > UINT32_MAX)
			return false;
		numbers->list[numbers->count++] = (uint32_t)number;
		if (*value != ',')
			return !*value;
	}
	return false;
}

/* The locale is "C": the command sets none. */
static bool take_seconds(void *to, const char *value)
{
	double seconds;
	char *end;

	if (*value < '0' || *value > '9')
		return false;
	seconds = strtod(value, &end);
	if (*end || !isfinite(seconds))
		return false;
	*(double *)to = seconds;
	return true;
}

static bool take_text(void *to, const char *value)
{
	*(const char **)to = value;
	return true;
}

static const struct {
	const char *key;
	take_fn *take;
	size_t offset;
} parameters[] = {
#define AT(member) offsetof(struct tl_web_request, member)
	{ "file", take_number, AT(file) },
	{ "since", take_seconds, AT(from_seconds) },
	{ "until", take_seconds, AT(to_seconds) },
	{ "from", take_number, AT(from) },
	{ "to", take_number, AT(to) },
	{ "at", take_number, AT(at) },
	{ "pixels", take_number, AT(pixels) },
	{ "rows", take_number, AT(rows) },
	{ "items", take_number, AT(items) },
	{ "assembly", take_number, AT(assembly) },
	{ "baseline", take_number, AT(baseline) },
	{ "back", take_number, AT(back) },
	{ "refine", take_number, AT(refine) },
	{ "inclusive", take_number, AT(inclusive) },
	{ "table", take_number, AT(table) },
	{ "tracks", take_numbers, AT(tracks) },
	{ "functions", take_numbers, AT(functions) },
	{ "name", take_text, AT(name) },
	{ "object", take_text, AT(object) },
	{ "source", take_text, AT(source) },
#undef AT
};

void tl_web_request_begin(struct tl_web_request *request, const char *path)
{
	memset(request, 0, sizeof(*request));
	request->path = path;
}

bool tl_web_request_take(struct tl_web_request *request, const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		if (!strcmp(parameters[i].key, key))
			return parameters[i].take((char *)request + parameters[i].offset,
						  tl_text_or_empty(value));
	return false;
}
