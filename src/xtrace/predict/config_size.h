/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CONFIG_SIZE_H
#define TL_XTRACE_CONFIG_SIZE_H
/* Sizes in texts that describe caches and predictors. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A number with K, M or G (of 1024) behind it; false unless it is one, not 0 and below 2^40. */
static inline bool tl_xtrace_config_size(const char *text, uint64_t *size)
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

#endif
