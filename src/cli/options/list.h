/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_LIST_H
#define TL_CLI_OPTIONS_LIST_H
/* The one list type: the values of an option that may be repeated, in the order they were given. */
#include <stdbool.h>
#include <stddef.h>

struct list {
	void *items;
	size_t count;
	size_t room; /* items that fit before the list has to grow */
};

/*
 * A list of items of one type. `list` grows it; `items` are the same items with their type, so a
 * row of the option table with the setter of another type does not compile.
 */
#define LIST_OF(type)                                                                              \
	union {                                                                                    \
		struct list list;                                                                  \
		type *items;                                                                       \
	}

/* Append an item of `size` bytes. @return the item, zero-filled; NULL: out of memory */
void *list_add(struct list *list, size_t size);
void list_free(struct list *list);

#endif
