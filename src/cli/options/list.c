/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/options/list.h"

enum { FIRST_ROOM = 8 };

void *list_add(struct list *list, size_t size)
{
	unsigned char *item;

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : FIRST_ROOM;
		void *items = reallocarray(list->items, room, size);

		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	item = (unsigned char *)list->items + list->count++ * size;
	memset(item, 0, size);
	return item;
}

void list_free(struct list *list)
{
	free(list->items);
	*list = (struct list){ .items = NULL };
}
