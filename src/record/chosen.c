/* SPDX-License-Identifier: Apache-2.0 */
#include "record/chosen.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/symbols.h>
#include <tracelathe/xray.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"

enum { MOST_DIGITS = 24 };

struct choice {
	regex_t expression;
	uint64_t *numbers;
	size_t count, capacity;
};

static bool consider(struct choice *choice, const char *name, uint64_t number)
{
	if (regexec(&choice->expression, name, 0, NULL, 0) != 0)
		return true;
	if (!tl_grow(&choice->numbers, &choice->capacity, choice->count + 1, sizeof(uint64_t)))
		return false;
	choice->numbers[choice->count++] = number;
	return true;
}

static int choose_sleds(struct choice *choice, const char *path, struct tl_error *err)
{
	struct tl_xray_map *map;
	struct tl_xray_function function;
	int status = tl_xray_map_open(&map, path, 0, true, err);
	bool ok = true;

	if (status < 0)
		return status;
	for (uint32_t id = 1; ok && id <= tl_xray_map_count(map); id++)
		if (tl_xray_map_find(map, id, &function, sizeof(function)) == 1)
			ok = consider(choice, function.name, id);
	tl_xray_map_close(map);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

static int choose_entries(struct choice *choice, const char *path, struct tl_error *err)
{
	struct tl_binary *binary;
	struct tl_section section;
	struct tl_symbol symbol;
	int status = tl_binary_open(&binary, path, 0, true, err);
	bool ok = true;

	if (status < 0)
		return status;
	if (!tl_binary_section(binary, "__patchable_function_entries", &section) || !section.data)
		section.size = 0;
	for (size_t at = 0; ok && at + sizeof(uint64_t) <= section.size; at += sizeof(uint64_t)) {
		uint64_t address = tl_get64(section.data + at);

		tl_binary_relocation(binary, section.address + at, &address);
		if (tl_binary_symbol(binary, address, &symbol, sizeof(symbol)))
			ok = consider(choice, symbol.name, address);
	}
	tl_binary_close(binary);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return tl_compare(*a, *b);
}

static int write_numbers(struct choice *choice, char **numbers, size_t *size, struct tl_error *err)
{
	if (!choice->count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "no function of the program matches");
	qsort(choice->numbers, choice->count, sizeof(uint64_t), by_number);
	*numbers = malloc(choice->count * MOST_DIGITS);
	if (!*numbers)
		return tl_error_memory(err);
	*size = 0;
	for (size_t i = 0; i < choice->count; i++)
		*size += (size_t)snprintf(*numbers + *size, MOST_DIGITS, "%" PRIu64 "\n",
					  choice->numbers[i]);
	return 0;
}

int tl_record_chosen(const char *path, const char *expression, bool sleds, char **numbers,
		     size_t *size, struct tl_error *err)
{
	struct choice choice = { .numbers = NULL };
	int status;

	if (regcomp(&choice.expression, expression, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	status = sleds ? choose_sleds(&choice, path, err) : choose_entries(&choice, path, err);
	if (status == 0)
		status = write_numbers(&choice, numbers, size, err);
	regfree(&choice.expression);
	free(choice.numbers);
	return status;
}
