/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/lookup.h"

#include "symbols/binary.h"

static struct xtrace_found look_up(const struct xtrace_lookup *functions, uint64_t address)
{
	struct tl_symbol symbol;

	for (size_t i = 0; i < functions->binary_count; i++)
		if (tl_binary_symbol_at(functions->binaries[i], address, &symbol) && *symbol.name)
			return (struct xtrace_found){ symbol.name, symbol.start, symbol.size };
	return (struct xtrace_found){ "[unknown]", UINT64_MAX, 0 };
}

static uint32_t number_of(struct xtrace_lookup *functions, const struct xtrace_found *function)
{
	uint32_t before = functions->starts.count, number;

	if (!tl_grow(&functions->list, &functions->room, (size_t)before + 1,
		     sizeof(*functions->list)))
		return TL_NONE;
	number = tl_xtrace_numbers_add(&functions->starts, function->start);
	if (number == before)
		functions->list[number] = *function;
	return number;
}

uint32_t tl_xtrace_lookup_at(struct xtrace_lookup *functions, uint64_t address)
{
	uint32_t before = functions->addresses.count, number;
	struct xtrace_found function;

	if (!tl_grow(&functions->of_address, &functions->address_room, (size_t)before + 1,
		     sizeof(*functions->of_address)))
		return TL_NONE;
	number = tl_xtrace_numbers_add(&functions->addresses, address);
	if (number == before) {
		function = look_up(functions, address);
		functions->of_address[number] = number_of(functions, &function);
	}
	return number == TL_NONE ? TL_NONE : functions->of_address[number];
}

void tl_xtrace_lookup_free(struct xtrace_lookup *functions)
{
	tl_xtrace_numbers_free(&functions->addresses);
	tl_xtrace_numbers_free(&functions->starts);
	free(functions->of_address);
	free(functions->list);
	functions->of_address = NULL;
	functions->list = NULL;
	functions->address_room = functions->room = 0;
}
