/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_MARKS_H
#define TL_SYMBOLS_MARKS_H
/*
 * Every 64th address of a long sorted array, close together: a binary search that begins here waits
 * for memory a few times, not at each of its steps.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-filled is none, which is right for any array. */
struct tl_marks {
	uint64_t *list;
	size_t count;
};

/*
 * The marks of an array of `count` elements of `size` bytes in the order of their addresses, of
 * which `first` is the first one's; a short array gets none. False without memory.
 */
bool tl_marks_make(struct tl_marks *marks, const uint64_t *first, size_t size, size_t count);
/*
 * How many elements have an address up to this one is searched for from *low to *high; these are
 * narrowed.
 */
void tl_marks_narrow(const struct tl_marks *marks, uint64_t address, size_t *low, size_t *high);
void tl_marks_free(struct tl_marks *marks);

#endif
