/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/predict/config_text.h"

#include <ctype.h>
#include <string.h>

#include "core/error.h"

bool tl_xtrace_config_size(const char *text, uint64_t *size)
{
	static const char units[] = "KMG";
	uint64_t number = 0;

	for (; isdigit((unsigned char)*text); text++) {
		number = number * 10 + (uint64_t)(*text - '0');
		if (number >= UINT64_C(1) << 40)
			return false;
	}
	if (*text && strchr(units, *text)) {
		number <<= 10 * (strchr(units, *text) - units + 1);
		text++;
	}
	*size = number;
	return number && number < UINT64_C(1) << 40 && !*text;
}

int tl_xtrace_config_lines(const char *text, size_t size, tl_xtrace_config_line_fn *take, void *arg,
			   struct tl_error *err)
{
	char line[512];
	uint64_t number = 0;

	for (size_t at = 0; at < size; number++) {
		const char *end = memchr(text + at, '\n', size - at), *wrong;
		size_t length = end ? (size_t)(end - text) - at : size - at;

		if (length >= sizeof(line))
			return tl_error_in(err, TL_BAD_FORMAT, at, number,
					   "a line of more than 511 characters");
		memcpy(line, text + at, length);
		line[length] = '\0';
		wrong = take(arg, line);
		if (wrong)
			return tl_error_in(err, TL_BAD_FORMAT, at, number, wrong);
		at += length + 1;
	}
	return 0;
}
