/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_ROWS_HEAVIEST_H
#define TL_VIEW_ROWS_HEAVIEST_H
/* Which of very many rows an answer has, and in which order: they may be a million. */
#include <stddef.h>
#include <stdint.h>

/* A function or an arc. */
struct tl_view_row {
	uint64_t weight;
	uint32_t number;
};

/*
 * Put the `most` heaviest rows of a list, or all of them if they are fewer, in front, from the
 * heaviest on, those of one weight in the order of the list. What is behind them is undefined.
 * @return how many they are; SIZE_MAX without memory
 */
size_t tl_view_heaviest(struct tl_view_row *list, size_t count, size_t most);

#endif
