/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of formats.def by number and by name, and what their records can be written as. */
#include <string.h>

#include "open/format.h"

static const struct tl_format *const formats[] = {
#define TL_FORMAT(row) &(row),
#include "open/formats.def"
#undef TL_FORMAT
	NULL,
};

const struct tl_format *tl_format_at(size_t number)
{
	return number < sizeof(formats) / sizeof(formats[0]) ? formats[number] : NULL;
}

const struct tl_format_info *tl_format_info(size_t number)
{
	const struct tl_format *format = tl_format_at(number);

	return format ? &format->info : NULL;
}

const struct tl_format_info *tl_format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->info.name, name))
			return &formats[i]->info;
	return NULL;
}

const struct tl_trace_target *tl_trace_target(size_t number)
{
	for (size_t i = 0; formats[i]; i++) {
		const struct tl_conversion *conversion = formats[i]->conversions;

		for (; conversion && conversion->target.name; conversion++)
			if (!number--)
				return &conversion->target;
	}
	return NULL;
}
