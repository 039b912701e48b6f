/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_NUMBERS_H
#define TL_PROFILE_FILE_NUMBERS_H
/*
 * From the numbers of rows in a file to those of the elements that were made of them. In a file
 * without damage these are equal; where blocks are missing, each run of rows begins anew.
 */
#include "core/memory.h"

struct tl_pfile_run {
	uint64_t first; /* number in the file */
	uint32_t count, element;
};

/* Zero-filled is empty. */
struct tl_pfile_numbers {
	struct tl_pfile_run *runs;
	size_t count, capacity;
	const uint32_t *to; /* by element: its final number; NULL: the same */
};

/* Rows come with ascending numbers. False without memory. */
bool tl_pfile_numbers_add(struct tl_pfile_numbers *numbers, uint64_t number, uint32_t element);
/* The same of a number that is not in the first run; TL_NONE: no such element. */
uint32_t tl_pfile_numbers_search(const struct tl_pfile_numbers *numbers, uint64_t number);

/* The element of a row, TL_NONE: it is lost. */
static inline uint32_t tl_pfile_number(const struct tl_pfile_numbers *numbers, uint64_t number)
{
	uint32_t element;

	if (numbers->count && number - numbers->runs[0].first < numbers->runs[0].count)
		element = numbers->runs[0].element + (uint32_t)(number - numbers->runs[0].first);
	else
		element = tl_pfile_numbers_search(numbers, number);
	return numbers->to && element != UINT32_MAX ? numbers->to[element] : element;
}

#endif
