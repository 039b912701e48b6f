/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/function_ids.h"

#include "symbols/binary.h"

static struct tl_xtrace_function_range look_up(const struct tl_xtrace_function_ids *functions,
					       uint64_t address)
{
	struct tl_symbol symbol;

	for (size_t i = 0; i < functions->binary_count; i++)
		if (tl_binary_symbol_at(functions->binaries[i], address, &symbol) && *symbol.name)
			return (struct tl_xtrace_function_range){ symbol.name, symbol.start,
								  symbol.size };
	return (struct tl_xtrace_function_range){ "[unknown]", UINT64_MAX, 0 };
}

static uint32_t number_of(struct tl_xtrace_function_ids *functions,
			  const struct tl_xtrace_function_range *function)
{
	uint32_t before = functions->starts.count, number;

	if (!tl_grow(&functions->list, &functions->room, (size_t)before + 1,
		     sizeof(*functions->list)))
		return TL_NONE;
	number = tl_xtrace_address_id_add(&functions->starts, function->start);
	if (number == before)
		functions->list[number] = *function;
	return number;
}

uint32_t tl_xtrace_function_id_at(struct tl_xtrace_function_ids *functions, uint64_t address)
{
	uint32_t before = functions->addresses.count, number;
	struct tl_xtrace_function_range function;

	if (!tl_grow(&functions->of_address, &functions->address_room, (size_t)before + 1,
		     sizeof(*functions->of_address)))
		return TL_NONE;
	number = tl_xtrace_address_id_add(&functions->addresses, address);
	if (number == before) {
		function = look_up(functions, address);
		functions->of_address[number] = number_of(functions, &function);
	}
	return number == TL_NONE ? TL_NONE : functions->of_address[number];
}

void tl_xtrace_function_ids_free(struct tl_xtrace_function_ids *functions)
{
	tl_xtrace_address_ids_free(&functions->addresses);
	tl_xtrace_address_ids_free(&functions->starts);
	free(functions->of_address);
	free(functions->list);
	functions->of_address = NULL;
	functions->list = NULL;
	functions->address_room = functions->room = 0;
}
