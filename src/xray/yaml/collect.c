/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xray/map/map.h"
#include "xray/yaml/collected.h"

/* llvm-xray writes the number of a function that it has no name of: "7", or "#7". */
static bool is_number(const char *name, uint32_t id)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "#%u", id);
	return !strcmp(name, digits) || !strcmp(name, digits + 1);
}

/*
 * The map has a sled for each action of a function, as a program's map would have. Some records of
 * a function may lack its name: what they do is remembered until another one tells it.
 */
static bool add_action(struct tl_xray_collected *all, const struct tl_xray_item *item,
		       const char *name)
{
	const uint8_t bit = (uint8_t)(1u << item->action);
	uint32_t number = tl_xray_ids_find(&all->ids, item->id);

	if (number == TL_NONE) {
		number = tl_xray_ids_add(&all->ids, item->id);
		if (number == TL_NONE || !tl_grow(&all->functions, &all->function_capacity,
						  number + (size_t)1, sizeof(*all->functions)))
			return false;
		all->functions[number] = (struct tl_xray_named){ .id = item->id };
		all->function_count = number + (size_t)1;
	}
	all->functions[number].actions |= bit;
	if (!all->functions[number].name && *name && !is_number(name, item->id)) {
		all->functions[number].name = tl_names_text(&all->map->names, name);
		return all->functions[number].name;
	}
	return true;
}

bool tl_xray_collect_names(struct tl_xray_collected *all)
{
	static const uint8_t kinds[] = {
		[TL_XRAY_ENTER] = TL_XRAY_SLED_ENTER,
		[TL_XRAY_EXIT] = TL_XRAY_SLED_EXIT,
		[TL_XRAY_TAIL_EXIT] = TL_XRAY_SLED_TAIL_EXIT,
		[TL_XRAY_ENTER_ARGS] = TL_XRAY_SLED_ENTER_ARGS,
	};

	for (size_t i = 0; i < all->function_count; i++) {
		const struct tl_xray_named *f = &all->functions[i];

		for (unsigned action = 0; f->name && action < sizeof(kinds); action++) {
			const struct tl_xray_sled sled = { .id = f->id, .kind = kinds[action] };

			if (f->actions >> action & 1 && !tl_xray_map_add(all->map, &sled, f->name))
				return false;
		}
	}
	return true;
}

bool tl_xray_collect(struct tl_xray_collected *all, const struct tl_xray_item *item,
		     const char *name)
{
	if (!tl_grow(&all->items, &all->capacity, all->count + 1, sizeof(*all->items)))
		return false;
	all->items[all->count] = *item;
	all->items[all->count].order = all->count;
	all->count++;
	return item->kind != TL_XRAY_FUNCTION || add_action(all, item, name);
}

bool tl_xray_collect_arg(struct tl_xray_collected *all, uint64_t value)
{
	if (!tl_grow(&all->args, &all->arg_capacity, all->arg_count + 1, sizeof(*all->args)))
		return false;
	all->args[all->arg_count++] = value;
	return true;
}

bool tl_xray_collect_bytes(struct tl_xray_collected *all, const uint8_t *data, size_t size)
{
	if (!tl_grow(&all->bytes, &all->byte_capacity, all->byte_count + size, 1))
		return false;
	if (size)
		memcpy(all->bytes + all->byte_count, data, size);
	all->byte_count += size;
	return true;
}

void tl_xray_collected_free(struct tl_xray_collected *all)
{
	free(all->items);
	free(all->args);
	free(all->bytes);
	free(all->functions);
	tl_xray_ids_free(&all->ids);
}
