/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/address_ids.h"

enum { FIRST_SLOTS = 256 };

static void put(struct tl_xtrace_address_ids *numbers, uint64_t key, uint32_t number)
{
	size_t at = (size_t)tl_hash64(key) & numbers->mask;

	while (numbers->slots[at].number != TL_NONE)
		at = (at + 1) & numbers->mask;
	numbers->slots[at] = (struct tl_xtrace_address_slot){ key, number };
}

static bool enlarge(struct tl_xtrace_address_ids *numbers)
{
	struct tl_xtrace_address_slot *old = numbers->slots;
	size_t before = old ? numbers->mask + 1 : 0;
	size_t room = before ? before * 2 : FIRST_SLOTS;

	if (room > SIZE_MAX / sizeof(*old))
		return false;
	numbers->slots = malloc(room * sizeof(*old));
	if (!numbers->slots) {
		numbers->slots = old;
		return false;
	}
	numbers->mask = room - 1;
	/* Empty slots have key 0, which no search stops at: they are recognised by their number. */
	for (size_t i = 0; i < room; i++)
		numbers->slots[i] = (struct tl_xtrace_address_slot){ 0, TL_NONE };
	for (size_t i = 0; i < before; i++)
		if (old[i].number != TL_NONE)
			put(numbers, old[i].key, old[i].number);
	free(old);
	return true;
}

uint32_t tl_xtrace_address_id_new(struct tl_xtrace_address_ids *numbers, uint64_t key)
{
	/* At most two thirds are taken: a search ends soon. */
	bool full = !numbers->slots || (size_t)numbers->count * 3 >= (numbers->mask + 1) * 2;

	if (numbers->count == TL_NONE - 1 || (full && !enlarge(numbers)))
		return TL_NONE;
	put(numbers, key, numbers->count);
	return numbers->count++;
}

void tl_xtrace_address_ids_free(struct tl_xtrace_address_ids *numbers)
{
	free(numbers->slots);
	*numbers = (struct tl_xtrace_address_ids){ 0 };
}
