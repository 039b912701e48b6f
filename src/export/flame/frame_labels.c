/* SPDX-License-Identifier: Apache-2.0 */
/* The text on a frame. */
#include "export/flame/flame.h"

#include <inttypes.h>
#include <stdio.h>

bool tl_flame_special(const struct tl_flame *flame, uint32_t function)
{
	return function >= flame->functions.count;
}

const char *tl_flame_name(const struct tl_flame *flame, uint32_t function, char *buffer,
			  size_t size)
{
	uint32_t special = function - flame->functions.count;

	if (!tl_flame_special(flame, function))
		return *flame->functions.all[function]->name ? flame->functions.all[function]->name
							     : "???";
	if (special == TL_FLAME_ALL)
		return "all";
	if (special == TL_FLAME_OTHER)
		return tl_stacks_other_name;
	if (special == TL_FLAME_DEEPER)
		snprintf(buffer, size, "(deeper than %u frames)",
			 (unsigned)flame->options.most_depth);
	else
		tl_flame_column_title(flame, special - TL_FLAME_THREADS, buffer, size);
	return buffer;
}

const char *tl_flame_grouped(uint64_t number, char *text)
{
	char digits[24];
	int count = snprintf(digits, sizeof(digits), "%" PRIu64, number), at = 0;

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}
