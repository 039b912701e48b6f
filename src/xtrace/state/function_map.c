/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/function_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "symbols/binary.h"

/* An entry names what follows it for so many bytes. */
enum { REACH = 1 << 20 };

void tl_xtrace_function_map_begin(struct tl_xtrace_function_map *functions,
				  struct tl_binary *const *binaries, size_t count)
{
	*functions = (struct tl_xtrace_function_map){ .binaries = binaries, .binary_count = count };
	pthread_mutex_init(&functions->lock, NULL);
}

static void forget(struct tl_xtrace_function_map *functions)
{
	free(functions->list);
	free(functions->entries);
	tl_index_free(&functions->index);
	functions->list = NULL;
	functions->entries = NULL;
	functions->index = (struct tl_index){ 0 };
	functions->count = functions->capacity = functions->entry_count = 0;
}

void tl_xtrace_function_map_free(struct tl_xtrace_function_map *functions)
{
	forget(functions);
	pthread_mutex_destroy(&functions->lock);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return tl_compare(x, y);
}

void tl_xtrace_function_map_entries(struct tl_xtrace_function_map *functions, uint64_t *entries,
				    size_t count)
{
	forget(functions);
	if (count)
		qsort(entries, count, sizeof(*entries), by_address);
	functions->entries = entries;
	functions->entry_count = count;
}

/* The last entry at or below an address. */
static uint64_t entry_of(const struct tl_xtrace_function_map *functions, uint64_t pc)
{
	size_t low = 0, high = functions->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->entries[middle] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc - functions->entries[low - 1] < REACH ? functions->entries[low - 1] : 0;
}

/* The number of the first binary that has the code at an address; TL_NONE: none. */
static uint32_t holder(struct tl_binary *const *binaries, size_t count, uint64_t pc)
{
	for (size_t i = 0; i < count && i < TL_NONE; i++)
		if (tl_binary_holds(binaries[i], pc))
			return (uint32_t)i;
	return TL_NONE;
}

bool tl_xtrace_symbol(struct tl_binary *const *binaries, size_t count, uint64_t pc,
		      struct tl_symbol *symbol)
{
	uint32_t binary = holder(binaries, count, pc);

	return binary != TL_NONE && tl_binary_symbol_at(binaries[binary], pc, symbol) &&
	       *symbol->name && symbol->start <= pc;
}

/* A symbol is nearer than an entry. */
static struct tl_xtrace_function describe(struct tl_xtrace_function_map *functions, uint64_t pc,
					  unsigned el)
{
	struct tl_symbol symbol;
	uint32_t binary = holder(functions->binaries, functions->binary_count, pc);

	if (tl_xtrace_symbol(functions->binaries, functions->binary_count, pc, &symbol))
		return (struct tl_xtrace_function){ symbol.start, binary, symbol.name, false };
	functions->any_unknown = true;
	return (struct tl_xtrace_function){ entry_of(functions, pc), binary, NULL,
					    binary == TL_NONE && el > 0 };
}

static bool same(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_function *a = &((const struct tl_xtrace_function_map *)context)
						      ->list[number],
					*b = key;

	return a->start == b->start && a->binary == b->binary && a->kernel == b->kernel &&
	       !a->name == !b->name;
}

static uint32_t number_of(struct tl_xtrace_function_map *functions,
			  const struct tl_xtrace_function *function)
{
	uint64_t hash = tl_hash_pair(function->start, function->binary * 2ull + function->kernel);
	uint32_t number = tl_index_find(&functions->index, hash, same, functions, function);

	if (number != TL_NONE)
		return number;
	if (functions->count >= TL_NONE - 1 ||
	    !tl_grow(&functions->list, &functions->capacity, functions->count + 1,
		     sizeof(*functions->list)) ||
	    !tl_index_add(&functions->index, hash, (uint32_t)functions->count))
		return TL_NONE;
	functions->list[functions->count] = *function;
	return (uint32_t)functions->count++;
}

struct tl_xtrace_location tl_xtrace_locate(struct tl_xtrace_function_map *functions, uint64_t pc,
					   unsigned el)
{
	struct tl_xtrace_location place = { .pc = pc, .el = (uint8_t)el };
	struct tl_xtrace_function function;

	pthread_mutex_lock(&functions->lock);
	function = describe(functions, pc, el);
	place.function = number_of(functions, &function);
	pthread_mutex_unlock(&functions->lock);
	place.entry = function.start == pc;
	place.known = function.name != NULL;
	return place;
}
