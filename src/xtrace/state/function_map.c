/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/function_map.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/binary.h"

void tl_xtrace_function_map_begin(struct tl_xtrace_function_map *functions,
				  struct tl_binary *const *binaries, size_t count)
{
	*functions = (struct tl_xtrace_function_map){ .binaries = binaries, .binary_count = count };
	pthread_mutex_init(&functions->lock, NULL);
}

static void forget(struct tl_xtrace_function_map *functions)
{
	free(functions->list);
	tl_index_free(&functions->index);
	functions->list = NULL;
	functions->index = (struct tl_index){ 0 };
	functions->count = functions->capacity = 0;
}

void tl_xtrace_function_map_free(struct tl_xtrace_function_map *functions)
{
	forget(functions);
	tl_xtrace_entries_free(&functions->entries);
	pthread_mutex_destroy(&functions->lock);
}

void tl_xtrace_function_map_entries(struct tl_xtrace_function_map *functions, uint64_t *entries,
				    size_t count)
{
	forget(functions);
	tl_xtrace_entries_take(&functions->entries, entries, count);
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
static struct tl_xtrace_function describe(struct tl_xtrace_function_map *functions,
					  struct tl_xtrace_questions *questions, uint64_t pc,
					  unsigned el)
{
	struct tl_symbol symbol;
	uint32_t binary = holder(functions->binaries, functions->binary_count, pc);

	if (tl_xtrace_symbol(functions->binaries, functions->binary_count, pc, &symbol))
		return (struct tl_xtrace_function){ symbol.start, binary, symbol.name, false };
	return (struct tl_xtrace_function){ tl_xtrace_entries_find(&functions->entries, questions,
								   pc),
					    binary, NULL, binary == TL_NONE && el > 0 };
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

struct tl_xtrace_location tl_xtrace_locate_for(struct tl_xtrace_function_map *functions,
					       struct tl_xtrace_questions *questions, uint64_t pc,
					       unsigned el)
{
	struct tl_xtrace_location place = { .pc = pc, .el = (uint8_t)el };
	struct tl_xtrace_function function;

	pthread_mutex_lock(&functions->lock);
	function = describe(functions, questions, pc, el);
	place.function = number_of(functions, &function);
	pthread_mutex_unlock(&functions->lock);
	place.entry = function.start == pc;
	place.known = function.name != NULL;
	return place;
}

struct tl_xtrace_location tl_xtrace_locate(struct tl_xtrace_function_map *functions, uint64_t pc,
					   unsigned el)
{
	return tl_xtrace_locate_for(functions, NULL, pc, el);
}

uint32_t tl_xtrace_function_put(struct tl_xtrace_function_map *functions,
				const struct tl_xtrace_function *function, bool named)
{
	struct tl_xtrace_function made = *function;
	struct tl_symbol symbol;
	uint32_t number;

	made.name = NULL;
	if (made.binary != TL_NONE && made.binary >= functions->binary_count)
		return TL_NONE;
	if (named) {
		if (made.binary == TL_NONE ||
		    !tl_binary_symbol_at(functions->binaries[made.binary], made.start, &symbol) ||
		    !*symbol.name || symbol.start != made.start)
			return TL_NONE;
		made.name = symbol.name;
	}
	pthread_mutex_lock(&functions->lock);
	number = number_of(functions, &made);
	pthread_mutex_unlock(&functions->lock);
	return number;
}

/* ---- learning entries ---- */

bool tl_xtrace_function_map_restart(struct tl_xtrace_function_map *functions, bool learn)
{
	forget(functions);
	return tl_xtrace_entries_restart(&functions->entries, learn);
}

bool tl_xtrace_function_map_learn(struct tl_xtrace_function_map *functions, uint64_t pc)
{
	struct tl_symbol symbol;
	bool ok = true;

	pthread_mutex_lock(&functions->lock);
	if (!tl_xtrace_symbol(functions->binaries, functions->binary_count, pc, &symbol))
		ok = tl_xtrace_entries_add(&functions->entries, pc);
	pthread_mutex_unlock(&functions->lock);
	return ok;
}

bool tl_xtrace_function_map_stale(struct tl_xtrace_function_map *functions)
{
	bool stale;

	pthread_mutex_lock(&functions->lock);
	stale = functions->entries.stale;
	pthread_mutex_unlock(&functions->lock);
	return stale;
}

size_t tl_xtrace_function_map_found(struct tl_xtrace_function_map *functions)
{
	size_t count;

	pthread_mutex_lock(&functions->lock);
	count = functions->entries.found.count;
	pthread_mutex_unlock(&functions->lock);
	return count;
}

void tl_xtrace_function_map_open(struct tl_xtrace_function_map *functions,
				 struct tl_xtrace_questions *questions)
{
	pthread_mutex_lock(&functions->lock);
	tl_xtrace_questions_open(&functions->entries, questions);
	pthread_mutex_unlock(&functions->lock);
}

bool tl_xtrace_function_map_close(struct tl_xtrace_function_map *functions,
				  struct tl_xtrace_questions *questions, bool stay)
{
	bool good;

	pthread_mutex_lock(&functions->lock);
	good = tl_xtrace_questions_close(&functions->entries, questions);
	if (!good && stay)
		tl_xtrace_entries_give_up(&functions->entries);
	pthread_mutex_unlock(&functions->lock);
	return good;
}
